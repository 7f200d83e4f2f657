"""What is read first on the page: the verdict, what must be known before it, the tiles, what did not succeed.

It puts aggregate's numbers into words and adds up tokens, dollars and seconds; what is not known is called
so, never 0. A sentence or a sum that misleads on right documents is this module's fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kit import counting, sentences, tables
from kit.documents import Document
from kit.tables import OUTCOME, Batch
from kit.text import block, plain
from reports import plots
from reports.detail import Detail

MOST_FAILING = 12  # reasons shown open
MOST_NUMBERS = 30  # trials named beside one
HOW = """\
A trial is one attempt at the task. It ends in one place: succeeded, failed or inconclusive, which are
eligible; set-up failed, cancelled or excluded, which say nothing of the agent and do not count.
The success rate is succeeded divided by eligible.
Few trials show only large effects: where the interval of the difference holds 0, nothing was shown."""
MARKS = {
    **dict.fromkeys(("SUCCEEDED", "pass"), "good"),
    **dict.fromkeys(("FAILED", "FAIL"), "bad"),
    **dict.fromkeys(("inconclusive", "?"), "unsure"),
    **dict.fromkeys(("set-up failed", "cancelled", "excluded", "no result", "-"), "lost"),
}


def top(batch: Batch, details: Mapping[str, Detail]) -> Document:
    """What is read first."""
    plan, benchmark = batch.plan, batch.benchmark
    model, rehearsed = plain(plan["model"]["name"]), plan["rehearsals"]
    spans = plots.rates(benchmark)
    return {
        "title": f"{plan['task']}: {plain(plan['client'])}, {model}",
        "headline": f"{plan['task']} ({plan['kind']}), {plain(plan['client'])}, {model}",
        "banners": list(sentences.banners(batch)),
        "verdict": sentences.verdict(batch),
        "numbers": "; ".join(f"{span.label} {span.text}" for span in spans) if rehearsed else "",
        "warnings": [plain(warning) for warning in benchmark["warnings"]],
        "tiles": list(tiles(batch, details)),
        "how": (*re.split(r"(?<=[.])\n", HOW), *tables.legend(batch)),
        **failing(batch, details),
        "findings": list(sentences.findings(batch)),
    }


def tiles(batch: Batch, details: Mapping[str, Detail]) -> Iterator[tuple[str, str, str]]:
    """Name, value, and what to know beside it."""
    counted = batch.benchmark["configurations"].values()
    planned, eligible = (sum(c[key] for c in counted) for key in ("planned", "eligible"))
    yield "planned", str(planned), f"{batch.plan['trials']} for each configuration"
    yield "eligible", str(eligible), f"{planned - eligible} do not count" if planned > eligible else ""
    for name, c in batch.benchmark["configurations"].items():
        yield f"succeeded {plain(name)}", f"{c['succeeded']} of {c['eligible']}", ""
    yield cost(batch, details)
    phases = [part for made in details.values() for part in made["phases"]]
    agent = sum(secs for phase, _, secs in phases if phase == "agent")
    if not phases:
        yield "time", "not known", ""
        return
    yield "time", duration(sum(secs for _, _, secs in phases)), f"of all trials; agent {duration(agent)}"


def cost(batch: Batch, details: Mapping[str, Detail]) -> tuple[str, str, str]:
    used = [counting.tokens(result["usage"]) for result in batch.results.values()]
    known = [number for number in used if number is not None]
    tokens = f"{sum(known):,} tokens" + (
        f", {len(used) - len(known)} trials not known" if len(known) < len(used) else ""
    )
    if batch.plan["rehearsals"]:
        return "cost", "$0", f"rehearsed, nothing was spent; {tokens}"
    dollars = [made["usd"] for made in details.values() if made["usd"] is not None]
    if not dollars:
        return "cost", "not known", f"{tokens}; the client names no price"
    return "cost", f"${sum(dollars):,.2f}", f"as the client says, {len(dollars)} trials; {tokens}"


def duration(secs: float) -> str:
    if secs < 100:
        return f"{secs:.1f} s"
    minutes, rest = divmod(round(secs), 60)
    return f"{minutes} min {rest} s" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def failing(batch: Batch, details: Mapping[str, Detail]) -> Document:
    """What did not succeed, by reason, each with the output of the check that decided."""
    groups = [group for group in sentences.alike(batch) if group.outcome != OUTCOME["succeeded"]]
    shown = []
    for group in groups[:MOST_FAILING]:
        numbered = [(trial, trial.split("-")[1]) for trial in group.trials]
        checks = details[group.trials[0]]["checks"]
        failed = (one for one in checks if one[1] == "fail")
        check, _, detail, said = next(failed, ["", "", "", ""])
        repeated = said and not detail and group.why.startswith(f"{check} failed: ")
        shown.append(
            {
                "outcome": group.outcome,
                "mark": MARKS.get(group.outcome, "lost"),
                "configuration": plain(group.configuration),
                "trials": numbered[:MOST_NUMBERS],
                "more": max(0, len(numbered) - MOST_NUMBERS),
                "why": f"{check} failed" if repeated else group.why,
                "said": block(said, 2000),
            }
        )
    return {"failing": shown, "failing_left": max(0, len(groups) - MOST_FAILING)}
