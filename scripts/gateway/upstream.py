"""Forwards to the model's API with the real key in place of the dummy, each piece of the answer at once.

The key stays in this object: it is in no representation, message or log, and it is taken out of whatever
the API answers, so that neither the record nor the sandbox sees it. Nothing is tried again: that is the
client's business. An API that cannot be reached or breaks off is data: recorded, and told to the client in
its wire's own form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import aiohttp
from yarl import URL

from gateway.exchange import Exchange
from gateway.record import HIDDEN
from gateway.wires import Wire
from kit.contract import Exit, Stop

HOP_BY_HOP = (
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
    *("te", "trailer", "trailers", "transfer-encoding", "upgrade"),
)
OURS = (
    "host",
    "content-length",
    "content-encoding",
    "accept-encoding",
    "expect",
    "cookie",
)  # set anew, or not needed
CONNECT_SECS = 30  # a model may think for minutes before it answers; the trial's deadline bounds that


@dataclass
class Upstream:
    """A Source: the model's own API at base_url."""

    base_url: str
    key: str = field(repr=False)
    _session: aiohttp.ClientSession | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.key or not self.key.isascii() or not self.key.isprintable() or " " in self.key:
            raise Stop(
                Exit.USAGE, "the model API's key: empty, or with characters that no key has; set it again"
            )

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.key,)

    async def answer(self, exchange: Exchange, wire: Wire) -> None:
        mask = Mask(self.key.encode())
        try:
            async with self._send(exchange, wire) as reply:
                await exchange.begin(reply.status, list(self._kept(reply.headers)))
                async for chunk in reply.content.iter_any():
                    if clean := mask.feed(chunk):
                        await exchange.send(clean)
            if rest := mask.rest():
                await exchange.send(rest)
            await exchange.end()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            why = f"upstream: {type(error).__name__}: {error}".replace(self.key, HIDDEN)
            exchange.failed = True
            if exchange.response is not None:
                exchange.drop(why)
            else:
                exchange.problems.append(why)
                await exchange.whole(502, wire.error(502, "the gateway cannot reach the model"))

    def _send(self, exchange: Exchange, wire: Wire) -> aiohttp.client._RequestContextManager:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECS),
                skip_auto_headers=("user-agent", "accept", "content-type"),
            )
        headers = exchange.request.headers
        dropped = {*HOP_BY_HOP, *OURS, *wire.CREDENTIALS, *named(headers)}
        sent = [(name, value) for name, value in headers.items() if name.lower() not in dropped]
        target = self.base_url.rstrip("/") + exchange.path + (f"?{exchange.query}" if exchange.query else "")
        return self._session.request(
            exchange.request.method,
            URL(target, encoded=True),
            headers=[*sent, *wire.credentials(self.key).items(), ("accept-encoding", "identity")],
            data=exchange.body,
            allow_redirects=False,  # the key goes to no other host
        )

    def _kept(self, headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        dropped = {*HOP_BY_HOP, "content-length", "content-encoding", "set-cookie", *named(headers)}
        for name, value in headers.items():
            if name.lower() not in dropped:
                yield name, value.replace(self.key, HIDDEN)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


def named(headers: Mapping[str, str]) -> set[str]:
    """The fields that `Connection` declares to be for one hop only."""
    return {name.strip().lower() for name in headers.get("connection", "").split(",")}


class Mask:
    """Takes a secret out of a stream, also where it is cut in two."""

    def __init__(self, secret: bytes) -> None:
        self._secret, self._held = secret, b""

    def feed(self, chunk: bytes) -> bytes:
        """What may go on now; a tail that could become the secret waits."""
        data = (self._held + chunk).replace(self._secret, HIDDEN.encode())
        longest = min(len(self._secret) - 1, len(data))
        tail = next((n for n in range(longest, 0, -1) if data.endswith(self._secret[:n])), 0)
        self._held = data[len(data) - tail :]
        return data[: len(data) - tail]

    def rest(self) -> bytes:
        return self._held
