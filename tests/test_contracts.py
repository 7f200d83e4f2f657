"""Rules that hold for every step and every plug-in, so that no step has to test them."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import pipeline
import trial
from clients import Client
from graders import Grader
from kit import documents
from kit.contract import Exit, Folder, Step, Stop
from kit.layout import Artifact
from rungs import Rung
from setups import Setup

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))
STEPS: list[Step] = [importlib.import_module(name).STEP for name in pipeline.ORDER]
PROGRAMS = [script for script in SCRIPTS if "__main__" in script.read_text("utf-8")]

every_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
every_script = pytest.mark.parametrize("script", PROGRAMS, ids=lambda file: file.stem)


def test_every_step_is_in_the_pipeline() -> None:
    with_contract = {s.stem for s in SCRIPTS if "\nSTEP = Step(" in s.read_text("utf-8")}
    assert with_contract == set(pipeline.ORDER)


@every_step
def test_is_named_after_its_file(step: Step) -> None:
    assert (ROOT / f"scripts/{step.name}.py").exists()


@every_script
def test_W01_a_script_does_not_shadow_the_standard_library(script: Path) -> None:
    assert script.stem not in sys.stdlib_module_names


@every_step
def test_R03_its_schemas_exist(step: Step) -> None:
    for artifact in (*step.reads, *step.may_read, *step.writes, *step.may_write):
        if artifact.schema:
            assert documents.validator(artifact.schema).is_valid({}) is False


def test_each_file_has_one_writer() -> None:
    writers = Counter(a for step in STEPS for a in (*step.writes, *step.may_write))
    assert [artifact.path for artifact, n in writers.items() if n > 1] == []


def test_the_order_feeds_every_step() -> None:
    """In the order of the pipeline each step's inputs come from an earlier one; trial.json from plan."""
    there = {Artifact("trial.json", "trial/1")}
    for step in STEPS:
        assert set(step.reads) <= there, step.name
        there |= {*step.writes, *step.may_write}


def test_trial_runs_the_pipeline_in_its_order() -> None:
    assert [name for name in pipeline.ORDER if name in trial.STEPS] == list(trial.STEPS)


def test_the_table_of_the_pipeline_is_true() -> None:
    assert (ROOT / "docs/pipeline.md").read_text("utf-8") == pipeline.text(), "run `nox -s pipeline`"


@every_script
def test_W01_every_script_runs_alone_and_explains_itself(script: Path) -> None:
    done = subprocess.run(
        [sys.executable, script, "--help"], capture_output=True, text=True, cwd="/", check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 2


@every_script
def test_W03_an_unknown_flag_is_a_usage_error(script: Path) -> None:
    done = subprocess.run(
        [sys.executable, script, "--no-such-flag"], capture_output=True, text=True, check=False
    )
    assert done.returncode == Exit.USAGE, done.stderr
    assert "Traceback" not in done.stderr


@every_step
def test_a_step_with_missing_inputs_declines_and_says_which(
    step: Step, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if step.name == "plan":
        pytest.skip("plan reads no document")
    folder = tmp_path / "batch/trial-1-x"
    folder.mkdir(parents=True)
    run = importlib.import_module(step.name).run
    assert step.execute(run, Folder(folder, step)) is Exit.NO_INPUT
    assert "missing" in capsys.readouterr().err
    assert documents.read(folder / f"receipts/{step.name}.json", "receipt/1")["exit"] == "no_input"


DOCUMENT = Artifact("grading.json", "grading/1")
PROBE = Step("probe", "x", "graded", reads=[], writes=[DOCUMENT])


def test_a_step_cannot_touch_what_its_contract_does_not_name(tmp_path: Path) -> None:
    folder = Folder(tmp_path, PROBE)
    with pytest.raises(LookupError):
        folder.path(Artifact("result.json", "result/1"))
    with pytest.raises(LookupError):
        folder.write(Artifact("result.json", "result/1"), {})


def test_a_step_that_leaves_an_output_out_is_a_bug(tmp_path: Path) -> None:
    assert PROBE.execute(lambda folder: None, Folder(tmp_path, PROBE)) is Exit.BUG


def test_an_earlier_output_is_kept(tmp_path: Path) -> None:
    (tmp_path / "grading.json").write_text("{}")
    assert PROBE.execute(lambda folder: None, Folder(tmp_path, PROBE)) is Exit.EXISTS
    assert (tmp_path / "grading.json").read_text() == "{}"


def test_a_crash_is_a_bug_with_a_receipt_and_a_stop_is_not(tmp_path: Path) -> None:
    def crash(folder: Folder) -> None:
        raise ZeroDivisionError

    def stop(folder: Folder) -> None:
        raise Stop(Exit.UNAVAILABLE, "cargo: not found; install Rust")

    assert PROBE.execute(crash, Folder(tmp_path, PROBE)) is Exit.BUG
    assert PROBE.execute(stop, Folder(tmp_path, PROBE)) is Exit.UNAVAILABLE
    receipt = documents.read(tmp_path / "receipts/probe.json", "receipt/1")
    assert receipt["error"] == "cargo: not found; install Rust"


PROTOCOLS: dict[str, type] = {"clients": Client, "rungs": Rung, "graders": Grader, "setups": Setup}
PLUGINS = {
    "clients": ["claude"],
    "rungs": ["srt"],
    "graders": ["cargo"],
    "setups": ["baseline", "direct", "symposium"],
}


@pytest.mark.parametrize(("room", "name"), [(r, n) for r, names in PLUGINS.items() for n in names])
def test_L01_a_plugin_offers_what_its_protocol_asks(room: str, name: str) -> None:
    asked = PROTOCOLS[room]
    names = {*asked.__annotations__, *(word for word in vars(asked) if not word.startswith("_"))}
    module = importlib.import_module(f"{room}.{name}")
    assert sorted(word for word in names if not hasattr(module, word)) == []


def test_the_kit_knows_no_plugin() -> None:
    rooms = {"clients", "rungs", "graders", "setups", "gateway"}
    for file in (ROOT / "scripts/kit").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not rooms & {name.split(".")[0] for name in names}, file.name


@every_step
def test_G09_only_a_derived_step_can_be_redone_over_its_output(step: Step) -> None:
    if step.name == "plan":
        pytest.skip("plan has options of its own, and writes a new folder each time")
    taken = step.parser().parse_known_args(["FOLDER", "--redo"])[1]
    assert (taken == []) == (step.kind == "derived")
