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
class Check:
    """One look before launch; a failed one is a setup failure that names the path."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Said:
    """What one of the setup's commands printed, inside the sandbox."""

    exit: int | None
    stdout: str
    stderr: str


class Setup(Protocol):
    """A module with these names is a setup."""

    def populate(self, before: Before) -> dict[str, dict[str, str]]:
        """Put files into the run (as the runner); the plugins put there, each file with its sha256."""
        ...

    def commands(self, before: Before) -> Sequence[Sequence[str]]:
        """What then runs inside, as the trial's uid under the trial's policy, in the project."""
        ...

    def checks(self, before: Before, said: Sequence[Said]) -> Iterator[Check]:
        """What must hold before launch, beside what holds for every setup."""
        ...


def load(name: str) -> Setup:
    return cast(Setup, importlib.import_module(f"setups.{name}"))
