"""The diff of a submission against its starter, file by file, for a person to read.

Which files differ is collected.json's word; this only shows them. It never reads a link or a special file,
nor more of a file than MOST_BYTES. The fault of a wrong diff is this module's, of a wrong list collect's.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kit.documents import Document
from kit.trees import unescape

MOST_BYTES = 128 * 1024  # of one file; difflib takes its time
MOST_LINES = 3000
MOST_FILES = 40


class Change(NamedTuple):
    path: str
    how: str  # added, modified, deleted, outside
    diff: str  # unified; empty where the note says why
    note: str


class Starter(NamedTuple):
    """What evals/ holds now, and whether the task is still the one that the trial was given (T07)."""

    folder: Path
    same: bool


def of(collected: Document, submission: Path, starter: Starter | None) -> Iterator[Change]:
    """starter: None when evals/ no longer holds one."""
    named = [(path, how) for how in ("modified", "added", "deleted") for path in collected["edits"][how]]
    known = {path for path, _ in named}
    named += [(path, "outside") for path in collected["edits_outside_editable"] if path not in known]
    for path, how in named[:MOST_FILES]:
        yield one(path, how, submission, starter)
    if len(named) > MOST_FILES:
        yield Change(f"{len(named) - MOST_FILES} more", "", "", "not shown; collected.json names them")


def one(path: str, how: str, submission: Path, starter: Starter | None) -> Change:
    if path.endswith("/"):
        return Change(path, how, "", "a folder")
    if starter is None and how != "added":
        return Change(path, how, "", "no diff: evals/ no longer holds the starter")
    before = lines(starter.folder, path) if starter and how != "added" else []
    after = lines(submission, path)
    if isinstance(before, str) or isinstance(after, str):
        return Change(path, how, "", next(side for side in (before, after) if isinstance(side, str)))
    diff = "\n".join([*difflib.unified_diff(before, after, lineterm="")][2:])
    if before and starter and not starter.same:
        return Change(
            path, how, diff, "against the starter as it is now: the task has changed since this trial"
        )
    return Change(path, how, diff, "" if diff else "the content is the same")


def lines(root: Path, path: str) -> list[str] | str:
    """The lines of a regular file, none where there is no such file; a sentence where it cannot be shown."""
    try:
        place = os.fsencode(root) + b"/" + unescape(path)
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        return f"not shown: {getattr(error, 'strerror', 'no name for a file')}"
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return "not shown: not a regular file"
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(content) > MOST_BYTES:
        return f"not shown: larger than {MOST_BYTES // 1024} KiB"
    if b"\0" in content:
        return "not shown: not text"
    found = content.decode("utf-8", "backslashreplace").split("\n")
    return found if len(found) <= MOST_LINES else f"not shown: more than {MOST_LINES} lines"
