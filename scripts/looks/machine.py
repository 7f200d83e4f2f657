"""The machine: whether a sandbox can be made here, who runs it, and where trials would live."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import clients
from kit import bounds, tools
from kit.reach import closed_to_others
from looks import wrong
from rungs import namespaces

UID = "61999"  # of the range that trials get theirs from
NEEDED_MB = 3000  # the store (600), and what the trials of a batch build
SOCKET_ROOM = 59  # a socket's path has 107 characters, and the longest below the control root takes 48
RESTRICTIONS = {  # what switches user namespaces off, and the value that leaves them on
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "0",
    "/proc/sys/kernel/unprivileged_userns_clone": "1",
}


def sandbox() -> str:
    """The namespaces of a trial and a sandbox inside them, in the shape that trials have."""
    if sys.platform != "linux":
        return "the system's own"
    tools.program("bwrap")
    outer = "--mount --ipc --uts --pid --fork --kill-child=KILL --mount-proc"
    box = "bwrap --unshare-user --unshare-pid --unshare-net --ro-bind / / --dev /dev --proc /proc true"
    drop = f"setpriv --reuid={UID} --regid={UID} --clear-groups"
    if os.geteuid() == 0:
        argv = f"unshare {outer} --propagation private -- {drop} {box}"
    else:
        argv = f"unshare --user --map-current-user {outer} -- {box}"
    try:
        done = subprocess.run(argv.split(), cwd="/", capture_output=True, text=True, timeout=20)
    except FileNotFoundError as error:
        raise wrong("sandbox", f"{error.filename}: not found", "install util-linux and bubblewrap") from error
    except subprocess.TimeoutExpired as error:
        raise wrong("sandbox", "no answer in 20 seconds", "look at `dmesg`") from error
    if done.returncode:
        raise wrong(
            "sandbox", done.stderr.strip().rpartition("\n")[2] or "does not start", allow_namespaces()
        )
    return "namespaces and bubblewrap work" + (f", for another uid ({UID})" if os.geteuid() == 0 else "")


def allow_namespaces() -> str:
    for file, wanted in RESTRICTIONS.items():
        if Path(file).exists() and Path(file).read_text().strip() != wanted:
            name = file.removeprefix("/proc/sys/").replace("/", ".")
            return f"run `sudo sysctl -w {name}={wanted}`"
    return "user namespaces must be allowed; in a container, start it with --privileged"


def runner() -> str:
    if os.geteuid() == 0:
        return "root: each trial gets a uid and namespaces of its own; nothing of it runs as root"
    return f"uid {os.geteuid()}: trials run under it too, each in namespaces of its own"


def limits() -> str:
    """What a trial can use up here; what no limit holds is said, and is nothing to mend."""
    held = sorted(bounds.parents())
    said = f"{' and '.join(held)} of a trial are bounded (control groups)" if held else "no control group"
    return f"{said}; of each process the usual limits; the disk is not bounded"


def groups() -> str:
    """A trial of a runner that is not root keeps its groups: nothing inside can drop them."""
    if os.geteuid() == 0:
        return "dropped before a trial starts"
    if held := namespaces.dangerous_groups():
        said = f"{', '.join(held)}: a trial would keep what that allows"
        raise wrong("groups", said, "run as a user who is not in it, or as root")
    return "none that is dangerous"


def eval_root(root: Path) -> str:
    return place("eval root", root, "choose another --eval-root")


def control_root(root: Path) -> str:
    if len(str(root)) > SOCKET_ROOM:
        raise wrong(
            "control root", f"{root} is too long for sockets", "set XDG_RUNTIME_DIR to a shorter path"
        )
    return place("control root", root, "set XDG_RUNTIME_DIR to a folder of yours")


def place(name: str, root: Path, other: str) -> str:
    """It is there or can be made, and trials can reach it."""
    there = existing(root)
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise wrong(name, f"{there} is not a folder that you can write to", other)
    if os.geteuid() == 0 and (closed := closed_to_others(root)):
        raise wrong(
            name, f"{closed} is closed to the uids that trials run as", f"`chmod o+x {closed}`, or {other}"
        )
    return f"{root}" + ("" if there == root else " (will be made)")


def disk(root: Path) -> str:
    free = shutil.disk_usage(existing(root)).free // 1_000_000
    if free < NEEDED_MB:
        raise wrong(
            "disk", f"{free} MB free at {root}, a batch needs {NEEDED_MB}", "free some, or --eval-root"
        )
    return f"{free / 1000:.0f} GB free at {root}"


def existing(path: Path) -> Path:
    return next(there for there in (path, *path.parents) if there.exists())


def managed(names: Iterable[str]) -> str:
    """Machine-wide settings of a client would reach into every trial."""
    paths = [path for name in names for path in clients.load(name).MANAGED]
    if there := [str(path) for path in paths if os.path.lexists(path)]:
        raise wrong("managed settings", f"{', '.join(there)} would reach into every trial", "move it away")
    return "none"
