#!/usr/bin/env python3
"""Run one planned trial: its steps in order, in one process, and a result on every path.

Files decide what a failure stops: a step whose inputs are missing declines by itself. Ctrl-C and TERM end the
agent, keep what is left, and make the trial cancelled. Afterwards the run folder goes, unless --keep-run.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from kit import documents, trees
from kit.contract import Exit, Folder, Stop, fail
from kit.documents import Document

STEPS = ("prepare", "launch", "collect", "observe", "grade", "expect", "audit")
AFTER_INTERRUPT = ("collect",)  # what is left is kept; it is not judged


def step(name: str, folder: Path) -> Exit:
    module = importlib.import_module(name)
    return module.STEP.execute(module.run, Folder(folder, module.STEP), quiet=True)  # type: ignore[no-any-return]  # by name


def interrupted(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def run(folder: Path) -> Exit:
    """OK whatever the trial's outcome; INTERRUPTED when it was cut short; BUG when a step crashed."""
    worst, left = Exit.OK, list(STEPS)
    try:
        while left:
            code = step(left.pop(0), folder)
            if code is Exit.INTERRUPTED and worst is not Exit.INTERRUPTED:
                worst, left = code, [name for name in left if name in AFTER_INTERRUPT]
            elif code is Exit.BUG and worst is Exit.OK:
                worst = code
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the result is written, however impatient the user
        finished = step("finalize", folder)
    return finished if finished is not Exit.OK else worst


def tidy(plan: Document) -> None:
    """Remove the scratch folders. The run stays with --keep-run; control folders always go."""
    paths = plan["paths"]
    for name in ("control", "grading_control", "grading", *(() if plan["keep_run"] else ("run",))):
        trees.remove(Path(paths[name]))


def main() -> None:
    parser = argparse.ArgumentParser(
        "trial.py", description=(__doc__ or "").split("\n")[0], allow_abbrev=False
    )
    parser.add_argument("folder", type=Path, metavar="TRIAL_DIR")
    folder = parser.parse_args().folder.resolve()
    signal.signal(signal.SIGTERM, interrupted)
    try:
        plan = documents.read(folder / "trial.json", "trial/1")
    except (FileNotFoundError, documents.Invalid) as error:
        fail("trial", Stop(Exit.NO_INPUT, f"{folder}: no planned trial ({error}); plan.py makes one"))
    if (folder / "result.json").exists():
        fail("trial", Stop(Exit.EXISTS, f"{folder}: already has result.json; a rerun is a new batch"))
    code = run(folder)
    tidy(plan)
    sys.exit(code)


if __name__ == "__main__":
    main()
