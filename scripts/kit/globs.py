"""Which paths of a project are taken from a submission, and which files of a run a pattern names.

Version-control folders and build output are never editable, whatever the patterns say. Patterns come from
tasks and adapters and are trusted; paths come from the agent and may be any bytes. It never follows a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from pathspec import GitIgnoreSpec

from kit.trees import Found, Limits, escape, walk

VERSION_CONTROL = frozenset({b".git", b".hg", b".svn", b".jj", b".bzr"})
BUILD_OUTPUT = b"target"  # at the project's root
# What Python and pytest leave where they ran, by their own names; any other file there is the agent's.
BYTECODE = rb"__pycache__/[^/]+\.(cpython|pypy)-?\d+(-pytest-[\w.]+)?(\.opt-\w+)?\.pyc(\.\d+)?"
PYTEST = rb"\.pytest_cache/(README\.md|\.gitignore|CACHEDIR\.TAG|v/cache/(nodeids|lastfailed|stepwise))"
CACHE_FILES = re.compile(rb"(.*/)?(%b|%b)" % (BYTECODE, PYTEST), re.DOTALL)
CACHE_FOLDERS = re.compile(rb"(.*/)?(__pycache__|\.pytest_cache(/v(/cache)?)?)", re.DOTALL)


def in_version_control(path: bytes) -> bool:
    """By name, in any case: some file systems do not tell .GIT from .git."""
    return not VERSION_CONTROL.isdisjoint(path.lower().split(b"/"))


def is_build_output(path: bytes) -> bool:
    return path == BUILD_OUTPUT or path.startswith(BUILD_OUTPUT + b"/")


def is_cache(path: bytes, kind: str) -> bool:
    """A cache that Python or pytest made: no edit, and never taken along (G04). kind: as a seal says it."""
    named = {"file": CACHE_FILES, "folder": CACHE_FOLDERS}.get(kind)
    return named is not None and named.fullmatch(path) is not None


class Editable:
    """`path in editable`, as git reads patterns; a path is matched in its escaped form, for any bytes."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._spec = GitIgnoreSpec.from_lines(patterns)
        # What a pattern says before its first wildcard: "src/**" is below "src".
        self._stems = tuple(re.split(r"[*?\\[]", pattern.lstrip("/"), maxsplit=1)[0] for pattern in patterns)

    def __contains__(self, path: bytes) -> bool:
        if in_version_control(path) or is_build_output(path):
            return False
        return self._spec.match_file(escape(path))

    def reaches(self, path: bytes) -> bool:
        """Whether it is editable or a folder on the way: a link there would lead editable files away."""
        return path in self or any(stem.startswith(f"{escape(path)}/") for stem in self._stems)


def find(root: Path, patterns: Sequence[str], limits: Limits) -> Iterator[Found]:
    """Everything but folders that a pattern names; its file is open until the next is asked for.

    Patterns are paths from root with * ? [] within one name and ** for any folders. Raises Over at a bound.
    """
    wanted = [pattern.encode().split(b"/") for pattern in patterns]

    def enter(folder: bytes) -> bool:
        return any(_may_hold(folder.split(b"/"), pattern) for pattern in wanted)

    for found in walk(root, limits, enter):
        if found.kind != "folder" and any(_fits(found.path.split(b"/"), pattern) for pattern in wanted):
            yield found


def _fits(path: Sequence[bytes], pattern: Sequence[bytes]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == b"**":
        return _fits(path, pattern[1:]) or (bool(path) and _fits(path[1:], pattern))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _fits(path[1:], pattern[1:])


def _may_hold(folder: Sequence[bytes], pattern: Sequence[bytes]) -> bool:
    """Whether something below the folder can fit."""
    if not folder or not pattern:
        return bool(pattern)
    return pattern[0] == b"**" or (fnmatchcase(folder[0], pattern[0]) and _may_hold(folder[1:], pattern[1:]))
