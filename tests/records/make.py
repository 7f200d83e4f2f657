"""Write the recorded batches beside this file: plans and results, made by hand from left_behind.result().

Run it after a change of result/1 or batch/1 (`python tests/records/make.py`). It never writes the expected
benchmark.json: those are read and agreed to by a person, and test_aggregate holds aggregate.py against them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "scripts")]

import left_behind as was  # noqa: E402  # the paths above first: this is run by hand
from kit import documents  # noqa: E402
from kit.documents import Document  # noqa: E402

CONTROL = {"name": "without-symposium", "role": "control", "setup": "baseline"}
TREATMENT = {"name": "with-symposium", "role": "treatment", "setup": "symposium"}
REAL = {"name": "model-1", "settings": {}}
LOST = {"usage": None, "usage_source": None, "elapsed_secs": None, "code": None, "expectations": None}


def ended(outcome: str, **changes: Any) -> Document:
    """The part of a result that the outcome brings with it."""
    success = {"succeeded": "pass", "failed": "fail", "inconclusive": "inconclusive"}.get(outcome)
    begun = {} if outcome not in ("setup_failure", "cancelled") else {"execution": None, **LOST}
    return {"outcome": outcome, "success": success, "reason": f"{outcome}, by hand", **begun, **changes}


def usage(tokens: int | None) -> Document:
    return {"usage": {**dict.fromkeys(was.USAGE, 0), "input_tokens": tokens}}


def load(seen: str, listed: bool | None = False) -> Document:
    used = {"loaded": "pass", "unknown": "inconclusive"}.get(seen, "fail")
    skill = {"installed": "pass", "used": used, "observed_load": seen, "listed": listed}
    synced = dict.fromkeys(("skill_dir_empty_before", "session_start", "sync_recorded"), "pass")
    return {"expectations": {"skills": {"fixture-store": skill}, "hooks": {}, "sync": synced}}


Arms = dict[str, list[Document | None]]


def batch(name: str, arms: Arms, configurations: list[Document], **plan: Any) -> None:
    """arms: configuration to its results, round by round; None: planned, and no result was written."""
    rounds = max(len(results) for results in arms.values())
    order: list[str] = []
    said = {"task": "store-durability", "kind": "capability", "model": REAL, "rehearsals": None, **plan}
    for number in range(1, rounds + 1):
        turn = configurations if number % 2 else configurations[::-1]
        for place, configuration in enumerate(turn, 1):
            mode = configuration["name"]
            order.append(f"trial-{number}-{mode}")
            changes = arms[mode][number - 1]
            if changes is None:
                continue
            own = {"mode": mode, "role": configuration["role"], "trial": number, "order": place}
            task = {"name": said["task"], "kind": said["kind"], "content_hash": "1" * 64}
            answered = (said["rehearsals"] or {}).get(mode)
            model = {"name": f"rehearsal:{answered}", "settings": {}} if answered else said["model"]
            beside = {} if configuration["role"] == "treatment" else {"expectations": None}
            made = was.result(**own, task=task, model=model, rehearsal=answered, **{**beside, **changes})
            documents.write(HERE / name / order[-1] / "result.json", "result/1", made)
    fixed = {"schema": "batch/1", "batch": name, "planned_at": "2026-11-29T10:00:00+0000", "client": "claude"}
    place_ = {"isolation": "enforced", "rung": "srt", "reads": "allow-list", "uids": [61000, 61999]}
    paths = dict.fromkeys(("evals", "eval_root", "work"), "/nowhere")
    rest = {"symposium": None, "keep_run": False, "paths": paths, "configurations": configurations}
    body = {**fixed, **place_, **rest, "trials": rounds, "order": order, **said}
    documents.write(HERE / name / "batch.json", "batch/1", body)


def main() -> None:
    good = ended("succeeded")
    bad = ended("failed", code={**was.result()["code"], "hidden": {"settings": "fail"}})
    timeout = ended("failed", execution="timeout", execution_problem="the agent's deadline passed")
    broken = ended("failed", execution="client_error", execution_problem="API Error: 529", usage=None)

    batch(  # one rehearsed regression trial
        "one-rehearsed",
        {"with-symposium": [ended("succeeded")]},
        [TREATMENT],
        task="formatting",
        kind="regression",
        model=was.MODEL,
        rehearsals={"with-symposium": "oracle"},
    )
    two = {"without-symposium": "no-flush", "with-symposium": "flush"}
    batch(  # a rehearsed comparison: rates 0 and 1, delta 1, and not a word about a model
        "two-rehearsed",
        {"without-symposium": [bad, bad], "with-symposium": [{**good, **load("loaded")}] * 2},
        [CONTROL, TREATMENT],
        model={"name": "rehearsal:with:flush,without:no-flush", "settings": {}},
        rehearsals=two,
    )
    cost = [(44100, 92, good), (44100, 92, good), (35433, 73, bad), (35433, 74, bad), (35434, 74, bad)]
    gain = [*[(36000, 72, {**good, **load("loaded")})] * 4, (31500, 62, {**bad, **load("not_observed")})]
    batch(  # the numbers of the reference's own benchmark.json
        "seed-example",
        {
            "without-symposium": [{**r, **usage(t), "elapsed_secs": s} for t, s, r in cost],
            "with-symposium": [{**r, **usage(t), "elapsed_secs": s} for t, s, r in gain],
        },
        [CONTROL, TREATMENT],
    )
    batch(  # every place where a trial can end, unevenly: the difference is not stated
        "every-outcome",
        {
            "without-symposium": [good, bad, timeout, ended("setup_failure"), ended("cancelled"), broken],
            "with-symposium": [
                {**good, **load("loaded", True)},
                {**bad, **load("attempted")},
                {**ended("inconclusive"), **load("unknown", None)},
                ended("isolation"),
                ended("grading", code=None),
                {**good, **load("not_observed")},
            ],
        },
        [CONTROL, TREATMENT],
    )
    batch(  # no eligible trial on one side: null, never 0 or 1
        "none-eligible",
        {
            "without-symposium": [ended("setup_failure"), ended("grading", code=None)],
            "with-symposium": [{**good, **load("loaded")}] * 2,
        },
        [CONTROL, TREATMENT],
    )
    batch(  # usage that is not known is left out of the means, and the delta is null where a side has none
        "usage-missing",
        {
            "without-symposium": [{**good, "usage": None}, {**bad, "usage": None}],
            "with-symposium": [
                {**good, **usage(None), **load("loaded")},
                {**good, **usage(10), "expectations": None},
            ],
        },
        [CONTROL, TREATMENT],
    )
    plain, aided = {**CONTROL, "name": "zeta"}, {**TREATMENT, "name": "alpha"}
    batch(  # names whose alphabetical order is the reverse of their roles
        "names-reversed", {"zeta": [bad] * 5, "alpha": [{**good, **load("loaded")}] * 5}, [plain, aided]
    )
    batch(  # a planned trial without a result
        "result-missing",
        {"without-symposium": [good, bad], "with-symposium": [{**good, **load("loaded")}, None]},
        [CONTROL, TREATMENT],
    )


if __name__ == "__main__":
    main()
