"""Marks of Python: those of unittest and pytest, in code. What a string or a comment says is none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

RUNNERS = frozenset({"pytest", "unittest", "unittest2", "nose", "mark"})
SHARED = "skip"  # a word that others use too: a mark only where it is a runner's
WORDS = frozenset(
    ("skipif", "skipIf", "skipUnless", "skipTest", "SkipTest", "xfail", "expectedFailure", "importorskip")
)
WORDS |= {"__test__", "__unittest_skip__", "collect_ignore", "collect_ignore_glob"}
HOOKS = ("pytest_ignore_collect", "pytest_collection_modifyitems")
SAYING = ("getattr", "setattr", "add_marker", "applymarker")  # calls that name a mark in a string
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class NotUnderstood(Exception):
    """The file cannot be read as Python."""


def marks(source: bytes) -> Iterator[tuple[str, str]]:
    """Of each: whose it is, and how it is written."""
    try:
        tree = ast.parse(source)
        nodes = list(ast.walk(tree))
        known = runners(nodes)
        named = [node for node in nodes if isinstance(node, NAMED)]
        whose = {id(inner): node.name for node in named for inner in ast.walk(node)}  # the innermost is last
        decorators = {id(one) for node in nodes for one in getattr(node, "decorator_list", ())}
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        decorators |= {id(call.func) for call in calls if id(call) in decorators}
        seen: set[int] = set()
        for node in nodes:
            if id(node) not in seen and (said := mark(node, known, id(node) in decorators)):
                seen |= {id(inner) for inner in ast.walk(node)} if isinstance(node, ast.Attribute) else set()
                yield whose.get(id(node), ""), f"line {getattr(node, 'lineno', 0)}: {said}"
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotUnderstood(f"is not understood as Python: {type(error).__name__}") from error


def runners(nodes: list[ast.AST]) -> set[str]:
    """Names that stand for a test runner, or for something of one: imported, or assigned."""
    known = set(RUNNERS)
    for node in nodes:
        match node:
            case ast.Import(names=names):
                known |= {one.asname or "" for one in names if one.name.partition(".")[0] in RUNNERS}
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] in RUNNERS:
                known |= {one.asname or one.name for one in names}
                known |= {SHARED} if any(one.name == "*" for one in names) else set()
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() | ast.Name() as value):
                known |= {name} if root(value) in known else set()
    return known


def root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""


def mark(node: ast.AST, known: set[str], decorates: bool) -> str:
    """How it is written; "" for none."""
    match node:
        case ast.Attribute(attr=word) | ast.Name(id=word) if word in WORDS:
            return ast.unparse(node)
        case ast.Attribute(attr=word, value=value):
            theirs = decorates or root(value) in known or ast.unparse(value).endswith(".mark")
            return ast.unparse(node) if word == SHARED and theirs else ""
        case ast.Name(id=word) if word == SHARED and (decorates or word in known):
            return word
        case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] in RUNNERS:
            said = [one.name for one in names if one.asname and one.name in (*WORDS, SHARED)]
            return f"import {said[0]}" if said else ""
        case ast.Call(args=args) if ast.unparse(node.func).rpartition(".")[2] in SAYING:
            said = [one.value for one in args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            return ast.unparse(node) if {*said} & {*WORDS, SHARED} else ""
        case ast.FunctionDef(name=name) if name in HOOKS or (name == "load_tests" and drops(node)):
            return f"def {name}"
    return ""


def drops(node: ast.FunctionDef) -> bool:
    """A load_tests that does not look at the tests that were found."""
    given = node.args.args[1].arg if len(node.args.args) > 1 else ""
    return not any(isinstance(one, ast.Name) and one.id == given for one in ast.walk(node))
