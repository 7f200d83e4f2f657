"""The gateway itself: HTTP on a Unix socket, for one host and one wire, with everything recorded.

It refuses what is not for the model (CONNECT, other schemes, other hosts, too large bodies) and forwards
nothing that is no endpoint of the wire: the real key could do more than ask a model. What the agent sends
is data. A crash while answering is ours: recorded, counted, in `crashes`, and with its traceback on stderr.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from aiohttp import web

from gateway import HOST
from gateway.exchange import Exchange, HungUp, Source
from gateway.record import Record
from gateway.wires import Wire
from kit import documents
from kit.contract import Exit, Stop
from kit.documents import Document

BODY_BYTES = 64 << 20
DEPTH = 200  # of a body's nesting: what json reads at its limit, json may fail to write
METHODS = ("POST", "GET", "HEAD")
LINGER_SECS = 0.5  # srt's proxy takes a connection that closes before it has ended its request for a 502
GRACE_SECS = 0.2  # for answers still under way when the gateway closes: their client is dead by then


class Gateway:
    """A context manager: it listens within, and the record is whole after it."""

    def __init__(self, socket: Path, record: Path, wire: Wire, source: Source) -> None:
        self._socket, self._path, self._wire, self._source = socket, record, wire, source
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gateway", daemon=True)
        self._started = time.monotonic()
        self._n = 0
        self._under_way: set[asyncio.Task[Any]] = set()
        self._closing: asyncio.Future[None] = self._loop.create_future()
        self.crashes: list[str] = []

    def __enter__(self) -> Self:
        try:
            self._record = Record(self._path, self._source.secrets)
        except FileExistsError as error:
            self._loop.close()
            raise Stop(Exit.EXISTS, f"{self._path}: is there already; a record is never continued") from error
        self._thread.start()
        try:
            self._wait(self._listen())
        except OSError as error:
            self._halt()
            why = f"the gateway cannot listen there ({error}); give a short path in a writable folder"
            raise Stop(Exit.UNAVAILABLE, f"{self._socket}: {why}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wait(self._close())
        self._halt()
        self._socket.unlink(missing_ok=True)
        if self._record.failure and error is None:
            raise self._record.failure

    def counts(self) -> dict[str, int]:
        """{"turns", "refused", "upstream_errors"}, as execution/1 has them."""
        return self._record.counts()

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _halt(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._record.close()

    async def _listen(self) -> None:
        self._web = web.Server(self._handle, handler_cancellation=True, access_log=None)
        self._server = await self._loop.create_unix_server(self._web, self._socket)
        self._socket.chmod(0o666)  # the folder around it decides who gets this far

    async def _close(self) -> None:
        self._closing.set_result(None)
        self._server.close()
        await self._web.shutdown(GRACE_SECS)
        if self._under_way:
            await asyncio.wait(self._under_way)  # each writes its line
        await self._source.close()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self._n += 1
        exchange = Exchange(request, self._n, time.monotonic() - self._started, target=request.raw_path)
        try:
            with self._recorded(exchange):
                await self._answer(exchange)
            await asyncio.wait([self._closing], timeout=LINGER_SECS)  # the answer is out; only its end waits
        except HungUp:
            pass  # noted by _recorded
        if exchange.response is None:
            return web.Response(status=500)  # nobody is there to read it
        return exchange.response

    @contextmanager
    def _recorded(self, exchange: Exchange) -> Iterator[None]:
        task = asyncio.current_task()
        assert task is not None
        self._under_way.add(task)
        try:
            yield
        except (asyncio.CancelledError, HungUp):
            if not exchange.failed or exchange.problems == []:
                exchange.problems.append("the client hung up before the answer was complete")
            raise
        except Exception as crash:  # noted and raised on: aiohttp prints the traceback and answers 500
            self.crashes.append(f"exchange {exchange.n}: {type(crash).__name__}: {crash}")
            exchange.problems.append(f"the gateway crashed: {type(crash).__name__}: {crash}")
            exchange.failed, exchange.status = True, exchange.status or 500
            raise
        finally:
            self._under_way.discard(task)
            self._record.add(*exchange.line(self._wire))

    async def _answer(self, exchange: Exchange) -> None:
        if refusal := await self._read(exchange):
            await exchange.refuse(*refusal, self._wire)
            return
        exchange.document = json_object(exchange.body)
        headers = exchange.request.headers
        exchange.asked = self._wire.asked(exchange.request.method, exchange.path, headers, exchange.document)
        if exchange.asked.forbidden:
            await exchange.refuse(403, exchange.asked.forbidden, self._wire)
        elif exchange.asked.kind != "other":
            await self._source.answer(exchange, self._wire)
        elif exchange.request.method == "HEAD" and exchange.path == "/":
            await exchange.whole(200, b"")  # a client asks whether anybody is there
        else:
            why = (
                "no endpoint that the gateway serves"
                if exchange.document or not exchange.body
                else "no JSON object"
            )
            exchange.problems.append(why)
            await exchange.whole(404, self._wire.error(404, why))

    async def _read(self, exchange: Exchange) -> tuple[int, str] | None:
        """Take the request in; the status and reason of a refusal, or None."""
        request = exchange.request
        if request.method not in METHODS:
            return 405, f"{request.method}: the gateway only answers {', '.join(METHODS)}"
        try:
            parts = urlsplit(exchange.target)
            host = parts.netloc or request.headers.get("host", "")
        except ValueError:
            return 400, "the target is no URL"
        if parts.scheme not in ("", "http"):
            return 405, f"{parts.scheme}: the gateway only speaks HTTP"
        if host.lower().removesuffix(":80") != HOST:
            return 403, f"{host}: the gateway only answers for {HOST}"
        exchange.path, exchange.query = parts.path, parts.query
        body = bytearray()
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > BODY_BYTES:
                return 413, f"the body is larger than {BODY_BYTES} bytes"
        exchange.body = bytes(body)
        return None


def json_object(body: bytes) -> Document | None:
    """The body where it is a JSON object that can be written again."""

    def shallow(value: Any, left: int = DEPTH) -> bool:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return left > 0 and all(shallow(item, left - 1) for item in inner)

    document = documents.foreign(body, strict=True)
    return document if document is not None and shallow(document) else None
