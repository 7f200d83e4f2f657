"""A second grading held against the first: what differs, and whether the verdict stands.

Pure functions of grading/1, stage/1 and regrade/1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kit import verdicts
from kit.documents import Document

VERSIONED = ("srt", "node")


def versions_of(staged: Document) -> dict[str, str | None]:
    own = {name: f"{staged[name]['version']} {staged[name]['sha256']}" for name in VERSIONED}
    return {**own, **{name: staged["toolchain"][name] for name in ("rustc", "cargo")}}


def changes(before: Mapping[str, str | None], now: Mapping[str, str | None]) -> Document:
    return {
        name: {"before": before.get(name), "now": now.get(name)}
        for name in {**before, **now}
        if before.get(name) != now.get(name)
    }


def verdict(grading: Document | None) -> str:
    if grading is None or grading["status"] != "graded":
        return "none"
    return verdicts.combined(grading["checks"].values())


def judged(
    name: str,
    before: Document | None,
    after: Document | None,
    outcomes: tuple[str | None, str | None],
    problem: str | None,
) -> Document:
    """One of regrade/1's trials. outcomes: where it ended in the count, and where it would now."""
    there = [g for g in (before, after) if g]
    hashes = [{"task": g.get("content_hash"), "grader": g.get("grader_sha256")} for g in there]
    both = [g for g in there if g["status"] == "graded"]
    return {
        "trial": name,
        "differs": changes(*hashes) if len(there) == 2 else {},
        "before": summary(before, outcomes[0]),
        "after": summary(after, outcomes[1]),
        "stands": both[0]["checks"] == both[1]["checks"] if len(both) == 2 else None,
        "problem": problem,
    }


def summary(grading: Document | None, outcome: str | None) -> Document | None:
    if grading is None:
        return None
    return {"status": grading["status"], "checks": grading["checks"], "outcome": outcome}


def lines(body: Document) -> Iterator[str]:
    """For a person: what differs, then a line for each trial."""
    for name, change in body["tools"].items():
        yield f"differs from the original: {name}: {change['before']} before, {change['now']} now"
    for trial in body["trials"]:
        before, after = (verdict(trial[when]) for when in ("before", "after"))
        stands = {True: "stands", False: "CHANGED", None: "new"}[trial["stands"]]
        differs = f"; differs: {', '.join(trial['differs'])}" if trial["differs"] else ""
        why = f" ({trial['problem']})" if trial["problem"] else ""
        ends = [trial[when]["outcome"] if trial[when] else None for when in ("before", "after")]
        yield f"{trial['trial']}: {before} -> {after}, {ends[0]} -> {ends[1]}: {stands}{why}{differs}"
