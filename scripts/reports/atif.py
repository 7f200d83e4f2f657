"""A trial's transcript as an ATIF trajectory (Harbor's format, version 1.6), for its viewers.

session.py reads the stream; this says the same in ATIF's words. A document that Harbor's own models refuse is
this module's fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kit import counting
from kit.documents import Document
from reports.session import Step

VERSION = "ATIF-v1.6"


def of(where: str, result: Document, steps: Sequence[Step]) -> Document:
    """where: batch and trial, which name the trajectory."""
    client, model = result["client"], result["model"]["name"]
    return {
        "schema_version": VERSION,
        "session_id": where,
        "agent": {"name": client["name"], "version": client["version"] or "unknown", "model_name": model},
        "steps": [{"step_id": number, **one(step)} for number, step in enumerate(steps, 1)],
        "final_metrics": {**totals(result["usage"]), "total_steps": len(steps)},
        "extra": {
            **{key: result[key] for key in ("outcome", "reason", "mode", "role", "rehearsal")},
            "isolation": result["isolation"]["mode"],
            "route": result["isolation"].get("route", "gateway"),
            "task": result["task"],
        },
    }


def one(step: Step) -> dict[str, Any]:
    made: dict[str, Any] = {"source": step.source, "message": step.text}
    if step.thinking:
        made["reasoning_content"] = step.thinking
    if step.calls:
        made["tool_calls"] = [
            {"tool_call_id": call.id, "function_name": call.name, "arguments": call.arguments}
            for call in step.calls
        ]
    answered = [call for call in step.calls if call.answer is not None]
    if answered:
        results = [{"source_call_id": call.id, "content": call.answer} for call in answered]
        made["observation"] = {"results": results}
    if failed := [call.id for call in step.calls if call.failed]:
        made["extra"] = {"failed_calls": failed}
    return made


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
