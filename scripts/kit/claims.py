"""What a batch's numbers allow to be said, in words, and what a reader must know before believing them.

Pure functions of benchmark/1's counts. Where trials were lost unevenly the difference is not stated at all;
where rehearsals answered, nothing is said of a model. A sentence that claims too much is this module's fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kit import statistics
from kit.documents import Document
from kit.statistics import Arm

Configurations = Mapping[str, Document]  # name to benchmark/1's counts

EXPLORATORY = (
    "EXPLORATORY: without srt, in the client's own sandbox; these results are never compared,"
    " and an empty audit proves nothing."
)
DIRECT = (
    "DIRECT: the client asked the model's API itself, with the key in the trial; no request was recorded."
    " What only a record shows is not known: what was listed in the first request, forged tool calls."
)
LOSSES = {  # what makes two configurations unlike, beside what is under test
    "setup failures": ("setup_failures",),
    "cancelled trials": ("cancelled",),
    "isolation exclusions": ("excluded", "isolation"),
    "grading exclusions": ("excluded", "grading"),
    "timeouts": ("timeouts",),
    "client errors": ("client_errors",),
    "inconclusive trials": ("inconclusive",),
}


def number(counted: Document, path: Sequence[str]) -> int:
    value = counted
    for key in path:
        value = value[key]
    return int(value)  # type: ignore[call-overload, no-any-return]  # a count, by its schema


def comparisons(configurations: Configurations) -> list[tuple[str, str]]:
    """Each treatment and the control, by role; none when there is not one control."""
    of_role = {
        role: [n for n, c in configurations.items() if c["role"] == role] for role in ("treatment", "control")
    }
    control = of_role["control"]
    return [(treatment, control[0]) for treatment in of_role["treatment"]] if len(control) == 1 else []


def pair(configurations: Configurations) -> tuple[str, str] | None:
    """The treatment and the control, by role; None when there is not one of each."""
    found = comparisons(configurations)
    return found[0] if len(found) == 1 else None


def uneven(configurations: Configurations) -> list[str]:
    """What happened more often in one configuration than in another, though it says nothing of the add-on."""
    found = []
    for what, path in LOSSES.items():
        each = {name: number(counted, path) for name, counted in configurations.items()}
        if len(set(each.values())) > 1:
            found.append(f"{what} ({', '.join(f'{name} {count}' for name, count in each.items())})")
    return found


def warnings(isolation: str, configurations: Configurations, hashes: Sequence[str]) -> Iterator[str]:
    if isolation != "enforced":
        yield f"Isolation was {isolation}: these results are never compared."
        yield "An empty audit proves nothing: it reads the text of commands, and can be evaded."
    if len(hashes) > 1:
        yield f"The task changed while the batch ran: its content has {len(hashes)} different hashes."
    if unlike := uneven(configurations):
        yield f"The configurations differ in {'; '.join(unlike)}: a difference may come from that alone."
    for name, counted in configurations.items():
        yield from _of_one(name, counted)


def _of_one(name: str, counted: Document) -> Iterator[str]:
    if missing := counted["missing"]:
        yield f"{name}: no result of {', '.join(missing)}; counted as cancelled, so this is a partial batch."
    lost = {what: number(counted, path) for what, path in list(LOSSES.items())[:4]}
    if said := [f"{what} {count}" for what, count in lost.items() if count]:
        yield f"{name}: of {counted['planned']} planned trials {', '.join(said)}; look into them first."
    unknown = counted["eligible"] - counted["cost"]["eligible"]["tokens"]["trials"]
    if unknown:
        known = f"{unknown} of {counted['eligible']} eligible trials"
        yield f"{name}: the usage of {known} is not known and left out of the means."


def rehearsed(rehearsals: Mapping[str, str]) -> str:
    """One plain sentence: nobody may take these numbers for a model's."""
    names = sorted(set(rehearsals.values()))
    where = [f"rehearsals/{name}.yaml" for name in names]
    if len(names) > 1:
        where = [f"rehearsals/{name}.yaml ({configuration})" for configuration, name in rehearsals.items()]
    return (
        f"REHEARSED: the model's answers came from {' and '.join(where)}; everything else is real."
        " These numbers say nothing about a model."
    )


def alike(planned: Sequence[Document]) -> bool:
    """An A/A batch: two configurations of the plan that differ in name and role alone."""
    held = [{key: c[key] for key in c if key not in ("name", "role")} for c in planned]
    return len(held) == 2 and held[0] == held[1]


def aa_sentence(p_value: float | None) -> str:
    """What an A/A batch should show, and whether this one does."""
    expected = (
        "A/A: both configurations are the same, so the true difference is 0; p <= .05 should come out of at"
        " most 5 in 100 such batches, and a difference is chance or a fault of the harness"
    )
    if p_value is None:
        return f"{expected}. Cannot tell of this one: no eligible trial on a side."
    if p_value > statistics.ALPHA:
        return f"{expected}. This one: p = {p_value:.3g}, as it should be."
    return (
        f"{expected}. This one: p = {p_value:.3g}. Run it again: if it stays, something treats them unlike."
    )


def withheld(configurations: Configurations) -> str | None:
    """Why a difference that can be computed is not stated; None: it may be."""
    unlike = "; ".join(uneven(configurations))
    return f"trials were lost unevenly: {unlike}" if unlike else None


def statement(
    isolation: str,
    rehearsals: Mapping[str, str] | None,
    configurations: Configurations,
    conservative: bool = False,
) -> str:
    """The sentence that a reader takes away."""
    arms = {name: Arm(counted["succeeded"], counted["eligible"]) for name, counted in configurations.items()}
    if rehearsals:
        went = "; ".join(f"{name}: {arm} eligible trials succeeded" for name, arm in arms.items())
        return f"{rehearsed(rehearsals)} {went}."
    rates = "; ".join(statistics.rate_sentence(name, arm, conservative) for name, arm in arms.items()) + "."
    compared = comparisons(configurations)
    if isolation != "enforced" or not compared:
        return rates
    if uneven(configurations):
        return f"The difference is not stated: trials were lost unevenly (see the warnings). {rates}"
    said = [
        statistics.verdict_sentence((one, arms[one]), (other, arms[other]), conservative)
        for one, other in compared
    ]
    if len(said) > 1:
        said.append(f"Each of these {len(said)} comparisons was made as if it were the only one.")
    return " ".join(said)
