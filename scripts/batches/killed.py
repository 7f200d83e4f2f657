"""A batch that is killed and resumed again and again, and what must hold of it each time.

Used by cycles.py. It ends only processes that it started, and looks at what is left: the results of trials
that had finished may never change, and a trial whose client was started may never begin again.
"""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from batches import standing
from kit import documents, family, leftovers, tied, trees
from kit.contract import Exit
from kit.documents import Document
from kit.layout import RESULT, SETUP, TASK

SCRIPTS = Path(__file__).resolve().parents[1]
KILLS = ("runner", "runner and trials", "everything")
RESUMING_SECS = 120.0  # for the start, and for each trial: others may use the machine too
ENDS = ("setup_failures", "cancelled", "succeeded", "failed", "inconclusive")


@dataclass
class Noted:
    """What must never change again: the bytes of finished trials, and when each trial began."""

    finished: dict[str, str] = field(default_factory=dict)
    begun: dict[str, tuple[int, int]] = field(default_factory=dict)

    def note(self, batch: Path, plan: Document) -> Iterator[str]:
        """Yields what is not as it was noted before."""
        for name in plan["order"]:
            if (trial := batch / name) and (trial / RESULT.path).exists() and standing.started(trial):
                now = hashlib.sha256((trial / RESULT.path).read_bytes()).hexdigest()
                if self.finished.setdefault(name, now) != now:
                    yield f"{name}: its result has changed"
            if standing.started(trial):
                status = (trial / SETUP.path).stat()
                began = (status.st_ino, status.st_mtime_ns)
                if self.begun.setdefault(name, began) != began:
                    yield f"{name}: it was run again"


@dataclass
class Subject:
    """One batch of 12, killed and resumed until nothing is left of it to run."""

    folder: Path
    jobs: int
    noted: Noted = field(default_factory=Noted)
    kills: int = 0
    running: subprocess.Popen[bytes] | None = None

    @property
    def plan(self) -> Document:
        return documents.read(self.folder / "batch.json", "batch/1")

    @property
    def left(self) -> int:
        return len(standing.look(self.folder, self.plan).never)

    @property
    def begun(self) -> set[tuple[Path, int]]:
        """The preparations that were begun, each with its time: one that was cut is begun anew."""
        return {(file, file.stat().st_mtime_ns) for file in self.folder.glob(f"*/{TASK.path}")}

    def start(self) -> subprocess.Popen[bytes]:
        argv = [sys.executable, str(SCRIPTS / "batch.py"), str(self.folder), "-j", str(self.jobs)]
        argv += ["--resume", "--no-preflight"]
        null = subprocess.DEVNULL
        env = tied.environment()  # it ends when we do
        self.running = subprocess.Popen(
            argv, stdin=null, stdout=null, stderr=null, env=env, start_new_session=True
        )
        return self.running

    def end(self) -> None:
        """TERM, as a person would; and what a kill left."""
        if self.running is not None and self.running.poll() is None:
            self.running.terminate()
            self.running.wait(RESUMING_SECS)
        paths = self.plan["paths"]
        leftovers.reap(Path(paths["eval_root"]))
        trees.remove(Path(paths["work"]))

    def kill(self, what: str, after: float, *, early: bool) -> bool:
        """Kill it so long after its start (early), or after a trial has begun; False: it had ended."""
        running, before = self.start(), self.begun
        while not early and not self.begun - before and running.poll() is None:
            time.sleep(0.02)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(after)
            return False
        below = psutil.Process(running.pid).children(recursive=True)
        chosen = {
            "runner": [],
            "runner and trials": [p for p in below if "trial.py" in " ".join(family.words(p))],
            "everything": below,
        }[what]
        for process in (psutil.Process(running.pid), *chosen):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        running.wait()
        self.kills += 1
        return True

    def finish(self) -> Iterator[str]:
        """Resume to the end, and count: every trial in exactly one place, and nothing left."""
        patience = RESUMING_SECS * (1 + self.left)
        code = self.start().wait(patience)
        if code not in (Exit.OK, Exit.NO):
            yield f"resuming ended with {code}"
        yield from self.noted.note(self.folder, self.plan)
        plan = self.plan
        for name in plan["order"]:
            ended = documents.read(self.folder / name / RESULT.path, "result/1")["outcome"]
            if ended == "cancelled" and not standing.started(self.folder / name):
                yield f"{name}: cancelled, though its client was never started"
        counted = documents.read(self.folder / "benchmark.json", "benchmark/1")["configurations"].values()
        ends = Counter({end: sum(c[end] for c in counted) for end in ENDS})
        planned = sum(c["planned"] for c in counted)
        if not planned == len(plan["order"]) == ends.total() or any(c["missing"] for c in counted):
            yield f"counted {dict(ends)} of {len(plan['order'])} planned"
        if ends["cancelled"] > self.kills * self.jobs:
            yield f"{ends['cancelled']} trials cut by {self.kills} kills"
        if ends["succeeded"] + ends["cancelled"] != planned:
            yield f"outcomes that no kill explains: {dict(ends)}"
        yield from (f"left: {one}" for one in left_over(self.folder, plan))


def left_over(batch: Path, plan: Document) -> Iterator[str]:
    """Processes and scratch folders of a batch that has ended."""
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        text = " ".join(process.info["cmdline"] or ())
        if plan["batch"] in text and process.info["status"] != psutil.STATUS_ZOMBIE:
            yield f"{process.pid}: {text[:100]}"
    for name in plan["order"]:
        paths = documents.read(batch / name / "trial.json", "trial/1")["paths"]
        places = (paths[kind] for kind in ("run", "control", "grading", "grading_control"))
        yield from (place for place in places if Path(place).exists())
