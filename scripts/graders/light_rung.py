"""bubblewrap alone, in srt's place: a rung for grading many known submissions quickly, and for nothing else.

The namespaces, limits and uid around it are srt's; inside, only the box's folders and the system's are there.
It has no network at all. No trial is ever run or graded on it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kit.documents import Document
from rungs import Box, Command, srt
from rungs.namespaces import PATH, outside
from rungs.srt import hand_over
from rungs.srt_settings import SYSTEM

COMPARABLE = False


def unavailable() -> str | None:
    return srt.unavailable()


def policy(box: Box, stage: Document) -> Document:
    return {}


def prepare(box: Box, stage: Document) -> None:
    for folder in (box.run.root, box.run.control):
        folder.chmod(0o750)
        if box.uid is not None:
            os.chown(folder, 0, box.uid)
    for folder in box.writable:
        folder.mkdir(parents=True, exist_ok=True)
        if box.uid is not None:
            hand_over(folder, box.uid)


def wrap(box: Box, stage: Document, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Command:
    inside = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", *binds(box)]
    inside += ["--chdir", str(cwd), "--clearenv"]
    for name, value in env.items():
        inside += ["--setenv", name, value]
    return Command([*outside(box.uid, box.mount), *inside, "--", *argv], {"PATH": PATH}, Path("/"))


def binds(box: Box) -> Iterator[str]:
    for name in SYSTEM[sys.platform]:
        place = Path(name)
        if place.is_symlink():
            yield from ("--symlink", str(place.readlink()), name)
        elif place.exists():
            yield from ("--ro-bind", name, name)
    yield from ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp")
    for path in box.readable:
        yield from ("--ro-bind", str(path), str(path))
    for path in box.writable:
        yield from ("--bind", str(path), str(path))
