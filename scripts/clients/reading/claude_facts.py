"""What a gathered Claude Code transcript amounts to: completion, usage, and the load of each skill.

Pure functions of a Stream. What counts as a load:
  loaded        a Skill call that succeeded; a skill's text inserted by the client; a Read or a shell command
                that showed the SKILL.md's text (reading/skills.py says how that is seen). Sub-agents count. A
                command that failed in the end but showed the whole text delivered it.
  attempted     the same that failed, was denied, or showed nothing beyond the front matter
  not_observed  neither, in a transcript that was interpreted
  unknown       a call whose answer never came; or not interpreted, and nothing was seen to be loaded
Interpreted: an init event was seen, no line was broken, and a session that has a result, or events of unknown
types, has at least one assistant event. Not seen: a prompt that begins with a skill's slash command, a hook's
additional context, a file that quotes the skill without its front matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from clients import Places
from clients.reading import skills
from clients.reading.claude_stream import Call, Stream, natural
from clients.reading.skills import Found
from kit.documents import Document

Usage = dict[str, int | None]
CLASSES = {  # ours: in modelUsage, in usage
    "input_tokens": ("inputTokens", "input_tokens"),
    "output_tokens": ("outputTokens", "output_tokens"),
    "cache_read_tokens": ("cacheReadInputTokens", "cache_read_input_tokens"),
    "cache_write_tokens": ("cacheCreationInputTokens", "cache_creation_input_tokens"),
}


def unread(stream: Stream) -> str | None:
    """Why nothing can be said about what did not happen; None when the transcript was interpreted."""
    if not stream.started:
        return "no init event"
    if stream.broken:
        return f"{stream.broken} of {stream.events} lines could not be read"
    if not stream.messages and (stream.result or stream.unknown):
        return "no message of the conversation was understood"
    return None


def completion(stream: Stream) -> tuple[Literal["completed", "client_error"] | None, str | None]:
    """What the client said of itself, and its error. Never by subtype alone: API errors are "success" too."""
    result = stream.result or {}
    if result.get("subtype") == "success" and result.get("is_error") is False:
        return "completed", None
    if stream.result is None and stream.error is None:
        return None, None
    kind, said = stream.error or (str(result.get("subtype")), "")
    if status := result.get("api_error_status"):
        kind += f" ({status})"
    errors = result.get("errors")
    listed = "; ".join(map(str, errors)) if isinstance(errors, list) else ""
    return "client_error", f"{kind}: {result.get('result') or listed or said}"[:2000]


def loads(stream: Stream, names: Iterable[str], places: Places, folder: str) -> dict[str, Document]:
    return {name: skills.load(list(_found(stream, name, places, folder)), unread(stream)) for name in names}


def _found(stream: Stream, skill: str, places: Places, folder: str) -> Iterator[Found]:
    for key, call in stream.calls.items():
        answer, what = stream.answers.get(key), _try(call, skill, places, folder)
        if answer is None:
            if what:
                yield "unknown", f"transcript.jsonl:{call.line}: {what} without an answer"
        elif call.tool == "Skill":
            if what or answer.skill == skill:
                yield _judged(not answer.failed, answer.line, "Skill call")
        elif call.tool == "Bash" and skill in answer.shown:
            yield _judged(True, answer.line, "shell command showing SKILL.md")
        elif what or (call.tool == "Read" and skill in answer.shown):
            yield _judged(answer.body and not answer.failed, answer.line, what or "Read of SKILL.md")
    for inside, line in stream.inserted.items():
        if skills.is_folder_of(inside, skill):
            yield "loaded", f"transcript.jsonl:{line}: the client inserted the skill's text"


def _judged(delivered: bool, line: int, what: str) -> Found:
    if delivered:
        return "loaded", f"transcript.jsonl:{line}: {what} succeeded"
    return "attempted", f"transcript.jsonl:{line}: {what} failed"


def _try(call: Call, skill: str, places: Places, folder: str) -> str | None:
    """In which way the call tries to load the skill, by its words alone; None: in none."""

    def names(path: str) -> bool:
        inside = skills.installed(path, places.project, places.home, folder)
        return inside is not None and skills.is_folder_of(inside, skill)

    if call.tool == "Skill" and call.text.removeprefix("/") == skill:
        return "Skill call"
    if call.tool == "Read" and names(call.text):
        return "Read of SKILL.md"
    if call.tool == "Bash" and any(names(word) for word in skills.read_by(call.text)):
        return "shell command reading SKILL.md"
    return None


def usage(stream: Stream) -> Usage:
    """The whole session, sub-agents included, from the best of three sources; never two of them summed.

    A result's own `usage` leaves out background sub-agents, and can be zero although tokens were spent: zeros
    are believed only when the model said nothing.
    """
    models = (stream.result or {}).get("modelUsage")
    for source in (
        _total(models.values() if isinstance(models, dict) else (), 0),
        _total(stream.totals.values(), 1),
        _by_message(stream),
    ):
        known = [value for value in source.values() if value is not None]
        if any(known) or (known and not stream.usage):
            return source
    return dict.fromkeys(CLASSES)


def _by_message(stream: Stream) -> Usage:
    """An event shows its message as it started, with one token of output: that is no count of the output."""
    total = _total(stream.usage.values(), 1)
    if any(message["output_tokens"] <= 1 for message in stream.usage.values()):
        total["output_tokens"] = None
    return total


def _total(parts: Iterable[object], spelling: Literal[0, 1]) -> Usage:
    """The sum of each class; null when a part does not state it."""
    entries = [part if isinstance(part, Mapping) else {} for part in parts]
    total: Usage = {}
    for ours, names in CLASSES.items():
        values = [natural(entry.get(names[spelling])) for entry in entries]
        stated = [value for value in values if value is not None]
        total[ours] = sum(stated) if stated and len(stated) == len(values) else None
    return total


def cost_usd(stream: Stream) -> float | None:
    """The client's own figure; it has been wrong by large factors."""
    value = (stream.result or {}).get("total_cost_usd")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
