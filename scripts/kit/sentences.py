"""What a person is told of a batch beside its tables: banners, the verdict, why trials ended so, findings.

What comes from a record goes through plain() here, as in the tables. What may be claimed is kit/claims.py's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kit import claims, counting
from kit.tables import OUTCOME, Batch, numbered
from kit.text import plain

RANDOM = re.compile(r"_[0-9a-f]{8}(?=\.rs\b)|(?<=') \(\d+\)(?= panicked)")  # names and threads of one run
MOST_NUMBERS = 20
NEVER = "no result.json: never finalized"


@dataclass(frozen=True)
class Alike:
    """Trials of one configuration that ended in the same way, for the same reason."""

    configuration: str
    outcome: str
    why: str
    trials: Sequence[str]


def sections(batch: Batch) -> Iterator[tuple[str, list[str]]]:
    yield "Why", [f"{trials}: {why}" for trials, why in reasons(alike(batch))]
    if found := list(findings(batch)):
        yield "Findings", found
    if warned := [plain(warning) for warning in batch.benchmark["warnings"]]:
        yield "Warnings", warned
    yield "What this shows", [plain(batch.benchmark["statement"])]


def alike(batch: Batch) -> list[Alike]:
    """The trials by configuration, outcome and reason; a random name in a reason keeps no two apart."""
    found: dict[tuple[str, str, str], list[str]] = {}
    first: dict[tuple[str, str, str], str] = {}
    for name in batch.plan["order"]:
        result = batch.results.get(name)
        why = plain(result["reason"]) if result else NEVER
        outcome = OUTCOME[result["outcome"] if result else None]
        key = (counting.configuration_of(name), outcome, RANDOM.sub("", why))
        found.setdefault(key, []).append(name)
        first.setdefault(key, why)
    return [Alike(key[0], key[1], first[key], trials) for key, trials in found.items()]


def reasons(groups: Sequence[Alike]) -> Iterator[tuple[str, str]]:
    """Which trials ended so, and why; trials with the same reason stand together."""
    for group in groups:
        numbers = [numbered(name)[0] for name in group.trials]
        more = f" and {len(numbers) - MOST_NUMBERS} more" if len(numbers) > MOST_NUMBERS else ""
        yield f"{plain(group.configuration)} {', '.join(numbers[:MOST_NUMBERS])}{more}", group.why


def banners(batch: Batch) -> Iterator[str]:
    """What must be known before a number is read (I07, M02)."""
    if batch.plan["rehearsals"]:
        yield claims.rehearsed(batch.plan["rehearsals"])
    if batch.plan["isolation"] != "enforced":
        yield claims.EXPLORATORY
    if batch.plan.get("route") == "direct":
        yield claims.DIRECT


def verdict(batch: Batch) -> str:
    """The statement, without what a banner has said already."""
    said = str(batch.benchmark["statement"])
    for banner in banners(batch):
        said = said.removeprefix(banner).lstrip()
    return plain(said)


def findings(batch: Batch) -> Iterator[str]:
    """Each once, with how many trials it was found in."""
    found: dict[str, int] = {}
    for result in batch.results.values():
        for finding in result["findings"]:
            found[plain(finding)] = found.get(plain(finding), 0) + 1
    for finding, count in found.items():
        yield finding if len(batch.results) == 1 else f"{finding} ({count} of {len(batch.results)} trials)"
