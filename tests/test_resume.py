"""Interrupting and resuming a batch (R04): nothing lost, nothing run twice, nothing counted twice.

Every signal goes to real processes; on the real parts also Ctrl-C on a terminal, at each moment of a batch.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import launch
import left_behind
import rungs
from batch_running import Place, alive, content, document, outcomes, program, scratch, until
from batches import closing, restaging, standing
from kit import process
from kit.contract import Exit, Folder, Stop
from kit.tools import Tools
from standin_tools import machine

FAST = ("--no-preflight", "--stop-after", "0")
PLENTY_SECS = 15.0  # "within seconds": the agent's grace is two


@pytest.fixture
def standin() -> Iterator[Place]:
    """On a machine of stand-ins: every trial ends in about a second, in a set-up failure."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        yield Place(root, machine(root / "machine").variables)


@pytest.fixture(scope="module")
def done() -> Iterator[Path]:
    """A finished batch of two trials, to be copied."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        place = Place(root, machine(root / "machine").variables)
        batch = place.plan("formatting", "--trials", "2")
        place.call("batch", batch, *FAST)
        yield batch


@pytest.fixture(scope="module")
def real(tools: Tools) -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        yield Place(root, {"AGENT_EVAL_TOOLS": str(tools.home)})


def resume(place: Place, batch: Path) -> str:
    done = place.call("batch", batch, "--resume", *FAST)
    assert done.returncode in (Exit.OK, Exit.NO), done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def in_one_place(batch: Path) -> None:
    """Every planned trial is counted exactly once, and nothing of the batch is left."""
    plan, counts = document(batch / "batch.json"), document(batch / "benchmark.json")["configurations"]
    assert sorted(outcomes(batch)) == sorted(plan["order"])
    for counted in counts.values():
        assert counted["missing"] == []
        ends = ("setup_failures", "cancelled", "succeeded", "failed", "inconclusive")
        assert counted["planned"] == plan["trials"] == sum(counted[end] for end in ends)
    assert list(scratch(batch)) == []
    assert alive(batch) == []


# --- killed, and resumed


def test_R04_a_killed_batch_runs_exactly_what_never_started(standin: Place) -> None:
    """The second was cut while it was set up: its client never started, so it is prepared anew."""
    batch = standin.plan("formatting", "--trials", "3")
    running = standin.start(batch, *FAST)
    until(lambda: (batch / "trial-2-with-symposium/task.json").exists(), running=running)
    running.kill()
    running.communicate()
    finished = content(batch / "trial-1-with-symposium")
    said = resume(standin, batch)
    assert content(batch / "trial-1-with-symposium") == finished
    assert set(outcomes(batch).values()) == {"setup_failure"}
    assert re.search(r" 1 finished, 0 cut, 2 to run| 2 finished, 0 cut, 1 to run", said), said
    in_one_place(batch)


STOPPED = {  # what was left of a trial -> where it stands
    "planned": "never",
    "killed in prepare": "never",
    "interrupted in prepare": "never",
    "prepared": "never",
    "launch began": "cut",
    "launched": "cut",
    "graded": "cut",
    "set-up failed": "cut",
    "a check before launch failed": "cut",
}


@pytest.mark.parametrize("stopped", STOPPED)
def test_R04_a_trial_has_started_once_its_client_may_have_been(tmp_path: Path, stopped: str) -> None:
    ended = {"planned": None, "launched": "launch", "graded": "grade"}
    trial = left_behind.Trial(tmp_path, until=ended.get(stopped, "prepare"))
    plan = {"batch": left_behind.TRIAL["batch"], "order": [trial.folder.name]}
    match stopped:
        case "killed in prepare":
            trial.killed("prepare")
        case "interrupted in prepare":
            trial.failed("prepare", "interrupted", "interrupted")
        case "launch began":
            (trial.folder / "transcript.jsonl").touch()
        case "set-up failed":
            trial.failed("prepare", "unavailable", "cargo-agents init: killed")
        case "a check before launch failed":
            check = {"name": "init", "passed": False, "detail": "killed"}
            trial.change("setup.json", checks=[check])
            (trial.folder / "receipts/prepare.json").unlink()
    found = standing.look(tmp_path, plan)
    assert getattr(found, STOPPED[stopped]) == plan["order"], found


def test_R04_a_trial_that_is_prepared_anew_finds_nothing_of_its_first_preparation(tmp_path: Path) -> None:
    trial = left_behind.Trial(tmp_path, until="prepare")
    run = tmp_path / "run"
    (run / "project").mkdir(parents=True)
    trial.change("trial.json", paths={**left_behind.TRIAL["paths"], "run": str(run)})
    for name in ("srt.json", "exchanges.jsonl"):
        (trial.folder / name).touch()
    closing.forget(trial.folder)
    assert {file.name for file in trial.folder.rglob("*") if file.is_file()} == {"trial.json"}
    assert not run.exists()


def test_R04_without_resume_a_batch_that_ran_is_left_alone(standin: Place, done: Path) -> None:
    batch = Path(shutil.copytree(done, standin.root / "results/batch"))
    before = content(batch)
    said = standin.call("batch", batch, *FAST)
    assert said.returncode == Exit.EXISTS
    assert "--resume runs those that never started; a rerun is a new batch" in said.stderr
    assert content(batch) == before


def test_R04_resuming_a_finished_batch_only_counts_again(standin: Place, done: Path) -> None:
    batch = Path(shutil.copytree(done, standin.root / "results/batch"))
    before = content(batch / "trial-1-with-symposium")
    assert "every trial has been run" in resume(standin, batch)
    assert content(batch / "trial-1-with-symposium") == before


def test_R04_what_an_interrupt_cancelled_before_it_started_is_run(standin: Place) -> None:
    batch = standin.plan("formatting", "--trials", "2")
    running = standin.start(batch, *FAST)
    until(lambda: (batch / "trial-1-with-symposium/task.json").exists(), running=running)
    running.terminate()
    said, _ = running.communicate(timeout=PLENTY_SECS)
    assert running.returncode == Exit.INTERRUPTED, said
    assert list(outcomes(batch).values())[1:] == ["cancelled"]
    in_one_place(batch)
    assert re.search(r" [12] to run", resume(standin, batch))
    assert list(outcomes(batch).values()) == ["setup_failure"] * 2
    in_one_place(batch)


def test_R04_interrupted_while_it_stages_it_still_counts_and_reports(standin: Place) -> None:
    """Staging that hangs: a client whose --version never answers."""
    batch = standin.plan("formatting", "--trials", "2")
    client = next((standin.root / "machine/tools").rglob("claude"))
    client.write_text("#!/bin/sh\nexec /usr/bin/env PATH=/usr/bin:/bin sleep 50\n")
    running = standin.start(batch, *FAST)
    until(lambda: "sleep 50" in "".join(alive(batch)), running=running)
    began = time.monotonic()
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=PLENTY_SECS)
    assert running.returncode == Exit.INTERRUPTED, said
    assert time.monotonic() - began < PLENTY_SECS
    assert set(outcomes(batch).values()) == {"cancelled"}
    assert (batch / "report.md").exists()
    in_one_place(batch)


def test_R04_interrupted_while_it_counts_it_still_reports(standin: Place) -> None:
    batch = standin.plan("formatting", "--trials", "1")
    running = standin.start(batch, *FAST)
    until(lambda: (batch / "trial-1-with-symposium/result.json").exists(), running=running)
    running.terminate()
    said, _ = running.communicate(timeout=PLENTY_SECS)
    assert running.returncode == Exit.INTERRUPTED, said
    assert list(outcomes(batch).values()) == ["setup_failure"]
    assert (batch / "report.md").exists()
    in_one_place(batch)


# --- what cannot be trusted


def test_46_a_torn_result_is_named_and_made_again_from_the_record(standin: Place, done: Path) -> None:
    batch = Path(shutil.copytree(done, standin.root / "results/batch"))
    file = batch / "trial-1-with-symposium/result.json"
    whole = file.read_text()
    file.write_text(whole[:40])
    said = resume(standin, batch)
    assert str(file) in said
    assert document(file) == json.loads(whole)
    assert file.with_name("result.json.unreadable").read_text() == whole[:40]
    in_one_place(batch)


@pytest.mark.parametrize("torn", ["", "[]", '{"schema": "result/1"}', "\0\0\0"])
def test_46_whatever_is_no_result_counts_as_torn(tmp_path: Path, done: Path, torn: str) -> None:
    batch = Path(shutil.copytree(done, tmp_path / "batch"))
    (batch / "trial-2-with-symposium/result.json").write_text(torn)
    found = standing.look(batch, document(batch / "batch.json"))
    assert (found.finished, found.cut) == (["trial-1-with-symposium"], ["trial-2-with-symposium"])
    assert list(found.torn) == found.cut


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("result of a newer version", "is a result/2, and this version reads result/1"),
        ("result of another trial", "its trial is 'trial-2-with-symposium'"),
        ("a stranger", "trial-9-with-symposium: is no trial of this batch"),
        ("trial of another batch", "is trial-1-with-symposium of the batch another"),
        ("torn trial", "trial.json: not JSON"),
        ("no trial", "trial.json: missing, though batch.json plans it"),
    ],
)
def test_46_what_is_not_this_batchs_is_refused_by_name(
    tmp_path: Path, done: Path, change: str, says: str
) -> None:
    batch = Path(shutil.copytree(done, tmp_path / "batch"))
    one, two = (batch / f"trial-{n}-with-symposium" for n in (1, 2))
    plan, trial = document(batch / "batch.json"), (one / "trial.json").read_text()
    match change:
        case "result of a newer version":
            text = (one / "result.json").read_text().replace('"result/1"', '"result/2"')
            (one / "result.json").write_text(text)
        case "result of another trial":
            shutil.copyfile(two / "result.json", one / "result.json")
        case "a stranger":
            shutil.copytree(one, batch / "trial-9-with-symposium")
        case "trial of another batch":
            (one / "trial.json").write_text(trial.replace(plan["batch"], "another"))
        case "torn trial":
            (one / "trial.json").write_text(trial[:50])
        case "no trial":
            (one / "trial.json").unlink()
    with pytest.raises(Stop) as refused:
        standing.look(batch, plan)
    assert refused.value.code is Exit.BAD_INPUT
    assert says in str(refused.value)


def test_46_what_is_not_this_batchs_ends_the_resuming_and_nothing_is_touched(
    standin: Place, done: Path
) -> None:
    batch = Path(shutil.copytree(done, standin.root / "results/batch"))
    shutil.copytree(batch / "trial-1-with-symposium", batch / "trial-9-with-symposium")
    before = content(batch)
    said = standin.call("batch", batch, "--resume", *FAST)
    assert said.returncode == Exit.BAD_INPUT, said.stderr
    assert said.stderr.count("\n") == 1
    assert content(batch) == before


# --- the batch's own tools


def cut_short(place: Place) -> Path:
    """A batch of two, of which the second never started."""
    batch = place.plan("formatting", "--trials", "2")
    running = place.start(batch, *FAST)
    until(lambda: (batch / "trial-1-with-symposium/task.json").exists(), running=running)
    running.terminate()
    running.communicate(timeout=PLENTY_SECS)
    return batch


def test_S02_newer_tools_on_the_machine_change_nothing_for_a_batch(standin: Place) -> None:
    batch = cut_short(standin)
    staged = document(batch / "stage.json")
    client = next((standin.root / "machine/tools").rglob("claude"))
    client.write_text(client.read_text().replace("2.1.300", "2.1.301"))
    resume(standin, batch)
    assert document(batch / "stage.json") == staged
    assert outcomes(batch)["trial-2-with-symposium"] == "setup_failure"


def test_S02_other_tools_end_the_resuming_and_nothing_is_lost(
    standin: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in turn, on one batch: bytes that changed, tools that are gone, another toolchain or package."""
    batch = cut_short(standin)
    for name, value in standin.env.items():
        monkeypatch.setenv(name, value)
    plan, staged = document(batch / "batch.json"), document(batch / "stage.json")
    client = standin.eval_root / "store" / staged["client"]["sha256"] / "content"
    cargo, ripgrep = standin.root / "machine/toolchain/bin/cargo", standin.root / "machine/bin/rg"
    changes = {
        (client, "2.1.300", "2.1.666"): "not the client 2.1.300 of this batch any more",
        (cargo, "1.95.0", "1.96.0"): "cargo: is cargo 1.96.0, and was cargo 1.95.0",
        (ripgrep, "13.0.0", "14.0.0"): "ripgrep: is ripgrep 14.0.0, and was ripgrep 13.0.0",
    }
    for (file, old, new), says in changes.items():
        whole, mode = file.read_text(), file.stat().st_mode
        file.chmod(0o755)
        file.write_text(whole.replace(old, new))
        with pytest.raises(Stop, match=re.escape(says)) as refused:
            restaging.again(plan, staged, print)
        assert refused.value.code is Exit.UNAVAILABLE
        file.write_text(whole)
        file.chmod(mode)
    client.rename(client.with_name("away"))
    before = content(batch)
    done = standin.call("batch", batch, "--resume", *FAST)
    assert done.returncode == Exit.UNAVAILABLE, done.stderr
    assert done.stderr.strip().endswith(
        "not the client 2.1.300 of this batch any more; a rerun is a new batch"
    )
    assert content(batch) == before
    client.with_name("away").rename(client)
    restaging.again(plan, staged, print)
    assert Path(staged["client"]["path"]).read_bytes() == client.read_bytes()


# --- at each moment, on the real parts


def ctrl_c(place: Place, batch: Path, when: Callable[[], object], *args: str) -> tuple[int, float, str]:
    """Run it on a terminal and type ^C once `when` holds: exit code, seconds until the end, the screen."""
    argv = program("batch", batch, "--resume", *args)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, argv, {**place.environment, "TERM": "xterm"})
    said, typed, limit = b"", 0.0, time.monotonic() + 90
    while time.monotonic() < limit:
        if not typed and when():
            os.write(terminal, b"\x03")
            typed = time.monotonic()
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                said += os.read(terminal, 1 << 16)
            except OSError:
                break  # its last process has closed it
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), time.monotonic() - typed, said.decode(errors="replace")


@pytest.mark.real
def test_R04_ctrl_c_at_each_moment_ends_a_batch_in_seconds_with_everything_counted(real: Place) -> None:
    """One batch, interrupted while its tools are staged, probed, a trial prepared, launched and graded."""
    batch = real.plan("store-durability", "--trials", "2", "--rehearse", "flush")
    order = document(batch / "batch.json")["order"]
    first, second = (batch / name for name in order[:2])
    work = Path(document(batch / "batch.json")["paths"]["work"])
    seen: dict[Path, dict[str, bytes]] = {}
    moments: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
        "staging": (lambda: (work / "tools").exists(), ()),
        "preflight": (lambda: list(work.glob("probes-*/project")), ()),
        "prepare": (lambda: (first / "task.json").exists(), ("--no-preflight",)),
        "launch": (lambda: spoken(first), ("--no-preflight",)),
        "grade": (lambda: (second / "observation.json").exists(), ("--no-preflight",)),
    }
    for moment, (when, args) in moments.items():
        code, secs, said = ctrl_c(real, batch, when, *args)
        assert code == Exit.INTERRUPTED, (moment, said)
        assert secs < PLENTY_SECS, (moment, said)
        assert "Traceback" not in said, (moment, said)
        assert "interrupted: the rest is cancelled" in said, (moment, said)
        assert all(content(trial) == held for trial, held in seen.items()), moment
        in_one_place(batch)
        assert not work.exists()
        seen = {batch / n: content(batch / n) for n in order if standing.started(batch / n)}
    assert len(seen) == 2
    assert (first / "submission/Cargo.toml").exists()  # what is left is kept
    assert (second / "submission/src/lib.rs").exists()
    reasons = [document(trial / "result.json")["reason"] for trial in (first, second)]
    assert [reason.partition(":")[0].split()[0] for reason in reasons] == ["cut"] * 2, reasons
    resume(real, batch)
    assert list(outcomes(batch).values()) == ["cancelled"] * 2 + ["succeeded"] * 2
    in_one_place(batch)


@pytest.mark.real
def test_R04_what_a_session_had_done_when_everything_was_killed_is_kept(real: Place) -> None:
    """As in a power cut: batch, trial, sandbox and client at once."""
    batch = real.plan("formatting", "--trials", "1")
    trial = batch / "trial-1-with-symposium"
    running = real.start(batch, *FAST)
    until(lambda: spoken(trial), running=running)
    for pid in every_descendant(running.pid):
        with contextlib.suppress(ProcessLookupError):  # it went with one that was killed before it
            os.kill(pid, signal.SIGKILL)
    running.communicate()
    resume(real, batch)
    assert outcomes(batch) == {trial.name: "cancelled"}
    assert "the runner ended before launch had finished" in document(trial / "result.json")["reason"]
    assert (trial / "submission/Cargo.toml").exists()
    assert document(trial / "seal.json")["complete"] is True
    in_one_place(batch)


@pytest.mark.real
def test_R04_killed_at_any_early_instant_a_trial_is_run_unless_its_client_had_started(real: Place) -> None:
    """One trial, cut within its first seconds: either its client has left a record, or it is run."""
    dice, ends = random.Random(), set()
    for _ in range(5):
        batch = real.plan("formatting", "--trials", "1")
        trial, running, after = batch / "trial-1-with-symposium", real.start(batch, *FAST), dice.random() * 2
        until(lambda trial=trial: (trial / "task.json").exists(), running=running)  # type: ignore[misc]
        time.sleep(after)
        for pid in every_descendant(running.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        running.communicate()
        spent = (trial / "transcript.jsonl").exists()
        resume(real, batch)
        ends.add((spent, outcomes(batch)[trial.name]))
        in_one_place(batch)
    assert ends <= {(True, "cancelled"), (False, "succeeded")}, ends


def spoken(trial: Path) -> bool:
    """The client has said something."""
    transcript = trial / "transcript.jsonl"
    return transcript.exists() and transcript.stat().st_size > 0


def every_descendant(pid: int) -> list[int]:
    top = psutil.Process(pid)
    return [pid, *(child.pid for child in top.children(recursive=True))]


def test_R04_a_client_is_started_only_once_its_trial_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = left_behind.Trial(tmp_path, until="prepare")
    trial.change("setup.json", uid=None)
    marked: list[bool] = []

    class Rung:
        wrap = staticmethod(lambda *_: None)

    def run(*_: object, **__: object) -> None:
        marked.append(standing.started(trial.folder))
        raise KeyboardInterrupt

    monkeypatch.setattr(rungs, "load", lambda _: Rung)
    monkeypatch.setattr(launch, "source", lambda *_: None)
    monkeypatch.setattr(launch, "Gateway", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(process, "run", run)
    launch.STEP.execute(launch.run, Folder(trial.folder, launch.STEP))
    assert marked == [True]
