"""The benchmark of our intervals notices an interval that is too narrow and a test that is too eager."""

from __future__ import annotations

import pytest

import calibrate
from kit import statistics
from kit.statistics import Arm, Interval


def test_O06_the_published_coverage_at_five_trials() -> None:
    """Wilson: mean .955, worst .833. Newcombe: worst .878. Boschloo: .0215 at most."""
    rate, difference, test = calibrate.rate(5), calibrate.difference(5), calibrate.false_positives(5)
    assert (rate.good, difference.good, test.good) == (True, True, True)
    assert (rate.mean, rate.worst) == pytest.approx((0.955, 0.833), abs=2e-3)
    assert difference.worst == pytest.approx(0.878, abs=2e-3)
    assert test.worst == pytest.approx(0.0215, abs=5e-4)


def test_O06_a_wald_interval_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def wald(arm: Arm) -> Interval:
        p = arm.succeeded / arm.eligible
        half = statistics.Z * (p * (1 - p) / arm.eligible) ** 0.5
        return p - half, p + half

    monkeypatch.setattr(statistics, "wilson", wald)
    assert not calibrate.rate(5).good
    assert not calibrate.difference(5).good


def test_O06_a_test_that_is_too_eager_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "boschloo", lambda a, b: 0.04 if a.succeeded >= b.succeeded + 2 else 1.0)
    assert not calibrate.false_positives(5).good
