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
    yield "success rate", _signed(delta["success_rate"], ".2f")
    yield "  95 % interval", _interval(delta["success_rate_interval"], "+")
    for over, means in delta["cost"].items():
        yield f"mean tokens ({over})", _signed(means["tokens"]["mean"], ",.0f")
        yield f"mean agent s ({over})", _signed(means["agent_secs"]["mean"], ",.1f")


def _signed(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, f"+{form}")


def _interval(ends: Sequence[float] | None, sign: str = "") -> str:
    return " to ".join(format(end, f"{sign}.2f") for end in ends) if ends else "-"


def whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def tenth(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"
