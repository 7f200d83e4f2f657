"""Attempts to get out of a trial, made by a scripted agent through the client's own tools.

An attempt is data (tests/adversaries/*.yaml). Its script succeeds when the thing is possible: a line in the
tool's result says so, which the gateway records where the agent cannot reach; or a look from outside does. An
attempt that cannot be seen to fail for the right reason proves nothing: each has a control or says why it
would notice.

    tries      what it tries, in a few words
    script     of bash: ends with 0 when it got what it wanted; or
    read       the name of a variable: a file for the client's Read tool
    only       baseline | treatment
    wire       with clients that speak this protocol only
    possible   it must succeed (the control of others)
    control    where it succeeds: "outside" (run by the runner), "outside, where the host lets it" (or else
               it is impossible here altogether), or the name of another attempt
    notices    instead of a control: why it would be seen
    lands      a file that is there outside when it succeeded
    heard      a bystander outside hears its name when it succeeded
    dies       it starts a process with its name, which must be seen and must be gone after the trial
    after      a script that is run outside afterwards, and succeeds when it succeeded
    recorded   a document of the trial, and a pattern in it: succeeding is no escape when that is said there
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import yaml

from kit.contract import Exit, Stop

OUTSIDE = "outside"
MAYBE = "outside, where the host lets it"
Only = Literal["baseline", "treatment"]


@dataclass(frozen=True)
class Attempt:
    family: str
    name: str
    tries: str
    script: str = ""
    read: str = ""
    only: Only | None = None
    wire: str = ""
    possible: bool = False
    control: str = ""
    notices: str = ""
    lands: str = ""
    heard: bool = False
    dies: bool = False
    after: str = ""
    recorded: dict[str, str] | None = None

    @property
    def seen_outside(self) -> bool:
        """Whether success shows outside, so that what it was told inside does not matter."""
        return bool(self.lands or self.heard or self.dies or self.after)


def load(folder: Path) -> list[Attempt]:
    found = [attempt for file in sorted(folder.glob("*.yaml")) for attempt in family(file)]
    names = [attempt.name for attempt in found]
    for attempt in found:
        if names.count(attempt.name) > 1:
            raise refused(attempt, "two attempts have this name; rename one")
        if attempt.control not in ("", OUTSIDE, MAYBE, *names):
            raise refused(attempt, f"control {attempt.control}: no attempt has this name; correct it")
    return found


def family(file: Path) -> Iterator[Attempt]:
    try:
        document: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise Stop(Exit.BAD_INPUT, f"{file}: no YAML: {error}; correct it") from error
    known = {field.name for field in fields(Attempt)}
    for name, said in document["attempts"].items():
        if unknown := sorted(set(said) - known):
            raise Stop(Exit.BAD_INPUT, f"{file}: {name}: unknown key {unknown[0]}; remove it")
        attempt = Attempt(file.stem, name, **said)
        if bool(attempt.script) == bool(attempt.read):
            raise refused(attempt, "needs a script, or a file to read; write one of them")
        if not (attempt.possible or attempt.control or attempt.notices or attempt.dies):
            raise refused(attempt, "nothing shows that it would be noticed; add a control or say why")
        yield attempt


def refused(attempt: Attempt, why: str) -> Stop:
    return Stop(Exit.BAD_INPUT, f"{attempt.family}.yaml: {attempt.name}: {why}")
