"""What a configuration puts into a run, one file each."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from clients import Client
from kit.documents import Document
from kit.layout import Run


@dataclass(frozen=True)
class Before:
    """What a setup knows when it works on one run."""

    run: Run
    task: Document  # task/1
    stage: Document  # stage/1
    client: Client
    client_name: str
    evals: Path


@dataclass(frozen=True)
class Plugin:
    """One plugin as it was put into the run."""

    files: dict[
        str, str
    ]  # path in its folder, and sha256; in what was adapted <run> stands for the run's path
    records: bool  # its hooks write records of their own to EVAL_EVIDENCE_DIR


@dataclass(frozen=True)
class Check:
    """One look before launch; a failed one is a setup failure that names the path."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Said:
    """What one of the setup's commands printed, inside the sandbox."""

    argv: Sequence[str]
    exit: int | None  # None: it was killed, or the phase's deadline was spent
    stdout: str
    stderr: str

    @property
    def summary(self) -> str:
        """The command, its end and the last of what it said, for a check's detail."""
        last = (self.stderr.strip() or self.stdout.strip())[-300:]
        end = "killed" if self.exit is None else f"exit {self.exit}"
        return f"{' '.join(self.argv)}: {end}; {last or 'silent'}"


class Setup(Protocol):
    """A module with these names is a setup."""

    PUTS_SKILLS: bool  # skills are in place before launch, put there by us
    CONFIGURATION: Sequence[
        str
    ]  # globs below the run: configuration of its own, which a session should not change

    def populate(self, before: Before) -> dict[str, Plugin]:
        """Put files into the run (as the runner); the plugins put there."""
        ...

    def commands(self, before: Before) -> Sequence[Sequence[str]]:
        """What then runs inside, as the trial's uid under the trial's policy, in the project."""
        ...

    def checks(self, before: Before, said: Sequence[Said]) -> Iterator[Check]:
        """What must hold before launch, beside what holds for every setup (every.py)."""
        ...


def load(name: str) -> Setup:
    return cast(Setup, importlib.import_module(f"setups.{name}"))
