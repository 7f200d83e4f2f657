"""expect: evidence that other evidence contradicts (E05), or that a version does not produce (S05)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from expect_trial import (
    ABLE,
    BEGINNING,
    CONFIG,
    GOOD,
    HOOK,
    SETTINGS,
    SHA,
    SKILL,
    Trial,
    expecting,
    logged,
    verdicts,
)


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


@pytest.mark.parametrize(
    ("path", "after", "doubted"),
    [
        (SETTINGS, SHA["f"], {HOOK, "session_start", "sync_recorded"}),
        (SETTINGS, None, {HOOK, "session_start", "sync_recorded"}),
        ("project/.mcp.json", SHA["f"], {HOOK, "session_start", "sync_recorded"}),
        (CONFIG, SHA["f"], {HOOK, "session_start", "sync_recorded", f"{SKILL}.installed"}),
    ],
)
def test_E05_changed_configuration_makes_what_rests_on_it_inconclusive(
    trial: Trial, path: str, after: str | None, doubted: set[str]
) -> None:
    trial.collected["snapshot"].pop(path, None)
    if after:
        trial.collected["snapshot"][path] = after
    judged = trial.judged()
    assert verdicts(judged) == {name: "inconclusive" if name in doubted else "pass" for name in GOOD}
    assert judged["findings"] == [f"The session changed configuration: {path}."]
    assert judged["sync"]["session_start"]["evidence"].endswith(
        "without that pass: hook-trace.jsonl:1: SessionStart"
    )


def test_E05_a_client_that_never_began_shows_nothing_of_symposium(trial: Trial) -> None:
    trial.never_began()
    judged = verdicts(trial.judged())
    assert judged.pop("skill_dir_empty_before") == "pass"
    assert set(judged.values()) == {"inconclusive"}


EVIDENCE, STATE = {HOOK, "session_start"}, {HOOK, "sync_recorded", f"{SKILL}.installed"}
PLACE = "/eval/run-1/evidence"


@pytest.mark.parametrize(
    ("tool", "text", "doubted"),
    [
        ("Bash", """echo '{"hook":"x","exit":0}' >> "$EVAL_EVIDENCE_DIR/hooks.jsonl\"""", EVIDENCE),
        ("Bash", "cd ../evidence && touch x", EVIDENCE),
        ("Bash", f"rm {PLACE}/hooks.jsonl", EVIDENCE),
        ("Write", f"{PLACE}/hooks.jsonl", EVIDENCE),
        ("shell", "printf x | tee $SYMPOSIUM_HOOK_TRACE", {"session_start"}),
        ("Bash", "D=$HOME/.symposium\nrm -rf $D/logs", STATE),
        ("Write", "/eval/run-1/home/.symposium/cache/workspaces/p-1/state.json", STATE),
        ("Bash", f"touch .claude/skills/{SKILL}/.symposium", STATE),
        ("Edit", f"/eval/run-1/project/.claude/skills/{SKILL}/SKILL.md", {f"{SKILL}.installed"}),
        ("Bash", f"sed -i s/a/b/ .claude/skills/{SKILL}/SKILL.md", {f"{SKILL}.installed"}),
        ("Bash", f"cat x > .claude/skills/{SKILL}/SKILL.md", {f"{SKILL}.installed"}),
        ("Bash", f"cat .claude/skills/{SKILL}/SKILL.md; cp -r a .claude/skills", {f"{SKILL}.installed"}),
        ("Bash", "rm -rf .claude/skills/*", {f"{SKILL}.installed"}),
        ("Bash", "echo x > .claude/skills/another/SKILL.md", set()),
        ("Read", f"/eval/run-1/project/.claude/skills/{SKILL}/SKILL.md", set()),
        ("Bash", f"cat .claude/skills/{SKILL}/SKILL.md 2>/dev/null | head -5 && cargo test", set()),
        ("Bash", "ls -la ~/.symposium 2>&1; cat $EVAL_EVIDENCE_DIR/hooks.jsonl", set()),
        ("Bash", f"cd .claude/skills/{SKILL} && ls && cat SKILL.md", set()),
        ("Bash", f"cd .claude/skills/{SKILL} && rm SKILL.md", {f"{SKILL}.installed"}),
        ("Bash", "cargo build > log.txt", set()),
    ],
)
def test_E05_a_command_that_may_have_written_where_evidence_lies_makes_it_inconclusive(
    trial: Trial, tool: str, text: str, doubted: set[str]
) -> None:
    trial.did(tool, text)
    judged = trial.judged()
    assert verdicts(judged) == {name: "inconclusive" if name in doubted else "pass" for name in GOOD}
    assert bool(judged["findings"]) == bool(doubted)


def test_E05_a_doubt_names_its_line_and_what_the_verdict_would_be(trial: Trial) -> None:
    trial.did("Bash", "echo >> $SYMPOSIUM_HOOK_TRACE")
    judged = trial.judged()
    doubt = "transcript.jsonl:7: Bash names SYMPOSIUM_HOOK_TRACE, where evidence lies"
    assert judged["sync"]["session_start"]["evidence"].startswith(f"{doubt}; without that pass: ")
    assert judged["findings"] == [f"Evidence is doubtful: {doubt}."]


def test_E05_a_skill_that_the_agent_may_have_removed_is_not_known_to_be_not_installed(trial: Trial) -> None:
    expecting(trial, not_installed=[SKILL])
    trial.collected["installed"] = {}
    trial.did("Bash", "rm -rf .claude/skills")
    assert trial.judged()["skills"][SKILL]["not_installed"]["verdict"] == "inconclusive"


START = '{"agent":"claude","event":"SessionStart","input":{},"output":{}}\n'


@pytest.mark.parametrize(
    ("trace", "told", "verdict"),
    [
        (START, ["SessionStart", "Stop"], "pass"),
        (START, ["UserPromptSubmit"], "inconclusive"),  # a line that no hook wrote
        (START + START, ["SessionStart"], "inconclusive"),
        (None, ["SessionStart"], "inconclusive"),  # a line that was taken away
        (START, [], "inconclusive"),  # a client that tells of every hook, and of none
    ],
)
def test_E05_the_trace_and_the_clients_own_hook_events_must_agree(
    trial: Trial, trace: str | None, told: list[str], verdict: str
) -> None:
    calls = [event for event in told if event != "SessionStart"]
    more = (f"DEBUG cargo_agents: cargo agents hook agent=Claude event={event}\n" for event in calls)
    trial.files["symposium.log"] = BEGINNING + "".join(more) + logged(0)
    trial.client_ran(*told)
    del trial.files["hook-trace.jsonl"]
    if trace is not None:
        trial.files["hook-trace.jsonl"] = trace
    assert trial.judged()["sync"]["session_start"]["verdict"] == verdict


def test_E05_a_hook_that_the_client_says_failed_leaves_no_line_and_is_no_contradiction(trial: Trial) -> None:
    trial.client_ran("SessionStart", exit_code=1)
    del trial.files["hook-trace.jsonl"]
    assert trial.judged()["sync"]["session_start"]["verdict"] == "fail"


def test_E05_a_trace_with_more_starts_than_the_log_is_inconclusive(trial: Trial) -> None:
    trial.files["hook-trace.jsonl"] = START + START
    assert trial.judged()["sync"]["session_start"] == {
        "verdict": "inconclusive",
        "evidence": "hook-trace.jsonl: 2 of SessionStart, and symposium.log has 1; "
        "without that pass: hook-trace.jsonl:1: SessionStart",
    }


@pytest.mark.parametrize(
    ("log", "doubt"),
    [
        (None, "symposium.log: none, though init leaves one before the session"),
        (logged(0), "symposium.log: without its beginning, which init wrote before the session"),
        (
            BEGINNING + logged(0),
            "symposium.log: 0 of Stop, though the client reports 1 that succeeded",
        ),
    ],
    ids=["deleted", "cut at the start", "cut at the end"],
)
def test_E05_a_log_that_is_not_whole_makes_what_rests_on_it_inconclusive(
    trial: Trial, log: str | None, doubt: str
) -> None:
    trial.client_ran("SessionStart", "Stop")
    del trial.files["symposium.log"]
    if log:
        trial.files["symposium.log"] = log
    judged = trial.judged()
    for verdict in (judged["hooks"][HOOK], judged["sync"]["sync_recorded"]):
        assert verdict["verdict"] == "inconclusive"
        assert verdict["evidence"].startswith(doubt)


def test_E05_a_marked_skill_that_the_log_does_not_tell_of_is_inconclusive(trial: Trial) -> None:
    trial.files["symposium.log"] = trial.files["symposium.log"].replace("skill_installed", "skill_removed")
    verdict = trial.judged()["skills"][SKILL]["installed"]
    assert verdict["verdict"] == "inconclusive"
    assert verdict["evidence"].startswith(f"symposium.log: tells of no installation of {SKILL}")


def test_E05_a_state_file_without_a_sync_in_the_log_is_inconclusive(trial: Trial) -> None:
    trial.files["symposium.log"] = "\n".join(BEGINNING.split("\n")[:2]) + "\n" + logged(0)
    assert trial.judged()["sync"]["sync_recorded"] == {
        "verdict": "inconclusive",
        "evidence": "state.json: a sync that symposium.log does not tell of; "
        "without that pass: state.json: a sync of the project is recorded",
    }


@pytest.mark.parametrize(("asked", "verdict"), [(2, "pass"), (1, "pass"), (0, "inconclusive")])
def test_E05_a_transcript_with_more_calls_than_the_gateway_saw_is_no_witness_of_a_load(
    trial: Trial, asked: int, verdict: str
) -> None:
    trial.exchanges = [{"tool_calls": [{"id": str(n), "name": "Skill"} for n in range(asked)]}]
    assert trial.judged()["skills"][SKILL]["used"]["verdict"] == verdict


def test_E05_a_gateways_record_that_breaks_off_contradicts_nothing(trial: Trial) -> None:
    trial.files["exchanges.jsonl"] = '{"tool_calls":[]}\n{"tool_ca'
    assert trial.judged()["skills"][SKILL]["used"]["verdict"] == "pass"


UNSUPPORTED = {
    "trace": ("session_start", "writes no hook trace"),
    "sync_record": ("sync_recorded", "keeps no record of a sync"),
    "hook_exits": (HOOK, "does not log how a plugin's hook ends"),
    "marker": (f"{SKILL}.installed", "does not mark what it installs"),
}


@pytest.mark.parametrize("capability", UNSUPPORTED)
def test_S05_a_check_that_the_version_cannot_support_is_inconclusive_never_pass(
    trial: Trial, capability: str
) -> None:
    name, lack = UNSUPPORTED[capability]
    trial.lacks(capability)
    judged = trial.judged()
    assert verdicts(judged) == {**GOOD, name: "inconclusive"}
    assert any(f"cargo-agents 0.5.1 {lack}" in sentence for sentence in judged["findings"])
    assert f"cargo-agents 0.5.1 {lack}, so this cannot be told" in json.dumps(judged)


@pytest.mark.parametrize("capability", ["registry", "clean_output", "installs", "plugin_hooks"])
def test_S05_what_is_no_evidence_changes_no_verdict_and_is_said(trial: Trial, capability: str) -> None:
    trial.lacks(capability)
    judged = trial.judged()
    assert verdicts(judged) == GOOD
    assert len(judged["findings"]) == 1


@pytest.mark.parametrize("capability", ["init", "reload_skills", "relative_scripts", "log"])
def test_S05_what_concerns_no_verdict_of_a_whole_trial_is_not_said(trial: Trial, capability: str) -> None:
    trial.lacks(capability)
    judged = trial.judged()
    assert (verdicts(judged), judged["findings"]) == (GOOD, [])


def test_S05_a_log_that_never_tells_of_init_is_not_one_that_was_cut(trial: Trial) -> None:
    trial.lacks("log")
    trial.files["symposium.log"] = logged(0)
    assert verdicts(trial.judged()) == GOOD


def test_S05_events_without_a_hook_are_named(trial: Trial) -> None:
    assert trial.stage
    trial.stage["capabilities"] = {**ABLE, "client": "codex", "events": ABLE["events"][:-1]}
    assert trial.judged()["findings"] == ["cargo-agents 0.5.1 registers no hook of codex for Stop."]
