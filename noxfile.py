"""How the scripts are wired. `nox -l` lists the sessions; `make help` the short names.

A session installs what its scripts import (again only when pyproject.toml changes), sees to the tools,
and runs scripts. A script's exit code is the session's: a usage error stays 2. What follows `--` goes to
the script.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent / "scripts"))
from kit import tied

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["lint", "tests"]

PYPROJECT = nox.project.load_toml("pyproject.toml")
SOURCES = ("scripts", "tests", "tools", "noxfile.py")


def install(session: nox.Session, group: str) -> None:
    """Install a dependency group, unless this environment was made with the very same one."""
    wanted = sorted(nox.project.dependency_groups(PYPROJECT, group))
    stamp = Path(session.virtualenv.location) / "agent-eval.json"
    if not stamp.exists() or json.loads(stamp.read_text()) != wanted:
        session.install(*wanted)
        stamp.write_text(json.dumps(wanted))


def engine(session: nox.Session) -> str:
    """The group for what was asked: Ray only where its word is said."""
    return "ray" if "ray" in session.posargs else "run"


def call(session: nox.Session, *argv: str, answer: bool = False) -> str:
    """Run a program of ours, and leave with its exit code when that is not 0: it has said why.

    answer: give back the last line of its stdout; else it writes to our terminal itself, in colour.
    """
    python, out = Path(session.bin) / "python", subprocess.PIPE if answer else None
    above = [os.getpid(), *([os.getppid()] if "MAKELEVEL" in os.environ else [])]  # when these end, it ends
    env = {**tied.environment(*above), "AGENT_EVAL_SESSION": session.name}  # for what its usage lines say
    child = subprocess.Popen([python, *argv], stdout=out, text=True, env=env)
    try:
        said = child.stdout.read() if child.stdout else ""
        code = child.wait()
    except KeyboardInterrupt:  # the child got it too: it ends its trial and reports
        said, code = "", child.wait() or 130
    if code:
        sys.exit(code)
    return said.strip().rpartition("\n")[2]


def tools(session: nox.Session, *more: str) -> None:
    """The pinned client, srt, Node and cargo-agents: once, into .tools, with progress."""
    call(session, "tools/install.py", *more)


@nox.session(default=False)
def eval(session: nox.Session) -> None:
    """Run a task's trials and report: `nox -s eval -- formatting` (rehearsed, unless --model is given)."""
    install(session, engine(session))
    if {"-h", "--help"} & {*session.posargs}:
        call(session, "scripts/plan.py", "--help")
        return
    tools(session)
    if "--resume" in session.posargs:  # nox -s eval -- --resume BATCH_DIR: go on with a batch that was cut
        call(session, "scripts/batch.py", *session.posargs)
        return
    batch = call(session, "scripts/plan.py", *session.posargs, answer=True)
    call(session, "scripts/batch.py", batch)


@nox.session(default=False)
def aa(session: nox.Session) -> None:
    """The same configuration twice, through the whole pipeline: `nox -s aa -- TASK [--trials N ...]`."""
    session.posargs.append("--aa")
    eval(session)


@nox.session(default=False)
def formats(session: nox.Session) -> None:
    """The exported logs and transcripts, read back by the formats' own programs."""
    install(session, "test")
    session.install("inspect-ai>=0.3.285")
    session.install("--no-deps", "--ignore-requires-python", "harbor>=0.26")  # its models need no 3.12
    call(session, "-m", "pytest", "-q", "tests/test_formats.py", *session.posargs)


@nox.session(default=False)
def batch(session: nox.Session) -> None:
    """Run a batch that plan.py made: `nox -s batch -- BATCH_DIR`."""
    install(session, engine(session))
    tools(session)
    call(session, "scripts/batch.py", *session.posargs)


@nox.session(default=False)
def check_tasks(session: nox.Session) -> None:
    """Validate every task, grade its solution; --rehearse: its rehearsals; --battery: wrong submissions."""
    battery = "--battery" in session.posargs
    install(session, "mutants" if battery else "run")
    tools(session, *(["--mutants"] if battery else []))
    call(session, "scripts/check_tasks.py", *session.posargs)


@nox.session(default=False)
def import_tasks(session: nox.Session) -> None:
    """Cases of other formats as drafts of tasks: `nox -s import_tasks -- FILE_OR_DIR... --to DIR`."""
    install(session, "run")
    call(session, "scripts/import_tasks.py", *session.posargs)


@nox.session(default=False)
def smoke(session: nox.Session) -> None:
    """Probe the sandbox with the real client and cargo-agents; no model."""
    install(session, "run")
    tools(session)
    call(session, "scripts/smoke.py", *session.posargs)


@nox.session(default=False)
def redo(session: nox.Session) -> None:
    """Rebuild a batch's derived documents from its record: `nox -s redo -- BATCH_DIR`."""
    install(session, "run")
    call(session, "scripts/redo.py", *session.posargs)


@nox.session(default=False)
def regrade(session: nox.Session) -> None:
    """Grade a batch's kept submissions again, beside the record: `nox -s regrade -- BATCH_DIR`."""
    install(session, "run")
    tools(session)
    call(session, "scripts/regrade.py", *session.posargs)


@nox.session(default=False)
def doctor(session: nox.Session) -> None:
    """Say what is missing on this machine, and how to get it."""
    install(session, "run")
    call(session, "scripts/doctor.py", *session.posargs)


@nox.session(default=False)
def pipeline(session: nox.Session) -> None:
    """Write docs/pipeline.md from the steps' contracts."""
    install(session, "run")
    call(session, "scripts/pipeline.py", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """All tests: side by side, then one by one those on the real srt, client and cargo-agents."""
    install(session, "test")
    tools(session, "--mutants")
    python = ["-m", "pytest", "-q"]
    if session.posargs:
        call(session, *python, *session.posargs)
        return
    call(session, *python, "-n", "2", "-m", "not real or bare")
    call(session, *python, "-m", "real and not bare")


@nox.session(default=False)
def ray(session: nox.Session) -> None:
    """Trials on a cluster of two nodes on this machine; one is lost in the middle. Slow."""
    install(session, "ray")
    tools(session)
    call(session, "-m", "pytest", "-q", "tests/test_ray.py", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """ruff and mypy --strict."""
    install(session, "lint")
    session.run("ruff", "check", *SOURCES)
    session.run("ruff", "format", "--check", *SOURCES)
    session.run("mypy")


PROOFS = {  # slower than a test: programs of their own, each with its table and its exit code
    "bench": "Time the harness per trial, and cargo inside the sandbox against the same commands by hand.",
    "adversaries": "A scripted agent tries to get out, by more than forty ways; a table of what happened.",
    "attacks": "Every submission of the attack corpus through its grader; a table of verdicts.",
    "guards": "Take away each guard in turn: a named probe must notice.",
    "kills": "Kill the runner, a trial, srt or the client at random moments; nothing may survive or be lost.",
    "cycles": "Kill and resume a batch, over and over; no trial may be lost, repeated or counted twice.",
    "sidebyside": "How much faster a batch of twelve trials is two at a time, with the same outcomes.",
    "calibrate": "How often the printed intervals hold the truth, by enumeration.",
    "scale": "Count a batch of 100,000 recorded trials.",
    "suite": "Run several tasks, clients and models as one plan: `nox -s suite -- PLAN.yaml`.",
    "export": "One flat row for each trial: `nox -s export -- BATCH_DIR... --to csv OUT`.",
    "symposium": "Build cargo-agents from its pinned source with our patches: `-- --patched`.",
    "rehearse": "Run rehearsals through the whole pipeline and compare: `nox -s rehearse -- TASK`.",
}


def proof(name: str, does: str) -> None:
    """A session that runs scripts/<name>.py."""

    def run(session: nox.Session) -> None:
        install(session, "run")
        tools(session)
        call(session, f"scripts/{name}.py", *session.posargs)

    run.__doc__ = does
    nox.session(name=name, default=False)(run)


for _name, _does in PROOFS.items():
    proof(_name, _does)
