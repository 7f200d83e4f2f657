"""expect: on what cargo-agents 0.5.1 really left, in whole sessions and where a hook ends badly."""

from __future__ import annotations

from pathlib import Path

import pytest

from expect_trial import HOOK, SKILL, Trial, recorded


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


@pytest.mark.parametrize(
    ("case", "hook", "evidence"),
    [
        ("hook-succeeds", "pass", "evidence/hooks.jsonl:1: exit 0"),
        ("hook-exits-1", "fail", "symposium.log:39: exit 1"),
        ("hook-exits-2", "fail", "symposium.log:39: exit 2"),
        ("hook-is-killed", "fail", "symposium.log:39: ended by a signal"),
        ("claude", "inconclusive", "evidence/hooks.jsonl:1: a record without an exit status"),
        (
            "claude-plugin-reload",
            "inconclusive",
            "evidence/hooks.jsonl:1: a record without an exit status",
        ),
        # Codex is given no Stop hook by 0.5.1.
        ("codex", "fail", f"{HOOK}: no record in evidence/hooks.jsonl; symposium.log: never ran"),
        ("no-workspace", "fail", "evidence/hooks.jsonl:1: exit 1"),
    ],
)
def test_recorded_evidence_of_0_5_1(trial: Trial, case: str, hook: str, evidence: str) -> None:
    judged = recorded(trial, case).judged()
    assert judged["sync"]["session_start"]["verdict"] == "pass"
    assert judged["hooks"][HOOK] == {"verdict": hook, "evidence": evidence}


def test_recorded_a_project_that_is_no_workspace_has_no_sync_and_says_why(trial: Trial) -> None:
    recorded(trial, "no-workspace").collected |= {"sync_records": [], "installed": {}}
    judged = trial.judged()
    assert judged["sync"]["sync_recorded"] == {
        "verdict": "fail",
        "evidence": "state.json: none for the project; symposium.log:12: not in a Rust workspace",
    }
    assert judged["findings"] == ["Symposium could not sync: not in a Rust workspace."]


@pytest.mark.parametrize(
    ("case", "asked"), [("claude", "does not ask"), ("claude-plugin-reload", "asked the client")]
)
def test_recorded_the_reload_is_read_from_the_answer_to_session_start(
    trial: Trial, case: str, asked: str
) -> None:
    trial.observation["listed"][SKILL] = False
    assert asked in recorded(trial, case).judged()["findings"][0]
