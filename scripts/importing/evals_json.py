"""evals/evals.json of an Agent Skill: prompts, input files, and assertions that a model is to judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import importing
from importing import Case
from kit.documents import Document

SCHEMA = "evals-json/1"
KNOWN = {"id", "name", "prompt", "expected_output", "files", "assertions", "expectations"}


def find(place: Path) -> Iterator[Path]:
    if place.is_file() and place.suffix == ".json":
        yield place
    elif place.is_dir():
        yield from importing.below(place, "evals.json")


def read(place: Path) -> Iterator[Case]:
    try:
        said = json.loads(importing.checked(place, place.parent).read_text("utf-8"))
        wrong = importing.problem(said, SCHEMA)
    except OSError as error:
        said, wrong = {}, str(error)
    except (ValueError, RecursionError) as error:  # ValueError: no UTF-8, no JSON
        said, wrong = {}, f"not JSON: {error}"
    if wrong:
        yield Case(place, importing.slug(place.parent.name), refused=wrong)
        return
    for number, case in enumerate(said["evals"], 1):
        try:
            yield one(place, said, case, number)
        except importing.UNREADABLE as error:
            yield Case(place, importing.slug(f"{place.parent.name}-{number}"), refused=str(error))


def one(place: Path, said: Document, given: Document, number: int) -> Case:
    skill = next((folder for folder in place.parents[:2] if (folder / "SKILL.md").is_file()), None)
    called = said.get("skill_name") or (skill.name if skill else place.parent.name)
    name = importing.slug(f"{called}-{given.get('name', given.get('id', number))}")
    case = Case(place, name, prompt=given["prompt"], expected_output=given.get("expected_output"))
    if skill:
        importing.carry(case, [skill / "SKILL.md"], skill, called)
    else:
        case.to_write.append(
            f"plugins/: a plugin with the skill {called}; no SKILL.md was found beside the file"
        )
    cases = place.parent / "evals" if skill == place.parent else place.parent
    take_files(case, skill or place.parent, cases, given.get("files", []))
    for sentence in [*given.get("assertions", []), *given.get("expectations", [])]:
        case.to_write.append(f'checks/: what can be tested of "{sentence}", which was for a model to judge')
    others = sorted({*given} - KNOWN) + sorted({*said} - {"skill_name", "evals"})
    case.not_taken += [f"{key}: not a key of this format" for key in others]
    return case


def take_files(case: Case, skill: Path, cases: Path, paths: list[str]) -> None:
    """Only what lies beside the cases: the rest of the skill must reach an agent by the plugin alone."""
    for path in paths:
        if importing.inside(skill / path, cases) and skill / path != case.source:
            case.files.append(skill / path)
        else:
            what = (
                "part of the skill"
                if importing.inside(skill / path, skill)
                else "no file of the skill's folder"
            )
            case.to_write.append(f"starter/: {path}, which is {what} and was not copied")
