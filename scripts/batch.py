#!/usr/bin/env python3
"""Run a planned batch: stage its tools, look that the sandbox holds, run each trial, count and report.

Each trial is a process of its own, one after another in the planned order; one whose process died is
finalized here. A line per finished trial goes to stderr. Ctrl-C ends the trial that runs, counts the rest
as cancelled, and still reports. Exits 0 when every trial was run, whatever came of it; 130 when
interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import smoke

import aggregate
import report
import stage
from kit import documents, trees
from kit.contract import Exit, Folder, Stop, fail
from kit.documents import Document
from kit.layout import BATCH, RESULT, STAGE, TRIAL
from trial import interrupted, tidy

SCRIPTS = Path(__file__).resolve().parent
DERIVED = ("observe", "expect", "audit", "finalize")


def run(folder: Path, plan: Document, *, preflight: bool) -> Exit:
    if not (folder / STAGE.path).exists():
        say(f"staging {plan['client']} and its tools")
        code = stage.STEP.execute(stage.run, Folder(folder, stage.STEP))
        if code is not Exit.OK:
            return code
    if preflight and not smoke.preflight(folder):
        say(f"preflight failed: no trial was started; see `python scripts/smoke.py {folder}`")
        return Exit.UNAVAILABLE
    try:
        for number, name in enumerate(plan["order"], 1):
            one(folder / name, f"{number}/{len(plan['order'])}")
        code = Exit.OK
    except KeyboardInterrupt:
        say("interrupted: the rest is cancelled")
        code = Exit.INTERRUPTED
    return code


def one(trial: Path, place: str) -> None:
    """Run a trial in a process of its own; whatever became of that process, there is a result."""
    started = time.monotonic()
    child = subprocess.Popen([sys.executable, SCRIPTS / "trial.py", trial], stdin=subprocess.DEVNULL)
    try:
        ended = child.wait()
    except KeyboardInterrupt:
        child.send_signal(signal.SIGTERM)  # a Ctrl-C at the terminal reached it too; TERM alone does not
        ended = Exit.INTERRUPTED
        child.wait()
    close(trial)
    if (trial / RESULT.path).exists():
        result = documents.read(trial / RESULT.path, "result/1")
        took = time.monotonic() - started
        say(f"{place} {trial.name}: {result['outcome']} in {took:.1f} s; {result['reason']}")
    if ended == Exit.INTERRUPTED:
        raise KeyboardInterrupt


def close(trial: Path) -> None:
    """Finish a trial that has no result (never started, or its process died) from what it left."""
    if (trial / RESULT.path).exists():
        return
    for name in DERIVED:
        module = importlib.import_module(name)
        if not all((trial / artifact.path).exists() for artifact in module.STEP.writes):
            module.STEP.execute(module.run, Folder(trial, module.STEP), redo=True, quiet=True)
    tidy(documents.read(trial / TRIAL.path, "trial/1"))


def conclude(folder: Path, plan: Document) -> Exit:
    """Count and report, whatever happened before."""
    for name in plan["order"]:
        close(folder / name)
    codes = [step.STEP.execute(step.run, Folder(folder, step.STEP)) for step in (aggregate, report)]
    if not plan["keep_run"]:
        trees.remove(Path(plan["paths"]["work"]))
    return next((code for code in codes if code is not Exit.OK), Exit.OK)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def started(folder: Path, plan: Document) -> Iterator[str]:
    return (name for name in plan["order"] if (folder / name / "receipts/prepare.json").exists())


def main() -> None:
    parser = argparse.ArgumentParser(
        "batch.py", description=(__doc__ or "").split("\n")[0], allow_abbrev=False
    )
    parser.add_argument("folder", type=Path, metavar="BATCH_DIR")
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="more than 1: not built yet")
    parser.add_argument("--no-preflight", action="store_true", help="skip the probes before the first trial")
    args = parser.parse_args()
    folder = args.folder.resolve()
    signal.signal(signal.SIGTERM, interrupted)
    try:
        plan = documents.read(folder / BATCH.path, "batch/1")
        if args.jobs != 1:
            raise Stop(Exit.UNAVAILABLE, f"-j {args.jobs}: not built yet; trials run one after another")
        if there := list(started(folder, plan)):
            raise Stop(
                Exit.EXISTS,
                f"{folder}: {there[0]} has run; resuming is not built yet, a rerun is a new batch",
            )
    except FileNotFoundError:
        fail("batch", Stop(Exit.NO_INPUT, f"{folder}: no batch.json; plan.py makes one"))
    except (documents.Invalid, json.JSONDecodeError) as error:
        fail("batch", Stop(Exit.BAD_INPUT, str(error)))
    except Stop as stop:
        fail("batch", stop)
    code = run(folder, plan, preflight=not args.no_preflight)
    if code in (Exit.OK, Exit.INTERRUPTED):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        concluded = conclude(folder, plan)
        code = concluded if code is Exit.OK else code
    sys.exit(code)


if __name__ == "__main__":
    main()
