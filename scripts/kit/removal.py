"""Remove a folder that an agent may have filled, however deep it is and whatever its modes are.

Only for trees that nothing lives in any more. It follows no link. What it cannot remove it names, and goes
on. shutil.rmtree fails on 3,000 nested folders and on mode 000; here a folder inside another is first moved
to the top, so nothing is ever deep.
"""

from __future__ import annotations

import itertools
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(path: Path) -> str | None:
    """None: it is gone, or never was. Else what is left, and why."""
    try:
        if not stat.S_ISDIR(path.lstat().st_mode):
            path.unlink()
            return None
        _open_up(path)
        problems = list(_empty(path))
        if not problems:
            path.rmdir()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{path}: {error.strerror}"
    return "; ".join(f"{path}: {problem}" for problem in problems[:3]) or None


def _empty(path: Path) -> Iterator[str]:
    top, token = os.open(path, FOLDER), secrets.token_hex(8)
    fresh = (f"{token}-{number}".encode() for number in itertools.count())
    try:
        waiting = _names(top)
        while waiting:
            name = waiting.pop()
            try:
                if not _is_folder(name, top):
                    os.unlink(name, dir_fd=top)
                    continue
                waiting.extend(_spill(name, top, fresh))
                os.rmdir(name, dir_fd=top)
            except OSError as error:
                yield f"{os.fsdecode(name)!r}: {error.strerror}"
    finally:
        os.close(top)


def _spill(name: bytes, top: int, fresh: Iterator[bytes]) -> Iterator[bytes]:
    """Empty one folder: its files go, its folders move to the top; their new names."""
    _open_up(name, top)
    folder = os.open(name, FOLDER, dir_fd=top)
    try:
        for inner in _names(folder):
            if _is_folder(inner, folder):
                _open_up(inner, folder)  # moving a folder writes to it
                moved = next(fresh)
                os.rename(inner, moved, src_dir_fd=folder, dst_dir_fd=top)
                yield moved
            else:
                os.unlink(inner, dir_fd=folder)
    finally:
        os.close(folder)


def _names(folder: int) -> list[bytes]:
    with os.scandir(folder) as entries:
        return [os.fsencode(entry.name) for entry in entries]


def _is_folder(name: bytes, folder: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _open_up(name: bytes | Path, folder: int | None = None) -> None:
    """Give its owner access; root needs none, and so never changes a mode here."""
    if os.geteuid() != 0:
        os.chmod(name, 0o700, dir_fd=folder)
