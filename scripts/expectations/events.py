"""Did Symposium start with the session, did it sync, and did the plugins' hooks run and succeed?

The trace shows that the client called Symposium and got an answer; it says nothing of a plugin's own hook.
That is judged by the record which the hook writes itself, or else by the exit status in the debug log, which
tells a hook that failed, one that was killed, one that hangs and one that never ran apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from expectations import Record, doubts, first, judged, unless, unless_changed, unless_cut, unsupported
from kit.documents import Document
from kit.symposium_files import Dispatch, Line, Log, status


def empty_before(record: Record) -> Document:
    where = f"project/{record.setup['skill_folder']}"
    if record.setup["skill_folder_empty"]:
        return judged("pass", f"{where}: empty or absent before launch")
    return judged("fail", f"{where}: held something before launch")


def session_start(record: Record) -> Document:
    verdict = unless(first(doubts.of_trace(record)), traced(record))
    return unless_changed(record, unsupported(record, "trace", "writes no hook trace", verdict))


def traced(record: Record) -> Document:
    lines = record.trace or []
    for line in lines:
        if line.value and line.value.get("event") == "SessionStart":
            return judged("pass", f"hook-trace.jsonl:{line.number}: SessionStart")
    if torn := [line.number for line in lines if line.value is None]:
        return judged(
            "inconclusive", f"hook-trace.jsonl:{torn[0]}: not readable, and no other line says SessionStart"
        )
    if lost := record.lost("evidence/hook-trace.jsonl"):
        return judged("inconclusive", lost)
    if not record.began:
        return judged("inconclusive", "hook-trace.jsonl: no SessionStart, but no session began")
    what = "no such file" if record.trace is None else f"no SessionStart among {len(lines)} lines"
    return judged("fail", f"hook-trace.jsonl: {what}{client_says(record, 'SessionStart')}")


def client_says(record: Record, event: str) -> str:
    said = [hook for hook in record.observation["hooks"] if hook["event"] == event]
    return "".join(
        f"; the client reports {event}: {hook['outcome']}, exit {hook['exit']}" for hook in said[:1]
    )


def sync_recorded(record: Record) -> Document:
    verdict = recorded(record)
    if verdict["verdict"] != "inconclusive":
        verdict = unless(first(doubts.of_state(record)), verdict)
    return unless_changed(record, unsupported(record, "sync_record", "keeps no record of a sync", verdict))


def recorded(record: Record) -> Document:
    ours = [sync for sync in record.collected["sync_records"] if sync["for_project"]]
    if any(sync["mtime_is_int"] for sync in ours):
        return judged("pass", "state.json: a sync of the project is recorded")
    if ours:
        return judged(
            "inconclusive", "state.json: names the project, but its last-sync-lock-mtime is no number"
        )
    if not record.began:
        return judged("inconclusive", "state.json: none for the project, but no session began")
    if record.log is None:  # `init` alone leaves one, so Symposium's own folder was not kept or was emptied
        return judged("inconclusive", "state.json: none for the project, and no symposium.log beside it")
    failures = "".join(f"; symposium.log:{line}: {error}" for line, error in record.log.sync_failures[:1])
    return judged("fail", f"state.json: none for the project{failures}")


def hook(record: Record, name: str) -> Document:
    """By its first record; the debug log must not contradict it, and stands in where there is none."""
    if lost := record.lost("evidence/hooks.jsonl"):
        return judged("inconclusive", lost)
    earliest = first_record(record.hooks or [], name)
    runs = record.log.dispatches.get(name, []) if record.log else []
    verdict = by_record(record, name, earliest, runs) if earliest else by_log(record, name, runs)
    verdict = unless(first(doubts.of_records(record)), verdict)
    lacking = "does not log how a plugin's hook ends"
    if not record.lacks("plugin_hooks"):  # else no hook ran whose end could have been logged
        verdict = unsupported(record, "hook_exits", lacking, verdict)
    return unless_changed(record, verdict)


def first_record(lines: list[Line], name: str) -> Line | None:
    """The hook's first line; or one that cannot be read, if it comes earlier and so may be the first."""
    return next((line for line in lines if line.value is None or line.value.get("hook") == name), None)


def by_record(record: Record, name: str, first: Line, runs: list[Dispatch]) -> Document:
    where = f"evidence/hooks.jsonl:{first.number}"
    if first.value is None:
        return judged("inconclusive", f"{where}: not readable, and may be the hook's first record")
    said = status(first.value.get("exit"))
    if said is None:
        return judged("inconclusive", f"{where}: a record without an exit status")
    if said != 0:
        return judged("fail", f"{where}: exit {said}")
    if record.log and not runs:
        return judged("inconclusive", f"{where}: exit 0, but symposium.log knows of no run of this hook")
    if runs and runs[0].exit != 0:
        return judged(
            "inconclusive", f"{where}: exit 0, but symposium.log:{runs[0].line} says {ending(runs[0])}"
        )
    if record.log and (lines := records(record, name)) > (known := starts(record.log, name)):
        more = f"{lines} records of {name}, and symposium.log knows of {known} runs; the first may be forged"
        return judged("inconclusive", f"{where}: exit 0, but evidence/hooks.jsonl has {more}")
    return judged("pass", f"{where}: exit 0")


def records(record: Record, name: str) -> int:
    """A hook of ours writes one for each of its runs."""
    return sum(1 for line in record.hooks or [] if line.value and line.value.get("hook") == name)


def starts(log: Log, name: str) -> int:
    """A run that never ended may have left its record."""
    return max(len(log.begun.get(name, ())), len(log.dispatches.get(name, ())))


def by_log(record: Record, name: str, runs: list[Dispatch]) -> Document:
    if not runs:
        begun = record.log.begun.get(name, []) if record.log else []
        seen = f"symposium.log:{begun[0]}: began and never ended" if begun else "symposium.log: never ran"
        return unless_cut(record, judged("fail", f"{name}: no record in evidence/hooks.jsonl; {seen}"))
    run, where = runs[0], f"symposium.log:{runs[0].line}: {ending(runs[0])}"
    if run.exit != 0:
        return judged("fail", where)
    if run.plugin in record.setup["recording"]:
        return judged(
            "inconclusive", f"{where}, but evidence/hooks.jsonl lacks the record that this hook writes"
        )
    return judged("pass", f"{where} (this plugin writes no records of its own)")


def ending(run: Dispatch) -> str:
    if run.error:
        return f"could not be started: {run.error}"
    return "ended by a signal" if run.exit is None else f"exit {run.exit}"


def vetoes(record: Record) -> Iterator[str]:
    """Status 2 is more than a failure: 0.5.1 then runs no hook of a later plugin, and drops every answer."""
    for name, runs in record.log.dispatches.items() if record.log else ():
        if times := sum(run.exit == 2 for run in runs):
            often = "once" if times == 1 else f"{times} times"
            said = "Symposium takes that for a veto of the hooks after it"
            yield f"The hook {name} exited 2 ({often}): {said}."
