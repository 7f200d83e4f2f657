"""Programs of ours end with those who started them: whoever is killed by `kill -9` ends nobody, so we look.

A program that calls follow() gets TERM as soon as one of the programs named in its environment has ended, and
adds itself to that environment: what it starts, and what that starts, follows it in turn. So make, nox, batch
and trial may each be killed, and what they started ends its agent, keeps what is left, and goes. The sandbox
never sees the variable. It only looks at processes, by number and start time, and signals nobody but itself.
It imports nothing outside the standard library (noxfile.py uses it).
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from pathlib import Path

VARIABLE = "AGENT_EVAL_WITH"  # "<pid>:<start> <pid>:<start> ...", outermost first


def identity(pid: int) -> str | None:
    """ "<pid>:<start>", its start in clock ticks since boot: no later process has the same; None: it is gone.

    Only Linux knows; elsewhere the start is left out.
    """
    if sys.platform != "linux":
        return f"{pid}:"
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in (b"Z", b"X") else f"{pid}:{int(fields[19])}"


def environment(*pids: int) -> dict[str, str]:
    """Ours, for a child that must end with us (or with these), too."""
    named = [name for pid in pids or (os.getpid(),) if (name := identity(pid))]
    return {**os.environ, VARIABLE: " ".join(dict.fromkeys([*others(), *named]))}


def others() -> list[str]:
    return os.environ.get(VARIABLE, "").split()


def follow() -> None:
    """From now on, TERM when one of those who started us has ended; and so for what we start. Linux only."""
    watched, gone = [], False
    if sys.platform == "linux":
        for name in others():
            pid = int(name.partition(":")[0])
            try:
                watched.append(os.pidfd_open(pid))
            except ProcessLookupError:
                gone = True
            gone = gone or identity(pid) != name  # after the descriptor: what it names is what was named
    os.environ[VARIABLE] = environment()[VARIABLE]
    if gone:
        os.kill(os.getpid(), signal.SIGTERM)
    elif watched:
        threading.Thread(target=_wait, args=(watched,), daemon=True).start()


def _wait(watched: list[int]) -> None:
    ends = select.poll()
    for descriptor in watched:
        ends.register(descriptor, select.POLLIN)
    ends.poll()
    os.kill(os.getpid(), signal.SIGTERM)
