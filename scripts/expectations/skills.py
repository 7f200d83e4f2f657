"""Was each skill installed as it is in the task's plugin, and did the agent load it?

Installed is judged by content: every file's hash against the plugin's, which the trial could not write.
Used is judged by the transcript, as the client's adapter read it, held against the gateway's record.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from expectations import (
    SYMPOSIUM_CONFIG,
    Record,
    doubts,
    first,
    judged,
    unless,
    unless_changed,
    unless_cut,
    unsupported,
)
from kit.documents import Document

OF_SYMPOSIUM = (".symposium", ".gitignore")  # it writes these into each folder that it installs


def names(task: Document) -> list[str]:
    claimed = (name for claim in task["expected"]["skills"].values() for name in claim)
    return sorted({*task["skills"], *claimed})


def judge(record: Record, name: str) -> Document:
    """Those of the four claims that the task makes of this skill, and what was seen of it."""
    claims = {"installed": installed, "not_installed": not_installed, "used": used, "not_used": not_used}
    asked = record.task["expected"]["skills"]
    made = {claim: judge(record, name) for claim, judge in claims.items() if name in asked[claim]}
    return {**made, "observed_load": load(record, name)[0], "listed": record.observation["listed"].get(name)}


def installed(record: Record, name: str) -> Document:
    verdict = unless(first(doubts.of_skill(record, name)), as_in_plugin(record, name))
    if name in record.collected["installed"]:  # what is absent has no mark to look for
        verdict = unsupported(record, "marker", "does not mark what it installs", verdict)
    return unless_changed(record, verdict, SYMPOSIUM_CONFIG)


def as_in_plugin(record: Record, name: str) -> Document:
    where, found = folder(record, name), record.collected["installed"].get(name)
    if found is None:
        if record.began:
            return judged("fail", f"{where}: absent after the session")
        return judged("inconclusive", f"{where}: absent, but no session began")
    source = plugin_files(record, name)
    if source is None:
        return judged(
            "inconclusive", f"setup.json: no plugin of the task is known to hold a folder of skill {name}"
        )
    if not found["marker"]:
        return judged(
            "fail", f"{where}: without Symposium's marker (.symposium), so something else put it there"
        )
    if differences := ", ".join(differing(source, found["files"])):
        return judged("fail", f"{where}: not as in the plugin: {differences}")
    return judged("pass", f"{where}: marked by Symposium, and as in the plugin: {', '.join(sorted(source))}")


def folder(record: Record, name: str) -> str:
    return f"project/{record.setup['skill_folder']}/{name}"


def plugin_files(record: Record, name: str) -> dict[str, str] | None:
    """The skill's files as its plugin has them, by their path in the skill's folder; None: not to be told."""
    files: dict[str, str] = record.setup["plugins"].get(record.task["skills"].get(name), {})
    folders = [PurePosixPath(path).parent for path in files if PurePosixPath(path).name == "SKILL.md"]
    of_name = [folder for folder in folders if folder.name == name] or folders
    if len(of_name) != 1:
        return None
    inside = {
        PurePosixPath(p): sha for p, sha in files.items() if PurePosixPath(p).is_relative_to(of_name[0])
    }
    within = {str(path.relative_to(of_name[0])): sha for path, sha in inside.items()}
    return {path: sha for path, sha in within.items() if path not in OF_SYMPOSIUM}


def differing(source: dict[str, str], found: dict[str, str]) -> Iterator[str]:
    words = {(True, False): "missing", (False, True): "added", (True, True): "changed"}
    for path in sorted({*source, *found}):
        if source.get(path) != found.get(path):
            yield f"{path} {words[path in source, path in found]}"


def not_installed(record: Record, name: str) -> Document:
    where = folder(record, name)
    if name in record.collected["installed"]:
        verdict = judged("fail", f"{where}: there after the session")
    else:
        verdict = unless_cut(record, judged("pass", f"{where}: absent after the session"))
        there = record.log is not None and name in record.log.installed
        verdict = unless(f"symposium.log: tells that {name} was installed" if there else None, verdict)
    verdict = unless(first(doubts.of_skill(record, name)), verdict)
    return unless_changed(record, verdict, SYMPOSIUM_CONFIG)


def load(record: Record, name: str) -> tuple[str, str]:
    """The load, and the line of the transcript that shows it."""
    seen = record.observation["loads"].get(name, {"load": "unknown", "evidence": None})
    return seen["load"], f"{name} {seen['load']}" + (f": {seen['evidence']}" if seen["evidence"] else "")


def used(record: Record, name: str) -> Document:
    seen, evidence = load(record, name)
    if seen == "unknown":
        return judged("inconclusive", evidence)
    verdict = judged("pass", evidence) if seen == "loaded" else unless_cut(record, judged("fail", evidence))
    return unless(first(doubts.of_load(record)), verdict)


def not_used(record: Record, name: str) -> Document:
    """An attempt that failed never delivered the skill's text, so it counts as not used."""
    seen, evidence = load(record, name)
    if seen == "unknown":
        return judged("inconclusive", evidence)
    verdict = judged("fail", evidence) if seen == "loaded" else unless_cut(record, judged("pass", evidence))
    return unless(first(doubts.of_load(record)), verdict)
