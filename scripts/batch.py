#!/usr/bin/env python3
"""Run a planned batch: stage its tools, look that the sandbox holds, run each trial, count and report.

Each trial is a process of its own, -j of them side by side, started in the planned order. A line for each
finished trial goes to stderr; on a terminal a live line says what runs. Ctrl-C or TERM ends the trials that
run, keeps what is left of them, counts the rest as cancelled, and still reports. --resume then runs exactly
those that never started, with the batch's own tools; a trial that was cut is never run again.

exits: 0    every trial was run, whatever came of it
       1    so too, but trials were lost unevenly between the configurations (client errors, timeouts, set-up
            failures, exclusions, cut trials): no difference can be stated
       65   a document that is not this batch's, or that cannot be read; 66 one is missing
       69   something outside is missing, or the same failure came again and again (--stop-after): the rest is
            cancelled; mend it, then --resume
       73   it has run already, or another batch.py is at work on it
       130  interrupted
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import planning
from batches import asking
from batches.asking import Asked
from batches.course import Batch
from batches.screen import Screen
from kit import documents, programs, tied
from kit.contract import Exit, Stop, fail
from kit.documents import Document
from kit.layout import BATCH


def parser() -> argparse.ArgumentParser:
    summary, _, rest = (__doc__ or "").partition("\n\n")
    p = programs.parser("batch", summary, rest)
    p.add_argument("folder", type=Path, metavar="BATCH_DIR")
    p.add_argument("--resume", action="store_true", help="run what never started, and nothing else")
    p.add_argument("--no-preflight", action="store_true", help="skip the probes before the first trial")
    p.add_argument(
        "--stop-after", type=int, default=3, metavar="N", help="alike instant failures in a row; 0: never (3)"
    )
    planning.add_engine(p)
    return p


def read(folder: Path) -> Document:
    """The plan of a batch that we can write to."""
    try:
        plan = documents.read(folder / BATCH.path, "batch/1")
    except OSError as error:
        todo = "give a batch folder, results/<task>/<client>/<batch>"
        raise Stop(Exit.NO_INPUT, f"{folder / BATCH.path}: {error.strerror}; {todo}") from error
    if closed := [f for f in (folder, *(folder / n for n in plan["order"])) if not os.access(f, os.W_OK)]:
        raise Stop(
            Exit.UNAVAILABLE, f"{closed[0]}: not there or not writable for you; make it so, or plan anew"
        )
    return plan


def main() -> None:
    args = parser().parse_args()
    folder, asked = args.folder.resolve(), Asked().listen()
    tied.follow()
    try:
        planning.refuse_engine(args)
        if args.stop_after < 0:
            raise Stop(Exit.USAGE, f"--stop-after {args.stop_after}: at least 0, which means never")
        plan = read(folder)
        screen = Screen(len(plan["order"]))
        with asking.locked(folder, asked, screen.say) as lock:
            code = Batch(folder, plan, args, asked, screen).run(lock)
    except documents.Invalid as error:
        fail("batch", Stop(Exit.BAD_INPUT, str(error)))
    except Stop as stop:
        fail("batch", stop)
    sys.exit(code)


if __name__ == "__main__":
    main()
