"""The skills without their delivery: those that Symposium is expected to install are in place before launch.

They lie as Symposium leaves them (same folder, its marker, its .gitignore), so that the agent sees the same
project; but no Symposium is there, no hook of a plugin, and the client knows the skills from the start. Held
against `symposium` it shows what delivery costs, against `baseline` what the skill is worth. It never judges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from kit import plugins
from setups import Before, Check, Plugin, Said, baseline, folders

CONFIGURATION: Sequence[str] = ()
PUTS_SKILLS = True  # so the skill folder is not to be empty before launch
SYMPOSIUMS_OWN = {".symposium": b"", ".gitignore": b"*\n"}


def populate(before: Before) -> dict[str, Plugin]:
    """The plugins whose skills were put in place, each with the files of these skills."""
    put: dict[str, dict[str, str]] = {}
    for skill, source in sources(before).items():
        plugin = before.task["skills"][skill]
        root = before.evals / "plugins" / plugin
        for path, data, program in folders.files(source):
            folders.put(place(before, skill) / path, data, program=program)
            name = str(source.relative_to(root) / path)
            put.setdefault(plugin, {})[name] = hashlib.sha256(data).hexdigest()
        for name, data in SYMPOSIUMS_OWN.items():
            folders.put(place(before, skill) / name, data)
    return {name: Plugin(files, records=False) for name, files in put.items()}


def sources(before: Before) -> dict[str, Path]:
    """Each skill that Symposium is expected to install, and its folder in evals/."""
    wanted = before.task["expected"]["skills"]["installed"]
    read = {name: plugins.read(before.evals / "plugins" / name) for name in before.task["plugins"]}
    return {skill: read[before.task["skills"][skill]].skills[skill] for skill in wanted}


def place(before: Before, skill: str) -> Path:
    return before.run.project / before.client.SKILLS / skill


def commands(before: Before) -> Sequence[Sequence[str]]:
    return baseline.commands(before)


def checks(before: Before, said: Sequence[Said]) -> Iterator[Check]:
    yield from baseline.checks(before, said)
    yield in_place(before)


def in_place(before: Before) -> Check:
    """These skills, whole, and no others: a task that expects none has nothing to put in."""
    wanted = sorted(sources(before))
    folder = before.run.project / before.client.SKILLS
    there = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    whole = all((place(before, skill) / "SKILL.md").is_file() for skill in wanted)
    said = f"{folder}: {', '.join(there) or 'empty'}"
    if not wanted:
        return Check("skills_in_place", False, f"{said}; the task expects no skill to be installed")
    return Check("skills_in_place", whole and there == wanted, f"{said}; expected: {', '.join(wanted)}")
