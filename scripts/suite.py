#!/usr/bin/env python3
"""Run several tasks, clients and models as one plan, each cell a batch, and say what they show together.

    tasks: [formatting, store-durability]   # default: all
    clients: [claude]
    models: [MODEL]                         # left out: rehearsed
    rehearse: oracle                        # or with:A,without:B
    trials: 2
    prices: prices.yaml                     # {as_of: DATE, usd_per_million: {MODEL: {input: ..., ...}}}

The comparison is treatment minus control by role, task by task; trials of different tasks are never pooled.
The primary measure is the success rate, named here before anything runs. suite.json lies beside the batches.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

import clients
import report
from kit import documents, models, prices, programs, suites, tasks, tied
from kit.contract import Exit, Stop, fail
from kit.documents import Document
from kit.tables import Table
from kit.text import plain

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = "suite/1"
PLACES = {"median_steps": 1, "mean_tokens": 0, "usd_per_trial": 4, "p95_secs": 1, "compactions": 1}  # shown


@dataclass(frozen=True)
class Cell:
    """One batch of the plan, run."""

    task: str
    client: str
    folder: Path
    benchmark: Document

    @property
    def model(self) -> str:
        return str(self.benchmark["model"]["name"])

    def difference(self) -> float | None:
        """None as well where it is withheld."""
        delta = self.benchmark["delta"]
        return delta["success_rate"] if delta and not delta.get("withheld") else None

    def succeeded(self) -> list[str]:
        """Of the control and of the treatment: how many of how many; "-" where the task has no control."""
        found = {
            c["role"]: f"{c['succeeded']} of {c['eligible']}"
            for c in self.benchmark["configurations"].values()
        }
        return [found.get(role, "-") for role in ("control", "treatment")]

    def trials(self, role: str) -> Iterator[models.Trial]:
        for file in sorted(self.folder.glob("trial-*/result.json")):
            result = documents.read(file, "result/1")
            if result["role"] == role:
                yield models.Trial(self.task, result)


def cells(plan: Document, args: argparse.Namespace, results: Path) -> Iterator[Cell]:
    """Run them one after another, tasks innermost."""
    names = plan.get("tasks") or tasks.names(args.evals)
    root = ["--eval-root", str(args.eval_root)] if args.eval_root else []
    for model, client, task in itertools.product(plan.get("models") or [None], plan["clients"], names):
        who = ["--model", model] if model else ["--rehearse", plan.get("rehearse", "oracle")]
        trials = ["--trials", str(plan["trials"])] if "trials" in plan else []
        where = ["--evals", str(args.evals), "--results", str(results), "--client", client, *root]
        where += ["--prices", str(args.plan.parent / plan["prices"])] if "prices" in plan else []
        folder = Path(programs.run("plan", task, *who, *trials, *where))
        print(f"{task}, {client}, {model or 'rehearsed'}: {folder}", file=sys.stderr, flush=True)
        programs.run("batch", folder)
        yield Cell(task, client, folder, documents.read(folder / "benchmark.json", "benchmark/1"))


def together(ran: list[Cell], priced: Document | None) -> Iterator[Document]:
    """For each client and model: the comparison over tasks, and the treatment's line of the table."""
    for (client, model), group in itertools.groupby(ran, key=lambda cell: (cell.client, cell.model)):
        mine = list(group)
        found = suites.over([d for cell in mine if (d := cell.difference()) is not None])
        price = ((priced or {}).get("usd_per_million") or {}).get(model)
        trials = [trial for cell in mine for trial in cell.trials("treatment")]
        yield {
            "client": client,
            "model": model,
            "primary": "success_rate",
            "differences": {cell.task: cell.difference() for cell in mine},
            "mean": found.mean,
            "interval": list(found.interval) if found.interval else None,
            "bootstrap": list(found.bootstrap) if found.bootstrap else None,
            "p_value": float(f"{found.p_value:.3g}") if found.p_value is not None else None,
            "statement": suites.sentence(found),
            "table": models.row(
                clients.provider(client, model.startswith("rehearsal:")), model, trials, price
            ),
        }


def show(document: Document, ran: list[Cell]) -> None:
    """For each client and model its tasks, then a line for each of what a trial of the treatment takes."""
    console = Console(highlight=False, markup=False, emoji=False)
    for compared in document["compared"]:
        mine = [c for c in ran if (c.client, c.model) == (compared["client"], compared["model"])]
        columns = ["task", "control", "treatment", "difference"]
        rows = [[plain(cell.task), *cell.succeeded(), signed(cell.difference())] for cell in mine]
        rows.append(["mean over tasks", "", "", signed(compared["mean"])])
        console.print(f"\n{compared['client']}, {plain(compared['model'])}: successes of eligible trials")
        console.print(report.drawn(Table("", columns, rows, frozenset(columns[1:]))))
        console.print(compared["statement"])
    keys = ("pass_rate", "median_steps", "mean_tokens", "usd_per_trial", "p95_secs", "compactions")
    columns = ["provider, model", "pass rate", "steps", "tokens", "USD", "p95 s", "compactions"]
    rows = []
    for row in (compared["table"] for compared in document["compared"]):
        numbers = ["-" if row[key] is None else f"{row[key]:.{PLACES.get(key, 2)}f}" for key in keys]
        rows.append([f"{row['provider']} {plain(row['model'])}", *numbers])
    console.print("\nWhat a trial of the treatment takes")
    console.print(report.drawn(Table("", columns, rows, frozenset(columns[1:]))))
    if document["rehearsed"]:
        console.print("REHEARSED: these numbers say nothing about a model.")
    if document["prices_as_of"] is None:
        console.print("No price file: what it cost is not known (null), not 0.")


def signed(difference: float | None) -> str:
    return "-" if difference is None else f"{difference:+.2f}"


def main() -> None:
    parser = programs.parser("suite", __doc__)
    parser.add_argument("plan", type=Path, metavar="PLAN.yaml")
    parser.add_argument("--evals", type=Path, default=ROOT / "evals", metavar="DIR")
    parser.add_argument("--results", type=Path, default=ROOT / "results", metavar="DIR")
    parser.add_argument("--eval-root", type=Path, metavar="DIR", help="where trials run")
    args = parser.parse_args()
    tied.follow()
    try:
        plan = prices.read_yaml(args.plan, "suite-plan/1")
        priced = prices.read_yaml(args.plan.parent / plan["prices"], "prices/1") if "prices" in plan else None
        folder = args.results.resolve() / "suites" / f"{args.plan.stem}-{time.strftime('%Y%m%d-%H%M%S')}"
        ran = list(cells(plan, args, folder))
    except KeyboardInterrupt:
        fail("suite", Stop(Exit.INTERRUPTED, "interrupted; finished batches are kept"))
    body = {
        "rehearsed": not plan.get("models"),
        "prices_as_of": str(priced["as_of"]) if priced else None,
        "batches": [str(cell.folder.relative_to(folder)) for cell in ran],
        "compared": list(together(ran, priced)),
    }
    documents.write(folder / "suite.json", SCHEMA, body)
    show(body, ran)
    print(folder / "suite.json")


if __name__ == "__main__":
    main()
