"""Judge a told hidden test: each run is told what to expect, and about half of it is wrong.

The grader knows which assertions must hold and which must not. The submission cannot: whether it takes the
value from the test, skips or patches assertions, forges the report, asks again or ends the process. Runs come
in pairs, each the opposite of the other. A pass is every answer of every run as predicted. It runs nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graders import Done, libtest
from graders.hidden_places import Asked, Sign
from graders.hidden_program import Program, reported
from graders.rust_expected import Cell
from graders.rust_literals import another
from graders.rust_questions import Question

RUNS = 10  # guessing one expected value right in all of them: 1 in 1024

Told = Sequence[str]
Order = dict[str, list[int]]  # of a group's literals: each is wrong alone in its turn, so none is ignored


@dataclass(frozen=True)
class Run:
    """One run: what it is told by number, and of each question whether it must hold."""

    told: Told
    holds: Sequence[bool]


@dataclass(frozen=True)
class Answer:
    """What one run came to."""

    wrong: list[str]  # for a person; none: everything was as predicted
    unreached: frozenset[int]  # places in program.asked


def runs(program: Program, rng: random.Random) -> Iterator[Run]:
    wrong: dict[str, bool] = {}
    order: Order = {}
    for number in range(RUNS):
        if number % 2:
            wrong = {key: not was for key, was in wrong.items()}
        else:
            wrong = {expectation(one.question): rng.random() < 0.5 for one in program.asked if one.strong}
        yield run(program, wrong, rng, order, number // 2)


def run(program: Program, wrong: dict[str, bool], rng: random.Random, order: Order, pair: int) -> Run:
    told = [rng.choice("01") for _ in range(program.count)]
    told_wrong: dict[str, tuple[int, str]] = {}  # equal expectations change alike: no majority is to be seen
    holds = []
    for one in program.asked:
        change = one.strong and wrong.get(expectation(one.question), False)
        for group in one.question.groups if one.strong else ():
            key = repr([cell.literal for cell in group])
            place = order.setdefault(key, rng.sample(range(len(group)), len(group)))[pair % len(group)]
            at, value = told_wrong.setdefault(key, changed(group, place, rng))
            for number, cell in enumerate(group):
                if cell in program.told:
                    told[program.told[cell]] = value if change and number == at else cell.literal.said
        holds.append(not change)
    return Run(told, holds)


def changed(group: Sequence[Cell], at: int, rng: random.Random) -> tuple[int, str]:
    """Which of a group's literals a wrong expectation changes, and to what."""
    beside = {cell.literal.value for cell in group}
    return at, another(group[at].literal, beside, rng).said


def expectation(question: Question) -> str:
    return repr(sorted({repr([cell.literal for cell in group]) for group in question.groups}))


def judged(program: Program, run: Run, done: Done) -> Answer:
    if problem := ended_badly(program, done):
        return Answer([problem], frozenset())
    report = reported(program, done.stdout)
    seen = report.seen if report else []
    unreached, wrong = set(), []
    for number, (one, held) in enumerate(zip(program.asked, run.holds, strict=True)):
        said_of_it = one.noted(seen)
        if set(said_of_it) == {"00"}:
            unreached.add(number)
        elif said_of_it != predicted(one, held, run):
            wrong.append(said(one, held))
    if any(seen[pad.slot] != noted(pad, True, run) for pad in program.pads):
        wrong.append("the report was not made by the test")
    return Answer(list(dict.fromkeys(wrong)), frozenset(unreached))


def noted(place: Sign, held: bool, run: Run) -> str:
    return "01" if (held == place.sign) == (run.told[place.slot] == "1") else "10"


def predicted(one: Asked, held: bool, run: Run) -> list[str]:
    """As Asked.noted has them."""
    return [
        *(noted(place, held, run) for place in one.answers),
        *(noted(twin, True, run) for twin in one.twins),
    ]


def said(one: Asked, held: bool) -> str:
    line = f"line {one.question.line}: {one.question.shown[:120]}"
    return f"assertion does not hold: {line}" if held else f"assertion holds whatever is expected: {line}"


def ended_badly(program: Program, done: Done) -> str:
    """What is wrong with a run that did not report as a test does that returns."""
    if done.timed_out:
        return "it did not end within the grading deadline"
    report = reported(program, done.stdout)
    if report is None:
        return f"it ended with status {done.exit} and without exactly one report: {libtest.said(done)}"
    if not report.well:
        return f"the test returned an error: {libtest.said(done)}"
    return "" if done.exit == 0 else f"the test returned, and its process ended with status {done.exit}"
