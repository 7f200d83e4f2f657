"""From a plan and its results to the counts of benchmark.json.

Pure functions; every planned trial ends in exactly one place, and both identities are asserted on every count
(Miscounted is a fault of ours). A planned trial without a result counts as cancelled and is named. What is
not known is null and left out of the means; an empty denominator gives null, never 0 or 1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import get_args

from kit import statistics
from kit.documents import Document
from kit.statistics import Arm
from kit.verdicts import Outcome, Verdict

Results = Mapping[str, Document]  # trial folder to result/1

EXCLUDED = ("isolation", "grading")
ELIGIBLE = ("succeeded", "failed", "inconclusive")
LISTED = ("yes", "no", "unknown")
LOADS = ("loaded", "attempted", "not_observed", "unknown")
KS = (1, 2, 3, 5, 10)  # of pass@k and pass^k, as far as the plan goes
DIGITS = 12  # so that a batch counted on another machine comes out alike
CLASSES = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
CLAIMS = ("installed", "not_installed", "used", "not_used")


class Miscounted(Exception):
    """A trial ended in no place or in two."""


@dataclass(frozen=True)
class Group:
    """One configuration's planned trials and what came of them."""

    name: str
    role: str
    planned: Sequence[str]
    results: Results

    @property
    def missing(self) -> list[str]:
        return [trial for trial in self.planned if trial not in self.results]

    def ended(self, *outcomes: str) -> list[Document]:
        return [result for result in self.results.values() if result["outcome"] in outcomes]

    @property
    def eligible(self) -> list[Document]:
        return self.ended(*ELIGIBLE)

    @property
    def arm(self) -> Arm:
        return Arm(len(self.ended("succeeded")), len(self.eligible))


def groups(plan: Document, results: Results) -> list[Group]:
    """The plan's configurations, in its order, each with its own results."""
    found = []
    for configuration in plan["configurations"]:
        name = configuration["name"]
        trials = planned(plan, name)
        own = {trial: results[trial] for trial in trials if trial in results}
        found.append(Group(name, configuration["role"], trials, own))
    if strangers := set(results) - {trial for group in found for trial in group.planned}:
        raise Miscounted(f"results that no configuration of the plan has: {', '.join(sorted(strangers))}")
    return found


def planned(plan: Document, configuration: str) -> list[str]:
    """Its trial folders, in the order they run."""
    return [trial for trial in plan["order"] if configuration_of(trial) == configuration]


def configuration_of(trial: str) -> str:
    """ "trial-3-with-symposium" -> "with-symposium"."""
    return re.sub(r"^trial-\d+-", "", trial)


def configuration(group: Group, trials: int, conservative: bool = False) -> Document:
    """One configuration of benchmark/1; `trials` is the plan's number for each."""
    arm = group.arm
    ks = [k for k in KS if k <= trials]
    return {
        "role": group.role,
        **counts(group),
        "missing": group.missing,
        "timeouts": sum(result["execution"] == "timeout" for result in group.eligible),
        "client_errors": sum(result["execution"] == "client_error" for result in group.eligible),
        "success_rate": arm.rate,
        "success_rate_interval": rounded(statistics.rate_interval(arm, conservative)),
        "pass_all": arm.succeeded == arm.eligible if arm.eligible else None,
        "pass_at_k": {str(k): statistics.pass_at_k(arm, k) for k in ks},
        "pass_hat_k": {str(k): statistics.pass_hat_k(arm, k) for k in ks},
        **seen(group.eligible),
        "cost": {"eligible": cost(group.eligible), "succeeded": cost(group.ended("succeeded"))},
    }


def counts(group: Group) -> Document:
    """Where each planned trial ended; raises Miscounted unless both identities hold."""
    ends = Counter(result["outcome"] for result in group.results.values())
    if strange := set(ends) - set(get_args(Outcome)):
        raise Miscounted(f"{group.name}: outcomes that no rule knows: {', '.join(sorted(strange))}")
    counted = {
        "planned": len(group.planned),
        "setup_failures": ends["setup_failure"],
        "cancelled": ends["cancelled"] + len(group.missing),
        "started": sum(ends[outcome] for outcome in (*EXCLUDED, *ELIGIBLE)),
        "excluded": {cause: ends[cause] for cause in EXCLUDED},
        "eligible": len(group.eligible),
        **{outcome: ends[outcome] for outcome in ELIGIBLE},
    }
    assert_identities(group.name, counted)
    return counted


def assert_identities(name: str, c: Document) -> None:
    if c["planned"] != c["setup_failures"] + c["cancelled"] + c["started"]:
        raise Miscounted(f"{name}: planned is not setup failures + cancelled + started: {c}")
    if c["eligible"] != c["started"] - sum(c["excluded"].values()):
        raise Miscounted(f"{name}: eligible is not started - exclusions: {c}")
    if c["eligible"] != c["succeeded"] + c["failed"] + c["inconclusive"]:
        raise Miscounted(f"{name}: eligible is not succeeded + failed + inconclusive: {c}")


def seen(results: Sequence[Document]) -> Document:
    """Loads, listings and expectations over eligible trials; one whose expectations are lost is not known."""
    of = [result["expectations"] for result in results]
    skills = sorted({name for found in of if found for name in found["skills"]})
    unseen: Document = {"observed_load": "unknown", "listed": None}
    each = {s: [found["skills"].get(s, unseen) if found else unseen for found in of] for s in skills}
    return {
        "observed_load": {s: _counted([view["observed_load"] for view in v], LOADS) for s, v in each.items()},
        "listed": {s: _counted([yes_no(view["listed"]) for view in v], LISTED) for s, v in each.items()},
        "expectations": expectations(of),
    }


def yes_no(known: bool | None) -> str:
    return "unknown" if known is None else "yes" if known else "no"


def expectations(of: Sequence[Document | None]) -> Document:
    """Expectation to its verdicts; where a trial's expectations are lost, each is inconclusive."""
    each = [dict(flat(found)) if found else None for found in of]
    names = sorted({name for verdicts in each if verdicts for name in verdicts})
    lost = each.count(None)
    found = {name: [verdicts[name] for verdicts in each if verdicts and name in verdicts] for name in names}
    return {n: _counted([*v, *["inconclusive"] * lost], get_args(Verdict)) for n, v in found.items()}


def flat(found: Document) -> Iterable[tuple[str, str]]:
    """skills.<s>.used, hooks.<h>, sync.session_start of a result's expectations, each with its verdict."""
    for name, skill in found["skills"].items():
        yield from ((f"skills.{name}.{claim}", skill[claim]) for claim in CLAIMS if claim in skill)
    for group in ("hooks", "sync"):
        yield from ((f"{group}.{name}", verdict) for name, verdict in found[group].items())


def _counted(values: Sequence[object], keys: Iterable[str]) -> dict[str, int]:
    return {key: values.count(key) for key in keys}


def tokens(usage: Document | None) -> int | None:
    """The sum of the four classes; not known when one is not."""
    each = [usage[name] for name in CLASSES] if usage else []
    return None if not each or None in each else sum(each)


def cost(results: Sequence[Document]) -> Document:
    return {
        "tokens": mean(tokens(result["usage"]) for result in results),
        "agent_secs": mean(result["elapsed_secs"] for result in results),
    }


def mean(values: Iterable[float | None]) -> Document:
    known = [value for value in values if value is not None]
    return {"mean": fmean(known) if known else None, "trials": len(known)}


def delta(treatment: Document, control: Document, conservative: bool = False) -> Document:
    """Treatment minus control, by role, in the same tree; null where either side is."""
    arms = (
        Arm(treatment["succeeded"], treatment["eligible"]),
        Arm(control["succeeded"], control["eligible"]),
    )
    p_value = statistics.exact_test(*arms)
    return {
        "success_rate": minus(treatment["success_rate"], control["success_rate"]),
        "success_rate_interval": rounded(statistics.difference_interval(*arms, conservative)),
        "p_value": None if p_value is None else float(f"{p_value:.3g}"),
        "cost": {
            over: {
                key: {"mean": minus(treatment["cost"][over][key]["mean"], control["cost"][over][key]["mean"])}
                for key in ("tokens", "agent_secs")
            }
            for over in ("eligible", "succeeded")
        },
    }


def minus(one: float | None, other: float | None) -> float | None:
    """The difference, without the last digits that only floats make (0.6 - 0.4 is 0.2)."""
    return None if one is None or other is None else round(one - other, DIGITS)


def rounded(interval: tuple[float, float] | None) -> list[float] | None:
    return [round(end, DIGITS) for end in interval] if interval else None
