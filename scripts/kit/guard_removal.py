"""Take the guards of a grader away, one by one: the cases that each is listed with must turn red.

tests/attacks/<grader>/_guards.toml lists them: each change is a text of scripts/ that stands there exactly
once, and what to put in its place. attacks.py of a copy with the change grades the cases. Each must come out
wrong (an attack passes, an honest submission is refused; an error proves nothing), and all be right while
nothing is away, or redness would mean nothing. It changes nothing here.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kit import programs
from kit.contract import Exit, Stop

FILE = "_guards.toml"
WRONG = re.compile(r"(\S+) .* (pass|fail) +[\d.]+ +<-- wrong")  # a row of attacks.py's table


@dataclass(frozen=True)
class Guard:
    name: str
    attacks: Sequence[str]  # cases of the corpus
    change: Sequence[Mapping[str, str]]  # file below scripts/, find, put
    scheme: str | None = None  # of hidden Rust tests; None: as they say


def listed(corpus: Path) -> list[Guard]:
    return [Guard(**one) for one in tomllib.loads((corpus / FILE).read_text("utf-8"))["guard"]]


def tried(
    root: Path, grader: str, guards: Sequence[Guard], options: Sequence[str]
) -> Iterator[tuple[Guard, list[str]]]:
    """Each guard, and which of its cases stayed right without it. options: of attacks.py."""
    with tempfile.TemporaryDirectory(prefix="agent-eval-guards-") as folder:
        copy = Path(folder)
        for entry in root.iterdir():
            if entry.name != "scripts":
                (copy / entry.name).symlink_to(entry)
        shutil.copytree(root / "scripts", copy / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        for scheme in {guard.scheme for guard in guards}:
            cases = {name for guard in guards if guard.scheme == scheme for name in guard.attacks}
            if wrong := wrongly(copy, grader, sorted(cases), scheme, options):
                raise Stop(Exit.NO, f"{', '.join(wrong)}: wrong though no guard is away; correct that first")
        for guard in guards:
            before = {copy / "scripts" / one["file"]: b"" for one in guard.change}
            before = {file: file.read_bytes() for file in before}
            for change in guard.change:
                apply(copy / "scripts" / change["file"], change)
            wrong = wrongly(copy, grader, guard.attacks, guard.scheme, options)
            yield guard, [name for name in guard.attacks if name not in wrong]
            for file, data in before.items():
                file.write_bytes(data)


def apply(file: Path, change: Mapping[str, str]) -> None:
    text = file.read_text("utf-8")
    if (count := text.count(change["find"])) != 1:
        why = f"stands there {count} times, not once; correct {FILE}"
        raise Stop(Exit.BAD_INPUT, f"{change['file']}: {change['find'].strip()!r} {why}")
    file.write_text(text.replace(change["find"], change["put"]), "utf-8")


def wrongly(
    copy: Path, grader: str, names: Sequence[str], scheme: str | None, options: Sequence[str]
) -> list[str]:
    """The cases that the copy judges wrongly."""
    words = [grader, *names, *options, *(["--scheme", scheme] if scheme else [])]
    done = programs.done(str(copy / "scripts/attacks"), *words, fine=(Exit.OK, Exit.NO))
    if "\nwrong verdicts: " not in done.stdout:  # its last line; a crash has the status of a wrong verdict
        raise Stop(Exit.UNAVAILABLE, f"attacks.py ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return [found[1] for line in done.stdout.splitlines() if (found := WRONG.fullmatch(line))]
