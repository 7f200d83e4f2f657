"""Make a run's folders, and copy folders of evals/ into it: regular files only, no history, no build output.

Never follows a link: one in a task, fixture or plugin is its author's fault, and refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kit import contents
from kit.contract import Exit, Stop
from kit.layout import WRITABLE, Run


def make(run: Run) -> None:
    """All empty, to pass through and not to list; the rung hands them to the trial's uid, and closes them."""
    for folder in (run.root, run.control):
        if folder.exists():
            raise Stop(Exit.EXISTS, f"{folder}: already there; a rerun is a new batch")
        if not folder.parent.exists():
            new(folder.parent, 0o711)
        new(folder, 0o711)
    for name in WRITABLE:
        new(run.root / name, 0o700)
    new(run.fixtures, 0o755)
    new(run.bin, 0o755)
    new(run.srt_tmp, 0o700)
    new(run.neutral, 0o755)


def new(folder: Path, mode: int) -> None:
    folder.mkdir(parents=True)
    folder.chmod(mode)  # whatever the umask


def files(folder: Path) -> Iterator[tuple[Path, bytes, bool]]:
    """Each file's path from the folder, its bytes, and whether it is a program."""
    history = set(contents.histories(folder))
    for path in contents.entries(folder):
        if path in history:
            continue
        if not contents.is_regular(path):
            raise Stop(Exit.BAD_INPUT, f"{path}: no regular file; replace it by the file that it stands for")
        yield path.relative_to(folder), path.read_bytes(), bool(path.stat().st_mode & 0o100)


def put(file: Path, data: bytes, *, program: bool = False, writable: bool = True) -> None:
    """One file, in folders that everybody may enter and list; existing ones are not changed."""
    for parent in reversed(file.parents):
        if not parent.exists():
            parent.mkdir()
            parent.chmod(0o755)
    file.write_bytes(data)
    file.chmod((0o755 if program else 0o644) & (0o777 if writable else 0o555))


def copy(folder: Path, into: Path, *, writable: bool) -> None:
    for path, data, program in files(folder):
        put(into / path, data, program=program, writable=writable)
