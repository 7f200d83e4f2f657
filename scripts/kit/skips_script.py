"""Marks of JavaScript and TypeScript: those of mocha, jest, vitest, node:test, playwright and jasmine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import tree_sitter

from kit.syntax import above, arguments, field, text, walk

SUITES = frozenset(b"test it describe suite context specify bench step Deno QUnit".split())
WORDS = frozenset(b"skip skipIf runIf todo fixme only failing fails ignore".split())
OPTIONS = frozenset(b"skip todo only ignore".split())
OWN = re.compile(rb"x(it|test|describe|specify|context)")  # words of the runners alone
SHARED = re.compile(rb"f(it|describe|context|specify)|pending")  # others use these too
NO = (b"false", b"undefined", b"null", b"0")
TEXTS = ("string", "template_string")
GIVEN = (b"t", b"ctx", b"testInfo")  # what helpers call what a test is given
FUNCTIONS = ("arrow_function", "function_expression", "function")
AROUND = ("parenthesized_expression", "as_expression", "non_null_expression", "satisfies_expression")


def marks(root: tree_sitter.Node, path: str) -> Iterator[tree_sitter.Node]:
    del path
    for node in walk(root):
        match node.type:
            case "member_expression" | "subscript_expression" if word(node) in WORDS and of_a_runner(node):
                yield node
            case "identifier" if OWN.fullmatch(text(node)):
                yield node
            case "call_expression" if called_alone(node):
                yield node
            case "pair" | "shorthand_property_identifier" if option(node):
                yield node
            case "shorthand_property_identifier_pattern" | "pair_pattern" | "import_specifier" if taken(node):
                yield node


def word(node: tree_sitter.Node) -> bytes:
    """x of a.x, a["x"] and a[`x`]."""
    return text(field(node, "property") or field(node, "index")).strip(b"'\"`")


def root(node: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """a of a.b, a(...).b, (a as any).b and (0, a).b."""
    while node:
        if inner := field(node, "object") or field(node, "function"):
            node = inner
        elif node.type in AROUND:
            node = node.named_child(0)
        elif node.type == "type_assertion":
            node = node.named_child(node.named_child_count - 1)
        elif node.type == "sequence_expression":
            node = field(node, "right") or node.named_child(node.named_child_count - 1)
        else:
            return node
    return None


def of_a_runner(node: tree_sitter.Node) -> bool:
    """test.skip, this.skip, and t.skip where t is what a test was given."""
    whose = root(field(node, "object"))
    return whose is not None and (
        text(whose) in SUITES or whose.type == "this" or given(whose, lambda name: name == text(whose))
    )


def given(node: tree_sitter.Node, fits: Callable[[bytes], bool]) -> bool:
    """Whether a function around it has such a parameter, and is a test's or calls it as tests do."""
    for function in above(node):
        held = field(function, "parameters") or field(function, "parameter")
        names = [text(one) for one in walk(held) if "identifier" in one.type] if held else []
        of_a_test = is_suite(function.parent.parent if function.parent else None)
        if any(fits(name) and (of_a_test or name in GIVEN) for name in names):
            return True
    return False


def is_suite(call: tree_sitter.Node | None) -> bool:
    whose = root(call) if call and call.type == "call_expression" else None
    return whose is not None and (text(whose) in SUITES or OWN.fullmatch(text(whose)) is not None)


def called_alone(call: tree_sitter.Node) -> bool:
    called, args = root(field(call, "function")), arguments(call)
    name = text(called)
    if called is None or called.type != "identifier":
        return False
    if text(field(call, "function")) == name and name in WORDS:
        return given(call, lambda one: one == name)  # test("...", ({ skip }) => skip())
    if not SHARED.fullmatch(name):
        return False
    first, last = args[0] if args else None, args[-1] if args else None
    if name == b"pending":
        return first is None or first.type in TEXTS
    return (first is not None and first.type in TEXTS) or (last is not None and last.type in FUNCTIONS)


def option(node: tree_sitter.Node) -> bool:
    """test("...", { skip: anything but false }, ...)."""
    name = text(field(node, "key") or node).strip(b"'\"")
    options = node.parent
    call = options.parent.parent if options and options.type == "object" and options.parent else None
    return name in OPTIONS and text(field(node, "value")) not in NO and is_suite(call)


def taken(node: tree_sitter.Node) -> bool:
    """const { skip } = it; import { skip } from "node:test"."""
    name = text(field(node, "key") or field(node, "name") or node)
    for one in above(node):
        if one.type == "variable_declarator":
            whose = root(field(one, "value"))
            return name in WORDS and whose is not None and text(whose) in SUITES
        if one.type == "import_statement":
            return name in WORDS and text(field(one, "source")).strip(b"'\"") in (b"node:test", b"test")
    return False
