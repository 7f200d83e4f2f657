#!/usr/bin/env python3
"""Write every trial of one or more batches as a flat row (csv, parquet), or what was said (atif, inspect).

The columns are those of schemas/row.1 (--columns prints them). It counts nothing and leaves nothing out: a
planned trial without a result has its row. It changes no batch, nor without --force a file that is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from kit import documents, programs
from kit.contract import Exit, Folder, Stop, fail
from kit.documents import Document
from kit.layout import BATCH, TASK, TRANSCRIPT
from kit.tables import Batch
from report import STEP, read
from reports import atif, flat, inspect_log, rows, session

SUITE = "suite.json"
HELP = "csv, parquet: OUT is a file, - is stdout; atif (each trial), inspect (each configuration): a folder"


def below(places: Sequence[Path]) -> Iterator[Path]:
    """The batch folders: each itself, or all below it. A suite's own document is none, and may be globbed."""
    for place in places:
        found = sorted(file.parent for file in place.rglob(BATCH.path))
        if not found and place.name != SUITE:
            where = "give batch folders, results/<task>/<client>/<batch>, or a folder that holds some"
            raise Stop(Exit.NO_INPUT, f"{place}: no batch.json there or below; {where}")
        yield from found


def opened(folder: Path) -> Batch:
    return read(Folder(folder, STEP))


def batches(folders: Sequence[Path]) -> Iterator[Document]:
    """The rows of every batch; a batch that is named twice would count twice, so it is refused."""
    known: dict[str, Path] = {}
    for folder in folders:
        batch = opened(folder)
        if (other := known.setdefault(batch.plan["batch"], folder)) is not folder:
            raise Stop(Exit.USAGE, f"{folder}: the same batch as {other}; name each once")
        for row in rows.of(batch):
            documents.check(row, rows.SCHEMA, f"{folder}: a row")
            yield row


def sessions(folder: Path, batch: Batch) -> dict[str, list[session.Step]]:
    """Trial to what was said and done, of those that left a transcript."""
    found = {}
    for name in batch.results:
        given = folder / name
        if (given / TRANSCRIPT.path).exists():
            prompt = documents.read(given / TASK.path, "task/1")["prompt"]
            with (given / TRANSCRIPT.path).open("rb") as lines:
                found[name] = session.of(prompt, lines)
    return found


def trajectories(folder: Path) -> Iterator[tuple[str, Document]]:
    """<batch>/<trial>, for every trial that has a transcript."""
    batch = opened(folder)
    for name, steps in sessions(folder, batch).items():
        where = f"{batch.plan['batch']}/{name}"
        yield where, atif.of(where, batch.results[name], steps)


def logs(folder: Path) -> Iterator[tuple[str, Document]]:
    """<batch>/<configuration>: a log for each."""
    batch = opened(folder)
    held = sessions(folder, batch)
    for name in batch.benchmark["configurations"]:
        yield f"{batch.plan['batch']}/{name}", inspect_log.of(batch, name, held)


FOLDERS = {"atif": (trajectories, "transcripts"), "inspect": (logs, "logs")}  # a file for each of several
FORMATS = (*flat.WRITERS, *FOLDERS)


class Columns(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        for name, (kind, meaning) in rows.columns().items():
            print(f"{name:27} {kind:8} {meaning}")
        parser.exit()


def main() -> None:
    parser = programs.parser("export", __doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="BATCH_DIR", help="or a folder above")
    parser.add_argument("--to", nargs=2, required=True, metavar=("FORMAT", "OUT"), help=HELP)
    parser.add_argument("--force", action="store_true", help="replace OUT")
    parser.add_argument("--columns", action=Columns, nargs=0, help="print the columns, and end")
    args = parser.parse_args()
    form, out = args.to[0], Path(args.to[1])
    if form not in FORMATS:
        parser.error(f"--to {form}: no such format; {', '.join(FORMATS)}")
    try:
        if str(out) != "-" and out.exists() and not args.force:
            raise Stop(Exit.EXISTS, f"{out}: is there already; --force replaces it")
        said = export(form, list(below(args.folders)), out)
    except OSError as error:
        fail("export", Stop(Exit.UNAVAILABLE, f"{error.filename}: {error.strerror}; name another file"))
    if str(out) != "-":
        print(f"{out}: {said}")


def export(form: str, folders: Sequence[Path], out: Path) -> str:
    if form in FOLDERS:
        make, what = FOLDERS[form]
        count = 0
        for where, made in (one for folder in folders for one in make(folder)):
            file = out / f"{where}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            write(file, json.dumps(session.sound(made), indent=1).encode("ascii") + b"\n")
            count += 1
        return f"{count} {what}"
    found = list(batches(folders))
    write(out, flat.WRITERS[form](found))
    return f"{len(found)} trials, {len(rows.columns())} columns"


def write(out: Path, content: bytes) -> None:
    """Whole or not at all."""
    if str(out) == "-":
        sys.stdout.buffer.write(content)
        return
    draft = out.with_name(f".{out.name}.tmp")
    try:
        draft.write_bytes(content)
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
