"""Rehearsals: a script that answers in the model's place, so that all else is real, costs nothing and
repeats (M02).

A turn answers one request of the agent loop and is used up when its answer has been sent whole: a client
that breaks off and asks again gets the same one. `error`, `refuse`, `limit` and `stall` answer every
request from then on (real clients ask again, and not as their headers say: Claude Code's retries all count
0), or as many as `times` says. `usage` holds for every answer after it, `delay` for the next one. Requests
beside the loop (titles, token counts, a shortened history) get a fixed answer and use up nothing. After the
last turn a short text answers, and the record's `problem` says so. Turns are counted from 1, as they stand
in the file, settings included.

It never knows a client's tools: the adapter turns `skill`, `read`, `write` and `run` into a call, and fills
in {skills} and {home}. A wrong file is its author's fault (RehearsalError).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from clients import ToolCall
from gateway import rehearsal_file
from gateway.exchange import Exchange
from gateway.rehearsal_file import RehearsalError
from gateway.wires import Scripted, Usage, Wire
from kit.documents import Document

__all__ = ["Rehearsal", "RehearsalError", "Rehearsed", "Turn", "load"]

Word = Literal["skill", "read", "write", "run", "say", "stall", "error", "refuse", "limit"]
USAGE = {
    "input_tokens": 11,
    "output_tokens": 22,
    "cache_read_tokens": 5,
    "cache_write_tokens": 7,
}  # none alike
EXHAUSTED = "The rehearsal has no more turns."
ASIDE = "Rehearsed."
COUNTED = 100


@dataclass(frozen=True)
class Turn:
    """What answers one request, or (`lasting`) every request from here on."""

    number: int
    word: Word
    value: Any
    usage: Usage
    delay_secs: float
    lasting: bool


@dataclass(frozen=True)
class Rehearsal:
    name: str
    says: str
    clients: tuple[str, ...] | None  # None: all
    deadlines_secs: dict[str, float]  # of the phases that it overrides
    expect: Document
    turns: tuple[Turn, ...]

    def serves(self, client: str) -> bool:
        return self.clients is None or client in self.clients

    def expect_for(self, client: str, configuration: str) -> Document | None:
        """The outcome and the parts of result.json that it must lead to; None: it names none."""
        for said in (self.expect.get(client, {}), self.expect):
            if configuration in said:
                expected: Document = said[configuration]
                return expected
        return None


def load(path: Path) -> Rehearsal:
    """Raises RehearsalError, with the line."""
    file = rehearsal_file.read(path)
    names = file.get("clients")
    return Rehearsal(
        name=path.stem,
        says=file["says"].strip(),
        clients=tuple(names) if names is not None else None,
        deadlines_secs=file.get("deadlines_secs", {}),
        expect=file["expect"],
        turns=tuple(_turns(file["turns"])),
    )


def _turns(items: list[Document]) -> list[Turn]:
    turns: list[Turn] = []
    usage: Usage = USAGE
    delay = 0.0
    for number, item in enumerate(items, 1):
        ((word, value),) = item.items()
        if word == "usage":
            usage = {name: value.get(name, 0) for name in USAGE}
        elif word == "delay":
            delay = value
        else:
            lasting = word in rehearsal_file.LASTING
            times = value.get("times") if lasting else 1
            turns += [Turn(number, word, value, usage, delay, times is None)] * (times or 1)  # type: ignore[arg-type]  # the schema knows the words
            delay = 0.0
    return turns


class Rehearsed:
    """A Source: answers from the rehearsal's turns. `tool` makes a turn the client's own tool call."""

    secrets: tuple[str, ...] = ()

    def __init__(
        self, rehearsal: Rehearsal, tool: Callable[[Mapping[str, Any]], ToolCall], model: str
    ) -> None:
        self._left = deque(rehearsal.turns)
        self._tool, self._model = tool, model

    async def answer(self, exchange: Exchange, wire: Wire) -> None:
        if exchange.asked.kind == "count":
            await exchange.whole(200, wire.counted(COUNTED))
        elif exchange.asked.kind != "turn":
            await self._send(exchange, wire, Scripted(ASIDE, USAGE))
        elif not self._left:
            exchange.problems.append("the rehearsal has no more turns")
            await self._send(exchange, wire, Scripted(EXHAUSTED, USAGE))
        else:
            await self._take(exchange, wire)

    async def _take(self, exchange: Exchange, wire: Wire) -> None:
        turn = self._left[0]
        if not turn.lasting:
            self._left.popleft()
        exchange.turn = turn.number
        try:
            await asyncio.sleep(turn.delay_secs)
            if turn.word == "error":
                said = turn.value
                message = said.get("message", f"rehearsed error {said['status']}")
                await exchange.whole(said["status"], wire.error(said["status"], message, said.get("type")))
            else:
                await self._send(exchange, wire, self._scripted(turn))
        finally:
            if not (exchange.complete or turn.lasting or turn.word == "stall"):
                self._left.appendleft(turn)

    def _scripted(self, turn: Turn) -> Scripted:
        match turn.word:
            case "say":
                return Scripted(turn.value, turn.usage)
            case "refuse":
                return Scripted("", turn.usage, stop="refusal")
            case "limit":
                return Scripted("This goes on and", turn.usage, stop="limit")
            case "stall":
                return Scripted("This never", turn.usage, stalls=True)
        return Scripted("", turn.usage, [self._tool({turn.word: turn.value})])

    async def _send(self, exchange: Exchange, wire: Wire, answer: Scripted) -> None:
        coded = wire.encode(answer, exchange.n, {"model": self._model, **(exchange.document or {})})
        await exchange.begin(200, coded.headers.items())
        for chunk in coded.chunks:
            await exchange.send(chunk)
        if answer.stalls:
            exchange.failed = True
            exchange.problems.append("the answer stalls, as the rehearsal says")
            await asyncio.Event().wait()  # until the client hangs up or the gateway closes
        await exchange.end()

    async def close(self) -> None:
        """Nothing is open."""
