"""no_new_skips: no file holds more marks that switch a test off than it did in the starter.

By parser: Python's own, tree-sitter's for Rust, JavaScript, TypeScript, Go and Java. A mark in a comment or
a string is none. A new file of these languages counts from zero; one that cannot be read as its language is a
failure of the submission. A scan finds what is spelled out; that every expected test has run is what the
graders count, not this.
"""

from __future__ import annotations

from pathlib import Path

from assertions import State
from graders import Bench, Verdict
from kit import skip_marks
from kit.documents import Document
from kit.trees import unescape

MOST_BYTES = 4 << 20


def judge(said: Document, state: State, bench: Bench) -> tuple[Verdict, str, bytes]:
    wrong, looked = [], 0
    for path, entry in sorted(state.after.items()):
        before = state.before.get(path)
        if not skip_marks.knows(path) or (before and before["sha256"] == entry["sha256"]):
            continue
        if entry["type"] != "file" or entry["note"] or (entry["size"] or 0) > MOST_BYTES:
            wrong.append(f"{path}: a {entry['type']} that cannot be looked into")
            continue
        looked += 1
        old = _marks(state.starter, path) if before and before["type"] == "file" else []
        try:
            new = _marks(state.tree, path)
        except skip_marks.NotUnderstood as problem:
            wrong.append(f"{path}: {problem}")
            continue
        if len(new) > len(old):
            added = list(new)
            for mark in old:
                if mark in added:
                    added.remove(mark)
            wrong.append(f"{path}: {len(new)} marks that skip a test, {len(old)} in the starter: {added[0]}")
    if wrong:
        return "fail", "; ".join(wrong[:5]), "\n".join(wrong).encode()
    return "pass", f"{looked} changed source files hold no new mark", b""


def _marks(folder: Path, path: str) -> list[str]:
    return skip_marks.found(path, (folder / unescape(path).decode("utf-8", "surrogateescape")).read_bytes())
