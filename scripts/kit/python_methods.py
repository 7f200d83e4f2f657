"""What the methods of unittest and pytest's approx assert, in terms of their arguments.

Pure functions of a trusted syntax tree.
"""

from __future__ import annotations

import ast
import inspect
import unittest
from collections.abc import Sequence
from typing import Any, cast

from kit.python_constants import constant, is_constant

METHODS = {  # unittest's, as what they assert of their arguments
    **{f"assert{word}Equal": "a == b" for word in ("", "List", "Tuple", "Dict", "Set", "MultiLine")},
    "assertTrue": "a",
    "assertFalse": "not a",
    "assertNotEqual": "a != b",
    "assertIs": "a is b",
    "assertIsNot": "a is not b",
    "assertIsNone": "a is None",
    "assertIsNotNone": "a is not None",
    "assertIn": "a in b",
    "assertNotIn": "a not in b",
    "assertLess": "a < b",
    "assertLessEqual": "a <= b",
    "assertGreater": "a > b",
    "assertGreaterEqual": "a >= b",
    "assertIsInstance": "isinstance(a, b)",
    "assertNotIsInstance": "not isinstance(a, b)",
}
OTHERS = {
    "assertSequenceEqual": "sequence",
    "assertCountEqual": "count",
    "assertRegex": "regex",
    "assertNotRegex": "not regex",
    "assertAlmostEqual": "almost",
    "assertNotAlmostEqual": "not almost",
}


def bound(name: str, call: ast.Call) -> dict[str, ast.expr]:
    """The arguments of one of unittest's methods by name, in its order; none where that cannot be told."""
    named = {word.arg or "": word.value for word in call.keywords}
    if "" in named or any(isinstance(one, ast.Starred) for one in call.args):
        return {}
    try:
        given = inspect.signature(getattr(unittest.TestCase, name)).bind(None, *call.args, **named)
    except TypeError:
        return {}
    return dict(list(given.arguments.items())[1:])


def approx(right: ast.expr, op: str, options: dict[str, Any]) -> tuple[ast.expr, str, dict[str, Any]]:
    """pytest.approx of what is written out, as an operator of its own."""
    match right:
        case ast.Call(args=[value, *more]) if op == "==" and ast.unparse(right.func).endswith("approx"):
            named = {word.arg or "": word.value for word in right.keywords}
            named |= dict(zip(("rel", "abs"), more, strict=False))
            if all(map(is_constant, (value, *named.values()))):
                return value, "approx", {name: constant(one) for name, one in named.items()}
    return right, op, options


def written(said: str, args: Sequence[ast.expr]) -> ast.expr:
    """An expression of a and b, with these in their places."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return args["ab".index(node.id)] if node.id in "ab" else node

    return cast(ast.expr, Put().visit(ast.parse(said, mode="eval").body))
