"""Told hidden tests: no expected value is in the program, and no pass can be guessed or forged (G08)."""

from __future__ import annotations

import random
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders import (
    Done,
    Infrastructure,
    cargo_build,
    hidden_places,
    hidden_program,
    rust_imports,
    rust_literals,
    rust_questions,
    told,
)
from graders.hidden_program import Program
from kit import hidden_tests

HIDDEN = b"""use demo::{double, sub::name as called};

#[test]
fn doubles() {
    assert_eq!(double(21), 42, "twice 21 is 42");
    assert!(double(-3) == -6);
    let want = "bob";
    assert_eq!(called(), want);
    for (x, y) in [(1, 2), (7, 14)] {
        assert_eq!(double(x), y);
    }
    assert!(double(5) > 8);
}
"""


def program(folder: Path, source: bytes = HIDDEN) -> Program:
    file = folder / "checks/double.rs"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(source)
    return hidden_program.make(file, "told")


def strength(source: str) -> list[bool]:
    body = f"fn f() {{ {source} }}".encode()
    return [bool(question.groups) for question in rust_questions.read(body).questions]


def report(made: Program, run: told.Run, wrong: frozenset[int] = frozenset()) -> Done:
    """What a test prints whose questions have these answers; wrong: answered the other way."""
    rows = ["00"] * made.count
    for number, (one, holds) in enumerate(zip(made.asked, run.holds, strict=True)):
        held = holds != (number in wrong)
        for sign, said in zip((*one.answers, *one.twins), told.predicted(one, held, run), strict=True):
            rows[sign.slot] = said
    for pad in made.pads:
        rows[pad.slot] = told.noted(pad, True, run)
    return Done(0, False, f"\n{made.mark} true {' '.join(rows)} |\n".encode(), b"", 0.1)


def test_G08_no_expected_value_is_in_the_program(tmp_path: Path) -> None:
    text = program(tmp_path).text.split(b"pub mod q")[0].decode()
    for secret in ("42", "-6", "bob", " 2)", "14", "twice"):
        assert secret not in re.sub(
            r"\(ask(, \d+, \w+){2}\)|\(w\d+\)|lit\(\d+|note\(\d+|[qt][0-9a-f]{12}", "", text
        )
    assert "::demo::double(21)" in text  # inputs stay
    assert "use demo" not in text


def test_field_lines_of_the_program_are_those_of_the_author(tmp_path: Path) -> None:
    lines = program(tmp_path).text.decode().splitlines()
    assert "::demo::double(21)" in lines[4]
    assert "> 8" in lines[11]


def test_G08_strong_and_weak_assertions_are_counted(tmp_path: Path) -> None:
    made = program(tmp_path)
    assert (made.strong, made.weak) == (4, [12])


@pytest.mark.parametrize(
    ("source", "strong"),
    [
        ("assert_eq!(f(), 1);", True),
        ("assert_eq!(1, f());", True),
        ("std::assert_eq!(f(), Some((-1.5, 'x', true)));", True),
        ('assert_eq!(f(), vec!["a".to_string(), String::from("b")]);', True),
        ("assert_eq!(f(), Point { x: 1, y: 2 });", True),
        ("assert_eq!(f(), [0; 3]);", True),
        ("assert!(f() == 1);", True),
        ("assert!((f() && g() == 1));", True),
        ('assert!(f().contains("abc"));', True),
        ("let want = 3; assert_eq!(f(), want);", True),
        ("for want in [1, 2] { assert_eq!(f(), want); }", True),
        ("let rows = [(1, 2)]; for &(a, b) in rows.iter() { assert_eq!(f(a), b); }", True),
        ("assert_eq!(f(), 21 * 2);", False),
        ("assert_eq!(f(), g(1));", False),
        ("assert_eq!(f(), Point::new(1));", False),
        ('assert_eq!(f(), b"x");', False),
        ("assert_ne!(f(), 1);", False),
        ("assert!(f());", False),
        ("assert!(f() < 1);", False),
        ("assert!(!(f() == 1));", False),
        ("let want = 3; g(want); assert_eq!(f(), want);", False),
        ("let mut want = 3; want += 1; assert_eq!(f(), want);", False),
        ("for (a, b) in [(1, 2), (2, g())] { assert_eq!(f(a), b); }", False),
        ("check!(assert_eq!(f(), 1));", False),
    ],
)
def test_G08_what_is_strong_can_be_made_wrong(source: str, strong: bool) -> None:
    assert strength(source) == [strong]


@pytest.mark.parametrize(
    ("source", "strong"),
    [
        ("assert!(f() && g() == 1);", [False, True]),
        ('assert!(f() == 1 && g() == 2 && h() != 3, "{}", 4);', [True, True, False]),
        ("assert!((f() == 1 && g() == 2) && h() == 3);", [True, True]),
        ("assert!(f() == 1 && g() == 2 || h() == 3);", [False]),
        ("check!(assert!(f() == 1 && g() == 2));", [False]),
    ],
)
def test_G08_each_side_of_an_and_is_a_question_of_its_own(source: str, strong: list[bool]) -> None:
    assert strength(source) == strong


def test_G08_an_and_becomes_questions_one_after_the_other(tmp_path: Path) -> None:
    source = b'#[test]\nfn t() {\n    if f() { std::assert!(f() == 1 && g()\n == 2 && h(), "x") }\n}\n'
    made = program(tmp_path, source)
    text = re.sub(r"crate::q[0-9a-f]+(::|_)", "", made.text.decode().split("fn t() {\n", 1)[1])
    signs = r"\(ask, \d+, \w+, \d+, \w+\)"
    assert re.match(
        rf"    if f\(\) \{{ \{{ holds!\({signs} f\(\) == lit\(\d+, 0\) \); holds!\({signs}  g\(\)\n == "
        rf"lit\(\d+, 0\) \); holds!\(\(w2\)  h\(\)\) \}} \}}\n\}}",
        text,
    ), text[:300]
    assert [one.question.line for one in made.asked] == [3, 3, 4]


@given(st.integers(1, 12), st.integers())
def test_G08_each_literal_of_an_expectation_is_wrong_alone_in_its_turn(many: int, seed: int) -> None:
    """Or an equality that ignores one of a struct's fields is found by chance."""
    with tempfile.TemporaryDirectory() as folder:
        fields = ", ".join(f"f{n}: {1000 * n}" for n in range(many))
        source = f"#[test]\nfn t() {{ assert_eq!(f(), P {{ {fields} }}); }}\n"
        made = program(Path(folder), source.encode())
    right = {cell: cell.literal.said for cell in made.told}
    wrong = [
        [cell for cell, number in made.told.items() if run.told[number] != right[cell]]
        for run in told.runs(made, random.Random(seed))
    ]
    assert all(len(cells) <= 1 for cells in wrong)
    assert len({cell for cells in wrong for cell in cells}) == min(many, told.RUNS // 2)


@given(
    st.integers(-(10**9), 10**9) | st.floats(-1000, 1000) | st.booleans() | st.text(max_size=8), st.integers()
)
def test_a_wrong_expectation_is_another_value_of_the_same_kind(value: rust_literals.Value, seed: int) -> None:
    literal = rust_literals.Literal(value)
    wrong = rust_literals.another(literal, {value}, random.Random(seed))
    assert wrong.value != value
    assert type(wrong.value) is type(value)


@given(st.text())
def test_a_text_is_read_as_rust_reads_it(text: str) -> None:
    source = "".join(f"\\u{{{ord(c):x}}}" for c in text)
    assert rust_literals.read("string_literal", f'"{source}"') == rust_literals.Literal(text)


def test_G08_runs_come_in_pairs_of_opposites(tmp_path: Path) -> None:
    made = program(tmp_path)
    runs = list(told.runs(made, random.Random(1)))
    assert len(runs) == told.RUNS
    for one, other in zip(runs[::2], runs[1::2], strict=True):
        for asked, a, b in zip(made.asked, one.holds, other.holds, strict=True):
            assert (a != b) is asked.strong  # a weak one must hold always


@settings(max_examples=50, deadline=None)
@given(st.sets(st.integers(0, 4)), st.integers())
def test_G08_a_run_is_right_exactly_when_every_answer_is_as_predicted(wrong: set[int], seed: int) -> None:
    made = MADE
    run = next(told.runs(made, random.Random(seed)))
    answer = told.judged(made, run, report(made, run, frozenset(wrong)))
    assert (not answer.wrong) is (not wrong)


def test_G08_a_report_that_is_not_whole_and_single_is_no_report(tmp_path: Path) -> None:
    made = program(tmp_path)
    run = next(told.runs(made, random.Random(2)))
    good = report(made, run)
    assert not told.judged(made, run, good).wrong
    for stdout, status in (
        (b"", 0),
        (good.stdout * 2, 0),
        (good.stdout.replace(b" |", b""), 0),
        (good.stdout.replace(b"true", b"false"), 0),
        (good.stdout.replace(b" 01", b" 11"), 0),
        (good.stdout, 1),
        (b"test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s", 0),
    ):
        assert told.judged(made, run, Done(status, False, stdout, b"", 0.1)).wrong
    assert told.judged(made, run, Done(0, True, good.stdout, b"", 0.1)).wrong


@given(st.integers(1, 2**hidden_places.WEAK - 1))
def test_G08_one_guess_turns_the_answers_of_a_weak_question_round_and_not_its_twins(guess: int) -> None:
    """Code that answered wrong sees which places changed, and not which of them are answers."""
    made = MADE
    (number,) = (at for at, one in enumerate(made.asked) if not one.strong)
    one, run = made.asked[number], told.run(made, {}, random.Random(4), {}, 0)
    rows = report(made, run, frozenset({number})).stdout.decode().split("true ")[1].split(" |")[0].split()
    places = sorted((*one.answers, *one.twins))
    turned = {place for bit, place in enumerate(places) if guess >> bit & 1}
    for place in turned:
        rows[place.slot] = rows[place.slot][::-1]
    done = Done(0, False, f"\n{made.mark} true {' '.join(rows)} |\n".encode(), b"", 0.1)
    assert (not told.judged(made, run, done).wrong) is (turned == {*one.answers})


def test_G08_which_places_are_a_weak_questions_answers_is_another_in_every_build(tmp_path: Path) -> None:
    """By their number, by their order in the code, and by how many they are."""
    seen = set()
    for _ in range(20):
        made = program(tmp_path)
        (one,) = (one for one in made.asked if not one.strong)
        (body,) = re.findall(r"pub fn w\d+\(held: bool\) \{(.*)\}", made.text.decode())
        notes = re.findall(r"note\((\d+), (held|yes), (?:true|false)\)", body)
        assert {int(slot) for slot, what in notes if what == "held"} == {sign.slot for sign in one.answers}
        assert {int(slot) for slot, what in notes if what == "yes"} == {sign.slot for sign in one.twins}
        seen.add(tuple(what for _, what in notes))
    assert len(notes) == hidden_places.WEAK
    assert len(seen) > 10


def test_G08_an_assertion_that_is_skipped_is_seen(tmp_path: Path) -> None:
    made = program(tmp_path)
    run = next(told.runs(made, random.Random(3)))
    rows = report(made, run).stdout.decode().split("true ")[1].split(" |")[0].split()
    one = made.asked[1]
    for sign in (*one.answers, *one.twins):
        rows[sign.slot] = "00"
    done = Done(0, False, f"\n{made.mark} true {' '.join(rows)} |\n".encode(), b"", 0.1)
    assert told.judged(made, run, done) == told.Answer([], frozenset({1}))


@pytest.mark.parametrize(
    ("source", "becomes"),
    [
        ("use demo::a; fn f() { a(1); }", " fn f() { ::demo::a(1); }"),
        (
            "use demo::{a, b::{self, C}}; fn f(c: C) { b::d(a) }",
            " fn f(c: ::demo::b::C) { ::demo::b::d(::demo::a) }",
        ),
        ("use demo::a as b; fn f() { x.b(); b!(b) }", " fn f() { x.b(); ::demo::a!(::demo::a) }"),
        ("use demo::a; fn f() { match a() { _ => () } }", " fn f() { match ::demo::a() { _ => () } }"),
        ("use demo::A as _; use std::fmt::Debug;", "use ::demo::A as _; use std::fmt::Debug;"),
        (
            "use demo::a; mod m { use super::*; fn f() { a() } }",
            " mod m { use super::*; fn f() { ::demo::a() } }",
        ),
    ],
)
def test_G08_imports_from_the_submission_become_paths(source: str, becomes: str) -> None:
    root = hidden_tests.parser().parse(source.encode()).root_node
    assert hidden_program.applied(rust_imports.rewritten(root), source.encode()).decode() == becomes


@pytest.mark.parametrize(
    "source",
    [
        "use demo::a; fn f() { let a = a(); }",
        "use demo::a; fn f(a: u8) {}",
        "use demo::a; fn f() { g(|a| a) }",
    ],
)
def test_a_name_that_is_imported_and_bound_is_refused(source: str) -> None:
    with pytest.raises(rust_imports.Unclear, match="a is imported and bound"):
        rust_imports.rewritten(hidden_tests.parser().parse(source.encode()).root_node)


def test_an_import_that_is_never_named_is_refused_with_its_line() -> None:
    """It is a trait whose methods the test calls: without `as _` the program would not compile."""
    source = b"use demo::a;\nuse demo::{b::Read, C};\nfn f() { a().read(x::C) }"
    with pytest.raises(rust_imports.Unclear, match=r"^line 2 imports C and .* `use demo::C as _;`"):
        rust_imports.rewritten(hidden_tests.parser().parse(source).root_node)


def test_the_scheme_and_the_right_to_spawn_are_the_authors(tmp_path: Path) -> None:
    file = tmp_path / "checks/a.rs"
    file.parent.mkdir()
    one = "#[test]\nfn one() {}\n"
    for source, scheme, spawns, problem in (
        (one, "told", False, ""),
        (f"// scheme: told\n{one}", "told", False, ""),
        (f"// scheme: blind\n{one}", "blind", False, "add a solution"),
        (f"// scheme: plain\n{one}", "told", False, "talk into a pass"),
        (f"// scheme: told\n// scheme: blind\n{one}", "told", False, "two schemes"),
        (f"// spawns: true\n{one}", "told", True, ""),
        (f"use std::process::Command;\n{one}", "told", True, ""),
        (f'const C: &str = env!("CARGO_BIN_EXE_x");\n{one}', "told", True, ""),
        (f"use demo::*;\n{one}", "told", False, "imports everything"),
        (f"use std::fmt::*;\nuse super::*;\n{one}", "told", False, ""),
    ):
        file.write_text(source)
        found = hidden_tests.read(file)
        assert (found.scheme, found.spawns) == (scheme, spawns), source
        assert (problem in "; ".join(found.problems)) if problem else not found.problems, source


def test_a_name_that_is_too_long_for_a_target_is_refused(tmp_path: Path) -> None:
    for many, refused in ((hidden_tests.LONGEST, False), (hidden_tests.LONGEST + 1, True)):
        file = tmp_path / f"{'a' * many}.rs"
        file.write_text("#[test]\nfn one() {}\n")
        assert ("has a name of 51 letters" in "; ".join(hidden_tests.read(file).problems)) is refused
        assert cargo_build._is_name(f"{'a' * min(many, hidden_tests.LONGEST)}_{'0' * 8}")


def test_a_refused_file_is_the_graders_failure_and_names_the_reason(tmp_path: Path) -> None:
    with pytest.raises(Infrastructure, match="holds 0 tests"):
        program(tmp_path, b"fn f() {}\n")


def _made() -> Program:
    with tempfile.TemporaryDirectory() as folder:
        return program(Path(folder))


MADE = _made()
