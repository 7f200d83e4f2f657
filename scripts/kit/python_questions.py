"""Turn a Python test's assertions into questions: what is expected is taken out, and nothing judges inside.

A question reports the value that the submission gave (or, where there is nothing to compare with, the truth);
python_answers.py judges it in another process against what was taken out here. Pure functions of a trusted
source text; nothing of it is run. What cannot be turned is named in `problems`: the author's to change.
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from kit.python_constants import NotConstant, constant, is_constant
from kit.python_names import Function, expected_names, method, tables

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


@dataclass(frozen=True)
class Question:
    """One assertion. expected: (value,) where it was taken out of the source."""

    op: str
    expected: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    line: int = 0
    must: int = 0  # how often it is reached on every way through its test
    test: str = ""  # as the report names it
    canary: bool = False


@dataclass
class Asked:
    """A test file as it is run, and all that the judge must know of it."""

    source: str = ""
    prefix: str = ""
    questions: dict[int, Question] = field(default_factory=dict)
    twins: dict[int, int] = field(default_factory=dict)  # a twin to its question
    tokens: dict[int, Any] = field(default_factory=dict)
    must_see: set[int] = field(default_factory=set)  # tokens that must be asked about
    tests: dict[str, int | None] = field(default_factory=dict)  # name to how often it runs; None: not known
    canary: str = ""
    problems: list[str] = field(default_factory=list)


def ask(source: bytes, runner: str) -> Asked:
    """runner: unittest or pytest, which do not find the same tests."""
    asked = Asked(prefix=f"_{secrets.token_hex(6)}")
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        asked.problems.append(f"is not Python: {error}; correct it")
        return asked
    asked.tests = dict(find_tests(module, runner))
    module.body += ast.parse(canary(asked, runner)).body
    Turner(asked, module)
    asked.source = ast.unparse(ast.fix_missing_locations(module)) + "\n"
    return asked


def canary(asked: Asked, runner: str) -> str:
    """A test that must fail, of known answers: who makes all pass, or always says yes, makes it pass too."""
    asked.canary = name = f"test_{secrets.token_hex(4)}"
    value = secrets.randbelow(10**9)
    body = f"assert {value} == {value} and {' and '.join(['False'] * 12)}; raise AssertionError"
    if runner == "pytest":
        return f"def {name}(): {body}"
    asked.canary = f"C{name}.{name}"
    case = f"class C{name}({asked.prefix}u.TestCase):\n    def {name}(self): {body}"
    return f"import unittest as {asked.prefix}u\n{case}"


def find_tests(module: ast.Module, runner: str) -> Iterator[tuple[str, int | None]]:
    cases: dict[str, list[ast.FunctionDef]] = {}
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            inherited = [one for base in bases for one in cases.get(base, [])]
            own = [
                one for one in node.body if isinstance(one, ast.FunctionDef) and one.name.startswith("test")
            ]
            is_case = any(base.rpartition(".")[2].endswith("TestCase") or base in cases for base in bases)
            if is_case or (runner == "pytest" and node.name.startswith("Test")):
                cases[node.name] = [*inherited, *own]
                yield from ((f"{node.name}.{one.name}", instances(one)) for one in cases[node.name])
        elif runner == "pytest" and isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node.name, instances(node)


def parametrized(node: ast.FunctionDef) -> Iterator[ast.Call]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.parametrize"):
            yield decorator


def instances(node: ast.FunctionDef) -> int | None:
    total = 1
    for call in parametrized(node):
        if len(call.args) < 2 or not isinstance(rows := call.args[1], ast.List | ast.Tuple):
            return None
        total *= len(rows.elts)
    return total


class Turner:
    """Walks a module's statements and turns each assertion where it stands."""

    def __init__(self, asked: Asked, module: ast.Module) -> None:
        self.asked, self.tables, self.names = asked, tables(module), expected_names(module)
        self.expected: dict[str, ast.expr] = {}  # names to what was taken out
        self.line, self.must, self.owner, self.test = 0, 0, "", ""  # of the statement at hand
        module.body = self.scope(module.body, must=0)

    # statements

    def scope(self, body: list[ast.stmt], *, must: int) -> list[ast.stmt]:
        """Assignments of expected values: remember what is expected, leave nothing of it."""
        for node in body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if name in self.names and is_constant(value):
                        self.expected[name], node.value = value, ast.Constant(None)
        return self.block(body, must=must)

    def block(self, body: Sequence[ast.stmt], *, must: int) -> list[ast.stmt]:
        return [new for node in body for new in self.statement(node, must)]

    def statement(self, node: ast.stmt, must: int) -> list[ast.stmt]:
        self.line, self.must = node.lineno, must
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return [self.function(node)]
            case ast.ClassDef():
                outer, self.owner = self.owner, f"{node.name}."
                node.body = self.block(node.body, must=0)
                self.owner = outer
                return [node]
            case ast.Assert():
                return self.assertion(node.test)
            case ast.Expr(value=ast.Call() as call) if name := method(call):
                return self.called(node, call, name)
            case ast.For():
                return [self.loop(node, must)]
        through = must * _goes_through(node)
        self.expressions(node)
        for part in ("body", "orelse", "finalbody"):
            if isinstance(inner := getattr(node, part, None), list):
                setattr(node, part, self.block(inner, must=through))
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.ExceptHandler | ast.match_case):
                inner.body = self.block(inner.body, must=0)
        return [node]

    def function(self, node: Function) -> Function:
        outer = (self.names, dict(self.expected), self.test)
        self.names = self.names | expected_names(node)
        self.test, test = f"{self.owner}{node.name}", node.name.startswith("test")
        if test and isinstance(node, ast.AsyncFunctionDef):
            self.problem("is an async test, which is not built yet; write a plain one")
        if isinstance(node, ast.FunctionDef):
            for call in parametrized(node):
                self.columns(call)
        node.body = self.scope(node.body, must=int(test))
        self.names, self.expected, self.test = outer
        return node

    def loop(self, node: ast.For, must: int) -> ast.For:
        rows = self.rows(node.iter)
        if rows is not None:
            targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            self.replace(rows, [t.id if isinstance(t, ast.Name) else "" for t in targets], must)
        known = [row for row in rows.elts if not isinstance(row, ast.Starred)] if rows else []
        node.body = self.block(node.body, must=0 if _leaves(node) else must * len(known))
        node.orelse = self.block(node.orelse, must=0)
        return node

    # tables of expected values

    def rows(self, node: ast.expr) -> ast.List | ast.Tuple | None:
        if isinstance(node, ast.Name):
            return self.tables.get(node.id)
        return node if isinstance(node, ast.List | ast.Tuple) else None

    def columns(self, call: ast.Call) -> None:
        if len(call.args) < 2 or (rows := self.rows(call.args[1])) is None or not is_constant(call.args[0]):
            return
        said = constant(call.args[0])
        names = [one.strip() for one in said.split(",")] if isinstance(said, str) else list(said)
        self.replace(rows, names, must=1)

    def replace(self, rows: ast.List | ast.Tuple, names: Sequence[str], must: int) -> None:
        """In each row, what only stands for an expected value becomes a token for it."""
        for at, name in enumerate(names):
            if name not in self.names:
                continue
            for number, row in enumerate(rows.elts):
                cells = row.elts if isinstance(row, ast.Tuple | ast.List) and len(names) > 1 else None
                if isinstance(row, ast.Call) and ast.unparse(row.func).endswith("pytest.param"):
                    cells = row.args
                cell = cells[at] if cells and at < len(cells) else row if len(names) == 1 else None
                if cell is None or not is_constant(cell):
                    continue
                token = self.token(constant(cell), must)
                if cells:
                    cells[at] = token
                else:
                    rows.elts[number] = token

    def token(self, value: Any, must: int) -> ast.expr:
        number = len(self.asked.tokens) + 1
        self.asked.tokens[number] = value
        if must:
            self.asked.must_see.add(number)
        return self.call("Expected", ast.Constant(number))

    # assertions

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
                return self.put("value", Question(op, (constant(taken),), options), self.expression(other))
        if op == "almost":
            self.problem("assertAlmostEqual with two computed sides; write one out")
        parts = [self.expression(left), self.expression(right), ast.Constant(op)]
        return self.put("pair", Question(op), *parts, twin=True)

    def truth(self, test: ast.expr) -> ast.stmt:
        """Half of them, at random, are asked the other way round: who always says yes is found out."""
        numbers, asked = self.number(Question("truth"), twin=True), self.expression(test)
        if secrets.randbelow(2):
            numbers, asked = numbers[::-1], ast.UnaryOp(ast.Not(), asked)
        return ast.Expr(self.call("truth", *numbers, asked))

    def put(self, kind: str, question: Question, *parts: ast.expr, twin: bool = False) -> ast.stmt:
        return ast.Expr(self.call(kind, *self.number(question, twin), *parts))

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

    def call(self, kind: str, *args: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(ast.Name(self.asked.prefix, ast.Load()), kind, ast.Load()), [*args], [])

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
        made = self.call("raises", *self.number(Question("raises"), twin=True), *args)
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


def _goes_through(node: ast.stmt) -> bool:
    """A with block is run to its end, unless it waits for an exception."""
    return isinstance(node, ast.With) and not any(
        isinstance(item.context_expr, ast.Call) and ast.unparse(item.context_expr.func) in RAISING
        for item in node.items
    )


def _leaves(node: ast.For) -> bool:
    return any(isinstance(one, ast.Break | ast.Continue | ast.Return) for one in ast.walk(node))


def written(said: str, args: Sequence[ast.expr]) -> ast.expr:
    """An expression of a and b, with these in their places."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return args["ab".index(node.id)] if node.id in "ab" else node

    return cast(ast.expr, Put().visit(ast.parse(said, mode="eval").body))
