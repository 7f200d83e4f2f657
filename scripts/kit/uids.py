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
import time
from pathlib import Path

import psutil

from kit import bounds, family
from kit.contract import Exit, Stop

LOCKS = Path("/run/agent-eval/uids")

_held: dict[int, int] = {}  # uid: the descriptor of its locked file


def claim(first: int, last: int) -> int | None:
    """A uid that nobody has and nobody runs as, the one unused for longest; None when we are not root.

    A uid that this process holds already is given again only when no other was asked for (first == last):
    that is how a later step takes what an earlier one chose.
    """
    if os.geteuid() != 0:
        return None
    if first == last and first in _held:
        return first
    taken = {entry.pw_uid for entry in pwd.getpwall()} | running() | set(_held)
    used = last_used()
    for uid in sorted(set(range(first, last + 1)) - taken, key=lambda uid: (used.get(uid, 0), uid)):
        if lock(uid):
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
        status = file.stat()
        if not (uid and status.st_size) or uid in _held or not lock(uid, status.st_mtime_ns):
            continue
        theirs = family.of_uid(uid)
        found |= theirs
        os.close(_held.pop(uid)) if theirs else release(uid)
    return found


def lock(uid: int, used_ns: int | None = None) -> bool:
    """The file stays when the lock goes: its time says when the uid was last used (now, or as given)."""
    LOCKS.mkdir(parents=True, exist_ok=True, mode=0o755)
    descriptor = os.open(LOCKS / str(uid), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    os.pwrite(descriptor, b"claimed\n", 0)
    used = used_ns or time.time_ns()
    os.utime(descriptor, ns=(used, used))
    _held[uid] = descriptor
    return True


def last_used() -> dict[int, int]:
    if not LOCKS.is_dir():
        return {}
    with os.scandir(LOCKS) as files:  # there may be a thousand
        return {int(file.name): file.stat().st_mtime_ns for file in files if file.name.isdigit()}


def running() -> set[int]:
    """Every uid that some process has, in any of its three forms."""
    found: set[int] = set()
    for process in psutil.process_iter(["uids"]):
        found.update(process.info["uids"] or ())
    return found
