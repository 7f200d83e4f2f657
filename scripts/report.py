#!/usr/bin/env python3
"""Say what a batch came to: a table for the terminal, report.md, report.html and junit.xml.

It counts nothing itself (aggregate does) and decides nothing; text that an agent could have chosen is made
harmless before it is shown. Without a terminal, or with NO_COLOR, the output is plain text.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Drawn
from rich.text import Text

import aggregate
import clients
from kit import claims, documents, markdown, programs, sentences, tables
from kit.contract import Exit, Folder, Step, Stop
from kit.documents import Document
from kit.layout import BATCH, BENCHMARK, JUNIT, PAGE, RECORDS, REPORT, RESULT, RESULTS, STAGE
from kit.tables import Batch, Table
from kit.text import plain
from reports import html, junit

STEP = Step(
    name="report",
    does="Say what a batch came to: a table for the terminal, report.md, report.html and junit.xml.",
    kind="derived",
    scope="batch",
    reads=[BATCH, BENCHMARK],
    may_read=[STAGE, RESULTS, RECORDS],
    writes=[REPORT, PAGE, JUNIT],
)
STYLES = {"SUCCEEDED": "bold green", "FAILED": "bold red", "FAIL": "red", "pass": "green", "?": "yellow"}
MOST_PATHS = 10
MOST_ROWS, MOST_LINES, LONGEST = 40, 8, 300  # of a table, of a section, of a reason; more in report.html
FULL = "show every table, reason and path, and what the words mean"


def run(folder: Folder, conservative: bool = False, full: bool = False) -> None:
    batch = read(folder)
    if conservative:  # counted again for this report; benchmark.json stays as it is
        results = aggregate.read_results(folder.root, batch.plan)
        batch = replace(batch, benchmark=aggregate.counted(batch.plan, results, True))
    documents.write_text(folder.path(REPORT), markdown.of(batch))
    documents.write_text(folder.path(JUNIT), junit.of(batch))
    documents.write_text(folder.path(PAGE), html.of(batch, folder.root))
    folder.path(PAGE).chmod(0o600)  # it holds of a trial's folder, which is closed to others as well
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a text stream, here
    draw(Console(highlight=False, markup=False, emoji=False), batch, folder.root, full)


def read(folder: Folder) -> Batch:
    plan, results = folder.read(BATCH), {}
    for name in plan["order"]:
        file = folder.root / RESULTS.path.replace("<trial>", name)
        try:
            results[name] = documents.read(file, RESULT.schema or "")
        except FileNotFoundError:
            continue  # shown as a trial without a result
        except documents.Invalid as error:
            raise Stop(Exit.BAD_INPUT, f"{error}; redo it with `finalize.py --redo TRIAL_DIR`") from error
    return Batch(plan, folder.read(BENCHMARK), results, folder.maybe(STAGE))


def draw(console: Console, batch: Batch, root: Path, full: bool = False) -> None:
    """The tables first, then what they show; paths stand last, unbroken. full: all that report.md says."""
    plan = batch.plan
    headline = f"{plan['task']} ({plan['kind']}), {plan['client']}, {plain(plan['model']['name'])}"
    console.print(Text(f"\n{headline}", "bold"))
    if plan["rehearsals"]:
        console.print(Text("REHEARSED: no model was asked.", "bold yellow"))
    if plan["isolation"] != "enforced":
        console.print(
            Text("EXPLORATORY: in the client's own sandbox, without srt; never compared.", "bold yellow")
        )
    if plan.get("route") == "direct":
        console.print(
            Text("DIRECT: the client asked the model itself; no request was recorded.", "bold yellow")
        )
    for table in everything(batch) if full else brief(batch):
        console.print(Text(f"\n{table.title}", "bold"))
        console.print(drawn(table))
    console.print()
    for line in tables.legend(batch) if full else [" ".join(tables.LEGEND)]:
        console.print(indented(line, "dim"))
    for title, lines in sentences.sections(batch) if full else what_matters(batch):
        console.print(Text(f"\n{title}", "bold"))
        for line in lines:
            console.print(indented(line))
    console.print(Text("\nNext", "bold"))
    for line in (*commands(batch, root, full), *(("", *paths(batch, root)) if full else ())):
        console.print(Text(f"  {line}"), soft_wrap=True)


def everything(batch: Batch) -> Iterator[Table]:
    yield from (*tables.of(batch), *unlike(batch), tables.takes(batch))


def unlike(batch: Batch) -> list[Table]:
    """Where several cargo-agents differ in what they can do."""
    apart = [tables.apart(table) for table in tables.capabilities(batch)]
    return [table for table in apart if table.rows]


def brief(batch: Batch) -> Iterator[Table]:
    for table in (tables.trials(batch), *tables.symposium(batch)):
        left = len(table.rows) - MOST_ROWS
        more = f" (the first {MOST_ROWS}; {left} more in {PAGE.path})" if left > 0 else ""
        yield replace(table, title=table.title + more, rows=table.rows[:MOST_ROWS])
    if len(batch.plan["order"]) > 1:
        yield tables.rates(batch)
    yield from unlike(batch)


def what_matters(batch: Batch) -> Iterator[tuple[str, Sequence[str]]]:
    """What it shows, and why something did not succeed; each short: the whole is in report.html."""
    said = dict(sentences.sections(batch))
    groups = [group for group in sentences.alike(batch) if group.outcome != tables.OUTCOME["succeeded"]]
    said["Why"] = [f"{trials}: {why}" for trials, why in sentences.reasons(groups)]
    for title in ("What this shows", "Warnings", "Why", "Findings"):
        if lines := said.get(title, []):
            left = len(lines) - MOST_LINES
            more = [f"and {left} more in {PAGE.path}"] if left > 0 else []
            shown = [
                one if len(one) <= LONGEST or title != "Why" else f"{one[:LONGEST]} ..." for one in lines
            ]
            yield title, [*shown[:MOST_LINES], *more]


def indented(line: str, style: str = "") -> Padding:
    return Padding(Text(line, style), (0, 0, 0, 2), expand=False)


def drawn(table: Table) -> Drawn:
    made = Drawn(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for column in table.columns:
        justify: Literal["left", "right"] = "right" if column in table.numeric else "left"
        made.add_column(Text(column), justify=justify, overflow="fold")
    for row in table.rows:
        made.add_row(*(Text(cell, STYLES.get(cell.split(" ")[0], "")) for cell in row))
    return made


def commands(batch: Batch, root: Path, full: bool) -> Iterator[str]:
    """The exact next things to type, or to open."""
    plan = batch.plan
    ended = {name: result["outcome"] for name, result in batch.results.items()}
    name = next((name for name, outcome in ended.items() if outcome != "succeeded"), plan["order"][0])
    first = shlex.quote(str(root / name))
    yield f"look into a trial:  ls {first}"
    if any(ended.get(name) in (None, "cancelled") for name in plan["order"]):
        yield f"run what is left:   {programs.typed('eval', f'--resume {shlex.quote(str(root))}')}"
    if full:
        yield f"count it again:     {programs.typed('redo', shlex.quote(str(root)))}"
        yield f"grade it again:     {programs.typed('regrade', shlex.quote(str(root)))}"
    if plan["rehearsals"]:
        known = plan["client"] in clients.names()
        key = clients.load(plan["client"]).KEY if known else "the client's own key variable"
        task, client = shlex.quote(plan["task"]), shlex.quote(plan["client"])
        session = "aa" if claims.alike(plan["configurations"]) else "eval"
        words = f"{task} --client {client}{compared(plan)}{flags(plan)} --model MODEL"
        yield f"ask a real model:   {programs.typed(session, words)}"
        yield f"                    (needs {key}, and costs money)"
    if not full:
        yield f"see every table:    {programs.typed('redo', f'--full {shlex.quote(str(root))}')}"
        yield f"and every detail:   {root / PAGE.path}"


def flags(plan: Document) -> str:
    """What else this batch was planned with, so that the next is no other experiment."""
    said = [f"--trials {plan['trials']}"]
    said += ["--exploratory"] if plan["isolation"] == "exploratory" else []
    said += [f"--reads {plan['reads']}"] if plan["reads"] != "allow-list" and not said[1:] else []
    return "".join(f" {flag}" for flag in said)


def compared(plan: Document) -> str:
    """The flag that plans these configurations again; "" for a task's own."""
    paths = {c["name"]: c.get("symposium", {}).get("path") for c in plan["configurations"]}
    if {*paths} <= {"with-symposium", "without-symposium"} or claims.alike(plan["configurations"]):
        return ""
    words = [f"{name}={path}" if path else name for name, path in paths.items()]
    return f" --compare {shlex.quote(','.join(words))}"


def paths(batch: Batch, root: Path) -> Iterator[str]:
    yield f"report:    {root / PAGE.path}"
    yield f"           {root / REPORT.path}"
    yield f"benchmark: {root / BENCHMARK.path}"
    results = [str(root / name / RESULT.path) for name in batch.plan["order"] if name in batch.results]
    if len(results) > MOST_PATHS:
        results = [f"{root / RESULTS.path} ({len(results)} of them)"]
    yield from (f"result:    {result}" for result in results)


if __name__ == "__main__":
    STEP.main(run, conservative=aggregate.CONSERVATIVE, full=FULL)
