"""The Python graders on what submissions try: no forged pass, no right answer refused (G05-G08)."""

from __future__ import annotations

import binascii
import itertools
import json
import os
import secrets
import shutil
import tempfile
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import grade
import planning
import python_tasks
from batch_running import passable
from graders import (
    Infrastructure,
    Judged,
    interpreter,
    python,
    python_answers,
    python_corpus,
    python_inside,
    python_values,
    staging,
)
from graders.setting import Setting
from grading.bare import Bare
from kit import documents, guard_removal, python_questions, python_tests, submissions, tasks
from kit.layout import Run
from kit.python_asked import Asked
from kit.submissions import SOLUTION, STARTER, Submission

ROOT = Path(__file__).parents[1]
RUNNERS = ("unittest", "pytest")
CASES = sorted(path.parent for path in Path(__file__).parent.glob("attacks/python/*/case.toml"))


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ae-python-"))
    yield folder
    shutil.rmtree(folder)


def judged(runner: str, root: Path, case: dict[str, Any], deadline: float = 20.0) -> dict[str, Judged]:
    return python_corpus.judged(case, runner, root, Bare(Path("/usr"), deadline_secs=deadline))


def verdict(found: dict[str, Judged]) -> str:
    return "pass" if {one.verdict for one in found.values()} == {"pass"} else "fail"


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_G08_each_case_is_judged_rightly_by_unittest(folder: Path, root: Path) -> None:
    case = tomllib.loads((folder / "case.toml").read_text("utf-8"))
    found = judged("unittest", root, case)
    said = {one.name: one.detail for one in found.values()}
    assert verdict(found) == case["expect"], said
    assert set(found) == {"hidden.chunk", "own_tests"}
    if case["expect"] == "fail":
        assert found["hidden.chunk"].verdict == "fail", said


# Those that pytest could judge otherwise; AGENT_EVAL_ALL_ATTACKS=1 runs every one, in a few minutes.
OF_PYTEST: tuple[str, ...] = (
    "plants",
    "plugin",
    "skips-by",
    "exits-a",
    "adds-tests",
    "replaces-json",
    "replaces-write",
    "forges-the",
)
OF_PYTEST += (
    "honest-conf",
    "honest-list",
    "honest-output",
    "honest-own-tests",
    "equals-everything-l",
    "bytecode-a",
)
WANTED = (
    CASES if os.environ.get("AGENT_EVAL_ALL_ATTACKS") else [c for c in CASES if c.name.startswith(OF_PYTEST)]
)


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize("folder", WANTED, ids=lambda folder: folder.name)
def test_G08_each_case_is_judged_rightly_by_pytest(folder: Path, root: Path) -> None:
    case = tomllib.loads((folder / "case.toml").read_text("utf-8"))
    found = judged("pytest", root, case)
    said = {one.name: one.detail for one in found.values()}
    assert verdict(found) == case["expect"], said
    if case["expect"] == "fail":
        assert found["hidden.chunk"].verdict == "fail", said


def named(name: str) -> dict[str, Any]:
    folder = next(one for one in CASES if one.name == name)
    return tomllib.loads((folder / "case.toml").read_text("utf-8"))


GUARDS = guard_removal.listed(python_corpus.CORPUS)


def test_D06_each_guard_is_a_text_that_stands_once_and_names_its_cases() -> None:
    known = {folder.name for folder in CASES}
    for guard in GUARDS:
        for change in guard.change:
            assert (ROOT / "scripts" / change["file"]).read_text("utf-8").count(change["find"]) == 1, (
                guard.name
            )
        assert guard.attacks, guard.name
        assert {*guard.attacks} <= known, guard.name


@pytest.mark.real
@pytest.mark.bare
def test_D06_a_guard_is_missed_when_it_is_away_and_what_guards_nothing_is_not(root: Path) -> None:
    """One of attacks.py python --guards, which takes all of them away."""
    root.chmod(0o755)
    guard = next(one for one in GUARDS if one.name == "twins")
    (change,) = guard.change
    nothing = replace(guard, change=[{**change, "put": f"{change['find']}  # nothing is away"}])
    tried = guard_removal.tried(ROOT, "python", [guard, nothing], ["--light", f"--eval-root={root}"])
    assert [right for _, right in tried] == [[], ["answers-one-of-two"]]


def test_D03_the_corpus_is_whole() -> None:
    """Every attack names an honest look-alike that passes; both runners judge it."""
    found = python_corpus.cases(python_corpus.CORPUS)
    honest = {case.name for case in found if case.expect == "pass"}
    assert all(case.look_alike in honest for case in found if case.expect == "fail")
    assert len(found) == 2 * len(CASES)
    assert len(CASES) - len(honest) >= 80
    assert len(honest) >= 35


def test_G07_a_hang_is_the_submissions_failure(root: Path) -> None:
    hang = {"files": {"chunker/__init__.py": "def chunk(items, size):\n    while True:\n        pass\n"}}
    found = judged("unittest", root, hang, deadline=2.0)
    assert found["hidden.chunk"].verdict == "fail"
    assert "did not end within the grading deadline" in found["hidden.chunk"].detail


def test_G07_an_interpreter_that_does_not_start_is_not(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "python", lambda: Path("/nowhere/python3"))
    with pytest.raises(Infrastructure, match="did not start"):
        judged("unittest", root, named("honest"))


def test_G08_the_runs_interpreter_takes_nothing_from_its_surroundings(root: Path) -> None:
    """-I -S -B: no site, no user site, no PYTHON* variables; and the project comes last on its path."""
    looks = python_tasks.RIGHT + (
        "import sys\n"
        "assert sys.flags.isolated and sys.flags.no_site and sys.dont_write_bytecode\n"
        "assert not any('site-packages' in path or 'dist-packages' in path for path in sys.path)\n"
        "assert sys.path[-1].endswith('/project')\n"
    )
    assert verdict(judged("unittest", root, {"files": {"chunker/__init__.py": looks}})) == "pass"


def test_G08_the_verdict_says_how_many_assertions_were_judged_by_value(root: Path) -> None:
    detail = judged("unittest", root, named("honest"))["hidden.chunk"].detail
    assert detail == "1 passed; 5 assertions, 3 by value, 2 by truth"


def asked(body: str, runner: str = "pytest") -> Asked:
    head = "import pytest\nfrom m import f\n"
    return python_questions.ask((head + body).encode(), runner)


@pytest.mark.parametrize(
    ("body", "gone"),
    [
        ("def test_x():\n    assert f() == 'expected'\n", "expected"),
        ("def test_x():\n    assert 'expected' == f()\n", "expected"),
        ("def test_x():\n    want = ['expected']\n    assert f() == want\n", "expected"),
        ("WANT = {'a': 'expected'}\ndef test_x():\n    assert f() == WANT\n", "expected"),
        ("def test_x():\n    for a, b in [(1, 'expected')]:\n        assert f(a) == b\n", "expected"),
        (
            "ROWS = [(1, 'expected')]\ndef test_x():\n    for a, b in ROWS:\n        assert f(a) == b, b\n",
            "expected",
        ),
        (
            "@pytest.mark.parametrize('a,b', [(1, 'expected')])\ndef test_x(a, b):\n    assert f(a) == b\n",
            "expected",
        ),
        ("@pytest.mark.parametrize('b', ['expected'])\ndef test_x(b):\n    assert f() == b\n", "expected"),
        ("def test_x():\n    assert f() == pytest.approx(47.11)\n", "47.11"),
        ("def test_x():\n    assert f() is None and f() == 'expected'\n", "expected"),
    ],
)
def test_G08_an_expected_value_that_is_written_out_is_not_in_what_runs(body: str, gone: str) -> None:
    turned = asked(body)
    assert turned.problems == []
    assert gone not in turned.source


def test_G08_what_stands_behind_a_call_that_must_raise_need_not_be_reached() -> None:
    turned = asked("def test_x():\n    with pytest.raises(OSError):\n        f()\n        assert f() == 1\n")
    reached = {question.op: question.must for question in turned.questions.values() if not question.canary}
    assert reached == {"raises": 1, "==": 0}


def test_G08_unittests_methods_are_turned_by_what_they_assert() -> None:
    lines = [
        "IsNone(f())",
        "IsNot(f(), 1)",
        "AlmostEqual(f(), 0.5, 3)",
        "Regex(f(), 'x')",
        "IsInstance(f(), int)",
    ]
    body = "".join(f"        self.assert{line}\n" for line in lines)
    turned = asked(f"import unittest\nclass T(unittest.TestCase):\n    def test_x(self):\n{body}", "unittest")
    own = [question for question in turned.questions.values() if not question.canary]
    assert [one.op for one in own] == ["is", "is not", "almost", "regex", "truth"]
    assert [one.expected for one in own] == [(None,), (), (0.5,), ("x",), ()]
    assert [one.line for one in own] == [6, 7, 8, 9, 10]


@pytest.mark.parametrize(
    "body",
    [
        "def test_x():\n    want = [4711]\n    f(want)\n    assert f() == want\n",  # it is also given
        "def test_x():\n    want = 1\n    want = 2\n    assert f() == want\n",  # it is not one value
        "def test_x():\n    want = f()\n    assert f() == want\n",
    ],
)
def test_G08_a_value_that_is_used_otherwise_stays(body: str) -> None:
    turned = asked(body)
    assert "want = None" not in turned.source
    assert not turned.tokens


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("async def test_x():\n    assert await f() == 1\n", "async"),
        ("def test_x():\n    with pytest.warns(UserWarning):\n        f()\n", "pytest.warns"),
        ("class T(unittest.TestCase):\n    def test_x(self):\n        self.assertLogs()\n", "assertLogs"),
    ],
)
def test_G08_what_cannot_be_turned_into_a_question_is_named(body: str, problem: str) -> None:
    assert any(problem in one for one in asked(body).problems)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def test_a():\n    assert f() == 1\ndef test_b():\n    assert f() == 1\n", "holds 2 tests"),
        ("def helper():\n    assert f() == 1\n", "holds 0 tests"),
        ("@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n", "may skip"),
        ("def test_a():\n    f()\n", "asserts nothing"),
        ("def test_a(:\n", "is not Python"),
    ],
)
def test_T04_a_hidden_test_of_python_is_one_test_that_runs(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.py").write_text(text)
    assert any(said in one for one in python_tests.read(tmp_path / "x.py", "pytest").problems)


@pytest.mark.parametrize(
    ("op", "left", "right", "options", "holds"),
    [
        ("==", [1, 2], [1, 2], {}, True),
        ("==", (1, 2), [1, 2], {}, False),
        ("==", {"a": frozenset({1})}, {"a": {1}}, {}, True),
        ("is", True, 1, {}, False),
        ("count", [1, 1, 2], [1, 2, 1], {}, True),
        ("count", [1, 2, 2], [1, 2, 1], {}, False),
        ("almost", 0.1 + 0.2, 0.3, {}, True),
        ("almost", 0.1, 0.2, {"places": 3}, False),
        ("almost", 1.0, 1.5, {"delta": 0.5}, True),
        ("approx", [0.1 + 0.2], [0.3], {}, True),
        ("approx", 1.1, 1.0, {"abs": 0.05}, False),
        ("approx", "x", 1.0, {}, False),
        ("<", "a", 1, {}, False),
        ("regex", "abc", "b.", {}, True),
    ],
)
def test_the_judge_compares_as_the_tests_would(
    op: str, left: Any, right: Any, options: dict[str, Any], holds: bool
) -> None:
    assert python_values.compare(op, left, right, options) is holds


FIXTURES = """
@pytest.fixture(params=[1, 2, 3])
def three(request): return request.param
@pytest.fixture
def also(three): return three
@pytest.fixture(autouse=True, params=[1, 2])
def twice(): pass
"""


@pytest.mark.parametrize(
    ("body", "name", "times"),
    [
        ("def test_x(): assert f()\n", "test_x", 1),
        ("@pytest.mark.parametrize('a', [1, 2])\ndef test_x(a): assert f()\n", "test_x", 2),
        ("@pytest.mark.parametrize('a', (1, *f()))\ndef test_x(a): assert f()\n", "test_x", None),
        (f"{FIXTURES}def test_x(also, tmp_path): assert f()\n", "test_x", 6),
        ("def test_x(elsewhere): assert f()\n", "test_x", None),
        (
            (
                "@pytest.mark.parametrize('a', [1, 2])\nclass TestA:\n"
                "    @pytest.mark.parametrize('b', [1, 2, 3])\n    def test_x(self, a, b): assert f()\n"
            ),
            "TestA.test_x",
            6,
        ),
        ("class A:\n    def test_x(self): assert f()\nclass TestB(A): pass\n", "TestB.test_x", 1),
    ],
)
def test_G06_how_often_a_test_is_run_is_known_from_its_text(body: str, name: str, times: int | None) -> None:
    assert asked(body).tests == {name: times}


WRONG = "def chunk(items, size):\n    return [[1, 2], [3]]\n"
BASE = "import unittest\nfrom chunker import chunk\nfrom tests.parts import Parts\n"
STARTERS_OWN = {
    "tests/parts.py": "class Parts:\n    def test_part(self):\n        self.assertTrue(self.given)\n",
    "tests/__init__.py": "",
    "tests/test_more.py": BASE
    + """class More(Parts, unittest.TestCase):
    given = chunk([1], 1)

    def test_that_nothing_is_raised(self):
        if chunk([1, 2, 3], 1) != [[1], [2], [3]]:
            raise ValueError
""",
}


@pytest.mark.parametrize(("text", "right"), [(python_tasks.RIGHT, "pass"), (WRONG, "fail")])
def test_G08_own_tests_may_assert_nothing_and_inherit_from_elsewhere(
    root: Path, text: str, right: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {f"starter/{name}": content for name, content in STARTERS_OWN.items()}
    monkeypatch.setattr(python_corpus, "TASK", {**python_corpus.TASK, **more})
    found = judged("unittest", root, {"files": {"chunker/__init__.py": text}})
    assert found["own_tests"].verdict == right, found["own_tests"].detail


def packed(rows: bytes) -> bytes:
    said = binascii.b2a_base64(zlib.compress(rows), newline=False).decode()
    return json.dumps(["x", "z", said]).encode() + b"\n"


def taken(report: bytes) -> None:
    for _, kind, *more in python_answers.rows(report):
        python_answers.take(python_answers.Report(Asked()), kind, more)


def test_G07_a_report_is_read_packed_and_never_beyond_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = b'["x", "start", "a"]\n["x", "finish"]\n'
    assert python_answers.rows(rows + packed(rows)) == [["x", "start", "a"], ["x", "finish"]] * 2
    monkeypatch.setattr(python_answers, "MOST_BYTES", 2 * len(rows))
    assert len(python_answers.rows(packed(rows) * 2)) == 4
    with pytest.raises(python_answers.Wrong, match="is longer than"):
        python_answers.rows(rows, cut=True)
    for bad, said in (
        (packed(rows) * 3, "is longer than"),
        (packed(rows + rows + b"[1, 2]"), "is longer than"),
        (packed(packed(rows)), "holds"),
        (b'["x", "z"]', "something else"),
        (b'["x", "z", "AAAA"]', "something else"),
        (b'["x", "z", 3]', "something else"),
    ):
        with pytest.raises(python_answers.Wrong, match=said):
            taken(bad)


def test_G08_only_what_is_built_in_is_listed_and_never_for_ever() -> None:
    class Own(list[int]):
        pass

    def listed(value: Any, op: str) -> Any:
        return python_inside.Questions.listed(cast(Any, None), value, op)

    assert len(listed((1 for _ in itertools.repeat(1)), "count")) == python_inside.MOST + 1
    assert listed({1: 2}.values(), "count") == [2]
    for value, op in ((Own(), "count"), (iter(()), "sequence"), ({}.keys(), "sequence")):
        assert listed(value, op) is value


def test_the_interpreter_is_one_that_every_sandbox_can_read() -> None:
    assert interpreter.python().is_relative_to("/usr")
    assert interpreter.version().startswith("Python 3.")


LOOKS = """
def grade(seal):
    closed = []
    for place in {places!r}:
        try:
            open(place, "rb").close()
            closed.append(False)
        except OSError:
            closed.append(True)
    seen = "chunker/__init__.py" in seal.after
    return {{"checks": {{"closed": all(closed), "seal": seen}}, "detail": str(closed)}}
"""


@pytest.mark.real
@pytest.mark.bare
def test_G05_under_srt_the_solution_passes_the_starter_fails_and_a_function_sees_the_seal_alone() -> None:
    with passable() as root:
        more = '[[assert]]\ntype = "function"\nfunction = "own:grade"\n'
        places = [Path(__file__), root / "evals/tasks/chunk/checks/chunk.py", grade.__file__]
        text = LOOKS.format(places=[str(place) for place in places])
        for runner in RUNNERS:
            python_tasks.make(root / "evals", runner, more)
            (root / "evals/tasks/chunk/graders").mkdir(exist_ok=True)
            (root / "evals/tasks/chunk/graders/own.py").write_text(text)
            for submission, right in ((SOLUTION, "pass"), (STARTER, "fail")):
                found = under_srt(root, submission)
                assert found["status"] == "graded", found["problem"]
                assert found["checks"]["hidden.chunk"] == right, found["steps"]
                assert found["checks"]["assert.function"] == "pass", found["steps"]


def under_srt(root: Path, submission: Submission) -> documents.Document:
    task = tasks.load(root / "evals", "chunk")
    with staging.staged(root / "eval-root") as (staged, place):
        run = Run(place / "grading", planning.control_root() / secrets.token_hex(4))
        tree = place / "left"
        submissions.make(task, submission, tree)
        setting = Setting(staged, run, (61000, 61999))
        return grade.grade_tree(task.document(), task.evals, tree, setting)
