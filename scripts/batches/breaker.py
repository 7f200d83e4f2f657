"""The circuit breaker: trials that fail at once, in a row, for the same reason, say nothing of the agent.

Set-up failures, clients that ended in an error within a minute, and those that never reached the model count;
anything else starts the row anew. It only says so; batch.py stops.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kit.documents import Document

INSTANT_SECS = 60.0  # of the client's own time: longer, and the agent may have worked
KEEP = 200  # characters of a reason


class Breaker:
    def __init__(self, limit: int) -> None:
        self.limit = limit  # 0: never
        self.row = 0
        self._last: str | None = None
        self.reason: str | None = None  # set once it has tripped

    def note(self, trial: str, result: Document, tags: Collection[str]) -> None:
        found = cause(trial, result, tags)
        self.row = (self.row + 1 if found == self._last else 1) if found else 0
        self._last = found
        if self.limit and self.row >= self.limit:
            self.reason = result["reason"][:KEEP]


def cause(trial: str, result: Document, tags: Collection[str]) -> str | None:
    """What it failed of, alike for every trial that failed of the same; None: it did not fail at once."""
    if "api_unreachable" in tags:
        return "api_unreachable"
    instant = result["elapsed_secs"] is None or result["elapsed_secs"] <= INSTANT_SECS
    failed = result["execution"] == "client_error" and instant
    if failed or result["outcome"] == "setup_failure":
        said = result["reason"].partition("; ")[0].replace(trial, "<trial>")
        return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", said)
    return None
