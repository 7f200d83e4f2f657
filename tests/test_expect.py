"""expect: each rule of E01 to E05 with its exact verdict, on small trial folders and on recorded evidence.

tests/expect/<case>/ holds what cargo-agents 0.5.1 really left (claude, claude-plugin-reload, codex: whole
sessions; the others: a SessionStart and a Stop by hand, with hooks that end in different ways).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import expect
from expectations import Record, events, skills
from kit import documents, symposium_files
from kit.contract import Exit, Folder

Document = dict[str, Any]
RECORDED = Path(__file__).with_name("expect")
SHA = {letter: letter * 64 for letter in "abcdef"}
SKILL, HOOK = "rust-formatting", "format-on-stop"
SETTINGS, CONFIG = "home/.claude/settings.json", "home/.symposium/config.toml"
DISPATCH = '{"kind":"hook_dispatched","plugin":"%s","hook":"%s"%s}'


def logged(exit_code: int | None, plugin: str = HOOK, hook: str = HOOK) -> str:
    status = "" if exit_code is None else f',"exit_code":{exit_code}'
    return f"2026-01-01T00:00:00Z DEBUG symposium::hook: report={DISPATCH % (plugin, hook, status)}\n"


class Trial:
    """A trial folder in which every expectation holds; tests break it one point at a time."""

    def __init__(self, batch: Path) -> None:
        self.folder = batch / "trial-1-with-symposium"
        self.stage: Document | None = documents.read(RECORDED / "stage.json", "stage/1")
        read = {name: documents.read(RECORDED / f"{name}.json", f"{name}/1") for name in DOCUMENTS}
        self.trial, self.task, self.setup, self.observation, self.collected = read.values()
        self.files: dict[str, str] = {
            "evidence/hooks.jsonl": json.dumps({"hook": HOOK, "exit": 0}) + "\n",
            "hook-trace.jsonl": '{"agent":"claude","event":"SessionStart","input":{},"output":{}}\n',
            "symposium.log": "2026-01-01T00:00:00Z  INFO symposium::init: init started\n" + logged(0),
        }

    def code(self) -> Exit:
        for name in DOCUMENTS:
            documents.write(self.folder / f"{name}.json", f"{name}/1", getattr(self, name))
        if self.stage:
            documents.write(self.folder.parent / "stage.json", "stage/1", self.stage)
        for name, text in self.files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, "utf-8", "surrogateescape")
        return expect.STEP.execute(expect.run, Folder(self.folder, expect.STEP))

    def judged(self) -> Document:
        assert self.code() is Exit.OK
        return documents.read(self.folder / "expectations.json", "expectations/1")

    def session_cut(self) -> None:
        self.observation["completion"] = None

    def never_began(self) -> None:
        self.observation |= {"completion": None, "session": None, "turns": None, "events": 0, "hooks": []}
        self.observation["loads"] = {SKILL: {"load": "unknown", "evidence": None}}
        self.files = {"symposium.log": "x\n"}
        self.collected |= {"installed": {}, "sync_records": [], "missing": ["hook-trace.jsonl"]}


DOCUMENTS = ("trial", "task", "setup", "observation", "collected")


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def verdicts(judged: Document) -> dict[str, str]:
    """All verdicts by their short names."""
    of_skills = {
        f"{name}.{claim}": value["verdict"]
        for name, skill in judged["skills"].items()
        for claim, value in skill.items()
        if isinstance(value, dict)
    }
    groups = {name: value["verdict"] for g in ("hooks", "sync") for name, value in judged[g].items()}
    return {**of_skills, **groups}


GOOD = {
    f"{SKILL}.installed": "pass",
    f"{SKILL}.used": "pass",
    HOOK: "pass",
    "skill_dir_empty_before": "pass",
    "session_start": "pass",
    "sync_recorded": "pass",
}


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


# E01


def installed(trial: Trial) -> Document:
    judged: Document = trial.judged()["skills"][SKILL]["installed"]
    return judged


CLAIMS = ("installed", "not_installed", "used", "not_used")


def expecting(trial: Trial, **claims: list[str]) -> None:
    trial.task["expected"]["skills"] = {claim: claims.get(claim, []) for claim in CLAIMS}


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
    assert trial.judged()["skills"][SKILL]["not_installed"]["verdict"] == verdict


# E02


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


# E03


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


# E04


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
    assert hook(trial) == verdict


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        (logged(0), "pass"),
        (logged(1), "inconclusive"),
        (logged(None), "inconclusive"),
        (logged(0, hook="other"), "inconclusive"),
        (logged(0) + logged(1), "pass"),
        (None, "pass"),
    ],
)
def test_E05_a_good_record_that_the_debug_log_contradicts_is_inconclusive(
    trial: Trial, log: str | None, verdict: str
) -> None:
    del trial.files["symposium.log"]
    if log is not None:
        trial.files["symposium.log"] = log
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
        (None, True, "fail"),
    ],
)
def test_E04_without_a_record_the_debug_log_decides(
    trial: Trial, log: str | None, records_its_own: bool, verdict: str
) -> None:
    trial.files = {"symposium.log": log} if log else {}
    trial.setup["recording"] = [HOOK] if records_its_own else []
    assert hook(trial) == verdict


def test_E04_a_hook_that_a_cut_session_never_came_to_is_inconclusive(trial: Trial) -> None:
    trial.session_cut()
    trial.files = {"symposium.log": "init\n"}
    assert hook(trial) == "inconclusive"


def test_E04_records_that_could_not_be_kept_are_not_absent(trial: Trial) -> None:
    trial.files = {"symposium.log": "init\n"}
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
    trial.files["symposium.log"] = logged(1)
    assert hook(trial) == "fail"


# E05


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


# Findings

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


# Recorded evidence


def recorded(trial: Trial, case: str) -> Trial:
    trial.files = {}
    for name, into in (
        ("hooks.jsonl", "evidence/hooks.jsonl"),
        ("hook-trace.jsonl",) * 2,
        ("symposium.log",) * 2,
    ):
        if (RECORDED / case / name).exists():
            (trial.folder / into).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(RECORDED / case / name, trial.folder / into)
    return trial


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
        ("codex", "fail", f"{HOOK}: no record in evidence/hooks.jsonl; symposium.log: no run of it"),
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


# Rules


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
        task,
        setup,
        observation,
        collected,
        trace=symposium_files.objects(folder / "trace"),
        log=symposium_files.log(folder / "log"),
        hooks=symposium_files.objects(folder / "hooks"),
        version="0.5.1",
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
