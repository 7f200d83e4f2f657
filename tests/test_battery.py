"""The battery: no adversary passes a right task, one that does refuses it, mutants are told apart (T06)."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

import battery
import graders
import python_tasks
from graders import Work, grading_copy
from graders.sandbox import open_folder
from grading.bare import Bare
from kit import checked, documents, proofs, submissions, tasks
from kit.contract import Stop
from kit.hidden_tests import parser
from kit.submissions import Submission
from wrong_code import python_code, python_mutants, rust_code, rust_mutants

ROOT = Path(__file__).parents[1]
RUST = (ROOT / "evals/tasks/formatting/solution/src/lib.rs").read_bytes()


def grade(task: tasks.Task, tree: Path) -> documents.Document:
    """The real grader without a sandbox."""
    root = Path(tempfile.mkdtemp(prefix="ae-battery-"))
    try:
        copy, fixtures = open_folder(root / "copy"), open_folder(root / "fixtures")
        grading_copy.make(task, tree, copy, fixtures)
        work = Work(task.document(), copy, task.checks, open_folder(root / "scratch"), fixtures)
        judged = list(graders.load(task.file["grader"]).judge(work, Bare(Path("/usr"), deadline_secs=20)))
        return {"status": "graded", "problem": None, "checks": {one.name: one.verdict for one in judged}}
    except grading_copy.Unfit:
        return {"status": "graded", "problem": None, "checks": {"submission": "fail"}}
    finally:
        shutil.rmtree(root)


@pytest.fixture
def task(tmp_path: Path) -> tasks.Task:
    python_tasks.make(tmp_path / "evals", "unittest")
    return tasks.load(tmp_path / "evals", "chunk")


def test_T06_no_adversary_passes_a_right_task_and_most_mutants_are_caught(task: tasks.Task) -> None:
    against = battery.adversaries(task)
    assert len(against) >= 15
    proof = proofs.prove(task, grade, against, battery.mutants(task))
    assert proof.refusals == []
    assert {one.submission.name for one in proof.adversaries if one.caught} == {one.name for one in against}
    alive = {one.submission.says.partition(":")[0] for one in proof.mutants if not one.caught}
    assert alive <= {f"chunker/__init__.py line {line}" for line in (2, 3)}  # range() refuses 0 as well
    assert proof.notes[2:] == (f"{len(against)} adversaries fail", f"{proof.share} mutants caught")


def test_T06_a_task_that_an_adversary_passes_is_refused_and_the_adversary_named(tmp_path: Path) -> None:
    weak = "# canary: 0123456789abcdef0123456789abcdef\nimport unittest\nfrom chunker import chunk\n"
    weak += "class T(unittest.TestCase):\n    def test_x(self):\n        self.assertTrue(chunk([1], 1))\n"
    evals = tmp_path / "evals"
    folder = python_tasks.make(evals, "unittest")
    (folder / "checks/chunk.py").write_text(weak)
    shutil.rmtree(folder / "starter/tests")
    proof = proofs.prove(tasks.load(evals, "chunk"), grade, battery.adversaries(tasks.load(evals, "chunk")))
    passed = [one.submission.name for one in proof.adversaries if not one.caught]
    assert "equals-everything" in passed
    assert len(proof.refusals) == len(passed)
    assert "the adversary equals-everything passes" in " ".join(proof.refusals)


def test_T06_the_gradings_are_shuffled(task: tasks.Task) -> None:
    seen: list[int] = []

    def order(jobs: list[Any]) -> None:
        jobs.reverse()
        seen.append(len(jobs))

    names = []

    def remember(task: tasks.Task, tree: Path) -> documents.Document:
        solved = "range" in (tree / "chunker/__init__.py").read_text()
        names.append("solution" if solved else "starter")
        return {"status": "graded", "checks": dict.fromkeys(task.verdicts, "pass" if solved else "fail")}

    proof = proofs.prove(task, remember, order=order)
    assert (seen, proof.refusals) == ([4], [])
    assert names == ["solution", "solution", "solution", "starter"]


def test_T06_the_mutants_of_a_task_are_the_same_every_time_and_as_many_as_asked(task: tasks.Task) -> None:
    assert battery.mutants(task, 3) == battery.mutants(task, 3)
    assert len(battery.mutants(task, 3)) == 3
    assert battery.mutants(task, 0) == []


@pytest.mark.parametrize("attack", python_code.ATTACKS)
def test_a_python_adversary_parses_and_is_not_the_solution(attack: str) -> None:
    changed = python_code.attacked(python_tasks.RIGHT.encode(), attack)
    compile(changed, "x.py", "exec")
    assert b"size must be positive" not in changed


@pytest.mark.parametrize("attack", rust_code.ATTACKS)
def test_a_rust_adversary_parses_and_holds_neither_the_solution_nor_its_tests(attack: str) -> None:
    own = b"#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { assert_eq!(super::double(1), 2); }\n}\n"
    changed = rust_code.attacked(RUST + own, attack)
    assert not parser().parse(changed).root_node.has_error
    assert b"x * 2" not in changed
    assert b"mod tests" not in changed


def test_only_an_example_that_is_shown_is_hard_coded() -> None:
    assert rust_code.hard_coded(RUST, b"fn t() {}") is None
    assert python_code.hard_coded(python_tasks.RIGHT.encode(), b"assert chunk([1], size) == [1]\n") is None
    rust = rust_code.hard_coded(RUST, b"assert_eq!(crate::double(4), 8);") or b""
    assert b"match (x,) { (4,) => 8, _ =>" in rust
    assert b"x / 2" not in rust
    assert not parser().parse(rust).root_node.has_error
    python = python_code.hard_coded(python_tasks.RIGHT.encode(), b"assert chunk([1], 2) == [[1]]\n") or b""
    given: dict[str, Any] = {}
    exec(python, given)
    assert (given["chunk"]([1], 2), given["chunk"]([1, 2], 1)) == ([[1]], None)


RUST_SOURCE = """//! Größe.
pub fn f(a: i32, s: &str) -> bool {
    log("ä"); if s == "größe" && a + 1 < 2 { return true; }
    match a { 7 => false, _ => !s.is_empty() }
}
fn log(_: &str) {}
#[cfg(test)]
mod tests { #[test] fn t() { assert!(1 + 1 == 2); } }
"""


@pytest.mark.real
def test_rust_mutants_are_of_each_kind_parse_and_leave_its_own_tests_alone() -> None:
    made = dict(rust_mutants.mutants(RUST_SOURCE.encode()))
    assert RUST_SOURCE.encode() not in made.values()
    assert len(set(made.values())) == len(made)
    assert not any(parser().parse(one).root_node.has_error for one in made.values())
    assert all(one.endswith(RUST_SOURCE.encode()[-60:]) for one in made.values())
    kinds = ["replace f -> bool with true", "replace && with ||", "replace + with -", "delete !"]
    kinds += ["delete match arm 7", 'drop log("ä");', "replace 1 with 2", "replace false with true"]
    said = {says.partition(": ")[2] for says in made}
    assert [kind for kind in kinds if not any(one.startswith(kind) for one in said)] == []
    changed = made["line 3: replace && with || in f"].decode()
    assert changed == RUST_SOURCE.replace("&&", "||")  # its columns are characters


def test_python_mutants_are_of_each_kind_parse_and_leave_words_and_types_alone() -> None:
    source = """\"\"\"Größe.\"\"\"
class A:
    @property
    def size(self) -> "int | None":
        'words'
        if not self.found:
            raise ValueError("größer")
        self.found.append(len(self.found) + 1)
        return self.found[-1] if self.found else "ü"
"""
    made = dict(python_mutants.mutants(source.encode()))
    for text in made.values():
        compile(text, "x.py", "exec")
        assert all(kept in text.decode() for kept in ("Größe.", "'words'", '"int | None"'))
    assert len(set(made.values())) == len(made)
    assert not any("größer" in says and "pass" not in says for says in made)
    kinds = [
        "if not self.found: raise",
        "self.found.append(len",
        "len(self.found) + 1 became len(self.found) - 1",
    ]
    kinds += ["1 became 2", "not self.found became self.found", '"ü" became "Ü"', "became return None"]
    assert [kind for kind in kinds if not any(kind in says for says in made)] == []


def test_a_mutator_that_is_not_there_is_named_with_the_next_step(
    task: tasks.Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_EVAL_TOOLS", str(tmp_path))
    with pytest.raises(Stop, match=r"cargo-mutants: not built; run `python3 tools/install.py --mutants`"):
        dict(rust_mutants.mutants(b"fn f() {}"))
    monkeypatch.delitem(sys.modules, "wrong_code.python_mutants")
    monkeypatch.setitem(sys.modules, "mutmut.mutation.mutators", None)
    with pytest.raises(Stop, match=r"mutmut.*: not installed; run `nox -s check_tasks -- --battery`"):
        battery.mutants(task)


def test_T06_a_mutant_counts_where_it_builds_and_a_hidden_test_catches_it(task: tasks.Task) -> None:
    fails = [
        ("build",),
        ("hidden.x",),
        ("hidden.x", "cargo_fmt_check"),
        ("cargo_fmt_check",),
        ("cargo_test_lib",),
        (),
    ]
    right = dict.fromkeys(("build", "hidden.x", "cargo_test_lib", "cargo_fmt_check"), "pass")
    each = [
        proofs.Tried(Submission("mutant", f"no {names}"), {**right, **dict.fromkeys(names, "fail")}, [*right])
        for names in fails
    ]
    proof = proofs.Proof({}, None, [], mutants=each)
    assert proof.share == "2 of 5"
    found = checked.Checked("t", (), task, proof)
    assert [line.split()[0] for line in found.exceptions()] == ["lives"] * 3
    assert [one.document()["builds"] for one in each] == [False, *[True] * 5]
    assert found.document()["mutants_caught"] == {"caught": 2, "built": 5}
    documents.check({"schema": "checked/1", "tasks": [found.document()]}, "checked/1", "here")


def test_T06_a_mutant_that_never_ends_costs_no_more_than_its_share_of_time(task: tasks.Task) -> None:
    given = list[float]()

    def remember(task: tasks.Task, tree: Path) -> documents.Document:
        given.append(task.document()["deadlines_secs"]["grading"])
        return grade(task, tree)

    proofs.prove(task, remember, mutants=battery.mutants(task, 2))
    assert given == [300] * 4 + [proofs.LEAST_SECS] * 2  # of a solution that takes less than a second


def test_T06_the_table_has_a_row_for_each_task_and_fits_80_columns(
    task: tasks.Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    proof = proofs.prove(task, grade, battery.adversaries(task), battery.mutants(task, 3))
    each = [
        checked.Checked("first-session-reload", (), task, proof, ["long"] * 30),
        checked.Checked("b", ["no"]),
    ]
    lines = [*each[0].lines(), *checked.summary(each)]
    assert max(map(len, lines)) <= 80
    count = len(proof.adversaries)
    assert [line.split() for line in lines[-2:]] == [
        ["first-session-reload", "right", f"{count}", "of", f"{count}", *proof.share.split()],
        ["b", "wrong", "-", "-"],
    ]


def test_T06_a_hidden_test_that_nothing_fails_is_refused_as_inert(tmp_path: Path) -> None:
    test = "# canary: 1123456789abcdef0123456789abcdef\nimport unittest\nimport chunker\n"
    test += "class T(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(len('ab'), 2)\n"
    folder = python_tasks.make(tmp_path / "evals", "unittest")
    (folder / "checks/inert.py").write_text(test)
    task = tasks.load(tmp_path / "evals", "chunk")
    against = [one for one in battery.adversaries(task) if one.name in ("gives-nothing", "swaps-a-link")]
    [said] = proofs.prove(task, grade, against).refusals
    assert "tasks/chunk/checks: hidden.inert guards nothing, 2 wrong submissions pass it" in said
    assert proofs.prove(task, grade).refusals == []  # nothing was tried


def test_a_submission_never_reaches_the_task_itself(task: tasks.Task, tmp_path: Path) -> None:
    before = task.content_hash
    link = Submission("x", "", links={"chunker/__init__.py": str(task.starter / "README.md")})
    submissions.make(task, link, tmp_path / "tree")
    (tmp_path / "tree/README.md").write_text("changed")
    assert tasks.load(task.evals, "chunk").content_hash == before
