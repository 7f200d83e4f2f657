"""setups/direct: the skills are in place as Symposium leaves them, and nothing of Symposium is there."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import clients
from kit.layout import Run
from setups import Before, Said, direct, every, folders

MANIFEST = 'name = "greet"\ndepends-on = ["*"]\n\n[[skills]]\nsource.path = "skills"\n'
SKILL = "---\nname: greeting\ndescription: How to greet\n---\n\nSay hello.\n"
NOWHERE = Said(["sh"], 0, "", "")


def place(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


@pytest.fixture
def before(tmp_path: Path) -> Before:
    """A run with empty folders, and a task whose plugin carries two skills, one of them expected."""
    plugin = tmp_path / "evals/plugins/greet"
    place(plugin / "SYMPOSIUM.toml", MANIFEST)
    place(plugin / "skills/greeting/SKILL.md", SKILL)
    place(plugin / "skills/greeting/more/words.md", "Ahoy.\n")
    place(plugin / "skills/other/SKILL.md", SKILL.replace("greeting", "other"))
    run = Run(tmp_path / "run", tmp_path / "control")
    folders.make(run)
    lists: dict[str, Any] = {"installed": ["greeting"], "not_installed": [], "used": [], "not_used": []}
    task = {
        "plugins": ["greet"],
        "skills": {"greeting": "greet", "other": "greet"},
        "expected": {"hooks": [], "skills": lists},
        "prompt": "Say hello.",
        "canaries": [],
    }
    return Before(run, task, {}, clients.load("claude"), "claude", tmp_path / "evals")


def failed(before: Before) -> list[str]:
    checks = [*every.checks(before, empty=False), *direct.checks(before, [NOWHERE])]
    return [check.name for check in checks if not check.passed]


def test_the_expected_skills_lie_as_symposium_leaves_them_and_no_others(before: Before) -> None:
    put = direct.populate(before)
    skills = before.run.project / ".claude/skills"
    found = {str(path.relative_to(skills)) for path in skills.rglob("*") if path.is_file()}
    own = {"greeting/.symposium", "greeting/.gitignore"}
    assert found == {"greeting/SKILL.md", "greeting/more/words.md", *own}
    assert (skills / "greeting/.symposium").read_bytes() == b""
    assert (skills / "greeting/.gitignore").read_bytes() == b"*\n"
    words = hashlib.sha256(b"Ahoy.\n").hexdigest()
    assert put["greet"].files["skills/greeting/more/words.md"] == words
    assert failed(before) == []


def test_nothing_of_symposium_is_put_in(before: Before) -> None:
    direct.populate(before)
    assert not (before.run.home / ".symposium").exists()
    assert not before.run.registry.exists()
    assert not (before.run.bin / "cargo-agents").exists()


def test_a_symposium_that_is_there_after_all_is_a_setup_failure(before: Before) -> None:
    direct.populate(before)
    said = [Said(["sh"], 0, "/usr/bin/cargo-agents\n", "")]
    assert [check.name for check in direct.checks(before, said) if not check.passed] == [
        "symposium_unreachable"
    ]


def test_a_skill_that_is_missing_or_too_much_is_a_setup_failure(before: Before) -> None:
    assert failed(before) == ["skills_in_place"]
    direct.populate(before)
    (before.run.project / ".claude/skills/another").mkdir()
    assert failed(before) == ["skills_in_place"]


def test_a_task_that_expects_no_skill_has_nothing_to_compare(before: Before) -> None:
    before.task["expected"]["skills"]["installed"] = []
    direct.populate(before)
    assert failed(before) == ["skills_in_place"]


def test_P05_every_other_setup_still_begins_with_an_empty_folder(before: Before) -> None:
    direct.populate(before)
    assert [check.name for check in every.checks(before) if not check.passed] == ["skill_folder_empty"]
