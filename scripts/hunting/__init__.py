"""A rehearsed batch whose processes are killed, and what is found after each kill.

It looks at the machine by its own means (process numbers with start times, PID namespaces, uids), so that
what the runner says of itself is not believed. It ends only processes that it, or what it started, began.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from hunting.looking import (
    began,
    children,
    completed,
    judged,
    namespaces,
    run_of,
    same,
    step_of,
    ticks,
)
from kit import documents, family, leftovers, programs, trees
from kit.layout import BATCH, RESULT

VICTIMS = ("runner", "trial", "both", "srt", "client")  # both: runner and trial in the same moment
TRIALS = 40  # of one batch; a new one is planned when its runner was killed
GONE_SECS, RESULT_SECS = 20.0, 90.0


@dataclass(frozen=True)
class Kill:
    victim: str
    during: str  # the step of the trial that was cut
    after_secs: float
    gone_secs: float  # until nothing of the trial was alive
    kept: int  # results that were there before, and still are
    says: str  # the cut trial's outcome and reason
    wrong: list[str]


@dataclass
class Hunt:
    eval_root: Path
    results: Path
    uids: str
    batch: Path | None = field(default=None, init=False)
    runner: psutil.Process | None = field(default=None, init=False)
    done: set[Path] = field(default_factory=set, init=False)  # trials that were hunted, or ran unharmed

    def start(self) -> None:
        where = ["--eval-root", str(self.eval_root), "--results", str(self.results), "--uids", self.uids]
        self.batch = Path(programs.run("plan", "formatting", "--trials", str(TRIALS), *where))
        how = [
            "--no-preflight",
            "--stop-after",
            "0",
        ]  # several in a row fail alike when we kill their clients
        argv: list[str | Path] = [sys.executable, programs.SCRIPTS / "batch.py", self.batch, *how]
        with (self.results / "batch.log").open("ab") as log:
            child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.runner = psutil.Process(child.pid)

    def end(self) -> None:
        """TERM, as a person would; and the batch's folders."""
        if self.runner is not None:
            with contextlib.suppress(psutil.NoSuchProcess):
                self.runner.send_signal(signal.SIGTERM)
            self.runner.wait(RESULT_SECS)
        self.clear()

    def clear(self) -> None:
        if self.batch is not None:
            trees.remove(Path(documents.read(self.batch / BATCH.path, "batch/1")["paths"]["work"]))
        self.batch = self.runner = None

    def kill(self, victim: str, after: float) -> Kill | None:
        """One kill so long after a trial's start, or once the victim is there; None: the trial ended."""
        trial, folder = self.next_trial()
        began = time.time()
        time.sleep(max(0.0, began + after - time.time()))
        while not (chosen := self.choose(victim, trial, folder)):
            if not family.is_alive(trial):
                self.done.add(folder)
                return None
            time.sleep(0.01)
        self.done.add(folder)
        return self.strike(victim, chosen, trial, folder, time.time() - began)

    def next_trial(self) -> tuple[psutil.Process, Path]:
        """The trial that runs now, and was not hunted yet; of a new batch when the last has ended."""
        until = time.monotonic() + RESULT_SECS
        while time.monotonic() < until:
            if self.runner is None or not self.running:
                self.clear()
                self.start()
            assert self.runner is not None
            for child in children(self.runner, recursive=False):
                folder = Path((family.words(child) or [""])[-1])
                if folder.parent == self.batch and folder not in self.done:
                    return child, folder
            time.sleep(0.01)
        raise programs.Broken(f"no trial was started; see {self.results / 'batch.log'}")

    def choose(self, victim: str, trial: psutil.Process, folder: Path) -> list[psutil.Process]:
        assert self.runner is not None
        if victim in ("runner", "both"):
            return [self.runner] if victim == "runner" else [self.runner, trial]
        if victim == "trial":
            return [trial] if family.is_alive(trial) else []
        below = children(trial)
        if victim == "srt":
            return [
                p for p in below if any(word.endswith("/srt/dist/cli.js") for word in family.words(p)[:3])
            ][:1]
        return [p for p in below if family.words(p)[:1] == [str(Path(run_of(folder), "bin/claude"))]][:1]

    def strike(
        self, victim: str, chosen: list[psutil.Process], trial: psutil.Process, folder: Path, after: float
    ) -> Kill:
        assert self.runner is not None
        goes_on = victim in ("srt", "client")  # the trial lives, and says what happened
        known = {*children(trial), *([] if goes_on else [trial])}
        known |= set(children(self.runner)) if victim in ("runner", "both") else set()
        spaces, before, during = (namespaces(known), ticks()), self.finished(), step_of(folder)
        for process in chosen:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        struck = time.monotonic()
        family.soon(lambda: not self.alive(known, spaces), GONE_SECS)
        gone = time.monotonic() - struck
        wrong = [f"alive: {one}" for one in self.alive(known, spaces)]
        if victim in ("runner", "both"):
            family.soon(lambda: not self.running, GONE_SECS)
            leftovers.reap(self.eval_root)
            wrong += [f"left: {path}" for path in (Path(run_of(folder)), *self.records()) if path.exists()]
        else:
            family.soon(lambda: (folder / RESULT.path).exists() or not self.running, RESULT_SECS)
        wrong += [f"lost: {file}" for file, text in before.items() if not same(file, text)]
        says = self.judge(victim, folder, folder / RESULT.path in before, wrong)
        return Kill(victim, during, after, gone, len(before), says, wrong)

    @property
    def running(self) -> bool:
        return self.runner is not None and family.is_alive(self.runner)

    def alive(self, known: set[psutil.Process], spaces: tuple[set[str], int]) -> list[str]:
        """Of those processes, in those namespaces, or (when the runner is dead) of our range of uids.

        A namespace's number is given again when it is gone: who began later is in another.
        """
        found = {process for process in known if family.is_alive(process)}
        first, _, last = self.uids.partition("-")
        orphaned = not self.running
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                own = orphaned and int(first) <= process.uids().real <= int(last)
                if own or (
                    str(Path(f"/proc/{process.pid}/ns/pid").readlink()) in spaces[0]
                    and began(process.pid) <= spaces[1]
                ):
                    found.add(process)
        return sorted(family.described(process) for process in found if family.is_alive(process))

    def finished(self) -> dict[Path, str]:
        assert self.batch is not None
        return {file: file.read_text("utf-8") for file in self.batch.glob(f"*/{RESULT.path}")}

    def records(self) -> Iterator[Path]:
        yield from (self.eval_root / leftovers.FOLDER).glob(f"{self.batch.name if self.batch else '?'}*")

    def judge(self, victim: str, folder: Path, was_finished: bool, wrong: list[str]) -> str:
        """What the cut trial's result says; appends to wrong what it should not."""
        if not (folder / RESULT.path).exists():
            try:
                programs.run("finalize", folder)
            except programs.Broken as error:
                wrong.append(str(error))
                return ""
        result = documents.read(folder / RESULT.path, "result/1")
        says = f"{result['outcome']}: {result['reason']}"
        if was_finished:
            return f"(had finished) {says}"
        if victim in ("srt", "client"):
            if result["outcome"] == "succeeded" and not completed(folder):
                wrong.append(f"succeeded though its {victim} was killed before the session had ended")
        elif result["outcome"] != "cancelled" and not judged(folder):
            wrong.append(f"{says}, though it was cut")
        return says
