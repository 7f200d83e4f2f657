"""Python adversaries and mutants: functions of a source text. Nothing here is run by the harness itself."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

ATTACKS = {
    "gives-nothing": "every function gives None",
    "exits-early": "every function ends the process with 0",
    "exits-at-import": "the module ends the process with 0",
    "exits-at-the-end": "an exit handler ends the process with 0",
    "skips": "every function raises SkipTest",
    "silences-assertions": "the assert methods do nothing, every function gives None",
    "equals-everything": "every function gives an object that equals everything",
    "equals-everything-list": "every function gives a list that equals everything",
    "reads-the-test": "every function gives what it finds in its caller",
    "asks-again": "every function calls its caller again until it does not raise",
    "forges-at-random": "every function writes results to every descriptor",
    "true-is-true": "builtins say True, every function gives True",
}
ANYTHING = """
class Anything({base}):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    __hash__ = None
    def __bool__(self):
        return True
"""
SILENT = """
import unittest
for name in dir(unittest.TestCase):
    if name.startswith("assert") and name != "assertRaises":
        setattr(unittest.TestCase, name, lambda self, *args, **more: None)
"""
BODIES: Mapping[str, str] = {
    "exits-early": "import os\nos._exit(0)",
    "skips": "import unittest\nraise unittest.SkipTest('later')",
    "equals-everything": "return Anything()",
    "equals-everything-list": "return Anything()",
    "reads-the-test": (
        "import sys\n"
        "frame = sys._getframe(1)\n"
        "found = [*frame.f_code.co_consts, *frame.f_locals.values()]\n"
        "return next((one for one in reversed(found) if isinstance(one, (list, dict, tuple, str))), 0)"
    ),
    "asks-again": (
        "import gc, sys\n"
        "frame = sys._getframe(1)\n"
        "if getattr(sys, 'asked', None) is not None:\n"
        "    return sys.asked\n"
        "again = next((f for f in gc.get_referrers(frame.f_code) if callable(f)), None)\n"
        "for sys.asked in (0, 1, '', [], {}, True, False):\n"
        "    try:\n"
        "        again(*frame.f_locals.values())\n"
        "        return sys.asked\n"
        "    except BaseException:\n"
        "        pass"
    ),
    "forges-at-random": (
        "import os\n"
        "for fd in range(3, 32):\n"
        "    try:\n"
        "        os.write(fd, b'OK\\n')\n"
        "    except OSError:\n"
        "        pass"
    ),
    "true-is-true": "return True",
}
BESIDE: Mapping[str, str] = {
    "exits-at-import": "import os\nos._exit(0)",
    "exits-at-the-end": "import atexit, os\natexit.register(lambda: os._exit(0))",
    "silences-assertions": SILENT,
    "equals-everything": ANYTHING.format(base="object"),
    "equals-everything-list": ANYTHING.format(base="list"),
    "true-is-true": "import builtins\nbuiltins.bool = lambda value=False: True",
}


def attacked(source: bytes, attack: str) -> bytes:
    tree = ast.parse(source)
    body = ast.parse(
        f"def f():\n    {BODIES.get(attack, 'return None').replace(chr(10), chr(10) + '    ')}"
    ).body
    replaced = body[0].body if isinstance(body[0], ast.FunctionDef) else []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
            node.body = copy.deepcopy(replaced)
    text = ast.unparse(ast.fix_missing_locations(tree))
    return f"{text}\n{BESIDE.get(attack, '')}\n".encode()


SWAPS: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def mutants(source: bytes) -> Iterator[tuple[str, bytes]]:
    """Each with one operator swapped, one statement dropped, one number or truth changed."""
    count = sum(1 for _ in ast.walk(ast.parse(source)))
    seen = {ast.unparse(ast.parse(source))}
    for at in range(count):
        tree = ast.parse(source)
        node = list(ast.walk(tree))[at]
        if not (says := mutate(node)):
            continue
        text = ast.unparse(ast.fix_missing_locations(tree))
        if text not in seen:
            seen.add(text)
            yield f"line {getattr(node, 'lineno', '?')}: {says}", text.encode() + b"\n"


def mutate(node: ast.AST) -> str:
    """Change it in place; what was done, or "" where there is nothing to change."""
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPS:
            node.op = SWAPS[type(op)]()  # type: ignore[assignment]  # an operator of the same family
            return f"{type(op).__name__} became {type(node.op).__name__}"
        case ast.Compare(ops=[op, *_]) if type(op) in SWAPS:
            node.ops[0] = SWAPS[type(op)]()  # type: ignore[call-overload]  # as above
            return f"{type(op).__name__} became {type(node.ops[0]).__name__}"
        case ast.Constant(value=bool() as value):
            node.value = not value
            return f"{value} became {node.value}"
        case ast.Constant(value=int() as value):
            node.value = value + 1
            return f"{value} became {node.value}"
        case ast.Return(value=ast.expr()):
            node.value = ast.Constant(None)
            return "returns None"
        case ast.FunctionDef(body=[_, *rest]) if rest:
            dropped = ast.unparse(node.body[0]).split("\n")[0]
            node.body = rest
            return f"dropped: {dropped[:40]}"
    return ""
