"""Which processes are a command's own, by pid and start time, and which of them are alive.

It looks and it reaps; killing is process.py's. On Linux nobody escapes the look: orphans become our children.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator

import psutil

PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER = 36, 37


class Family:
    """The children that this process gets from now on, and theirs: the command, and its orphans."""

    def __init__(self) -> None:
        self._us = psutil.Process()
        self._before = frozenset(self._us.children())
        self.seen: set[psutil.Process] = set()

    def alive(self) -> set[psutil.Process]:
        found = set(self._us.children(recursive=True))
        for other in self._before:
            with contextlib.suppress(psutil.NoSuchProcess):
                found -= {other, *other.children(recursive=True)}
        found = {process for process in found if is_alive(process)}
        self.seen |= found
        return found

    def reap(self, but: int) -> None:
        """Take the status of orphans that ended; `but` is subprocess's own."""
        for child in self._us.children():
            if child not in self._before and child.pid != but and not is_alive(child):
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child.pid, os.WNOHANG)


def is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def of_uid(uid: int | None) -> set[psutil.Process]:
    if uid is None:
        return set()
    psutil.process_iter.cache_clear()  # it may hold numbers that are others' by now
    every = psutil.process_iter(["uids"])
    return {p for p in every if p.info["uids"] and uid in p.info["uids"] and is_alive(p)}


def described(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error):
        return f"{process.pid} (uid {process.uids().real}, {process.status()}): {process.name()}"
    return f"{process.pid}"


@contextlib.contextmanager
def orphans_are_ours() -> Iterator[None]:
    """Whoever loses its parent becomes our child, not init's; Linux only."""
    if sys.platform != "linux":
        yield
        return
    prctl, earlier = ctypes.CDLL(None).prctl, ctypes.c_int()
    prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(earlier), 0, 0, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, earlier.value, 0, 0, 0)
