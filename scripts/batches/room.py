"""Whether the machine can take one more trial: processors, memory and disk, looked at before each start.

It only says why not; who asks waits for a trial to end. With nothing running there is nothing to wait for,
and only a full disk still speaks against a start: a trial that cannot be recorded must not begin.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

MEMORY_MB = 1200  # a client, its hooks and one cargo build at a time: 900 measured
DISK_MB = 600  # a run with its build output, the submission and the record
LOAD = 3.0  # waiting processes per processor; a trial keeps about one busy


@dataclass(frozen=True)
class Machine:
    """What there is now."""

    load: float  # of the last minute, per processor that we may use
    memory_mb: int  # free, or freed at once
    disks_mb: dict[str, int]  # free, by folder


def look(folders: Sequence[Path]) -> Machine:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    free = {str(folder): psutil.disk_usage(str(there(folder))).free >> 20 for folder in folders}
    return Machine(os.getloadavg()[0] / cores, psutil.virtual_memory().available >> 20, free)


def there(path: Path) -> Path:
    return path if path.exists() else there(path.parent)


def full(machine: Machine) -> str | None:
    """The disk that has no room for a trial."""
    for folder, free in machine.disks_mb.items():
        if free < DISK_MB:
            return f"{folder}: {free} MB free, a trial needs {DISK_MB}"
    return None


def crowded(machine: Machine, running: int) -> str | None:
    """Why one more should wait while others run. Their own share of the load does not count."""
    if machine.memory_mb < MEMORY_MB:
        return f"{machine.memory_mb} MB of memory free, a trial needs {MEMORY_MB}"
    if machine.load > LOAD + running:
        return f"the load is {machine.load:.1f} per processor"
    return full(machine)
