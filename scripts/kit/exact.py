"""Intervals that hold the truth at least 95 times in 100 at every true rate, not only on average.

A rate: Clopper and Pearson (1934). A difference: Agresti and Min (2001), the two-sided exact unconditional
test with the score statistic inverted: a difference is kept when, at the rates that are kindest to it,
results as far away as this one have more than 5 %. Above LARGE trials the enumeration takes too long, and two
Clopper-Pearson intervals, at the level that makes both hold together at 95 %, bound the difference.
Pure functions of counts. calibrate.py proves the coverage by enumeration; an end too far in is a fault here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

from kit.statistics import ALPHA, Arm, Interval

LARGE = 100  # eligible trials in a configuration
STEP = 0.005  # of the differences that are tried; the ends are a step further out
RATES = 150  # of the second configuration, that are tried with each
SAFE = 0.995  # of ALPHA: a maximum over points lies a little below the true one
NEAR = 1e-9  # two statistics that only floats tell apart
Array = Any  # numpy's, which is imported only where it is needed


def clopper_pearson(arm: Arm, alpha: float = ALPHA) -> Interval | None:
    """Of a rate, at level 1 - alpha; None with no trial."""
    from scipy.special import betaincinv

    k, n = arm.succeeded, arm.eligible
    if not n:
        return None
    low = float(betaincinv(k, n - k + 1, alpha / 2)) if k else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - alpha / 2)) if k < n else 1.0
    return low, high


def difference_name(most: int) -> str:
    """The method that `difference` uses with at most so many trials in a configuration."""
    return "Agresti-Min" if most <= LARGE else "two Clopper-Pearson intervals"


@functools.cache
def difference(treatment: Arm, control: Arm) -> Interval | None:
    """Treatment minus control, at least 95 %; None with no trial on a side."""
    if not treatment.eligible or not control.eligible:
        return None
    if max(treatment.eligible, control.eligible) <= LARGE:
        return _agresti_min(treatment, control)
    each = 1 - math.sqrt(1 - ALPHA)  # the arms are independent: both hold with sqrt(.95) squared
    one, other = clopper_pearson(treatment, each), clopper_pearson(control, each)
    assert one
    assert other
    return one[0] - other[1], one[1] - other[0]


def _agresti_min(treatment: Arm, control: Arm) -> Interval:
    kept = [at for at, p in _p_values(treatment, control) if p > SAFE * ALPHA]
    return max(-1.0, round(kept[0] - STEP, 4)), min(1.0, round(kept[-1] + STEP, 4))


def _p_values(treatment: Arm, control: Arm) -> Iterator[tuple[float, float]]:
    """Each difference that is tried, with the p of the test that it is the true one."""
    a, b = treatment.succeeded, control.succeeded
    for at, ones, others, far in _planes(treatment.eligible, control.eligible):
        p = ((ones @ (far >= far[a, b] - NEAR)) * others).sum(axis=1).max()
        yield at, float(p)


@functools.lru_cache(maxsize=1)
def _planes(n: int, m: int) -> list[tuple[float, Array, Array, Array]]:
    """Of each difference: the chances of n's and m's counts at each rate, and how far off each result is."""
    import numpy as np
    from scipy.stats import binom

    a, b = np.arange(n + 1), np.arange(m + 1)
    spread = np.sin(np.linspace(0, math.pi / 2, RATES)) ** 2  # closer near the ends, where p changes fast
    found = []
    for at in np.linspace(-1, 1, round(2 / STEP) + 1):
        low, high = max(0.0, -at), min(1.0, 1.0 - at)
        rates = low + (high - low) * spread
        ones = binom.pmf(a[None, :], n, np.clip(rates + at, 0, 1)[:, None])
        found.append((float(at), ones, binom.pmf(b[None, :], m, rates[:, None]), _score(n, m, float(at))))
    return found


def _score(n: int, m: int, at: float) -> Array:
    """[successes of n, of m]: how many standard errors the observed difference is from `at`.

    The standard error is that of the likeliest rates whose difference is `at` (Mee 1984; the closed form of
    their cubic is Farrington and Manning's, 1990).
    """
    import numpy as np

    p1, p2 = np.meshgrid(np.arange(n + 1) / n, np.arange(m + 1) / m, indexing="ij")
    ratio = m / n
    second = -(1 + ratio + p1 + ratio * p2 + at * (ratio + 2))
    third = at * at + at * (2 * p1 + ratio + 1) + p1 + ratio * p2
    last = -p1 * at * (1 + at)
    a = 1 + ratio
    v = second**3 / (3 * a) ** 3 - second * third / (6 * a * a) + last / (2 * a)
    u = np.sqrt(np.maximum(0, second**2 / (3 * a) ** 2 - third / (3 * a)))
    u = np.where(v < 0, -u, u)
    cosine = np.divide(v, u**3, out=np.zeros_like(v), where=np.abs(u) > NEAR)
    w = (math.pi + np.arccos(np.clip(cosine, -1, 1))) / 3
    one = np.clip(2 * u * np.cos(w) - second / (3 * a), max(0.0, at), min(1.0, 1.0 + at))
    other = np.clip(one - at, 0, 1)
    error = np.sqrt(one * (1 - one) / n + other * (1 - other) / m)
    off = np.abs(p1 - p2 - at)
    return np.where(error > NEAR, off / np.maximum(error, NEAR), np.where(off > NEAR, np.inf, 0.0))
