"""Do a task's hidden tests tell right from wrong (T06)? The solution must pass every time, the starter fail.

It knows no grader: it is given one. It changes nothing below evals/. A refusal is the fault of the task's
author; a grader that could not judge is not, and stops the program.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kit.contract import Exit, Stop
from kit.documents import Document
from kit.tasks import Task

REPEATS = 3  # a solution that passes sometimes would look in a batch like an agent that fails sometimes

Checks = Mapping[str, str]  # check name to verdict
Grade = Callable[[Task, Path], Document]  # a task, and a project as an agent could have left it, to grading/1


@dataclass(frozen=True)
class Proof:
    starter: Checks
    solution: Sequence[Checks] | None  # one for each grading; None: the task has no solution
    refusals: Sequence[str]

    @property
    def notes(self) -> Sequence[str]:
        fails = ", ".join(name for name, verdict in self.starter.items() if verdict == "fail")
        passes = (
            f"solution passes {REPEATS} of {REPEATS}" if self.solution else "no solution to try the tests on"
        )
        return (passes, f"starter fails {fails}")


def prove(task: Task, grade: Grade) -> Proof:
    starter = graded(task, grade, None)
    solution = [graded(task, grade, task.solution) for _ in range(REPEATS)] if task.solution else None
    refused = [*starter_refusals(task, starter), *solution_refusals(task, solution or [])]
    return Proof(starter, solution, refused)


def graded(task: Task, grade: Grade, solution: Path | None) -> Checks:
    """The verdicts on the starter with the solution copied over it, as if an agent had left them."""
    with tempfile.TemporaryDirectory(prefix="check-tasks-") as scratch:
        tree = Path(scratch) / "project"
        for layer in filter(None, (task.starter, solution)):
            shutil.copytree(layer, tree, dirs_exist_ok=True)
        grading = grade(task, tree)
    if grading["status"] != "graded":
        raise Stop(Exit.UNAVAILABLE, f"grading {task.name}: {grading['problem']}; the task is not judged")
    checks: Checks = grading["checks"]
    return checks


def wanted(task: Task) -> list[str]:
    """Every check that must have been judged: one that was not is no pass."""
    hidden = [f"hidden.{name}" for name in task.document()["checks"]]
    return ["build", "cargo_test_lib", *hidden, *(["cargo_fmt_check"] if task.file["fmt_check"] else [])]


def solution_refusals(task: Task, gradings: Sequence[Checks]) -> list[str]:
    refused = []
    for number, checks in enumerate(gradings, 1):
        verdicts = {name: checks.get(name, "not run") for name in wanted(task)}
        if lost := ", ".join(f"{name} {verdict}" for name, verdict in verdicts.items() if verdict != "pass"):
            where = f"{task.folder.relative_to(task.evals.parent)}/solution"
            refused.append(f"{where}: grading {number} of {len(gradings)}: {lost}; correct it or the tests")
    return refused


def starter_refusals(task: Task, checks: Checks) -> list[str]:
    if "fail" in checks.values():
        return []
    where = f"{task.folder.relative_to(task.evals.parent)}/starter"
    return [f"{where}: fails no check, so doing nothing would succeed; test what the prompt asks for"]
