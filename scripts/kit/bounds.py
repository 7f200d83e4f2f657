"""Memory and processes of a uid's commands, bounded by a control group of its own, where the host allows one.

What is written to a mask or to /dev/shm counts as memory too. The kernel ends the trial that wants more, and
nobody else. Only for a root runner. A group belongs to whoever holds the uid's lock (kit/uids.py): it is
removed while that is held, and one that was left is used again. It bounds no disk.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import psutil

MOUNT = Path("/sys/fs/cgroup")
PROCESSES = 1024  # threads too; each uid's own limit (nproc) is lower, and this holds for all uids together
ENTER = 'n=$1; shift; while [ $n -gt 0 ]; do echo $$ > "$1" || exit 125; shift; n=$((n - 1)); done; exec "$@"'
FILES = {  # controller: the file of its bound, in the first and second form of control groups
    "memory": ("memory.limit_in_bytes", "memory.max"),
    "pids": ("pids.max", "pids.max"),
}


def memory() -> int:
    """Bytes: half of the machine's, which is what each mask of the sandbox may hold."""
    return max(2 << 30, int(psutil.virtual_memory().total) // 2)


def words(uid: int) -> list[str]:
    """What comes before a command, so that it and all below it are bounded; none where nothing can be."""
    entered = [group / "cgroup.procs" for group in made(uid)]
    return ["sh", "-c", ENTER, "sh", str(len(entered)), *map(str, entered)] if entered else []


def made(uid: int) -> list[Path]:
    """The uid's groups, with their bounds."""
    bounds = {"memory": memory(), "pids": PROCESSES}
    found: list[Path] = []
    for controller, (parent, form) in parents().items():
        group = parent / f"agent-eval-{uid}"
        try:
            group.mkdir(exist_ok=True)
            (group / FILES[controller][form]).write_text(str(bounds[controller]))
        except OSError:
            continue
        found.append(group)
    return list(dict.fromkeys(found))


def remove(uid: int) -> None:
    """The uid's groups; for who holds its lock, since others would miss them between made() and entering."""
    for parent, _ in parents().values():
        with contextlib.suppress(OSError):  # something is still in it, or there is none
            (parent / f"agent-eval-{uid}").rmdir()


def parents() -> dict[str, tuple[Path, int]]:
    """Controller to where a group with it can be made, and in which form; none for a runner without root."""
    if os.geteuid() != 0 or not MOUNT.is_dir():
        return {}
    found = places(Path("/proc/self/cgroup").read_text("utf-8"), MOUNT)
    return {name: (parent, form) for name, (parent, form) in found.items() if os.access(parent, os.W_OK)}


def places(said: str, mount: Path) -> dict[str, tuple[Path, int]]:
    """said: /proc/self/cgroup. In the first form of groups, below our own.

    In the second beside it, or at the root: there a group cannot both hold processes and bound others.
    """
    found: dict[str, tuple[Path, int]] = {}
    for line in said.splitlines():
        _, names, own = line.split(":", 2)
        for controller in FILES.keys() & set(names.split(",")):
            found[controller] = (mount / controller / own.lstrip("/"), 0)
        if not names:
            beside = mount / str(Path(own).parent).lstrip("/")
            with contextlib.suppress(OSError):
                given = (beside / "cgroup.subtree_control").read_text("utf-8").split()
                found |= {name: (beside, 1) for name in FILES if name in given and name not in found}
    return found
