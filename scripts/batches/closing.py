"""Finish a trial that has no result (never started, or its process died), and keep what is left of it.

What a cut session left in the project is sealed like any submission, once nothing of the trial lives; it is
kept and never judged: the trial counts as cancelled. A finished trial is not touched.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import clients
import collect
from kit import documents, family, keys, trees
from kit.contract import Folder
from kit.documents import Document
from kit.layout import (
    EXCHANGES,
    EXECUTION,
    POLICY,
    RESULT,
    SEAL,
    SETUP,
    SUBMISSION,
    TASK,
    TRANSCRIPT,
    TRIAL,
)
from kit.seal import seal
from trial import tidy

DERIVED = ("observe", "expect", "audit", "finalize")
ASIDE = ".unreadable"  # added to the name of a torn result


def close(trial: Path) -> None:
    """Whatever became of its process: a result, and no scratch folders."""
    plan = documents.read(trial / TRIAL.path, "trial/1")
    if not (trial / RESULT.path).exists():
        salvage(trial, plan)
        for name in DERIVED:
            module = importlib.import_module(name)
            if name == "finalize" or not (trial / f"receipts/{name}.json").exists():
                module.STEP.execute(module.run, Folder(trial, module.STEP), redo=True, quiet=True)
    tidy(plan)


def salvage(trial: Path, plan: Document) -> None:
    """The project as a killed session left it, where collect never came to it. Without a session: nothing."""
    project = Path(plan["paths"]["run"], "project")
    launched = all((trial / one.path).exists() for one in (SETUP, TRANSCRIPT))
    if (trial / SEAL.path).exists() or not launched or not project.is_dir():
        return
    try:
        uid = documents.read(trial / SETUP.path, "setup/1")["uid"]
        lived = documents.read(trial / EXECUTION.path, "execution/1")["survivors"]
    except documents.Invalid:
        return
    except FileNotFoundError:
        lived = []
    if lived or family.of_uid(uid):
        return  # what a living process can change is not collected
    trees.remove(trial / SUBMISSION.path)  # half of one
    sealed = seal(project, trial / SUBMISSION.path, owner=os.getuid() if uid is None else uid)
    documents.write(trial / SEAL.path, str(SEAL.schema), collect.document(sealed))


def without_key(batch: Path, plan: Document) -> list[str]:
    """Take the key out of all that the batch keeps, after its last step; a sentence for each file (L04).

    Each trial's finalize has looked already. This is for the batch's own documents and reports, and for what
    was written after that look.
    """
    if plan["rehearsals"] is not None:
        return []
    variable = clients.load(plan["client"]).KEY
    if not (key := keys.sought(variable)):
        return [f"{keys.unsought(variable)}; set it, then --resume"]
    if found := list(keys.take_out(batch, key)):
        file = batch / "redactions.json"
        earlier = documents.read(file, "redactions/1")["files"] if file.exists() else []
        documents.write(file, "redactions/1", {"files": [*earlier, *(f for f in found if f not in earlier)]})
    said = [f"the model API's key was in {one['file']} ({one['form']}); it was taken out" for one in found]
    return [f"{line}; take it for leaked, and replace it" for line in said]


def set_aside(trial: Path) -> None:
    """A torn result makes room for one that is made again from the record; nothing is thrown away."""
    file = trial / RESULT.path
    file.replace(file.with_name(file.name + ASIDE))


def forget(trial: Path) -> None:
    """Take back what a trial that never started was prepared, and that it was cancelled: now it is run."""
    for receipt in (trial / "receipts").glob("*.json"):
        receipt.unlink()
    for left in (TASK, POLICY, SETUP, EXCHANGES, RESULT):
        (trial / left.path).unlink(missing_ok=True)
    trees.remove(Path(documents.read(trial / TRIAL.path, "trial/1")["paths"]["run"]))  # kept by --keep-run
