"""Stand-in rungs: one without isolation, and ones that fail as sandboxes do. All start real programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from kit.documents import Document
from rungs import Box, Command


class Open(ModuleType):
    """No isolation: the command as it is."""

    COMPARABLE = False
    boxes: list[Box]

    def __init__(self, name: str) -> None:
        super().__init__(f"rungs.{name}")
        self.boxes = []
        sys.modules[self.__name__] = self

    def unavailable(self) -> str | None:
        return None

    def policy(self, box: Box, stage: Document) -> Document:
        return {}

    def prepare(self, box: Box, stage: Document) -> None:
        self.boxes.append(box)

    def argv(self, argv: Sequence[str]) -> list[str]:
        return list(argv)

    def wrap(
        self, box: Box, stage: Document, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> Command:
        sysroot, mounted = box.mount or (Path("/"), Path("/"))  # it mounts nothing
        found = {name: value.replace(f"{mounted}/", f"{sysroot}/") for name, value in env.items()}
        return Command(self.argv(argv), found, cwd)


class NeverStarts(Open):
    """srt's way of failing: a message, and a status that a command could have too."""

    def argv(self, argv: Sequence[str]) -> list[str]:
        return ["sh", "-c", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1"]


class SecondNeverStarts(Open):
    """The build has its sandbox; the first run has none."""

    def argv(self, argv: Sequence[str]) -> list[str]:
        return list(argv) if len(self.boxes) < 2 else ["false"]


class Absent(Open):
    def unavailable(self) -> str | None:
        return "srt: not installed; run `make tools`"
