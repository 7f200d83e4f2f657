"""Our intervals and tests against scipy's, and the sentences against the figures that they stand on."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from kit import exact, power, statistics
from kit.statistics import Arm

ARMS = st.integers(1, 40).flatmap(lambda n: st.builds(Arm, st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("n", range(1, 21))
def test_O06_wilson_is_scipys(n: int) -> None:
    for k in range(n + 1):
        said = binomtest(k, n).proportion_ci(method="wilson")
        assert statistics.wilson(Arm(k, n)) == pytest.approx((said.low, said.high), abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "p", "interval"),
    [
        (5, 0, 0.0020, (0.386, 1)),
        (5, 1, 0.0215, (0.193, 0.964)),
        (5, 2, 0.0618, (0.030, 0.882)),
        (4, 2, 0.344, (-0.163, 0.726)),
    ],
)
def test_O06_published_values_of_five_against_five(
    a: int, b: int, p: float, interval: tuple[float, float]
) -> None:
    assert statistics.boschloo(Arm(a, 5), Arm(b, 5)) == pytest.approx(p, abs=5e-4)
    assert statistics.newcombe(Arm(a, 5), Arm(b, 5)) == pytest.approx(interval, abs=5e-4)


@given(ARMS, ARMS)
def test_newcombe_holds_the_difference_stays_in_range_and_turns_with_the_arms(one: Arm, other: Arm) -> None:
    low, high = statistics.newcombe(one, other) or (math.nan, math.nan)
    difference = one.succeeded / one.eligible - other.succeeded / other.eligible
    assert -1 <= low <= difference + 1e-12
    assert difference - 1e-12 <= high <= 1
    assert statistics.newcombe(other, one) == pytest.approx((-high, -low), abs=1e-12)


@given(ARMS, ARMS)
def test_newcombe_grows_with_the_successes(one: Arm, other: Arm) -> None:
    if one.succeeded < one.eligible:
        less, more = (
            statistics.newcombe(one, other),
            statistics.newcombe(Arm(one.succeeded + 1, one.eligible), other),
        )
        assert less
        assert more
        assert less[0] <= more[0] + 1e-12
        assert less[1] <= more[1] + 1e-12


@pytest.mark.parametrize(("n", "m"), [*itertools.product((1, 2, 5), repeat=2)])
def test_p_is_a_probability_and_does_not_know_which_arm_came_first(n: int, m: int) -> None:
    for a, b in itertools.product(range(n + 1), range(m + 1)):
        p = statistics.boschloo(Arm(a, n), Arm(b, m))
        assert p is not None
        assert 0 < p <= 1
        assert p == pytest.approx(statistics.boschloo(Arm(b, m), Arm(a, n)))


def test_O04_no_trial_gives_null_and_never_0_or_1() -> None:
    none = Arm(0, 0)
    assert none.rate is None
    assert statistics.wilson(none) is None
    assert statistics.newcombe(none, Arm(1, 2)) is None
    assert statistics.boschloo(Arm(1, 2), none) is None
    assert statistics.pass_at_k(none, 1) is None


@pytest.mark.parametrize(
    ("c", "at", "hat"),
    [
        (1, [0.2, 0.4, 0.6], [0.2, 0, 0]),
        (3, [0.6, 0.9, 1], [0.6, 0.3, 0.1]),
        (5, [1, 1, 1], [1, 1, 1]),
    ],
)
def test_O06_pass_at_k_and_pass_hat_k(c: int, at: list[float], hat: list[float]) -> None:
    arm = Arm(c, 5)
    assert [statistics.pass_at_k(arm, k) for k in (1, 2, 3)] == pytest.approx(at)
    assert [statistics.pass_hat_k(arm, k) for k in (1, 2, 3)] == pytest.approx(hat)


def test_O06_more_trials_than_there_are_is_null() -> None:
    assert statistics.pass_at_k(Arm(2, 2), 3) is None
    assert statistics.pass_hat_k(Arm(2, 2), 3) is None


@pytest.mark.parametrize(
    ("n", "needed"),
    [
        (3, [3, None, None, None]),
        (5, [4, 5, None, None, None, None]),
        (10, [4, 6, 7, 8, 9, 10, 10, None, None, None, None]),
    ],
)
def test_O06_the_smallest_count_that_would_show_a_difference(n: int, needed: list[int | None]) -> None:
    assert [power.detectable(n, control) for control in range(n + 1)] == needed


def test_O06_the_plan_is_told_what_it_cannot_show() -> None:
    assert "4 against 0, 5 against 1; nothing could be shown from 2 of 5 on" in power.sentence(5)
    assert "too few to show any difference" in power.sentence(2)
    assert "20 against 15" in power.sentence(20)


@pytest.mark.parametrize(
    ("with_", "without", "says"),
    [
        (Arm(5, 5), Arm(1, 5), "with helps on this task."),
        (Arm(1, 5), Arm(5, 5), "with hurts on this task."),
        (Arm(5, 5), Arm(2, 5), "Cannot tell: no result of this many trials could have shown a difference."),
        (Arm(1, 1), Arm(0, 1), "Cannot tell: no result of this many trials could have shown a difference."),
        (Arm(2, 5), Arm(1, 5), "No evidence of a difference, which is not evidence of none; no diff"),
        (Arm(2, 5), Arm(1, 5), "no difference beyond 0.60 either way fits these trials. with 2 of 5"),
        (Arm(4, 5), Arm(5, 5), "(help could not have been shown: without leaves too little room)"),
        (Arm(0, 0), Arm(5, 5), "Cannot tell: no eligible trial in with."),
    ],
)
def test_the_verdict_sentence_says_no_more_than_the_counts(with_: Arm, without: Arm, says: str) -> None:
    assert says in statistics.verdict_sentence(("with", with_), ("without", without))


@given(ARMS, ARMS)
def test_a_claim_needs_both_the_test_and_the_interval(with_: Arm, without: Arm) -> None:
    sentence = statistics.verdict_sentence(("with", with_), ("without", without))
    low, high = statistics.newcombe(with_, without) or (0.0, 0.0)
    if sentence.startswith("with "):
        assert (statistics.boschloo(with_, without) or 1) <= statistics.ALPHA
        assert ("helps" in sentence and low > 0) or ("hurts" in sentence and high < 0)


def test_counting_never_waits_for_scipy() -> None:
    scripts = Path(statistics.__file__).parents[1]
    code = "import sys, aggregate, report; sys.exit('scipy' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=scripts, check=False).returncode == 0


@pytest.mark.parametrize(
    ("treatment", "control", "name"),
    [(Arm(150, 200), Arm(140, 200), "Boschloo"), (Arm(40_000, 50_000), Arm(20_000, 50_000), "Fisher")],
)
def test_O06_very_many_trials_get_a_test_that_ends_and_its_name_is_said(
    treatment: Arm, control: Arm, name: str
) -> None:
    p = statistics.exact_test(treatment, control)
    assert p is not None
    assert 0 <= p <= 1
    assert f"({name})" in statistics.verdict_sentence(("a", treatment), ("b", control))


@pytest.mark.parametrize("n", range(1, 21))
def test_O06_clopper_pearson_is_scipys(n: int) -> None:
    for k in range(n + 1):
        said = binomtest(k, n).proportion_ci(method="exact")
        assert exact.clopper_pearson(Arm(k, n)) == pytest.approx((said.low, said.high), abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 5), (5, 5), (7, 3)])
def test_O06_the_exact_interval_holds_the_difference_and_turns_with_the_arms(n: int, m: int) -> None:
    for a, b in itertools.product(range(n + 1), range(m + 1)):
        low, high = exact.difference(Arm(a, n), Arm(b, m)) or (math.nan, math.nan)
        assert -1 <= low <= a / n - b / m <= high <= 1
        assert exact.difference(Arm(b, m), Arm(a, n)) == pytest.approx((-high, -low), abs=1e-9)


def test_O06_the_score_is_that_of_the_likeliest_rates() -> None:
    """Held against a search over every pair of rates with that difference."""
    at, n, m = 0.13, 7, 4
    for a, b in itertools.product(range(n + 1), range(m + 1)):
        best = max(
            (p for p in (at + i * (1 - at) / 100_000 for i in range(1, 100_000))),
            key=lambda p: _likelihood(a, n, p) + _likelihood(b, m, p - at),
        )
        error = math.sqrt(best * (1 - best) / n + (best - at) * (1 - best + at) / m)
        assert exact._score(n, m, at)[a, b] == pytest.approx(abs(a / n - b / m - at) / error, rel=1e-3)


def _likelihood(k: int, n: int, p: float) -> float:
    return k * math.log(p) + (n - k) * math.log(1 - p)


def test_O06_many_trials_get_an_exact_interval_that_ends() -> None:
    one, other = Arm(500, 1000), Arm(400, 1000)
    low, high = exact.difference(one, other) or (0.0, 0.0)
    narrow = statistics.newcombe(one, other) or (0.0, 0.0)
    assert low < narrow[0] < narrow[1] < high
    assert exact.difference_name(1000) == "two Clopper-Pearson intervals"


def test_a_conservative_claim_needs_the_wider_interval_too() -> None:
    """5 against 1 of 5 holds by both; 10 against 4 of 20 by Newcombe's alone."""
    assert statistics.effect(Arm(5, 5), Arm(1, 5), conservative=True) == "helps"
    assert statistics.effect(Arm(1, 5), Arm(5, 5), conservative=True) == "hurts"
    low, high = exact.difference(Arm(10, 20), Arm(4, 20)) or (0.0, 0.0)
    assert low < 0 < high
    assert statistics.effect(Arm(10, 20), Arm(4, 20), conservative=True) is None


@pytest.mark.parametrize(
    ("control", "treatment", "powers"),
    [(0.4, 0.8, (0.14, 0.43, 0.73)), (0.5, 0.9, (0.12, 0.47, 0.82)), (0.2, 0.9, (0.54, 0.94, 1.0))],
)
def test_O06_the_power_is_the_published_one(
    control: float, treatment: float, powers: tuple[float, ...]
) -> None:
    for n, published in zip((5, 10, 20), powers, strict=True):
        assert power.at(n, control, treatment) == pytest.approx(published, abs=0.011)


@pytest.mark.parametrize("difference", [1.0, 0.9, 0.6, 0.5, 0.4])
def test_O06_auto_chooses_the_first_number_of_trials_that_is_enough_at_every_rate(difference: float) -> None:
    found = power.trials_for(difference)
    assert found
    assert found.power >= power.WANTED > power.of(found.n - 1, difference).power
    rates = [i * (1 - difference) / 7 for i in range(8)]
    assert all(power.at(found.n, p, p + difference) >= found.power - 0.005 for p in rates)


def test_O06_what_would_take_too_many_trials_is_said_and_not_enumerated() -> None:
    assert power.trials_for(0.1) is None
    assert power.roughly(0.1) == pytest.approx(392, abs=2)


def test_O06_the_smallest_difference_is_the_first_with_enough_power() -> None:
    least = power.smallest(10)
    assert least
    assert least.difference == pytest.approx(0.6)
    assert least.power >= power.WANTED
    assert power.of(10, least.difference - power.GRID).power < power.WANTED
    assert power.smallest(2) is None
