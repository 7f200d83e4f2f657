"""[[assert]]: all that was left counts, nothing is followed, a guard that guards nothing is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import assertions
import python_tasks
from assertions import Left
from graders import Infrastructure, Judged, Work, grading_copy
from graders.sandbox import open_folder
from grading.bare import Bare
from kit import seal, submissions, tasks
from kit.submissions import STARTER, Submission

SKIPPED = '[[assert]]\ntype = "no_new_skips"\n'
TREE = '[[assert]]\ntype = "tree_unchanged"\n'
Change = Callable[[Path], object]


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    return tmp_path / "evals"


def judged(evals: Path, more: str, change: Change, **files: str) -> dict[str, Judged]:
    """The starter as an agent was given it, changed, sealed as collect does, and asserted about."""
    python_tasks.make(evals, "unittest", more, **files)
    task = tasks.load(evals, "chunk")
    root = evals.parent
    submissions.make(task, STARTER, root / "left")
    change(root / "left")
    sealed = seal.seal(root / "left", root / "kept").entries
    copy, fixtures = open_folder(root / "copy"), open_folder(root / "fixtures")
    grading_copy.make(task, root / "kept", copy, fixtures)
    work = Work(task.document(), copy, task.checks, open_folder(root / "scratch"), fixtures)
    bench = Bare(Path("/usr"), deadline_secs=20)
    return {one.name: one for one in assertions.judge(task, Left(root / "kept", sealed), work, bench)}


def only(found: dict[str, Judged]) -> Judged:
    (one,) = found.values()
    return one


def crlf(tree: Path) -> None:
    file = tree / "README.md"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))


def folder_to_file(tree: Path) -> None:
    shutil.rmtree(tree / "tests")
    (tree / "tests").write_text("x")


def file_to_link(tree: Path) -> None:
    (tree / "README.md").unlink()
    (tree / "README.md").symlink_to("tests")


def linked(place: Path) -> None:
    place.parent.mkdir(exist_ok=True)
    place.symlink_to("/etc/passwd")


def same_again(tree: Path) -> None:
    file = tree / "README.md"
    file.write_bytes(file.read_bytes())


CHANGES: dict[str, Change] = {
    "line ends (15)": crlf,
    "a mode (16)": lambda t: (t / "README.md").chmod(0o755),
    "a mode of a folder (16)": lambda t: (t / "chunker").chmod(0o700),
    "a set-uid bit": lambda t: (t / "README.md").chmod(0o4644),
    "a link (17)": lambda t: (t / "leak").symlink_to("/etc/passwd"),
    "a dangling link": lambda t: (t / "leak").symlink_to("nowhere"),
    "empty folders (17)": lambda t: (t / "junk/empty").mkdir(parents=True),
    "a folder of packages (17)": lambda t: (t / "node_modules").mkdir(),
    "a virtual environment (17)": lambda t: (t / ".venv").mkdir(),
    "a history": lambda t: (t / ".git").mkdir(),
    "a file among bytecode": lambda t: python_tasks.write(t, {"chunker/__pycache__/notes.txt": "x"}),
    "bytecode beside its source": lambda t: (t / "chunker/x.cpython-311.pyc").write_bytes(b""),
    "a link among bytecode": lambda t: linked(t / "chunker/__pycache__/x.cpython-311.pyc"),
    "a file in pytest's cache": lambda t: python_tasks.write(t, {".pytest_cache/v/notes.txt": "x"}),
    "another tool's cache": lambda t: (t / ".mypy_cache").mkdir(),
    "a file of a cache's name": lambda t: (t / "__pycache__").write_text("x"),
    "target of another kind of project": lambda t: (t / "target").mkdir(),
    "a deleted file": lambda t: (t / "README.md").unlink(),
    "a file for a folder": folder_to_file,
    "a link for a file": file_to_link,
    "a FIFO": lambda t: os.mkfifo(t / "pipe"),
    "a name that is no text": lambda t: os.close(os.open(os.fsencode(t) + b"/a\xff", os.O_CREAT)),
    "a huge sparse file": lambda t: os.truncate(os.open(t / "big", os.O_CREAT | os.O_WRONLY), 1 << 40),
    "a byte at the end": lambda t: (t / "README.md").write_text("Chunks.\n\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_D03_tree_unchanged_sees_every_change(evals: Path, change: Change) -> None:
    assert only(judged(evals, TREE, change)).verdict == "fail"


@pytest.mark.parametrize("change", [lambda t: None, same_again, lambda t: os.utime(t / "README.md", (1, 1))])
def test_D03_tree_unchanged_passes_what_only_looks_changed(evals: Path, change: Change) -> None:
    found = only(judged(evals, TREE, change))
    assert (found.name, found.verdict) == ("assert.tree_unchanged", "pass"), found.detail


def run_by_the_agent(tree: Path) -> None:
    """What a run of the project's own tests leaves."""
    argv = ["/usr/bin/python3", "-m", "unittest", "tests/test_example.py"]
    subprocess.run(argv, cwd=tree, capture_output=True, check=False, env={})
    assert [*(tree / "chunker/__pycache__").glob("*.pyc")]
    for name in ("README.md", ".gitignore", "CACHEDIR.TAG", "v/cache/nodeids", "v/cache/lastfailed"):
        python_tasks.write(tree, {f".pytest_cache/{name}": "x"})
    python_tasks.write(tree, {"tests/__pycache__/test_x.cpython-312-pytest-8.3.4.pyc": "x"})


@pytest.mark.parametrize("name", ["tree_unchanged", "changed_paths_within"])
def test_G04_the_caches_of_a_run_of_the_tests_are_no_change(evals: Path, name: str) -> None:
    more = f'[[assert]]\ntype = "{name}"\n' + 'paths = ["docs/**"]\n' * (name != "tree_unchanged")
    found = only(judged(evals, more, run_by_the_agent))
    assert found.verdict == "pass", found.detail


def test_G04_what_symposium_and_cargo_made_is_no_change(evals: Path) -> None:
    entry = {"type": "folder", "mode": "0755", "size": None, "sha256": None, "target": None, "note": None}
    left = Left(evals, None, (".claude/skills/x",))
    for path, cargo, own in (
        (".claude", False, True),
        (".claude/skills/x/SKILL.md", False, True),
        (".claude/skills/y", False, False),
        ("target", True, True),
        ("target", False, False),
        ("Cargo.lock", True, True),
    ):
        assert assertions.ours({**entry, "path": path}, left, {}, cargo=cargo) is own, path


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (crlf, "fail"),
        (lambda t: (t / "README.md").unlink(), "fail"),
        (lambda t: (t / "README.md").chmod(0o755), "fail"),
        (lambda t: (t / "other.md").write_text("x"), "pass"),
        (same_again, "pass"),
    ],
)
def test_D03_files_unchanged_compares_bytes_and_modes(evals: Path, change: Change, verdict: str) -> None:
    more = '[[assert]]\ntype = "files_unchanged"\nname = "readme"\npaths = ["README.md"]\n'
    found = only(judged(evals, more, change))
    assert (found.name, found.verdict) == ("assert.readme", verdict)


@pytest.mark.parametrize("name", ["a b.md", "r\u00e9sum\u00e9.md", "back\\slash", "new\nline"])
def test_D03_files_unchanged_finds_a_file_by_its_name_whatever_it_is(evals: Path, name: str) -> None:
    more = f"[[assert]]\ntype = 'files_unchanged'\npaths = [{json.dumps(name)}]\n"
    found = judged(evals, more, lambda t: (t / name).write_text("other"), **{f"starter__{name}": "x"})
    assert only(found).verdict == "fail"


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda t: (t / "chunker/deep").mkdir(), "pass"),
        (lambda t: python_tasks.write(t, {"chunker/new/x.py": "x"}), "pass"),
        (lambda t: (t / "README.md").write_text("x"), "fail"),
        (lambda t: (t / "chunkers").mkdir(), "fail"),
        (lambda t: (t / "chunker2.py").write_text("x"), "fail"),
        (lambda t: (t / "README.md").unlink(), "fail"),
        (lambda t: (t / "README.md").chmod(0o755), "fail"),
        (lambda t: (t / "leak").symlink_to("chunker"), "fail"),
        (lambda t: (t / "chunker/__init__.py").unlink(), "pass"),
    ],
)
def test_D03_changed_paths_within(evals: Path, change: Change, verdict: str) -> None:
    more = '[[assert]]\ntype = "changed_paths_within"\npaths = ["chunker/**"]\n'
    assert only(judged(evals, more, change)).verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("import unittest\n@unittest.skip('x')\ndef test(): pass\n", "fail"),
        ("def test(): pass\n", "pass"),
        ("def test( pass\n", "fail"),
    ],
)
def test_D03_no_new_skips(evals: Path, text: str, verdict: str) -> None:
    more = '[[assert]]\ntype = "no_new_skips"\n'
    found = only(judged(evals, more, lambda t: (t / "tests/test_example.py").write_text(text)))
    assert found.verdict == verdict, found.detail


def test_D03_a_skip_that_the_starter_has_may_stay_and_move(evals: Path) -> None:
    more = '[[assert]]\ntype = "no_new_skips"\n'
    kept = "import unittest\n@unittest.skip('x')\ndef test(): pass\n"
    change = lambda t: (t / "chunker/old.py").write_text("# moved\n" + kept)  # noqa: E731  # a name for a line
    found = only(judged(evals, more, change, **{"starter__chunker__old.py": kept}))
    assert found.verdict == "pass", found.detail


MOVED = "import unittest\nclass T(unittest.TestCase):\n{}    def test_a(self): 0\n    def test_b(self): 0\n"
MARKED = MOVED.format("    @unittest.skip('x')\n")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (MARKED, "pass"),
        (MARKED + "# renamed\n", "pass"),
        (MARKED.replace("test_b", "test_c"), "pass"),
        (MARKED.replace("    def test_b", "    @unittest.skip('x')\n    def test_b"), "fail"),
        ("import unittest\n\n@unittest.skip('x')\nclass Other:\n    def test_of_its_own(self): 0\n", "fail"),
    ],
)
def test_D03_a_file_that_was_moved_keeps_its_marks(evals: Path, text: str, verdict: str) -> None:
    def change(tree: Path) -> None:
        (tree / "chunker/old.py").unlink()
        (tree / "chunker/new.py").write_text(text)

    found = only(judged(evals, SKIPPED, change, **{"starter__chunker__old.py": MARKED}))
    assert found.verdict == verdict, found.detail


COMMAND = TREE + '[[assert]]\ntype = "command"\nrun = ["sh", "-c", "{}"]\n'


@pytest.mark.parametrize(
    ("script", "verdict"), [("grep -q x chunker/y", "fail"), ("touch chunker/z", "pass")]
)
def test_D03_a_command_passes_by_its_status_in_a_copy_of_its_own(
    evals: Path, script: str, verdict: str
) -> None:
    found = judged(evals, COMMAND.format(script), lambda t: None)
    assert found["assert.command"].verdict == verdict
    assert not (evals.parent / "copy/chunker/z").exists()


def test_G07_a_command_that_is_not_there_is_not_the_submissions_failure(evals: Path) -> None:
    with pytest.raises(Infrastructure, match="nowhere-to-be-found"):
        judged(evals, TREE + '[[assert]]\ntype = "command"\nrun = ["nowhere-to-be-found"]\n', lambda t: None)


FUNCTION = '[[assert]]\ntype = "function"\nfunction = "own:grade"\n'


def by_function(evals: Path, body: str, change: Change = lambda t: None) -> Judged:
    source = "import os\ndef grade(seal):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    return only(judged(evals, FUNCTION, change, **{"graders__own.py": source}))


def test_D01_a_function_of_the_tasks_own_sees_the_seal_and_decides(evals: Path) -> None:
    body = 'ok = seal.read("README.md") == b"Chunks.\\n" and "x" in seal.after and "x" not in seal.before'
    body += '\nprint("noise")\nreturn {"checks": {"readme": ok}, "detail": seal.after["x"]["target"]}'
    found = by_function(evals, body, lambda t: (t / "x").symlink_to("/etc/passwd"))
    assert (found.verdict, found.detail) == ("pass", "/etc/passwd")


def test_D01_a_function_that_says_no_fails_the_submission(evals: Path) -> None:
    assert by_function(evals, 'return {"checks": {"a": True, "b": False}}').verdict == "fail"


@pytest.mark.parametrize(
    "body",
    [
        "raise RuntimeError",
        "return None",
        "return 'False'",
        "return True",
        "return {'checks': {}}",
        "return {'checks': {'a': 'False'}}",
        "return {'checks': {'a': 1}}",
        "os._exit(0)",
        "import sys; sys.exit(0)",
    ],
)
def test_field_32_a_function_that_raises_or_gives_no_verdict_is_never_a_pass(evals: Path, body: str) -> None:
    with pytest.raises(Infrastructure, match="gave no verdict"):
        by_function(evals, body)


def refused(evals: Path, more: str, **files: str) -> str:
    python_tasks.make(evals, files.pop("grader", "unittest"), more, **files)
    with pytest.raises(tasks.TaskError) as caught:
        tasks.load(evals, "chunk")
    return str(caught.value)


@pytest.mark.parametrize(
    "signature",
    [
        "grade()",
        "grade(transcript)",
        "grade(seal, transcript)",
        "grade(seal, events=None)",
        "grade(seal, *rest)",
        "grade(seal, **more)",
        "grade(seal, *, log=None)",
    ],
)
def test_D01_a_parameter_that_could_carry_a_transcript_is_refused(evals: Path, signature: str) -> None:
    said = refused(evals, FUNCTION, **{"graders__own.py": f"def {signature}:\n    return None\n"})
    assert "write def grade(seal)" in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[[assert]]\ntype = "files_unchanged"\npaths = ["READNE.md"]\n', "guards nothing"),
        ('[[assert]]\ntype = "files_unchanged"\npaths = ["./README.md"]\n', 'write "README.md"'),
        ('[[assert]]\ntype = "files_unchanged"\npaths = ["chunker//__init__.py"]\n', "guards nothing"),
        ('[[assert]]\ntype = "files_unchanged"\npaths = ["chunker/../README.md"]\n', "guards nothing"),
        ('[[assert]]\ntype = "changed_paths_within"\npaths = ["./chunker/**"]\n', "matches no path"),
        ('[[assert]]\ntype = "files_unchanged"\npaths = []\n', "is empty"),
        ('[[assert]]\ntype = "files_unchanged"\n', "needs paths"),
        ('[[assert]]\ntype = "changed_paths_within"\npaths = ["**"]\n', "guards nothing"),
        ('[[assert]]\ntype = "changed_paths_within"\npaths = ["!x"]\n', "only takes away"),
        ('[[assert]]\ntype = "tree_unchanged"\npaths = ["x"]\n', "means nothing to tree_unchanged"),
        ('[[assert]]\ntype = "tree_unchangd"\n', 'did you mean "tree_unchanged"'),
        ('[[assert]]\ntype = "tree_unchanged"\npathes = ["x"]\n', 'did you mean "paths"'),
        ('[[assert]]\ntype = "command"\n', "needs run"),
        ('[[assert]]\ntype = "function"\nfunction = "own:grade"\n', "there is no graders/own.py"),
        ('[[assert]]\ntype = "function"\nfunction = "os.path:join"\n', "is not module:function"),
        (TREE + TREE, "give each a name of its own"),
        ("[requires]\nsteps = 1\n", "requires is not built yet"),
        ("[permissions]\nx = 1\n", "permissions is not built yet"),
    ],
)
def test_T04_an_assertion_that_guards_nothing_is_refused(evals: Path, more: str, said: str) -> None:
    assert said in refused(evals, more)


@pytest.mark.parametrize("more", ["", '[[assert]]\ntype = "command"\nrun = ["true"]\n'])
def test_D03_a_task_that_is_graded_by_a_command_alone_is_refused(evals: Path, more: str) -> None:
    assert "which a submission can talk into a pass" in refused(evals, more, grader="command")


def test_D03_a_task_of_no_known_kind_is_graded_by_its_assertions(evals: Path) -> None:
    python_tasks.make(evals, "command", TREE)
    task = tasks.load(evals, "chunk")
    assert task.verdicts == ["assert.tree_unchanged"]
    assert task.document()["checks"] == []


def test_the_modes_of_a_proof_are_those_of_a_trial(evals: Path) -> None:
    python_tasks.make(evals, "unittest", TREE)
    task = tasks.load(evals, "chunk")
    (evals / "tasks/chunk/starter/README.md").chmod(0o600)
    submissions.make(task, Submission("x", "", links={"l": "/x"}, folders=("f",)), evals.parent / "tree")
    assert (evals.parent / "tree/README.md").stat().st_mode & 0o777 == 0o644
    assert (evals.parent / "tree/l").is_symlink()
