"""D08, O07: the table over models, and a suite's comparison, from recorded batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import suite
from kit import documents, models, prices
from kit.contract import Stop
from kit.models import Trial

RECORDS = Path(__file__).with_name("records")
PRICE = {"input": 3.0, "output": 15.0, "cache_read": 0.3, "cache_write": 3.75}


def result(outcome: str = "succeeded", secs: float | None = 10.0, **usage: Any) -> dict[str, Any]:
    full = {"input_tokens": 1000, "output_tokens": 100, "cache_read_tokens": 10, "cache_write_tokens": 0}
    beside: dict[str, Any] = {key: usage.pop(key) for key in ("turns", "compactions") if key in usage}
    return {"outcome": outcome, "elapsed_secs": secs, "usage": {**full, **usage}, **beside}


def test_D08_a_price_is_per_million_and_each_class_has_its_own() -> None:
    assert models.cost_usd(result(), PRICE) == pytest.approx((3000 + 1500 + 3) / 1_000_000)


def test_37_an_unknown_price_or_count_is_null_and_never_0() -> None:
    assert models.cost_usd(result(), None) is None
    assert models.cost_usd(result(output_tokens=None), PRICE) is None
    known, lost = result(turns=3, compactions=1), result(output_tokens=None, turns=None, compactions=None)
    row = models.row("p", "m", [Trial("t", known), Trial("t", lost)], PRICE)
    assert row["usd_per_trial"] is None, "a mean over the cheap half would flatter"
    assert (row["median_steps"], row["mean_tokens"], row["compactions"]) == (3, 1110, None)


def test_D08_compactions_are_a_mean_where_each_trial_knows_its_own() -> None:
    trials = [Trial("t", result(compactions=count)) for count in (0, 3)]
    assert models.row("p", "m", trials, None)["compactions"] == 1.5


def test_O07_the_pass_rate_is_a_mean_over_tasks_not_over_trials() -> None:
    many = [Trial("easy", result())] * 9
    row = models.row("p", "m", [*many, Trial("hard", result("failed"))], None)
    assert row["pass_rate"] == 0.5
    assert (row["tasks"], row["trials"]) == (2, 10)


def test_O01_trials_that_say_nothing_of_the_agent_are_left_out() -> None:
    lost = [Trial("t", result("setup_failure")), Trial("t", result("isolation"))]
    row = models.row("p", "m", lost, None)
    assert (row["trials"], row["pass_rate"], row["p95_secs"]) == (0, None, None)


@pytest.mark.parametrize(
    ("values", "at"),
    [([], None), ([5.0], 5.0), ([3.0, 1.0, 2.0], 3.0), ([float(n) for n in range(1, 101)], 95.0)],
)
def test_D08_p95_is_the_nearest_rank(values: list[float], at: float | None) -> None:
    assert models.percentile(values, 0.95) == at


def cell(name: str) -> suite.Cell:
    folder = RECORDS / name
    benchmark = documents.read(folder / "benchmark.json", "benchmark/1")
    return suite.Cell(benchmark["task"], benchmark["client"], folder, benchmark)


def test_O07_a_recorded_batch_gives_its_difference_and_its_treatments_row() -> None:
    recorded = cell("seed-example")
    (compared,) = suite.together([recorded], None)
    documents.check(
        {
            "schema": "suite/1",
            "rehearsed": False,
            "prices_as_of": None,
            "batches": [],
            "compared": [compared],
        },
        "suite/1",
        "here",
    )
    assert compared["differences"] == {recorded.task: pytest.approx(0.4)}
    assert compared["statement"].startswith("One task")
    assert (compared["table"]["trials"], compared["table"]["pass_rate"]) == (5, 0.8)


def test_W03_a_plan_that_is_wrong_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("clients: [claude]\nmodel: [x]\n")
    with pytest.raises(Stop, match="'model' was unexpected"):
        prices.read_yaml(plan, "suite-plan/1")
    plan.write_text("clients: [")
    with pytest.raises(Stop, match="not YAML"):
        prices.read_yaml(plan, "suite-plan/1")
    with pytest.raises(Stop, match="missing"):
        prices.read_yaml(tmp_path / "none.yaml", "suite-plan/1")


def test_28_a_difference_that_is_withheld_does_not_go_into_a_suite() -> None:
    lost = cell("every-outcome")
    assert lost.benchmark["delta"]["success_rate"] is not None
    assert lost.difference() is None
    (compared,) = suite.together([lost, cell("seed-example")], None)
    assert compared["mean"] == pytest.approx(0.4)
