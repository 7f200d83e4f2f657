"""Which processes are a command's own, by pid and start time, and which of them are alive.

It looks and it reaps; killing is process.py's. On Linux nobody escapes the look: orphans become our children.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterator

import psutil

PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER = 36, 37


class Family:
    """The children that this process gets from now on, and theirs: the command, and its orphans."""

    def __init__(self) -> None:
        self._us = psutil.Process()
        self._before = frozenset(self._us.children())
        self.seen: set[psutil.Process] = set()

    def alive(self) -> set[psutil.Process]:
        children: dict[int, list[int]] = {}
        for pid, parent in parents():
            children.setdefault(parent, []).append(pid)
        found, look = set(), list(children.get(self._us.pid, ()))
        while look:
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(look.pop())
                if process not in self._before:
                    found.add(process)
                    look += children.get(process.pid, ())
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
    """Those that have it as any of their uids; not by who owns /proc/<pid>, which a process can change."""
    found = set()
    for pid in of(uid) if uid is not None else ():
        with contextlib.suppress(psutil.NoSuchProcess):
            found.add(psutil.Process(pid))
    return {process for process in found if is_alive(process)}


def of(uid: int) -> Iterator[int]:
    if sys.platform != "linux":
        yield from (p.pid for p in psutil.process_iter(["uids"]) if uid in (p.info["uids"] or ()))
        return
    yield from (pid for pid, theirs in uids() if uid in theirs)


def every_uid() -> set[int]:
    """Those that some process has, in any of their forms."""
    if sys.platform != "linux":
        return {uid for p in psutil.process_iter(["uids"]) for uid in p.info["uids"] or ()}
    return {uid for _, theirs in uids() for uid in theirs}


def uids() -> Iterator[tuple[int, list[int]]]:
    for pid, status in told("status"):
        yield pid, [int(word) for word in status.partition(b"\nUid:")[2].partition(b"\n")[0].split()]


def parents() -> Iterator[tuple[int, int]]:
    """Each process and its parent, in one look: psutil looks at all of them again for each question."""
    if sys.platform != "linux":
        yield from ((p.pid, p.info["ppid"]) for p in psutil.process_iter(["ppid"]))
        return
    for pid, stat in told("stat"):
        yield pid, int(stat.rpartition(b")")[2].split()[1])


def told(name: str) -> Iterator[tuple[int, bytes]]:
    """Of each process what Linux tells in that file."""
    for pid in psutil.pids():
        try:
            file = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            said = os.read(file, 4096)
        except OSError:  # it ended just now
            continue
        finally:
            os.close(file)
        yield pid, said


def words(process: psutil.Process) -> list[str]:
    """Its command line; [] when it is gone, or not ours to see."""
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []


def soon(met: Callable[[], bool], secs: float) -> bool:
    """Wait until it is so, or the time is up."""
    until = time.monotonic() + secs
    while not met() and time.monotonic() < until:
        time.sleep(0.02)
    return met()


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
