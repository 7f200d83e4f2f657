"""The ladder of isolation, strongest first, one file a rung.

Only trials on a comparable rung are ever compared. Every rung passes or openly fails the same probes
(smoke.py), so a rung's claims are tested, not read.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, cast
from urllib.parse import urlsplit

import clients
from kit import staged
from kit.documents import Document
from kit.layout import Run
from kit.process import Command as Command  # what a rung makes, and process.run takes


@dataclass(frozen=True)
class Box:
    """What the processes of one sandbox may touch. All paths exist and are their own realpath."""

    run: Run  # its control folder holds srt.json, gw.sock, tmp/ and neutral/
    writable: tuple[Path, ...]
    readable: tuple[Path, ...]  # reopened beside the system's folders
    denied: tuple[Path, ...]  # the roots that the deny-list form closes
    reads: Literal["allow-list", "deny-list"]
    network: bool  # the model route, through run.socket
    uid: int | None  # its own, when the runner is root
    mount: tuple[Path, Path] | None  # a folder to bind, and where: a toolchain below a closed home
    host: str | None = None  # with a port: the one that is open in the gateway's place (--direct)


class Rung(Protocol):
    """A module with these names is a rung."""

    COMPARABLE: bool

    def unavailable(self) -> str | None:
        """Why it cannot be used here and what to do about it, or None."""
        ...

    def policy(self, box: Box, stage: Document) -> Document:
        """What is kept as srt.json; empty: there is none."""
        ...

    def prepare(self, box: Box, stage: Document) -> None:
        """Write the policy into the control folder and hand the writable folders to the box's uid."""
        ...

    def wrap(
        self, box: Box, stage: Document, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> Command:
        """The command that runs argv inside, in cwd, with exactly env (plus what the sandbox itself adds)."""
        ...


def load(name: str) -> Rung:
    return cast(Rung, importlib.import_module(f"rungs.{name}"))


@contextlib.contextmanager
def steady(name: str, stage: Document, folder: Path) -> Iterator[Rung]:
    """The rung for many commands without a network: kept running, in that folder, where a rung can be."""
    rung = load(name)
    kept = getattr(rung, "kept_running", None)
    with kept(stage, folder) if kept else contextlib.nullcontext(rung) as found:
        yield found


def for_grading(trial: Document) -> tuple[str, Literal["allow-list", "deny-list"]]:
    """The rung that a trial is graded on, and its reads: what is built and run is never without srt."""
    return ("srt", "allow-list") if trial["isolation"] == "exploratory" else (trial["rung"], trial["reads"])


def trial_box(trial: Document, stage: Document, uid: int | None, *, network: bool = True) -> Box:
    """The box of a trial: its five folders writable; tools, toolchain and its read-only folders readable."""
    run = Run(Path(trial["paths"]["run"]), Path(trial["paths"]["control"]))
    tools = Path(trial["paths"]["work"]) / "tools"
    readable = [tools / "common", *(run.root / name for name in ("bin", "fixtures"))]
    if own := staged.folder(stage, trial):
        readable += [own, run.registry]
    return Box(
        run=run,
        writable=run.writable,
        readable=(*readable, toolchain(stage)),
        denied=denied(trial),
        reads=trial["reads"],
        network=network,
        uid=uid,
        mount=mount(stage),
        host=model_host(clients.load(trial["client"])) if trial.get("route") == "direct" else None,
    )


def denied(trial: Document) -> tuple[Path, ...]:
    """What is planned to be closed and is there: a staged version may be gone from where it was named."""
    return tuple(place for said in trial["denied"] if (place := Path(said)).exists())


def model_host(client: clients.Client) -> str:
    """<host>:<port> of its model's API."""
    where = urlsplit(client.UPSTREAM)
    return f"{where.hostname}:{where.port or (443 if where.scheme == 'https' else 80)}"


def toolchain(stage: Document) -> Path:
    """Where the toolchain is found inside."""
    return Path(stage["toolchain"]["mount"] or stage["toolchain"]["sysroot"])


def mount(stage: Document) -> tuple[Path, Path] | None:
    where = stage["toolchain"]
    return (Path(where["sysroot"]), Path(where["mount"])) if where["mount"] else None
