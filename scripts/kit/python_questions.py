"""Turn a Python test's assertions into questions: what is expected is taken out, and nothing judges inside.

python_assertions.py turns each; here is where they stand, how often each is reached, and the tables around
them. graders/python_answers.py judges what comes back, in another process. Pure functions of a trusted source
text; nothing of it is run. What cannot be turned is named in `problems`: the author's to change.
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Sequence

from kit.python_asked import Asked
from kit.python_assertions import RAISING, Assertions
from kit.python_constants import constant, is_constant
from kit.python_discovery import (
    argument,
    columns,
    find_tests,
    may_be_tests,
    names_in,
    parametrized,
)
from kit.python_methods import METHODS, OTHERS
from kit.python_names import Function, always_asserted, dotted, expected_names, leaves, method, tables
from kit.python_unseen import unseen


def ask(source: bytes, runner: str) -> Asked:
    """runner: unittest or pytest, which do not find the same tests."""
    asked = Asked(prefix=f"_{secrets.token_hex(6)}")
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        asked.problems.append(f"is not Python: {error}; correct it")
        return asked
    asked.problems += unseen(module, runner)
    tests = find_tests(module, runner)
    asked.tests = {test.name: test.times for test in tests}
    asked.maybe = may_be_tests(module, runner)
    module.body += ast.parse(canary(asked, runner)).body
    named = {test.name: {*names_in(test.node)} for test in tests}
    Turner(asked, module, {id(test.node) for test in tests})
    asking = {question.test.rpartition(".")[2] for question in asked.questions.values()}
    asked.silent = {name for name, known in named.items() if not known & asking}
    asked.source = ast.unparse(ast.fix_missing_locations(module)) + "\n"
    return asked


def canary(asked: Asked, runner: str) -> str:
    """A test that must fail, of known answers: who makes all pass, or always says yes, makes it pass too."""
    asked.canary = name = f"test_{secrets.token_hex(4)}"
    value = secrets.randbelow(10**9)
    raises = "pytest.raises" if runner == "pytest" else "self.assertRaises"
    lines = [f"assert {value} == {value} and {' and '.join(['False'] * 12)}"]
    lines += [f"with {raises}(Warning): pass"] * 6
    body = "".join(f"  {line}\n" for line in (*lines, "raise AssertionError"))
    if runner == "pytest":
        return f"def {name}():\n{body}"
    asked.canary = f"C{name}.{name}"
    case = f"class C{name}({asked.prefix}u.TestCase):\n def {name}(self):\n{body}"
    return f"import unittest as {asked.prefix}u\n{case}"


class Turner(Assertions):
    """Walks a module's statements and turns each assertion where it stands."""

    def __init__(self, asked: Asked, module: ast.Module, tests: set[int]) -> None:
        super().__init__(asked, module)
        self.tables, self.names, self.owner = tables(module), expected_names(module), ""
        self.tests, self.given = tests, set[str]()  # nodes; names that a table gives
        self.awaiting: set[str] = set()  # classes that run async tests
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
        found: list[ast.stmt] = []
        for node in body:
            left = leaves(node)
            found += self.statement(node, must)
            must = 0 if left else must  # what stands behind it need not be reached
        return found

    def statement(self, node: ast.stmt, must: int) -> list[ast.stmt]:
        self.line, self.must = node.lineno, must
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return [self.function(node)]
            case ast.ClassDef():
                return [self.class_(node)]
            case ast.Assert():
                return self.assertion(node.test)
            case ast.Expr(value=ast.Call() as call) if name := method(call):
                return self.called(node, call, name)
            case ast.Expr(value=ast.Call() as call) if asked := self.matched(call):
                return [asked]
            case ast.Return(value=ast.Call() as call) if method(call) in {*METHODS, *OTHERS}:
                return [*self.statement(ast.copy_location(ast.Expr(call), node), must), ast.Return()]
            case ast.For():
                return [self.loop(node, must)]
        return [self.around(node, must)]

    def around(self, node: ast.stmt, must: int) -> ast.stmt:
        """A statement that asserts nothing itself, and may hold others."""
        through = must * self.goes_through(node)
        self.expressions(node)
        for part in ("body", "orelse", "finalbody"):
            if isinstance(inner := getattr(node, part, None), list):
                setattr(node, part, self.block(inner, must=through))
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.ExceptHandler | ast.match_case):
                inner.body = self.block(inner.body, must=0)
        return node

    def class_(self, node: ast.ClassDef) -> ast.ClassDef:
        outer, self.owner = self.owner, f"{self.owner}{node.name}."
        bases = {dotted(base, self.runners) for base in node.bases}
        if any(f"{base}." in self.awaiting or base.endswith("IsolatedAsyncioTestCase") for base in bases):
            self.awaiting.add(self.owner)
        for call in parametrized(node):
            self.columns(call, [])
        node.body = self.block(node.body, must=0)
        self.owner = outer
        return node

    def function(self, node: Function) -> Function:
        outer = (self.names, dict(self.expected), self.test, self.given)
        self.names = self.names | expected_names(node)
        self.test, test = f"{self.owner}{node.name}", id(node) in self.tests
        if test and isinstance(node, ast.AsyncFunctionDef) and self.owner not in self.awaiting:
            self.problem("is async outside an IsolatedAsyncioTestCase; call asyncio.run(...) in a plain test")
        self.must = 0
        for call in parametrized(node):
            self.columns(call, node.body)
            self.given = self.given | {*columns(call)}
        node.decorator_list = [self.expression(one) for one in node.decorator_list]
        node.body = self.scope(node.body, must=int(test))
        self.names, self.expected, self.test, self.given = outer
        return node

    def loop(self, node: ast.For, must: int) -> ast.For:
        rows = self.rows(node.iter)
        left = {way for one in node.body for way in leaves(one)} - {ast.Continue}
        must = 0 if left else must
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        names = [t.id if isinstance(t, ast.Name) else "" for t in targets]
        if rows is not None:
            self.replace(rows, names, node.body if must else [])
        else:
            self.expressions(node)
        known = [row for row in rows.elts if not isinstance(row, ast.Starred)] if rows else []
        outer, self.given = self.given, self.given | {*names}
        node.body = self.block(node.body, must=must * len(known))
        node.orelse, self.given = self.block(node.orelse, must=0), outer
        return node

    def goes_through(self, node: ast.stmt) -> bool:
        """A with block is run to its end, unless it waits for an exception, or a table says for what."""
        if not isinstance(node, ast.With):
            return False
        for one in node.items:
            context = one.context_expr
            called = self.called_as(context) if isinstance(context, ast.Call) else ""
            if called in RAISING or called.rpartition(".")[2] == "suppress":
                return False
            if isinstance(context, ast.Name) and context.id in self.given:
                return False
        return True

    # tables of expected values

    def rows(self, node: ast.expr) -> ast.List | ast.Tuple | None:
        if isinstance(node, ast.Name):
            return self.tables.get(node.id)
        return node if isinstance(node, ast.List | ast.Tuple) else None

    def columns(self, call: ast.Call, body: list[ast.stmt]) -> None:
        """The table of a parametrize. What a fixture is given (indirect) is no expected value."""
        values = argument(call, 1, "argvalues")
        if values and (rows := self.rows(values)) and not argument(call, 2, "indirect"):
            self.replace(rows, columns(call), body)

    def replace(self, rows: ast.List | ast.Tuple, names: Sequence[str], body: list[ast.stmt]) -> None:
        """In each row, what only stands for an expected value becomes a token. body: what asserts it."""
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
                token = self.asked.token(constant(cell), must=always_asserted(body, name))
                if cells:
                    cells[at] = token
                else:
                    rows.elts[number] = token
