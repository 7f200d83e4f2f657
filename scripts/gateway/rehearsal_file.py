"""evals/tasks/<task>/rehearsals/<name>.yaml: read and held against schemas/rehearsal.1.schema.json, line by
line.

What is accepted can happen: no turn is out of reach, no setting has nothing to set, no expectation names
what result.json cannot hold. It runs nothing. A refusal is the author's fault.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator, ValidationError

import clients
from gateway import positions
from gateway.positions import Place
from kit import documents
from kit.contract import Exit, Stop
from kit.documents import Document

SCHEMA = "rehearsal/1"
SLUG = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
SETTINGS = ("usage", "delay")
LASTING = ("stall", "error", "refuse", "limit")  # they answer for ever, unless `times` says otherwise
PLACEHOLDERS = ("skills", "home")
Problem = tuple[Place, str]


class RehearsalError(Stop):
    """A rehearsal is refused: "<file>:<line>: <what is wrong>; <what to do>"."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(Exit.BAD_INPUT, f"{path}:{line}: {message}")


def read(path: Path) -> Document:
    """The file as it stands, with `stall`, `refuse` and `limit` always as tables; raises RehearsalError."""
    if not SLUG.fullmatch(path.stem):
        raise RehearsalError(path, 1, f"{path.stem} is no name; use small letters, digits and single hyphens")
    try:
        located = positions.load(path)
    except positions.Misread as error:
        raise RehearsalError(path, error.line, str(error)) from error
    except OSError as error:
        raise RehearsalError(path, 1, f"{error.strerror}; give a file that is there") from error
    problems = list(_schema(located.data)) or [*_outside(located.data), *_turns(located.data["turns"])]
    if problems:
        place, message = min(problems, key=lambda problem: (located.line(problem[0]), -len(problem[0])))
        raise RehearsalError(path, located.line(place), message)
    turns = [tables(turn) for turn in located.data["turns"]]
    return {**located.data, "turns": turns}


def tables(turn: str | Document) -> Document:
    """A turn with its value as a table where it may be left out: `- stall` is `- stall: {}`."""
    if isinstance(turn, str):
        return {turn: {}}
    return {word: {} if value is None else value for word, value in turn.items()}


def _schema(data: Any) -> Iterator[Problem]:
    for error in documents.validator(SCHEMA).iter_errors(data):
        yield from sentences(error)


def sentences(error: ValidationError, above: Place = ()) -> Iterator[Problem]:
    """A schema's complaint in words, at the place it is about; `above`: where the checked part stands."""
    place: Place = (*above, *error.absolute_path)
    here, rule, found = where(place), cast(Any, error.validator_value), cast(Any, error.instance)
    match error.validator:
        case "additionalProperties":
            known = list(cast(Document, error.schema).get("properties", {}))
            for key in [key for key in found if key not in known]:
                yield (*place, key), f"{here}unknown key {key}{nearest(key, known)}"
        case "required":
            for key in [key for key in rule if key not in found]:
                yield place, f"{here}{key} is missing; add it"
        case "maxProperties":
            yield place, f"{here}more than one key ({', '.join(found)}); make a turn of each"
        case "enum":
            words = [str(word) for word in rule]
            yield place, f"{here}{found!r} is none of {', '.join(words)}{nearest(found, words)}"
        case "anyOf":
            for inner in (inner for inner in error.context or () if inner.validator_value != "null"):
                yield from sentences(inner, above)
        case _:
            yield place, f"{here}{error.message}; correct it"


def where(place: Place) -> str:
    """ "turn 3, write: " """
    words = [str(part) for part in place]
    if len(place) > 1 and place[0] == "turns" and isinstance(place[1], int):
        words[:2] = [f"turn {place[1] + 1}"]
    return ", ".join(words) + ": " if words else ""


def nearest(word: object, known: Iterable[str]) -> str:
    names = list(known)
    if close := difflib.get_close_matches(str(word), names, 1):
        return f"; did you mean {close[0]}?"
    return f"; known: {', '.join(names)}" if names else "; remove it"


def _outside(data: Document) -> Iterator[Problem]:
    """What the rest of the house must know: clients, and the parts of result.json."""
    known = clients.names()
    for i, name in enumerate(data.get("clients", [])):
        if name not in known:
            yield ("clients", i), f"client {name}: unknown{nearest(name, known)}"
    for name, said in data["expect"].items():
        for place, parts in _by_configuration(name, said, known):
            yield from _expected(parts, place)


def _by_configuration(name: str, said: Document, known: list[str]) -> Iterator[tuple[Place, Any]]:
    if name in known and "outcome" not in said:
        yield from ((("expect", name, configuration), parts) for configuration, parts in said.items())
    else:
        yield ("expect", name), said


def _expected(said: Any, above: Place) -> Iterator[Problem]:
    schema = {**_partial({"$ref": "result.1.schema.json"}, ""), "required": ["outcome"]}
    for error in Draft202012Validator(schema).iter_errors(said):
        yield from sentences(error, above)


def _partial(schema: Any, base: str) -> Any:
    """The schema with nothing required and every reference written out."""
    if isinstance(schema, list):
        return [_partial(item, base) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name, _, fragment = schema["$ref"].partition("#")
        target = documents.contents(name or base)
        for part in fragment.strip("/").split("/") if fragment else ():
            target = target[part]
        return _partial(target, name or base)
    return {
        key: _partial(value, base)
        for key, value in schema.items()
        if key not in ("required", "$defs", "$schema")
    }


def _turns(turns: list[str | Document]) -> Iterator[Problem]:
    ends, setting = "", ""
    for i, turn in enumerate(turns):
        word, value = next(iter(tables(turn).items()))
        if ends:
            yield ("turns", i), f"turn {i + 1}: never reached: {ends}"
            return
        if word in LASTING and "times" not in value:
            ends = f"turn {i + 1} ({word}) answers every request from then on; give it `times`"
        setting = word if word in SETTINGS else ""
        yield from _paths(("turns", i), word, value)
    last = next(iter(tables(turns[-1])))
    if setting:
        yield (
            ("turns", len(turns) - 1),
            f"turn {len(turns)}: {setting} has no answer after it; move or remove it",
        )
    elif last != "say" and not ends:
        yield (
            ("turns", len(turns) - 1),
            f"turn {len(turns)}: the client will ask again after {last}; end with say",
        )


def _paths(place: Place, word: str, value: Any) -> Iterator[Problem]:
    path = value if word == "read" else value["path"] if word == "write" else ""
    for name in re.findall(r"\{(\w*)\}", path):
        if name not in PLACEHOLDERS:
            shown = [f"{{{known}}}" for known in PLACEHOLDERS]
            yield (
                (*place, word),
                f"{where(place)}{{{name}}} stands for nothing{nearest(f'{{{name}}}', shown)}",
            )
