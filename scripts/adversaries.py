#!/usr/bin/env python3
"""Let a scripted agent try to get out of a trial, in both configurations, and say what became of it.

The real client runs in the real sandbox; no model is asked. Attempts are data (tests/adversaries/). Every one
must end as refused or recorded; an escape, or an attempt that shows nothing, makes it exit with 1.
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
from dataclasses import replace
from pathlib import Path

import adversary
from adversary import Attempt, bystanders, turns
from adversary.bystanders import Bystanders
from adversary.judge import BAD, Court, Finding
from kit import canaries, documents, programs, tied, trees
from kit.contract import Exit, Stop, fail
from kit.documents import Document

ROOT = Path(__file__).resolve().parents[1]
ATTEMPTS = ROOT / "tests/adversaries"
TASK, NAME = "store-durability", "adversaries"  # a task that runs in both configurations
KEY = "ANTHROPIC_API_KEY"
HEAD = """# What a scripted agent tried, and what became of it

Made by `python scripts/adversaries.py --write docs/adversaries.md`; the attempts are data in
`tests/adversaries/`. The real client made each of them with its own tools, in the real sandbox, in both
configurations. *Refused*: nothing came of it. Each was also done where it can be done, or its file says why
it would have been noticed. *Recorded*: the trial's own documents say that it was done. Zero escaped.

| attempt | it tries to | configuration | what happened | verdict |
|---|---|---|---|---|
"""


def play(args: argparse.Namespace, attempts: Sequence[Attempt], scratch: Path) -> Iterator[Finding]:
    evals, key = scratch / "checkout/evals", f"sk-ant-adversary-{secrets.token_hex(16)}"
    shutil.copytree(ROOT / "evals", evals, ignore=shutil.ignore_patterns("target"))
    script = evals / f"tasks/{TASK}/rehearsals/{NAME}.yaml"
    turns.write(script, [], {})
    root = ["--eval-root", args.eval_root] if args.eval_root else []
    where = ["--evals", evals, "--results", scratch / "results", "--keep-run", *root]
    batch = Path(programs.run("plan", TASK, "--trials", "1", "--rehearse", NAME, *where))
    plan = documents.read(batch / "batch.json", "batch/1")
    trials = [documents.read(batch / name / "trial.json", "trial/1") for name in plan["order"]]
    work, eval_root = Path(plan["paths"]["work"]), Path(plan["paths"]["eval_root"])
    os.environ[KEY] = key  # as a developer's environment would hold one
    try:
        programs.run("stage", batch)
        stage = documents.read(batch / "stage.json", "stage/1")
        for trial, other in zip(trials, trials[::-1], strict=True):
            with bystanders.around(eval_root, work, scratch, canaries.of(other)) as here:
                here.join(trial, stage, batch)
                mine = [one for one in attempts if one.only in (None, side(trial))]
                turns.write(script, mine, here.variables)
                yield from tried(batch / trial["trial_name"], trial, here, mine, scratch)
    finally:
        del os.environ[KEY]
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
    env = {"PATH": path, "LANG": "C.UTF-8", KEY: os.environ[KEY], "EVAL_EVIDENCE_DIR": str(outside)}
    session = turns.Session.of(record / "exchanges.jsonl")
    court = Court(record, session, here, env, outside, trial["configuration"], left)
    yield from map(court.judge, attempts)
    yield from court.whole(changed)


def merged(found: Sequence[Finding]) -> Iterator[Finding]:
    """What came out alike in both configurations, once."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for one in found:
        alike.setdefault((one.attempt.name, one.what, one.verdict), []).append(one)
    for same in alike.values():
        yield replace(same[0], configuration="both") if len(same) > 1 else same[0]


def row(finding: Finding) -> str:
    one = finding.attempt
    cells = (f"{one.family}: {one.name}", one.tries, finding.configuration, finding.what, finding.verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        "adversaries.py", description=(__doc__ or "").split("\n")[0], allow_abbrev=False
    )
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
        print("| attempt | it tries to | configuration | what happened | verdict |\n|---|---|---|---|---|")
        for finding in play(args, chosen, scratch):
            found.append(finding)
            print(row(finding), flush=True)
    except (programs.Broken, documents.Invalid) as error:
        fail("adversaries", Stop(Exit.UNAVAILABLE, str(error)))
    except Stop as stop:
        fail("adversaries", stop)
    except KeyboardInterrupt:
        fail("adversaries", Stop(Exit.INTERRUPTED, "interrupted"))
    finally:
        if args.keep:
            print(f"kept: {scratch}", file=sys.stderr)
        else:
            with contextlib.suppress(OSError):
                trees.remove(scratch)
    bad = [one for one in found if one.verdict in BAD]
    print(f"{len(found)} attempts, {len(bad)} of them escaped or unproven")
    for one in bad:
        print(f"{one.verdict}: {one.attempt.name} ({one.configuration}): {one.what}")
    if args.write and not bad:
        args.write.write_text(HEAD + "".join(f"{row(one)}\n" for one in merged(found)), "utf-8")
    sys.exit(Exit.NO if bad else Exit.OK)


if __name__ == "__main__":
    main()
