"""What is asked in place of a test's assertions, and what was taken out of its source.

The judge (graders/python_answers.py) holds it; of all this the rewritten test's process has the source alone.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Question:
    """One assertion. expected: (value,) where it was taken out of the source."""

    op: str
    expected: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    line: int = 0
    must: int = 0  # how often it is reached on every way through its test
    test: str = ""  # as the report names it
    canary: bool = False


@dataclass
class Asked:
    """A test file as it is run, and all that the judge must know of it."""

    source: str = ""
    prefix: str = ""
    questions: dict[int, Question] = field(default_factory=dict)
    twins: dict[int, int] = field(default_factory=dict)  # a twin to its question
    tokens: dict[int, Any] = field(default_factory=dict)
    must_see: set[int] = field(default_factory=set)  # tokens that must be asked about
    tests: dict[str, int | None] = field(default_factory=dict)  # name to how often it runs; None: not known
    silent: set[str] = field(default_factory=set)  # tests that assert nothing, and call nothing that does
    maybe: set[str] = field(default_factory=set)  # names of no def that pytest may take for a test's
    canary: str = ""
    problems: list[str] = field(default_factory=list)

    def token(self, value: Any, *, must: bool) -> ast.expr:
        """What stands in the source for an expected value."""
        number = len(self.tokens) + 1
        self.tokens[number] = value
        if must:
            self.must_see.add(number)
        return self.call("Expected", ast.Constant(number))

    def call(self, kind: str, *args: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(ast.Name(self.prefix, ast.Load()), kind, ast.Load()), [*args], [])
