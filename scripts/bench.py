#!/usr/bin/env python3
"""Time the harness: its own seconds per trial and before a batch, and cargo in the grading's sandboxes.

A benchmark, not a test: it prints medians over several rounds, the two sides of a ratio in turn, and judges
nothing. "Harness" is everything but the client's session and cargo, the sandbox's starts included. `python`
times the grading of small Python tasks instead (benching/small_python.py).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import plan
import smoke
from benching import small_python
from graders import grading_copy
from kit import documents, programs, seal, tasks, tied, tools, trees
from kit.contract import Exit, Stop, fail

ROOT = Path(__file__).resolve().parents[1]
BY_HAND = (
    ("build",),
    ("test", "--lib"),
    ("test", "--test", "double"),
    ("fmt", "--check"),
)


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def trial(folder: Path) -> dict[str, float]:
    """Run a planned trial; where its seconds went."""
    wall = timed(lambda: programs.run("trial", folder))
    execution = documents.read(folder / "execution.json", "execution/1")
    grading = documents.read(folder / "grading.json", "grading/1")
    timings = documents.read(folder / "result.json", "result/1")["timings"]
    session, cargo = execution["elapsed_secs"], grading["cargo_secs"]
    start = timings["prepare"]  # one start of the sandbox, and little else
    return {
        "whole trial": wall,
        "client, its sandbox's start included": session,
        "cargo": cargo,
        "sandbox starts of the grading": grading["sandbox_secs"],
        "  one of them": grading["sandbox_secs"] / grading["sandboxes"],
        "harness, all sandbox starts included": wall - (session - start) - cargo,
        **{f"  {name}": timings[name] for name in ("prepare", "collect", "grade")},
    }


def sealed_and_copied(task: tasks.Task, crate: Path, scratch: Path) -> dict[str, float]:
    """What comes before a grading: the seal with its copy, and the grading copy."""
    for folder in ("kept", "copy", "fixtures"):
        trees.remove(scratch / folder)
    (scratch / "copy").mkdir()
    (scratch / "fixtures").mkdir()
    return {
        "seal": timed(lambda: seal.seal(crate, scratch / "kept")),
        "grading copy": timed(
            lambda: grading_copy.make(task, scratch / "kept", scratch / "copy", scratch / "fixtures")
        ),
    }


def by_hand(crate: Path, env: dict[str, str]) -> float:
    """The same commands, typed one after another in a fresh copy."""

    def commands() -> None:
        for words in BY_HAND:
            argv = [Path(env["PATH"].split(":")[0]) / "cargo", *words]
            done = subprocess.run(argv, cwd=crate, env=env, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Stop(Exit.UNAVAILABLE, f"cargo {' '.join(words)}: failed by hand: {done.stderr[-400:]}")

    return timed(commands)


def lay_out(task: tasks.Task, into: Path) -> Path:
    """The solution over the starter, with the hidden tests, as a person would test it."""
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(task.starter, into)
    shutil.copytree(task.folder / "solution", into, dirs_exist_ok=True)
    shutil.copytree(task.checks, into / "tests", dirs_exist_ok=True)
    return into


def show(title: str, rows: Sequence[dict[str, float]]) -> None:
    print(f"\n{title} (seconds; median, least, most of {len(rows)})")
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"  {name:<42} {statistics.median(values):6.2f} {min(values):6.2f} {max(values):6.2f}")


def measure(rounds: int, eval_root: list[str]) -> None:
    task = tasks.load(ROOT / "evals", "formatting")
    toolchain = tools.find().sysroot
    with tempfile.TemporaryDirectory(prefix="agent-eval-bench-") as scratch:
        env = {"PATH": f"{toolchain}/bin:/usr/bin:/bin", "HOME": scratch, "CARGO_NET_OFFLINE": "true"}
        where = ["--results", f"{scratch}/results", *eval_root]
        batch = Path(programs.run("plan", task.name, "--trials", str(rounds + 1), *where))
        work = Path(documents.read(batch / "batch.json", "batch/1")["paths"]["work"])
        trials, hands, copies = [], [], []
        try:
            programs.run("stage", batch)
            for name in documents.read(batch / "batch.json", "batch/1")["order"]:
                crate = lay_out(task, Path(scratch) / "by-hand")
                copies.append(sealed_and_copied(task, crate, Path(scratch)))
                hands.append(by_hand(crate, env))
                trials.append(trial(batch / name))
        finally:
            trees.remove(work)
        with smoke.planned("claude", Path(eval_root[1]) if eval_root else None) as both:
            smoke.cost(both, 1)
            looks = [smoke.cost(both, 1) for _ in range(rounds)]
    trials, hands, copies = trials[1:], hands[1:], copies[1:]  # the first warms the disk's cache
    show("A rehearsed trial", trials)
    ratios = [row["cargo"] / hand for row, hand in zip(trials, hands, strict=True)]
    show(
        "Grading",
        [
            {"cargo by hand": h, "ratio, sandboxed to by hand": r, **c}
            for h, r, c in zip(hands, ratios, copies, strict=True)
        ],
    )
    show("The sandbox's probes before a batch of both configurations", looks)
    print(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def main() -> None:
    parser = argparse.ArgumentParser(
        "bench.py", description=(__doc__ or "").split("\n")[0], allow_abbrev=False
    )
    parser.add_argument("what", nargs="?", choices=["trial", "python"], default="trial")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="for python")
    parser.add_argument(
        "--rounds", type=int, default=5, metavar="N", help="counted rounds, after one warm-up"
    )
    parser.add_argument("--eval-root", metavar="DIR", help="where trials run")
    args = parser.parse_args()
    tied.follow()
    try:
        if args.what == "python":
            small_python.measure(Path(args.eval_root or plan.eval_root()).resolve(), args.rounds, args.jobs)
        else:
            measure(args.rounds, ["--eval-root", args.eval_root] if args.eval_root else [])
    except programs.Broken as error:
        fail("bench", Stop(Exit.UNAVAILABLE, str(error)))
    except Stop as stop:
        fail("bench", stop)


if __name__ == "__main__":
    main()
