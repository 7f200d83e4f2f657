"""Cases of `claude plugin eval`: a folder with case.yaml, or with prompt.md and graders/*.md, or with both.

plugin_case.py reads them as Claude Code 2.1.332 does. Their graders look at what the agent said and did; only
those about files that it left have something to say to a hidden test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import importing
from importing import Case, plugin_case
from kit.documents import Document

MANIFESTS = (".claude-plugin/plugin.json", "plugin.json")
OTHER_PARTS = ("hooks", "commands", "agents", ".mcp.json", ".lsp.json", "output-styles")
NO_PLACE = {  # keys without which the case would ask something else: why a task cannot have them
    ("context", "history_file"): "a trial is a new conversation",
    ("execution", "append_system_prompt"): "a trial has the client's own system prompt",
    ("execution", "growthbook_overrides"): "a trial has the client's own settings",
}
DROPPED = {  # keys that a draft leaves out, and why
    "model": "the model is chosen for a batch, with --model",
    "max_turns": "a trial has a deadline, and no bound on turns",
    "allowed_tools": "a trial has every tool; its sandbox is the bound",
    "disallowed_tools": "a trial has every tool; its sandbox is the bound",
    "env": "a trial's environment is the same for all tasks",
    "artifact_publish": "a trial has no network",
}


def find(place: Path) -> Iterator[Path]:
    if place.is_file() and place.name in ("case.yaml", "prompt.md"):
        yield place.parent
    elif place.is_dir():
        folders = {
            file.parent for name in ("case.yaml", "prompt.md") for file in importing.below(place, name)
        }
        yield from sorted(f for f in folders if (f / "case.yaml").exists() or (f / "graders").is_dir())


def read(place: Path) -> Iterator[Case]:
    name = importing.slug(place.name)
    try:
        said = plugin_case.load(place)
        wrong = unsaid(said)
        case = Case(place, name, refused=wrong) if wrong else taken(place, said)
    except (plugin_case.Misread, *importing.UNREADABLE) as error:
        case = Case(place, name, refused=str(error))
    yield case


def unsaid(said: Document) -> str | None:
    """What the case asks, and a task cannot."""
    for (table, key), why in NO_PLACE.items():
        if said.get(table, {}).get(key):
            return f"{table}.{key}: {why}"
    if servers := [tool for tool in said["execution"].get("allowed_tools", []) if tool.startswith("mcp__")]:
        return f"execution.allowed_tools: {servers[0]}: a trial has no MCP servers"
    return None


def taken(place: Path, said: Document) -> Case:
    execution, context = said["execution"], said.get("context", {})
    case = Case(place, importing.slug(said["name"]), prompt=execution["prompt"])
    case.expected_output = said.get("expected_outcome") or said.get("description")
    case.trials, case.agent_secs = said.get("runs"), execution.get("timeout_seconds")
    carried(case, place)
    for one in said["graders"]:
        graded(case, one)
    if script := context.get("scaffold_script"):
        case.to_write.append(f"starter/: what {script} would make; it is never run here")
    case.to_write += [
        f"starter/: what lies in {folder} (context.add_dirs)" for folder in context.get("add_dirs", [])
    ]
    case.not_taken += [f"execution.{key}: {why}" for key, why in DROPPED.items() if key in execution]
    case.not_taken += [
        f"plugins: {one}: only the plugin around the case is taken" for one in said.get("plugins", [])
    ]
    return case


def carried(case: Case, place: Path) -> None:
    """The skills of the plugin, or of the skill's folder, that the case lies in."""
    for folder in place.parents:
        own = [folder / "SKILL.md"] if (folder / "SKILL.md").is_file() else []
        if own or any((folder / name).is_file() for name in MANIFESTS):
            files = [*own, *sorted(folder.glob("skills/*/SKILL.md"))]
            importing.carry(case, files, folder, called(folder))
            parts = [part for part in OTHER_PARTS if (folder / part).exists()]
            case.not_taken += [
                f"{folder.name}/{part}: no part of a Symposium plugin in this form" for part in parts
            ]
            return
    case.to_write.append("plugins/: the plugin that the case is about; none was found around it")


def called(folder: Path) -> str:
    """The plugin's name, by its manifest; else the folder's."""
    for name in MANIFESTS:
        try:
            said = json.loads(importing.checked(folder / name, folder).read_text("utf-8"))
        except importing.UNREADABLE:
            continue
        if isinstance(said, dict) and isinstance(said.get("name"), str):
            return str(said["name"])
    return folder.name


def graded(case: Case, one: Document) -> None:
    """One grader: an expectation, something for a hidden test, or nothing that a task could say."""
    label, kind = f"grader {one['name']} ({one['type']})", one["type"]
    target = one.get("target", "last_message")
    if kind == "tool_used" and one["tool"] == "Skill" and (skills := meant(case, one.get("input_match"))):
        (case.not_used if one.get("max") == 0 else case.used).extend(skills)
    elif kind == "file_exists":
        made = "is made" if one.get("exists", True) else "is not made"
        case.to_write.append(f"checks/: {label}: that {one['path']} {made}")
    elif kind == "regex" and (isinstance(target, dict) or target == "files"):
        where = target["path"] if isinstance(target, dict) else "the list of new files"
        rule = f"{one.get('match', 'contains')} /{one['pattern']}/{one.get('flags', '')}"
        case.to_write.append(f"checks/: {label}: that {where} {rule}")
    elif kind in ("llm", "baseline"):
        case.not_taken.append(f"{label}: a model would judge it; test what can be tested: {one['criteria']}")
    else:
        case.not_taken.append(
            f"{label}: about what the agent says or does; a trial is graded on what it leaves"
        )


def meant(case: Case, pattern: str | None) -> list[str]:
    """The skills that a `tool_used: Skill` grader is about: its pattern is matched with the call's input."""
    calls = {
        name: [f'{{"skill":"{said}"}}' for said in (name, f"{case.plugin}:{name}")] for name in case.skills
    }
    try:
        return [name for name, said in calls.items() if any(re.search(pattern or "", one) for one in said)]
    except re.error:  # JavaScript's patterns are not quite Python's
        return []
