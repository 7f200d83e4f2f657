"""The numbers of the page's pictures, as places in percent of their axis; the template draws them.

Every picture is of trials that are in the table below it, and says how many it leaves out. It computes no
rate and no interval (aggregate does). A picture that misleads on right numbers is this module's fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kit import claims, counting
from kit.documents import Document
from kit.tables import Batch
from kit.text import plain
from reports import rounds

MOST_TIMELINES = 40
Phases = Mapping[str, Sequence[Sequence[object]]]  # trial to detail's [phase, start, seconds]


@dataclass(frozen=True)
class Span:
    """A point on an axis with its interval; percent of the axis."""

    label: str
    text: str
    role: str
    at: float | None
    low: float = 0
    high: float = 0


@dataclass(frozen=True)
class Dot:
    trial: str
    x: float
    y: float
    mark: str
    title: str


@dataclass(frozen=True)
class Strip:
    """One measure of every trial: a row for each configuration, the succeeded above the others."""

    title: str
    ticks: Sequence[tuple[float, str]]
    rows: Sequence[tuple[str, Sequence[Dot]]]
    unknown: int


@dataclass(frozen=True)
class Bar:
    label: str
    text: str
    width: float


@dataclass(frozen=True)
class Timeline:
    trial: str
    parts: Sequence[tuple[str, float, float, str]]  # phase, place, width, title
    text: str


@dataclass(frozen=True)
class Timelines:
    ticks: Sequence[tuple[float, str]] = ()
    rows: Sequence[Timeline] = ()
    left_out: int = 0


def rates(benchmark: Document) -> list[Span]:
    found = []
    for name, c in benchmark["configurations"].items():
        of = f"{c['succeeded']} of {c['eligible']}"
        if c["success_rate"] is None:
            found.append(Span(plain(name), "no eligible trial", c["role"], None))
            continue
        low, high = c["success_rate_interval"] or (0, 1)
        text = f"{of} = {c['success_rate']:.2f} ({low:.2f} to {high:.2f})"
        found.append(Span(plain(name), text, c["role"], *(100 * x for x in (c["success_rate"], low, high))))
    return found


def differences(benchmark: Document) -> list[Span]:
    """On an axis from -1 to 1; those that there are, and none where the verdict withholds them."""
    found: list[Span] = []
    if claims.uneven(benchmark["configurations"]):
        return found
    for treatment, control in claims.comparisons(benchmark["configurations"]):
        delta = benchmark.get("deltas", {}).get(treatment, benchmark["delta"])
        if not delta or delta["success_rate"] is None or not delta["success_rate_interval"]:
            continue
        rate, (low, high) = delta["success_rate"], delta["success_rate_interval"]
        text = f"{rate:+.2f} ({low:+.2f} to {high:+.2f})"
        places = (50 * (x + 1) for x in (rate, low, high))
        found.append(Span(f"{plain(treatment)} minus {plain(control)}", text, "difference", *places))
    return found


def strips(batch: Batch) -> Iterator[Strip]:
    """Tokens and agent time of the eligible trials against what became of them."""
    tokens = {
        n: counting.tokens(r["usage"]) for n, r in batch.results.items() if rounds.mark(r) != rounds.LOST
    }
    secs = {n: r["elapsed_secs"] for n, r in batch.results.items() if rounds.mark(r) != rounds.LOST}
    for title, values in (("Tokens of a trial", tokens), ("Agent's seconds", secs)):
        known = {name: value for name, value in values.items() if value is not None}
        if known:
            yield _strip(title, batch, known, len(values) - len(known))


def _strip(title: str, batch: Batch, known: Mapping[str, float], unknown: int) -> Strip:
    end, ticks = axis(max(known.values()))
    rows: dict[str, list[Dot]] = {c["name"]: [] for c in batch.plan["configurations"]}
    for number, trial in enumerate(name for name in batch.plan["order"] if name in known):
        result = batch.results[trial]
        name, sign = rounds.mark(result)
        jitter = (number * 7) % 5 - 2  # trials with the same cost must not hide each other
        dot = Dot(
            trial,
            100 * known[trial] / end,
            (16 if name == "good" else 44) + 3 * jitter,
            name,
            f"{plain(trial)}: {known[trial]:,.6g} {sign}",
        )
        rows[counting.configuration_of(trial)].append(dot)
    return Strip(title, ticks, [(plain(name), dots) for name, dots in rows.items()], unknown)


def axis(most: float) -> tuple[float, list[tuple[float, str]]]:
    """The end of an axis that starts at 0, and its ticks: round numbers."""
    if most <= 0:
        return 1.0, [(0.0, "0"), (100.0, "1")]
    raw = most / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw)
    count = math.ceil(most / step - 1e-9)
    return count * step, [(100 * n / count, f"{n * step:,.6g}") for n in range(count + 1)]


def funnel(batch: Batch) -> Iterator[tuple[str, list[Bar]]]:
    """For each skill, in eligible trials with expectations: installed, listed, loaded, and succeeded."""
    for name, counted in batch.benchmark["configurations"].items():
        of = counted["eligible"]
        for skill, loads in counted["observed_load"].items():
            installed = counted["expectations"].get(f"skills.{skill}.installed", {}).get("pass")
            steps = [
                ("installed", installed),
                ("listed", counted["listed"].get(skill, {}).get("yes")),
                ("loaded", loads["loaded"]),
                ("trial succeeded", counted["succeeded"]),
            ]
            bars = [_bar(label, count, of) for label, count in steps]
            yield f"{plain(skill)} ({plain(name)})", bars


def _bar(label: str, count: int | None, of: int) -> Bar:
    if count is None:
        return Bar(label, "not asked", 0)
    return Bar(label, f"{count} of {of}", 100 * count / of if of else 0)


def timelines(batch: Batch, phases: Phases) -> Timelines:
    """The first trials of the order; a trial's own page holds its own."""
    told = [(name, phases[name]) for name in batch.plan["order"] if phases.get(name)]
    if not told:
        return Timelines()
    shown = told[:MOST_TIMELINES]
    end, ticks = axis(max(_end(parts) for _, parts in shown))
    rows = []
    for name, parts in shown:
        bars = [
            (str(phase), 100 * float(str(start)) / end, 100 * float(str(secs)) / end, f"{phase} {secs} s")
            for phase, start, secs in parts
        ]
        rows.append(Timeline(name, bars, f"{_end(parts):.1f} s"))
    return Timelines(ticks, rows, len(told) - len(shown))


def _end(parts: Sequence[Sequence[object]]) -> float:
    return max(float(str(start)) + float(str(secs)) for _, start, secs in parts)
