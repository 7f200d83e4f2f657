"""The protocols that clients speak to their models, one file each.

A wire says what a request is and what an answer states, and writes a rehearsed answer in its own form. It
never opens a connection. A body that it does not understand is data: it is classified as well as can be,
never raised on.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, cast

from clients import ToolCall
from kit.contract import Exit, Stop
from kit.documents import Document

Kind = Literal["turn", "compaction", "side", "count", "other"]
Usage = Mapping[str, int | None]  # the classes of common/1; disjoint; None: not reported


@dataclass(frozen=True)
class Asked:
    """What a request is."""

    kind: Kind
    session: str | None = None
    retry: int = 0
    offered_skills: list[str] | None = None  # None: the wire cannot tell
    forbidden: str | None = None  # why it is refused: it asks the API to reach the network for the agent


@dataclass(frozen=True)
class Answered:
    """What an answer states."""

    usage: dict[str, int | None] | None = None
    tool_calls: list[dict[str, str]] = field(default_factory=list)  # {"id", "name"} each
    stop: str | None = None
    error: str | None = None  # the API's own error, or why the answer is not whole


@dataclass(frozen=True)
class Scripted:
    """A rehearsed model's answer, in no protocol yet."""

    text: str
    usage: Usage
    calls: Sequence[ToolCall] = ()
    stop: Literal["done", "limit", "refusal"] = "done"
    stalls: bool = False  # it begins and never ends


@dataclass(frozen=True)
class Encoded:
    """The same in the wire's own form: the header fields, and the pieces to send one by one."""

    headers: Mapping[str, str]
    chunks: Sequence[bytes]


class Wire(Protocol):
    """A module with these names is a wire."""

    CREDENTIALS: Sequence[
        str
    ]  # header fields in which clients send a key: the dummy is taken out of all of them

    def credentials(self, key: str) -> Mapping[str, str]:
        """The header fields that carry the real key upstream."""
        ...

    def asked(self, method: str, path: str, headers: Mapping[str, str], body: Document | None) -> Asked:
        """What a request is; path has no query, header names are matched in any case."""
        ...

    def answered(self, content_type: str, body: bytes) -> Answered:
        """What an answer states, from its whole body."""
        ...

    def error(self, status: int, message: str, kind: str | None = None) -> bytes:
        """The wire's error object; without a kind, the usual one for the status."""
        ...

    def counted(self, tokens: int) -> bytes:
        """The answer to a count request."""
        ...

    def encode(self, answer: Scripted, n: int, request: Document) -> Encoded:
        """A rehearsed answer to this request; n makes its ids unique within the record."""
        ...


def names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name: str) -> Wire:
    if name not in names():
        raise Stop(Exit.USAGE, f"wire {name}: unknown; the wires are {', '.join(names())}")
    return cast(Wire, importlib.import_module(f"gateway.wires.{name}"))
