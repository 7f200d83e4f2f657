#!/usr/bin/env python3
"""Write a trial's result, whatever became of the trial.

A function of the files that the steps left: nothing but trial.json (never started), a failed preparation, a
session that was cut, a step that failed, a document that is torn. It needs no earlier step, and refuses only
a missing or unreadable trial.json. It joins what others found and judges by kit/verdicts.py; it runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import clients
from kit import findings, keys, remains, staged, verdicts
from kit.contract import Folder, Step, Stop
from kit.documents import Document
from kit.layout import (
    AUDIT,
    COLLECTED,
    EXECUTION,
    EXPECTATIONS,
    GRADING,
    NODE,
    OBSERVATION,
    RECEIPTS,
    RESULT,
    STAGE,
    TASK,
    TRANSCRIPT,
    TRIAL,
    Artifact,
)
from kit.remains import Remains
from kit.verdicts import Facts, Verdict

REDACTIONS = Artifact("redactions.json", "redactions/1")
STEP = Step(
    name="finalize",
    does="Write a trial's result, whatever became of the trial.",
    kind="derived",
    reads=[TRIAL],
    may_read=[*remains.READ, TRANSCRIPT, RECEIPTS, NODE],
    writes=[RESULT],
    may_write=[REDACTIONS],
)
CLAIMS = ("installed", "not_installed", "used", "not_used")


def run(folder: Folder) -> None:
    leaked = without_key(folder)
    left = remains.read(folder)
    facts = established(left)
    ruling = verdicts.outcome(facts)
    body = {
        **identity(left),
        **session(left, facts),
        "isolation": isolation(left),
        "code": code(left, facts),
        "expectations": expectations(left),
        "findings": list(dict.fromkeys([*leaked, *findings.of(left)])),
        "outcome": ruling.outcome,
        "success": ruling.success,
        "reason": ruling.reason,
    }
    folder.write(RESULT, body)


def without_key(folder: Folder) -> list[str]:
    """Take the key out of all that is kept, before it is read; what was found, now or by an earlier run.

    And that nobody looked now, where there was no key to look for.
    """
    trial, found = folder.read(TRIAL), list(known_leaks(folder))
    variable = clients.load(trial["client"]).KEY
    key, unsought = keys.sought(variable), list[str]()
    if trial["rehearsal"] is None and not key and not found:  # what an earlier run took out was looked for
        unsought = [f"{keys.unsought(variable)}; set it, then finalize.py --redo."]
    elif trial["rehearsal"] is None and key:
        before = len(found)
        try:
            found += (one for one in keys.take_out(folder.root, key) if one not in found)
            if trial["keep_run"] and (run := Path(trial["paths"]["run"])).is_dir():
                found += (one for one in keys.take_out_of_run(run, key) if one not in found)
        finally:  # what was taken out before a disk was full is said too
            if len(found) > before:
                folder.write(REDACTIONS, {"files": found})
    leaks = [f"The model API's key was in {one['file']} ({one['form']}); it was taken out." for one in found]
    return [*leaks, *unsought]


def known_leaks(folder: Folder) -> list[Document]:
    try:
        return (folder.maybe(REDACTIONS) or {"files": []})["files"]  # type: ignore[no-any-return]  # a list, by its schema
    except Stop:  # torn: then only what is found now is said
        return []


def established(left: Remains) -> Facts:
    """The facts that decide, from whatever is there."""
    execution, problem = None, None
    if not (EXECUTION in left.unreadable or left.lost("launch")):
        execution, problem = verdicts.execution(left.get(EXECUTION), left.get(OBSERVATION))
    checks, invalid = code_verdicts(left), bool((left.get(COLLECTED) or {}).get("invalid"))
    expected = left.get(EXPECTATIONS)
    breaches = [f for f in (left.get(AUDIT) or {"findings": []})["findings"] if f["kind"] == "breach"]
    return Facts(
        kind=left.trial["kind"],
        setup_failure=remains.setup_failure(left),
        cancelled=remains.cancelled(left),
        breach=f"{breaches[0]['what']} ({breaches[0]['where']})" if breaches else None,
        execution=execution,
        execution_problem=problem,
        infrastructure=None if invalid else remains.infrastructure(left),  # invalid fails, graded or not
        code=checks,
        expectations={name: judged["verdict"] for name, judged in flat(expected)},
        said={**details(left), **{name: judged["evidence"] for name, judged in flat(expected)}},
        unknown=[*remains.unknown(left), *unjudged(left, checks)],
    )


def code_verdicts(left: Remains) -> dict[str, Verdict]:
    """Check to verdict. A link or special file under an editable path fails the trial, graded or not."""
    invalid = (left.get(COLLECTED) or {}).get("invalid")
    known: dict[str, Verdict] = {"submission": "fail"} if invalid else {}
    return {**(left.get(GRADING) or {"checks": {}})["checks"], **known}


def unjudged(left: Remains, checks: dict[str, Verdict]) -> list[str]:
    """A check of the task that nobody judged is not a check that passed."""
    task, grading = left.get(TASK), left.get(GRADING)
    if task is None or grading is None or grading["status"] != "graded":
        return []
    missing = verdicts.unjudged(checks, task["checks"], task["fmt_check"], task.get("verdicts"))
    return [f"no verdict on {name}" for name in missing]


def details(left: Remains) -> dict[str, str]:
    said = {step["name"]: step["detail"] for step in (left.get(GRADING) or {"steps": []})["steps"]}
    for wrong in (left.get(COLLECTED) or {}).get("invalid", [])[:1]:
        said["submission"] = f"{wrong['path']}: {wrong['why']}"
    return said


def flat(expected: Document | None) -> Iterator[tuple[str, Document]]:
    """skills.<s>.used, hooks.<h>, sync.session_start: each with its verdict and evidence."""
    if expected is None:
        return
    for name, skill in expected["skills"].items():
        yield from ((f"skills.{name}.{claim}", skill[claim]) for claim in CLAIMS if claim in skill)
    for group in ("hooks", "sync"):
        yield from ((f"{group}.{name}", judged) for name, judged in expected[group].items())


def identity(left: Remains) -> Document:
    """What was tried with which tools; null where the batch or the trial never got that far."""
    trial, stage, task = left.trial, left.get(STAGE) or {}, left.get(TASK) or left.get(GRADING) or {}
    client, symposium = stage.get("client", {}), staged.own(stage, trial)["symposium"] if stage else None
    tools = ("srt", "node") if stage else ()
    versions = {name: f"{stage[name]['version']} {stage[name]['sha256']}" for name in tools}
    kept = ("version", "sha256", "revision", "source", "profile")
    return {
        "task": {"name": trial["task"], "kind": trial["kind"], "content_hash": task.get("content_hash")},
        "client": {"name": trial["client"], "version": client.get("version"), "sha256": client.get("sha256")},
        **{key: trial[key] for key in ("model", "rehearsal")},
        "mode": trial["configuration"],
        **{key: trial[key] for key in ("role", "trial", "order")},
        "symposium": {key: symposium[key] for key in kept} if symposium else None,
        "os": stage.get("os"),
        "toolchain": stage["toolchain"]["rustc"] if stage else None,
        "tools": {**versions, **stage.get("packages", {})},
        "deadlines_secs": trial["deadlines_secs"],
    }


def session(left: Remains, facts: Facts) -> Document:
    observed, receipts = left.get(OBSERVATION) or {}, left.receipts
    return {
        "elapsed_secs": (left.get(EXECUTION) or {}).get("elapsed_secs"),
        "timings": {step: receipts[step]["elapsed_secs"] for step in remains.STEPS if step in receipts},
        "usage": observed.get("usage"),
        "usage_source": observed.get("usage_source"),
        **{key: observed.get(key) for key in ("turns", "compactions")},
        "execution": facts.execution,
        "execution_problem": facts.execution_problem,
    }


def isolation(left: Remains) -> Document:
    trial, audit, stage = left.trial, left.get(AUDIT) or {}, left.get(STAGE)
    return {
        "mode": trial["isolation"],
        "rung": trial["rung"],
        "reads": trial["reads"],
        "route": trial.get("route", "gateway"),
        "srt_version": stage["srt"]["version"] if stage and trial["isolation"] == "enforced" else None,
        "audit_findings": audit.get("findings", []),
        "config_changes": audit.get("config_changes", []),
    }


def code(left: Remains, facts: Facts) -> Document | None:
    if not facts.code:
        return None
    prefix = "hidden."
    return {
        **{name: facts.code.get(name) for name in ("build", "cargo_test_lib")},
        "hidden": {n.removeprefix(prefix): v for n, v in facts.code.items() if n.startswith(prefix)},
        "cargo_fmt_check": facts.code.get("cargo_fmt_check"),
        "edits_outside_editable": (left.get(COLLECTED) or {}).get("edits_outside_editable", []),
        "submission": facts.code.get("submission"),
        **({"own_tests": facts.code["own_tests"]} if "own_tests" in facts.code else {}),
        **({"assert": asserted} if (asserted := _asserted(facts)) else {}),
    }


def _asserted(facts: Facts) -> Document:
    return {n.removeprefix("assert."): v for n, v in facts.code.items() if n.startswith("assert.")}


def expectations(left: Remains) -> Document | None:
    """The verdicts without their evidence, as the seed has them; how a load was seen is ours."""
    expected = left.get(EXPECTATIONS)
    if expected is None:
        return None
    seen = (left.get(OBSERVATION) or {"loads": {}})["loads"]
    skills = {}
    for name, skill in expected["skills"].items():
        verdict = {claim: skill[claim]["verdict"] for claim in CLAIMS if claim in skill}
        seen_as = {"observed_load": skill["observed_load"], "listed": skill["listed"]}
        skills[name] = {**verdict, **seen_as, "load_evidence": seen.get(name, {}).get("evidence")}
    groups = {g: {name: j["verdict"] for name, j in expected[g].items()} for g in ("hooks", "sync")}
    return {"skills": skills, **groups}


if __name__ == "__main__":
    STEP.main(run)
