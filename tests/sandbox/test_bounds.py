"""A trial that wants all memory or all processes harms itself alone. The bounds here are small."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import bounds
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
def test_who_wants_more_memory_than_the_bound_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run([], sys.executable, "-c", HOG).stdout == "had it\n", "nothing else on this machine forbids it"
    monkeypatch.setattr(bounds, "memory", lambda: SMALL)
    ended = run(bounds.words(UID), sys.executable, "-c", HOG)
    assert (ended.returncode, ended.stdout) == (-9, "")


@bounded_here
def test_who_wants_more_processes_than_the_bound_does_not_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    fork = (
        "import os\nfor n in range(40):\n    if os.fork() == 0: os.read(0, 1); os._exit(0)\nprint('had them')"
    )
    assert "had them" in run([], sys.executable, "-c", fork).stdout
    monkeypatch.setattr(bounds, "PROCESSES", 20)
    ended = run(bounds.words(UID), sys.executable, "-c", fork)
    assert "Resource temporarily unavailable" in ended.stderr
    assert "had them" not in ended.stdout


@bounded_here
def test_a_group_goes_with_the_process_that_made_it_and_a_left_one_is_used_again() -> None:
    program = f"from kit import bounds; print(*bounds.made({UID + 1}))"
    env = {**os.environ, "PYTHONPATH": str(Path(bounds.__file__).parents[1])}
    argv = [sys.executable, "-c", program]
    said = subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stdout.split()
    assert len(said) == 2
    assert not [group for group in said if Path(group).exists()]
    Path(said[0]).mkdir()
    try:
        subprocess.run(argv, env=env, capture_output=True, check=True)
        assert (Path(said[0]) / "cgroup.procs").exists(), "not its own to remove"
    finally:
        Path(said[0]).rmdir()


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
