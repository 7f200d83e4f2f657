"""What a task asserts about the end state ([[assert]] in task.toml), judged over the seal (D01-D03).

An assertion sees the sealed project, the starter and nothing else: no transcript, no run, no clock. The seal
holds every entry (type, mode, link target, bytes), so nothing is compared that was not sealed. What the agent
did is data; an assertion that cannot be judged is Infrastructure.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from graders import Bench, Infrastructure, Judged, Verdict, Work
from graders.sandbox import open_folder
from kit import seal
from kit.documents import Document
from kit.globs import is_cache
from kit.tasks import Task
from kit.trees import unescape

# Each kind of assertion (kit/asserted.py) and the module that judges it.
KINDS: Mapping[str, str] = {
    "files_unchanged": "tree",
    "tree_unchanged": "tree",
    "changed_paths_within": "tree",
    "no_new_skips": "skips",
    "command": "command",
    "function": "function",
}


@dataclass(frozen=True)
class Left:
    """The project as the agent left it."""

    tree: Path  # its regular files
    sealed: Sequence[Document] | None  # seal/1's entries; None: the tree itself is all there is
    symposiums: tuple[str, ...] = ()  # folders that Symposium installed and marked: no edits (G04)


@dataclass(frozen=True)
class State:
    """Start and end, in the same words: path to its entry in a seal."""

    before: Mapping[str, Document]
    after: Mapping[str, Document]
    starter: Path  # the starter as a trial is given it
    tree: Path  # the submission's regular files
    work: Work
    task: Task


class Assertion(Protocol):
    """A module of assertions has this name. False is the submission's; the text is for a person."""

    def judge(self, said: Document, state: State, bench: Bench) -> tuple[Verdict, str, bytes]: ...


def judge(task: Task, left: Left, work: Work, bench: Bench) -> Iterator[Judged]:
    state = compared(task, left, work)
    for said in work.task["assert"]:
        started = time.monotonic()
        module = cast(Assertion, importlib.import_module(f"assertions.{KINDS[said['type']]}"))
        verdict, detail, output = module.judge(said, state, bench)
        yield Judged(f"assert.{said['name']}", verdict, detail, time.monotonic() - started, output)


def compared(task: Task, left: Left, work: Work) -> State:
    """The starter as prepare makes it (fixed modes, no empty folders) beside what was sealed."""
    starter = open_folder(work.scratch / "as-given")
    if refused := seal.place(task.starter, starter, lambda _: True):
        raise Infrastructure(f"{task.starter}: {refused[0][0]} is {refused[0][1]}; a task holds files only")
    before = {entry["path"]: entry for entry in seal.seal(starter).entries}
    full = {above for path in before if before[path]["type"] != "folder" for above in above_of(path)}
    entries = seal.seal(left.tree).entries if left.sealed is None else left.sealed
    return State(
        {path: e for path, e in before.items() if (e["type"] != "folder" or path in full) and not cache(e)},
        {e["path"]: e for e in entries if not ours(e, left, before, cargo=work.task["grader"] == "cargo")},
        starter,
        left.tree,
        work,
        task,
    )


def above_of(path: str) -> Iterator[str]:
    parts = path.split("/")
    yield from ("/".join(parts[:end]) for end in range(1, len(parts)))


def cache(entry: Document) -> bool:
    return is_cache(unescape(entry["path"]), entry["type"])


def ours(entry: Document, left: Left, before: Mapping[str, Document], *, cargo: bool) -> bool:
    """Whether it is cargo's, Python's or Symposium's and so no edit of the agent's (G04)."""
    path = entry["path"]
    if cache(entry):
        return True
    if any(
        (path + "/").startswith(folder + "/") or folder.startswith(path + "/") for folder in left.symposiums
    ):
        return entry["type"] == "folder" or any(path.startswith(f"{folder}/") for folder in left.symposiums)
    built = path == "target" and entry["type"] == "folder"
    return cargo and (built or (path == "Cargo.lock" and path not in before))
