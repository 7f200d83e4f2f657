"""One flat row for each planned trial, as schemas/row.1 says; null is not known or not asked, never 0.

What is a list or a map in a result is JSON text here. It judges and computes nothing beyond counts within one
trial. A row that says something else than its result is this module's fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import get_args

from kit import counting
from kit.documents import Document, contents
from kit.sentences import NEVER
from kit.tables import Batch
from kit.text import plain
from kit.verdicts import Verdict

SCHEMA = "row/1"
STAGED = ("version", "sha256", "source", "revision")
TYPES = ("string", "integer", "number", "boolean")


def columns() -> dict[str, tuple[str, str]]:
    """Column to its type (one of TYPES) and its meaning, in order; without `schema`."""
    properties = contents("row.1.schema.json")["properties"]
    found = {}
    for name, said in properties.items():
        if name != "schema":
            kind = said["type"] if isinstance(said["type"], str) else said["type"][0]
            found[name] = (kind, said["description"])
    return found


def of(batch: Batch) -> Iterator[Document]:
    known = columns()
    for position, trial in enumerate(batch.plan["order"], 1):
        result = batch.results.get(trial)
        row = {**planned(batch.plan, trial, position), **(judged(result) if result else missing())}
        yield {"schema": SCHEMA, **{name: row.get(name) for name in known}}


def planned(plan: Document, trial: str, position: int) -> Document:
    name = counting.configuration_of(trial)
    answered = (plan["rehearsals"] or {}).get(name)
    return {
        **{key: plan[key] for key in ("task", "kind", "client", "batch", "isolation", "rung", "reads")},
        "route": plan.get("route", "gateway"),
        "model": plain(f"rehearsal:{answered}" if answered else plan["model"]["name"]),
        "rehearsal": answered,
        "configuration": name,
        "role": next(c["role"] for c in plan["configurations"] if c["name"] == name),
        "trial": int(trial.split("-")[1]),
        "position": position,
    }


def missing() -> Document:
    return {"outcome": "cancelled", "eligible": False, "missing": True, "reason": NEVER}


def judged(result: Document) -> Document:
    outcome, audit = result["outcome"], [f["kind"] for f in result["isolation"]["audit_findings"]]
    return {
        "content_hash": result["task"]["content_hash"],
        "client_version": result["client"]["version"],
        "client_sha256": result["client"]["sha256"],
        "order": result["order"],
        "outcome": outcome,
        "eligible": outcome in counting.ELIGIBLE,
        "succeeded": outcome == "succeeded" if outcome in counting.ELIGIBLE else None,
        "missing": False,
        "reason": plain(result["reason"]),
        "execution": result["execution"],
        "execution_problem": none_or_plain(result["execution_problem"]),
        **code(result["code"]),
        **symposium(result["expectations"]),
        **(result["usage"] or {}),
        "tokens": counting.tokens(result["usage"]),
        "usage_source": result["usage_source"],
        **times(result),
        "audit_attempts": audit.count("attempt"),
        "audit_breaches": audit.count("breach"),
        "config_changes": len(result["isolation"]["config_changes"]),
        "findings": as_json(result["findings"]),
        **{f"symposium_{key}": (result["symposium"] or {}).get(key) for key in STAGED},
        "srt_version": result["isolation"]["srt_version"],
        "toolchain": result["toolchain"],
        "os": result["os"],
    }


def code(found: Document | None) -> Document:
    if found is None:
        return {}
    hidden = found.get("hidden", {})
    return {
        **{name: found.get(name) for name in ("build", "cargo_test_lib", "cargo_fmt_check", "submission")},
        "hidden_passed": list(hidden.values()).count("pass"),
        "hidden_total": len(hidden),
        "hidden": as_json(hidden),
        "edits_outside_editable": len(found["edits_outside_editable"]),
    }


def symposium(found: Document | None) -> Document:
    if found is None:
        return {}
    verdicts = [verdict for _, verdict in counting.flat(found)]
    words = dict(zip(get_args(Verdict), ("passed", "failed", "inconclusive"), strict=True))
    skills: Mapping[str, Document] = found["skills"]
    listed = [seen["listed"] for seen in skills.values()]
    return {
        "skills_installed": sum(seen.get("installed") == "pass" for seen in skills.values()),
        "skills_listed": None if None in listed else listed.count(True),
        "skills_loaded": sum(seen["observed_load"] == "loaded" for seen in skills.values()),
        "skills": as_json(skills),
        **{f"expectations_{word}": verdicts.count(verdict) for verdict, word in words.items()},
        "hooks": as_json(found["hooks"]),
        "sync": as_json(found["sync"]),
    }


def times(result: Document) -> Document:
    timings = result["timings"]
    named = {"setup_secs": "prepare", "collect_secs": "collect", "grading_secs": "grade"}
    return {"agent_secs": result["elapsed_secs"], **{key: timings.get(step) for key, step in named.items()}}


def none_or_plain(text: str | None) -> str | None:
    return None if text is None else plain(text)


def as_json(value: object) -> str:
    """ASCII: nothing in it can act on a terminal or a spreadsheet."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
