"""Turn a Python test's assertions into questions: what is expected is taken out, and nothing judges inside.

A question reports the value that the submission gave (or, where there is nothing to compare with, the truth);
python_answers.py judges it in another process against what was taken out here. Pure functions of a trusted
source text; nothing of it is run. What cannot be turned is named in `problems`: the author's to change.
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kit.python_constants import NotConstant, constant, is_constant
from kit.python_names import Function, expected_names, method, tables

OPERATORS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
COMPARING = {
    **{f"assert{word}Equal": "==" for word in ("", "List", "Tuple", "Dict", "Set", "MultiLine")},
    "assertSequenceEqual": "sequence",
    "assertCountEqual": "count",
    "assertNotEqual": "!=",
    "assertIs": "is",
    "assertIsNot": "is not",
    "assertIn": "in",
    "assertNotIn": "not in",
    "assertLess": "<",
    "assertLessEqual": "<=",
    "assertGreater": ">",
    "assertGreaterEqual": ">=",
    "assertRegex": "regex",
    "assertNotRegex": "not regex",
}
BLIND = (
    "==",
    "is",
    "sequence",
    "count",
    "regex",
    "almost",
)  # judged by value wherever one side is written out
RAISING = {"pytest.raises": None, "self.assertRaises": None, "self.assertRaisesRegex": "match"}


@dataclass(frozen=True)
class Question:
    """One assertion. expected: (value,) where it was taken out of the source."""

    op: str
    line: int
    must: bool  # it is reached on every way through its test
    expected: tuple[Any, ...] = ()
    left: bool = False  # what was taken out stood on the left
    options: dict[str, Any] = field(default_factory=dict)
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
    Turner(asked, module).module(module)
    module.body.extend(canary(asked, runner))
    asked.source = ast.unparse(ast.fix_missing_locations(module)) + "\n"
    return asked


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
        self.asked, self.tables = asked, tables(module)
        # At the module's level a name may also be seen in every function.
        self.of_module = expected_names(module) & _bound_at_top(module)
        self.expected: dict[str, ast.expr] = {}  # names to what was taken out
        self.names: set[str] = set()

    # statements

    def module(self, module: ast.Module) -> None:
        self.names = self.of_module
        self.take(module.body)
        module.body = self.block(module.body, must=False)

    def take(self, body: list[ast.stmt]) -> None:
        """Assignments of expected values: remember what is expected, leave nothing of it."""
        for node in body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if name in self.names and is_constant(value):
                        self.expected[name], node.value = value, ast.Constant(None)

    def block(self, body: Sequence[ast.stmt], *, must: bool) -> list[ast.stmt]:
        return [new for node in body for new in self.statement(node, must)]

    def statement(self, node: ast.stmt, must: bool) -> list[ast.stmt]:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return [self.function(node)]
            case ast.ClassDef():
                node.body = self.block(node.body, must=False)
                return [node]
            case ast.Assert():
                return self.assertion(node.test, must)
            case ast.Expr(value=ast.Call() as call) if name := method(call):
                return self.called(node, call, name, must)
            case ast.For():
                return [self.loop(node, must)]
        for part in ("body", "orelse", "finalbody"):
            if isinstance(inner := getattr(node, part, None), list):
                setattr(node, part, self.block(inner, must=must and _goes_through(node)))
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.ExceptHandler | ast.match_case):
                inner.body = self.block(inner.body, must=False)
        return [self.expressions(node, must)]

    def function(self, node: Function) -> Function:
        outer = (self.names, dict(self.expected))
        self.names = self.names | expected_names(node)
        test = node.name.startswith("test")
        if test and isinstance(node, ast.AsyncFunctionDef):
            self.problem(node, "is an async test, which is not built yet; write a plain one")
        if isinstance(node, ast.FunctionDef):
            for call in parametrized(node):
                self.columns(call)
        self.take(node.body)
        node.body = self.block(node.body, must=test)
        self.names, self.expected = outer
        return node

    def loop(self, node: ast.For, must: bool) -> ast.For:
        rows = self.rows(node.iter)
        if rows is not None:
            targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            self.replace(rows, [t.id if isinstance(t, ast.Name) else "" for t in targets], must)
        whole = must and rows is not None and bool(rows.elts)
        node.body = self.block(node.body, must=whole and not _leaves(node))
        node.orelse = self.block(node.orelse, must=False)
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
        self.replace(rows, names, must=True)

    def replace(self, rows: ast.List | ast.Tuple, names: Sequence[str], must: bool) -> None:
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

    def token(self, value: Any, must: bool) -> ast.expr:
        number = len(self.asked.tokens) + 1
        self.asked.tokens[number] = value
        if must:
            self.asked.must_see.add(number)
        return self.call("Expected", ast.Constant(number))

    # assertions

    def assertion(self, test: ast.expr, must: bool) -> list[ast.stmt]:
        match test:
            case ast.BoolOp(op=ast.And(), values=values):
                return [new for value in values for new in self.assertion(value, must)]
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return [self.comparison(left, OPERATORS[type(op)], right, must)]
        return [self.truth(test, must)]

    def called(self, node: ast.Expr, call: ast.Call, name: str, must: bool) -> list[ast.stmt]:
        args = call.args
        match name, len(args):
            case ("assertTrue", _):
                return self.assertion(args[0], must)
            case ("assertFalse", _):
                return [self.truth(ast.UnaryOp(ast.Not(), args[0]), must)]
            case ("assertIsNone" | "assertIsNotNone", _):
                op = "is" if name == "assertIsNone" else "is not"
                return [self.comparison(args[0], op, ast.Constant(None), must)]
            case ("assertIsInstance" | "assertNotIsInstance", _):
                inside: ast.expr = ast.Call(ast.Name("isinstance", ast.Load()), args[:2], [])
                return [self.truth(inside if "Not" not in name else ast.UnaryOp(ast.Not(), inside), must)]
            case ("assertAlmostEqual", n) if n >= 2:
                return [self.almost(call, must)]
            case ("fail", _):
                return [ast.Raise(ast.Call(ast.Name("AssertionError", ast.Load()), [], []))]
        if name in COMPARING and len(args) >= 2:
            return [self.comparison(args[0], COMPARING[name], args[1], must)]
        return [self.expressions(node, must)]

    def almost(self, call: ast.Call, must: bool) -> ast.stmt:
        named = {word.arg: word.value for word in call.keywords if word.arg in ("places", "delta")}
        if len(call.args) > 2:
            named["places"] = call.args[2]
        try:
            options = {name or "": constant(value) for name, value in named.items()}
        except NotConstant:
            self.problem(call, "assertAlmostEqual with computed places; write them out")
            options = {}
        return self.comparison(call.args[0], "almost", call.args[1], must, options)

    def comparison(
        self, left: ast.expr, op: str, right: ast.expr, must: bool, options: dict[str, Any] | None = None
    ) -> ast.stmt:
        right, op, options = self.approx(right, op, options or {})
        for value, other, on_left in ((right, left, False), (left, right, True)):
            taken = self.written_out(value)
            if taken is not None and op in BLIND and not (on_left and op == "regex"):
                question = Question(op, value.lineno, must, (constant(taken),), on_left, options)
                return self.put("value", question, self.expression(other, must))
        question = Question(op, getattr(left, "lineno", 0), must, options=options)
        parts = [self.expression(left, must), self.expression(right, must), ast.Constant(op)]
        if op == "almost":
            self.problem(left, "assertAlmostEqual with two computed sides; write one out")
        return self.put("pair", question, *parts, twin=True)

    def written_out(self, node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Name) and node.id in self.expected:
            return self.expected[node.id]
        return node if is_constant(node) else None

    def approx(
        self, right: ast.expr, op: str, options: dict[str, Any]
    ) -> tuple[ast.expr, str, dict[str, Any]]:
        match right:
            case ast.Call(func=called, args=[value, *more], keywords=keywords) if (
                op == "==" and ast.unparse(called) in ("pytest.approx", "approx") and is_constant(value)
            ):
                named = {word.arg or "": word.value for word in keywords}
                named |= dict(zip(("rel", "abs"), more, strict=False))
                if all(is_constant(one) for one in named.values()):
                    return value, "almost", {"approx": True, **{k: constant(v) for k, v in named.items()}}
        return right, op, options

    def truth(self, test: ast.expr, must: bool, *, canary: bool = False) -> ast.stmt:
        """Half of them, at random, are asked the other way round: who always says yes is found out."""
        question = Question("truth", getattr(test, "lineno", 0), must, canary=canary)
        numbers, asked = self.number(question, twin=True), self.expression(test, must)
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
        self.asked.questions[numbers[0]] = question
        return [ast.Constant(one) for one in numbers]

    def call(self, kind: str, *args: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(ast.Name(self.asked.prefix, ast.Load()), kind, ast.Load()), [*args], [])

    # expressions: only what waits for an exception is turned there

    def expression(self, node: ast.expr, must: bool) -> ast.expr:
        holder = ast.Expr(node)
        self.expressions(holder, must)
        return holder.value

    def expressions(self, node: ast.stmt, must: bool) -> ast.stmt:
        outer = self

        class Inside(ast.NodeTransformer):
            def visit_Call(self, call: ast.Call) -> ast.AST:
                self.generic_visit(call)
                return outer.raising(call, must)

        for name, part in ast.iter_fields(node):
            if isinstance(part, ast.expr):
                setattr(node, name, Inside().visit(part))
            elif isinstance(part, list) and part and isinstance(part[0], ast.expr | ast.withitem):
                setattr(node, name, [Inside().visit(one) for one in part])
        return node

    def raising(self, call: ast.Call, must: bool) -> ast.AST:
        called = ast.unparse(call.func)
        if called not in RAISING:
            if (name := method(call)) and name.startswith("assert"):
                self.problem(call, f"{name} here is not built yet; assert in a statement of its own, with ==")
            elif called in ("pytest.warns", "pytest.deprecated_call"):
                self.problem(call, f"{called} is not built yet; catch the warning and compare it")
            return call
        args, keywords = list(call.args), [word for word in call.keywords if word.arg != "msg"]
        if RAISING[called] and len(args) > 1:
            keywords.append(ast.keyword("match", args.pop(1)))
        question = Question("raises", call.lineno, must)
        made = self.call("raises", *self.number(question, twin=True), *args)
        made.keywords = keywords
        return made

    def problem(self, node: ast.AST, text: str) -> None:
        self.asked.problems.append(f"line {getattr(node, 'lineno', '?')}: {text}")


def _goes_through(node: ast.stmt) -> bool:
    """A with block is run to its end, unless it waits for an exception."""
    return isinstance(node, ast.With) and not any(
        isinstance(item.context_expr, ast.Call) and ast.unparse(item.context_expr.func) in RAISING
        for item in node.items
    )


def _leaves(node: ast.For) -> bool:
    return any(isinstance(one, ast.Break | ast.Continue | ast.Return) for one in ast.walk(node))


def _bound_at_top(module: ast.Module) -> set[str]:
    return {
        target.id
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def canary(asked: Asked, runner: str) -> list[ast.stmt]:
    """A test that must fail, and whose every answer is known: who makes all tests pass makes it pass too."""
    name, value = f"test_{secrets.token_hex(4)}", secrets.randbelow(10**9)
    turner = Turner(asked, ast.Module([], []))
    body = [
        turner.put("value", Question("==", 0, True, (value,), canary=True), ast.Constant(value)),
        turner.truth(ast.Constant(False), True, canary=True),
    ]
    lines = "\n        ".join(ast.unparse(ast.fix_missing_locations(one)) for one in body)
    if runner == "pytest":
        asked.canary = name
        return ast.parse(f"def {name}():\n        {lines}\n        raise AssertionError").body
    asked.canary, own = f"C{name}.{name}", f"{asked.prefix}u"
    body_of = f"def {name}(self):\n        {lines}\n        raise AssertionError"
    case = f"class C{name}({own}.TestCase):\n    {body_of}"
    return ast.parse(f"import unittest as {own}\n{case}").body
