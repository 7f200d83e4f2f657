"""Judge a blind hidden test: the submission's report must be the solution's, value by value.

The process never learns whether an assertion held, so there is nothing to search for. An assertion without a
side of literals reports only its truth, as in a told test. What the solution reports must not vary from run
to run: that is the task author's fault, and nothing is judged. It runs nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from graders import Done, Infrastructure, told
from graders.hidden_program import Program, reported
from graders.told import Answer, Run

RUNS = 3  # of the solution

Values = dict[int, list[str]]  # by question: the texts reported, in the order of their coming


def run(program: Program, rng: random.Random) -> Run:
    return Run([rng.choice("01") for _ in range(program.count)], [True] * len(program.asked))


def expected(program: Program, ended: Sequence[tuple[Run, Done]]) -> tuple[Values, frozenset[int]]:
    """What the solution reported in every run, and which questions it never reached."""
    found: Values | None = None
    unreached: frozenset[int] = frozenset()
    for each, done in ended:
        answer = judged(program, each, done, None)
        if answer.wrong:
            raise Infrastructure(f"the solution: {'; '.join(answer.wrong)}; correct the solution or the test")
        said = values(program, done)
        for number, texts in said.items():
            if found is not None and found.get(number) != texts:
                line = program.asked[number].question.line
                raise Infrastructure(f"line {line}: the solution's value is another in every run; bind less")
        found, unreached = said, answer.unreached
    return found or {}, unreached


def values(program: Program, done: Done) -> Values:
    report = reported(program, done.stdout)
    said = report.said if report else {}
    wanted = [(number, one) for number, one in enumerate(program.asked) if one.strong]
    return {number: [plain(text) for text in said.get(one.answers[0].slot, [])] for number, one in wanted}


def plain(text: str) -> str:
    """-0.0 and 0.0 are equal, and print differently."""
    shown = bytes.fromhex(text).decode("utf-8", "replace")
    return re.sub(r"(?<![\w.])-0\.0(?!\d)", "0.0", shown)


def judged(program: Program, run: Run, done: Done, wanted: Values | None) -> Answer:
    """wanted None: the solution itself, whose values are right by definition."""
    weak = [number for number, one in enumerate(program.asked) if not one.strong]
    if problem := told.ended_badly(program, done):
        return Answer([problem], frozenset())
    report = reported(program, done.stdout)
    seen = report.seen if report else []
    wrong, unreached = [], set()
    for number in weak:
        one = program.asked[number]
        answers = one.noted(seen)
        if set(answers) == {"00"}:
            unreached.add(number)
        elif answers != told.predicted(one, True, run):
            wrong.append(told.said(one, True))
    if any(seen[pad.slot] != told.noted(pad, True, run) for pad in program.pads):
        wrong.append("the report was not made by the test")
    for number, texts in values(program, done).items():
        if not texts:
            unreached.add(number)
        elif wanted is not None and texts != wanted.get(number):
            wrong.append(told.said(program.asked[number], True))
    return Answer(wrong, frozenset(unreached))
