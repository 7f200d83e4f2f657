"""A bench without a sandbox: real commands as they are, for tests of what a grader makes of them."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import stage
from graders import Done


@functools.cache
def launcher(sysroot: Path) -> Path:
    """What stage builds for gradings, one for all tests; without a toolchain, a program that does nothing."""
    if not (sysroot / "bin/rustc").exists():
        return Path("/bin/true")
    folder = Path(tempfile.mkdtemp(prefix="launcher-"))
    atexit.register(shutil.rmtree, folder)
    rustc = str(sysroot / "bin/rustc")
    subprocess.run([rustc, *stage.LAUNCHER_FLAGS, "-o", folder / "launcher", stage.LAUNCHER], check=True)
    return folder / "launcher"


@dataclass
class Bare:
    """Keeps what each run was allowed, and what lay in the readable folders at that moment."""

    sysroot: Path
    deadline_secs: float = 120.0
    seen: list[tuple[Sequence[str], list[str]]] = field(default_factory=list)

    def run(
        self, argv: Sequence[str], *, cwd: Path, writable: Sequence[Path], readable: Sequence[Path]
    ) -> Done:
        allowed = [*writable, *readable]
        self.seen.append((argv, sorted(str(file) for folder in allowed for file in folder.rglob("*"))))
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as home:
            env = {"PATH": f"{self.sysroot}/bin:/usr/bin:/bin", "HOME": home, "TMPDIR": home}
            pipe = subprocess.PIPE
            with subprocess.Popen(
                argv, cwd=cwd, env=env, stdout=pipe, stderr=pipe, start_new_session=True
            ) as one:
                try:
                    out, err = one.communicate(timeout=self.deadline_secs)
                    timed_out = False
                except subprocess.TimeoutExpired:
                    os.killpg(one.pid, 9)
                    out, err = one.communicate()
                    timed_out = True
        status = None if timed_out or one.returncode < 0 else one.returncode
        return Done(status, timed_out, out, err, time.monotonic() - started)
