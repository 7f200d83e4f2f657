"""Walk, name and remove folders that an agent may have written.

Walks by folder descriptors, never by path, and believes only what is open: a link is looked at and never
followed, a FIFO or device is never opened, names are bytes, and everything is bounded. It never changes what
it walks and never decides what a find means. Whatever it meets there is the agent's doing, hence data; it
raises only OSError for the root folder itself and Over when a bound is reached.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from kit.removal import remove as remove

Kind = Literal["file", "folder", "link", "fifo", "socket", "device", "unreadable"]

# O_NONBLOCK: opening a FIFO that took a file's place between look and open must not hang.
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
CHUNK = 1 << 18
TOO_DEEP = "too deep to look into"


class Over(Exception):
    """A bound was reached: the walk ends here. Its text names the bound."""


@dataclass(frozen=True)
class Limits:
    """Far above any honest project, far below what hurts.

    Folders below `depth`, or with a path beyond `path`, are named, not entered: what is kept can be reached
    by its path below any folder of ours.
    """

    entries: int = 50_000
    bytes: int = 256 << 20
    file: int = 32 << 20
    depth: int = 64
    path: int = 2_048  # bytes, from the root of the walk
    seconds: float = 60.0


@dataclass(frozen=True)
class Found:
    """One entry; `fd` is open for what could be opened, until the next entry is asked for."""

    path: bytes  # from the root of the walk
    kind: Kind
    status: os.stat_result
    fd: int | None = None
    target: bytes | None = None  # of a link
    note: str | None = None  # why it could not be read or entered

    @property
    def mode(self) -> str:
        return f"{stat.S_IMODE(self.status.st_mode):04o}"

    def chunks(self) -> Iterator[bytes]:
        """The bytes of a file; the open descriptor's own, whatever its name stands for by now."""
        while self.fd is not None and (chunk := os.read(self.fd, CHUNK)):
            yield chunk


@dataclass
class _Spent:
    limits: Limits
    entries: int = 0
    started: float = field(default_factory=time.monotonic)

    def one(self) -> None:
        self.entries += 1
        if self.entries > self.limits.entries:
            raise Over(f"more than {self.limits.entries} entries")
        if time.monotonic() - self.started > self.limits.seconds:
            raise Over(f"more than {self.limits.seconds:g} seconds")


def walk(
    root: Path, limits: Limits | None = None, enter: Callable[[bytes], bool] = lambda _: True
) -> Iterator[Found]:
    """Every entry below root, each folder before what it holds, in the order of names.

    `enter` says which folders are looked into; one that is not is still an entry itself.
    """
    spent = _Spent(limits or Limits())
    fd = os.open(root, FLAGS | os.O_DIRECTORY)
    try:
        yield from _inside(fd, b"", 1, os.fstat(fd).st_dev, spent, enter)
    finally:
        os.close(fd)


def _inside(
    folder: int, path: bytes, depth: int, device: int, spent: _Spent, enter: Callable[[bytes], bool]
) -> Iterator[Found]:
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            spent.one()
            names.append(os.fsencode(entry.name))
    for name in sorted(names):
        found = _look(folder, name, path + name, device)
        if found is None:
            continue
        try:
            too_deep = found.kind == "folder" and (
                depth > spent.limits.depth or len(found.path) > spent.limits.path
            )
            yield replace(found, fd=None, note=TOO_DEEP) if too_deep else found
            if found.kind == "folder" and found.fd is not None and not too_deep and enter(found.path):
                yield from _inside(found.fd, found.path + b"/", depth + 1, device, spent, enter)
        finally:
            if found.fd is not None:
                os.close(found.fd)


def _look(folder: int, name: bytes, path: bytes, device: int) -> Found | None:
    """One name; None when it is gone by now. Special files are never opened: opening alone can do things."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    kind = _kind(status)
    try:
        if kind == "link":
            return Found(path, kind, status, target=os.readlink(name, dir_fd=folder))
        if kind not in ("file", "folder"):
            return Found(path, kind, status)
        fd = os.open(name, FLAGS | (os.O_DIRECTORY if kind == "folder" else 0), dir_fd=folder)
    except OSError as error:
        return Found(path, "unreadable", status, note=errno.errorcode.get(error.errno or 0, str(error)))
    opened = os.fstat(fd)
    if _kind(opened) == kind and opened.st_dev == device:
        return Found(path, kind, opened, fd=fd)
    os.close(fd)
    why = "changed while it was looked at" if opened.st_dev == device else "on another file system"
    return Found(path, "unreadable", status, note=why)


def _kind(status: os.stat_result) -> Kind:
    kinds: dict[int, Kind] = {
        stat.S_IFREG: "file",
        stat.S_IFDIR: "folder",
        stat.S_IFLNK: "link",
        stat.S_IFIFO: "fifo",
        stat.S_IFSOCK: "socket",
    }
    return kinds.get(stat.S_IFMT(status.st_mode), "device")


def escape(name: bytes) -> str:
    """Any file name as printable text, reversibly: what is no UTF-8 or not printable becomes \\xNN."""

    def shown(character: str) -> str:
        if character == "\\":
            return "\\\\"
        if character.isprintable():
            return character
        return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))

    return "".join(map(shown, name.decode("utf-8", "surrogateescape")))


def unescape(text: str) -> bytes:
    def byte(match: re.Match[bytes]) -> bytes:
        return b"\\" if match[0] == b"\\\\" else bytes([int(match[1], 16)])

    return re.sub(rb"\\\\|\\x([0-9a-f]{2})", byte, text.encode())
