#!/usr/bin/env python3
"""Take each guard of the sandbox away, one by one, and show which probe notices.

A guard whose absence nothing shows must be listed with the layer that covers for it, and holds by itself when
that layer is away. It uses throw-away trials, runs no model, and changes nothing of the real sandbox. Exits 1
when a guard does not do what its list (layers/listed.py) says.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import smoke
from kit import documents, programs, tied
from kit.contract import Exit, Stop
from kit.layout import BATCH, STAGE
from layers import Guard, Shown, here, show
from layers.listed import GUARDS
from probes import Scene
from probes.listed import PROBES

CONTROL = "without-symposium"
HEAD = """# The sandbox's guards

Made by `python scripts/guards.py --write docs/guards.md`: it takes each guard away in a throw-away trial and
looks which probe of `scripts/probes/` notices. *red*: the probe got through, so the guard is needed. Where
another layer covers for a guard, that layer is taken away too, alone (*refused* then means that the guard
holds by itself) and together with the guard (red).

| layer | guard | what it is for | probe | away alone | covered by |
|---|---|---|---|---|---|
"""
NOT_TRIED = """
Not taken away here: `denyWrite /tmp/claude` (it would need that folder, a way between all trials of the
machine, to exist; `tests/test_srt.py` checks the policy), `--propagation private` (a mistake would change the
machine's own mounts), and bubblewrap itself.
"""
Row = tuple[Guard, Shown]


def tried(batch: Path) -> Iterator[Row]:
    plan, stage = (documents.read(batch / one.path, str(one.schema)) for one in (BATCH, STAGE))
    listed = {probe.name: probe for probe in PROBES}
    with smoke.scene(batch, plan, stage, CONTROL) as scene:
        if isinstance(scene, Exit):
            raise Stop(scene, "guards: no trial could be prepared; the reason stands above")
        for guard in here(GUARDS):
            yield guard, show(in_form(scene, guard), guard, listed)


def in_form(scene: Scene, guard: Guard) -> Scene:
    return replace(scene, box=replace(scene.box, reads=guard.reads))


def cells(guard: Guard, shown: Shown) -> list[str]:
    name = guard.name + (" (deny-list)" if guard.reads == "deny-list" else "")
    covered = guard.covered_by
    if shown.machine:
        covered = "the machine's own limit, where this was made"
    elif covered and shown.other is not None:
        covered += f" (that away: {colour(shown.other)}; both away: {colour(bool(shown.both))})"
    return [guard.layer, name, guard.says, guard.probe, colour(shown.alone), covered or "nobody"]


def colour(red: bool) -> str:
    return "red" if red else "refused"


def line(guard: Guard, shown: Shown) -> str:
    layer, name, _, probe, alone, covered = cells(guard, shown)
    mark = "ok  " if shown.as_listed(guard) else "FAIL"
    return f"{mark} {layer:14} {name:38} {probe:20} {alone:8} {covered}"


def table(rows: list[Row]) -> str:
    lines = [f"| {' | '.join(cell.replace('|', '/') for cell in cells(*row))} |" for row in rows]
    return HEAD + "\n".join(lines) + "\n" + NOT_TRIED


def parser() -> argparse.ArgumentParser:
    p = programs.parser("guards", __doc__)
    p.add_argument("--eval-root", type=Path, metavar="DIR", help="where the trials are made")
    p.add_argument("--write", type=Path, metavar="FILE", help="the table, as Markdown")
    return p


def run(args: argparse.Namespace) -> list[Row]:
    rows = []
    with smoke.planned("claude", args.eval_root) as batch:
        for row in tried(batch):
            rows.append(row)
            print(line(*row), flush=True)
    return rows


def main() -> None:
    args = parser().parse_args()
    tied.follow()
    rows = run(args)
    wrong = [guard.name for guard, shown in rows if not shown.as_listed(guard)]
    print(f"{len(rows) - len(wrong)} of {len(rows)} guards do what the list says")
    if args.write and not wrong:
        documents.write_text(args.write, table(rows))
    sys.exit(Exit.NO if wrong else Exit.OK)


if __name__ == "__main__":
    main()
