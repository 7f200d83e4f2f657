"""What makes a task refused (T04): contradictions, names that lead nowhere, guards that guard nothing.

It compares what task.toml says with what is there; taskfolders.py looks into the folders. It never runs
anything: whether the hidden tests work is found out by grading (check_tasks.py). A refusal is the
author's fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kit import asserted, taskfolders
from kit.taskfile import nearest

if TYPE_CHECKING:  # tasks.load calls this module
    from kit.tasks import Task

DRAFT = "DRAFT.md"  # what import_tasks.py leaves beside a task.toml, until its author has written the rest
CONTRADICTIONS = (("installed", "not_installed"), ("used", "not_used"), ("used", "not_installed"))


def refusals(task: Task) -> list[tuple[Path, str]]:
    """Each file or folder with what is wrong with it; [] when the task may run."""
    said = [*contradictions(task), *missing(task), *strangers(task), *editable(task), *prompted(task)]
    said += asserted.refusals(task.file.get("assert", []), task.file["grader"], task.folder)
    if task.file["fmt_check"] and task.file["grader"] != "cargo":
        said.append(f"fmt_check means nothing to the grader {task.file['grader']}; remove it")
    draft = [(task.folder / DRAFT, "is a draft; write what this file names, then delete it")]
    return [
        *(draft if (task.folder / DRAFT).exists() else []),
        *((task.folder / "task.toml", problem) for problem in said),
        *((plugin.folder, problem) for plugin in task.plugins for problem in plugin.problems),
        *taskfolders.refusals(task),
    ]


def contradictions(task: Task) -> Iterator[str]:
    lists = task.file["expected"]["skills"]
    said: set[str] = set()  # `used` may be a default, so that one mistake would be reported as two
    for one, other in CONTRADICTIONS:
        both = {*lists[one]} & {*lists[other]} - said
        said |= both
        yield from (f"skill {skill} is in both {one} and {other}; keep it in one" for skill in sorted(both))


def missing(task: Task) -> Iterator[str]:
    for kind in ("plugins", "fixtures"):
        folder = task.evals / kind
        there = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
        for name in task.file[kind]:
            if name not in there:
                hint = nearest(name, there) or "; add the folder or correct the name"
                yield f"{kind.removesuffix('s')} {name}: there is no {folder.name}/{name}{hint}"


def strangers(task: Task) -> Iterator[str]:
    """Skills and hooks that are expected, and that no plugin of the task carries."""
    if len(task.plugins) != len(task.file["plugins"]) or any(plugin.problems for plugin in task.plugins):
        return  # said already, and the cause of whatever this would say
    hooks = [hook for plugin in task.plugins for hook in plugin.hooks]
    for hook in task.file["expected"]["hooks"]:
        if hook not in hooks:
            yield f"hook {hook}: no plugin of the task has it{nearest(hook, hooks) or '; name its plugin'}"
    expected = task.file["expected"]["skills"]
    for skill in sorted({skill for names in expected.values() for skill in names} - set(task.skills)):
        lists = ", ".join(key for key, names in expected.items() if skill in names)
        hint = nearest(skill, task.skills) or "; name its plugin"
        yield f"skill {skill} ({lists}): no plugin of the task carries it{hint}"
    carried = [skill for plugin in task.plugins for skill in plugin.skills]
    for skill in sorted({skill for skill in carried if carried.count(skill) > 1}):
        yield f"skill {skill} is in two plugins, and Symposium would rename one; choose another name"


def editable(task: Task) -> Iterator[str]:
    patterns = task.file["editable"]
    for pattern in patterns:
        if not pattern.strip() or pattern.startswith("#"):
            yield f'editable: "{pattern}" matches nothing; remove it'
        elif ".." in pattern.split("/"):
            yield f'editable: "{pattern}" leads out of the project; name paths from the project\'s root'
    if all(pattern.startswith("!") for pattern in patterns):
        yield "editable only takes away, so nothing is graded; name what the agent may edit"


def prompted(task: Task) -> Iterator[str]:
    """A capability task asks whether the agent finds the skill: its prompt must not point at one."""
    if task.kind == "capability":
        for skill in sorted({*task.skills, *task.file["expected"]["skills"]["installed"]}):
            if names_skill(task.prompt, skill, also_a_crate=skill in task.file["fixtures"]):
                yield f"prompt names the skill {skill}, which a capability task leaves to be found; reword it"


def names_skill(prompt: str, skill: str, *, also_a_crate: bool) -> bool:
    """Whether the prompt names the skill, in any case and with any separator between its words.

    A skill is often called like the crate that it is about, and a prompt must be able to name the crate: then
    only "the X skill", "skill X", "/X" and "$X" name the skill.
    """
    name = r"[-_\s]+".join(map(re.escape, re.split("[-_]", skill)))
    if not also_a_crate:
        return re.search(rf"(?<!\w){name}(?!\w)", prompt, re.IGNORECASE) is not None
    gap = r"\W+(?:\w+\W+){0,2}?"
    ways = (
        rf"(?<!\w){name}{gap}skills?\b",
        rf"\bskills?{gap}{name}(?!\w)",
        rf"(?:^|[\s`'\"(])[/$]{name}(?![\w/])",
    )
    return any(re.search(way, prompt, re.IGNORECASE) for way in ways)
