"""[[assert]] in task.toml: what each kind needs, its name, and which of them could never fail (T04).

It looks at what task.toml says, at the starter's names and at the text of the task's own graders; it runs
nothing. A refusal is the fault of the task's author.
"""

from __future__ import annotations

import ast
import posixpath
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kit.documents import Document
from kit.globs import Editable

NEEDS: Mapping[str, str | None] = {  # kind to the key that it must have; every other is refused
    "files_unchanged": "paths",
    "tree_unchanged": None,
    "changed_paths_within": "paths",
    "no_new_skips": None,
    "command": "run",
    "function": "function",
}
KEYS = ("paths", "run", "function")
FOLDER = "graders"  # of the task: its own judges
PARAMETER = "seal"


def named(said: Sequence[Document]) -> list[Document]:
    """Each with a name: its own, or its kind."""
    return [{"name": one.get("name", one.get("type")), **one} for one in said]


def refusals(said: Sequence[Document], grader: str, folder: Path) -> Iterator[str]:
    """folder: the task's."""
    for name, times in Counter(one["name"] for one in said).items():
        if times > 1:
            yield f"assert: {times} are called {name}; give each a name of its own"
    for one in said:
        yield from (f"assert {one['name']}: {problem}" for problem in of_one(one, folder))
    if grader == "command" and all(one["type"] == "command" for one in said):
        what = "commands alone" if said else "nothing"
        yield f"graded by {what}, which a submission can talk into a pass; assert about the end state too"


def of_one(one: Document, folder: Path) -> Iterator[str]:
    need = NEEDS[one["type"]]
    for key in KEYS:
        if key == need and not one.get(key):
            yield f"{one['type']} needs {key}; name them" if key == "paths" else f"{one['type']} needs {key}"
        elif key != need and key in one:
            yield f"{key} means nothing to {one['type']}; remove it"
    if one["type"] == "files_unchanged":
        yield from absent(one.get("paths", []), folder / "starter")
    if one["type"] == "changed_paths_within" and one.get("paths"):
        yield from boundless(one["paths"])
    if one["type"] == "function" and one.get("function"):
        yield from function_refusals(folder, one["function"])


def absent(paths: Sequence[str], starter: Path) -> Iterator[str]:
    for path in paths:
        if path != (plain := posixpath.normpath(path)) and ".." not in path.split("/"):
            yield f'"{path}" is not how a seal names it, so it guards nothing; write "{plain}"'
        elif not (starter / path).is_file() or ".." in path.split("/"):
            yield f'"{path}" is no file of the starter, so it guards nothing; correct or remove it'


def boundless(patterns: Sequence[str]) -> Iterator[str]:
    if f"{secrets.token_hex(8)}/{secrets.token_hex(8)}".encode() in Editable(patterns):
        yield "allows every path, so it guards nothing; name what may change"
    for pattern in patterns:
        if {".", ".."} & {*pattern.removeprefix("!").split("/")}:
            yield f'"{pattern}" matches no path; write it from the top of the project, without "." and ".."'
    if all(pattern.startswith("!") or not pattern.strip() for pattern in patterns):
        yield "only takes away; name what may change"


def function_refusals(folder: Path, said: str) -> Iterator[str]:
    """What is wrong with `module:function`, found by reading it (D01)."""
    module, _, function = said.partition(":")
    file = folder / FOLDER / f"{module}.py"
    if not (module.isidentifier() and function.isidentifier()):
        yield f'function "{said}" is not module:function; write for example "tidy:grade"'
        return
    if not file.is_file():
        yield f"function {said}: there is no {FOLDER}/{module}.py; add it to the task's folder"
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError) as error:
        yield f"{FOLDER}/{module}.py is not Python: {error}; correct it"
        return
    found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == function]
    if len(found) != 1 or found[0] not in tree.body or found[0].decorator_list:
        yield f"{FOLDER}/{module}.py: not one plain function {function}; write def {function}({PARAMETER})"
    elif (names := parameters(found[0].args)) != [PARAMETER]:
        yield (
            f"{FOLDER}/{module}.py: {function}({', '.join(names)}): a grader is given the seal alone, and no "
            f"parameter that could carry a transcript; write def {function}({PARAMETER})"
        )


def parameters(args: ast.arguments) -> list[str]:
    own = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return [*own, *(f"*{arg.arg}" for arg in (args.vararg, args.kwarg) if arg)]
