"""Mutants of a Rust source: those of cargo-mutants, and the kinds that it lacks (docs/decisions/0011).

cargo-mutants only lists them (in milliseconds, without cargo); what becomes of them the grader says.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import tree_sitter

from kit import tools
from kit.contract import Exit, Stop
from kit.hidden_tests import walk
from wrong_code.rust_code import bodies, changed


def mutants(source: bytes) -> Iterator[tuple[str, bytes]]:
    """What was done, and the source with it; each once, none in the source's own tests."""
    yield from listed(source)
    for block in bodies(source):
        for node in walk(block):
            if says := lacking(node):
                what, text = says
                change = (node.start_byte, node.end_byte, text)
                yield f"line {node.start_point[0] + 1}: {what}", changed(source, [change])


def listed(source: bytes) -> Iterator[tuple[str, bytes]]:
    """cargo-mutants counts lines and columns from 1, in characters, and names itself in no replacement."""
    program = tools.find().cargo_mutants
    if not program.is_file():
        raise Stop(Exit.UNAVAILABLE, f"{program}: not built; run `python3 tools/install.py --mutants`")
    with tempfile.TemporaryDirectory(prefix="check-tasks-") as scratch:
        file = Path(scratch) / "lib.rs"
        file.write_bytes(source)
        argv = [str(program), "mutants", "--Zmutate-file", str(file), "--json", "--no-config"]
        done = subprocess.run(argv, cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise Stop(
            Exit.UNAVAILABLE,
            f"cargo-mutants: ends with {done.returncode} ({said}); see whether the source parses",
        )
    text = source.decode()
    for one in json.loads(done.stdout):
        start, end = (offset(text, **one["span"][at]) for at in ("start", "end"))
        what = one["name"].partition(": ")[2]
        yield (
            f"line {one['span']['start']['line']}: {what}",
            (text[:start] + one["replacement"] + text[end:]).encode(),
        )


def offset(text: str, line: int, column: int) -> int:
    return sum(len(one) + 1 for one in text.split("\n")[: line - 1]) + column - 1


def lacking(node: tree_sitter.Node) -> tuple[str, bytes] | None:
    """A statement dropped, a number or a truth changed: in words, and what stands there then."""
    text = node.text or b""
    shown = " ".join(text.decode("utf-8", "backslashreplace").split())[:40]
    if node.type == "expression_statement":
        return f"drop {shown}", b""
    if node.type == "boolean_literal":
        return f"replace {shown} with {text == b'false'}".lower(), b"false" if text == b"true" else b"true"
    if node.type == "integer_literal" and text.isdigit():
        return f"replace {shown} with {int(text) + 1}", str(int(text) + 1).encode()
    return None
