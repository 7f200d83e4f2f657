"""Blind hidden tests: the submission's process never learns whether an assertion held (G08)."""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from graders import Done, Infrastructure, Work, blind, cargo, hidden_program, told
from graders.hidden_program import Program
from grading.bare import Bare, launcher
from kit.tools import Tools

MANIFEST = '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n'
HIDDEN = b"""// scheme: blind
#[test]
fn doubles() {
    assert_eq!(demo::double(21), 42);
    assert!(Some(-6) == Some(demo::double(-3)));
    let want = [2, 4];
    assert_eq!([1, 2].map(demo::double), want);
    assert!(demo::double(5) > 8);
    assert_eq!(demo::point(1).x, 1);
}
"""
RIGHT = (
    "#[derive(Debug, PartialEq)]\npub struct Point { pub x: i32 }\n"
    "pub fn point(x: i32) -> Point { Point { x } }\npub fn double(x: i32) -> i32 { x * 2 }\n"
)


def laid_out(root: Path, hidden: bytes = HIDDEN, solution: str | None = RIGHT) -> Path:
    """A task's folder."""
    for name in ("checks", "starter/src"):
        (root / name).mkdir(parents=True)
    (root / "checks/double.rs").write_bytes(hidden)
    (root / "starter/Cargo.toml").write_text(MANIFEST)
    (root / "starter/src/lib.rs").write_text("")
    if solution is not None:
        (root / "solution/src").mkdir(parents=True)
        (root / "solution/src/lib.rs").write_text(solution)
    return root


def program() -> Program:
    with tempfile.TemporaryDirectory() as folder:
        return hidden_program.make(laid_out(Path(folder)) / "checks/double.rs", "blind")


def ended(made: Program, run: told.Run, values: dict[int, str]) -> Done:
    rows = ["00"] * made.count
    said = []
    for number, one in enumerate(made.asked):
        if one.strong:
            said.append(f" {one.answers[0].slot}:{values[number].encode().hex()}")
        else:
            for sign, what in zip((*one.answers, *one.twins), told.predicted(one, True, run), strict=True):
                rows[sign.slot] = what
    for pad in made.pads:
        rows[pad.slot] = told.noted(pad, True, run)
    return Done(0, False, f"\n{made.mark} true {' '.join(rows)} |{''.join(said)}\n".encode(), b"", 0.1)


def test_G08_the_literal_side_is_not_in_the_program() -> None:
    made = program()
    text = re.sub(r"(note|left!|right!)\(\(?\d+", "", made.text.split(b"// Goes behind")[0].decode())
    assert (made.strong, made.weak) == (4, [8])
    assert not [value for value in ("42", "-6", "[2, 4]") if f" {value}" in text]


def test_G08_values_decide_and_a_value_that_varies_is_the_authors_fault() -> None:
    made, rng = program(), random.Random(1)
    values = {0: "42", 1: "Some(-6)", 2: "[2, 4]", 4: "1"}
    runs = [blind.run(made, rng) for _ in range(3)]
    wanted, unreached = blind.expected(made, [(run, ended(made, run, values)) for run in runs])
    assert unreached == frozenset()
    for said, right in (
        (values, True),
        ({**values, 1: "Some(6)"}, False),
        ({**values, 2: "[2, 4, 6]"}, False),
    ):
        answer = blind.judged(made, runs[0], ended(made, runs[0], said), wanted)
        assert (answer.wrong == "") is right
    vary = [(run, ended(made, run, {**values, 0: str(number)})) for number, run in enumerate(runs)]
    with pytest.raises(Infrastructure, match="another in every run"):
        blind.expected(made, vary)


@pytest.mark.parametrize(
    "line",
    [
        "assert_eq!(demo::point(1), demo::Point { x: 1 });",
        "assert!(Some(demo::Point { x: 1 }) == demo::maybe(1));",
        "let wish = demo::Red(1); assert_eq!(demo::colour(), wish);",
    ],
)
def test_G08_what_blind_cannot_judge_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    """A type of the submission compares and prints as it likes, so only told can tell."""
    folder = laid_out(tmp_path, HIDDEN.replace(b"assert!(demo::double(5) > 8);", line.encode()))
    with pytest.raises(hidden_program.Unjudged, match=r"line 8: .*compare its parts"):
        hidden_program.make(folder / "checks/double.rs", "blind")
    assert hidden_program.make(folder / "checks/double.rs", "told").weak == []


@pytest.mark.parametrize(
    "line",
    [
        "for (x, wish) in [(1, 2), (2, 4)] { assert_eq!(demo::double(x), wish); }",
        "assert_eq!(demo::counts(), std::collections::HashMap::from([('a', 1)]));",
    ],
)
def test_what_only_the_standard_library_compares_is_not_refused(line: str, tmp_path: Path) -> None:
    folder = laid_out(tmp_path, HIDDEN.replace(b"assert!(demo::double(5) > 8);", line.encode()))
    hidden_program.make(folder / "checks/double.rs", "blind")


def test_negative_zero_is_zero() -> None:
    assert blind.plain(b"Some(-0.0)".hex()) == "Some(0.0)"
    assert blind.plain(b"x-0.05".hex()) == "x-0.05"


def judged(root: Path, lib: str, tools: Tools, task: Path) -> tuple[str, str, dict[str, object]]:
    work = Work(
        {"checks": ["double"], "fmt_check": False},
        root / "project",
        task / "checks",
        root / "s",
        root / "f",
        launcher(tools.sysroot),
    )
    for folder in (work.scratch, work.fixtures):
        folder.mkdir(parents=True)
    shutil.copytree(task / "starter", work.copy)
    (work.copy / "src/lib.rs").write_text(lib)
    found = {one.name: one for one in cargo.judge(work, Bare(tools.sysroot))}["hidden.double"]
    return found.verdict, found.detail, dict(found.counted)


@pytest.mark.real
def test_G08_a_blind_test_tells_right_from_wrong(tmp_path: Path, tools: Tools) -> None:
    task = laid_out(tmp_path / "task")
    verdict, said, counted = judged(tmp_path / "right", RIGHT.replace("x * 2", "x + x"), tools, task)
    assert (verdict, counted) == ("pass", {"scheme": "blind", "strong": 4, "weak": 1}), said
    for name, lib in (
        ("wrong", RIGHT.replace("x * 2", "x * 3")),
        ("only the examples", RIGHT.replace("x * 2", "if x == 21 { 42 } else { x }")),
        ("ends", RIGHT.replace("x * 2", "std::process::exit(x - x)")),
    ):
        assert judged(tmp_path / name, lib, tools, task)[0] == "fail", name


@pytest.mark.real
def test_G07_a_blind_test_without_a_solution_that_passes_judges_nothing(tmp_path: Path, tools: Tools) -> None:
    task = laid_out(tmp_path / "task", solution=RIGHT.replace("point(x: i32) -> Point { Point { x } }", ""))
    with pytest.raises(Infrastructure, match="solution"):
        judged(tmp_path / "right", RIGHT, tools, task)
