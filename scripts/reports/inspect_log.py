"""One configuration of a batch as a log of Inspect (version 2, JSON), for its viewer and its analysis.

The task is one sample, each trial an epoch of it. What counts is scored (C succeeded, I failed, N
inconclusive); what does not count has an error in a score's place, and the accuracy is our success rate. It
counts nothing itself. A log that Inspect's own reader refuses is this module's fault.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kit import counting
from kit.documents import Document
from kit.sentences import NEVER
from kit.tables import Batch
from reports.session import Step

SCORER = "agent_eval"
VALUES = {"succeeded": "C", "failed": "I", "inconclusive": "N"}
Log = dict[str, Any]


def of(batch: Batch, configuration: str, sessions: Mapping[str, Sequence[Step]]) -> Log:
    """sessions: trial to its steps; a trial that left no transcript has none."""
    plan, counted = batch.plan, batch.benchmark["configurations"][configuration]
    name, trials = f"{plan['batch']}/{configuration}", counting.planned(plan, configuration)
    lost = counted["planned"] - counted["started"]
    return {
        "version": 2,
        "status": "cancelled" if counted["cancelled"] else "success",
        "eval": {
            **dict.fromkeys(("eval_id", "run_id", "task_id"), name),
            "created": utc(plan["planned_at"]),
            "task": plan["task"],
            "solver": configuration,
            "dataset": {"name": plan["task"], "samples": 1, "sample_ids": [plan["task"]]},
            "model": plan["model"]["name"],
            "config": {"epochs": plan["trials"]},
            "scorers": [{"name": SCORER, "metrics": [{"name": "accuracy"}]}],
            "metadata": {
                **{key: plan[key] for key in ("client", "isolation", "rung", "reads", "kind")},
                "route": plan.get("route", "gateway"),
                "role": counted["role"],
                "rehearsal": (plan["rehearsals"] or {}).get(configuration),
            },
        },
        "results": {
            "total_samples": counted["planned"],
            "completed_samples": counted["eligible"],
            "scores": list(scores(counted)),
            "metadata": {"statement": batch.benchmark["statement"], "never_started": lost},
        },
        "samples": [sample(batch, trial, sessions.get(trial, ())) for trial in trials],
    }


def utc(said: str) -> str:
    return datetime.datetime.strptime(said, "%Y-%m-%dT%H:%M:%S%z").astimezone(datetime.UTC).isoformat()


def scores(counted: Document) -> Iterator[Log]:
    """None where no trial was eligible: an accuracy of 0 would be a lie."""
    if counted["success_rate"] is None:
        return
    low, high = counted["success_rate_interval"]
    metrics = {"accuracy": counted["success_rate"], "interval_low": low, "interval_high": high}
    yield {
        "name": SCORER,
        "scorer": SCORER,
        "scored_samples": counted["eligible"],
        "unscored_samples": counted["planned"] - counted["eligible"],
        "metrics": {name: {"name": name, "value": value} for name, value in metrics.items()},
    }


def sample(batch: Batch, trial: str, steps: Sequence[Step]) -> Log:
    result = batch.results.get(trial)
    outcome = result["outcome"] if result else "missing"
    why = result["reason"] if result else NEVER
    said = list(messages(trial, steps))
    made: Log = {
        "id": batch.plan["task"],
        "epoch": int(trial.split("-")[1]),
        "input": steps[0].text if steps else "",
        "target": "",
        "messages": said,
        "metadata": {"trial": trial, "outcome": outcome, "reason": why, **beside(result)},
        "model_usage": usage(result),
    }
    if outcome in VALUES:
        made["scores"] = {SCORER: {"value": VALUES[outcome], "explanation": why}}
    else:
        made["error"] = {"message": f"{outcome}: {why}", "traceback": "", "traceback_ansi": ""}
    last = [message for message in said if message["role"] == "assistant"][-1:]
    if last and result:
        choice = {"message": last[0], "stop_reason": "stop"}
        made["output"] = {"model": result["model"]["name"], "choices": [choice]}
    if result and result["elapsed_secs"] is not None:
        made["working_time"] = float(result["elapsed_secs"])
    return made


def beside(result: Document | None) -> Log:
    kept = ("order", "code", "expectations", "execution", "findings", "turns", "compactions")
    return {key: result.get(key) for key in kept} if result else {}


def messages(trial: str, steps: Sequence[Step]) -> Iterator[Log]:
    for number, step in enumerate(steps, 1):
        name = f"{trial}/{number}"
        if step.source != "agent":
            yield {"id": name, "role": step.source, "content": step.text}
            continue
        thought = [{"type": "reasoning", "reasoning": step.thinking}] if step.thinking else []
        calls = [
            {"id": call.id, "function": call.name, "arguments": call.arguments, "type": "function"}
            for call in step.calls
        ]
        content = [*thought, {"type": "text", "text": step.text}] if thought else step.text
        asked = {"tool_calls": calls} if calls else {}
        yield {"id": name, "role": "assistant", "content": content, "source": "generate", **asked}
        for place, call in enumerate(step.calls, 1):
            if call.answer is not None:
                heard: Log = {"id": f"{name}.{place}", "role": "tool", "content": call.answer}
                error = {"error": {"type": "unknown", "message": "the tool failed"}} if call.failed else {}
                yield {**heard, "tool_call_id": call.id, "function": call.name, **error}


def usage(result: Document | None) -> Log:
    """By model; nothing where a class is not known."""
    spent = result["usage"] if result else None
    total = counting.tokens(spent)
    if result is None or spent is None or total is None:
        return {}
    said = {
        "input_tokens": spent["input_tokens"],
        "output_tokens": spent["output_tokens"],
        "total_tokens": total,
        "input_tokens_cache_read": spent["cache_read_tokens"],
        "input_tokens_cache_write": spent["cache_write_tokens"],
    }
    return {result["model"]["name"]: said}
