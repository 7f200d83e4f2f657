"""batch.py: what it refuses and how, trials side by side, what makes it stop, and what its exit code says."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from batch_running import Place, content, document, outcomes, program, scratch, stable, until
from batches import asking, breaker, room
from batches.asking import Asked
from batches.breaker import Breaker
from batches.room import Machine
from batches.running import Child, Runner
from batches.screen import Screen
from kit.contract import Exit, Stop
from kit.tools import Tools
from standin_tools import machine, script

EVALS = Path(__file__).parents[1] / "evals"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only a root runner has uids to give")


@pytest.fixture
def standin() -> Iterator[Place]:
    """On a machine of stand-ins: all is staged, and every trial ends at once in a set-up failure."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        yield Place(root, machine(root / "machine").variables)


@pytest.fixture(scope="module")
def real(tools: Tools) -> Iterator[Place]:
    """On this machine's real tools, staged once for all tests here."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        yield Place(root, {"AGENT_EVAL_TOOLS": str(tools.home)})


# --- what it refuses: the machine's faults, found at staging


def refused(place: Place, batch: Path, code: Exit, *args: object) -> str:
    """Its last line; nothing was started and nothing lost: the batch can be run again as it is."""
    before = content(batch)
    done = place.call("batch", batch, "--no-preflight", *args)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    kept = {name: held for name, held in content(batch).items() if name != "receipts/stage.json"}
    assert kept == before
    return done.stderr.strip().rpartition("\n")[2]


def test_S04_a_client_that_is_too_old_is_refused_naming_both_versions(standin: Place) -> None:
    batch = standin.plan("formatting")
    client = next((standin.root / "machine/tools").rglob("claude"))
    script(client, "echo '2.0.1 (Claude Code)'")
    said = refused(standin, batch, Exit.UNAVAILABLE)
    assert said == (
        "stage: claude 2.0.1: older than 2.1.197, the oldest that agent-eval drives; run `make tools`"
    )


@pytest.mark.parametrize(
    ("gone", "says"),
    [
        ("machine/tools/node_modules/@anthropic-ai/sandbox-runtime", "sandbox-runtime: not installed; run"),
        ("machine/bin/bwrap", "bwrap: not found; run `"),
        ("machine/toolchain/bin/cargo", "cargo: missing; install Rust"),
    ],
)
def test_W03_what_is_missing_is_named_with_what_to_do(standin: Place, gone: str, says: str) -> None:
    batch = standin.plan("formatting")
    missing = standin.root / gone
    shutil.rmtree(missing) if missing.is_dir() else missing.unlink()
    assert says in refused(standin, batch, Exit.UNAVAILABLE)


@as_root
def test_P01_an_eval_root_that_a_trials_uid_cannot_traverse_is_refused(standin: Place) -> None:
    batch = standin.plan("formatting")
    standin.root.chmod(0o700)
    said = refused(standin, batch, Exit.UNAVAILABLE)
    assert said.startswith(f"stage: {standin.root}: closed to the uids that trials run as; `chmod o+x")


# --- what it refuses: the caller's faults


def test_W03_no_batch_is_said_and_what_to_give(standin: Place, tmp_path: Path) -> None:
    done = standin.call("batch", tmp_path)
    assert done.returncode == Exit.NO_INPUT
    assert done.stderr.startswith(f"batch: {tmp_path}/batch.json: No such file or directory; give a")
    assert done.stderr.count("\n") == 1


def test_R03_a_plan_of_a_newer_version_is_refused_by_name(standin: Place) -> None:
    batch = standin.plan("formatting")
    file = batch / "batch.json"
    file.write_text(file.read_text().replace('"batch/1"', '"batch/2"'))
    assert "is a batch/2, and this version reads batch/1" in refused(standin, batch, Exit.BAD_INPUT)


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("--stop-after", "-1"), Exit.USAGE, "--stop-after -1: at least 0"),
        (("--address", "auto"), Exit.USAGE, "--address auto: is for a cluster; say --engine ray too"),
    ],
)
def test_W03_what_it_cannot_do_it_refuses(
    standin: Place, args: tuple[str, ...], code: Exit, says: str
) -> None:
    assert says in refused(standin, standin.plan("formatting"), code, *args)


def test_W02_a_model_batch_without_its_key_fails_no_trial(standin: Place) -> None:
    with_key = Place(standin.root, {**standin.env, "ANTHROPIC_API_KEY": "a-key"})
    batch = with_key.plan("formatting", "--model", "some-model")
    assert "no key; set ANTHROPIC_API_KEY" in refused(standin, batch, Exit.UNAVAILABLE)


def test_46_two_runners_never_work_on_one_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LOCK_SECS", 0.2)
    said: list[str] = []
    with (
        asking.locked(tmp_path, Asked(), said.append),
        pytest.raises(Stop, match=r"another batch\.py is at work"),
        asking.locked(tmp_path, Asked(), said.append),
    ):
        pass
    assert len(said) == 1
    with asking.locked(tmp_path, Asked(), said.append):
        pass


# --- the circuit breaker


def result(outcome: str = "failed", execution: str | None = "client_error", **more: Any) -> dict[str, Any]:
    body = {"outcome": outcome, "execution": execution, "elapsed_secs": 1.0, "reason": "client error: 529; x"}
    return {**body, **more}


def test_58_three_identical_instant_failures_in_a_row_trip_it() -> None:
    tripped = Breaker(3)
    for number in range(3):
        assert tripped.reason is None
        tripped.note(f"trial-{number}", result(reason=f"client error: busy (request {number}); code"), [])
    assert tripped.reason == "client error: busy (request 2); code"


@pytest.mark.parametrize(
    "between",
    [
        result("succeeded", "completed"),
        result(reason="client error: another"),
        result(elapsed_secs=100.0),
        result("failed", "completed"),
        result("failed", "timeout"),
    ],
)
def test_58_anything_else_between_them_starts_the_row_anew(between: dict[str, Any]) -> None:
    whole = Breaker(3)
    for one in (result(), result(), between, result(), result()):
        whole.note("trial-1", one, [])
    assert whole.reason is None


def test_58_a_model_out_of_reach_counts_however_long_it_took() -> None:
    tripped = Breaker(2)
    for secs in (600.0, 599.0):
        tripped.note("trial-1", result("failed", "timeout", elapsed_secs=secs), ["api_unreachable"])
    assert tripped.reason


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=12), st.integers(0, 4))
def test_58_it_trips_exactly_when_so_many_in_a_row_are_alike(row: list[str | None], limit: int) -> None:
    breaker_ = Breaker(limit)
    for one in row:
        breaker_.note("t", result(reason=one) if one else result("succeeded", "completed"), [])
    runs = [
        row[at : at + limit]
        for at in range(len(row) - limit + 1)
        if limit and set(row[at : at + limit]) != {None}
    ]
    assert bool(breaker_.reason) == any(len(set(run)) == 1 for run in runs)


def test_58_the_place_of_a_trial_does_not_make_a_reason_another() -> None:
    reasons = [f"set-up failed: /run/trial-{n}-with/x 0a{n}f: gone" for n in (1, 2)]
    causes = {
        breaker.cause(f"trial-{n}-with", result("setup_failure", None, reason=reason), [])
        for n, reason in enumerate(reasons, 1)
    }
    assert len(causes) == 1


def test_58_the_batch_stops_says_why_and_the_rest_is_cancelled(standin: Place) -> None:
    batch = standin.plan("formatting", "--trials", "5")
    done = standin.call("batch", batch, "--no-preflight", "-j", "2")
    assert done.returncode == Exit.UNAVAILABLE, done.stderr
    assert "stopped: 3 trials in a row failed at once, alike: " in done.stderr
    ends = Counter(outcomes(batch).values())
    assert ends["setup_failure"] + ends["cancelled"] == 5
    assert ends["setup_failure"] in (3, 4)  # the other side may just have ended, or was cut
    counted = document(batch / "benchmark.json")["configurations"]["with-symposium"]
    assert (counted["planned"], counted["cancelled"]) == (5, ends["cancelled"])
    assert (batch / "report.md").exists()
    assert list(scratch(batch)) == []


def test_58_it_can_be_told_never_to_stop(standin: Place) -> None:
    batch = standin.plan("formatting", "--trials", "3")
    done = standin.call("batch", batch, "--no-preflight", "--stop-after", "0")
    assert done.returncode == Exit.OK, done.stderr
    assert list(outcomes(batch).values()) == ["setup_failure"] * 3
    finished = [line for line in done.stderr.splitlines() if ": setup_failure in " in line]
    assert [line.split()[:2] for line in finished] == [
        [f"{n}/3", f"trial-{n}-with-symposium:"] for n in range(1, 4)
    ]


# --- room for one more


def test_55_one_more_waits_for_memory_processors_and_disk() -> None:
    free = {"/eval": 99_999}
    assert room.crowded(Machine(0.5, 99_999, free), 1) is None
    assert "memory" in str(room.crowded(Machine(0.5, 100, free), 1))
    assert "load" in str(room.crowded(Machine(9.0, 99_999, free), 1))
    assert "/eval: 10 MB free" in str(room.crowded(Machine(0.5, 99_999, {"/eval": 10}), 1))


def test_55_a_wait_for_room_is_said_once_and_ends_with_the_cause(tmp_path: Path) -> None:
    screen, out = drawn()
    reasons: list[str | None] = ["the load is 9.0 per processor", "the load is 8.0 per processor", None]
    runner = Runner(tmp_path, 2, 0, Asked(), Breaker(3), screen, lambda _: reasons.pop(0), lambda: None)
    with subprocess.Popen(["sleep", "100"], stdout=subprocess.DEVNULL) as process:
        runner.children = [Child(tmp_path, process, io.BytesIO())]
        seen = []
        for _ in range(3):
            runner._next_look = 0.0
            seen.append(runner.can_start())
        process.kill()
    assert seen == [False, False, True]
    assert out.getvalue() == "waiting before one more trial: the load is 9.0 per processor\n"


def test_43_a_full_disk_stops_even_the_first() -> None:
    assert room.full(Machine(0.0, 99_999, {"/a": 99_999, "/b": 3})) == "/b: 3 MB free, a trial needs 600"
    assert room.full(Machine(99.0, 0, {"/a": 99_999})) is None


def test_55_the_machine_is_really_looked_at(tmp_path: Path) -> None:
    seen = room.look([tmp_path / "not/made/yet", tmp_path])
    assert seen.memory_mb > 0
    assert len(set(seen.disks_mb.values())) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_43_a_disk_without_room_stops_the_batch_before_a_trial_begins(standin: Place) -> None:
    standin.eval_root.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=50m,mode=755", "tmpfs", str(standin.eval_root)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        batch = standin.plan("formatting", "--trials", "2")
        done = standin.call("batch", batch, "--no-preflight")
    finally:
        subprocess.run(["umount", "-l", standin.eval_root], check=True)
    assert done.returncode == Exit.UNAVAILABLE, done.stderr
    said = "MB free, a trial needs 600; the rest is cancelled; --resume runs what never started"
    assert said in done.stderr
    assert list(outcomes(batch).values()) == ["cancelled"] * 2


# --- what a person sees


def drawn(**more: Any) -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    return Screen(4, console=Console(file=out, width=200, highlight=False, **more)), out


def ended(screen: Screen) -> None:
    body = {"mode": "with-symposium", "outcome": "failed", "reason": "it said \x1b[2Jboo"}
    screen.finished("trial-1-with-symposium", body, 1.25)


def test_W04_a_log_has_one_plain_line_a_trial_and_no_live_line() -> None:
    screen, out = drawn()
    screen.show([("trial-1-with-symposium", 3.0, "launch")])
    ended(screen)
    screen.close()
    assert out.getvalue() == "1/4 trial-1-with-symposium: failed in 1.2 s; it said \\x1b[2Jboo\n"


def test_W04_a_terminal_also_shows_what_runs() -> None:
    screen, out = drawn(force_terminal=True, color_system="standard", _environ={"TERM": "xterm"})
    ended(screen)
    screen.show([("trial-2-with-symposium", 63.0, "grade")])
    screen.close()
    assert "1/4  with-symposium 0/1  ETA 0:" in out.getvalue()
    assert "now trial-2-with-symposium 1:03 grade" in out.getvalue()
    assert "\x1b[31m" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()


def test_W04_NO_COLOR_is_heard() -> None:
    screen, out = drawn(force_terminal=True, _environ={"TERM": "xterm", "NO_COLOR": "1"})
    ended(screen)
    assert "\x1b[31m" not in out.getvalue()


@given(st.lists(st.sampled_from(["succeeded", "failed", "cancelled", "setup_failure"]), max_size=8))
def test_W04_successes_are_counted_among_eligible_trials(ends: list[str]) -> None:
    screen, _ = drawn()
    for outcome in ends:
        screen.count({"mode": "c", "outcome": outcome})
    counted = Counter(ends)
    said = f"c {counted['succeeded']}/{counted['succeeded'] + counted['failed']}"
    assert (said in screen.sentence([])) == bool(ends)


# --- work aside


def test_I10_work_aside_gives_its_answer_and_its_words(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> bool:
        print("no")
        return False

    assert asking.aside(work, Asked(), hold_output=True) is Exit.NO
    assert capfd.readouterr().out == "no\n"


def test_I10_work_aside_that_stops_or_breaks_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    def stop() -> bool:
        raise Stop(Exit.UNAVAILABLE, "x: not there; get it")

    def crash() -> bool:
        raise ZeroDivisionError

    assert asking.aside(stop, Asked(), hold_output=False) is Exit.UNAVAILABLE
    assert capfd.readouterr().err == "batch: x: not there; get it\n"
    assert asking.aside(crash, Asked(), hold_output=False) not in (Exit.OK, Exit.INTERRUPTED)


def test_I10_work_aside_ends_with_all_it_started_when_we_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"

    def work() -> bool:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "100"], start_new_session=True)
        pids.write_text(f"{child.pid}")
        asked_ = time.monotonic() + 100
        while time.monotonic() < asked_:
            time.sleep(0.1)
        return True

    class AskedThen(Asked):
        def __bool__(self) -> bool:
            return pids.exists() and bool(pids.read_text())

    began = time.monotonic()
    monkeypatch.setattr(asking, "GRACE_SECS", 0.3)
    assert asking.aside(work, AskedThen(), hold_output=True) is Exit.INTERRUPTED
    assert time.monotonic() - began < 4
    until(lambda: not Path(f"/proc/{pids.read_text()}/exe").exists(), 5)


# --- side by side, and lost unevenly, on the real parts


@pytest.mark.real
def test_17_two_side_by_side_give_what_one_at_a_time_gives(real: Place) -> None:
    same = ("--trials", "2", "--rehearse", "with:flush,without:no-flush")
    alone, together = (real.plan("store-durability", *same, *jobs) for jobs in ((), ("-j", "2")))
    for batch in (alone, together):
        done = real.call("batch", batch, "--no-preflight")
        assert done.returncode == Exit.OK, done.stderr
        assert done.stderr.count(": succeeded in ") == 2
    assert stable(alone) == stable(together)
    assert len(stable(alone)) > 8
    began = {b: [document(b / n / "execution.json")["started_at"] for n in outcomes(b)] for b in (together,)}
    assert began[together] == sorted(began[together])
    loads = [document(together / name / "execution.json")["load"] for name in outcomes(together)]
    assert all(load["after"] > 0 for load in loads), loads  # of the machine, beside each trial
    assert list(scratch(together)) == []


@pytest.mark.real
def test_O06_a_model_lost_after_one_configuration_does_not_read_as_an_effect(
    real: Place, tmp_path: Path
) -> None:
    evals = tmp_path / "evals"
    shutil.copytree(EVALS, evals, symlinks=True)
    gone = "says: x\nexpect:\n  without-symposium: { outcome: failed }\nturns:\n"
    gone += "  - error: { status: 403, type: permission_error }\n"
    (evals / "tasks/store-durability/rehearsals/gone.yaml").write_text(gone)
    batch = real.plan(
        "store-durability", "--trials", "1", "--rehearse", "with:flush,without:gone", "--evals", evals
    )
    done = real.call("batch", batch, "--no-preflight")
    assert done.returncode == Exit.NO, done.stderr
    assert (
        "not comparable: lost unevenly: client errors (without-symposium 1, with-symposium 0)" in done.stderr
    )
    assert "differ in client errors" in " ".join(document(batch / "benchmark.json")["warnings"])


def test_W03_help_says_every_exit_code() -> None:
    done = subprocess.run(program("batch", "--help"), capture_output=True, text=True, check=True)
    for code in ("0 ", "1 ", "65", "69", "73", "130"):
        assert f"\n       {code}" in done.stdout.replace("exits: 0", "\n       0"), code
