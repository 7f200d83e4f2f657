"""How each expectation is judged, from the record of one trial.

What was seen counts whenever it was seen; what was *not* seen counts only when the session came far enough
to show it. Evidence that cannot be read, that other evidence contradicts, or that this cargo-agents does not
produce is inconclusive, never pass. Whatever the agent did to the evidence is a verdict, never an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kit.documents import Document
from kit.symposium_files import Line, Log
from kit.verdicts import Verdict

SYMPOSIUM_CONFIG = "home/.symposium/"


@dataclass(frozen=True)
class Record:
    """What one trial left, read once."""

    run: str  # the run's path, as the agent saw it
    task: Document
    setup: Document
    observation: Document
    collected: Document
    trace: list[Line] | None  # None: no such file
    log: Log | None
    hooks: list[Line] | None  # the records that hooks of ours write
    version: str  # of cargo-agents
    capabilities: Document | None  # None: not probed
    asked: int | None  # tool calls that the model's answers held, by the gateway's record; None: no record
    reports_hooks: bool  # the client says in its transcript which hooks it ran
    reloads_skills: bool  # the client looks for skills again when a SessionStart hook asks it to

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

    def lacks(self, capability: str) -> bool:
        """This cargo-agents was tried and does not do that."""
        return self.capabilities is not None and not self.capabilities[capability]


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
    return unless(f"{', '.join(changed)}: changed during the session" if changed else None, verdict)


def unless(doubt: str | None, verdict: Document) -> Document:
    """The verdict, or none at all where there is a reason to doubt what it rests on."""
    if doubt is None:
        return verdict
    return judged("inconclusive", f"{doubt}; without that {verdict['verdict']}: {verdict['evidence']}")


def unsupported(record: Record, capability: str, lacking: str, verdict: Document) -> Document:
    """S05: what this cargo-agents cannot show is neither a pass nor a fail."""
    said = f"cargo-agents {record.version} {lacking}, so this cannot be told"
    return unless(said if record.lacks(capability) else None, verdict)


def first(doubts: Sequence[str]) -> str | None:
    return doubts[0] if doubts else None
