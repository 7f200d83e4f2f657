"""The whole of it on real parts, as `make eval` runs it: the real client, srt, cargo-agents and cargo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kit import documents, trees
from kit.contract import Exit
from kit.tools import Tools

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.real


@dataclass(frozen=True)
class Ran:
    """A batch that was planned and run by the programs themselves."""

    folder: Path
    said: str

    @property
    def plan(self) -> dict[str, Any]:
        return documents.read(self.folder / "batch.json", "batch/1")

    @property
    def benchmark(self) -> dict[str, Any]:
        return documents.read(self.folder / "benchmark.json", "benchmark/1")

    def result(self, trial: str) -> dict[str, Any]:
        return documents.read(self.folder / trial / "result.json", "result/1")


def program(name: str, *args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / f"scripts/{name}.py", *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ANTHROPIC_API_KEY": "sk-ant-a-key-that-must-never-be-used"},
    )


@pytest.fixture(scope="module")
def place(tools: Tools) -> Iterator[Path]:
    """Where a trial's uid may pass: pytest's own folders are closed to it."""
    parent = "/var/tmp" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="agent-eval-test-", dir=parent))
    folder.chmod(0o755)
    yield folder
    trees.remove(folder)


def run(place: Path, *args: str) -> Ran:
    where = ["--eval-root", str(place / "root"), "--results", str(place / "results")]
    planned = program("plan", *args, *where)
    assert planned.returncode == 0, planned.stderr
    folder = Path(planned.stdout.strip().splitlines()[-1])
    ran = program("batch", folder)
    assert ran.returncode == 0, ran.stderr + ran.stdout
    return Ran(folder, ran.stdout + ran.stderr)


@pytest.fixture(scope="module")
def formatting(place: Path) -> Ran:
    return run(place, "formatting")


@pytest.fixture(scope="module")
def durability(place: Path) -> Ran:
    return run(place, "store-durability", "--trials", "2", "--rehearse", "with:flush,without:no-flush")


def test_formatting_is_delivered_loaded_and_graded(formatting: Ran) -> None:
    """Installed by SessionStart during the session, not listed, loaded by reading; rehearsed, and said so."""
    result = formatting.result("trial-1-with-symposium")
    assert (result["outcome"], result["rehearsal"]) == ("succeeded", "oracle")
    skill = result["expectations"]["skills"]["rust-formatting"]
    assert (skill["installed"], skill["listed"], skill["used"]) == ("pass", False, "pass")
    assert result["expectations"]["sync"]["session_start"] == "pass"
    assert result["expectations"]["hooks"] == {"format-on-stop": "pass"}
    assert result["code"]["hidden"] == {"double": "pass"}
    assert result["code"]["cargo_fmt_check"] == "pass", (
        "the Stop hook formats what the agent left unformatted"
    )
    assert "REHEARSED" in formatting.said
    assert "read SKILL.md" in formatting.said
    assert formatting.benchmark["rehearsal"] == {"with-symposium": "oracle"}


def test_the_transcript_is_the_clients_own_and_matches_the_gateways_record(formatting: Ran) -> None:
    trial = formatting.folder / "trial-1-with-symposium"
    events = [json.loads(line) for line in (trial / "transcript.jsonl").read_text("utf-8").splitlines()]
    assert any(event.get("claude_code_version") for event in events)
    exchanges = [json.loads(line) for line in (trial / "exchanges.jsonl").read_text("utf-8").splitlines()]
    for exchange in exchanges:
        documents.check(exchange, "exchange/1", "exchanges.jsonl")
    called = {c["id"] for e in exchanges for c in e["tool_calls"]}
    shown = {
        block["id"]
        for event in events
        if event["type"] == "assistant"
        for block in event["message"]["content"]
        if block["type"] == "tool_use"
    }
    assert shown == called


def test_L04_the_key_that_the_environment_holds_is_nowhere(formatting: Ran) -> None:
    for file in formatting.folder.rglob("*"):
        if file.is_file():
            assert b"sk-ant-a-key" not in file.read_bytes(), file


def test_P01_nothing_of_the_run_is_left(formatting: Ran) -> None:
    trial = documents.read(formatting.folder / "trial-1-with-symposium/trial.json", "trial/1")
    for name in ("run", "control", "grading", "grading_control", "work"):
        assert not Path(trial["paths"][name]).exists(), name


def test_R01_every_file_that_the_rules_name_is_there(formatting: Ran) -> None:
    trial = formatting.folder / "trial-1-with-symposium"
    names = "result.json srt.json submission grading transcript.jsonl response.txt stderr.log"
    names += " hook-trace.jsonl evidence symposium.log"
    assert [name for name in names.split() if not (trial / name).exists()] == []


def test_O05_four_trials_in_alternating_order_and_a_delta_of_one(durability: Ran) -> None:
    assert durability.plan["order"] == [
        "trial-1-without-symposium",
        "trial-1-with-symposium",
        "trial-2-with-symposium",
        "trial-2-without-symposium",
    ]
    counted = durability.benchmark["configurations"]
    assert counted["with-symposium"]["success_rate"] == 1.0
    assert counted["without-symposium"]["success_rate"] == 0.0
    assert durability.benchmark["delta"]["success_rate"] == 1.0
    orders = {name: durability.result(name)["order"] for name in durability.plan["order"]}
    assert list(orders.values()) == [1, 2, 1, 2]


def test_the_baseline_knows_nothing_of_symposium(durability: Ran) -> None:
    trial = durability.folder / "trial-1-without-symposium"
    assert durability.result(trial.name)["symposium"] is None
    assert not (trial / "expectations.json").exists()
    assert not (trial / "hook-trace.jsonl").exists()
    policy = json.loads((trial / "srt.json").read_text("utf-8"))
    assert "tools/symposium" not in json.dumps(policy)


@pytest.mark.parametrize("which", ["formatting", "durability"])
def test_R01_redo_rebuilds_every_derived_document_as_it_was(
    which: str, request: pytest.FixtureRequest
) -> None:
    ran: Ran = request.getfixturevalue(which)
    files = ("observation.json", "response.txt", "expectations.json", "audit.json", "result.json")
    before = {
        file: file.read_bytes()
        for trial in ran.plan["order"]
        for file in (ran.folder / trial / name for name in files)
        if file.exists()
    }
    assert before
    done = program("redo", ran.folder, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "as before" in done.stdout
    for file, content in before.items():
        if file.suffix != ".json":
            assert file.read_bytes() == content, file


def test_R01_redo_says_what_came_out_different(formatting: Ran) -> None:
    file = formatting.folder / "trial-1-with-symposium/audit.json"
    was = file.read_text("utf-8")
    file.write_text(was.replace('"config_changes": []', '"config_changes": ["home/x: added"]'), "utf-8")
    done = program("redo", formatting.folder, "--check")
    assert done.returncode == Exit.NO
    assert "changed: " in done.stdout
    assert file.read_text("utf-8") == was, "and it is put right"


def test_O05_a_batch_that_has_run_is_never_run_again(formatting: Ran) -> None:
    result = formatting.folder / "trial-1-with-symposium/result.json"
    was = result.read_bytes()
    again = program("batch", formatting.folder)
    assert again.returncode == Exit.EXISTS, again.stderr
    alone = program("trial", result.parent)
    assert alone.returncode == Exit.EXISTS, alone.stderr
    graded = program("grade", result.parent)
    assert graded.returncode == Exit.EXISTS, graded.stderr
    assert result.read_bytes() == was


def test_an_aa_batch_goes_through_the_whole_pipeline_and_says_what_it_should_show(place: Path) -> None:
    """The same set-up twice, each with its own home, registry and hooks: rehearsed alike, they end alike."""
    ran = run(place, "formatting", "--aa", "--trials", "2")
    arms = ran.benchmark["configurations"]
    assert {name: c["role"] for name, c in arms.items()} == {
        "aa-control": "control",
        "aa-treatment": "treatment",
    }
    assert {c["setup"] for c in ran.plan["configurations"]} == {"symposium"}
    assert [(c["succeeded"], c["eligible"]) for c in arms.values()] == [(2, 2), (2, 2)]
    expected = [ran.result(trial)["expectations"]["hooks"] for trial in ran.plan["order"]]
    assert expected == [{"format-on-stop": "pass"}] * 4
    assert ran.benchmark["delta"]["success_rate"] == 0
    flowing = " ".join(ran.said.split())
    assert "A/A: both configurations are the same, so the true difference is 0" in flowing
    assert "This one: p = 1, as it should be." in flowing
