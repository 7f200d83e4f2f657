#!/usr/bin/env python3
"""Plan a batch: which trials of one task, in which order, answered by whom.

Writes batch.json and each trial's trial.json, and prints the batch folder as its last line. It starts
nothing and spends nothing: without --model every trial is a rehearsal, whatever keys the environment
holds. Faults here are the caller's: an unknown task, flag, client or rehearsal.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import clients
import planning
from gateway import rehearsal
from kit import programs, tasks
from kit.contract import Exit, Folder, Step, Stop, fail
from kit.documents import Document
from kit.layout import BATCH, TRIAL
from planning import DEFAULT, Plan, configurations, foretelling

ROOT = Path(__file__).resolve().parents[1]

STEP = Step(
    name="plan",
    does="Plan a batch: which trials of one task, in which order, answered by whom.",
    kind="recorded",
    scope="batch",
    reads=[],
    writes=[BATCH],
)
PLAN_TRIAL = Step("plan", "Write one trial's plan.", "recorded", reads=[], writes=[TRIAL])


def parser() -> argparse.ArgumentParser:
    p = programs.parser("plan", STEP.does, STEP.contract())
    p.usage = "%(prog)s TASK [options]   (--help lists them)"  # so that a wrong word gets one clear line
    p.add_argument("task", help="its name, or its folder in evals/tasks/")
    p.add_argument("--client", default="claude", help="the agent under test (default: claude)")
    answers = p.add_mutually_exclusive_group()
    answers.add_argument("--model", help="a real model; its key is read from the client's own variable")
    answers.add_argument(
        "--rehearse", metavar="NAME", help="a rehearsal, or with:A,without:B (default: oracle)"
    )
    foretelling.add_arguments(p)
    configurations.add_arguments(p)
    p.add_argument("--reads", choices=["allow-list", "deny-list"], default="allow-list")
    p.add_argument("--evals", type=Path, default=ROOT / "evals", metavar="DIR")
    p.add_argument("--eval-root", type=Path, default=eval_root(), metavar="DIR", help="where trials run")
    p.add_argument(
        "--results", type=Path, default=ROOT / "results", metavar="DIR", help="where records are kept"
    )
    p.add_argument("--uids", default="61000-61999", metavar="FIRST-LAST", help="for a root runner's trials")
    p.add_argument("--keep-run", action="store_true", help="keep each run folder after its evidence is taken")
    planning.add_engine(p)
    p.add_argument(
        "--exploratory", action="store_true", help="the client's own sandbox, without srt; never compared"
    )
    p.add_argument(
        "--direct", action="store_true", help="the client asks the model itself and holds the key: no record"
    )
    return p


def eval_root() -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/agent-eval")
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "agent-eval"


def answers(args: argparse.Namespace, task: tasks.Task, planned: Sequence[Document]) -> dict[str, str]:
    """Configuration to rehearsal, from NAME or with:A,without:B."""
    said = args.rehearse or DEFAULT
    names = [c["name"] for c in planned]
    if ":" not in said:
        return dict.fromkeys(names, said)
    parts: list[Sequence[str]] = [part.partition(":")[::2] for part in said.split(",")]
    short = {name.removesuffix("-symposium"): name for name in names}  # "with" and "without"
    chosen = {short.get(word, word): name for word, name in parts}
    if sorted(chosen) != sorted(names) or len(parts) != len(chosen):
        words = ",".join(f"{word}:NAME" for word in short)
        raise Stop(Exit.USAGE, f"--rehearse {said}: {task.name} runs {' and '.join(names)}; write {words}")
    return chosen


def rehearsals(
    args: argparse.Namespace, task: tasks.Task, chosen: dict[str, str]
) -> dict[str, rehearsal.Rehearsal]:
    found = {}
    for configuration, name in chosen.items():
        try:
            found[configuration] = rehearsal.load(task.rehearsal(name))
        except FileNotFoundError as error:
            there = ", ".join(sorted(f.stem for f in (task.folder / "rehearsals").glob("*.yaml"))) or "none"
            raise Stop(
                Exit.USAGE,
                f"rehearsal {name}: {task.name} has none of that name; it has {there};"
                f" write {task.folder}/rehearsals/{name}.yaml, choose with --rehearse, or give --model",
            ) from error
        if not found[configuration].serves(args.client):
            raise Stop(Exit.USAGE, f"rehearsal {name}: not written for {args.client}; choose another")
    return found


def refuse_early(args: argparse.Namespace, client: clients.Client) -> None:
    if args.direct and not args.model:
        raise Stop(Exit.USAGE, "--direct: needs --model; a rehearsal is answered by the gateway alone")
    if args.exploratory:
        clients.confined(client)
        for flag in ("compare", "aa", "detect"):
            if getattr(args, flag):
                what = f"--exploratory --{flag}: an exploratory batch is never compared"
                raise Stop(Exit.USAGE, f"{what}; leave one of them out")
    if isinstance(args.trials, int) and args.trials < 1:
        raise Stop(Exit.USAGE, f"--trials {args.trials}: at least 1")
    planning.refuse_engine(args)
    planning.known_variables()
    for flag in ("model", "rehearse"):
        if getattr(args, flag) == "":
            raise Stop(Exit.USAGE, f"--{flag}: empty; give a name, or leave it out")
    if args.model:
        planning.need_key(client, args.model)


def make(args: argparse.Namespace) -> Plan:
    client = clients.load(args.client)
    refuse_early(args, client)
    task = tasks.load(args.evals.resolve(), tasks.called(args.evals, args.task))
    planned = configurations.of(args, task)
    args.trials, args.power = foretelling.decide(args, task.name, len(planned), task.trials)
    scripts = None if args.model else rehearsals(args, task, answers(args, task, planned))
    return Plan(args, task, planned, scripts, f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}")


def write(plan: Plan) -> Path:
    folder: Path = plan.args.results.resolve() / plan.task.name / plan.args.client / plan.batch
    trials = list(plan.trials())  # all that can be refused, before anything is made
    document = plan.document([trial["trial_name"] for trial in trials])
    try:
        folder.mkdir(parents=True)
        for trial in trials:
            (folder / trial["trial_name"]).mkdir(mode=0o700)
            Folder(folder / trial["trial_name"], PLAN_TRIAL).write(TRIAL, trial)
    except OSError as error:
        raise Stop(Exit.UNAVAILABLE, f"{folder}: {error.strerror}; give a writable --results") from error
    code = STEP.execute(lambda batch: batch.write(BATCH, document), Folder(folder, STEP))
    if code is not Exit.OK:
        sys.exit(code)
    return folder


def main() -> None:
    args = parser().parse_args()
    try:
        plan = make(args)
        folder = write(plan)
    except Stop as stop:
        fail("plan", stop)
    plan.announce(folder)
    print(folder)


if __name__ == "__main__":
    main()
