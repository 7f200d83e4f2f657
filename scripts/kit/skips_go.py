"""Marks of Go: those of testing and ginkgo, and what keeps a file of tests out of the build."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from kit.syntax import above, arguments, field, text, walk

BUILD = re.compile(rb"//\s*(go:build|\+build)\b")
OWN = (b"SkipNow", b"Skipf")  # words of testing alone; Skip is used by others too
TESTING = re.compile(rb"\*?(\w+\.)?(T|B|F|TB)")
OF_TESTING = re.compile(rb"\(?\*?\w+\.(T|B|F|TB)\)?|(.*\.)?(T\(\)|tb?|b|f)")
GINKGO = re.compile(rb"(\w+\.)?([XPF](It|Describe|Context|When|Entry|Specify|DescribeTable\w*)|Pending)")


def marks(root: tree_sitter.Node, path: str) -> Iterator[tree_sitter.Node]:
    tests, ginkgo = path.endswith("_test.go"), b"ginkgo" in text(root)
    for node in walk(root):
        match node.type:
            case "comment" if tests and BUILD.match(text(node)):  # elsewhere it says nothing of a test
                yield node
            case "selector_expression" if skips(node, tests):
                yield node
            case "function_declaration" if tests and text(field(node, "name")) == b"TestMain":
                if not any(text(one) == b"Run" for one in walk(node) if one.type == "field_identifier"):
                    yield node
            case "identifier" | "selector_expression" if ginkgo and GINKGO.fullmatch(text(node)):
                yield node
            case "call_expression" if ginkgo and text(field(node, "function")) == b"Skip":
                yield node


def skips(node: tree_sitter.Node, tests: bool) -> bool:
    word, whose = text(field(node, "field")), field(node, "operand")
    if word in OWN:
        return True
    if word != b"Skip":
        return False
    if whose and whose.type == "identifier" and (kind := parameter(node, text(whose))) is not None:
        return TESTING.fullmatch(kind) is not None
    if OF_TESTING.fullmatch(b"".join(text(whose).split())):
        return True
    call = node.parent
    if not tests or call is None or call.type != "call_expression":
        return False
    return all("string" in one.type for one in arguments(call)[:1])


def parameter(node: tree_sitter.Node, name: bytes) -> bytes | None:
    """The type of the parameter of that name, of the nearest function around; None where there is none."""
    for function in above(node):
        held = field(function, "parameters")
        for one in held.named_children if held else ():
            if name in [text(named) for named in one.children_by_field_name("name")]:
                return b"".join(text(field(one, "type")).split())
    return None
