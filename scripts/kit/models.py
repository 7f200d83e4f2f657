"""The table over models: for each client and model, how often its trials succeed, and what they take.

Pure functions of results. Rates are means over tasks, the task being the unit; an unknown price is null and
said, never 0. Steps, tokens and latency are of eligible trials, each with its own count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from kit import counting, suites
from kit.documents import Document

CLASSES = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_tokens": "cache_read",
    "cache_write_tokens": "cache_write",
}
MILLION = 1_000_000


@dataclass(frozen=True)
class Trial:
    """What one trial's documents say."""

    task: str
    result: Document  # result/1, or what aggregate.py keeps of it

    @property
    def eligible(self) -> bool:
        return self.result["outcome"] in counting.ELIGIBLE


def cost_usd(result: Document, price: Mapping[str, float] | None) -> float | None:
    """US dollars by the price file (per million tokens); None when a price or a count is unknown."""
    usage = result["usage"] or {}
    if price is None or any(usage.get(name) is None for name in CLASSES):
        return None
    return float(sum(usage[name] * price[word] / MILLION for name, word in CLASSES.items()))


def percentile(values: Sequence[float], share: float) -> float | None:
    """Nearest rank: the smallest value that at least `share` of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def row(provider: str, model: str, trials: Sequence[Trial], price: Mapping[str, float] | None) -> Document:
    """One line of the table; trials of one configuration role, over all tasks."""
    eligible = [trial for trial in trials if trial.eligible]
    by_task: dict[str, list[bool]] = {}
    for trial in eligible:
        by_task.setdefault(trial.task, []).append(trial.result["outcome"] == "succeeded")
    rates = suites.over([fmean(passed) for passed in by_task.values()])
    steps, compactions = _known(eligible, "turns"), _known(eligible, "compactions")
    counted = [count for trial in eligible if (count := counting.tokens(trial.result["usage"])) is not None]
    costs = [usd for trial in eligible if (usd := cost_usd(trial.result, price)) is not None]
    seconds = [s for trial in eligible if (s := trial.result["elapsed_secs"]) is not None]
    return {
        "provider": provider,
        "model": model,
        "tasks": len(by_task),
        "trials": len(eligible),
        "pass_rate": rates.mean,
        "pass_rate_interval": _unit(rates.interval),
        "median_steps": median(steps) if steps else None,
        "mean_tokens": fmean(counted) if counted else None,
        "usd_per_trial": fmean(costs) if len(costs) == len(eligible) and costs else None,
        "p95_secs": percentile(seconds, 0.95),
        "compactions": fmean(compactions) if len(compactions) == len(eligible) and compactions else None,
    }


def _known(trials: Sequence[Trial], key: str) -> list[int]:
    """Requests of the agent loop, or compactions, where they are known."""
    return [value for trial in trials if (value := trial.result.get(key)) is not None]


def _unit(interval: tuple[float, float] | None) -> list[float] | None:
    return [max(0.0, interval[0]), min(1.0, interval[1])] if interval else None
