"""A transcript as the steps of a conversation, the same for every client, for the formats of other programs.

It knows two streams: messages with content blocks (Claude Code's) and items (Codex's); a line of neither
shape is left out, as are hooks and status lines: transcript.jsonl holds all. It keeps text as it was, and
judges nothing. A step out of the order of the stream is this module's fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from kit.documents import foreign
from reports import transcript

Event = dict[str, Any]


@dataclass
class Call:
    """Of a tool; answer is None where none came."""

    id: str
    name: str
    arguments: Event
    answer: str | None = None
    failed: bool = False


@dataclass
class Step:
    source: Literal["user", "agent", "system"]
    text: str = ""
    thinking: str = ""
    calls: list[Call] = field(default_factory=list)


@dataclass
class Session:
    """What was said and done, in order; the prompt comes first."""

    steps: list[Step]
    messages: dict[str, Step] = field(default_factory=dict)  # of the agent, by the stream's own name
    calls: dict[str, Call] = field(default_factory=dict)
    runs: int = 0  # a resumed Codex session counts its items from 0 again

    def read(self, lines: Iterable[bytes]) -> Session:
        for found in events(lines):
            message, item = found.get("message"), found.get("item")
            if found.get("type") == "thread.started":
                self.runs += 1
            elif isinstance(item, dict):
                self.item(item, found.get("type") == "item.completed")
            elif isinstance(message, dict) and isinstance(message.get("content"), list):
                parts = [part for part in message["content"] if isinstance(part, dict)]
                if found.get("type") == "assistant":
                    step = self.message(str(message.get("id") or f"line {len(self.steps)}"))
                    for part in parts:
                        self.said(step, part)
                elif found.get("type") == "user":
                    for part in parts:
                        self.heard(part)
        return self

    def message(self, name: str) -> Step:
        """The agent's message of that name: one step, however many events it comes in."""
        if name not in self.messages:
            self.messages[name] = Step("agent")
            self.steps.append(self.messages[name])
        return self.messages[name]

    def said(self, step: Step, part: Event) -> None:
        """Add a block of the agent's message to its step."""
        kind = part.get("type")
        if kind == "text":
            step.text += str(part.get("text", ""))
        elif kind == "thinking":
            step.thinking += str(part.get("thinking", ""))
        elif kind == "tool_use":
            asked, name = part.get("input"), str(part.get("id"))
            self.call(
                step, name, str(part.get("name")), asked if isinstance(asked, dict) else {"input": asked}
            )

    def call(self, step: Step, name: str, tool: str, arguments: Event) -> Call:
        if name not in self.calls:
            self.calls[name] = Call(name, tool, arguments)
            step.calls.append(self.calls[name])
        return self.calls[name]

    def heard(self, part: Event) -> None:
        """Put a tool's answer beside its call; whatever else reached the agent is a step of its own."""
        if part.get("type") != "tool_result":
            self.steps.append(Step("user", str(part.get("text", "")) or transcript.pretty(part)))
            return
        content, call = transcript.answered(part.get("content")), self.calls.get(str(part.get("tool_use_id")))
        if call is None:
            self.steps.append(Step("system", content))
        else:
            call.answer = content if call.answer is None else f"{call.answer}\n{content}"
            call.failed = call.failed or part.get("is_error") is True

    def item(self, item: Event, ended: bool) -> None:
        """A Codex item: a word of the agent, a notice, or a call, which comes again when it has ended."""
        kind, name = item.get("type"), f"{self.runs}:{item.get('id')}"
        if kind in ("agent_message", "reasoning"):
            step, text = self.message(name), str(item.get("text", ""))
            step.text, step.thinking = (text, "") if kind == "agent_message" else ("", text)
        elif kind == "error":  # a mere notice
            self.steps.append(Step("system", str(item.get("message", ""))))
        elif isinstance(kind, str):
            asked = {k: v for k, v in item.items() if k not in ("id", "type", *OF_ANSWER)}
            call = self.call(self.message(name), name, kind, asked)
            if ended:
                output = item.get("aggregated_output")
                call.answer = output if isinstance(output, str) else str(item.get("status", ""))
                call.failed = item.get("status") != "completed" or item.get("exit_code") not in (0, None)


OF_ANSWER = ("aggregated_output", "exit_code", "status")


def of(prompt: str, lines: Iterable[bytes]) -> list[Step]:
    return Session([Step("user", prompt)]).read(lines).steps


def events(lines: Iterable[bytes]) -> Iterator[Event]:
    for line in lines:
        if found := foreign(line.decode("utf-8", "backslashreplace")):
            yield found


def sound(value: Any) -> Any:
    """The same without what no UTF-8 text can hold (half of a surrogate pair): readers refuse it."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {sound(key): sound(one) for key, one in value.items()}
    return [sound(one) for one in value] if isinstance(value, list) else value
