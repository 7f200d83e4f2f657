"""Hashes of a run's configuration files, so that what changed during the session can be named.

prepare takes one after init, collect another after the session. It never follows a link and never fails on
what an agent left: a link, a special file or a file too large gets a hash of what it is, so that the change
shows.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from kit.globs import find
from kit.trees import Found, Limits, Over, escape

LIMITS = Limits(entries=20_000, file=8 << 20, depth=16, seconds=20.0)


def take(run: Path, patterns: Sequence[str]) -> dict[str, str]:
    """Path from the run to sha256, for every file that a pattern names (as kit.globs.find reads them).

    The run's own path in a file's bytes reads <run>. When a bound is reached an entry says so, which no other
    snapshot has.
    """
    found: dict[str, str] = {}
    try:
        for entry in find(run, patterns, LIMITS):
            found[escape(entry.path)] = _hash(entry, os.fsencode(run))
    except Over as over:
        found[f"<stopped: {over}>"] = hashlib.sha256(str(over).encode()).hexdigest()
    return found


def _hash(entry: Found, run: bytes) -> str:
    if entry.kind != "file" or entry.status.st_size > LIMITS.file:
        said = f"{entry.kind} {entry.status.st_size} {entry.note}".encode() + b" " + (entry.target or b"")
        return hashlib.sha256(b"<not read> " + said).hexdigest()
    return hashlib.sha256(b"".join(entry.chunks()).replace(run, b"<run>")).hexdigest()
