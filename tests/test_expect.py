"""expect: what it judges and what it says beside its verdicts, on small trial folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import expect
from expect_trial import DOCUMENTS, GOOD, HOOK, RECORDED, SHA, SKILL, Trial, logged, verdicts
from expectations import Record, events, skills
from kit import documents, symposium_files
from kit.contract import Exit, Folder


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def test_the_trial_that_the_others_break_is_whole(trial: Trial) -> None:
    judged = trial.judged()
    assert verdicts(judged) == GOOD
    assert judged["findings"] == []
    assert judged["skills"][SKILL]["observed_load"] == "loaded"
    assert judged["skills"][SKILL]["listed"] is True
    assert judged["hooks"][HOOK]["evidence"] == "evidence/hooks.jsonl:1: exit 0"


def test_a_baseline_gets_no_expectations(trial: Trial) -> None:
    trial.trial["setup"] = "baseline"
    assert trial.code() is Exit.OK
    assert not (trial.folder / "expectations.json").exists()


def test_a_trial_that_never_came_to_its_session_is_declined_not_judged(trial: Trial) -> None:
    trial.code()
    (trial.folder / "observation.json").unlink()
    (trial.folder / "expectations.json").unlink()
    assert expect.STEP.execute(expect.run, Folder(trial.folder, expect.STEP)) is Exit.NO_INPUT
    assert not (trial.folder / "expectations.json").exists()


UNKNOWN = "(version unknown)"
NOT_OFFERED = f"{SKILL} was installed during the session but not offered to the model in its first request"


def test_the_first_session_defect_is_said_in_a_sentence(trial: Trial) -> None:
    trial.observation["listed"][SKILL] = False
    assert trial.judged()["findings"] == [
        f"{NOT_OFFERED}: cargo-agents 0.5.1 does not ask the client to reload its skills."
    ]


def test_a_skill_that_may_have_been_offered_is_no_finding(trial: Trial) -> None:
    trial.observation["listed"][SKILL] = None
    assert trial.judged()["findings"] == []


def test_a_client_that_was_asked_to_reload_is_not_blamed_on_symposium(trial: Trial) -> None:
    trial.observation["listed"][SKILL] = False
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "reloadSkills": True}}
    trial.files["hook-trace.jsonl"] = json.dumps({"event": "SessionStart", "output": answer}) + "\n"
    trial.stage = None
    assert trial.judged()["findings"] == [
        f"{NOT_OFFERED}: cargo-agents {UNKNOWN} asked the client to reload its skills, which it did not."
    ]


def test_a_hook_that_exits_2_is_told_of_as_what_may_have_stopped_others(trial: Trial) -> None:
    trial.files["symposium.log"] += logged(2, "other", "strict") * 2 + logged(1, "other", "lax")
    (said,) = trial.judged()["findings"]
    assert (
        said == "The hook strict exited 2 (2 times): Symposium takes that for a veto of the hooks after it."
    )


@pytest.mark.parametrize("answer", [None, {"reloadSkills": True}])
def test_a_client_that_never_reloads_is_given_as_the_reason_itself(trial: Trial, answer: Any) -> None:
    trial.trial["client"] = "codex"
    trial.observation["listed"][SKILL] = False
    said = {"event": "SessionStart", "output": answer and {"hookSpecificOutput": answer}}
    trial.files["hook-trace.jsonl"] = json.dumps(said) + "\n"
    found = trial.judged()["findings"]
    assert (
        f"{NOT_OFFERED}: this client lists such a skill from its next session on, whatever a hook answers."
        in found
    )
    assert not any("reload" in line for line in found)


@settings(deadline=None)  # it writes files, and a busy machine is slow at that
@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=200))
def test_whatever_the_agent_writes_is_a_verdict(
    tmp_path_factory: pytest.TempPathFactory, records: bytes, trace: bytes, log: bytes
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for name, data in (("hooks", records), ("trace", trace), ("log", log)):
        (folder / name).write_bytes(data)
    task, setup, observation, collected = (
        documents.read(RECORDED / f"{name}.json", f"{name}/1") for name in DOCUMENTS[1:]
    )
    record = Record(
        "/eval/run-1",
        task,
        setup,
        observation,
        collected,
        trace=symposium_files.objects(folder / "trace"),
        log=symposium_files.log(folder / "log"),
        hooks=symposium_files.objects(folder / "hooks"),
        version="0.5.1",
        capabilities=None,
        asked=None,
        reports_hooks=True,
        reloads_skills=True,
    )
    assert events.hook(record, HOOK)["verdict"] in ("inconclusive", "fail")
    assert events.session_start(record)["verdict"] in ("inconclusive", "fail")


hashes = st.dictionaries(st.sampled_from(["SKILL.md", "a.md", "b/c.md"]), st.sampled_from([*SHA.values()]))


@given(hashes, hashes)
def test_E01_passes_exactly_for_equal_content(source: dict[str, str], found: dict[str, str]) -> None:
    assert (not [*skills.differing(source, found)]) == (source == found)


def test_the_same_again_from_the_same_files(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Derived: it needs no program."""
    first = trial.judged()
    monkeypatch.setenv("PATH", "")
    assert trial.judged() == first
