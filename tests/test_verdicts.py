"""The rules that end a trial: every row of them, and that no order of facts breaks them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import left_behind as was
from kit import verdicts
from kit.verdicts import Facts, Outcome, Verdict

PASSED: dict[str, Verdict] = {"build": "pass", "cargo_test_lib": "pass", "hidden.double": "pass"}
EXPECTED: dict[str, Verdict] = {"skills.rust-formatting.used": "pass", "hooks.format-on-stop": "pass"}
GOOD = Facts(kind="regression", code=PASSED, expectations=EXPECTED)
VERDICTS = st.sampled_from(get_args(Verdict))
SENTENCES = st.none() | st.just("a sentence")
FACTS = st.builds(
    Facts,
    kind=st.sampled_from(["regression", "capability"]),
    setup_failure=SENTENCES,
    cancelled=SENTENCES,
    breach=SENTENCES,
    execution=st.sampled_from([None, *get_args(verdicts.Execution)]),
    infrastructure=SENTENCES,
    code=st.dictionaries(st.sampled_from([*PASSED, "submission", "cargo_fmt_check"]), VERDICTS),
    expectations=st.dictionaries(st.sampled_from([*EXPECTED, "sync.session_start"]), VERDICTS),
    unknown=st.lists(st.just("lost"), max_size=1),
)


def ruled(**changes: Any) -> tuple[Outcome, Verdict | None]:
    ruling = verdicts.outcome(replace(GOOD, **changes))
    return ruling.outcome, ruling.success


@pytest.mark.parametrize(
    ("changes", "outcome", "success"),
    [
        ({}, "succeeded", "pass"),
        ({"setup_failure": "x", "cancelled": "x", "breach": "x"}, "setup_failure", None),
        ({"cancelled": "x", "breach": "x", "execution": "timeout"}, "cancelled", None),
        ({"breach": "x", "execution": "timeout"}, "isolation", None),
        ({"breach": "x", "infrastructure": "x"}, "isolation", None),
        ({"execution": "timeout"}, "failed", "fail"),
        ({"execution": "client_error"}, "failed", "fail"),
        ({"execution": "timeout", "infrastructure": "x"}, "failed", "fail"),
        ({"execution": "client_error", "infrastructure": "x", "code": {}}, "failed", "fail"),
        ({"infrastructure": "x"}, "grading", None),
        ({"infrastructure": "x", "code": {"build": "pass", "hidden.a": "fail"}}, "grading", None),
        ({"code": {**PASSED, "hidden.double": "fail"}}, "failed", "fail"),
        ({"code": {"build": "fail"}}, "failed", "fail"),
        ({"code": {"submission": "fail"}}, "failed", "fail"),
        ({"code": {**PASSED, "hidden.double": "inconclusive"}}, "inconclusive", "inconclusive"),
        ({"code": {}}, "inconclusive", "inconclusive"),
    ],
)
@pytest.mark.parametrize("kind", ["regression", "capability"])
def test_O01_O02_the_first_rule_that_applies_ends_a_trial(
    kind: str, changes: dict[str, Any], outcome: str, success: str | None
) -> None:
    assert ruled(kind=kind, **changes) == (outcome, success)


@pytest.mark.parametrize(
    ("kind", "expected", "code", "outcome"),
    [
        ("regression", "fail", "pass", "failed"),
        ("regression", "inconclusive", "pass", "inconclusive"),
        ("regression", "fail", "inconclusive", "failed"),
        ("regression", "inconclusive", "fail", "failed"),
        ("capability", "fail", "pass", "succeeded"),
        ("capability", "inconclusive", "pass", "succeeded"),
        ("capability", "pass", "fail", "failed"),
        ("capability", "pass", "inconclusive", "inconclusive"),
    ],
)
def test_O03_expectations_decide_a_regression_and_never_a_capability(
    kind: str, expected: Verdict, code: Verdict, outcome: str
) -> None:
    facts = {"code": {**PASSED, "hidden.double": code}, "expectations": {**EXPECTED, "hooks.x": expected}}
    assert ruled(kind=kind, **facts)[0] == outcome


@given(FACTS)
def test_O01_every_trial_ends_in_one_place_and_says_why(facts: Facts) -> None:
    ruling = verdicts.outcome(facts)
    assert ruling.outcome in get_args(Outcome)
    assert ruling.reason
    wanted = {"succeeded": "pass", "failed": "fail", "inconclusive": "inconclusive"}.get(ruling.outcome)
    assert ruling.success == wanted


@given(FACTS)
def test_O02_nothing_succeeds_without_a_completed_session_and_all_of_its_evidence(facts: Facts) -> None:
    if verdicts.outcome(facts).outcome == "succeeded":
        assert facts.execution not in ("timeout", "client_error")
        assert not facts.unknown
        assert facts.code
        assert set(facts.code.values()) == {"pass"}


@given(FACTS, VERDICTS)
def test_O03_an_expectation_never_moves_a_capability_trial(facts: Facts, verdict: Verdict) -> None:
    facts = replace(facts, kind="capability")
    other = replace(facts, expectations={"sync.sync_recorded": verdict})
    assert verdicts.outcome(other).outcome == verdicts.outcome(facts).outcome


@given(FACTS)
def test_lost_evidence_takes_a_success_away_and_gives_none(facts: Facts) -> None:
    whole, lost = replace(facts, unknown=[]), replace(facts, unknown=["audit left nothing"])
    before, after = verdicts.outcome(whole).outcome, verdicts.outcome(lost).outcome
    assert after == ("inconclusive" if before == "succeeded" else before)


def test_the_reason_names_the_check_and_what_it_said() -> None:
    code: dict[str, Verdict] = {**PASSED, "hidden.double": "fail", "cargo_fmt_check": "fail"}
    facts = replace(GOOD, code=code, said={"hidden.double": "doubles:\n left 41, right 42"})
    reason = verdicts.outcome(facts).reason
    assert reason == "hidden.double failed: doubles: left 41, right 42; also failed: cargo_fmt_check"


def test_the_reason_after_a_timeout_says_that_the_code_does_not_count() -> None:
    facts = replace(GOOD, execution="timeout", execution_problem="the agent's deadline passed")
    reason = verdicts.outcome(facts).reason
    assert reason == (
        "timeout: the agent's deadline passed; the code it left passes every check, which does not count"
    )


def test_a_capability_success_shows_the_expectations_that_did_not_hold() -> None:
    facts = replace(GOOD, kind="capability", expectations={**EXPECTED, "hooks.format-on-stop": "fail"})
    assert "hooks.format-on-stop fail" in verdicts.outcome(facts).reason


@pytest.mark.parametrize(
    ("ended", "observed", "execution"),
    [
        ({}, {}, "completed"),
        ({"ended_by": "deadline", "exit": None}, {"completion": "client_error"}, "timeout"),
        ({"ended_by": "deadline", "exit": None}, {"completion": "completed"}, "timeout"),
        ({"ended_by": "interrupt", "exit": None}, {"completion": None}, None),
        ({"exit": 0}, {"completion": None}, "client_error"),
        ({"exit": 0}, {"completion": "client_error", "problem": "API Error: 500"}, "client_error"),
        ({"exit": None}, {"completion": None}, "client_error"),
        ({"exit": 1}, {"completion": "completed"}, "completed"),
    ],
)
def test_L03_timeout_before_client_error_before_completed(
    ended: dict[str, Any], observed: dict[str, Any], execution: str | None
) -> None:
    said = verdicts.execution({**was.EXECUTION, **ended}, {**was.OBSERVATION, **observed})
    assert said[0] == execution
    assert (said[1] is None) == (execution == "completed")


def test_L03_null_when_the_client_never_ran_or_nothing_was_observed() -> None:
    assert verdicts.execution(None, None)[0] is None
    assert verdicts.execution(was.EXECUTION, None)[0] is None
    assert verdicts.execution({**was.EXECUTION, "ended_by": "deadline"}, None)[0] == "timeout"


def test_a_check_that_nobody_judged_is_not_a_check_that_passed() -> None:
    assert verdicts.unjudged({}, ["double"], True) == [*PASSED, "cargo_fmt_check"]
    assert verdicts.unjudged({**PASSED, "cargo_fmt_check": "pass"}, ["double"], True) == []
    assert verdicts.unjudged({"build": "fail"}, ["double"], True) == []
