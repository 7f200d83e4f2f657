"""What check_tasks found out about a task: as a document, as lines for a person, as a row of the table.

It judges nothing. Lines are wrapped to the terminal, or to 80 columns where there is none.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kit.documents import Document
from kit.proofs import Proof
from kit.tasks import Task


@dataclass(frozen=True)
class Checked:
    """What was found out about one task."""

    name: str
    refusals: Sequence[str]
    task: Task | None = None  # None: it could not be loaded
    proof: Proof | None = None  # None: nothing was graded
    notes: Sequence[str] = field(default=())

    def document(self) -> Document:
        return {
            "name": self.name,
            "right": not self.refusals,
            "refusals": list(self.refusals),
            "content_hash": self.task.content_hash if self.task else None,
            "solution": self.proof.solution if self.proof else None,
            "starter": self.proof.starter if self.proof else None,
            **(self.battery() if self.proof else {}),
        }

    def battery(self) -> Document:
        """What the battery came to; nothing where it was not asked for."""
        if self.proof is None or not (self.proof.adversaries or self.proof.mutants):
            return {}
        tried = {"adversaries": self.proof.adversaries, "mutants": self.proof.mutants}
        found: Document = {name: [one.document() for one in each] for name, each in tried.items()}
        caught, built = self.proof.caught
        return {**found, "mutants_caught": {"caught": caught, "built": built}}

    def exceptions(self) -> Iterator[str]:
        """A line for each adversary that passes or does not build, and each mutant no hidden test caught."""
        proof = self.proof
        for one in proof.adversaries if proof else ():
            if not one.caught:
                yield f"    PASSES  {one.submission.name}: {one.submission.says}"
            elif not one.builds:
                yield f"    fails   {one.submission.name}: does not build, which shows nothing"
        for one in proof.mutants if proof else ():
            if one.builds and not one.tested:
                yield f"    lives   {one.submission.says}"

    def lines(self) -> Iterator[str]:
        if self.refusals:
            yield f"✗ {self.name}"
            yield from (f"    {line}" for line in self.refusals)
        else:
            yield from wrapped(f"✓ {self.name}: {'; '.join(self.notes)}")
        for line in self.exceptions():
            yield from wrapped(line, 12)

    def row(self) -> tuple[str, ...]:
        """Of the table at the end."""
        against, proof = self.proof.adversaries if self.proof else (), self.proof
        fail = f"{sum(one.caught for one in against)} of {len(against)}"
        share = proof.share if proof and proof.mutants else "-"
        return self.name, "wrong" if self.refusals else "right", fail if against else "-", share


HEADINGS = ("task", "verdict", "adversaries fail", "mutants caught")


def wrapped(line: str, indent: int = 4) -> list[str]:
    width, below = shutil.get_terminal_size().columns, " " * indent
    return textwrap.wrap(line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)


def summary(found: Sequence[Checked]) -> Iterator[str]:
    rows = [HEADINGS, *(one.row() for one in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield ""
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
