"""task.toml: read, held against schemas/task-file.1.schema.json, defaults filled in.

It never looks beside the file (taskcheck.py does), and it never stops at the first mistake: what is wrong is
returned as sentences, and the rest is read on. A refusal is the fault of the task's author.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from jsonschema import ValidationError

from kit import asserted, documents
from kit.documents import Document

SCHEMA = "task-file/1"
TRIALS = {"regression": 1, "capability": 5}
GRADER = "cargo"
SUFFIXES = {"cargo": ".rs", "pytest": ".py", "unittest": ".py"}  # of hidden tests; command has none
# Names of what comes later, so that no task can mean something else by them.
RESERVED = (
    *("boundary", "spawns", "requires"),
    *("context", "permissions", "recovery", "budget"),
)
TYPES = {
    "string": "text in quotes",
    "array": "a list in brackets",
    "object": "a table",
    "integer": "a whole number",
    "boolean": "true or false",
}


def read(path: Path) -> tuple[Document | None, list[str]]:
    """The file with its defaults, and what is wrong with it. None: it is no TOML file at all.

    A wrong key is read as if it were absent.
    """
    try:
        said = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None, ["missing; a task begins with its kind and its prompt"]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return None, [f"not TOML: {error}; correct it"]
    errors = list(documents.validator(SCHEMA).iter_errors(said))
    strays = "additionalProperties"  # ignored below, and no reason to ignore their neighbours
    wrong = {str(e.absolute_path[0]) for e in errors if e.absolute_path and e.validator != strays}
    problems = [line for error in errors for line in sentences(error)]
    return filled({key: value for key, value in said.items() if key not in wrong}), problems


def filled(said: Document) -> Document:
    """T02 and T03: what an absent key means."""
    properties = documents.contents("task-file.1.schema.json")["properties"]
    expected, skills = said.get("expected", {}), said.get("expected", {}).get("skills", {})
    installed, not_used = skills.get("installed", []), skills.get("not_used", [])
    kind = said.get("kind", "regression")
    simple = ("plugins", "fixtures", "editable", "fmt_check")
    return {
        "kind": kind,
        "prompt": said.get("prompt", ""),
        "expected_output": said.get("expected_output"),
        **{key: said.get(key, properties[key]["default"]) for key in simple},
        "trials": said.get("trials", TRIALS[kind]),
        "deadlines_secs": {
            phase: said.get("deadlines_secs", {}).get(phase, shape["default"])
            for phase, shape in properties["deadlines_secs"]["properties"].items()
        },
        "grader": said.get("grader", GRADER),
        **({"assert": asserted.named(said["assert"])} if said.get("assert") else {}),
        "expected": {
            "hooks": expected.get("hooks", []),
            "skills": {
                "installed": installed,
                "not_installed": skills.get("not_installed", []),
                "used": skills.get("used", [name for name in installed if name not in not_used]),
                "not_used": not_used,
            },
        },
    }


def sentences(error: ValidationError) -> Iterator[str]:
    """One schema error for a person: where, what, and what to write instead."""
    where = ".".join(str(part) for part in error.absolute_path if not isinstance(part, int))
    value, wanted, schema = (
        cast(Any, part) for part in (error.instance, error.validator_value, error.schema)
    )
    if error.validator == "additionalProperties":
        yield from (
            unknown(key, where, schema["properties"]) for key in value if key not in schema["properties"]
        )
    elif error.validator == "required":
        yield from (f"{key} is missing; write it" for key in wanted if key not in value)
    else:
        yield (
            wrong_value(str(error.validator), where, value, wanted) or f"{where}: {error.message}; correct it"
        )


def wrong_value(rule: str, where: str, value: Any, wanted: Any) -> str | None:
    match rule:
        case "type":
            return f"{where} = {value!r} is not {TYPES[wanted]}; correct it"
        case "enum":
            hint = nearest(str(value), wanted) or "; choose one"
            return f'{where} = "{value}" is none of {", ".join(wanted)}{hint}'
        case "minItems":
            return f"{where} is empty, so it takes nothing; name something, or leave it out"
        case "uniqueItems":
            return f"{where} names something twice; name it once"
        case "pattern" if where == "prompt":
            return "prompt is empty; say what the agent is to do"
        case "pattern":
            return f'{where}: "{value}" is not a name; write lower-case words joined by - or _'
        case "minimum":
            return f"{where} = {value} is too small; it is at least {wanted}"
    return None


def unknown(key: str, where: str, known: Iterable[str]) -> str:
    place = f" in [{where}]" if where else ""
    if not place and key in RESERVED:
        return f"{key} is not built yet; leave it out until it is"
    return f"{key}{place} is not known{nearest(key, known) or '; leave it out'}"


def nearest(word: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f'; did you mean "{found[0]}"?' if found else ""
