"""Blind hidden tests: the submission's process never learns whether an assertion held (G08)."""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from graders import Done, Infrastructure, Work, blind, cargo, cargo_hidden, hidden_program, told
from graders.cargo_build import Built
from graders.cargo_crate import Crate
from graders.cargo_hidden import Hidden
from graders.cargo_reference import Reference
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


def ended(made: Program, run: told.Run, values: dict[int, str], *, held: bool = True) -> Done:
    """held: what the weak questions answer."""
    rows = ["00"] * made.count
    said = []
    for number, one in enumerate(made.asked):
        if one.strong:
            said.append(f" {one.answers[0].slot}:{values[number].encode().hex()}")
        else:
            for sign, what in zip((*one.answers, *one.twins), told.predicted(one, held, run), strict=True):
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
        assert (not answer.wrong) is right
    assert blind.judged(made, runs[0], ended(made, runs[0], values, held=False), wanted).wrong
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


@pytest.mark.parametrize(
    ("line", "strong"),
    [
        ("assert_eq!(demo::found(1), None);", True),
        ("assert!(Ok(()) == demo::tried());", True),
        ("let none = None; assert_eq!(demo::found(1), none);", True),
        ("assert_eq!(demo::all(), vec![]);", True),
        ("assert_eq!(demo::colour(), demo::RED);", False),
        ("let a = demo::double(1); assert_eq!(demo::double(1), a);", False),
        ("assert_ne!(demo::found(1), None);", False),
    ],
)
def test_G08_what_is_expected_needs_no_literal(line: str, strong: bool, tmp_path: Path) -> None:
    """None has no literal that a told run could change; blind compares what is found with the solution's."""
    folder = laid_out(tmp_path, HIDDEN.replace(b"assert!(demo::double(5) > 8);", line.encode()))
    asked = hidden_program.make(folder / "checks/double.rs", "blind").asked
    assert [one.strong for one in asked if one.question.line == 8] == [strong]
    assert hidden_program.make(folder / "checks/double.rs", "told").weak == [8]


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


class Slow:
    """A bench with nothing left of its deadline."""

    def run(
        self, argv: Sequence[str], *, cwd: Path, writable: Sequence[Path], readable: Sequence[Path]
    ) -> Done:
        return Done(None, True, b"", b"nothing was left of the grading deadline", 0.0)


def test_G07_a_submission_that_took_the_deadline_from_its_solution_has_failed(tmp_path: Path) -> None:
    """Its trial is not excluded: nothing is wrong with the task."""
    task = laid_out(tmp_path / "task")
    (tmp_path / "launcher").write_bytes(b"")
    folders = [tmp_path / name for name in ("copy", "scratch", "fixtures", "crate")]
    for folder in folders:
        folder.mkdir()
    work = Work({}, folders[0], task / "checks", folders[1], folders[2], tmp_path / "launcher")
    crate, made = Crate(work, Slow(), folders[3]), program()
    crate.program("double").write_bytes(b"")
    hidden = Hidden("double", "double_0", "blind", made, False)
    found = cargo_hidden.judge(hidden, crate, Built([], tmp_path), Reference(work, Slow(), [hidden]))
    assert (found.verdict, found.detail[:16]) == ("fail", "nothing was left")


@pytest.mark.real
@pytest.mark.bare
def test_G07_a_test_that_its_own_solution_does_not_compile_with_judges_nothing(
    tmp_path: Path, tools: Tools
) -> None:
    hidden = b"""use demo::Twice;
fn named<T: Twice>(_: T) {}
#[test]
fn doubles() {
    assert_eq!(21_i32.twice(), 42);
}
"""
    lib = "pub trait Twice { fn twice(self) -> i32; }\n"
    lib += "impl Twice for i32 { fn twice(self) -> i32 { self * 2 } }\n"
    task = laid_out(tmp_path / "task", hidden, lib)
    with pytest.raises(Infrastructure, match=r"(?s)the solution: .*twice.*`use x::Trait as _;`"):
        judged(tmp_path / "right", lib, tools, task)


@pytest.mark.real
@pytest.mark.bare
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
@pytest.mark.bare
def test_G07_a_blind_test_without_a_solution_that_passes_judges_nothing(tmp_path: Path, tools: Tools) -> None:
    task = laid_out(tmp_path / "task", solution=RIGHT.replace("point(x: i32) -> Point { Point { x } }", ""))
    with pytest.raises(Infrastructure, match="solution"):
        judged(tmp_path / "right", RIGHT, tools, task)
