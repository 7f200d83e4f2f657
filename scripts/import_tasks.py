#!/usr/bin/env python3
"""Turn cases of Agent Skills' evals.json and of `claude plugin eval` into drafts of tasks.

A draft is a task folder with a DRAFT.md, which says what was taken, what its author must still write (a
hidden test, a starter) and what no task can say. check_tasks and eval refuse it until that file is gone.
Nothing of what is read is run. Exit 1: a case was refused, and its line says why.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from importing import Case, drafts, evals_json, plugin_eval
from kit import programs, text
from kit.contract import Exit, Stop

READERS = (evals_json, plugin_eval)


def cases(places: Sequence[Path]) -> Iterator[Case]:
    for place in places:
        found = [(reader, at) for reader in READERS for at in reader.find(place)]
        if not found:
            raise Stop(
                Exit.NO_INPUT,
                f"{place}: no evals.json and no case of claude plugin eval; name one, or a folder with some",
            )
        for reader, at in found:
            yield from reader.read(at)


def lines(case: Case, refused: str | None) -> Iterator[str]:
    if refused:
        yield f"✗ {text.plain(case.source)}: {case.name}: refused: {text.plain(refused)}"
        return
    yield f"✓ {case.name}: a draft; its DRAFT.md says what is left to write"
    yield from (f"    to write: {text.plain(line)}" for line in case.to_write)
    yield from (f"    not taken: {text.plain(line)}" for line in case.not_taken)


def main() -> None:
    p = programs.parser("import_tasks", __doc__)
    p.add_argument("places", nargs="+", type=Path, metavar="FILE_OR_DIR")
    p.add_argument(
        "--to", required=True, type=Path, metavar="DIR", help="an evals/ folder: gets tasks/, plugins/"
    )
    args, refused = p.parse_args(), 0
    found = list(cases(args.places))
    sources = {case.source for case in found}
    sources |= {
        at for case in found for skill in case.skills.values() for r in READERS for at in r.find(skill)
    }
    for case in found:
        why = drafts.write(case, args.to, sources)
        refused += bool(why)
        print("\n".join(lines(case, why)), flush=True)
    print(f"{len(found) - refused} of {len(found)} cases are drafts in {args.to / 'tasks'}")
    sys.exit(Exit.NO if refused else Exit.OK)


if __name__ == "__main__":
    main()
