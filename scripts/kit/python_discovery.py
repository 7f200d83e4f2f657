"""Which tests a file holds, by the rules of unittest or pytest, and how often each is run.

Pure functions of a trusted syntax tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator


def find_tests(module: ast.Module, runner: str) -> Iterator[tuple[str, int | None]]:
    cases: dict[str, list[ast.FunctionDef]] = {}
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            inherited = [one for base in bases for one in cases.get(base, [])]
            functions = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            own = [one for one in functions if one.name.startswith("test")]
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
