"""Judge what a Python test run reported, against what was taken out of the test before it ran.

It shares no process with the submission: every value is plain data by now (python_values.py).
A report that lacks a row, holds one too many, or that nobody could have made is a failure of the submission.
"""

from __future__ import annotations

import binascii
import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graders import Verdict
from graders.python_values import compare, value
from kit.python_asked import Asked, Question

MOST_BYTES = 24 << 20  # of rows that were packed
STRANGE = "something else was written where the report goes"


class Wrong(Exception):
    """The submission's failure; the text is for a person."""


@dataclass
class Report:
    """The rows of one test file."""

    asked: Asked
    ended: Counter[str] = field(default_factory=Counter)
    heard: dict[str, int] = field(default_factory=dict)  # test to how many answers came while it ran
    seen: Counter[int] = field(default_factory=Counter)  # questions and twins
    truths: Counter[int] = field(default_factory=Counter)  # of these, what was answered by yes or no
    strong: set[int] = field(default_factory=set)
    tokens: set[int] = field(default_factory=set)
    finished: bool = False
    status: int | None = None
    test: str = ""


def rows(output: bytes, *, cut: bool = False) -> list[list[Any]]:
    """The report, one list for each line. Wrong: somebody else wrote there too, or it was cut.

    What was cut out may be the one answer that was wrong.
    """
    if cut:
        raise Wrong("its report is longer than what is kept of it; assert less often, or of less")
    found: list[list[Any]] = []
    left = MOST_BYTES
    for line in output.splitlines():
        row = parsed(line)
        if row[1] == "z":
            packed = unpacked(row, left)
            left -= len(packed)
            found += map(parsed, packed.splitlines())
        else:
            found.append(row)
    return found


def parsed(line: bytes) -> list[Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Wrong(STRANGE) from error
    if not isinstance(row, list) or len(row) < 2:
        raise Wrong(STRANGE)
    return row


def unpacked(row: list[Any], most: int) -> bytes:
    """Rows that were packed, since a test had told so many."""
    try:
        data = zlib.decompressobj().decompress(binascii.a2b_base64(row[2]), most + 1)
    except (LookupError, TypeError, ValueError, zlib.error) as error:
        raise Wrong(STRANGE) from error
    if len(data) > most:
        raise Wrong(f"its report is longer than {MOST_BYTES >> 20} MiB; assert less often, or of less")
    return data


def judge(asked: Asked, report: Sequence[Sequence[Any]]) -> tuple[Verdict, str]:
    state = Report(asked)
    try:
        for _, kind, *said in report:
            take(state, kind, said)
        conclude(state)
    except Wrong as wrong:
        return "fail", str(wrong)
    except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError):
        return "fail", "its report cannot be read"
    real = [number for number in {*state.seen} & {*asked.questions} if not asked.questions[number].canary]
    strong = sum(number in state.strong for number in real)
    by = f"{strong} by value, {len(real) - strong} by truth"
    return "pass", f"{sum(state.ended.values()) - 1} passed; {len(real)} assertions, {by}"


def take(state: Report, kind: str, said: Sequence[Any]) -> None:
    match kind:
        case "start":
            state.test = bare(said[0])
            state.heard.setdefault(state.test, 0)
        case "end":
            end(state, bare(said[0]), said[1])
            state.test = ""
        case "finish":
            state.finished = True
        case "exit":
            state.status = said[0]
        case "v" | "k" | "p" | "o" | "t":
            answer(state, kind, said[0], said[1:])
        case _:
            raise Wrong(f"its report holds {kind!r}")


def bare(name: str) -> str:
    """Without the parameters of one instance."""
    return str(name).partition("[")[0]


def end(state: Report, test: str, how: str) -> None:
    if test != state.test:
        raise Wrong(f"{test} ended without having begun")
    state.ended[test] += 1
    if test == state.asked.canary:
        if how not in ("failed", "failures"):
            raise Wrong(f"a test that must fail {how}: assertions or results were tampered with")
    elif not {test, f"{test.rpartition('.')[0]}."} & {*state.asked.tests, *state.asked.maybe}:
        raise Wrong(f"{test}: a test that trusted sources do not hold")
    elif how != "passed":
        raise Wrong(f"{test} {how}")


def answer(state: Report, kind: str, number: int, said: Sequence[Any]) -> None:
    asked = state.asked
    twin = number in asked.twins
    question = asked.questions[asked.twins[number] if twin else number]
    state.seen[number] += 1
    state.heard[state.test] = state.heard.get(state.test, 0) + 1
    right = rightly(state, kind, number, question, said)
    if kind == "t" and right:
        state.truths[number] += 1
        expected = twin if question.canary else not twin
        right = said[0] is expected
    if not right:
        raise Wrong(f"{state.test}: line {question.line}: {shown(kind, said, question)}")


def rightly(state: Report, kind: str, number: int, question: Question, said: Sequence[Any]) -> bool:
    match kind:
        case "v":
            state.strong.add(number)
            return compare(question.op, value(said[0]), question.expected[0], question.options)
        case "k" if not question.expected:
            state.strong.add(number)
            state.tokens.add(said[0])
            return compare(question.op, value(said[1]), state.asked.tokens[said[0]], question.options)
        case "p" if not question.expected:
            return compare(question.op, value(said[0]), value(said[1]), question.options)
        case "t":
            return not question.expected
        case "o":
            return question.op in ("is not", "!=") and not question.expected
    return False


def conclude(state: Report) -> None:
    asked = state.asked
    for test, instances in {**asked.tests, asked.canary: None}.items():
        ran = state.ended[test]
        if ran == 0 or (instances is not None and ran != instances):
            name = "a test that must fail" if test == asked.canary else test
            raise Wrong(f"{name} ran {ran} times to its end, {instances or 'at least 1'} expected")
        if not state.heard.get(test) and test not in asked.silent:
            raise Wrong(f"{test} came to no assertion")
    for number, question in asked.questions.items():
        must = question.must * max(1, state.ended[question.test])
        if state.seen[number] < must:
            times = f"{state.seen[number]} times, {must} expected"
            raise Wrong(f"the assertion in line {question.line} was reached {times}")
    if lost := asked.must_see - state.tokens:
        raise Wrong(f"{len(lost)} rows of a table were not asserted")
    if any(state.truths[twin] != state.truths[number] for twin, number in asked.twins.items()):
        raise Wrong("an answer and its twin do not go together")
    if not state.finished or state.status != 0:
        raise Wrong(f"its process ended before its report (status {state.status})")


def shown(kind: str, said: Sequence[Any], question: Question) -> str:
    """What the submission gave; what was expected is nobody's but the author's."""
    if kind == "o":
        return f"a {said[0]} is no plain data, so it cannot be compared from outside"
    if kind in ("v", "k"):
        return f"gave {value(said[-1 if kind == 'v' else 1])!r:.120}"
    return f"the assertion ({question.op}) does not hold"
