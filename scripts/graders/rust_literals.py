"""A Rust literal's value, another one like it, and one that says nothing.

Literals of kinds that a run cannot be told (byte and C strings) have no value here. It never fails.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection
from dataclasses import dataclass

Value = bool | int | float | str

INTEGER = re.compile(r"(0x[0-9a-fA-F_]+?|0o[0-7_]+|0b[01_]+|\d[\d_]*?)_?((?:[iu](?:8|16|32|64|128|size))?)")
FLOAT = re.compile(r"(\d[\d_]*?(?:\.(?:\d[\d_]*?)?)?(?:[eE][+-]?[\d_]+?)?)_?((?:f32|f64)?)")
RAW = re.compile(r'r(#*)"(.*)"\1', re.DOTALL)
ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F_]+)\}|x([0-9a-fA-F]{2})|\n\s*|(.))", re.DOTALL)
SHORT = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LARGEST_FLOAT = 1 << 20  # beyond it a float may not change when one is added


@dataclass(frozen=True)
class Literal:
    value: Value
    character: bool = False
    suffix: str = ""

    @property
    def blank(self) -> str:
        """A literal of the same type."""
        if isinstance(self.value, bool):
            return "true"
        if isinstance(self.value, str):
            return "'a'" if self.character else '""'
        return ("0.0" if isinstance(self.value, float) else "0") + self.suffix

    @property
    def said(self) -> str:
        """As a run is told it."""
        if isinstance(self.value, bool):
            return str(self.value).lower()
        return repr(self.value) if isinstance(self.value, float) else str(self.value)


def read(kind: str, text: str) -> Literal | None:
    """kind: the parser's name of the literal. None: a run cannot be told it."""
    if kind == "boolean_literal":
        return Literal(text == "true")
    if kind == "negative":
        inner = read("float_literal" if "." in text else "integer_literal", text.removeprefix("-").strip())
        if inner is None or isinstance(inner.value, str):
            return None
        return Literal(-inner.value, suffix=inner.suffix)
    if kind in ("integer_literal", "float_literal"):
        return _number(text)
    if kind == "char_literal":
        return None if text.startswith("b") else Literal(_unescaped(text[1:-1]), character=True)
    if kind == "raw_string_literal" and (raw := RAW.fullmatch(text)):
        return Literal(raw[2])
    if kind == "string_literal" and text.startswith('"'):
        return Literal(_unescaped(text[1:-1]))
    return None


def _number(text: str) -> Literal | None:
    if found := INTEGER.fullmatch(text):
        digits = found[1].replace("_", "")
        value = int(digits, 0) if digits[:2] in ("0x", "0o", "0b") else int(digits)
        return Literal(value, suffix=found[2]) if value < 1 << 126 else None
    if found := FLOAT.fullmatch(text):
        number = float(found[1].replace("_", ""))
        return Literal(number, suffix=found[2]) if number < LARGEST_FLOAT else None
    return None


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        if code := found[1] or found[2]:
            return chr(int(code.replace("_", ""), 16))
        return SHORT.get(found[3], found[3]) if found[3] else ""

    return ESCAPE.sub(one, text)


def another(literal: Literal, beside: Collection[Value], rng: random.Random) -> Literal:
    """A wrong value that looks right, and none of those beside it: in a set it would change nothing."""
    for _ in range(50):
        value = _another(literal, rng)
        if value not in beside:
            break
    return Literal(value, literal.character, literal.suffix)


def _another(literal: Literal, rng: random.Random) -> Value:
    value = literal.value
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        steps = [step for step in (-10, -3, -2, -1, 1, 2, 3, 10) if value < 0 or value + step >= 0]
        return value + rng.choice(steps)
    if isinstance(value, float):
        return value + rng.choice((-1, -0.5, 0.5, 1, 2))
    letters = [at for at, c in enumerate(value) if c.isalpha()]
    places = letters if len(letters) > 2 else [at for at, c in enumerate(value) if c.isalnum()]
    if literal.character:
        places = [0]
    if not places:
        return value + rng.choice(LETTERS)
    at = rng.choice(places)
    pool = "0123456789" if value[at].isdigit() else LETTERS.upper() if value[at].isupper() else LETTERS
    return value[:at] + rng.choice([c for c in pool if c != value[at]]) + value[at + 1 :]
