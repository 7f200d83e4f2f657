"""Rust adversaries and mutants, by a real parser: functions of a source text. Nothing here runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import tree_sitter

from kit.hidden_tests import parser, walk

ATTACKS = {
    "exits-early": "every function ends the process with 0",
    "gives-the-default": "every function gives the default of its type",
    "panics-quietly": "every function prints a result line and ends the process with 0",
    "exits-in-a-constructor": "ends the process with 0 before main",
    "silences-assertions": "exports assertion macros that do nothing; every function gives the default",
    "runs-itself-again": "every function starts its own program with other arguments, then ends with 0",
    "reads-the-tests": "every function looks for tests/ and then gives the default",
    "ends-the-thread": "every function ends its thread",
}
PRINTED = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
DEFAULT = "::core::default::Default::default()"
BODIES: Mapping[str, str] = {
    "exits-early": "::std::process::exit(0)",
    "panics-quietly": f'::std::println!("\\nrunning 1 test\\n{PRINTED}"); ::std::process::exit(0)',
    "runs-itself-again": (
        "let me = ::std::env::current_exe().unwrap(); "
        '::std::process::Command::new(me).arg("--list").output().ok(); ::std::process::exit(0)'
    ),
    "reads-the-tests": f'::std::fs::read_dir("tests").ok(); {DEFAULT}',
    "ends-the-thread": "::std::panic::resume_unwind(::std::boxed::Box::new(()))",
}
BESIDE: Mapping[str, str] = {
    "exits-in-a-constructor": (
        'extern "C" fn early() { ::std::process::exit(0) }\n#[used]\n'
        '#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]\n'
        'static EARLY: extern "C" fn() = early;'
    ),
    "silences-assertions": "\n".join(
        f"#[macro_export]\nmacro_rules! {name} {{ ($($t:tt)*) => {{}}; }}"
        for name in ("assert", "assert_eq", "assert_ne")
    ),
}


def attacked(source: bytes, attack: str) -> bytes:
    body = f"{{ {BODIES.get(attack, DEFAULT)} }}".encode()
    changes = [(block.start_byte, block.end_byte, body) for block in bodies(source)]
    changes += [(node.start_byte, node.end_byte, b"") for node in own_tests(source)]
    return changed(source, changes) + f"\n{BESIDE.get(attack, '')}\n".encode()


def bodies(source: bytes) -> Iterator[tree_sitter.Node]:
    """Of the outermost functions; those of test modules are left alone."""
    stack = [parser().parse(source).root_node]
    while stack:
        node = stack.pop()
        if node.type == "function_item" and not is_test(node):
            if (block := node.child_by_field_name("body")) is not None:
                yield block
        elif not is_test(node):
            stack += node.children


def is_test(node: tree_sitter.Node) -> bool:
    """A module of tests, or a test: an attribute before it says so."""
    before = node.prev_named_sibling
    marked = before is not None and before.type == "attribute_item" and b"test" in (before.text or b"")
    return node.type in ("mod_item", "function_item") and marked


def own_tests(source: bytes) -> Iterator[tree_sitter.Node]:
    """With their attributes. An adversary has none: it must fail by the hidden tests."""
    for node in parser().parse(source).root_node.named_children:
        if is_test(node):
            yield from (one for one in (node.prev_named_sibling, node) if one is not None)


def changed(source: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    for start, end, text in sorted(changes, reverse=True):
        source = source[:start] + text + source[end:]
    return source


SWAPS: Mapping[bytes, bytes] = {
    b"+": b"-",
    b"-": b"+",
    b"*": b"+",
    b"/": b"*",
    b"%": b"*",
    b"<": b"<=",
    b"<=": b"<",
    b">": b">=",
    b">=": b">",
    b"==": b"!=",
    b"!=": b"==",
    b"&&": b"||",
    b"||": b"&&",
}


def mutants(source: bytes) -> Iterator[tuple[str, bytes]]:
    """Each with one operator swapped, one statement dropped, one number or truth changed."""
    for block in bodies(source):
        for node in walk(block):
            for says, change in mutations(node):
                yield f"line {node.start_point[0] + 1}: {says}", changed(source, [change])


def mutations(node: tree_sitter.Node) -> Iterator[tuple[str, tuple[int, int, bytes]]]:
    text = node.text or b""
    if node.type == "binary_expression" and (op := node.child_by_field_name("operator")):
        if (new := SWAPS.get(op.text or b"")) is not None:
            yield f"{(op.text or b'').decode()} became {new.decode()}", (op.start_byte, op.end_byte, new)
    elif node.type == "integer_literal" and text.isdigit():
        new = str(int(text) + 1).encode()
        yield f"{text.decode()} became {new.decode()}", (node.start_byte, node.end_byte, new)
    elif node.type == "boolean_literal":
        new = b"false" if text == b"true" else b"true"
        yield f"{text.decode()} became {new.decode()}", (node.start_byte, node.end_byte, new)
    elif node.type == "expression_statement":
        shown = " ".join(text.decode("utf-8", "backslashreplace").split())[:40]
        yield f"dropped: {shown}", (node.start_byte, node.end_byte, b"")
    elif node.type == "try_expression":
        yield (
            f"{text.decode('utf-8', 'backslashreplace')[:40]} gives Ok(())",
            (node.start_byte, node.end_byte, b"()"),
        )
