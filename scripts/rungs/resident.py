"""srt kept running for one grading: the same policy and sandbox, without starting Node for each command.

srt's library wraps a command into a shell line; that line runs in the same namespaces and under the same uid
as srt itself does elsewhere. Only for boxes without a network: the library is not initialized, so there is no
proxy, and no command waits until one listens (half of a start). It does not validate either: each policy is
checked and written first, as for srt (prepare), and a line that would leave the network open is refused. A
resident that does not answer is the machine's fault, and is said; there is no silent way back to another.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kit.contract import Exit, Stop
from kit.documents import Document
from rungs import Box, Command, srt
from rungs.namespaces import PATH, UNSHARED, inside, outside

PROGRAM = Path(__file__).with_suffix(".mjs")


class Resident:
    """A Rung of one grading; srt.py in everything but how a command is wrapped."""

    COMPARABLE: bool = srt.COMPARABLE

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: dict[str, str] = {}

    def unavailable(self) -> str | None:
        return srt.unavailable()

    def policy(self, box: Box, stage: Document) -> Document:
        return srt.policy(box, stage)

    def prepare(self, box: Box, stage: Document) -> None:
        srt.prepare(box, stage)

    def wrap(
        self, box: Box, stage: Document, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> Command:
        if box.network:
            raise ValueError("a resident srt gives no network: it has no proxy")
        tmp = env.get("TMPDIR", str(cwd))
        config = json.loads(box.run.policy.read_text("utf-8"))
        line = self.ask({"command": inside(argv, cwd, env), "config": config, "tmp": tmp})
        around = {"PATH": PATH, "HOME": str(box.run.neutral)}
        return Command([*outside(box.uid, box.mount), "bash", "-c", line], {**env, **around}, box.run.neutral)

    def ask(self, question: Document) -> str:
        """The wrapped command; the same question has the same answer, so it is asked once."""
        said = json.dumps(question)
        if said not in self._lines:
            self._lines[said] = self._asked(said)
        return self._lines[said]

    def _asked(self, question: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(question + "\n")
            self.process.stdin.flush()
            line = str(json.loads(self.process.stdout.readline())["line"])
        except (OSError, ValueError) as error:
            raise Stop(Exit.UNAVAILABLE, f"srt (resident): gave no answer ({error}); grade again") from error
        if "--unshare-net" not in line.partition(" -- ")[0].split():
            raise Stop(Exit.UNAVAILABLE, "srt (resident): left the network open; install the pinned version")
        return line


@contextlib.contextmanager
def resident(stage: Document, folder: Path) -> Iterator[Resident]:
    """folder: an empty one, for its home and temporary files."""
    for name in ("tmp", "neutral"):
        (folder / name).mkdir(parents=True)
    library = f"{stage['srt']['path']}/dist/index.js"
    own = [] if os.geteuid() == 0 else ["--user", "--map-current-user"]
    tie = ["setpriv", "--pdeathsig", "KILL", "--"]  # it dies with us
    tie += ["unshare", *own, *UNSHARED, "--"]
    try:
        process = subprocess.Popen(
            [*tie, stage["node"]["path"], str(PROGRAM), library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder / "neutral",
            env={"PATH": PATH, "HOME": str(folder / "neutral"), "TMPDIR": str(folder / "tmp")},
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise Stop(Exit.UNAVAILABLE, f"srt (resident): cannot be started: {error}") from error
    try:
        yield Resident(process)
    finally:
        process.kill()
        process.communicate()
