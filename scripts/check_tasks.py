#!/usr/bin/env python3
"""Are the tasks of evals/ right? Validates each, grades its solution and its untouched starter (T06).

It asks no model, needs no key, and changes nothing below evals/. What it refuses is the fault of the task's
author; a grader that cannot run is a fault of this machine, and refuses no task.
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import battery
import clients
import plan
import planning
from gateway import rehearsal
from graders import Infrastructure, hidden_program
from kit import contents, documents, hidden_tests, proofs, taskfolders, tasks, tied
from kit.checked import Checked, summary
from kit.contract import Exit, Stop, fail
from kit.layout import Run
from kit.proofs import Grade
from kit.tasks import Task
from rungs import no_keyrings

ROOT = Path(__file__).resolve().parents[1]


@contextlib.contextmanager
def grader(root: Path, uids: tuple[int, int]) -> Iterator[Grade]:
    """The trials' own grader, with tools staged as a batch's are: the one place where it is plugged in."""
    import grade  # here, because --files-only needs neither tools nor a sandbox
    from graders import staging
    from graders.setting import Setting, kept

    with staging.staged(root) as (staged, place):
        run = Run(place / "grading", planning.control_root() / secrets.token_hex(4))
        with kept(Setting(staged, run, uids)) as setting:
            yield lambda task, tree: grade.grade_tree(task.document(), task.evals, tree, setting)


def check(evals: Path, name: str, grade: Grade | None, mutants: int | None = None) -> Checked:
    """grade None: look at the files alone. mutants: also try the battery, with at most so many of them."""
    try:
        task = tasks.load(evals, name)
    except tasks.TaskError as error:
        return Checked(name, error.refusals)
    shape = f"{task.kind}, {len(task.document()['checks'])} hidden, {len(task.rehearsals())} rehearsed"
    weak = list[str]()
    if refused := [*unreadable_rehearsals(task), *unprotected(task, weak)]:
        return Checked(name, refused, task)
    if grade is None:
        return Checked(name, (), task, notes=(shape, "not graded", *weak))
    against = [] if mutants is None else battery.adversaries(task)
    proof = proofs.prove(task, grade, against, battery.mutants(task, mutants) if mutants else [])
    return Checked(name, proof.refusals, task, proof, notes=(shape, *proof.notes, *weak))


def unprotected(task: Task, weak: list[str]) -> Iterator[str]:
    """Refusals of Rust hidden tests that cannot be judged; into `weak`, the lines judged by truth alone."""
    if task.file["grader"] != "cargo":
        return
    for name in task.document()["checks"]:
        file = task.checks / f"{name}.rs"
        try:
            lines = hidden_program.make(file, hidden_tests.read(file).scheme).weak
        except Infrastructure as problem:
            yield str(problem).removeprefix(f"{task.evals.parent}/")
        else:
            weak += [f"weak in {name}: line {', '.join(map(str, lines))}"] if lines else []


def unreadable_rehearsals(task: Task) -> Iterator[str]:
    for file in contents.entries(task.folder / "rehearsals"):
        if file.parent.name != "rehearsals" or file.suffix != ".yaml":
            yield f"{file.relative_to(task.evals.parent)}: is never played; call it rehearsals/<name>.yaml"
    for name in task.rehearsals():
        try:
            rehearsal.load(task.rehearsal(name))
        except rehearsal.RehearsalError as error:
            yield str(error).removeprefix(f"{task.evals.parent}/")


def shared_canaries(evals: Path, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Task and refusal: with one canary in two tests, nobody could tell which of them was seen (I09)."""
    seen: dict[str, Path] = {}
    for file in sorted(one for end in ("rs", "py") for one in evals.glob(f"tasks/*/checks/*.{end}")):
        mark, where = taskfolders.canary_of(file), file.relative_to(evals.parent)
        if mark and (first := seen.setdefault(mark, where)) != where and (name := file.parts[-3]) in names:
            yield name, f"{where}: has the canary of {first}; give it one of its own"


def run(
    evals: Path, names: Sequence[str], grade: Grade | None, mutants: int | None = None
) -> Iterator[Checked]:
    known = tasks.names(evals)
    if not known:
        raise Stop(Exit.NO_INPUT, f"{evals}: holds no tasks/; give the folder that does with --evals")
    twice = dict(shared_canaries(evals, names or known))
    for name in names or known:
        found = check(evals, name, grade, mutants)
        yield replace(found, refusals=[*found.refusals, twice[name]]) if name in twice else found


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        "check_tasks.py", description=(__doc__ or "").split("\n")[0], allow_abbrev=False
    )
    p.add_argument("tasks", nargs="*", metavar="TASK", help="folders of evals/tasks/ (default: all)")
    p.add_argument("--evals", type=Path, default=ROOT / "evals", metavar="DIR")
    p.add_argument("--json", type=Path, metavar="FILE", help="write what was found here too")
    depth = p.add_mutually_exclusive_group()
    depth.add_argument("--files-only", action="store_true", help="validate, and grade nothing")
    depth.add_argument("--rehearse", action="store_true", help="also run every rehearsal (rehearse.py)")
    p.add_argument("--client", metavar="NAME", help="with --rehearse: who plays (default: rehearse.py's)")
    p.add_argument(
        "--battery", action="store_true", help="also grade adversaries (each must fail) and mutants"
    )
    p.add_argument("--mutants", type=int, default=battery.MOST_MUTANTS, metavar="N", help="at most, a task")
    p.add_argument("--eval-root", type=Path, default=plan.eval_root(), metavar="DIR", help="where to grade")
    p.add_argument("--uids", default="61000-61999", metavar="FIRST-LAST", help="for a root runner's gradings")
    return p


def main() -> None:
    args, found = parser().parse_args(), []
    tied.follow()
    try:
        if args.client and not args.rehearse:
            raise Stop(Exit.USAGE, f"--client {args.client}: nothing is played; add --rehearse")
        if args.client:
            clients.load(args.client)  # refuses an unknown one before anything is graded
        first, last = planning.uids(args.uids)
        no_grader = contextlib.nullcontext(None)
        with no_grader if args.files_only else grader(args.eval_root.resolve(), (first, last)) as grade:
            mutants = max(0, args.mutants) if args.battery else None
            for checked in run(args.evals.resolve(), args.tasks, grade, mutants):
                found.append(checked)
                print("\n".join(checked.lines()), flush=True)
    except Stop as stop:
        fail("check_tasks", stop)
    except KeyboardInterrupt:
        fail("check_tasks", Stop(Exit.INTERRUPTED, "interrupted; what stands above was checked"))
    if args.battery:
        print("\n".join(summary(found)))
    if args.json:
        documents.write(args.json, "checked/1", {"tasks": [checked.document() for checked in found]})
    right = [checked.name for checked in found if not checked.refusals]
    if args.rehearse and right:
        where = ["--evals", args.evals, "--eval-root", args.eval_root]
        client = ["--client", args.client] if args.client else []
        command = [sys.executable, ROOT / "scripts/rehearse.py", *right, *where, *client]
        played = subprocess.run(command, check=False)
        if played.returncode:
            sys.exit(played.returncode)
    sys.exit(Exit.OK if len(right) == len(found) else Exit.NO)


if __name__ == "__main__":
    no_keyrings.install_early()
    main()
