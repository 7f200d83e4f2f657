"""A batch round by round: what became of each configuration's trial, side by side.

It says how often they agreed and concludes nothing from it (the verdict is aggregate's). A cell that shows
another outcome than the trial's is this module's fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kit import counting
from kit.documents import Document
from kit.tables import OUTCOME, Batch
from kit.text import plain

MARKS = {"succeeded": ("good", "✓"), "failed": ("bad", "✗"), "inconclusive": ("unsure", "?")}
LOST = ("lost", "·")  # of those that do not count


@dataclass(frozen=True)
class Pairs:
    """Round by round, what became of each configuration."""

    names: Sequence[str]
    rounds: Sequence[tuple[int, Sequence[tuple[str, str, str, str]]]]  # trial, mark, sign, title
    said: str


def mark(result: Document | None) -> tuple[str, str]:
    return MARKS.get(result["outcome"], LOST) if result else LOST


def pairs(batch: Batch) -> Pairs | None:
    """None with one configuration, or where nothing may be compared: then there is nothing to pair."""
    names = [c["name"] for c in batch.plan["configurations"]]
    rounds: dict[int, dict[str, str]] = {}
    for trial in batch.plan["order"]:
        number, name = int(trial.split("-")[1]), counting.configuration_of(trial)
        rounds.setdefault(number, {})[name] = trial
    if len(names) < 2 or batch.plan["isolation"] != "enforced":
        return None
    found = [
        (n, [_cell(batch, of[name]) for name in names if name in of]) for n, of in sorted(rounds.items())
    ]
    return Pairs([plain(name) for name in names], found, _together(names, found))


def _cell(batch: Batch, trial: str) -> tuple[str, str, str, str]:
    result = batch.results.get(trial)
    return trial, *mark(result), f"{plain(trial)}: {OUTCOME[result['outcome'] if result else None]}"


def _together(names: Sequence[str], rounds: Sequence[tuple[int, Sequence[tuple[str, str, str, str]]]]) -> str:
    """How often the rounds of two configurations agreed, where both counted."""
    if len(names) != 2:
        return ""
    seen = [
        tuple(cell[1] == "good" for cell in cells)
        for _, cells in rounds
        if all(c[1] != "lost" for c in cells) and len(cells) == 2
    ]
    one, other = (plain(name) for name in names)
    return (
        f"Of {len(seen)} rounds in which both trials count: both succeeded {seen.count((True, True))},"
        f" only {one} {seen.count((True, False))}, only {other} {seen.count((False, True))},"
        f" neither {seen.count((False, False))}."
    )
