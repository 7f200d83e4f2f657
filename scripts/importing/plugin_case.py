"""A case of `claude plugin eval` as its runner joins it: case.yaml, prompt.md over it, graders/*.md beside.

It says why the runner would not load a case, and nothing about what of it becomes a task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

import importing
from kit.documents import Document

SCHEMA = "plugin-case/1"
TOP = ("schema_version", "name", "description", "tags", "plugins", "runs", "expected_outcome")
EXECUTION = (
    *("model", "max_turns", "timeout_seconds", "allowed_tools", "disallowed_tools", "artifact_publish"),
    *("growthbook_overrides", "append_system_prompt", "env"),
)
BODY = {"llm": "criteria", "baseline": "criteria", "regex": "pattern"}  # of a grader: what its text is
TEMPLATE = "TODO: describe what "  # as `claude plugin eval init` leaves it


class Misread(Exception):
    """A case that its own runner would not load; str() says why."""


def load(place: Path) -> Document:
    """Raises Misread."""
    try:
        said = joined(place)
    except (yaml.YAMLError, *importing.UNREADABLE) as error:
        raise Misread(" ".join(str(error).split())) from error
    if wrong := importing.problem(said, SCHEMA) or twice(said) or blank(said):
        raise Misread(wrong)
    return said


def joined(place: Path) -> Document:
    """case.yaml with what prompt.md and graders/*.md put over it and add to it."""
    file = place / "case.yaml"
    said = yaml.safe_load(importing.checked(file, place).read_text("utf-8")) if file.exists() else {}
    if not isinstance(said, dict):
        raise Misread("case.yaml: no table")
    if not file.exists():
        said = {"schema_version": "1.1", "name": place.name}
    if (place / "prompt.md").exists():
        matter, body = prose(place / "prompt.md", place)
        if strange := sorted(map(str, {*(matter or {})} - {*TOP, *EXECUTION})):
            raise Misread(f"prompt.md: {', '.join(strange)} not known")
        own = said.get("execution") if isinstance(said.get("execution"), dict) else {}
        given = {key: value for key, value in (matter or {}).items() if key in EXECUTION}
        said |= {key: value for key, value in (matter or {}).items() if key in TOP}
        said["execution"] = {**(own or {}), **given, **({"prompt": body} if body else {})}
    if graders := [one for file in sorted((place / "graders").glob("*.md")) for one in grader(file, place)]:
        there = said.get("graders")
        said["graders"] = [*(there if isinstance(there, list) else []), *graders]
    return said


def prose(file: Path, place: Path) -> tuple[dict[str, Any] | None, str]:
    """A file's front matter (None: it has none) and its text."""
    text = importing.checked(file, place).read_text("utf-8")
    if not (parts := re.match(r"---[ \t]*\n(.*?)\n?---[ \t]*(?:\n|$)", text, re.DOTALL)):
        if re.match(r"---\s*\n", text):
            raise Misread(f"{file.name}: its front matter has no end")
        return None, text.strip()
    matter = yaml.safe_load(parts[1]) or {}
    if not isinstance(matter, dict):
        raise Misread(f"{file.name}: its front matter is no table")
    return matter, text[parts.end() :].strip()


def grader(file: Path, place: Path) -> Iterator[Document]:
    matter, body = prose(file, place)
    if matter is not None:
        text = BODY.get(str(matter.get("type")))
        yield {"name": file.stem, **({text: body} if text and body else {}), **matter}


def twice(said: Document) -> str | None:
    names = [one["name"] for one in said["graders"]]
    again = sorted({name for name in names if names.count(name) > 1})
    return f"graders: two are called {again[0]}" if again else None


def blank(said: Document) -> str | None:
    texts = [one.get("criteria", one.get("pattern", "")) for one in said["graders"]]
    if any(TEMPLATE in text for text in [said["execution"]["prompt"], *texts]):
        return "still the blank template; write what it asks for"
    return None
