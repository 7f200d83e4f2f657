"""What a trial's steps left behind, read without trusting that it is there, and what that says of the trial.

A step that finished left its document and a receipt; one that failed left a receipt with its error; one that
never began, or was killed, left neither. From that follow set-up failures, cuts and lost evidence. A document
that cannot be read is named and treated as lost: lost evidence can take a success away and never gives one.
It judges no code and no expectation (verdicts does). A wrong reading of the folder is this module's fault.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kit import documents
from kit.contract import Folder, Stop
from kit.documents import Document
from kit.layout import (
    AUDIT,
    COLLECTED,
    EXECUTION,
    EXPECTATIONS,
    GRADING,
    NODE,
    OBSERVATION,
    RECEIPTS,
    SEAL,
    SETUP,
    STAGE,
    TASK,
    TRANSCRIPT,
    TRIAL,
    Artifact,
)

STEPS: Mapping[str, Artifact] = {  # in the order of a trial, each with the document that it leaves
    "prepare": SETUP,
    "launch": EXECUTION,
    "collect": COLLECTED,
    "observe": OBSERVATION,
    "grade": GRADING,
    "expect": EXPECTATIONS,
    "audit": AUDIT,
}
READ = (TASK, STAGE, SEAL, *STEPS.values())


@dataclass(frozen=True)
class Remains:
    trial: Document  # trial/1: the one document that must be there
    found: Mapping[Artifact, Document]
    unreadable: Mapping[Artifact, str]  # there, but torn, foreign or from another version: why
    receipts: Mapping[str, Document]
    spoke: bool  # the client printed something
    node: str | None = None  # of a cluster, that was given the trial; its record never came

    def get(self, artifact: Artifact) -> Document | None:
        return self.found.get(artifact)

    @property
    def symposium(self) -> bool:
        return bool(self.trial["setup"] == "symposium")

    def left(self, step: str) -> bool:
        """Did the step leave its document, readable or not?"""
        return STEPS[step] in self.found or STEPS[step] in self.unreadable

    def error(self, step: str) -> str | None:
        """What stopped a step that left no document; None: nothing did, or it never ended."""
        receipt = self.receipts.get(step)
        if self.left(step) or receipt is None or receipt["exit"] in ("ok", "interrupted"):
            return None
        return str(receipt["error"] or f"{step} ended with {receipt['exit']}")

    def lost(self, step: str) -> str | None:
        """Why there is no document to go by, in words; None: there is one, or the step never ended."""
        if step in self.receipts and not self.left(step):
            return self.error(step) or f"{STEPS[step].path} is missing, though {step} finished"
        return self.unreadable.get(STEPS[step])


def read(folder: Folder) -> Remains:
    found: dict[Artifact, Document] = {}
    unreadable: dict[Artifact, str] = {}
    for artifact in READ:
        try:
            document = folder.maybe(artifact)
        except (Stop, OSError) as error:  # a torn file, one of another version, a folder in its place
            unreadable[artifact] = str(error).replace(f"{folder.path(artifact)}", artifact.path)
        else:
            found |= {artifact: document} if document is not None else {}
    transcript = folder.path(TRANSCRIPT)
    spoke = transcript.is_file() and transcript.stat().st_size > 0
    return Remains(folder.read(TRIAL), found, unreadable, dict(_receipts(folder)), spoke, _node(folder))


def _node(folder: Folder) -> str | None:
    if not folder.has(NODE):
        return None
    with contextlib.suppress(ValueError, KeyError, TypeError):  # torn by a power cut
        return str(json.loads(folder.path(NODE).read_text("utf-8"))["node"])
    return "unknown"


def _receipts(folder: Folder) -> Iterator[tuple[str, Document]]:
    for file in sorted(folder.path(RECEIPTS).glob("*.json")):
        try:
            yield file.stem, documents.read(file, "receipt/1")
        except (documents.Invalid, OSError):
            continue  # then the step's own document says whether it finished


def setup_failure(remains: Remains) -> str | None:
    """What kept the trial from starting: a failed check, a failed preparation, a client that never spoke."""
    checks = (remains.get(SETUP) or {"checks": []})["checks"]
    if failed := [check for check in checks if not check["passed"]]:
        return f"set-up check {failed[0]['name']} failed: {failed[0]['detail']}"
    if error := remains.error("prepare"):
        return f"set-up failed: {error}"
    if not remains.spoke and (error := remains.error("launch")):
        return f"the client could not be started: {error}"
    return None


def cancelled(remains: Remains) -> str | None:
    """Never started, lost, or cut short by us: Ctrl-C, the runner's death, a launch that broke."""
    if remains.node:
        return f"lost: the node {remains.node} was given the trial, and its record never came"
    if (remains.get(EXECUTION) or {}).get("ended_by") == "interrupt":
        return "cut short: the client was interrupted"
    for step in STEPS:
        receipt = remains.receipts.get(step)
        if receipt and receipt["exit"] == "interrupted":
            return f"cut short: interrupted during {step}"
    if error := remains.error("launch"):
        return f"cut short: launch failed while the client ran: {error}"
    return _cut(remains)


def _cut(remains: Remains) -> str | None:
    """The first step that neither finished nor failed: there the runner died, or never came."""
    for step in STEPS:
        if step == "expect" and not remains.symposium:
            continue
        if remains.error(step) and step == "collect":
            return None  # what follows has nothing to work on
        if step not in remains.receipts and not remains.left(step):
            if step == "prepare":
                return "cut short while it was set up" if TASK in remains.found else "never started"
            return f"cut short: the runner ended before {step} had finished"
    return None


def infrastructure(remains: Remains) -> str | None:
    """Why the submission could not be graded, through no fault of its own."""
    if collect := remains.error("collect"):
        return f"the submission was not collected: {collect}"
    grading = remains.get(GRADING)
    if grading is None:
        return remains.lost("grade")
    if grading["status"] == "infrastructure_error":
        return str(grading["problem"] or "the grader gave no reason")
    return None


def unknown(remains: Remains) -> list[str]:
    """Evidence that a success would rest on and that is lost; a consequence only without its cause."""
    needed = ["launch", "observe", "audit"]
    if remains.symposium and remains.trial["kind"] == "regression":
        needed.append("expect")
    lost = {step: why for step in needed if (why := remains.lost(step))}
    declined = {s for s in lost if remains.receipts.get(s, {}).get("exit") == "no_input"}
    told = [step for step in lost if step not in declined] or list(lost)
    sentences = [f"{step} left nothing to go by ({lost[step]})" for step in told]
    if left := (remains.get(EXECUTION) or {}).get("survivors"):
        sentences.append(f"processes of the trial outlived it ({', '.join(left)})")
    return sentences
