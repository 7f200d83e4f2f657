"""What the doctor looks at: each look is a function that says what it found, or stops with what is wrong.

A look changes nothing, reaches no network and takes a fraction of a second. What is wrong is the machine's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kit.contract import Exit, Stop


@dataclass(frozen=True)
class Look:
    """How one look went. `todo` is empty when it went well."""

    name: str
    ok: bool
    says: str
    todo: str = ""


def take(name: str, ask: Callable[[], str]) -> Look:
    try:
        return Look(name, True, ask())
    except Stop as stop:
        says, _, todo = str(stop).rpartition("; ")
        return Look(name, False, says.removeprefix(f"{name}: "), todo)
    except OSError as error:
        return Look(name, False, str(error), "look at that file")


def wrong(thing: str, what: str, todo: str) -> Stop:
    return Stop(Exit.UNAVAILABLE, f"{thing}: {what}; {todo}")
