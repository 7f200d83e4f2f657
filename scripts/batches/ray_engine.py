"""Run trials on the nodes of a Ray cluster: handed out in the planned order, each to a result.

On each node an actor (node.py) that is never restarted and whose calls are never repeated; so no trial runs
twice. Before a trial is handed out a file in its folder says to whom, on the disk; it goes when the record
has come back. A trial whose node was lost keeps it: it counts as cancelled and is never run again. Ray is
imported here alone, and by its name: it is an extra (`ray` in pyproject.toml).
"""

from __future__ import annotations

import importlib
import io
import json
import os
import socket
import tarfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from batches import closing
from batches.node import SCRIPTS, Node, unpack
from batches.running import LOOK_SECS, Child, Runner
from kit import documents, tasks
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.layout import NODE, STAGE, TRIAL

ONCE = {"max_restarts": 0, "max_task_retries": 0}  # what is lost is counted, not done again
ANSWER_SECS = 10.0
LEAVING_SECS = 20.0
TOLD = 200  # characters of an error of Ray's
NO_RECORD = (tarfile.TarError, zlib.error, EOFError, KeyError, OSError)  # what came cannot be unpacked


@dataclass
class Far:
    """A node: its actor, and how it stands with us."""

    name: str
    actor: Any
    ready: Any  # the answer that is awaited; None: it is there
    running: int = 0
    gone: bool = False


@dataclass
class Call:
    """The run of one trial: poll, terminate and wait as of a process."""

    ray: Any
    node: Far
    answer: Any
    trial: Path
    said: io.BytesIO
    arrived: list[str]  # the trials whose record is here
    code: int | None = None

    def poll(self) -> int | None:
        if self.code is None and self.ray.wait([self.answer], timeout=0)[0]:
            try:
                code, said, record = self.ray.get(self.answer)
                self.said.write(said)
                unpack(record, self.trial)
                self.code = code
                self.arrived.append(self.trial.name)
            except (self.ray.exceptions.RayTaskError, *NO_RECORD) as error:  # of this trial; the node goes on
                self.code = Exit.UNAVAILABLE
                self.said.write(f"its record did not come from {self.node.name}: {short(error)}\n".encode())
            except self.ray.exceptions.RayError as error:
                self.lose(short(error))
            self.node.running -= 1
        return self.code

    def lose(self, why: str) -> None:
        self.node.gone, self.code = True, Exit.UNAVAILABLE
        self.said.write(f"lost with the node {self.node.name}: {why}\n".encode())
        self.ray.kill(self.node.actor)

    def terminate(self) -> None:
        self.node.actor.terminate.remote()

    def kill(self) -> None:
        self.lose("it did not end in time")


def short(error: Exception) -> str:
    """Its name and how it ends: Ray puts a traceback before what is wrong."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[-TOLD:]}"


class Away(Child):
    """A trial that is on a node."""

    @property
    def step(self) -> str:
        return f"on {self.process.node.name}" if isinstance(self.process, Call) else super().step


def connect(address: str) -> Any:
    """Ray, connected; its messages are for its own logs, and it reports nothing home."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray = importlib.import_module("ray")
    there = {"env_vars": {"PYTHONPATH": str(SCRIPTS)}}  # the checkout is at the same place on every node
    host, _, port = address.rpartition(":")
    try:
        if port.isdigit():  # Ray itself would try for minutes
            socket.create_connection((host.removeprefix("ray://"), int(port)), ANSWER_SECS).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", runtime_env=there)
    except (OSError, RuntimeError, ValueError) as error:
        said = f"no Ray cluster ({' '.join(str(error).split())[:TOLD]})"
        todo = "start one (`ray start --head`), or give another --address"
        raise Stop(Exit.UNAVAILABLE, f"--address {address}: {said}; {todo}") from error
    return ray


@dataclass
class RayRunner(Runner):
    """-j counts trials on each node."""

    plan: Document = field(kw_only=True)
    address: str = field(kw_only=True)
    preflight: bool = field(kw_only=True)
    nodes: dict[str, Far] = field(default_factory=dict)
    arrived: list[str] = field(default_factory=list)
    ray: Any = None
    _free: Far | None = None
    _next_meeting: float = 0.0

    def run(self, names: Sequence[str]) -> None:
        self.ray = connect(self.address)
        self.asked.listen()  # Ray has put a handler of its own in place of ours
        try:
            super().run(names)
        finally:
            left = [one.actor.leave.remote(self.arrived) for one in self.nodes.values() if not one.gone]
            if left:
                self.ray.wait(left, num_returns=len(left), timeout=LEAVING_SECS)
            self.ray.shutdown()

    def meet(self) -> None:
        """Nodes that we have not seen yet stage and probe; those that have answered are taken or refused."""
        if time.monotonic() >= self._next_meeting:
            self._next_meeting = time.monotonic() + LOOK_SECS
            for one in self.ray.nodes():
                if one["Alive"] and one["NodeID"] not in self.nodes and one["Resources"].get("CPU", 0) >= 1:
                    self.nodes[one["NodeID"]] = self.far(one)
        for node in self.nodes.values():
            if node.ready is not None and not node.gone and self.ray.wait([node.ready], timeout=0)[0]:
                why = self.ask(node, node.ready)
                node.ready = None
                if why or node.gone:
                    node.gone = True
                    self.screen.say(f"node {node.name}: refused: {why or 'lost'}")

    def far(self, one: Document) -> Far:
        name = f"{one['NodeManagerHostname']}/{one['NodeID'][:8]}"
        self.screen.say(f"node {name}: staging and probing")
        pinned = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        task = tasks.load(Path(self.plan["paths"]["evals"]), self.plan["task"])
        where = {"num_cpus": 1, "scheduling_strategy": pinned(one["NodeID"], soft=False)}
        actor = self.ray.remote(Node).options(**ONCE, **where, max_concurrency=self.jobs + 3)
        stage = documents.read(self.batch / STAGE.path, "stage/1")
        actor = actor.remote(self.plan, stage, task.content_hash)
        round_ = self.plan["order"][: len(self.plan["configurations"])]  # one trial of each
        firsts = [documents.read(self.batch / name / TRIAL.path, "trial/1") for name in round_]
        return Far(name, actor, actor.ready.remote(firsts, preflight=self.preflight))

    def ask(self, node: Far, answer: Any) -> str | None:
        """What it answers; that it is lost is seen here too."""
        try:
            return self.ray.get(answer, timeout=ANSWER_SECS)  # type: ignore[no-any-return]
        except self.ray.exceptions.GetTimeoutError:
            return "it gives no answer"
        except self.ray.exceptions.RayError as error:
            node.gone = True
            return short(error)

    def can_start(self) -> bool:
        """Whether a node has room: the one with the fewest trials."""
        self.meet()
        if self.asked or self.stopped or time.monotonic() < self._next_look:
            return False
        if why := self.full():  # our own disk: records come here
            self.stopped = why
            return False
        there = [one for one in self.nodes.values() if not one.gone]
        for node in sorted(there, key=lambda one: one.running):
            if node.ready is not None or node.running >= self.jobs:
                continue
            why = self.ask(node, node.actor.room.remote(node.running))
            if why is None:
                self._free, self._waits = node, None
                return True
            node.gone = node.gone or node.running == 0  # not even one
            if node.gone or self._waits is None:  # a wait is said once
                self.screen.say(f"node {node.name}: {why}")
            self._waits = why
        if not there and not self.children:
            self.stopped = "no node of the cluster can run a trial"
        self._next_look = time.monotonic() + LOOK_SECS
        return False

    def start(self, trial: Path) -> None:
        node, said = self._free, io.BytesIO()
        assert node is not None
        closing.forget(trial)
        plan = documents.read(trial / TRIAL.path, "trial/1")
        documents.mark(trial / NODE.path, json.dumps({"node": node.name, "at": time.time()}))
        node.running += 1
        answer = node.actor.run.remote(plan)
        self.children.append(Away(trial, Call(self.ray, node, answer, trial, said, self.arrived), said))
