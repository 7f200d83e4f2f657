"""Read and write JSON documents; the schema is checked both ways.

A document's first key says what it is ("schema": "grading/1"). A property whose schema says `"volatile":
true` may differ between two runs of the same work (times, paths, random names); stable() leaves those
out.
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"

Document = dict[str, Any]


class Invalid(Exception):
    """A document does not fit its schema. Uncaught it ends a program, like a Stop(BAD_INPUT)."""

    code = 65


@functools.cache
def contents(file: str) -> Document:
    """A schema by its file's name, so that a $ref never leaves this machine."""
    body: Document = json.loads((SCHEMAS / file).read_text("utf-8"))
    return body


def reference(schema: str) -> Document:
    """A schema that is "grading/1", from schemas/grading.1.schema.json."""
    return {"$ref": f"{schema.replace('/', '.')}.schema.json"}


@functools.cache
def quick(schema: str) -> jsonschema_rs.Validator:
    """Says whether, in microseconds; a batch of 100,000 trials reads as many documents."""
    body = reference(schema)
    return jsonschema_rs.validator_for(body, retriever=lambda uri: contents(uri.rpartition("/")[2]))


@functools.cache
def validator(schema: str) -> Draft202012Validator:
    """Says what is wrong, in words; imported only when something is."""
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    files = [(file.name, contents(file.name)) for file in SCHEMAS.glob("*.schema.json")]
    registry: Registry[Any] = Registry().with_resources(
        (name, Resource.from_contents(body)) for name, body in files
    )
    return Draft202012Validator(reference(schema), registry=registry)


def fits(document: Any, schema: str) -> bool:
    try:
        return quick(schema).is_valid(document)
    except (UnicodeError, ValueError):  # a lone surrogate: no UTF-8, and still JSON
        return validator(schema).is_valid(document)


def check(document: Any, schema: str, where: object) -> None:
    """Raise Invalid, naming the place, unless the document fits; a newer version is refused by its name."""
    said = document.get("schema") if isinstance(document, dict) else None
    if isinstance(said, str) and said != schema and said.rpartition("/")[0] == schema.rpartition("/")[0]:
        raise Invalid(
            f"{where}: is a {said}, and this version reads {schema}; use the agent-eval that wrote it"
        )
    if not fits(document, schema):
        raise Invalid(f"{where}: not a {schema}: {why(document, schema)}")


def why(document: Any, schema: str) -> str:
    from jsonschema.exceptions import best_match

    error = best_match(validator(schema).iter_errors(document))
    return f"{error.json_path}: {error.message}" if error else "it does not fit its schema"


def read(path: Path, schema: str) -> Document:
    try:
        document = json.loads(path.read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"{path}: not JSON: {error}") from error
    check(document, schema, path)
    return document  # type: ignore[no-any-return]  # an object: every schema says so


def write(path: Path, schema: str, body: Document) -> None:
    """Whole or not at all, also across a power cut: an interrupted step leaves no half document behind."""
    document = {"schema": schema, **body}
    check(document, schema, path)
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write, flush to disk, rename; lone surrogates become escapes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")  # two programs may write the same at once
    with draft.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def mark(path: Path, text: str = "") -> None:
    """Make a file that was not there, on the disk with its name; raises FileExistsError."""
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    flush(path)
    flush(path.parent)


def flush(path: Path) -> None:
    """A file's content, or a folder's names, onto the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def stable(document: Any, schema: str) -> Any:
    """The document without what its schema marks volatile."""
    return _stable(document, reference(schema), "")


def _stable(value: Any, schema: Any, base: str) -> Any:
    while "$ref" in schema:
        name, _, fragment = schema["$ref"].partition("#")
        base = name or base
        schema = contents(base)
        for part in fragment.strip("/").split("/") if fragment else ():
            schema = schema[int(part)] if isinstance(schema, list) else schema[part]
    for option in schema.get("anyOf", ()):  # the one that is not null
        if value is not None and option.get("type") != "null":
            return _stable(value, option, base)
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties", {})
        shapes = {key: known.get(key, other if isinstance(other, dict) else {}) for key in value}
        return {k: _stable(v, shapes[k], base) for k, v in value.items() if not shapes[k].get("volatile")}
    if isinstance(value, list):
        return [_stable(item, schema.get("items", {}), base) for item in value]
    return value


def foreign(text: str | bytes, *, strict: bool = False) -> Document | None:
    """A JSON object that somebody else wrote, who may nest as deep as he likes; None: it is none.

    strict: NaN and the infinities, which Python reads, are no JSON.
    """
    try:
        found = json.loads(text, parse_constant=_refuse if strict else None)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
