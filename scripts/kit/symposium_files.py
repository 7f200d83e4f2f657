"""Read what Symposium and its plugins' hooks left behind: their records, the hook trace, the joined log.

All of it could be written by the agent, so nothing is trusted to be text, JSON or an object: what cannot be
read is returned as such. Never judges (expect.py does), never opens anything but a regular file.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOOK_RECORDS = "hooks.jsonl"  # in evidence/: {"hook": name, "exit": status, ...}, a line for each run
DISPATCHED = re.compile(r"report=(\{\"kind\":\"hook_dispatched\".*\})")
SYNC_FAILED = re.compile(r"auto-sync during hook failed.*?error=(.*)")


@dataclass(frozen=True)
class Line:
    """One line of a JSONL file."""

    number: int  # from 1
    value: dict[str, Any] | None  # None: no JSON object, so torn or foreign


@dataclass(frozen=True)
class Dispatch:
    """One run of a plugin's hook, as Symposium's debug log has it."""

    line: int
    plugin: str
    exit: int | None  # None: ended by a signal


@dataclass(frozen=True)
class Log:
    """What the joined log says; its debug level is the only place with a plugin hook's exit status."""

    dispatches: dict[str, list[Dispatch]]  # by the hook's name, in order
    sync_failures: list[tuple[int, str]]  # line and Symposium's own error


def regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def objects(path: Path) -> list[Line] | None:
    """The lines of a JSONL file; None: there is no such regular file."""
    return [Line(number, parsed(text)) for number, text in texts(path)] if regular(path) else None


def log(path: Path) -> Log | None:
    """What expect.py needs of the joined log; None: there is none."""
    if not regular(path):
        return None
    found = Log({}, [])
    for number, text in texts(path):
        if said := DISPATCHED.search(text):
            report = parsed(said.group(1)) or {}
            run = Dispatch(number, str(report.get("plugin")), status(report.get("exit_code")))
            found.dispatches.setdefault(str(report.get("hook")), []).append(run)
        elif said := SYNC_FAILED.search(text):
            found.sync_failures.append((number, said.group(1)))
    return found


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers and lines, empty ones left out; split at line feeds alone, as those who write them do."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if text := line.decode("utf-8", "replace").strip():
                yield number, text


def parsed(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # RecursionError: an agent can nest as deep as it likes
        return None
    return value if isinstance(value, dict) else None


def status(value: object) -> int | None:
    """An exit status; True is no number here."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
