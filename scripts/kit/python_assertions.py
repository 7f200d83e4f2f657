"""Turn one assertion into questions: what is expected is taken out, and nothing judges inside.

A question reports the value that the submission gave (or, where there is nothing to compare with, the truth).
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kit.python_asked import Asked, Question
from kit.python_constants import NotConstant, constant, is_constant
from kit.python_methods import METHODS, OTHERS, approx, bound, written
from kit.python_names import ASSERTS, Function, dotted, method, runners

# Judged by value wherever one side is written out.
BLIND = frozenset(["==", "is", "sequence", "count", "regex", "almost", "approx"])
RAISING = ("pytest.raises", "assertRaises", "assertRaisesRegex")
WAITING = frozenset(("pytest.warns", "pytest.deprecated_call", "assertLogs", "assertNoLogs"))
WAITING |= {"assertWarns", "assertWarnsRegex"}
ONES = ("expected_exception", "expected_regex")  # arguments of these, in their order
OURS = ("match", "check")  # pytest.raises' own, where nothing is called


class Assertions:
    """Turns each assertion of the statement at hand."""

    def __init__(self, asked: Asked, module: ast.Module) -> None:
        self.asked, self.runners = asked, runners(module)
        self.own = {node.name for node in ast.walk(module) if isinstance(node, Function)}
        self.infos = set(self.caught(module))  # names that hold what was raised
        self.expected: dict[str, ast.expr] = {}  # names to what was taken out
        self.line, self.must, self.test = 0, 0, ""  # of the statement at hand

    def assertion(self, test: ast.expr) -> list[ast.stmt]:
        match test:
            case ast.BoolOp(op=ast.And(), values=values):
                return [new for value in values for new in self.assertion(value)]
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                said = ast.unparse(ast.Compare(ast.Name("a"), [op], [ast.Name("b")])).strip("ab ")
                return [self.comparison(left, said, right, {})]
            case ast.Call() if asked := self.matched(test):
                return [asked]
        return [self.truth(test)]

    def called(self, node: ast.Expr, call: ast.Call, name: str) -> list[ast.stmt]:
        given = bound(name, call) if name in (*METHODS, *OTHERS) else {}
        said, args = METHODS.get(name, ""), list(given.values())
        if said and args:
            return self.assertion(written(said, args))
        if name == "fail":
            return [ast.Raise(ast.Call(ast.Name("AssertionError", ast.Load()), [], []))]
        if name in OTHERS and args:
            return [self.comparison(args[0], OTHERS[name], args[1], self.places(name, given))]
        self.expressions(node)
        return [node]

    def places(self, name: str, given: dict[str, ast.expr]) -> dict[str, Any]:
        if "seq_type" in given:
            self.problem(f"{name} with seq_type is not built yet; assertIsInstance in a statement of its own")
        try:
            return {option: constant(given[option]) for option in ("places", "delta") if option in given}
        except NotConstant:
            self.problem(f"{name} with computed places or delta; write them out")
            return {}

    def comparison(self, left: ast.expr, op: str, right: ast.expr, options: dict[str, Any]) -> ast.stmt:
        right, op, options = approx(right, op, options)
        for value, other in ((right, left), (left, right)):
            taken = self.expected.get(value.id, value) if isinstance(value, ast.Name) else value
            if op in BLIND and is_constant(taken) and (op != "regex" or value is right):
                return self.put("value", Question(op, (constant(taken),), options), self.side(other, op))
        if any(not isinstance(one, int | float | None) for one in options.values()):
            self.problem("two computed sides with a delta that is no number; write one of them out")
        parts = [self.side(left, op), self.side(right, op), ast.Constant(op)]
        parts += [ast.Dict([ast.Constant(one) for one in options], [*map(ast.Constant, options.values())])]
        return self.put("pair", Question(op, (), options), *parts, twin=True)

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
                call.args = [self.visit(one) for one in call.args]
                for word in call.keywords:
                    word.value = self.visit(word.value)
                if isinstance(call.func, ast.Attribute):
                    call.func.value = self.visit(call.func.value)
                else:
                    call.func = self.visit(call.func)
                return outer.raising(call)

            def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
                if node.attr in ASSERTS:
                    outer.problem(f"{node.attr} is handed on; call it in a statement of its own")
                return self.generic_visit(node)

        for name, part in ast.iter_fields(node):
            if isinstance(part, ast.expr):
                setattr(node, name, Inside().visit(part))
            elif isinstance(part, list) and part and isinstance(part[0], ast.expr | ast.withitem):
                setattr(node, name, [Inside().visit(one) for one in part])

    def raising(self, call: ast.Call) -> ast.AST:
        called = self.called_as(call)
        if called not in RAISING:
            name = method(call) or ""
            if called in WAITING:
                self.problem(f"{called} is not built yet; catch the warning or the record and compare it")
            elif name in ASSERTS and name not in self.own:
                self.problem(f"{name} here is not built yet; assert in a statement of its own, with ==")
            elif name.startswith("assert") and name not in self.own:
                self.problem(f"{name} is neither unittest's nor of this file; compare here, with ==")
            return call
        args, keywords = list(call.args), list(call.keywords)
        for at, name in enumerate(ONES[: 1 + (called == "assertRaisesRegex")]):
            args[at:at] = [word.value for word in keywords if word.arg == name]
            keywords = [word for word in keywords if word.arg != name]
        regex = called == "assertRaisesRegex" and len(args) > 1
        match = [ast.keyword("_match", args.pop(1))] if regex else []
        if len(args) == 1:  # nothing is called, so whatever else is given is for what waits
            keywords = [ast.keyword(f"_{word.arg}", word.value) for word in keywords if word.arg in OURS]
        numbers = self.number(Question("raises"), twin=True)
        turned = bool(secrets.randbelow(2))  # as for a truth: who always says yes is found out
        made = self.asked.call("raises", *(numbers[::-1] if turned else numbers), *args)
        made.keywords = [self.pattern(word) for word in (*match, *keywords)]
        made.keywords += [ast.keyword("_turned", ast.Constant(True))] * turned
        return made

    def pattern(self, word: ast.keyword) -> ast.keyword:
        """What the text of an exception must match is taken out, where it is written out."""
        if word.arg != "_match" or not is_constant(word.value):
            return word
        asked = Question("regex", (constant(word.value),))
        return ast.keyword("_text", *self.number(asked, twin=False))

    def caught(self, module: ast.Module) -> Iterator[str]:
        for node in ast.walk(module):
            match node:
                case ast.withitem(context_expr=ast.Call() as call, optional_vars=ast.Name(id=name)):
                    yield from [name] if self.called_as(call) in RAISING else []
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                    yield from [name] if self.called_as(call) in RAISING else []

    def called_as(self, call: ast.Call) -> str:
        return method(call) or dotted(call.func, self.runners)

    def matched(self, node: ast.expr) -> ast.stmt | None:
        """e.match(pattern), of the exception that pytest.raises gave."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name() as held, attr="match"), args=[pattern]):
                if held.id in self.infos:
                    return self.comparison(ast.Attribute(held, "text", ast.Load()), "regex", pattern, {})
        return None

    def problem(self, text: str) -> None:
        self.asked.problems.append(f"line {self.line}: {text}")
