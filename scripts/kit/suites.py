"""What several tasks show together. The task is the unit: trials of different tasks are never pooled.

Pure functions of per-task differences, treatment minus control. Fewer than six tasks can never reach p <= .05
by the sign-flip test, and the sentence says so. A wrong number is this module's fault.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from kit.statistics import ALPHA, Interval

BOOTSTRAP_FROM = 10  # tasks; below, resampling them says less than it seems to
RESAMPLES = 9_999
SEED = 20_240_229  # a suite counted again comes out alike


@dataclass(frozen=True)
class Suite:
    """The mean of the tasks' differences, how sure it is, and by what."""

    tasks: int
    mean: float | None
    interval: Interval | None  # 95 %, Student's t over tasks; None with fewer than two
    bootstrap: Interval | None  # 95 %, BCa over tasks; None with fewer than ten
    p_value: float | None  # sign-flip permutation test, two-sided, exact up to 20 tasks


def over(differences: Sequence[float]) -> Suite:
    count = len(differences)
    if not count:
        return Suite(0, None, None, None, None)
    mean = fmean(differences)
    if count < 2:
        return Suite(count, mean, None, None, None)
    return Suite(count, mean, student(differences), bootstrap(differences), sign_flip(differences))


def student(differences: Sequence[float]) -> Interval:
    from scipy.stats import t

    half = (
        float(t.ppf(1 - ALPHA / 2, len(differences) - 1)) * stdev(differences) / math.sqrt(len(differences))
    )
    return max(-1.0, fmean(differences) - half), min(1.0, fmean(differences) + half)


def bootstrap(differences: Sequence[float]) -> Interval | None:
    if len(differences) < BOOTSTRAP_FROM or len(set(differences)) == 1:
        return None
    import numpy as np
    from scipy.stats import bootstrap

    found = bootstrap(
        (differences,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(SEED)
    )
    low, high = found.confidence_interval
    return float(low), float(high)


def sign_flip(differences: Sequence[float]) -> float:
    """Were the labels exchangeable within each task, how often would the mean be this far from 0?"""
    import numpy as np
    from scipy.stats import permutation_test

    exact = len(differences) <= 20
    found = permutation_test(
        (np.asarray(differences, dtype=float),),
        np.mean,
        permutation_type="samples",
        n_resamples=2 ** len(differences) if exact else RESAMPLES,
        rng=np.random.default_rng(SEED),
    )
    return float(found.pvalue)


def least_p(tasks: int) -> float:
    """The smallest p that the sign-flip test can give with so many tasks."""
    return float(2.0 / 2**tasks)


def sentence(suite: Suite) -> str:
    """In words, never more than the interval and the test allow."""
    if suite.mean is None:
        return "Cannot tell: no task has both configurations."
    if suite.interval is None or suite.p_value is None:
        return f"One task (difference {suite.mean:+.2f}): nothing can be said beyond that task."
    low, high = suite.interval
    numbers = (
        f"mean difference over {suite.tasks} tasks {suite.mean:+.2f}, 95 % interval {low:+.2f} to {high:+.2f}"
        f" (Student's t over tasks), p = {suite.p_value:.3g} (sign-flip)"
    )
    if least_p(suite.tasks) > ALPHA:
        return f"Cannot tell: fewer than six tasks can never reach p <= .05. {numbers}."
    if suite.p_value <= ALPHA and (low > 0 or high < 0):
        return f"The treatment {'helps' if suite.mean > 0 else 'hurts'} over these tasks. {numbers}."
    return f"No evidence of a difference, which is not evidence of none. {numbers}."
