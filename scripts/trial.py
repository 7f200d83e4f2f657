#!/usr/bin/env python3
"""Run one planned trial: its steps in order, in one process, and a result on every path.

Files decide what a failure stops: a step whose inputs are missing declines by itself. Ctrl-C, TERM and the
end of whoever started it (batch.py, nox) end the agent, keep what is left, and make the trial cancelled; then
the run folder goes, unless --keep-run. Killed itself, it leaves a record of its folders (kit/leftovers.py).
"""

from __future__ import annotations

import importlib
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from kit import documents, leftovers, process, programs, tied, trees, uids
from kit.contract import Exit, Folder, Stop, fail
from kit.documents import Document
from rungs import no_keyrings

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
            try:
                code = step(left.pop(0), folder)
            except KeyboardInterrupt:  # between two steps
                code = Exit.INTERRUPTED
            if code is Exit.INTERRUPTED and worst is not Exit.INTERRUPTED:
                worst, left = code, [name for name in left if name in AFTER_INTERRUPT]
            elif code is Exit.BUG and worst is Exit.OK:
                worst = code
    finally:
        for one in process.SIGNALS:  # the result is written, however impatient the user
            signal.signal(one, signal.SIG_IGN)
        finished = step("finalize", folder)
    return finished if finished is not Exit.OK else worst


SCRATCH = ("run", "control", "grading", "grading_control")


def scratch(plan: Document) -> list[Path]:
    """The folders that go afterwards: all, but for the run with --keep-run."""
    return [Path(plan["paths"][name]) for name in SCRATCH if not (name == "run" and plan["keep_run"])]


def tidy(plan: Document) -> None:
    for folder in scratch(plan):
        trees.remove(folder)


def whole(folder: Path, plan: Document) -> Exit:
    """Run it, with a record of what a crash of ours would leave behind."""
    with leftovers.owned(
        Path(plan["paths"]["eval_root"]), f"{plan['batch']}-{plan['trial_name']}", scratch(plan)
    ):
        try:
            return run(folder)
        finally:
            tidy(plan)
            for uid in uids.holding():
                uids.release(uid)


def main() -> None:
    parser = programs.parser("trial", __doc__)
    parser.add_argument("folder", type=Path, metavar="TRIAL_DIR")
    folder = parser.parse_args().folder.resolve()
    for one in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(one) is not signal.SIG_IGN:  # nohup
            signal.signal(one, interrupted)
    try:
        plan = documents.read(folder / "trial.json", "trial/1")
    except (FileNotFoundError, documents.Invalid) as error:
        fail("trial", Stop(Exit.NO_INPUT, f"{folder}: no planned trial ({error}); plan.py makes one"))
    if (folder / "result.json").exists():
        fail("trial", Stop(Exit.EXISTS, f"{folder}: already has result.json; a rerun is a new batch"))
    tied.follow()
    sys.exit(whole(folder, plan))


if __name__ == "__main__":
    no_keyrings.install_early()
    main()
