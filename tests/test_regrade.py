"""regrade.py: the record stays, what differs is named, and an excluded trial gets its verdict (G09)."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import planning
import python_tasks
import regrade
from batch_running import passable
from graders import staging
from grading import rungs_for_tests as stand_ins
from kit import documents, seal, tasks, trees
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.tools import Tools
from left_behind import GRADING, STAGE, TRIAL, Trial, put, result

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.real
NAME = "trial-1-with-symposium"
PASSED = {"hidden.chunk": "pass", "own_tests": "pass"}


class Batch:
    """A batch of one trial of a Python task, graded once."""

    def __init__(self, root: Path, eval_root: Path) -> None:
        self.root, self.evals, self.folder = root, root / "evals", root / "results/batch"
        self.eval_root = eval_root
        shutil.copytree(ROOT / "evals/fixtures/fixture-labels", self.evals / "fixtures/fixture-labels")
        python_tasks.make(self.evals, "unittest", 'fixtures = ["fixture-labels"]\n')
        self.trial = Trial(self.folder, until="audit")
        example = ROOT / "tests/schemas/batch.1/valid-rehearsed.json"
        plan = python_tasks.load_json(example)
        paths = {**plan["paths"], "evals": str(self.evals), "eval_root": str(eval_root)}
        put(self.folder / "batch.json", {**plan, "order": [NAME], "task": "chunk", "paths": paths})
        self.plan(rung="srt", paths={**TRIAL["paths"], "evals": str(self.evals)})
        document = tasks.load(self.evals, "chunk").document()
        put(self.trial.folder / "task.json", document)
        self.leave(python_tasks.RIGHT)
        self.graded(dict(PASSED), content_hash=document["content_hash"])

    def plan(self, **changes: Any) -> None:
        there = python_tasks.load_json(self.trial.folder / "trial.json")
        changed = {"task": "chunk", "kind": "capability", **changes}
        put(self.trial.folder / "trial.json", {**there, **changed})

    def leave(self, source: str, starter: Path | None = None, over: Path | None = None) -> None:
        """The submission, sealed as collect does."""
        kept = self.trial.folder / "submission"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(starter or self.evals / "tasks/chunk/starter", kept)
        if over:
            shutil.copytree(over, kept, dirs_exist_ok=True)
        else:
            (kept / "chunker/__init__.py").write_text(source)
        entries = seal.seal(kept).entries
        counts = {"entries": len(entries), "bytes": 1}
        body = {"entries": entries, "counts": counts, "complete": True, "cap": None, "sha256": "0" * 64}
        put(self.trial.folder / "seal.json", {"schema": "seal/1", "sealed_at": "now", **body})

    def graded(self, checks: dict[str, str], **changes: Any) -> None:
        document = copy.deepcopy(GRADING)
        document |= {"grader": "unittest", "checks": checks, "steps": [], **changes}
        put(self.trial.folder / "grading.json", document)
        outcome = "succeeded" if checks else "grading"
        put(self.trial.folder / "result.json", result(outcome=outcome))

    def again(self, **changes: Any) -> Document:
        body, into = regrade.regrade(self.folder, None, None)
        assert documents.read(into / "regrade.json", "regrade/1")["trials"] == body["trials"]
        return body

    def record(self) -> dict[str, str]:
        """Every file but those of regradings, by its bytes."""
        files = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        own = [path for path in files if "regrades" not in path.relative_to(self.folder).parts]
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in own}


@pytest.fixture(scope="module")
def eval_root(tools: Tools) -> Iterator[Path]:
    """Its store is filled once."""
    with passable() as folder:
        yield folder


@pytest.fixture
def batch(eval_root: Path, tmp_path: Path) -> Batch:
    return Batch(tmp_path, eval_root)


def only(body: Document) -> Document:
    (trial,) = body["trials"]
    return dict(trial)


def test_G09_the_record_stays_as_it_was_and_the_verdict_stands(batch: Batch) -> None:
    before = batch.record()
    body = batch.again()
    assert only(body)["after"]["checks"] == PASSED
    assert only(body)["stands"] is True
    assert batch.record() == before
    again = batch.folder / "regrades/1" / NAME
    assert documents.read(again / "grading.json", "grading/1")["checks"] == PASSED
    assert list((again / "grading").iterdir())
    assert batch.again()["number"] == 2
    assert not list((batch.eval_root).glob("check-*"))


def test_G09_the_tools_that_differ_are_named_and_the_same_ones_are_not(batch: Batch) -> None:
    first = batch.again()
    assert set(first["tools"]) == {"srt", "node", "rustc", "cargo"} - same_as_now(STAGE, first)
    staged = documents.read(batch.folder / "stage.json", "stage/1")
    for name, change in first["tools"].items():
        if name in ("srt", "node"):
            version, sha = change["now"].split()
            staged[name] |= {"version": version, "sha256": sha}
        else:
            staged["toolchain"][name] = change["now"]
    put(batch.folder / "stage.json", staged)
    assert batch.again()["tools"] == {}


def same_as_now(stage: Document, body: Document) -> set[str]:
    return {"rustc", "cargo"} - set(body["tools"])


def test_G09_a_changed_task_is_named_and_graded_as_it_is_now(batch: Batch) -> None:
    check = batch.evals / "tasks/chunk/checks/chunk.py"
    check.write_text(check.read_text().replace("chunk([], 3), []", "chunk([], 3), [[]]"))
    found = only(batch.again())
    assert found["stands"] is False
    assert found["after"]["checks"]["hidden.chunk"] == "fail"
    assert found["after"]["outcome"] == "failed"
    assert found["differs"]["task"]["before"] != found["differs"]["task"]["now"]
    assert set(found["differs"]) == {"task", "grader"}  # the record above says nothing of its grader


def test_G07_an_excluded_trial_keeps_its_submission_and_regrading_yields_a_verdict(batch: Batch) -> None:
    problem = "the sandbox did not start (status 1)"
    batch.graded({}, status="infrastructure_error", problem=problem)
    found = only(batch.again())
    assert found["before"] == {"status": "infrastructure_error", "checks": {}, "outcome": "grading"}
    assert (found["after"]["status"], found["after"]["checks"]) == ("graded", PASSED)
    assert found["after"]["outcome"] != "grading"
    assert found["stands"] is None


def test_G07_an_excluded_trial_of_a_crate_ends_in_the_count_after_regrading(batch: Batch) -> None:
    shutil.copytree(ROOT / "evals", batch.evals, dirs_exist_ok=True, ignore=shutil.ignore_patterns("target"))
    task = tasks.load(batch.evals, "formatting")
    batch.plan(task="formatting", kind="regression")
    put(batch.trial.folder / "task.json", task.document())
    batch.leave("", starter=task.starter, over=task.solution)
    batch.graded({}, status="infrastructure_error", problem="disk full", grader="cargo")
    found = only(batch.again())
    assert (found["before"]["outcome"], found["after"]["outcome"]) == ("grading", "succeeded")
    assert set(found["after"]["checks"].values()) == {"pass"}


@pytest.mark.parametrize("kind", ["refused", "task gone", "submission changed"])
def test_G07_what_cannot_be_graded_again_is_said_and_has_no_verdict(batch: Batch, kind: str) -> None:
    if kind == "refused":
        stand_ins.NeverStarts("broken_for_tests")
        batch.plan(rung="broken_for_tests")
    elif kind == "task gone":
        shutil.rmtree(batch.evals / "tasks/chunk")
        (batch.evals / "tasks/other").mkdir()
    else:
        (batch.trial.folder / "submission/chunker/__init__.py").write_text("# better\n")
    found = only(batch.again())
    assert found["problem"]
    assert found["stands"] is None
    assert found["after"] is None or found["after"]["outcome"] == "grading"


SMALL = 'mount -t tmpfs -o size=40k,mode=755 none "$1" && shift && exec "$@"'
REFUSES = 'mount --bind /bin/false "$(command -v bwrap)" && shift && exec "$@"'
FAILURES = {  # each to what it does to a mount namespace of its own, and the outcome
    "sandbox refused": (REFUSES, "grading"),
    "fixture gone": ('shift && exec "$@"', "grading"),
    "disk full": (SMALL, "grading"),
    "grader killed": ('shift && exec "$@"', "cancelled"),  # the runner dies with its grader
}


@pytest.mark.parametrize("how", FAILURES)
def test_G07_a_failure_of_the_machine_excludes_and_regrading_yields_a_verdict(batch: Batch, how: str) -> None:
    """grade.py itself, where the machine fails it; then finalize.py and regrade.py, where it does not."""
    batch.leave(python_tasks.RIGHT + "import time\ntime.sleep(1)\n")
    script, excluded = FAILURES[how]
    fixture, away = batch.evals / "fixtures/fixture-labels", batch.root / "away"
    with staging.staged(batch.eval_root) as (staged, place):
        put(batch.folder / "stage.json", {**STAGE, **staged})
        small, control = place / "small", planning.control_root() / place.name
        small.mkdir(0o755)
        there = python_tasks.load_json(batch.trial.folder / "trial.json")["paths"]
        batch.plan(paths={**there, "grading": str(small / "grading"), "grading_control": str(control)})
        for name in ("grading.json", "receipts/grade.json"):
            (batch.trial.folder / name).unlink()
        if how == "fixture gone":
            fixture.rename(away)
        argv = ["unshare", "--mount", "sh", "-c", script, "sh", str(small), sys.executable]
        with subprocess.Popen([*argv, str(ROOT / "scripts/grade.py"), str(batch.trial.folder)]) as grader:
            if how == "grader killed":
                until(lambda: (small / "grading/scratch/program/plan.json").exists())
                grader.kill()
        trees.remove(control)
    if away.exists():
        away.rename(fixture)
    step = [sys.executable, str(ROOT / "scripts/finalize.py"), str(batch.trial.folder), "--redo"]
    subprocess.run(step, check=True)
    recorded = documents.read(batch.trial.folder / "result.json", "result/1")
    assert (recorded["outcome"], recorded["success"]) == (excluded, None), recorded["reason"]
    (batch.folder / "regrades").mkdir()
    (batch.folder / "regrades/1").write_text("")  # of a regrading that was cut
    found = only(batch.again())
    assert found["after"]["checks"] == PASSED
    assert found["after"]["outcome"] not in ("grading", "cancelled")


def until(done: Callable[[], bool], secs: float = 60.0) -> None:
    end = time.monotonic() + secs
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_G09_a_batch_without_submissions_is_refused(batch: Batch) -> None:
    shutil.rmtree(batch.trial.folder / "submission")
    with pytest.raises(Stop) as caught:
        regrade.regrade(batch.folder, None, None)
    assert caught.value.code is Exit.NO_INPUT


def test_W01_the_program_prints_a_line_for_each_trial_and_tells_changes_by_its_exit(batch: Batch) -> None:
    batch.graded({"hidden.chunk": "fail", "own_tests": "pass"})
    argv = [sys.executable, str(ROOT / "scripts/regrade.py"), str(batch.folder), "--check"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == Exit.NO, done.stderr
    assert f"{NAME}: fail -> pass, succeeded -> " in done.stdout
    assert "CHANGED" in done.stdout
    assert json.loads((batch.folder / "regrades/1/regrade.json").read_text())["number"] == 1


def test_the_scratch_of_a_regrading_is_outside_the_record(batch: Batch) -> None:
    batch.again()
    left = [p.name for p in (batch.eval_root).iterdir()]
    assert set(left) <= {"store", "toolchain"}
