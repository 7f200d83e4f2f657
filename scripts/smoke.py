#!/usr/bin/env python3
"""Look, without a model, whether a batch's sandbox keeps its promises: throw-away trials, probed from inside.

For each configuration a trial is prepared exactly like the batch's own, probed in one sandbox, and removed.
It starts no client on a task and leaves nothing in the batch folder. A probe that fails is the machine's, the
stage's or our fault; no trial should then be started.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import secrets
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import clients
import prepare
import probes
import rungs
from kit import documents, leftovers, programs, staged, tied, trees, uids
from kit.contract import Exit, Folder, Stop, fail
from kit.documents import Document
from kit.layout import BATCH, SETUP, STAGE, TRIAL
from probes import Probe, ProbeResult, Scene, decoys, works
from probes.listed import PROBES

FORMS: dict[str, Sequence[str]] = {
    "srt, allow-list": (),
    "srt, deny-list": ("--reads", "deny-list"),
    "own, the client's sandbox (exploratory)": ("--exploratory",),
}
BOTH = "store-durability"  # a task that runs with and without Symposium


def preflight(batch: Path, *, every: bool = False) -> bool:
    """Print what fails (or every probe) for each configuration; true when nothing did."""
    plan, stage = (documents.read(batch / one.path, str(one.schema)) for one in (BATCH, STAGE))
    good, controls = True, probes.Controls()
    for configuration in plan["configurations"]:
        results = probed(batch, plan, stage, configuration["name"], controls)
        failed = [result for result in results if not result.passed and must(plan, result)]
        still_open = [result for result in results if not result.passed and not must(plan, result)]
        good = good and not failed
        for result in results if every else failed:
            mark = "ok  " if result.passed else "FAIL" if result in failed else "open"
            print(f"{configuration['name']}: {mark} {result.says} ({result.name}): {result.detail}")
        passed = len(results) - len(failed) - len(still_open)
        print(f"{configuration['name']}: {passed} of {len(results)} probes passed", end="")
        print(f"; {len(still_open)} open, which only the client's own sandbox may close" * bool(still_open))
    return good


def probed(
    batch: Path, plan: Document, stage: Document, configuration: str, controls: probes.Controls
) -> list[ProbeResult]:
    with scene(batch, plan, stage, configuration) as made:
        if isinstance(made, Exit):
            why = f"{made.name.lower()}; said above"
            return [ProbeResult("prepare", "a trial can be prepared", False, why)]
        return probes.run(made, probes_of(made), controls)


def must(plan: Document, result: ProbeResult) -> bool:
    """Whether no trial may be started when it fails. Without srt: what a trial needs to run at all."""
    needed = {"prepare", *(probe.name for probe in works.PROBES)}
    return rungs.load(plan["rung"]).COMPARABLE or result.name in needed


def probes_of(scene: Scene) -> list[Probe]:
    """Direct: none of the gateway's route, or that needs its answer for a control: no model is asked here."""
    return [p for p in PROBES if not (scene.box.host and "model-answers" in (p.name, p.control))]


@contextlib.contextmanager
def scene(batch: Path, plan: Document, stage: Document, configuration: str) -> Iterator[Scene | Exit]:
    """A prepared trial of that configuration and what the probes are about; or how prepare failed."""
    with throw_away(batch, plan, configuration) as folder:
        code = prepare.STEP.execute(prepare.run, Folder(folder, prepare.STEP), quiet=True)
        if code is Exit.INTERRUPTED:
            raise KeyboardInterrupt
        if code is not Exit.OK:
            yield code
            return
        trial, setup = (documents.read(folder / one.path, str(one.schema)) for one in (TRIAL, SETUP))
        box = rungs.trial_box(trial, stage, setup["uid"])
        places = {name: Path(place) for name, place in trial["paths"].items()}
        binary, rung = clients.load(plan["client"]).BINARY, rungs.load(plan["rung"])
        shut = [*staged.others(stage, trial), *filter(reachable, staged.given(plan))]
        around = decoys.around(
            box, shut, binary, places["work"], places["eval_root"], places["evals"], batch.parent
        )
        with around as variables:
            yield Scene(rung, box, stage, setup["environment"], trial["setup"] == "symposium", variables)


def reachable(program: str) -> bool:
    """Whether a trial's uid could run it without a sandbox; else the probe would have no control."""
    path = Path(program)
    return os.geteuid() != 0 or all(place.stat().st_mode & 0o001 for place in (path, *path.parents))


@contextlib.contextmanager
def throw_away(batch: Path, plan: Document, configuration: str) -> Iterator[Path]:
    """A trial folder like those of that configuration, with places of its own, outside the batch folder."""
    like = next(name for name in plan["order"] if trial_of(batch, name)["configuration"] == configuration)
    trial, name = trial_of(batch, like), f"probes-{secrets.token_hex(4)}"
    paths, controls = trial["paths"], Path(trial["paths"]["control"]).parent
    own = {"run": f"{paths['work']}/{name}", "control": f"{controls}/{secrets.token_hex(4)}"}
    held = uids.holding()
    folders = [Path(place) for place in own.values()]
    with (
        tempfile.TemporaryDirectory(prefix="agent-eval-") as temporary,
        leftovers.owned(Path(paths["eval_root"]), name, [*folders, Path(temporary)]),
    ):
        try:
            for document in (BATCH, STAGE):
                shutil.copyfile(batch / document.path, Path(temporary, document.path))
            folder = Path(temporary, name)
            documents.write(
                folder / TRIAL.path, "trial/1", {**trial, "trial_name": name, "paths": {**paths, **own}}
            )
            yield folder
        finally:
            for place in (*folders, Path(temporary)):
                trees.remove(place)
            for uid in uids.holding() - held:
                uids.release(uid)


def trial_of(batch: Path, name: str) -> Document:
    return documents.read(batch / name / TRIAL.path, str(TRIAL.schema))


def cost(batch: Path, rounds: int = 3) -> dict[str, float]:
    """Median seconds of a preflight, of it the starts of its sandboxes, and what is beyond these.

    Two sandboxes a configuration: the set-up's own commands, and the probes. For bench.py; batch is staged.
    """
    plan, stage = (documents.read(batch / one.path, str(one.schema)) for one in (BATCH, STAGE))
    whole, starts = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            preflight(batch)
        whole.append(time.perf_counter() - began)
        starts.append(2 * len(plan["configurations"]) * one_start(batch, plan, stage))
    total, own = statistics.median(whole), statistics.median(starts)
    return {"preflight": total, "sandbox starts": own, "beyond": total - own}


def one_start(batch: Path, plan: Document, stage: Document) -> float:
    with scene(batch, plan, stage, plan["configurations"][0]["name"]) as made:
        if isinstance(made, Exit):
            raise Stop(made, f"{batch}: no trial could be prepared; the reason stands above")
        began = time.perf_counter()
        probes.look(made, [])
        return time.perf_counter() - began


@contextlib.contextmanager
def planned(client: str, eval_root: Path | None, *form: str) -> Iterator[Path]:
    """A batch of both configurations, staged, of which no trial is ever started. form: options of plan.py."""
    with tempfile.TemporaryDirectory(prefix="agent-eval-smoke-") as results:
        where = ["--results", results, *(["--eval-root", str(eval_root)] if eval_root else []), *form]
        batch = Path(programs.run("plan", BOTH, "--trials", "1", "--client", client, *where))
        try:
            programs.run("stage", batch)
            yield batch
        finally:
            trees.remove(Path(documents.read(batch / BATCH.path, "batch/1")["paths"]["work"]))


def all_forms(args: argparse.Namespace) -> bool:
    """Every probe of both configurations, on each rung and in each form of its policy."""
    good = True
    for name, form in FORMS.items():
        print(f"\n{name}")
        with planned(args.client, args.eval_root, *form) as batch:
            good = preflight(batch, every=True) and good
    return good


def main() -> None:
    parser = programs.parser("smoke", __doc__)
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="BATCH_DIR", help="default: one made for this"
    )
    parser.add_argument("--eval-root", type=Path, metavar="DIR", help="where that one runs")
    parser.add_argument("--client", default="claude", help="whose")
    args = parser.parse_args()
    tied.follow()
    try:
        good = preflight(args.folder.resolve(), every=True) if args.folder else all_forms(args)
    except FileNotFoundError as error:
        fail("smoke", Stop(Exit.NO_INPUT, f"{error.filename}: missing; plan and stage a batch first"))
    sys.exit(Exit.OK if good else Exit.NO)


if __name__ == "__main__":
    main()
