"""What a batch will take and what it can show, said before anything is spent; and how many trials that needs.

Time and cost are those of earlier trials of the same task, client and model below --results; where there are
none they are not known, and the deadlines are the bound. A wrong promise of power is kit/power.py's fault.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from kit import counting, documents, models, power, prices
from kit.contract import Exit, Stop
from kit.documents import Document

PRIMARY = "success_rate"
AUTO = "auto"
ENUMERATED = 60  # trials per configuration, up to which a power is worth the wait
MOST_EARLIER = 200  # results that are read


def add_arguments(p: argparse.ArgumentParser) -> None:
    what = "per configuration (default: the task's); auto: as many as --detect needs"
    p.add_argument("--trials", type=count, metavar="N", help=what)
    p.add_argument(
        "--detect", type=float, metavar="D", help="the difference in success rate hoped for, 0 to 1"
    )
    p.add_argument(
        "--prices", type=Path, metavar="FILE", help="US dollars per million tokens (schemas/prices.1)"
    )


def count(said: str) -> int | str:
    return said if said == AUTO else int(said)


def decide(args: argparse.Namespace, task: str, arms: int, own: int) -> tuple[int, power.Power | None]:
    """How many trials, and the power for the difference that --detect hopes for; `own`: the task's number."""
    detect, auto = args.detect, args.trials == AUTO
    if auto and detect is None:
        raise Stop(
            Exit.USAGE, "--trials auto: needs --detect D, the smallest difference worth finding; try 0.4"
        )
    if detect is None:
        return int(args.trials or own), None
    if not 0 < detect <= 1:
        raise Stop(Exit.USAGE, f"--detect {detect:g}: a difference in success rate is above 0 and at most 1")
    if arms < 2:
        todo = "leave --detect out, and give --trials N"
        raise Stop(
            Exit.USAGE, f"--detect {detect:g}: {task} runs one configuration, so nothing is compared; {todo}"
        )
    if not auto:
        n = int(args.trials or own)
        return n, power.of(n, detect) if n <= power.MOST else None
    if detect < power.FINEST:
        about = f"is less than the {power.FINEST:g} that auto can look for"
        raise Stop(Exit.USAGE, f"--trials auto --detect {detect:g}: {about}; hope for more, such as 0.4")
    if found := power.trials_for(detect):
        return found.n, found
    least = power.roughly(detect)
    about = f"needs about {least} trials per configuration, and auto enumerates up to {power.MOST}"
    todo = f"hope for more, or say --trials {least} if that is meant"
    raise Stop(Exit.USAGE, f"--trials auto --detect {detect:g}: {about}; {todo}")


def comparison(args: argparse.Namespace) -> Document:
    """What batch.json says of the comparison before anything runs."""
    found = args.power
    hoped = {"difference": found.difference, "power": round(found.power, 4)} if found else None
    priced = {"prices": prices.planned(args.prices, args.model)} if args.prices else {}
    return {"primary": PRIMARY, "detect": hoped, **priced}


def power_lines(plan: Document) -> Iterator[str]:
    n, hoped = plan["trials"], plan["detect"]
    if len(plan["configurations"]) < 2 or plan["isolation"] != "enforced":
        return
    yield "primary measure: success rate, treatment minus control; all others are secondary, and not tested"
    yield power.sentence(n)
    if n <= ENUMERATED:
        least = power.smallest(n)
        yield f"smallest difference with power {power.WANTED:.2f}: {least or 'none, not even from 0 to 1'}"
    if hoped:
        found = power.of(n, hoped["difference"])
        little = f"; that is little: --trials {AUTO} chooses enough" if found.power < power.WANTED else ""
        yield f"hoped for: {found}{little}"


def cost_lines(plan: Document, folder: Path, deadlines: Document) -> Iterator[str]:
    """folder: where batches of this task and client lie."""
    trials, jobs = len(plan["order"]), plan["jobs"]
    before = list(earlier(folder, None if plan["rehearsals"] else plan["model"]["name"]))
    each = [sum(result["timings"].values()) for result in before if result["timings"]]
    bound = trials * sum(deadlines.values()) / jobs
    if each:
        known = (
            f"about {clock(trials * fmean(each) / jobs)} ({len(each)} before took {fmean(each):.0f} s each)"
        )
    else:
        known = "not known: no trial of this task, client and model before"
    yield f"expected time: {known}; by the deadlines at most {clock(bound)}"
    if plan["rehearsals"]:
        return
    price = (plan.get("prices") or {}).get("usd_per_million")
    spent = [usd for result in before if (usd := models.cost_usd(result, price)) is not None]
    if spent:
        by = f"{len(spent)} before, prices of {plan['prices']['as_of']}"
        yield f"expected cost: about ${trials * fmean(spent):.2f} ({by})"
    elif price is None:
        yield f"expected cost: not known, not 0: no price of {plan['model']['name']}; give --prices FILE"
    else:
        yield "expected cost: not known, not 0: no trial of this task, client and model before"


def earlier(folder: Path, model: str | None) -> Iterator[Document]:
    """Results of the model (None: of rehearsals) that count, the newest batches first."""
    files = [
        f
        for batch in sorted(folder.glob("*"), reverse=True)
        for f in sorted(batch.glob("trial-*/result.json"))
    ]
    for file in files[:MOST_EARLIER]:
        try:
            result = documents.read(file, "result/1")
        except documents.Invalid:
            continue
        same = result["model"]["name"] == model if model else result["rehearsal"] is not None
        if same and result["outcome"] in counting.ELIGIBLE:
            yield result


def clock(secs: float) -> str:
    minutes = round(secs / 60)
    return (
        f"{secs:.0f} s"
        if secs < 100
        else f"{minutes // 60} h {minutes % 60:02} min"
        if minutes > 99
        else f"{minutes} min"
    )


def lines(plan: Document, folder: Path, deadlines: Document) -> Sequence[str]:
    """All that is said of batch/1, in the order in which it is read."""
    return [*power_lines(plan), *cost_lines(plan, folder, deadlines)]
