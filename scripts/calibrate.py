#!/usr/bin/env python3
"""How honest are the intervals and the tests that we print?

By exact enumeration: for every true rate of a grid, the chance that an interval holds it (coverage), and for
two configurations that are the same, the chance of p <= .05 (false positives). Over tasks by simulation, with
the assumptions printed. A benchmark: it prints a table, and exits 1 when a mean is below 94.5 %, an exact
interval anywhere below 95 %, or a false positive rate above 5 %.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from kit import programs  # before what takes long to import: from here on Ctrl-C is one line

# isort: split
import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from kit import exact, statistics, suites
from kit.contract import Exit
from kit.statistics import ALPHA, Arm, Interval

SIZES = (5, 10, 20)
LEAST_MEAN = 0.945
ROUNDING = 1e-9  # of sums of chances
TASKS, EACH = (6, 10, 20), 5  # tasks of a suite; trials of each configuration in each
EXACT_TASKS = 12  # more flips than that take hours for all suites
SUITES = 2000  # simulated; a coverage then has a standard error of .005
LEAST_RESAMPLED = 0.90  # the bootstrap of few tasks is too short; it is shown beside Student's, never alone
ASSUMED = f"""\
Over tasks: {SUITES:,} simulated suites, {EACH} trials of each configuration in each task; the tasks drawn at
random, the control's rate uniform over 0 to 1, the treatment's uniform between that and 1; for false
positives both alike. What must be held is the mean difference over all such tasks, which is .25."""
EFFECT = 0.25  # of a uniform rate p, half of what is left to 1, on average: (1 - p) / 2
SEED = 20_241_130
Rates = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    what: str
    n: int
    mean: float
    worst: float
    at: str
    good: bool

    def __str__(self) -> str:
        numbers = f"{self.n:>3}  {self.mean:.3f}  {self.worst:.3f}  {self.at:<14}"
        return f"{self.what:<44} {numbers} {'ok' if self.good else 'FAIL'}"


def chances(n: int, rates: Rates) -> Rates:
    """[rate, count]: the chance of each count of successes."""
    return np.asarray(binom.pmf(np.arange(n + 1)[None, :], n, rates[:, None]))


def good(covered: Rates, guaranteed: bool) -> bool:
    enough = float(covered.mean()) >= LEAST_MEAN
    return enough and (not guaranteed or float(covered.min()) >= 1 - ALPHA - ROUNDING)


def rate(n: int, name: str, interval: Callable[[Arm], Interval | None], guaranteed: bool) -> Row:
    """Over true rates 0, 0.001 ... 1."""
    rates = np.linspace(0, 1, 1001)
    ends = np.array([interval(Arm(k, n)) for k in range(n + 1)])
    inside = (ends[:, 0] <= rates[:, None] + 1e-12) & (rates[:, None] - 1e-12 <= ends[:, 1])
    covered = (chances(n, rates) * inside).sum(axis=1)
    worst, right = int(covered.argmin()), good(covered, guaranteed)
    mean, at = float(covered.mean()), f"{rates[worst]:.3f}"
    return Row(f"coverage: a rate ({name})", n, mean, float(covered[worst]), at, right)


def difference(n: int, name: str, interval: Callable[[Arm, Arm], Interval | None], guaranteed: bool) -> Row:
    """Over pairs of true rates 0, 0.02 ... 1, and of rates between, whose differences no method tries."""
    rates = np.unique(np.concatenate([np.linspace(0, 1, 51), np.linspace(0, 1, 38)]))
    weights = chances(n, rates)
    covered = np.zeros((len(rates), len(rates)))
    gaps = rates[:, None] - rates[None, :]
    for a, b in product(range(n + 1), repeat=2):
        low, high = interval(Arm(a, n), Arm(b, n)) or (0.0, 0.0)
        holds = (low <= gaps + 1e-12) & (gaps - 1e-12 <= high)
        covered += weights[:, a][:, None] * weights[:, b][None, :] * holds
    one, other = np.unravel_index(int(covered.argmin()), covered.shape)
    mean, at = float(covered.mean()), f"{rates[one]:.2f}, {rates[other]:.2f}"
    right = good(covered, guaranteed)
    return Row(f"coverage: a difference ({name})", n, mean, float(covered.min()), at, right)


def false_positives(n: int) -> Row:
    """Boschloo's test on two configurations that are the same, over common rates 0, 0.01 ... 1."""
    rates = np.linspace(0, 1, 101)
    weights, wrong = chances(n, rates), np.zeros(101)
    for a, b in product(range(n + 1), repeat=2):
        p = statistics.boschloo(Arm(a, n), Arm(b, n))
        if p is not None and p <= ALPHA:
            wrong += weights[:, a] * weights[:, b]
    worst = int(wrong.argmax())
    most, at = float(wrong[worst]), f"{rates[worst]:.2f}"
    return Row("false positives (Boschloo, A/A)", n, float(wrong.mean()), most, at, most <= ALPHA + ROUNDING)


def simulated(tasks: int, count: int, alike: bool, rng: np.random.Generator) -> Rates:
    """[suite, task]: the observed differences."""
    control = rng.uniform(0, 1, (count, tasks))
    treatment = control if alike else rng.uniform(control, 1)
    return np.asarray((rng.binomial(EACH, treatment) - rng.binomial(EACH, control)) / EACH)


def over_tasks(tasks: int) -> Iterator[Row]:
    """The suite's own intervals and test. A simulation's own error is allowed for: three standard errors."""
    rng = np.random.default_rng(SEED + tasks)
    drawn = simulated(tasks, SUITES, False, rng)
    null = simulated(tasks, SUITES, True, rng)
    known = {"Student": [suites.student(list(row)) for row in drawn]}
    if tasks >= suites.BOOTSTRAP_FROM:
        known["BCa"] = [found for row in drawn if (found := suites.bootstrap(list(row)))]
    for name, ends in known.items():
        share = sum(low <= EFFECT <= high for low, high in ends) / len(ends)
        least = LEAST_RESAMPLED if name == "BCa" else LEAST_MEAN
        right = share >= least - 3 * (0.05 * 0.95 / len(ends)) ** 0.5
        yield Row(f"coverage: a mean over tasks ({name})", tasks, share, share, "simulated", right)
    if tasks > EXACT_TASKS:
        return
    wrong = sum(suites.sign_flip(list(row)) <= ALPHA for row in null) / len(null)
    most = ALPHA + 3 * (0.05 * 0.95 / len(null)) ** 0.5
    yield Row("false positives over tasks (sign-flip)", tasks, wrong, wrong, "simulated", wrong <= most)


def rows(sizes: list[int]) -> Iterator[Row]:
    for n in sizes:
        yield rate(n, "Wilson", statistics.wilson, False)
        yield rate(n, "Clopper-Pearson", exact.clopper_pearson, True)
    for n in sizes:
        yield difference(n, "Newcombe", statistics.newcombe, False)
        yield difference(n, "Agresti-Min", exact.difference, True)
    for n in sizes:
        yield false_positives(n)


def main() -> None:
    parser = programs.parser("calibrate", __doc__)
    parser.add_argument("sizes", nargs="*", type=int, metavar="N", help="trials per configuration (5 10 20)")
    parser.add_argument("--no-suites", action="store_true", help="leave the simulation over tasks out")
    args = parser.parse_args()
    print(f"{'':<44}   n   mean  worst  at rate")
    right = True
    for row in rows(args.sizes or [*SIZES]):
        print(row, flush=True)
        right = right and row.good
    if not args.no_suites:
        print(ASSUMED)
        for row in (found for tasks in TASKS for found in over_tasks(tasks)):
            print(row, flush=True)
            right = right and row.good
    sys.exit(Exit.OK if right else Exit.NO)


if __name__ == "__main__":
    main()
