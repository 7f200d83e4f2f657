"""Which cargo-agents a trial has, of those that its batch has staged: as planned, never by a version.

A batch stages one for its configurations of Symposium (`symposium`, `capabilities`), and one more for each
that names its own (`versions`, by configuration). A trial that is given another's is this module's fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from kit.documents import Document

FOLDER = "symposium"  # of a batch's tools
ONE_FOR_ALL = ("client", "srt", "node")


def place(configuration: str | None = None) -> str:
    """The folder below a batch's tools; None: the batch's own, for which no configuration names another."""
    return FOLDER if configuration is None else f"{FOLDER}-{configuration}"


def own(stage: Document, trial: Document) -> Document:
    """stage/1 as this trial sees it: `symposium` and `capabilities` are its own, null where it has none."""
    if trial["setup"] != "symposium":
        return {**stage, "symposium": None, "capabilities": None}
    named = stage.get("versions", {}).get(trial["configuration"])
    if named is None:
        return stage
    held = {key: value for key, value in named.items() if key != "capabilities"}
    return {**stage, "symposium": held, "capabilities": named["capabilities"]}


def others(stage: Document, trial: Document) -> Sequence[str]:
    """The paths of every staged cargo-agents that is not this trial's."""
    mine = (own(stage, trial)["symposium"] or {}).get("path")
    return [tool["path"] for _, tool in versions(stage) if tool["path"] != mine]


def given(plan: Document) -> list[str]:
    """The programs of the paths that the batch was given, where they were named: closed to every trial."""
    sources = [plan["symposium"], *(c.get("symposium") for c in plan["configurations"])]
    places = [(one["source"], Path(one["path"])) for one in sources if one and one["path"]]
    built = (
        p for kind, path in places for p in ([path] if kind == "bin" else path.glob("target/*/cargo-agents"))
    )
    return list(dict.fromkeys(str(path) for path in built if path.is_file()))


def versions(stage: Document) -> Iterator[tuple[str, Document]]:
    """Each staged cargo-agents, by what it is called in words."""
    if stage["symposium"]:
        yield "symposium", stage["symposium"]
    yield from ((f"symposium of {name}", tool) for name, tool in stage.get("versions", {}).items())


def every(stage: Document) -> Iterator[tuple[str, Document]]:
    """Each staged tool, by what it is called in words."""
    yield from ((name, stage[name]) for name in ONE_FOR_ALL)
    yield from versions(stage)


def kept(stage: Document) -> Iterator[tuple[str, Document]]:
    """All that lies in a batch's tools: each staged tool, and what gradings need."""
    yield from every(stage)
    if "launcher" in stage:
        yield "launcher", {"version": "of hidden tests", **stage["launcher"]}


def folder(stage: Document, trial: Document) -> Path | None:
    """Where this trial's own cargo-agents lies, and nothing else; None: it has none."""
    if trial["setup"] != "symposium":
        return None
    named = trial["configuration"] in stage.get("versions", {})
    return Path(trial["paths"]["work"], "tools", place(trial["configuration"] if named else None))


def capabilities(stage: Document, plan: Document) -> dict[str, Document]:
    """What each staged cargo-agents can do, by its configurations' names; without those never probed."""
    holders = [c["name"] for c in plan["configurations"] if c["setup"] == "symposium"]
    named = {name: version["capabilities"] for name, version in stage.get("versions", {}).items()}
    mine = ", ".join(name for name in holders if name not in named)
    return {name: able for name, able in {mine: stage["capabilities"], **named}.items() if able}
