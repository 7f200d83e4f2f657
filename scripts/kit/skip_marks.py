"""The marks in a source file that switch tests off, found by a parser of its language.

Pure functions of the bytes. Each language is a suffix here and a module of its own; whatever is not known is
not looked at, and `knows` says so. Whose it is makes a mark: `it.skip` is one and `cursor.skip` is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import tree_sitter

from kit import skips_go, skips_java, skips_python, skips_rust, skips_script
from kit.skips_python import NotUnderstood as NotUnderstood
from kit.syntax import above, arguments, field, parser, short, text

PYTHON = (".py", ".pyi")
DECLARATIONS = ("_declaration", "_item")
Marks = Callable[[tree_sitter.Node, str], Iterator[tree_sitter.Node]]  # of a whole file, and its name
TREES: Mapping[str, tuple[str, str, Marks]] = {  # suffix to the parser's package, its function, and the marks
    **dict.fromkeys(
        (".js", ".jsx", ".mjs", ".cjs"), ("tree_sitter_javascript", "language", skips_script.marks)
    ),
    **dict.fromkeys(
        (".ts", ".mts", ".cts"), ("tree_sitter_typescript", "language_typescript", skips_script.marks)
    ),
    ".tsx": ("tree_sitter_typescript", "language_tsx", skips_script.marks),
    ".rs": ("tree_sitter_rust", "language", skips_rust.marks),
    ".go": ("tree_sitter_go", "language", skips_go.marks),
    ".java": ("tree_sitter_java", "language", skips_java.marks),
}


@dataclass(frozen=True)
class Mark:
    owner: str  # the test, the suite or the function that it is of or in; "" for a whole file
    said: str  # where it is, and how it is written

    def __str__(self) -> str:
        return self.said


def suffix(path: str) -> str:
    return "." + path.rpartition(".")[2] if "." in path.rpartition("/")[2] else ""


def knows(path: str) -> bool:
    return suffix(path) in PYTHON or suffix(path) in TREES


def found(path: str, source: bytes) -> list[Mark]:
    """Every mark. NotUnderstood: a Python file that is not Python."""
    if suffix(path) in PYTHON:
        return [Mark(*one) for one in skips_python.marks(source)]
    package, function, marks = TREES[suffix(path)]
    root = parser(package, function).parse(source).root_node
    return [Mark(owner(node), short(node)) for node in marks(root, path)]


def owner(node: tree_sitter.Node) -> str:
    """The name of the test or the suite that a mark is of; "" where it is a whole file's."""
    items = [*skips_rust.subject(node)][-1:] if skips_rust.is_attribute(node) else []
    for one in (*items, node, *above(node)):
        named = field(one, "name") if one.type.endswith(DECLARATIONS) else None
        if one.type == "call_expression":  # it("...", f)
            named = next((arg for arg in arguments(one)[:1] if "string" in arg.type), None)
        if named:
            return text(named).decode("utf-8", "backslashreplace").strip("'\"`")
    return ""


def unformatted(source: bytes) -> list[str]:
    """Every attribute of a Rust source that keeps rustfmt off, as it is written."""
    if b"rustfmt" not in source:
        return []
    return [short(node) for node in skips_rust.unformatted(parser(*TREES[".rs"][:2]).parse(source).root_node)]
