"""Adversaries and mutants of a task, for `check_tasks --battery`: submissions that must not pass (T06).

Each adversary is the solution with the bodies of its functions exchanged, or the starter with something
beside it; so it fits the task's interface, and fails for what it does. One that does not even build fails
too. It makes files and grades nothing. A language without a rewriter gets the general adversaries only.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator

from kit import contents
from kit.contract import Exit, Stop
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
                found += hard_coded(task, suffix, language.hard_coded)
    return found


def mutants(task: Task, most: int = MOST_MUTANTS) -> list[Submission]:
    """Small mistakes in the solution, each alone: a fair sample, the same for the same task."""
    found: list[Submission] = []
    for suffix, language in ((".py", "python"), (".rs", "rust")) if most else ():
        for name, source in files(task, suffix).items():
            for says, mutant in mutator(language)(source):
                found.append(Submission(f"mutant {len(found) + 1}", f"{name} {says}", True, {name: mutant}))
    if len(found) > most:
        found = random.Random(task.content_hash).sample(found, most)
    return found


def mutator(language: str) -> Rewrite:
    """Imported when a task needs it: nobody else has mutmut."""
    try:
        mutants: Rewrite = importlib.import_module(f"wrong_code.{language}_mutants").mutants
    except ModuleNotFoundError as missing:
        how = "run `nox -s check_tasks -- --battery`, which does that, or `pip install mutmut`"
        raise Stop(Exit.UNAVAILABLE, f"{missing.name}: not installed; {how}") from missing
    return mutants


def files(task: Task, suffix: str = "") -> dict[str, bytes]:
    """The solution's sources, by their paths in the project."""
    if task.solution is None:
        return {}
    return {
        str(file.relative_to(task.solution)): file.read_bytes()
        for file in contents.entries(task.solution)
        if file.suffix == suffix or not suffix
    }


def attacks(
    sources: dict[str, bytes], known: dict[str, str], attacked: Callable[[bytes, str], bytes]
) -> Iterator[Submission]:
    for name, says in known.items():
        changed = {path: attacked(source, name) for path, source in sources.items()}
        yield Submission(name, says, True, changed)


def hard_coded(
    task: Task, suffix: str, rewrite: Callable[[bytes, bytes], bytes | None]
) -> Iterator[Submission]:
    """What answers the visible example alone; nothing where the starter's own files show none."""
    starter = contents.entries(task.starter) if task.starter else ()
    visible = b"\n".join(file.read_bytes() for file in starter if file.suffix == suffix)
    changed = {name: rewrite(source, visible) for name, source in files(task, suffix).items()}
    if fits := {name: source for name, source in changed.items() if source is not None}:
        yield Submission(
            "hard-codes", "answers what the starter's own assertions show, and nothing else", True, fits
        )


CONFIGURATION = {
    "sitecustomize.py": b"import os\nos._exit(0)\n",
    "unittest.py": b"raise SystemExit(0)\n",
    "conftest.py": b"def pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
    "pytest.ini": b"[pytest]\naddopts = --collect-only\n",
    ".cargo/config.toml": b'[target."cfg(all())"]\nrunner = "/bin/true"\n',
}


def general(task: Task) -> Iterator[Submission]:
    yield Submission(
        "plants-configuration", "the starter beside a runner's configuration", False, CONFIGURATION
    )
    names = [
        f"tests/{stem}{end}" for stem in ("hidden", *task.document()["checks"]) for end in (".rs", ".py")
    ]
    yield Submission("occupies-hidden-paths", "folders where a hidden test would go", folders=tuple(names))
    if links := {name: str((task.folder / "solution" / name).resolve()) for name in files(task)}:
        yield Submission("swaps-a-link", "links to right answers in the sources' places", links=links)
