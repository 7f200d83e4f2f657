"""What the folders of a task hold: their files, their hash, and what has no place in them.

It reads with lstat only and follows no link. It never copies and never changes anything. A link, a special
file or a version-control history in a task is its author's fault; taskcheck.py says so.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from kit.globs import in_version_control

# How a history in a single file begins: git bundles, packs and their indexes, Mercurial bundles.
HISTORY_MAGIC = (
    b"# v2 git bundle\n",
    b"# v3 git bundle\n",
    b"PACK\0\0\0",
    b"\xfftOc\0\0\0",
    b"HG10",
    b"HG20\0",
)
BARE_REPOSITORY = ("HEAD", "objects", "refs")


def is_version_control(path: Path) -> bool:
    return in_version_control(os.fsencode(path.name))


def is_build_output(path: Path) -> bool:
    """cargo's: a folder `target` beside a Cargo.toml. A module src/target/ is source."""
    return path.name == "target" and (path.parent / "Cargo.toml").exists()


def entries(folder: Path) -> Iterator[Path]:
    """All but the folders below `folder`, in the order of their bytes; neither history nor build output."""
    found: list[Path] = []
    for here, folders, files in os.walk(folder, onerror=_stop):
        inside = [Path(here, name) for name in folders]
        found += [path for path in inside if path.is_symlink() and not is_version_control(path)]
        folders[:] = [path.name for path in inside if not (is_version_control(path) or is_build_output(path))]
        found += [path for name in files if not is_version_control(path := Path(here, name))]
    yield from sorted(found, key=os.fsencode)


def _stop(error: OSError) -> None:
    """A folder that is missing holds nothing; one that cannot be read may hold anything."""
    if not isinstance(error, FileNotFoundError):
        raise error


def is_regular(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def content_hash(root: Path, folders: Iterable[Path]) -> str:
    """sha256 over each file's path below `root`, its exec bit and its bytes.

    The same wherever `root` is, whoever owns the files, and in whichever order the folders are named. Empty
    folders do not count: git does not keep them.
    """
    total = hashlib.sha256()
    for folder in sorted(folders):
        for path in filter(is_regular, entries(folder)):
            name, content = os.fsencode(path.relative_to(root)), path.read_bytes()
            mode = b"x" if path.lstat().st_mode & stat.S_IXUSR else b"-"
            total.update(b"%d:%b%b%b" % (len(name), name, mode, hashlib.sha256(content).digest()))
    return total.hexdigest()


def histories(folder: Path) -> Iterator[Path]:
    """Version-control histories below `folder`: by name, by a repository's shape, by a file's first bytes."""
    for here, folders, files in os.walk(folder, onerror=_stop):
        inside = [Path(here, name) for name in sorted([*folders, *files])]
        yield from (path for path in inside if is_version_control(path) or _is_history(path))
        folders[:] = [name for name in folders if not is_version_control(Path(here, name))]


def _is_history(path: Path) -> bool:
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        return all((path / name).exists() for name in BARE_REPOSITORY)
    if not stat.S_ISREG(mode):
        return False
    with path.open("rb") as file:
        return file.read(16).startswith(HISTORY_MAGIC)
