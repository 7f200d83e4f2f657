"""What a killed batch's processes are and were: who is below whom, where, since when; and its files."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

import psutil

from kit import tied
from trial import STEPS


def children(process: psutil.Process, *, recursive: bool = True) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return list(process.children(recursive=recursive))
    return []


def ticks() -> int:
    """Now, as start times are counted."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def began(pid: int) -> int:
    return int((tied.identity(pid) or ":0").partition(":")[2])


def namespaces(processes: set[psutil.Process]) -> set[str]:
    found = set()
    for process in processes:
        with contextlib.suppress(OSError):
            found.add(str(Path(f"/proc/{process.pid}/ns/pid").readlink()))
    return found - {str(Path("/proc/self/ns/pid").readlink())}


def run_of(folder: Path) -> str:
    return str(json.loads((folder / "trial.json").read_text("utf-8"))["paths"]["run"])


def step_of(folder: Path) -> str:
    """The step that has no receipt yet."""
    there = {file.stem for file in folder.glob("receipts/*.json")}
    return next((name for name in (*STEPS, "finalize") if name not in there), "end")


def judged(folder: Path) -> bool:
    """Whether every step had ended: then nothing was cut but the tidying."""
    return all((folder / "receipts" / f"{name}.json").exists() for name in STEPS)


def completed(folder: Path) -> bool:
    """Whether the client's last line says that it has ended well: what was killed then was only leaving."""
    lines = (folder / "transcript.jsonl").read_text("utf-8", "replace").splitlines()
    with contextlib.suppress(ValueError, IndexError, KeyError, TypeError):  # cut, none, or of another kind
        last = json.loads(lines[-1])
        return [last[key] for key in ("type", "subtype", "is_error")] == ["result", "success", False]
    return False


def same(file: Path, text: str) -> bool:
    return file.exists() and file.read_text("utf-8") == text
