"""The corpus of submissions for the Python graders: what a folder of it holds, and how one is graded.

tests/attacks/python/<name>/case.toml: says, kind, expect (pass or fail), look_alike (an honest submission
that looks similar and passes); hidden: by runner, a test of its own; and what stands beside the starter's
files: files, bytecode (text to compile and never check), folders, names (bytes that are no text, as \\xNN).
_task.toml is the task that all of them are about. Each is graded by both runners.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import graders
from graders import Bench, Judged, Work, grading_copy
from graders.cargo_corpus import Case, Outcome, chosen
from graders.sandbox import open_folder
from kit import tasks
from kit.layout import Run

CORPUS, NAME = Path(__file__).resolve().parents[2] / "tests/attacks/python", "chunk"
TASK = tomllib.loads((CORPUS / "_task.toml").read_text("utf-8"))
RUNNERS = ("unittest", "pytest")


def cases(corpus: Path, names: Sequence[str] = (), kind: str | None = None) -> list[Case]:
    return chosen(corpus, [case for runner in RUNNERS for case in read(corpus, runner)], names, kind)


def read(corpus: Path, runner: str) -> Iterator[Case]:
    for file in sorted(corpus.glob("*/case.toml")):
        said = tomllib.loads(file.read_text("utf-8"))
        yield Case(file.parent, said["kind"], runner, said["expect"], said.get("look_alike"))


def task(evals: Path, runner: str) -> Path:
    """The task of the corpus in an evals/ of its own; its folder. Any other grader has no hidden test."""
    folder, test = evals / "tasks" / NAME, f"checks/{runner}.py"
    write(folder, {name: text for name, text in TASK.items() if not name.startswith("checks/")})
    write(folder, {f"checks/{NAME}.py": TASK[test]} if test in TASK else {})
    write(folder, {"task.toml": TASK["task.toml"].replace("{grader}", runner)})
    (evals / "plugins").mkdir(parents=True, exist_ok=True)
    return folder


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def leave(said: Mapping[str, Any], starter: Path, tree: Path) -> None:
    """The project as the case's submission left it."""
    shutil.copytree(starter, tree)
    for name in said.get("folders", ()):
        shutil.rmtree(tree / name, ignore_errors=True)
        (tree / name).mkdir(parents=True)
    write(tree, said.get("files", {}))
    for name, text in said.get("bytecode", {}).items():
        compiled(tree / name, text, alone=name not in said.get("files", {}))
    for name in said.get("names", ()):
        path = re.sub(rb"\\x(..)", lambda m: bytes([int(m[1], 16)]), name.encode())
        os.close(os.open(os.fsencode(tree) + b"/" + path, os.O_CREAT | os.O_WRONLY))


def compiled(file: Path, text: str, *, alone: bool) -> None:
    """Unchecked-hash bytecode of that text: beside the source, or in its place."""
    code = compile(text, str(file), "exec")
    data = importlib._bootstrap_external._code_to_hash_pyc(  # type: ignore[attr-defined]  # py_compile cannot compile one text under another's name
        code, importlib.util.source_hash(text.encode()), False
    )
    cache = file.with_suffix(".pyc") if alone else Path(importlib.util.cache_from_source(str(file)))
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_bytes(data)


def judged(said: Mapping[str, Any], runner: str, root: Path, bench: Bench) -> dict[str, Judged]:
    """The verdicts on a case, by check, in the grading copy that grade.py makes. root: a folder to use."""
    folder = task(root / "evals", runner)
    if own := said.get("hidden", {}).get(runner):
        write(folder, {f"checks/{NAME}.py": f"# canary: {'0' * 32}\n{own}"})
    leave(said, folder / "starter", root / "left")
    known = tasks.load(root / "evals", NAME)
    copy, fixtures = open_folder(root / "copy"), open_folder(root / "fixtures")
    grading_copy.make(known, root / "left", copy, fixtures)
    work = Work(known.document(), copy, known.checks, open_folder(root / "scratch"), fixtures)
    return {one.name: one for one in graders.load(runner).judge(work, bench)}


def graded(case: Case, place: Run, bench: Bench, started: float) -> Outcome:
    said = tomllib.loads((case.folder / "case.toml").read_text("utf-8"))
    found = judged(said, case.hidden, place.root, bench)
    wrong = [f"{name}: {one.detail}" for name, one in found.items() if one.verdict != "pass"]
    hidden = found[f"hidden.{NAME}"].verdict if case.expect == "fail" else "fail"  # an attack must fail there
    verdict = hidden if wrong else "pass"
    return Outcome(case, verdict, "; ".join(wrong), time.monotonic() - started)
