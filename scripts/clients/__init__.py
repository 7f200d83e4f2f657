"""The agents under test, one file each. Adding a client is adding a file here.

An adapter says how to start its client and how to read what it printed. It never installs (stage.py),
isolates (rungs/), judges (expect.py) or holds credentials (gateway/).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from kit.contract import Exit, Stop
from kit.documents import Document


@dataclass(frozen=True)
class Launch:
    """A client's command line and what it needs in its environment beyond the trial's own."""

    argv: list[str]
    variables: dict[str, str]


@dataclass(frozen=True)
class Confines:
    """What the client's own sandbox is told where there is no other (--exploratory)."""

    denied: Sequence[Path]  # closed to reads, where the client can close any
    readable: Sequence[Path]  # reopened inside that: the trial's folders, its tools, the toolchain
    cargo_home: Path
    home: Path
    evidence: Path


@dataclass(frozen=True)
class Places:
    """Where things are for one trial: paths as the client sees them."""

    project: Path
    home: Path
    skills: Path  # the folder where the client looks for the project's skills


@dataclass(frozen=True)
class ToolCall:
    """What a rehearsed model asks of the client: the client's own tool, with that tool's own input."""

    name: str
    input: dict[str, Any]


class Client(Protocol):
    """A module with these names is a client.

    One with a sandbox of its own may have `confined` as well: command() with one more argument, a Confines;
    and `confined_tool`, where a rehearsal must call other tools in there.
    """

    BINARY: str  # its name in the run's bin/
    MIN_VERSION: str  # older ones are refused: formats change between versions
    KEY: str  # the variable that its documentation names for the key; the sandbox sees a dummy there
    UPSTREAM: str  # the model API's own base URL
    WIRE: str  # the protocol in gateway/wires/ that it speaks
    SKILLS: str  # where it looks for skills, from the project's root
    MANAGED: Sequence[Path]  # machine-wide settings, which must not exist
    CONFIGURATION: Sequence[str]  # globs below the run: its hook and MCP configuration
    READING: Sequence[str]  # its tools, as its transcript names them: those that show a file or fail
    SHELLS: Sequence[str]  # and those that run a command of a shell
    REPORTS_HOOKS: bool  # its transcript says which hooks it ran
    RELOADS_SKILLS: bool  # looks for skills again when a SessionStart hook asks it to
    REHEARSAL_MODEL: str  # the model name given to the client when a rehearsal answers

    def staged(self, modules: Path) -> tuple[Path, str]:
        """What to copy out of node_modules, a file or folder; and the program's path in it ("": itself)."""
        ...

    def version(self, said: str) -> str:
        """The version number in what `--version` printed; ValueError when there is none."""
        ...

    def command(self, binary: Path, prompt: str, model: str, base_url: str, key: str) -> Launch:
        """How to start it; `key` is the dummy that the sandbox sees."""
        ...

    def tool(self, turn: Mapping[str, Any], places: Places) -> ToolCall:
        """A rehearsal's `skill`, `read`, `write` or `run` turn as a call of the client's own tools."""
        ...

    def observe(self, transcript: Iterable[bytes], skills: Sequence[str], places: Places) -> Document:
        """observation/1 without `listed`, `turns`, `usage_source`; and `response`, the last word.

        `compactions` is left out where the transcript does not show them: the gateway's record then counts.
        """
        ...


def confined(client: Client) -> Callable[[Path, str, str, str, str, Confines], Launch]:
    """How to start it in its own sandbox, as strict as that goes."""
    if found := getattr(client, "confined", None):
        return cast("Callable[[Path, str, str, str, str, Confines], Launch]", found)
    raise Stop(
        Exit.UNAVAILABLE, f"--exploratory: not built for {client.BINARY}; leave it out to run under srt"
    )


def names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg)


def load(name: str) -> Client:
    if name not in names():
        raise Stop(Exit.USAGE, f"client {name}: unknown; the clients are {', '.join(names())}")
    return cast(Client, importlib.import_module(f"clients.{name}"))


def provider(name: str, rehearsed: bool) -> str:
    """Who answers: the host of the client's model API; the client's own name where we no longer know it."""
    if rehearsed:
        return "rehearsal"
    known = name in names()
    return (urlsplit(load(name).UPSTREAM).hostname if known else None) or name
