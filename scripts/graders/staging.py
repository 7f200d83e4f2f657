"""The tools of a grading that belongs to no running batch: regrading, and the tasks' own checks.

A batch's own srt and node are taken from the store where they still are, else those that are installed today.
It installs nothing, and removes what it staged. Its failures are the machine's (Stop).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import stage
from kit import reach, removal, store, tools, versions
from kit.documents import Document


@contextlib.contextmanager
def staged(root: Path, recorded: Mapping[str, Any] | None = None) -> Iterator[tuple[Document, Path]]:
    """The parts of stage/1 that a grading needs, and a folder below the eval root to grade in."""
    reach.open_for_trials(root)
    place = reach.folder(root / f"check-{secrets.token_hex(4)}")
    try:
        common = reach.folder(place / "tools/common")
        with tempfile.TemporaryDirectory(prefix=".home-", dir=common.parent) as home:
            if as_root := os.geteuid() == 0:
                os.chown(home, versions.NOBODY, versions.NOBODY)
            bench = stage.Bench(tools.find(), store.Store(root / "store"), common.parent, Path(home), as_root)
            found: Document = {"toolchain": stage.toolchain(bench, root), "launcher": stage.launcher(bench)}
            for name, today in (("srt", stage.srt), ("node", stage.node)):
                found[name] = _kept(bench, name, (recorded or {}).get(name)) or today(bench)
        yield found, place
    finally:
        removal.remove(place)


def _kept(bench: stage.Bench, name: str, recorded: Document | None) -> Document | None:
    if recorded is None or not bench.store.content(recorded["sha256"]).exists():
        return None
    return {**recorded, "path": str(bench.store.link(recorded["sha256"], bench.common / name))}
