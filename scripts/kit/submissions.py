"""Projects as agents could have left them, made from a task's starter and solution: what a proof is tried on.

It writes below a folder of the caller's, with the modes that a trial's files have, and nothing below evals/.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kit import contents
from kit.tasks import Task


@dataclass(frozen=True)
class Submission:
    """What stands in the project beside the starter's files."""

    name: str
    says: str
    solved: bool = False  # the solution's files lie below
    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


STARTER = Submission("starter", "does nothing")
SOLUTION = Submission("solution", "the author's answer", solved=True)


def make(task: Task, submission: Submission, tree: Path) -> None:
    """tree: a folder that is not there yet."""
    tree.mkdir(parents=True)
    for layer in (task.starter, task.solution if submission.solved else None):
        for file in contents.entries(layer) if layer else ():
            program = bool(file.stat().st_mode & 0o100)
            put(tree / file.relative_to(layer or file), file.read_bytes(), 0o755 if program else 0o644)
    for name, data in submission.files.items():
        put(tree / name, data, 0o644)
    for name in submission.folders:
        clear(tree / name)
        (tree / name).mkdir(parents=True)
    for name, target in submission.links.items():
        clear(tree / name)
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, tree / name)  # noqa: PTH211  # a target that is nowhere is meant to stay so


def put(file: Path, data: bytes, mode: int) -> None:
    for above in reversed(file.parents):
        if not above.exists():
            above.mkdir()
            above.chmod(0o755)
    clear(file)
    file.write_bytes(data)
    file.chmod(mode)


def clear(place: Path) -> None:
    if place.is_symlink() or place.is_file():
        place.unlink()
