#!/usr/bin/env python3
"""Run the tasks' rehearsals through the whole pipeline, and compare each with what it says it leads to.

Everything but the model is real: client, sandbox, cargo-agents, cargo. A difference is named with its path
in result.json; the batch is then kept, and named. A rehearsal that expects nothing is an error: it could not
fail.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gateway import rehearsal
from kit import documents, programs, rehearsed, tasks, tied, trees
from kit.contract import Exit, Stop

ROOT = Path(__file__).resolve().parents[1]


def play(task: tasks.Task, name: str, args: argparse.Namespace, results: Path) -> Iterator[str]:
    """The differences between what one rehearsal expects and what came of it."""
    script = rehearsal.load(task.rehearsal(name))
    root = ["--eval-root", args.eval_root] if args.eval_root else []
    where = ["--evals", args.evals, "--results", results, "--client", args.client, *root]
    compare = ["--compare", args.compare] if args.compare else []
    batch = Path(programs.run("plan", task.name, "--trials", "1", "--rehearse", name, *compare, *where))
    lost = (Exit.OK, Exit.NO)  # NO: unevenly lost trials, which a rehearsal may be about
    programs.run("batch", batch, *([] if args.preflight else ["--no-preflight"]), fine=lost)
    compared = 0
    for trial in documents.read(batch / "batch.json", "batch/1")["order"]:
        result = documents.read(batch / trial / "result.json", "result/1")
        expect = script.expect_for(args.client, result["mode"])
        if expect is not None:
            compared += 1
            found = rehearsed.differences(expect, result)
            yield from (f"{result['mode']}: {line} ({result['reason']})" for line in found)
    if not compared:
        yield "it expects nothing of any configuration that ran"


def check(task: tasks.Task, name: str, args: argparse.Namespace) -> bool:
    results = Path(tempfile.mkdtemp(prefix="agent-eval-rehearsed-"))
    try:
        wrong = list(play(task, name, args, results))
    except programs.Broken as error:
        wrong = [str(error)]
    except KeyboardInterrupt:
        trees.remove(results)
        raise
    print(f"{'✗' if wrong else '✓'} {task.name} / {name}", flush=True)
    for line in wrong:
        print(f"    {line}")
    if wrong:
        print(f"    kept: {results}")
    else:
        trees.remove(results)
    return not wrong


def chosen(args: argparse.Namespace) -> Iterator[tuple[tasks.Task, str]]:
    for name in args.tasks or tasks.names(args.evals):
        task = tasks.load(args.evals, tasks.called(args.evals, name))
        for script in task.rehearsals():
            if args.only in (None, script) and rehearsal.load(task.rehearsal(script)).serves(args.client):
                yield task, script


def parser() -> argparse.ArgumentParser:
    p = programs.parser("rehearse", __doc__)
    p.add_argument("tasks", nargs="*", metavar="TASK", help="folders of evals/tasks/ (default: all)")
    p.add_argument("--only", metavar="NAME", help="the rehearsals of this name")
    p.add_argument("--client", default="claude")
    p.add_argument("--compare", metavar="NAME,NAME", help="these configurations, as plan.py takes them")
    p.add_argument("--evals", type=Path, default=ROOT / "evals", metavar="DIR")
    p.add_argument("--eval-root", type=Path, metavar="DIR", help="where trials run")
    p.add_argument("--preflight", action="store_true", help="probe the sandbox before each, as eval does")
    return p


def main() -> None:
    args = parser().parse_args()
    tied.follow()
    args.evals = args.evals.resolve()
    todo = list(chosen(args))
    if not todo:
        raise Stop(Exit.USAGE, f"--only {args.only}: no task has a rehearsal of that name")
    right = [check(task, name, args) for task, name in todo]
    print(f"{sum(right)} of {len(right)} rehearsals led where they say")
    sys.exit(Exit.OK if all(right) else Exit.NO)


if __name__ == "__main__":
    main()
