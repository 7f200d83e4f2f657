#!/usr/bin/env python3
"""Run the client once, in its sandbox, and keep what it printed and what it asked of the model.

The transcript is the client's own stdout, byte for byte; the exchanges are the gateway's record, which
the agent cannot reach, and which there is none of where the client asks the model itself (--direct). What
the client does is data: a crash or a hang is no fault of this step. It judges nothing.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from dataclasses import replace
from pathlib import Path

import clients
import rungs
from clients import Client, Confines, Places
from gateway import BASE_URL, rehearsal, wires
from gateway.server import Gateway
from gateway.upstream import Upstream
from kit import documents, process, tasks, uids
from kit.contract import Exit, Folder, Step, Stop
from kit.documents import Document
from kit.layout import EXCHANGES, EXECUTION, SETUP, STAGE, STDERR, TASK, TRANSCRIPT, TRIAL
from rungs.srt_settings import closed

STEP = Step(
    name="launch",
    does="Run the client once, in its sandbox, and keep what it printed and what it asked of the model.",
    kind="recorded",
    reads=[TRIAL, STAGE, TASK, SETUP],
    writes=[TRANSCRIPT, STDERR, EXECUTION],
    may_write=[EXCHANGES],
)
CAP_BYTES = 256 << 20  # of the transcript; beyond it the middle is dropped, and counted
SHOWN_KEY = "<dummy>"


def run(trial: Folder) -> None:
    plan, stage, setup = trial.read(TRIAL), trial.read(STAGE), trial.read(SETUP)
    if failed := [check["detail"] for check in setup["checks"] if not check["passed"]]:
        raise Stop(
            Exit.NO_INPUT, f"setup.json: a check failed before launch: {failed[0]}; nothing was launched"
        )
    client, rung = clients.load(plan["client"]), rungs.load(plan["rung"])
    if setup["uid"] is not None:
        uids.claim(setup["uid"], setup["uid"])  # prepare's claim has ended, when it ran by itself
    box = rungs.trial_box(plan, stage, setup["uid"])
    places = Places(box.run.project, box.run.home, box.run.project / client.SKILLS)
    direct = plan.get("route") == "direct"
    key = real_key(plan, client) if direct else f"dummy-{secrets.token_hex(8)}"
    model = client.REHEARSAL_MODEL if plan["rehearsal"] else plan["model"]["name"]
    prompt = trial.read(TASK)["prompt"]
    base_url = client.UPSTREAM if direct else BASE_URL
    words = (box.run.bin / client.BINARY, prompt, model, base_url, key)
    own = plan["isolation"] == "exploratory"
    start = clients.confined(client)(*words, confines(box)) if own else client.command(*words)
    env = {**setup["environment"], **start.variables}
    command = rung.wrap(box, stage, start.argv, box.run.project, env)
    route = None if direct else gateway(trial, box, client, source(plan, client, places))
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z"), os.getloadavg()[0]
    with route or contextlib.nullcontext():
        documents.mark(trial.path(TRANSCRIPT))  # from here on it has started, also after a power cut
        ended = process.run(
            command,
            stdout=trial.path(TRANSCRIPT),
            stderr=trial.path(STDERR),
            deadline_secs=plan["deadlines_secs"]["agent"],
            cap_bytes=CAP_BYTES,
        )
        left = process.survivors(ended, setup["uid"])
    if route and route.crashes:
        raise RuntimeError(f"the gateway crashed: {route.crashes[0]}")  # ours: the trial does not count
    body = {
        "argv": start.argv,
        "variables": {k: SHOWN_KEY if v == key else v for k, v in start.variables.items()},
        "exchanges": route.counts() if route else None,
        "source": "rehearsal" if plan["rehearsal"] else "model",
    }
    trial.write(EXECUTION, {**body, **account(ended, left, *started)})
    if ended.ended_by == "interrupt":
        raise KeyboardInterrupt


def gateway(
    trial: Folder, box: rungs.Box, client: Client, answers: rehearsal.Rehearsed | Upstream
) -> Gateway:
    return Gateway(box.run.socket, trial.path(EXCHANGES), wires.load(client.WIRE), answers)


def confines(box: rungs.Box) -> Confines:
    """What the client's own sandbox is to close and to leave open: the deny-list form, whatever it can."""
    run, denied = box.run, closed(replace(box, reads="deny-list"))
    return Confines(denied, (*box.readable, *box.writable), run.cargo_home, run.home, run.evidence)


def account(ended: process.Ended, left: list[str], started_at: str, load: float) -> Document:
    """How the process ended, for execution.json."""
    return {
        "started_at": started_at,
        "elapsed_secs": round(ended.elapsed_secs, 3),
        "exit": ended.exit,
        "ended_by": ended.ended_by,
        "stdout_bytes": ended.stdout_bytes,
        "stdout_dropped": ended.stdout_dropped,
        "stderr_bytes": ended.stderr_bytes,
        "survivors": left,
        "load": {"before": load, "after": os.getloadavg()[0]},
    }


def source(plan: Document, client: Client, places: Places) -> rehearsal.Rehearsed | Upstream:
    """Who answers the gateway: the rehearsal's script, or the model's own API with the key."""
    if plan["rehearsal"]:
        file = tasks.load(Path(plan["paths"]["evals"]), plan["task"]).rehearsal(plan["rehearsal"])
        own = plan["isolation"] == "exploratory"
        tool = getattr(client, "confined_tool", client.tool) if own else client.tool
        return rehearsal.Rehearsed(
            rehearsal.load(file), lambda turn: tool(turn, places), client.REHEARSAL_MODEL
        )
    return Upstream(client.UPSTREAM, real_key(plan, client))


def real_key(plan: Document, client: Client) -> str:
    if not (key := os.environ.get(client.KEY)):
        raise Stop(
            Exit.UNAVAILABLE, f"{client.KEY}: not set; the model {plan['model']['name']} needs its key there"
        )
    return key


if __name__ == "__main__":
    STEP.main(run)
