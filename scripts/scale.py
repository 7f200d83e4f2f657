#!/usr/bin/env python3
"""Time the counting of a very large batch: so many recorded trials, aggregated by aggregate.py itself.

A benchmark: it writes made-up results, lets the program count them, and prints seconds and peak memory.
"""

from __future__ import annotations

import json
import resource
import tempfile
import time
from pathlib import Path

from kit import documents, programs

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "tests/records/seed-example"


def write(folder: Path, trials: int) -> None:
    """A batch like the recorded one, with its trials over and over; each result is whole and valid."""
    plan = documents.read(EXAMPLE / "batch.json", "batch/1")
    likes = [documents.read(EXAMPLE / name / "result.json", "result/1") for name in plan["order"]]
    order = []
    for number in range(1, trials // 2 + 1):
        for like in likes[:2] if number % 2 else likes[2:4]:
            name = f"trial-{number}-{like['mode']}"
            order.append(name)
            (folder / name).mkdir()
            (folder / name / "result.json").write_text(json.dumps({**like, "trial": number}, indent=2))
    documents.write(folder / "batch.json", "batch/1", {**plan, "trials": trials // 2, "order": order})


def main() -> None:
    parser = programs.parser("scale", __doc__)
    parser.add_argument("trials", nargs="?", type=int, default=100_000, metavar="N")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agent-eval-scale-") as scratch:
        print(f"writing {args.trials} results", flush=True)
        write(Path(scratch), args.trials)
        started = time.perf_counter()
        programs.run("aggregate", scratch)
        took = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"aggregated {args.trials} trials in {took:.1f} s, {peak:.0f} MiB at the peak")


if __name__ == "__main__":
    main()
