"""Take the guards of a grader away, one by one: an attack that each is listed with must turn red.

tests/attacks/<grader>/guards.yaml is a list of {guard, says, file, old, new, red}. In a copy of scripts/ the
text `old`, which stands once in `file`, becomes `new`; attacks.py of that copy grades the cases of `red`.
Each must come out wrong (an attack passes, an honest submission is refused, a grading breaks). With nothing
removed all of them must be right, or redness would mean nothing. It changes nothing here.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from kit.contract import Exit, Stop

BESIDE = (
    "tests",
    "tools",
    "schemas",
    ".tools",
    "evals",
    "pyproject.toml",
)  # what the programs of scripts/ look up
MARK = "<-- wrong"  # of attacks.py's table


@dataclass(frozen=True)
class Guard:
    guard: str  # its name
    says: str  # what it is for
    file: str  # below scripts/
    old: str
    new: str
    red: tuple[str, ...]  # cases of the corpus


def read(file: Path) -> list[Guard]:
    return [Guard(**{**one, "red": tuple(one["red"])}) for one in yaml.safe_load(file.read_text("utf-8"))]


def tried(
    root: Path, grader: str, guards: Sequence[Guard], more: Sequence[str]
) -> Iterator[tuple[Guard, list[str]]]:
    """Each guard, and which of its cases were judged wrongly without it. more: words for attacks.py."""
    with tempfile.TemporaryDirectory(prefix="guards-") as folder:
        copy = Path(folder)
        for name in BESIDE:
            (copy / name).symlink_to(root / name)
        shutil.copytree(root / "scripts", copy / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        named = sorted({name for guard in guards for name in guard.red})
        if wrong := graded(copy, grader, named, more):
            raise Stop(Exit.NO, f"{', '.join(wrong)}: wrong with every guard in place; correct that first")
        for guard in guards:
            file = copy / "scripts" / guard.file
            text = file.read_text("utf-8")
            if text.count(guard.old) != 1:
                there = f"stands {text.count(guard.old)} times in {guard.file}"
                raise Stop(Exit.BAD_INPUT, f"guard {guard.guard}: its text {there}; correct guards.yaml")
            file.write_text(text.replace(guard.old, guard.new), "utf-8")
            yield guard, graded(copy, grader, guard.red, more)
            file.write_text(text, "utf-8")


def missing(guard: Guard, red: Sequence[str]) -> bool:
    return {*guard.red} <= {*red}


def line(guard: Guard, red: Sequence[str]) -> str:
    left = [name for name in guard.red if name not in red]
    said = f"still right: {', '.join(left)}" if left else f"red: {', '.join(guard.red)}"
    return f"{'FAIL' if left else 'ok  '} {guard.guard:40} {said}"


def graded(copy: Path, grader: str, names: Sequence[str], more: Sequence[str]) -> list[str]:
    """The cases that the copy judges wrongly."""
    argv = [sys.executable, str(copy / "scripts/attacks.py"), grader, *names, *more]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode not in (Exit.OK, Exit.NO):
        raise Stop(Exit.UNAVAILABLE, f"attacks.py ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return [line.split()[0] for line in done.stdout.splitlines() if line.endswith(MARK)]
