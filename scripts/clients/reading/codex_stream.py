"""What Codex's `exec --json` says, gathered in one pass that keeps little of it.

It understands lines and draws no conclusions. Nothing in a transcript is an error here: a line that is no
JSON object, or an event of a shape not known, is counted as broken; an event or item of a type not known is
counted by its type. Known from versions 0.160.1, 0.169.0 and 0.171.0.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from clients.reading import skills
from clients.reading.lines import Event, Lines

TEXT_CAP = 1 << 16  # characters of a command that are kept; the transcript's line has the rest
TURNS = ("turn.started", "turn.completed", "turn.failed")
QUIET = ("reasoning", "todo_list", "error")  # items of no interest; an `error` item is a mere notice
CALLS = ("command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search")
SHELLS = ("sh", "bash", "dash", "zsh")
# It also asks again after an answer that was cut off, which somebody must have given.
RECONNECTS = re.compile(r"Reconnecting\b(?!.*Incomplete response returned)", re.DOTALL)


@dataclass(frozen=True)
class Call:
    line: int
    tool: str  # the item's type
    text: str  # the command without the shell around it, or the paths of a change
    failed: bool | None = None  # None: it never ended
    answer: int = 0  # the line where it ended
    shown: frozenset[str] = frozenset()  # skills whose SKILL.md text its output holds
    body: bool = False  # the output shows text, and not only a front matter


@dataclass
class Stream(Lines):
    runs: int = 0  # a resumed session counts its items from 0 again, in the same thread
    thread: str = ""
    turn: Event | None = None  # the last event of a turn
    reconnects: int = 0
    calls: dict[str, Call] = field(default_factory=dict)  # by run and item: a repeated event adds nothing
    messages: int = 0  # items that come of a model's answer
    usage: dict[str, object] = field(default_factory=dict)  # each thread's totals, by its last turn
    said: str = ""

    def take(self, event: Event) -> bool:
        kind = event["type"]
        if kind == "thread.started":
            return self._thread(event)
        if kind in TURNS:
            return self._turn(event)
        if kind in ("item.started", "item.updated", "item.completed"):
            return self._item(event)
        if kind == "error":  # not the end either: it also says that the client tries again
            self.reconnects += bool(RECONNECTS.match(str(event.get("message"))))
        else:
            self.unknown[kind[:80]] += 1
        return True

    def _thread(self, event: Event) -> bool:
        name = event.get("thread_id")
        if not isinstance(name, str) or not name:
            return False
        self.session, self.thread = self.session or name, name
        self.runs += 1
        return True

    def _turn(self, event: Event) -> bool:
        self.turn = event
        if event["type"] == "turn.completed":
            self.usage[self.thread] = event.get("usage")
        return True

    def _item(self, event: Event) -> bool:
        item = event.get("item")
        if not isinstance(item, dict) or not isinstance(item.get("type"), str):
            return False
        kind = item["type"]
        if kind in CALLS:
            self.messages += 1
            return self._call(item, event["type"] == "item.completed")
        if kind == "agent_message":
            self.messages += 1
            text = item.get("text")
            self.said = text if isinstance(text, str) and text else self.said
            return isinstance(text, str)
        if kind not in QUIET:
            self.unknown[f"item/{kind}"[:80]] += 1
        return True

    def _call(self, item: Event, ended: bool) -> bool:
        name = item.get("id")
        if not isinstance(name, str):
            return False
        key = f"{self.runs}:{name}"
        call = self.calls.setdefault(key, Call(self.events, item["type"], asked(item)))
        if not ended or call.failed is not None:
            return True
        output = item.get("aggregated_output")
        if item["type"] == "command_execution" and not isinstance(output, str):
            return False
        text = output if isinstance(output, str) else ""
        self.calls[key] = replace(
            call,
            failed=item.get("status") != "completed" or item.get("exit_code") not in (0, None),
            answer=self.events,
            shown=skills.shown(text),
            body=skills.has_body(text),
        )
        return True


def asked(item: Event) -> str:
    """The command or the paths; the whole item of other tools."""
    command, changes = item.get("command"), item.get("changes")
    if isinstance(command, str):
        return unwrapped(command)[:TEXT_CAP]
    paths = [c["path"] for c in changes if _has_path(c)] if isinstance(changes, list) else []
    shown = {name: value for name, value in item.items() if name not in ("id", "status", "type")}
    return (" ".join(paths) or json.dumps(shown, ensure_ascii=False))[:TEXT_CAP]


def unwrapped(command: str) -> str:
    """What stands in `/bin/bash -c '...'`."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    inside = len(words) == 3 and PurePath(words[0]).name in SHELLS and re.fullmatch("-l?c", words[1])
    return words[2] if inside else command


def _has_path(change: object) -> bool:
    return isinstance(change, dict) and isinstance(change.get("path"), str)
