"""report.html: one file that needs nothing else, drawn from a batch's documents.

All text goes through the template's escaping or is set as text by the page's own code; a content security
policy names that code and the style by their hashes, so nothing that a record holds is ever run. The same
record gives the same bytes: no time of writing, no path of this machine but what a transcript itself holds.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kit import claims, contents, documents, layout, tables
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.tables import Batch
from kit.text import plain
from reports import detail, plots, rounds, summary
from reports.changes import Starter
from reports.detail import Detail, Trial

HERE = Path(__file__).resolve().parent


def of(batch: Batch, root: Path) -> str:
    details = {name: detail.of(trial, len(batch.plan["order"])) for name, trial in trials(batch, root)}
    style, code = (HERE / "page.css").read_text("utf-8"), (HERE / "page.js").read_text("utf-8")
    context = {
        "css": trusted(style),
        "js": trusted(code),
        "policy": policy(style, code),
        **summary.top(batch, details),
        **pictures(batch, details),
        **lists(batch),
        "embedding": embedding(details),
        "details": [(name, trusted(detail.embedded(made))) for name, made in details.items()],
    }
    return str(template().render(context))


@functools.cache
def template() -> Any:
    try:
        import jinja2  # only where a page is made
    except ImportError as error:
        raise Stop(
            Exit.UNAVAILABLE, "jinja2: not installed; install the `run` group of pyproject.toml"
        ) from error
    loader = jinja2.FileSystemLoader(HERE)
    rules = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    rules.filters["at"] = lambda percent: f"{percent:.2f}%"
    return rules.get_template("page.html")


def trusted(text: str) -> Any:
    """Ours, or made safe by detail.embedded: not escaped again."""
    from markupsafe import Markup

    return Markup(text)


def policy(style: str, code: str) -> str:
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, code)]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def trials(batch: Batch, root: Path) -> Iterator[tuple[str, Trial]]:
    known: dict[str, Starter | None] = {}  # by content hash
    for name in batch.plan["order"]:
        result = batch.results.get(name)
        given = (result or {}).get("task", {}).get("content_hash")
        if given and given not in known:
            known[given] = starter(Path(batch.plan["paths"]["evals"]), root / name, given)
        yield name, Trial(root / name, result, known.get(given))


def starter(evals: Path, trial: Path, given: str) -> Starter | None:
    try:
        task = documents.read(trial / layout.TASK.path, "task/1")
        folder = evals / "tasks" / task["name"]
        beside = [evals / kind / name for kind in ("plugins", "fixtures") for name in task[kind]]
        same = contents.content_hash(evals, [folder, *beside]) == given
    except (OSError, documents.Invalid):
        return None
    return Starter(folder / "starter", same) if (folder / "starter").is_dir() else None


def pictures(batch: Batch, details: Mapping[str, Detail]) -> Document:
    return {
        "rates": plots.rates(batch.benchmark),
        "differences": plots.differences(batch.benchmark),
        "withheld": bool(claims.uneven(batch.benchmark["configurations"])),
        "pairs": rounds.pairs(batch),
        "strips": list(plots.strips(batch)),
        "funnel": list(plots.funnel(batch)),
        "timelines": plots.timelines(batch, {name: made["phases"] for name, made in details.items()}),
        "phases": [phase for phase, _ in detail.PHASES],
    }


def lists(batch: Batch) -> Document:
    drawn, plan = tables.trials(batch), batch.plan
    rows = list(zip(plan["order"], drawn.rows, strict=True))
    return {
        "table": {"columns": drawn.columns, "numeric": drawn.numeric, "rows": rows},
        "configurations": [plain(c["name"]) for c in plan["configurations"]],
        "outcomes": sorted({row[2] for row in drawn.rows}),
        "counts": tables.counts(batch),
        "takes": tables.takes(batch),
        "symposium": [*tables.symposium(batch), *tables.capabilities(batch)],
        "marks": summary.MARKS,
        "ran": [(plain(name), plain(value)) for name, value in ran(batch)],
        "beside": [layout.REPORT.path, layout.BENCHMARK.path, layout.JUNIT.path, layout.BATCH.path],
    }


def ran(batch: Batch) -> Iterator[tuple[str, object]]:
    """What a reader needs to run it again: every version and hash, each once (T07, S02)."""
    plan = batch.plan
    yield "batch", f"{plan['batch']}, planned {plan['planned_at']}"
    yield "isolation", f"{plan['isolation']}, {plan['rung']}, {plan['reads']}"
    yield "route to the model", plan.get("route", "gateway")
    if plan["rehearsals"]:
        yield "answers", claims.rehearsed(plan["rehearsals"])
    found: dict[str, list[str]] = {}
    for result in batch.results.values():
        for name, value in detail.versions(result):
            if str(value) not in found.setdefault(name, []):
                found[name].append(str(value))
    for name, values in found.items():
        yield name, "; ".join(values)


def embedding(details: Mapping[str, Detail]) -> str:
    cut = sum(not made["whole"] for made in details.values())
    share = max(detail.LEAST, min(detail.MOST, detail.ALL // max(len(details), 1)))
    said = f"Up to {share // 1000:,} thousand characters of each trial are embedded"
    return f"{said}; of {cut} of {len(details)} trials there is more in the folders." if cut else f"{said}."
