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

import clients
from kit import claims, counting, documents, exact, models, statistics
from kit.contract import Exit, Folder, Step, Stop
from kit.documents import Document
from kit.layout import BATCH, BENCHMARK, RESULT, RESULTS
from kit.statistics import Arm

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
CONSERVATIVE = "exact intervals, which hold the truth at least 95 times in 100 at every true rate"
KEPT = ("turns", "compactions")  # of newer results


def run(batch: Folder, conservative: bool = False) -> None:
    plan = batch.read(BATCH)
    body = counted(plan, read_results(batch.root, plan), conservative)
    batch.write(BENCHMARK, body)
    if missing := [trial for c in body["configurations"].values() for trial in c["missing"]]:
        raise Stop(
            Exit.NO_INPUT,
            f"{batch.root}: {len(missing)} of {len(plan['order'])} planned trials have no result"
            f" ({', '.join(missing)}); counted as cancelled, finalize.py writes what is missing",
        )


def counted(plan: Document, results: dict[str, Document], conservative: bool) -> Document:
    """benchmark/1. conservative: with intervals that hold the truth at every rate."""
    groups = counting.groups(plan, results)
    configurations = {g.name: counting.configuration(g, plan["trials"], conservative) for g in groups}
    for group in groups:
        configurations[group.name]["table"] = table(plan, group, configurations[group.name])
    hashes = sorted({r["content_hash"] for r in results.values() if r["content_hash"]})
    deltas = differences(plan, configurations, conservative)
    delta = next(iter(deltas.values())) if len(deltas) == 1 else None
    return {
        **{key: plan[key] for key in ("task", "kind", "client", "model", "batch")},
        "rehearsal": plan["rehearsals"],
        "isolation": plan["isolation"],
        **({"route": "direct"} if plan.get("route") == "direct" else {}),
        "primary": plan.get("primary", "success_rate"),
        "intervals": methods(configurations, conservative),
        "prices_as_of": (plan.get("prices") or {}).get("as_of"),
        "configurations": configurations,
        "delta": delta,
        **({"deltas": deltas} if len(deltas) > 1 else {}),
        "content_hashes": hashes,
        "warnings": list(claims.warnings(plan["isolation"], configurations, hashes)),
        "statement": statement(plan, configurations, delta, conservative),
    }


def table(plan: Document, group: counting.Group, counts: Document) -> Document:
    """This configuration's line of the table over models (D08), with the interval of one task's rate."""
    price = (plan.get("prices") or {}).get("usd_per_million")
    trials = [models.Trial(plan["task"], result) for result in group.results.values()]
    provider = clients.provider(plan["client"], bool(plan["rehearsals"]))
    row = models.row(provider, plan["model"]["name"], trials, price)
    return {**row, "pass_rate_interval": counts["success_rate_interval"]}


def methods(configurations: dict[str, Document], conservative: bool) -> Document:
    """Which intervals these are, in the field's words."""
    if not conservative:
        return {"conservative": False, "rate": "Wilson", "difference": "Newcombe"}
    most = max(c["eligible"] for c in configurations.values())
    return {"conservative": True, "rate": "Clopper-Pearson", "difference": exact.difference_name(most)}


def statement(
    plan: Document, configurations: dict[str, Document], delta: Document | None, conservative: bool
) -> str:
    said = claims.statement(plan["isolation"], plan["rehearsals"], configurations, conservative)
    if delta is None or not claims.alike(plan["configurations"]):
        return said
    arms = {name: Arm(c["succeeded"], c["eligible"]) for name, c in configurations.items()}
    rates = "; ".join(statistics.rate_sentence(name, arm, conservative) for name, arm in arms.items())
    told = said if plan["rehearsals"] else f"{rates}."
    lost = "" if delta["withheld"] is None else f" Not comparable: {delta['withheld']}."
    return f"{told} {claims.aa_sentence(delta['p_value'])}{lost}"


def differences(
    plan: Document, configurations: dict[str, Document], conservative: bool
) -> dict[str, Document]:
    """Of each treatment, by its name, minus the control. Only enforced trials are compared.

    What may not be stated is still there, as the seed has it; `withheld` beside it says why.
    """
    compared = claims.comparisons(configurations) if plan["isolation"] == "enforced" else []
    why = claims.withheld(configurations)
    return {
        one: {"withheld": why, **counting.delta(configurations[one], configurations[other], conservative)}
        for one, other in compared
    }


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
            kept = {
                **{key: result[key] for key in COUNTED},
                **{key: result.get(key) for key in KEPT},
            }  # no more: a batch may have 100,000 trials
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
        "route": (result["isolation"].get("route", "gateway"), plan.get("route", "gateway")),
        "model": (result["model"]["name"], f"rehearsal:{answered}" if answered else plan["model"]["name"]),
    }
    for what, (found, planned) in said.items():
        if found != planned:
            yield f"its {what} is {found!r}, and the plan says {planned!r}"


if __name__ == "__main__":
    STEP.main(run, conservative=CONSERVATIVE)
