"""Plan and run batches as a person would, with the real tools or with stand-ins, and look at what is left."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import psutil

import plan
from kit import documents, trees

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
Said = subprocess.CompletedProcess[str]


@contextlib.contextmanager
def passable() -> Iterator[Path]:
    """A folder where a trial's uid may pass: pytest's own are closed to it."""
    folder = Path(tempfile.mkdtemp(prefix="agent-eval-test-", dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        trees.remove(folder)


def program(name: str, *args: object) -> list[str]:
    return [sys.executable, str(SCRIPTS / f"{name}.py"), *map(str, args)]


@dataclass(frozen=True)
class Place:
    """Where batches are planned and run; `env` is what is added to our own environment."""

    root: Path
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def eval_root(self) -> Path:
        return self.root / "eval-root"

    @property
    def results(self) -> Path:
        return self.root / "results"

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.env}

    def plan(self, task: str, *args: object) -> Path:
        """plan.py itself, in this process."""
        where = ["--eval-root", self.eval_root, "--results", self.results]
        with mock.patch.dict(os.environ, self.env):
            return plan.write(plan.make(plan.parser().parse_args([task, *map(str, (*where, *args))])))

    def call(self, name: str, *args: object) -> Said:
        return subprocess.run(
            program(name, *args),
            capture_output=True,
            text=True,
            env=self.environment,
            check=False,
            timeout=170,
        )

    def start(self, *args: object) -> subprocess.Popen[str]:
        """batch.py in a group of its own, so that a signal to it reaches what a terminal would reach."""
        return subprocess.Popen(
            program("batch", *args),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
            start_new_session=True,
        )


def until(
    true: Callable[[], object], secs: float = 120.0, running: subprocess.Popen[str] | None = None
) -> None:
    """Wait for it; while a batch runs, since one that has ended will not come to it any more."""
    end = time.monotonic() + secs
    while not true():
        assert time.monotonic() < end, "it never came to that"
        if running and running.poll() is not None and not true():
            raise AssertionError(f"it ended with {running.returncode}: {running.communicate()[0][-2000:]}")
        time.sleep(0.01)


def document(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text("utf-8")))


def outcomes(batch: Path) -> dict[str, str]:
    order = document(batch / "batch.json")["order"]
    return {name: document(batch / name / "result.json")["outcome"] for name in order}


def stable(batch: Path) -> dict[str, Any]:
    """Every document of the batch that counts, without what may differ between two runs of the same work."""
    files = {"benchmark.json": "benchmark/1"}
    for name in document(batch / "batch.json")["order"]:
        files |= {f"{name}/{one}.json": f"{one}/1" for one in ("result", "grading", "expectations")}
    there = {file: schema for file, schema in files.items() if (batch / file).exists()}
    return {file: documents.stable(document(batch / file), schema) for file, schema in there.items()}


def content(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def scratch(batch: Path) -> Iterator[Path]:
    """Every scratch folder of the batch's trials that is still there."""
    for name in document(batch / "batch.json")["order"]:
        paths = document(batch / name / "trial.json")["paths"]
        for kind in ("run", "control", "grading", "grading_control"):
            if Path(paths[kind]).exists():
                yield Path(paths[kind])


def alive(batch: Path) -> list[str]:
    """Processes with the batch's name in their command line, or at work in one of its folders."""
    found, name = [], document(batch / "batch.json")["batch"]
    for process in psutil.process_iter(["pid", "cmdline", "cwd", "status"]):
        text = " ".join([*(process.info["cmdline"] or ()), process.info["cwd"] or ""])
        if name in text and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(f"{process.pid}: {text[:200]}")
    return found
