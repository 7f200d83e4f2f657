"""Documents: checked both ways, written whole or not at all, refused by name when newer (R03)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit import documents

RECEIPT = {"step": "grade", "exit": "ok", "error": None, "started": 1.5, "elapsed_secs": 0.1}


def test_R03_a_document_that_does_not_fit_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    with pytest.raises(documents.Invalid, match="elapsed_secs"):
        documents.write(file, "receipt/1", {**RECEIPT, "elapsed_secs": -1})
    assert list(tmp_path.iterdir()) == []


def test_R03_a_newer_version_is_refused_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    file.write_text(json.dumps({"schema": "receipt/7", **RECEIPT}))
    with pytest.raises(documents.Invalid, match=r"is a receipt/7, and this version reads receipt/1"):
        documents.read(file, "receipt/1")


def test_R03_a_torn_document_is_named(tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    documents.write(file, "receipt/1", RECEIPT)
    file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(documents.Invalid, match=r"receipt\.json: not JSON"):
        documents.read(file, "receipt/1")


def test_R03_an_earlier_document_survives_a_write_that_fails(tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    documents.write(file, "receipt/1", RECEIPT)
    with pytest.raises(documents.Invalid):
        documents.write(file, "receipt/1", {**RECEIPT, "extra": 1})
    assert documents.read(file, "receipt/1")["step"] == "grade"


def test_R01_stable_leaves_out_exactly_the_volatile_fields() -> None:
    document = {"schema": "receipt/1", **RECEIPT}
    assert documents.stable(document, "receipt/1") == {"schema": "receipt/1", "step": "grade", "exit": "ok"}


def test_R01_stable_follows_references_lists_and_null_alternatives() -> None:
    exchange = json.loads(
        (Path(__file__).with_name("schemas") / "exchange.1/valid-turn.json").read_text("utf-8")
    )
    kept = documents.stable(exchange, "exchange/1")
    assert "at" not in kept
    assert "request" not in kept
    assert kept["usage"] == exchange["usage"]
    assert all("id" not in call for call in kept["tool_calls"])
    assert [call["name"] for call in kept["tool_calls"]] == [call["name"] for call in exchange["tool_calls"]]


def test_lone_surrogates_do_not_stop_a_document(tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    documents.write(file, "receipt/1", {**RECEIPT, "error": "name \udcff"})
    assert documents.read(file, "receipt/1")["error"] == "name \\udcff" or "\\udcff" in file.read_text(
        "utf-8"
    )
