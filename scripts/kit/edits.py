"""What the agent changed: the seal of its project against the seal of the starter.

Functions of seals alone. What is cargo's (target/, a lock file that the starter had not), Python's (caches)
or Symposium's (its marked skill folders) is no edit. An empty folder is an edit, a history that the agent
began is one, not thousands; of a mode only whether a file may be run counts, since all else depends on how
it was made.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from kit.documents import Document
from kit.globs import VERSION_CONTROL, Editable, is_build_output, is_cache
from kit.trees import TOO_DEEP, unescape

MARKER = ".symposium"
SYMPOSIUMS_OWN = (MARKER, ".gitignore")  # in each skill folder it installs
LOCK = "Cargo.lock"

Content = tuple[object, ...]


def compare(
    starter: Iterable[Document], left: Iterable[Document], skills: str, editable: Editable, *, put: bool
) -> tuple[Document, list[str]]:
    """The edits under `editable`, and every changed path outside it.

    skills: the folder of the client's. put: the setup puts marked skills there; else a marker is the agent's.
    """
    left = list(left)
    found = installed(left, skills) if put else {}
    marked = {f"{skills}/{name}" for name, skill in found.items() if skill["marker"]}
    before, after = contents(starter, skills), contents(left, skills, marked)
    if LOCK not in before:
        after.pop(LOCK, None)
    changes = {
        "added": after.keys() - before.keys(),
        "modified": {path for path in after.keys() & before.keys() if after[path] != before[path]},
        "deleted": before.keys() - after.keys(),
    }
    inside = {
        how: sorted(path for path in paths if _bytes(path) in editable) for how, paths in changes.items()
    }
    outside = {path for paths in changes.values() for path in paths if _bytes(path) not in editable}
    return inside, sorted(outside)


def _bytes(path: str) -> bytes:
    return unescape(path.rstrip("/"))


def contents(entries: Iterable[Document], skills: str, skip: Iterable[str] = ()) -> dict[str, Content]:
    """What there is to compare: path (folders end in "/") to what it holds."""
    found: dict[str, Content] = {}
    entries = [entry for entry in entries if not is_cache(unescape(entry["path"]), entry["type"])]
    full = {str(above) for entry in entries for above in PurePosixPath(entry["path"]).parents}
    full |= {skills, *map(str, PurePosixPath(skills).parents)}  # Symposium makes these, and leaves them empty
    left_out = tuple(f"{folder}/" for folder in skip)
    for entry in entries:
        path, is_folder = entry["path"], entry["type"] == "folder"
        if (path + "/").startswith(left_out) or (is_build_output(unescape(path)) and _is_output(entry)):
            continue
        if history := _history(path):
            found[history] = ("history",)
        elif not is_folder:
            runs = entry["type"] == "file" and bool(int(entry["mode"], 8) & 0o100)
            found[path] = (entry["type"], entry["sha256"], entry["size"], entry["target"], runs)
        elif path not in full:
            found[f"{path}/"] = ("folder",)
    return found


def _is_output(entry: Document) -> bool:
    """target/ is cargo's only as a folder; a file or link of that name is the agent's."""
    return entry["type"] == "folder" or "/" in entry["path"]


def _history(path: str) -> str | None:
    """The version-control folder that the path is or lies in."""
    names = path.split("/")
    at = next((i for i, name in enumerate(names) if name.lower().encode() in VERSION_CONTROL), None)
    return None if at is None else "/".join(names[: at + 1]) + "/"


def installed(entries: Iterable[Document], skills: str) -> dict[str, Document]:
    """The skill folders in a project, as in collected/1."""
    found: dict[str, Document] = {}
    for entry in entries:
        above, _, rest = entry["path"].partition(f"{skills}/")
        if above or not rest:
            continue
        name, _, inside = rest.partition("/")
        if not inside and entry["type"] == "folder":
            found[name] = {"marker": False, "files": {}}
        elif inside and name in found and entry["type"] == "file":
            if inside == MARKER:
                found[name]["marker"] = True
            if inside not in SYMPOSIUMS_OWN and entry["sha256"]:
                found[name]["files"][inside] = entry["sha256"]
    return found


def invalid(entries: Iterable[Document], cap: str | None, editable: Editable) -> list[Document]:
    """What makes a submission invalid: under `editable`, what is no file or folder or could not be copied.

    A folder too deep is judged by where it is; any other bound leaves open what was not looked at.
    """
    open_end = cap is not None and cap != TOO_DEEP
    found = [{"path": ".", "why": f"not all of it was looked at: {cap}"}] if open_end else []
    for entry in entries:
        odd = entry["type"] not in ("file", "folder")
        if (odd or entry["note"]) and editable.reaches(unescape(entry["path"])):
            why = [f"a {entry['type']}"] if odd else []
            found.append({"path": entry["path"], "why": ": ".join([*why, *filter(None, [entry["note"]])])})
    return found
