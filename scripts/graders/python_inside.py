"""Runs inside the sandbox: each rewritten test file in a child of its own, reporting on one descriptor.

Started as `python -I -S -B python_inside.py PLAN`. It never knows an expected value: assertions became
questions (python_questions.py), whose answers another process judges (python_answers.py). Values are turned
into plain data by the built-in types' own methods, so no __eq__, __repr__ or __iter__ of the submission has a
say. A program of its own with nothing but the standard library (and pytest, where the plan says so), and one
file: a second could be imported only over sys.path and sys.modules, where the submission's own modules are.
"""

from __future__ import annotations

import binascii
import builtins
import gc
import importlib
import itertools
import json
import operator
import os
import re
import sys
import traceback
import types
import unittest
import zlib
from collections.abc import Callable, Iterator
from typing import Any

# Of our own: what a submission does to the built-in functions is not for what is defined from here on.
globals()["__builtins__"] = dict(vars(builtins))

MRO, HELD = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__
VIEWS: tuple[Any, ...] = ({}.keys(), {}.values(), {}.items())
KEYS, ITEMS = type(VIEWS[0]), type(VIEWS[2])
COMPARING = [f"__{word}__" for word in ("eq", "ne", "lt", "le", "gt", "ge")]
DEPTH, MOST = 40, 20_000  # of plain data: deeper or larger is "other"
_write, _dumps, _exit, _wait, _search = os.write, json.dumps, os._exit, os.waitpid, re.search


class Other(Exception):
    """Not plain data."""


class Expected:
    """Stands in a test for a value that only the judge knows."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def plain(value: Any, depth: int = 0, seen: list[int] | None = None) -> list[Any]:
    """[kind, ...] for what built-in types hold; raises Other. Subclasses count by what they hold.

    seen: how many there were so far, and how many of them are compared in a way of their own.
    """
    seen = [0, 0] if seen is None else seen
    seen[0] += 1
    if depth > DEPTH or seen[0] > MOST:
        raise Other("too large")
    if value is None or value is True or value is False:
        return ["c", value]
    kinds = MRO(type(value))
    for kind, turn in turns():
        if any(one is kind for one in kinds):
            at = next(at for at, one in enumerate(kinds) if one is kind)
            seen[1] += any(word in HELD(one) for one in kinds[:at] for word in COMPARING)
            return turn(value, lambda inner: plain(inner, depth + 1, seen))
    raise Other(type(value).__name__)


Inner = Callable[[Any], list[Any]]
Turn = tuple[type, Callable[[Any, Inner], list[Any]]]
BUILT_IN: list[Turn] = [
    (int, lambda v, _: ["i", int.__format__(int.__add__(v, 0), "x")]),
    (float, lambda v, _: ["f", float.hex(float.__add__(v, 0.0))]),
    (complex, lambda v, _: ["z", repr(complex.__add__(v, 0j))]),
    (str, lambda v, _: ["s", str.__getitem__(v, slice(None))]),
    (bytes, lambda v, _: ["y", bytes.hex(bytes.__getitem__(v, slice(None)))]),
    (bytearray, lambda v, _: ["y", bytearray.hex(bytearray.__getitem__(v, slice(None)))]),
    (list, lambda v, inner: ["l", [inner(one) for one in list.__iter__(v)]]),
    (tuple, lambda v, inner: ["u", [inner(one) for one in tuple.__iter__(v)]]),
    (dict, lambda v, inner: ["d", [[inner(k), inner(dict.__getitem__(v, k))] for k in dict.__iter__(v)]]),
    (set, lambda v, inner: ["e", [inner(one) for one in set.__iter__(v)]]),
    (frozenset, lambda v, inner: ["e", [inner(one) for one in frozenset.__iter__(v)]]),
    (KEYS, lambda v, inner: ["e", [inner(one) for one in KEYS.__iter__(v)]]),
    (ITEMS, lambda v, inner: ["e", [inner(one) for one in ITEMS.__iter__(v)]]),
]


def turns() -> Iterator[Turn]:
    """The library's are imported when first needed: most tests need none of it."""
    yield from BUILT_IN
    import datetime
    import decimal
    import fractions

    yield fractions.Fraction, lambda v, _: ["F", f"{int(v._numerator):x}", f"{int(v._denominator):x}"]
    yield decimal.Decimal, lambda v, _: ["D", decimal.Decimal.__str__(v)]
    yield datetime.datetime, lambda v, _: ["t", "datetime", datetime.datetime.isoformat(v)]
    yield datetime.date, lambda v, _: ["t", "date", datetime.date.isoformat(v)]
    yield datetime.time, lambda v, _: ["t", "time", datetime.time.isoformat(v)]
    yield datetime.timedelta, lambda v, _: ["t", "timedelta", datetime.timedelta.__repr__(v)]


def almost(left: Any, right: Any, places: Any = None, delta: Any = None) -> Any:
    """As unittest has it."""
    if left == right:
        return True
    apart = abs(left - right)
    return round(apart, 7 if places is None else places) == 0 if delta is None else apart <= delta


COMPARE: dict[str, Callable[..., Any]] = {
    "almost": almost,
    "not almost": lambda left, right, **options: not almost(left, right, **options),
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
    "is": operator.is_,
    "is not": operator.is_not,
    "sequence": lambda left, right: list(left) == list(right),
    "count": lambda left, right: len(left) == len(right) and all(one in right for one in left),
    "regex": lambda left, right: _search(right, left) is not None,
    "not regex": lambda left, right: _search(right, left) is None,
}


SINGLE: list[list[Any]] = [[None], [True], [False]]  # told of what there is one of
ITERABLES: dict[str, tuple[type, ...]] = {  # what is no plain data, and holds a list of it
    "sequence": (range,),
    "count": (range, types.GeneratorType, map, filter, zip, enumerate, reversed, *map(type, VIEWS)),
}


ANSWERS = frozenset(("v", "k", "p", "o", "t"))
DIRECT, HELD_BACK = 1 << 16, 1 << 18  # bytes of a file's report: what is beyond is packed, so many at a time


class Channel:
    """Reports rows. Standard output is turned into standard error for everything else."""

    def __init__(self) -> None:
        self.file, self.told, self.held = "", 0, b""
        self.fd = os.dup(1)
        os.set_inheritable(self.fd, False)
        os.dup2(2, 1)

    def row(self, *said: Any) -> None:
        line = _dumps([self.file, *said]) + "\n"
        data = line.encode("ascii")
        self.told += len(data)
        if self.told > DIRECT:
            self.held += data
            if said[0] in ANSWERS and len(self.held) < HELD_BACK:
                return
            packed = binascii.b2a_base64(zlib.compress(self.held, 1), newline=False).decode("ascii")
            data, self.held = f"{_dumps([self.file, 'z', packed])}\n".encode("ascii"), b""
        while data:
            data = data[_write(self.fd, data) :]


class Questions:
    """What the rewritten tests call: each notes an answer, and the test goes on."""

    def __init__(self, channel: Channel) -> None:
        self._row = channel.row
        self.Expected = Expected

    def listed(self, value: Any, op: str) -> Any:
        """As unittest's method of that operator lists it, of built-in iterables alone, and bounded."""
        known = any(type(value) is kind for kind in ITERABLES[op])
        return list(itertools.islice(value, MOST + 1)) if known else value

    def value(self, number: int, value: Any) -> None:
        """The other side is a literal that only the judge has."""
        try:
            self._row("v", number, plain(value))
        except Other as other:
            self._row("o", number, str(other))

    def pair(self, number: int, twin: int, left: Any, right: Any, op: str, options: dict[str, Any]) -> None:
        """Either side may stand for an expected value; else both are told, or only the truth.

        The truth it is where no side is plain, and where they may be alike and yet not the same.
        """
        try:
            for one, other in ((left, right), (right, left)):
                if type(one) is Expected:
                    self._row("k", number, one.number, plain(other))
                    return
            lefts, rights = [0, 0], [0, 0]
            told = [plain(left, 0, lefts), plain(right, 0, rights)]
            same = op in ("is", "is not") and not any(one[1:] in SINGLE for one in told)
            if not same and not (lefts[1] and rights[1]):
                self._row("p", number, *told)
                return
        except Other as other:
            if type(left) is Expected or type(right) is Expected:
                self._row("o", number, str(other))
                return
        self.truth(number, twin, COMPARE[op](left, right, **options))

    def truth(self, number: int, twin: int, value: Any) -> None:
        """Two answers, one of them turned; which is which only the judge knows."""
        said = bool(value)
        self._row("t", number, said)
        self._row("t", twin, not said)

    def raises(self, number: int, twin: int, *args: Any, **named: Any) -> Any:
        expected, call = args[0], args[1:]
        raised = Raises(self, (number, twin), expected, {one: named.pop(one, None) for one in Raises.ALSO})
        if not call:
            return raised
        with raised:
            call[0](*call[1:], **named)
        return raised


class Raises:
    """pytest.raises and assertRaises: reports whether it was raised."""

    # What else is asked: the other way round, the text by value, by a pattern, by a function.
    ALSO = ("_turned", "_text", "_match", "_check")
    info: Callable[..., Any] | None = None  # pytest's, of what was raised

    def __init__(self, ask: Questions, ids: tuple[int, int], expected: Any, also: dict[str, Any]) -> None:
        self._ask, self._ids, self._expected, self._also = ask, ids, expected, also
        self.value: Any = None

    def __getattr__(self, name: str) -> Any:
        if Raises.info is None or self.value is None:
            raise AttributeError(name)
        return getattr(Raises.info((self.type, self.value, self.tb)), name)

    @property
    def exception(self) -> Any:
        return self.value

    @property
    def text(self) -> str:
        return str(self.value)

    def __enter__(self) -> Raises:
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> bool:
        self.value, self.type, self.tb = value, kind, trace
        wanted = self._expected if type(self._expected) is tuple else (self._expected,)
        caught = kind is not None and any(one is want for one in MRO(kind) for want in wanted)
        if kind is not None and not caught:
            return False
        turned, text, match, check = [self._also[one] for one in Raises.ALSO]
        said = caught and (match is None or _search(match, str(value)) is not None)
        said = said and (check is None or bool(check(value)))
        self._ask.truth(*self._ids, said is not bool(turned))
        if caught and text:
            self._ask.value(text, str(value))
        return True


def load(path: str, name: str, questions: Questions, prefix: str) -> types.ModuleType:
    if above := name.rpartition(".")[0]:
        importlib.import_module(above)
    module = sys.modules[name] = types.ModuleType(name)
    module.__dict__.update({"__file__": path, "__package__": above, prefix: questions})
    module.__dict__["__builtins__"] = builtins  # as they are for everybody: a test may replace some
    with open(path, "rb") as file:  # noqa: PTH123  # pathlib is not needed here, and costs its import
        exec(compile(file.read(), path, "exec"), module.__dict__)
    return module


class Told(unittest.TestResult):
    """Reports how each test ended, under the name that trusted sources know it by."""

    ENDS = ("errors", "failures", "skipped", "expectedFailures", "unexpectedSuccesses")

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._channel.row("start", _name(test))

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        bad = {how: found.copy() for how in self.ENDS if (found := getattr(self, how))}
        for how, found in bad.items():
            sys.stderr.write("".join(str(one[-1]) for one in found if type(one) is tuple))
            getattr(self, how).clear()
        self._channel.row("end", _name(test), next(iter(bad), "passed"))


def _name(test: unittest.TestCase) -> str:
    return f"{type(test).__name__}.{test._testMethodName}"


def by_unittest(path: str, name: str, prefix: str, channel: Channel) -> None:
    module = load(path, name, Questions(channel), prefix)
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    suite.run(Told(channel))


def by_pytest(path: str, name: str, prefix: str, channel: Channel) -> None:
    import pytest

    questions = Questions(channel)
    Raises.info = pytest.ExceptionInfo.from_exc_info

    class Recorder:
        """Gives the test module its questions, and reports how each test ended."""

        worst = "passed"

        def pytest_pycollect_makemodule(self, module_path: Any, parent: Any) -> Any:
            collected = pytest.Module.from_parent(parent, path=module_path)
            collected._importtestmodule = lambda: load(path, name, questions, prefix)  # type: ignore[attr-defined]  # pytest has no public hook for how a module is imported
            collected._getobj = collected._importtestmodule  # type: ignore[method-assign,attr-defined]  # as above
            return collected

        def pytest_runtest_logstart(self, nodeid: str) -> None:
            self.worst = "passed"
            channel.row("start", nodeid.partition("::")[2].replace("::", "."))

        def pytest_runtest_logreport(self, report: Any) -> None:
            xfail = hasattr(report, "wasxfail")
            if report.outcome != "passed" or xfail:
                self.worst = f"x{report.outcome}" if xfail else str(report.outcome)
                sys.stderr.write(f"{report.longrepr}\n")

        def pytest_runtest_logfinish(self, nodeid: str) -> None:
            channel.row("end", nodeid.partition("::")[2].replace("::", "."), self.worst)

        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                sys.stderr.write(f"{report.longrepr}\n")

    folder = os.path.dirname(path)  # noqa: PTH120  # as above
    flags = ["-c", "/dev/null", f"--rootdir={folder}", f"--confcutdir={folder}", "--assert=plain"]
    off = [
        f"-pno:{plugin}" for plugin in ("cacheprovider", "terminal", "junitxml", "pastebin", "faulthandler")
    ]
    pytest.main([*flags, *off, "--capture=sys", path], plugins=[Recorder()])


def child(job: dict[str, Any], channel: Channel, how: Callable[[str, str, str, Channel], None]) -> None:
    """One test file: its own copy of the project, its own home."""
    os.chdir(job["copy"])
    os.environ["HOME"] = job["home"]
    os.makedirs(job["home"], exist_ok=True)  # noqa: PTH103  # as above
    sys.path += [job["copy"], *job["paths"]]  # last: nothing of the project stands in for a standard module
    sys.argv = [job["test"]]
    try:
        how(job["test"], job["name"], job["prefix"], channel)
        channel.row("finish")
    except BaseException:
        traceback.print_exc()
        raise


def children(plan: dict[str, Any], channel: Channel) -> Iterator[tuple[str, int]]:
    how = by_pytest if plan["runner"] == "pytest" else by_unittest
    if plan["runner"] == "pytest":
        sys.path.append(plan["libraries"])
        gc.disable()  # nothing of this import is ever garbage
        import pytest  # once, before the first fork: it is most of the time of a small test

        assert pytest
    gc.freeze()  # no child looks through what all of them share
    gc.enable()
    for job in plan["jobs"]:
        channel.file = job["file"]
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                child(job, channel, how)
                status = 0
            finally:
                try:
                    sys.stdout.flush()
                    sys.stderr.flush()
                finally:
                    _exit(status)
        yield job["file"], os.waitstatus_to_exitcode(_wait(pid, 0)[1])


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123  # as above
        plan = json.load(file)
    channel = Channel()
    sys.dont_write_bytecode = True
    channel.row("begin")
    for name, status in children(plan, channel):
        channel.file = name
        channel.row("exit", status)


if __name__ == "__main__":
    main()
