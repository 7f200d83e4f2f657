"""What an answer of the OpenAI Responses protocol states, streamed or whole: usage, tool calls, its end.

Whatever an answer holds is data, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gateway.wires import Answered
from kit.documents import Document, foreign

DETAILS = {"cache_read_tokens": "cached_tokens", "cache_write_tokens": "cache_write_tokens"}
_EVENT_END = re.compile(rb"\r?\n\r?\n")


def answered(content_type: str, body: bytes) -> Answered:
    if content_type != "text/event-stream":
        return _whole(foreign(body) or {})
    items: dict[str, Document] = {}
    for event in _events(body):
        kind, response, item = event.get("type"), event.get("response"), event.get("item")
        if kind == "response.output_item.done" and isinstance(item, dict):
            items[str(item.get("id") or len(items))] = item
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            ended = response if isinstance(response, dict) else {}
            return _whole({**ended, "output": list(items.values()) or ended.get("output")})
        elif kind == "error":
            return Answered(None, _calls(items.values()), error=_error(event))
    return Answered(None, _calls(items.values()), error="the stream ended before its response did")


def _whole(response: Document) -> Answered:
    calls = _calls(objects(response.get("output")))
    if response.get("error") is not None:
        return Answered(_usage(response), calls, error=_error(response["error"]))
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    stop = reason or response.get("status")
    return Answered(_usage(response), calls, str(stop) if stop else None)


def _calls(items: Any) -> list[dict[str, str]]:
    calls = [item for item in items if str(item.get("type")).endswith("_call")]
    return [
        {"id": str(c.get("call_id") or c.get("id")), "name": str(c.get("name") or c.get("type"))}
        for c in calls
    ]


def _usage(response: Document) -> dict[str, int | None] | None:
    """Cached tokens are counted within the input; ours are disjoint."""
    said = response.get("usage")
    if not isinstance(said, dict):
        return None
    details = said.get("input_tokens_details")
    inside = details if isinstance(details, dict) else {}
    cached = {ours: _count(inside.get(theirs)) for ours, theirs in DETAILS.items()}
    whole = _count(said.get("input_tokens"))
    own = None if whole is None else _count(whole - sum(n or 0 for n in cached.values()))
    return {"input_tokens": own, "output_tokens": _count(said.get("output_tokens")), **cached}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _events(body: bytes) -> Iterator[Document]:
    for event in _EVENT_END.split(body):
        data = [line[5:] for line in event.splitlines() if line.startswith(b"data:")]
        if data:
            yield foreign(b"\n".join(data)) or {}


def _error(said: Any) -> str:
    if not isinstance(said, dict):
        return "an error without words"
    return f"{said.get('code') or said.get('type')}: {said.get('message')}"


def objects(value: Any) -> Iterator[Document]:
    """The objects of a list; none where it is no list."""
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())
