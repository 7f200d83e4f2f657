"""check_tasks: a wrong task never passes as right, a broken grader never makes a task look wrong (T06)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import check_tasks
from kit import documents, proofs, tasks
from kit.contract import Exit, Stop
from kit.rehearsed import differences
from kit.tools import Tools

ROOT = Path(__file__).parents[1]
PASSES = {"build": "pass", "cargo_test_lib": "pass", "hidden.double": "pass", "cargo_fmt_check": "pass"}
FAILS = {**PASSES, "hidden.double": "fail"}


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "evals", tmp_path / "evals", ignore=shutil.ignore_patterns("target"))
    return tmp_path / "evals"


def program(*argv: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts/check_tasks.py"), *map(str, argv)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def verdicts(*each: dict[str, str]) -> proofs.Grade:
    """A grader that has these verdicts in store, one for each grading: the starter's first."""
    left = list(each)

    def grade(task: tasks.Task, tree: Path) -> documents.Document:
        assert (tree / "Cargo.toml").is_file()
        return {"status": "graded", "problem": None, "checks": left.pop(0)}

    return grade


def proved(evals: Path, *each: dict[str, str]) -> proofs.Proof:
    return proofs.prove(tasks.load(evals, "formatting"), verdicts(*each), order=lambda jobs: None)


# the program


def test_the_shipped_tasks_are_right_and_each_has_one_line(tmp_path: Path) -> None:
    done = program("--files-only", "--json", tmp_path / "found.json")
    assert (done.returncode, done.stderr) == (0, "")
    names = tasks.names(ROOT / "evals")
    assert {"formatting", "store-durability"} <= set(names)
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [f"✓ {name}" for name in names]
    found = documents.read(tmp_path / "found.json", "checked/1")
    assert [task["right"] for task in found["tasks"]] == [True] * len(names)
    assert all(re.fullmatch("[0-9a-f]{64}", task["content_hash"]) for task in found["tasks"])


def test_a_wrong_task_is_exit_1_and_the_right_one_beside_it_is_still_checked(
    evals: Path, tmp_path: Path
) -> None:
    (evals / "tasks/formatting/task.toml").write_text('kind = "regression"\nprompt = "x"\ntrails = 3\n')
    done = program("--files-only", "--evals", evals, "--json", tmp_path / "found.json")
    assert done.returncode == Exit.NO
    assert "✗ formatting" in done.stdout.splitlines()
    assert 'trails is not known; did you mean "trials"?' in done.stdout
    assert "✓ store-durability" in done.stdout
    found = {task["name"]: task for task in documents.read(tmp_path / "found.json", "checked/1")["tasks"]}
    first, second = found["formatting"], found["store-durability"]
    assert (first["right"], first["content_hash"], second["right"]) == (False, None, True)


def test_G08_lines_judged_by_truth_alone_are_named_and_what_blind_cannot_judge_is_refused(
    evals: Path,
) -> None:
    test = evals / "tasks/formatting/checks/double.rs"
    asked = test.read_text().replace("}\n", "    assert!(formatting::double(2) > 3);\n}\n")
    test.write_text(asked)
    done = program("formatting", "--files-only", "--evals", evals)
    assert done.returncode == Exit.OK, done.stdout
    assert "; weak in double: line 7" in " ".join(done.stdout.split())
    test.write_text(asked.replace("> 3", "== formatting::Two(2)") + "// scheme: blind\n")
    done = program("formatting", "--files-only", "--evals", evals)
    assert done.returncode == Exit.NO
    assert "double.rs: line 7: expects a value of the crate's own types" in done.stdout


def test_only_the_named_tasks_are_checked(evals: Path) -> None:
    (evals / "tasks/formatting/task.toml").unlink()
    assert program("--files-only", "--evals", evals, "store-durability").returncode == 0


@pytest.mark.parametrize(
    "argv",
    [["formating"], ["--fast"], ["--files"], ["--client", "codex"], ["--rehearse", "--client", "nobody"]],
)
def test_an_unknown_task_or_flag_is_exit_2(argv: list[str]) -> None:
    done = program(*argv)
    assert done.returncode == Exit.USAGE
    assert done.stdout == ""


def test_an_unknown_task_is_answered_with_the_tasks_there_are() -> None:
    said = program("formating").stderr
    assert f'did you mean "formatting"? the tasks are {", ".join(tasks.names(ROOT / "evals"))}' in said


def test_a_folder_without_tasks_is_no_success(tmp_path: Path) -> None:
    done = program("--evals", tmp_path)
    assert done.returncode == Exit.NO_INPUT
    assert "holds no tasks/" in done.stderr


def test_M02_a_rehearsal_that_cannot_be_played_is_refused(evals: Path) -> None:
    folder = evals / "tasks/formatting/rehearsals"
    (folder / "nop.yaml").write_text("says: Nothing.\nexpect: {}\nturns:\n  - sing: loudly\n")
    (folder / "other.yml").write_text("")
    done = program("--files-only", "--evals", evals, "formatting")
    assert done.returncode == Exit.NO
    assert "evals/tasks/formatting/rehearsals/nop.yaml:" in done.stdout
    assert "evals/tasks/formatting/rehearsals/other.yml: is never played" in done.stdout


def test_I09_a_copied_task_with_its_old_canary_is_refused(evals: Path) -> None:
    shutil.copytree(evals / "tasks/formatting", evals / "tasks/my-own")
    done = program("--files-only", "--evals", evals)
    assert done.returncode == Exit.NO
    assert (
        "evals/tasks/my-own/checks/double.rs: has the canary of evals/tasks/formatting/checks/double.rs"
        in done.stdout
    )
    assert "✓ formatting" in done.stdout


# T06


def test_T06_a_right_task_is_graded_four_times(evals: Path) -> None:
    proof = proved(evals, FAILS, PASSES, PASSES, PASSES)
    assert proof.refusals == []
    assert proof.notes == ("solution passes 3 of 3", "starter fails hidden.double")


@pytest.mark.parametrize("bad", [1, 2, 3])
@pytest.mark.parametrize(
    "checks",
    [
        FAILS,
        {**PASSES, "hidden.double": "inconclusive"},
        {**PASSES, "cargo_fmt_check": "fail"},
        {"build": "fail"},
        {name: verdict for name, verdict in PASSES.items() if name != "hidden.double"},
        {},
    ],
    ids=["fails", "inconclusive", "unformatted", "does not build", "a test not run", "nothing run"],
)
def test_T06_a_solution_that_does_not_pass_everything_every_time_is_refused(
    evals: Path, bad: int, checks: dict[str, str]
) -> None:
    gradings = [FAILS, PASSES, PASSES, PASSES]
    gradings[bad] = checks
    (line,) = proved(evals, *gradings).refusals
    assert line.startswith(f"evals/tasks/formatting/solution: grading {bad} of 3: ")


@pytest.mark.parametrize("checks", [PASSES, {}, {**PASSES, "hidden.double": "inconclusive"}])
def test_T06_a_starter_that_fails_nothing_is_refused(evals: Path, checks: dict[str, str]) -> None:
    (line,) = proved(evals, checks, PASSES, PASSES, PASSES).refusals
    assert line.startswith("evals/tasks/formatting/starter: fails no check")


def test_T06_a_task_without_a_solution_is_proved_by_its_starter_alone_and_says_so(evals: Path) -> None:
    shutil.rmtree(evals / "tasks/formatting/solution")
    proof = proved(evals, FAILS)
    assert (proof.refusals, proof.solution) == ([], None)
    assert "no solution" in proof.notes[0]


def test_G07_a_grader_that_cannot_run_refuses_no_task(evals: Path) -> None:
    def broken(task: tasks.Task, tree: Path) -> documents.Document:
        return {"status": "infrastructure_error", "problem": "no sandbox", "checks": {}}

    with pytest.raises(Stop) as caught:
        proofs.prove(tasks.load(evals, "formatting"), broken)
    assert caught.value.code is Exit.UNAVAILABLE
    assert "no sandbox" in str(caught.value)


def test_T06_the_solution_is_graded_as_files_copied_over_the_starter(evals: Path) -> None:
    (evals / "tasks/formatting/starter/src/kept.rs").write_text("// kept\n")
    seen = []

    def grade(task: tasks.Task, tree: Path) -> documents.Document:
        seen.append(("double" in (tree / "src/lib.rs").read_text("utf-8"), (tree / "src/kept.rs").is_file()))
        (tree / "src/lib.rs").write_text("changed by the grader")
        return {"status": "graded", "problem": None, "checks": PASSES if seen[-1][0] else FAILS}

    proof = proofs.prove(tasks.load(evals, "formatting"), grade, order=lambda jobs: None)
    assert proof.refusals == []
    assert seen == [(False, True), (True, True), (True, True), (True, True)]


@pytest.fixture
def plain_cargo(tmp_path: Path, tools: Tools) -> proofs.Grade:
    """Grades by the plain commands, with no sandbox: enough to tell a right task from a wrong one."""
    env = {"HOME": str(tmp_path), "PATH": f"{tools.sysroot}/bin:/usr/bin:/bin", "CARGO_NET_OFFLINE": "true"}

    def grade(task: tasks.Task, tree: Path) -> documents.Document:
        fixtures = tree.parent / "fixtures"
        for folder in task.fixture_folders:
            shutil.copytree(folder, fixtures / folder.name, dirs_exist_ok=True)
        names = task.document()["checks"]
        commands = {
            "cargo_fmt_check": ["fmt", "--check"],
            "build": ["build"],
            "cargo_test_lib": ["test", "--lib"],
            **{f"hidden.{name}": ["test", "--test", name] for name in names},
        }
        checks = {}
        for name, argv in commands.items():
            if name == "build":  # the hidden tests are ours to format, not the submission's
                shutil.copytree(task.checks, tree / "tests")
            done = subprocess.run(["cargo", *argv], cwd=tree, env=env, capture_output=True, check=False)
            checks[name] = "pass" if done.returncode == 0 else "fail"
        return {"status": "graded", "problem": None, "checks": checks}

    return grade


SHIPPED = ("formatting", "store-durability")  # `make check` does the same for every task


@pytest.mark.real
def test_T06_the_shipped_tasks_tell_right_from_wrong_in_the_trials_own_grader(
    tools: Tools, tmp_path: Path
) -> None:
    """Real srt, real cargo; and nothing but the staged tools stays behind."""
    with tempfile.TemporaryDirectory(prefix="agent-eval-test-", dir="/var/tmp") as folder:
        root = Path(folder)  # a trial's uid cannot pass pytest's own folders
        root.chmod(0o755)
        done = program(*SHIPPED, "--eval-root", root, "--json", tmp_path / "found.json")
        left = sorted(path.name for path in root.iterdir())
    assert (done.returncode, done.stderr) == (0, "")
    assert set(left) <= {"store", "toolchain"}
    said = done.stdout.replace("\n    ", " ")  # wrapped to the terminal
    for line, name in zip(said.splitlines(), SHIPPED, strict=True):
        assert line.startswith(f"✓ {name}: ")
        assert "solution passes 3 of 3; starter fails hidden." in line
    for task in documents.read(tmp_path / "found.json", "checked/1")["tasks"]:
        assert len(task["solution"]) == 3
        assert task["starter"]["build"] == "pass"


@pytest.mark.real
def test_T06_a_hidden_test_that_asks_for_something_else_is_found_out(
    evals: Path, plain_cargo: proofs.Grade
) -> None:
    file = evals / "tasks/formatting/checks/double.rs"
    file.write_text(file.read_text("utf-8").replace("42", "43"))
    checked = check_tasks.check(evals, "formatting", plain_cargo)
    assert len(checked.refusals) == 3
    assert all("hidden.double fail" in line for line in checked.refusals)


@pytest.mark.real
def test_T06_a_hidden_test_that_asks_for_nothing_is_found_out(evals: Path, plain_cargo: proofs.Grade) -> None:
    file = evals / "tasks/formatting/checks/double.rs"
    file.write_text(file.read_text("utf-8").replace("assert_eq!(formatting::double(21), 42);", ""))
    checked = check_tasks.check(evals, "formatting", plain_cargo)
    assert [line.partition(": ")[0] for line in checked.refusals] == ["evals/tasks/formatting/starter"]


# rehearsals: what is expected and what came


RESULT = {
    "outcome": "failed",
    "code": {"hidden": {"double": "fail"}, "edits": ["Cargo.toml"]},
    "trial": 1,
    "x": None,
}


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ({}, []),
        ({"outcome": "failed"}, []),
        ({"code": {"hidden": {}}, "x": None, "trial": 1.0}, []),
        ({"code": {"edits": ["Cargo.toml"]}}, []),
        ({"outcome": "succeeded"}, ['outcome: expected "succeeded", and it is "failed"']),
        ({"code": {"hidden": {"double": "pass"}}}, ['code.hidden.double: expected "pass", and it is "fail"']),
        ({"code": {"hidden": {"other": "pass"}}}, ['code.hidden.other: expected "pass", and it is absent']),
        ({"code": {"edits": []}}, ['code.edits: expected [], and it is ["Cargo.toml"]']),
        ({"code": None}, ["code: expected null, and it is {"]),
        ({"x": {"a": 1}}, ['x: expected {"a": 1}, and it is null']),
        ({"x": False}, ["x: expected false, and it is null"]),
        ({"trial": True}, ["trial: expected true, and it is 1"]),
        ({"trial": "1"}, ['trial: expected "1", and it is 1']),
        ({"y": None}, ["y: expected null, and it is absent"]),
        ({"outcome": "x", "y": 1}, ["outcome: ", "y: "]),
    ],
)
def test_M02_each_difference_is_named_with_its_path(expect: dict[str, Any], said: Sequence[str]) -> None:
    found = differences(expect, RESULT)
    assert len(found) == len(said)
    assert all(line.startswith(start) for line, start in zip(found, said, strict=True))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(st.text(max_size=3), JSON, max_size=4)


@given(document=TABLES)
def test_M02_a_document_has_no_differences_from_itself(document: dict[str, Any]) -> None:
    assert differences(document, json.loads(json.dumps(document))) == []


@given(expect=TABLES, result=TABLES)
def test_M02_no_differences_means_that_all_of_expect_is_in_result(
    expect: dict[str, Any], result: dict[str, Any]
) -> None:
    def holds(wanted: Any, there: Any) -> bool:
        if isinstance(wanted, dict) and isinstance(there, dict):
            return all(key in there and holds(value, there[key]) for key, value in wanted.items())
        return json.dumps(wanted, sort_keys=True) == json.dumps(there, sort_keys=True)

    assert (differences(expect, result) == []) == holds(expect, result)


def test_ctrl_c_is_one_line_and_the_code_of_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check_tasks, "run", interrupted)
    monkeypatch.setattr(sys, "argv", ["check_tasks.py", "--files-only"])
    with pytest.raises(SystemExit) as ended:
        check_tasks.main()
    assert ended.value.code == Exit.INTERRUPTED
    assert capsys.readouterr().err == "check_tasks: interrupted; what stands above was checked\n"
