"""tests/schemas/<name>.<version>/: valid-*.json fit; invalid-*.json fail, for the reason beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kit import documents

FOLDER = Path(__file__).with_name("schemas")
CASES = sorted(FOLDER.glob("*/*.json"))
SCHEMAS = sorted(documents.SCHEMAS.glob("*.schema.json"))


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda f: f.name)
def test_schema_is_sound_and_named_after_its_file(schema: Path) -> None:
    body = json.loads(schema.read_text("utf-8"))
    Draft202012Validator.check_schema(body)
    assert body["title"].replace("/", ".") == schema.name.removesuffix(".schema.json")
    assert "$id" not in body, "an absolute id would send validators to the network"


@pytest.mark.parametrize(
    "schema", [s for s in SCHEMAS if s.name != "common.1.schema.json"], ids=lambda f: f.name
)
def test_each_schema_has_examples_of_both_kinds(schema: Path) -> None:
    folder = FOLDER / schema.name.removesuffix(".schema.json")
    assert list(folder.glob("valid-*.json")), f"{folder}: no valid example"
    assert list(folder.glob("invalid-*.json")), f"{folder}: no invalid example"


@pytest.mark.parametrize("case", CASES, ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_example(case: Path) -> None:
    document = json.loads(case.read_text("utf-8"))
    name, _, version = case.parent.name.rpartition(".")
    if case.name.startswith("valid-"):
        documents.check(document, f"{name}/{version}", case)
        return
    with pytest.raises(documents.Invalid) as problem:
        documents.check(document, f"{name}/{version}", case)
    assert case.with_suffix(".errors.txt").read_text("utf-8").strip() in str(problem.value)


@pytest.mark.parametrize("case", CASES, ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_the_quick_validator_and_the_one_that_explains_agree(case: Path) -> None:
    document = json.loads(case.read_text("utf-8"))
    name, _, version = case.parent.name.rpartition(".")
    schema = f"{name}/{version}"
    assert documents.quick(schema).is_valid(document) == documents.validator(schema).is_valid(document)
