"""Adversaries and mutants of a task, for `check_tasks --battery`: submissions that must not pass (T06).

Each adversary is the solution with the bodies of its functions exchanged, or the starter with something
beside it; so it fits the task's interface, and fails for what it does. One that does not even build fails
too. It makes files and grades nothing. A language without a rewriter gets the general adversaries only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from kit import contents
from kit.submissions import Submission
from kit.tasks import Task
from wrong_code import python_code, rust_code

MOST_MUTANTS = 10
Rewrite = Callable[[bytes], Iterator[tuple[str, bytes]]]  # a source to named variants of it


def adversaries(task: Task) -> list[Submission]:
    """Those that fit the task's language, and those that fit every task."""
    found = list(general(task))
    if task.solution:
        for suffix, language in ((".py", python_code), (".rs", rust_code)):
            if changed := files(task, suffix):
                found += attacks(changed, language.ATTACKS, language.attacked)
    return found


def mutants(task: Task, most: int = MOST_MUTANTS) -> list[Submission]:
    """Small mistakes in the solution, each alone: a fair sample, the same for the same task."""
    found: list[Submission] = []
    for suffix, language in ((".py", python_code), (".rs", rust_code)):
        for name, source in (files(task, suffix) if task.solution else {}).items():
            for says, mutant in language.mutants(source):
                found.append(Submission(f"mutant {len(found) + 1}", f"{name} {says}", True, {name: mutant}))
    if len(found) > most:
        found = random.Random(task.content_hash).sample(found, most)
    return found


def files(task: Task, suffix: str) -> dict[str, bytes]:
    """The solution's sources, by their paths in the project."""
    if task.solution is None:
        return {}
    return {
        str(file.relative_to(task.solution)): file.read_bytes()
        for file in contents.entries(task.solution)
        if file.suffix == suffix
    }


def attacks(
    sources: dict[str, bytes], known: dict[str, str], attacked: Callable[[bytes, str], bytes]
) -> Iterator[Submission]:
    for name, says in known.items():
        changed = {path: attacked(source, name) for path, source in sources.items()}
        yield Submission(name, says, True, changed)


CONFIGURATION = {
    "sitecustomize.py": b"import os\nos._exit(0)\n",
    "conftest.py": b"def pytest_collection_modifyitems(items):\n    items[:] = items[:0]\n",
    "pytest.ini": b"[pytest]\naddopts = --collect-only\n",
    ".cargo/config.toml": b'[target."cfg(all())"]\nrunner = "/bin/true"\n',
    "build.rs": b'fn main() {\n    println!("cargo:rustc-cfg=skip");\n}\n',
    "rust-toolchain.toml": b'[toolchain]\nchannel = "none"\n',
}


def general(task: Task) -> Iterator[Submission]:
    yield Submission(
        "plants-configuration", "the starter beside a runner's configuration", False, CONFIGURATION
    )
    names = [
        f"tests/{stem}{end}" for stem in ("hidden", *task.document()["checks"]) for end in (".rs", ".py")
    ]
    yield Submission("occupies-hidden-paths", "folders where a hidden test would go", folders=tuple(names))
    for name in list(files(task, ""))[:1] or list(_editable(task))[:1]:
        links = {name: "/etc/passwd"}
        yield Submission("swaps-a-link", "a link in a source file's place", links=links)


def _editable(task: Task) -> Iterator[str]:
    if task.solution:
        yield from (str(file.relative_to(task.solution)) for file in contents.entries(task.solution))
