"""A result on every path: whatever the steps left, and at whatever instant the runner died."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import finalize
import left_behind as was
from kit import documents
from kit.contract import Exit, Folder
from kit.documents import Document
from left_behind import Trial


def finalized(trial: Trial, *, redo: bool = False) -> Document:
    code = finalize.STEP.execute(finalize.run, Folder(trial.folder, finalize.STEP), redo=redo)
    assert code is Exit.OK
    return documents.read(trial.folder / "result.json", "result/1")


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path, until="audit")


def test_R01_a_trial_that_went_well_has_the_seeds_fields(trial: Trial) -> None:
    result = finalized(trial)
    assert (result["outcome"], result["success"], result["execution"]) == ("succeeded", "pass", "completed")
    assert result["task"] == {"name": "formatting", "kind": "regression", "content_hash": "1" * 64}
    assert result["mode"] == "with-symposium"
    assert result["elapsed_secs"] == 3.5
    assert result["usage"] == was.USAGE
    assert result["toolchain"] == "rustc 1.95.0"
    assert result["tools"]["srt"].startswith("1.0.0 ")
    assert result["code"] == {
        "build": "pass",
        "cargo_test_lib": "pass",
        "hidden": {"double": "pass"},
        "cargo_fmt_check": "pass",
        "edits_outside_editable": [],
        "submission": None,
    }
    assert result["expectations"]["skills"]["rust-formatting"] == {
        "installed": "pass",
        "used": "pass",
        "observed_load": "loaded",
        "listed": False,
        "load_evidence": "line 7: Read of .claude/skills/x/SKILL.md",
    }
    assert result["expectations"]["sync"]["session_start"] == "pass"
    assert result["isolation"]["srt_version"] == "1.0.0"
    assert result["rehearsal"] == "oracle"
    assert result["timings"]["launch"] == 0.5


def test_O01_nothing_but_the_plan_is_a_trial_that_never_started(tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    (tmp_path / "stage.json").unlink()
    result = finalized(trial)
    assert (result["outcome"], result["success"], result["reason"]) == ("cancelled", None, "never started")
    assert (result["execution"], result["code"], result["usage"]) == (None, None, None)


def test_O01_a_failed_preparation_is_a_setup_failure_that_says_what_failed(tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    trial.receipt("prepare", "unavailable", "/etc/claude-code: machine-wide settings exist; remove them")
    for step in was.STEPS[1:]:
        trial.receipt(step, "no_input", "missing setup.json; run the earlier steps first")
    result = finalized(trial)
    assert result["outcome"] == "setup_failure"
    assert "/etc/claude-code: machine-wide settings exist" in result["reason"]


def test_P05_a_failed_check_before_launch_is_a_setup_failure_that_names_the_path(tmp_path: Path) -> None:
    trial = Trial(tmp_path, until="prepare")
    wrong = {"name": "no_symposium", "passed": False, "detail": "/usr/bin/cargo-agents is on PATH"}
    trial.change("setup.json", checks=[*was.SETUP["checks"], wrong])
    trial.failed("launch", "no_input", "a check failed before launch")
    result = finalized(trial)
    assert result["outcome"] == "setup_failure"
    assert "no_symposium failed: /usr/bin/cargo-agents is on PATH" in result["reason"]


def test_a_client_that_could_not_be_started_is_a_setup_failure(tmp_path: Path) -> None:
    trial = Trial(tmp_path, until="prepare")
    trial.receipt("launch", "unavailable", "srt: bubblewrap is missing; install it")
    result = finalized(trial)
    assert (result["outcome"], result["execution"]) == ("setup_failure", None)
    assert "srt: bubblewrap is missing" in result["reason"]


def test_a_launch_that_broke_while_its_client_ran_is_a_cut_trial(tmp_path: Path) -> None:
    trial = Trial(tmp_path, until="prepare")
    (trial.folder / "transcript.jsonl").write_text("{}\n")
    trial.receipt("launch", "bug", "OSError: No space left on device")
    result = finalized(trial)
    assert result["outcome"] == "cancelled"
    assert "No space left on device" in result["reason"]


@pytest.mark.parametrize("step", was.STEPS)
def test_R04_a_runner_that_was_killed_leaves_a_cancelled_trial(trial: Trial, step: str) -> None:
    trial.killed(step)
    result = finalized(trial)
    assert (result["outcome"], result["success"]) == ("cancelled", None)
    assert step in result["reason"] or step == "prepare"


@pytest.mark.parametrize("step", was.STEPS)
def test_O01_ctrl_c_in_any_step_is_a_cancelled_trial(trial: Trial, step: str) -> None:
    trial.killed(step)
    trial.receipt(step, "interrupted", "interrupted")
    assert finalized(trial)["outcome"] == "cancelled"


def test_O01_a_client_that_we_interrupted_is_cancelled_though_the_rest_was_done(trial: Trial) -> None:
    trial.change("execution.json", ended_by="interrupt", exit=None)
    result = finalized(trial)
    assert (result["outcome"], result["execution"]) == ("cancelled", None)
    assert result["usage"] == was.USAGE  # what is left is kept


def test_G07_a_submission_that_was_not_collected_is_excluded_with_the_first_cause(trial: Trial) -> None:
    trial.failed("collect", "bug", "OSError: Input/output error")
    trial.failed("grade", "no_input", "missing submission/; run the earlier steps first")
    trial.failed("expect", "no_input", "missing collected.json; run the earlier steps first")
    trial.failed("audit", "no_input", "missing collected.json; run the earlier steps first")
    result = finalized(trial)
    assert (result["outcome"], result["success"]) == ("grading", None)
    assert "the submission was not collected: OSError: Input/output error" in result["reason"]


@pytest.mark.parametrize("exit_", ["unavailable", "bug", "bad_input"])
def test_G07_a_grading_that_failed_is_excluded_and_says_why(trial: Trial, exit_: str) -> None:
    trial.failed("grade", exit_, "srt: could not launch")
    result = finalized(trial)
    assert (result["outcome"], result["code"]) == ("grading", None)
    assert "srt: could not launch" in result["reason"]


def test_G07_an_infrastructure_error_of_the_grader_is_excluded(trial: Trial) -> None:
    trial.change("grading.json", status="infrastructure_error", problem="fixture-store: not there", checks={})
    result = finalized(trial)
    assert result["outcome"] == "grading"
    assert "fixture-store: not there" in result["reason"]


def test_O02_a_grading_error_after_a_timeout_stays_in_the_count(trial: Trial) -> None:
    trial.change("execution.json", ended_by="deadline", exit=None)
    trial.failed("grade", "unavailable", "srt: could not launch")
    result = finalized(trial)
    assert (result["outcome"], result["success"], result["execution"]) == ("failed", "fail", "timeout")


def test_O02_code_that_passes_after_a_client_error_is_reported_and_does_not_count(trial: Trial) -> None:
    trial.change("observation.json", completion="client_error", problem="API Error: 529 overloaded")
    result = finalized(trial)
    assert (result["outcome"], result["execution"]) == ("failed", "client_error")
    assert result["code"]["build"] == "pass"
    assert "API Error: 529 overloaded" in result["reason"]


def test_G03_an_invalid_submission_fails_even_when_nothing_could_be_graded(trial: Trial) -> None:
    trial.change("collected.json", invalid=[{"path": "src/lib.rs", "why": "a link to /etc/passwd"}])
    trial.failed("grade", "unavailable", "srt: could not launch")
    result = finalized(trial)
    assert (result["outcome"], result["code"]["submission"]) == ("failed", "fail")
    assert "src/lib.rs: a link to /etc/passwd" in result["reason"]


def test_I08_a_breach_excludes_and_an_attempt_does_not(trial: Trial) -> None:
    attempt = {"kind": "attempt", "what": "Read names /home/someone", "where": "transcript.jsonl:3"}
    trial.change("audit.json", findings=[attempt])
    assert finalized(trial)["outcome"] == "succeeded"
    breach = {"kind": "breach", "what": "a hidden test's canary is here", "where": "transcript.jsonl:9"}
    trial.change("audit.json", findings=[attempt, breach])
    result = finalized(trial, redo=True)
    assert (result["outcome"], result["success"]) == ("isolation", None)
    assert "transcript.jsonl:9" in result["reason"]
    assert result["isolation"]["audit_findings"] == [attempt, breach]


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("execution.json", "inconclusive"),
        ("observation.json", "inconclusive"),
        ("grading.json", "grading"),
        ("expectations.json", "inconclusive"),
        ("audit.json", "inconclusive"),
        ("setup.json", "succeeded"),
        ("task.json", "succeeded"),
        ("collected.json", "succeeded"),
    ],
)
@pytest.mark.parametrize("content", ['{"schema": "half', "", "[]", '{"schema": "other/9"}', "\udcff"])
def test_R02_a_torn_document_is_named_and_never_passed(
    trial: Trial, name: str, outcome: str, content: str
) -> None:
    (trial.folder / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    result = finalized(trial)
    assert result["outcome"] == outcome
    assert f"{name} could not be read and was not used." in result["findings"]
    assert outcome == "succeeded" or name in result["reason"]


def test_R03_a_document_of_a_newer_version_is_named(trial: Trial) -> None:
    (trial.folder / "grading.json").write_text('{"schema": "grading/2"}')
    assert "is a grading/2, and this version reads grading/1" in finalized(trial)["reason"]


def test_a_failing_check_stands_though_the_transcript_is_lost(trial: Trial) -> None:
    (trial.folder / "observation.json").write_text("{")
    trial.change("grading.json", checks={**was.GRADING["checks"], "hidden.double": "fail"})
    result = finalized(trial)
    assert (result["outcome"], result["execution"]) == ("failed", None)


def test_a_folder_in_a_documents_place_is_no_crash(trial: Trial) -> None:
    (trial.folder / "audit.json").unlink()
    (trial.folder / "audit.json").mkdir()
    assert finalized(trial)["outcome"] == "inconclusive"


def test_O03_a_capability_trial_rests_on_its_code_alone(trial: Trial) -> None:
    trial.change("trial.json", kind="capability")
    trial.failed("expect", "bug", "KeyError: 'x'")
    result = finalized(trial)
    assert (result["outcome"], result["expectations"]) == ("succeeded", None)
    assert "expect did not finish; receipts/expect.json says why." in result["findings"]


def test_a_baseline_needs_no_expectations(trial: Trial) -> None:
    trial.change("trial.json", kind="capability", setup="baseline", role="control")
    (trial.folder / "expectations.json").unlink()
    result = finalized(trial)
    assert (result["outcome"], result["expectations"], result["symposium"]) == ("succeeded", None, None)


def test_a_check_without_a_verdict_is_inconclusive(trial: Trial) -> None:
    trial.change("grading.json", checks={"build": "pass", "cargo_test_lib": "pass"})
    result = finalized(trial)
    assert result["outcome"] == "inconclusive"
    assert "no verdict on hidden.double" in result["reason"]


def test_I10_a_survivor_takes_the_success_away(trial: Trial) -> None:
    trial.change("execution.json", survivors=["4711 sleep"])
    result = finalized(trial)
    assert result["outcome"] == "inconclusive"
    assert "4711 sleep" in result["reason"]


def test_a_deleted_document_whose_step_finished_is_no_pass(trial: Trial) -> None:
    (trial.folder / "expectations.json").unlink()
    result = finalized(trial)
    assert result["outcome"] == "inconclusive"
    assert "expectations.json is missing, though expect finished" in result["reason"]


def test_what_a_reader_should_know_is_among_the_findings(trial: Trial) -> None:
    trial.change("observation.json", tool_calls=0, broken_lines=2, tags=["api_unreachable"])
    trial.change(
        "execution.json", stdout_dropped=5, exchanges={"turns": 0, "refused": 1, "upstream_errors": 1}
    )
    trial.change("collected.json", edits_outside_editable=["Cargo.toml"])
    found = "\n".join(finalized(trial)["findings"])
    for said in (
        "not offered",
        "no tool",
        "no JSON",
        "api_unreachable",
        "dropped",
        "refused",
        "server",
        "Cargo.toml",
    ):
        assert said in found


def test_redo_gives_the_same_result(trial: Trial) -> None:
    first = finalized(trial)
    assert finalized(trial, redo=True) == first


def test_R02_the_program_alone_writes_a_result_and_never_overwrites_one(trial: Trial) -> None:
    script = Path(finalize.__file__)
    command = [sys.executable, str(script), str(trial.folder)]
    assert subprocess.run(command, check=False).returncode == 0
    again = subprocess.run(command, check=False, capture_output=True, text=True)
    assert again.returncode == Exit.EXISTS
    assert "a rerun is a new batch" in again.stderr


def test_an_unreadable_plan_is_the_one_thing_that_is_refused(trial: Trial) -> None:
    (trial.folder / "trial.json").write_text("{")
    assert finalize.STEP.execute(finalize.run, Folder(trial.folder, finalize.STEP)) is Exit.BAD_INPUT
    assert not (trial.folder / "result.json").exists()


STATES = st.fixed_dictionaries(
    {
        step: st.sampled_from(["ok", "failed", "interrupted", "killed", "torn", "no receipt"])
        for step in was.STEPS
    }
)


@given(STATES, st.booleans())
@example({**dict.fromkeys(was.STEPS, "ok"), "collect": "failed"}, False)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_R02_any_mixture_of_wreckage_has_a_result(
    tmp_path_factory: pytest.TempPathFactory, states: dict[str, str], spoke: bool
) -> None:
    trial = Trial(tmp_path_factory.mktemp("batch"), until="audit")
    for step, state in states.items():
        document, note = trial.folder / was.LEAVES[step], trial.folder / f"receipts/{step}.json"
        if state in ("failed", "interrupted"):
            trial.failed(step, state.replace("failed", "bug"), "broke")
        elif state == "torn":
            document.write_text("{")
        elif state != "ok":
            note.unlink()
        if state == "killed":
            document.unlink()
    if not spoke:
        (trial.folder / "transcript.jsonl").unlink()
    result = finalized(trial)
    if result["outcome"] == "succeeded":
        assert not set(states.values()) & {"failed", "interrupted", "killed"}
        assert "torn" not in {states[step] for step in ("launch", "observe", "grade", "expect", "audit")}


def test_the_seeds_example_differs_from_a_result_only_by_our_additions(trial: Trial) -> None:
    seed: dict[str, Any] = {
        "task": {"name", "kind", "content_hash"},
        "client": {"name", "version"},
        "model": {"name", "settings"},
        "symposium": {"version", "sha256", "revision"},
        "deadlines_secs": {"setup", "agent", "grading"},
        "usage": {"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"},
        "isolation": {"mode", "srt_version", "audit_findings", "config_changes"},
        "code": {"build", "cargo_test_lib", "hidden", "cargo_fmt_check", "edits_outside_editable"},
        "expectations": {"skills", "hooks", "sync"},
    }
    plain = ("mode", "trial", "order", "os", "toolchain", "elapsed_secs", "execution", "success")
    result = json.loads(json.dumps(finalized(trial)))
    assert {*seed, *plain} <= set(result)
    for key, inner in seed.items():
        assert inner <= set(result[key])


def test_what_a_step_could_not_do_for_lack_of_an_earlier_one_is_no_finding(trial: Trial) -> None:
    trial.failed("observe", "no_input", "missing transcript.jsonl")
    trial.failed("expect", "bug", "broke")
    findings = finalized(trial)["findings"]
    assert "expect did not finish; receipts/expect.json says why." in findings
    assert not [said for said in findings if said.startswith("observe did not finish")]
