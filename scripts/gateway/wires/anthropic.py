"""The Anthropic Messages protocol, as Claude Code speaks it.

It reads and writes bodies and never opens a connection. A body that it does not understand is data, never
an error.

Skills: Claude Code (2.1.332) lists them in the first user message, in a text block of its own that begins
with `<system-reminder>` and the sentence below, one "- name: description" a line. Descriptions of a
project's skills come on one line; a built-in one may have several, and a line of it that looks like an
entry counts as one. Retries: 2.1.332 repeats failed requests in a loop of its own, and
`x-stainless-retry-count` stays 0 in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gateway.wires import Answered, Asked, Encoded, Scripted, Usage
from kit import documents
from kit.documents import Document

CREDENTIALS = ("x-api-key", "authorization")
MESSAGES, COUNT = "/v1/messages", "/v1/messages/count_tokens"
LISTING = "The following skills are available for use with the Skill tool:"
COMPACTION = "CRITICAL: Respond with TEXT ONLY"  # how the request to shorten the history begins
CLIENT_TOOLS = (
    "custom",
    "bash_",
    "text_editor_",
    "memory_",
    "computer_",
)  # types that the client itself runs
REACHING = ("mcp_servers", "container")  # fields by which the API reaches other hosts, or keeps a machine
HELD = ("base64", "text", "content")  # sources that the request holds itself; others the API would fetch
CLASSES = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
STOPS = {"done": "end_turn", "limit": "max_tokens", "refusal": "refusal"}
_SKILL = re.compile(r"^- ([A-Za-z0-9][\w.:-]*?)(?::\s|:?$)", re.MULTILINE)
_EVENT_END = re.compile(rb"\r?\n\r?\n")


def credentials(key: str) -> Mapping[str, str]:
    return {"x-api-key": key}


# Requests


def asked(method: str, path: str, headers: Mapping[str, str], body: Document | None) -> Asked:
    fields = {name.lower(): value for name, value in headers.items()}
    session, retry = fields.get("x-claude-code-session-id"), fields.get("x-stainless-retry-count", "")
    count = int(retry) if re.fullmatch(r"[0-9]{1,6}", retry) else 0
    if method != "POST" or path not in (MESSAGES, COUNT) or body is None:
        return Asked("other", session, count)
    if reaching := _reaching(body):
        return Asked("other", session, count, forbidden=reaching)
    if path == COUNT:
        return Asked("count", session, count)
    if not _client_tools(body):
        return Asked("side", session, count)
    shortens = _last_text(body).startswith(COMPACTION)
    return Asked("compaction" if shortens else "turn", session, count, _offered(body))


def _objects(value: Any) -> Iterator[Document]:
    """The objects of a list; none where it is no list."""
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def _reaching(body: Document) -> str | None:
    """What in a request would lend the agent the API's own network or machines."""
    for tool in _objects(body.get("tools")):
        kind = tool.get("type")
        if kind is not None and not str(kind).startswith(CLIENT_TOOLS):
            return f"tool {kind}: the API itself would run it, outside the sandbox"
    if field := next((name for name in REACHING if body.get(name)), None):
        return f"{field}: the API would reach beyond the sandbox"
    kind = next((kind for kind in _sources(body) if kind not in HELD), None)
    return None if kind is None else f"source {kind}: the API would fetch it, past the sandbox's network"


def _sources(body: Document) -> Iterator[str]:
    """The kinds of the images' and documents' sources. What a tool call was given is text to the API."""
    left = [body.get("system"), *(message.get("content") for message in _objects(body.get("messages")))]
    while left:
        for block in _objects(left.pop()):
            source = block.get("source")
            if isinstance(source, dict):
                yield str(source.get("type"))
                left.append(source.get("content"))
            left.append(block.get("content"))


def _client_tools(body: Document) -> set[str]:
    """Names of the tools that the request offers."""
    return {str(tool.get("name")) for tool in _objects(body.get("tools"))}


def _texts(message: Document) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    return [str(block.get("text")) for block in _objects(content) if block.get("type") == "text"]


def _users(body: Document) -> list[Document]:
    return [message for message in _objects(body.get("messages")) if message.get("role") == "user"]


def _last_text(body: Document) -> str:
    texts = [text for message in _users(body)[-1:] for text in _texts(message)]
    return texts[-1].lstrip() if texts else ""


def _offered(body: Document) -> list[str] | None:
    """The listed skills; none without a Skill tool; not known with a tool and no list that we can read."""
    for text in (text for message in _users(body)[:1] for text in _texts(message)):
        inner = text.strip().removeprefix("<system-reminder>").removesuffix("</system-reminder>").strip()
        if inner != text.strip() and inner.startswith(LISTING):
            return _SKILL.findall(inner)
    return None if "Skill" in _client_tools(body) else []


# Answers


def answered(content_type: str, body: bytes) -> Answered:
    if content_type == "text/event-stream":
        return _stream(_events(body))
    document = documents.foreign(body) or {}
    if document.get("type") == "error":
        return Answered(error=_error(document))
    content = [block for block in _objects(document.get("content")) if block.get("type") == "tool_use"]
    return Answered(_usage(document), [_call(block) for block in content], document.get("stop_reason"))


def _stream(events: Iterator[Document]) -> Answered:
    """Final numbers stand in message_delta; the output count of message_start is only a beginning."""
    usage: dict[str, int | None] | None = None
    calls, stop, error = [], None, "the stream ended before its message did"
    for event in events:
        match event.get("type"):
            case "message_start" if isinstance(event.get("message"), dict):
                usage = {**(_usage(event["message"]) or _unknown()), "output_tokens": None}
            case "content_block_start" if (block := event.get("content_block") or {}).get(
                "type"
            ) == "tool_use":
                calls.append(_call(block))
            case "message_delta":
                stop = (event.get("delta") or {}).get("stop_reason") or stop
                final = {name: n for name, n in (_usage(event) or {}).items() if n is not None}
                usage = {**(usage or _unknown()), **final}
            case "error":
                return Answered(usage, calls, stop, _error(event))
            case "message_stop":
                error = ""
    return Answered(usage, calls, stop, error or None)


def _events(body: bytes) -> Iterator[Document]:
    for event in _EVENT_END.split(body):
        data = [line[5:] for line in event.splitlines() if line.startswith(b"data:")]
        if data:
            yield documents.foreign(b"\n".join(data)) or {}


def _unknown() -> dict[str, int | None]:
    return dict.fromkeys(CLASSES)


def _usage(holder: Document) -> dict[str, int | None] | None:
    said = holder.get("usage")
    if not isinstance(said, dict):
        return None
    numbers = {name: said.get(theirs) for name, theirs in CLASSES.items()}
    return {name: n if type(n) is int and n >= 0 else None for name, n in numbers.items()}


def _call(block: Document) -> dict[str, str]:
    return {"id": str(block.get("id")), "name": str(block.get("name"))}


def _error(document: Document) -> str:
    said = document.get("error")
    return (
        f"{said.get('type')}: {said.get('message')}" if isinstance(said, dict) else "an error without words"
    )


# Rehearsed answers


def error(status: int, message: str, kind: str | None = None) -> bytes:
    said = {"type": kind or ERRORS.get(status, "api_error"), "message": message}
    return json.dumps({"type": "error", "error": said}).encode()


def counted(tokens: int) -> bytes:
    return json.dumps({"input_tokens": tokens}).encode()


def encode(answer: Scripted, n: int, request: Document) -> Encoded:
    content: list[Document] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_rehearsal_{n}_{i}", "name": call.name, "input": call.input}
        for i, call in enumerate(answer.calls, 1)
    ]
    message = {
        "id": f"msg_rehearsal_{n}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model"),
        "content": content,
        "stop_reason": "tool_use" if answer.calls else STOPS[answer.stop],
        "stop_sequence": None,
        "usage": _said(answer.usage),
    }
    head = {"request-id": f"req_rehearsal_{n}"}  # Claude Code repeats it in its own event stream
    if request.get("stream") is True:
        chunks = list(_sse(message))[: 3 if answer.stalls else None]
        return Encoded({**head, "content-type": "text/event-stream"}, chunks)
    whole = [] if answer.stalls else [json.dumps(message).encode()]
    return Encoded({**head, "content-type": "application/json"}, whole)


def _said(usage: Usage) -> dict[str, int]:
    numbers = {theirs: usage.get(name) for name, theirs in CLASSES.items()}
    return {theirs: n for theirs, n in numbers.items() if n is not None}


def _sse(message: dict[str, Any]) -> Iterator[bytes]:
    first = {key: n if key != "output_tokens" else min(n, 1) for key, n in message["usage"].items()}
    empty = {**message, "content": [], "stop_reason": None, "usage": first}
    yield _event("message_start", message=empty)
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage=message["usage"])
    yield _event("message_stop")


def _event(name: str, **fields: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
