"""Ctrl-C, to real processes: one line, status 130, nothing left running and no scratch, in every script."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import psutil
import pytest

from batch_running import SCRIPTS, passable, program, until
from kit.contract import Exit, Step
from kit.tools import Tools

EVERY = sorted(file.stem for file in SCRIPTS.glob("*.py") if "__main__" in file.read_text("utf-8"))
KEPT = {"store", "toolchain", "owned"}  # of an eval root, for the next batch
RECORD = Path(__file__).parent / "records/two-rehearsed"


@dataclass
class Shell:
    """A terminal with a folder of its own for everything temporary, and an eval root."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def eval_root(self) -> Path:
        return self.root / "eval-root"

    def start(self, name: str, *args: object) -> subprocess.Popen[str]:
        """In a session of its own, as a terminal starts it: SIGINT is not ignored."""
        pipe, argv = subprocess.PIPE, program(name, *args)
        env = {**os.environ, "TMPDIR": str(self.temporary), **self.env}
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
            env=env,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def interrupted(self, name: str, running: subprocess.Popen[str]) -> str:
        """Press Ctrl-C; the one line it ends with."""
        os.killpg(running.pid, signal.SIGINT)  # a terminal signals its foreground group
        out, err = running.communicate(timeout=90)
        assert running.returncode == Exit.INTERRUPTED, (out, err)
        assert "Traceback" not in out + err
        last = err.splitlines()[-1]
        assert last.startswith(f"{name}: interrupted")
        assert (out + err).count("interrupted") == 1
        assert sorted(self.temporary.iterdir()) == []
        assert self.alive() == []
        left = {path.name for path in self.eval_root.glob("*") if path.name not in KEPT}
        left |= {path.name for path in self.eval_root.glob("owned/*")}
        assert left == set()
        return last

    def alive(self) -> list[str]:
        """What still runs and names our folder, in its words or its environment."""
        found, mark = [], str(self.root)
        for process in psutil.process_iter():
            try:
                words = " ".join(process.cmdline())
                held = Path(f"/proc/{process.pid}/environ").read_bytes().decode(errors="replace")
                if mark in words + held and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(words)
            except (OSError, psutil.Error):
                continue
        return found


@pytest.fixture
def shell() -> Iterator[Shell]:
    with passable() as root:
        (root / "tmp").mkdir()
        (root / "tmp").chmod(0o1777)
        yield Shell(root)


@pytest.fixture
def asked_for() -> Iterator[Callable[[Path], bool]]:
    """Whether somebody waits to read a pipe; who does gets an empty file once we are gone, so we stay."""
    held: list[int] = []

    def look(pipe: Path) -> bool:
        with contextlib.suppress(OSError):  # nobody reads it
            held.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
            return True
        return False

    yield look
    for one in held:
        os.close(one)


def reads(running: subprocess.Popen[str]) -> bool:
    """It has gone from opening its pipe, which woke it, to reading; between them a signal would be lost."""
    return psutil.Process(running.pid).status() == psutil.STATUS_SLEEPING


@pytest.mark.parametrize("name", EVERY)
def test_W03_ctrl_c_while_a_script_is_still_imported_is_one_line(
    name: str, shell: Shell, asked_for: Callable[[Path], bool]
) -> None:
    """A module that every script needs waits for a file that nobody writes."""
    os.mkfifo(shell.root / "waits")
    modules = shell.root / "modules"
    modules.mkdir()
    (modules / "jsonschema_rs.py").write_text(f"open({str(shell.root / 'waits')!r}).read()\n")
    shell.env["PYTHONPATH"] = str(modules)
    running = shell.start(name)
    until(lambda: asked_for(shell.root / "waits"), 60)
    until(lambda: reads(running), 60)
    assert shell.interrupted(name, running) == f"{name}: interrupted"


def steps() -> Iterator[tuple[str, Step]]:
    for name in EVERY:
        step = getattr(import_module(name), "STEP", None)
        if step is not None and step.name == name != "plan":
            yield name, step


STEPS = dict(steps())


@pytest.mark.parametrize("name", [*STEPS, "redo", "regrade", "smoke", "trial", "export"])
def test_W03_ctrl_c_while_a_script_reads_a_record_is_one_line(
    name: str, shell: Shell, asked_for: Callable[[Path], bool]
) -> None:
    """Its inputs are pipes into which nobody writes."""
    step, trial = STEPS.get(name), shell.root / "batch/trial-1-with-symposium"
    batch_scoped = step is None or step.scope == "batch"
    trial.mkdir(parents=True)
    place = trial if name == "trial" or not batch_scoped else trial.parent
    pipes = {place / "batch.json", trial / "trial.json"} if step is None else set()
    for artifact in (*step.reads, *step.may_read) if step else ():
        above = artifact.scope == "batch" and not batch_scoped
        if artifact.is_folder:
            (place / artifact.path).mkdir(exist_ok=True)
        elif "<" not in artifact.path:
            pipes.add((place.parent if above else place) / artifact.path)
    for pipe in pipes:
        os.mkfifo(pipe)
    running = shell.start(name, place, *(["--to", "csv", shell.root / "out.csv"] if name == "export" else []))
    until(lambda: any(asked_for(pipe) for pipe in pipes), 60)
    until(lambda: reads(running), 60)
    shell.interrupted(name, running)
    assert not (shell.root / "out.csv").exists()


def began(shell: Shell) -> bool:
    """A trial, a probing or a grading has its folder."""
    patterns = ("*/trial-*/project", "*/probes-*", "check-*/*/project")
    return any(True for pattern in patterns for _ in shell.eval_root.glob(pattern))


def counts(shell: Shell) -> bool:
    """calibrate.py has scipy in its memory, and works without a word for a while."""
    for process in psutil.process_iter():
        try:
            if str(SCRIPTS / "calibrate.py") in process.cmdline():
                return str(shell.root) in process.environ()["TMPDIR"] and "scipy" in str(
                    process.memory_maps()
                )
        except psutil.Error:
            continue
    return False


def sleeps(shell: Shell) -> bool:
    return any("/bin/sleep 77" in said for said in shell.alive())


def stand_in(shell: Shell, name: str) -> Path:
    """A program that never ends, first in PATH."""
    program = shell.root / "bin" / name
    program.parent.mkdir(exist_ok=True)
    shutil.copy("/bin/sleep", program.parent / "sleep")
    program.write_text(f"#!/bin/sh\nexec {program.parent}/sleep 77\n")
    program.chmod(0o755)
    shell.env["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    return program


def suite_of(shell: Shell) -> list[object]:
    (shell.root / "plan.yaml").write_text("tasks: [formatting]\nclients: [claude]\ntrials: 2\n")
    return [shell.root / "plan.yaml", "--results", shell.root / "results", *root(shell)]


def page(shell: Shell) -> list[object]:
    (shell.root / "page.html").write_text("<script>for (;;) {}</script>")
    return [shell.root / "page.html", "--to", shell.root / "pictures"]


def built(shell: Shell) -> list[object]:
    """symposium.py with nothing built, and a cargo that never ends."""
    (shell.root / "tools").mkdir()
    shell.env["AGENT_EVAL_TOOLS"] = str(shell.root / "tools")
    stand_in(shell, "cargo")
    return ["--patched"]


def socat_waits(shell: Shell) -> list[object]:
    stand_in(shell, "socat")
    return root(shell)


def root(shell: Shell) -> list[object]:
    return ["--eval-root", shell.eval_root]


@dataclass(frozen=True)
class Work:
    """How a script is called, and by what is seen that it is in the middle of it."""

    args: Callable[[Shell], list[object]]
    begun: Callable[[Shell], bool] = began


WORK = {
    "adversaries": Work(root),
    "attacks": Work(lambda s: ["cargo", "--light", "--jobs", "2", *root(s)]),
    "attacks --guards": Work(lambda s: ["cargo", "--guards", "--light", *root(s)]),
    "bench": Work(lambda s: ["--rounds", "1", *root(s)]),
    "calibrate": Work(lambda s: ["200"], counts),
    "capabilities": Work(lambda s: [stand_in(s, "cargo-agents")], sleeps),
    "check_tasks": Work(lambda s: ["formatting", *root(s)]),
    "cycles": Work(lambda s: ["--cycles", "2", *root(s)]),
    "doctor": Work(socat_waits, sleeps),
    "guards": Work(root),
    "kills": Work(lambda s: ["--kills", "3", "--uids", "62900-62999", *root(s)]),
    "look": Work(page, lambda s: any("--type=renderer" in said for said in s.alive())),
    "rehearse": Work(lambda s: ["formatting", "--only", "oracle", *root(s)]),
    "scale": Work(lambda s: ["3000"], lambda s: any(s.temporary.glob("*/trial-*"))),
    "sidebyside": Work(lambda s: ["--trials", "2", *root(s)]),
    "smoke": Work(root),
    "suite": Work(suite_of),
    "symposium": Work(built, sleeps),
}
ELSEWHERE = {"batch", "import_tasks", "pipeline", "plan"}  # test_resume.py; and what is over in no time


def test_every_script_is_interrupted_at_work() -> None:
    at_work = {name.partition(" ")[0] for name in WORK} | {*STEPS, "redo", "regrade", "trial", "export"}
    assert at_work | ELSEWHERE == {*EVERY}


@pytest.mark.real
@pytest.mark.parametrize("how", WORK)
def test_W03_ctrl_c_at_work_is_one_line_and_leaves_nothing(how: str, shell: Shell, tools: Tools) -> None:
    name, work = how.partition(" ")[0], WORK[how]
    running = shell.start(name, *work.args(shell))
    until(lambda: work.begun(shell), 120, running)
    shell.interrupted(name, running)
