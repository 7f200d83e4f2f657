"""A trial that wants all memory or all processes harms itself alone. The bounds here are small."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import bounds, leftovers, uids
from kit.tools import Tools
from sandbox.scene import Scene, scene

UID, FIRST = 61890, 61700
SMALL = 300 << 20
HOG = "a = bytearray(500 << 20); print('had it')"
FILES = "for n in 1 2 3; do head -c 150000000 /dev/zero > /dev/shm/$n || exit 1; done; echo had it"
FORKS = "for n in $(seq 300); do sleep 5 & done; wait; echo had it"
bounded_here = pytest.mark.skipif(
    set(bounds.parents()) != {"memory", "pids"}, reason="no control group can be made here"
)


def run(words: list[str], *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*words, *argv], capture_output=True, text=True, timeout=60, check=False)


@bounded_here
def test_who_wants_more_memory_than_the_bound_is_ended(locks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run([], sys.executable, "-c", HOG).stdout == "had it\n", "nothing else on this machine forbids it"
    monkeypatch.setattr(bounds, "memory", lambda: SMALL)
    ended = run(bounds.words(UID), sys.executable, "-c", HOG)
    assert (ended.returncode, ended.stdout) == (-9, "")


@bounded_here
def test_who_wants_more_processes_than_the_bound_does_not_get_them(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = (
        "import os\nfor n in range(40):\n    if os.fork() == 0: os.read(0, 1); os._exit(0)\nprint('had them')"
    )
    assert "had them" in run([], sys.executable, "-c", fork).stdout
    monkeypatch.setattr(bounds, "PROCESSES", 20)
    ended = run(bounds.words(UID), sys.executable, "-c", fork)
    assert "Resource temporarily unavailable" in ended.stderr
    assert "had them" not in ended.stdout


def groups(uid: int) -> list[Path]:
    there = (parent / f"agent-eval-{uid}" for parent, _ in bounds.parents().values())
    return [group for group in there if group.exists()]


def claimed(uid: int) -> int:
    """In a worker: a claim and its groups."""
    uids.claim(uid, uid)
    return len(bounds.made(uid))


def worked(uid: int) -> int:
    made = claimed(uid)
    uids.release(uid)
    return made


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(uids, "LOCKS", tmp_path / "uids")
    yield tmp_path / "uids"
    for uid in (UID, UID + 1, UID + 2):  # a process that is ended may stay the last's, unwaited for
        bounds.remove(uid)


def runner(locks: Path, then: str, uid: int = UID + 1) -> int:
    """A runner with that uid that ends so."""
    program = f"""
import os, signal; from pathlib import Path; from kit import bounds, uids
uids.LOCKS = Path({str(locks)!r})
uids.claim({uid}, {uid}); assert len(bounds.made({uid})) == 2
{then}
"""
    env = {**os.environ, "PYTHONPATH": str(Path(bounds.__file__).parents[1])}
    return subprocess.run([sys.executable, "-c", program], env=env, check=False).returncode


@bounded_here
def test_a_group_goes_with_the_claim_in_a_pools_worker_too(locks: Path) -> None:
    """Such a worker ends without running what is registered for an end."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(worked, [UID + 1]) == [2]
        assert groups(UID + 1) == []
        assert pool.map(claimed, [UID + 1]) == [2], "looked for where it would be"
        assert len(groups(UID + 1)) == 2


@bounded_here
def test_a_runner_that_ends_without_a_release_leaves_no_group(locks: Path) -> None:
    assert runner(locks, "") == 0
    assert groups(UID + 1) == []


@bounded_here
def test_what_a_killed_runner_left_goes_when_it_is_reaped_and_when_its_uid_is_used_again(
    locks: Path, tmp_path: Path
) -> None:
    for ended in (lambda: leftovers.reap(tmp_path), lambda: worked(UID + 1)):
        assert runner(locks, "os.kill(os.getpid(), signal.SIGKILL)") == -9
        assert len(groups(UID + 1)) == 2
        ended()
        assert groups(UID + 1) == []


@bounded_here
def test_reaping_ends_what_is_left_and_then_removes_its_group(locks: Path, tmp_path: Path) -> None:
    """Nothing may be removed while something of the uid lives."""
    stays = (
        f"import subprocess, time; drop = ['setpriv', '--reuid={UID + 2}', '--clear-groups', 'sleep', '60']\n"
        f"subprocess.Popen([*bounds.words({UID + 2}), *drop]); time.sleep(1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert runner(locks, stays, UID + 2) == -9
    assert "sleep" in " ".join(leftovers.reap(tmp_path))
    assert groups(UID + 2) == []


@bounded_here
def test_a_group_is_its_claims_alone(locks: Path) -> None:
    """Another process that ends takes nothing from who holds the uid now."""
    assert claimed(UID + 1) == 2
    env = {**os.environ, "PYTHONPATH": str(Path(bounds.__file__).parents[1])}
    program = f"from kit import bounds, uids; bounds.made({UID + 1})"
    subprocess.run([sys.executable, "-c", program], env=env, check=True)
    assert run(bounds.words(UID + 1), "true").returncode == 0
    assert len(groups(UID + 1)) == 2
    uids.release(UID + 1)


def test_where_a_group_is_made_in_each_form(tmp_path: Path) -> None:
    first = "9:pids:/a\n4:cpu,memory:/a/b\n1:name=systemd:/x\n0::/\n"
    assert bounds.places(first, tmp_path) == {
        "pids": (tmp_path / "pids/a", 0),
        "memory": (tmp_path / "memory/a/b", 0),
    }
    assert bounds.places("0::/user.slice/mine\n", tmp_path) == {}, "nothing is given on to groups there"
    (tmp_path / "user.slice").mkdir()
    (tmp_path / "user.slice/cgroup.subtree_control").write_text("cpu memory pids\n")
    beside = (tmp_path / "user.slice", 1)
    assert bounds.places("0::/user.slice/mine\n", tmp_path) == {"memory": beside, "pids": beside}
    (tmp_path / "cgroup.subtree_control").write_text("memory\n")
    assert bounds.places("0::/\n", tmp_path) == {"memory": (tmp_path, 1)}


def test_a_runner_without_root_bounds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert bounds.words(UID) == []


@pytest.fixture(scope="module")
def place(tools: Tools) -> Iterator[Scene]:
    with scene(tools, "root", FIRST) as made:
        yield made


@bounded_here
@pytest.mark.real
@pytest.mark.parametrize(
    "script", [f'python3 -c "{HOG}"', FILES, FORKS], ids=["memory", "masks", "processes"]
)
def test_a_trial_that_wants_everything_is_ended_and_the_runner_goes_on(
    place: Scene, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = place.box()
    place.prepare(free)
    assert "had it" in place.sh(free, script)[1], "without the bound it gets it"
    monkeypatch.setattr(bounds, "memory", lambda: SMALL)
    monkeypatch.setattr(bounds, "PROCESSES", 150)
    box = place.box()
    place.prepare(box)
    ended, out, err = place.sh(box, script)
    assert "had it" not in out or "Resource temporarily unavailable" in err, (ended, err)
    assert place.sh(free, "echo well")[1] == "well\n", "another trial is not touched"
