"""Marks of Rust: what ignores a test, expects its panic, or leaves it out of the build."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from kit.syntax import above, field, text, walk

ATTRIBUTES = ("attribute_item", "inner_attribute_item")
COMMENTS = ("line_comment", "block_comment")
OFF = re.compile(rb"\[?\s*(?:r#)?(ignore|should_panic)\b")
CFG = re.compile(rb"\[?\s*(cfg|cfg_attr)\b")
CFG_TEST = re.compile(rb"\[?\s*cfg\s*\(\s*test\s*\)\s*\]?")
NEVER = re.compile(rb"\bany\s*\(\s*\)|\b(FALSE|false)\b")
TEST = re.compile(rb"\[?\s*([\w\s]+::\s*)*(\w*test\w*|rstest)\b(?!\s*::)")
DOC_OFF = re.compile(rb"\s*(///|//!|\*)?\s*(```+|~~~+)[\w\s,]*\bignore")


def marks(root: tree_sitter.Node, path: str) -> Iterator[tree_sitter.Node]:
    del path
    for node in walk(root):
        if is_attribute(node) and off(node):
            yield node
        elif node.type in COMMENTS and text(node)[:3] in (b"///", b"//!", b"/**", b"/*!"):
            yield from [node] if any(DOC_OFF.match(line) for line in text(node).splitlines()) else []


def unformatted(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Every attribute that keeps rustfmt off, by its names: those in a string or a comment are none."""
    for node in walk(root):
        if is_attribute(node):
            said = [text(one).removeprefix(b"r#") for one in walk(node) if one.type == "identifier"]
            if b"rustfmt_skip" in said or (b"rustfmt" in said and b"skip" in said):
                yield node


def is_attribute(node: tree_sitter.Node) -> bool:
    return node.type == "attribute" or (node.type == "token_tree" and text(node.prev_sibling) == b"#")


def off(attribute: tree_sitter.Node) -> bool:
    said = text(attribute)
    if OFF.match(said):
        return True
    if not CFG.match(said) or CFG_TEST.fullmatch(said):
        return False
    if said.lstrip(b"[ \n").startswith(b"cfg_attr"):
        return bool({b"ignore", b"should_panic", b"test", b"cfg"} & {*given(attribute)})
    return NEVER.search(said) is not None or of_a_test(attribute)


def given(cfg_attr: tree_sitter.Node) -> Iterator[bytes]:
    """The names of what a cfg_attr gives, so behind its predicate."""
    trees = [one for one in cfg_attr.children if one.type == "token_tree"]
    parts = iter((trees[0] if trees else cfg_attr).children)
    any(text(one) == b"," for one in parts)  # takes the predicate away
    yield from (text(one).removeprefix(b"r#") for one in parts if one.type == "identifier")


def of_a_test(attribute: tree_sitter.Node) -> bool:
    """It is an attribute of a test, or of something that holds one."""
    return any(is_test(one) for part in subject(attribute) for one in walk(part))


def subject(attribute: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What an attribute is written on: all its attributes, and the item behind them."""
    item = attribute.parent
    if item is None or item.type not in ATTRIBUTES:  # among a macro's tokens: all that stands there
        yield from [item] if item else []
        return
    if item.type == "inner_attribute_item":
        yield from [item.parent] if item.parent else []
        return
    for step in ("prev_named_sibling", "next_named_sibling"):
        beside = getattr(item, step)
        while beside and beside.type in (*ATTRIBUTES, *COMMENTS):
            yield beside
            beside = getattr(beside, step)
        if step == "next_named_sibling" and beside:
            yield beside


def is_test(node: tree_sitter.Node) -> bool:
    if node.type == "mod_item" and not field(node, "body"):
        return b"test" in text(field(node, "name"))
    inside_cfg = any(CFG.match(text(one)) for one in above(node) if is_attribute(one))
    return is_attribute(node) and not inside_cfg and TEST.match(text(node)) is not None
