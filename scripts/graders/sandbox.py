"""The grading's sandboxes: one for each command, with its own folders, no network and no credentials.

It tells a sandbox that did not start (Infrastructure: ours) from a command that failed (data, the
submission's): inside, a line with a random word is printed before the command takes the shell's place. What
was printed cannot be taken back, so nothing that runs later can make its own failure look like ours. The
word is no part of the command line, so a resident srt wraps the same command once for many gradings.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import rungs
from graders import Done, Infrastructure
from kit import process, trees, uids
from kit.documents import Document
from kit.layout import Run
from rungs import Box, Rung

START = 'printf "%s\\n" "$STARTED"; unset STARTED; exec "$@"'
START_SECS = 20.0  # a sandbox that had this long and did not start is broken, not out of time
CAP_BYTES = 4 << 20  # of each stream; beyond it the middle is dropped


@dataclass
class Sandboxes:
    """A graders.Bench over a rung. `until` is on the monotonic clock: the end of the whole grading."""

    rung: Rung
    stage: Document
    place: Run
    uid: int | None
    until: float
    reads: Literal["allow-list", "deny-list"]
    denied: tuple[Path, ...]
    count: int = field(default=0, init=False)  # of the sandboxes that started
    starting_secs: float = field(default=0.0, init=False)  # what the sandboxes' own starts took
    _word: str = field(default_factory=lambda: secrets.token_hex(16), init=False)
    _box: int = field(default=0, init=False)

    def run(
        self, argv: Sequence[str], *, cwd: Path, writable: Sequence[Path], readable: Sequence[Path]
    ) -> Done:
        left = self.until - time.monotonic()
        if left <= 0:
            return Done(None, True, b"", b"nothing was left of the grading deadline", 0.0)
        # The same place each time, empty: a resident srt then need not wrap the same command again.
        own = self.place.root / f"box{self._box}"
        control = Run(self.place.root, self.place.control / str(self._box))
        try:
            home, tmp = open_folder(own / "home"), open_folder(own / "tmp")
            open_folder(control.control, 0o711)
            open_folder(control.srt_tmp, 0o700)
            open_folder(control.neutral)
            box = self._made(control, (*writable, home, tmp), readable)
            return self._inside(box, argv, cwd, {"HOME": str(home), "TMPDIR": str(tmp)}, left)
        finally:
            kept = [problem for folder in (own, control.control) if (problem := trees.remove(folder))]
            self._box += bool(kept)  # scratch() says what could not be removed

    def _made(self, run: Run, writable: Sequence[Path], readable: Sequence[Path]) -> Box:
        return Box(
            run=run,
            writable=tuple(path.resolve() for path in writable),
            readable=(*(path.resolve() for path in readable), rungs.toolchain(self.stage)),
            denied=self.denied,
            reads=self.reads,
            network=False,
            uid=self.uid,
            mount=rungs.mount(self.stage),
        )

    def _inside(self, box: Box, argv: Sequence[str], cwd: Path, own: dict[str, str], left: float) -> Done:
        self.rung.prepare(box, self.stage)
        env = {"PATH": f"{rungs.toolchain(self.stage)}/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **own}
        env["STARTED"] = self._word
        command = self.rung.wrap(box, self.stage, ["/bin/sh", "-c", START, "sh", *argv], cwd, env)
        out, err = box.run.control / "out", box.run.control / "err"
        ended = process.run(command, stdout=out, stderr=err, deadline_secs=left, cap_bytes=CAP_BYTES)
        if ended.ended_by == "interrupt":
            raise KeyboardInterrupt
        if alive := process.survivors(ended, self.uid):
            raise Infrastructure(f"{argv[0]}: still alive after its end: {', '.join(alive)}")
        return self._done(ended, out.read_bytes(), err.read_bytes(), left)

    def _done(self, ended: process.Ended, out: bytes, err: bytes, left: float) -> Done:
        before, found, stdout = out.partition(self._word.encode() + b"\n")
        timed_out = ended.ended_by == "deadline"
        if not found and not (timed_out and left < START_SECS):
            tail = (err or before)[-500:].decode("utf-8", "backslashreplace").strip()
            raise Infrastructure(f"the sandbox did not start (status {ended.exit}): {tail}")
        starting = ended.first_secs if found and ended.first_secs else ended.elapsed_secs
        self.count, self.starting_secs = self.count + 1, self.starting_secs + starting
        cut = ended.stdout_dropped > 0
        return Done(ended.exit, timed_out, stdout, err, ended.elapsed_secs - starting, cut)


def launcher(staged: Document) -> Path | None:
    """The staged launcher, which must be what it was; None in a batch from before there was one."""
    if "launcher" not in staged:
        return None
    path = Path(staged["launcher"]["path"])
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != staged["launcher"]["sha256"]:
        raise Infrastructure(f"{path}: not what was staged; regrade.py stages it again")
    return path


def open_folder(path: Path, mode: int = 0o755) -> Path:
    """A new folder with that mode, whatever our umask is; made above it, what everybody may pass through."""
    for parent in reversed([parent for parent in path.parents if not parent.exists()]):
        with contextlib.suppress(FileExistsError):  # another grading made it meanwhile
            open_folder(parent, 0o711)
    path.mkdir()
    path.chmod(mode)
    return path


@contextlib.contextmanager
def own_uid(first: int, last: int) -> Iterator[int | None]:
    """A uid for this grading alone, when the runner is root."""
    uid = uids.claim(first, last)
    try:
        yield uid
    finally:
        if uid is not None:
            uids.release(uid)


@contextlib.contextmanager
def scratch(place: Run, uid: int | None) -> Iterator[None]:
    """Both folders, empty, for that uid alone; and gone afterwards, whatever happened."""
    trees.remove(place.root)
    trees.remove(place.control)
    try:
        open_folder(place.root, 0o750)
        open_folder(place.control, 0o711)
        if uid is not None:  # no other trial can look in here: there are hidden tests
            os.chown(place.root, 0, uid)
        yield
    finally:
        left = [problem for folder in (place.root, place.control) if (problem := trees.remove(folder))]
        for problem in left:
            print(f"grading: left behind: {problem}; remove it by hand", file=sys.stderr)
