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

from graders import Done, Judged, blind, cargo_builders, told
from graders.cargo_build import Built
from graders.cargo_crate import Crate
from graders.cargo_reference import Late, Reference
from graders.hidden_program import Program, Unjudged, reported
from graders.told import Answer
from kit.hidden_tests import Scheme


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
    counted = {"scheme": hidden.scheme, "strong": hidden.program.strong, "weak": len(hidden.program.weak)}
    ended, before = list[Done](), reference.secs
    try:
        wrong = found(hidden, crate, built, reference, ended)
    except Late:
        wrong = ["nothing was left of the grading deadline when it was to be compared with the solution"]
    secs = sum(done.elapsed_secs for done in ended) + reference.secs - before
    shown = ended[-1 if wrong else 0] if ended else None
    output = shown.stdout + shown.stderr if shown else built.output(hidden.target)
    if not wrong:
        return Judged(f"hidden.{hidden.check}", "pass", passed(hidden), secs, output, counted)
    head = "".join(f"{one}\n" for one in wrong).encode() if shown else b""
    return Judged(f"hidden.{hidden.check}", "fail", "; ".join(wrong), secs, head + output, counted)


def found(hidden: Hidden, crate: Crate, built: Built, reference: Reference, ended: list[Done]) -> list[str]:
    """What is wrong, for a person. The runs are added to ended."""
    if uncompiled := crate.uncompiled(hidden.check, built, hidden.target):
        reference.compiles(hidden)
        return [uncompiled]
    unreached, wrong = set[int](), list[str]()
    for number, (answer, done) in enumerate(answers(hidden, crate, reference)):
        ended.append(done)
        wrong += answer.wrong
        unreached |= answer.unreached
        if wrong and (number % 2 or reported(hidden.program, done.stdout) is None):
            break  # its opposite has been run too: between them every assertion was told the right value
    if wrong:
        return sorted(dict.fromkeys(wrong), key=line)
    left_out = unreached - reference.unreached(hidden) if unreached else set()
    lines = ", ".join(str(hidden.program.asked[number].question.line) for number in sorted(left_out))
    if left_out:
        return [f"never reached: line {lines}"]
    starter = crate.work.checks.parent / "starter"
    if hidden.program.weak and (builder := cargo_builders.of_the_submission(crate.pristine, starter)):
        lines = ", ".join(map(str, hidden.program.weak))
        why = f"weak, and {builder} is the submission's, which builds the test and can answer for it"
        raise Unjudged(f"{hidden.check}: line {lines}: {why}; write strong ones, or do not let it be edited")
    return []


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
