"""expect: E01 and E02, each rule with its exact verdict, on small trial folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from expect_trial import HOOK, SHA, SKILL, Document, Trial, expecting


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def installed(trial: Trial) -> Document:
    judged: Document = trial.judged()["skills"][SKILL]["installed"]
    return judged


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"SKILL.md": SHA["b"], "more.md": SHA["c"]}, "SKILL.md changed"),
        ({"SKILL.md": SHA["a"]}, "more.md missing"),
        ({"SKILL.md": SHA["a"], "more.md": SHA["c"], "x.md": SHA["d"]}, "x.md added"),
    ],
)
def test_E01_content_that_is_not_the_plugins_fails_and_names_the_file(
    trial: Trial, files: Document, named: str
) -> None:
    trial.collected["installed"][SKILL]["files"] = files
    judged = installed(trial)
    assert judged["verdict"] == "fail"
    assert judged["evidence"].endswith(named)


def test_E01_a_skill_without_the_marker_was_not_installed_by_symposium(trial: Trial) -> None:
    trial.collected["installed"][SKILL]["marker"] = False
    assert installed(trial)["verdict"] == "fail"


def test_E01_an_absent_skill_fails(trial: Trial) -> None:
    trial.collected["installed"] = {}
    assert installed(trial) == {
        "verdict": "fail",
        "evidence": f"project/.claude/skills/{SKILL}: absent after the session",
    }


def test_E01_what_symposium_itself_writes_into_the_folder_is_no_difference(trial: Trial) -> None:
    trial.setup["plugins"][HOOK][f"skills/{SKILL}/.gitignore"] = SHA["f"]
    assert installed(trial)["verdict"] == "pass"


def test_E01_a_plugin_that_does_not_hold_the_skill_decides_nothing(trial: Trial) -> None:
    trial.setup["plugins"] = {}
    assert installed(trial)["verdict"] == "inconclusive"


def test_E01_the_skills_folder_is_found_by_its_name_among_several(trial: Trial) -> None:
    trial.setup["plugins"][HOOK] |= {
        "skills/other/SKILL.md": SHA["e"],
        "skills/not-rust-formatting/SKILL.md": SHA["e"],
    }
    assert installed(trial)["verdict"] == "pass"


def test_E01_a_skill_whose_folder_has_another_name_is_found_when_it_is_the_only_one(trial: Trial) -> None:
    trial.setup["plugins"][HOOK] = {"skills/other/SKILL.md": SHA["a"], "skills/other/more.md": SHA["c"]}
    assert installed(trial)["verdict"] == "pass"


@pytest.mark.parametrize(
    ("there", "completion", "verdict"),
    [
        (False, "completed", "pass"),
        (True, "completed", "fail"),
        (True, None, "fail"),
        (False, None, "inconclusive"),
    ],
)
def test_E01_not_installed(trial: Trial, there: bool, completion: str | None, verdict: str) -> None:
    expecting(trial, not_installed=[SKILL])
    trial.observation["completion"] = completion
    if not there:
        trial.collected["installed"] = {}
        trial.files["symposium.log"] = trial.files["symposium.log"].replace("skill_installed", "skill_left")
    assert trial.judged()["skills"][SKILL]["not_installed"]["verdict"] == verdict


@pytest.mark.parametrize(
    ("load", "completion", "used", "not_used"),
    [
        ("loaded", "completed", "pass", "fail"),
        ("attempted", "completed", "fail", "pass"),
        ("not_observed", "completed", "fail", "pass"),
        ("unknown", "completed", "inconclusive", "inconclusive"),
        ("loaded", None, "pass", "fail"),
        ("attempted", None, "inconclusive", "inconclusive"),
        ("not_observed", "client_error", "inconclusive", "inconclusive"),
        ("unknown", None, "inconclusive", "inconclusive"),
    ],
)
def test_E02_used_and_not_used(
    trial: Trial, load: str, completion: str | None, used: str, not_used: str
) -> None:
    trial.observation["loads"][SKILL] = {"load": load, "evidence": None}
    trial.observation["completion"] = completion
    trial.task["expected"]["skills"]["not_used"] = [SKILL]
    skill = trial.judged()["skills"][SKILL]
    assert (skill["used"]["verdict"], skill["not_used"]["verdict"]) == (used, not_used)
    assert skill["observed_load"] == load


def test_E02_a_skill_that_nobody_looked_for_is_unknown(trial: Trial) -> None:
    trial.observation["loads"] = {}
    skill = trial.judged()["skills"][SKILL]
    assert (skill["used"]["verdict"], skill["observed_load"]) == ("inconclusive", "unknown")


def test_E02_an_attempt_is_reported_though_it_satisfies_not_used(trial: Trial) -> None:
    trial.observation["loads"][SKILL] = {
        "load": "attempted",
        "evidence": "transcript.jsonl:4: Skill call failed",
    }
    expecting(trial, not_used=[SKILL])
    judged = trial.judged()
    assert judged["skills"][SKILL]["not_used"]["verdict"] == "pass"
    assert judged["findings"] == [f"The agent asked for {SKILL} and did not get it."]


def test_T03_a_skill_that_nothing_is_claimed_of_is_still_observed(trial: Trial) -> None:
    expecting(trial)
    assert trial.judged()["skills"] == {SKILL: {"observed_load": "loaded", "listed": True}}
