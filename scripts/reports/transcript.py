"""A client's event stream as a list of what was said and done, to be read from top to bottom.

It knows the shapes that the clients share (messages with content blocks, items with a type) and shows every
other line as it is; it judges nothing (observe does). A line that is shown wrongly is this module's fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kit.documents import foreign
from kit.text import block, plain

LONGEST = 6000  # characters of one entry


class Entry(NamedTuple):
    line: int  # of the transcript
    kind: str  # say, think, call, result, system, other
    title: str
    text: str
    failed: bool = False


def of(lines: Iterable[bytes]) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield from event(number, line)


def event(number: int, line: bytes) -> Iterator[Entry]:
    text = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
    if (found := foreign(text)) is None:
        yield made(number, "other", "not an event", text)
        return
    message = found.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield made(number, "say", str(found.get("type")), content)
    elif isinstance(content, list) and content:
        yield from (piece(number, found, part) for part in content)
    elif isinstance(item := found.get("item"), dict):
        yield of_codex(number, item, found.get("type") == "item.completed")
    else:
        yield odd(number, found)


def piece(number: int, found: dict[str, Any], part: object) -> Entry:
    """One content block of a message."""
    if not isinstance(part, dict):
        return made(number, "other", "block", pretty(part))
    kind, who = part.get("type"), str(found.get("type"))
    if kind == "text":
        return made(number, "say", who, str(part.get("text", "")))
    if kind == "thinking":
        return made(number, "think", "thinking", str(part.get("thinking", "")))
    if kind == "tool_use":
        return made(number, "call", str(part.get("name", "tool")), called(part.get("input")))
    if kind == "tool_result":
        failed = part.get("is_error") is True
        return made(number, "result", "failed" if failed else "answer", answered(part.get("content")), failed)
    return made(number, "other", f"{who}: {kind}", pretty(part))


SAID = {"agent_message": ("say", "agent"), "reasoning": ("think", "thinking"), "error": ("system", "notice")}


def of_codex(number: int, item: dict[str, Any], ended: bool) -> Entry:
    """An item: what was said, or a call as it begins, and its answer when it has ended."""
    kind, status, code = str(item.get("type")), item.get("status"), item.get("exit_code")
    if kind in SAID:
        return made(number, *SAID[kind], str(item.get("text") or item.get("message") or ""))
    asked = {
        k: v for k, v in item.items() if k not in ("id", "type", "aggregated_output", "exit_code", "status")
    }
    if not ended or "status" not in item:
        return made(number, "call", kind, called(asked))
    failed = status != "completed" or code not in (0, None)
    output = item.get("aggregated_output")
    text = output if isinstance(output, str) else called(asked)
    return made(
        number, "result", f"{kind}: {status}{'' if code in (0, None) else f' ({code})'}", text, failed
    )


def odd(number: int, found: dict[str, Any]) -> Entry:
    kind, below = str(found.get("type", "?")), found.get("subtype")
    if kind == "result":
        failed = found.get("is_error") is True
        return made(number, "say", f"the client's last word ({below})", str(found.get("result", "")), failed)
    wrong = found.get("error") if kind == "turn.failed" else found if kind == "error" else None
    if isinstance(wrong, dict):
        return made(number, "say", kind, str(wrong.get("message", "")), True)
    name = found.get("hook_name")
    title = " ".join(str(word) for word in (kind, below, name) if word)
    failed = found.get("outcome") not in (None, "success") or found.get("subtype") == "error"
    return made(number, "system" if kind == "system" else "other", title, pretty(found), failed)


def called(value: object) -> str:
    """What a tool was asked: a command or a file first, as it was typed."""
    if not isinstance(value, dict):
        return pretty(value)
    return "\n".join(f"{key}: {shown(content)}" for key, content in value.items())


def shown(value: object) -> str:
    """Text as it is; of a list of objects each on its line."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return value if isinstance(value, str) else pretty(value)
    told = (
        ", ".join(f"{k} {v if isinstance(v, str) else pretty(v)}" for k, v in one.items()) for one in value
    )
    return "".join(f"\n  {line}" for line in told)


def answered(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") if isinstance(part, dict) else None for part in content]
        return "\n".join(
            text if isinstance(text, str) else pretty(part) for text, part in zip(texts, content, strict=True)
        )
    return pretty(content)


def pretty(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=1)
    except RecursionError:
        return "nested too deeply to be shown"


def made(number: int, kind: str, title: str, text: str, failed: bool = False) -> Entry:
    return Entry(number, kind, plain(title)[:120], block(text, LONGEST), failed)
