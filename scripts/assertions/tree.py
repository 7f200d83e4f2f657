"""files_unchanged, tree_unchanged, changed_paths_within: which entries differ, in bytes, modes, types, links.

Nothing is left out but what cargo, Python and Symposium made (assertions.ours): empty folders, other caches,
folders of packages and link targets all count. It opens nothing: the seal has the hashes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from assertions import State
from graders import Bench, Verdict
from kit.documents import Document
from kit.globs import Editable
from kit.trees import unescape

COMPARED = ("type", "mode", "size", "sha256", "target", "note")
SHOWN = 5


def judge(said: Document, state: State, bench: Bench) -> tuple[Verdict, str, bytes]:
    changes = dict(changed(state))
    match said["type"]:
        case "files_unchanged":
            kept = {*map(os.fsencode, said["paths"])}
            wrong = {path: why for path, why in changes.items() if unescape(path) in kept}
        case "changed_paths_within":
            within = Editable(said["paths"])
            wrong = {
                p: why for p, why in changes.items() if unescape(p) not in within and not on_the_way(p, state)
            }
        case _:
            wrong = changes
    listed = [f"{path}: {why}" for path, why in sorted(wrong.items())]
    more = f"; and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    if wrong:
        return "fail", "; ".join(listed[:SHOWN]) + more, "\n".join(listed).encode()
    return "pass", f"{len(state.before)} entries compared", b""


def changed(state: State) -> Iterator[tuple[str, str]]:
    """Each path that differs, and how."""
    for path in sorted({*state.before, *state.after}):
        before, after = state.before.get(path), state.after.get(path)
        if before is None:
            yield path, f"{after['type'] if after else ''} added"
        elif after is None:
            yield path, "deleted"
        elif wrong := [key for key in COMPARED if before[key] != after[key] and not _of_folder(before, key)]:
            values = ", ".join(f"{key} {before[key]} -> {after[key]}" for key in wrong if key != "sha256")
            yield path, values or "other bytes"


def _of_folder(entry: Document, key: str) -> bool:
    """The size of a folder is the file system's."""
    return bool(entry["type"] == "folder" and key == "size")


def on_the_way(path: str, state: State) -> bool:
    """A new folder that only leads to something: that is judged itself."""
    entry = state.after.get(path)
    leads = any(other.startswith(f"{path}/") for other in state.after)
    return entry is not None and entry["type"] == "folder" and path not in state.before and leads
