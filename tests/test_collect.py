"""collect.py on what agents leave: all recorded, nothing followed, nothing an error (D02, G03, G04)."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import collect
from kit import documents, seal
from kit.contract import Exit, Folder
from kit.documents import Document
from kit.edits import compare
from kit.globs import Editable
from kit.symposium_state import sync_record
from kit.trees import Limits
from left_behind import EXECUTION, SETUP, TASK, TRIAL, put

LIB = "pub fn halve(x: i32) -> i32 { x / 2 }\n"
SKILL = ".claude/skills/rust-formatting"


class Trial:
    """A trial whose client has ended: evals, the run as prepared, and the documents up to execution.json."""

    def __init__(self, root: Path, setup: str = "symposium") -> None:
        self.root, self.folder, self.run = root, root / "results/trial", root / "run"
        self.evals = root / "evals"
        for name, text in (("Cargo.toml", "[package]\n"), ("src/lib.rs", LIB), ("src/old.rs", "// old\n")):
            write(self.evals / "tasks/formatting/starter" / name, text)
            write(self.run / "project" / name, text)
        for name in ("home", "evidence", "tmp"):
            (self.run / name).mkdir()
        paths = {**TRIAL["paths"], "evals": str(self.evals), "run": str(self.run)}
        put(self.folder / "trial.json", {**TRIAL, "setup": setup, "paths": paths})
        put(self.folder / "task.json", TASK)
        put(self.folder / "setup.json", SETUP)
        put(self.folder / "execution.json", EXECUTION)

    @property
    def project(self) -> Path:
        return self.run / "project"

    def change(self, name: str, **changes: Any) -> None:
        document = json.loads((self.folder / name).read_text())
        put(self.folder / name, {**document, **changes})

    def collect(self) -> Document:
        assert collect.STEP.execute(collect.run, Folder(self.folder, collect.STEP)) is Exit.OK
        return documents.read(self.folder / "collected.json", "collected/1")

    def seal(self) -> Document:
        return documents.read(self.folder / "seal.json", "seal/1")

    def kept(self, folder: str = "submission") -> set[str]:
        root = self.folder / folder
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def test_D02_an_untouched_project_has_no_edits(trial: Trial) -> None:
    found = trial.collect()
    assert found["edits"] == {"added": [], "modified": [], "deleted": []}
    assert (found["edits_outside_editable"], found["invalid"], found["installed"]) == ([], [], {})
    assert trial.kept() == {"Cargo.toml", "src/lib.rs", "src/old.rs"}
    sealed = trial.seal()
    assert sealed["complete"]
    assert sealed["counts"] == {"entries": 4, "bytes": len(f"[package]\n{LIB}// old\n")}


def test_G04_edits_are_told_apart_and_outside_editable_only_listed(trial: Trial) -> None:
    write(trial.project / "src/lib.rs", LIB + "// more\n")
    write(trial.project / "src/new.rs", "")
    (trial.project / "src/old.rs").unlink()
    write(trial.project / "Cargo.toml", "[package]\r\n")
    write(trial.project / "tests/own.rs", "")
    (trial.project / "junk/empty").mkdir(parents=True)
    found = trial.collect()
    assert found["edits"] == {"added": ["src/new.rs"], "modified": ["src/lib.rs"], "deleted": ["src/old.rs"]}
    assert found["edits_outside_editable"] == ["Cargo.toml", "junk/empty/", "tests/own.rs"]


def test_G04_what_is_cargos_or_symposiums_is_no_edit(trial: Trial) -> None:
    write(trial.project / "target/debug/x", "12345")
    write(trial.project / "Cargo.lock", "# cargo's\n")
    write(trial.project / f"{SKILL}/SKILL.md", "text")
    write(trial.project / f"{SKILL}/scripts/x.sh", "")
    write(trial.project / f"{SKILL}/.symposium", "")
    write(trial.project / f"{SKILL}/.gitignore", "*")
    write(trial.project / ".claude/skills/agents-own/SKILL.md", "")
    write(trial.project / "src/.symposium", "")
    found = trial.collect()
    assert found["build_output"] == [{"path": "target", "bytes": 5}]
    assert found["edits_outside_editable"] == [".claude/skills/agents-own/SKILL.md"]
    assert found["edits"]["added"] == ["src/.symposium"]
    assert found["installed"].keys() == {"rust-formatting", "agents-own"}
    assert found["installed"]["agents-own"]["marker"] is False
    ours = found["installed"]["rust-formatting"]
    assert ours["marker"] is True
    assert ours["files"]["SKILL.md"] == hashlib.sha256(b"text").hexdigest()
    assert ours["files"].keys() == {"SKILL.md", "scripts/x.sh"}
    assert f"{SKILL}/SKILL.md" in trial.kept()
    assert not any(name.startswith("target") for name in trial.kept())


@pytest.mark.parametrize(("setup", "hidden"), [("baseline", False), ("symposium", True), ("direct", True)])
def test_G04_a_planted_marker_hides_nothing_where_no_skill_was_put(
    tmp_path: Path, setup: str, hidden: bool
) -> None:
    trial = Trial(tmp_path, setup)
    for name in ("SKILL.md", ".symposium"):
        write(trial.project / f"{SKILL}/{name}", "x")
    listed = [] if hidden else [f"{SKILL}/.symposium", f"{SKILL}/SKILL.md"]
    assert trial.collect()["edits_outside_editable"] == listed


def test_G04_a_changed_lock_file_of_the_starter_is_an_edit(trial: Trial) -> None:
    write(trial.evals / "tasks/formatting/starter/Cargo.lock", "1")
    write(trial.project / "Cargo.lock", "2")
    assert trial.collect()["edits_outside_editable"] == ["Cargo.lock"]


def test_T08_a_history_that_the_agent_began_is_one_edit_and_kept(trial: Trial) -> None:
    for name in ("HEAD", "objects/a", "objects/b"):
        write(trial.project / ".git" / name, "x")
    write(trial.project / "src/.git/HEAD", "x")
    found = trial.collect()
    assert found["edits_outside_editable"] == [".git/", "src/.git/"]
    assert ".git/objects/a" in trial.kept()


def test_G03_links_and_special_files_under_editable_make_it_invalid(trial: Trial, tmp_path: Path) -> None:
    write(tmp_path / "secret", "SECRET")
    (trial.project / "src/a.rs").symlink_to(tmp_path / "secret")
    os.mkfifo(trial.project / "src/pipe")
    (trial.project / "docs").symlink_to("/etc")
    found = trial.collect()
    assert found["invalid"] == [{"path": "src/a.rs", "why": "a link"}, {"path": "src/pipe", "why": "a fifo"}]
    assert "docs" in found["edits_outside_editable"]
    assert not any("SECRET" in path.read_text() for path in trial.folder.rglob("*") if path.is_file())


def test_G03_a_link_in_place_of_the_editable_folder_makes_it_invalid(trial: Trial) -> None:
    (trial.project / "src").rename(trial.project / "code")
    (trial.project / "src").symlink_to("code")
    assert trial.collect()["invalid"] == [{"path": "src", "why": "a link"}]


def test_field_26_a_file_too_large_is_named_and_makes_it_invalid_only_under_editable(trial: Trial) -> None:
    for name in ("src/big", "big"):
        with (trial.project / name).open("wb") as file:
            file.truncate(1 << 40)
    assert [found["path"] for found in trial.collect()["invalid"]] == ["src/big"]
    assert not {"src/big", "big"} & trial.kept()


def test_D02_a_project_without_end_is_invalid_and_not_an_error(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seal, "Limits", lambda: Limits(entries=50))
    for number in range(100):
        write(trial.project / f"junk/{number}", "")
    found = trial.collect()
    assert found["invalid"] == [{"path": ".", "why": "not all of it was looked at: more than 50 entries"}]
    assert (trial.seal()["complete"], trial.seal()["cap"]) == (False, "more than 50 entries")


def test_D02_a_deep_folder_outside_editable_does_not_decide(trial: Trial) -> None:
    write(trial.project / ("d/" * 80 + "x"), "")
    found = trial.collect()
    assert found["invalid"] == []
    assert trial.seal()["complete"] is False


def test_field_41_names_that_are_no_text_are_kept_and_written_down(trial: Trial) -> None:
    for name in (b"a\xff", b"a\nb", b"\x1b[2J", b"\\x41", b"n" * 255):
        path = os.path.join(os.fsencode(trial.project / "src"), name)  # noqa: PTH118  # bytes
        Path(os.fsdecode(path)).write_bytes(b"\x89PNG\0\xff")
    found = trial.collect()
    assert found["edits"]["added"] == sorted(
        ["src/a\\xff", "src/a\\x0ab", "src/\\x1b[2J", "src/\\\\x41", "src/" + "n" * 255]
    )
    assert (trial.folder / "submission/src" / os.fsdecode(b"a\xff")).read_bytes() == b"\x89PNG\0\xff"


def test_I10_nothing_is_collected_while_a_process_lives(trial: Trial) -> None:
    trial.change("execution.json", survivors=["123 sleep"])
    assert collect.STEP.execute(collect.run, Folder(trial.folder, collect.STEP)) is Exit.UNAVAILABLE
    assert not (trial.folder / "submission").exists()


def test_R01_evidence_trace_and_logs_are_kept(trial: Trial) -> None:
    write(trial.run / "evidence/hooks.jsonl", '{"hook": "x"}\n')
    write(trial.run / "evidence/hook-trace.jsonl", "trace\n")
    write(trial.run / "home/.symposium/logs/symposium-20260102-000000.log", "second\n")
    write(trial.run / "home/.symposium/logs/symposium-20260101-000000.log", "first\n")
    assert trial.collect()["missing"] == []
    assert trial.kept("evidence") == {"hooks.jsonl"}
    assert (trial.folder / "hook-trace.jsonl").read_text() == "trace\n"
    assert (trial.folder / "symposium.log").read_text() == "first\nsecond\n"


def test_R01_evidence_that_is_not_there_is_named_and_a_baseline_expects_none(tmp_path: Path) -> None:
    trial = Trial(tmp_path / "with")
    (trial.run / "evidence/hook-trace.jsonl").symlink_to("/etc/passwd")
    (trial.run / "home/.symposium").mkdir()
    (trial.run / "home/.symposium/logs").symlink_to("/etc")
    missing = trial.collect()["missing"]
    assert missing == ["evidence/hook-trace.jsonl: link: not copied", "hook-trace.jsonl", "symposium.log"]
    baseline = Trial(tmp_path / "without", setup="baseline")
    assert baseline.collect()["missing"] == []
    kept = {path.name for path in baseline.folder.iterdir()}
    assert not kept & {"evidence", "hook-trace.jsonl", "symposium.log"}


def test_E03_sync_records_are_read_whatever_they_hold(trial: Trial) -> None:
    states = trial.run / "home/.symposium/cache/workspaces"
    good = {"last-sync-lock-mtime": 1767000000, "workspace-root": str(trial.project)}
    write(states / "a/state.json", json.dumps(good))
    write(states / "b/state.json", json.dumps({**good, "last-sync-lock-mtime": True}))
    write(states / "c/state.json", "[" * 100_000)
    (states / "d").mkdir()
    (states / "d/state.json").symlink_to(states / "a/state.json")
    first, second, third = trial.collect()["sync_records"]
    assert first == {
        "file": "home/.symposium/cache/workspaces/a/state.json",
        "workspace_root": str(trial.project),
        "for_project": True,
        "mtime_is_int": True,
    }
    assert (second["for_project"], second["mtime_is_int"]) == (True, False)
    assert third["for_project"] is False


@given(
    st.binary(max_size=200)
    | st.builds(lambda x: json.dumps({"workspace-root": x}).encode(), st.text() | st.none())
)
def test_E03_no_state_file_is_an_error(content: bytes) -> None:
    assert sync_record(content, Path("/nowhere"))["for_project"] is False


def test_E05_configuration_that_changed_or_came_shows(trial: Trial) -> None:
    settings = "home/.claude/settings.json"
    write(trial.run / settings, "before")
    before = hashlib.sha256(b"before").hexdigest()
    trial.change("setup.json", snapshot={settings: before, "home/gone": before})
    write(trial.run / settings, f"after {trial.run}")
    write(trial.run / "project/.mcp.json", "{}")
    assert trial.collect()["snapshot"] == {
        settings: hashlib.sha256(b"after <run>").hexdigest(),
        "project/.mcp.json": hashlib.sha256(b"{}").hexdigest(),
    }


NAMES = st.sampled_from(
    ["src/a.rs", "src/b.rs", "build.rs", ".git/x", "target/y", ".claude/skills/s/.symposium", "Cargo.lock"]
)
TREES = st.dictionaries(NAMES, st.sampled_from("abc"), max_size=6)


def sealed(tree: dict[str, str]) -> list[Document]:
    files = [
        {
            "path": path,
            "type": "file",
            "mode": "0644",
            "size": 1,
            "sha256": text,
            "target": None,
            "note": None,
        }
        for path, text in tree.items()
    ]
    above = {str(folder) for path in tree for folder in Path(path).parents} - {"."}
    folders = [
        {**file, "path": path, "type": "folder", "sha256": None} for path in above for file in files[:1]
    ]
    return sorted([*files, *folders], key=lambda entry: str(entry["path"]))


@given(TREES, TREES)
def test_G04_every_difference_is_listed_once_and_nothing_else(
    before: dict[str, str], after: dict[str, str]
) -> None:
    before = {path: text for path, text in before.items() if not path.startswith((".git", ".claude"))}
    edits, outside = compare(sealed(before), sealed(after), ".claude/skills", Editable(["src/**"]), put=True)
    listed = [path for paths in edits.values() for path in paths]
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert sorted(listed) == sorted(path for path in changed if path.startswith("src/"))
    expected = {path for path in changed if path == "build.rs" or (path == "Cargo.lock" and path in before)}
    assert outside == sorted(expected | {".git/" for path in changed if path.startswith(".git/")})
    assert compare(sealed(before), sealed(before), ".claude/skills", Editable(["src/**"]), put=True)[1] == []
