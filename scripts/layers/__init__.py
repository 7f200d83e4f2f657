"""The sandbox with one of its guards taken away: which probe notices?

A guard is a word of the command around srt or a line of srt's policy. Taken away alone, either a named probe
turns red, or another layer covers for it; then that layer is taken away too (red: it is what covers), and
alone (which shows whether the guard holds by itself). It changes only the sandbox that it is given.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import probes
from kit.documents import Document
from kit.process import Command
from layers import killed
from probes import Probe, Scene
from rungs import Box, Rung

Layer = Literal["policy", "uid and modes", "namespaces", "seccomp", "limits"]


@dataclass
class Sandbox:
    """What stands around a command of a trial; taking a guard away changes it."""

    around: list[str]  # the words before srt
    inside: list[str]  # srt's own words, or none
    policy: Document
    variables: Mapping[str, str]  # of the probes: the places that they are about


Change = Callable[[Sandbox], None]


@dataclass(frozen=True)
class Guard:
    name: str
    layer: Layer
    says: str  # what it is for
    probe: str
    remove: Change
    covered_by: str = ""  # the layer that also refuses; empty: nobody does
    uncover: Change | None = None  # takes that layer away
    runner: Literal["any", "root", "user"] = "any"  # who has it
    reads: Literal["allow-list", "deny-list"] = "allow-list"


@dataclass(frozen=True)
class Shown:
    """What the probe saw; True: red, it got through."""

    alone: bool  # this guard away
    other: bool | None = None  # the covering layer away
    both: bool | None = None
    machine: bool = False  # this machine refuses it by itself, so nothing can be shown

    def as_listed(self, guard: Guard) -> bool:
        if self.machine:
            return not self.alone
        if not guard.covered_by:
            return self.alone
        return not self.alone and self.both is True


def here(guards: Sequence[Guard]) -> list[Guard]:
    runner = "root" if os.geteuid() == 0 else "user"
    return [guard for guard in guards if guard.runner in ("any", runner)]


def show(scene: Scene, guard: Guard, listed: Mapping[str, Probe]) -> Shown:
    """scene's box is prepared, with the reads of the guard."""
    alone = red(scene, guard.probe, listed, [guard.remove])
    if guard.probe in listed and listed[guard.probe].control == "machine":
        outside = probes.outside(scene, [listed[guard.probe]], "machine")
        if not outside[guard.probe].possible:
            return Shown(alone, machine=True)
    if guard.uncover is None:
        return Shown(alone)
    other = red(scene, guard.probe, listed, [guard.uncover])
    return Shown(alone, other, red(scene, guard.probe, listed, [guard.uncover, guard.remove]))


def red(scene: Scene, name: str, listed: Mapping[str, Probe], changes: Sequence[Change]) -> bool:
    """Whether the probe gets through in the sandbox so changed."""
    weakened = replace(scene, rung=Weakened(scene.rung, changes, scene.variables))
    if name in killed.VICTIMS:
        return killed.outlives(weakened, name)
    probe = listed[name]
    seen, trouble = probes.look(weakened, [probe])
    if probe.name not in seen:
        raise RuntimeError(f"{probe.name}: the changed sandbox did not start: {trouble}")
    return seen[probe.name].possible


@dataclass
class Weakened:
    """A rung, less some guards."""

    rung: Rung
    changes: Sequence[Change]
    variables: Mapping[str, str]
    COMPARABLE = False

    def unavailable(self) -> str | None:
        return self.rung.unavailable()

    def policy(self, box: Box, stage: Document) -> Document:
        return self.rung.policy(box, stage)

    def prepare(self, box: Box, stage: Document) -> None:
        self.rung.prepare(box, stage)

    def wrap(
        self, box: Box, stage: Document, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> Command:
        command = self.rung.wrap(box, stage, argv, cwd, env)
        start = command.argv.index(stage["node"]["path"])
        sandbox = Sandbox(
            command.argv[:start], command.argv[start:-2], self.rung.policy(box, stage), self.variables
        )
        for change in self.changes:
            change(sandbox)
        own = box.run.control / "weakened.json"
        own.write_text(json.dumps(sandbox.policy), "utf-8")
        own.chmod(0o644)
        inside = [str(own) if word == str(box.run.policy) else word for word in sandbox.inside]
        said = command.argv[-2:] if inside else ["sh", "-c", command.argv[-1]]
        return replace(command, argv=[*sandbox.around, *inside, *said])
