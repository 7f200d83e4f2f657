"""Run one command to its end, whatever it does: bounded output, a deadline, and nothing left alive.

It never interprets output and never decides what an end means. A command that misbehaves is data (Ended);
a command that cannot be started and a disk that cannot be written are errors of the runner (OSError).

What makes the end certain:
- The command gets its own session, an empty stdin, exactly its environment and no inherited descriptor.
- Its stdout and stderr are sockets: nothing inside can open them again through /proc and swallow lines.
- While a command runs, orphans become children of this process (Linux), so a double fork hides nobody.
- Deadline or interrupt: TERM to the group, two seconds, KILL to every descendant, over and over.
- A rung adds a PID namespace that dies with this process. The kernel ties that to the *thread* that
  started the command, so run() belongs in the main thread; it refuses another (signal handlers do too).

One run at a time in a process: a second one's children would be taken for orphans of the first.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psutil

from kit import leftovers
from kit.capture import Streams
from kit.family import Family, described, is_alive, of_uid, orphans_are_ours

GRACE_SECS = 2.0  # between TERM and KILL
KILLING_SECS = 5.0  # a process that KILL does not end in this time is reported
TICK_SECS = 0.05  # how soon an interrupt is noticed
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

EndedBy = Literal["itself", "deadline", "interrupt"]


@dataclass(frozen=True)
class Command:
    """Ready to run: exact environment, a folder to start in. Programs are looked up on env's own PATH."""

    argv: list[str]
    env: dict[str, str]
    cwd: Path


@dataclass(frozen=True)
class Ended:
    """How a command ended. Its exit status is never a verdict."""

    exit: int | None  # None: a signal ended it, or we did
    ended_by: EndedBy
    elapsed_secs: float
    stdout_bytes: int  # all it wrote
    stdout_dropped: int  # of these, not in the file
    stderr_bytes: int
    descendants: frozenset[psutil.Process] = field(repr=False)  # those seen when we ended it
    first_secs: float | None = None  # until stdout's first byte


def run(command: Command, *, stdout: Path, stderr: Path, deadline_secs: float, cap_bytes: int) -> Ended:
    """Run to its own end, the deadline or an interrupt (INT, TERM, HUP); then end what is left of it.

    An interrupt does not raise: ended_by says so, and the caller decides, also when the command had ended
    by itself by then. A second one skips the grace.
    Each stream's file holds up to cap_bytes: when more came, its first and last lines (capture.Kept).
    That nothing is left is not taken for granted: ask survivors().
    """
    started = time.monotonic()
    streams, family = Streams(stdout, stderr, cap_bytes), Family()
    with contextlib.ExitStack() as stack:
        stack.callback(streams.release)
        asked = stack.enter_context(interrupts())
        stack.enter_context(orphans_are_ours())
        process = start(command, streams)
        try:
            streams.watch(process)
            ended_by = wait(process, streams, asked, started + deadline_secs)
            elapsed = time.monotonic() - started  # its own time; what we look for afterwards is ours
        finally:
            end(process, streams, family, asked)
        if ended_by != "itself":
            elapsed = time.monotonic() - started
        streams.finish()
        if asked:  # also after its own end: whoever asks us to stop must not be overheard
            ended_by = "interrupt"
            asked.clear()
    out, err = streams.kept
    status = process.returncode if ended_by == "itself" and process.returncode >= 0 else None
    seen, first = frozenset(family.seen), None if streams.first is None else streams.first - started
    return Ended(status, ended_by, elapsed, out.bytes, out.dropped, err.bytes, seen, first)


def start(command: Command, streams: Streams) -> subprocess.Popen[bytes]:
    out, err = (end.fileno() for end in streams.theirs)
    process = subprocess.Popen(
        command.argv,
        env=command.env,
        cwd=command.cwd,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        close_fds=True,
        start_new_session=True,
    )
    leftovers.note(process.pid)
    return process


def wait(process: subprocess.Popen[bytes], streams: Streams, asked: list[int], until: float) -> EndedBy:
    while process.poll() is None:
        if asked:
            return "interrupt"
        if (left := until - time.monotonic()) <= 0:
            return "deadline"
        streams.pump(min(left, TICK_SECS))
    return "itself"


def end(process: subprocess.Popen[bytes], streams: Streams, family: Family, asked: list[int]) -> None:
    """TERM, grace, KILL; returns when nothing is alive, or when killing has not helped for long enough."""
    if process.poll() is None:
        family.alive()
        before, until = len(asked), time.monotonic() + GRACE_SECS
        signal_group(process, signal.SIGTERM)
        while process.poll() is None and time.monotonic() < until and len(asked) == before:
            streams.pump(TICK_SECS)
        if process.poll() is None:
            signal_group(process, signal.SIGKILL)
    until = time.monotonic() + KILLING_SECS
    while (alive := family.alive()) and time.monotonic() < until:
        for one in alive:
            if (
                time.monotonic() > until
            ):  # a fork bomb outruns us; the rung's limits and namespace do not lose
                break
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                one.kill()  # psutil looks at the start time first: never a stranger with the same number
        streams.pump(0.01)
        process.poll()
        family.reap(process.pid)
    process.poll()


def signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    """To its process group, which is its own as long as its status has not been taken."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def survivors(ended: Ended, uid: int | None = None, *, wait_secs: float = 1.0) -> list[str]:
    """What is still alive of a command that has ended, a line each: of its own processes, and of that uid's.

    Give uid only where it is the command's own. Empty is the proof; anything else must stop the trial.
    """
    until = time.monotonic() + wait_secs
    while True:
        alive = {process for process in ended.descendants if is_alive(process)} | of_uid(uid)
        if not alive or time.monotonic() > until:
            return sorted(described(process) for process in alive)
        time.sleep(0.02)


@contextlib.contextmanager
def interrupts() -> Iterator[list[int]]:
    """The signals that ask us to stop, collected; one that is ignored (nohup) stays ignored.

    What is still in the list at the end is sent again, to whoever listened before.
    """
    asked: list[int] = []
    before = {one: signal.getsignal(one) for one in SIGNALS}
    taken = [one for one in SIGNALS if before[one] is not signal.SIG_IGN]
    try:
        for one in taken:
            signal.signal(one, lambda number, _: asked.append(number))
        yield asked
    finally:
        for one in taken:
            signal.signal(one, before[one])
        for number in asked[-1:]:
            os.kill(os.getpid(), number)


def output(
    argv: Sequence[str], env: dict[str, str], cwd: Path, timeout: float
) -> tuple[int | None, bytes, bytes]:
    """A short, trusted command's exit status (None: killed), stdout and stderr, at most 1 MiB each.

    An interrupt is passed on: half an answer is none.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        command = Command(list(argv), env, cwd)
        ended = run(command, stdout=out, stderr=err, deadline_secs=timeout, cap_bytes=1 << 20)
        if ended.ended_by == "interrupt":
            raise KeyboardInterrupt
        return ended.exit, out.read_bytes(), err.read_bytes()
