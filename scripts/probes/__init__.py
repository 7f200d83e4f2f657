"""Small looks from inside a sandbox: what must work in a trial, and what must not.

All probes of a configuration run in one sandbox, by one script of sh, under the exact policy of its trials.
A probe that must fail is also run where it can succeed (its control), or its failure would prove nothing.
That is done once a batch: what is around a sandbox is made alike for each configuration. Probes judge a
sandbox, never an agent; no model is asked. A sandbox that does not start fails every probe.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import psutil

from kit import family, process
from kit.documents import Document
from kit.process import Command
from rungs import Box, Rung, namespaces

SECS = 180.0  # for all probes of a configuration; a cold cargo build is in them

# Where a probe that must fail is seen to succeed. runner: by the runner, outside. machine: so too, but this
# machine may refuse it. trial: by the trial's uid in its namespaces, but without srt. root: by a runner that
# is root. loose: by the runner, and nobody ends what it starts. Else: by that probe of the list.
Control = Literal["runner", "machine", "trial", "root", "loose", "model-answers", "none"]
OUTSIDE = ("runner", "machine", "trial", "root", "loose")


@dataclass(frozen=True)
class Probe:
    """`script` succeeds when the thing is possible; it may use the scene's variables."""

    name: str
    says: str  # what is so, when the probe passes
    script: str
    possible: bool
    control: Control = "none"
    only: Literal["control", "treatment"] | None = None
    lands: str | None = None  # possible means: this file is there afterwards, seen from outside
    stays: str | None = None  # possible means: a process with this argument is alive afterwards
    before: str = ""  # the control alone begins with this: what it takes to succeed
    slow: bool = False  # runs beside the others; for what needs nothing of theirs


LINES = "IFS='\n'; set -f; "  # a script's variables are split at line ends alone
Controls = dict[str, dict[str, "Seen"]]  # what was seen outside: kind of control, probe


@dataclass(frozen=True)
class ProbeResult:
    name: str
    says: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Scene:
    """Where the probes run. The box is prepared and its gateway answers."""

    rung: Rung
    box: Box
    stage: Document
    env: Mapping[str, str]  # a trial's
    treatment: bool  # whether cargo-agents belongs here
    variables: Mapping[str, str]  # what the probes are about (decoys.py)


@dataclass(frozen=True)
class Seen:
    possible: bool
    said: str


def run(scene: Scene, probes: Sequence[Probe], controls: Controls) -> list[ProbeResult]:
    """Every probe that belongs to this configuration, judged. controls: of the batch; what lacks is added."""
    here = [probe for probe in probes if probe.only in (None, "treatment" if scene.treatment else "control")]
    here = [probe for probe in here if not missing(probe, scene.variables)]
    for kind in OUTSIDE:
        known = controls.setdefault(kind, {})
        known |= outside(scene, [probe for probe in here if probe.name not in known], kind)
    inside, trouble = look(scene, here)
    return [judge(probe, inside, controls, trouble) for probe in here]


def missing(probe: Probe, variables: Mapping[str, str]) -> bool:
    """Whether what it is about is not on this machine: a developer without a cargo-agents of their own."""
    return any(not value and f"${name}" in probe.script for name, value in variables.items())


def judge(
    probe: Probe, inside: Mapping[str, Seen], controls: Mapping[str, Mapping[str, Seen]], trouble: str
) -> ProbeResult:
    if probe.name not in inside:
        return ProbeResult(probe.name, probe.says, False, f"did not run: {trouble}")
    seen = inside[probe.name]
    passed = seen.possible is probe.possible
    detail = seen.said
    if passed and not probe.possible:
        elsewhere = controls.get(probe.control)
        shown = inside.get(probe.control) if elsewhere is None else elsewhere.get(probe.name)
        if (probe.control == "root" and os.geteuid() != 0) or (
            probe.control == "machine" and shown and not shown.possible
        ):
            detail = "refused (and this runner could not do it outside either)"
        elif shown is None or not shown.possible:
            said = shown.said if shown else "no control ran"
            passed, detail = False, f"proves nothing: its control failed too: {said}"
        else:
            detail = "refused (and possible where it should be)"
    return ProbeResult(probe.name, probe.says, passed, detail)


def look(scene: Scene, probes: Sequence[Probe]) -> tuple[dict[str, Seen], str]:
    """What was seen inside, and what to say of a probe that left no line."""
    run, word = scene.box.run, secrets.token_hex(8)
    file = run.project / "probes.sh"
    file.write_text(script(probes, scene, word), "utf-8")
    file.chmod(0o644)
    command = scene.rung.wrap(scene.box, scene.stage, ["sh", str(file)], run.project, scene.env)
    with the_runners_own(scene.variables):
        out, err = told(command, run.control)
    file.unlink()
    return seen(probes, scene, out, word), err.strip()[-400:] or "the sandbox said nothing"


@contextlib.contextmanager
def the_runners_own(variables: Mapping[str, str]) -> Iterator[None]:
    """A variable and an open folder that a child would inherit, if it were let."""
    held = os.open(variables["OTHER_FOLDER"], os.O_RDONLY)
    os.set_inheritable(held, True)
    os.environ[variables["CANARY"]] = "the runner's own"
    try:
        yield
    finally:
        del os.environ[variables["CANARY"]]
        os.close(held)


def outside(scene: Scene, probes: Sequence[Probe], kind: str) -> dict[str, Seen]:
    """The same scripts without the sandbox."""
    chosen = [replace(probe, script=probe.before + probe.script) for probe in probes if probe.control == kind]
    if not chosen or (kind == "root" and os.geteuid() != 0):
        return {}
    run, word = scene.box.run, secrets.token_hex(8)
    file = run.control / "controls.sh"
    file.write_text(script(chosen, scene, word), "utf-8")
    file.chmod(0o644)
    argv = ["sh", str(file)]
    if kind == "trial" and scene.box.uid is not None:
        argv = [*namespaces.outside(scene.box.uid, scene.box.mount), *argv]
    env = {**scene.env, scene.variables["CANARY"]: "here"}
    env["PATH"] = f"{namespaces.PATH}:{env['PATH']}:{scene.variables['PLANTED']}"
    command = Command(argv, env, run.project)
    out = loosely(command) if kind == "loose" else told(command, run.control)[0]
    return seen(chosen, scene, out, word)


def loosely(command: Command) -> str:
    """Run it as a careless runner would, who ends nothing."""
    pipe = subprocess.PIPE
    done = subprocess.run(
        command.argv, env=command.env, cwd=command.cwd, stdout=pipe, text=True, timeout=SECS, check=False
    )
    return done.stdout


def told(command: Command, folder: Path) -> tuple[str, str]:
    out, err = folder / "probes.out", folder / "probes.err"
    ended = process.run(command, stdout=out, stderr=err, deadline_secs=SECS, cap_bytes=1 << 20)
    said = [file.read_text("utf-8", "backslashreplace") for file in (out, err)]
    for file in (out, err):
        file.unlink()
    if ended.ended_by == "interrupt":
        raise KeyboardInterrupt
    return said[0], said[1]


def script(probes: Sequence[Probe], scene: Scene, word: str) -> str:
    """A line of `<word> <name> <status>` for each probe, and what it said; no process but the probe's own."""
    lines = [f"{name}={shlex.quote(value)}; export {name}" for name, value in scene.variables.items()]
    beside = [probe for probe in probes if probe.slow]
    for probe in beside:
        lines.append(f'( ( {probe.script}\n) >"$TMPDIR/{probe.name}" 2>&1 </dev/null')
        lines.append(f'echo $? >"$TMPDIR/{probe.name}.status" ) &')
    for probe in (*(probe for probe in probes if not probe.slow), *beside):
        if probe.slow:
            lines.append(
                f'wait; said=$(cat "$TMPDIR/{probe.name}"); read -r status <"$TMPDIR/{probe.name}.status"'
            )
        else:
            lines.append(f"said=$( ( {probe.script}\n) 2>&1 </dev/null ); status=$?")
        lines.append(f'printf "%s %s %s\n%s\n" {word} {probe.name} $status "$said"')
    return "\n".join(lines) + "\n"


def seen(probes: Sequence[Probe], scene: Scene, out: str, word: str) -> dict[str, Seen]:
    known, found = {probe.name: probe for probe in probes}, {}
    for name, status, said in lines(out, word):
        probe, possible = known[name], status == "0"
        if probe.lands:
            file = Path(scene.variables[probe.lands])
            possible = file.exists()
            file.unlink(missing_ok=True)
        elif probe.stays:
            possible = still_there(scene.variables[probe.stays])
        found[name] = Seen(possible, said or f"status {status}")
    return found


def with_argument(argument: str) -> list[psutil.Process]:
    """The living processes that were started with it."""
    there = [p for p in psutil.process_iter(["cmdline"]) if argument in (p.info["cmdline"] or [])]
    return [one for one in there if family.is_alive(one)]


def still_there(argument: str) -> bool:
    """Whether there is one; it is ended, since a probe of ours began it."""
    alive = with_argument(argument)
    for one in alive:
        with contextlib.suppress(psutil.Error):
            one.kill()
    return bool(alive)


def lines(out: str, word: str) -> Iterator[tuple[str, str, str]]:
    """Name, status and last words of each."""
    for part in f"\n{out}".split(f"\n{word} ")[1:]:
        head, _, said = part.partition("\n")
        name, _, status = head.partition(" ")
        yield name, status, " ".join(said.split())[-300:]
