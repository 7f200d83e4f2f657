"""A hidden test's source, read by a real Rust parser: does cargo find exactly one test in it, and run it?

It also says how the test is to be judged: a line `// scheme: blind` (default: told), and `// spawns: true`
for a test whose subject starts processes. It never compiles or runs anything. A refusal is the fault of the
test's author. Text in comments and strings is no test; what could hide, switch off or multiply a test is
refused, because the grader counts on one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

import tree_sitter
import tree_sitter_rust

CANARY = re.compile(rb"//\s*canary:\s*([0-9a-f]{32})\s*")
SCHEME = re.compile(rb"//\s*scheme:\s*(.*?)\s*")
SPAWNS = re.compile(rb"//\s*spawns:\s*true\s*")
TEST = re.compile(rb"\[\s*([a-z_]+\s*::\s*)*test\b")
ATTRIBUTES = ("attribute_item", "inner_attribute_item")
COMMENTS = ("line_comment", "block_comment")
REFUSED = {
    "ignore": "cargo would not run it; remove #[ignore]",
    "should_panic": "a crash of any kind would pass it; catch the panic and assert what it says",
    "cfg_attr": "it may switch the test off; write the attribute itself",
}
LONGEST = 50  # with what is put behind it, it names a target
OURS = ("std", "core", "alloc", "crate", "self", "super")  # roots of paths that no submission decides

Scheme = Literal["told", "blind"]


@dataclass(frozen=True)
class HiddenTest:
    name: str | None  # the one test's
    canary: str | None
    problems: tuple[str, ...]
    scheme: Scheme = "told"
    spawns: bool = False  # the test or its subject starts processes


@functools.cache
def parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))


def read(file: Path) -> HiddenTest:
    source = file.read_bytes()
    root = parser().parse(source).root_node
    canaries = [found[1].decode() for node in walk(root) if (found := CANARY.fullmatch(_comment(node)))]
    problems = [*misplaced(root), *globs(root)]
    tests = list(module_tests(root, problems, guarded=False))
    if len(tests) != 1:
        problems.append(f"holds {len(tests)} tests; write exactly one, with #[test], in a file of its own")
    if len(file.stem) > LONGEST:
        problems.append(f"has a name of {len(file.stem)} letters; {LONGEST} are the most")
    if root.has_error:
        line = next((node.start_point[0] + 1 for node in walk(root) if node.is_error or node.is_missing), 1)
        problems.append(f"line {line} is not understood as Rust; correct it")
    scheme = chosen(root, problems)
    if scheme == "blind" and not (file.parent.parent / "solution").is_dir():
        problems.append("is blind, which compares with what the solution reports; add a solution/")
    name, canary = next(iter(tests), None), next(iter(canaries), None)
    return HiddenTest(name, canary, tuple(problems), scheme, starts_processes(root))


def chosen(root: tree_sitter.Node, problems: list[str]) -> Scheme:
    said = [
        found[1].decode(errors="replace")
        for node in walk(root)
        if (found := SCHEME.fullmatch(_comment(node)))
    ]
    for one in said:
        if one not in get_args(Scheme):
            why = ", which a submission can talk into a pass" if one == "plain" else ""
            problems.append(f"has the scheme {one!r}{why}; write one of {', '.join(get_args(Scheme))}")
            return "told"
    if len(set(said)) > 1:
        problems.append("names two schemes; keep one")
    return cast(Scheme, said[0]) if said else "told"


def starts_processes(root: tree_sitter.Node) -> bool:
    """Said in a comment, or seen: it names Command, or a program of the crate."""
    return any(
        SPAWNS.fullmatch(_comment(node))
        or (node.type in ("identifier", "type_identifier") and node.text == b"Command")
        or (node.type == "string_literal" and _text(node).startswith(b'"CARGO_BIN_EXE_'))
        for node in walk(root)
    )


def globs(root: tree_sitter.Node) -> Iterator[str]:
    """`use crate_name::*` takes whatever a submission exports: macros, traits, types called String."""
    for node in walk(root):
        if node.type != "use_wildcard":
            continue
        above: tree_sitter.Node | None = node
        while above and above.type != "use_declaration":
            above = above.parent
        path = _text(above.child_by_field_name("argument")) if above else b""
        if path.removeprefix(b"::").partition(b"::")[0].decode(errors="replace") not in OURS:
            line = node.start_point[0] + 1
            yield f"line {line} imports everything that a submission exports; name what the test uses"


def walk(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack += reversed(here.children)


def _text(node: tree_sitter.Node | None) -> bytes:
    return (node.text or b"") if node else b""


def _comment(node: tree_sitter.Node) -> bytes:
    return _text(node).strip() if node.type == "line_comment" else b""


def attribute(node: tree_sitter.Node) -> tuple[str, str]:
    """An attribute's name and its arguments, without spaces: cfg, (test)."""
    inner = next((child for child in node.named_children if child.type == "attribute"), None)
    if inner is None or not inner.children:
        return "", ""
    name, *rest = (b"".join(_text(child).split()).decode(errors="replace") for child in inner.children)
    return name, "".join(rest)


def module_tests(module: tree_sitter.Node, problems: list[str], *, guarded: bool) -> Iterator[str]:
    """The names of the tests that cargo finds in a file or in the body of a module."""
    waiting: list[tuple[str, str]] = []  # attributes belong to the item that follows them
    for node in module.children:
        if node.type in COMMENTS:
            continue
        if node.type == "attribute_item":
            waiting.append(attribute(node))
            continue
        off = guarded or any(name == "cfg" and what != "(test)" for name, what in waiting)
        names = [name for name, _ in waiting]
        if node.type == "function_item" and any(_is_test(name) for name in names):
            found = _text(node.child_by_field_name("name")).decode(errors="replace")
            problems += test_problems(found, names, off=off)
            yield found
        elif node.type == "mod_item" and (body := node.child_by_field_name("body")):
            yield from module_tests(body, problems, guarded=off)
        waiting = []


def _is_test(name: str) -> bool:
    """#[test], and what other crates call theirs: #[tokio::test], #[test_case]."""
    return name.rpartition("::")[2] in ("test", "test_case", "rstest")


def test_problems(test: str, attributes: list[str], *, off: bool) -> Iterator[str]:
    if not any(name == "test" for name in attributes):
        yield f"{test} is no plain #[test]; another attribute may make several tests of it, or none"
    if off:
        yield f"{test} stands behind a cfg, so it may not be compiled; remove the cfg"


def misplaced(root: tree_sitter.Node) -> Iterator[str]:
    """Attributes that may not occur at all, and tests where cargo does not count them."""
    for node in walk(root):
        name, what = attribute(node) if node.type in ATTRIBUTES else ("", "")
        line = f"line {node.start_point[0] + 1}"
        if name in REFUSED:
            yield f"{line} has #[{name}]: {REFUSED[name]}"
        if name == "cfg" and what != "(test)" and node.type == "inner_attribute_item":
            yield f"{line} has #![cfg]: the file may not be compiled; remove it"
        if _is_test(name) and not _at_module_level(node):
            yield f"{line} has a test where cargo does not look for tests; move it out"
        if node.type == "token_tree" and _text(node.prev_sibling) == b"#" and TEST.match(_text(node)):
            yield f"{line} has a test inside a macro, where none can be counted; write it out"


def _at_module_level(node: tree_sitter.Node) -> bool:
    above = node.parent
    while above and above.type in ("declaration_list", "mod_item", "source_file"):
        above = above.parent
    return above is None
