"""exchanges.jsonl: one checked line for each exchange, flushed as it ends.

It never changes what a line says, but for a secret in it, which it takes out. A line that cannot be written
is an error of the runner (a full disk, or our bug), kept in `failure` for the gateway to raise: half a
record proves nothing.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from kit import documents
from kit.documents import Document

HIDDEN = "<key>"


class Record:
    """Lines are added as exchanges end; close() puts them in the order of n."""

    def __init__(self, path: Path, secrets: Iterable[str]) -> None:
        self._path, self._secrets = path, tuple(secrets)
        self._file = path.open("xb")
        self._places: list[tuple[int, int, int]] = []  # n, offset, length
        self._counts = {"turns": 0, "refused": 0, "upstream_errors": 0}
        self.failure: Exception | None = None

    def add(self, line: Document, failed: bool) -> None:
        """`failed`: the model's side gave an error or no whole answer."""
        try:
            documents.check(line, "exchange/1", self._path)
            text = json.dumps(line, allow_nan=False)
            for secret in self._secrets:
                text = text.replace(secret, HIDDEN)
            data = text.encode("ascii") + b"\n"
            self._places.append((line["n"], self._file.tell(), len(data)))
            self._file.write(data)
            self._file.flush()
        except (OSError, ValueError, documents.Invalid) as error:
            self.failure = self.failure or error
            raise
        self._counts["turns"] += line["kind"] == "turn"
        self._counts["refused"] += line["kind"] == "refused"
        self._counts["upstream_errors"] += failed

    def counts(self) -> dict[str, int]:
        return dict(self._counts)

    def close(self) -> None:
        self._file.close()
        if self._places != sorted(self._places) and self.failure is None:
            self._sort()

    def _sort(self) -> None:
        """Exchanges that overlapped ended in another order than they began."""
        draft = self._path.with_name(f".{self._path.name}.tmp")
        with self._path.open("rb") as old, draft.open("xb") as new:
            for _, offset, length in sorted(self._places):
                old.seek(offset)
                new.write(old.read(length))
        shutil.copymode(self._path, draft)
        draft.replace(self._path)
