"""The folders of a task: hidden tests, starter, solution, fixtures; and what must not lie in them.

It reads; it never builds, copies or changes anything. A refusal is the fault of the task's author.
"""

from __future__ import annotations

import os
import re
import secrets
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from kit import contents, hidden_tests, python_tests
from kit.globs import Editable
from kit.taskfile import SUFFIXES

if TYPE_CHECKING:  # tasks.load reaches this module
    from kit.tasks import Task

Refusal = tuple[Path, str]

# What Symposium or a client would take up by itself, so that the plugin would not be its only source.
OWN_SKILLS = ("skills", ".agents/skills", ".claude/skills", "SYMPOSIUM.toml", "Symposium.toml")
REACHES = "would reach the agent without a plugin; move it into one"
TEST_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
CANARY_HINT = "any 32 hexadecimal digits of its own, for example"


def refusals(task: Task) -> Iterator[Refusal]:
    yield from hidden(task)
    yield from starter(task)
    yield from solution(task)
    for folder in filter(Path.is_dir, task.fixture_folders):
        yield from fixture(folder)
    for folder in (task.folder, *task.plugin_folders, *filter(Path.is_dir, task.fixture_folders)):
        yield from out_of_place(folder)


def out_of_place(folder: Path) -> Iterator[Refusal]:
    for path in contents.histories(folder):
        yield path, "is version-control history, in which an agent could read the answer; remove it"
    for path in contents.entries(folder):
        if not contents.is_regular(path):
            yield path, "is a link or a special file, which is never copied; put a file in its place"


def hidden(task: Task) -> Iterator[Refusal]:
    files = sorted(task.checks.iterdir()) if task.checks.is_dir() else []
    grader = task.file["grader"]
    suffix = SUFFIXES.get(grader)
    if suffix is None:
        yield from ((file, f"the grader {grader} runs no hidden tests; remove it") for file in files)
        return
    if not files:
        yield task.checks, f"holds no hidden test; add one, checks/<name>{suffix}"
    for file in files:
        if file.suffix != suffix or not file.is_file() or file.is_symlink():
            language = "Rust" if suffix == ".rs" else "Python"
            yield file, f"is no {language} file; each hidden test is one file, checks/<name>{suffix}"
            continue
        if not TEST_NAME.fullmatch(file.stem):
            yield file, "is no name for a test; use letters, digits and _"
        if (task.starter / "tests" / file.name).exists():
            yield file, f"has the name of the starter's tests/{file.name}; choose another"
        test = read_test(file, grader)
        yield from ((file, problem) for problem in test.problems)
        yield from canary(task, file, test.canary)
    if suffix == ".py":
        yield from untold(task)


def read_test(file: Path, grader: str) -> hidden_tests.HiddenTest:
    return python_tests.read(file, grader) if file.suffix == ".py" else hidden_tests.read(file)


def canary_of(file: Path) -> str | None:
    return read_test(file, "pytest").canary


def own_tests(task: Task) -> Iterator[Path]:
    """The starter's tests that no submission may edit: the Python graders run them too."""
    for file in contents.entries(task.starter):
        if python_tests.is_own(file.relative_to(task.starter), task.file):
            yield file


def untold(task: Task) -> Iterator[Refusal]:
    """Tests of the starter that would be run, and that hold what cannot be judged from outside."""
    for file in own_tests(task):
        asked = python_tests.known(file.read_bytes(), task.file["grader"])
        yield from ((file, problem) for problem in asked.problems)


def canary(task: Task, file: Path, known: str | None) -> Iterator[Refusal]:
    """I09: a mark that only this file holds, so that its text is known wherever it turns up."""
    if known is None:
        mark = "#" if file.suffix == ".py" else "//"
        yield file, f"has no canary; add a line {CANARY_HINT} {mark} canary: {secrets.token_hex(16)}"
        return
    for folder in (task.folder, *task.plugin_folders, *filter(Path.is_dir, task.fixture_folders)):
        for other in filter(contents.is_regular, contents.entries(folder)):
            if other != file and known.encode() in other.read_bytes():
                yield (
                    other,
                    f"holds the canary of checks/{file.name}, which belongs there alone; remove it here",
                )


def starter(task: Task) -> Iterator[Refusal]:
    if task.file["grader"] != "cargo":
        yield from ((path, REACHES) for path in own_skills({task.starter}))
        if not task.starter.is_dir():
            yield task.starter, "missing; it is what the agent is given"
        return
    manifest, refused = crate(task.starter)
    yield from refused
    for path in paths_of_dependencies(manifest):
        place = PurePosixPath(os.path.normpath(path))
        name = place.name if place.parent == PurePosixPath("../fixtures") else None
        if name is None and (place.is_absolute() or place.parts[:1] == ("..",)):
            yield (
                task.starter / "Cargo.toml",
                f'depends on "{path}", which no trial has; use ../fixtures/<name>',
            )
        elif name and name not in task.file["fixtures"]:
            yield task.folder / "task.toml", f"fixture {name}: the starter depends on it; add it to fixtures"
    for member in workspace(manifest).get("members", []):
        if str(member).startswith(("..", "/")):
            yield (
                task.starter / "Cargo.toml",
                f'workspace member "{member}" lies outside; a fixture must be none',
            )


def solution(task: Task) -> Iterator[Refusal]:
    editable = Editable(task.file["editable"])
    for file in contents.entries(task.solution) if task.solution else ():
        if os.fsencode(file.relative_to(task.solution or file)) not in editable:
            yield file, "is outside editable, so it is never graded; remove it or widen editable"


def fixture(folder: Path) -> Iterator[Refusal]:
    manifest, refused = crate(folder)
    yield from refused
    if "workspace" in manifest or "workspace" in manifest.get("package", {}):
        yield folder / "Cargo.toml", "speaks of a workspace; a fixture is a crate of its own"
    if "symposium" in manifest.get("package", {}).get("metadata", {}):
        yield folder / "Cargo.toml", "holds content for Symposium; put it into a plugin"
    for above in folder.parents:
        for member in workspace(read_manifest(above)[0]).get("members", []):
            if folder in above.glob(str(member).strip("/")):
                yield folder, f"is a member of the workspace {above}; take it out of members"


def crate(folder: Path) -> tuple[dict[str, Any], list[Refusal]]:
    """A starter's or a fixture's Cargo.toml, and what is wrong with the crate as such."""
    manifest, problem = read_manifest(folder)
    crates = {folder, *(file.parent for file in contents.entries(folder) if file.name == "Cargo.toml")}
    refused = [(path, REACHES) for path in own_skills(crates)]
    return manifest, [(folder / "Cargo.toml", problem), *refused] if problem else refused


def own_skills(crates: set[Path]) -> list[Path]:
    return [crate / name for crate in sorted(crates) for name in OWN_SKILLS if (crate / name).exists()]


def read_manifest(folder: Path) -> tuple[dict[str, Any], str]:
    try:
        return tomllib.loads((folder / "Cargo.toml").read_text("utf-8")), ""
    except (FileNotFoundError, NotADirectoryError):
        return {}, "missing; it is a crate of its own"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return {}, f"not TOML: {error}; correct it"


def workspace(manifest: dict[str, Any]) -> dict[str, Any]:
    said = manifest.get("workspace", {})
    return said if isinstance(said, dict) else {}


def paths_of_dependencies(manifest: dict[str, Any]) -> list[str]:
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    places = [manifest, workspace(manifest), *manifest.get("target", {}).values()]
    tables = [place.get(kind, {}) for place in places for kind in kinds]
    wanted = [entry for table in tables for entry in table.values() if isinstance(entry, dict)]
    return sorted({str(entry["path"]) for entry in wanted if "path" in entry})
