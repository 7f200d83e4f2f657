"""What Symposium left in a run's home: its records of a sync, its logs. Taken once, by collect.

The agent could write there as well, so all of it is read by descriptors within bounds, and whatever it holds
is data. It never judges (expect.py does).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kit import documents
from kit.documents import Document
from kit.globs import find
from kit.trees import Limits, Over, escape

STATES = "home/.symposium/cache/workspaces/*/state.json"
LOGS = "home/.symposium/logs/*"
STATE = Limits(file=1 << 20, depth=8, seconds=20.0)
LOG = Limits(file=64 << 20, depth=8, seconds=20.0)


def join_logs(run: Path, into: Path) -> bool:
    """Symposium's logs one after the other, in the order of their names: up to a bound in all."""
    left, draft = LOG.file, into.with_name(f".{into.name}.tmp")
    with draft.open("wb") as joined:
        try:
            for found in find(run, [LOGS], LOG):
                for chunk in found.chunks():
                    joined.write(chunk[:left])
                    left -= len(chunk[:left])
        except Over as over:
            joined.write(f"\n[cut here by agent-eval: {over}]\n".encode())
    if not draft.stat().st_size:
        draft.unlink()
        return False
    draft.replace(into)
    return True


def sync_records(run: Path, project: Path) -> Iterator[Document]:
    """Symposium's own records of a sync, whatever they hold by now."""
    try:
        for found in find(run, [STATES], STATE):
            if found.kind == "file" and found.status.st_size <= STATE.file:
                yield {"file": escape(found.path), **sync_record(b"".join(found.chunks()), project)}
    except Over:
        return  # a folder without end is no record


def sync_record(content: bytes, project: Path) -> Document:
    state = documents.foreign(content) or {}
    root, mtime = state.get("workspace-root"), state.get("last-sync-lock-mtime")
    root = root if isinstance(root, str) else ""
    return {"workspace_root": root, "for_project": _same(root, project), "mtime_is_int": type(mtime) is int}


def _same(root: str, project: Path) -> bool:
    try:
        return bool(root) and os.path.realpath(root) == os.path.realpath(project)
    except ValueError:  # a NUL or a lone surrogate names no folder
        return False
