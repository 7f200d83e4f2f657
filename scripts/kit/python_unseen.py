"""What makes tests, or says how all of a file are run, where its text does not show it: refused by name.

Pure functions of a trusted syntax tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kit.python_discovery import marks, top

MADE = ("globals()", "locals()", "vars()")


def unseen(module: ast.Module, runner: str) -> Iterator[str]:
    for one in ast.walk(module):
        match one:
            case ast.Subscript(value=value, ctx=ast.Store()) if ast.unparse(value) in MADE:
                yield f"line {one.lineno}: makes names that are not in the text, so perhaps tests; write them"
    for node in top(module.body):
        if marks(node) and "parametrize" in ast.unparse(node):
            yield f"line {node.lineno}: pytestmark with parametrize is not built yet; decorate the test"
        elif runner == "unittest" and isinstance(node, ast.FunctionDef) and node.name == "load_tests":
            yield f"line {node.lineno}: load_tests is not built yet; remove it: a file is the test it holds"
