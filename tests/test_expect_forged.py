"""expect: each forgery that no command shows, each piece of evidence missing or torn, with all verdicts.

tests/test_expect_doubts.py has those that a command of the agent's shows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import expect
from expect_trial import (
    ABLE,
    BEGINNING,
    DOCUMENTS,
    GOOD,
    HOOK,
    SHA,
    SKILL,
    Trial,
    expecting,
    logged,
    verdicts,
)
from kit.contract import Exit, Folder

INSTALLED, USED, START, SYNC = f"{SKILL}.installed", f"{SKILL}.used", "session_start", "sync_recorded"
OK, BAD = f'{{"hook":"{HOOK}","exit":0}}\n', f'{{"hook":"{HOOK}","exit":1}}\n'
TRACED = '{"agent":"claude","event":"SessionStart","input":{},"output":{}}\n'
INIT = BEGINNING.partition("\n")[0] + "\n"
Change = Callable[[Trial], None]
Verdicts = dict[str, str]


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    made = Trial(tmp_path)
    assert made.stage
    made.stage["capabilities"] = dict(ABLE)
    return made


def files(**changes: str | None) -> Change:
    """hooks, trace, log: another text, or None for no such file."""
    names = {"hooks": "evidence/hooks.jsonl", "trace": "hook-trace.jsonl", "log": "symposium.log"}

    def change(trial: Trial) -> None:
        for key, text in changes.items():
            trial.files.pop(names[key])
            trial.files |= {names[key]: text} if text is not None else {}

    return change


def collected(**changes: object) -> Change:
    return lambda trial: trial.collected.update(changes)


def both(*changes: Change) -> Change:
    def change(trial: Trial) -> None:
        for one in changes:
            one(trial)

    return change


def no_start(trial: Trial) -> None:
    """The client ran no hook at SessionStart, and the log is of init alone."""
    trial.client_ran()
    trial.files |= {"symposium.log": INIT, "evidence/hooks.jsonl": ""}
    trial.collected |= {"installed": {}, "sync_records": []}


def on_codex(trial: Trial) -> None:
    """A client that does not say which hooks it ran."""
    trial.trial["client"] = "codex"
    trial.observation["hooks"] = []


def more_calls(trial: Trial) -> None:
    trial.exchanges = [{"tool_calls": []}]


NOTHING = {INSTALLED: "fail", HOOK: "fail", SYNC: "fail", START: "fail"}
LOST = {HOOK: "inconclusive", SYNC: "inconclusive"}
RAN = {"files": {"SKILL.md": SHA["b"], "more.md": SHA["c"]}, "marker": True}
MARKED = BEGINNING.replace("skill_installed", "skill_removed") + logged(0)
UNSYNCED = "\n".join(BEGINNING.split("\n")[:2]) + "\n" + logged(0)
NO_SYNC = UNSYNCED.replace("SessionStart", "Stop")

FORGERIES: dict[str, tuple[Change, Verdicts]] = {
    "nothing of it happened, and nothing is forged": (both(no_start, files(trace=None)), NOTHING),
    "a record of a hook that never ran": (
        files(hooks=OK, log=BEGINNING),
        {HOOK: "inconclusive"},
    ),
    "a good record before the hook's own bad one": (
        files(hooks=OK + BAD, log=BEGINNING + logged(0)),
        {HOOK: "inconclusive"},
    ),
    "a good record where the hook failed": (
        files(hooks=OK, log=BEGINNING + logged(1)),
        {HOOK: "inconclusive"},
    ),
    "a trace of a SessionStart that never was": (no_start, {**NOTHING, START: "inconclusive"}),
    "the same where the client tells of no hooks": (
        both(no_start, on_codex),
        {**NOTHING, START: "inconclusive"},
    ),
    "a second line in the trace": (files(trace=TRACED + TRACED), {START: "inconclusive"}),
    "an edited skill": (collected(installed={SKILL: RAN}), {INSTALLED: "fail"}),
    "a skill of its own, marked": (files(log=MARKED), {INSTALLED: "inconclusive"}),
    "a state file without a sync": (
        files(log=UNSYNCED),
        {SYNC: "inconclusive", INSTALLED: "inconclusive"},
    ),
    "a deleted log": (files(log=None), LOST),
    "a log without its beginning": (
        files(log=BEGINNING.partition("\n")[2] + logged(0)),
        LOST,
    ),
    "an emptied log": (files(log=""), {**LOST, INSTALLED: "inconclusive", START: "inconclusive"}),
    "a load that no model asked for": (more_calls, {USED: "inconclusive"}),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_E05_a_forgery_ends_exactly_so_and_never_in_a_pass(trial: Trial, name: str) -> None:
    change, judged = FORGERIES[name]
    trial.client_ran("SessionStart")
    change(trial)
    assert verdicts(trial.judged()) == {**GOOD, **judged}
    assert "pass" not in judged.values()


TORN = f'{{"hook":"{HOOK}","ex'
STATE = {"file": "x", "workspace_root": "/eval/run-1/project", "for_project": True}
GONE: dict[str, tuple[Change, Verdicts]] = {
    "hooks.jsonl missing, though its hook ran": (files(hooks=None), {HOOK: "inconclusive"}),
    "hooks.jsonl missing, and no hook ran": (files(hooks=None, log=BEGINNING), {HOOK: "fail"}),
    "hooks.jsonl torn in its first line": (files(hooks=TORN), {HOOK: "inconclusive"}),
    "hooks.jsonl torn after its first line": (files(hooks=OK + TORN), {}),
    "hooks.jsonl not kept": (
        collected(missing=["evidence/hooks.jsonl: link: not copied"]),
        {HOOK: "inconclusive"},
    ),
    "evidence/ not kept": (
        both(
            files(hooks=None, trace=None),
            collected(missing=["evidence/.: folder: too many", "hook-trace.jsonl"]),
        ),
        {HOOK: "inconclusive", START: "inconclusive"},
    ),
    "trace missing, though the client ran the hook": (files(trace=None), {START: "inconclusive"}),
    "trace torn": (files(trace='{"event":"Sess'), {START: "inconclusive"}),
    "trace torn after its first line": (files(trace=TRACED + '{"ev'), {}),
    "trace not kept": (
        both(files(trace=None), collected(missing=["evidence/hook-trace.jsonl: fifo: not copied"])),
        {START: "inconclusive"},
    ),
    "log torn in its last line": (files(log=BEGINNING + logged(0)[:-30]), {HOOK: "inconclusive"}),
    "state.json missing, and a sync in the log": (collected(sync_records=[]), {SYNC: "fail"}),
    "state.json torn": (
        collected(sync_records=[{**STATE, "mtime_is_int": False}]),
        {SYNC: "inconclusive"},
    ),
    "state.json and the log missing": (both(collected(sync_records=[]), files(log=None)), LOST),
    "the skill missing": (collected(installed={}), {INSTALLED: "fail"}),
    "the transcript not understood": (
        lambda trial: trial.observation["loads"].clear(),
        {USED: "inconclusive"},
    ),
    "the gateway's record missing": (lambda trial: None, {}),
    "the gateway's record torn": (
        lambda trial: trial.files.update({"exchanges.jsonl": '{"tool_ca'}),
        {},
    ),
    "stage.json missing": (lambda trial: setattr(trial, "stage", None), {}),
}


@pytest.mark.parametrize("name", GONE)
def test_E03_evidence_that_is_missing_or_torn_is_judged_exactly_so(trial: Trial, name: str) -> None:
    change, judged = GONE[name]
    trial.client_ran("SessionStart")
    change(trial)
    assert verdicts(trial.judged()) == {**GOOD, **judged}


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize(("text", "code"), [(None, Exit.NO_INPUT), ('{"schema": "', Exit.BAD_INPUT)])
def test_R03_without_a_document_of_ours_nothing_is_judged(
    trial: Trial, document: str, text: str | None, code: Exit
) -> None:
    """finalize then has no expectations, and takes a success away."""
    trial.judged()
    (trial.folder / "expectations.json").unlink()
    file = trial.folder / f"{document}.json"
    file.unlink()
    if text is not None:
        file.write_text(text)
    assert expect.STEP.execute(expect.run, Folder(trial.folder, expect.STEP)) is code
    assert not (trial.folder / "expectations.json").exists()


@pytest.mark.parametrize(("log", "verdict"), [(BEGINNING, "inconclusive"), (INIT, "pass")])
def test_E01_a_skill_that_was_taken_away_is_seen_in_the_log(trial: Trial, log: str, verdict: str) -> None:
    expecting(trial, not_installed=[SKILL])
    trial.collected["installed"] = {}
    trial.files["symposium.log"] = log
    assert trial.judged()["skills"][SKILL]["not_installed"]["verdict"] == verdict
