"""no_new_skips: no file holds more marks that switch a test off than it did in the starter.

By parser: Python's own, tree-sitter's for Rust, JavaScript, TypeScript, Go and Java. A mark in a comment or
a string is none. A test that stood there unmarked must not bear one that another has lost. A file that was
moved is compared with what it was; any other new file of these languages counts from zero; one that cannot
be read as its language is a failure of the submission. A scan finds what is spelled out; that every expected
test has run is what the graders count, not this.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assertions import State
from graders import Bench, Verdict
from kit import skip_marks
from kit.documents import Document
from kit.skip_marks import Mark
from kit.trees import unescape

MOST_BYTES = 4 << 20
MOVED = 0.5  # of a new file's lines: so many stand in the one that is gone


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
        new = bytes_of(state.tree, path)
        kept = before is not None and before["type"] == "file"
        was = bytes_of(state.starter, path) if kept else moved(new, path, state)
        old = skip_marks.found(path, was)
        try:
            marks = skip_marks.found(path, new)
        except skip_marks.NotUnderstood as problem:
            wrong.append(f"{path}: {problem}")
            continue
        if added := next(news(old, marks, was), None):
            wrong.append(f"{path}: {len(marks)} marks that skip a test, {len(old)} in the starter: {added}")
    if wrong:
        return "fail", "; ".join(wrong[:5]), "\n".join(wrong).encode()
    return "pass", f"{looked} changed source files hold no new mark", b""


def bytes_of(folder: Path, path: str) -> bytes:
    return (folder / unescape(path).decode("utf-8", "surrogateescape")).read_bytes()


def moved(new: bytes, path: str, state: State) -> bytes:
    """What a new file was in the starter, when it is one that is gone from there; else nothing."""
    gone = (
        other
        for other, entry in state.before.items()
        if other not in state.after
        and entry["type"] == "file"
        and skip_marks.suffix(other) == skip_marks.suffix(path)
    )
    shared = {old: alike(new, old) for old in (bytes_of(state.starter, other) for other in gone)}
    best = max(shared, key=shared.__getitem__, default=b"")
    return best if shared.get(best, 0) >= MOVED else b""


def alike(new: bytes, old: bytes) -> float:
    """The share of the new one's lines that stand in the old one."""
    lines, known = Counter(new.splitlines()), Counter(old.splitlines())
    return (lines & known).total() / max(1, lines.total())


def news(old: list[Mark], new: list[Mark], was: bytes) -> Iterator[Mark]:
    """The marks that are new, first those of tests that were there and had fewer."""
    had, has = Counter(mark.owner for mark in old), Counter(mark.owner for mark in new)
    for mark in new:
        there = re.search(rb"(?<!\w)" + re.escape(mark.owner.encode()) + rb"(?!\w)", was)
        if mark.owner and there and has[mark.owner] > had[mark.owner]:
            yield mark
    if len(new) > len(old):
        known = Counter(mark.said.partition(": ")[2] for mark in old)
        for mark in new:
            said = mark.said.partition(": ")[2]
            known[said] -= 1
            if known[said] < 0:
                yield mark
