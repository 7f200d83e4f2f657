"""Where and how gradings happen on this machine, and the rung that many share. Its failures are Stop."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import rungs
from graders.sandbox import open_folder
from kit import trees
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.layout import Run
from rungs import Rung


@dataclass(frozen=True)
class Setting:
    """Where and how gradings happen on this machine; the same for a trial's and for a solution's."""

    stage: Document
    place: Run  # scratch: the folder and the control folder, both made here and removed
    uids: tuple[int, int]  # a root runner takes one for each grading
    rung: str = "srt"
    reads: Literal["allow-list", "deny-list"] = "allow-list"
    denied: tuple[Path, ...] = ()  # the roots that the deny-list form closes
    running: Rung | None = None  # the rung for many gradings (kept); None: started and ended by each

    @classmethod
    def planned(cls, plan: Document, stage: Document, place: Run) -> Setting:
        """As trial/1 has it. A root that is gone need not be closed."""
        uids = plan["uids"][0], plan["uids"][1]
        return cls(stage, place, uids, *rungs.for_grading(plan), rungs.denied(plan))


@contextlib.contextmanager
def usable(setting: Setting, folder: Path) -> Iterator[Rung]:
    """The rung that is running; else a new one, in that folder, found usable first."""
    if setting.running:
        yield setting.running
        return
    if why := rungs.load(setting.rung).unavailable():
        raise Stop(Exit.UNAVAILABLE, why)
    with rungs.steady(setting.rung, setting.stage, folder) as rung:
        yield rung


@contextlib.contextmanager
def kept(setting: Setting) -> Iterator[Setting]:
    """The same for many gradings, one after another: one start of the rung; each run has its own sandbox."""
    folder = setting.place.control.with_name(f"{setting.place.control.name}-rung")
    try:
        with usable(setting, open_folder(folder, 0o711)) as rung:
            yield replace(setting, running=rung)
    finally:
        trees.remove(folder)
