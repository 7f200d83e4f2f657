"""What a number of trials can show, by enumeration of every result that they may have, before any is spent.

A result counts as shown when the report would say "helps": the very same test and interval. The control's
rate is not known beforehand, so a power is that at the rate where it is smallest. Pure functions; a number of
trials that cannot show what is promised is this module's fault.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kit import statistics
from kit.statistics import Arm

WANTED = 0.80
MOST = 120  # trials per configuration that are enumerated
FINEST = 1e-6  # the smallest difference that `roughly` is asked about; near 1e-154 a float has no room
GRID = 0.01  # of the control's rates, and of the differences
NORMAL = 1.959963984540054, 0.8416212335729143  # of .975 and of .80


@dataclass(frozen=True)
class Power:
    """The chance that n trials in each of two configurations show a true difference."""

    n: int
    difference: float
    power: float
    control: float  # the control's true rate, at which it is so; no other makes it smaller

    def __str__(self) -> str:
        return (
            f"{self.n} trials per configuration show a true difference of {self.difference:+.2f} with power"
            f" {self.power:.2f} or more (the least, where the control's rate is {self.control:.2f})"
        )


@functools.cache
def needed(n: int) -> Sequence[int | None]:
    """For each count of the control's successes, the treatment's smallest that helps; None: none does."""
    found: list[int | None] = []
    least = 0
    for successes in range(n + 1):  # the least never falls as the control gets better
        least = max(least, successes + 1)
        while least <= n and statistics.effect(Arm(least, n), Arm(successes, n)) != "helps":
            least += 1
        found.append(least if least <= n else None)
    return tuple(found)


@functools.cache
def detectable(n: int, successes: int) -> int | None:
    """One entry of `needed`, for an n of any size."""

    def helps(count: int) -> bool:
        return statistics.effect(Arm(count, n), Arm(successes, n)) == "helps"

    low, high = successes + 1, n
    if low > high or not helps(n):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if helps(middle) else (middle + 1, high)
    return low


def at(n: int, control: float, treatment: float) -> float:
    """The chance that n trials of each show it, where these are the true rates."""
    return float(_at(n, [control], [treatment])[0])


def _at(n: int, control: Any, treatment: Any) -> Any:
    """The same for many pairs of rates, as an array."""
    import numpy as np
    from scipy.stats import binom

    shown = np.zeros(len(control))
    for successes, least in enumerate(needed(n)):
        if least is not None:
            shown += binom.pmf(successes, n, control) * binom.sf(least - 1, n, treatment)
    return shown


def of(n: int, difference: float) -> Power:
    """At the control's rate that makes it smallest."""
    import numpy as np

    rates = np.append(np.arange(0, 1 - difference, GRID), 1 - difference)
    shown = _at(n, rates, np.minimum(1, rates + difference))
    worst = int(shown.argmin())
    return Power(n, difference, float(shown[worst]), float(rates[worst]))


def smallest(n: int) -> Power | None:
    """The smallest difference, in hundredths, that n trials show with the wanted power; None: none."""
    low, high = 1, round(1 / GRID)
    if of(n, 1.0).power < WANTED:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if of(n, middle * GRID).power >= WANTED else (middle + 1, high)
    return of(n, high * GRID)


def trials_for(difference: float) -> Power | None:
    """The first number of trials with the wanted power, from the approximation up; None: more than MOST.

    The approximation has always been too low (checked from .36 to 1, in hundredths).
    """
    for n in range(roughly(difference), MOST + 1):
        if (found := of(n, difference)).power >= WANTED:
            return found
    return None


def roughly(difference: float) -> int:
    """Trials per configuration by the normal approximation, at the rates where it takes the most."""
    low, high = (1 - difference) / 2, (1 + difference) / 2
    spread = NORMAL[0] * math.sqrt(0.5) + NORMAL[1] * math.sqrt(low * (1 - low) + high * (1 - high))
    return max(1, math.ceil((spread / difference) ** 2))


def sentence(n: int) -> str:
    """What n trials in each of two configurations could show."""
    told = range(n + 1) if n <= 10 else sorted({0, n // 4, n // 2, 3 * n // 4})
    least = {count: detectable(n, count) for count in told}
    shown = [f"{need} against {count}" for count, need in least.items() if need is not None]
    never = [count for count, need in least.items() if need is None]
    each = f"{n} trial{'s' if n > 1 else ''} per configuration"
    if not shown:
        return f"{each}: too few to show any difference, whatever comes out (Boschloo's test, p <= .05)"
    end = f"; nothing could be shown from {never[0]} of {n} on" if never and n <= 10 else ""
    return (
        f"{each}: the smallest result that would show a difference (treatment against control successes;"
        f" Boschloo's test, p <= .05): {', '.join(shown)}{end}"
    )
