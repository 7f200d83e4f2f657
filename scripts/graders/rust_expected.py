"""The literals that one side of an assertion expects, and where they stand in the source.

A side is made of literals when it is nothing but literals, constructors and calls through which a changed
literal stays a changed value; or when it is a name that is bound once, to such a thing, and used once. It
changes nothing, and finds none rather than a wrong one.
"""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter

from graders import rust_literals
from graders.rust_imports import text
from graders.rust_literals import Literal
from kit.hidden_tests import walk

LITERALS = (
    "integer_literal",
    "float_literal",
    "string_literal",
    "raw_string_literal",
    "char_literal",
    "boolean_literal",
)
# Calls through which a changed literal stays a changed value.
MAKERS = {
    "from",
    "to_string",
    "to_owned",
    "into",
    "to_vec",
    "iter",
    "into_iter",
    "copied",
    "cloned",
    "collect",
}
BOXES = {"Box::new", "Rc::new", "Arc::new"}
# What of these is printed the same by everybody: no type of the submission, no order that differs.
STANDARD = {"Some", "None", "Ok", "Err", "String::from", "to_string", "to_owned", "to_vec", "Box::new"}
# Of the standard library, whatever order they print in: their equality is no submission's.
KNOWN = {"Some", "Ok", "Err", "String", "Vec", "Box", "Rc", "Arc", "VecDeque"}
KNOWN |= {"HashMap", "HashSet", "BTreeMap", "BTreeSet"}

Node = tree_sitter.Node


@dataclass(frozen=True)
class Cell:
    """A literal's place in the source."""

    start: int
    end: int
    literal: Literal


def literals(node: Node) -> list[Cell] | None:
    """The literals of an expression made of nothing but literals, constructors and names; else None."""
    kind = node.type
    if kind in LITERALS or (kind == "unary_expression" and text(node).startswith("-")):
        literal = rust_literals.read("negative" if kind == "unary_expression" else kind, text(node))
        return [Cell(node.start_byte, node.end_byte, literal)] if literal else None
    if kind in ("identifier", "scoped_identifier", "unit_expression"):
        return []
    parts = inside(node)
    if parts is None:
        return None
    cells: list[Cell] = []
    for part in parts:
        found = literals(part)
        if found is None:
            return None
        cells += found
    return cells


def inside(node: Node) -> list[Node] | None:
    """The expressions that this one is made of, when changing one of them changes it."""
    children = [child for child in node.named_children if "comment" not in child.type]
    if node.type == "reference_expression":
        value = node.child_by_field_name("value")
        return [value] if value else None
    if node.type == "array_expression" and node.child_by_field_name("length"):
        return children[:1]
    if node.type in ("parenthesized_expression", "tuple_expression", "array_expression"):
        return children
    if node.type == "struct_expression":
        body = node.child_by_field_name("body")
        fields = body.named_children if body else []
        return [value for field in fields if (value := field.child_by_field_name("value"))]
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if node.type != "call_expression" or function is None or arguments is None:
        return None
    maker = made_by(function)
    if not (maker in MAKERS or maker in BOXES or (maker[:1].isupper() and "::" not in maker)):
        return None
    subject = function.child_by_field_name("value")
    return [
        *([subject] if subject else []),
        *(child for child in arguments.named_children if "comment" not in child.type),
    ]


def made_by(function: Node) -> str:
    """to_string of x.to_string(), from of String::from, Box::new, Red of Color::Red."""
    if function.type == "field_expression":
        return text(function.child_by_field_name("field"))
    path = text(function).split("::<")[0]
    last = path.rpartition("::")[2]
    boxed = "::".join(path.split("::")[-2:])
    return boxed if boxed in BOXES else last


def standard(root: Node, side: Node) -> bool:
    """Nothing in it is a type of the submission, or a collection without an order."""
    if name := the_name(side):
        value = bound_to(root, name)
        return value is not None and standard(root, value)
    for node in walk(side):
        if node.type == "struct_expression":
            return False
        if node.type in ("identifier", "scoped_identifier", "field_identifier"):
            if node.parent and node.parent.type == "scoped_identifier":
                continue
            if text(node) not in STANDARD:
                return False
    return True


def own_types(root: Node, side: Node) -> bool:
    """Whether a type of the submission is in it, whose equality the submission decides."""
    if name := the_name(side):
        value = bound_to(root, name)
        return value is not None and any(own_types(root, row) for row in table(root, value) or [value])
    for node in walk(side):
        if node.type == "struct_expression":
            return True
        function = text(node.child_by_field_name("function")) if node.type == "call_expression" else ""
        named = {part for part in function.split("::<")[0].split("::") if part[:1].isupper()}
        if "." not in function and named - KNOWN:
            return True
    return False


def the_name(node: Node) -> str:
    """want of `want`, `&want`, `*want`; else nothing."""
    while node.type in ("reference_expression", "unary_expression", "parenthesized_expression"):
        if text(node).startswith("-") or not node.named_children:
            return ""
        node = node.named_children[-1]
    return text(node) if node.type == "identifier" and not text(node)[:1].isupper() else ""


def expected(root: Node, side: Node) -> list[list[Cell]]:
    if found := literals(side):
        return [found]
    name = the_name(side)
    value = bound_to(root, name) if name else None
    if value is None:
        return []
    if value.parent and value.parent.type == "for_expression":
        return column(root, value.parent, name)
    found = literals(value)
    return [found] if found else []


def bound_to(root: Node, name: str) -> Node | None:
    """What a name is bound to that is bound once and used once, in the whole file."""
    uses = [node for node in walk(root) if node.type.endswith("identifier") and text(node) == name]
    if len(uses) != 2:
        return None
    pattern: Node | None = uses[0]
    while pattern and pattern.parent and pattern.parent.type in ("tuple_pattern", "reference_pattern"):
        pattern = pattern.parent
    holder = pattern.parent if pattern else None
    if holder is None or holder.child_by_field_name("pattern") != pattern:
        return None
    if holder.type == "for_expression" or (holder.type == "let_declaration" and pattern == uses[0]):
        return holder.child_by_field_name("value")
    return None


def column(root: Node, loop: Node, name: str) -> list[list[Cell]]:
    """for (x, want) in [(1, 2), ...]: the literals of that column, row by row."""
    rows = table(root, loop.child_by_field_name("value"))
    pattern = loop.child_by_field_name("pattern")
    while pattern and pattern.type == "reference_pattern":
        pattern = pattern.named_children[0]
    if rows is None or pattern is None:
        return []
    if pattern.type == "tuple_pattern":
        at = [text(child) for child in pattern.named_children].index(name)
        if any(row.type != "tuple_expression" or len(row.named_children) <= at for row in rows):
            return []
        rows = [row.named_children[at] for row in rows]
    groups = [literals(row) or [] for row in rows]
    return groups if groups and all(groups) else []


def table(root: Node, node: Node | None) -> list[Node] | None:
    while node is not None and node.type != "array_expression":
        function = node.child_by_field_name("function")
        if node.type in ("reference_expression", "parenthesized_expression"):
            node = node.named_children[-1]
        elif function and text(function.child_by_field_name("field")) in ("iter", "into_iter"):
            node = function.child_by_field_name("value")
        elif node.type == "identifier":
            node = bound_to(root, text(node))
        else:
            return None
    if node is None or node.child_by_field_name("length"):
        return None
    return [child for child in node.named_children if "comment" not in child.type]
