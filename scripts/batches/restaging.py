"""Put a batch's own tools back for the trials that are left: from the store, by their hashes.

All trials of a batch have the same tools, so whatever is no longer the same ends the resuming: another
client, srt, Node, cargo-agents, toolchain, or one of the system's own programs. The bytes are hashed again,
since the batch may have been cut by a power failure. Another kernel is only said.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import stage as staging
from kit import staged, tasks, tools, versions
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.reach import folder, open_for_trials
from kit.store import Store, discard, look, together

ANEW = "a rerun is a new batch"


def again(plan: Document, stage: Document, say: Callable[[str], None]) -> None:
    """Raises Stop(UNAVAILABLE), naming all that is not as it was."""
    root, place = Path(plan["paths"]["eval_root"]), Path(plan["paths"]["work"]) / "tools"
    store = Store(root / "store")
    open_for_trials(root)
    wrong = [*lost(store, stage), *different(root, place, stage, say)]
    if wrong:
        raise Stop(Exit.UNAVAILABLE, f"{'; '.join(wrong)}; {ANEW}")
    discard(place)
    for _, tool in staged.kept(stage):
        own = place.joinpath(*Path(tool["path"]).relative_to(place).parts[:2])  # common/claude, launcher
        store.link(tool["sha256"], folder(own.parent) / own.name)


def lost(store: Store, stage: Document) -> Iterator[str]:
    for name, tool in staged.kept(stage):
        if digest(store, tool["sha256"]) != tool["sha256"]:
            yield f"{store.content(tool['sha256'])}: not the {name} {tool['version']} of this batch any more"


def digest(store: Store, sha256: str) -> str | None:
    """The hash that these bytes have now; None: they are gone."""
    content = store.content(sha256)
    if not content.exists():
        return None
    _, files = look(content, {})
    sums = []
    for file in files:
        with file.source.open("rb") as opened:
            sums.append(hashlib.file_digest(opened, "sha256").hexdigest())
    return together(files, sums) if files[0].name else sums[0]


def different(root: Path, place: Path, stage: Document, say: Callable[[str], None]) -> Iterator[str]:
    """What is not staged but the machine's own, asked again."""
    with tempfile.TemporaryDirectory(prefix="agent-eval-") as home:
        bench = staging.Bench(tools.find(), Store(root / "store"), place, Path(home), os.geteuid() == 0)
        now = {"toolchain": staging.toolchain(bench, root), "packages": staging.packages(bench)}
    for group, found in now.items():
        for name, said in found.items():
            if (before := stage[group].get(name)) != said:
                yield f"{name}: is {said}, and was {before}"
    if stage["os"] != (system := versions.system()):
        say(f"the system is another than when the batch began: {system}, and was {stage['os']}")


def same_task(plan: Document, hashes: set[str]) -> None:
    """Raises Stop when the task is not the one that finished trials were given."""
    task = tasks.load(Path(plan["paths"]["evals"]), plan["task"])
    if hashes - {task.content_hash}:
        raise Stop(Exit.UNAVAILABLE, f"{task.folder}: changed since the batch's earlier trials; {ANEW}")
