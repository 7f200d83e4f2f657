"""Time the grading of 22 small Python tasks (small_python.toml, by both runners) in the sandbox of trials.

Each worker keeps one srt running, as check_tasks does; each run of tests still gets a sandbox of its own, and
each grading its copy and its uid; from the submission in place to the verdict. Prints tasks a second, and
the CPU time of the whole machine meanwhile: only on an idle machine is that the gradings' own.
"""

from __future__ import annotations

import multiprocessing
import os
import secrets
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

import psutil

import grade
import planning
from graders import staging
from graders.setting import Setting, kept
from kit import submissions, tasks
from kit.documents import Document
from kit.layout import Run
from kit.submissions import SOLUTION
from rungs import no_keyrings

SMALL = Path(__file__).with_suffix(".toml")
TOML = 'kind = "capability"\nprompt = "Finish {name}."\ngrader = "{runner}"\neditable = ["small/**"]\n'
UNITTEST = "import unittest\n{}class Small(unittest.TestCase):\n    def test_it(self):\n"
RUNNERS = {
    "unittest": (UNITTEST, " " * 8, "self.assertEqual({}, {})"),
    "pytest": ("{}def test_it():\n", " " * 4, "assert {} == {}"),
}


def lay_out(evals: Path) -> list[str]:
    """The tasks below evals/; their names."""
    names = []
    (evals / "plugins").mkdir(parents=True)
    for function, task in tomllib.loads(SMALL.read_text("utf-8")).items():
        for runner, (head, indent, line) in RUNNERS.items():
            name = f"{function.replace('_', '-')}-{runner}"
            tests = [line.format(f"{function}({given})", expected) for given, expected in task["rows"]]
            test = head.format(f"from small import {function}\n\n\n") + "".join(
                f"{indent}{one}\n" for one in tests
            )
            write(
                evals / "tasks" / name, runner, function, task, f"# canary: {secrets.token_hex(16)}\n{test}"
            )
            names.append(name)
    return sorted(names, key=lambda name: name.rpartition("-")[2])  # each worker gets as many of each


def write(folder: Path, runner: str, function: str, task: Document, test: str) -> None:
    head = f"def {function}({task['arguments']}):\n    "
    files = {
        "task.toml": TOML.format(name=function, runner=runner),
        "starter/small/__init__.py": f"{head}raise NotImplementedError\n",
        "solution/small/__init__.py": f"{head}{task['solution'].strip()}\n",
        "checks/small.py": test,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


Clock = tuple[float, float]  # seconds of the machine, and of all its cores' work


def share(work: tuple[Document, Path, Path, Sequence[str], int]) -> tuple[Clock, Clock]:
    """Grade these solutions, one after another; begin and end. srt has started and one was graded before."""
    staged, place, evals, names, worker = work
    no_keyrings.install_early()
    run = Run(place / f"grading-{worker}", planning.control_root() / f"{place.name[-8:]}-{worker}")
    with kept(Setting(staged, run, (61000, 61999))) as setting:
        warm, *all_ = [
            left(place / f"left-{worker}-{n}", evals, name) for n, name in enumerate([names[0], *names])
        ]
        graded(setting, warm)
        started = clock()
        for one in all_:
            graded(setting, one)
        return started, clock()


Left = tuple[tasks.Task, Path]


def left(tree: Path, evals: Path, name: str) -> Left:
    task = tasks.load(evals, name)
    submissions.make(task, SOLUTION, tree)
    return task, tree


def graded(setting: Setting, one: Left) -> None:
    task, tree = one
    found = grade.grade_tree(task.document(), task.evals, tree, setting)
    if {*found["checks"].values()} != {"pass"}:
        raise ValueError(f"{task.name}: {found['problem'] or found['steps']}")


def measure(eval_root: Path, rounds: int, jobs: int) -> None:
    with tempfile.TemporaryDirectory() as folder, staging.staged(eval_root) as (staged, place):
        names = lay_out(Path(folder) / "evals")
        for kind in ("unittest", "pytest", ""):
            of_kind = [name for name in names if name.endswith(kind)]
            for number in range(rounds):
                work = [
                    (staged, place / f"{kind}{number}", Path(folder) / "evals", of_kind[n::jobs], n)
                    for n in range(jobs)
                ]
                with multiprocessing.get_context("fork").Pool(jobs) as pool:
                    begins, ends = zip(*pool.map(share, work), strict=True)
                secs, busy = (max(ends)[at] - min(begins)[at] for at in (0, 1))
                each = f"{busy / len(of_kind):.3f} s of CPU each"
                print(
                    f"{len(of_kind)} {kind or 'small'} tasks: {len(of_kind) / secs:5.1f} a second, {each}",
                    flush=True,
                )
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {jobs} at a time")


def clock() -> Clock:
    times = psutil.cpu_times()
    return time.monotonic(), sum(times) - times.idle - getattr(times, "iowait", 0.0)
