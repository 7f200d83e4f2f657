#!/usr/bin/env python3
"""Stage a batch's tools: copied once per content, the same for every trial, and what each is.

  <work>/tools/common/{<client>, node, srt/}   readable by every trial
  <work>/tools/symposium/cargo-agents          readable by Symposium trials only; not there without one
  <work>/tools/symposium-<configuration>/...   the same, of a configuration that names its own: by it alone
  <work>/tools/launcher                        for gradings only: what starts a hidden Rust test

It never installs (tools/install.py) and puts nothing into a run (prepare.py). Its failures are the machine's:
a tool that is missing or too old, an eval root that a trial's uid cannot reach. A staged program is started
by a uid without rights, in a throw-away HOME: with --version, and cargo-agents to see what it supports.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import capabilities
import clients
from kit import staged as staging
from kit import symposium_source, tools, versions
from kit.contract import Exit, Folder, Step, Stop
from kit.documents import Document
from kit.layout import BATCH, STAGE
from kit.reach import closed_to_others, folder, open_for_trials
from kit.store import Store, Stored, discard

STEP = Step(
    name="stage",
    does="Copy the tools of a batch, once, and say what they are.",
    kind="recorded",
    scope="batch",
    reads=[BATCH],
    writes=[STAGE],
)


LAUNCHER = Path(__file__).parent / "graders/launcher.rs"
LAUNCHER_FLAGS = ("--edition", "2021", "-C", "panic=abort", "-C", "opt-level=2", "-l", "c")


@dataclass(frozen=True)
class Bench:
    """Where the tools come from and go to."""

    found: tools.Tools
    store: Store
    place: Path  # <work>/tools
    home: Path  # throw-away
    root: bool  # whether the runner is root

    @property
    def common(self) -> Path:
        return self.place / "common"

    def keep(self, stored: Stored, where: Path, program: str = "") -> tuple[Path, str]:
        """Link it into the batch: its program's path there, and what that says of its version."""
        binary = self.store.link(stored.sha256, where) / program
        path = f"{self.common}:{versions.SYSTEM}"  # a client may be a script of node's
        argv = [str(binary), "--version"]
        ask = functools.partial(versions.asked, argv, self.home, path, drop=self.root)
        return binary, self.store.remember(stored.sha256, "version", ask)


def run(batch: Folder) -> None:
    plan = batch.read(BATCH)
    root, place, as_root = (
        Path(plan["paths"]["eval_root"]),
        Path(plan["paths"]["work"]) / "tools",
        os.geteuid() == 0,
    )
    found = tools.find()
    open_for_trials(root)
    discard(place)  # what an interrupted staging left
    folder(place / "common")
    with tempfile.TemporaryDirectory(prefix=".home-", dir=place) as home:
        if as_root:
            os.chown(home, versions.NOBODY, versions.NOBODY)
        stage = staged(Bench(found, Store(root / "store"), place, Path(home), as_root), plan)
        probed(stage, Path(home), plan["client"])
        batch.write(STAGE, stage)


def probed(stage: Document, home: Path, client: str) -> None:
    """Adds to each staged cargo-agents what it supports."""

    def able(path: str, name: str) -> Document:
        return capabilities.probe(Path(path), stage, home / f"probe{name}", client)

    stage["capabilities"] = able(stage["symposium"]["path"], "") if stage["symposium"] else None
    for name, version in stage.get("versions", {}).items():
        version["capabilities"] = able(version["path"], f"-{name}")


def staged(bench: Bench, plan: Document) -> Document:
    """All at once: hashing, copying and asking wait for disk and processes, not for each other."""
    own = {c["name"]: c["symposium"] for c in plan["configurations"] if "symposium" in c}
    wanted = any(c["setup"] == "symposium" and c["name"] not in own for c in plan["configurations"])
    work: dict[str, Callable[[], object]] = {
        "client": lambda: client(bench, plan["client"]),
        "srt": lambda: srt(bench),
        "node": lambda: node(bench),
        "symposium": lambda: symposium(bench, plan["symposium"]) if wanted else None,
        "versions": lambda: {name: symposium(bench, source, name) for name, source in own.items()},
        "toolchain": lambda: toolchain(bench, Path(plan["paths"]["eval_root"])),
        "launcher": lambda: launcher(bench),
        "packages": lambda: packages(bench),
        "os": versions.system,
    }
    with ThreadPoolExecutor(len(work)) as pool:
        started = {name: pool.submit(one) for name, one in work.items()}
        made = {name: one.result() for name, one in started.items()}
    return {name: one for name, one in made.items() if name != "versions" or one}


def client(bench: Bench, name: str) -> Document:
    adapter = clients.load(name)
    source, inside = adapter.staged(bench.found.modules)
    stored = bench.store.put(source)
    binary, said = bench.keep(stored, bench.common / adapter.BINARY, inside)
    try:
        version = adapter.version(said)
    except ValueError as error:
        raise Stop(Exit.UNAVAILABLE, f"{source}: {error}; run `make tools`") from error
    if versions.older(version, adapter.MIN_VERSION):
        todo = f"older than {adapter.MIN_VERSION}, the oldest that agent-eval drives; run `make tools`"
        raise Stop(Exit.UNAVAILABLE, f"{name} {version}: {todo}")
    return {"name": name, "version": version, "sha256": stored.sha256, "path": str(binary)}


def srt(bench: Bench) -> Document:
    """The package with what it depends on, in the place where Node looks for that."""
    own, modules = bench.found.srt, bench.found.modules
    also = {f"node_modules/{name}": modules / name for name in bench.found.dependencies(own)}
    version = json.loads((own / "package.json").read_text("utf-8"))["version"]
    if version != (pinned := tools.pins()[tools.SRT]):
        raise Stop(Exit.UNAVAILABLE, f"srt {version}: agent-eval is pinned to {pinned}; run `make tools`")
    stored = bench.store.put(own, also)
    path = bench.store.link(stored.sha256, bench.common / "srt")
    return {"version": version, "sha256": stored.sha256, "path": str(path)}


def node(bench: Bench) -> Document:
    stored = bench.store.put(bench.found.node)
    binary, said = bench.keep(stored, bench.common / "node")
    return {"version": said.strip().removeprefix("v"), "sha256": stored.sha256, "path": str(binary)}


def symposium(bench: Bench, planned: Document, configuration: str | None = None) -> Document:
    source = symposium_source.find(planned, bench.found.cargo_agents)
    stored = bench.store.put(source.program)
    binary, said = bench.keep(stored, folder(bench.place / staging.place(configuration)) / "cargo-agents")
    if not (version := re.search(r"\d+\.\d+\.\d+\S*", said)):
        raise Stop(
            Exit.UNAVAILABLE, f"{source.program}: no cargo-agents (it says {said[:80]!r}); give another"
        )
    about = {"source": planned["source"], "revision": source.revision, "profile": source.profile}
    return {"version": version[0], "sha256": stored.sha256, **about, "path": str(binary)}


def toolchain(bench: Bench, root: Path) -> Document:
    """Where it is, and where a trial's uid finds it when that place is closed (rustup's own, below /root)."""
    sysroot = bench.found.sysroot
    closed = bench.root and closed_to_others(sysroot) is not None
    ask = {name: [str(sysroot / "bin" / name), "--version"] for name in ("rustc", "cargo")}
    said = {name: versions.asked(argv, bench.home).strip() for name, argv in ask.items()}
    return {**said, "sysroot": str(sysroot), "mount": str(folder(root / "toolchain")) if closed else None}


def launcher(bench: Bench) -> Document:
    """Built from our own source, once for a toolchain: in each grading it would cost as much as a crate."""
    rustc = str(bench.found.sysroot / "bin/rustc")
    said = versions.asked([rustc, "--version", "--verbose"], bench.home)
    key = hashlib.sha256(f"{said}{LAUNCHER_FLAGS}".encode() + LAUNCHER.read_bytes()).hexdigest()

    def compile(into: Path) -> None:
        versions.asked([rustc, *LAUNCHER_FLAGS, "-o", str(into), str(LAUNCHER)], into.parent)

    stored = bench.store.made(key, compile)
    return {
        "sha256": stored.sha256,
        "path": str(bench.store.link(stored.sha256, bench.place / "launcher")),
    }


def packages(bench: Bench) -> dict[str, str]:
    flag = {"socat": "-V"}
    return {
        package: versions.line_of(
            versions.asked([str(tools.program(name)), flag.get(name, "--version")], bench.home)
        )
        for name, package in tools.packages().items()
    }


if __name__ == "__main__":
    STEP.main(run)
