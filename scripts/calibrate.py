#!/usr/bin/env python3
"""How honest are the intervals and the test that we print? By exact enumeration, not by simulation.

For every true rate of a grid, the chance that the printed interval holds it (coverage), and for two
configurations that are the same, the chance of p <= .05 (false positives). A benchmark: it prints a table,
and exits 1 when a mean is below 94.5 % or a false positive rate above 5 %.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from kit import statistics
from kit.contract import Exit
from kit.statistics import ALPHA, Arm

SIZES = (5, 10, 20)
LEAST_MEAN = 0.945
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
        return f"{self.what:<34} {numbers} {'ok' if self.good else 'FAIL'}"


def chances(n: int, rates: Rates) -> Rates:
    """[rate, count]: the chance of each count of successes."""
    return np.asarray(binom.pmf(np.arange(n + 1)[None, :], n, rates[:, None]))


def rate(n: int) -> Row:
    """Wilson's interval, over true rates 0, 0.001 ... 1."""
    rates = np.linspace(0, 1, 1001)
    ends = np.array([statistics.wilson(Arm(k, n)) for k in range(n + 1)])
    inside = (ends[:, 0] <= rates[:, None] + 1e-12) & (rates[:, None] - 1e-12 <= ends[:, 1])
    covered = (chances(n, rates) * inside).sum(axis=1)
    worst = int(covered.argmin())
    mean = float(covered.mean())
    return Row(
        "coverage: a rate (Wilson)", n, mean, float(covered[worst]), f"{rates[worst]:.3f}", mean >= LEAST_MEAN
    )


def difference(n: int) -> Row:
    """Newcombe's interval, over pairs of true rates 0, 0.02 ... 1."""
    rates = np.linspace(0, 1, 51)
    weights = chances(n, rates)
    covered = np.zeros((len(rates), len(rates)))
    gaps = rates[:, None] - rates[None, :]
    for a, b in product(range(n + 1), repeat=2):
        low, high = statistics.newcombe(Arm(a, n), Arm(b, n)) or (0.0, 0.0)
        holds = (low <= gaps + 1e-12) & (gaps - 1e-12 <= high)
        covered += weights[:, a][:, None] * weights[:, b][None, :] * holds
    one, other = np.unravel_index(int(covered.argmin()), covered.shape)
    mean, at = float(covered.mean()), f"{rates[one]:.2f}, {rates[other]:.2f}"
    return Row("coverage: a difference (Newcombe)", n, mean, float(covered.min()), at, mean >= LEAST_MEAN)


def false_positives(n: int) -> Row:
    """Boschloo's test on two configurations that are the same, over common rates 0, 0.01 ... 1."""
    rates = np.linspace(0, 1, 101)
    weights, wrong = chances(n, rates), np.zeros(101)
    for a, b in product(range(n + 1), repeat=2):
        p = statistics.boschloo(Arm(a, n), Arm(b, n))
        if p is not None and p <= ALPHA:
            wrong += weights[:, a] * weights[:, b]
    worst = int(wrong.argmax())
    most = float(wrong[worst])
    return Row(
        "false positives (Boschloo, A/A)",
        n,
        float(wrong.mean()),
        most,
        f"{rates[worst]:.2f}",
        most <= ALPHA + 1e-9,
    )


def rows(sizes: list[int]) -> Iterator[Row]:
    for measure in (rate, difference, false_positives):
        for n in sizes:
            yield measure(n)


def main() -> None:
    parser = argparse.ArgumentParser(
        "calibrate.py", description=(__doc__ or "").split("\n")[0], allow_abbrev=False
    )
    parser.add_argument("sizes", nargs="*", type=int, metavar="N", help="trials per configuration (5 10 20)")
    args = parser.parse_args()
    print(f"{'':<34}   n   mean  worst  at rate")
    good = True
    for row in rows(args.sizes or [*SIZES]):
        print(row, flush=True)
        good = good and row.good
    sys.exit(Exit.OK if good else Exit.NO)


if __name__ == "__main__":
    main()
