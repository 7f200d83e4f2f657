#!/usr/bin/env python3
"""Grade a corpus of submissions that try to be graded wrongly, and of honest ones that look like them.

Each is a folder of tests/attacks/<grader>/ that says which verdict is right. It prints the table of verdicts
and ends with 1 when one is wrong. It asks no model and needs no key; each grading is the real one, in
sandboxes; `--light` starts them with bubblewrap alone, which is quicker and holds less.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import plan
import planning
import rungs
from graders import Infrastructure, cargo, hidden_program, light_rung, python_corpus, staging
from graders.cargo_corpus import Case, Outcome, cases, graded
from graders.sandbox import Sandboxes, launcher, own_uid, scratch
from kit import guard_removal, programs
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.layout import Run
from rungs import Rung, no_keyrings

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests/attacks"
DEADLINE_SECS = 25.0  # of each grading: the corpus holds submissions without end


@dataclass(frozen=True)
class Setting:
    stage: Document
    place: Path
    control: Path
    uids: tuple[int, int]
    light: bool
    scheme: str | None
    grader: str


def rung(light: bool) -> Rung:
    return cast(Rung, light_rung) if light else rungs.load("srt")


def attempt(work: tuple[Setting, Case]) -> Outcome:
    """In a worker, whose TERM ends a grading and its sandbox. Between two it just ends: a Python function
    that is called for a signal may be called too late, when the worker waits already and nothing wakes it."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(Exit.INTERRUPTED))
    try:
        return judged(*work)
    finally:
        signal.signal(signal.SIGTERM, before)


def judged(setting: Setting, case: Case) -> Outcome:
    run = Run(setting.place / f"{case.name}-{case.hidden}", setting.control / str(os.getpid()))
    started = time.monotonic()
    with own_uid(*setting.uids) as uid, scratch(run, uid):
        until = time.monotonic() + DEADLINE_SECS
        bench = Sandboxes(rung(setting.light), setting.stage, run, uid, until, "allow-list", ())
        try:
            if setting.grader == "python":
                return python_corpus.graded(case, run, bench, started)
            return graded(case, run, bench, cargo.judge, setting.scheme, started, launcher(setting.stage))
        except hidden_program.Unjudged as problem:
            verdict = "refused" if setting.scheme or case.expect == "fail" else "error"
            return Outcome(case, verdict, str(problem), time.monotonic() - started)
        except (Infrastructure, Stop) as problem:
            return Outcome(case, "error", str(problem), time.monotonic() - started)


def outcomes(setting: Setting, chosen: Sequence[Case], jobs: int) -> Iterator[Outcome]:
    """One grading at a time in each process: a process that starts commands runs one at a time.

    Ctrl-C is for whoever hands out the work.
    """
    ours = signal.SIGINT, signal.SIG_IGN
    with multiprocessing.get_context("fork").Pool(jobs, signal.signal, ours) as pool:
        yield from pool.imap(attempt, [(setting, case) for case in chosen])


def show(outcome: Outcome) -> None:
    case = outcome.case
    mark = "" if outcome.right else "   <-- wrong"
    print(f"{case.name:<34} {case.kind:<30} {case.hidden:<11} {outcome.verdict:<5} {outcome.secs:5.1f}{mark}")
    if not outcome.right:
        print(f"    expected {case.expect}: {outcome.detail[:600]}")
    sys.stdout.flush()


def summed(found: Sequence[Outcome], secs: float) -> None:
    kinds = Counter(one.case.kind for one in found)
    wrong = [one.case.name for one in found if not one.right]
    honest = sum(one.case.expect == "pass" for one in found)
    print(f"\n{len(found)} submissions of {len(kinds)} kinds, {honest} of them honest, in {secs:.0f} s")
    print(f"wrong verdicts: {', '.join(wrong) or 'none'}")


def parser() -> argparse.ArgumentParser:
    p = programs.parser("attacks", __doc__)
    p.add_argument("grader", choices=["cargo", "python"], help="whose corpus")
    p.add_argument("names", nargs="*", metavar="NAME", help="of the corpus, or guards (default: all)")
    p.add_argument("--guards", action="store_true", help="take each guard away in turn (the names: which)")
    p.add_argument("--kind", metavar="KIND", help="only those of a kind")
    p.add_argument("--scheme", choices=["told", "blind"], help="cargo: judge every hidden test so")
    p.add_argument(
        "--light", action="store_true", help="bubblewrap in the place of srt, with the same limits"
    )
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    p.add_argument("--eval-root", type=Path, default=plan.eval_root(), metavar="DIR", help="where to grade")
    p.add_argument("--uids", default="61000-61999", metavar="FIRST-LAST", help="for a root runner's gradings")
    return p


def run(args: argparse.Namespace) -> list[Outcome]:
    known = python_corpus.cases if args.grader == "python" else cases
    chosen = known(CORPUS / args.grader, args.names, args.kind)
    if why := rung(args.light).unavailable():
        raise Stop(Exit.UNAVAILABLE, why)
    found, (first, last) = [], planning.uids(args.uids)
    with staging.staged(args.eval_root.resolve()) as (staged, place):
        control = planning.control_root() / place.name[-8:]
        setting = Setting(staged, place, control, (first, last), args.light, args.scheme, args.grader)
        for outcome in outcomes(setting, chosen, args.jobs):
            show(outcome)
            found.append(outcome)
    return found


def guards(args: argparse.Namespace) -> bool:
    """Whether every guard, or each that is named, is missed by its cases."""
    known = guard_removal.listed(CORPUS / args.grader)
    chosen = [one for one in known if not args.names or one.name in args.names]
    if unknown := sorted({*args.names} - {one.name for one in known}):
        raise Stop(Exit.USAGE, f"no guard {', '.join(unknown)}; see {args.grader}/{guard_removal.FILE}")
    options = [f"--jobs={args.jobs}", f"--eval-root={args.eval_root}", f"--uids={args.uids}"]
    missed = 0
    for guard, right in guard_removal.tried(ROOT, args.grader, chosen, [*options, *["--light"] * args.light]):
        mark = f"   <-- not missed: {', '.join(right)}" if right else ""
        print(f"{guard.name:<56} {' '.join(guard.attacks)}{mark}", flush=True)
        missed += not right
    print(f"\n{missed} of {len(chosen)} guards are missed by the cases that are named for them")
    return missed == len(chosen)


def main() -> None:
    args, started = parser().parse_intermixed_args(), time.monotonic()
    if args.guards:
        sys.exit(Exit.OK if guards(args) else Exit.NO)
    no_keyrings.install_early()  # not above: with it on us, no guard of it could be taken away
    found = run(args)
    summed(found, time.monotonic() - started)
    sys.exit(Exit.OK if all(one.right for one in found) else Exit.NO)


if __name__ == "__main__":
    main()
