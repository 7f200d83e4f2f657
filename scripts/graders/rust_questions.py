"""Find the assertions of a hidden test, and in each the literals that it expects.

An assertion is strong when one side of an equality is made of literals: in it, in a `let`, or in the rows of
the table that a loop goes through. Without them (`assert!(x > y)`) only its truth can be judged: it is weak.
Sources are read by a real parser. In a copy for reading, `assert_eq!(a, b)` becomes `assert_eq (a, b)`, so
that the arguments are expressions, at the places where they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import tree_sitter

from graders.rust_expected import Cell, expected, literals, own_types, standard
from graders.rust_imports import text
from kit.hidden_tests import parser, walk

MACRO = re.compile(r"(?:.*::\s*)?(?:debug_)?(assert|assert_eq|assert_ne)")
Node = tree_sitter.Node


@dataclass(frozen=True)
class Question:
    """One assertion."""

    line: int
    shown: str  # as the author wrote it
    macro: str  # assert, assert_eq, assert_ne
    name: tuple[int, int]  # where the macro's name stands
    opens: int  # behind the opening bracket
    rest: tuple[int, int] = (0, 0)  # the message and its arguments
    groups: Sequence[Sequence[Cell]] = ()  # to make it wrong, change one of each; none: weak
    side: str = ""  # "left", "right": the computed one, when the assertion is one equality
    operator: tuple[int, int] = (0, 0)  # the == of assert!(a == b)
    standard: bool = False  # the expected side is of the standard library's types
    own: bool = False  # it holds a type of the submission's
    joined: tuple[bool, bool] = (False, False)  # of assert!(a && b): another stands before it, behind it
    closes: int = 0  # behind the closing bracket


@dataclass(frozen=True)
class Read:
    source: bytes
    root: Node  # of the copy for reading
    questions: Sequence[Question]


def read(source: bytes) -> Read:
    view = bytearray(source)
    calls = list(macros(parser().parse(source).root_node))
    for name, bang, tree in calls:
        if MACRO.fullmatch(text(name)) and text(tree).startswith("("):
            view[bang.start_byte : bang.end_byte] = b" "
        elif text(name) == "vec" and text(tree).startswith("["):
            view[name.start_byte : bang.end_byte] = b" " * (bang.end_byte - name.start_byte)
    root = parser().parse(bytes(view)).root_node
    places = {
        node.start_byte: node
        for node in walk(root)
        if node.type == "call_expression" and MACRO.fullmatch(text(node.child_by_field_name("function")))
    }
    questions = [
        one
        for name, _, tree in calls
        if MACRO.fullmatch(text(name))
        for one in asked(root, source, name, tree, places.get(name.start_byte))
    ]
    return Read(source, root, questions)


def asked(root: Node, source: bytes, name: Node, tree: Node, call: Node | None) -> Iterator[Question]:
    """assert!(a && b) is two questions, or b would be true whatever is expected of a."""
    whole = question(root, name, tree, call)
    arguments = call.child_by_field_name("arguments") if call else None
    parts = list(conjuncts(arguments.named_children[0])) if arguments and whole.rest[1] else []
    if whole.macro != "assert" or len(parts) < 2:
        yield whole
        return
    for number, (operator, node) in enumerate(parts):
        before, behind = operator is not None, number + 1 < len(parts)
        yield Question(
            node.start_point[0] + 1,
            " ".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split()),
            "assert",
            (operator.start_byte, operator.end_byte) if operator else whole.name,
            operator.end_byte if operator else whole.opens,
            (0, 0) if behind else whole.rest,
            joined=(before, behind),
            closes=whole.rest[1] + 1,
            **condition(root, node),
        )


def conjuncts(node: Node) -> Iterator[tuple[Node | None, Node]]:
    """Each side of an unbracketed a && b && c, and the operator before it."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if node.type == "binary_expression" and left and right and operator and operator.type == "&&":
        yield from conjuncts(left)
        yield operator, right
    else:
        yield None, node


def macros(root: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Each macro's name, `!` and arguments, also where macros stand inside macros."""
    for node in walk(root):
        children = node.children
        for name, bang, tree in zip(children, children[1:], children[2:], strict=False):
            named = name.type in ("identifier", "scoped_identifier")
            if named and bang.type == "!" and tree.type == "token_tree":
                yield name, bang, tree


def question(root: Node, name: Node, tree: Node, call: Node | None) -> Question:
    macro = MACRO.fullmatch(text(name))
    kind = macro[1] if macro else ""
    shown = " ".join(f"{text(name)}!{text(tree)}".split())
    weak = Question(
        name.start_point[0] + 1, shown, kind, (name.start_byte, name.end_byte), tree.start_byte + 1
    )
    arguments = call.child_by_field_name("arguments") if call else None
    if arguments is None or arguments.has_error:
        return weak
    given = [child for child in arguments.named_children if "comment" not in child.type]
    wanted = 1 if kind == "assert" else 2
    if len(given) < wanted:
        return weak
    rest = (given[wanted - 1].end_byte, arguments.end_byte - 1)
    found = {**vars(weak), "rest": rest}
    if kind == "assert_eq":
        found |= equality(root, given[0], given[1])
    elif kind == "assert":
        found |= condition(root, given[0])
    return Question(**found)


def condition(root: Node, node: Node) -> dict[str, Any]:
    """`a == b` alone, or in brackets equalities joined by &&, of which one wrong literal makes all wrong."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if node.type == "parenthesized_expression":
        return {**condition(root, node.named_children[0]), "side": ""}
    if node.type == "call_expression":
        return contained(node)
    if node.type != "binary_expression" or not left or not right or not operator:
        return {}
    if operator.type == "==":
        found = equality(root, left, right)
        return {**found, "operator": (operator.start_byte, operator.end_byte)} if found else {}
    if operator.type == "&&":
        sides = [groups for side in (left, right) if (groups := condition(root, side).get("groups"))]
        if sides and all(len(groups) == 1 for groups in sides):
            return {"groups": [[cell for (group,) in sides for cell in group]]}
        return {"groups": sides[0]} if sides else {}
    return {}


def contained(node: Node) -> dict[str, Any]:
    """text.contains("three letters or more"): another text will not be in there."""
    method = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if method is None or arguments is None or method.type != "field_expression":
        return {}
    given = arguments.named_children
    if text(method.child_by_field_name("field")) not in ("contains", "starts_with", "ends_with"):
        return {}
    cells = literals(given[0]) if len(given) == 1 and given[0].type == "string_literal" else None
    long = cells and sum(c.isalpha() for c in str(cells[0].literal.value)) > 2
    return {"groups": [cells]} if long else {}


def equality(root: Node, left: Node, right: Node) -> dict[str, Any]:
    for side, computed in ((right, "left"), (left, "right")):
        if groups := expected(root, side):
            types = {"standard": standard(root, side), "own": own_types(root, side)}
            return {"groups": groups, "side": computed, **types}
    for side, computed in ((right, "left"), (left, "right")):
        if literals(side) == [] and standard(root, side):  # None, Ok(()): blind can tell
            return {"side": computed, "standard": True}
    return {}
