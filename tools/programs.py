"""Run npm, cargo or apt-get to its end for the first set-up, and say in one line why it failed.

It never decides what to install (install.py does). What fails here is the machine's or the network's fault.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

AGAIN = "run `make tools` again"
NETWORK = (
    r"\bE(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)\b|spurious network error"
    r"|timed out|(could not|failed to|failure) (resolv|connect|fetch|download)|unable to fetch"
)
ADVICE = (  # what the last lines of a failed program say, and what to do about it
    (r"ENOSPC|EDQUOT|No space left|quota exceeded", f"the disk is full: free some space and {AGAIN}"),
    (r"EACCES|EROFS|Permission denied|Read-only", f"make it writable for you and {AGAIN}"),
    (NETWORK, f"check the network and {AGAIN}"),
)


class Refusal(Exception):
    """Something outside is missing; the message is for a person."""


def say(text: str) -> None:
    print(f"tools: {text}", flush=True)


def advice(said: str) -> str:
    found = (todo for pattern, todo in ADVICE if re.search(pattern, said, re.IGNORECASE))
    return next(found, f"mend that and {AGAIN}")


def run(argv: Sequence[str], cwd: Path, extra: Mapping[str, str]) -> None:
    """To its end, or ended with us; when it fails its last lines are shown."""
    inherited = {
        k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MFLAGS"}
    }  # its job server is closed
    tail: deque[str] = deque(maxlen=12)
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        env={**inherited, **extra},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        for line in process.stdout or ():
            tail.append(line.rstrip())
            ticker(line.strip())
        code = process.wait()
    except BaseException:
        end(process)
        raise
    finally:
        ticker("")
    if code:
        print("\n".join(f"    {line}" for line in tail if line), file=sys.stderr)
        said = f"failed (exit {code}, its last lines are above); {advice(chr(10).join(tail))}"
        raise Refusal(f"{' '.join(argv[:2])}: {said}")


def end(process: subprocess.Popen[str]) -> None:
    """With its children; TERM first, so that dpkg can put itself in order."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)


def ticker(line: str) -> None:
    """The program's latest line, on a terminal only, always in the same place."""
    if sys.stdout.isatty():
        print(f"\r\033[K{line[: shutil.get_terminal_size().columns - 2]}", end="", flush=True)
