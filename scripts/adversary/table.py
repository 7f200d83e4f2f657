"""The findings of the adversaries as a page: what came out alike in several places is one row.

A pure function of findings; it judges nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import product

from adversary.judge import Finding

COLUMNS = "| attempt | it tries to | where | what happened | verdict |\n|---|---|---|---|---|"
HEAD = """# What a scripted agent tried, and what became of it

Made by `python scripts/adversaries.py {options} --write docs/adversaries.md`
as {runner}; the attempts are data in `tests/adversaries/`. The real client made each of
them with its own tools, in the real sandbox. *Refused*: nothing came of it. Each was also done where it can
be done, or its file says why it would have been noticed. *Recorded*: the trial's own documents say that it
was done. Zero escaped. (*where*: all, or the client, the form of the policy and the configuration.)

| client | policy | configuration | attempts | refused | recorded |
|---|---|---|---|---|---|
{counts}

"""
At = tuple[str, ...]


def page(found: Sequence[Finding]) -> str:
    places = list(dict.fromkeys(one.at for one in found))
    options = [f"--client {name}" for name in dict.fromkeys(at[0] for at in places)]
    options += [f"--reads {name}" for name in dict.fromkeys(at[1] for at in places)]
    runner = "root" if os.geteuid() == 0 else "a user without root"
    counts = "\n".join(counted(at, [one for one in found if one.at == at]) for at in places)
    head = HEAD.format(options=" ".join(options), runner=runner, counts=counts)
    return head + "\n".join([COLUMNS, *merged(found)]) + "\n"


def counted(at: At, found: Sequence[Finding]) -> str:
    verdicts = Counter(one.verdict for one in found)
    tried = len(found) - verdicts["works"]
    return "| " + " | ".join(map(str, (*at, tried, verdicts["refused"], verdicts["recorded"]))) + " |"


def merged(found: Sequence[Finding]) -> Iterator[str]:
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for one in found:
        alike.setdefault((one.attempt.name, one.what, one.verdict), []).append(one)
    for (name, _, _), same in alike.items():
        tried = [one.at for one in found if one.attempt.name == name]
        yield row(same[0], where([one.at for one in same], tried, [one.at for one in found]))


def row(finding: Finding, where: str) -> str:
    one = finding.attempt
    cells = (f"{one.family}: {one.name}", one.tries, where, finding.what, finding.verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def where(here: Collection[At], tried: Collection[At], all_: Collection[At]) -> str:
    """In as few words as say it: what these places have in common, or each of them."""
    if set(here) == set(all_):
        return "all"
    parts = [sorted({at[n] for at in here}) for n in range(3)]
    if set(here) != set(product(*parts)) & set(tried):
        return "; ".join(", ".join(at) for at in sorted(here))
    whole = [sorted({at[n] for at in all_}) for n in range(3)]
    said = [" and ".join(part) for part, full in zip(parts, whole, strict=True) if part != full]
    return ", ".join(said) or "all"
