"""O07: over several tasks the task is the unit, and nothing is claimed beyond the interval and the test."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suite
from kit import documents, suites

RECORDS = Path(__file__).parent / "records"

DIFFERENCE = st.integers(-5, 5).map(lambda k: k / 5)


@pytest.mark.parametrize("tasks", range(2, 9))
def test_O07_all_tasks_alike_give_the_least_p_that_so_many_can(tasks: int) -> None:
    found = suites.over([0.4] * tasks)
    assert found.p_value == pytest.approx(suites.least_p(tasks))


def test_O07_the_sign_flip_test_is_the_enumeration_of_all_flips() -> None:
    differences = [0.6, 0.2, -0.2, 0.4, 0.8, 0.0, 0.2]
    mean = sum(differences)
    flips = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=7)
    ]
    larger = sum(f >= mean - 1e-12 for f in flips) / len(flips)
    smaller = sum(f <= mean + 1e-12 for f in flips) / len(flips)
    assert suites.over(differences).p_value == pytest.approx(min(1.0, 2 * min(larger, smaller)))


def test_O07_the_interval_is_students_over_tasks() -> None:
    """By hand: mean .3, sd .2582, t(3) = 3.1824."""
    found = suites.over([0.0, 0.2, 0.4, 0.6])
    half = 3.182446 * math.sqrt(0.2 / 3) / 2
    assert found.interval == pytest.approx((0.3 - half, 0.3 + half), abs=1e-5)
    assert found.bootstrap is None, "four tasks are too few to resample"


def test_O07_a_suite_counted_again_comes_out_alike() -> None:
    differences = [0.1, 0.3, -0.1, 0.5, 0.2, 0.2, 0.0, 0.4, 0.6, 0.3, 0.1, 0.2]
    assert suites.over(differences) == suites.over(differences)
    assert suites.over(differences).bootstrap is not None


@given(st.lists(DIFFERENCE, max_size=9))
@settings(deadline=None, max_examples=60)
def test_O07_numbers_stay_in_their_ranges_and_swapping_the_roles_negates_them(
    differences: list[float],
) -> None:
    found, swapped = suites.over(differences), suites.over([-d for d in differences])
    if found.mean is None or found.interval is None or found.p_value is None:
        assert len(differences) < 2
        return
    assert -1 <= found.interval[0] <= found.mean + 1e-12
    assert found.mean - 1e-12 <= found.interval[1] <= 1
    assert 0 < found.p_value <= 1
    assert swapped.interval == pytest.approx((-found.interval[1], -found.interval[0]))
    assert swapped.p_value == pytest.approx(found.p_value)


@pytest.mark.parametrize(
    ("differences", "says"),
    [
        ([], "Cannot tell"),
        ([1.0], "One task"),
        ([1.0] * 5, "Cannot tell: fewer than six tasks"),
        ([1.0, 0.8, 0.6, 1.0, 0.8, 1.0], "The treatment helps"),
        ([-1.0, -0.8, -0.6, -1.0, -0.8, -1.0], "The treatment hurts"),
        ([0.4, -0.4, 0.2, -0.2, 0.0, 0.2], "No evidence of a difference"),
    ],
)
def test_O07_the_sentence_claims_no_more_than_the_numbers(differences: list[float], says: str) -> None:
    assert suites.sentence(suites.over(differences)).startswith(says)


def test_W04_the_table_names_each_task_and_can_be_read_in_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two models with long names; three tasks, one of them with a treatment alone."""
    names = {
        "names-reversed": "a-task-with-a-rather-long-name",
        "seed-example": "second",
        "one-rehearsed": "third",
    }
    ran = []
    for model in ("claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805"):
        for record, task in names.items():
            benchmark = documents.read(RECORDS / record / "benchmark.json", "benchmark/1")
            benchmark["model"] = {**benchmark["model"], "name": model}
            ran.append(suite.Cell(task, "claude", RECORDS / record, benchmark))
    compared = list(suite.together(ran, None))
    monkeypatch.setenv("COLUMNS", "80")
    suite.show({"compared": compared, "rehearsed": False, "prices_as_of": None}, ran)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines]
    for one in compared:
        at = next(n for n, line in enumerate(lines) if line.startswith(f"claude, {one['model']}: "))
        mine = rows[at : at + 8]
        assert [row[0] for row in mine if row and row[0] in names.values()] == list(names.values())
        assert ["third", "-", "1", "of", "1", "-"] in mine
        assert one["model"] in [row[0] for row in rows if row], "whole, in one line"
    said = " ".join(" ".join(lines).split())
    assert "api.anthropic.com" in said
    assert "pass rate steps tokens USD p95 s compactions" in said
