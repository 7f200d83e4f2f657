"""E05: what speaks against the evidence from inside the trial, one list of sentences for each kind of it.

Hook records, trace, log, state and installed skills are written by processes that run with the agent's own
rights. They are held against what the agent cannot write: the transcript (what it did, which hooks the client
says it ran) and the gateway's record; and against each other. It reads command text, so an agent that hides
what it writes passes the first check; the counts are then what is left. It judges nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from expectations import Record
from kit.documents import Document

READS = ("Glob", "Grep", "LS", "NotebookRead", "Read", "Skill")  # tools of the clients that only look
READERS = {"cat", "file", "grep", "head", "less", "ls", "more", "nl", "rg", "stat", "tail", "tree", "wc"}
START = "SessionStart"
BREAKS = re.compile(r"&&|\|\||[;\n|&]")
HARMLESS = re.compile(r"2>&1|[12]?>>?\s*/dev/null")


def of_trace(record: Record) -> list[str]:
    return [*touched(record, *evidence(record, "SYMPOSIUM_HOOK_TRACE", "hook-trace")), *miscounted(record)]


def of_records(record: Record) -> list[str]:
    return [*touched(record, *evidence(record, "hooks.jsonl")), *of_log(record)]


def of_log(record: Record) -> list[str]:
    return [*touched(record, r"\.symposium"), *cut(record)]


def of_state(record: Record) -> list[str]:
    """The record of a sync, and the log's tale of it."""
    recorded = any(sync["for_project"] for sync in record.collected["sync_records"])
    told = record.log is None or record.log.syncs or record.lacks("log") or not recorded
    return [*of_log(record), *([] if told else ["state.json: a sync that symposium.log does not tell of"])]


def of_skill(record: Record, name: str) -> list[str]:
    """The marker and the content of an installed skill, and the log's tale of it."""
    folder = re.escape(record.setup["skill_folder"])
    own = rf"{folder}(?:/{re.escape(name)}\b|/?(?![\w./-]))"  # this skill's, or all of them
    found = list(touched(record, own, r"\.symposium"))
    there = name in record.collected["installed"] and record.collected["installed"][name]["marker"]
    if there and record.log and not record.lacks("log") and name not in record.log.installed:
        found.append(
            f"symposium.log: tells of no installation of {name}, whose folder is marked as Symposium's"
        )
    return found


def of_load(record: Record) -> list[str]:
    """The transcript against the gateway's record, which alone cannot be forged."""
    seen = record.observation["tool_calls"]
    if record.asked is not None and seen > record.asked:
        return [f"the transcript has {seen} tool calls, and the model asked for {record.asked}"]
    return []


def evidence(record: Record, *names: str) -> list[str]:
    """How a command can name the folder of evidence, or these files of it."""
    folder = [re.escape(f"{record.run}/evidence"), r"EVAL_EVIDENCE_DIR", r"\.\./evidence"]
    return [*folder, *map(re.escape, names)]


def touched(record: Record, *words: str) -> Iterator[str]:
    """The agent's commands that name one of these otherwise than to read it."""
    named = re.compile("|".join(words))
    for command in record.observation["commands"]:
        if (said := named.search(command["text"])) and any(writes(command, named)):
            where = f"transcript.jsonl:{command['line']}"
            yield f"{where}: {command['tool']} names {said[0]}, where evidence lies"


def writes(command: Document, named: re.Pattern[str]) -> Iterator[bool]:
    """Of each part of a command that names it: whether it may do more than read."""
    if command["tool"] in READS:
        return
    parts = BREAKS.split(HARMLESS.sub(" ", command["text"]))
    acts = [">" in part or program(part) not in (*READERS, "cd", "") for part in parts]
    for part, act in zip(parts, acts, strict=True):
        if named.search(part):
            yield any(acts) if program(part) == "cd" else act  # whatever follows happens in there


def program(part: str) -> str:
    return next(iter(part.strip(" \t({)}").split()), "").rpartition("/")[2]


def miscounted(record: Record) -> Iterator[str]:
    """A line of the trace for each SessionStart that the client and the log know of, no more and no less."""
    traced = sum(1 for line in record.trace or () if line.value and line.value.get("event") == START)
    tells = record.log and (record.log.calls or (record.capabilities and not record.lacks("log")))
    if record.log and tells and traced > (calls := record.log.calls[START]):
        yield f"hook-trace.jsonl: {traced} of {START}, and symposium.log has {calls}"
    told = reported(record)[START]
    if record.reports_hooks and record.ended and traced > told:
        yield f"hook-trace.jsonl: {traced} of {START}, and the client reports {told} that succeeded"
    if told > traced:
        yield f"hook-trace.jsonl: {traced} of {START}, though the client reports {told} that succeeded"


def reported(record: Record) -> Counter[str]:
    """The hooks that the client says succeeded; here, all of them are Symposium's."""
    return Counter(hook["event"] for hook in record.observation["hooks"] if hook["exit"] == 0)


def cut(record: Record) -> Iterator[str]:
    """A whole log begins with init, before the session, and has every call of Symposium."""
    if record.log is None:
        leaves = "" if record.lacks("log") else ", though init leaves one before the session"
        yield f"symposium.log: none{leaves}"
        return
    if record.lacks("log"):
        return
    if not record.log.inits:
        yield "symposium.log: without its beginning, which init wrote before the session"
    for event, told in sorted(reported(record).items()):
        if told > (number := record.log.calls[event]):
            yield f"symposium.log: {number} of {event}, though the client reports {told} that succeeded"


def sentences(record: Record, names: Sequence[str]) -> list[str]:
    """Every doubt, each once: what a reader of the result should see, whatever it decided."""
    found = [*of_trace(record), *of_records(record), *of_load(record)]
    found += [doubt for name in names for doubt in of_skill(record, name)]
    return list(dict.fromkeys(found))
