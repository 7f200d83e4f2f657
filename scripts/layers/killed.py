"""Who lives on when a process of the trial's chain is killed with -9, so that only the kernel can clean up.

Like a probe: true is red. What is left alive was started here, and is ended.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys

import psutil

import probes
from kit import family
from probes import Scene

VICTIMS = {
    "runner-killed": "whoever started the trial",
    "outermost-killed": "the outermost process of the trial",
    "srt-killed": "srt",
    "nobody-killed": "nobody: the command ends by itself",
}
START = "import json, subprocess, sys; c = json.loads(sys.argv[1]); subprocess.run(c[0], env=c[1], cwd=c[2])"
STUBBORN = "trap '' TERM INT HUP; setsid sleep {marker} & sleep {lasting}"
STARTING_SECS, DYING_SECS = 20.0, 1.0


def outlives(scene: Scene, victim: str) -> bool:
    """Whether something in the sandbox (scene.rung's) is alive a second after the victim's death."""
    marker, box = scene.variables["STAYS"], scene.box
    script = STUBBORN.format(marker=marker, lasting=3 if victim == "nobody-killed" else 60)
    command = scene.rung.wrap(box, scene.stage, ["sh", "-c", script], box.run.project, scene.env)
    said = json.dumps([command.argv, command.env, str(command.cwd)])
    quiet = subprocess.DEVNULL
    argv = [sys.executable, "-c", START, said]
    with subprocess.Popen(argv, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True) as runner:
        chain, known = psutil.Process(runner.pid), list[psutil.Process]()
        try:
            if not family.soon(lambda: bool(probes.with_argument(marker)), STARTING_SECS):
                raise RuntimeError(f"{victim}: the sandbox did not start")
            known = chain.children(recursive=True)
            if victim == "nobody-killed":
                runner.wait(STARTING_SECS)
            else:
                struck(victim, chain, known).kill()
            family.soon(lambda: not probes.with_argument(marker), DYING_SECS)
            return probes.still_there(marker)
        finally:
            for process in (chain, *known):
                with contextlib.suppress(psutil.Error):
                    process.kill()


def struck(victim: str, chain: psutil.Process, known: list[psutil.Process]) -> psutil.Process:
    if victim == "runner-killed":
        return chain
    if victim == "outermost-killed":
        return chain.children()[0]
    return next(p for p in known if family.is_alive(p) and any("cli.js" in word for word in p.cmdline()[:3]))
