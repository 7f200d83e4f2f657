"""A trial's transcript as an ATIF trajectory (Harbor's format, version 1.6), for its viewers.

It reads event streams made of messages with content blocks (Claude Code's); a stream of another shape is
refused by name. It keeps text as it was, judges nothing, and leaves out what ATIF has no place for (hooks,
status lines): transcript.jsonl holds all. A step out of the order of the stream is this module's fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from kit import counting
from kit.contract import Exit, Stop
from kit.documents import Document
from reports import transcript

VERSION = "ATIF-v1.6"
Step = dict[str, Any]


def of(where: str, prompt: str, result: Document, lines: Iterable[bytes]) -> Document:
    """where: batch and trial, which name the trajectory."""
    client, model = result["client"], result["model"]["name"]
    made = list(steps(where, prompt, lines))
    for number, step in enumerate(made, 1):
        step["step_id"] = number
    return {
        "schema_version": VERSION,
        "session_id": where,
        "agent": {"name": client["name"], "version": client["version"] or "unknown", "model_name": model},
        "steps": made,
        "final_metrics": {**totals(result["usage"]), "total_steps": len(made)},
        "extra": {
            **{key: result[key] for key in ("outcome", "reason", "mode", "role", "rehearsal")},
            "isolation": result["isolation"]["mode"],
            "route": result["isolation"].get("route", "gateway"),
            "task": result["task"],
        },
    }


def steps(where: str, prompt: str, lines: Iterable[bytes]) -> Iterator[Step]:
    """The prompt, then one step for each message of the agent, with the answers to its calls."""
    made: list[Step] = [{"source": "user", "message": prompt}]
    by_message: dict[str, Step] = {}
    by_call: dict[str, Step] = {}
    for found in events(lines):
        if isinstance(found.get("item"), dict):
            raise Stop(
                Exit.UNAVAILABLE, f"{where}: ATIF of this client's transcript is not built yet; csv is"
            )
        message, who = found.get("message"), found.get("type")
        blocks = message.get("content") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(blocks, list):
            continue
        parts = [part for part in blocks if isinstance(part, dict)]
        if who == "assistant":
            name = str(message.get("id") or f"line {len(made)}")
            if name not in by_message:
                made.append(by_message.setdefault(name, {"source": "agent", "message": ""}))
            for part in parts:
                said(by_message[name], part, by_call)
        elif who == "user":
            made += [step for part in parts if (step := heard(part, by_call))]
    yield from made


def events(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            found = json.loads(line.decode("utf-8", "backslashreplace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def said(step: Step, part: dict[str, Any], by_call: dict[str, Step]) -> None:
    """Add a block of the agent's message to its step."""
    kind = part.get("type")
    if kind == "text":
        step["message"] += str(part.get("text", ""))
    elif kind == "thinking":
        step["reasoning_content"] = step.get("reasoning_content", "") + str(part.get("thinking", ""))
    elif kind == "tool_use":
        asked, call = part.get("input"), str(part.get("id"))
        arguments = asked if isinstance(asked, dict) else {"input": asked}
        made = {"tool_call_id": call, "function_name": str(part.get("name")), "arguments": arguments}
        step.setdefault("tool_calls", []).append(made)
        by_call[call] = step


def heard(part: dict[str, Any], by_call: dict[str, Step]) -> Step | None:
    """Put a tool's answer beside its call; whatever else reached the agent is a step of its own."""
    call = str(part.get("tool_use_id"))
    if part.get("type") != "tool_result":
        return {"source": "user", "message": str(part.get("text", "")) or transcript.pretty(part)}
    content = transcript.answered(part.get("content"))
    if call not in by_call:
        return {"source": "system", "message": content}
    step = by_call[call]
    results = step.setdefault("observation", {"results": []})["results"]
    results.append({"source_call_id": call, "content": content})
    if part.get("is_error") is True:
        step.setdefault("extra", {}).setdefault("failed_calls", []).append(call)
    return None


def totals(usage: Document | None) -> Document:
    """ATIF counts what was read from the cache among the prompt's tokens."""
    if usage is None or counting.tokens(usage) is None:
        return {}
    read = sum(usage[f"{name}_tokens"] for name in ("input", "cache_read", "cache_write"))
    return {
        "total_prompt_tokens": read,
        "total_completion_tokens": usage["output_tokens"],
        "total_cached_tokens": usage["cache_read_tokens"],
    }
