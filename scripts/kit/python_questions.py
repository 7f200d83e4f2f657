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
from kit.python_discovery import find_tests, parametrized
from kit.python_names import Function, expected_names, method, tables


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


class Turner(Assertions):
    """Walks a module's statements and turns each assertion where it stands."""

    def __init__(self, asked: Asked, module: ast.Module) -> None:
        super().__init__(asked)
        self.tables, self.names, self.owner = tables(module), expected_names(module), ""
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
        leaves = any(isinstance(one, ast.Break | ast.Continue | ast.Return) for one in ast.walk(node))
        node.body = self.block(node.body, must=0 if leaves else must * len(known))
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
                token = self.asked.token(constant(cell), must)
                if cells:
                    cells[at] = token
                else:
                    rows.elts[number] = token


def _goes_through(node: ast.stmt) -> bool:
    """A with block is run to its end, unless it waits for an exception."""
    return isinstance(node, ast.With) and not any(
        isinstance(item.context_expr, ast.Call) and ast.unparse(item.context_expr.func) in RAISING
        for item in node.items
    )
