#!/usr/bin/env python3
"""Let a scripted agent try to get out of a trial, in both configurations, and say what became of it.

The real client runs in the real sandbox; no model is asked. Attempts are data (tests/adversaries/). Every one
must end as refused or recorded; an escape, or an attempt that shows nothing, makes it exit with 1. Several
clients and forms of the policy are tried one after another, each pair in a batch of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import adversary
import clients
from adversary import Attempt, bystanders, table, turns
from adversary.bystanders import Bystanders
from adversary.judge import BAD, Court, Finding
from kit import canaries, documents, programs, tied, trees
from kit.contract import Exit, Stop, fail
from kit.documents import Document

ROOT = Path(__file__).resolve().parents[1]
ATTEMPTS = ROOT / "tests/adversaries"
TASK, NAME = "store-durability", "adversaries"  # a task that runs in both configurations


def play(
    args: argparse.Namespace, client: str, reads: str, attempts: Sequence[Attempt], scratch: Path
) -> Iterator[Finding]:
    """Of both configurations, with that client under that form of the policy."""
    evals, key = scratch / "checkout/evals", f"sk-agent-eval-adversary-{secrets.token_hex(16)}"
    variable, wire = clients.load(client).KEY, clients.load(client).WIRE
    shutil.copytree(ROOT / "evals", evals, ignore=shutil.ignore_patterns("target"))
    script = evals / f"tasks/{TASK}/rehearsals/{NAME}.yaml"
    turns.write(script, [], {})
    root = ["--eval-root", args.eval_root] if args.eval_root else []
    where = ["--evals", evals, "--results", scratch / "results", "--keep-run", *root]
    where += ["--client", client, "--reads", reads]
    batch = Path(programs.run("plan", TASK, "--trials", "1", "--rehearse", NAME, *where))
    plan = documents.read(batch / "batch.json", "batch/1")
    trials = [documents.read(batch / name / "trial.json", "trial/1") for name in plan["order"]]
    work, eval_root = Path(plan["paths"]["work"]), Path(plan["paths"]["eval_root"])
    os.environ[variable] = key  # as a developer's environment would hold one
    try:
        programs.run("stage", batch)
        stage = documents.read(batch / "stage.json", "stage/1")
        for trial, other in zip(trials, trials[::-1], strict=True):
            with bystanders.around(eval_root, work, scratch, canaries.of(other)) as here:
                here.join(trial, stage, batch)
                mine = [one for one in attempts if one.only in (None, side(trial)) and one.wire in ("", wire)]
                turns.write(script, mine, here.variables)
                yield from tried(batch / trial["trial_name"], trial, here, mine, scratch)
    finally:
        del os.environ[variable]
        trees.remove(work)


def side(trial: Document) -> str:
    return "treatment" if trial["setup"] == "symposium" else "baseline"


def tried(
    record: Path, trial: Document, here: Bystanders, attempts: Sequence[Attempt], scratch: Path
) -> Iterator[Finding]:
    before = here.state()
    with here.watching():
        programs.run("trial", record)
    left, changed = here.end_processes(), here.state() != before
    outside = scratch / f"outside-{trial['trial_name']}"
    outside.mkdir()
    path = f"{here.variables['SYSROOT']}/bin:{os.environ['PATH']}"
    key = clients.load(trial["client"]).KEY
    env = {"PATH": path, "LANG": "C.UTF-8", key: os.environ[key], "EVAL_EVIDENCE_DIR": str(outside)}
    session = turns.Session.of(record / "exchanges.jsonl")
    at = (trial["client"], trial["reads"], trial["configuration"])
    court = Court(record, session, here, env, outside, at, left)
    yield from map(court.judge, attempts)
    yield from court.whole(changed)


def parser() -> argparse.ArgumentParser:
    p = programs.parser("adversaries", __doc__)
    p.add_argument("--client", action="append", help="whose tools; may be repeated (default: claude)")
    forms = ("allow-list", "deny-list")
    p.add_argument("--reads", action="append", choices=forms, help="may be repeated (default: allow-list)")
    p.add_argument("--eval-root", type=Path, metavar="DIR", help="where trials run")
    p.add_argument("--attempts", type=Path, default=ATTEMPTS, metavar="DIR", help="their folder")
    p.add_argument("--only", metavar="FAMILY", help="the attempts of one file")
    p.add_argument("--write", type=Path, metavar="FILE", help="also write the table there")
    p.add_argument("--keep", action="store_true", help="keep the record, and say where")
    return p


def main() -> None:
    args = parser().parse_args()
    tied.follow()
    scratch = Path(tempfile.mkdtemp(prefix="agent-eval-adversaries-"))
    scratch.chmod(0o755)
    found: list[Finding] = []
    try:
        attempts = adversary.load(args.attempts)
        chosen = [one for one in attempts if args.only in (None, one.family) or one.possible]
        print(table.COLUMNS)
        for n, (client, reads) in enumerate(product(args.client or ["claude"], args.reads or ["allow-list"])):
            place = scratch / str(n)
            place.mkdir(mode=0o755)
            for finding in play(args, client, reads, chosen, place):
                found.append(finding)
                print(table.row(finding, ", ".join(finding.at)), flush=True)
    except (programs.Broken, documents.Invalid) as error:
        fail("adversaries", Stop(Exit.UNAVAILABLE, str(error)))
    finally:
        if args.keep:
            print(f"kept: {scratch}", file=sys.stderr)
        else:
            with contextlib.suppress(OSError):
                trees.remove(scratch)
    bad = [one for one in found if one.verdict in BAD]
    print(f"{len(found)} attempts, {len(bad)} of them escaped or unproven")
    for one in bad:
        print(f"{one.verdict}: {one.attempt.name} ({', '.join(one.at)}): {one.what}")
    if args.write and not bad:
        documents.write_text(args.write, table.page(found))
    sys.exit(Exit.NO if bad else Exit.OK)


if __name__ == "__main__":
    main()
