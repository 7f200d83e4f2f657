#!/usr/bin/env python3
"""Say what the transcript and the gateway's record show, in words that all clients share.

A function of files: a changed transcript format is one adapter and a `--redo`. It judges nothing. Whatever a
transcript holds is data; a failure here is a missing document or a fault of the client's adapter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import clients
from clients import Places
from kit import documents
from kit.contract import Folder, Step
from kit.documents import Document
from kit.layout import (
    EXCHANGES,
    EXECUTION,
    OBSERVATION,
    RESPONSE,
    SETUP,
    TASK,
    TRANSCRIPT,
    TRIAL,
    Run,
)

STEP = Step(
    name="observe",
    does="Say what the transcript and the gateway's record show, in words that all clients share.",
    kind="derived",
    reads=[TRIAL, TASK, TRANSCRIPT, SETUP],
    may_read=[EXCHANGES, EXECUTION],
    writes=[OBSERVATION, RESPONSE],
)
LINE_CAP = 16 << 20  # bytes; what a longer line holds is not read, and it counts as broken
CLASSES = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
SPENDING = ("turn", "compaction", "side")  # exchanges whose answers cost tokens
NO_TOKENS = 400  # an answer with this status or a higher one cost none


@dataclass(frozen=True)
class Record:
    """The gateway's side of the session."""

    turns: int | None  # requests of the agent loop; null: no record, or one that breaks off
    offered: list[str] | None  # skills listed in the first of them
    usage: Document | None  # null unless every answer states it
    asked: int  # tool calls that the model's answers held
    compactions: int | None = None  # requests to shorten the history that were answered; null like turns


def run(trial: Folder) -> None:
    plan, record = trial.read(TRIAL), gather(trial)
    names = skills(trial.read(TASK))
    seen = clients.load(plan["client"]).observe(lines(trial.path(TRANSCRIPT)), names, places(trial, plan))
    response = seen.pop("response")
    if gap := cut(trial, seen, record):
        seen.update(interpreted=False, compactions=None)
        seen["loads"] = {name: doubted(load, gap) for name, load in seen["loads"].items()}
    if seen["completion"] == "completed" and seen["interpreted"] and not seen["tool_calls"]:
        seen["tags"].append("no_tool_calls")
    usage = record.usage or seen["usage"]
    source = "gateway" if record.usage else "client" if any(v is not None for v in usage.values()) else None
    listed = {name: None if record.offered is None else name in record.offered for name in names}
    joined = {"listed": listed, "turns": record.turns, "usage": usage, "usage_source": source}
    if seen.get("compactions") is None:  # the transcript cannot tell
        joined["compactions"] = record.compactions
    trial.write(OBSERVATION, {**seen, **joined})
    documents.write_text(trial.path(RESPONSE), response)


def skills(task: Document) -> list[str]:
    """The task's own, and those that its expectations name beside them."""
    expected = task["expected"]["skills"].values()
    return list(dict.fromkeys([*task["skills"], *(name for names in expected for name in names)]))


def places(trial: Folder, plan: Document) -> Places:
    paths = plan["paths"]
    where = Run(Path(paths["run"]), Path(paths["control"]))
    return Places(where.project, where.home, where.project / trial.read(SETUP)["skill_folder"])


def lines(file: Path, cap: int = LINE_CAP) -> Iterator[bytes]:
    """The file's lines, the longest of them cut: a transcript of any size is read in little memory."""
    with file.open("rb") as opened:
        while line := opened.readline(cap):
            yield line
            while len(line) == cap and not line.endswith(b"\n"):  # the rest of a line that was cut
                line = opened.readline(cap)


def gather(trial: Folder) -> Record:
    if not trial.has(EXCHANGES):
        return Record(None, None, None, 0)
    turns, usages, compactions, whole = [], [], 0, True
    try:
        for exchange in trial.lines(EXCHANGES):
            if exchange["kind"] == "turn":
                turns.append((exchange["offered_skills"], len(exchange["tool_calls"])))
            if exchange["kind"] in SPENDING and exchange["status"] < NO_TOKENS:
                usages.append(exchange["usage"])
                compactions += exchange["kind"] == "compaction"
    except json.JSONDecodeError:  # the runner died while it wrote: what follows is not known
        whole = False
    offered = turns[0][0] if turns else None
    asked = sum(n for _, n in turns)
    if not whole:
        return Record(None, offered, None, asked)
    return Record(len(turns), offered, total(usages), asked, compactions)


def total(usages: list[Document | None]) -> Document | None:
    """The sum of each class, null where an answer leaves it out; None when one states nothing at all."""
    stated = [usage for usage in usages if usage and any(usage[name] is not None for name in CLASSES)]
    if not stated or len(stated) < len(usages):
        return None
    columns = {name: [usage[name] for usage in stated] for name in CLASSES}
    return {name: None if None in column else sum(column) for name, column in columns.items()}


def cut(trial: Folder, seen: Document, record: Record) -> str | None:
    """Why events are known to be missing from the transcript, which the adapter cannot see from inside."""
    if dropped := (trial.maybe(EXECUTION) or {}).get("stdout_dropped"):
        return f"{dropped} bytes of the transcript were dropped"
    if seen["completion"] is None and record.asked > seen["tool_calls"]:
        return (
            f"the model asked for {record.asked} tool calls, and {seen['tool_calls']} are in the transcript"
        )
    return None


def doubted(load: Document, gap: str) -> Document:
    """What was seen to be loaded stands; nothing can be said of what was not."""
    if load["load"] == "loaded":
        return load
    return {"load": "unknown", "evidence": "; but ".join(filter(None, [load["evidence"], gap]))}


if __name__ == "__main__":
    STEP.main(run)
