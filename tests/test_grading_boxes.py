"""The boxes of a grading: fresh folders for each run, and no way to tell which run it is (G05)."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from graders.sandbox import Sandboxes, open_folder
from grading.rungs_for_tests import Open
from kit import trees
from kit.documents import Document
from kit.layout import Run

STAGE: Document = {"toolchain": {"sysroot": "/", "mount": None}}
LOOK = 'echo "$HOME $TMPDIR"; find "$HOME" "$TMPDIR" | sort; touch "$HOME/left" "$TMPDIR/left"'


def boxes(root: Path) -> Sandboxes:
    run = Run(root / "grading", root / "control")
    for folder in (run.root, run.control, run.project):
        open_folder(folder)
    return Sandboxes(Open("for_boxes"), STAGE, run, None, time.monotonic() + 60, "allow-list", ())


def test_G08_a_run_sees_neither_what_an_earlier_one_left_nor_that_there_was_one(tmp_path: Path) -> None:
    bench = boxes(tmp_path)
    project = bench.place.project
    seen = {
        bench.run(["sh", "-c", LOOK], cwd=project, writable=[project], readable=[]).stdout for _ in range(3)
    }
    assert len(seen) == 1
    assert b"left" not in seen.pop()
    assert bench.count == 3


def test_G05_what_cannot_be_removed_is_not_in_the_next_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = boxes(tmp_path)
    project = bench.place.project
    with monkeypatch.context() as patched:
        patched.setattr(trees, "remove", lambda path: f"{path}: not empty")
        first = bench.run(["sh", "-c", LOOK], cwd=project, writable=[project], readable=[]).stdout
    second = bench.run(["sh", "-c", LOOK], cwd=project, writable=[project], readable=[]).stdout
    assert b"left" not in second
    assert first.splitlines()[0] != second.splitlines()[0]


def test_gradings_side_by_side_may_make_the_folder_above_both_at_once(tmp_path: Path) -> None:
    def made(round: int, name: str, together: Barrier) -> Path:
        together.wait()
        return open_folder(tmp_path / f"{round}/a/b/c" / name)

    with ThreadPoolExecutor(2) as pool:
        for round in range(100):
            together = Barrier(2)
            both = [pool.submit(made, round, name, together) for name in ("one", "other")]
            assert [one.result().stat().st_mode & 0o777 for one in both] == [0o755] * 2
