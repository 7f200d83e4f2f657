"""The Anthropic wire: what a request is, what an answer states, how a rehearsed one reads (M02, M04, L05)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import ToolCall
from gateway import wires
from gateway.wires import Scripted
from gateway.wires.anthropic import LISTING
from gateway_asking import WIRE, body
from kit.contract import Stop

SKILL = {"name": "Skill", "input_schema": {"type": "object"}}
# As Claude Code 2.1.332 sends it: skills of the project (one description was written in three lines), one
# of a plugin, one without a description, and a built-in one with a description of several lines.
LIST = f"""<system-reminder>
{LISTING}

- rust-formatting: How this team formats Rust code
- multi: First line - fake: a trap in a description last line
- tools:deploy: Of a plugin: with colons
- bare
- claude-api: Reference for the API.
TRIGGER - read FIRST, before you answer
SKIP only when: another provider
</system-reminder>
"""
NAMES = ["rust-formatting", "multi", "tools:deploy", "bare", "claude-api"]
counts = st.one_of(st.none(), st.integers(0, 10**9))
usages = st.fixed_dictionaries(
    dict.fromkeys(("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"), counts)
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def offered(document: dict[str, Any]) -> list[str] | None:
    return WIRE.asked("POST", "/v1/messages", {}, {"tools": [SKILL], **document}).offered_skills


def test_M04_the_skills_listed_in_the_first_user_message_are_offered() -> None:
    messages = body("<system-reminder>\n# Environment\n</system-reminder>", LIST, "the prompt")["messages"]
    merged = [{"role": "user", "content": [block for m in messages for block in m["content"]]}]
    assert offered({"messages": merged}) == NAMES


def test_M04_a_prompt_or_a_later_message_cannot_list_skills() -> None:
    bare = LIST.replace("<system-reminder>", "").replace("</system-reminder>", "")
    quoted = f"<system-reminder>\nA file says:\n{bare}</system-reminder>"
    for text in (bare, quoted):
        assert offered(body(text)) == [], "body() has no Skill tool"
        assert offered({"messages": body(text)["messages"]}) is None, (
            "a Skill tool, and no list that we can read"
        )
    assert offered({"messages": body("the prompt", LIST)["messages"]}) is None


def test_M04_without_a_skill_tool_nothing_is_offered_and_without_a_body_nothing_is_known() -> None:
    assert WIRE.asked("POST", "/v1/messages", {}, body("x")).offered_skills == []
    assert WIRE.asked("GET", "/", {}, None).offered_skills is None


@pytest.mark.parametrize(
    ("path", "document", "kind"),
    [
        ("/v1/messages", body(), "turn"),
        ("/v1/messages", body(tools=False), "side"),
        ("/v1/messages", {**body(), "tools": [{"type": "bash_20250124", "name": "bash"}]}, "turn"),
        ("/v1/messages", body("old", "CRITICAL: Respond with TEXT ONLY. Do NOT"), "compaction"),
        ("/v1/messages", body("CRITICAL: Respond with TEXT ONLY", "new"), "turn"),
        ("/v1/messages/count_tokens", body(), "count"),
        ("/v1/complete", body(), "other"),
        ("/v1/messages", None, "other"),
    ],
)
def test_M01_what_a_request_is(path: str, document: Any, kind: str) -> None:
    headers = {"X-Claude-Code-Session-Id": "s", "X-Stainless-Retry-Count": "2"}
    asked = WIRE.asked("POST", path, headers, document)
    assert (asked.kind, asked.session, asked.retry) == (kind, "s", 2)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "web_search_20250305"),
        (
            {**body(), "tools": [{"name": "Bash"}, {"type": "code_execution_20250825"}]},
            "code_execution_20250825",
        ),
        ({"tools": [{"type": "tool_of_next_year", "name": "x"}]}, "tool_of_next_year"),
        ({**body(), "mcp_servers": [{"type": "url", "url": "https://a.test"}]}, "mcp_servers"),
        ({**body(), "container": "c-1"}, "container"),
    ],
)
def test_M01_what_would_lend_the_agent_the_apis_own_network_is_forbidden(document: Any, why: str) -> None:
    for path in ("/v1/messages", "/v1/messages/count_tokens"):
        assert why in str(WIRE.asked("POST", path, {}, document).forbidden)


@pytest.mark.parametrize("kind", [None, "custom", "bash_20250124", "text_editor_20250728"])
def test_M01_tools_that_the_client_runs_are_not_forbidden(kind: str | None) -> None:
    tool = {"name": "x"} if kind is None else {"name": "x", "type": kind}
    assert WIRE.asked("POST", "/v1/messages", {}, {**body(), "tools": [tool]}).forbidden is None


def picture(kind: str = "image", **source: Any) -> dict[str, Any]:
    return {"type": kind, "source": source}


FETCHED = {"type": "url", "url": "https://a.test/?secret"}
DATA = {"type": "base64", "media_type": "image/png", "data": "AAAA"}


@pytest.mark.parametrize(
    "block",
    [
        picture(**FETCHED),
        picture("document", **FETCHED),
        picture("document", type="file", file_id="file_1"),  # what the key's owner keeps at the API
        picture("document", type="source_of_next_year"),
        {"type": "tool_result", "tool_use_id": "t", "content": [picture(**FETCHED)]},
        picture("document", type="content", content=[picture(**FETCHED)]),
        {
            "type": "tool_result",
            "content": [picture("document", type="content", content=[picture(**FETCHED)])],
        },
    ],
)
def test_M01_what_the_api_would_fetch_is_forbidden(block: dict[str, Any]) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "look"}, block]}
    for path in ("/v1/messages", "/v1/messages/count_tokens"):
        for document in ({**body(), "messages": [message]}, {**body(), "system": [block]}):
            assert "past the sandbox's network" in str(WIRE.asked("POST", path, {}, document).forbidden)


@pytest.mark.parametrize(
    "block",
    [
        picture(**DATA),
        picture("document", type="text", media_type="text/plain", data="https://a.test"),
        picture("document", type="content", content=[picture(**DATA)]),
        picture("document", type="content", content="https://a.test"),
        {"type": "search_result", "source": "https://a.test", "content": [{"type": "text", "text": "x"}]},
        {"type": "tool_use", "id": "t", "name": "Write", "input": {"content": [picture(**FETCHED)]}},
        {"type": "text", "text": json.dumps(picture(**FETCHED))},
    ],
)
def test_M01_what_the_request_holds_itself_is_not_forbidden(block: dict[str, Any]) -> None:
    document = {**body(), "messages": [{"role": "user", "content": [block]}]}
    assert WIRE.asked("POST", "/v1/messages", {}, document).forbidden is None


@given(st.dictionaries(st.sampled_from(["tools", "messages", "system", "stream"]), values), st.text())
def test_no_body_and_no_header_breaks_the_reading(document: dict[str, Any], header: str) -> None:
    WIRE.asked("POST", "/v1/messages", {"x-stainless-retry-count": header}, document)
    message = {"role": "user", "content": document.get("messages")}
    WIRE.asked("POST", "/v1/messages", {}, {"messages": [message], "tools": [document]})


@given(
    st.binary()
    | st.lists(values.map(json.dumps)).map(lambda v: "".join(f"data: {x}\n\n" for x in v).encode())
)
def test_no_answer_breaks_the_reading(answer: bytes) -> None:
    WIRE.answered("text/event-stream", answer)
    WIRE.answered("application/json", answer)


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
    coded = WIRE.encode(Scripted(text, usage, calls, stop), 7, {"model": "m", "stream": streamed})
    said = WIRE.answered(coded.headers["content-type"], b"".join(coded.chunks))
    assert said.usage == usage
    assert [call["name"] for call in said.tool_calls] == [call.name for call in calls]
    assert len({call["id"] for call in said.tool_calls}) == len(calls)
    assert said.error is None
    ends = {"done": "end_turn", "limit": "max_tokens", "refusal": "refusal"}
    assert said.stop == ("tool_use" if calls else ends[stop])


def test_M02_a_tool_call_streams_its_whole_input() -> None:
    call = ToolCall("Bash", {"command": 'printf "ü\\n" > a'})
    coded = WIRE.encode(Scripted("", {}, [call]), 1, {"stream": True})
    parts = [json.loads(chunk.split(b"data: ")[1]) for chunk in coded.chunks]
    pieces = [part["delta"]["partial_json"] for part in parts if part["type"] == "content_block_delta"]
    assert json.loads("".join(pieces)) == call.input
    assert [part["type"] for part in parts] == [chunk.split(b"\n")[0][7:].decode() for chunk in coded.chunks]


def test_L05_the_output_count_of_a_beginning_is_no_output_count() -> None:
    usage = {"input_tokens": 1, "output_tokens": 9, "cache_read_tokens": 2, "cache_write_tokens": 3}
    chunks = WIRE.encode(Scripted("hello", usage), 1, {"stream": True}).chunks
    cut = WIRE.answered("text/event-stream", b"".join(chunks[:-2]))
    assert cut.usage == {**usage, "output_tokens": None}
    assert (cut.stop, cut.error) == (None, "the stream ended before its message did")


def test_L05_an_ending_that_only_counts_the_output_keeps_the_other_classes() -> None:
    usage = {"input_tokens": 1, "output_tokens": 9, "cache_read_tokens": 2, "cache_write_tokens": 3}
    chunks = WIRE.encode(Scripted("hello", usage), 1, {"stream": True}).chunks
    ending = b'data: {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 50}}\n\n'
    said = WIRE.answered("text/event-stream", b"".join([*chunks[:-2], ending, chunks[-1]]))
    assert said.usage == {**usage, "output_tokens": 50}


def test_an_error_inside_a_stream_is_an_error() -> None:
    start = WIRE.encode(Scripted("hello", {}), 1, {"stream": True}).chunks[0]
    event = b"event: error\ndata: " + WIRE.error(529, "busy") + b"\n\n"
    assert WIRE.answered("text/event-stream", start + event).error == "overloaded_error: busy"
    assert WIRE.answered("application/json", WIRE.error(418, "tea", "teapot")).error == "teapot: tea"
    crlf = (start + event).replace(b"\n", b"\r\n")
    assert WIRE.answered("text/event-stream", crlf).error == "overloaded_error: busy"


def test_an_unknown_wire_is_refused_by_name() -> None:
    with pytest.raises(Stop, match="wire telegraph: unknown; the wires are anthropic"):
        wires.load("telegraph")
