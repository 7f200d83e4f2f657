"""Which names of a test only ever stand for an expected value, so that it can be taken out of the source.

Pure functions of a trusted syntax tree. A name counts when it is bound once, to something written out, and is
used as one side of an equality and nowhere else (but in messages and subTest labels, which are for people).
"""

from __future__ import annotations

import ast
import unittest
from collections import Counter
from collections.abc import Iterator, Mapping

EQUALITIES = frozenset(
    f"assert{word}Equal" for word in ("", "List", "Tuple", "Dict", "Set", "Sequence", "MultiLine", "Count")
)
ASSERTS = frozenset(name for name in dir(unittest.TestCase) if name.startswith("assert"))
RUNNERS = ("pytest", "unittest")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def method(node: ast.AST) -> str | None:
    """x of self.x(...), and of case.x(...) where unittest asserts by that name."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=whose), attr=name)):
            return name if whose in ("self", "cls") or name in ASSERTS else None
    return None


def runners(module: ast.Module) -> dict[str, str]:
    """Names that were imported from a runner, and what each stands for: {"pt": "pytest"}."""
    found: dict[str, str] = {}
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                found |= {one.asname: one.name for one in names if one.asname}
            case ast.ImportFrom(module=str(source), names=names) if source.partition(".")[0] in RUNNERS:
                found |= {one.asname or one.name: f"{source}.{one.name}" for one in names}
    return found


def dotted(node: ast.expr, names: Mapping[str, str]) -> str:
    """a.b.c, by what a stands for."""
    head, dot, rest = ast.unparse(node).partition(".")
    return names.get(head, head) + dot + rest


def leaves(node: ast.AST) -> set[type[ast.stmt]]:
    """Which of return, break and continue may leave the block that a statement stands in."""
    if isinstance(node, Function | ast.ClassDef | ast.Lambda):
        return set()
    if isinstance(node, ast.Return | ast.Break | ast.Continue):
        return {type(node)}
    inner = {one for child in ast.iter_child_nodes(node) for one in leaves(child)}
    return inner & {ast.Return} if isinstance(node, ast.For | ast.AsyncFor | ast.While) else inner


def always_asserted(body: list[ast.stmt], name: str) -> bool:
    """Whether each way through a block compares something with that name."""
    for node in body:
        said = node.value if isinstance(node, ast.Expr | ast.Return) else node
        if any(isinstance(side, ast.Name) and side.id == name for side in sides(said or node)):
            return True
        inner = [node.body] if isinstance(node, ast.With) else []
        inner = [node.body, node.orelse] if isinstance(node, ast.If) else inner
        if inner and all(always_asserted(block, name) for block in inner):
            return True
        if leaves(node):
            return False
    return False


def sides(node: ast.AST) -> list[ast.expr]:
    """The two sides of an equality that a statement asserts, else none."""
    match node:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            return [left, right]
        case ast.Call(args=[left, right, *_]) if method(node) in EQUALITIES:
            return [left, right]
    return []


def expected_names(scope: ast.AST) -> set[str]:
    """Names of the scope that are bound once and used as a side of an equality only."""
    fine: set[int] = set()
    for node in ast.walk(scope):
        parts: list[ast.AST] = [side for side in sides(node) if isinstance(side, ast.Name)]
        parts += _for_people(node)
        fine |= {id(inner) for part in parts for inner in ast.walk(part)}
    bound: Counter[str] = Counter()
    used: set[str] = set()
    wrong: set[str] = set()
    for node in ast.walk(scope):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                (used if id(node) in fine else wrong).add(name)
            case ast.Name(id=name):
                bound[name] += 1
            case ast.arg(arg=name):
                bound[name] += 1
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                wrong |= set(names)
    return {name for name in used - wrong if bound[name] == 1}


def _for_people(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Assert(msg=ast.expr() as message):
            yield message
        case ast.Call(args=args, keywords=keywords) if name := method(node):
            if name == "subTest":
                yield from (*args, *(word.value for word in keywords))
            elif name in EQUALITIES:
                yield from (*args[2:], *(word.value for word in keywords))


def tables(module: ast.Module) -> dict[str, ast.List | ast.Tuple]:
    """Names bound once at the top of the module to a list or tuple that is written out, and read once."""
    loads = Counter(n.id for n in ast.walk(module) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    binds = Counter(
        n.id for n in ast.walk(module) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    )
    found: dict[str, ast.List | ast.Tuple] = {}
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() | ast.Tuple() as value):
                if loads[name] == binds[name] == 1:
                    found[name] = value
    return found
