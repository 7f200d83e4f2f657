"""What the gateway's tests share: a client on a Unix socket, its requests, a model API, the record."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from clients import ToolCall
from gateway import HOST, rehearsal, wires
from gateway.exchange import Source
from gateway.server import Gateway
from kit import documents

WIRE = wires.load("anthropic")
MESSAGES = f"http://{HOST}/v1/messages?beta=true"
HEADERS = {
    "content-type": "application/json",
    "x-api-key": "dummy",
    "x-claude-code-session-id": "s-1",
    "x-stainless-retry-count": "0",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
TOOL = {"name": "Bash", "description": "runs", "input_schema": {"type": "object"}}


class Connection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__(HOST, timeout=20)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def events(self) -> list[Any]:
        return [json.loads(line[6:]) for line in self.body.splitlines() if line.startswith(b"data: ")]

    @property
    def text(self) -> str:
        deltas = [event["delta"] for event in self.events if event["type"] == "content_block_delta"]
        return "".join(delta.get("text", delta.get("partial_json", "")) for delta in deltas)


@dataclass(frozen=True)
class Open:
    """A gateway at work, and how to ask it."""

    gateway: Gateway
    socket: Path
    record: Path

    def send(
        self,
        body: Any = None,
        target: str = MESSAGES,
        method: str = "POST",
        headers: Mapping[str, str] = HEADERS,
    ) -> Connection:
        connection = Connection(self.socket)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(method, target, data, dict(headers))
        return connection

    def ask(
        self,
        body: Any = None,
        target: str = MESSAGES,
        method: str = "POST",
        headers: Mapping[str, str] = HEADERS,
    ) -> Reply:
        connection = self.send(body, target, method, headers)
        response = connection.getresponse()
        reply = Reply(response.status, dict(response.headers.items()), response.read())
        connection.close()
        return reply

    def lines(self) -> list[Any]:
        """The record; each line fits its schema."""
        lines = [json.loads(line) for line in self.record.read_text("ascii").splitlines()]
        for line in lines:
            documents.check(line, "exchange/1", self.record)
        return lines


@contextmanager
def opened(source: Source, record: Path) -> Iterator[Open]:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own can be too long for a socket
        path = Path(folder) / "gw.sock"
        with Gateway(path, record, WIRE, source) as gateway:
            yield Open(gateway, path, record)
        assert not path.exists()


@contextmanager
def api(handler: Handler) -> Iterator[str]:
    """A model API on loopback, in a loop of its own; its base URL."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> tuple[web.AppRunner, int]:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", handler)
        runner = web.AppRunner(application, shutdown_timeout=0.2)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, int(runner.addresses[0][1])

    runner, port = asyncio.run_coroutine_threadsafe(start(), loop).result()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def body(*texts: str, tools: bool = True, stream: bool = True) -> dict[str, Any]:
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts or ("do it",)]
    return {"model": "m", "max_tokens": 9, "stream": stream, "messages": messages, "tools": [TOOL] * tools}


def tool(turn: Mapping[str, Any]) -> ToolCall:
    """A client's own tools, as an adapter would name them."""
    ((word, value),) = turn.items()
    return ToolCall(word.capitalize(), {"value": value})


def script(folder: Path, turns: str) -> rehearsal.Rehearsal:
    """A rehearsal with these turns, from a file."""
    file = folder / "script.yaml"
    file.write_text(f"says: A test.\nexpect: {{with-symposium: {{outcome: succeeded}}}}\nturns:\n{turns}\n")
    return rehearsal.load(file)


def rehearsed(folder: Path, turns: str) -> rehearsal.Rehearsed:
    return rehearsal.Rehearsed(script(folder, turns), tool, "m")
