"""The control: nothing is put in, and Symposium can be reached by no name.

Never removes anything: a Symposium that is there after all is a setup failure.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from kit import snapshot
from setups import Before, Check, Plugin, Said

PUTS_SKILLS = False
CONFIGURATION: Sequence[str] = ()
NAMES = ("cargo-agents", "symposium")
# The trial's own shell looks, in the sandbox, where cargo looks for subcommands: PATH and CARGO_HOME/bin.
LOOK = 'PATH="$PATH:$CARGO_HOME/bin"; ' + "; ".join(f"command -v {name}" for name in NAMES) + "; exit 0"
ENTRY = re.compile(rb"cargo[- ]agents|symposium", re.IGNORECASE)


def populate(before: Before) -> dict[str, Plugin]:
    return {}


def commands(before: Before) -> Sequence[Sequence[str]]:
    return [["sh", "-c", LOOK]]


def checks(before: Before, said: Sequence[Said]) -> Iterator[Check]:
    found = said[0].stdout.split()
    detail = (
        f"{', '.join(found)}: found on the trial's PATH" if found else f"{' and '.join(NAMES)}: found nowhere"
    )
    if said[0].exit != 0:
        detail = said[0].summary
    yield Check("symposium_unreachable", said[0].exit == 0 and not found, detail)
    home = before.run.home / ".symposium"
    there = os.path.lexists(home)
    yield Check("no_symposium_home", not there, f"{home}: {'there' if there else 'absent'}")
    yield no_entry(before)


def no_entry(before: Before) -> Check:
    """No hook or MCP entry of Symposium's in the client's configuration."""
    files = snapshot.take(before.run.root, before.client.CONFIGURATION)
    for name in files:
        if (file := before.run.root / name).is_file() and ENTRY.search(file.read_bytes()):
            return Check("no_symposium_entry", False, f"{file}: names Symposium")
    return Check(
        "no_symposium_entry",
        True,
        f"{len(files)} file(s) of the client's configuration: none names Symposium",
    )
