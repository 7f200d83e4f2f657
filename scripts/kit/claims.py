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

LOSSES = {  # what makes two configurations unlike, beside what is under test
    "setup failures": ("setup_failures",),
    "cancelled trials": ("cancelled",),
    "isolation exclusions": ("excluded", "isolation"),
    "grading exclusions": ("excluded", "grading"),
    "timeouts": ("timeouts",),
    "client errors": ("client_errors",),
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


def statement(isolation: str, rehearsals: Mapping[str, str] | None, configurations: Configurations) -> str:
    """The sentence that a reader takes away."""
    arms = {name: Arm(counted["succeeded"], counted["eligible"]) for name, counted in configurations.items()}
    if rehearsals:
        went = "; ".join(f"{name}: {arm} eligible trials succeeded" for name, arm in arms.items())
        return f"{rehearsed(rehearsals)} {went}."
    rates = "; ".join(statistics.rate_sentence(name, arm) for name, arm in arms.items()) + "."
    compared = comparisons(configurations)
    if isolation != "enforced" or not compared:
        return rates
    if uneven(configurations):
        return f"The difference is not stated: trials were lost unevenly (see the warnings). {rates}"
    said = [statistics.verdict_sentence((one, arms[one]), (other, arms[other])) for one, other in compared]
    if len(said) > 1:
        said.append(f"Each of these {len(said)} comparisons was made as if it were the only one.")
    return " ".join(said)
