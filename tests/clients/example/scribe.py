"""Scribe: the example of docs/adding-a-client.md. A client of one tool, whose program is scribe_program.py.

It never installs, isolates or judges, and knows no key but the dummy. A failure here is a missing package
(UNAVAILABLE) or a fault of this file: whatever a transcript holds, observe() returns a document.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clients import Launch, Places, ToolCall
from clients.reading import skills as reading
from kit.contract import Exit, Stop
from kit.documents import Document

BINARY = "scribe"
MIN_VERSION = "1.0.0"
KEY = "SCRIBE_API_KEY"
UPSTREAM = "https://api.scribe.test"
WIRE = "openai"
SKILLS = ".scribe/skills"
MANAGED: Sequence[Path] = ()
CONFIGURATION = ("home/.scribe/*.json",)
READING: Sequence[str] = ()
SHELLS = ("sh",)
REPORTS_HOOKS = False
RELOADS_SKILLS = False
REHEARSAL_MODEL = "scribe-model"
NOT_REPORTED = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def staged(modules: Path) -> tuple[Path, str]:
    if (file := modules / "scribe/scribe").is_file():
        return file, ""
    raise Stop(Exit.UNAVAILABLE, f"scribe: not in {modules}; run `make tools`")


def version(said: str) -> str:
    name, _, number = said.strip().partition(" ")
    if name != "scribe" or not number:
        raise ValueError(f"no version of Scribe in {said[:200]!r}")
    return number


def command(binary: Path, prompt: str, model: str, base_url: str, key: str) -> Launch:
    return Launch([str(binary), "--model", model, "--", prompt], {KEY: key, "SCRIBE_URL": base_url})


def tool(turn: Mapping[str, Any], places: Places) -> ToolCall:
    match dict(turn):
        case {"skill": name}:
            return _shell("cat {skills}/" + name + "/SKILL.md", places)
        case {"read": path}:
            return _shell(f"cat {path}", places)
        case {"write": {"path": path, "text": text}}:
            return _shell(f"printf %s {shlex.quote(text)} > {path}", places)
        case {"run": text}:
            return _shell(text, places)
    raise ValueError(f"no tool call: {sorted(turn)}")


def _shell(text: str, places: Places) -> ToolCall:
    filled = text.replace("{skills}", str(places.skills)).replace("{home}", str(places.home))
    return ToolCall("sh", {"text": filled})


def observe(transcript: Iterable[bytes], skills: Sequence[str], places: Places) -> Document:
    events = [_event(line) for line in transcript]
    calls = [(n, event) for n, event in enumerate(events, 1) if event.get("type") == "command"]
    ended = next((event for event in reversed(events) if event.get("type") == "end"), None)
    known = ("start", "command", "end")
    broken = sum(event.get("type") not in known for event in events)
    sure = bool(events) and not broken
    return {
        "client": BINARY,
        "client_version": None,
        "session": "scribe" if events else None,
        "interpreted": sure,
        "events": len(events),
        "unknown_events": {},
        "broken_lines": broken,
        "completion": "completed" if ended else None,
        "problem": None,
        "tags": [],
        "loads": {skill: _load(skill, calls, sure) for skill in skills},
        "usage": dict.fromkeys(NOT_REPORTED),
        "tool_calls": len(calls),
        "commands": [
            {"line": n, "tool": "sh", "text": str(call.get("text")), "failed": call.get("exit") != 0}
            for n, call in calls
        ],
        "hooks": [],
        "cost_usd": None,
        "response": str((ended or {}).get("text", "")),
    }


def _event(line: bytes) -> Document:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def _load(skill: str, calls: Sequence[tuple[int, Document]], sure: bool) -> Document:
    for n, call in calls:
        if skill in reading.shown(str(call.get("output"))):
            return {"load": "loaded", "evidence": f"transcript.jsonl:{n}: shell command showing SKILL.md"}
    return {"load": "not_observed" if sure else "unknown", "evidence": None}
