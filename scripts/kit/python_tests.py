"""A Python hidden test's source: one test, a canary, nothing that may skip, every assertion askable.

It reads and never imports. A refusal is the fault of the test's author.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from kit import python_questions, skip_marks
from kit.globs import Editable
from kit.hidden_tests import HiddenTest
from kit.python_asked import Asked

CANARY = re.compile(rb"^#\s*canary:\s*([0-9a-f]{32})\s*$", re.MULTILINE)


def read(file: Path, runner: str) -> HiddenTest:
    source = file.read_bytes()
    asked = known(source, runner)
    problems = list(asked.problems)
    if asked.source:
        problems += wrong(source, asked)
    canary = CANARY.search(source)
    tests = list(asked.tests)
    return HiddenTest(tests[0] if tests else None, canary[1].decode() if canary else None, tuple(problems))


def is_own(path: PurePath, task: Mapping[str, Any]) -> bool:
    """A test file of the project that no submission may edit: trusted, so the graders run it too."""
    named = path.name.startswith("test_") or (task["grader"] == "pytest" and path.stem.endswith("_test"))
    return path.suffix == ".py" and named and os.fsencode(path) not in Editable(task["editable"])


@functools.lru_cache
def known(source: bytes, runner: str) -> Asked:
    """What can be said of a test before it is graded; many gradings load the same task."""
    return python_questions.ask(source, runner)


def wrong(source: bytes, asked: Asked) -> Iterator[str]:
    if len(asked.tests) != 1:
        yield f"holds {len(asked.tests)} tests; write exactly one in a file of its own"
    if 0 in asked.tests.values():
        yield "its table is empty, so it is never run; write rows"
    for mark in skip_marks.found("x.py", source):
        yield f"{mark}: may skip the test; remove it"
    if all(question.canary for question in asked.questions.values()):
        yield "asserts nothing; compare what the submission gives with a value"
