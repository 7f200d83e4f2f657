"""capabilities: what a cargo-agents does not do is found by trying, and no verdict hides it.

tests/expect/cargo-agents.sh stands in for a cargo-agents that lacks what a test takes away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import capabilities
from expect_trial import ABLE, GOOD, HOOK, SKILL, Trial, verdicts
from kit import documents, trees
from kit.tools import ROOT, Tools
from kit.versions import NOBODY

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
    """A folder that every uid can get to, as a batch's is; pytest closes its own when another one starts."""
    found = Path(tempfile.mkdtemp(prefix="ae-probe-", dir="/var/tmp"))
    found.chmod(0o755)
    yield found
    trees.remove(found)


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


@pytest.mark.parametrize(
    ("word", "judged"),
    [
        ("trace", "session_start"),
        ("sync_record", "sync_recorded"),
        ("marker", f"{SKILL}.installed"),
        ("hook_exits", HOOK),
    ],
)
def test_S05_the_check_that_it_cannot_support_is_inconclusive_and_no_other(
    place: Path, tmp_path: Path, word: str, judged: str
) -> None:
    trial = Trial(tmp_path)
    assert trial.stage
    trial.stage["capabilities"] = probed(place, lacking(word))
    assert verdicts(trial.judged()) == {**GOOD, judged: "inconclusive"}


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
