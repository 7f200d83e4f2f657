"""One flat row a trial: nothing left out, nothing made up, readable by what people use."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import export
from kit import documents
from kit.contract import Exit
from reports import flat, rows, session
from whole_batch import HOSTILE, WholeBatch, hostile

HERE = Path(__file__).parent
RECORDS = HERE / "records"
EVERY = RECORDS / "every-outcome"


def run(*argv: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, export.__file__, *map(str, argv)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def table(*batches: Path) -> list[dict[str, str]]:
    done = run(*batches, "--to", "csv", "-")
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_every_planned_trial_has_its_row_in_the_planned_order() -> None:
    found = table(EVERY, RECORDS / "result-missing")
    orders = [
        json.loads((b / "batch.json").read_text())["order"] for b in (EVERY, RECORDS / "result-missing")
    ]
    assert [f"trial-{row['trial']}-{row['configuration']}" for row in found] == [t for o in orders for t in o]
    assert [row["position"] for row in found] == [str(n) for o in orders for n in range(1, len(o) + 1)]


def test_the_rows_count_to_the_benchmark() -> None:
    found = table(EVERY)
    counted = json.loads((EVERY / "benchmark.json").read_text())["configurations"]
    for name, said in counted.items():
        mine = [row for row in found if row["configuration"] == name]
        assert len(mine) == said["planned"]
        assert sum(row["eligible"] == "true" for row in mine) == said["eligible"]
        assert sum(row["succeeded"] == "true" for row in mine) == said["succeeded"]
        used = [float(row["tokens"]) for row in mine if row["eligible"] == "true" and row["tokens"]]
        assert sum(used) / len(used) == said["cost"]["eligible"]["tokens"]["mean"]


def test_what_is_not_known_is_empty_and_never_zero() -> None:
    lost = next(row for row in table(EVERY) if row["outcome"] == "setup_failure")
    empty = ("succeeded", "tokens", "agent_secs", "build", "hidden_total", "skills_loaded", "execution")
    assert [lost[name] for name in empty] == [""] * len(empty)


def test_29_a_missing_result_is_marked() -> None:
    (lost,) = [row for row in table(RECORDS / "result-missing") if row["missing"] == "true"]
    assert (lost["outcome"], lost["eligible"], lost["succeeded"]) == ("cancelled", "false", "")


def test_maps_are_json() -> None:
    row = next(row for row in table(EVERY) if row["skills"])
    assert json.loads(row["skills"])["fixture-store"]["observed_load"] == "loaded"
    assert row["skills_loaded"] == "1"


def test_41_a_text_can_neither_break_the_table_nor_be_computed(tmp_path: Path) -> None:
    batch = Path(shutil.copytree(EVERY, tmp_path / "batch"))
    file = batch / "trial-1-with-symposium/result.json"
    text = '=cmd|"/C calc"!A1,\n\x1b[2J\x00'
    file.write_text(json.dumps({**json.loads(file.read_text()), "reason": text, "findings": [text]}))
    found = table(batch)
    assert len(found) == 12
    (row,) = [row for row in found if "calc" in row["reason"]]
    assert row["reason"] == '\'=cmd|"/C calc"!A1,\\n\\x1b[2J\\x00'
    assert json.loads(row["findings"]) == [text]


def test_a_folder_above_gives_every_batch_below_it_and_a_suites_document_is_none(tmp_path: Path) -> None:
    """As `results` holds them: results/<task>/<client>/<batch>, and results/suites/<plan>/ with as much."""
    shutil.copytree(EVERY, tmp_path / "a-task/claude/1")
    shutil.copytree(RECORDS / "result-missing", tmp_path / "suites/nightly-1/a-task/claude/2")
    (tmp_path / "suites/nightly-1/suite.json").write_text("{}")
    wanted = table(EVERY, RECORDS / "result-missing")
    assert table(tmp_path) == wanted
    assert table(*sorted(tmp_path.glob("*/*/*"))) == wanted


def test_a_batch_named_twice_is_refused(tmp_path: Path) -> None:
    again = shutil.copytree(EVERY, tmp_path / "again")
    done = run(EVERY, again, "--to", "csv", "-")
    assert done.returncode == Exit.USAGE
    assert "the same batch" in done.stderr


def test_an_earlier_export_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("mine")
    assert run(EVERY, "--to", "csv", out).returncode == Exit.EXISTS
    assert out.read_text() == "mine"
    assert run(EVERY, "--to", "csv", out, "--force").returncode == Exit.OK
    assert out.read_text().startswith("task,")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["/nowhere", "--to", "csv", "-"], Exit.NO_INPUT, "no batch.json"),
        ([EVERY, "--to", "xlsx", "-"], Exit.USAGE, "no such format; csv, parquet, atif, inspect"),
        ([EVERY, "--to", "csv", "/nowhere/out.csv"], Exit.UNAVAILABLE, "No such file or directory"),
    ],
)
def test_a_refusal_names_the_thing(argv: list[object], code: Exit, said: str) -> None:
    done = run(*argv)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(bool(importlib.util.find_spec("pyarrow")), reason="pyarrow is installed")
def test_parquet_without_pyarrow_is_refused_with_the_command(tmp_path: Path) -> None:
    done = run(EVERY, "--to", "parquet", tmp_path / "out.parquet")
    assert done.returncode == Exit.UNAVAILABLE
    assert "-m pip install pyarrow" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not importlib.util.find_spec("pyarrow"), reason="needs pyarrow, an extra")
def test_parquet_holds_the_same_rows_with_their_types(tmp_path: Path) -> None:
    parquet = importlib.import_module("pyarrow.parquet")
    done = run(EVERY, "--to", "parquet", tmp_path / "out.parquet")
    assert done.returncode == 0, done.stderr
    found = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [{k: flat.cell(v) for k, v in row.items()} for row in found] == [
        {k: flat.cell(row[k]) for k in rows.columns()} for row in export.batches([EVERY])
    ]
    assert {row["succeeded"] for row in found} == {True, False, None}


def trajectories(root: Path, batch: Path) -> list[dict[str, Any]]:
    out = root / "out"
    done = run(batch, "--to", "atif", out)
    assert done.returncode == 0, done.stderr
    return [json.loads(file.read_text()) for file in sorted(out.glob("*/*.json"))]


def test_a_transcript_becomes_a_trajectory_with_each_answer_beside_its_call(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path, answer="no such crate")
    made = trajectories(tmp_path, batch.folder)
    assert len(made) == len(batch.order)
    assert made[0]["session_id"] == "batch-1/trial-1-with-symposium"
    asked, *turns = made[0]["steps"]
    assert (asked["source"], asked["message"]) == ("user", "Add double.")
    assert [step["step_id"] for step in made[0]["steps"]] == list(range(1, len(turns) + 2))
    (called,) = [step for step in turns if "tool_calls" in step]
    assert called["tool_calls"][0]["arguments"] == {"command": "cargo build"}
    assert called["observation"]["results"] == [{"source_call_id": "1", "content": "no such crate"}]
    assert called["extra"] == {"failed_calls": ["1"]}
    assert turns[-1]["message"] == "I added `double`."


def test_41_a_hostile_transcript_becomes_valid_json(tmp_path: Path) -> None:
    made = trajectories(tmp_path, hostile(tmp_path / "made").folder)
    assert HOSTILE.replace("\ud800", "\\ud800") in made[1]["steps"][-2]["message"]


def test_codexs_items_become_steps_with_each_answer_beside_its_call(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path)
    recorded = (HERE / "clients/codex/transcripts/success_tools.jsonl").read_bytes()
    (batch.folder / batch.order[0] / "transcript.jsonl").write_bytes(recorded)
    made = trajectories(tmp_path, batch.folder)
    (steps,) = (one["steps"] for one in made if one["session_id"].endswith(batch.order[0]))
    assert [step["message"] for step in steps if step["source"] == "agent" and "tool_calls" not in step] == [
        "Let me look.",
        "All done; tests pass.",
    ]
    calls = [step for step in steps if "tool_calls" in step]
    names = [call["function_name"] for step in calls for call in step["tool_calls"]]
    assert names == ["command_execution", "command_execution", "file_change", "command_execution"]
    assert calls[0]["tool_calls"][0]["arguments"] == {"command": "/bin/bash -c 'cat src/lib.rs'"}
    assert calls[0]["observation"]["results"][0]["content"].startswith("pub fn add")
    assert not any("extra" in step for step in calls)


def test_a_call_of_codex_that_was_cut_off_has_no_answer_and_a_failed_one_is_marked() -> None:
    def item(event: str, name: str, **more: Any) -> bytes:
        made = {"id": name, "type": "command_execution", "command": "x", **more}
        return json.dumps({"type": event, "item": made}).encode()

    thread = b'{"type": "thread.started", "thread_id": "t"}'
    failed = item("item.completed", "item_1", aggregated_output="no", exit_code=1, status="failed")
    cut = item("item.started", "item_1", aggregated_output="", exit_code=None, status="in_progress")
    _, first, again = session.of("p", [thread, failed, thread, cut])  # resumed: the numbers begin again
    assert (first.calls[0].answer, first.calls[0].failed) == ("no", True)
    assert (again.calls[0].answer, again.calls[0].failed) == (None, False)


def test_an_inspect_log_scores_what_counts_and_marks_what_does_not(tmp_path: Path) -> None:
    done = run(EVERY, "--to", "inspect", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    log = json.loads((tmp_path / "out/every-outcome/without-symposium.json").read_text())
    scored = {s["epoch"]: s["scores"]["agent_eval"]["value"] for s in log["samples"] if "scores" in s}
    assert scored == {1: "C", 2: "I", 3: "I", 6: "I"}
    assert [s["error"]["message"].partition(":")[0] for s in log["samples"] if "error" in s] == [
        "setup_failure",
        "cancelled",
    ]
    assert (log["status"], log["results"]["total_samples"]) == ("cancelled", 6)
    assert log["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 0.25
    assert log["eval"]["metadata"]["route"] == "gateway"


def test_O04_without_an_eligible_trial_there_is_no_accuracy(tmp_path: Path) -> None:
    run(RECORDS / "none-eligible", "--to", "inspect", tmp_path / "out")
    log = json.loads((tmp_path / "out/none-eligible/without-symposium.json").read_text())
    assert log["results"]["scores"] == []


def test_every_column_is_in_the_schema_and_explained_in_the_docs() -> None:
    row = next(iter(export.batches([EVERY])))
    assert list(row) == ["schema", *rows.columns()]
    assert all(kind in rows.TYPES and meaning for kind, meaning in rows.columns().values())
    docs = (HERE.parent / "docs/reading-a-report.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z_0-9]+)`", docs[docs.index("## The columns") :]))
    assert set(rows.columns()) <= named
    documents.check(row, "row/1", "row")
