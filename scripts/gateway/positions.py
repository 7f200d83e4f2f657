"""Reads a YAML file and keeps the line of every value, so that a mistake can be named where it stands.

Only plain YAML: no tags that make objects, no anchors, no key twice, no keys but text. It knows nothing of
rehearsals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

Place = tuple[str | int, ...]  # keys and list positions from the top


class Misread(Exception):
    """The file is no plain YAML; the message says why."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class Located:
    """A file's data, and the line (from 1) where each value, or its key, stands."""

    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, place: Place) -> int:
        """Of the value or, where it is absent, of what it would stand in."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


class _Loader(yaml.SafeLoader):
    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            at = cast(Any, self).peek_event().start_mark
            raise Misread(at.line + 1, "an alias (*name); write it out")
        return super().compose_node(parent, index)


def load(path: Path) -> Located:
    """Raises Misread; OSError when it cannot be read."""
    try:
        loader = _Loader(path.read_text("utf-8"))
        node = loader.get_single_node()
        located = Located()
        if node is not None:
            located.data = _plain(loader, node, (), located.lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = " ".join(part for part in (error.context, error.problem) if part)
        raise Misread(mark.line + 1 if mark else 1, f"not YAML: {said}; correct it") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Misread(1, f"not YAML: {error}; correct it") from error
    return located


def _plain(loader: _Loader, node: yaml.Node, place: Place, lines: dict[Place, int]) -> Any:
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node, place, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(loader, item, (*place, i), lines) for i, item in enumerate(node.value)]
    return _scalar(loader, node)


def _mapping(
    loader: _Loader, node: yaml.MappingNode, place: Place, lines: dict[Place, int]
) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        key = _scalar(loader, key_node) if isinstance(key_node, yaml.ScalarNode) else None
        if not isinstance(key, str):
            raise Misread(line, f"the key {key_node.value!r} is no text; put it in quotes")
        if key in data:
            raise Misread(line, f"{key} is there twice; keep one")
        lines[*place, key] = line
        data[key] = _plain(loader, value_node, (*place, key), lines)
    return data


def _scalar(loader: _Loader, node: yaml.Node) -> Any:
    try:
        value = loader.construct_object(node)
    except (ValueError, OverflowError) as error:
        raise Misread(node.start_mark.line + 1, f"{node.value!r}: {error}; correct it") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise Misread(node.start_mark.line + 1, f"{node.value} is no number to reckon with; give another")
    return value
