"""A uid of its own for each trial and each grading, when the runner is root.

A claim holds a file lock for as long as this process lives (or until released), so no two trials get the
same uid and a runner's death frees it. The file has a word in it until the uid is released: a word without a
lock is a runner that was cut. Its control groups go while the lock is held, by its runner's end at most.
It makes no accounts: a uid with a passwd entry is somebody's.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import pwd
from pathlib import Path

import psutil

from kit import bounds, family
from kit.contract import Exit, Stop

LOCKS = Path("/run/agent-eval/uids")

_held: dict[int, int] = {}  # uid: the descriptor of its locked file


def claim(first: int, last: int) -> int | None:
    """A uid that nobody has and nobody runs as, one after another in turn; None when we are not root.

    A uid that this process holds already is given again only when no other was asked for (first == last):
    that is how a later step takes what an earlier one chose.
    """
    if os.geteuid() != 0:
        return None
    if first == last and first in _held:
        return first
    taken = {entry.pw_uid for entry in pwd.getpwall()} | family.every_uid() | set(_held)
    newest = LOCKS / f"newest-{first}-{last}"
    said = newest.read_bytes() if newest.is_file() else b""
    before = int(said) if said.isdigit() else 0
    for uid in sorted(set(range(first, last + 1)) - taken, key=lambda uid: (uid <= before, uid)):
        if lock(uid):
            if first != last:
                newest.write_bytes(b"%d" % uid)
            return uid
    raise Stop(
        Exit.UNAVAILABLE,
        f"uids {first} to {last}: none is free; name others (--uids FIRST-LAST) or wait for other batches",
    )


def holding() -> set[int]:
    """What this process has claimed."""
    return set(_held)


def release(uid: int) -> None:
    bounds.remove(uid)
    os.ftruncate(_held[uid], 0)
    os.close(_held.pop(uid))


@atexit.register
def _unbound() -> None:
    """A step that was run by itself ends with its claim, and releases nothing."""
    for uid in _held:
        bounds.remove(uid)


def left() -> set[psutil.Process]:
    """What runs under a uid whose runner was cut. Nothing did when it was claimed: it is all the trial's."""
    found: set[psutil.Process] = set()
    if os.geteuid() != 0 or not LOCKS.is_dir():
        return found
    for file in LOCKS.iterdir():
        uid = int(file.name) if file.name.isdigit() else 0
        if not (uid and file.stat().st_size) or uid in _held or not lock(uid):
            continue
        theirs = family.of_uid(uid)
        found |= theirs
        os.close(_held.pop(uid)) if theirs else release(uid)
    return found


def lock(uid: int) -> bool:
    """The file stays when the lock goes."""
    LOCKS.mkdir(parents=True, exist_ok=True, mode=0o755)
    descriptor = os.open(LOCKS / str(uid), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    os.pwrite(descriptor, b"claimed\n", 0)
    _held[uid] = descriptor
    return True
