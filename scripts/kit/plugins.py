"""A plugin of evals/plugins/: its manifest, its skills and its hooks, by Symposium's own rules.

Symposium passes over what it does not understand with no more than a line in its log, so whatever it would
pass over is a refusal here. It never runs Symposium. A refusal is the fault of the plugin's author.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

MANIFESTS = (
    "SYMPOSIUM.toml",
    "Symposium.toml",
)  # kept under one name; written under both when copied into a trial
PLACEHOLDER = "@PLUGIN_DIR@"  # a relative script is not found: the absolute path is put here on copy
SLUG = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
DESCRIPTION_BYTES = 1024


@dataclass(frozen=True)
class Plugin:
    folder: Path
    skills: Mapping[str, Path]  # name, as SKILL.md says it, to the folder that holds SKILL.md
    hooks: tuple[str, ...]
    problems: tuple[str, ...]  # "<file>: <what is wrong>; <what to do>", from the plugin's folder

    @property
    def name(self) -> str:
        return self.folder.name


def read(folder: Path) -> Plugin:
    present = [name for name in MANIFESTS if (folder / name).is_file()]
    if len({(folder / name).stat().st_ino for name in present}) != 1:  # one file may answer to both names
        problem = "two manifests; keep one" if present else "missing; a plugin needs a manifest"
        return Plugin(folder, {}, (), (f"{MANIFESTS[0]}: {problem}",))
    try:
        manifest = tomllib.loads((folder / present[0]).read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return Plugin(folder, {}, (), (f"{present[0]}: not TOML: {error}; correct it",))
    problems = [f"{present[0]}: {problem}" for problem in manifest_problems(folder, manifest)]
    skills: dict[str, Path] = {}
    for file in skill_files(folder, manifest):
        name, wrong = read_skill(file)
        if name in skills:
            wrong = [
                *wrong,
                f"a second skill {name}; Symposium would rename one of them, so choose another name",
            ]
        problems += [f"{file.relative_to(folder)}: {problem}" for problem in wrong]
        if name:
            skills.setdefault(name, file.parent)
    hooks = tuple(str(hook.get("name")) for hook in tables(manifest, "hooks"))
    return Plugin(folder, skills, hooks, tuple(problems))


def tables(manifest: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """An array of tables, such as [[hooks]]; what is shaped otherwise is reported by manifest_problems."""
    value = manifest.get(key, [])
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def manifest_problems(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    if manifest.get("name") != folder.name:
        yield f'name is not the folder\'s; write name = "{folder.name}" before the first table'
    for key in ("skills", "hooks"):
        if key in manifest and len(tables(manifest, key)) != len(manifest[key]):
            yield f"{key} is no array of tables; write [[{key}]]"
    hooks, groups = tables(manifest, "hooks"), tables(manifest, "skills")
    if any("depends-on" in hook for hook in hooks):
        yield "depends-on inside [[hooks]]; move it before the first table"
    if "depends-on" not in manifest and not any("depends-on" in group for group in groups):
        yield 'no depends-on, so the plugin stays dormant; write depends-on = ["*"] before the first table'
    for hook in hooks:
        yield from hook_problems(folder, hook)


def hook_problems(folder: Path, hook: Mapping[str, Any]) -> Iterator[str]:
    name, command = hook.get("name"), hook.get("command")
    if not isinstance(name, str) or not isinstance(hook.get("event"), str):
        yield "a hook without a name or an event; write both"
    script = command.get("script") if isinstance(command, dict) else None
    if not isinstance(script, str):
        return  # an executable on PATH, or arguments: Symposium's own check judges those
    inside = script.removeprefix(f"{PLACEHOLDER}/")
    if inside == script:
        yield f'hook {name}: script "{script}" is not found from a trial; write "{PLACEHOLDER}/{script}"'
    elif not (folder / inside).is_file():
        yield f"hook {name}: there is no {inside}; correct the path or add the script"


def skill_files(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """Each SKILL.md below a [[skills]] source.path; what lies inside another skill's folder belongs to it."""
    found: set[Path] = set()
    for group in tables(manifest, "skills"):
        source = group.get("source")
        path = source.get("path") if isinstance(source, dict) else None
        if isinstance(path, str):
            found |= set((folder / path).rglob("SKILL.md"))
    return sorted(file for file in found if not any(other.parent in file.parent.parents for other in found))


def read_skill(file: Path) -> tuple[str | None, list[str]]:
    """The skill's name (None when there is none) and what is wrong with its front matter."""
    fields, problem = front_matter(file)
    if problem:
        return None, [problem]
    wrong = [
        f"{key} is no string; put it in quotes" for key, value in fields.items() if not isinstance(value, str)
    ]
    name, description = fields.get("name"), fields.get("description")
    if not isinstance(name, str) or not SLUG.fullmatch(name):
        wrong.append("no usable name; write name: in lower-case words joined by - or _")
        name = None
    if not isinstance(description, str) or not 1 <= len(description.encode()) <= DESCRIPTION_BYTES:
        wrong.append(f"description must be text of 1 to {DESCRIPTION_BYTES} bytes; write one")
    return name, wrong


def front_matter(file: Path) -> tuple[dict[Any, Any], str | None]:
    try:
        head, fence, _ = file.read_text("utf-8").lstrip().removeprefix("---\n").partition("\n---")
        if not fence or not file.read_text("utf-8").lstrip().startswith("---\n"):
            return {}, "no front matter; begin the file with a block between two lines ---"
        fields = yaml.safe_load(head)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return (
            {},
            f"front matter is not YAML ({' '.join(str(error).split())}); put values with : or [ in quotes",
        )
    return (
        (fields, None)
        if isinstance(fields, dict)
        else ({}, "front matter is no mapping; write name: and description:")
    )
