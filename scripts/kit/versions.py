"""Ask a program for its version: in a throw-away HOME, with nothing of the caller's environment.

It never runs anything of a trial and never decides which version will do. A program that cannot be started,
or answers with an error, is the machine's fault.
"""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from kit.contract import Exit, Stop

NOBODY = 65534  # the uid without rights that a root runner starts staged programs with
SYSTEM = "/usr/local/bin:/usr/bin:/bin"


def asked(argv: Sequence[str], home: Path, path: str = SYSTEM, *, drop: bool = False) -> str:
    """What it prints. `drop`: as nobody, which `home` must then belong to."""
    who = NOBODY if drop else None
    try:
        done = subprocess.run(
            argv,
            cwd=home,
            env={"HOME": str(home), "TMPDIR": str(home), "PATH": path, "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=60,
            user=who,
            group=who,
            extra_groups=[] if drop else None,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or "no answer in 60 seconds"
        todo = "look whether it is for this machine and its file system allows programs (noexec)"
        raise Stop(Exit.UNAVAILABLE, f"{argv[0]}: does not run here ({why}); {todo}") from error
    if done.returncode:
        last = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        said = f"{' '.join(argv)}: fails with {done.returncode} ({last})"
        raise Stop(Exit.UNAVAILABLE, f"{said}; install that program anew")
    return done.stdout


def line_of(said: str) -> str:
    """The first line that holds a number like 1.2: socat says who wrote it first."""
    return next((line.strip() for line in said.splitlines() if re.search(r"\d\.\d", line)), said.strip()[:80])


def older(version: str, oldest: str) -> bool:
    return _numbers(version) < _numbers(oldest)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def system() -> str:
    """Operating system, kernel and architecture."""
    kernel = f"{platform.system()} {platform.release()} {platform.machine()}"
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {kernel}"
    except (OSError, KeyError):
        return kernel
