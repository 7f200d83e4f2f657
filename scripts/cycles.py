#!/usr/bin/env python3
"""Kill batches at random instants and resume them: is any trial lost, run twice or counted twice?

Rehearsed batches of 12 trials on the real parts. Each cycle waits a random while, then kills (KILL, without a
warning) the runner, or the runner and its trials, or every process of theirs at once as a power cut would;
then it resumes. When a batch has no trial left a new one begins, until all cycles are done. After each kill
it is noted which trials had finished and which had begun: neither may ever change or begin again. Exits 1
when anything is wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from batches import standing
from batches.killed import KILLS, Subject
from kit import documents, programs
from kit.contract import Exit

LONGEST_SECS = 10.0  # until the kill, from the batch's start (early) or from that of its next trial
EARLY = 0.2  # of the cycles: while tools are staged or put back


def fresh(args: argparse.Namespace, results: str) -> Subject:
    where = ["--results", results, *(["--eval-root", args.eval_root] if args.eval_root else [])]
    chosen = ["--trials", str(args.trials // 2), "--rehearse", "flush"]
    return Subject(Path(programs.run("plan", "store-durability", *chosen, *where)), args.jobs)


def cycles(args: argparse.Namespace, results: str) -> int:
    """How many things were wrong; a line a cycle."""
    dice, wrong, done, batches = random.Random(args.seed), 0, 0, 0
    print(f"seed {args.seed}; -j {args.jobs}; batches of {args.trials} trials")
    print("cycle batch  killed              after  from   finished  cut  left")
    while done < args.cycles:
        subject, batches = fresh(args, results), batches + 1
        found: list[str] = []
        try:
            while done < args.cycles and subject.left:
                what, after = dice.choice(KILLS), dice.uniform(0.0, LONGEST_SECS)
                early = dice.random() < EARLY
                if not subject.kill(what, after, early=early):
                    break
                done += 1
                time.sleep(dice.uniform(0.0, 0.5))
                found += subject.noted.note(subject.folder, subject.plan)
                now = standing.look(subject.folder, subject.plan)
                since = "start" if early else "trial"
                row = f"{since:<6} {len(now.finished):>8} {len(now.cut):>4} {len(now.never):>5}"
                print(f"{done:>5} {batches:>5}  {what:<18} {after:>4.1f} s  {row}", flush=True)
            found += subject.finish()
            ends = documents.read(subject.folder / "benchmark.json", "benchmark/1")["configurations"].values()
            said = ", ".join(f"{sum(c[end] for c in ends)} {end}" for end in ("succeeded", "cancelled"))
            print(f"      {batches:>5}  resumed to its end: {said} of {args.trials}", flush=True)
        finally:
            subject.end()
        for line in found:
            print(f"WRONG {line}", flush=True)
        wrong += len(found)
    return wrong


def main() -> None:
    p = programs.parser("cycles", __doc__)
    p.add_argument("--cycles", type=int, default=20, metavar="N")
    p.add_argument("--trials", type=int, default=12, metavar="N", help="of each batch (default: 12)")
    p.add_argument("-j", "--jobs", type=int, default=1, metavar="N")
    p.add_argument("--seed", type=int, default=random.randrange(10_000), metavar="N")
    p.add_argument("--eval-root", metavar="DIR", help="where trials run")
    args = p.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="agent-eval-cycles-") as results:
        wrong = cycles(args, results)
    verdict = f"{wrong} things wrong" if wrong else "no trial lost, run twice or counted twice; nothing left"
    print(f"{args.cycles} cycles of kill and resume in {time.monotonic() - started:.0f} s: {verdict}")
    sys.exit(Exit.NO if wrong else Exit.OK)


if __name__ == "__main__":
    main()
