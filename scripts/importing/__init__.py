"""Cases of other evaluation formats, read as far as a task can express them. A format is a file here.

A reader takes what both sides mean alike, and names everything else: what is left for the author to write,
and what no task can say. It writes nothing (import_tasks.py does), runs nothing of what it reads, and never
guesses a hidden test. A case whose question a task cannot put is refused whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kit import contents, documents, plugins

SKIPPED = {"node_modules", ".claude", "results", "mocks"}  # folders in which neither format has cases
READ, COPIED = 1_000_000, 20_000_000  # bytes of one file
UNREADABLE = (OSError, ValueError, RecursionError)  # ValueError: no UTF-8, no JSON, a date that is none


@dataclass
class Case:
    """One case, and what became of each part of it."""

    source: Path
    name: str  # a task's: lower-case words joined by -
    prompt: str = ""
    expected_output: str | None = None
    trials: int | None = None
    agent_secs: int | None = None
    skills: dict[str, Path] = field(default_factory=dict)  # name to the folder that holds SKILL.md
    plugin: str | None = None  # what to call the plugin that carries them
    used: list[str] = field(default_factory=list)
    not_used: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)  # for the starter
    to_write: list[str] = field(default_factory=list)
    not_taken: list[str] = field(default_factory=list)
    refused: str | None = None  # why there is no draft of it


class Reader(Protocol):
    """A module with these names reads a format."""

    def find(self, place: Path) -> Iterator[Path]:
        """The files or folders with cases of this format at or below a path."""
        ...

    def read(self, place: Path) -> Iterator[Case]:
        """Each case of one of them; what cannot be read is a refused case, never an exception."""
        ...


def slug(text: object) -> str:
    """A name for a task or a plugin: "case" when nothing of the text can stand in one."""
    return "-".join(re.findall("[a-z0-9]+", str(text).lower())) or "case"


def problem(document: Any, schema: str) -> str | None:
    """What is wrong with a document, with its place in it; None: it fits."""
    return None if documents.fits(document, schema) else documents.why(document, schema)


def below(folder: Path, pattern: str) -> Iterator[Path]:
    found = sorted(folder.rglob(pattern))
    yield from (path for path in found if not SKIPPED & {*path.relative_to(folder).parts})


def inside(path: Path, folder: Path) -> bool:
    """A regular file of the folder, reached through no link below it: nothing else is read or copied."""
    within = os.path.relpath(path, folder)
    return path.is_file() and contents.is_regular(path) and path.resolve() == folder.resolve() / within


def checked(file: Path, folder: Path, most: int = READ) -> Path:
    """A file inside the folder, of at most so many bytes; raises OSError for anything else."""
    if not inside(file, folder) or file.lstat().st_size > most:
        raise OSError(f"{file.name}: no regular file of at most {most:,} bytes, or behind a link")
    return file


def carry(case: Case, files: Sequence[Path], root: Path, plugin: str) -> None:
    """Take the skills of these SKILL.md along, as a plugin; what Symposium would pass over is named."""
    for file in files:
        if not inside(file, root):
            case.not_taken.append(f"{file.relative_to(root)}: a link, or behind one; no link is followed")
            continue
        name, wrong = plugins.read_skill(checked(file, root))
        if name:
            case.skills[name] = file.parent
        case.to_write += [f"{file.parent.name}/SKILL.md in the plugin: {line}" for line in wrong]
    case.plugin = slug(plugin) if case.skills else None
