"""srt's settings for one box: what it may read, write and reach.

srt drops unknown keys and skips paths that it cannot bind, without a word, so check() refuses both. A refusal
is the runner's to repair (or our bug), never the agent's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import gateway
from kit import documents
from kit.contract import Exit, Stop
from kit.documents import Document
from rungs import Box

SYSTEM = {  # what programs need; macOS's was only generated, never run
    "linux": ("/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64"),
    "darwin": ("/usr", "/private/etc", "/bin", "/sbin", "/System", "/Library"),
}
PEOPLE = {  # where people keep things, temporary ones too
    "linux": ("/home", "/root", "/mnt", "/media", "/tmp", "/var/tmp"),
    "darwin": ("/Users", "/Volumes"),
}
SHARED_TMP = Path("/tmp/claude")  # srt makes it writable wherever it exists: a channel between trials


def policy(box: Box, stage: Document) -> Document:
    """What srt.json holds; never the run folder as a whole (its writable folders would turn read-only)."""
    own = (Path(stage["srt"]["path"]), box.run.srt_tmp)  # without them srt's own helpers do not start
    system = of_system() if box.reads == "allow-list" else ()
    host = f"{gateway.HOST}:80"
    network: Document = {"allowedDomains": [], "deniedDomains": [], "strictAllowlist": True}
    if box.network and box.host:  # the seed's form: the client talks to the model itself
        network["allowedDomains"] = [box.host]
    elif box.network:
        network["allowedDomains"] = [host]
        network["mitmProxy"] = {"socketPath": str(box.run.socket), "domains": [gateway.HOST]}
    return {
        "filesystem": {
            "denyRead": strings(closed(box)),
            "allowRead": strings([*map(Path, system), *box.readable, *own]),
            "allowWrite": strings(box.writable),
            "denyWrite": strings([SHARED_TMP] if SHARED_TMP.exists() else []),  # denyRead does not help there
        },
        "network": network,
    }


def of_system() -> tuple[str, ...]:
    return SYSTEM.get(sys.platform, ())


def closed(box: Box) -> list[Path]:
    if box.reads == "allow-list":
        return [Path("/")]
    people = {Path(name).resolve() for name in PEOPLE.get(sys.platform, ()) if Path(name).is_dir()}
    people |= {Path.home().resolve()} - {Path("/")}  # wherever the developer's own is
    return [*sorted(people), *box.denied, box.run.control.parent]


def strings(paths: Sequence[Path]) -> list[str]:
    """Each once, and of the system's own folders only those that exist here."""
    return list(dict.fromkeys(str(path) for path in paths if str(path) not in of_system() or path.exists()))


def check(settings: Document, where: Path) -> None:
    """Refuse what srt would take and then not do."""
    try:
        documents.check(settings, "policy/1", where)
    except documents.Invalid as error:
        raise Stop(Exit.BUG, f"{error}; srt would ignore or misread it") from error
    if wrong := next(faults(settings["filesystem"]), None):
        raise Stop(Exit.UNAVAILABLE, f"{where}: {wrong}")


def faults(files: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name in ("denyRead", "allowRead", "allowWrite", "denyWrite"):
        for path in files[name]:
            if not os.path.lexists(path):
                yield f"{name} {path}: does not exist, and srt would skip it; make it first"
            elif os.path.realpath(path) != path and path not in of_system():
                yield f"{name} {path}: is {os.path.realpath(path)}, and srt would skip it; name that"
    for read in map(Path, files["allowRead"]):
        for write in map(Path, files["allowWrite"]):
            if read == write or read in write.parents:
                yield f"allowRead {read}: holds allowWrite {write}, making it read-only; name other parts"
