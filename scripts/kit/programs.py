"""Run one of our own scripts as a program of its own, as a person would; and what a person would type."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from kit.contract import Exit, Stop

SCRIPTS = Path(__file__).resolve().parents[1]
NOX = ".venv/bin/nox"  # where `make` puts it
SESSION = os.environ.pop("AGENT_EVAL_SESSION", "")  # the nox session that called this script; none of its own


class Broken(Stop):
    """A script did not do its work; str() says which and what it printed."""

    def __init__(self, message: str) -> None:
        super().__init__(Exit.UNAVAILABLE, message)


def parser(name: str, does: str | None, epilog: str | None = None) -> argparse.ArgumentParser:
    """Of scripts/<name>.py; does: its docstring. Usage lines say what a person types, so a session's name."""
    made = argparse.ArgumentParser(f"nox -s {SESSION} --" if SESSION else f"{name}.py", allow_abbrev=False)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.description, made.epilog = does, epilog
    return made


def typed(session: str, words: str) -> str:
    """A nox session's command line that works in the checkout: with the nox of PATH, or with make's own."""
    made = NOX if (SCRIPTS.parent / NOX).exists() else f"make {NOX} && {NOX}"
    nox = "nox" if shutil.which("nox") else made
    return f"{nox} -s {session} -- {words}"


def run(name: str, *args: str | Path, fine: Collection[int] = (Exit.OK,)) -> str:
    """scripts/<name>.py with these arguments; the last line of its stdout."""
    return done(name, *args, fine=fine).stdout.strip().rpartition("\n")[2]


def done(
    name: str, *args: str | Path, fine: Collection[int] = (Exit.OK,)
) -> subprocess.CompletedProcess[str]:
    """The same, with all that it printed. An interrupt is passed on and its end awaited: it tidies up."""
    argv = [sys.executable, SCRIPTS / f"{name}.py", *args]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    # In a group of its own: a terminal's Ctrl-C comes to us, and from us, once.
    child = subprocess.Popen(
        argv, stdin=null, stdout=pipe, stderr=pipe, text=True, errors="replace", process_group=0
    )
    try:
        out, err = child.communicate()
    except KeyboardInterrupt:
        child.send_signal(signal.SIGINT)
        child.communicate()
        raise
    if child.returncode == Exit.INTERRUPTED:
        raise KeyboardInterrupt
    if child.returncode not in fine:
        raise Broken(f"{name}.py ended with {child.returncode}: {err.strip()[-800:]}")
    return subprocess.CompletedProcess(argv, child.returncode, out, err)
