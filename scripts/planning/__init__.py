"""What a batch and its trials are planned to be: their documents, in the order they run.

It reads no clock but for the batch's name and touches no file. configurations.py knows what can be compared.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import clients
from gateway import rehearsal
from kit import documents, tasks, tied, tools
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.layout import BATCH
from planning import configurations, foretelling

DEFAULT = "oracle"  # the rehearsal when none is named
VARIABLES = ("AGENT_EVAL_TOOLS", tied.VARIABLE)  # the second is set by us, for what we start


def control_root() -> Path:
    """Short, since socket paths are; outside everything the agent can read."""
    if os.geteuid() == 0:
        return Path("/run/agent-eval")
    return Path(os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/agent-eval-{os.geteuid()}") / "agent-eval"


def need_key(client: clients.Client, model: str, todo: str = "or leave --model out to rehearse") -> None:
    """Refuse a model without its key before anything is made: each trial would only fail at its set-up."""
    if not os.environ.get(client.KEY):
        raise Stop(Exit.UNAVAILABLE, f"--model {model}: no key; set {client.KEY}, {todo}")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """-j, and what would run trials elsewhere."""
    parser.add_argument(
        "-j", "--jobs", type=int, metavar="N", help="trials side by side (default: 1, or the plan's)"
    )
    parser.add_argument("--engine", metavar="NAME", help="local, or ray: a cluster, -j trials on each node")
    parser.add_argument("--address", metavar="ADDRESS", help="of the Ray cluster (default: auto)")


def cluster(args: argparse.Namespace) -> str | None:
    """The address of the Ray cluster that was asked for."""
    return (args.address or "auto") if args.engine == "ray" else None


def need_ray() -> None:
    if importlib.util.find_spec("ray") is None:
        todo = "`nox -s eval` and `batch` install it when --engine ray is among their words"
        raise Stop(Exit.UNAVAILABLE, f"--engine ray: Ray is not installed in this environment; {todo}")


def refuse_engine(args: argparse.Namespace) -> None:
    if args.jobs is not None and args.jobs < 1:
        raise Stop(Exit.USAGE, f"-j {args.jobs}: at least 1")
    if args.engine not in (None, "local", "ray"):
        raise Stop(Exit.USAGE, f"--engine {args.engine}: unknown; the engines are local and ray")
    if args.address is not None and args.engine != "ray":
        raise Stop(Exit.USAGE, f"--address {args.address}: is for a cluster; say --engine ray too")
    if args.engine == "ray":
        need_ray()


def known_variables() -> None:
    """A misspelt variable of ours would silently change nothing."""
    for name in sorted(set(os.environ) - {*VARIABLES}):
        if name.startswith("AGENT_EVAL_"):
            known = f"the variables are {' and '.join(VARIABLES)}"
            raise Stop(Exit.USAGE, f"{name}: no variable of agent-eval; {known}; unset it")


def uids(said: str) -> list[int]:
    first, _, last = said.partition("-")
    if not (first.isdigit() and last.isdigit() and 0 < int(first) <= int(last)):
        raise Stop(Exit.USAGE, f"--uids {said}: not FIRST-LAST; for example 61000-61999")
    return [int(first), int(last)]


@dataclass(frozen=True)
class Plan:
    """What was asked for, checked."""

    args: argparse.Namespace
    task: tasks.Task
    configurations: Sequence[Document]
    scripts: dict[str, rehearsal.Rehearsal] | None  # by configuration; None: a real model
    batch: str

    @property
    def rounds(self) -> int:
        return int(self.args.trials)

    @property
    def roots(self) -> Document:
        root = self.args.eval_root.resolve()
        return {
            "evals": str(self.args.evals.resolve()),
            "eval_root": str(root),
            "work": str(root / self.batch),
        }

    @property
    def denied(self) -> list[str]:
        """What is closed to trials under --reads deny-list, beside the users' own folders."""
        places = [
            self.args.eval_root,
            self.args.evals.parent,
            tools.ROOT,
            self.args.results,
            tools.find().home,
            *configurations.folders(configurations.given(self.configurations, self.args)),
        ]
        return [str(place.resolve()) for place in places]

    @property
    def shared(self) -> Document:
        """What batch.json and each trial.json say alike."""
        task, args = self.task, self.args
        words = {"batch": self.batch, "task": task.name, "kind": task.kind, "client": args.client}
        place = {"isolation": "enforced", "rung": "srt", "reads": args.reads}
        if args.exploratory:
            place = {"isolation": "exploratory", "rung": "own", "reads": "deny-list"}
        route = {"route": "direct" if args.direct else "gateway"}
        return {**words, **place, **route, "uids": uids(args.uids), "keep_run": args.keep_run}

    def trials(self) -> Iterator[Document]:
        """In the order they run: the control first, then the next one first, and so on round and round."""
        for number in range(1, self.rounds + 1):
            first = (number - 1) % len(self.configurations)
            turn = [*self.configurations[first:], *self.configurations[:first]]
            for order, configuration in enumerate(turn, 1):
                yield {**self.trial(number, configuration), "trial": number, "order": order}

    def trial(self, number: int, configuration: Document) -> Document:
        script = self.scripts[configuration["name"]] if self.scripts else None
        own, work, control = (
            f"trial-{number}-{configuration['name']}",
            Path(self.roots["work"]),
            control_root(),
        )
        return {
            **self.shared,
            "trial_name": own,
            "configuration": configuration["name"],
            "role": configuration["role"],
            "setup": configuration["setup"],
            "model": {"name": f"rehearsal:{script.name}" if script else self.args.model, "settings": {}},
            "rehearsal": script.name if script else None,
            "deadlines_secs": {
                **self.task.document()["deadlines_secs"],
                **(script.deadlines_secs if script else {}),
            },
            "denied": self.denied,
            "paths": {
                **self.roots,
                "run": str(work / own),
                "control": str(control / secrets.token_hex(4)),
                "grading": str(work / "gradings" / own),
                "grading_control": str(control / secrets.token_hex(4)),
            },
        }

    def document(self, order: list[str]) -> Document:
        args = self.args
        return {
            **self.shared,
            "planned_at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "model": {"name": args.model or f"rehearsal:{args.rehearse or DEFAULT}", "settings": {}},
            "rehearsals": {name: script.name for name, script in self.scripts.items()}
            if self.scripts
            else None,
            "trials": self.rounds,
            "configurations": list(self.configurations),
            "order": order,
            "symposium": configurations.source(args) if self.own else None,
            "paths": self.roots,
            "jobs": args.jobs or 1,
            **({"cluster": address} if (address := cluster(args)) else {}),
            **foretelling.comparison(args),
        }

    @property
    def own(self) -> bool:
        """Whether a configuration holds the batch's own cargo-agents."""
        return any(c["setup"] == "symposium" and "symposium" not in c for c in self.configurations)

    def announce(self, folder: Path) -> None:
        """What is about to happen, before anything is spent; folder: the batch's."""
        arms = " and ".join(c["name"] for c in self.configurations)
        count = self.rounds * len(self.configurations)
        who = (
            f"the model {self.args.model} answers"
            if self.args.model
            else f"rehearsed ({self.args.rehearse or DEFAULT})"
        )
        print(f"{self.task.name}: {count} trial{'s' * (count > 1)} of {arms}; {who}", file=sys.stderr)
        if not self.args.model:
            print("REHEARSED: no model is asked, nothing is spent; all else is real.", file=sys.stderr)
        if self.args.exploratory:
            print("EXPLORATORY: the client's own sandbox, without srt; never compared.", file=sys.stderr)
        if self.args.direct:
            print("DIRECT: the trial holds the key and asks the model itself; no record.", file=sys.stderr)
        deadlines = self.task.document()["deadlines_secs"]
        for line in foretelling.lines(
            documents.read(folder / BATCH.path, "batch/1"), folder.parent, deadlines
        ):
            print(line, file=sys.stderr)
