"""Do a task's checks tell right from wrong (T06)? Shuffled: starter, solution, adversaries; then mutants.

The solution must pass every time; the starter and every adversary must fail; of the mutants the share that is
caught is told. It knows no grader and no language: it is given both. It changes nothing below evals/. A
refusal is the fault of the task's author; a grader that could not judge is not, and stops the program.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kit import submissions
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.submissions import Submission
from kit.tasks import Task

PATIENCE, LEAST_SECS = 5, 20  # of a mutant's grading; as cargo-mutants has it
REPEATS = 3  # a solution that passes sometimes would look in a batch like an agent that fails sometimes

Checks = Mapping[str, str]  # check name to verdict
Grade = Callable[[Task, Path], Document]  # a task, and a project as an agent could have left it, to grading/1


@dataclass(frozen=True)
class Tried:
    """An adversary or a mutant, and what became of it."""

    submission: Submission
    checks: Checks
    wanted: Sequence[str]

    @property
    def caught(self) -> bool:
        return any(self.checks.get(name) != "pass" for name in self.wanted)

    @property
    def builds(self) -> bool:
        """What does not build fails for that alone, and says nothing about the hidden tests."""
        return self.checks.get("build") != "fail"

    @property
    def tested(self) -> bool:
        """A test noticed it that no submission can change: not its own tests, nor its formatting."""
        return self.by.startswith("hidden.") or self.checks.get("own_tests", "pass") != "pass"

    @property
    def by(self) -> str:
        failed = [name for name, verdict in self.checks.items() if verdict != "pass"]
        return next((name for name in failed if name.startswith("hidden.")), next(iter(failed), ""))

    def document(self) -> Document:
        said = {"name": self.submission.name, "says": self.submission.says}
        return {**said, "caught": self.caught, "by": self.by or None, "builds": self.builds}


@dataclass(frozen=True)
class Proof:
    starter: Checks
    solution: Sequence[Checks] | None  # one for each grading; None: the task has no solution
    refusals: Sequence[str]
    adversaries: Sequence[Tried] = field(default=())
    mutants: Sequence[Tried] = field(default=())

    @property
    def notes(self) -> Sequence[str]:
        fails = ", ".join(name for name, verdict in self.starter.items() if verdict == "fail")
        passes = (
            f"solution passes {REPEATS} of {REPEATS}" if self.solution else "no solution to try the tests on"
        )
        more = [f"{len(self.adversaries)} adversaries fail"] if self.adversaries else []
        more += [f"{self.share} mutants caught"] if self.mutants else []
        return (passes, f"starter fails {fails}", *more)

    @property
    def caught(self) -> tuple[int, int]:
        """Mutants that a hidden test did not pass, and those that build."""
        built = [one for one in self.mutants if one.builds]
        return sum(one.tested for one in built), len(built)

    @property
    def share(self) -> str:
        return "{} of {}".format(*self.caught)


def prove(
    task: Task,
    grade: Grade,
    adversaries: Sequence[Submission] = (),
    mutants: Sequence[Submission] = (),
    *,
    order: Callable[[list[Any]], None] = random.shuffle,
) -> Proof:
    """order: arranges the gradings. Shuffled, what one leaves behind shows in another.

    Mutants come last and get less time, for some never end: what a solution took PATIENCE times over.
    """
    solutions = [submissions.SOLUTION] * REPEATS if task.solution else []
    jobs = list(enumerate([submissions.STARTER, *solutions, *adversaries]))
    order(jobs)
    graded_as, secs = dict[int, Checks](), {0.0}
    for number, one in jobs:
        began = time.monotonic()
        graded_as[number] = graded(task, grade, one)
        secs |= {time.monotonic() - began} if one is submissions.SOLUTION else set()
    starter, *rest = (graded_as[number] for number in range(len(jobs)))
    solved, tried = rest[: len(solutions)], rest[len(solutions) :]
    brisk = hurried(task, max(LEAST_SECS, PATIENCE * max(secs)))
    tried += [graded(brisk, grade, one) for one in mutants]
    wanted = task.verdicts
    found = [Tried(one, c, wanted) for one, c in zip([*adversaries, *mutants], tried, strict=True)]
    against = found[: len(adversaries)]
    refused = [*starter_refusals(task, starter), *solution_refusals(task, solved)]
    refused += [*adversary_refusals(task, against), *inert_refusals(task, starter, found)]
    return Proof(starter, solved or None, refused, against, found[len(adversaries) :])


def hurried(task: Task, secs: float) -> Task:
    """The task with at most so long for a grading."""
    deadlines = task.file["deadlines_secs"]
    most = min(deadlines["grading"], secs)
    return replace(task, file={**task.file, "deadlines_secs": {**deadlines, "grading": most}})


def graded(task: Task, grade: Grade, submission: Submission) -> Checks:
    """The verdicts on it, as if an agent had left it."""
    with tempfile.TemporaryDirectory(prefix="check-tasks-") as scratch:
        tree = Path(scratch) / "project"
        submissions.make(task, submission, tree)
        grading = grade(task, tree)
    if grading["status"] != "graded":
        raise Stop(Exit.UNAVAILABLE, f"grading {task.name}: {grading['problem']}; the task is not judged")
    checks: Checks = grading["checks"]
    return checks


def solution_refusals(task: Task, gradings: Sequence[Checks]) -> list[str]:
    refused = []
    for number, checks in enumerate(gradings, 1):
        verdicts = {name: checks.get(name, "not run") for name in task.verdicts}
        if lost := ", ".join(f"{name} {verdict}" for name, verdict in verdicts.items() if verdict != "pass"):
            where = f"{task.folder.relative_to(task.evals.parent)}/solution"
            refused.append(f"{where}: grading {number} of {len(gradings)}: {lost}; correct it or the tests")
    return refused


def starter_refusals(task: Task, checks: Checks) -> list[str]:
    if "fail" in checks.values():
        return []
    where = f"{task.folder.relative_to(task.evals.parent)}/starter"
    return [f"{where}: fails no check, so doing nothing would succeed; test what the prompt asks for"]


def adversary_refusals(task: Task, tried: Sequence[Tried]) -> list[str]:
    where = task.folder.relative_to(task.evals.parent)
    return [
        f"{where}: the adversary {one.submission.name} passes ({one.submission.says}); "
        "compare what is asked for with values that are written out"
        for one in tried
        if not one.caught
    ]


def inert_refusals(task: Task, starter: Checks, tried: Sequence[Tried]) -> Iterator[str]:
    """Of hidden tests that every wrong submission passes: the starter, and what the battery tried."""
    where = task.folder.relative_to(task.evals.parent)
    for name in task.verdicts if tried else ():
        judged = [checks[name] for checks in (starter, *(one.checks for one in tried)) if name in checks]
        if name.startswith("hidden.") and {*judged} == {"pass"}:
            each = f"{len(judged)} wrong submissions pass it"
            yield f"{where}/checks: {name} guards nothing, {each}; ask for what the prompt asks for"
