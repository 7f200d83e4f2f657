"""That somebody asked us to stop (Ctrl-C, TERM, the terminal's end): noticed, never raised.

A batch writes its results whatever happens, so no signal may cut it in the middle of that: signals are
counted, and who waits looks. Work of our own that would take long (staging, probes) runs in a forked process,
which is ended when asked. One at a time: the lock lies on the batch's folder, and trials hold it too.
"""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

import psutil

from kit import tied
from kit.contract import Exit, Stop
from kit.family import Family, orphans_are_ours

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TICK_SECS = 0.05
GRACE_SECS = 4.0  # for forked work, between TERM and KILL
KILLING_SECS = 5.0
LOCK_SECS = 30.0  # a trial whose batch was killed ends within that


class Asked:
    """How often we were asked to stop; false until then."""

    def __init__(self) -> None:
        self.times = 0

    def __bool__(self) -> bool:
        return self.times > 0

    def listen(self) -> Asked:
        for one in SIGNALS:
            if signal.getsignal(one) is not signal.SIG_IGN:  # nohup's stays ignored
                signal.signal(one, self._count)
        return self

    def _count(self, _signal: int, _frame: FrameType | None) -> None:
        self.times += 1


def aside(work: Callable[[], bool | int], asked: Asked, *, hold_output: bool) -> Exit:
    """Do it in a process of its own, ended when we are asked to stop: INTERRUPTED then, whatever it said.

    hold_output: what it prints comes when it has ended, and only when it was not interrupted.
    """
    with tempfile.TemporaryFile() as held:
        sys.stdout.flush()
        sys.stderr.flush()
        target = lambda: _within(work, held if hold_output else None)  # noqa: E731  a closure, forked at once
        process, ours = multiprocessing.get_context("fork").Process(target=target), Family()
        with orphans_are_ours():
            process.start()
            while process.exitcode is None and not asked:
                process.join(TICK_SECS)
            if process.exitcode is None:
                process.terminate()
                process.join(GRACE_SECS)
            end(ours, process.pid or 0)
            process.join()
        if asked:
            return Exit.INTERRUPTED
        held.seek(0)
        print(held.read().decode(errors="backslashreplace"), end="", flush=True)
    return Exit(process.exitcode) if process.exitcode in set(Exit) else Exit.BUG


def _within(work: Callable[[], bool | int], held: IO[bytes] | None) -> NoReturn:
    """In the child: out of the terminal's reach, with our end as its own."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _raise)
    if held:
        for stream in (1, 2):
            os.dup2(held.fileno(), stream)
    os.environ.update(tied.environment(os.getppid()))
    tied.follow()
    try:
        said = work()
        code = said if not isinstance(said, bool) else Exit.OK if said else Exit.NO
    except Stop as stop:
        print(f"batch: {stop}", file=sys.stderr)
        code = stop.code
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    sys.exit(int(code))


def _raise(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def end(ours: Family, pid: int) -> None:
    """KILL what is left of it: itself, and orphans of any session, which became our children."""
    until = time.monotonic() + KILLING_SECS
    while (alive := ours.alive()) and time.monotonic() < until:
        for one in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        ours.reap(pid)
        time.sleep(0.01)


def end_tree(pid: int) -> None:
    """KILL a child of ours and all below it."""
    with contextlib.suppress(psutil.NoSuchProcess):
        top = psutil.Process(pid)
        for one in [*top.children(recursive=True), top]:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()


@contextlib.contextmanager
def locked(folder: Path, asked: Asked, say: Callable[[str], None]) -> Iterator[int]:
    """The descriptor that holds the batch; whoever inherits it holds the batch too."""
    descriptor, until, told = os.open(folder, os.O_RDONLY), time.monotonic() + LOCK_SECS, False
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if asked or time.monotonic() > until:
                    code = Exit.INTERRUPTED if asked else Exit.EXISTS
                    raise Stop(
                        code, f"{folder}: another batch.py is at work on it; wait for its end"
                    ) from None
            if not told:
                say("waiting for a trial, or another batch.py, that is still at work on this batch")
                told = True
            time.sleep(TICK_SECS)
        yield descriptor
    finally:
        os.close(descriptor)
