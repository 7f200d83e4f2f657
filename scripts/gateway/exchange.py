"""One request to the gateway and its answer, while it happens and as the record keeps it.

It sends what a source hands it and keeps a copy. It decides nothing: server.py refuses, a Source answers.
That a client hangs up is the client's doing and never an error here.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from aiohttp import web

from gateway.wires import Answered, Asked, Wire
from kit.documents import Document

KEPT_BYTES = 16 << 20  # of an answer; a model's answer is far smaller


UNREAD = Asked("other")


class HungUp(Exception):
    """The client closed the connection before the answer was complete."""


class Source(Protocol):
    """Who answers."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no line of the record may hold."""
        ...

    async def answer(self, exchange: Exchange, wire: Wire) -> None:
        """Send one whole answer, or say on the exchange why not."""
        ...

    async def close(self) -> None: ...


@dataclass
class Exchange:
    """Sources read the request and send through here; the fields after `kind` are what became of it."""

    request: web.BaseRequest
    n: int
    at: float
    began: float = field(default_factory=time.monotonic)
    target: str = ""  # as it came, in absolute or origin form
    path: str = ""  # without the query
    query: str = ""
    body: bytes = b""
    document: Document | None = None  # the body, where it is a JSON object
    asked: Asked = UNREAD
    refused: bool = False
    status: int = 0
    content_type: str = ""
    turn: int | None = None
    failed: bool = False  # the model's side broke
    complete: bool = False
    problems: list[str] = field(default_factory=list)
    response: web.StreamResponse | None = None
    _kept: bytearray = field(default_factory=bytearray)
    _sent: int = 0

    async def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        self.response = web.StreamResponse(status=status)
        for name, value in headers:
            self.response.headers.add(name, value)
        self.status, self.content_type = status, self.response.content_type
        try:
            await self.response.prepare(self.request)
        except ConnectionError:
            raise HungUp from None

    async def send(self, chunk: bytes) -> None:
        """On to the client at once; the connection's own back-pressure is the only wait."""
        if self.response is None:
            raise LookupError("send before begin")
        self._kept += chunk[: KEPT_BYTES - len(self._kept)]
        self._sent += len(chunk)
        try:
            await self.response.write(chunk)
        except ConnectionError:
            raise HungUp from None

    async def end(self) -> None:
        if self.response is None:
            raise LookupError("end before begin")
        try:
            await self.response.write_eof()
        except ConnectionError:
            raise HungUp from None
        self.complete = True

    async def whole(self, status: int, body: bytes, kind: str = "application/json") -> None:
        await self.begin(status, [("content-type", kind)])
        if body:
            await self.send(body)
        await self.end()

    async def refuse(self, status: int, why: str, wire: Wire) -> None:
        self.refused = True
        self.problems.append(why)
        await self.whole(status, wire.error(status, why))

    def drop(self, why: str) -> None:
        """Break the connection, so that the client does not take half an answer for a whole one."""
        self.problems.append(why)
        self.failed = True
        if self.request.transport is not None:
            self.request.transport.close()

    def line(self, wire: Wire) -> tuple[Document, bool]:
        """The record's line (exchange/1), and whether the model's side failed."""
        said = Answered()
        if not self.refused and self.asked.kind != "other":
            said = wire.answered(self.content_type, bytes(self._kept))
        problems = list(self.problems)
        if self.complete and said.error:
            problems.append(said.error)
        if self._sent > len(self._kept):
            problems.append(f"the answer is longer than {KEPT_BYTES} bytes; the rest is not kept")
        failed = self.failed or (
            self.asked.kind != "other" and (self.status >= 400 or bool(self.complete and said.error))
        )
        return {
            "schema": "exchange/1",
            "n": self.n,
            "at": round(self.at, 3),
            "elapsed_secs": round(time.monotonic() - self.began, 3),
            "method": self.request.method,
            "target": self.target,
            "kind": "refused" if self.refused else self.asked.kind,
            "session": self.asked.session,
            "retry": self.asked.retry,
            "request": self.document,
            "request_bytes": len(self.body),
            "request_sha256": hashlib.sha256(self.body).hexdigest() if self.body else None,
            "status": self.status,
            "answer": bytes(self._kept).decode("utf-8", "backslashreplace"),
            "answer_bytes": self._sent,
            "usage": said.usage,
            "offered_skills": self.asked.offered_skills,
            "tool_calls": said.tool_calls,
            "stop": said.stop,
            "turn": self.turn,
            "problem": "; ".join(problems) or None,
        }, failed and not self.refused
