"""What is asked of tree-sitter's nodes, whatever the language."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator

import tree_sitter

from kit.hidden_tests import walk as walk


@functools.cache
def parser(package: str, function: str) -> tree_sitter.Parser:
    language = getattr(importlib.import_module(package), function)()
    return tree_sitter.Parser(tree_sitter.Language(language))


def text(node: tree_sitter.Node | None) -> bytes:
    return (node.text or b"") if node else b""


def field(node: tree_sitter.Node | None, name: str) -> tree_sitter.Node | None:
    return node.child_by_field_name(name) if node else None


def above(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What it stands in, nearest first."""
    while parent := node.parent:
        yield (node := parent)


def arguments(call: tree_sitter.Node) -> list[tree_sitter.Node]:
    held = field(call, "arguments")
    return [one for one in held.named_children if one.type != "comment"] if held else []


def short(node: tree_sitter.Node) -> str:
    said = " ".join((node.text or b"").decode("utf-8", "backslashreplace").split())
    return f"line {node.start_point[0] + 1}: {said[:60]}"
