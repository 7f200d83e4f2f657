"""A client's transcript, a JSON event in each line: what is counted alike of every client's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from kit.documents import foreign

Event = dict[str, Any]


@dataclass
class Lines:
    """The facts of one transcript; lines count from 1."""

    events: int = 0
    broken: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    session: str | None = None

    def read(self, lines: Iterable[bytes]) -> Self:
        for line in lines:
            self.events += 1
            text = line.removeprefix(b"\xef\xbb\xbf").strip()
            if text and not self._line(text):
                self.broken += 1
        return self

    def _line(self, text: bytes) -> bool:
        event = foreign(text.decode("utf-8", "replace"), strict=True)
        return event is not None and isinstance(event.get("type"), str) and self.take(event)

    def take(self, event: Event) -> bool:
        """Whether the event was understood, or is of a type that may be left out."""
        raise NotImplementedError
