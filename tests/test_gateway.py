"""The gateway refuses what is not for the model, and records everything, whatever the client does (M01)."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import ToolCall
from gateway import HOST, rehearsal, server
from gateway.exchange import Exchange
from gateway.server import Gateway, json_object
from gateway.wires import Wire
from gateway_asking import HEADERS, MESSAGES, WIRE, Open, body, opened, rehearsed, script
from kit import documents
from kit.contract import Exit, Stop

SAY = "- say: Done."


def waiting(check: Any) -> bool:
    """Until it holds, for at most five seconds."""
    end = time.monotonic() + 5
    while not check() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(check())


def raw(there: Open, request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(there.socket))
        client.sendall(request)
        return client.recv(65536)


def test_M01_absolute_and_origin_targets_are_both_answered_and_recorded(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, "- run: ls\n- say: Done."), tmp_path / "x.jsonl") as there:
        first = there.ask(body("one"))
        second = there.ask(body("two"), "/v1/messages", headers={**HEADERS, "host": HOST})
    assert (first.status, second.status, second.text) == (200, 200, "Done.")
    assert first.headers["content-type"] == "text/event-stream"
    one, two = there.lines()
    assert (one["n"], one["target"], two["n"], two["target"]) == (1, MESSAGES, 2, "/v1/messages")
    assert one["request"] == body("one")
    assert one["answer"].encode() == first.body
    assert one["answer_bytes"] == len(first.body)
    assert (one["kind"], one["session"], one["retry"], one["turn"]) == ("turn", "s-1", 0, 1)
    assert one["tool_calls"] == [{"id": "toolu_rehearsal_1_1", "name": "Run"}]
    assert (one["stop"], two["stop"], two["tool_calls"]) == ("tool_use", "end_turn", [])
    assert one["usage"] == rehearsal.USAGE
    assert there.gateway.counts() == {"turns": 2, "refused": 0, "upstream_errors": 0}


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("CONNECT", "api.anthropic.com:443", 405),
        ("CONNECT", f"{HOST}:80", 405),
        ("GET", f"ftp://{HOST}/file", 405),
        ("GET", f"https://{HOST}/v1/models", 405),
        ("PUT", f"http://{HOST}/v1/messages", 405),
        ("DELETE", "/v1/messages", 405),
        ("POST", "http://example.com/v1/messages", 403),
        ("POST", f"http://{HOST}:8080/v1/messages", 403),
        ("POST", f"http://{HOST}.example.com/v1/messages", 403),
    ],
)
def test_M01_what_is_not_for_the_model_is_refused_and_recorded(
    tmp_path: Path, method: str, target: str, status: int
) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        said = raw(there, f"{method} {target} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 0\r\n\r\n".encode())
        assert said.startswith(f"HTTP/1.1 {status} ".encode())
        after = there.ask(body())
    refused, turn = there.lines()
    assert (refused["kind"], refused["method"], refused["target"]) == ("refused", method, target)
    assert (refused["status"], turn["kind"], after.text) == (status, "turn", "Done.")
    assert refused["problem"]
    assert there.gateway.counts() == {"turns": 1, "refused": 1, "upstream_errors": 0}


def test_M01_a_host_of_another_name_in_the_header_is_refused(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        assert there.ask(body(), "/v1/messages", headers={**HEADERS, "host": "example.com"}).status == 403
        assert there.ask(body(), "/v1/messages", headers={**HEADERS, "host": f"{HOST}:80"}).status == 200


def test_M01_a_request_for_the_apis_own_web_search_takes_no_turn_and_is_refused(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        search = {**body(tools=False), "tools": [{"type": "web_search_20250305", "name": "web_search"}]}
        assert there.ask(search).status == 403
        assert there.ask(body()).text == "Done."
    refused, turn = there.lines()
    assert (refused["kind"], turn["turn"]) == ("refused", 1)
    assert "web_search_20250305" in refused["problem"]


def test_M01_requests_beside_the_loop_take_no_turn(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        assert there.ask(None, f"http://{HOST}/", "HEAD").status == 200
        assert there.ask(body(tools=False)).text
        assert there.ask(body(), f"http://{HOST}/v1/messages/count_tokens").body == b'{"input_tokens": 100}'
        assert there.ask(body("CRITICAL: Respond with TEXT ONLY. Summarise.")).text
        assert there.ask(None, f"http://{HOST}/v1/models", "GET").status == 404
        assert there.ask(body()).text == "Done."
    kinds = [(line["kind"], line["turn"]) for line in there.lines()]
    assert kinds == [(kind, None) for kind in ("other", "side", "count", "compaction", "other")] + [
        ("turn", 1)
    ]
    assert there.gateway.counts() == {"turns": 1, "refused": 0, "upstream_errors": 0}


@pytest.mark.parametrize(
    "sent",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000, b'{"a":' * 500 + b"1" + b"}" * 500],
    ids=["empty", "cut", "list", "bytes", "nan", "deep", "nested"],
)
def test_M01_a_hostile_body_is_an_answer_and_a_line_not_a_crash(tmp_path: Path, sent: bytes) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        assert there.ask(sent).status == 404
        assert there.ask(body()).text == "Done."
    assert there.lines()[0]["request"] is None
    assert there.lines()[0]["request_bytes"] == len(sent)
    assert there.gateway.crashes == []


def test_M01_a_lone_surrogate_reaches_the_record(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        assert there.ask(b'{"tools": [{}], "messages": "\\ud800"}').status == 200
    assert there.lines()[0]["request"]["messages"] == "\ud800"


@given(
    st.binary(max_size=40) | st.recursive(st.none(), lambda inner: st.lists(inner)).map(str).map(str.encode)
)
def test_any_bytes_are_an_object_or_nothing(data: bytes) -> None:
    assert json_object(data) is None or isinstance(json_object(data), dict)


def test_M01_a_body_without_end_is_cut_at_the_cap(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        assert there.ask(b" " * (server.BODY_BYTES + 1)).status == 413
    (line,) = there.lines()
    assert (line["kind"], line["status"], line["request"]) == ("refused", 413, None)


def test_M01_a_client_that_hangs_up_leaves_a_line_and_gets_the_same_turn_again(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, "- delay: 0.5\n- run: ls\n- say: Done."), tmp_path / "x.jsonl") as there:
        there.send(body()).close()
        assert waiting(there.lines), "the line is written at once, not when the gateway closes"
        assert there.ask(body()).events[1]["content_block"]["name"] == "Run"
        assert there.ask(body()).text == "Done."
    cut, again, last = there.lines()
    assert (cut["turn"], again["turn"], last["turn"]) == (2, 2, 3)
    assert (cut["status"], cut["problem"]) == (0, "the client hung up before the answer was complete")
    assert there.gateway.counts() == {"turns": 3, "refused": 0, "upstream_errors": 0}


def test_M02_a_stall_begins_an_answer_and_ends_with_the_gateway(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, "- stall"), tmp_path / "x.jsonl") as there:
        connection = there.send(body())
        assert b"message_start" in connection.getresponse().readline()
        time.sleep(0.1)
        start = time.monotonic()
    assert time.monotonic() - start < 2
    connection.close()
    (line,) = there.lines()
    assert "This never" in line["answer"]
    assert (line["problem"], line["stop"]) == ("the answer stalls, as the rehearsal says", None)
    assert line["usage"]["output_tokens"] is None, "an answer without an end states no output"
    assert there.gateway.counts()["upstream_errors"] == 1


def test_M02_a_stall_that_passes_is_over_when_the_client_hangs_up(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, "- stall: {times: 1}\n- say: Done."), tmp_path / "x.jsonl") as there:
        connection = there.send(body())
        with connection.getresponse() as response:
            assert response.readline()
        connection.close()
        assert waiting(there.lines)
        assert there.ask(body()).text == "Done."
    assert [line["turn"] for line in there.lines()] == [1, 2]


def test_M01_a_crash_of_ours_is_recorded_counted_and_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(turn: object) -> ToolCall:
        raise KeyError("no such tool")

    source = rehearsal.Rehearsed(script(tmp_path, "- run: ls\n- say: Done."), broken, "m")
    with opened(source, tmp_path / "x.jsonl") as there:
        assert there.ask(body()).status == 500
    (line,) = there.lines()
    assert line["problem"] == "the gateway crashed: KeyError: 'no such tool'"
    assert (line["status"], line["turn"]) == (500, 1)
    assert there.gateway.crashes == ["exchange 1: KeyError: 'no such tool'"]
    assert there.gateway.counts() == {"turns": 1, "refused": 0, "upstream_errors": 1}


@dataclass
class Wrong:
    """A source that makes a line that fits no schema."""

    secrets: tuple[str, ...] = ()

    async def answer(self, exchange: Exchange, wire: Wire) -> None:
        exchange.turn = -1
        await exchange.whole(200, b"{}")

    async def close(self) -> None: ...


def test_R02_a_line_that_cannot_be_written_is_an_error_of_the_runner(tmp_path: Path) -> None:
    def session() -> None:
        with opened(Wrong(), tmp_path / "x.jsonl") as there:
            there.ask(body())

    with pytest.raises(documents.Invalid, match="-1 is less than"):
        session()


def test_M01_a_closed_record_is_in_the_order_of_n(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, "- delay: 0.4\n- run: slow\n- say: fast"), tmp_path / "x.jsonl") as there:
        slow = there.send(body())
        assert waiting(lambda: there.gateway._n == 1)
        assert there.ask(body()).text == "fast"
        assert waiting(there.lines)
        assert [line["n"] for line in there.lines()] == [2]
        assert slow.getresponse().read()
        slow.close()
    assert [line["n"] for line in there.lines()] == [1, 2]


def test_M01_an_earlier_record_is_never_continued(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("kept\n")
    with pytest.raises(Stop) as stopped, opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl"):
        pass
    assert stopped.value.code is Exit.EXISTS
    assert (tmp_path / "x.jsonl").read_text() == "kept\n"


def test_P01_a_socket_path_that_is_too_long_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / ("long" * 30)
    with pytest.raises(Stop, match="cannot listen there") as stopped:
        Gateway(path, tmp_path / "x.jsonl", WIRE, rehearsed(tmp_path, SAY)).__enter__()
    assert stopped.value.code is Exit.UNAVAILABLE


def test_the_socket_is_open_to_every_uid_that_its_folder_lets_in(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        assert there.socket.stat().st_mode & 0o777 == 0o666


def test_M01_many_idle_connections_do_not_hold_the_end_up(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        idle = [socket.socket(socket.AF_UNIX) for _ in range(50)]
        for client in idle:
            client.connect(str(there.socket))
            client.sendall(
                b"POST /v1/messages HTTP/1.1\r\nContent-Length: 99\r\nHost: model.gw.test\r\n\r\n{"
            )
        assert waiting(lambda: there.gateway._n == 50)
        start = time.monotonic()
    assert time.monotonic() - start < 3
    for client in idle:
        client.close()
    assert len(there.lines()) == 50
    assert {line["problem"] for line in there.lines()} == {
        "the client hung up before the answer was complete"
    }


def test_an_answer_to_a_client_that_reads_no_stream_is_plain_json(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        reply = there.ask(body(stream=False))
    assert reply.headers["content-type"] == "application/json"
    assert there.lines()[0]["usage"] == rehearsal.USAGE
    assert there.lines()[0]["stop"] == "end_turn"


def test_http_that_is_none_stops_nothing(tmp_path: Path) -> None:
    with opened(rehearsed(tmp_path, SAY), tmp_path / "x.jsonl") as there:
        assert raw(there, b"\x16\x03\x01 nonsense\r\n\r\n").startswith(b"HTTP/1.")
        assert there.ask(body()).text == "Done."
