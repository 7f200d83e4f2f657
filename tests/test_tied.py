"""kit.tied and kit.leftovers: what is started ends with whoever started it, and a crash is tidied up after
(I10, L02; fault 53)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from kit import leftovers, tied, uids
from kit.contract import Stop

SCRIPTS = Path(tied.__file__).parents[1]
HEAD = (
    f"import sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
    "from pathlib import Path\nimport os, subprocess, time\n"
)
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says when a stranger ends")


def program(text: str) -> list[str]:
    return [sys.executable, "-c", HEAD + text]


def soon(met: Callable[[], bool], secs: float = 10) -> bool:
    until = time.monotonic() + secs
    while not met() and time.monotonic() < until:
        time.sleep(0.02)
    return met()


FOLLOWER = "from kit import tied; tied.follow(); Path({pid!r}).write_text(str(os.getpid())); time.sleep(60)"


def chain(tmp_path: Path, length: int) -> str:
    """A program that starts a program that starts ...; each follows, and leaves its number."""
    text = FOLLOWER.format(pid=str(tmp_path / "0"))
    for number in range(1, length):
        text = (
            f"from kit import tied; tied.follow(); Path({str(tmp_path / str(number))!r})"
            f".write_text(str(os.getpid())); subprocess.run({program(text)!r})"
        )
    return text


@LINUX
@pytest.mark.parametrize("killed", [1, 2, 3])
def test_I10_whoever_of_the_starters_is_killed_everything_below_ends(tmp_path: Path, killed: int) -> None:
    """As make, nox, batch and trial; kill -9, so that the killed one can do nothing about it."""
    with subprocess.Popen(program(chain(tmp_path, 4))):
        numbers = [tmp_path / str(number) for number in range(4)]
        assert soon(lambda: all(file.exists() and file.read_text() for file in numbers))
        each = [psutil.Process(int(file.read_text())) for file in numbers]
        assert all(tied.identity(process.pid) for process in each)
        each[killed].kill()
        below = each[:killed]
        ended = soon(lambda: not any(tied.identity(process.pid) for process in below))
        above = [process for process in each[killed + 1 :] if process.is_running()]
        for process in each:
            if process.is_running():
                process.kill()
    assert ended
    assert above == each[killed + 1 :] or killed < 3  # the one above went on to its own end


@LINUX
def test_a_starter_that_is_gone_already_or_another_process_by_now_ends_us_at_once(tmp_path: Path) -> None:
    with subprocess.Popen(SLEEP) as other:
        wrong = f"{other.pid}:1"  # its number, another start
        env = {**os.environ, tied.VARIABLE: wrong}
        done = subprocess.run(
            program("from kit import tied; tied.follow(); time.sleep(60)"), env=env, timeout=20
        )
        other.kill()
    assert done.returncode == -signal.SIGTERM


@LINUX
def test_a_living_starter_leaves_us_alone() -> None:
    text = "from kit import tied; tied.follow(); time.sleep(0.5); print('done')"
    done = subprocess.run(program(text), env=tied.environment(), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n")


def test_a_zombie_is_gone() -> None:
    with subprocess.Popen(["true"]) as child:
        assert soon(lambda: tied.identity(child.pid) is None)


# What a crash leaves

OWNER = (
    "from kit import leftovers, process\n"
    "with leftovers.owned(Path({root!r}), 'cut', [Path({run!r})]):\n"
    "    Path({run!r}, 'inner').mkdir(parents=True)\n"
    "    command = process.Command(['sh', '-c', {script!r}], dict(PATH='/usr/bin:/bin'), Path({root!r}))\n"
    "    out, err = Path({root!r}, 'o'), Path({root!r}, 'e')\n"
    "    process.run(command, stdout=out, stderr=err, deadline_secs=60, cap_bytes=9)\n"
)
STUBBORN = (
    "trap '' TERM HUP; echo $$ > {pid}; (trap '' TERM HUP; while :; do sleep 0.2; done) & kill -STOP $$; wait"
)


def cut(tmp_path: Path) -> tuple[Path, int]:
    """A runner, killed while a stubborn command of it ran, without any namespace; the command's number."""
    root, pid = tmp_path / "root", tmp_path / "pid"
    root.mkdir()
    script = STUBBORN.format(pid=pid)
    text = OWNER.format(root=str(root), run=str(tmp_path / "run"), script=script)
    with subprocess.Popen(program(text)) as runner:
        assert soon(lambda: pid.exists() and bool(pid.read_text().strip()))
        time.sleep(0.2)
        assert leftovers.reap(root) == []  # its owner lives
        assert (tmp_path / "run/inner").exists()
        runner.kill()
    return root, int(pid.read_text())


@LINUX
def test_fault_53_the_next_start_ends_what_a_crash_left_and_removes_its_folders(tmp_path: Path) -> None:
    root, pid = cut(tmp_path)
    assert psutil.pid_exists(pid), "nothing was left, so nothing is proved"
    session = [p.pid for p in psutil.process_iter() if os.getsid(p.pid) == pid]
    assert len(session) >= 2
    said = leftovers.reap(root)
    assert any(f"ended {pid} " in line for line in said)
    assert any("removed" in line and line.endswith("run") for line in said)
    assert not any(tied.identity(one) for one in session)
    assert not (tmp_path / "run").exists()
    assert leftovers.reap(root) == []


@LINUX
def test_a_strangers_process_with_a_recorded_number_is_left_alone(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with subprocess.Popen(SLEEP, start_new_session=True) as stranger:
        record = {"owner": "1:1", "boot": leftovers.boot(), "folders": []}
        (leftovers.place(root) / "old.json").write_text(f"{json.dumps(record)}\n{stranger.pid}:1\n")
        assert leftovers.reap(root) == []
        assert stranger.poll() is None
        stranger.kill()


@LINUX
def test_after_a_reboot_folders_go_and_numbers_mean_nothing(tmp_path: Path) -> None:
    root, run = tmp_path / "root", tmp_path / "run"
    run.mkdir()
    with subprocess.Popen(SLEEP, start_new_session=True) as stranger:
        name = tied.identity(stranger.pid)
        record = {"owner": tied.identity(os.getpid()), "boot": "another", "folders": [str(run)]}
        (leftovers.place(root) / "old.json").write_text(f"{json.dumps(record)}\n{name}\n")
        said = leftovers.reap(root)
        assert stranger.poll() is None
        stranger.kill()
    assert said == [f"old: removed {run}"]
    assert not run.exists()


def test_a_record_goes_when_its_folders_are_gone_and_stays_while_one_is_there(tmp_path: Path) -> None:
    root, run = tmp_path / "root", tmp_path / "run"
    with leftovers.owned(root, "kept", [run]):
        run.mkdir()
    assert [file.name for file in (root / leftovers.FOLDER).iterdir()] == ["kept.json"]
    run.rmdir()
    with leftovers.owned(root, "kept", [run]):
        run.mkdir()
        run.rmdir()
    assert list((root / leftovers.FOLDER).iterdir()) == []


def test_records_that_others_can_write_are_not_believed(tmp_path: Path) -> None:
    """They name folders that are removed."""
    folder = tmp_path / leftovers.FOLDER
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(Stop, match="others can write there"):
        leftovers.reap(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives uids")
def test_what_runs_under_the_uid_of_a_cut_runner_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uids, "LOCKS", tmp_path / "uids")
    uid = 61950
    text = f"from kit import uids; uids.LOCKS = Path({str(tmp_path / 'uids')!r}); uids.claim({uid}, {uid})"
    subprocess.run(program(text + "; os._exit(9)"), check=False)
    with subprocess.Popen(["sleep", "60"], user=uid) as left:
        assert {process.pid for process in uids.left()} == {left.pid}
        said = leftovers.reap(tmp_path / "root")
        assert left.wait(10) == -signal.SIGKILL
    assert len(said) == 1
    assert leftovers.reap(tmp_path / "root") == []
    with subprocess.Popen(
        ["sleep", "60"], user=uid
    ) as later:  # the claim is settled: this one is a stranger's
        assert uids.left() == set()
        later.kill()
    assert uids.claim(uid, uid) == uid
    with subprocess.Popen(["sleep", "60"], user=uid) as ours:
        assert uids.left() == set()  # a live claim
        ours.kill()
    uids.release(uid)
