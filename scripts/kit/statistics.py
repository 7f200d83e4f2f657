"""What counts as small as these can show, and what they cannot.

Pure functions of counts; nothing here knows a trial or a task. The test is Boschloo's, by scipy, imported
only when two configurations are compared. The interval of a rate is Wilson's, that of a difference
Newcombe's: a few lines each, held against scipy and published values by tests; kit/exact.py has the others.
Trials of different tasks are never pooled: the unit is then the task, and nothing here does that.
A wrong number is this module's fault.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Interval = tuple[float, float]

Z = 1.959963984540054  # of the normal distribution, for 95 %
ALPHA = 0.05
LARGE = 200  # eligible trials in a configuration


@dataclass(frozen=True)
class Arm:
    """One configuration: how many of its eligible trials succeeded."""

    succeeded: int
    eligible: int

    @property
    def rate(self) -> float | None:
        return self.succeeded / self.eligible if self.eligible else None

    @property
    def failed(self) -> int:
        return self.eligible - self.succeeded

    def __str__(self) -> str:
        return f"{self.succeeded} of {self.eligible}"


def wilson(arm: Arm) -> Interval | None:
    """The 95 % interval of a rate; None with no trial. It holds on average over the rates, not at each."""
    n = arm.eligible
    if not n:
        return None
    p = arm.succeeded / n
    spread = 1 + Z * Z / n
    centre = (p + Z * Z / (2 * n)) / spread
    half = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / spread
    low = 0.0 if arm.succeeded == 0 else max(0.0, centre - half)  # exactly the end, not 1e-17 beside it
    high = 1.0 if arm.succeeded == n else min(1.0, centre + half)
    return low, high


def newcombe(treatment: Arm, control: Arm) -> Interval | None:
    """The 95 % interval of the difference treatment minus control (Newcombe 1998, method 10)."""
    with_, without = wilson(treatment), wilson(control)
    if with_ is None or without is None:
        return None
    p1, p2 = treatment.succeeded / treatment.eligible, control.succeeded / control.eligible
    low = p1 - p2 - math.hypot(p1 - with_[0], without[1] - p2)
    high = p1 - p2 + math.hypot(with_[1] - p1, p2 - without[0])
    return max(-1.0, low), min(1.0, high)


def test_name(treatment: Arm, control: Arm) -> str:
    """Boschloo's test; its cost grows with the square of the trials, so for very many it is Fisher's."""
    return "Fisher" if max(treatment.eligible, control.eligible) > LARGE else "Boschloo"


@functools.cache
def exact_test(treatment: Arm, control: Arm) -> float | None:
    """Two-sided p of the test that test_name names; None with no trial on a side."""
    if not treatment.eligible or not control.eligible:
        return None
    if test_name(treatment, control) == "Boschloo":
        return boschloo(treatment, control)
    import numpy as np
    from scipy.stats import fisher_exact

    table = np.array([[treatment.succeeded, control.succeeded], [treatment.failed, control.failed]])
    return float(fisher_exact(table).pvalue)


@functools.cache
def boschloo(treatment: Arm, control: Arm) -> float | None:
    """Two-sided p of Boschloo's exact test; None with no trial on a side."""
    if not treatment.eligible or not control.eligible:
        return None
    from scipy.stats import boschloo_exact  # half a second: only where two configurations are compared

    # scipy takes the arms as columns; with arms as rows it answers another question
    table = [[treatment.succeeded, control.succeeded], [treatment.failed, control.failed]]
    p = float(boschloo_exact(table).pvalue)
    return 1.0 if math.isnan(p) else min(1.0, p)  # nan: all alike, which is no evidence at all


def pass_at_k(arm: Arm, k: int) -> float | None:
    """The chance that at least one of k of these trials succeeded; None when there are fewer than k."""
    if k > arm.eligible:
        return None
    return 1 - math.comb(arm.failed, k) / math.comb(arm.eligible, k)


def pass_hat_k(arm: Arm, k: int) -> float | None:
    """The chance that all of k of these trials succeeded; None when there are fewer than k."""
    if k > arm.eligible:
        return None
    return math.comb(arm.succeeded, k) / math.comb(arm.eligible, k)


def rate_interval(arm: Arm, conservative: bool = False) -> Interval | None:
    """95 % of a rate: Wilson's, or Clopper and Pearson's, which hold at every rate."""
    from kit import exact

    return exact.clopper_pearson(arm) if conservative else wilson(arm)


def difference_interval(treatment: Arm, control: Arm, conservative: bool = False) -> Interval | None:
    """95 % of treatment minus control: Newcombe's, or the exact one of kit/exact.py."""
    from kit import exact

    return exact.difference(treatment, control) if conservative else newcombe(treatment, control)


def effect(treatment: Arm, control: Arm, conservative: bool = False) -> Literal["helps", "hurts"] | None:
    """What may be claimed: both the test and the interval must say so. None: nothing."""
    interval = difference_interval(treatment, control, conservative)
    if interval is None or interval[0] <= 0 <= interval[1]:
        return None  # without the test, which takes longer
    p = exact_test(treatment, control)
    return None if p is None or p > ALPHA else "helps" if interval[0] > 0 else "hurts"


def rate_sentence(name: str, arm: Arm, conservative: bool = False) -> str:
    interval = rate_interval(arm, conservative)
    if interval is None:
        return f"{name}: no eligible trial, so there is no rate"
    rate, exact = arm.succeeded / arm.eligible, "exact " if conservative else ""
    return (
        f"{name}: {arm} eligible trials succeeded (rate {rate:.2f}, {exact}95 % interval {_span(interval)})"
    )


def verdict_sentence(treatment: tuple[str, Arm], control: tuple[str, Arm], conservative: bool = False) -> str:
    """What the difference in the primary measure shows, never more than the test and the interval allow."""
    (with_name, with_), (without_name, without) = treatment, control
    interval, p = difference_interval(with_, without, conservative), exact_test(with_, without)
    if interval is None or p is None:
        empty = [name for name, arm in (treatment, control) if not arm.eligible]
        return f"Cannot tell: no eligible trial in {' and '.join(empty)}."
    difference = with_.succeeded / with_.eligible - without.succeeded / without.eligible
    numbers = (
        f"{with_name} {with_}, {without_name} {without}: difference in success rate {difference:+.2f},"
        f" {'exact ' if conservative else ''}95 % interval {_span(interval, '+')},"
        f" p = {p:.3g} ({test_name(with_, without)})"
    )
    if claim := effect(with_, without, conservative):
        return f"{with_name} {claim} on this task. {numbers}."
    n = with_.eligible
    help_ = effect(Arm(n, n), without, conservative)
    if not help_ and not effect(Arm(0, n), without, conservative):
        return f"Cannot tell: no result of this many trials could have shown a difference. {numbers}."
    limit = "" if help_ else f" (help could not have been shown: {without_name} leaves too little room)"
    beyond = f"no difference beyond {max(-interval[0], interval[1]):.2f} either way fits these trials"
    return f"No evidence of a difference, which is not evidence of none{limit}; {beyond}. {numbers}."


def _span(interval: Iterable[float], sign: str = "") -> str:
    low, high = (format(end + 0.0, f"{sign}.2f") for end in interval)
    return f"{low} to {high}"
