"""Read what Symposium and its plugins' hooks left behind: their records, the hook trace, the joined log.

All of it could be written by the agent, so nothing is trusted to be text, JSON or an object: what cannot be
read is returned as such. Never judges (expect.py does), never opens anything but a regular file.
"""

from __future__ import annotations

import re
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kit.documents import foreign

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")  # of a client
HOOK_RECORDS = "hooks.jsonl"  # in evidence/: {"hook": name, "exit": status, ...}, a line for each run
DISPATCHED = re.compile(r"report=(\{\"kind\":\"hook_dispatched\".*\})")
SYNC_FAILED = re.compile(r"auto-sync during hook failed.*?error=(.*)")
INSTALLED = re.compile(r"report=(\{\"kind\":\"skill_installed\".*\})")
BEGUN = re.compile(r"running plugin hook plugin=(\S+) hook=(\S+)")
CALLED = re.compile(r"cargo agents hook agent=\S+ event=(\w+)")
INIT = "symposium::init: init started"
SYNCED = "symposium::sync: sync started"  # once it knows what to install; a failed sync never comes to it


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
    exit: int | None  # None: ended by a signal, or never started
    error: str | None = None  # why it could not be started


@dataclass(frozen=True)
class Log:
    """What the joined log says; its debug level is the only place with a plugin hook's exit status."""

    dispatches: dict[str, list[Dispatch]] = field(default_factory=dict)  # by the hook's name, in order
    begun: dict[str, list[int]] = field(default_factory=dict)  # lines: a hook was started, by its name
    calls: Counter[str] = field(default_factory=Counter)  # of Symposium by the client, by event
    sync_failures: list[tuple[int, str]] = field(default_factory=list)  # line and Symposium's own error
    syncs: list[int] = field(default_factory=list)  # lines
    installed: set[str] = field(default_factory=set)  # skills
    inits: list[int] = field(default_factory=list)  # lines: where a whole log begins, before the session

    def take(self, number: int, text: str) -> None:
        if said := DISPATCHED.search(text):
            report = foreign(said.group(1)) or {}
            error = str(report["error"]) if report.get("error") else None
            run = Dispatch(number, str(report.get("plugin")), status(report.get("exit_code")), error)
            self.dispatches.setdefault(str(report.get("hook")), []).append(run)
        elif said := INSTALLED.search(text):
            self.installed.add(str((foreign(said.group(1)) or {}).get("skill")))
        elif said := SYNC_FAILED.search(text):
            self.sync_failures.append((number, said.group(1)))
        elif said := BEGUN.search(text):
            self.begun.setdefault(said.group(2), []).append(number)
        elif said := CALLED.search(text):
            self.calls[said.group(1)] += 1
        elif SYNCED in text:
            self.syncs.append(number)
        elif INIT in text:
            self.inits.append(number)


def regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def objects(path: Path) -> list[Line] | None:
    """The lines of a JSONL file; None: there is no such regular file."""
    return [Line(number, foreign(text)) for number, text in texts(path)] if regular(path) else None


def log(path: Path) -> Log | None:
    """What expect.py needs of the joined log; None: there is none."""
    if not regular(path):
        return None
    found = Log()
    for number, text in texts(path):
        found.take(number, text)
    return found


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers and lines, empty ones left out; split at line feeds alone, as those who write them do."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if text := line.decode("utf-8", "replace").strip():
                yield number, text


def status(value: object) -> int | None:
    """An exit status; True is no number here."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
