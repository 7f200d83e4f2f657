"""Make of a hidden test a program that asks instead of asserting, and read what a run of it reported.

The program holds no expected value: told, each literal of a strong assertion is one that says nothing until
the run is told it; blind, the side of literals is never evaluated, and the other side's text is reported.
Names, numbers and signs are random in every build. It neither builds nor runs anything.
"""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders import Infrastructure, rust_imports, rust_questions
from graders.hidden_places import WEAK, Asked, Sign, placed, weak
from graders.rust_expected import Cell
from graders.rust_imports import Edit
from graders.rust_questions import Question
from kit import hidden_tests
from kit.hidden_tests import Scheme, walk

RUNTIME = Path(__file__).parent / "hidden_runtime.rs"


class Unjudged(Infrastructure):
    """The scheme cannot judge what the test's author wrote; the text says what to change."""


PADS = 24  # answers that are always true: a report is forged by guessing the sign of each
MACROS = {"assert": "holds", "assert_eq": "equal", "assert_ne": "differ"}


@dataclass(frozen=True)
class Program:
    text: bytes
    mark: str
    asked: Sequence[Asked]
    pads: Sequence[Sign]
    told: dict[Cell, int]  # a literal to the number under which a run is told it
    count: int
    spawns: bool

    @property
    def strong(self) -> int:
        return sum(one.strong for one in self.asked)

    @property
    def weak(self) -> list[int]:
        return sorted(one.question.line for one in self.asked if not one.strong)


@dataclass(frozen=True)
class Report:
    """What a run printed behind the mark."""

    well: bool  # the test returned, and not an error
    seen: Sequence[str]  # of each answer: 00, 01, 10 or 11
    said: dict[int, list[str]]  # of each value that was asked for: its text, in hexadecimal, each time


def make(file: Path, scheme: Scheme) -> Program:
    test = hidden_tests.read(file)
    if test.problems or test.name is None:
        raise Infrastructure(f"{file}: {'; '.join(test.problems)}")
    read = rust_questions.read(file.read_bytes())
    rng, mark = random.SystemRandom(), f"q{secrets.token_hex(6)}"
    strong = [bool(q.groups) if scheme == "told" else bool(q.side and q.standard) for q in read.questions]
    if scheme == "blind" and (lines := [q.line for q in read.questions if unjudged(q)]):
        what = "expects a value of the crate's own types, whose equality the crate itself decides"
        todo = "compare its parts, or leave out the line `// scheme: blind`"
        raise Unjudged(f"{file}: line {', '.join(map(str, lines))}: {what}; {todo}")
    cells = [cell for q in read.questions for group in q.groups for cell in group] if scheme == "told" else []
    slots = list(range(sum(2 if one else WEAK for one in strong) + PADS + len(cells)))
    rng.shuffle(slots)
    signs = (Sign(slot, rng.random() < 0.5) for slot in slots)
    asked = [placed(q, is_strong, signs, rng) for q, is_strong in zip(read.questions, strong, strict=True)]
    pads = [next(signs) for _ in range(PADS)]
    told = {cell: next(signs).slot for cell in cells}
    edits = [*imports(file, read.root), *asking(asked, scheme, mark), *telling(told, mark)]
    edits += blanks(asked) if scheme == "blind" else []
    edits += wrapper(read.root, test.name, mark, pads)
    edits += [
        (n.start_byte, n.end_byte, rust_imports.lines(n)) for n in walk(read.root) if "comment" in n.type
    ]
    filled = {"MARK": mark, "COUNT": str(len(slots)), "// WEAK": "\n    ".join(weak(asked))}
    runtime = RUNTIME.read_text("utf-8")
    for place, text in filled.items():
        runtime = runtime.replace(place, text)
    body = applied(edits, read.source)
    program = b"#![allow(warnings)] " + body + b"\n" + runtime.encode()
    return Program(program, mark, asked, pads, told, len(slots), test.spawns)


def unjudged(question: Question) -> bool:
    """Blind would have only the submission's word for it, where told has more."""
    return bool(question.groups and question.side and question.own)


def imports(file: Path, root: rust_questions.Node) -> list[Edit]:
    try:
        return rust_imports.rewritten(root)
    except rust_imports.Unclear as unclear:
        raise Infrastructure(f"{file}: {unclear}") from unclear


def asking(asked: Sequence[Asked], scheme: Scheme, mark: str) -> Iterator[Edit]:
    for number, one in enumerate(asked):
        question = one.question
        by_value = scheme == "blind" and one.strong
        macro = question.side if by_value else MACROS[question.macro]
        before, behind = question.joined
        begins, opens = ("); ", "!(") if before else ("{ " if behind else "", "")
        yield (*question.name, f"{begins}crate::{mark}_{macro}{opens}".encode())
        if before and not behind:
            yield question.closes, question.closes, b" }"
        how = f"ask, {one.answers[0].rust}, {one.twins[0].rust}" if one.strong else f"w{number}"
        how = str(one.answers[0].slot) if by_value else how
        yield question.opens, question.opens, f"({how}) ".encode()
        yield (*question.rest, b"")
        if by_value and question.macro == "assert":
            yield (*question.operator, b",")


def telling(told: dict[Cell, int], mark: str) -> Iterator[Edit]:
    for cell, slot in told.items():
        yield cell.start, cell.end, f"crate::{mark}::lit({slot}, {cell.literal.blank})".encode()


def blanks(asked: Sequence[Asked]) -> Iterator[Edit]:
    for cell in (cell for one in asked if one.strong for group in one.question.groups for cell in group):
        yield cell.start, cell.end, cell.literal.blank.encode()


def wrapper(root: rust_questions.Node, name: str, mark: str, pads: Sequence[Sign]) -> Iterator[Edit]:
    """In the place of the test's attribute: a test that calls the function, and reports when it returns."""
    notes = [f"crate::{mark}::note({pad.slot}, true, {str(pad.sign).lower()});" for pad in pads]
    half = len(notes) // 2
    body = [f"crate::{mark}::begin();", *notes[:half], f"let ended = super::{name}();", *notes[half:]]
    body.append(f"crate::{mark}::end(ended);")
    test = f"#[::std::prelude::v1::test] fn {name}() {{ {' '.join(body)} }}"
    attributes = [
        n for n in walk(root) if n.type == "attribute_item" and hidden_tests.attribute(n)[0] == "test"
    ]
    module = f"mod t{secrets.token_hex(6)} {{ {test} }}".encode()
    yield attributes[0].start_byte, attributes[0].end_byte, module


def applied(edits: Sequence[Edit], source: bytes) -> bytes:
    """The edits in their order, insertions first; one inside another is gone with it."""
    out, at = [], 0
    for start, end, new in sorted(set(edits), key=lambda edit: (edit[0], edit[0] != edit[1], -edit[1])):
        if start < at:
            continue
        out += [source[at:start], new]
        at = end
    return b"".join([*out, source[at:]])


def reported(program: Program, stdout: bytes) -> Report | None:
    """None: not exactly one whole report."""
    row = re.compile(
        rb"^%s (true|false)((?: [01][01])*) \|((?: \d+:[0-9a-f]*)*)$" % program.mark.encode(), re.M
    )
    found = row.findall(stdout)
    if len(found) != 1 or stdout.count(program.mark.encode()) != 1:
        return None
    seen, said = found[0][1].decode().split(), dict[int, list[str]]()
    for each in found[0][2].decode().split():
        slot, _, text = each.partition(":")
        said.setdefault(int(slot), []).append(text)
    return Report(found[0][0] == b"true", seen, said) if len(seen) == program.count else None
