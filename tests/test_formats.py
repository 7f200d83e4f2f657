"""What is exported for other programs is read back by their own readers: `nox -s formats` installs them."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import export
from whole_batch import HOSTILE, WholeBatch, hostile

HERE = Path(__file__).resolve().parent
RECORDED = sorted(HERE.glob("clients/*/transcripts/*.jsonl"))
EVERY = HERE / "records/every-outcome"

inspect_ai = pytest.mark.skipif(not importlib.util.find_spec("inspect_ai"), reason="needs inspect-ai")
harbor = pytest.mark.skipif(not importlib.util.find_spec("harbor"), reason="needs harbor")


def exported(form: str, batch: Path, out: Path) -> list[Path]:
    command = [sys.executable, export.__file__, str(batch), "--to", form, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return sorted(out.glob("*/*.json"))


def transcripts(root: Path) -> Path:
    """A batch in which each trial left one of the recorded transcripts, in turn, of both clients."""
    batch = WholeBatch(root, (len(RECORDED) + 1) // 2)
    for trial, recorded in zip(batch.order, RECORDED, strict=False):
        (batch.folder / trial / "transcript.jsonl").write_bytes(recorded.read_bytes())
    return batch.folder


def agrees(made: Any, read: Any) -> None:
    """Everything that we wrote came back as it was; a reader may add its defaults."""
    if isinstance(made, dict):
        for key, value in made.items():
            assert key in read, key
            agrees(value, read[key])
    elif isinstance(made, list):
        assert len(made) == len(read)
        for one, other in zip(made, read, strict=True):
            agrees(one, other)
    else:
        assert made == read


@inspect_ai
@pytest.mark.parametrize("make", [transcripts, lambda root: hostile(root).folder, lambda _: EVERY])
def test_an_inspect_log_comes_back_from_inspects_own_reader(tmp_path: Path, make: Any) -> None:
    reader = importlib.import_module("inspect_ai.log")
    scorer = importlib.import_module("inspect_ai.scorer")
    files = exported("inspect", make(tmp_path / "made"), tmp_path / "out")
    assert files
    for file in files:
        log = reader.read_eval_log(str(file))
        made, read = json.loads(file.read_text()), log.model_dump(mode="json")
        made["eval"].pop("created"), made["eval"].pop("model")  # a time and a name that it spells its own way
        agrees(made, read)
        values = [s.scores["agent_eval"].value for s in log.samples if s.scores]
        known = [scorer.value_to_float()(value) for value in values]
        accuracy = log.results.scores[0].metrics["accuracy"].value
        assert accuracy == pytest.approx(sum(known) / len(known))


@harbor
@pytest.mark.parametrize("make", [transcripts, lambda root: hostile(root).folder])
def test_an_atif_trajectory_comes_back_from_harbors_own_models(tmp_path: Path, make: Any) -> None:
    models = importlib.import_module("harbor.models.trajectories")
    files = exported("atif", make(tmp_path / "made"), tmp_path / "out")
    assert files
    for file in files:
        made = json.loads(file.read_text())
        assert models.Trajectory.model_validate(made).to_json_dict() == made


@inspect_ai
def test_41_hostile_text_arrives_whole(tmp_path: Path) -> None:
    reader = importlib.import_module("inspect_ai.log")
    (file, *_) = exported("inspect", hostile(tmp_path / "made").folder, tmp_path / "out")
    said = " ".join(m.text for s in reader.read_eval_log(str(file)).samples for m in s.messages)
    assert HOSTILE.replace("\ud800", "\\ud800") in said
