"""Take a hidden test's imports from the submission away: each name is written with its full path instead.

An import brings more than the author asked for: a trait of the same name as the function takes over method
calls (`parsed.is_err()`), a type called String stands in for the real one. A path brings only what it names.
A trait that the test does need in scope is imported as `_`, which says so. A file in which a name is both
imported and bound is refused, by name: the fault of the test's author.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from kit.hidden_tests import OURS, walk

Edit = tuple[int, int, bytes]
NAMES = ("identifier", "type_identifier", "shorthand_field_identifier")
BINDERS = {  # node type: the field whose names it binds
    "let_declaration": "pattern",
    "parameter": "pattern",
    "for_expression": "pattern",
    "let_condition": "pattern",
    "function_item": "name",
    "struct_item": "name",
    "enum_item": "name",
    "trait_item": "name",
    "type_item": "name",
    "const_item": "name",
    "static_item": "name",
    "mod_item": "name",
    "macro_definition": "name",
}


class Unclear(Exception):
    """What a name means cannot be told here; the text says what to change."""


@dataclass(frozen=True)
class Import:
    name: str
    path: str


def text(node: tree_sitter.Node | None) -> str:
    return ((node.text if node else None) or b"").decode("utf-8", "replace")


def rewritten(root: tree_sitter.Node) -> list[Edit]:
    """Edits that take out the imports and write the paths; lines stay where they are."""
    edits, paths, at = [], dict[str, str](), dict[str, int]()
    for node in walk(root):
        if node.type != "use_declaration":
            continue
        found = list(imports(node.child_by_field_name("argument"), ""))
        theirs = [one for one in found if one.path.removeprefix("::").partition("::")[0] not in OURS]
        if not theirs:
            continue
        kept = [f"use {one.path} as _;" for one in theirs if one.name == "_"]
        edits.append((node.start_byte, node.end_byte, lines(node) + " ".join(kept).encode()))
        for one in theirs:
            at.setdefault(one.name, node.start_point[0] + 1)
            if one.name != "_" and paths.setdefault(one.name, one.path) != one.path:
                raise Unclear(f"{one.name} is imported from two places; give one another name")
    if both := sorted(paths.keys() & set(bound(root))):
        raise Unclear(f"{both[0]} is imported and bound; give the binding another name")
    uses = [(text(node), edit) for node in walk(root) for edit in use_of(node, paths)]
    if unused := sorted(paths.keys() - {name for name, _ in uses}):
        todo = f"if it is a trait, write `use {paths[unused[0]].removeprefix('::')} as _;`, else remove it"
        raise Unclear(f"line {at[unused[0]]} imports {unused[0]} and never names it; {todo}")
    return edits + [edit for _, edit in uses]


def lines(node: tree_sitter.Node) -> bytes:
    return b"\n" * (node.end_point[0] - node.start_point[0])


def imports(node: tree_sitter.Node | None, before: str) -> Iterator[Import]:
    """What a use declaration brings in, each with its path."""
    if node is None:
        return
    if node.type == "use_list":
        for child in node.named_children:
            yield from imports(child, before)
    elif node.type == "scoped_use_list":
        path = joined(before, text(node.child_by_field_name("path")))
        yield from imports(node.child_by_field_name("list"), path)
    elif node.type == "use_as_clause":
        path = joined(before, text(node.child_by_field_name("path")))
        yield Import(text(node.child_by_field_name("alias")), rooted(path))
    elif node.type == "self":
        yield Import(before.rpartition("::")[2], rooted(before))
    elif node.type in ("identifier", "scoped_identifier", "crate", "super"):
        path = joined(before, text(node))
        yield Import(path.rpartition("::")[2], rooted(path))


def joined(before: str, path: str) -> str:
    return f"{before}::{path}" if before else path


def rooted(path: str) -> str:
    first = path.removeprefix("::").partition("::")[0]
    return path if first in ("crate", "self", "super") else f"::{path.removeprefix('::')}"


def bound(root: tree_sitter.Node) -> Iterator[str]:
    """Lower-case names in patterns, and the names of items."""
    for node in walk(root):
        field = BINDERS.get(node.type)
        inner = node.child_by_field_name(field) if field else None
        if node.type == "closure_parameters":
            inner = node
        if node.type == "match_pattern":  # beside it may stand a guard, which binds nothing
            inner = next(iter(node.named_children), None)  # `_` is no named node
        for name in walk(inner) if inner else ():
            item = inner is not None and name == inner and node.type.endswith(("_item", "_definition"))
            if name.type in NAMES and (item or not text(name)[:1].isupper()):
                yield text(name)


def use_of(node: tree_sitter.Node, paths: dict[str, str]) -> Iterator[Edit]:
    name = text(node) if node.type in NAMES else ""
    if name not in paths or within_use(node):
        return
    before, after = node.prev_sibling, node.next_sibling
    if before and before.type in ("::", "."):  # the end of another path, or a field
        return
    if node.parent and node.parent.type == "token_tree" and after and after.type == ":":
        return
    path = paths[name].encode()
    yield node.start_byte, node.end_byte, path


def within_use(node: tree_sitter.Node) -> bool:
    above = node.parent
    while above and above.type in ("use_list", "scoped_use_list", "use_as_clause", "scoped_identifier"):
        above = above.parent
    return above is not None and above.type == "use_declaration"
