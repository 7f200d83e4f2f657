"""Recorded batches count as they always did; what cannot be counted is refused by name."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import aggregate
import redo
import regrade
from batches import asking
from kit import claims, counting, documents
from kit.contract import Exit, Folder, Stop
from kit.documents import Document

RECORDS = Path(__file__).parent / "records"
BATCHES = sorted(
    folder.name for folder in RECORDS.iterdir() if folder.is_dir() and folder.name != "__pycache__"
)


def recorded(name: str, tmp_path: Path) -> Path:
    """A copy of a recorded batch without its benchmark.json."""
    ignore = shutil.ignore_patterns("benchmark.json")
    return Path(shutil.copytree(RECORDS / name, tmp_path / name, ignore=ignore))


def aggregated(batch: Path, *, redo: bool = False) -> tuple[Exit, Document]:
    code = aggregate.STEP.execute(aggregate.run, Folder(batch, aggregate.STEP), redo=redo)
    file = batch / "benchmark.json"
    return code, documents.read(file, "benchmark/1") if file.exists() else {}


def expected(name: str) -> Document:
    return documents.read(RECORDS / name / "benchmark.json", "benchmark/1")


@pytest.mark.parametrize("name", BATCHES)
def test_a_recorded_batch_counts_exactly_as_it_always_did(name: str, tmp_path: Path) -> None:
    code, benchmark = aggregated(recorded(name, tmp_path))
    assert benchmark == expected(name)
    assert code is (Exit.NO_INPUT if name == "result-missing" else Exit.OK)


def contains(document: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return all(key in document and contains(document[key], value) for key, value in part.items())
    return bool(document == part)


def test_O04_the_reference_benchmark_comes_out_number_for_number(tmp_path: Path) -> None:
    seed = json.loads((RECORDS / "seed.json").read_text())
    _, benchmark = aggregated(recorded("seed-example", tmp_path))
    assert contains(benchmark, seed)


def test_47_direction_is_by_role_and_not_by_the_order_of_names() -> None:
    delta = expected("names-reversed")["delta"]
    assert delta["success_rate"] == 1.0
    assert delta["success_rate_interval"][0] > 0


def test_M02_rehearsed_numbers_say_nothing_about_a_model() -> None:
    benchmark = expected("two-rehearsed")
    assert benchmark["delta"]["success_rate"] == 1.0
    assert "These numbers say nothing about a model" in benchmark["statement"]
    assert "helps" not in benchmark["statement"]


def test_28_uneven_losses_withhold_the_statement() -> None:
    benchmark = expected("every-outcome")
    assert benchmark["statement"].startswith("The difference is not stated")
    assert "isolation exclusions (without-symposium 0, with-symposium 1)" in benchmark["warnings"][0]


def test_O04_no_eligible_trial_is_null_in_rate_and_delta() -> None:
    benchmark = expected("none-eligible")
    without = benchmark["configurations"]["without-symposium"]
    assert (without["success_rate"], without["pass_all"]) == (None, None)
    assert benchmark["delta"]["success_rate"] is None


def test_O05_one_configuration_has_no_delta() -> None:
    assert expected("one-rehearsed")["delta"] is None


def test_29_a_missing_result_is_named_and_is_no_clean_exit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, benchmark = aggregated(recorded("result-missing", tmp_path))
    assert code is Exit.NO_INPUT
    assert "trial-2-with-symposium" in capsys.readouterr().err
    assert benchmark["configurations"]["with-symposium"]["missing"] == ["trial-2-with-symposium"]


def test_47_nothing_to_count_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch = recorded("one-rehearsed", tmp_path)
    (batch / "trial-1-with-symposium/result.json").unlink()
    code, benchmark = aggregated(batch)
    assert (code, benchmark) == (Exit.NO_INPUT, {})
    assert "nothing to count" in capsys.readouterr().err


def change(batch: Path, folder: str, /, **changes: Any) -> None:
    file = batch / folder / "result.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"schema": "result/2"}, "is a result/2, and this version reads result/1"),
        ({"schema": "result/0"}, "is a result/0, and this version reads result/1"),
        ({"outcome": "flaky"}, "'flaky' is not one of"),
        ({"rehearsal": None}, "its rehearsal is None, and the plan says 'flush'"),
        ({"model": {"name": "model-1", "settings": {}}}, "its model is 'model-1'"),
        ({"mode": "direct"}, "its configuration is 'direct'"),
        ({"trial": 2}, "its trial is 'trial-2-with-symposium'"),
    ],
)
def test_R03_a_foreign_or_newer_result_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any], says: str
) -> None:
    batch = recorded("two-rehearsed", tmp_path)
    change(batch, "trial-1-with-symposium", **changes)
    code, benchmark = aggregated(batch)
    assert (code, benchmark) == (Exit.BAD_INPUT, {})
    said = capsys.readouterr().err
    assert says in said
    assert "trial-1-with-symposium/result.json" in said


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"mode": "exploratory"}, "its isolation is 'exploratory', and the plan says 'enforced'"),
        ({"route": "direct"}, "its route is 'direct', and the plan says 'gateway'"),
    ],
)
def test_I07_M01_trials_of_two_kinds_are_never_counted_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, str], says: str
) -> None:
    batch = recorded("two-rehearsed", tmp_path)
    trial = "trial-1-with-symposium"
    isolation = json.loads((batch / trial / "result.json").read_text())["isolation"]
    change(batch, trial, isolation={**isolation, **changes})
    assert aggregated(batch) == (Exit.BAD_INPUT, {})
    assert says in capsys.readouterr().err


def test_R03_every_torn_result_is_named_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch = recorded("two-rehearsed", tmp_path)
    for trial in ("trial-1-with-symposium", "trial-2-without-symposium"):
        (batch / trial / "result.json").write_text('{"schema": "resu')
    code, _ = aggregated(batch)
    said = capsys.readouterr().err
    assert code is Exit.BAD_INPUT
    assert "trial-1-with-symposium/result.json: not JSON" in said
    assert "trial-2-without-symposium/result.json: not JSON" in said


def test_a_folder_that_the_plan_does_not_have_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = recorded("two-rehearsed", tmp_path)
    shutil.copytree(batch / "trial-1-with-symposium", batch / "trial-9-with-symposium")
    assert aggregated(batch)[0] is Exit.BAD_INPUT
    assert "is of a trial that batch.json does not plan" in capsys.readouterr().err


def test_a_task_that_changed_meanwhile_is_a_warning(tmp_path: Path) -> None:
    batch = recorded("two-rehearsed", tmp_path)
    file = batch / "trial-1-with-symposium/result.json"
    task = {**json.loads(file.read_text())["task"], "content_hash": "2" * 64}
    change(batch, "trial-1-with-symposium", task=task)
    _, benchmark = aggregated(batch)
    assert len(benchmark["content_hashes"]) == 2
    assert any("changed while the batch ran" in warning for warning in benchmark["warnings"])


def test_I07_exploratory_results_are_never_compared(tmp_path: Path) -> None:
    batch = recorded("names-reversed", tmp_path)
    plan = json.loads((batch / "batch.json").read_text())
    (batch / "batch.json").write_text(json.dumps({**plan, "isolation": "exploratory"}))
    for trial in plan["order"]:
        isolation = json.loads((batch / trial / "result.json").read_text())["isolation"]
        change(batch, trial, isolation={**isolation, "mode": "exploratory"})
    _, benchmark = aggregated(batch)
    assert benchmark["delta"] is None
    assert "helps" not in benchmark["statement"]


def test_the_program_runs_alone_and_redo_gives_the_same_bytes(tmp_path: Path) -> None:
    batch = recorded("seed-example", tmp_path)
    command = [sys.executable, aggregate.__file__, str(batch)]
    assert subprocess.run(command, check=False).returncode == 0
    first = (batch / "benchmark.json").read_bytes()
    assert subprocess.run(command, check=False, capture_output=True).returncode == Exit.EXISTS
    assert subprocess.run([*command, "--redo"], check=False).returncode == 0
    assert (batch / "benchmark.json").read_bytes() == first


def test_28_a_difference_that_is_withheld_says_so_beside_its_number() -> None:
    assert expected("every-outcome")["delta"]["withheld"].startswith(
        "trials were lost unevenly: setup failures"
    )
    assert expected("every-outcome")["delta"]["success_rate"] is not None, (
        "the seed's field keeps its meaning"
    )
    assert expected("seed-example")["delta"]["withheld"] is None


def test_O06_conservative_intervals_are_wider_and_named(tmp_path: Path) -> None:
    batch, usual = recorded("names-reversed", tmp_path), expected("names-reversed")
    command = [sys.executable, aggregate.__file__, str(batch), "--conservative"]
    assert subprocess.run(command, check=False).returncode == 0
    exact = documents.read(batch / "benchmark.json", "benchmark/1")
    named = {"conservative": True, "rate": "Clopper-Pearson", "difference": "Agresti-Min"}
    assert exact["intervals"] == named
    assert exact["delta"]["success_rate_interval"][0] < usual["delta"]["success_rate_interval"][0]
    zeta = [one["configurations"]["zeta"]["success_rate_interval"] for one in (exact, usual)]
    assert zeta[0] == pytest.approx([0, 0.5218], abs=1e-4)
    assert zeta[0][1] > zeta[1][1]
    assert "exact 95 % interval" in exact["statement"]


def replanned(batch: Path, **changes: Any) -> None:
    file = batch / "batch.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_an_aa_batch_says_what_it_should_show_and_never_that_one_helps(tmp_path: Path) -> None:
    """The recorded batch is as unlike as can be: with one setup on both sides, a fault of the harness."""
    batch = recorded("names-reversed", tmp_path)
    both = [("zeta", "control"), ("alpha", "treatment")]
    same = [{"name": name, "role": role, "setup": "symposium"} for name, role in both]
    replanned(batch, configurations=same)
    _, benchmark = aggregated(batch)
    assert "at most 5 in 100 such batches" in benchmark["statement"]
    assert "p = 0.00195. Run it again" in benchmark["statement"]
    assert "helps" not in benchmark["statement"]
    replanned(batch, configurations=[same[0], {**same[1], "setup": "baseline"}])
    assert "helps" in aggregated(batch, redo=True)[1]["statement"]


def test_D08_a_price_file_gives_dollars_and_a_model_that_it_lacks_gives_null(tmp_path: Path) -> None:
    batch, price = recorded("seed-example", tmp_path), {"input": 3.0, "output": 15.0}
    full = {**price, "cache_read": 0.3, "cache_write": 3.75}
    for prices, usd in ((full, 35100 * 3 / 1e6), (None, None)):
        replanned(batch, prices={"as_of": "2026-11-01", "usd_per_million": prices})
        _, benchmark = aggregated(batch, redo=True)
        assert benchmark["prices_as_of"] == "2026-11-01"
        table = benchmark["configurations"]["with-symposium"]["table"]
        assert table["usd_per_trial"] == (pytest.approx(usd) if usd else None)


def test_O06_a_redo_may_be_conservative_and_the_next_one_is_not(tmp_path: Path) -> None:
    batch = recorded("names-reversed", tmp_path)
    for conservative in (True, False):
        redo.again("aggregate", batch, conservative=conservative)
        counted = documents.read(batch / "benchmark.json", "benchmark/1")
        assert counted["intervals"]["conservative"] is conservative
    assert counted == expected("names-reversed")


def test_O06_inconclusive_trials_of_one_side_alone_are_no_effect_of_the_other() -> None:
    """A version that cannot show what is asked is inconclusive (S05): that is not worse."""

    def group(name: str, role: str, outcome: str) -> counting.Group:
        result = {"outcome": outcome, "execution": "completed", "usage": None, "elapsed_secs": 1.0}
        names = [f"trial-{n}-{name}" for n in range(1, 11)]
        return counting.Group(name, role, names, {one: {**result, "expectations": None} for one in names})

    sides = group("released", "control", "inconclusive"), group("patched", "treatment", "succeeded")
    counts = {side.name: counting.configuration(side, 10) for side in sides}
    assert claims.withheld(counts) == (
        "trials were lost unevenly: inconclusive trials (released 10, patched 0)"
    )
    assert "The difference is not stated" in claims.statement("enforced", None, counts)
    alike = {name: {**counts["patched"], "role": c["role"]} for name, c in counts.items()}
    assert claims.withheld(alike) is None


@pytest.mark.parametrize("program", [redo, regrade])
def test_R02_what_changes_a_batch_waits_for_whoever_is_at_work_on_it(
    program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = recorded("seed-example", tmp_path)
    before = {file: file.read_bytes() for file in batch.rglob("*") if file.is_file()}
    monkeypatch.setattr(asking, "LOCK_SECS", 0.0)
    monkeypatch.setattr(sys, "argv", [program.__name__, str(batch)])
    wait = pytest.raises(Stop, match="is at work on it; wait for its end")
    with asking.locked(batch, asking.Asked(), print), wait as ended:
        program.main()
    assert ended.value.code == Exit.EXISTS
    assert {file: file.read_bytes() for file in batch.rglob("*") if file.is_file()} == before
