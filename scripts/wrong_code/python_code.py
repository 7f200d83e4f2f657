"""Python adversaries: functions of a source text. Nothing here is run by the harness itself."""

from __future__ import annotations

import ast
import contextlib
import copy
from collections.abc import Mapping

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
    "forges-at-random": "every function writes results to every descriptor and ends the process with 0",
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
        "        pass\n"
        "os._exit(0)"
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
    return exchanged(source, BODIES.get(attack, "return None"), BESIDE.get(attack, ""))


def exchanged(source: bytes, body: str, beside: str = "") -> bytes:
    """Every function with this body, and that below them."""
    tree, indented = ast.parse(source), body.replace("\n", "\n    ")
    function = ast.parse(f"def f():\n    {indented}").body[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
            node.body = copy.deepcopy(function.body)  # type: ignore[attr-defined]  # it is a function
    return f"{ast.unparse(ast.fix_missing_locations(tree))}\n{beside}\n".encode()


def hard_coded(source: bytes, visible: bytes) -> bytes | None:
    """Only what the starter's own assertions show is answered, all else with None; None: they show none."""
    shown = dict[str, str]()
    for node in ast.walk(ast.parse(visible)):
        match node:
            case ast.Call(func=ast.Attribute(attr="assertEqual"), args=[ast.Call(args=[*given]), gives]):
                pass
            case ast.Compare(left=ast.Call(args=[*given]), ops=[ast.Eq()], comparators=[gives]):
                pass
            case _:
                continue
        with contextlib.suppress(ValueError):  # not written out
            shown[repr([ast.literal_eval(one) for one in given])] = repr(ast.literal_eval(gives))
    body = f"return {{{', '.join(f'{key!r}: {value}' for key, value in shown.items())}}}"
    return exchanged(source, f"{body}.get(repr([*locals().values()]))") if shown else None
