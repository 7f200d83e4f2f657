"""Which tests a file holds, by the rules of unittest or pytest, and how often each is run.

Pure functions of a trusted syntax tree.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kit.python_names import Function, dotted, runners

PYTESTS_OWN = frozenset(  # fixtures that are there in every run, and run a test once
    ("request", "monkeypatch", "recwarn", "caplog", "capsys", "capfd", "capsysbinary", "capfdbinary")
)
PYTESTS_OWN |= {"subtests"} | {f"tmp{name}{rest}" for name in ("_path", "dir") for rest in ("", "_factory")}


@dataclass(frozen=True)
class Found:
    name: str  # as the report names it
    times: int | None  # how often it is run; None: at least once
    node: Function


@dataclass(frozen=True)
class Fixture:
    times: int | None
    needs: Sequence[str]
    always: bool


@dataclass
class Held:
    """A class: its test functions by name, inherited ones too, and how often all of them are run."""

    tests: dict[str, Function] = field(default_factory=dict)
    is_case: bool = False
    times: int | None = 1
    given: set[str] = field(default_factory=set)  # names that its parametrize gives
    inner: list[ast.ClassDef] = field(default_factory=list)


def find_tests(module: ast.Module, runner: str) -> list[Found]:
    return list(Finder(module, runner).found())


def may_be_tests(module: ast.Module, runner: str) -> set[str]:
    """What may be a test and is not in the text.

    A function that pytest is given by name (test_x = make(), from m import test_x), and "T." for a class with
    a base from elsewhere, which may hold tests.
    """
    classes, names = [node for node in ast.walk(module) if isinstance(node, ast.ClassDef)], runners(module)
    here = {"object", *(node.name for node in classes)}
    unknown: set[str] = set()
    for node in classes:
        bases = {
            dotted(base, names) for base in node.bases if not dotted(base, names).startswith("unittest.")
        }
        unknown |= {f"{node.name}."} if bases - here else set()
    return unknown | (named_as_tests(module) if runner == "pytest" else set())


def named_as_tests(module: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in top(module.body):
        match node:
            case ast.Assign(targets=targets):
                names |= {one.id for one in targets if isinstance(one, ast.Name)}
            case ast.ImportFrom(names=imported):
                names |= {one.asname or one.name for one in imported}
    return {name for name in names if name.startswith("test")}


class Finder:
    def __init__(self, module: ast.Module, runner: str) -> None:
        self.module, self.pytest, self.names = module, runner == "pytest", runners(module)
        self.classes: dict[str, Held] = {}
        self.fixtures = dict(self._fixtures())

    def found(self) -> Iterator[Found]:
        for node in top(self.module.body):
            if isinstance(node, ast.ClassDef):
                yield from self.of_class(node, "")
            elif self.pytest and isinstance(node, Function) and self.is_test(node):
                yield Found(node.name, self.times(node), node)

    def of_class(self, node: ast.ClassDef, above: str) -> Iterator[Found]:
        held = self.classes[node.name] = self.read(node)
        if not held.is_case and not (self.pytest and node.name.startswith("Test")):
            return
        for name, test in held.tests.items():
            times = 1 if held.is_case else product([held.times, self.times(test, held.given)])
            yield Found(f"{above}{node.name}.{name}", times, test)
        for inner in held.inner if self.pytest else ():
            yield from self.of_class(inner, f"{above}{node.name}.")

    def read(self, node: ast.ClassDef) -> Held:
        held = Held()
        for base in reversed(node.bases):
            other = Held(is_case=dotted(base, self.names).endswith("TestCase"))
            above = self.classes.get(ast.unparse(base), other)
            held.tests |= above.tests
            held.is_case |= above.is_case
            held.times = product([held.times, above.times])
            held.given |= above.given
        own = list(top(node.body))
        held.tests |= {one.name: one for one in functions(own) if self.is_test(one)}
        held.inner = [one for one in own if isinstance(one, ast.ClassDef)]
        held.given |= {name for call in parametrized(node) for name in columns(call)}
        marked = None if any(marks(one) for one in own) else 1
        held.times = product([held.times, marked, *map(rows, parametrized(node))])
        return held

    def times(self, node: Function, given: Iterable[str] = ()) -> int | None:
        """By its parameters, and by the fixtures that it needs, which may have parameters too."""
        calls = list(parametrized(node))
        given = {*given, *(name for call in calls for name in columns(call))}
        wanted = [*arguments(node), *(n for n, one in self.fixtures.items() if one.always)]
        seen: dict[str, int | None] = {}
        while wanted:
            if (name := wanted.pop()) in seen or name in given:
                continue
            known = self.fixtures.get(name, Fixture(1 if name in PYTESTS_OWN else None, (), always=False))
            seen[name] = known.times
            wanted += known.needs
        return product([*map(rows, calls), *seen.values()])

    def is_test(self, node: Function) -> bool:
        return node.name.startswith("test") and not any(map(self.of_fixture, node.decorator_list))

    def of_fixture(self, decorator: ast.expr) -> bool:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        return dotted(called, self.names).rpartition(".")[2] in ("fixture", "yield_fixture")

    def _fixtures(self) -> Iterator[tuple[str, Fixture]]:
        for node in functions(ast.walk(self.module)):
            for one in node.decorator_list:
                if self.of_fixture(one):
                    said = {word.arg: word.value for word in getattr(one, "keywords", ())}
                    name = ast.literal_eval(said["name"]) if "name" in said else node.name
                    times = length(said["params"]) if "params" in said else 1
                    yield name, Fixture(times, arguments(node), "autouse" in said)


def top(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """A block's statements, and those under its conditions."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from top(getattr(node, part, []))
            for handler in getattr(node, "handlers", ()):
                yield from top(handler.body)


def functions(nodes: Iterable[ast.AST]) -> Iterator[Function]:
    yield from (one for one in nodes if isinstance(one, Function))


def marks(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"


def arguments(node: Function) -> list[str]:
    """What it is given by name: all that have no default, and what usefixtures names."""
    plain = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    plain = plain[: len(plain) - len(node.args.defaults)]
    used = [one for one in node.decorator_list if isinstance(one, ast.Call)]
    used = [one for one in used if ast.unparse(one.func).endswith("mark.usefixtures")]
    named = [str(arg.value) for one in used for arg in one.args if isinstance(arg, ast.Constant)]
    return [name for name in (*plain, *named) if name not in ("self", "cls")]


def names_in(node: Function) -> Iterator[str]:
    """Its own, and every name, attribute and parameter in it."""
    yield node.name
    for one in ast.walk(node):
        match one:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name


def parametrized(node: Function | ast.ClassDef) -> Iterator[ast.Call]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.parametrize"):
            yield decorator


def argument(call: ast.Call, at: int, name: str) -> ast.expr | None:
    named: Mapping[str | None, ast.expr] = {word.arg: word.value for word in call.keywords}
    return call.args[at] if len(call.args) > at else named.get(name)


def columns(call: ast.Call) -> list[str]:
    """The names that a parametrize gives."""
    try:
        said = ast.literal_eval(argument(call, 0, "argnames") or "")
    except ValueError:
        return []
    return [one.strip() for one in (said.split(",") if isinstance(said, str) else said)]


def rows(call: ast.Call) -> int | None:
    return length(argument(call, 1, "argvalues"))


def length(node: ast.expr | None) -> int | None:
    """Of what is written out; None: not known."""
    known = isinstance(node, ast.List | ast.Tuple) and not any(isinstance(o, ast.Starred) for o in node.elts)
    return len(node.elts) if known else None  # type: ignore[union-attr]  # it is a list or a tuple


def product(factors: Sequence[int | None]) -> int | None:
    known = [one for one in factors if one is not None]
    return math.prod(known) if len(known) == len(factors) else None
