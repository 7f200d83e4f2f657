"""A rehearsed answer in the OpenAI Responses protocol, for models of function tools and of code mode.

A model of code mode is offered its tools as names in JavaScript, which it writes into one tool, `exec`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from clients import ToolCall
from gateway.wires import Encoded, Scripted, Usage
from gateway.wires.openai.answers import DETAILS
from kit.documents import Document

ERRORS = {
    400: "invalid_request_error",
    401: "invalid_api_key",
    403: "permission_denied",
    404: "not_found",
    429: "rate_limit_exceeded",
    503: "server_is_overloaded",
}
STOPS = {"limit": "max_output_tokens", "refusal": "content_filter"}


def error(status: int, message: str, kind: str | None = None) -> bytes:
    word = kind or ERRORS.get(status, "server_error")
    return json.dumps({"error": {"message": message, "type": word, "param": None, "code": word}}).encode()


def counted(tokens: int) -> bytes:
    return json.dumps({"object": "response.input_tokens", "input_tokens": tokens}).encode()


def encode(answer: Scripted, n: int, request: Document) -> Encoded:
    code = not request.get("tools")  # code mode: none beside the input
    output = [_message(answer.text, n)] if answer.text else []
    output += [_call(call, f"{n}_{i}", code) for i, call in enumerate(answer.calls, 1)]
    response = {
        "id": f"resp_rehearsal_{n}",
        "object": "response",
        "created_at": 0,
        "model": request.get("model"),
        "status": "incomplete" if answer.stop in STOPS else "completed",
        "incomplete_details": {"reason": STOPS[answer.stop]} if answer.stop in STOPS else None,
        "output": output,
        "usage": _said(answer.usage),
        "error": None,
    }
    if request.get("stream") is True:
        chunks = list(_sse(response))[: 3 if answer.stalls else None]
        return Encoded({"content-type": "text/event-stream"}, chunks)
    whole = [] if answer.stalls else [json.dumps(response).encode()]
    return Encoded({"content-type": "application/json"}, whole)


def _message(text: str, n: int) -> Document:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": f"msg_rehearsal_{n}", "role": "assistant", "content": [part]}


def _call(call: ToolCall, ids: str, code: bool) -> Document:
    """In code mode the call is written as JavaScript, and its output handed on."""
    item = {"call_id": f"call_rehearsal_{ids}", "status": "completed"}
    given = json.dumps(call.input)
    if code:
        script = f"const r = await tools.{call.name}({given}); text(r.output ?? r)"
        return {"type": "custom_tool_call", "id": f"ctc_{ids}", "name": "exec", "input": script, **item}
    return {"type": "function_call", "id": f"fc_{ids}", "name": call.name, "arguments": given, **item}


def _said(usage: Usage) -> Document | None:
    """An object of usage cannot be without its two totals."""
    own, out = usage.get("input_tokens"), usage.get("output_tokens")
    if own is None or out is None:
        return None
    details = {theirs: n for ours, theirs in DETAILS.items() if (n := usage.get(ours)) is not None}
    whole = own + sum(details.values())
    return {
        "input_tokens": whole,
        "input_tokens_details": details,
        "output_tokens": out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": whole + out,
    }


def _sse(response: Document) -> Iterator[bytes]:
    numbers = iter(range(1 << 30))

    def event(name: str, **fields: Any) -> bytes:
        data = {"type": name, "sequence_number": next(numbers), **fields}
        return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()

    yield event(
        "response.created", response={**response, "status": "in_progress", "output": [], "usage": None}
    )
    for index, item in enumerate(response["output"]):
        begun = {**item, "status": "in_progress", **({"content": []} if "content" in item else {})}
        yield event("response.output_item.added", output_index=index, item=begun)
        for part in item.get("content", ()):
            where = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield event("response.output_text.delta", **where, delta=part["text"])
        yield event("response.output_item.done", output_index=index, item={"status": "completed", **item})
    yield event(f"response.{response['status']}", response=response)
