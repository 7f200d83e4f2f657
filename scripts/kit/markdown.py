"""report.md: what the terminal shows, without paths of this machine, with the statement first."""

from __future__ import annotations

from kit import claims, tables
from kit.tables import Batch
from kit.text import escaped, plain


def of(batch: Batch) -> str:
    plan, parts = batch.plan, []
    parts.append(f"# {plan['task']}: {plan['client']}, {escaped(plain(plan['model']['name']))}\n")
    if plan["rehearsals"]:
        parts.append(f"**{escaped(claims.rehearsed(plan['rehearsals']))}**\n")
    *others, shows = tables.sections(batch)
    for title, lines in (shows, *others):
        parts.append(f"## {title}\n\n" + "".join(f"- {escaped(line)}\n" for line in lines))
    for table in tables.of(batch):
        rows = [
            table.columns,
            ["---"] * len(table.columns),
            *([escaped(c) for c in row] for row in table.rows),
        ]
        parts.append(f"## {table.title}\n\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows))
    parts.append("".join(f"- {escaped(line)}\n" for line in tables.LEGEND))
    return "\n".join(parts)
