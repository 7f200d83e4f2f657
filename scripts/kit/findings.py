"""What a reader should know of a trial beside its verdict, in sentences. None of it decides anything.

The sentences hold nothing that differs between two runs of the same work: no path of the machine, no time.
A sentence that is wrong on right documents is this module's fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from kit.layout import COLLECTED, EXECUTION, EXPECTATIONS, OBSERVATION, SEAL
from kit.remains import STEPS, Remains


def of(left: Remains) -> Iterator[str]:
    yield from (left.get(EXPECTATIONS) or {}).get("findings", [])
    yield from _of_session(left)
    yield from _of_route(left)
    yield from _of_project(left)
    yield from _of_record(left)


def _of_session(left: Remains) -> Iterator[str]:
    observed = left.get(OBSERVATION)
    if observed is None:
        return
    if observed["interpreted"] and observed["tool_calls"] == 0:
        yield "The agent used no tool at all."
    if not observed["interpreted"]:
        yield "The transcript was not understood well enough to say that something did not happen."
    if observed["broken_lines"]:
        yield "The transcript holds lines that are no JSON (observation.json: broken_lines)."
    if observed["tags"]:
        yield f"The client's session is tagged {', '.join(observed['tags'])}."


def _of_route(left: Remains) -> Iterator[str]:
    ended = left.get(EXECUTION)
    if ended is None:
        return
    if ended["stdout_dropped"]:
        yield "The client printed more than is kept; the middle of the transcript was dropped."
    asked = ended["exchanges"]
    if asked is None:
        yield "The client asked the model itself: there is no record of its requests (--direct)."
    elif asked["refused"]:
        yield "The gateway refused requests of the client (exchanges.jsonl says which)."
    if asked and asked["upstream_errors"]:
        yield "The model's own server failed on requests (exchanges.jsonl says which)."


def _of_project(left: Remains) -> Iterator[str]:
    collected, seal = left.get(COLLECTED), left.get(SEAL)
    if collected and (outside := collected["edits_outside_editable"]):
        yield f"Edited outside the editable paths, which is not graded: {', '.join(outside)}."
    if seal and not seal["complete"]:
        yield f"The project was too large to be sealed whole ({seal['cap']})."


def _of_record(left: Remains) -> Iterator[str]:
    for artifact in left.unreadable:
        yield f"{artifact.path} could not be read and was not used."
    for step in STEPS:
        if left.error(step) and left.receipts[step]["exit"] != "no_input":  # that is a consequence
            yield f"{step} did not finish; receipts/{step}.json says why."
