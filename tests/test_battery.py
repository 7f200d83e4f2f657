"""The battery: no adversary passes a right task, one that does refuses it, mutants are told apart (T06)."""

from __future__ import annotations

import shutil
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
from kit import documents, proofs, submissions, tasks
from kit.hidden_tests import parser
from kit.submissions import Submission
from wrong_code import python_code, rust_code

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
    alive = [one.submission.says for one in proof.mutants if not one.caught]
    assert alive == ["chunker/__init__.py line 1: dropped: if size < 1:"]  # range() refuses 0 as well
    assert proof.notes[2:] == (f"{len(against)} adversaries fail", "5 of 6 mutants caught")


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


def test_rust_mutants_parse_and_differ() -> None:
    source = b"pub fn f(a: i32) -> bool {\n    log();\n    a + 1 < 2 && true\n}\n"
    made = dict(rust_code.mutants(source))
    assert len(set(made.values())) == len(made) >= 5
    assert source not in made.values()
    assert not any(parser().parse(one).root_node.has_error for one in made.values())


def test_a_submission_never_reaches_the_task_itself(task: tasks.Task, tmp_path: Path) -> None:
    before = task.content_hash
    link = Submission("x", "", links={"chunker/__init__.py": str(task.starter / "README.md")})
    submissions.make(task, link, tmp_path / "tree")
    (tmp_path / "tree/README.md").write_text("changed")
    assert tasks.load(task.evals, "chunk").content_hash == before
