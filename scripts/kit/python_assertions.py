"""Turn one assertion into questions: what is expected is taken out, and nothing judges inside.

A question reports the value that the submission gave (or, where there is nothing to compare with, the truth).
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from kit.python_asked import Asked, Question
from kit.python_constants import NotConstant, constant, is_constant
from kit.python_names import method

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
}
# Judged by value wherever one side is written out.
BLIND = frozenset(["==", "is", "sequence", "count", "regex", "almost", "approx"])
RAISING = {"pytest.raises": None, "self.assertRaises": None, "self.assertRaisesRegex": "match"}


class Assertions:
    """Turns each assertion of the statement at hand."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.expected: dict[str, ast.expr] = {}  # names to what was taken out
        self.line, self.must, self.test = 0, 0, ""  # of the statement at hand

    def assertion(self, test: ast.expr) -> list[ast.stmt]:
        match test:
            case ast.BoolOp(op=ast.And(), values=values):
                return [new for value in values for new in self.assertion(value)]
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                said = ast.unparse(ast.Compare(ast.Name("a"), [op], [ast.Name("b")])).strip("ab ")
                return [self.comparison(left, said, right, {})]
        return [self.truth(test)]

    def called(self, node: ast.Expr, call: ast.Call, name: str) -> list[ast.stmt]:
        said, args = METHODS.get(name, ""), call.args
        if said and len(args) > ("b" in said):
            return self.assertion(written(said, args))
        if name == "fail":
            return [ast.Raise(ast.Call(ast.Name("AssertionError", ast.Load()), [], []))]
        if name in OTHERS and len(args) >= 2:
            options = self.places(call) if name == "assertAlmostEqual" else {}
            return [self.comparison(args[0], OTHERS[name], args[1], options)]
        self.expressions(node)
        return [node]

    def places(self, call: ast.Call) -> dict[str, Any]:
        named = {word.arg or "": word.value for word in call.keywords if word.arg in ("places", "delta")}
        named |= dict(zip(("places", "msg", "delta"), call.args[2:], strict=False))
        try:
            return {name: constant(value) for name, value in named.items() if name != "msg"}
        except NotConstant:
            self.problem("assertAlmostEqual with computed places; write them out")
            return {}

    def comparison(self, left: ast.expr, op: str, right: ast.expr, options: dict[str, Any]) -> ast.stmt:
        right, op, options = approx(right, op, options)
        for value, other in ((right, left), (left, right)):
            taken = self.expected.get(value.id, value) if isinstance(value, ast.Name) else value
            if op in BLIND and is_constant(taken) and (op != "regex" or value is right):
                return self.put("value", Question(op, (constant(taken),), options), self.side(other, op))
        if op == "almost":
            self.problem("assertAlmostEqual with two computed sides; write one out")
        parts = [self.side(left, op), self.side(right, op), ast.Constant(op)]
        return self.put("pair", Question(op), *parts, twin=True)

    def side(self, node: ast.expr, op: str) -> ast.expr:
        """What is compared; where unittest would list it first, so does what runs."""
        said = self.expression(node)
        return self.asked.call("listed", said, ast.Constant(op)) if op in ("sequence", "count") else said

    def truth(self, test: ast.expr) -> ast.stmt:
        """Half of them, at random, are asked the other way round: who always says yes is found out."""
        numbers, asked = self.number(Question("truth"), twin=True), self.expression(test)
        if secrets.randbelow(2):
            numbers, asked = numbers[::-1], ast.UnaryOp(ast.Not(), asked)
        return ast.Expr(self.asked.call("truth", *numbers, asked))

    def put(self, kind: str, question: Question, *parts: ast.expr, twin: bool = False) -> ast.stmt:
        return ast.Expr(self.asked.call(kind, *self.number(question, twin), *parts))

    def number(self, question: Question, twin: bool) -> list[ast.expr]:
        """New numbers, at random, so that nothing in them says which of two is the twin."""
        numbers: list[int] = []
        while len(numbers) < 1 + twin:
            if (one := secrets.randbelow(10**9)) not in {**self.asked.questions, **self.asked.twins}:
                numbers.append(one)
        if twin:
            self.asked.twins[numbers[1]] = numbers[0]
        canary = self.test == self.asked.canary
        asked = replace(question, line=self.line, must=self.must, test=self.test, canary=canary)
        self.asked.questions[numbers[0]] = asked
        return [ast.Constant(one) for one in numbers]

    # expressions: only what waits for an exception is turned there

    def expression(self, node: ast.expr) -> ast.expr:
        self.expressions(holder := ast.Expr(node))
        return holder.value

    def expressions(self, node: ast.stmt) -> None:
        outer = self

        class Inside(ast.NodeTransformer):
            def visit_Call(self, call: ast.Call) -> ast.AST:
                self.generic_visit(call)
                return outer.raising(call)

        for name, part in ast.iter_fields(node):
            if isinstance(part, ast.expr):
                setattr(node, name, Inside().visit(part))
            elif isinstance(part, list) and part and isinstance(part[0], ast.expr | ast.withitem):
                setattr(node, name, [Inside().visit(one) for one in part])

    def raising(self, call: ast.Call) -> ast.AST:
        called = ast.unparse(call.func)
        if called not in RAISING:
            if (name := method(call)) and name.startswith("assert"):
                self.problem(f"{name} here is not built yet; assert in a statement of its own, with ==")
            elif called in ("pytest.warns", "pytest.deprecated_call"):
                self.problem(f"{called} is not built yet; catch the warning and compare it")
            return call
        args, keywords = list(call.args), [word for word in call.keywords if word.arg != "msg"]
        if RAISING[called] and len(args) > 1:
            keywords.append(ast.keyword("match", args.pop(1)))
        made = self.asked.call("raises", *self.number(Question("raises"), twin=True), *args)
        made.keywords = keywords
        return made

    def problem(self, text: str) -> None:
        self.asked.problems.append(f"line {self.line}: {text}")


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
