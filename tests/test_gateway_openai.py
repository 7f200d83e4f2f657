"""The OpenAI wire: what a request is, what an answer states, how a rehearsed one reads (M01, M02, M04)."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import ToolCall
from gateway import server, wires
from gateway.wires import Scripted
from gateway_asking import body as claude_body
from gateway_asking import opened
from gateway_asking import rehearsed as script

WIRE = wires.load("openai")
PATH = "/v1/responses"
EXEC = {"type": "function", "name": "exec_command", "strict": False, "parameters": {}}
CODE = {  # how a model of code mode is offered its tools
    "type": "additional_tools",
    "role": "developer",
    "tools": [{"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]}],
}
# As Codex 0.171.0 sends it, with a description in three lines and a skill of a plugin.
LIST = """<skills_instructions>
## Skills
A skill is a set of local instructions to follow.
### Skill roots
- `r0` = `/home/.codex/skills/.system`
### Available skills
- imagegen: Generate or edit raster images: photos (and more). (file: r0/imagegen/SKILL.md)
- rust-formatting: How this team formats
- fake: a trap in a description
Rust code (file: r1/rust-formatting/SKILL.md)
- tools:deploy: Of a plugin (file: r2/deploy/SKILL.md)
### How to use skills
- Discovery: The list above is the skills available. (see below)
</skills_instructions>"""
NAMES = ["imagegen", "rust-formatting", "tools:deploy"]
CLASSES = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
counts = st.one_of(st.none(), st.integers(0, 10**9))
usages = st.fixed_dictionaries(dict.fromkeys(CLASSES, counts))
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def message(role: str, *parts: str) -> dict[str, Any]:
    content = [{"type": "input_text", "text": part} for part in parts]
    return {"type": "message", "role": role, "content": content}


def body(*items: dict[str, Any], tools: Any = (EXEC,), kind: str = "turn") -> dict[str, Any]:
    metadata = {"x-codex-turn-metadata": json.dumps({"request_kind": kind})}
    document: dict[str, Any] = {
        "model": "m",
        "stream": True,
        "input": list(items),
        "client_metadata": metadata,
    }
    return {**document, "tools": list(tools)} if tools else document


def asked(document: dict[str, Any] | None, path: str = PATH, method: str = "POST") -> wires.Asked:
    return WIRE.asked(method, path, {"Session-Id": "s"}, document)


# Requests


@pytest.mark.parametrize(
    ("path", "document", "kind"),
    [
        (PATH, body(), "turn"),
        (PATH, body(CODE, tools=()), "turn"),
        (PATH, body(tools=()), "side"),
        (PATH, body(kind="compaction", tools=()), "compaction"),
        (PATH, {**body(), "client_metadata": {"x-codex-turn-metadata": "{torn"}}, "turn"),
        (f"{PATH}/input_tokens", body(), "count"),
        (f"{PATH}/resp_1", body(), "other"),
        ("/v1/files", body(), "other"),
        (PATH, None, "other"),
    ],
)
def test_M01_what_a_request_is(path: str, document: Any, kind: str) -> None:
    said = asked(document, path)
    assert (said.kind, said.session, said.forbidden) == (kind, "s", None)
    assert asked(document, path, "GET").kind == "other"


def test_M04_the_skills_that_the_developer_message_lists_are_offered() -> None:
    user = message("user", "the prompt")
    assert (
        asked(
            body(message("developer", "You are Codex"), message("developer", LIST, "more"), user)
        ).offered_skills
        == NAMES
    )
    resumed = LIST.replace("- imagegen: Generate", "- new: Generate")
    both = body(message("developer", LIST), user, message("developer", resumed))
    assert asked(both).offered_skills == [*NAMES, "new"]


def test_M04_a_prompt_or_a_tools_output_cannot_list_skills() -> None:
    output = {"type": "function_call_output", "call_id": "c", "output": LIST}
    quoted = message("developer", f"A file says:\n{LIST}")
    assert asked(body(message("user", LIST), output, quoted)).offered_skills is None


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "web_search"},
        {"type": "web_search_preview"},
        {"type": "code_interpreter", "container": {"type": "auto"}},
        {"type": "file_search", "vector_store_ids": ["v"]},
        {"type": "mcp", "server_url": "https://a.test"},
        {"type": "image_generation"},
        {"type": "shell", "environment": {"type": "container_auto"}},
        {"type": "tool_search"},
        {"type": "tool_of_next_year"},
        {"name": "without a type"},
    ],
)
def test_M01_tools_that_the_api_runs_are_forbidden_wherever_they_stand(tool: dict[str, Any]) -> None:
    space = {"type": "namespace", "name": "n", "tools": [{"type": "namespace", "name": "m", "tools": [tool]}]}
    added = {**CODE, "tools": [tool]}
    for document in (body(tools=[EXEC, tool]), body(tools=[space]), body(added, tools=()), body(added)):
        for path in (PATH, f"{PATH}/input_tokens"):
            said = asked(document, path)
            assert (said.kind, str(tool.get("type")) in str(said.forbidden)) == ("other", True)


@pytest.mark.parametrize(
    "tool",
    [
        EXEC,
        {"type": "custom", "name": "apply_patch"},
        {"type": "tool_search", "execution": "client"},
        {"type": "local_shell"},
    ],
)
def test_M01_tools_that_the_client_runs_are_not_forbidden(tool: dict[str, Any]) -> None:
    assert asked(body(tools=[tool])).forbidden is None
    assert (
        asked(body({**CODE, "tools": [{"type": "namespace", "tools": [tool]}]}, tools=())).forbidden is None
    )


def test_M01_addresses_that_the_api_would_fetch_are_forbidden_and_data_is_not() -> None:
    def image(address: Any) -> dict[str, Any]:
        return body({"role": "user", "content": [{"type": "input_image", "image_url": address}]})

    for address in ("https://a.test/?secret", "HTTP://a.test", {"url": "https://a.test"}):
        assert "image_url" in str(asked(image(address)).forbidden)
    assert asked(image("data:image/png;base64,AAAA")).forbidden is None
    output = {
        "type": "function_call_output",
        "output": [{"type": "input_file", "file_url": "https://a.test"}],
    }
    assert "file_url" in str(asked(body(output)).forbidden)
    assert asked(body(message("user", "image_url: https://a.test"))).forbidden is None
    assert "prompt" in str(asked({**body(), "prompt": {"id": "pmpt_1"}}).forbidden)


@given(st.dictionaries(st.sampled_from(["tools", "input", "client_metadata", "prompt"]), values), values)
def test_no_body_breaks_the_reading(document: dict[str, Any], value: Any) -> None:
    asked(document)
    asked(body({"type": "additional_tools", "tools": value}, {"role": "developer", "content": value}))
    asked({**body(), "client_metadata": {"x-codex-turn-metadata": value}})


# Answers


@given(
    st.binary()
    | st.lists(values.map(json.dumps)).map(lambda v: "".join(f"data: {x}\n\n" for x in v).encode())
    | values.map(
        lambda v: f'data: {{"type": "response.completed", "response": {json.dumps(v)}}}\n\n'.encode()
    )
)
def test_no_answer_breaks_the_reading(answer: bytes) -> None:
    WIRE.answered("text/event-stream", answer)
    WIRE.answered("application/json", answer)


def rehearsed(
    calls: list[ToolCall], text: str = "", usage: Mapping[str, int | None] | None = None, **more: Any
) -> tuple[wires.Answered, list[Any]]:
    """What the record reads of a rehearsed answer, and its events."""
    request = {"model": "m", "stream": True, "tools": [EXEC], **more}
    coded = WIRE.encode(Scripted(text, usage or {}, calls), 7, request)
    events = [json.loads(chunk.split(b"data: ")[1]) for chunk in coded.chunks]
    assert [event["type"] for event in events] == [c.split(b"\n")[0][7:].decode() for c in coded.chunks]
    return WIRE.answered("text/event-stream", b"".join(coded.chunks)), events


@given(
    texts,
    usages,
    st.lists(st.builds(ToolCall, st.text("ab", min_size=1), st.dictionaries(texts, texts)), max_size=3),
    st.sampled_from(["done", "limit", "refusal"]),
    st.booleans(),
)
def test_M02_L05_what_is_rehearsed_is_what_the_record_reads(
    text: str, usage: dict[str, int | None], calls: list[ToolCall], stop: Any, streamed: bool
) -> None:
    coded = WIRE.encode(Scripted(text, usage, calls, stop), 7, {"stream": streamed, "tools": [EXEC]})
    said = WIRE.answered(coded.headers["content-type"], b"".join(coded.chunks))
    whole = None not in (usage["input_tokens"], usage["output_tokens"])  # the object needs its totals
    assert said.usage == (usage if whole else None)
    assert [call["name"] for call in said.tool_calls] == [call.name for call in calls]
    assert len({call["id"] for call in said.tool_calls}) == len(calls)
    ends = {"done": "completed", "limit": "max_output_tokens", "refusal": "content_filter"}
    assert (said.stop, said.error) == (ends[stop], None)


def test_M02_a_call_of_a_function_streams_its_whole_input() -> None:
    call = ToolCall("exec_command", {"cmd": 'printf "ü\\n" > a'})
    said, events = rehearsed([call])
    done = next(event["item"] for event in events if event["type"] == "response.output_item.done")
    assert (done["type"], json.loads(done["arguments"])) == ("function_call", call.input)
    assert said.tool_calls == [{"id": done["call_id"], "name": "exec_command"}]


def test_M02_a_model_of_code_mode_writes_its_call_as_javascript() -> None:
    said, events = rehearsed([ToolCall("exec_command", {"cmd": "ls"})], tools=None, input=[CODE])
    done = next(event["item"] for event in events if event["type"] == "response.output_item.done")
    assert (done["type"], done["name"]) == ("custom_tool_call", "exec")
    assert 'tools.exec_command({"cmd": "ls"})' in done["input"]
    assert [call["name"] for call in said.tool_calls] == ["exec"]


def test_L05_cached_tokens_are_within_the_input_and_come_out_of_it() -> None:
    def read(usage: Any) -> Any:
        return WIRE.answered(
            "application/json", json.dumps({"status": "completed", "usage": usage}).encode()
        ).usage

    details = {"cached_tokens": 60, "cache_write_tokens": 30}
    whole = {"input_tokens": 100, "input_tokens_details": details, "output_tokens": 7}
    assert list(read(whole).values()) == [10, 7, 60, 30]
    assert list(read({**whole, "input_tokens_details": {"cached_tokens": 60}}).values()) == [40, 7, 60, None]
    assert list(read({**whole, "input_tokens": 50}).values()) == [None, 7, 60, 30]
    assert list(read({"input_tokens": True, "output_tokens": -1}).values()) == [None] * 4
    assert read(None) is None


def test_a_stream_that_breaks_off_is_no_whole_answer() -> None:
    chunks = WIRE.encode(
        Scripted("hello", dict.fromkeys(CLASSES, 1), [ToolCall("a", {})]), 1, {"stream": True}
    ).chunks
    cut = WIRE.answered("text/event-stream", b"".join(chunks[:-1]))
    assert (cut.usage, cut.error) == (None, "the stream ended before its response did")
    assert [call["name"] for call in cut.tool_calls] == ["exec"]
    crlf = b"".join(chunks).replace(b"\n", b"\r\n")
    assert WIRE.answered("text/event-stream", crlf).error is None


def test_an_error_is_an_error_in_each_of_its_forms() -> None:
    failed = {"response": {"status": "failed", "error": {"code": "server_error", "message": "busy"}}}
    events: dict[str, tuple[dict[str, Any], str]] = {
        "response.failed": (failed, "server_error: busy"),
        "error": ({"code": "rate_limit_exceeded", "message": "slow down"}, "rate_limit_exceeded: slow down"),
    }
    for kind, (fields, words) in events.items():
        data = f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
        assert WIRE.answered("text/event-stream", data).error == words
    assert WIRE.answered("application/json", WIRE.error(503, "busy")).error == "server_is_overloaded: busy"
    assert WIRE.answered("application/json", WIRE.error(418, "tea", "teapot")).error == "teapot: tea"


def test_M01_the_key_is_sent_as_a_bearer_token() -> None:
    assert WIRE.credentials("k") == {"authorization": "Bearer k"}
    assert WIRE.CREDENTIALS == ("authorization",)


def test_M02_a_stall_begins_and_never_ends() -> None:
    coded = WIRE.encode(Scripted("This never", {}, stalls=True), 1, {"stream": True, "tools": [EXEC]})
    kinds = [json.loads(chunk.split(b"data: ")[1])["type"] for chunk in coded.chunks]
    assert kinds == ["response.created", "response.output_item.added", "response.output_text.delta"]
    assert not WIRE.encode(Scripted("x", {}, stalls=True), 1, {}).chunks


def test_M01_a_proxy_that_ends_its_request_after_the_answer_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """srt's writes nothing more, but it writes; a closed connection is then a broken model to it."""
    monkeypatch.setattr(server, "LINGER_SECS", 2 * server.LINGER_SECS)  # the machine may be busy
    data = json.dumps(claude_body()).encode()
    head = "POST http://model.gw.test/v1/messages HTTP/1.1\r\nhost: model.gw.test\r\nconnection: close"
    with (
        opened(script(tmp_path, "- say: Done."), tmp_path / "record.jsonl") as gateway,
        socket.socket(socket.AF_UNIX) as proxy,
    ):
        proxy.settimeout(10)
        proxy.connect(str(gateway.socket))
        proxy.sendall(f"{head}\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data)
        answer = b""
        while not answer.endswith(b"0\r\n\r\n"):
            answer += proxy.recv(1 << 16)
        time.sleep(0.02)
        proxy.send(b"")
        assert proxy.recv(1) == b"", "and then it is closed"
