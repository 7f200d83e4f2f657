#!/usr/bin/env python3
"""Grade a batch's kept submissions again (G09), and say whether each verdict still stands.

Writes <batch>/regrades/<n>/<trial>/{grading.json, grading/} and <batch>/regrades/<n>/regrade.json, and
touches nothing of the record. It takes the task from evals/ as it is now, and the tools from the batch's
store where they still are; what differs from the original is named: task, grader, tools. It needs sandbox
and toolchain, never a model. A kept submission that is not what was sealed is not graded. Exits 1 when a
verdict came out different and --check was given; 69 when a submission could not be graded.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import finalize
import grade
import planning
from batches import asking
from graders import Infrastructure, staging
from graders.setting import Setting
from kit import documents, edits, programs, regrades, remains, seal, tasks, verdicts
from kit.contract import Exit, Folder, Stop, fail
from kit.documents import Document
from kit.globs import Editable
from kit.layout import (
    BATCH,
    COLLECTED,
    GRADING,
    GRADING_OUTPUT,
    RESULT,
    SEAL,
    SETUP,
    STAGE,
    SUBMISSION,
    TRIAL,
    Run,
)
from rungs import no_keyrings

REGRADE = "regrade/1"


@dataclass(frozen=True)
class Again:
    """What every trial of one regrading shares."""

    batch: Path
    into: Path  # <batch>/regrades/<n>
    evals: Path | None  # None: the batch's own
    staged: Document
    place: Path


def main() -> None:
    parser = programs.parser("regrade", __doc__)
    parser.add_argument("folder", type=Path, metavar="BATCH_DIR")
    parser.add_argument(
        "--evals", type=Path, metavar="DIR", help="tasks as they are here (default: the batch's)"
    )
    parser.add_argument("--eval-root", type=Path, metavar="DIR", help="where to grade (default: the batch's)")
    parser.add_argument("--check", action="store_true", help="exit 1 when a verdict came out different")
    args = parser.parse_args()
    try:
        folder = args.folder.resolve()
        with asking.locked(folder, asking.Asked(), lambda said: print(f"regrade: {said}", file=sys.stderr)):
            body, into = regrade(folder, args.evals, args.eval_root)
    except FileNotFoundError as error:
        fail("regrade", Stop(Exit.NO_INPUT, f"{error.filename}: missing; give a batch folder below results/"))
    except KeyboardInterrupt:
        fail("regrade", Stop(Exit.INTERRUPTED, "interrupted; regrades/ holds what was graded so far"))
    print("\n".join(regrades.lines(body)))
    print(f"written: {into}")
    lost = any(trial["problem"] for trial in body["trials"])
    changed = any(trial["stands"] is False for trial in body["trials"])
    sys.exit(Exit.UNAVAILABLE if lost else Exit.NO if changed and args.check else Exit.OK)


def regrade(batch: Path, evals: Path | None, eval_root: Path | None) -> tuple[Document, Path]:
    """regrade/1, and where it was written."""
    plan = documents.read(batch / BATCH.path, "batch/1")
    recorded = documents.read(batch / STAGE.path, "stage/1")
    kept = [name for name in plan["order"] if (batch / name / SUBMISSION.path).is_dir()]
    if not kept:
        raise Stop(Exit.NO_INPUT, f"{batch}: no trial kept a submission; there is nothing to grade again")
    root = (eval_root or Path(plan["paths"]["eval_root"])).resolve()
    with staging.staged(root, recorded) as (staged, place):
        into = numbered(batch / "regrades")
        again = Again(batch, into, evals.resolve() if evals else None, staged, place)
        body: Document = {
            "batch": plan["batch"],
            "number": int(into.name),
            "regraded_at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "tools": regrades.changes(*map(regrades.versions_of, (recorded, staged))),
            "trials": [one(again, name) for name in kept],
        }
    documents.write(into / "regrade.json", REGRADE, body)
    return body, into


def numbered(folder: Path) -> Path:
    """The next of regrades/1, regrades/2, ...: ours alone, whoever else regrades."""
    folder.mkdir(exist_ok=True)
    for number in itertools.count(1):
        with contextlib.suppress(FileExistsError):
            (new := folder / str(number)).mkdir(mode=0o700)
            return new
    raise AssertionError("there is always a next number")


def one(again: Again, name: str) -> Document:
    """Grade one trial's submission again, and hold it against the grading in the record."""
    trial, into = again.batch / name, again.into / name
    (into / GRADING_OUTPUT.path).mkdir(parents=True)
    before, result = document(trial, GRADING.path, "grading/1"), document(trial, RESULT.path, "result/1")
    was = result["outcome"] if result else None
    try:
        after = graded(again, trial, into / GRADING_OUTPUT.path)
    except Infrastructure as problem:
        return regrades.judged(name, before, None, (was, None), str(problem))
    documents.write(into / GRADING.path, "grading/1", after)
    print(f"{name}: {after['problem'] or regrades.verdict(after)}", file=sys.stderr, flush=True)
    return regrades.judged(name, before, after, (was, outcome(trial, after)), after["problem"])


def document(folder: Path, file: str, schema: str) -> Document | None:
    """None: not there, or torn; the step that should have written it has said so."""
    try:
        return documents.read(folder / file, schema)
    except (FileNotFoundError, documents.Invalid):
        return None


def graded(again: Again, trial: Path, output: Path) -> Document:
    plan, sealed = (documents.read(trial / a.path, a.schema or "") for a in (TRIAL, SEAL))
    evals = again.evals or Path(plan["paths"]["evals"])
    try:
        task = tasks.load(evals, plan["task"])
    except Stop as stop:
        raise Infrastructure(str(stop)) from stop
    as_sealed(trial / SUBMISSION.path, sealed)
    word = secrets.token_hex(4)
    place = Run(again.place / f"grading-{word}", planning.control_root() / word)
    setting = Setting.planned(plan, again.staged, place)
    wrong = edits.invalid(sealed["entries"], sealed["cap"], Editable(task.file["editable"]))
    collected, setup = document(trial, COLLECTED.path, "collected/1"), document(trial, SETUP.path, "setup/1")
    return grade.grade_tree(
        task.document(),
        evals,
        trial / SUBMISSION.path,
        setting,
        output,
        [f"{found['path']}: {found['why']}" for found in wrong],
        sealed=sealed["entries"],
        symposiums=grade.symposiums(collected, setup),
    )


def as_sealed(submission: Path, sealed: Document) -> None:
    """The kept submission must still be what was sealed: a verdict on anything else is none."""
    expected = {e["path"]: e["sha256"] for e in sealed["entries"] if e["type"] == "file" and not e["note"]}
    there = {e["path"]: e["sha256"] for e in seal.seal(submission).entries if e["type"] == "file"}
    if wrong := sorted(path for path in {*expected, *there} if expected.get(path) != there.get(path)):
        raise Infrastructure(f"submission/{wrong[0]}: not what was sealed; restore it and regrade")


def outcome(trial: Path, grading: Document) -> str:
    """Where the trial would end in the count with this grading; everything else as in the record."""
    left = remains.read(Folder(trial, finalize.STEP))
    receipts = {**left.receipts, "grade": {"exit": "ok", "error": None}}
    found = {**left.found, GRADING: grading}
    unreadable = {a: why for a, why in left.unreadable.items() if a != GRADING}
    again = replace(left, found=found, unreadable=unreadable, receipts=receipts)
    return verdicts.outcome(finalize.established(again)).outcome


if __name__ == "__main__":
    no_keyrings.install_early()
    main()
