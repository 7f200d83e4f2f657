#!/usr/bin/env python3
"""Seal and keep what the agent left: its project, the hooks' evidence, Symposium's records and logs.

It starts nothing in what the agent wrote and follows nothing there; it begins only after the trial's last
process is dead. Whatever it finds is data, also links, special files and trees without end; its own failures
are those of the machine (a full disk).
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Iterator
from pathlib import Path

import clients
import setups
from kit import edits, snapshot
from kit.contract import Exit, Folder, Step, Stop
from kit.documents import Document
from kit.globs import BUILD_OUTPUT, Editable
from kit.layout import (
    COLLECTED,
    EVIDENCE,
    EXECUTION,
    HOOK_TRACE,
    SEAL,
    SETUP,
    SUBMISSION,
    SYMPOSIUM_LOG,
    TASK,
    TRIAL,
    Run,
)
from kit.seal import Sealed, seal
from kit.symposium_state import join_logs, sync_records

STEP = Step(
    name="collect",
    does="Seal and keep what the agent left: its project, the hooks' evidence, Symposium's records and logs.",
    kind="recorded",
    reads=[TRIAL, TASK, EXECUTION, SETUP],
    writes=[SUBMISSION, SEAL, COLLECTED],
    may_write=[EVIDENCE, HOOK_TRACE, SYMPOSIUM_LOG],
)


def run(trial: Folder) -> None:
    if alive := trial.read(EXECUTION)["survivors"]:
        what = f"execution.json: still alive: {', '.join(alive)}"
        raise Stop(Exit.UNAVAILABLE, f"{what}; what a living process can change is not collected")
    plan, task, setup = trial.read(TRIAL), trial.read(TASK), trial.read(SETUP)
    place = Run(Path(plan["paths"]["run"]), Path(plan["paths"]["control"]))
    owner = os.getuid() if setup["uid"] is None else setup["uid"]
    sealed = seal(place.project, trial.path(SUBMISSION), owner=owner)
    trial.write(SEAL, document(sealed))
    missing = list(evidence(trial, place, owner, expected=plan["setup"] == "symposium"))
    starter = seal(Path(plan["paths"]["evals"], "tasks", task["name"], "starter"))
    editable, skills = Editable(task["editable"]), setup["skill_folder"].strip("/")
    put = plan["setup"] != "baseline"
    inside, outside = edits.compare(starter.entries, sealed.entries, skills, editable, put=put)
    known = [*clients.load(plan["client"]).CONFIGURATION, *setups.load(plan["setup"]).CONFIGURATION]
    patterns = [*known, *map(glob.escape, setup["snapshot"])]
    trial.write(
        COLLECTED,
        {
            "edits": inside,
            "edits_outside_editable": outside,
            "invalid": edits.invalid(sealed.entries, sealed.cap, editable),
            "build_output": list(build_output(sealed)),
            "installed": edits.installed(sealed.entries, skills),
            "sync_records": list(sync_records(place.root, place.project)),
            "snapshot": snapshot.take(place.root, patterns),
            "missing": missing,
        },
    )


def document(sealed: Sealed) -> Document:
    return {
        "sealed_at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "sha256": sealed.sha256,
        "entries": sealed.entries,
        "counts": {"entries": len(sealed.entries), "bytes": sealed.bytes},
        "complete": sealed.cap is None,
        "cap": sealed.cap,
    }


def build_output(sealed: Sealed) -> Iterator[Document]:
    for entry in sealed.entries:
        if entry["path"] == BUILD_OUTPUT.decode() and entry["type"] == "folder":
            yield {"path": entry["path"], "bytes": entry["size"]}


def evidence(trial: Folder, place: Run, owner: int, *, expected: bool) -> Iterator[str]:
    """Keep what the hooks and Symposium wrote; what is not there or could not be kept, where it was expected.

    A run without Symposium leaves none of it; if there is some all the same, it is kept.
    """
    kept, trace = trial.path(EVIDENCE), trial.path(HOOK_TRACE)
    sealed = seal(place.evidence, kept, owner=owner)
    yield from (
        f"evidence/{entry['path']}: {entry['type']}: {entry['note'] or 'not copied'}" for entry in odd(sealed)
    )
    if (kept / trace.name).is_file():
        (kept / trace.name).replace(trace)
    elif expected:
        yield trace.name
    if not expected and not any(kept.iterdir()):
        kept.rmdir()
    if not join_logs(place.root, trial.path(SYMPOSIUM_LOG)) and expected:
        yield trial.path(SYMPOSIUM_LOG).name


def odd(sealed: Sealed) -> Iterator[Document]:
    yield from (e for e in sealed.entries if e["note"] or e["type"] not in ("file", "folder"))
    if sealed.cap:
        yield {"path": ".", "type": "folder", "note": sealed.cap}


if __name__ == "__main__":
    STEP.main(run)
