#!/usr/bin/env python3
"""Judge what the task expects of Symposium, from the files that a trial left; other trials get no such file.

The rules are in expectations/. It never meets a sandbox, a model or a client, so it can be redone on any old
trial. Its failures are ours: whatever the agent did to the evidence is a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

from expectations import Record, events, skills
from kit import symposium_files
from kit.contract import Folder, Step
from kit.documents import Document
from kit.layout import (
    COLLECTED,
    EVIDENCE,
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
    does="Judge what the task expects of Symposium (Symposium configurations only).",
    kind="derived",
    reads=[TRIAL, TASK, SETUP, OBSERVATION, COLLECTED],
    writes=[],
    may_read=[STAGE, EVIDENCE, HOOK_TRACE, SYMPOSIUM_LOG],
    may_write=[EXPECTATIONS],
)


def run(trial: Folder) -> None:
    if trial.read(TRIAL)["setup"] == "symposium":
        trial.write(EXPECTATIONS, judge(read(trial)))


def read(trial: Folder) -> Record:
    symposium = (trial.maybe(STAGE) or {}).get("symposium") or {}
    return Record(
        task=trial.read(TASK),
        setup=trial.read(SETUP),
        observation=trial.read(OBSERVATION),
        collected=trial.read(COLLECTED),
        trace=symposium_files.objects(trial.path(HOOK_TRACE)),
        log=symposium_files.log(trial.path(SYMPOSIUM_LOG)),
        hooks=symposium_files.objects(trial.path(EVIDENCE) / symposium_files.HOOK_RECORDS),
        version=symposium.get("version", "(version unknown)"),
    )


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


def findings(record: Record, of_skills: dict[str, Document]) -> Iterator[str]:
    """What a reader should know of this Symposium, in sentences."""
    for name, skill in of_skills.items():
        if name in record.collected["installed"] and skill["listed"] is False:
            yield (
                f"{name} was installed during the session but not offered to the model in its first request"
                f": cargo-agents {record.version} {asked_to_reload(record)}."
            )
        if skill["observed_load"] == "attempted":
            yield f"The agent asked for {name} and did not get it."
    for error in dict.fromkeys(error for _, error in record.log.sync_failures) if record.log else ():
        yield f"Symposium could not sync: {error}."
    if record.changed:
        yield f"The session changed configuration: {', '.join(record.changed)}."


def asked_to_reload(record: Record) -> str:
    """The client lists a skill that a SessionStart hook installs only when that hook's answer asks it to."""
    for line in record.trace or ():
        if line.value and line.value.get("event") == "SessionStart":
            said = line.value.get("output")
            answer = said.get("hookSpecificOutput") if isinstance(said, dict) else None
            if isinstance(answer, dict) and answer.get("reloadSkills") is True:
                return "asked the client to reload its skills, which it did not"
            return "does not ask the client to reload its skills"
    return "left no answer to SessionStart in the hook trace"


if __name__ == "__main__":
    STEP.main(run)
