"""expect: E03 and E04, each rule with its exact verdict, on small trial folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from expect_trial import BEGINNING, HOOK, Document, Trial, logged


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def sync(trial: Trial, name: str) -> str:
    verdict: str = trial.judged()["sync"][name]["verdict"]
    return verdict


def test_E03_a_skill_folder_that_held_something_fails(trial: Trial) -> None:
    trial.setup["skill_folder_empty"] = False
    assert sync(trial, "skill_dir_empty_before") == "fail"


START = '{"event":"SessionStart"}\n'
OTHER = '{"event":"UserPromptSubmit"}\n'


@pytest.mark.parametrize(
    ("trace", "verdict"),
    [
        (START, "pass"),
        (OTHER + START, "pass"),
        (START + "{torn", "pass"),  # what was seen was seen
        (None, "fail"),
        ("", "fail"),
        (OTHER, "fail"),
        ('["SessionStart"]\n', "inconclusive"),
        (OTHER + '{"event":"Sessi', "inconclusive"),
        ("[" * 100_000 + "\n", "inconclusive"),
        ("\udcff\udcfe\n", "inconclusive"),
    ],
)
def test_E03_session_start(trial: Trial, trace: str | None, verdict: str) -> None:
    del trial.files["hook-trace.jsonl"]
    if trace is not None:
        trial.files["hook-trace.jsonl"] = trace
    if verdict == "fail":
        trial.client_ran()  # the client, too, knows of no SessionStart
    assert sync(trial, "session_start") == verdict


def test_E03_a_missing_session_start_says_what_the_client_saw(trial: Trial) -> None:
    del trial.files["hook-trace.jsonl"]
    trial.observation["hooks"] = [{"event": "SessionStart", "outcome": "error", "exit": 127}]
    evidence = trial.judged()["sync"]["session_start"]["evidence"]
    assert evidence == "hook-trace.jsonl: no such file; the client reports SessionStart: error, exit 127"


def test_E03_a_trace_that_could_not_be_kept_is_not_a_trace_that_is_not_there(trial: Trial) -> None:
    del trial.files["hook-trace.jsonl"]
    trial.collected["missing"] = ["evidence/hook-trace.jsonl: fifo: not copied", "hook-trace.jsonl"]
    assert sync(trial, "session_start") == "inconclusive"


def test_E03_a_cut_session_had_its_start_all_the_same(trial: Trial) -> None:
    trial.session_cut()
    trial.client_ran()
    del trial.files["hook-trace.jsonl"]
    assert sync(trial, "session_start") == "fail"


OURS = {
    "file": "x/state.json",
    "workspace_root": "/eval/run-1/project",
    "for_project": True,
    "mtime_is_int": True,
}


@pytest.mark.parametrize(
    ("records", "verdict"),
    [
        ([OURS], "pass"),
        ([{**OURS, "for_project": False}, OURS], "pass"),
        ([{**OURS, "mtime_is_int": False}], "inconclusive"),
        ([{**OURS, "for_project": False}], "fail"),
        ([], "fail"),
    ],
)
def test_E03_sync_recorded(trial: Trial, records: list[Document], verdict: str) -> None:
    trial.collected["sync_records"] = records
    assert sync(trial, "sync_recorded") == verdict


def test_E03_a_home_without_symposiums_log_cannot_show_that_nothing_was_synced(trial: Trial) -> None:
    trial.collected["sync_records"] = []
    del trial.files["symposium.log"]
    assert sync(trial, "sync_recorded") == "inconclusive"


def hook(trial: Trial) -> str:
    verdict: str = trial.judged()["hooks"][HOOK]["verdict"]
    return verdict


OK, BAD = f'{{"hook":"{HOOK}","exit":0}}\n', f'{{"hook":"{HOOK}","exit":1}}\n'


@pytest.mark.parametrize(
    ("records", "verdict"),
    [
        (OK, "pass"),
        (BAD, "fail"),
        (OK + BAD, "pass"),  # the first is the one checked
        (OK + BAD + OK, "inconclusive"),  # more than there were runs: the first may be forged
        (BAD + OK, "fail"),
        ('{"hook":"other","exit":1}\n' + OK, "pass"),
        ("{torn\n" + OK, "inconclusive"),  # it may be the first
        (OK + "{torn\n", "pass"),
        (f'{{"hook":"{HOOK}"}}\n', "inconclusive"),
        (f'{{"hook":"{HOOK}","exit":true}}\n', "inconclusive"),
        (f'{{"hook":"{HOOK}","exit":"0"}}\n', "inconclusive"),
        (f'{{"hook":"{HOOK}","exit":', "inconclusive"),
    ],
)
def test_E04_the_first_record_decides(trial: Trial, records: str, verdict: str) -> None:
    trial.files["evidence/hooks.jsonl"] = records
    trial.files["symposium.log"] = BEGINNING + logged(0) + logged(0)
    assert hook(trial) == verdict


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        (logged(0), "pass"),
        (logged(1), "inconclusive"),
        (logged(None), "inconclusive"),
        (logged(0, hook="other"), "inconclusive"),
        (logged(0) + logged(1), "pass"),
        (None, "inconclusive"),  # init leaves a log, so somebody took it away
    ],
)
def test_E05_a_good_record_that_the_debug_log_contradicts_is_inconclusive(
    trial: Trial, log: str | None, verdict: str
) -> None:
    del trial.files["symposium.log"]
    if log is not None:
        trial.files["symposium.log"] = BEGINNING + log
    assert hook(trial) == verdict


@pytest.mark.parametrize(
    ("log", "records_its_own", "verdict"),
    [
        (logged(1), True, "fail"),
        (logged(2), False, "fail"),
        (logged(None), True, "fail"),
        (logged(0), False, "pass"),  # foreign: the exit status in the log counts
        (logged(1) + logged(0), False, "fail"),
        (logged(0), True, "inconclusive"),  # ours would have left a record
        ("nothing\n", True, "fail"),
        (None, True, "inconclusive"),
    ],
)
def test_E04_without_a_record_the_debug_log_decides(
    trial: Trial, log: str | None, records_its_own: bool, verdict: str
) -> None:
    trial.files = {"symposium.log": BEGINNING + log} if log else {}
    trial.setup["recording"] = [HOOK] if records_its_own else []
    assert hook(trial) == verdict


def test_E04_a_hook_that_a_cut_session_never_came_to_is_inconclusive(trial: Trial) -> None:
    trial.session_cut()
    trial.files = {"symposium.log": BEGINNING}
    assert hook(trial) == "inconclusive"


def test_E04_records_that_could_not_be_kept_are_not_absent(trial: Trial) -> None:
    trial.files = {"symposium.log": BEGINNING}
    trial.collected["missing"] = ["evidence/hooks.jsonl: link: not copied"]
    assert hook(trial) == "inconclusive"


def test_E04_a_folder_in_the_place_of_the_records_is_no_crash(trial: Trial) -> None:
    del trial.files["evidence/hooks.jsonl"]
    (trial.folder / "evidence/hooks.jsonl").mkdir(parents=True)
    assert hook(trial) == "inconclusive"


def test_E04_a_trace_alone_proves_nothing(trial: Trial) -> None:
    """A plugin's hook that exits 1 leaves an ordinary trace line."""
    trial.files["hook-trace.jsonl"] += '{"event":"Stop","output":{}}\n'
    del trial.files["evidence/hooks.jsonl"]
    trial.files["symposium.log"] = BEGINNING + logged(1)
    assert hook(trial) == "fail"


BEGUN = "2026-01-01T00:00:00Z  INFO symposium::hook: running plugin hook plugin=%s hook=%s format=Symposium\n"
NOT_STARTED = logged(None).replace('"}', '","error":"No such file"}')


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (BEGUN % (HOOK, HOOK) + logged(1), "symposium.log:6: exit 1"),
        (BEGUN % (HOOK, HOOK) + logged(2), "symposium.log:6: exit 2"),
        (BEGUN % (HOOK, HOOK) + logged(None), "symposium.log:6: ended by a signal"),
        (BEGUN % (HOOK, HOOK) + NOT_STARTED, "symposium.log:6: could not be started: No such file"),
        (
            BEGUN % (HOOK, HOOK),
            f"{HOOK}: no record in evidence/hooks.jsonl; symposium.log:5: began and never ended",
        ),
        ("", f"{HOOK}: no record in evidence/hooks.jsonl; symposium.log: never ran"),
    ],
    ids=["exit 1", "exit 2", "killed", "not started", "hangs", "never ran"],
)
def test_E04_the_ways_in_which_a_hook_leaves_no_record_are_told_apart(
    trial: Trial, log: str, said: str
) -> None:
    trial.files |= {"evidence/hooks.jsonl": "", "symposium.log": BEGINNING + log}
    assert trial.judged()["hooks"][HOOK] == {"verdict": "fail", "evidence": said}


def test_E04_a_hook_that_hung_until_we_cut_the_session_is_inconclusive(trial: Trial) -> None:
    trial.session_cut()
    trial.files |= {"evidence/hooks.jsonl": "", "symposium.log": BEGINNING + BEGUN % (HOOK, HOOK)}
    assert hook(trial) == "inconclusive"
