"""kills.py: a hunt that was cut goes on after its last kill; and how it knows that a session had ended."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kills
from hunting import VICTIMS, Kill
from hunting.looking import completed
from kit.contract import Exit, Stop

RECORDED = Path(__file__).parent / "clients/claude/transcripts"


class Hunted:
    """Stands for the real hunt: each kill takes a moment, some trials end before, and then we are cut."""

    def __init__(self, cut_after: int) -> None:
        self.left, self.asked, self.ended = cut_after, 0, False

    def __call__(self, *_: object) -> Hunted:
        return self

    def kill(self, victim: str, after: float) -> Kill | None:
        self.asked += 1
        if self.asked % 3 == 0:
            return None  # the trial had ended
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return Kill(victim, "launch", after, 0.1, 0, "cancelled: cut short", [])

    def end(self) -> None:
        self.ended = True


def asked(record: Path, number: int, seed: int | None = None) -> argparse.Namespace:
    return kills.parser().parse_args(
        ["--kills", str(number), "--record", str(record), "--eval-root", str(record.parent / "root")]
        + (["--seed", str(seed)] if seed is not None else [])
    )


@settings(deadline=None)  # it writes files, on a machine that others use
@given(cut=st.integers(0, 11), seed=st.integers(0, 99))
def test_a_hunt_that_was_cut_goes_on_after_its_last_kill(
    tmp_path_factory: pytest.TempPathFactory, cut: int, seed: int
) -> None:
    record = tmp_path_factory.mktemp("hunt") / "kills.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kills, "Hunt", first := Hunted(cut))
        with pytest.raises(KeyboardInterrupt):
            kills.run(asked(record, 12, seed), record.parent)
        patch.setattr(kills, "Hunt", second := Hunted(99))
        done = kills.run(asked(record, 12), record.parent)
    assert first.ended
    assert second.ended
    assert [kill.victim for kill in done] == kills.victims(seed, 12)
    assert 99 - second.left == 12 - cut  # none of them again
    assert len(record.read_text().splitlines()) == 13


def test_when_the_minutes_are_over_no_kill_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kills, "Hunt", hunted := Hunted(99))
    args = asked(tmp_path / "kills.jsonl", 5)
    args.minutes = 0.0
    assert kills.run(args, tmp_path) == []
    assert hunted.asked == 0


def test_W03_a_record_of_another_hunt_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "kills.jsonl"
    assert kills.recorded(asked(record, 5, 1)) == []
    for other in (asked(record, 6, 1), asked(record, 5, 2)):
        with pytest.raises(Stop, match="give another --record") as refused:
            kills.recorded(other)
        assert refused.value.code is Exit.USAGE


@given(st.integers(1, 99), st.integers(0, 9))
def test_each_kind_of_victim_is_hunted_as_often(number: int, seed: int) -> None:
    counted = Counter(kills.victims(seed, number))
    assert max(counted.values()) - min(counted[name] for name in VICTIMS) <= 1


@pytest.mark.parametrize(
    ("transcript", "ended"),
    [
        ("success_text.jsonl", True),
        ("success_tools.jsonl", True),
        ("killed_kill_midway.jsonl", False),
        ("killed_term_midway.jsonl", False),
        ("drop_midstream.jsonl", True),
        ("max_turns.jsonl", False),
        ("err_401.jsonl", False),
    ],
)
def test_a_session_that_was_killed_had_ended_only_when_it_said_so(
    tmp_path: Path, transcript: str, ended: bool
) -> None:
    text = (RECORDED / transcript).read_text("utf-8")
    (tmp_path / "transcript.jsonl").write_text(text)
    assert completed(tmp_path) is ended
    (tmp_path / "transcript.jsonl").write_text(text.rstrip()[:-1])  # cut within its last line
    assert not completed(tmp_path)
    (tmp_path / "transcript.jsonl").write_text(json.dumps([1]) + "\n")
    assert not completed(tmp_path)
