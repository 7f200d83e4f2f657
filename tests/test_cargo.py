"""graders/cargo.py with the real cargo, on what agents leave: verdicts from the right evidence (G06, G07)."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graders
from graders import Done, Infrastructure, Judged, Work, cargo, cargo_build, libtest, told
from graders.cargo_build import LIMITS, messages, take
from grading.bare import Bare, launcher
from grading.submissions import ALL_PASS, HIDDEN, HIDDEN_FAILS, RIGHT, SUBMISSIONS, Submission
from kit import skip_marks
from kit.contract import Stop
from kit.tools import Tools

MANIFEST = '[package]\nname = "doubling"\nversion = "0.1.0"\nedition = "2021"\n'


def make(
    root: Path, files: dict[str, str], hidden: dict[str, str] | None = None, *, fmt_check: bool = False
) -> Work:
    work = Work(
        task={"checks": sorted(hidden or {"double": HIDDEN}), "fmt_check": fmt_check},
        copy=root / "project",
        checks=root / "checks",
        scratch=root / "scratch",
        fixtures=root / "fixtures",
    )
    for folder in (work.copy, work.checks, work.scratch, work.fixtures):
        folder.mkdir()
    for name, text in files.items():
        (work.copy / name).parent.mkdir(parents=True, exist_ok=True)
        (work.copy / name).write_text(text)
    for name, text in (hidden or {"double": HIDDEN}).items():
        (work.checks / f"{name}.rs").write_text(text)
    return work


def judge(work: Work, bench: Bare) -> dict[str, Judged]:
    staged = replace(work, launcher=launcher(bench.sysroot))
    return {judged.name: judged for judged in cargo.judge(staged, bench)}


def verdicts(judged: dict[str, Judged]) -> dict[str, str]:
    return {name: one.verdict for name, one in judged.items()}


@pytest.mark.real
@pytest.mark.bare
def test_a_failed_told_test_names_every_assertion_that_was_wrong(tmp_path: Path, tools: Tools) -> None:
    """Half of them are told wrongly in each run, and hold then as predicted: its opposite is run too."""
    asserts = "".join(f"    assert_eq!(doubling::double({n}), {2 * n});\n" for n in range(5, 13))
    hidden = f"#[test]\nfn double() {{\n{asserts}}}\n"
    files = {"Cargo.toml": MANIFEST, "src/lib.rs": "pub fn double(x: i32) -> i32 { x * 3 }"}
    failed = judge(make(tmp_path, files, {"double": hidden}), Bare(tools.sysroot))["hidden.double"]
    lines = failed.detail.split("; ")
    said = [f"line {n - 2}: assert_eq!(doubling::double({n}), {2 * n})" for n in range(5, 13)]
    assert lines == [f"assertion does not hold: {one}" for one in said]
    assert failed.output.decode().splitlines()[:8] == lines


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize("name", SUBMISSIONS)
def test_G06_each_verdict_says_what_the_submission_did(name: str, tmp_path: Path, tools: Tools) -> None:
    one = SUBMISSIONS[name]
    work = make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": one.lib}, fmt_check=one.fmt_check)
    judged = judge(work, Bare(tools.sysroot, one.deadline_secs))
    assert verdicts(judged) == one.checks
    assert list(judged) == list(one.checks)  # in the order of the rule
    failed = [each for each in judged.values() if each.verdict == "fail"]
    assert not failed or one.said in failed[0].detail


@pytest.mark.parametrize(
    "source",
    [
        HIDDEN + "#[test]\nfn again() {}\n",
        "fn nothing() {}\n",
        HIDDEN.replace("#[test]", "#[test]\n#[ignore]"),
        f"use doubling::*;\n{HIDDEN}",
        f"// scheme: plain\n{HIDDEN}",
    ],
)
def test_G06_a_hidden_file_that_is_not_one_test_is_never_the_submissions_failure(
    source: str, tmp_path: Path
) -> None:
    work = make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": RIGHT}, {"double": source})
    with pytest.raises(Infrastructure, match=r"double\.rs"):
        judge(work, Bare(Path("/nowhere")))


@pytest.mark.real
@pytest.mark.bare
def test_G06_one_hidden_test_that_does_not_compile_does_not_hide_another(
    tmp_path: Path, tools: Tools
) -> None:
    hidden = {f"t{number}": HIDDEN for number in range(4)} | {"a": HIDDEN.replace("double(21)", "treble(14)")}
    judged = judge(make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": RIGHT}, hidden), Bare(tools.sysroot))
    failed = [name for name, one in judged.items() if one.verdict == "fail"]
    assert failed == ["hidden.a"]
    assert "treble" in judged["hidden.a"].detail


@pytest.mark.real
@pytest.mark.bare
def test_hidden_sources_are_out_of_reach_when_tests_run(tmp_path: Path, tools: Tools) -> None:
    bench = Bare(tools.sysroot)
    hidden = {"double": HIDDEN, "other": HIDDEN}
    assert set(
        verdicts(judge(make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": RIGHT}, hidden), bench)).values()
    ) == {"pass"}
    trial, build, tests, *runs = bench.seen
    assert [name for name in tests[1] if "double_" in name]  # they were there, for their build alone
    assert not [name for name in (*trial[1], *build[1]) if "double_" in name]
    assert len(runs) == 1 + 2 * told.RUNS
    for argv, reach in runs:
        files = [name for name in reach if not name.endswith(("/src", "/scratch"))]
        assert not [name for name in files if "/tests" in name or "checks" in name or "deps" in name]
        programs = [name for name in files if name.endswith("/test")]
        assert programs == [argv[-1]]  # of all executables only its own
        assert Path(argv[-1]).stat().st_mode & 0o777 == 0o111


@pytest.mark.real
@pytest.mark.bare
def test_G06_own_tests_do_not_touch_what_runs_after_them(tmp_path: Path, tools: Tools) -> None:
    """A wrong submission whose own test changes a file that the hidden test's run would read."""
    work = make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": "", "data/value": "3"})
    lib = (
        "pub fn double(x: i32) -> i32 {\n"
        '    x * std::fs::read_to_string("data/value").unwrap().parse::<i32>().unwrap()\n}\n'
        '#[test] fn own() { std::fs::write("data/value", "2").unwrap(); assert_eq!(double(1), 2); }\n'
    )
    (work.copy / "src/lib.rs").write_text(lib)
    judged = judge(work, Bare(tools.sysroot))
    assert verdicts(judged) == HIDDEN_FAILS


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize("own", ["tests/double.rs", "tests/double/main.rs"])
def test_a_test_of_the_same_name_neither_replaces_nor_breaks_the_hidden_one(
    own: str, tmp_path: Path, tools: Tools
) -> None:
    for name, lib, expected in (("right", RIGHT, ALL_PASS), ("wrong", "", HIDDEN_FAILS)):
        (tmp_path / name).mkdir()
        files = {"Cargo.toml": MANIFEST, "src/lib.rs": lib, own: "#[test]\nfn doubles() {}\n"}
        assert verdicts(judge(make(tmp_path / name, files), Bare(tools.sysroot))) == expected


@pytest.mark.real
@pytest.mark.bare
def test_G07_a_missing_toolchain_is_not_the_submissions_failure(tmp_path: Path, tools: Tools) -> None:
    work = make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": RIGHT})
    with pytest.raises(Infrastructure, match="cargo"):
        judge(work, Bare(Path("/nowhere")))


TOOLS = ("cargo", "rustc", "cargo-fmt", "rustfmt")


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize("lib", [RIGHT, f"  {RIGHT}"], ids=["formatted", "unformatted"])
@pytest.mark.parametrize("missing", TOOLS)
def test_G07_a_missing_tool_is_not_the_submissions_failure(
    missing: str, lib: str, tmp_path: Path, tools: Tools
) -> None:
    bare = tmp_path / "toolchain/bin"
    bare.mkdir(parents=True)
    (bare.parent / "lib").symlink_to(tools.sysroot / "lib")
    for name in set(TOOLS) - {missing}:
        shutil.copy(tools.sysroot / "bin" / name, bare)  # a link's target has the others beside it
    work = make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": lib}, fmt_check=True)
    with pytest.raises(Infrastructure, match="fmt" if "fmt" in missing else missing):
        judge(work, Bare(bare.parent))


@pytest.mark.real
@pytest.mark.bare
def test_G07_a_build_without_end_is_the_submissions_failure(tmp_path: Path, tools: Tools) -> None:
    endless = "pub const N: u64 = { let mut n = 0; while n < u64::MAX { n += 1; } n };\n"
    lib = f"#![allow(long_running_const_eval)]\n{RIGHT}{endless}pub fn n() -> u64 {{ N }}\n"
    work = make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": lib})
    judged = judge(work, Bare(tools.sysroot, deadline_secs=4))
    assert verdicts(judged) == {"build": "fail"}
    assert "deadline" in judged["build"].detail


@pytest.mark.real
@pytest.mark.bare
def test_a_hidden_test_finds_the_crates_programs(tmp_path: Path, tools: Tools) -> None:
    main = 'fn main() { println!("{}", doubling::double(21)); }\n'
    hidden = (
        "#[test]\nfn prints() {\n"
        '    let out = std::process::Command::new(env!("CARGO_BIN_EXE_doubling")).output().unwrap();\n'
        '    assert_eq!(out.stdout, b"42\\n");\n'
        '    assert!(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs").exists());\n}\n'
    )
    files = {"Cargo.toml": MANIFEST, "src/lib.rs": RIGHT, "src/main.rs": main}
    (tmp_path / "starter").mkdir()
    (tmp_path / "starter/Cargo.toml").write_text(MANIFEST)
    judged = judge(make(tmp_path, files, {"double": hidden}), Bare(tools.sysroot))
    assert verdicts(judged) == ALL_PASS


def done(stdout: bytes, status: int | None = 0, *, timed_out: bool = False) -> Done:
    return Done(status, timed_out, stdout, b"", 1.0)


def printed(
    running: int, passed: int, failed: int, ignored: int = 0, filtered: int = 0, *, ok: bool = True
) -> bytes:
    said = "ok" if ok else "FAILED"
    return (
        f"\nrunning {running} test{'' if running == 1 else 's'}\n\n"
        f"test result: {said}. {passed} passed; {failed} failed; {ignored} ignored;"
        f" 0 measured; {filtered} filtered out; finished in 0.00s\n\n"
    ).encode()


@given(
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 255),
)
def test_G06_own_tests_pass_when_none_failed_and_the_status_agrees(
    running: int, passed: int, failed: int, ignored: int, filtered: int, ok: bool, status: int
) -> None:
    run = done(printed(running, passed, failed, ignored, filtered, ok=ok), status)
    assert (libtest.all_passed(run)[0] == "pass") is (ok and failed == 0 and status == 0)


def test_G06_two_results_are_no_result() -> None:
    one = printed(1, 1, 0)
    again = one.replace(b"running", b"walking")
    for output in (one + one, one + again, b"", one.replace(b"running", b"walking"), one[:-20]):
        assert libtest.all_passed(done(output))[0] == "fail"
    assert libtest.all_passed(done(one, timed_out=True))[0] == "fail"
    assert libtest.all_passed(done(one, status=None))[0] == "fail"


@given(st.binary(max_size=3000))
def test_field_41_what_a_person_sees_is_short_and_printable(output: bytes) -> None:
    shown = libtest.readable(output)
    assert len(shown) <= libtest.SHOWN + 1
    assert all(c.isprintable() or c == "\n" for c in shown)


def test_an_executable_is_taken_from_the_build_folder_only(tmp_path: Path) -> None:
    (tmp_path / "target/deps").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "target/deps/link").symlink_to(tmp_path / "secret")
    with (tmp_path / "target/deps/large").open("wb") as file:
        file.truncate(LIMITS.file + 1)
    for name in ("target/deps/link", "target/deps/large", "target/deps/none", "secret", "target/../secret"):
        assert not take(tmp_path / "target", tmp_path / name, tmp_path / "taken", 0o111)
    assert not (tmp_path / "taken").exists()
    (tmp_path / "target/deps/some").write_text("some")
    assert take(tmp_path / "target", tmp_path / "target/deps/some", tmp_path / "taken", 0o111) == 4


def test_a_build_folder_beyond_all_bounds_is_not_the_graders_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("x")
    monkeypatch.setattr(cargo_build, "LIMITS", replace(LIMITS, entries=1))
    assert not take(tmp_path, tmp_path / "c", tmp_path / "taken", 0o111)


ARTIFACT = {
    "reason": "compiler-artifact",
    "target": {"kind": ["test"], "name": "double_1"},
    "profile": {"test": True},
    "executable": "/t/deps/double_1",
}


def line(said: object) -> bytes:
    return json.dumps(said).encode() + b"\n"


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": None},
        {"target": {"kind": ["bin"]}},
        {"target": {"kind": "test", "name": "demo"}},
        {"target": {"kind": ["bin"], "name": "../../demo"}},
        {"target": {"kind": ["bin"], "name": ".."}},
        {"target": {"kind": ["bin"], "name": "x" * 300}},
        {"profile": None},
        {"profile": {}},
        {"executable": 1},
        {"executable": "/t/\0"},
        {"executable": "/t/\ud800"},
    ],
)
def test_G07_a_message_that_cargo_does_not_write_is_none(wrong: dict[str, object]) -> None:
    output = line(ARTIFACT) + line(ARTIFACT | wrong) + b"x\n" + line(ARTIFACT)[:-9]
    assert list(messages(output)) == [ARTIFACT]


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize("status", [126, 127])
def test_G07_a_build_that_ends_as_if_cargo_were_missing_is_the_submissions_failure(
    status: int, tmp_path: Path, tools: Tools
) -> None:
    """A stand-in for a cargo that a build script ends."""
    bare = tmp_path / "toolchain/bin"
    bare.mkdir(parents=True)
    (bare / "rustc").symlink_to(tools.sysroot / "bin/rustc")
    (bare / "cargo").write_text(f'#!/bin/sh\n[ "$1" = --version ] || exit {status}\n')
    (bare / "cargo").chmod(0o755)
    work = make(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": RIGHT})
    assert verdicts(judge(work, Bare(bare.parent))) == {"build": "fail"}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("#[rustfmt::skip]\nfn a() {}\n", 1),
        ("#![rustfmt::skip]\n", 1),
        ("#[rustfmt /* x */ :: skip]\nfn a() {}\n", 1),
        ("#[r#rustfmt::skip]\nfn a() {}\n", 1),
        ("#[rustfmt::skip::macros(m)]\nfn a() {}\n", 1),
        ("#[cfg_attr(rustfmt, rustfmt_skip)]\nfn a() {}\n", 1),
        ("#[cfg_attr(all(), rustfmt::skip)]\nfn a() {}\n", 1),
        ("// #[rustfmt::skip]\n/// #[rustfmt::skip]\nfn a() {}\n", 0),
        ('#[must_use = "rustfmt::skip"]\nfn a() -> i32 { 1 }\n', 0),
        ('const A: &str = "#[rustfmt::skip]";\n', 0),
        ("#[cfg(rustfmt)]\nfn a() {}\n", 0),
    ],
)
def test_a_mark_that_keeps_rustfmt_off_is_found_by_parser(source: str, count: int) -> None:
    assert len(skip_marks.unformatted(source.encode())) == count


def test_T02_a_grader_that_is_not_built_is_refused_by_name() -> None:
    assert graders.load("cargo").judge is cargo.judge
    with pytest.raises(Stop, match="grader sandbox: not built yet"):
        graders.load("sandbox")


def test_the_table_of_submissions_holds_both_verdicts() -> None:
    assert {verdict for one in SUBMISSIONS.values() for verdict in one.checks.values()} == {"pass", "fail"}
    assert Submission(RIGHT).checks == ALL_PASS
