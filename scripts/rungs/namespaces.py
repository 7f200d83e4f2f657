"""What stands around srt: a death signal, a filter, private namespaces, limits, a uid without privileges.

The kernel does the killing: whoever dies (this process, unshare, srt), PID 1 of the namespace dies, and
everything in it. It knows nothing of srt or of a trial.
"""

from __future__ import annotations

import grp
import os
import resource
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from kit import bounds
from rungs import loopback, no_keyrings

NOBODY = 65534  # who merely tries whether namespaces can be made
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # outside: nothing of a run is on it
UNSHARED = ["--mount", "--ipc", "--uts", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"]
NO_PRIVILEGES = ["--no-new-privs", "--inh-caps=-all"]
# Against bombs of processes or bytes; first in line when memory runs out; core 1: not even to a pipe.
LIMITS = {
    "nproc": (resource.RLIMIT_NPROC, max(512, 16 * (os.cpu_count() or 1))),
    "fsize": (resource.RLIMIT_FSIZE, 256 << 20),
    "core": (resource.RLIMIT_CORE, 1),
    "nofile": (resource.RLIMIT_NOFILE, 4096),
    "memlock": (resource.RLIMIT_MEMLOCK, 8 << 20),
    "msgqueue": (resource.RLIMIT_MSGQUEUE, 819200),
}

# What a runner without root cannot drop: a trial of its would keep what these allow.
DANGEROUS = frozenset({"docker", "sudo", "wheel", "disk", "lxd", "incus", "root", "shadow", "kmem"})


def dangerous_groups() -> list[str]:
    """Those that this process is in; none for root, whose trials lose all groups."""
    if os.geteuid() == 0:
        return []
    return sorted(name for number in {os.getegid(), *os.getgroups()} if (name := group(number)) in DANGEROUS)


def group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def outside(uid: int | None, mount: tuple[Path, Path] | None, *, alone: bool = False) -> list[str]:
    """The words before a command. PID 1 is a shell that does not exec: a new uid clears a death signal.

    alone: in a network of its own, which has nothing but its loopback device.
    """
    tie = ["setpriv", "--pdeathsig", "KILL", "--", *no_keyrings.words()]
    unshare = ["unshare", *(["--net"] if alone else []), *UNSHARED]
    lift = [sys.executable, "-I", "-S", str(Path(loopback.__file__))] if alone else []
    if uid is None:
        one = ["sh", "-c", '"$@"; exit $?', "sh"]
        drop = ["setpriv", *NO_PRIVILEGES, "--"]
        mapped = ["--user", "--map-current-user", *(["--keep-caps"] if alone else [])]
        return [*tie, *unshare, *mapped, "--", *one, *lift, *limits(), *drop]
    bind = ["sh", "-c", 'mount --bind "$0" "$1" && shift && "$@"; exit $?', *map(str, mount)] if mount else []
    one = bind or ["sh", "-c", '"$@"; exit $?', "sh"]
    drop = [
        "setpriv",
        f"--reuid={uid}",
        f"--regid={uid}",
        "--clear-groups",
        "--bounding-set=-all",
        *NO_PRIVILEGES,
        "--",
    ]
    bounded = bounds.words(uid) if uid != NOBODY else []
    return [*tie, *bounded, *unshare, "--propagation", "private", "--", *one, *lift, *limits(), *drop]


def inside(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> str:
    """A line of sh: argv in cwd, with those of env that the programs outside must not go by."""
    own = [f"export {name}={shlex.quote(env[name])}" for name in ("PATH", "HOME", "TMPDIR") if name in env]
    return "; ".join([*own, f"cd {shlex.quote(str(cwd))} && exec {shlex.join(argv)}"])


def limits() -> list[str]:
    """The limits' words; where ours would be wider than the runner's own, that one stays."""
    flags = []
    for name, (kind, value) in LIMITS.items():
        hard = resource.getrlimit(kind)[1]
        flags.append(f"--{name}={value if hard == resource.RLIM_INFINITY else min(value, hard)}")
    return ["prlimit", *flags, "choom", "-n", "900", "--"]
