"""How each expectation is judged, from the record of one trial.

What was seen counts whenever it was seen; what was *not* seen counts only when the session came far enough
to show it. Evidence that cannot be read, or that other evidence contradicts, is inconclusive, never pass.
Whatever the agent did to the evidence is a verdict, never an error.
"""

from __future__ import annotations

from dataclasses import dataclass

from kit.documents import Document
from kit.symposium_files import Line, Log
from kit.verdicts import Verdict

SYMPOSIUM_CONFIG = "home/.symposium/"


@dataclass(frozen=True)
class Record:
    """What one trial left, read once."""

    task: Document
    setup: Document
    observation: Document
    collected: Document
    trace: list[Line] | None  # None: no such file
    log: Log | None
    hooks: list[Line] | None  # the records that hooks of ours write
    version: str  # of cargo-agents

    @property
    def began(self) -> bool:
        """The client started a session, so SessionStart was due."""
        return bool(self.observation["session"] or self.observation["turns"])

    @property
    def ended(self) -> bool:
        """The session went to its own end: what has not happened by now did not happen."""
        return bool(self.observation["completion"] == "completed")

    def lost(self, file: str) -> str | None:
        """Why a file of evidence/ could not be kept, though something was there."""
        return next(
            (why for why in self.collected["missing"] if why.startswith((f"{file}: ", "evidence/.: "))), None
        )

    @property
    def changed(self) -> list[str]:
        """Configuration files that are not what they were before launch."""
        before, after = self.setup["snapshot"], self.collected["snapshot"]
        return sorted(path for path in {*before, *after} if before.get(path) != after.get(path))


def judged(verdict: Verdict, evidence: str) -> Document:
    return {"verdict": verdict, "evidence": evidence}


def unless_cut(record: Record, verdict: Document) -> Document:
    """A verdict that rests on what did not happen, unless the session was cut short."""
    if record.ended:
        return verdict
    return judged("inconclusive", f"{verdict['evidence']}; but the session did not go to its end")


def unless_changed(record: Record, verdict: Document, below: str = "") -> Document:
    """A verdict that rests on configuration, unless the session changed it (perhaps the agent did)."""
    changed = [path for path in record.changed if path.startswith(below)]
    if not changed:
        return verdict
    otherwise = f"without that {verdict['verdict']}: {verdict['evidence']}"
    return judged("inconclusive", f"{', '.join(changed)}: changed during the session; {otherwise}")
