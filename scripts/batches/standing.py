"""Where each planned trial of a batch stands: finished, cut, or never started; and what is no trial of it.

It reads and changes nothing. A trial has started once its client may have been: from then on it is never run
again. One that was cut before that has cost nothing, and is prepared anew; one whose set-up failed has ended,
and is not tried again. A result that is torn or empty can be made again from the record, and is named; one of
another version or of another batch is refused by name, since nobody knows what it stands for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import aggregate
import finalize
from kit import documents, remains
from kit.contract import Exit, Folder, Stop
from kit.documents import Document
from kit.layout import COLLECTED, EXECUTION, GRADING, NODE, RESULT, SEAL, STDERR, TRANSCRIPT, TRIAL

# Launch's own, and what follows; or it is with a node of a cluster, where nobody knows how far it came.
RECORDED = (TRANSCRIPT, STDERR, EXECUTION, SEAL, COLLECTED, GRADING, NODE)


@dataclass
class Standing:
    """Trial folders in the plan's order, each in exactly one of three; and the torn results among them."""

    finished: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    never: list[str] = field(default_factory=list)
    torn: dict[str, str] = field(default_factory=dict)  # trial to what is wrong with its result


def look(batch: Path, plan: Document) -> Standing:
    """Raises Stop(BAD_INPUT), naming everything that cannot be what the plan says."""
    found, wrong = Standing(), list(strangers(batch, plan))
    for name in plan["order"]:
        if problem := unplanned(batch / name, plan):
            wrong.append(problem)
            continue
        try:
            result = documents.read(batch / name / RESULT.path, "result/1")
        except FileNotFoundError:
            (found.cut if begun(batch / name) else found.never).append(name)
        except documents.Invalid as error:
            if other_version(batch / name / RESULT.path):
                wrong.append(str(error))
            found.torn[name] = str(error)
            (found.cut if begun(batch / name) else found.never).append(name)
        else:
            wrong += [f"{batch / name / RESULT.path}: {why}" for why in aggregate.foreign(name, result, plan)]
            waits = result["outcome"] == "cancelled" and not started(batch / name)
            (found.never if waits else found.finished).append(name)
    if wrong:
        raise Stop(Exit.BAD_INPUT, f"{'; '.join(wrong)}; take away what is not this batch's, then resume")
    return found


def strangers(batch: Path, plan: Document) -> Iterator[str]:
    """Folders with a trial in them that the plan does not name."""
    names = {file.parent.name for one in (TRIAL, RESULT) for file in batch.glob(f"*/{one.path}")}
    yield from (f"{batch / name}: is no trial of this batch" for name in sorted(names - {*plan["order"]}))


def unplanned(trial: Path, plan: Document) -> str | None:
    """How this folder cannot be the trial that the plan names."""
    try:
        document = documents.read(trial / TRIAL.path, "trial/1")
    except FileNotFoundError:
        return f"{trial / TRIAL.path}: missing, though batch.json plans it"
    except documents.Invalid as error:
        return str(error)
    if (document["batch"], document["trial_name"]) != (plan["batch"], trial.name):
        return f"{trial / TRIAL.path}: is {document['trial_name']} of the batch {document['batch']}"
    return None


def started(trial: Path) -> bool:
    """Its client may have been: launch makes the transcript, on the disk, before it starts anything."""
    return any((trial / one.path).exists() for one in RECORDED)


def begun(trial: Path) -> bool:
    """It has no result, and is not to be run: it had started, or its set-up had failed."""
    return started(trial) or remains.setup_failure(remains.read(Folder(trial, finalize.STEP))) is not None


def other_version(file: Path) -> bool:
    """Whole, and it says that it is something else: nothing to be made again over."""
    try:
        said = json.loads(file.read_bytes())
    except ValueError:
        return False
    return isinstance(said, dict) and isinstance(said.get("schema"), str) and said["schema"] != "result/1"
