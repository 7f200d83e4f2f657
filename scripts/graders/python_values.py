"""A value out of a report: plain data again, compared as the test would have, by built-in types only."""

from __future__ import annotations

import datetime
import decimal
import fractions
import re
import unittest
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graders.python_inside import COMPARE


def value(said: Sequence[Any]) -> Any:
    """Plain data again, made of built-in types alone."""
    kind, *parts = said
    return VALUES[kind](*parts)


VALUES: Mapping[str, Callable[..., Any]] = {
    "c": lambda v: {None: None, True: True, False: False}[v],
    "i": lambda text: int(text, 16),  # a decimal has a limit of digits
    "f": float.fromhex,
    "z": complex,
    "s": str,
    "y": bytes.fromhex,
    "l": lambda v: [value(one) for one in v],
    "u": lambda v: tuple(value(one) for one in v),
    "d": lambda v: {value(key): value(held) for key, held in v},
    "e": lambda v: frozenset(value(one) for one in v),
    "F": lambda over, under: fractions.Fraction(int(over, 16), int(under, 16)),
    "D": decimal.Decimal,
    "t": lambda kind, text: TIMES[kind](text),
}
TIMES: Mapping[str, Callable[[str], Any]] = {
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": lambda text: datetime.timedelta(
        **{k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)", text)}
    ),
}
CASE = unittest.TestCase()
BY_UNITTEST: Mapping[str, Callable[..., None]] = {
    "almost": CASE.assertAlmostEqual,
    "not almost": CASE.assertNotAlmostEqual,
    "count": CASE.assertCountEqual,
}


def compare(op: str, left: Any, right: Any, options: Mapping[str, Any]) -> bool:
    """As the tests would, of plain data: by operators, by unittest's own methods, by pytest's approx."""
    try:
        match op:
            case "is":
                return type(left) is type(right) and bool(left == right)
            case "is not":
                return type(left) is not type(right) or bool(left != right)
            case "approx":
                import pytest  # here: it is slow to import, and few tests need it

                return bool(left == pytest.approx(right, **options))
            case "almost" | "not almost" | "count":
                BY_UNITTEST[op](left, right, **options)
            case _:
                return bool(COMPARE[op](left, right))
    except (TypeError, ValueError, ArithmeticError, AssertionError):
        return False
    return True
