"""What Claude Code's stream-json says, gathered in one pass that keeps little of it.

It understands lines and draws no conclusions. Nothing in a transcript is an error here: a line that is no
JSON object, or a conversation event of a shape not known, is counted as broken; an event of a type not known
is counted by its type. Known from versions 2.1.197, 2.1.265, 2.1.300 and 2.1.332.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from clients.reading import skills
from clients.reading.lines import Event, Lines

TEXT_CAP = 1 << 16  # characters of a command that are kept; the transcript's line has the rest
QUIET = re.compile(  # known, and nothing in them for us
    "system/(?:background_tasks_changed|hook_progress|hook_started|informational|"
    "model_refusal_no_fallback|notification|status|task_notification|task_progress|task_started|task_updated)"
)
BLOCKS = ("text", "thinking", "redacted_thinking")  # no set: a type may be anything, a list too
INSERTED = "Base directory for this skill: "  # how the client begins a skill's text that it inserts
SAYS = {"Bash": ("command",), "Skill": ("skill",), "Glob": ("pattern", "path"), "Grep": ("pattern", "path")}


@dataclass(frozen=True)
class Call:
    line: int
    tool: str
    text: str  # the command, the path or the skill


@dataclass(frozen=True)
class Answer:
    line: int
    failed: bool
    skill: str | None  # that the client says it launched
    shown: frozenset[str]  # skills whose SKILL.md text it holds
    body: bool  # it shows text, and not only a front matter


@dataclass
class Stream(Lines):
    version: str | None = None
    started: bool = False
    retries: int = 0
    compactions: int = 0
    calls: dict[str, Call] = field(default_factory=dict)  # by the call's id: a repeated event adds nothing
    answers: dict[str, Answer] = field(default_factory=dict)
    inserted: dict[str, int] = field(default_factory=dict)  # a skill's folder, and where its text came
    messages: int = 0  # assistant events, the client's own included
    usage: dict[str, Counter[str]] = field(default_factory=dict)  # the model's messages: the largest counts
    error: tuple[str, str] | None = None  # kind and text, when the main conversation's last message is one
    said: str = ""
    hooks: list[Event] = field(default_factory=list)
    result: Event | None = None  # the last one: a session with background tasks has several
    totals: dict[str, object] = field(default_factory=dict)  # each result's own usage

    def take(self, event: Event) -> bool:
        self.session = self.session or _string(event.get("session_id"))
        if event["type"] in ("assistant", "user"):
            return self._conversation(event)
        if event["type"] == "system":
            self._system(event)
        elif event["type"] == "result":
            self.result = event
            self.totals[_string(event.get("uuid")) or str(self.events)] = event.get("usage")
        else:
            self.unknown[event["type"][:80]] += 1
        return True

    def _system(self, event: Event) -> None:
        name = f"system/{event.get('subtype')}"
        if name == "system/init":
            self.started = True
            self.version = _string(event.get("claude_code_version")) or self.version
        elif name == "system/api_retry":
            self.retries += 1
        elif name == "system/compact_boundary":
            self.compactions += 1
        elif name == "system/hook_response":
            self.hooks.append(_hook(event))
        elif not QUIET.fullmatch(name):
            self.unknown[name[:80]] += 1

    def _conversation(self, event: Event) -> bool:
        blocks = _blocks(event)
        if blocks is not None and event["type"] == "assistant":
            self._assistant(event, blocks)
        elif blocks is not None:
            self._user(event, blocks)
        return blocks is not None

    def _assistant(self, event: Event, blocks: list[Event]) -> None:
        message, text = event["message"], _text(blocks)
        self.messages += 1
        if message.get("model") != "<synthetic>":
            self._count(str(message.get("id") or f"line {self.events}"), message.get("usage"))
        for place, block in enumerate(blocks):
            if block.get("type") == "tool_use":
                key = str(block.get("id") or f"line {self.events}.{place}")
                self.calls.setdefault(key, Call(self.events, str(block.get("name")), _asked(block)))
            elif block.get("type") not in BLOCKS:
                self.unknown[f"assistant/{block.get('type')}"[:80]] += 1
        if event.get("parent_tool_use_id") is None:
            self.said = text or self.said
            self.error = (str(event["error"]), text) if event.get("error") else None

    def _user(self, event: Event, blocks: list[Event]) -> None:
        for block in blocks:
            text = _text([block])
            if block.get("type") == "tool_result":
                self._answer(event, block)
            elif event.get("isSynthetic") is True and text.startswith(INSERTED):
                folder = text.removeprefix(INSERTED).partition("\n")[0].rstrip("/").rpartition("/")[2]
                self.inserted.setdefault(folder, self.events)

    def _answer(self, event: Event, block: Event) -> None:
        output, detail = _output(block.get("content")), event.get("tool_use_result")
        said = detail if isinstance(detail, dict) else {}
        quiet = output.startswith("(Bash completed with no output)")
        answer = Answer(
            line=self.events,
            failed=block.get("is_error") is True or said.get("success") is False,
            skill=_string(said.get("commandName")),
            shown=skills.shown(output),
            body=not quiet and skills.has_body(output),
        )
        self.answers.setdefault(str(block.get("tool_use_id")), answer)

    def _count(self, message: str, usage: object) -> None:
        known = self.usage.setdefault(message, Counter())
        for name, value in (usage if isinstance(usage, dict) else {}).items():
            if (number := natural(value)) is not None:
                known[name] = max(known[name], number)


def natural(value: object) -> int | None:
    """A count; None for what is none (JSON's true is an int to Python)."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _hook(event: Event) -> Event:
    status = event.get("exit_code")
    return {
        "event": str(event.get("hook_event") or event.get("hook_name")),
        "outcome": str(event.get("outcome")),
        "exit": status if isinstance(status, int) and not isinstance(status, bool) else None,
    }


def _blocks(event: Event) -> list[Event] | None:
    """The content blocks of a conversation event; a plain string is one text block; None: no known shape."""
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list) and all(isinstance(block, dict) for block in content):
        return content
    return None


def _text(blocks: Iterable[object]) -> str:
    return "".join(_texts(blocks))


def _texts(blocks: Iterable[object]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]


def _output(content: object) -> str:
    return content if isinstance(content, str) else _text(content) if isinstance(content, list) else ""


def _asked(block: Event) -> str:
    """The command, the path or the skill of a tool call; the whole input of other tools."""
    given = block.get("input")
    if not isinstance(given, dict):
        return ""
    keys = SAYS.get(str(block.get("name")), ("file_path", "notebook_path"))
    words = [given[key] for key in keys if isinstance(given.get(key), str)]
    return (" ".join(words) or json.dumps(given, ensure_ascii=False))[:TEXT_CAP]
