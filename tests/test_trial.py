"""trial.py: a stall ends at its deadline in every mode, and a runner without root gives whole trials
(I03, I04, I10, L02; faults 1, 4)."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

import trial
from kit import family, process, programs, uids
from kit.contract import Exit
from kit.tools import Tools
from unprivileged import nobody

ROOT = Path(__file__).resolve().parents[1]
UIDS = (62850, 62859)
STALL = """\
says: The model never finishes its answer.
deadlines_secs: {agent: 8}
expect:
  with-symposium: {outcome: failed, execution: timeout}
turns:
  - stall
"""
Call = Callable[..., str]  # a script and its arguments -> the last line that it printed


@dataclass
class Runner:
    """Somebody who runs batches, and the places that they may use."""

    call: Call
    root: Path
    evals: Path

    def batch(self, rehearsal: str, *flags: str) -> tuple[Path, Path]:
        """A batch of one trial, run; its trial's record, and where it ran."""
        where = ["--eval-root", self.root / "root", "--results", self.root / "results", "--evals", self.evals]
        range_ = ["--uids", f"{UIDS[0]}-{UIDS[1]}"]
        folder = Path(self.call("plan", "formatting", "--rehearse", rehearsal, *where, *range_, *flags))
        self.call("batch", folder, "--no-preflight")
        plan = json.loads((folder / "batch.json").read_text())
        return folder / plan["order"][0], Path(plan["paths"]["work"])


def evals(into: Path) -> Path:
    """Ours, with a model that stalls."""
    shutil.copytree(ROOT / "evals", into, ignore=shutil.ignore_patterns("target"))
    (into / "tasks/formatting/rehearsals/stall.yaml").write_text(STALL)
    return into


@pytest.fixture(scope="module", params=["root", "user"])
def runner(request: pytest.FixtureRequest, tools: Tools) -> Iterator[Runner]:
    with contextlib.ExitStack() as stack:
        if os.geteuid() != 0 or request.param == "root":
            if request.param == "root" and os.geteuid() != 0:
                pytest.skip("not root here")
            base = "/var/lib" if os.geteuid() == 0 else "/var/tmp"
            root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agent-eval-", dir=base)))
            root.chmod(0o755)
            yield Runner(programs.run, root, evals(root / "evals"))
            return
        user = stack.enter_context(nobody(tools))

        def call(*argv: str | Path) -> str:
            done = user.run(*argv)
            assert done.returncode == 0, done.stderr[-2000:]
            return done.stdout.strip().rpartition("\n")[2]

        yield Runner(call, user.root / "home", evals(user.root / "evals"))


def document(folder: Path, name: str) -> Any:
    return json.loads((folder / f"{name}.json").read_text())


def nothing_alive(work: Path) -> None:
    """By what it was started with, and by uid: not by anything that the runner recorded."""
    there = [p.info["cmdline"] for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"]]
    assert not [line for line in there if str(work) in " ".join(line)]
    assert not [uid for uid in range(UIDS[0], UIDS[1] + 1) if family.of_uid(uid)]


@pytest.mark.real
@pytest.mark.parametrize("reads", ["allow-list", "deny-list"])
def test_I10_a_model_that_stalls_ends_as_a_timeout_and_nothing_lives_on(runner: Runner, reads: str) -> None:
    folder, work = runner.batch("stall", "--reads", reads)
    nothing_alive(work)
    execution, result = document(folder, "execution"), document(folder, "result")
    assert (execution["ended_by"], execution["survivors"]) == ("deadline", [])
    assert "the answer stalls" in (folder / "exchanges.jsonl").read_text(), (
        "nothing was asked, so nothing stalled"
    )
    assert 8 <= execution["elapsed_secs"] < 8 + process.GRACE_SECS + process.KILLING_SECS
    assert (result["outcome"], result["execution"]) == ("failed", "timeout")
    assert result["code"]["build"] == "pass"  # graded all the same
    assert result["isolation"]["reads"] == reads
    assert not work.exists()


@pytest.mark.real
def test_I04_a_user_without_root_runs_a_whole_trial(runner: Runner) -> None:
    if runner.call is programs.run and os.geteuid() == 0:
        pytest.skip("the runner is root")
    folder, work = runner.batch("oracle")
    nothing_alive(work)
    result = document(folder, "result")
    assert (result["outcome"], result["success"]) == ("succeeded", "pass"), result["reason"]
    assert document(folder, "setup")["uid"] is None


# Without the real parts


def test_a_folder_that_is_no_trial_is_refused(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, trial.__file__, tmp_path], capture_output=True, text=True)
    assert done.returncode == 66
    assert "no planned trial" in done.stderr


def test_uids_are_given_back_even_when_a_step_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of many trials in one process would run out of them."""
    if os.geteuid() != 0:
        pytest.skip("only root gives uids")
    monkeypatch.setattr(uids, "LOCKS", tmp_path / "uids")
    paths = {name: str(tmp_path / name) for name in (*trial.SCRATCH, "eval_root")}
    plan = {"batch": "b", "trial_name": "t", "keep_run": False, "paths": paths}

    def broken(_: Path) -> Exit:
        uids.claim(*UIDS)
        raise RuntimeError("a step that cannot be imported")

    monkeypatch.setattr(trial, "run", broken)
    with pytest.raises(RuntimeError):
        trial.whole(tmp_path, plan)
    assert not uids.holding()
