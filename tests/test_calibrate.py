"""The benchmark of our intervals notices an interval that is too narrow and a test that is too eager."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import calibrate
from kit import exact, statistics, suites
from kit.statistics import Arm, Interval


def test_O06_the_published_coverage_at_five_trials() -> None:
    """Wilson: mean .955, worst .833. Newcombe: worst .872. Boschloo: .0215 at most."""
    rate = calibrate.rate(5, "Wilson", statistics.wilson, False)
    difference = calibrate.difference(5, "Newcombe", statistics.newcombe, False)
    test = calibrate.false_positives(5)
    assert (rate.good, difference.good, test.good) == (True, True, True)
    assert (rate.mean, rate.worst) == pytest.approx((0.955, 0.833), abs=2e-3)
    assert difference.worst == pytest.approx(0.872, abs=2e-3)  # .878 where both rates are hundredths
    assert test.worst == pytest.approx(0.0215, abs=5e-4)


@pytest.mark.parametrize("n", [5, 10, 20])
def test_O06_conservative_intervals_hold_at_every_rate(n: int) -> None:
    assert calibrate.rate(n, "Clopper-Pearson", exact.clopper_pearson, True).worst >= 0.95
    assert calibrate.difference(n, "Agresti-Min", exact.difference, True).worst >= 0.95


def test_O06_an_interval_that_holds_only_on_average_is_no_guarantee() -> None:
    assert not calibrate.rate(5, "Wilson", statistics.wilson, True).good
    assert not calibrate.difference(5, "Newcombe", statistics.newcombe, True).good


def wald(arm: Arm) -> Interval:
    p = arm.succeeded / arm.eligible
    half = statistics.Z * (p * (1 - p) / arm.eligible) ** 0.5
    return p - half, p + half


def test_O06_a_wald_interval_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "wilson", wald)  # newcombe's own ends, too
    assert not calibrate.rate(5, "Wald", wald, False).good
    assert not calibrate.difference(5, "Wald", statistics.newcombe, False).good


def test_O07_the_suites_interval_holds_and_a_narrower_one_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (student, flips) = calibrate.over_tasks(6)
    assert student.good
    assert flips.good
    right = suites.student

    def halved(differences: Sequence[float]) -> Interval:
        low, high = right(differences)
        return (3 * low + high) / 4, (low + 3 * high) / 4

    monkeypatch.setattr(suites, "student", halved)
    monkeypatch.setattr(suites, "sign_flip", lambda differences: 0.04)
    assert [row.good for row in calibrate.over_tasks(6)] == [False, False]


def test_O06_a_test_that_is_too_eager_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "boschloo", lambda a, b: 0.04 if a.succeeded >= b.succeeded + 2 else 1.0)
    assert not calibrate.false_positives(5).good
