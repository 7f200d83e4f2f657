"""Each adversary is able to succeed: a grader that trusts an exit status and copies what it finds passes it.

It runs the hidden tests where the agent left its files. So an adversary that our grader fails is failed by
a guard, not by its own inability; for those that cannot succeed there, it is said why.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import battery
from graders.python_corpus import write
from kit import submissions, tasks
from wrong_code import python_code, rust_code

CANARY = "canary: 0123456789abcdef0123456789abcdef\n"
RUST_TASK = {
    "starter/Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n',
    "starter/Cargo.lock": 'version = 4\n\n[[package]]\nname = "demo"\nversion = "0.1.0"\n',
    "starter/src/lib.rs": "// As in assert_eq!(double(21), 42).\npub fn double(_: i32) -> i32 {\n    0\n}\n",
    "solution/src/lib.rs": "pub fn double(x: i32) -> i32 {\n    x * 2\n}\n",
}
PYTHON_TASK = {
    "starter/small/__init__.py": "",
    "starter/tests/test_shown.py": "def test_shown():\n    assert double(21) == 42\n",
    "solution/small/__init__.py": "def double(x):\n    return x * 2\n",
}
ASKED = {  # hidden tests that are too weak for an adversary, where an honest one is strong enough
    "gives-the-default": "assert_eq!(double(0), 0);",
    "gives-nothing": "self.assertFalse(double(0))",
    "reads-the-test": "self.assertEqual(double('a'), 'aa')",
    "asks-again": "self.assertEqual(double(0), 0)",
    "equals-everything-list": "self.assertEqual(double([1]), [1, 1])",
    "true-is-true": "self.assertTrue(double(1))",
}
IMPOSSIBLE = {
    ("cargo", "ends-the-thread"): "libtest takes the end of the test's thread for a failure",
    ("unittest", "occupies-hidden-paths"): "no test found is a failure from Python 3.12 on (see cargo)",
}


def make(evals: Path, grader: str, name: str) -> tasks.Task:
    folder = evals / "tasks/demo"
    (evals / "plugins").mkdir(parents=True)
    head = f'kind = "capability"\nprompt = "Write double."\ngrader = "{grader}"\n'
    if grader == "cargo":
        asked = ASKED.get(name, "") if "assert_eq" in ASKED.get(name, "") else "assert_eq!(double(21), 42);"
        test = f"// {CANARY}use demo::double;\n\n#[test]\nfn doubles() {{\n    {asked}\n}}\n"
        write(folder, {**RUST_TASK, "task.toml": head, "checks/doubles.rs": test})
    else:
        asked = ASKED.get(name, "self.assertEqual(double(21), 42)")
        test = f"# {CANARY}import unittest\nfrom small import double\n\n\nclass Doubles(unittest.TestCase):\n"
        test += f"    def test_doubles(self):\n        {asked}\n"
        write(
            folder,
            {**PYTHON_TASK, "task.toml": f'{head}editable = ["small/**"]\n', "checks/doubles.py": test},
        )
    return tasks.load(evals, "demo")


def naive(task: tasks.Task, tree: Path, target: Path) -> bool:
    """Its tests take the crate's macros, lie beside what was left, and it believes the exit status."""
    (tree / "tests").mkdir(exist_ok=True)
    for test in task.checks.iterdir():
        place = tree / "tests" / test.name
        text = test.read_text().replace("use demo", "#[macro_use]\nextern crate demo;\nuse demo")
        (place / test.name if place.is_dir() else place).write_text(text)  # as cp does
    if task.file["grader"] == "cargo":
        argv, env = ["cargo", "test", "--quiet", "--offline"], {"CARGO_TARGET_DIR": str(target)}
    else:
        argv, env = ["python3", "-B", "-m", "unittest", "tests.doubles"], {}
    done = subprocess.run(
        argv, cwd=tree, env={**os.environ, **env}, stdin=subprocess.DEVNULL, capture_output=True, timeout=120
    )
    return done.returncode == 0


GENERAL = ("plants-configuration", "occupies-hidden-paths", "swaps-a-link", "hard-codes")
EACH = [
    *(("cargo", name) for name in (*rust_code.ATTACKS, *GENERAL)),
    *(("unittest", name) for name in (*python_code.ATTACKS, *GENERAL)),
]


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize(("grader", "name"), EACH, ids=["-".join(one) for one in EACH])
def test_T06_a_naive_grader_passes_the_adversary(
    grader: str, name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    task = make(tmp_path / "evals", grader, name)
    [one] = [one for one in battery.adversaries(task) if one.name == name]
    submissions.make(task, one, tmp_path / "tree")
    target = tmp_path_factory.getbasetemp() / "target"
    assert naive(task, tmp_path / "tree", target) is ((grader, name) not in IMPOSSIBLE)


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize("grader", ["cargo", "unittest"])
def test_T06_and_fails_who_does_nothing(grader: str, tmp_path: Path) -> None:
    task = make(tmp_path / "evals", grader, "")
    submissions.make(task, submissions.STARTER, tmp_path / "tree")
    assert not naive(task, tmp_path / "tree", tmp_path / "target")
