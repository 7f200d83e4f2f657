"""scripts/symposium.py: the pinned source is fetched, patched and built once, and again when a patch changes.

The stand-in for cargo gives a source with long empty files in the places that the patches name.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kit import symposium_source
from kit.contract import Stop
from kit.tools import ROOT

PATCHES = sorted((ROOT / "symposium/patches").glob("*.patch"))
PATCHED = sorted(
    {
        line[6:].strip()
        for file in PATCHES
        for line in file.read_text("utf-8").splitlines()
        if line.startswith("+++ ")
    }
)
CARGO = """#!/bin/sh
PATH=$PATH:/usr/bin:/bin
echo "$1" >>"$CALLS"
case $1 in
info) for file in {files}; do
        place=$CARGO_HOME/registry/src/index/symposium-0.5.1/$file
        mkdir -p "$(dirname "$place")"; yes '' | head -3000 >"$place"
      done ;;
build) grep -q reloadSkills src/hook.rs && grep -q Stop src/agents/mod.rs || exit 3
       mkdir -p "$CARGO_TARGET_DIR/debug"; echo patched >"$CARGO_TARGET_DIR/debug/cargo-agents" ;;
*) [ "$FAIL" ] && exit 4 || exit 0 ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """The variables of a machine whose only cargo is the stand-in."""
    for folder in ("bin", "cargo", "tools"):
        (tmp_path / folder).mkdir()
    cargo = tmp_path / "bin/cargo"
    cargo.write_text(CARGO.replace("{files}", " ".join(PATCHED)))
    cargo.chmod(0o755)
    return {
        "PATH": f"{tmp_path}/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "CARGO_HOME": str(tmp_path / "cargo"),
        "AGENT_EVAL_TOOLS": str(tmp_path / "tools"),
        "CALLS": str(tmp_path / "calls"),
    }


def run(machine: dict[str, str], *flags: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, str(ROOT / "scripts/symposium.py"), *flags]
    return subprocess.run(argv, env=machine, capture_output=True, text=True, check=False)


def calls(machine: dict[str, str]) -> list[str]:
    file = Path(machine["CALLS"])
    return file.read_text().split() if file.exists() else []


def test_a_patch_repeats_no_line_of_symposiums() -> None:
    assert [file.stem for file in PATCHES] == ["codex-stop", "reload-skills"]
    for file in PATCHES:
        lines = file.read_text("utf-8").splitlines()
        assert all(re.match(r"\+|@@|--- ", line) for line in lines)


def test_it_is_built_once(machine: dict[str, str]) -> None:
    first, second = run(machine, "--patched"), run(machine, "--patched")
    program = Path(machine["AGENT_EVAL_TOOLS"], "patched/bin/cargo-agents")
    assert first.stdout == second.stdout == f"{program}\n", first.stderr
    assert program.read_text() == "patched\n"
    assert calls(machine) == ["info", "build"]
    assert f"patched: {program}" in run(machine).stdout


def test_a_changed_patch_or_pin_is_built_again(machine: dict[str, str]) -> None:
    run(machine, "--patched")
    stamp = Path(machine["AGENT_EVAL_TOOLS"], "patched/installed.json")
    stamp.write_text(stamp.read_text().replace("0.5.1", "0.5.0"))
    run(machine, "--patched")
    assert calls(machine) == ["info", "build"] * 2


def test_a_build_that_fails_leaves_no_program_and_one_clear_line(machine: dict[str, str]) -> None:
    said = run({**machine, "FAIL": "1"}, "--patched", "--test")
    assert said.returncode == 69
    assert said.stderr.splitlines()[-1].startswith("symposium: cargo test --locked --lib")
    assert list(Path(machine["AGENT_EVAL_TOOLS"]).iterdir()) == []


def test_tests_are_of_the_patched_source(machine: dict[str, str]) -> None:
    assert run(machine, "--test").returncode == 2
    assert run(machine, "--patched", "--test").returncode == 0
    assert calls(machine) == ["info", "test", "build"]


def test_without_cargo_it_says_so(machine: dict[str, str]) -> None:
    Path(machine["HOME"], "bin/cargo").unlink()
    said = run(machine, "--patched")
    assert (said.returncode, said.stderr.splitlines()[-1]) == (69, "symposium: cargo: not found; install it")


def test_S03_staging_builds_the_patched_one_where_it_is_not_there(
    machine: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in machine.items():
        monkeypatch.setenv(name, value)
    planned = {"source": "patched", "path": ""}
    found = symposium_source.find(planned, Path("/nowhere"))
    assert found.program == Path(machine["AGENT_EVAL_TOOLS"], "patched/bin/cargo-agents")
    assert found.program.read_text() == "patched\n"
    assert symposium_source.find(planned, Path("/nowhere")) == found
    assert calls(machine) == ["info", "build"]
    (Path(machine["HOME"]) / "bin/cargo").unlink()
    found.program.unlink()
    with pytest.raises(Stop, match="the patched cargo-agents: not built"):
        symposium_source.find(planned, Path("/nowhere"))
