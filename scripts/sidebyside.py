#!/usr/bin/env python3
"""Time a batch of 12 rehearsed trials one at a time and two side by side, and say how much faster that is.

The same plan, the same tools (staged before the clock starts), no preflight; the outcomes must be the same.
It measures this machine as it is: the load before is printed, and only a quiet machine gives a figure.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from kit import documents, programs, trees
from kit.contract import Exit

GOAL = 1.4


def timed(jobs: int, args: argparse.Namespace, results: str) -> tuple[float, list[str]]:
    """Seconds from start to report, and the outcomes in the planned order."""
    where = ["--results", results, *(["--eval-root", args.eval_root] if args.eval_root else [])]
    chosen = ["--trials", str(args.trials // 2), "--rehearse", "flush", "-j", str(jobs)]
    batch = Path(programs.run("plan", "store-durability", *chosen, *where))
    try:
        programs.run("stage", batch)
        load, began = os.getloadavg()[0], time.monotonic()
        done = programs.done("batch", batch, "--no-preflight")
        took = time.monotonic() - began
    finally:
        trees.remove(Path(documents.read(batch / "batch.json", "batch/1")["paths"]["work"]))
    order = documents.read(batch / "batch.json", "batch/1")["order"]
    ends = [documents.read(batch / name / "result.json", "result/1")["outcome"] for name in order]
    waits = done.stderr.count("waiting before one more trial")
    print(f"-j {jobs}: {took:6.1f} s, load before {load:.1f}, waited {waits} times for room", flush=True)
    return took, ends


def main() -> None:
    p = programs.parser("sidebyside", __doc__)
    p.add_argument("--trials", type=int, default=12, metavar="N")
    p.add_argument("-j", "--jobs", type=int, default=2, metavar="N", help="against one at a time")
    p.add_argument("--eval-root", metavar="DIR", help="where trials run")
    args = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="agent-eval-sidebyside-") as results:
        one, ends = timed(1, args, results)
        many, same = timed(args.jobs, args, results)
    factor = one / many
    alike = "the same outcomes" if ends == same else "OTHER OUTCOMES"
    print(f"{args.trials} trials: -j {args.jobs} is {factor:.2f} times as fast (goal {GOAL}), {alike}")
    sys.exit(Exit.OK if factor >= GOAL and ends == same else Exit.NO)


if __name__ == "__main__":
    main()
