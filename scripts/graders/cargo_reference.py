"""What the task's own solution does with a hidden test: the values it reports, the assertions it reaches.

It is built only when a verdict needs it: for a blind test, and for a told one in which the submission left an
assertion out. A solution that cannot be built or does not report is the task author's fault: Infrastructure.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from graders import Bench, Done, Infrastructure, Work, blind, cargo_build, told
from graders.cargo_build import Built
from graders.cargo_crate import Crate
from graders.sandbox import open_folder
from kit import trees
from kit.seal import place

if TYPE_CHECKING:
    from graders.cargo_hidden import Hidden


class Late(Exception):
    """Nothing is left of the grading deadline: the submission took it."""


@dataclass
class Reference:
    work: Work
    bench: Bench
    hidden: Sequence[Hidden]
    secs: float = field(default=0.0, init=False)
    _made: tuple[Crate, Built] | None = field(default=None, init=False)

    @property
    def solution(self) -> Path | None:
        folder = self.work.checks.parent / "solution"
        return folder if folder.is_dir() else None

    def compiles(self, hidden: Hidden) -> None:
        """A hidden test that does not compile with the solution either is its author's fault."""
        if self.solution is not None:
            self._compiled(hidden)

    def unreached(self, hidden: Hidden) -> frozenset[int]:
        """The assertions of a told test that the solution leaves out too; none without a solution."""
        if self.solution is None:
            return frozenset()
        ((run, done),) = self._runs(hidden, 1)
        answer = told.judged(hidden.program, run, done)
        if answer.wrong:
            raise Infrastructure(
                f"{hidden.check}: the solution: {'; '.join(answer.wrong)}; correct it or the test"
            )
        return answer.unreached

    def values(self, hidden: Hidden) -> tuple[blind.Values, frozenset[int]]:
        """What a blind test must report, and which of its assertions the solution leaves out."""
        if self.solution is None:
            raise Infrastructure(f"{hidden.check}: is blind, and the task has no solution to compare with")
        return blind.expected(hidden.program, self._runs(hidden, blind.RUNS))

    def _runs(self, hidden: Hidden, count: int) -> list[tuple[told.Run, Done]]:
        crate = self._compiled(hidden)
        ended = []
        for _ in range(count):
            run = told.run(hidden.program, {}, random.SystemRandom(), {}, 0)
            ended.append((run, done := hidden.run(crate, run.told)))
            if done.timed_out:
                raise Late
        self.secs += sum(done.elapsed_secs for _, done in ended)
        return ended

    def _compiled(self, hidden: Hidden) -> Crate:
        crate, built = self._crate()
        if built.timed_out:
            raise Late
        if uncompiled := crate.uncompiled(hidden.check, built, hidden.target):
            trait = "; a trait is imported as `use x::Trait as _;`" if "E0599" in uncompiled else ""
            raise Infrastructure(f"the solution: {hidden.check} {uncompiled}; correct it or the test{trait}")
        return crate

    def _crate(self) -> tuple[Crate, Built]:
        if self._made is None:
            folder = open_folder(self.work.scratch / "reference")
            crate = Crate(
                dataclasses.replace(self.work, scratch=folder), self.bench, open_folder(folder / "crate")
            )
            for layer in (self.work.checks.parent / "starter", self.solution):
                if layer is not None:
                    lay(layer, crate.pristine)
            trees.remove(self.work.copy)
            place(crate.pristine, self.work.copy, lambda _: True)
            sources = {one.target: one.program.text for one in self.hidden}
            built = cargo_build.build(crate.work, self.bench, sources)
            self.secs += built.secs
            crate.keep(built, {one.check: one.target for one in self.hidden})
            self._made = crate, built
        return self._made


def lay(layer: Path, crate: Path) -> None:
    """A task's own files, over those that are there."""
    for file in sorted(layer.rglob("*")):
        into = crate / file.relative_to(layer)
        if file.is_dir():
            into.mkdir(parents=True, exist_ok=True)
        else:
            into.parent.mkdir(parents=True, exist_ok=True)
            into.write_bytes(file.read_bytes())
