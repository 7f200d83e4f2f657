"""How submissions are judged, one file for each kind of project.

A grader never sees a transcript: it gets the grading copy, the hidden tests and a way to run commands in a
sandbox. Beside the graders here is what they share: the sandboxes and the grading copy.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, cast

from kit.contract import Exit, Stop
from kit.documents import Document

GRADERS = {"cargo": "cargo", "pytest": "python", "unittest": "python", "command": "command"}  # to its module

Verdict = Literal["pass", "fail", "inconclusive"]


class Infrastructure(Exception):
    """The grader's own failure: the trial is excluded, and its submission can be graded again."""


@dataclass(frozen=True)
class Done:
    """How one sandboxed command ended."""

    exit: int | None
    timed_out: bool
    stdout: bytes
    stderr: bytes
    elapsed_secs: float
    cut: bool = False  # more came on stdout than was kept, so its middle is not there


@dataclass(frozen=True)
class Judged:
    """One check's verdict."""

    name: str  # "build", "cargo_test_lib", "hidden.double", "cargo_fmt_check"
    verdict: Verdict
    detail: str  # for a person: which test, and what it said
    elapsed_secs: float
    output: bytes  # kept as grading/<name>.log
    counted: Mapping[str, str | int] = field(
        default_factory=dict
    )  # more of grading/1's step: scheme, strong, weak


class Bench(Protocol):
    """The grading's sandboxes: each run is one of its own, with what is left of the phase's deadline."""

    def run(
        self, argv: Sequence[str], *, cwd: Path, writable: Sequence[Path], readable: Sequence[Path]
    ) -> Done: ...


@dataclass(frozen=True)
class Work:
    """What a grader works on."""

    task: Document  # task/1
    copy: Path  # the grading copy: fresh starter, editable files from the submission
    checks: Path  # the hidden tests, outside the copy
    scratch: Path  # an empty folder for what the grader makes: build output, copied executables
    fixtures: Path
    launcher: Path | None = None  # stage's: starts a hidden Rust test in a process that can start no other


class Grader(Protocol):
    """A module with these names is a grader."""

    def judge(self, work: Work, bench: Bench) -> Iterator[Judged]: ...


def load(name: str) -> Grader:
    if name not in GRADERS:
        raise Stop(Exit.USAGE, f"grader {name}: not built yet; the graders are {', '.join(GRADERS)}")
    return cast(Grader, importlib.import_module(f"graders.{GRADERS[name]}"))
