"""What a gathered Codex transcript amounts to: completion, usage, and the load of each skill.

Pure functions of a Stream. Codex has no tool for skills: its model reads SKILL.md through the shell.
  loaded        a command that showed the SKILL.md's text, or that read an installed one and exited 0
                (reading/skills.py says how that is seen)
  attempted     such a read that failed, or showed nothing beyond the front matter
  not_observed  neither, in a transcript that was interpreted
  unknown       such a read that never ended; or not interpreted, and nothing was seen to be loaded
Interpreted: a thread was started, no line was broken, and a session that completed, or with events or items
of unknown types, has at least one item of the model's.
Not in the stream: `$name` in a prompt, which makes the client insert the skill's text; hooks and what they
add; calls that were blocked or are of no known tool; the model, its tools and skills; a shortened history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from clients import Places
from clients.reading import skills
from clients.reading.codex_stream import Call, Stream
from clients.reading.skills import Found
from kit.documents import Document

Usage = dict[str, int | None]
FOLDERS = (".agents/skills", ".codex/skills", ".codex/skills/.system")  # of the project and of the home


def unread(stream: Stream) -> str | None:
    """Why nothing can be said about what did not happen; None when the transcript was interpreted."""
    if not stream.session:
        return "no thread.started event"
    if stream.broken:
        return f"{stream.broken} of {stream.events} lines could not be read"
    completed = (stream.turn or {}).get("type") == "turn.completed"
    if not stream.messages and (completed or stream.unknown):
        return "no message of the conversation was understood"
    return None


def completion(stream: Stream) -> tuple[Literal["completed", "client_error"] | None, str | None]:
    """By the last event of a turn; `error` events and items end nothing, and a killed client exits with 0."""
    last = stream.turn or {}
    if last.get("type") == "turn.completed":
        return "completed", None
    if last.get("type") != "turn.failed":
        return None, None
    error = last.get("error")
    said = error.get("message") if isinstance(error, dict) else None
    return "client_error", str(said or "the turn failed")[:2000]


def loads(stream: Stream, names: Iterable[str], places: Places) -> dict[str, Document]:
    return {name: skills.load(list(_found(stream, name, places)), unread(stream)) for name in names}


def _found(stream: Stream, skill: str, places: Places) -> Iterator[Found]:
    for call in stream.calls.values():
        if call.tool != "command_execution":
            continue
        tried = reads(call, skill, places)
        if call.failed is None:
            if tried:
                yield (
                    "unknown",
                    f"transcript.jsonl:{call.line}: shell command reading SKILL.md without an end",
                )
        elif skill in call.shown:
            yield "loaded", f"transcript.jsonl:{call.answer}: shell command showing SKILL.md succeeded"
        elif tried:
            good = call.body and not call.failed
            how = ("loaded", "succeeded") if good else ("attempted", "failed")
            yield how[0], f"transcript.jsonl:{call.answer}: shell command reading SKILL.md {how[1]}"  # type: ignore[misc]


def reads(call: Call, skill: str, places: Places) -> bool:
    """Whether the command reads the skill's installed SKILL.md, by its words alone."""
    for word in skills.read_by(call.text):
        for folder in FOLDERS:
            inside = skills.installed(word, places.project, places.home, folder)
            if inside is not None and skills.is_folder_of(inside, skill):
                return True
    return False


def usage(stream: Stream) -> Usage:
    """The whole of each thread, as its last turn sums it up; cached tokens are counted within the input."""
    totals = [_disjoint(said) for said in stream.usage.values()]
    columns = {name: [total[name] for total in totals] for name in _disjoint(None)}
    return {
        name: sum(stated) if len(stated := [n for n in column if n is not None]) == len(column) > 0 else None
        for name, column in columns.items()
    }


def _disjoint(said: object) -> Usage:
    def stated(name: str) -> int | None:
        value = said.get(name) if isinstance(said, dict) else None
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

    whole, read, written = map(stated, ("input_tokens", "cached_input_tokens", "cache_write_input_tokens"))
    own = None if whole is None else whole - (read or 0) - (written or 0)
    return {
        "input_tokens": None if own is None or own < 0 else own,
        "output_tokens": stated("output_tokens"),
        "cache_read_tokens": read,
        "cache_write_tokens": written,
    }
