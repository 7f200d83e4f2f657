#!/usr/bin/env python3
"""Kill (-9) the runner, a trial, srt or the client at random moments of a rehearsed batch: what stays?

After each kill: nothing of the trial is alive (by recorded process, by PID namespace, by uid); every result
that was there is unchanged; `finalize.py` makes a result of what was cut, and it says so; the next start
finds and removes the folders. It ends only what it started itself. Exits 1 when anything is not so.

--record FILE keeps each kill as a JSON line; the same command again goes on after the last of them, so a busy
machine, a CI job's time limit or --minutes costs nothing that was seen.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import plan
from hunting import VICTIMS, Hunt, Kill
from kit import leftovers, programs, tied, trees
from kit.contract import Exit, Stop, fail

LONGEST_SECS = 6.0  # into a trial; one that ends before goes unharmed


def victims(seed: int, kills: int) -> list[str]:
    """Who is killed, in order: as many of each, shuffled. A longer hunt with the same seed begins anew."""
    chosen = [VICTIMS[number % len(VICTIMS)] for number in range(kills)]
    random.Random(seed).shuffle(chosen)
    return chosen


def hunt(args: argparse.Namespace, results: Path, done: Sequence[Kill]) -> Iterator[Kill]:
    """The kills that are left, until the minutes are over."""
    hunted, until = Hunt(args.eval_root.resolve(), results, args.uids), time.monotonic() + 60 * args.minutes
    try:
        for number, victim in enumerate(victims(args.seed, args.kills)[len(done) :], len(done)):
            chance, kill = random.Random(f"{args.seed} {number}"), None
            while kill is None:
                if time.monotonic() > until:
                    return
                kill = hunted.kill(victim, chance.uniform(0, LONGEST_SECS))
            yield kill
    finally:
        hunted.end()


def recorded(args: argparse.Namespace) -> list[Kill]:
    """The kills of earlier rounds, and their seed and number; Stop when they were of another hunt."""
    if args.record is None or not args.record.exists():
        args.seed = random.randrange(1 << 32) if args.seed is None else args.seed
        note(args, {"seed": args.seed, "kills": args.kills})
        return []
    head, *lines = args.record.read_text("utf-8").splitlines()
    was, asked = json.loads(head), {"seed": args.seed, "kills": args.kills}
    if was["kills"] != args.kills or args.seed not in (None, was["seed"]):
        raise Stop(Exit.USAGE, f"{args.record}: of {was}, and asked is {asked}; give another --record")
    args.seed = was["seed"]
    return [Kill(**json.loads(line)) for line in lines]


def note(args: argparse.Namespace, line: object) -> None:
    if args.record is not None:
        with args.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


HEAD = "kill  victim  in        after   gone in  kept  outcome of the cut trial"


def line(number: int, kill: Kill) -> str:
    ending = "; ".join(kill.wrong) or kill.says[:100]
    return (
        f"{number:4}  {kill.victim:6}  {kill.during:8}  {kill.after_secs:5.2f}s  {kill.gone_secs:5.2f}s  "
        f"{kill.kept:4}  {'WRONG: ' if kill.wrong else ''}{ending}"
    )


def summary(kills: Sequence[Kill], secs: float) -> str:
    wrong = [kill for kill in kills if kill.wrong]
    per = ", ".join(f"{name} {sum(k.victim == name for k in kills)}" for name in VICTIMS)
    slowest = max((kill.gone_secs for kill in kills), default=0.0)
    return (
        f"{len(kills)} kills ({per}) in {secs:.0f} s: {len(wrong)} wrong; "
        f"all gone within {slowest:.1f} s; {sum(k.kept for k in kills)} finished results kept"
    )


def parser() -> argparse.ArgumentParser:
    p = programs.parser("kills", __doc__)
    p.add_argument("--kills", type=int, default=50, metavar="N", help="how many (default: 50)")
    p.add_argument("--seed", type=int, default=None, help="of the moments; printed, to repeat them")
    p.add_argument("--record", type=Path, metavar="FILE", help="keep the kills, and go on after them")
    p.add_argument(
        "--minutes", type=float, default=float("inf"), metavar="M", help="begin no kill after so long"
    )
    p.add_argument("--eval-root", type=Path, default=plan.eval_root(), metavar="DIR", help="where trials run")
    p.add_argument(
        "--uids",
        default="62000-62099",
        metavar="FIRST-LAST",
        help="for a root runner's trials; nobody else's",
    )
    return p


def run(args: argparse.Namespace, results: Path) -> list[Kill]:
    done = recorded(args)
    print(f"seed {args.seed}\n{HEAD}")
    for number, kill in enumerate(done, 1):
        print(line(number, kill))
    leftovers.reap(args.eval_root.resolve())
    for kill in hunt(args, results, done):
        done.append(kill)
        note(args, dataclasses.asdict(kill))
        print(line(len(done), kill), flush=True)
    return done


def main() -> None:
    args = parser().parse_args()
    if args.kills < 1:
        fail("kills", Stop(Exit.USAGE, f"--kills {args.kills}: at least 1"))
    tied.follow()
    started = time.monotonic()
    results = Path(tempfile.mkdtemp(prefix="agent-eval-kills-"))
    again = f"; the same command goes on after {args.record}" if args.record else ""
    try:
        kills = run(args, results)
    except KeyboardInterrupt:
        trees.remove(results)
        fail("kills", Stop(Exit.INTERRUPTED, f"interrupted{again}"))
    print(summary(kills, time.monotonic() - started))
    if any(kill.wrong for kill in kills):
        print(f"kept: {results}")
        sys.exit(Exit.NO)
    trees.remove(results)
    if len(kills) < args.kills:
        fail("kills", Stop(Exit.UNAVAILABLE, f"{args.kills - len(kills)} kills are left{again}"))


if __name__ == "__main__":
    main()
