#!/usr/bin/env python3
"""Kill (-9) the runner, a trial, srt or the client at random moments of a rehearsed batch: what stays?

After each kill: nothing of the trial is alive (by recorded process, by PID namespace, by uid); every result
that was there is unchanged; `finalize.py` makes a result of what was cut, and it says so; the next start
finds and removes the folders. It ends only what it started itself. Exits 1 when anything is not so.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import plan
from hunting import VICTIMS, Hunt, Kill
from kit import leftovers, programs, tied, trees
from kit.contract import Exit, Stop, fail

LONGEST_SECS = 6.0  # into a trial; one that ends before goes unharmed


def hunt(args: argparse.Namespace, results: Path) -> list[Kill]:
    chance, kills = random.Random(args.seed), []
    hunted = Hunt(args.eval_root.resolve(), results, args.uids)
    victims = [VICTIMS[number % len(VICTIMS)] for number in range(args.kills)]
    chance.shuffle(victims)
    try:
        while victims:
            kill = hunted.kill(victims[-1], chance.uniform(0, LONGEST_SECS))
            if kill is not None:
                victims.pop()
                kills.append(kill)
                print(line(len(kills), kill), flush=True)
    finally:
        hunted.end()
    return kills


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
    p = argparse.ArgumentParser(
        "kills.py", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    p.add_argument("--kills", type=int, default=50, metavar="N", help="how many (default: 50)")
    p.add_argument("--seed", type=int, default=None, help="of the moments; printed, to repeat them")
    p.add_argument("--eval-root", type=Path, default=plan.eval_root(), metavar="DIR", help="where trials run")
    p.add_argument(
        "--uids",
        default="62000-62099",
        metavar="FIRST-LAST",
        help="for a root runner's trials; nobody else's",
    )
    return p


def main() -> None:
    args = parser().parse_args()
    if args.kills < 1:
        fail("kills", Stop(Exit.USAGE, f"--kills {args.kills}: at least 1"))
    if args.seed is None:
        args.seed = random.randrange(1 << 32)
    tied.follow()
    started = time.monotonic()
    results = Path(tempfile.mkdtemp(prefix="agent-eval-kills-"))
    print(f"seed {args.seed}\n{HEAD}")
    try:
        leftovers.reap(args.eval_root.resolve())
        kills = hunt(args, results)
    except programs.Broken as error:
        fail("kills", Stop(Exit.UNAVAILABLE, str(error)))
    except Stop as stop:
        fail("kills", stop)
    except KeyboardInterrupt:
        fail("kills", Stop(Exit.INTERRUPTED, "interrupted"))
    print(summary(kills, time.monotonic() - started))
    if any(kill.wrong for kill in kills):
        print(f"kept: {results}")
        sys.exit(Exit.NO)
    trees.remove(results)


if __name__ == "__main__":
    main()
