#!/usr/bin/env python3
"""Count a batch: where each planned trial ended, the rates, the costs and the differences.

A function of the plan and every trial's result. It never drops a trial without a word: one without a result
counts as cancelled and is named, and the step then exits 66 (with benchmark.json written all the same); a
result that is torn, of another version or of another batch is refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kit import claims, counting, documents
from kit.contract import Exit, Folder, Step, Stop
from kit.documents import Document
from kit.layout import BATCH, BENCHMARK, RESULT, RESULTS

STEP = Step(
    name="aggregate",
    does="Count a batch: where each planned trial ended, the rates, the costs and the differences.",
    kind="derived",
    scope="batch",
    reads=[BATCH],
    may_read=[RESULTS],
    writes=[BENCHMARK],
)


COUNTED = ("outcome", "execution", "usage", "elapsed_secs")


def run(batch: Folder) -> None:
    plan = batch.read(BATCH)
    results = read_results(batch.root, plan)
    groups = counting.groups(plan, results)
    configurations = {group.name: counting.configuration(group, plan["trials"]) for group in groups}
    hashes = sorted({r["content_hash"] for r in results.values() if r["content_hash"]})
    body = {
        **{key: plan[key] for key in ("task", "kind", "client", "model", "batch")},
        "rehearsal": plan["rehearsals"],
        "isolation": plan["isolation"],
        "configurations": configurations,
        "delta": difference(plan, configurations),
        **several(plan, configurations),
        "content_hashes": hashes,
        "warnings": list(claims.warnings(plan["isolation"], configurations, hashes)),
        "statement": claims.statement(plan["isolation"], plan["rehearsals"], configurations),
    }
    batch.write(BENCHMARK, body)
    if missing := [trial for group in groups for trial in group.missing]:
        raise Stop(
            Exit.NO_INPUT,
            f"{batch.root}: {len(missing)} of {len(plan['order'])} planned trials have no result"
            f" ({', '.join(missing)}); counted as cancelled, finalize.py writes what is missing",
        )


def difference(plan: Document, configurations: dict[str, Document]) -> Document | None:
    """Only enforced trials are compared, and only one treatment with one control."""
    compared = claims.pair(configurations)
    if compared is None or plan["isolation"] != "enforced":
        return None
    treatment, control = compared
    return counting.delta(configurations[treatment], configurations[control])


def several(plan: Document, configurations: dict[str, Document]) -> Document:
    """Of more than one treatment: the difference of each, by its name."""
    compared = claims.comparisons(configurations) if plan["isolation"] == "enforced" else []
    if len(compared) < 2:
        return {}
    return {"deltas": {t: counting.delta(configurations[t], configurations[c]) for t, c in compared}}


def read_results(root: Path, plan: Document) -> dict[str, Document]:
    """What is counted of each trial's result; Stop names those that cannot be used, or says there is none."""
    results: dict[str, Document] = {}
    wrong: list[str] = []
    planned = frozenset(plan["order"])
    alike: dict[str, Any] = {}  # what many trials share is kept once
    for file in sorted(root.glob(RESULTS.path.replace("<trial>", "*"))):
        name = file.parent.name
        try:
            result = documents.read(file, RESULT.schema or "")
        except documents.Invalid as error:
            wrong.append(str(error))
        else:
            if name in planned:
                wrong += [f"{file}: {why}" for why in foreign(name, result, plan)]
            else:
                wrong.append(f"{file}: is of a trial that batch.json does not plan")
            judged = alike.setdefault(json.dumps(result["expectations"]), result["expectations"])
            content = result["task"]["content_hash"]
            kept = {key: result[key] for key in COUNTED}  # no more: a batch may have 100,000 trials
            results[name] = {
                **kept,
                "expectations": judged,
                "content_hash": alike.setdefault(str(content), content),
            }
    if wrong:
        todo = "redo it with `finalize.py --redo TRIAL_DIR`, or take it away, then aggregate again"
        raise Stop(Exit.BAD_INPUT, f"{'; '.join(wrong)}; {todo}")
    if not results:
        raise Stop(
            Exit.NO_INPUT, f"{root}: no trial has a result, so there is nothing to count; run batch.py first"
        )
    return results


def foreign(name: str, result: Document, plan: Document) -> Iterator[str]:
    """How a result cannot be the one that the plan has for this trial."""
    configuration = counting.configuration_of(name)
    answered = (plan["rehearsals"] or {}).get(configuration)
    said = {
        "task": (result["task"]["name"], plan["task"]),
        "client": (result["client"]["name"], plan["client"]),
        "configuration": (result["mode"], configuration),
        "trial": (f"trial-{result['trial']}-{result['mode']}", name),
        "rehearsal": (result["rehearsal"], answered),
        "isolation": (result["isolation"]["mode"], plan["isolation"]),
        "model": (result["model"]["name"], f"rehearsal:{answered}" if answered else plan["model"]["name"]),
    }
    for what, (found, planned) in said.items():
        if found != planned:
            yield f"its {what} is {found!r}, and the plan says {planned!r}"


if __name__ == "__main__":
    STEP.main(run)
