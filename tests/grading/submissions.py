"""What agents leave, as data: src/lib.rs for the task "add `double`", and what the checks must say of it."""

from __future__ import annotations

from dataclasses import dataclass, field

HIDDEN = "#[test]\nfn doubles() {\n    assert_eq!(doubling::double(21), 42);\n}\n"
ALL_PASS = {"build": "pass", "cargo_test_lib": "pass", "hidden.double": "pass"}
RIGHT = "pub fn double(x: i32) -> i32 {\n    x * 2\n}\n"


def own_test(body: str, attribute: str = "#[test]") -> str:
    return (
        f"{RIGHT}\n#[cfg(test)]\nmod tests {{\n    {attribute}\n    fn own() {{\n        {body}\n    }}\n}}\n"
    )


@dataclass(frozen=True)
class Submission:
    lib: str
    checks: dict[str, str] = field(default_factory=lambda: dict(ALL_PASS))
    said: str = ""  # must be in the detail of the first failure
    deadline_secs: float = 120.0
    fmt_check: bool = False


LIB_FAILS = {**ALL_PASS, "cargo_test_lib": "fail"}
HIDDEN_FAILS = {**ALL_PASS, "hidden.double": "fail"}
PRINTS = 'use std::io::Write; let mut out = std::io::stdout().lock(); out.write_all(b"{}").unwrap();'
SUMMARY = (
    r"running 1 test\ntest x ... ok\n\n"
    r"test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
)

SUBMISSIONS = {
    "right": Submission(RIGHT),
    "right, with a test of its own": Submission(own_test("assert_eq!(super::double(2), 4);")),
    "right, prints a result inside a test": Submission(
        own_test('println!("test result: FAILED. 0 passed; 1 failed"); print!("running 7 tests");')
    ),
    "wrong": Submission("pub fn double(x: i32) -> i32 { x * 3 }", HIDDEN_FAILS, "assertion"),
    "nothing done": Submission("pub fn halve(x: i32) -> i32 { x / 2 }", HIDDEN_FAILS, "cannot find function"),
    "other type": Submission(
        "pub fn double(x: &str) -> String { x.repeat(2) }", HIDDEN_FAILS, "mismatched types"
    ),
    "does not build": Submission("pub fn double(x: i32) -> i32 { x *", {"build": "fail"}, "error"),
    "deleted": Submission("", HIDDEN_FAILS, "cannot find function"),
    "own test fails": Submission(own_test("assert_eq!(super::double(2), 5);"), LIB_FAILS, "assertion"),
    "own test does not compile": Submission(own_test("nothing();"), LIB_FAILS, "cannot find function"),
    "own test is ignored": Submission(own_test('panic!("never")', "#[test]\n    #[ignore]")),
    "own test ends early with 0": Submission(
        own_test("std::process::exit(0);"), LIB_FAILS, "without exactly one result"
    ),
    "ends the process early with 0": Submission(
        "pub fn double(_: i32) -> i32 { std::process::exit(0) }", HIDDEN_FAILS, "without exactly one report"
    ),
    "prints a result and fails": Submission(
        "pub fn double(_: i32) -> i32 { " + PRINTS.replace("{}", SUMMARY) + " 0 }",
        HIDDEN_FAILS,
        "assertion does not hold",
    ),
    "prints bytes that are no text": Submission(
        "pub fn double(x: i32) -> i32 { " + PRINTS.replace("{}", r"\xff\xfe\x1b[2J\0\n") + " x * 2 }"
    ),
    "crashes": Submission(
        "pub fn double(_: i32) -> i32 { std::process::abort() }", HIDDEN_FAILS, "without exactly one report"
    ),
    "recurses without end": Submission(
        "pub fn double(x: i32) -> i32 { if x == 0 { 0 } else { double(std::hint::black_box(x)) + 1 } }",
        HIDDEN_FAILS,
        "without exactly one report",
    ),
    "hangs": Submission(
        "pub fn double(_: i32) -> i32 { loop { std::thread::yield_now(); } }",
        HIDDEN_FAILS,
        "deadline",
        deadline_secs=8,
    ),
    "formatted": Submission(RIGHT, {**ALL_PASS, "cargo_fmt_check": "pass"}, fmt_check=True),
    "not formatted": Submission(
        "pub fn double( x : i32 )->i32{x*2}",
        {**ALL_PASS, "cargo_fmt_check": "fail"},
        "Diff in",
        fmt_check=True,
    ),
}
