"""The course of a batch: put in order what is there, stage, probe, run, count and report.

It is the same for a new batch and for one that is resumed: what never started is run. Whatever happens, every
planned trial ends with a result, the batch is counted and reported, and no scratch folder is left.
"""

from __future__ import annotations

import argparse
import functools
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import aggregate
import clients
import planning
import report
import smoke
import stage
from batches import asking, closing, restaging, room, standing
from batches.asking import Asked
from batches.breaker import Breaker
from batches.ray_engine import RayRunner
from batches.running import Runner
from batches.screen import Screen
from batches.standing import Standing
from kit import claims, documents, leftovers, programs, trees
from kit.contract import Exit, Folder, Stop
from kit.documents import Document
from kit.layout import BENCHMARK, RESULT, STAGE


@dataclass
class Batch:
    folder: Path
    plan: Document
    args: argparse.Namespace
    asked: Asked
    screen: Screen

    def run(self, lock: int) -> Exit:
        found = self.begin()
        if not found.never:
            self.screen.say("every trial has been run or was cut: only counted again")
            return self.conclude(None)
        code = self.tools(found)
        here = not self.args.no_preflight and self.cluster is None  # a cluster's nodes each probe their own
        if code is Exit.OK and here:
            self.screen.say("probing the sandbox")
            probes = functools.partial(smoke.preflight, self.folder)
            code = asking.aside(probes, self.asked, hold_output=True)
            if code not in (Exit.OK, Exit.INTERRUPTED):
                see = programs.typed("smoke", shlex.quote(str(self.folder)))
                self.screen.say(f"preflight failed: no trial was started; see `{see}`")
                return Exit.UNAVAILABLE
        if code not in (Exit.OK, Exit.INTERRUPTED):
            return code
        runner = self.runner(lock)
        runner.run(found.never)
        return self.conclude(runner.stopped)

    def begin(self) -> Standing:
        """Where the batch stands; what died in the middle is finished, what never started may be run."""
        found = standing.look(self.folder, self.plan)
        ran = [*found.finished, *found.cut, *(n for n in found.never if self.result(n).exists())]
        if ran and not self.args.resume:
            todo = "--resume runs those that never started; a rerun is a new batch"
            raise Stop(Exit.EXISTS, f"{self.folder}: {ran[0]} has been run or cancelled; {todo}")
        if not self.plan["rehearsals"] and (found.never or found.cut):  # a torn result's trial is one of them
            todo = "then again: trials ask with it, and it is looked for in what a cut one left"
            planning.need_key(clients.load(self.plan["client"]), self.plan["model"]["name"], todo)
        if found.finished:
            done = [documents.read(self.result(name), "result/1") for name in found.finished]
            if found.never:
                restaging.same_task(self.plan, {r["task"]["content_hash"] for r in done} - {None})
            for result in done:
                self.screen.count(result)
        for name, why in found.torn.items():
            self.screen.say(f"{why}; set aside, and made again from the trial's record")
            closing.set_aside(self.folder / name)
        for name in found.cut:  # before the reaping: what is left in its run folder is kept
            closing.close(self.folder / name)
            self.screen.say(f"{name}: {documents.read(self.result(name), 'result/1')['reason']}")
        for line in leftovers.reap(Path(self.plan["paths"]["eval_root"])):
            self.screen.say(f"left by a runner that was killed: {line}")
        if ran:
            said = (
                f"resuming: {len(found.finished)} finished, {len(found.cut)} cut, {len(found.never)} to run"
            )
            self.screen.say(said)
        self.screen.done = len(found.finished) + len(found.cut)
        return found

    def tools(self, found: Standing) -> Exit:
        if not (self.folder / STAGE.path).exists():
            self.screen.say(f"staging {self.plan['client']} and its tools")
            work = functools.partial(stage.STEP.execute, stage.run, Folder(self.folder, stage.STEP))
            return asking.aside(work, self.asked, hold_output=False)
        staged = documents.read(self.folder / STAGE.path, "stage/1")
        self.screen.say(f"putting the batch's own {self.plan['client']} and tools back")
        restaging.again(self.plan, staged, self.screen.say)
        return Exit.OK

    @property
    def cluster(self) -> str | None:
        """The address of the Ray cluster that runs the trials; None: this machine does."""
        here = self.args.engine == "local"
        return None if here else planning.cluster(self.args) or self.plan.get("cluster")

    def runner(self, lock: int) -> Runner:
        jobs = self.args.jobs or self.plan.get("jobs", 1)
        look = functools.partial(room.look, [Path(self.plan["paths"]["eval_root"]), self.folder])
        kind: Callable[..., Runner] = Runner
        if self.cluster:
            planning.need_ray()
            probes = not self.args.no_preflight
            kind = functools.partial(RayRunner, plan=self.plan, address=self.cluster, preflight=probes)
        return kind(
            self.folder,
            jobs,
            lock,
            self.asked,
            Breaker(self.args.stop_after),
            self.screen,
            crowded=lambda running: room.crowded(look(), running),
            full=lambda: room.full(look()),
        )

    def conclude(self, stopped: str | None) -> Exit:
        """Count and report, whatever happened before; no signal ends this."""
        if stopped:
            self.screen.say(f"stopped: {stopped}; the rest is cancelled; --resume runs what never started")
        elif self.asked:
            self.screen.say("interrupted: the rest is cancelled; --resume runs what never started")
        for name in self.plan["order"]:
            if not self.result(name).exists():
                closing.close(self.folder / name)
        steps = (aggregate, report)
        codes = [s.STEP.execute(s.run, Folder(self.folder, s.STEP), redo=True) for s in steps]
        for line in closing.without_key(self.folder, self.plan):
            self.screen.say(line)
        if not self.plan["keep_run"]:
            trees.remove(Path(self.plan["paths"]["work"]))
        failed = next((code for code in codes if code is not Exit.OK), Exit.OK)
        if self.asked or stopped or failed is not Exit.OK:
            return Exit.INTERRUPTED if self.asked else Exit.UNAVAILABLE if stopped else failed
        counted = documents.read(self.folder / BENCHMARK.path, "benchmark/1")["configurations"]
        if claims.comparisons(counted) and (unlike := "; ".join(claims.uneven(counted))):
            self.screen.say(f"not comparable: lost unevenly: {unlike}; no difference can be stated (exit 1)")
            return Exit.NO
        return Exit.OK

    def result(self, name: str) -> Path:
        return self.folder / name / RESULT.path
