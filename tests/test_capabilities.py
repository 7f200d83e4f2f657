"""capabilities: what a cargo-agents does not do is found by trying, and no verdict hides it.

tests/expect/cargo-agents.sh stands in for a cargo-agents that lacks what a test takes away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import capabilities
import clients
from batch_running import passable
from expect_trial import ABLE, BEGINNING, GOOD, HOOK, SKILL, Trial, logged, verdicts
from kit import documents
from kit.layout import Run
from kit.tools import ROOT, Tools
from kit.versions import NOBODY
from setups import Before, Said, folders, symposium

STAND_IN = Path(__file__).with_name("expect") / "cargo-agents.sh"
ALL = {**ABLE, "manifests": ["SYMPOSIUM.toml", "Symposium.toml"]}
OTHERWISE: dict[str, dict[str, Any]] = {
    "init": {  # nothing is registered: it is called by its own name all the same
        "init": False,
        "registry": False,
        "manifests": [],
        "events": [],
        "commands": [],
        "log": False,
    },
    "registry": {"registry": False, "manifests": []},
    "manifests": {"manifests": []},
    "events": {"events": ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"]},
    "commands": {  # `symposium`, which is not there: nothing of a session happens
        "commands": ["symposium"],
        **dict.fromkeys(("clean_output", "reload_skills", "installs", "marker", "trace"), False),
        **dict.fromkeys(("sync_record", "plugin_hooks", "relative_scripts", "hook_exits", "log"), False),
    },
    "clean_output": {"clean_output": False, "reload_skills": False},
    "installs": {"installs": False, "marker": False, "log": False},
    "plugin_hooks": {"plugin_hooks": False, "hook_exits": False},
    "log": {"log": False, "hook_exits": False},
}
ONE_BY_ONE = ("reload_skills", "marker", "trace", "sync_record", "relative_scripts", "hook_exits")


@pytest.fixture
def place() -> Iterator[Path]:
    with passable() as folder:
        yield folder


def probed(place: Path, program: str) -> dict[str, Any]:
    (place / "toolchain").mkdir()
    binary = place / "cargo-agents"
    binary.write_text(program, "utf-8")
    binary.chmod(0o755)
    stage = {"toolchain": {"sysroot": str(place), "mount": None}}
    return capabilities.probe(binary, stage, place / "run", "claude")


def lacking(*words: str) -> str:
    return STAND_IN.read_text("utf-8").replace('LACK=""', f'LACK="{" ".join(words)}"')


def test_S05_all_that_is_there_is_found(place: Path) -> None:
    assert probed(place, lacking()) == ALL


@pytest.mark.parametrize("word", [*ONE_BY_ONE, *OTHERWISE])
def test_S05_what_is_lacking_is_found_and_nothing_else(place: Path, word: str) -> None:
    assert probed(place, lacking(word)) == {**ALL, **OTHERWISE.get(word, {word: False})}


@pytest.mark.parametrize(
    "program",
    ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho nonsense\n", "not a program", "#!/bin/sh\nkill -9 $$\n"],
)
def test_S05_a_program_that_answers_nothing_is_described_not_refused(place: Path, program: str) -> None:
    answers = probed(place, program)
    del answers["client"], answers["init"]
    assert not any(answers.values())


def test_S05_it_does_not_run_as_root_nor_in_the_callers_home(place: Path) -> None:
    probed(place, '#!/bin/sh\nid -u >"$TMPDIR/uid"\necho "$HOME" >"$TMPDIR/home"\n')
    uid, home = ((place / "run/0/tmp" / name).read_text().strip() for name in ("uid", "home"))
    assert uid == str(NOBODY if os.geteuid() == 0 else os.geteuid())
    assert home == str(place / "run/0/home")


def test_S05_a_hook_that_fails_once_is_tried_again(place: Path) -> None:
    """A machine that is too busy to fork must not look like a Symposium that keeps no record."""
    once = f'[ "${{HOME#{place}/run/0}}" != "$HOME" ] && [ "$1" = hook ] && exit 2\n'
    assert probed(place, lacking().replace('mkdir -p "$HOME/.symposium"\ncase', f"{once}\ncase")) == ALL


def leaves(trial: Trial, word: str) -> None:
    """What a whole session with a version that lacks this leaves, where it differs from a whole trial's."""
    match word:
        case "reload_skills":
            unknown(trial)
        case "installs":
            unknown(trial)
            trial.collected["installed"] = {}
            trial.files["symposium.log"] = "\n".join(BEGINNING.split("\n")[:-2]) + "\n" + logged(0)
        case "events" | "plugin_hooks":
            trial.files |= {"evidence/hooks.jsonl": "", "symposium.log": BEGINNING}
        case "commands":  # the client finds no such program
            unknown(trial)
            trial.client_ran("SessionStart", "Stop", exit_code=127)
            trial.files = {"symposium.log": BEGINNING.partition("\n")[0] + "\n"}
            trial.collected |= {"installed": {}, "sync_records": [], "missing": ["hook-trace.jsonl"]}
        case "marker":
            trial.collected["installed"][SKILL]["marker"] = False
        case "trace":
            del trial.files["hook-trace.jsonl"]
        case "sync_record":
            trial.collected["sync_records"] = []
        case "hook_exits":
            trial.files["symposium.log"] = BEGINNING
        case "log":
            del trial.files["symposium.log"]


def unknown(trial: Trial) -> None:
    """The client did not list the skill, and refused to load it."""
    trial.observation["listed"][SKILL] = False
    trial.observation["loads"][SKILL] = {"load": "attempted", "evidence": None}


INSTALLED, USED, FAIL, UNCLEAR = f"{SKILL}.installed", f"{SKILL}.used", "fail", "inconclusive"
OFF: dict[str, dict[str, str]] = {  # what is then judged otherwise than in a trial in which all holds
    "clean_output": {},
    "relative_scripts": {},  # plugins are adapted on copy
    "reload_skills": {USED: FAIL},
    "installs": {INSTALLED: FAIL, USED: FAIL},  # absent is absent, marked or not
    "events": {HOOK: FAIL},
    "plugin_hooks": {HOOK: FAIL},
    "marker": {INSTALLED: UNCLEAR},
    "trace": {"session_start": UNCLEAR},
    "sync_record": {"sync_recorded": UNCLEAR},
    "hook_exits": {HOOK: UNCLEAR},
    "log": {HOOK: UNCLEAR, "sync_recorded": UNCLEAR},
    "commands": {INSTALLED: FAIL, USED: FAIL, HOOK: FAIL, "session_start": UNCLEAR, "sync_recorded": UNCLEAR},
}
NO_SETUP = {  # the checks before launch that fail: the trial is a set-up failure, and no session is judged
    "init": ["init", "plugins_listed", "hooks_registered"],
    "registry": ["config_kept", "plugins_listed"],
    "manifests": ["plugins_listed"],
}


def test_S05_every_capability_has_its_verdict_here() -> None:
    assert sorted([*OFF, *NO_SETUP]) == sorted({*ABLE} - {"client"})


@pytest.mark.parametrize("word", OFF)
def test_S05_a_capability_that_is_off_is_judged_exactly_so(place: Path, tmp_path: Path, word: str) -> None:
    trial = Trial(tmp_path)
    assert trial.stage
    trial.stage["capabilities"] = probed(place, lacking(word))
    leaves(trial, word)
    assert verdicts(trial.judged()) == {**GOOD, **OFF[word]}


def failed_before_launch(place: Path, program: str) -> list[str]:
    """The checks that fail when that program is set up, with a plugin as the probes have it."""
    run, evals = Run(place / "trial", place / "control"), place / "evals"
    skill = evals / "plugins/probe/skills/probe/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: probe\ndescription: Use when probing.\n---\n")
    (evals / "plugins/probe/SYMPOSIUM.toml").write_text(
        'name = "probe"\ndepends-on = ["*"]\n\n[[skills]]\nsource.path = "skills"\n'
    )
    (place / "cargo-agents").write_text(program)
    (place / "cargo-agents").chmod(0o755)
    folders.make(run)
    stage = {"symposium": {"path": str(place / "cargo-agents")}}
    before = Before(run, {"plugins": ["probe"]}, stage, clients.load("claude"), "claude", evals)
    symposium.populate(before)
    env = {"HOME": str(run.home), "PATH": f"{run.bin}:/usr/bin:/bin"}
    said = []
    for argv in symposium.commands(before):
        words = [str(run.bin / argv[0]), *argv[1:]]
        done = subprocess.run(
            words,
            cwd=run.project,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        said.append(Said(argv, done.returncode, done.stdout, done.stderr))
    return [check.name for check in symposium.checks(before, said) if not check.passed]


@pytest.mark.parametrize(("word", "failed"), [("", []), *NO_SETUP.items()])
def test_S05_without_this_no_trial_is_started(place: Path, word: str, failed: list[str]) -> None:
    assert failed_before_launch(place, lacking(word)) == failed


@pytest.mark.real
def test_S05_the_pinned_release_is_as_it_is_known(tools: Tools) -> None:
    argv = [sys.executable, str(ROOT / "scripts/capabilities.py"), str(tools.cargo_agents)]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    answers = json.loads(said)
    assert answers == {**ABLE, "reload_skills": False, "relative_scripts": False}


def test_S05_the_answers_fit_the_schema(place: Path) -> None:
    stage = documents.read(Path(__file__).with_name("expect") / "stage.json", "stage/1")
    stage["capabilities"] = probed(place, lacking())
    documents.check(stage, "stage/1", "stage.json")
