"""What a step is: the files it may read, the files it must write, how it exits.

A fault that is the agent's is data in a document; a missing tool is Stop(UNAVAILABLE); everything else is
a traceback and BUG. Step.execute is the one place that catches.
"""

from __future__ import annotations

import argparse
import enum
import functools
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from kit import documents
from kit.documents import Document
from kit.layout import Artifact, Scope


class Exit(enum.IntEnum):
    """How a step ends (sysexits.h numbers). A verdict is never an exit code: verdicts live in files."""

    OK = 0
    NO = 1  # only for checks (check_tasks, doctor, smoke): the answer is no
    USAGE = 2  # argparse
    BAD_INPUT = 65  # an input does not fit its schema
    NO_INPUT = 66  # an input is missing: an earlier step did not finish
    UNAVAILABLE = 69  # something outside is missing: srt, cargo, a client, the network
    BUG = 70  # ours: a crash, or an output that does not fit its schema
    EXISTS = 73  # an output is already there, and --redo was not given
    INTERRUPTED = 130


class Stop(Exception):
    """End the step now, with a message for a person and a code for the caller.

    The message has the form "<thing>: <what is wrong>; <what to do>". Uncaught it ends a program so.
    """

    def __init__(self, code: Exit, message: str) -> None:
        super().__init__(message)
        self.code = code


def fail(program: str, stop: Stop) -> NoReturn:
    """End a program that is no step with one clear line."""
    print(f"{program}: {stop}", file=sys.stderr)
    sys.exit(stop.code)


@dataclass(frozen=True)
class Step:
    """One script's contract; `python scripts/<name>.py --help` prints it."""

    name: str
    does: str
    kind: Literal[
        "recorded", "graded", "derived"
    ]  # met the world once | needs a sandbox, no model | a function of files
    reads: Sequence[Artifact]
    writes: Sequence[Artifact]
    may_read: Sequence[Artifact] = ()
    may_write: Sequence[Artifact] = ()
    scope: Scope = "trial"

    def main(self, run: Callable[..., None], **flags: str) -> NoReturn:
        """flags: what this step is further told, each with its help; `run` gets those that were given."""
        parser = self.parser()
        for name, meaning in flags.items():
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=meaning)
        args = parser.parse_args()
        given = {name: True for name in flags if getattr(args, name)}
        work = functools.partial(run, **given)
        sys.exit(self.execute(work, Folder(args.folder, self), redo=getattr(args, "redo", False)))

    def parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(f"{self.name}.py", description=self.does, epilog=self.contract())
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.add_argument("folder", type=Path, metavar=f"{self.scope.upper()}_DIR")
        if self.kind == "derived":  # the record is never replaced, and a grading belongs to it
            parser.add_argument("--redo", action="store_true", help="replace earlier outputs")
        return parser

    def contract(self) -> str:
        def names(artifacts: Sequence[Artifact]) -> str:
            return ", ".join(a.path + (f" ({a.schema})" if a.schema else "") for a in artifacts) or "-"

        codes = ", ".join(f"{code.value} {code.name.lower()}" for code in Exit)
        return (
            f"reads:     {names(self.reads)}\nmay read:  {names(self.may_read)}\n"
            f"writes:    {names(self.writes)}\nmay write: {names(self.may_write)}\n"
            f"kind:      {self.kind}\nexits:     {codes}"
        )

    def execute(
        self, run: Callable[[Folder], None], folder: Folder, *, redo: bool = False, quiet: bool = False
    ) -> Exit:
        """Run the step; whatever happens, leave a receipt. quiet: no word of missing inputs, or Ctrl-C."""
        started, clock, code, error = time.time(), time.monotonic(), Exit.OK, None
        try:
            folder.demand(self.reads, Exit.NO_INPUT)
            if not redo:
                folder.refuse(self.writes)
            run(folder)
            folder.demand(self.writes, Exit.BUG)
        except Stop as stop:
            code, error = stop.code, str(stop)
        except KeyboardInterrupt:
            code, error = Exit.INTERRUPTED, "interrupted"
        except Exception as crash:
            traceback.print_exc()
            code, error = Exit.BUG, f"{type(crash).__name__}: {crash}"
        if error and not (quiet and code in (Exit.NO_INPUT, Exit.INTERRUPTED)):
            print(f"{self.name}: {error}", file=sys.stderr)
        if code is not Exit.EXISTS:  # then the earlier receipt stands
            took = round(time.monotonic() - clock, 3)
            body = {
                "exit": code.name.lower(),
                "error": error,
                "started": round(started, 3),
                "elapsed_secs": took,
            }
            folder.receipt(self.name, body)
        return code


AGAIN = {  # what to do about an output that is there
    "recorded": "a rerun is a new batch",
    "graded": "regrade.py BATCH_DIR grades again, beside the record; a rerun is a new batch",
    "derived": "--redo replaces it; a rerun is a new batch",
}


class Folder:
    """A batch or trial folder, seen through one step's contract."""

    def __init__(self, root: Path, step: Step) -> None:
        self.root = root.resolve()
        self._scope, self._kind = step.scope, step.kind
        self._readable = {*step.reads, *step.may_read, *step.writes, *step.may_write}
        self._writable = {*step.writes, *step.may_write}

    def _at(self, artifact: Artifact) -> Path:
        """A trial's step also sees documents of its batch, one folder up."""
        above = self._scope == "trial" and artifact.scope == "batch"
        return (self.root.parent if above else self.root) / artifact.path

    def path(self, artifact: Artifact) -> Path:
        if artifact not in self._readable:
            raise LookupError(f"{artifact.path} is not in this step's contract")
        return self._at(artifact)

    def has(self, artifact: Artifact) -> bool:
        return self.path(artifact).exists()

    def read(self, artifact: Artifact) -> Document:
        if artifact.schema is None:
            raise LookupError(f"{artifact.path} has no schema; open it by path()")
        try:
            return documents.read(self.path(artifact), artifact.schema)
        except FileNotFoundError as error:
            raise Stop(
                Exit.NO_INPUT, f"{self.path(artifact)}: missing; an earlier step did not finish"
            ) from error
        except documents.Invalid as error:
            raise Stop(Exit.BAD_INPUT, str(error)) from error

    def maybe(self, artifact: Artifact) -> Document | None:
        return self.read(artifact) if self.has(artifact) else None

    def lines(self, artifact: Artifact) -> Iterator[Document]:
        """The objects of a JSONL file that is ours (exchanges); none when it is absent."""
        if self.has(artifact):
            with self.path(artifact).open(encoding="utf-8") as file:
                for line in file:
                    yield json.loads(line)

    def write(self, artifact: Artifact, body: Document) -> None:
        if artifact not in self._writable or not artifact.schema:
            raise LookupError(f"{artifact.path} is not this step's to write")
        documents.write(self._at(artifact), artifact.schema, body)

    def demand(self, artifacts: Sequence[Artifact], code: Exit) -> None:
        if missing := [a.path for a in artifacts if not self._at(a).exists()]:
            todo = "run the earlier steps first" if code is Exit.NO_INPUT else "this is a bug"
            raise Stop(code, f"{self.root}: missing {', '.join(missing)}; {todo}")

    def refuse(self, artifacts: Sequence[Artifact]) -> None:
        if present := [a.path for a in artifacts if self._at(a).exists()]:
            raise Stop(Exit.EXISTS, f"{self.root}: already has {', '.join(present)}; {AGAIN[self._kind]}")

    def receipt(self, step: str, body: Document) -> None:
        if self.root.is_dir() and os.access(self.root, os.W_OK):
            documents.write(self.root / f"receipts/{step}.json", "receipt/1", {"step": step, **body})
