"""One machine of a cluster, seen from itself: staged and probed once, then trials, each run to its record.

A plan's documents come in, records go out: a trial's folder, packed. Nothing is shared but the place of the
checkout, and every machine stages its own installed tools: they must have the batch's hashes, and its task.
Below <eval-root>/nodes/<batch>/ each record is kept until it is known to have arrived. It knows no engine.
"""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import clients
import planning
from batches import asking, closing, room
from kit import documents, leftovers, staged, tasks, tied, trees
from kit.contract import Stop
from kit.documents import Document
from kit.layout import BATCH, NODE, RESULT, STAGE, TRIAL

SCRIPTS = Path(__file__).resolve().parents[1]
TOLD = 600  # characters of what a program said
OOM = Path("/proc/self/oom_score_adj")


@dataclass
class Node:
    plan: Document
    stage: Document  # the batch's own
    content_hash: str  # of the task, where the batch was planned
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    lock: int = -1
    ending: bool = False

    @property
    def folder(self) -> Path:
        return Path(self.plan["paths"]["eval_root"]) / "nodes" / str(self.plan["batch"])

    def ready(self, firsts: Sequence[Document], *, preflight: bool) -> str | None:
        """Stage and probe; firsts: one trial of each configuration. None, or why no trial can be run here."""
        try:
            if OOM.exists():  # an engine may have put itself first; among ours the agent goes first
                OOM.write_text("0")
            if not self.plan["rehearsals"]:
                todo = "where its `ray start` was typed; the key goes to no other machine"
                planning.need_key(clients.load(self.plan["client"]), self.plan["model"]["name"], todo)
            task = tasks.load(Path(self.plan["paths"]["evals"]), self.plan["task"])
            if task.content_hash != self.content_hash:
                return f"{task.folder}: is another task than the batch's"
            return self.staged() or (self.probed(firsts) if preflight else None)
        except (Stop, documents.Invalid, OSError) as error:
            return str(error)

    def staged(self) -> str | None:
        """Once for a machine, also when several nodes are on it; whoever is at work here holds the lock."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.lock = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(self.lock, fcntl.LOCK_SH)  # waits for whoever stages
        else:
            leftovers.reap(Path(self.plan["paths"]["eval_root"]))
            (self.folder / STAGE.path).unlink(missing_ok=True)
            documents.write(self.folder / BATCH.path, "batch/1", self.plan)
            why = program("stage", self.folder)
            fcntl.flock(self.lock, fcntl.LOCK_SH)
            if why:
                return why
        here = documents.read(self.folder / STAGE.path, "stage/1")
        return "; ".join(unlike(here, self.stage)) or None

    def probed(self, firsts: Sequence[Document]) -> str | None:
        with tempfile.TemporaryDirectory(prefix="preflight-", dir=self.folder) as name:
            batch = Path(name)
            documents.write(batch / BATCH.path, "batch/1", self.plan)
            documents.write(
                batch / STAGE.path, "stage/1", documents.read(self.folder / STAGE.path, "stage/1")
            )
            for trial in firsts:
                documents.write(batch / trial["trial_name"] / TRIAL.path, "trial/1", trial)
            return program("smoke", batch)

    def room(self, running: int) -> str | None:
        """Why one more should wait, or with nothing running cannot be run at all."""
        machine = room.look([self.folder])
        return room.crowded(machine, running) if running else room.full(machine)

    def run(self, trial: Document) -> tuple[int, bytes, bytes]:
        """Exit code, what it said, its record. Raises FileExistsError: it began here before."""
        name, folder = trial["trial_name"], self.folder / trial["trial_name"]
        folder.mkdir(mode=0o700)
        documents.write(folder / TRIAL.path, "trial/1", trial)
        with tempfile.TemporaryFile() as said:
            child = subprocess.Popen(
                [sys.executable, SCRIPTS / "trial.py", folder],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=tied.environment(),
                start_new_session=True,
                pass_fds=(self.lock,),
            )
            self.children[name] = child
            if self.ending:
                child.terminate()
            code = child.wait()
            closing.close(folder)
            said.seek(0)
            return code, said.read(), packed(folder)

    def terminate(self) -> None:
        """Ask every trial here to end; their records come as ever."""
        self.ending = True
        for child in self.children.values():
            child.terminate()

    def leave(self, arrived: Sequence[str]) -> None:
        """Remove what is known to have arrived, and the staged tools; what has not stays to be looked at."""
        for child in self.children.values():
            if child.poll() is None:
                asking.end_tree(child.pid)
        for name in arrived:
            trees.remove(self.folder / name)
        if not self.plan["keep_run"]:
            trees.remove(Path(self.plan["paths"]["work"]))
        if not any(self.folder.glob(f"*/{TRIAL.path}")):
            trees.remove(self.folder)


def program(name: str, folder: Path) -> str | None:
    """Run one of ours over the folder; None, or what it says is wrong."""
    argv = [sys.executable, str(SCRIPTS / f"{name}.py"), str(folder)]
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", env=tied.environment())
    if not done.returncode:
        return None
    failed = [line for line in done.stdout.splitlines() if "FAIL" in line]
    return "; ".join(failed or [f"{name}.py: {done.stderr.strip()}"])[:TOLD]


def unlike(here: Document, batch: Document) -> Iterator[str]:
    """The tools that are not the batch's own; where they lie may differ."""
    known = dict(staged.every(here))
    for name, other in staged.every(batch):
        one = known.get(name, {})
        if one.get("sha256") != other.get("sha256"):
            yield f"{name}: is {one.get('version')}, and not the batch's {other.get('version')} by its hash"
    machine = [("toolchain", "rustc"), ("toolchain", "cargo"), *(("packages", n) for n in batch["packages"])]
    for group, name in machine:
        if here[group].get(name) != batch[group][name]:
            yield f"{name}: is {here[group].get(name)}, and the batch's is {batch[group][name]}"


def packed(folder: Path) -> bytes:
    """All of a trial's folder but its plan."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as tar:
        for entry in sorted(folder.iterdir()):
            if entry.name != TRIAL.path:
                tar.add(entry, entry.name)
    return out.getvalue()


def take_out(tar: tarfile.TarFile, member: tarfile.TarInfo, draft: Path) -> None:
    """One entry, below draft or not at all. (`filter` of extractall is not in every Python 3.11.)"""
    name, top = Path(member.name), draft.resolve()
    where = top / name
    if name.is_absolute() or ".." in name.parts or where.parent.resolve() != where.parent:
        raise tarfile.TarError(f"{member.name}: leads out of the record")
    if member.isdir():
        where.mkdir()
        where.chmod(member.mode & 0o755 | 0o700)
    elif member.issym():
        where.symlink_to(member.linkname)
    elif source := tar.extractfile(member):  # a file, also one that was a hard link
        with source, where.open("xb") as target:
            shutil.copyfileobj(source, target)
        where.chmod(member.mode & 0o755)


def unpack(record: bytes, trial: Path) -> None:
    """Into the trial's folder, its result last; once all is on the disk the trial is not away any more."""
    draft = trial / ".record"
    trees.remove(draft)
    draft.mkdir()
    with tarfile.open(fileobj=io.BytesIO(record)) as tar:
        for member in tar:
            take_out(tar, member, draft)
    for file in draft.rglob("*"):
        if not file.is_symlink() and (file.is_dir() or file.is_file()):
            documents.flush(file)
    for entry in sorted(draft.iterdir(), key=lambda one: one.name == RESULT.path):
        entry.replace(trial / entry.name)
    draft.rmdir()
    documents.flush(trial)  # before what says that it is away goes: no power cut makes it run again
    (trial / NODE.path).unlink()
