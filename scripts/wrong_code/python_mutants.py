"""Mutants of a Python source: by mutmut's operators, and the kinds that it lacks (docs/decisions/0011).

Its operators are functions from a syntax node to changed ones; what mutmut does with them is not used. Left
alone are docstrings, annotations and what is raised: hardly a test looks at the words of an error.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

LEFT_ALONE = (cst.Annotation, cst.Raise, cst.Import, cst.ImportFrom)
NO_LOSS = (cst.Pass, cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal, cst.Return)


def dropped(node: cst.BaseStatement) -> Iterable[cst.CSTNode]:
    """A statement; of a return another operator makes one that gives None."""
    if not isinstance(node, cst.SimpleStatementLine) or not isinstance(node.body[0], NO_LOSS):
        yield cst.SimpleStatementLine([cst.Pass()])


def gives_none(node: cst.Return) -> Iterable[cst.CSTNode]:
    if node.value:
        yield node.with_changes(value=cst.Name("None"), whitespace_after_return=cst.SimpleWhitespace(" "))


LACKING: list[tuple[Any, Callable[[Any], Iterable[cst.CSTNode]]]] = [
    ((cst.SimpleStatementLine, cst.If, cst.For, cst.While, cst.With, cst.Try), dropped),
    (cst.Return, gives_none),
]


class Finder(cst.CSTVisitor):
    """found: the line of each node that can be changed, the node, and what it becomes."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, cst.CSTNode, cst.CSTNode]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, LEFT_ALONE) or is_text(node):
            return False
        for kind, operator in [*mutation_operators, *LACKING]:
            if isinstance(node, kind):
                line = self.get_metadata(PositionProvider, node).start.line
                self.found += [(line, node, new) for new in operator(node)]
        return True


def is_text(node: cst.CSTNode) -> bool:
    """A docstring, or text that stands alone."""
    match node:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.BaseString())]):
            return True
    return False


def mutants(source: bytes) -> Iterator[tuple[str, bytes]]:
    """What was done, and the source with it; each once."""
    wrapper, finder = MetadataWrapper(cst.parse_module(source)), Finder()
    wrapper.visit(finder)
    seen = {ast.unparse(ast.parse(source))}
    for line, node, new in finder.found:
        text = cst.ensure_type(wrapper.module.deep_replace(node, new), cst.Module).bytes
        try:
            meaning = ast.unparse(ast.parse(text))
        except SyntaxError:
            continue
        if meaning not in seen:
            seen.add(meaning)
            yield f"line {line}: {shown(node)} became {shown(new)}", text


def shown(node: cst.CSTNode) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())[:40]
