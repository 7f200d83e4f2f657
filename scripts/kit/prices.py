"""Price files: US dollars per million tokens, as of a date, written by whoever compares costs.

A model that is not in the file has no price: null and said, never 0. A wrong price is the file's fault.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from kit import documents
from kit.contract import Exit, Stop
from kit.documents import Document


def read_yaml(path: Path, schema: str) -> Document:
    """A document that a person wrote; Stop says in one line what is wrong with it."""
    try:
        document = yaml.safe_load(path.read_text("utf-8"))
        documents.check(document, schema, path)
    except FileNotFoundError as error:
        raise Stop(
            Exit.NO_INPUT,
            f"{path}: missing; schemas/{schema.replace('/', '.')}.schema.json says what it holds",
        ) from error
    except yaml.YAMLError as error:
        raise Stop(Exit.BAD_INPUT, f"{path}: not YAML: {error}") from error
    except documents.Invalid as error:
        raise Stop(Exit.BAD_INPUT, str(error)) from error
    assert isinstance(document, dict)
    return document


def planned(path: Path, model: str | None) -> Document:
    """batch/1's `prices`: the date, and the model's own prices, null where the file has none."""
    found = read_yaml(path, "prices/1")
    return {"as_of": str(found["as_of"]), "usd_per_million": found["usd_per_million"].get(model or "")}
