#!/usr/bin/env python3
"""Rebuild every derived document of a batch from its record: no model, no sandbox, no key.

Says for each document whether it is as before (volatile fields aside). Recorded documents and gradings
are left alone. Exits 1 when something changed and --check was given.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import aggregate
import report
from batches import asking
from kit import documents, programs
from kit.contract import Exit, Folder, Step, Stop, fail
from kit.documents import Document
from kit.layout import Artifact

TRIAL_STEPS = ("observe", "expect", "audit", "finalize")


def outputs(step: Step, folder: Path) -> Iterator[tuple[Artifact, Path]]:
    for artifact in (*step.writes, *step.may_write):
        yield artifact, folder / artifact.path


def content(artifact: Artifact, file: Path) -> Document | bytes | None:
    """What must come out alike: the document without its volatile fields, or the bytes."""
    if not file.exists():
        return None
    if artifact.schema:
        return documents.stable(documents.read(file, artifact.schema), artifact.schema)  # type: ignore[no-any-return]  # a document in, a document out
    return file.read_bytes()


def again(name: str, folder: Path, **flags: bool) -> list[Path]:
    """Redo one step, told these flags; the files that came out different."""
    module = importlib.import_module(name)
    step: Step = module.STEP
    before = {file: content(artifact, file) for artifact, file in outputs(step, folder)}
    code = step.execute(functools.partial(module.run, **flags), Folder(folder, step), redo=True, quiet=True)
    if code is Exit.INTERRUPTED:
        raise KeyboardInterrupt
    if code not in (Exit.OK, Exit.NO_INPUT):
        raise Stop(code, f"{folder}: {name} could not be redone; see the line above")
    return [file for artifact, file in outputs(step, folder) if content(artifact, file) != before[file]]


def redo(batch: Path, conservative: bool = False, full: bool = False) -> list[Path]:
    plan = documents.read(batch / "batch.json", "batch/1")
    changed = []
    for trial in plan["order"]:
        for name in TRIAL_STEPS:
            changed += again(name, batch / trial)
    changed += again("aggregate", batch, conservative=conservative)
    changed += again("report", batch, conservative=conservative, full=full)
    return changed


def main() -> None:
    parser = programs.parser("redo", __doc__)
    parser.add_argument("folder", type=Path, metavar="BATCH_DIR")
    parser.add_argument("--check", action="store_true", help="exit 1 when a document came out different")
    parser.add_argument("--conservative", action="store_true", help=aggregate.CONSERVATIVE)
    parser.add_argument("--full", action="store_true", help=report.FULL)
    args = parser.parse_args()
    try:
        folder = args.folder.resolve()
        with asking.locked(folder, asking.Asked(), lambda said: print(f"redo: {said}", file=sys.stderr)):
            changed = redo(folder, args.conservative, args.full)
    except FileNotFoundError as error:
        fail("redo", Stop(Exit.NO_INPUT, f"{error.filename}: missing; give a batch folder below results/"))
    for file in changed:
        print(f"changed: {file}")
    said = f"{len(changed)} documents changed" if changed else "every derived document is as before"
    print(f"{args.folder}: {said}")
    sys.exit(Exit.NO if changed and args.check else Exit.OK)


if __name__ == "__main__":
    main()
