"""The marks in a source file that switch tests off, found by a parser of its language.

Pure functions of the bytes. A language is a suffix here and a few words below; whatever is not known is not
looked at, and `knows` says so.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterator, Mapping

import tree_sitter

from kit.hidden_tests import walk

TREES: Mapping[str, tuple[str, str]] = {  # suffix to package and its function
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), ("tree_sitter_javascript", "language")),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("tree_sitter_typescript", "language_typescript")),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".rs": ("tree_sitter_rust", "language"),
    ".go": ("tree_sitter_go", "language"),
    ".java": ("tree_sitter_java", "language"),
}
PYTHON = (".py", ".pyi")
PYTHON_MARKS = re.compile(
    r"(.*\.)?(skip|skipif|skipIf|skipUnless|skipTest|SkipTest|xfail|expectedFailure|importorskip|__test__)"
)
SCRIPT_MARKS = re.compile(
    rb"(.*\.)?(skip|skipIf|todo|fixme|only|failing)(\.\w+)*|x(it|test|describe|specify)|f(it|describe)|pending"
)
SUITES, OPTIONS = (b"test", b"it", b"describe", b"suite"), (b"skip", b"todo", b"only")
SUBSCRIPT = re.compile(rb"""\[['"`](\w+)['"`]\]""")
GO_MARKS = re.compile(rb".*\.(Skip|Skipf|SkipNow)")
GO_BUILD = re.compile(rb"//\s*(go:build|\+build)\b")
JAVA_MARKS = re.compile(rb"(\w+\.)*(Ignore|Disabled\w*|EnabledIf\w*)")
JAVA_OFF = re.compile(rb"@(\w+\.)*Test\b.*\benabled\s*=\s*false\b", re.DOTALL)
JAVA_CALLS = re.compile(rb"assume\w*|abort")
RUST_MARKS = re.compile(rb"\[?\s*(ignore|should_panic|cfg|cfg_attr)\b")
CFG_TEST = re.compile(rb"\[?\s*cfg\s*\(\s*test\s*\)\s*\]?")


class NotUnderstood(Exception):
    """The file cannot be read as its language."""


def suffix(path: str) -> str:
    return "." + path.rpartition(".")[2] if "." in path.rpartition("/")[2] else ""


def knows(path: str) -> bool:
    return suffix(path) in PYTHON or suffix(path) in TREES


def found(path: str, source: bytes) -> list[str]:
    """Every mark, as it is written."""
    if suffix(path) in PYTHON:
        return list(_python(source))
    root = parser(*TREES[suffix(path)]).parse(source).root_node
    marks = [node for node in walk(root) if is_mark(suffix(path), node)]
    constraints = path.endswith("_test.go")  # when a file is built says nothing of a test elsewhere
    return [_short(node) for node in marks if node.type != "comment" or constraints]


def unformatted(source: bytes) -> list[str]:
    """Every attribute of a Rust source that keeps rustfmt off, as it is written."""
    if b"rustfmt" not in source:
        return []
    root = parser(*TREES[".rs"]).parse(source).root_node
    return [_short(node) for node in walk(root) if _is_attribute(node) and _keeps_rustfmt_off(node)]


def _keeps_rustfmt_off(attribute: tree_sitter.Node) -> bool:
    """By its names: those in a string or a comment are none."""
    names = [_text(node).removeprefix(b"r#") for node in walk(attribute) if node.type == "identifier"]
    return b"rustfmt_skip" in names or (b"rustfmt" in names and b"skip" in names)


def _is_attribute(node: tree_sitter.Node) -> bool:
    return node.type == "attribute" or (node.type == "token_tree" and _text(node.prev_sibling) == b"#")


@functools.cache
def parser(package: str, function: str) -> tree_sitter.Parser:
    language = getattr(importlib.import_module(package), function)()
    return tree_sitter.Parser(tree_sitter.Language(language))


def is_mark(language: str, node: tree_sitter.Node) -> bool:
    if language == ".rs":
        inside = node.text or b""
        return _is_attribute(node) and RUST_MARKS.match(inside) is not None and not CFG_TEST.fullmatch(inside)
    if language == ".java":
        if node.type in ("annotation", "marker_annotation"):
            named = JAVA_MARKS.fullmatch(_text(node.child_by_field_name("name")))
            return named is not None or JAVA_OFF.match(_text(node)) is not None
        called = node.type == "method_invocation"
        return called and JAVA_CALLS.fullmatch(_text(node.child_by_field_name("name"))) is not None
    if language == ".go" and node.type == "comment":
        return GO_BUILD.match(_text(node)) is not None
    if node.type == "pair":
        return _text(node.child_by_field_name("key")).strip(b"'\"") in OPTIONS and _of_a_suite(node)
    called_as = SUBSCRIPT.sub(rb".\1", _called(node))
    return (GO_MARKS if language == ".go" else SCRIPT_MARKS).fullmatch(called_as) is not None


def _called(node: tree_sitter.Node | None) -> bytes:
    """What a call calls, without spaces; nothing of anything else."""
    called = node.child_by_field_name("function") if node and node.type == "call_expression" else None
    return b"".join(_text(called).split())


def _of_a_suite(pair: tree_sitter.Node) -> bool:
    """It stands in the options of a test: test("name", { skip: true }, ...)."""
    options = pair.parent
    call = options.parent.parent if options and options.parent else None
    return _called(call).partition(b".")[0] in SUITES


def _text(node: tree_sitter.Node | None) -> bytes:
    return (node.text or b"") if node else b""


def _short(node: tree_sitter.Node) -> str:
    said = " ".join((node.text or b"").decode("utf-8", "backslashreplace").split())
    return f"line {node.start_point[0] + 1}: {said[:60]}"


def _python(source: bytes) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotUnderstood(f"is not understood as Python: {type(error).__name__}") from error
    seen: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in seen:
            seen |= {id(inner) for inner in ast.walk(node)}
            if PYTHON_MARKS.fullmatch(ast.unparse(node)):
                yield f"line {node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.alias) and PYTHON_MARKS.fullmatch(node.name):
            yield f"import {node.name}"
