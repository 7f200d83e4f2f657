#!/usr/bin/env python3
"""Make the run of one trial: fresh folders, the starter, what the configuration adds, and a look at it all.

Everything of the setup's own runs inside the sandbox, as the trial's uid. It starts no client and asks no
model. A failed check stops here, after setup.json has named it; so does what is missing outside the trial.
"""

from __future__ import annotations

import secrets
import shlex
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import clients
import rungs
import setups
from kit import canaries, process, snapshot, staged, tasks, uids
from kit.contract import Exit, Folder, Step, Stop
from kit.documents import Document
from kit.layout import POLICY, SETUP, STAGE, TASK, TRIAL, Run
from rungs import Box, Rung
from setups import Before, Check, Said, every, folders

STEP = Step(
    name="prepare",
    does="Make the run of one trial and check it before launch.",
    kind="recorded",
    reads=[TRIAL, STAGE],
    writes=[TASK, SETUP],
    may_write=[POLICY],
)
CAP_BYTES = 1 << 20  # of what the setup's commands print
# After each command: the random word that is the script's $0, and the command's status, on both streams.
END = 'status=$?; printf "%s %s\\n" "$0" $status; printf "%s %s\\n" "$0" $status >&2'


def run(trial: Folder) -> None:
    plan = trial.read(TRIAL)
    stage = staged.own(trial.read(STAGE), plan)
    until = time.monotonic() + plan["deadlines_secs"]["setup"]
    client, rung, setup = clients.load(plan["client"]), rungs.load(plan["rung"]), setups.load(plan["setup"])
    if why := rung.unavailable():
        raise Stop(Exit.UNAVAILABLE, why)
    task = tasks.load(Path(plan["paths"]["evals"]), plan["task"])
    trial.write(TASK, document(task))
    uid = uids.claim(*plan["uids"])
    box = rungs.trial_box(plan, stage, uid)
    before = Before(box.run, trial.read(TASK), stage, client, plan["client"], task.evals)
    folders.make(box.run)
    fill(before, task)
    canaries.plant(box.run.root, canaries.of(plan))
    plugins = setup.populate(before)
    rung.prepare(box, stage)
    if box.run.policy.exists():
        shutil.copyfile(box.run.policy, trial.path(POLICY))
    inside = Inside(rung, box, stage, environment(box.run, rungs.toolchain(stage)), until)
    said = inside.answers(setup.commands(before))
    common = every.checks(before, empty=not setup.PUTS_SKILLS)
    checks = [*common, *setup.checks(before, said), every.in_time(until)]
    trial.write(
        SETUP,
        {
            "configuration": plan["configuration"],
            "uid": uid,
            "skill_folder": client.SKILLS,
            "skill_folder_empty": every.skill_folder_empty(before).passed,
            "checks": [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in checks],
            "environment": inside.env,
            "snapshot": snapshot.take(box.run.root, [*client.CONFIGURATION, *setup.CONFIGURATION]),
            "plugins": {name: plugin.files for name, plugin in plugins.items()},
            "recording": [name for name, plugin in plugins.items() if plugin.records],
        },
    )
    refuse(checks)


def document(task: tasks.Task) -> Document:
    """task/1 with the canaries of its hidden tests, which are looked for before and after the session."""
    return {**task.document(), "canaries": task.canaries()}


def refuse(checks: Sequence[Check]) -> None:
    if failed := [f"{check.name}: {check.detail}" for check in checks if not check.passed]:
        raise Stop(Exit.UNAVAILABLE, f"a check before launch failed: {'; '.join(failed)}")


def fill(before: Before, task: tasks.Task) -> None:
    """What every configuration gets alike: the starter, the fixtures, and bin/ with links to staged tools."""
    folders.copy(task.starter, before.run.project, writable=True)
    for folder in task.fixture_folders:
        folders.copy(folder, before.run.fixtures / folder.name, writable=False)
    (before.run.bin / before.client.BINARY).symlink_to(before.stage["client"]["path"])
    (before.run.bin / "sh").symlink_to("/bin/sh")


def environment(run: Run, toolchain: Path) -> dict[str, str]:
    """The whole of it (P02), alike in every configuration; the client's adapter adds its few, with reasons.

    No USERPROFILE: only Windows reads it. No key: the sandbox never holds one.
    """
    return {
        "HOME": str(run.home),  # Claude's, Codex's and Symposium's configuration and state live below it
        "PATH": f"{run.bin}:{toolchain}/bin:/usr/bin:/bin",  # never a developer's ~/.cargo/bin
        "TMPDIR": str(run.tmp),
        "CARGO_HOME": str(run.cargo_home),
        "EVAL_EVIDENCE_DIR": str(run.evidence),  # where hooks of ours write their records
        "SYMPOSIUM_HOOK_TRACE": str(run.evidence / "hook-trace.jsonl"),
        "LANG": "C.UTF-8",  # or the client and cargo take their output to be ASCII
    }


@dataclass(frozen=True)
class Inside:
    """The trial's sandbox, for the setup's own commands."""

    rung: Rung
    box: Box
    stage: Document
    env: dict[str, str]
    until: float  # on the monotonic clock: the end of the phase

    def answers(self, commands: Sequence[Sequence[str]]) -> list[Said]:
        """Run them one after another in the project, in one sandbox, with what is left of the phase."""
        run, word = self.box.run, secrets.token_hex(16)
        out, err = run.control / "out", run.control / "err"
        argv = ["/bin/sh", "-c", "\n".join(f"{shlex.join(c)}\n{END}" for c in commands), word]
        command = self.rung.wrap(self.box, self.stage, argv, run.project, self.env)
        left = max(0.0, self.until - time.monotonic())
        ended = process.run(command, stdout=out, stderr=err, deadline_secs=left, cap_bytes=CAP_BYTES)
        said = [file.read_text("utf-8", "replace") for file in (out, err)]
        out.unlink()
        err.unlink()
        if ended.ended_by == "interrupt":
            raise KeyboardInterrupt
        if alive := process.survivors(ended, self.box.uid):
            names = ", ".join(alive)
            raise Stop(Exit.UNAVAILABLE, f"set-up: still alive after its end: {names}; nothing was launched")
        return list(apart(commands, word, *said))


def apart(commands: Sequence[Sequence[str]], word: str, out: str, err: str) -> Iterator[Said]:
    """What each of them said; a command without its end line was killed, and those after it never ran."""
    outs, errs = out.split(f"{word} "), err.split(f"{word} ")
    for number, argv in enumerate(commands):
        ended = len(outs) > number + 1 and len(errs) > number + 1
        status = outs[number + 1].partition("\n")[0] if ended else ""
        texts = [parts[number] if len(parts) > number else "" for parts in (outs, errs)]
        stdout, stderr = (text.partition("\n")[2] if number else text for text in texts)
        yield Said(argv, int(status) if status.isdigit() else None, stdout, stderr)


if __name__ == "__main__":
    STEP.main(run)
