"""Judge a Python project by unittest or pytest: hidden tests, and the starter's own where not editable.

Blind: the tests are rewritten so that nothing in the submission's process knows what is expected or decides
whether it came (kit/python_questions.py), and judged here (python_answers.py). Each test file runs in a child
of its own, in a fresh copy of the project with a home of its own; all of them in one sandbox, since the
submission can change nothing there but itself. Only sources reach the copy: no bytecode, no configuration of
a test runner, no conftest.py but the starter's. What the submission does is data.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from graders import Bench, Done, Infrastructure, Judged, Work, libtest, python_answers, python_libraries
from graders.interpreter import python
from graders.sandbox import open_folder
from kit import python_questions, python_tests
from kit.globs import Editable
from kit.python_asked import Asked
from kit.seal import place

INSIDE = Path(__file__).with_name("python_inside.py")
CACHED = (".pyc", ".pyo")
CONFTEST = "conftest.py"


@dataclass(frozen=True)
class Job:
    """One test file."""

    check: str  # hidden.<name>, own_tests
    file: str  # how the report names it
    asked: Asked
    path: str  # in the copy for the project's own; else ""


def judge(work: Work, bench: Bench) -> Iterator[Judged]:
    """hidden.<name> for each hidden test, then own_tests: the starter's that nobody may edit."""
    jobs = [*hidden(work), *own(work)]
    program = open_folder(work.scratch / "program")
    copies = open_folder(work.scratch / "copies")
    libraries = program / "libraries.zip"
    plan = {
        "runner": work.task["grader"],
        "libraries": str(libraries),
        "jobs": [prepared(job, work, program, open_folder(copies / str(n))) for n, job in enumerate(jobs)],
    }
    put(program / "plan.json", json.dumps(plan).encode())
    put(program / "inside.py", INSIDE.read_bytes())
    if work.task["grader"] == "pytest":
        put(libraries, python_libraries.archive())
    argv = ["env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", str(python())]
    argv += ["-I", "-S", "-B", str(program / "inside.py"), str(program / "plan.json")]
    done = bench.run(argv, cwd=copies, writable=[copies], readable=[program, work.fixtures])
    yield from judged(jobs, done)


def put(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    file.chmod(0o644)


def hidden(work: Work) -> Iterator[Job]:
    for name in work.task["checks"]:
        source = (work.checks / f"{name}.py").read_bytes()
        yield Job(f"hidden.{name}", f"hidden {name}", turned(f"checks/{name}.py", source, work), "")


def own(work: Work) -> Iterator[Job]:
    """Test files of the starter that no submission may edit, so that they are trusted too."""
    for file in sorted(work.copy.rglob("*.py")):
        path = file.relative_to(work.copy)
        if python_tests.is_own(path, work.task):
            asked = turned(str(path), file.read_bytes(), work)
            if asked.tests:
                yield Job("own_tests", f"own {path}", asked, str(path))


def turned(name: str, source: bytes, work: Work) -> Asked:
    asked = python_questions.ask(source, work.task["grader"])
    if asked.problems:
        raise Infrastructure(f"{name}: {asked.problems[0]}")
    return asked


def prepared(job: Job, work: Work, program: Path, room: Path) -> dict[str, Any]:
    """The copy, the rewritten test, and where each is."""
    copy = open_folder(room / "project")
    place(work.copy, copy, is_source)
    stem = f"test_{secrets.token_hex(6)}" if not job.path else PurePosixPath(job.path).stem
    name = ".".join(PurePosixPath(job.path).with_suffix("").parts) if job.path else stem
    if not all(part.isidentifier() for part in name.split(".")):
        name = stem
    parent = PurePosixPath(job.path).parent if job.path else PurePosixPath(".")
    if "." in name and not (work.copy / parent / "__init__.py").is_file():
        name = stem
    folder = open_folder(program / f"{job.check}-{secrets.token_hex(4)}")
    test = folder / f"{stem}.py"
    put(test, job.asked.source.encode())
    conftests(work, parent, folder)
    return {
        "file": job.file,
        "copy": str(copy),
        "home": str(room / "home"),
        "paths": [str(copy / "src")] if (work.copy / "src").is_dir() else [],
        "test": str(test),
        "name": name,
        "prefix": job.asked.prefix,
    }


def is_source(path: bytes) -> bool:
    """Bytecode says what a source once was, or never was: it is not taken along."""
    name = path.rpartition(b"/")[2].decode("utf-8", "surrogateescape")
    return b"__pycache__" not in path.split(b"/") and not name.endswith(CACHED)


def conftests(work: Work, parent: PurePosixPath, folder: Path) -> None:
    """The starter's own, nearest first; one that may be edited is the submission's and stays away."""
    editable = Editable(work.task["editable"])
    for above in (PurePosixPath("tests"), parent):
        source = work.copy / above / CONFTEST
        if source.is_file() and os.fsencode(above / CONFTEST) not in editable:
            put(folder / CONFTEST, source.read_bytes())


def judged(jobs: Sequence[Job], done: Done) -> Iterator[Judged]:
    """One verdict for each hidden test, one for all of the project's own."""
    try:
        report = python_answers.rows(done.stdout, cut=done.cut)
        problem = ""
    except python_answers.Wrong as wrong:
        report, problem = [], str(wrong)
    if not problem and not any(kind == "begin" for _, kind, *_ in report):
        raise Infrastructure(
            f"the tests' interpreter did not start (status {done.exit}): {libtest.said(done)}"
        )
    output, secs = done.stdout + done.stderr, done.elapsed_secs / max(1, len(jobs))
    verdicts = {job.file: of(job, report, problem, done) for job in jobs}
    for check in dict.fromkeys(job.check for job in jobs):
        files = [job.file for job in jobs if job.check == check]
        failed = next((file for file in files if verdicts[file][0] != "pass"), None)
        verdict, detail = verdicts[failed or files[0]]
        if check == "own_tests":
            detail = f"{failed}: {detail}" if failed else f"{len(files)} files passed"
        yield Judged(check, verdict, libtest.readable(detail.encode()), secs * len(files), output)


def of(job: Job, report: Sequence[Sequence[Any]], problem: str, done: Done) -> Any:
    if problem:
        return "fail", problem
    rows = [row for row in report if row[0] == job.file]
    verdict, detail = python_answers.judge(job.asked, rows)
    if verdict != "pass" and done.timed_out and not any(kind == "exit" for _, kind, *_ in rows):
        return "fail", "it did not end within the grading deadline"
    return verdict, detail
