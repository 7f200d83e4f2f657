"""The corpus of submissions for the cargo grader: what a folder of it holds, and how one is graded.

tests/attacks/cargo/<name>/ holds lib.rs, and case.toml: kind, hidden (a file of _hidden/), expect (pass or
fail), look_alike (an honest submission that looks similar and passes). It may hold tree/ and starter/, other
files of the submission and of its starter, and in case.toml links (path to target), check, fmt_check and
editable. _hidden/<test>.rs is the hidden test, _solutions/<test>.rs what a task would have as its solution. A
folder that lacks one is a fault of the corpus.
"""

from __future__ import annotations

import shutil
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graders import Bench, Judged, Work, grading_copy
from graders.sandbox import open_folder
from kit.contract import Exit, Stop
from kit.globs import Editable
from kit.layout import Run

MANIFEST = '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n'
LOCK = 'version = 4\n\n[[package]]\nname = "demo"\nversion = "0.1.0"\n'
STARTER = "//! Nothing yet.\n"


@dataclass(frozen=True)
class Case:
    folder: Path
    kind: str
    hidden: str
    expect: str
    look_alike: str | None
    links: Mapping[str, str] = field(default_factory=dict)
    check: str = ""  # whose verdict; else the hidden test's
    fmt_check: bool = False
    editable: Sequence[str] = ("src/**",)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def lib(self) -> bytes:
        return (self.folder / "lib.rs").read_bytes()

    def beside(self, kind: str) -> bytes:
        return (self.folder.parent / f"_{kind}/{self.hidden}.rs").read_bytes()


@dataclass(frozen=True)
class Outcome:
    case: Case
    verdict: str
    detail: str
    secs: float

    @property
    def right(self) -> bool:
        """What cannot be judged is refused by name, which is no verdict; attacks.py says where it may be."""
        return self.verdict in (self.case.expect, "refused")


def cases(corpus: Path, names: Sequence[str] = (), kind: str | None = None) -> list[Case]:
    return chosen(corpus, [read(file.parent) for file in sorted(corpus.glob("*/case.toml"))], names, kind)


def chosen(corpus: Path, found: Sequence[Case], names: Sequence[str], kind: str | None) -> list[Case]:
    known = {case.name for case in found}
    if unknown := sorted({*names} - known):
        raise Stop(Exit.USAGE, f"{corpus}: has no {', '.join(unknown)}; see its folders")
    for case in found:
        if case.expect == "fail" and case.look_alike not in known:
            raise Stop(Exit.BAD_INPUT, f"{case.folder}: has no look-alike; name an honest case in case.toml")
    return [case for case in found if (not names or case.name in names) and kind in (None, case.kind)]


def read(folder: Path) -> Case:
    said = tomllib.loads((folder / "case.toml").read_text("utf-8"))
    return Case(
        folder,
        said["kind"],
        said["hidden"],
        said["expect"],
        said.get("look_alike"),
        said.get("links", {}),
        said.get("check", ""),
        said.get("fmt_check", False),
        said.get("editable", ["src/**"]),
    )


def lay_out(case: Case, root: Path, scheme: str | None) -> Path:
    """A task's folder as in evals/: checks, starter and solution; the folder of its checks."""
    test = case.beside("hidden")
    if scheme:
        test += f"\n// scheme: {scheme}\n".encode()
    for name, lib in (("starter", STARTER.encode()), ("solution", case.beside("solutions"))):
        source = open_folder(root / name / "src") / "lib.rs"
        source.write_bytes(lib)
    (root / "starter/Cargo.toml").write_text(MANIFEST)
    (root / "starter/Cargo.lock").write_text(LOCK)
    if (case.folder / "starter").is_dir():
        shutil.copytree(case.folder / "starter", root / "starter", dirs_exist_ok=True)
    checks = open_folder(root / "checks")
    (checks / f"{case.hidden}.rs").write_bytes(test)
    return checks


def submitted(case: Case, task: Path) -> Path:
    """The project as the submission left it."""
    tree = task / "submission"
    shutil.copytree(task / "starter", tree)
    if (case.folder / "tree").is_dir():
        shutil.copytree(case.folder / "tree", tree, dirs_exist_ok=True)
    (tree / "src/lib.rs").write_bytes(case.lib)
    for path, target in case.links.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).symlink_to(target)
    return tree


def graded(
    case: Case,
    place: Run,
    bench: Bench,
    judge: Callable[[Work, Bench], Iterator[Judged]],
    scheme: str | None,
    started: float,
    launcher: Path | None,
) -> Outcome:
    """The verdict of the case's check; a submission that does not build has none, and fails."""
    task_folder = open_folder(place.root / "task", 0o700)
    checks = lay_out(case, task_folder, scheme)
    project, fixtures = open_folder(place.project), open_folder(place.fixtures)
    try:
        grading_copy.fill(
            task_folder / "starter", Editable(case.editable), submitted(case, task_folder), project
        )
    except grading_copy.Unfit as unfit:
        return Outcome(case, "fail", str(unfit), time.monotonic() - started)
    task = {"checks": [case.hidden], "fmt_check": case.fmt_check}
    work = Work(task, project, checks, open_folder(place.root / "scratch"), fixtures, launcher)
    judged = {one.name: one for one in judge(work, bench)}
    last = judged.get(case.check or f"hidden.{case.hidden}") or judged["build"]
    return Outcome(case, last.verdict, last.detail, time.monotonic() - started)
