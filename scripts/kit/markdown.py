"""report.md: what the terminal shows, short enough for a pull request's comment, the verdict first.

No path of this machine, no time of writing. What has no room is named and left to report.html.
A comment that is refused for its length is this module's fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kit import sentences, tables
from kit.tables import Batch, Table
from kit.text import escaped, plain

MOST = 60_000  # characters; GitHub takes 65,536
MOST_ROWS = 60
MOST_REASONS = 20


def of(batch: Batch) -> str:
    plan, sections = batch.plan, dict(sentences.sections(batch))
    parts = [f"**{escaped(banner)}**\n" for banner in sentences.banners(batch)]
    parts.append(f"**{escaped(sentences.verdict(batch))}**\n")
    parts.append(f"# {plan['task']}: {plan['client']}, {escaped(plain(plan['model']['name']))}\n")
    first = ("Warnings", "Why", "Findings")
    parts += [f"## {title}\n\n{bullets(sections[title])}" for title in first if title in sections]
    trials, *symposium, counts = tables.of(batch)
    parts.append(f"## {counts.title}\n\n{drawn(counts)}")
    folds = (trials, *symposium, *tables.capabilities(batch), tables.takes(batch))
    parts += [folded(table) for table in folds]
    parts.append(
        f"<details><summary>What the words mean</summary>\n\n{bullets(tables.legend(batch))}\n</details>\n"
    )
    return cut(parts)


def cut(parts: Sequence[str]) -> str:
    """Whole parts from the top, as many as fit."""
    kept, left = [], MOST
    for number, part in enumerate(parts):
        if (left := left - len(part) - 1) < 200:
            kept.append(f"{len(parts) - number} more parts have no room here; report.html holds them.\n")
            break
        kept.append(part)
    return "\n".join(kept)


def bullets(lines: Sequence[str]) -> str:
    more = [f"and {len(lines) - MOST_REASONS} more in report.html"] if len(lines) > MOST_REASONS else []
    return "".join(f"- {escaped(line)}\n" for line in (*lines[:MOST_REASONS], *more))


def folded(table: Table) -> str:
    return f"<details><summary>{escaped(table.title)}</summary>\n\n{drawn(table)}\n</details>\n"


def drawn(table: Table) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows(table))


def rows(table: Table) -> Iterator[Sequence[str]]:
    yield table.columns
    yield ["---:" if column in table.numeric else "---" for column in table.columns]
    yield from ([escaped(cell) for cell in row] for row in table.rows[:MOST_ROWS])
    if len(table.rows) > MOST_ROWS:
        yield [f"{len(table.rows) - MOST_ROWS} more in report.html", *[""] * (len(table.columns) - 1)]
