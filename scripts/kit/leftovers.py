"""What a run that was cut left behind: its folders and processes, found by its record and removed.

Whoever makes scratch folders first writes a record of them: who it is (process number, start time, and the
machine's boot), then each process that it starts. A record goes when its owner tidies up; one whose owner
is dead is what a crash left. It never touches what a living owner has, never a process by its name, and
never a result: those lie elsewhere. A folder of records that others can write is not believed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from kit import documents, family, tied, trees, uids
from kit.contract import Exit, Stop

FOLDER = "owned"  # below the eval root
BOOT = Path("/proc/sys/kernel/random/boot_id")
ENDING_SECS = 5.0

_mine: list[Path] = []  # the records of this process, the latest last


@contextlib.contextmanager
def owned(eval_root: Path, name: str, folders: Sequence[Path]) -> Iterator[None]:
    """While this lasts the folders are ours. Whoever made them removes them; until then the record stays."""
    record = place(eval_root) / f"{name}.json"
    body = {"owner": tied.identity(os.getpid()), "boot": boot(), "folders": [str(f) for f in folders]}
    documents.write_text(record, json.dumps(body) + "\n")
    _mine.append(record)
    try:
        yield
    finally:
        _mine.remove(record)
        if not any(folder.exists() for folder in folders):
            record.unlink(missing_ok=True)


def note(pid: int) -> None:
    """This process of ours runs: whoever finds the record ends it, with its session."""
    if _mine and (name := tied.identity(pid)):
        with _mine[-1].open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")


def place(eval_root: Path) -> Path:
    folder = eval_root / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise Stop(Exit.UNAVAILABLE, f"{folder}: others can write there; give another --eval-root")
    return folder


def boot() -> str:
    return BOOT.read_text().strip() if BOOT.exists() else ""


def reap(eval_root: Path) -> list[str]:
    """End and remove what dead runners left; a line for each thing found. What is in use is left alone."""
    said = []
    for record in sorted(place(eval_root).glob("*.json")):
        try:
            head, *started = record.read_text("utf-8").splitlines()
            body = json.loads(head)
            owner, there, folders = body["owner"], body["boot"], [Path(f) for f in body["folders"]]
        except FileNotFoundError:
            continue  # its owner has just tidied up
        except (ValueError, KeyError, TypeError):
            said.append(f"{record}: not a record; remove it by hand")
            continue
        if there == boot():
            if tied.identity(int(owner.partition(":")[0])) == owner:
                continue
            said += [f"{record.stem}: ended {line}" for line in end(of_sessions(started))]
        for folder in folders:
            if folder.exists():
                problem = trees.remove(folder)
                said.append(f"{record.stem}: {problem or f'removed {folder}'}")
        record.unlink(missing_ok=True)
    said += [f"uid {line}" for line in end(uids.left())]
    uids.left()  # now that nothing runs under them: released, with their control groups
    return said


def of_sessions(names: Sequence[str]) -> set[psutil.Process]:
    """The processes of these names, and those that their sessions still hold."""
    leaders = {int(name.partition(":")[0]): name for name in names if name}
    reused = {pid for pid, name in leaders.items() if tied.identity(pid) not in (None, name)}
    found = set()
    for process in psutil.process_iter():
        with contextlib.suppress(ProcessLookupError, PermissionError, psutil.Error):
            session = os.getsid(process.pid)
            if session in leaders and session not in reused and process.pid != os.getpid():
                found.add(process)
    return {process for process in found if family.is_alive(process)}


def end(processes: set[psutil.Process]) -> list[str]:
    """KILL, until they are gone; what each was."""
    said = sorted(family.described(process) for process in processes)
    until = time.monotonic() + ENDING_SECS
    while (alive := [p for p in processes if family.is_alive(p)]) and time.monotonic() < until:
        for process in alive:
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)
        time.sleep(0.02)
    return said
