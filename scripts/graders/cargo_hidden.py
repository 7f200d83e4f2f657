"""Judge one hidden test, told or blind, by what its runs report.

Each run is a sandbox of its own, in a process that can start no other (unless the test says that its subject
does), from an executable that cannot be read. Nothing a run does reaches the next. A pair of runs with a
wrong one ends it: the verdict is fail, and its detail and output name every assertion that was wrong in them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graders import Done, Judged, blind, told
from graders.cargo_build import Built
from graders.cargo_crate import Crate
from graders.cargo_reference import Reference
from graders.hidden_program import Program, reported
from graders.told import Answer
from kit.hidden_tests import Scheme

SENTENCES = re.compile("; (?=assertion |the report )")  # of what is wrong with a run


@dataclass(frozen=True)
class Hidden:
    """A hidden test, made a program that asks."""

    check: str
    target: str
    scheme: Scheme
    program: Program
    spawns: bool

    def run(self, crate: Crate, lines: Sequence[str]) -> Done:
        """What the run is told lies in a file that it can read and not change."""
        file = crate.program(self.check).with_name("told")
        file.unlink(missing_ok=True)
        file.write_text("".join(f"{line.encode('utf-8', 'surrogatepass').hex()}\n" for line in lines))
        file.chmod(0o444)
        return crate.run(self.check, [f"{self.program.mark}={file}"], launched=not self.spawns)


def judge(hidden: Hidden, crate: Crate, built: Built, reference: Reference) -> Judged:
    title, asked = f"hidden.{hidden.check}", hidden.program.asked
    counted = {"scheme": hidden.scheme, "strong": hidden.program.strong, "weak": len(hidden.program.weak)}
    if uncompiled := crate.uncompiled(hidden.check, built, hidden.target):
        return Judged(title, "fail", uncompiled, 0.0, built.output(hidden.target), counted)
    before, elapsed, output, unreached = reference.secs, 0.0, b"", set[int]()
    wrong: list[str] = []
    for number, (answer, done) in enumerate(answers(hidden, crate, reference)):
        elapsed, output = elapsed + done.elapsed_secs, output or done.stdout + done.stderr
        if answer.wrong:
            wrong, output = [*wrong, *SENTENCES.split(answer.wrong)], done.stdout + done.stderr
        if wrong and (number % 2 or reported(hidden.program, done.stdout) is None):
            break  # its opposite has been run too: between them every assertion was told the right value
        unreached |= answer.unreached
    secs = elapsed + reference.secs - before
    if wrong:
        said = sorted(dict.fromkeys(wrong), key=line)
        return Judged(title, "fail", "; ".join(said), secs, "\n".join([*said, ""]).encode() + output, counted)
    if unreached and (left_out := unreached - reference.unreached(hidden)):
        lines = ", ".join(str(asked[number].question.line) for number in sorted(left_out))
        return Judged(title, "fail", f"never reached: line {lines}", elapsed, output, counted)
    return Judged(title, "pass", passed(hidden), secs, output, counted)


def line(wrong: str) -> int:
    """Where in the test it is; what is about no line comes first."""
    found = re.search(r"line (\d+):", wrong)
    return int(found[1]) if found else 0


def answers(hidden: Hidden, crate: Crate, reference: Reference) -> Iterator[tuple[Answer, Done]]:
    rng = random.SystemRandom()
    if hidden.scheme == "blind":
        wanted, unreached = reference.values(hidden)
        run = blind.run(hidden.program, rng)
        done = hidden.run(crate, run.told)
        answer = blind.judged(hidden.program, run, done, wanted)
        yield Answer(answer.wrong, answer.unreached - unreached), done
        return
    for run in told.runs(hidden.program, rng):
        done = hidden.run(crate, run.told)
        yield told.judged(hidden.program, run, done), done


def passed(hidden: Hidden) -> str:
    weak = hidden.program.weak
    lines = f": line {', '.join(map(str, weak))}" if weak else ""
    how = f"{told.RUNS} runs as predicted" if hidden.scheme == "told" else "as the solution"
    return f"{hidden.scheme}: {how}; {hidden.program.strong} strong, {len(weak)} weak assertions{lines}"
