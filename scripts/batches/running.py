"""Run trials as processes, up to so many side by side, started in the planned order, each to a result.

A trial's process is in a session of its own, out of the terminal's reach: we end it, and it ends when we do
(kit/tied.py). What it prints is held and shown with its result, so lines never mix. Whatever became of the
process, there is a result. It never runs a trial twice and decides nothing about one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from batches import asking, closing
from batches.asking import TICK_SECS, Asked
from batches.breaker import Breaker
from batches.screen import STEPS, Screen
from kit import documents, tied
from kit.layout import OBSERVATION, RESULT

SCRIPTS = Path(__file__).resolve().parents[1]
ENDING_SECS = 20.0  # for trials that were asked to end: the agent's grace, and keeping what is left
LOOK_SECS = 1.0  # between two looks at a machine that was crowded

Look = Callable[[int], str | None]  # how many run -> why one more must wait


class Process(Protocol):
    """What is asked of a trial's process, here or on another machine."""

    def poll(self) -> int | None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


class Own(subprocess.Popen[bytes]):
    def kill(self) -> None:
        """With all below it."""
        asking.end_tree(self.pid)
        self.wait()


@dataclass
class Child:
    folder: Path
    process: Process
    said: IO[bytes]
    started: float = field(default_factory=time.monotonic)

    @property
    def step(self) -> str:
        """The step that it is at: the first without a receipt."""
        left = (step for step in STEPS if not (self.folder / f"receipts/{step}.json").exists())
        return next(left, "ending")


@dataclass
class Runner:
    batch: Path
    jobs: int
    lock: int  # the batch's; trials hold it too, so nobody resumes while one lives
    asked: Asked
    breaker: Breaker
    screen: Screen
    crowded: Look
    full: Callable[[], str | None]
    children: list[Child] = field(default_factory=list)
    stopped: str | None = None  # why we ended before all were run, unless we were asked
    _waits: str | None = None
    _next_look: float = 0.0

    def run(self, names: Sequence[str]) -> None:
        waiting = list(names)
        try:
            while (waiting or self.children) and not self.asked and not self.stopped:
                while waiting and self.can_start():
                    self.start(self.batch / waiting.pop(0))
                self.reap()
                self.screen.show(
                    [(c.folder.name, time.monotonic() - c.started, c.step) for c in self.children]
                )
                time.sleep(TICK_SECS)
        finally:
            self.end()
            self.screen.close()

    def can_start(self) -> bool:
        if self.asked or self.stopped or len(self.children) >= self.jobs:
            return False
        if not self.children:
            self.stopped = self.full()
            return not self.stopped
        if time.monotonic() < self._next_look:
            return False
        if why := self.crowded(len(self.children)):
            self._next_look = time.monotonic() + LOOK_SECS
            if self._waits is None:  # said once for each wait, not for each look
                self.screen.say(f"waiting before one more trial: {why}")
            self._waits = why
            return False
        self._waits = None
        return True

    def start(self, trial: Path) -> None:
        closing.forget(trial)
        said = tempfile.TemporaryFile()  # noqa: SIM115  closed with the trial
        process = Own(
            [sys.executable, SCRIPTS / "trial.py", trial],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            env=tied.environment(),
            start_new_session=True,
            pass_fds=(self.lock,),
        )
        self.children.append(Child(trial, process, said))

    def reap(self) -> None:
        for child in [one for one in self.children if one.process.poll() is not None]:
            self.children.remove(child)
            self.finish(child)

    def finish(self, child: Child) -> None:
        """Its words, its result, its place in the row of failures."""
        closing.close(child.folder)
        with child.said as said:
            said.seek(0)
            for line in said.read().decode(errors="backslashreplace").splitlines():
                self.screen.say(f"{child.folder.name}: {line}" if self.jobs > 1 else line)
        file = child.folder / RESULT.path
        if not file.exists():
            return  # finalize has said why; aggregate names it as missing
        result = documents.read(file, "result/1")
        self.screen.finished(child.folder.name, result, time.monotonic() - child.started)
        if not self.asked and not self.stopped:
            self.breaker.note(child.folder.name, result, tags(child.folder))
            if self.breaker.reason:
                row = self.breaker.row
                self.stopped = f"{row} trials in a row failed at once, alike: {self.breaker.reason}"

    def end(self) -> None:
        """Ask those that run to end; a further Ctrl-C asks again; then kill."""
        until, times = time.monotonic() + ENDING_SECS, self.asked.times
        for child in self.children:
            child.process.terminate()
        while self.children and time.monotonic() < until:
            if self.asked.times > times:
                times = self.asked.times
                for child in self.children:
                    child.process.terminate()
            self.reap()
            time.sleep(TICK_SECS)
        for child in self.children:
            child.process.kill()
        self.reap()


def tags(trial: Path) -> list[str]:
    try:
        return list(documents.read(trial / OBSERVATION.path, "observation/1")["tags"])
    except (FileNotFoundError, documents.Invalid):
        return []
