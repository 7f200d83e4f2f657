#!/usr/bin/env python3
"""Grade the code that a trial left behind, in a grading copy, with hidden tests, in sandboxes of its own.

It sees the sealed submission and never a transcript. Code that does not build, fails, crashes or hangs is a
verdict; a sandbox that does not start, a changed task or a missing file is an infrastructure error, after
which the kept submission can be graded again. It leaves nothing running and no scratch behind.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import assertions
import graders
from graders import Infrastructure, Judged, Work, grading_copy
from graders.sandbox import Sandboxes, launcher, open_folder, own_uid, scratch
from graders.setting import Setting, usable
from kit import tasks, trees
from kit.contract import Exit, Folder, Step, Stop
from kit.documents import Document
from kit.layout import COLLECTED, GRADING, GRADING_OUTPUT, SEAL, SETUP, STAGE, SUBMISSION, TASK, TRIAL, Run
from rungs import no_keyrings

STEP = Step(
    name="grade",
    does="Grade the code that a trial left behind: builds, own and hidden tests, assertions.",
    kind="graded",
    reads=[TRIAL, TASK, STAGE, SUBMISSION, COLLECTED],
    may_read=[SEAL, SETUP],
    writes=[GRADING, GRADING_OUTPUT],
)


# What decides a verdict; of kit/ more than that, as an old verdict that stands wrongly is worse.
FOLDERS, SOURCES = ("graders", "assertions", "rungs", "kit"), (".py", ".rs", ".mjs")


def run(trial: Folder) -> None:
    plan, task = trial.read(TRIAL), trial.read(TASK)
    paths = {name: Path(path) for name, path in plan["paths"].items()}
    place = Run(paths["grading"], paths["grading_control"])
    setting = Setting.planned(plan, trial.read(STAGE), place)
    if not Path(setting.stage["node"]["path"]).exists():
        raise Stop(
            Exit.UNAVAILABLE, f"{trial.root}: its batch's tools are gone; regrade.py stages them again"
        )
    output = trial.path(GRADING_OUTPUT)
    trees.remove(output)
    output.mkdir()
    collected, sealed = trial.read(COLLECTED), trial.maybe(SEAL)
    graded = grade_tree(
        task,
        paths["evals"],
        trial.path(SUBMISSION),
        setting,
        output,
        [f"{found['path']}: {found['why']}" for found in collected["invalid"]],
        sealed=sealed["entries"] if sealed else None,
        symposiums=symposiums(collected, trial.maybe(SETUP)),
    )
    trial.write(GRADING, graded)


def symposiums(collected: Document | None, setup: Document | None) -> list[str]:
    """The folders that Symposium installed and marked as its own: nothing there is an edit (G04)."""
    if collected is None or setup is None:
        return []
    folder = setup["skill_folder"].strip("/")
    return [f"{folder}/{name}" for name, skill in collected["installed"].items() if skill["marker"]]


def grade_tree(
    task: Document,
    evals: Path,
    tree: Path,
    setting: Setting,
    output: Path | None = None,
    invalid: Sequence[str] = (),
    *,
    sealed: Sequence[Document] | None = None,
    symposiums: Sequence[str] = (),
) -> Document:
    """grading/1 of a project tree, of which only the editable files are built and tested.

    output: an existing folder for what each check printed. invalid: why the submission is invalid already.
    sealed: every entry of the project as it was left, for the assertions; None: the tree is all there is.
    """
    started = time.monotonic()
    steps: list[Document] = []
    body: Document = {
        "status": "graded",
        "problem": None,
        "grader": task["grader"],
        "checks": {},
        "steps": steps,
    }
    body |= {"content_hash": task["content_hash"], "grader_sha256": own_hash()}
    body |= {"uid": None, "cargo_secs": None, "sandbox_secs": None, "sandboxes": None}
    try:
        place, started_rung = setting.place, usable(setting, setting.place.control / "srt")
        with own_uid(*setting.uids) as uid, scratch(place, uid), started_rung as rung:
            body["uid"], known = uid, same(task, evals)
            until = started + task["deadlines_secs"]["grading"]
            bench = Sandboxes(rung, setting.stage, place, uid, until, setting.reads, setting.denied)
            left = assertions.Left(tree, sealed, tuple(symposiums))
            judged = verdicts(known, task, left, place, bench, invalid)
            steps.extend(step(one, output) for one in judged)  # one by one: what was judged stays
            body["sandbox_secs"], body["sandboxes"] = round(bench.starting_secs, 3), bench.count
    except (Infrastructure, Stop) as problem:
        if isinstance(problem, Stop) and problem.code is not Exit.UNAVAILABLE:
            raise
        return {**body, "status": "infrastructure_error", "problem": str(problem)}
    if not steps:
        return {**body, "status": "infrastructure_error", "problem": "nothing was judged"}
    body["cargo_secs"] = round(sum(step["elapsed_secs"] for step in steps), 3)
    body["checks"] = {step["name"]: step["verdict"] for step in steps}
    return body


def same(task: Document, evals: Path) -> tasks.Task:
    """The task in evals/, which must still be the one that the trial was given."""
    try:
        found = tasks.load(evals, task["name"])
    except Stop as error:
        raise Infrastructure(f"the task cannot be read any more: {error}") from error
    if found.content_hash != task["content_hash"]:
        raise Infrastructure(f"{found.folder}: changed since the trial began; restore it and grade again")
    return found


def verdicts(
    known: tasks.Task,
    task: Document,
    left: assertions.Left,
    place: Run,
    bench: Sandboxes,
    invalid: Sequence[str],
) -> Iterator[Judged]:
    project, fixtures = open_folder(place.project), open_folder(place.fixtures)
    try:
        if invalid:
            raise grading_copy.Unfit("; ".join(invalid))
        grading_copy.make(known, left.tree, project, fixtures)
    except grading_copy.Unfit as unfit:
        yield Judged("submission", "fail", str(unfit), 0.0, b"")
        return
    own = open_folder(place.root / "scratch")
    work = Work(task, project, known.checks, own, fixtures, launcher(bench.stage))
    if task.get("assert"):
        yield from assertions.judge(known, left, work, bench)
    yield from graders.load(task["grader"]).judge(work, bench)


@functools.cache
def own_hash() -> str:
    """Of the sources that decide a verdict: with others, an old verdict may not stand (G09)."""
    here, total = Path(__file__).parent, hashlib.sha256()
    for file in sources(here):
        total.update(f"{file.relative_to(here)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def sources(here: Path) -> list[Path]:
    below = [file for folder in FOLDERS for file in (here / folder).rglob("*") if file.suffix in SOURCES]
    return sorted([here / "grade.py", *below])


def step(judged: Judged, output: Path | None) -> Document:
    """The step, with its output written beside the others'."""
    name = f"{judged.name}.log" if output and judged.output else None
    if output and name:
        (output / name).write_bytes(judged.output)
    return {
        "name": judged.name,
        "verdict": judged.verdict,
        "elapsed_secs": round(judged.elapsed_secs, 3),
        "output": name,
        "detail": judged.detail,
        **judged.counted,
    }


if __name__ == "__main__":
    no_keyrings.install_early()
    STEP.main(run)
