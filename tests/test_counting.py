"""Both identities over whatever results there are, direction by role, and null where nothing is known."""

from __future__ import annotations

import math
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import left_behind as was
from kit import counting, verdicts
from kit.counting import Group, Miscounted
from kit.documents import Document

OUTCOMES = get_args(verdicts.Outcome)
SUCCESS = {"succeeded": "pass", "failed": "fail", "inconclusive": "inconclusive"}
TOKENS = st.none() | st.integers(0, 10**6)
SKILL = st.fixed_dictionaries(
    {
        "observed_load": st.sampled_from(counting.LOADS),
        "listed": st.none() | st.booleans(),
        "used": st.sampled_from(get_args(verdicts.Verdict)),
    }
)
EXPECTED = st.none() | st.builds(
    lambda skills: {"skills": skills, "hooks": {}, "sync": {}},
    st.dictionaries(st.sampled_from(["one", "other"]), SKILL),
)


@st.composite
def results(draw: st.DrawFn) -> Document:
    outcome = draw(st.sampled_from(OUTCOMES))
    usage = draw(st.none() | st.fixed_dictionaries(dict.fromkeys(was.USAGE, TOKENS)))
    execution = (
        draw(st.sampled_from(["timeout", "client_error", "completed"]))
        if outcome == "failed"
        else "completed"
    )
    return {
        "outcome": outcome,
        "success": SUCCESS.get(outcome),
        "execution": execution,
        "usage": usage,
        "elapsed_secs": draw(st.none() | st.floats(0, 1000)),
        "expectations": draw(EXPECTED),
    }


@st.composite
def groups(draw: st.DrawFn, role: str = "control") -> Group:
    there = draw(st.lists(st.none() | results(), min_size=1, max_size=12))
    planned = [f"trial-{number}-x" for number in range(1, len(there) + 1)]
    found = {name: result for name, result in zip(planned, there, strict=True) if result}
    return Group("x", role, planned, found)


@given(groups())
def test_O01_each_planned_trial_is_counted_in_exactly_one_place(group: Group) -> None:
    c = counting.configuration(group, len(group.planned))
    assert c["planned"] == c["setup_failures"] + c["cancelled"] + c["started"]
    assert c["eligible"] == c["started"] - c["excluded"]["isolation"] - c["excluded"]["grading"]
    assert c["eligible"] == c["succeeded"] + c["failed"] + c["inconclusive"]
    assert c["planned"] == len(group.planned)
    assert len(c["missing"]) <= c["cancelled"]
    assert c["timeouts"] + c["client_errors"] <= c["failed"]


@given(groups())
def test_O04_a_rate_is_null_with_no_eligible_trial_and_never_0_or_1(group: Group) -> None:
    c = counting.configuration(group, len(group.planned))
    assert (c["success_rate"] is None) == (c["eligible"] == 0) == (c["pass_all"] is None)
    assert (c["success_rate_interval"] is None) == (c["eligible"] == 0)
    if c["eligible"]:
        low, high = c["success_rate_interval"]
        assert low <= c["success_rate"] + 1e-9
        assert c["success_rate"] - 1e-9 <= high
        assert c["pass_all"] == (c["succeeded"] == c["eligible"])


@given(groups())
def test_O04_each_skill_and_expectation_is_counted_once_for_each_eligible_trial(group: Group) -> None:
    c = counting.configuration(group, len(group.planned))
    for tally in (*c["observed_load"].values(), *c["listed"].values()):
        assert sum(tally.values()) == c["eligible"]
    for tally in c["expectations"].values():
        assert 0 < sum(tally.values()) <= c["eligible"]


@given(groups())
def test_O04_a_mean_counts_only_what_is_known(group: Group) -> None:
    c = counting.configuration(group, len(group.planned))
    for over, ends in (("eligible", counting.ELIGIBLE), ("succeeded", ("succeeded",))):
        results = group.ended(*ends)
        known = [t for t in (counting.tokens(r["usage"]) for r in results) if t is not None]
        assert c["cost"][over]["tokens"]["trials"] == len(known)
        assert c["cost"][over]["tokens"]["mean"] == (
            pytest.approx(sum(known) / len(known)) if known else None
        )
        assert c["cost"][over]["agent_secs"]["trials"] == sum(r["elapsed_secs"] is not None for r in results)


@given(groups("treatment"), groups("control"))
def test_O04_the_delta_is_treatment_minus_control_and_null_where_either_is(one: Group, other: Group) -> None:
    with_, without = (counting.configuration(group, 1) for group in (one, other))
    there, back = counting.delta(with_, without), counting.delta(without, with_)
    assert (there["success_rate"] is None) == (None in (with_["success_rate"], without["success_rate"]))
    if there["success_rate"] is not None:
        assert there["success_rate"] == pytest.approx(with_["success_rate"] - without["success_rate"])
        assert there["success_rate"] == -back["success_rate"]
    for over in ("eligible", "succeeded"):
        for key in ("tokens", "agent_secs"):
            means = [side["cost"][over][key]["mean"] for side in (with_, without)]
            expected = None if None in means else pytest.approx(means[0] - means[1], abs=1e-6)
            assert there["cost"][over][key]["mean"] == expected


@given(groups())
def test_the_identities_would_notice_a_lost_trial(group: Group) -> None:
    counted = counting.counts(group)
    for key in ("planned", "started", "eligible", "succeeded", "cancelled"):
        with pytest.raises(Miscounted):
            counting.assert_identities("x", {**counted, key: counted[key] + 1})


def test_an_outcome_that_no_rule_knows_is_not_dropped() -> None:
    strange = {"outcome": "flaky", "expectations": None}
    with pytest.raises(Miscounted, match="flaky"):
        counting.counts(Group("x", "control", ["trial-1-x"], {"trial-1-x": strange}))


def plan(*names: tuple[str, str], trials: int = 1) -> Document:
    order = [f"trial-{number}-{name}" for number in range(1, trials + 1) for name, _ in names]
    return {"configurations": [{"name": n, "role": r, "setup": "x"} for n, r in names], "order": order}


def test_a_result_that_the_plan_does_not_have_is_not_counted() -> None:
    with pytest.raises(Miscounted, match="trial-9-stranger"):
        counting.groups(plan(("x", "control")), {"trial-9-stranger": {}})


def test_a_configuration_whose_name_ends_like_anothers_is_not_mixed_with_it() -> None:
    both = plan(("symposium", "treatment"), ("without-symposium", "control"), trials=2)
    assert [len(group.planned) for group in counting.groups(both, {})] == [2, 2]


def test_29_a_planned_trial_without_a_result_is_named_and_cancelled() -> None:
    (group,) = counting.groups(plan(("x", "control"), trials=10), {"trial-3-x": {"outcome": "failed"}})
    counted = counting.counts(group)
    assert (counted["planned"], counted["cancelled"], counted["failed"]) == (10, 9, 1)
    assert "trial-3-x" not in group.missing


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (was.USAGE, 127),
        (None, None),
        ({**was.USAGE, "cache_write_tokens": None}, None),
        (dict.fromkeys(was.USAGE, 0), 0),
    ],
)
def test_37_unknown_usage_is_null_and_never_zero(usage: Any, tokens: int | None) -> None:
    assert counting.tokens(usage) == tokens


def test_differences_are_told_without_the_noise_of_floats() -> None:
    assert counting.minus(0.6, 0.4) == 0.2
    assert counting.minus(None, 0.4) is None
    assert not math.isnan(counting.minus(0.0, 0.0) or 0.0)
