"""The counts, rates and means of benchmark/1 as labelled words, in the order in which they are read.

It computes nothing and leaves nothing out; a wrong word for a right number is this module's fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kit.documents import Document
from kit.text import plain

ALWAYS = ("planned", "eligible", "succeeded", "failed", "success rate")


def of(c: Document) -> Iterator[tuple[str, str]]:
    yield "planned", str(c["planned"])
    yield "set-up failed", str(c["setup_failures"])
    yield "cancelled", str(c["cancelled"])
    yield "excluded: isolation", str(c["excluded"]["isolation"])
    yield "excluded: grading", str(c["excluded"]["grading"])
    yield "eligible", str(c["eligible"])
    yield "succeeded", str(c["succeeded"])
    yield "failed", str(c["failed"])
    yield "  by timeout", str(c["timeouts"])
    yield "  by client error", str(c["client_errors"])
    yield "inconclusive", str(c["inconclusive"])
    yield "success rate", "-" if c["success_rate"] is None else f"{c['success_rate']:.2f}"
    yield "  95 % interval", _interval(c["success_rate_interval"])
    for skill, loads in c["observed_load"].items():
        yield f"loaded {plain(skill)}", f"{loads['loaded']} of {c['eligible']}"
    for over, means in c["cost"].items():
        yield f"mean tokens ({over})", whole(means["tokens"]["mean"])
        yield f"mean agent s ({over})", tenth(means["agent_secs"]["mean"])


def difference(delta: Document) -> Iterator[tuple[str, str]]:
    if delta.get("withheld"):
        yield "success rate", "not stated"
        return
    yield "success rate", _signed(delta["success_rate"], ".2f")
    yield "  95 % interval", _interval(delta["success_rate_interval"], "+")
    for over, means in delta["cost"].items():
        yield f"mean tokens ({over})", _signed(means["tokens"]["mean"], ",.0f")
        yield f"mean agent s ({over})", _signed(means["agent_secs"]["mean"], ",.1f")


def legend(benchmark: Document) -> Iterator[str]:
    """What the plan named, and what the intervals are."""
    yield (
        "Primary measure: the success rate, named in the plan before anything ran; the verdict is about it."
        " All others are secondary: described, not tested."
    )
    by = benchmark.get("intervals") or {"conservative": False, "rate": "Wilson", "difference": "Newcombe"}
    how = (
        "exact, at least 95 % at every true rate"
        if by["conservative"]
        else "95 % on average over the true rates"
    )
    yield f"Intervals: {by['rate']} (a rate), {by['difference']} (a difference); {how}."


COLUMNS = ("", "pass rate", "95 % interval", "steps", "tokens", "USD", "p95 s", "compactions")


def takes(benchmark: Document) -> Iterator[Sequence[str]]:
    """The rows of COLUMNS: what a trial of each configuration takes (D08); nothing for an older benchmark."""
    for name, c in benchmark["configurations"].items():
        if row := c.get("table"):
            rate = "-" if row["pass_rate"] is None else f"{row['pass_rate']:.2f}"
            usd = "-" if row["usd_per_trial"] is None else f"{row['usd_per_trial']:.4f}"
            counts = tenth(row["median_steps"]), whole(row["mean_tokens"])
            rest = tenth(row["p95_secs"]), tenth(row["compactions"])
            yield plain(name), rate, _interval(row["pass_rate_interval"]), *counts, usd, *rest


def taking(benchmark: Document) -> str:
    """The title of `takes`: whose trials, and whose dollars; an unknown price is said, and is never 0."""
    table = next((c["table"] for c in benchmark["configurations"].values() if "table" in c), None)
    who = f"{plain(table['provider'])}, {plain(table['model'])}; " if table else ""
    if benchmark["rehearsal"]:
        return "What a trial takes (rehearsed: no model was asked, no dollars)"
    as_of = benchmark.get("prices_as_of")
    if as_of is None:
        return f"What a trial takes ({who}no price file: USD not known)"
    costs = [c["table"]["usd_per_trial"] for c in benchmark["configurations"].values()]
    known = "" if any(cost is not None for cost in costs) else ", USD not known by them"
    return f"What a trial takes ({who}prices of {plain(as_of)}{known})"


def _signed(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, f"+{form}")


def _interval(ends: Sequence[float] | None, sign: str = "") -> str:
    return " to ".join(format(end, f"{sign}.2f") for end in ends) if ends else "-"


def whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def tenth(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"
