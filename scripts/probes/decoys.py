"""What the probes are about: another trial, an earlier batch, its results, forbidden sockets, what the
runner and the developer have.

Made open to everybody, so that only the sandbox keeps them closed; removed afterwards. It reads nothing of
what the developer has.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import pwd
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from kit import tools
from kit.layout import Run
from probes.answering import Answering, Noting
from rungs import Box, namespaces, no_keyrings

IPC_PRIVATE, IPC_CREAT, IPC_RMID = 0, 0o1000, 0
WORD = "found"
CRATE = {
    "Cargo.toml": '[package]\nname = "probe"\nversion = "0.1.0"\nedition = "2021"\n\n'
    '[dependencies]\nbeside = { path = "beside" }\n',
    "src/lib.rs": "#[test]\nfn adds() {\n    assert_eq!(beside::two() + 2, 4);\n}\n",
    "beside/Cargo.toml": '[package]\nname = "beside"\nversion = "0.1.0"\nedition = "2021"\n',
    "beside/src/lib.rs": "pub fn two() -> i32 {\n    2\n}\n",
}


@contextlib.contextmanager
def around(
    box: Box, shut: Sequence[str], client: str, work: Path, eval_root: Path, evals: Path, results: Path
) -> Iterator[dict[str, str]]:
    """The probes' variables. In the run: a marker and a small crate. The model's place is taken.

    shut: every cargo-agents that the trial must not reach: staged, or where the batch was given it.
    """
    random, run = secrets.token_hex(4), box.run
    name = f"probes-{random}"
    other, earlier, result = work / f"{name}-other", eval_root / f"{name}-earlier", results / name
    shared = [Path("/dev/shm", name), Path("/tmp", name)]
    try:
        marker = [write(folder / "project/marker") for folder in (other, earlier, result)]
        write(other / "project/held")
        (earlier / "project").chmod(0o777)
        furnish(run)
        with listening(run, name) as ports, of_the_runner(name, shared[0]) as own:
            yield {
                **ports,
                **own,
                "PROJECT": str(run.project),
                "WRITABLE": "\n".join(map(str, box.writable)),
                "CLIENT": str(run.bin / client),
                "PERSON": person(),
                "THEIRS": shutil.which("cargo-agents") or str(tools.find().cargo_agents),
                "OTHER": str(marker[0]),
                "OTHER_BY_DOTS": os.path.relpath(marker[0], run.project),
                "OTHER_FOLDER": str(marker[0].parent),
                "EARLIER": str(marker[1]),
                "ARRIVES": str(earlier / "project/arrived"),
                "RESULT": str(marker[2]),
                "SHARED_TMP": str(shared[1]),
                "EVALS": str(evals),
                "CONTROL": str(run.control),
                "STAGED": "\n".join(shut),
                "TOOLS": str(work / "tools/common"),
                "PLANTED": str(planted(earlier / "bin")),
                "CANARY": f"PROBE_{random}",
                **{f"LIMIT_{name.upper()}": str(most) for name, (_, most) in namespaces.LIMITS.items()},
                "STAYS": f"{60 + int(random[:2], 16)}.{int(random, 16)}",
            }
    finally:
        for file in (run.socket, run.project / "probe.sock", *shared):
            file.unlink(missing_ok=True)
        for folder in (other, earlier, result):
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def listening(run: Run, name: str) -> Iterator[dict[str, str]]:
    """Where a sandbox that leaks would get an answer."""
    datagram = run.control / "datagram"
    with (
        Answering() as local,
        Answering(run.socket),
        Answering(run.project / "probe.sock"),
        Answering(f"\0{name}"),
        Noting(datagram) as udp,
    ):
        yield {
            "PORT": str(local.port),
            "UDP": str(udp.port),
            "DATAGRAM": str(datagram),
            "ABSTRACT": name,
            "VSOCK": str(int(socket.AF_VSOCK)) if has_vsock() else "",
        }


def has_vsock() -> bool:
    try:
        socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
    except (OSError, AttributeError):
        return False
    return True


@contextlib.contextmanager
def of_the_runner(name: str, shared: Path) -> Iterator[dict[str, str]]:
    """Things of the runner's kind: a process with a key and a telling argument, and shared memory."""
    secret, argument = f"{name.upper()}_KEY=secret", f"{name}-argument"
    key, _, value = secret.partition("=")
    write(shared)
    memory = sysv_memory()
    argv, pipe = ["sh", "-c", "read -r _", argument], subprocess.PIPE
    with subprocess.Popen(argv, env={key: value}, stdin=pipe):  # it ends when the pipe is closed
        try:
            yield {
                "SECRET": secret,
                "ARGUMENT": argument,
                "SHARED_MEMORY": str(shared),
                "SHMID": "" if memory is None else str(memory),
                "PERL": shutil.which("perl", path=namespaces.PATH) or "",
                "KEYCTL": str(no_keyrings.MACHINES.get(platform.machine(), (0, (0, 0, 0)))[1][2]),
            }
        finally:
            if memory is not None:
                ctypes.CDLL(None).shmctl(memory, IPC_RMID, None)


def sysv_memory() -> int | None:
    """A segment that everybody may read; None: this machine gives none."""
    made = int(ctypes.CDLL(None).shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0o644))
    return made if made >= 0 else None


def person() -> str:
    """The developer's home, when there is something in it that could be seen."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    return str(home) if home.is_dir() and any(home.iterdir()) else ""


def planted(folder: Path) -> Path:
    """A folder with a cargo-agents of sorts, for the control of the look along PATH."""
    write(folder / "cargo-agents", "#!/bin/sh\n").chmod(0o755)
    return folder


def furnish(run: Run) -> None:
    write(run.project / "marker")
    for name, text in CRATE.items():
        write(run.project / "crate" / name, text)


def write(path: Path, text: str = f"{WORD}\n") -> Path:
    """Readable for every uid, whatever our umask is."""
    new = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True) if new else None
    path.write_text(text, "utf-8")
    for folder in new:
        folder.chmod(0o755)
    path.chmod(0o644)
    return path
