#!/usr/bin/env python3
"""Judge what the task expects of Symposium, from the files that a trial left; a baseline gets no such file.

Where we put the skills in place (`direct`), only their use is judged. The rules are in expectations/. It
never meets a sandbox, a model or a client, so it can be redone on any old trial. Its failures are ours:
whatever the agent did to the evidence is a verdict.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import clients
import setups
from expectations import Record, doubts, events, skills
from kit import staged, symposium_files
from kit.contract import Folder, Step
from kit.documents import Document
from kit.layout import (
    COLLECTED,
    EVIDENCE,
    EXCHANGES,
    EXPECTATIONS,
    HOOK_TRACE,
    OBSERVATION,
    SETUP,
    STAGE,
    SYMPOSIUM_LOG,
    TASK,
    TRIAL,
)

STEP = Step(
    name="expect",
    does="Judge what the task expects of Symposium; of skills that we put in place, only their use.",
    kind="derived",
    reads=[TRIAL, TASK, SETUP, OBSERVATION, COLLECTED],
    writes=[],
    may_read=[STAGE, EXCHANGES, EVIDENCE, HOOK_TRACE, SYMPOSIUM_LOG],
    may_write=[EXPECTATIONS],
)


def run(trial: Folder) -> None:
    setup = trial.read(TRIAL)["setup"]
    if setup == "symposium":
        trial.write(EXPECTATIONS, judge(read(trial)))
    elif setups.load(setup).PUTS_SKILLS:
        trial.write(EXPECTATIONS, judge_use(read(trial)))


def read(trial: Folder) -> Record:
    plan, seen = trial.read(TRIAL), trial.read(OBSERVATION)
    stage = staged.own(found, plan) if (found := trial.maybe(STAGE)) else {}
    client = clients.load(plan["client"])
    return Record(
        run=plan["paths"]["run"],
        task=trial.read(TASK),
        setup=trial.read(SETUP),
        observation=seen,
        collected=trial.read(COLLECTED),
        trace=symposium_files.objects(trial.path(HOOK_TRACE)),
        log=symposium_files.log(trial.path(SYMPOSIUM_LOG)),
        hooks=symposium_files.objects(trial.path(EVIDENCE) / symposium_files.HOOK_RECORDS),
        version=(stage.get("symposium") or {}).get("version", "(version unknown)"),
        capabilities=stage.get("capabilities"),
        asked=asked(trial),
        reports_hooks=client.REPORTS_HOOKS,
        reloads_skills=client.RELOADS_SKILLS,
    )


def asked(trial: Folder) -> int | None:
    """Tool calls in the model's answers; None: no record of them, or one that breaks off."""
    if not trial.has(EXCHANGES):
        return None
    try:
        return sum(len(exchange["tool_calls"]) for exchange in trial.lines(EXCHANGES))
    except json.JSONDecodeError:  # the runner died while it wrote
        return None


def judge(record: Record) -> Document:
    of_skills = {name: skills.judge(record, name) for name in skills.names(record.task)}
    return {
        "skills": of_skills,
        "hooks": {name: events.hook(record, name) for name in record.task["expected"]["hooks"]},
        "sync": {
            "skill_dir_empty_before": events.empty_before(record),
            "session_start": events.session_start(record),
            "sync_recorded": events.sync_recorded(record),
        },
        "findings": list(findings(record, of_skills)),
    }


def judge_use(record: Record) -> Document:
    """The claims that need no Symposium: was each skill loaded, and was it listed?"""
    of_skills = {name: skills.judge(record, name) for name in skills.names(record.task)}
    kept = {name: {k: v for k, v in of.items() if k not in OF_DELIVERY} for name, of in of_skills.items()}
    return {"skills": kept, "hooks": {}, "sync": {}, "findings": []}


def findings(record: Record, of_skills: dict[str, Document]) -> Iterator[str]:
    """What a reader should know of this Symposium and of its evidence, in sentences."""
    for name, skill in of_skills.items():
        if name in record.collected["installed"] and skill["listed"] is False:
            yield (
                f"{name} was installed during the session but not offered to the model in its first request"
                f": {why_unlisted(record)}."
            )
        if skill["observed_load"] == "attempted":
            yield f"The agent asked for {name} and did not get it."
    for error in dict.fromkeys(error for _, error in record.log.sync_failures) if record.log else ():
        yield f"Symposium could not sync: {error}."
    yield from events.vetoes(record)
    if record.changed:
        yield f"The session changed configuration: {', '.join(record.changed)}."
    if record.began:
        yield from (f"Evidence is doubtful: {doubt}." for doubt in doubts.sentences(record, [*of_skills]))
    yield from shortcomings(record)


def shortcomings(record: Record) -> Iterator[str]:
    """What this cargo-agents does not do, of all that a delivery or a verdict rests on (S05)."""
    able, name = record.capabilities, f"cargo-agents {record.version}"
    if able is None:
        return
    if missing := [event for event in symposium_files.EVENTS if event not in able["events"]]:
        yield f"{name} registers no hook of {able['client']} for {', '.join(missing)}."
    for capability, lack in LACKS.items():
        unseen = capability == "hook_exits" and record.lacks("plugin_hooks")  # no hook ran that could end
        if record.lacks(capability) and not unseen:
            yield f"{name} {lack}."


OF_DELIVERY = ("installed", "not_installed")
LACKS = {
    "registry": "does not keep a [[registry]] of its configuration",
    "clean_output": "says more than its answer on SessionStart, so the client takes all of it for plain text",
    "installs": "installed no skill at SessionStart when it was tried",
    "plugin_hooks": "ran no Stop hook of a plugin when it was tried",
    "marker": "does not mark what it installs: installed cannot be judged",
    "trace": "writes no hook trace: session_start cannot be judged",
    "sync_record": "keeps no record of a sync: sync_recorded cannot be judged",
    "hook_exits": "does not log how a plugin's hook ends: hooks cannot be judged",
}


def why_unlisted(record: Record) -> str:
    """A client lists a skill that a SessionStart hook installs only when that hook asks it to, if ever."""
    if not record.reloads_skills:
        return "this client lists such a skill from its next session on, whatever a hook answers"
    name = f"cargo-agents {record.version}"
    for line in record.trace or ():
        if line.value and line.value.get("event") == "SessionStart":
            said = line.value.get("output")
            answer = said.get("hookSpecificOutput") if isinstance(said, dict) else None
            if isinstance(answer, dict) and answer.get("reloadSkills") is True:
                return f"{name} asked the client to reload its skills, which it did not"
            return f"{name} does not ask the client to reload its skills"
    return f"{name} left no answer to SessionStart in the hook trace"


if __name__ == "__main__":
    STEP.main(run)
