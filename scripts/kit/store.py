"""The content store: each tool is copied once, under the sha256 of its bytes, and hard-linked into batches.

<eval-root>/store/<sha256>/content   the program or the folder: read-only files, never a link
<eval-root>/store/<sha256>/<word>    what was asked of it once (its version)
<eval-root>/store/known/<key>        which sha256 a place had, so that 250 MB are read only once

It never runs what it holds. A place is known again by the name, size, times, inode and device of every file;
an entry is looked through before it is used again, and one that a power cut left torn is made anew. Several
programs may use it at once. Its failures are the machine's (disk full, not writable) or a package's (a link
that leads out).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kit.contract import Exit, Stop
from kit.documents import write_text
from kit.reach import folder
from kit.removal import remove

CHUNK = 1 << 20
IDENTITY = ("st_dev", "st_ino", "st_mode", "st_size", "st_mtime_ns", "st_ctime_ns")
NO_HARD_LINK = {errno.EXDEV, errno.EMLINK, errno.EPERM, errno.EOPNOTSUPP}
STALE_SECS = 24 * 3600  # a copy that was begun so long ago is nobody's any more


class Stored(NamedTuple):
    sha256: str
    path: Path


class File(NamedTuple):
    """One regular file to copy: where it goes ("" when it is the whole), and where it is."""

    name: str
    source: Path
    status: os.stat_result

    @property
    def mode(self) -> int:
        return 0o555 if not self.name or self.status.st_mode & 0o111 else 0o444


@dataclass(frozen=True)
class Store:
    root: Path  # <eval-root>/store

    def put(self, source: Path, also: Mapping[str, Path] | None = None) -> Stored:
        """Keep a program, or a folder; `also` lays further folders into that one, by their places there."""
        key, files = look(source, also or {})
        with self.troubles():
            folder(self.root / "known")
            known = self.root / "known" / key
            sha = known.read_text("utf-8").strip() if known.exists() else None
            if sha is None or not self.whole(sha, files):
                sha = self.copy(files)
                now, same = look(source, also or {})
                if unlike(files, same):
                    raise Stop(Exit.UNAVAILABLE, f"{source}: changed while it was copied; try again")
                write_text(self.root / "known" / now, sha + "\n")
        return Stored(sha, self.content(sha))

    def made(self, key: str, make: Callable[[Path], None]) -> Stored:
        """Keep a program that `make` writes; with the same key it is not made again while its bytes stand."""
        known = self.root / "known" / key
        if known.exists() and (content := self.content(sha := known.read_text("utf-8").strip())).exists():
            if hashlib.sha256(content.read_bytes()).hexdigest() == sha:
                return Stored(sha, content)
            discard(content.parent)  # torn
        with self.troubles(), tempfile.TemporaryDirectory(prefix=".part-", dir=folder(self.root)) as place:
            make(Path(place, "made"))
            stored = self.put(Path(place, "made"))
            write_text(known, stored.sha256 + "\n")
        return stored

    def link(self, sha: str, where: Path) -> Path:
        """Put a kept program or folder there, whole or not at all; a copy where hard links do not reach."""
        with self.troubles():
            beside = where.with_name(f".{where.name}.{secrets.token_hex(4)}")
            content = self.content(sha)
            if content.is_dir():
                for at, _, names in os.walk(content):
                    there = folder(beside / Path(at).relative_to(content))
                    for name in names:
                        hard_link(Path(at, name), there / name)
            else:
                hard_link(content, beside)
            discard(where)
            beside.rename(where)
        return where

    def remember(self, sha: str, word: str, ask: Callable[[], str]) -> str:
        """What was asked of these bytes once is not asked again: they cannot change."""
        answer = self.root / sha / word
        if not answer.exists():
            write_text(answer, ask())
        return answer.read_text("utf-8")

    def content(self, sha: str) -> Path:
        return self.root / sha / "content"

    def whole(self, sha: str, files: Sequence[File]) -> bool:
        """Whether the entry is there and every file has its size."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            content = self.content(sha)
            return all((content / f.name).lstat().st_size == f.status.st_size for f in files)
        return False

    def copy(self, files: Sequence[File]) -> str:
        """Copy and hash in one reading, so that the hash is that of the copy; then one rename."""
        self.sweep()
        self.check_space(sum(file.status.st_size for file in files))
        draft = Path(tempfile.mkdtemp(prefix=".part-", dir=self.root))
        try:
            draft.chmod(0o755)
            content = draft / "content"
            sums = [copy(file, content / file.name if file.name else content) for file in files]
            sha = together(files, sums) if files[0].name else sums[0]
            with contextlib.suppress(OSError):  # it is there already, or another program was first
                draft.rename(self.root / sha)
            if not self.whole(sha, files):  # but torn
                discard(self.root / sha)
                draft.rename(self.root / sha)
        finally:
            discard(draft)
        return sha

    def sweep(self) -> None:
        for left in self.root.glob(".part-*"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > STALE_SECS:
                    discard(left)

    def check_space(self, needed: int) -> None:
        if (free := shutil.disk_usage(self.root).free) < needed:
            raise OSError(errno.ENOSPC, f"{free >> 20} MB free, {needed >> 20} needed")

    @contextlib.contextmanager
    def troubles(self) -> Iterator[None]:
        """What the disk refuses, for a person."""
        try:
            yield
        except OSError as error:
            todo = {errno.ENOSPC: "free some space", errno.EDQUOT: "free some space"}
            todo |= dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make it writable for you")
            if error.errno not in todo:
                raise
            said = f"{self.root}: {error.strerror}; {todo[error.errno]} or choose another --eval-root"
            raise Stop(Exit.UNAVAILABLE, said) from error


def look(source: Path, also: Mapping[str, Path]) -> tuple[str, list[File]]:
    """All files of it, in the order of their names, and the key that changes when any of them does."""
    if not source.exists():
        raise Stop(Exit.UNAVAILABLE, f"{source}: not there; run `make tools`")
    found = dict(inside(source.resolve(), source.resolve(), ()))
    for place, more in also.items():
        found |= {f"{place}/{name}": path for name, path in inside(more.resolve(), more.resolve(), ())}
    files = [File(name, path, path.stat()) for name, path in sorted(found.items())]
    if not files:
        raise Stop(Exit.UNAVAILABLE, f"{source}: an empty folder; run `make tools`")
    seen = [(f.name, str(f.source), *(getattr(f.status, field) for field in IDENTITY)) for f in files]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest(), files


def unlike(before: list[File], after: list[File]) -> bool:
    """Other bytes, as far as place, size and time tell. A new hard link to a file is no change of it."""

    def seen(files: list[File]) -> list[tuple[str, int, int, int]]:
        return [(f.name, f.status.st_ino, f.status.st_size, f.status.st_mtime_ns) for f in files]

    return seen(before) != seen(after)


def inside(path: Path, top: Path, above: tuple[Path, ...], name: str = "") -> Iterator[tuple[str, Path]]:
    """Every regular file at or below, links resolved; none may lead out of `top` or round in a circle."""
    if path.is_file():
        yield name, path
    elif not path.is_dir():
        raise Stop(Exit.UNAVAILABLE, f"{path}: neither file nor folder; a staged tool holds nothing else")
    elif path in above:
        raise Stop(Exit.UNAVAILABLE, f"{top}: a link to {path} leads round in a circle; remove it")
    else:
        with os.scandir(path) as listed:
            entries = list(listed)
        for entry in entries:
            there = Path(entry.path).resolve() if entry.is_symlink() else Path(entry.path)
            if not there.is_relative_to(top):
                raise Stop(
                    Exit.UNAVAILABLE, f"{entry.path}: a link that leads out, to {there}; replace it by a copy"
                )
            yield from inside(there, top, (*above, path), f"{name}/{entry.name}" if name else entry.name)


def copy(file: File, where: Path) -> str:
    """Returns the sha256 of what was written."""
    folder(where.parent)
    digest = hashlib.sha256()
    with file.source.open("rb") as source, where.open("xb") as target:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            target.write(chunk)
        os.fchmod(target.fileno(), file.mode)
    return digest.hexdigest()


def together(files: Sequence[File], sums: Sequence[str]) -> str:
    """The hash of a folder: every relative path with its mode and the sha256 of its bytes."""
    digest = hashlib.sha256()
    for file, one in zip(files, sums, strict=True):
        digest.update(f"{file.mode:o} {one} ".encode() + os.fsencode(file.name) + b"\0")
    return digest.hexdigest()


def hard_link(source: Path, where: Path) -> None:
    try:
        where.hardlink_to(source)
    except OSError as error:
        if error.errno not in NO_HARD_LINK:
            raise
        shutil.copy2(source, where)


def discard(path: Path) -> None:
    if problem := remove(path):
        raise Stop(Exit.UNAVAILABLE, f"{problem}; remove it")
