"""Seal a project: every entry with type, mode, size and hash; and copy what may be copied.

A copy holds regular files and folders only, with fixed modes. Links and special files are recorded and never
made. Nothing is left out of a seal except what build output holds, which is named with its size. Several
names of one file (hard links) become files of their own: inside a sandbox only a file's owner can link it,
and what that owner can read is no secret; a file with another owner is recorded and not copied. What is wrong
in the tree is data; an error while writing the copy is the machine's and is raised.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kit.documents import Document
from kit.globs import BUILD_OUTPUT, in_version_control, is_build_output
from kit.trees import FLAGS, TOO_DEEP, Found, Limits, Over, escape, walk

CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Occupied(Exception):
    """Something else is where a file or folder must go. Its text is the path."""


@dataclass
class Sealed:
    """A folder's entries as in seal/1, the bytes of its files, and the bound that ended the walk."""

    entries: list[Document] = field(default_factory=list)
    bytes: int = 0
    cap: str | None = None

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(self.entries, sort_keys=True).encode()).hexdigest()


class Destination:
    """A folder that is written by descriptors from its root, so that nothing lands outside it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir(parents=True, exist_ok=True)

    def folder(self, path: bytes) -> int:
        """Make the folder and those above it; its descriptor, which the caller closes."""
        fd = os.open(self._root, FLAGS | os.O_DIRECTORY)
        for name in path.split(b"/") if path else ():
            try:
                inner = _enter(fd, name)
            except OSError as error:
                if error.errno in (errno.ENOTDIR, errno.ELOOP):
                    raise Occupied(escape(path)) from error
                raise
            finally:
                os.close(fd)
            fd = inner
        return fd

    def file(self, path: bytes, *, executable: bool) -> int:
        """A new file, open for writing; the caller closes it."""
        above, _, name = path.rpartition(b"/")
        folder = self.folder(above)
        try:
            fd = os.open(_one(name), CREATE, 0o600, dir_fd=folder)
        except FileExistsError as error:
            raise Occupied(escape(path)) from error
        finally:
            os.close(folder)
        os.fchmod(fd, 0o755 if executable else 0o644)
        return fd


def _one(name: bytes) -> bytes:
    if name in (b"", b".", b".."):
        raise ValueError(f"{name!r} is no file name")
    return name


def _enter(folder: int, name: bytes) -> int:
    try:
        os.mkdir(_one(name), 0o700, dir_fd=folder)
    except FileExistsError:
        return os.open(name, FLAGS | os.O_DIRECTORY, dir_fd=folder)
    fd = os.open(name, FLAGS | os.O_DIRECTORY, dir_fd=folder)
    os.fchmod(fd, 0o755)
    return fd


def seal(
    source: Path, into: Path | None = None, *, owner: int | None = None, limits: Limits | None = None
) -> Sealed:
    """Seal `source`, copying `into` a new folder what belongs to `owner` (None: to anybody)."""
    sealed, limits = Sealed(), limits or Limits()
    copy = Destination(into) if into else None
    try:
        for found in walk(source, limits, lambda path: not is_build_output(path)):
            if found.kind == "folder" and found.path == BUILD_OUTPUT:
                size = size_of(source / "target", limits)
                sealed.entries.append(_entry(found, size=size, note="build output; not kept"))
            else:
                sealed.entries.append(_sealed(found, copy, owner, limits, sealed))
    except Over as over:
        sealed.cap = str(over)
    deep = any(entry["type"] == "folder" and entry["note"] == TOO_DEEP for entry in sealed.entries)
    sealed.cap = sealed.cap or (TOO_DEEP if deep else None)
    return sealed


def _sealed(
    found: Found, copy: Destination | None, owner: int | None, limits: Limits, sealed: Sealed
) -> Document:
    if found.kind == "folder" and found.note is None:
        if copy:
            os.close(copy.folder(found.path))
        return _entry(found)
    if found.kind != "file":
        return _entry(found)
    if owner is not None and found.status.st_uid != owner:
        return _entry(found, note=f"owned by uid {found.status.st_uid}; not copied")
    if found.status.st_size > limits.file:
        return _entry(found, note=f"larger than {limits.file} bytes; not copied")
    if sealed.bytes + found.status.st_size > limits.bytes:
        raise Over(f"more than {limits.bytes} bytes")
    size, digest = _read(found, copy)
    sealed.bytes += size
    return _entry(found, size=size, sha256=digest)


def _read(found: Found, copy: Destination | None) -> tuple[int, str]:
    """Hash the open file, and write what was hashed."""
    size, digest = 0, hashlib.sha256()
    out = copy.file(found.path, executable=bool(found.status.st_mode & 0o100)) if copy else None
    try:
        for chunk in found.chunks():
            size += len(chunk)
            digest.update(chunk)
            if out is not None:
                _write(out, chunk)
    finally:
        if out is not None:
            os.close(out)
    return size, digest.hexdigest()


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _entry(
    found: Found, *, size: int | None = None, sha256: str | None = None, note: str | None = None
) -> Document:
    return {
        "path": escape(found.path),
        "type": found.kind,
        "mode": found.mode,
        "size": found.status.st_size if size is None and found.kind == "file" else size,
        "sha256": sha256,
        "target": None if found.target is None else escape(found.target),
        "note": note or found.note,
    }


def size_of(folder: Path, limits: Limits) -> int:
    """The bytes of a folder's files, at least: as far as the bounds let us look."""
    total = 0
    try:
        for found in walk(folder, limits):
            total += found.status.st_size if found.kind == "file" else 0
    except (Over, OSError):
        pass
    return total


def place(
    source: Path, into: Path, wanted: Callable[[bytes], bool], limits: Limits | None = None
) -> list[tuple[str, str]]:
    """Copy the wanted files and folders into `into`, which may hold others; what was refused, and why.

    Version-control folders and build output are never placed. Occupied is raised where something else is.
    """
    refused, copy, limits = [], Destination(into), limits or Limits()
    for found in walk(source, limits, lambda path: not (in_version_control(path) or is_build_output(path))):
        if in_version_control(found.path) or is_build_output(found.path) or not wanted(found.path):
            continue
        if found.kind == "folder":
            os.close(copy.folder(found.path))
        elif found.kind != "file" or found.status.st_size > limits.file:
            refused.append((escape(found.path), f"a {found.kind}" if found.kind != "file" else "too large"))
        else:
            _read(found, copy)
    return refused
