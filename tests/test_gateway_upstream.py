"""Upstream carries the key and nobody else sees it; answers pass on as they come (M01, L04)."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import itertools
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from gateway.upstream import Mask, Upstream
from gateway.wires import Scripted
from gateway_asking import HEADERS, WIRE, api, body, opened
from kit.contract import Stop

KEY = "sk-ant-real-0123456789"
USAGE = {"input_tokens": 3, "output_tokens": 4, "cache_read_tokens": 5, "cache_write_tokens": 6}
EVENTS = WIRE.encode(Scripted("hello", USAGE), 1, {"model": "m", "stream": True}).chunks
SSE = {"content-type": "text/event-stream"}


async def stream(request: web.Request, chunks: AsyncIterator[bytes]) -> web.StreamResponse:
    response = web.StreamResponse(headers=SSE)
    await response.prepare(request)
    async for chunk in chunks:
        await response.write(chunk)
    return response


async def spaced(secs: float) -> AsyncIterator[bytes]:
    for event in EVENTS:
        yield event
        await asyncio.sleep(secs)


def test_M01_the_real_key_replaces_the_dummy_and_only_what_the_api_needs_goes_on(tmp_path: Path) -> None:
    seen: list[web.Request] = []
    bodies: list[bytes] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append(request)
        bodies.append(await request.read())
        return web.json_response(
            {"usage": {"input_tokens": 1}}, headers={"request-id": "r1", "set-cookie": "a=b"}
        )

    headers = {
        **HEADERS,
        "authorization": "Bearer dummy",
        "connection": "x-hop, close",
        "x-hop": "1",
        "proxy-connection": "a",
        "accept-encoding": "gzip, br",
        "anthropic-version": "2023-06-01",
        "user-agent": "client/1",
        "te": "b",
    }
    with api(answer) as url, opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
        reply = there.ask(body("hi", stream=False), headers=headers)
    (request,) = seen
    assert (request.method, request.path_qs) == ("POST", "/v1/messages?beta=true")
    assert request.headers.getall("x-api-key") == [KEY]
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.headers.getall("user-agent") == ["client/1"]
    assert request.headers["host"] in url
    gone = {"authorization", "x-hop", "proxy-connection", "te", "connection"}
    assert not gone & {name.lower() for name in request.headers}
    assert "dummy" not in str(request.headers)
    assert reply.headers["request-id"] == "r1"
    assert "set-cookie" not in reply.headers
    (line,) = there.lines()
    assert line["request_bytes"] == len(bodies[0])
    assert line["usage"]["input_tokens"] == 1
    assert KEY not in there.record.read_text()


def test_M01_events_that_come_spaced_arrive_spaced(tmp_path: Path) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return await stream(request, spaced(0.2))

    with api(answer) as url, opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
        arrivals = []
        with closing(there.send(body())) as connection:
            response = connection.getresponse()
            while line := response.readline():
                if line.startswith(b"event:"):
                    arrivals.append(time.monotonic())
    gaps = [after - before for before, after in itertools.pairwise(arrivals)]
    assert len(arrivals) == len(EVENTS)
    assert min(gaps) > 0.1, f"buffered: {gaps}"
    (line,) = there.lines()
    assert line["usage"] == USAGE
    assert (line["stop"], line["problem"], line["turn"]) == ("end_turn", None, None)
    assert line["answer"].encode() == b"".join(EVENTS)
    assert there.gateway.counts() == {"turns": 1, "refused": 0, "upstream_errors": 0}


def test_L04_an_api_that_repeats_the_key_tells_it_nobody(tmp_path: Path) -> None:
    async def echo(request: web.Request) -> web.StreamResponse:
        key = request.headers["x-api-key"]
        response = web.StreamResponse(status=401, headers={"content-type": "application/json", "x-said": key})
        await response.prepare(request)
        for part in (b'{"type":"error","error":{"type":"authentication_error","message":"', key[:9].encode()):
            await response.write(part)
            await asyncio.sleep(0.05)
        await response.write(f'{key[9:]} is wrong, {key}"}}}}'.encode())
        return response

    with api(echo) as url, opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
        reply = there.ask(body())
    assert (reply.status, reply.headers["x-said"]) == (401, "<key>")
    assert b"<key> is wrong, <key>" in reply.body
    assert KEY not in there.record.read_text()
    assert there.lines()[0]["problem"] == "authentication_error: <key> is wrong, <key>"
    assert there.gateway.counts()["upstream_errors"] == 1


def test_L04_a_key_that_the_agent_guessed_is_not_written_either(tmp_path: Path) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response({})

    with api(answer) as url, opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
        there.ask(body(f"is it {KEY}?"))
    assert KEY not in there.record.read_text()
    assert there.lines()[0]["request"]["messages"][0]["content"][0]["text"] == "is it <key>?"


def test_M01_an_api_that_cannot_be_reached_is_an_answer_and_a_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
            reply = there.ask(body())
    assert reply.status == 502
    assert b'"type": "api_error"' in reply.body
    (line,) = there.lines()
    assert line["problem"].startswith("upstream: ClientConnectorError: ")
    assert there.gateway.counts() == {"turns": 1, "refused": 0, "upstream_errors": 1}


def test_M01_an_answer_that_breaks_off_is_not_taken_for_a_whole_one(tmp_path: Path) -> None:
    async def drop(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=SSE)
        await response.prepare(request)
        await response.write(EVENTS[0])
        await asyncio.sleep(0.1)
        assert request.transport is not None
        request.transport.abort()
        return response

    with api(drop) as url, opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
        connection = there.send(body())
        response = connection.getresponse()
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            response.read()
        connection.close()
    (line,) = there.lines()
    assert line["problem"].startswith("upstream: ClientPayloadError")
    assert (line["status"], line["answer"].encode()) == (200, EVENTS[0])
    assert there.gateway.counts()["upstream_errors"] == 1


def test_M01_a_stream_that_ends_early_in_good_form_is_an_error_of_the_api(tmp_path: Path) -> None:
    async def short(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"".join(EVENTS[:-1]), headers=SSE)

    with api(short) as url, opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
        there.ask(body())
    assert there.lines()[0]["problem"] == "the stream ended before its message did"
    assert there.gateway.counts()["upstream_errors"] == 1


def test_M01_an_answer_is_recorded_readable_even_if_the_api_compresses_it(tmp_path: Path) -> None:
    async def zipped(request: web.Request) -> web.StreamResponse:
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        return web.Response(body=gzip.compress(b'{"stop_reason":"end_turn"}'), headers=headers)

    with api(zipped) as url, opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
        reply = there.ask(body())
    assert reply.body == b'{"stop_reason":"end_turn"}'
    assert "content-encoding" not in reply.headers
    assert there.lines()[0]["stop"] == "end_turn"


def test_L04_the_key_follows_no_redirect_and_serves_no_other_endpoint(tmp_path: Path) -> None:
    seen: list[str] = []

    async def elsewhere(request: web.Request) -> web.StreamResponse:
        seen.append(request.path)
        return web.Response(status=307, headers={"location": "/v1/other"})

    with api(elsewhere) as url, opened(Upstream(url, KEY), tmp_path / "x.jsonl") as there:
        assert there.ask(body()).status == 307
        for path in (
            "/v1/files",
            "/v1/organizations/api_keys",
            "/v1/messages/batches",
            "/v1/messages/../files",
        ):
            assert there.ask(body(), f"http://model.gw.test{path}").status == 404
        assert there.ask(None, "http://model.gw.test/v1/messages", "GET").status == 404
    assert seen == ["/v1/messages"]


def test_L04_an_api_that_speaks_no_http_leaves_the_key_in_no_log(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = socket.create_server(("127.0.0.1", 0))

    def speak() -> None:
        client, _ = server.accept()
        client.recv(65536)
        client.sendall(b"SSH-2.0-nothing\r\n\r\n")
        client.close()

    thread = threading.Thread(target=speak)
    thread.start()
    with opened(Upstream(f"http://127.0.0.1:{server.getsockname()[1]}", KEY), tmp_path / "x.jsonl") as there:
        assert there.ask(body()).status == 502
    thread.join()
    server.close()
    printed = capfd.readouterr()
    assert KEY not in printed.out + printed.err + caplog.text + there.record.read_text()
    assert there.lines()[0]["problem"].startswith("upstream: ")


def test_L04_the_key_is_in_no_representation() -> None:
    source = Upstream("http://api", KEY)
    assert KEY not in f"{source!r} {source}"


@pytest.mark.parametrize("key", ["", "two words", "line\n", "schlüssel"])
def test_L04_a_key_that_cannot_be_sent_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(Stop) as stopped:
        Upstream("http://api", key)
    assert not key or key not in str(stopped.value)


@given(st.text("ab", min_size=1, max_size=6), st.lists(st.text("abc", max_size=8), max_size=8))
def test_L04_no_cut_lets_a_secret_through(secret: str, chunks: list[str]) -> None:
    mask = Mask(secret.encode())
    out = b"".join(mask.feed(chunk.encode()) for chunk in chunks) + mask.rest()
    assert secret.encode() not in out
    assert out == "".join(chunks).replace(secret, "<key>").encode()
