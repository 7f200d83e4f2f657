"""Run one of our own scripts as a program of its own, as a person would; and what a person would type."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from kit.contract import Exit

SCRIPTS = Path(__file__).resolve().parents[1]
NOX = ".venv/bin/nox"  # where `make` puts it


class Broken(Exception):
    """A script did not do its work; str() says which and what it printed."""


def typed(session: str, words: str) -> str:
    """A nox session's command line that works in the checkout: with the nox of PATH, or with make's own."""
    made = NOX if (SCRIPTS.parent / NOX).exists() else f"make {NOX} && {NOX}"
    nox = "nox" if shutil.which("nox") else made
    return f"{nox} -s {session} -- {words}"


def run(name: str, *args: str | Path, fine: Collection[int] = (Exit.OK,)) -> str:
    """scripts/<name>.py with these arguments; the last line of its stdout."""
    argv = [sys.executable, SCRIPTS / f"{name}.py", *args]
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == Exit.INTERRUPTED:
        raise KeyboardInterrupt
    if done.returncode not in fine:
        raise Broken(f"{name}.py ended with {done.returncode}: {done.stderr.strip()[-800:]}")
    return done.stdout.strip().rpartition("\n")[2]
