"""Marks of Java: those of JUnit 4 and 5, TestNG and Spock's annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from kit.syntax import above, field, text, walk

ANNOTATIONS = re.compile(
    rb"(\w+\.)*(Ignore|IgnoreRest|PendingFeature|Disabled((On|If|For|In)\w*)?|Enabled(On|If|For|In)\w*)"
)
ASSUMES = re.compile(rb"assum(e(True|False|That|NotNull|NoException)|ingThat)")
THEIRS = re.compile(rb"(\w+\.)*Assum(e|ptions)")
THROWN = re.compile(rb"(\w+\.)*(Test(Aborted|Skipped)|Skip|Assumption\w*)Exception")


def marks(root: tree_sitter.Node, path: str) -> Iterator[tree_sitter.Node]:
    del path
    imported = re.search(rb"\bAssum(e|ptions)\b", text(root)) is not None
    for node in walk(root):
        match node.type:
            case "annotation" | "marker_annotation" if ANNOTATIONS.fullmatch(text(field(node, "name"))):
                yield node
            case "element_value_pair" if switches_off(node):
                yield node
            case "method_invocation":
                word, whose = text(field(node, "name")), field(node, "object")
                theirs = THEIRS.fullmatch(text(whose)) if whose else imported or ASSUMES.fullmatch(word)
                if theirs and (word == b"abort" or ASSUMES.fullmatch(word)):
                    yield node
            case "method_reference" if THEIRS.match(text(node.child(0))):
                yield node
            case "object_creation_expression" if THROWN.fullmatch(text(field(node, "type"))):
                yield node


def switches_off(pair: tree_sitter.Node) -> bool:
    """@Test(enabled = anything but true)."""
    if text(field(pair, "key")) != b"enabled" or text(field(pair, "value")).strip(b"( )") == b"true":
        return False
    note = next((one for one in above(pair) if one.type == "annotation"), None)
    return text(field(note, "name")).rpartition(b".")[2] == b"Test"
