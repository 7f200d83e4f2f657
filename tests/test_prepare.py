"""prepare: runs made by the real srt, cargo-agents and staging, in both configurations, and refusals."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clients
import prepare
import rungs
import setups
import stage
from kit import canaries, documents, process
from kit.contract import Exit, Folder
from kit.layout import WRITABLE, Run
from kit.tools import Tools

Document = dict[str, Any]
ROOT = Path(__file__).parents[1]
ENVIRONMENT = {"HOME", "PATH", "TMPDIR", "CARGO_HOME", "EVAL_EVIDENCE_DIR", "SYMPOSIUM_HOOK_TRACE", "LANG"}
KEY = "sk-ant-not-a-key-but-looked-for"
real = pytest.mark.real


@pytest.fixture(scope="module")
def planned(tools: Tools) -> Iterator[Path]:
    """A staged batch of store-durability, where trials' uids can pass (pytest closes its own folders)."""
    with tempfile.TemporaryDirectory(prefix="agent-eval-test-", dir="/var/tmp") as folder:
        where = Path(folder)
        where.chmod(0o755)
        argv = ["store-durability", "--trials", "1", "--results", str(where / "results")]
        argv = [sys.executable, str(ROOT / "scripts/plan.py"), *argv, "--eval-root", str(where)]
        said = subprocess.run(argv, capture_output=True, text=True, check=True)
        batch = Path(said.stdout.splitlines()[-1])
        assert stage.STEP.execute(stage.run, Folder(batch, stage.STEP)) is Exit.OK
        yield batch


class Prepared:
    """One trial of the planned batch, with run and control folders of its own."""

    def __init__(self, planned: Path, name: str, scratch: Path) -> None:
        self.folder = next(planned.glob(f"trial-1-{name}"))
        self.plan = documents.read(self.folder / "trial.json", "trial/1")
        self.stage = documents.read(planned / "stage.json", "stage/1")
        self.run = Run(Path(self.plan["paths"]["run"]), Path(self.plan["paths"]["control"]))
        self.scratch = scratch

    def code(self) -> Exit:
        return prepare.STEP.execute(prepare.run, Folder(self.folder, prepare.STEP))

    def replan(self, **changes: Any) -> None:
        documents.write(self.folder / "trial.json", "trial/1", {**self.plan, **changes})

    @property
    def setup(self) -> Document:
        return documents.read(self.folder / "setup.json", "setup/1")

    def failed(self) -> dict[str, str]:
        return {check["name"]: check["detail"] for check in self.setup["checks"] if not check["passed"]}

    def inside(self, *argv: str) -> str:
        """What a command prints in the prepared sandbox, as the trial's uid."""
        rung, box = rungs.load(self.plan["rung"]), rungs.trial_box(self.plan, self.stage, self.setup["uid"])
        command = rung.wrap(box, self.stage, argv, self.run.project, self.setup["environment"])
        out, err = self.scratch / "out", self.scratch / "err"
        process.run(command, stdout=out, stderr=err, deadline_secs=60, cap_bytes=1 << 20)
        return out.read_text()

    def clean(self) -> None:
        for folder in (self.run.root, self.run.control):
            shutil.rmtree(folder, ignore_errors=True)
        for name in ("setup.json", "task.json", "srt.json", "receipts/prepare.json"):
            (self.folder / name).unlink(missing_ok=True)
        self.replan()


@pytest.fixture
def baseline(planned: Path, tmp_path: Path) -> Iterator[Prepared]:
    trial = Prepared(planned, "without-symposium", tmp_path)
    yield trial
    trial.clean()


@pytest.fixture
def treated(planned: Path, tmp_path: Path) -> Iterator[Prepared]:
    trial = Prepared(planned, "with-symposium", tmp_path)
    yield trial
    trial.clean()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@real
def test_P01_a_baseline_holds_what_every_trial_holds_and_nothing_of_symposium(baseline: Prepared) -> None:
    assert baseline.code() is Exit.OK
    run, setup = baseline.run, baseline.setup
    assert names(run.root) == {*WRITABLE, "bin", "fixtures", f"canary-{canaries.of(baseline.plan)}"}
    assert "canary" not in baseline.inside("sh", "-c", f"ls -a {run.root}; exit 0")
    assert names(run.bin) == {"claude", "sh"}
    assert names(run.home) == set()
    assert names(run.project) == {"Cargo.toml", "Cargo.lock", "src"}
    assert (run.bin / "claude").resolve() == Path(baseline.stage["client"]["path"]).resolve()
    assert setup["plugins"] == {}
    assert setup["recording"] == []
    assert baseline.failed() == {}
    kept = {check["name"] for check in setup["checks"]}
    assert {"skill_folder_empty", "symposium_unreachable", "no_symposium_home", "no_symposium_entry"} < kept
    assert (baseline.folder / "srt.json").read_bytes() == run.policy.read_bytes()


@real
def test_P01_fixtures_are_read_only_in_a_trial(baseline: Prepared) -> None:
    assert baseline.code() is Exit.OK
    source = baseline.run.fixtures / "fixture-store/src/lib.rs"
    assert source.read_bytes() == (ROOT / "evals/fixtures/fixture-store/src/lib.rs").read_bytes()
    said = baseline.inside(
        "sh", "-c", f"echo x >> {source}; echo x > {source.parent}/new.rs; cat {source} | tail -1"
    )
    assert said.strip() != "x"
    assert names(source.parent) == {"lib.rs"}


@real
def test_P02_the_environment_is_exactly_the_documented_one(
    baseline: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("SYMPOSIUM_HOME", "/elsewhere")
    assert baseline.code() is Exit.OK
    env = baseline.setup["environment"]
    assert set(env) == ENVIRONMENT
    inside = dict(line.partition("=")[::2] for line in baseline.inside("env").splitlines() if "=" in line)
    assert {name: inside[name] for name in ENVIRONMENT} == env
    assert not {
        name for name in inside if "KEY" in name or name.startswith(("SYMPOSIUM_HOME", "XDG_", "RUST"))
    }


@real
def test_P03_the_path_is_bin_then_toolchain_then_system(baseline: Prepared) -> None:
    assert baseline.code() is Exit.OK
    toolchain = rungs.toolchain(baseline.stage)
    assert baseline.setup["environment"]["PATH"] == f"{baseline.run.bin}:{toolchain}/bin:/usr/bin:/bin"
    said = baseline.inside(
        "sh", "-c", "command -v claude cargo; command -v cargo; cargo --version"
    ).splitlines()
    assert f"{toolchain}/bin/cargo" in said
    assert said[-1] == baseline.stage["toolchain"]["cargo"]


@real
def test_P04_symposium_is_set_up_inside_as_the_trials_uid_and_never_syncs(treated: Prepared) -> None:
    assert treated.code() is Exit.OK
    run, setup = treated.run, treated.setup
    assert treated.failed() == {}
    planted = f"canary-{canaries.of(treated.plan)}"
    assert names(run.root) == {*WRITABLE, "bin", "fixtures", "registry", planted}
    assert names(run.bin) == {"claude", "sh", "cargo-agents"}
    assert set(setup["snapshot"]) == {"home/.claude/settings.json", "home/.symposium/config.toml"}
    assert not (run.project / ".claude").exists()
    assert not list(run.home.rglob("state.json"))
    owner = os.getuid() if setup["uid"] is None else setup["uid"]
    assert {path.stat().st_uid for path in run.home.rglob("*")} == {owner}
    assert sorted(setup["plugins"]["fixture-store"]) == [
        "SYMPOSIUM.toml",
        "Symposium.toml",
        "skills/fixture-store/SKILL.md",
    ]


@real
def test_P04_the_registry_is_not_the_agents_to_change(treated: Prepared) -> None:
    assert treated.code() is Exit.OK
    manifest = treated.run.registry / "fixture-store/SYMPOSIUM.toml"
    treated.inside(
        "sh", "-c", f"echo x > {manifest}; rm {manifest}; ln -sf /bin/true {treated.run.bin}/cargo-agents"
    )
    assert b"depends-on" in manifest.read_bytes()
    assert str((treated.run.bin / "cargo-agents").readlink()) == treated.stage["symposium"]["path"]


@real
def test_E05_two_preparations_take_the_same_snapshot(treated: Prepared) -> None:
    """Or no change of configuration between two trials could ever be compared."""
    assert treated.code() is Exit.OK
    first = treated.setup
    treated.clean()
    assert treated.code() is Exit.OK
    assert documents.stable(treated.setup, "setup/1") == documents.stable(first, "setup/1")


@real
def test_P06_another_trial_does_not_get_in(baseline: Prepared, treated: Prepared) -> None:
    assert baseline.code() is Exit.OK
    assert treated.code() is Exit.OK
    for there in (treated.run.root, treated.run.control, treated.folder):
        assert there.is_dir()
        assert baseline.inside("sh", "-c", f"ls {there} {there}/* 2>/dev/null; true") == ""
    if os.geteuid() == 0:
        assert baseline.setup["uid"] != treated.setup["uid"]
        assert stat.S_IMODE(treated.run.root.stat().st_mode) == 0o750
        assert treated.run.root.stat().st_gid == treated.setup["uid"]


@real
def test_L04_no_key_is_kept(treated: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert treated.code() is Exit.OK
    places = [
        path for place in (treated.run.root, treated.run.control, treated.folder) for path in place.rglob("*")
    ]
    assert [path for path in places if path.is_file() and KEY.encode() in path.read_bytes()] == []


@real
def test_I09_the_task_says_which_canaries_to_look_for(baseline: Prepared) -> None:
    assert baseline.code() is Exit.OK
    canaries = documents.read(baseline.folder / "task.json", "task/1")["canaries"]
    hidden = (ROOT / "evals/tasks/store-durability/checks/settings_persist.rs").read_text()
    assert len(canaries) == 1
    assert canaries[0] in hidden


@real
def test_P05_a_failed_check_is_written_down_and_stops_here(
    baseline: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clients.load("claude"), "MANAGED", (tmp_path,))
    assert baseline.code() is Exit.UNAVAILABLE
    assert baseline.failed() == {"managed_settings_absent": f"{tmp_path}: there; remove it"}
    assert str(tmp_path) in capsys.readouterr().err


@real
def test_P05_a_setup_that_overruns_its_deadline_is_cut_and_says_so(treated: Prepared) -> None:
    treated.replan(deadlines_secs={**treated.plan["deadlines_secs"], "setup": 0.05})
    assert treated.code() is Exit.UNAVAILABLE
    assert {"init", "in_time"} <= set(treated.failed())
    assert "killed" in treated.failed()["init"]


@real
def test_P06_a_run_that_was_begun_is_never_taken_up_again(baseline: Prepared) -> None:
    baseline.run.root.mkdir(parents=True)
    (baseline.run.root / "left").write_text("x")
    assert baseline.code() is Exit.EXISTS
    assert names(baseline.run.root) == {"left"}
    assert not (baseline.folder / "setup.json").exists()


@real
def test_an_unknown_task_is_refused_by_name(baseline: Prepared, capsys: pytest.CaptureFixture[str]) -> None:
    baseline.replan(task="store-durabilty")
    assert baseline.code() is Exit.USAGE
    assert "store-durability" in capsys.readouterr().err


def test_every_setup_that_a_plan_can_name_is_there() -> None:
    assert all(setups.load(name) for name in ("baseline", "direct", "symposium"))


def test_P04_each_command_of_the_setup_is_told_apart_and_a_killed_one_has_no_status() -> None:
    commands = [["a"], ["b"], ["c"]]
    out = "one\nw 0\ntwo without end of linew 3\nthree"
    err = "w 0\nwarning\nw 3\n"
    said = list(prepare.apart(commands, "w", out, err))
    assert [(s.exit, s.stdout, s.stderr) for s in said] == [
        (0, "one\n", ""),
        (3, "two without end of line", "warning\n"),
        (None, "three", ""),
    ]
    assert [s.exit for s in prepare.apart(commands, "w", "", "")] == [None, None, None]
