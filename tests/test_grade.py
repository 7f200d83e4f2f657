"""grade.py on what agents leave: hidden tests in a fresh copy, and whose fault a failure is (G01-G09)."""

from __future__ import annotations

import modulefinder
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

import grade
import graders
import stage
from batch_running import passable
from graders.setting import Setting
from grading import rungs_for_tests as stand_ins
from kit import documents, tasks
from kit.contract import Exit, Folder
from kit.documents import Document
from kit.layout import Run
from kit.store import Store
from kit.tools import Tools
from left_behind import COLLECTED, STAGE, TRIAL, put

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.real
RIGHT = (ROOT / "evals/tasks/formatting/solution/src/lib.rs").read_text()
HALVE = "pub fn halve(x: i32) -> i32 {\n    x / 2\n}\n"  # asked for too
PASSED = dict.fromkeys(("build", "cargo_test_lib", "hidden.double", "cargo_fmt_check"), "pass")
DURABLE = dict.fromkeys(("build", "cargo_test_lib", "hidden.settings_persist"), "pass")


@dataclass
class Place:
    """Where gradings happen in these tests: open to the uids that they run as."""

    root: Path
    stage: Document
    count: int = 0

    def setting(self, rung: str) -> Setting:
        self.count += 1
        run = Run(self.root / f"grading{self.count}", self.root / f"c{self.count}")
        return Setting(self.stage, run, (61000, 61999), rung=rung, denied=(ROOT,))


@pytest.fixture(scope="module")
def place(tools: Tools) -> Iterator[Place]:
    """The real srt and Node, staged as for a batch."""
    with passable() as root:
        home = root / "home"
        home.mkdir(0o777)
        bench = stage.Bench(tools, Store(root / "store"), root / "tools", home, os.geteuid() == 0)
        (root / "tools/common").mkdir(parents=True)
        made = {"srt": stage.srt(bench), "node": stage.node(bench), "toolchain": stage.toolchain(bench, root)}
        made["launcher"] = stage.launcher(bench)
        yield Place(root, {**STAGE, **made})


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "evals", tmp_path / "evals", ignore=shutil.ignore_patterns("target"))
    return tmp_path / "evals"


def left(evals: Path, task: str, files: dict[str, str | None]) -> Path:
    """A project as an agent left it: the starter, with these files changed (None: deleted)."""
    tree = evals.parent / "left"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(evals / "tasks" / task / "starter", tree)
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).unlink(missing_ok=True)
        if text is not None:
            (tree / name).write_text(text)
    return tree


def graded(
    place: Place,
    evals: Path,
    files: dict[str, str | None],
    *,
    task: str = "formatting",
    rung: str = "srt",
    **changes: Any,
) -> Document:
    document = {**tasks.load(evals, task).document(), **changes}
    setting = place.setting(rung)
    found = grade.grade_tree(document, evals, left(evals, task, files), setting)
    documents.check({"schema": "grading/1", **found}, "grading/1", "grading")
    assert not setting.place.root.exists()
    assert not setting.place.control.exists()
    if found["uid"] is not None:
        assert [p for p in psutil.process_iter(["uids"]) if p.info["uids"].real == found["uid"]] == []
    return found


def checks(found: Document) -> dict[str, str]:
    assert (found["status"], found["problem"]) == ("graded", None)
    return dict(found["checks"])


def open_rung() -> str:
    stand_ins.Open("open_for_tests")
    return "open_for_tests"


def test_G05_the_shipped_solutions_pass_and_the_starters_fail_under_srt(place: Place, evals: Path) -> None:
    found = graded(place, evals, {"src/lib.rs": RIGHT})
    assert checks(found) == PASSED
    assert found["sandbox_secs"] > 0
    assert found["cargo_secs"] > 0
    assert checks(graded(place, evals, {})) == {**PASSED, "hidden.double": "fail"}
    solution = (ROOT / "evals/tasks/store-durability/solution/src/lib.rs").read_text()
    task = "store-durability"
    assert checks(graded(place, evals, {"src/lib.rs": solution}, task=task)) == DURABLE
    forgot = solution.replace("store.flush()", "Ok(())")  # what a model that does not know the crate writes
    for files in ({}, {"src/lib.rs": forgot}):
        lost = checks(graded(place, evals, dict(files), task=task))
        assert lost == {**DURABLE, "hidden.settings_persist": "fail"}


LOOKS = """
pub fn double(x: i32) -> i32 {{
    x * 2
}}
#[test]
fn looks() {{
    use std::path::Path;
    let found = |path: &str| std::fs::read_dir(path).map(|d| d.count()).unwrap_or(0);
    assert_eq!(found("{checkout}"), 0, "the checkout");
    assert_eq!(found("{evals}"), 0, "evals");
    assert!(std::net::TcpStream::connect("1.1.1.1:80").is_err(), "network");
    assert!(std::fs::write("../fixtures/x", "").is_err(), "fixtures");
    assert!(!Path::new("tests").exists(), "hidden sources");
    assert!(std::fs::write(std::env::temp_dir().join("x"), "").is_ok(), "a folder for its own");
    assert!(std::env::vars().all(|(name, _)| !name.contains("SECRET")), "credentials");
}}
"""


def test_G05_the_submission_runs_without_network_checkout_or_hidden_tests(
    place: Place, evals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET", "x")
    lib = LOOKS.format(checkout=ROOT, evals=evals)
    found = graded(place, evals, {"src/lib.rs": lib}, fmt_check=False)
    assert checks(found)["cargo_test_lib"] == "pass", found["steps"][1]["detail"]


def test_field_2_and_7_nothing_lives_on_after_a_grading_that_ran_out_of_time(
    place: Place, evals: Path
) -> None:
    lib = (
        HALVE + "pub fn double(_: i32) -> i32 {\n"
        '    std::process::Command::new("setsid").args(["sleep", "4321"]).spawn().unwrap();\n'
        "    loop {\n        std::hint::spin_loop();\n    }\n}\n"
    )
    limits = {"setup": 1, "agent": 1, "grading": 12}
    found = graded(place, evals, {"src/lib.rs": lib}, deadlines_secs=limits, fmt_check=False)
    assert checks(found)["hidden.double"] == "fail"
    assert "compile" not in found["steps"][2]["detail"]
    assert not [p for p in psutil.process_iter(["cmdline"]) if "4321" in (p.info["cmdline"] or [])]


def test_G01_edits_outside_editable_are_not_graded(place: Place, evals: Path) -> None:
    files = {
        "src/lib.rs": RIGHT,
        "Cargo.toml": "[package]\nname = 'broken",
        "build.rs": 'fn main() { panic!("never run") }',
        ".cargo/config.toml": '[build]\nrustc-wrapper = "/nowhere"\n',
        "rust-toolchain.toml": '[toolchain]\nchannel = "none"\n',
        "tests/broken.rs": "not rust",
    }
    assert checks(graded(place, evals, dict(files), rung=open_rung())) == PASSED


def test_G02_what_the_agent_deleted_stays_deleted(place: Place, evals: Path) -> None:
    starter = evals / "tasks/formatting/starter/src"
    (starter / "lib.rs").write_text(f"{RIGHT}\nmod more;\n")
    (starter / "more.rs").write_text("// more\n")
    rung = open_rung()
    assert checks(graded(place, evals, {}, rung=rung)) == PASSED
    assert checks(graded(place, evals, {"src/more.rs": None}, rung=rung)) == {"build": "fail"}


def test_G03_a_link_or_an_occupied_path_makes_the_submission_fail(place: Place, evals: Path) -> None:
    tree = left(evals, "formatting", {})
    (tree / "src/lib.rs").unlink()
    (tree / "src/lib.rs").symlink_to(ROOT / "evals/tasks/formatting/solution/src/lib.rs")
    document = tasks.load(evals, "formatting").document()
    found = grade.grade_tree(document, evals, tree, place.setting("srt"))
    assert checks(found) == {"submission": "fail"}
    assert "src/lib.rs: a link" in found["steps"][0]["detail"]
    toml = evals / "tasks/formatting/task.toml"
    toml.write_text(
        toml.read_text().replace("[expected]", 'editable = ["src/**", "Cargo.lock/*"]\n\n[expected]', 1)
    )
    found = graded(place, evals, {"src/lib.rs": RIGHT, "Cargo.lock": None, "Cargo.lock/x": ""})
    assert checks(found) == {"submission": "fail"}


def test_G07_a_sandbox_that_does_not_start_is_not_the_submissions_failure(place: Place, evals: Path) -> None:
    for kind in (stand_ins.NeverStarts, stand_ins.SecondNeverStarts, stand_ins.Absent):
        kind("broken_for_tests")
        found = graded(place, evals, {"src/lib.rs": RIGHT}, rung="broken_for_tests")
        assert found["status"] == "infrastructure_error"
        assert found["problem"]
        assert found["checks"] == {}  # never ran: never "passed"


def test_G07_a_changed_or_missing_task_is_not_the_submissions_failure(place: Place, evals: Path) -> None:
    found = graded(place, evals, {"src/lib.rs": RIGHT}, content_hash="0" * 64)
    assert found["status"] == "infrastructure_error"
    assert "changed since" in found["problem"]
    document = tasks.load(evals, "store-durability").document()
    tree = left(evals, "store-durability", {})
    shutil.rmtree(evals / "fixtures/fixture-store")
    found = grade.grade_tree(document, evals, tree, place.setting("srt"))
    assert found["status"] == "infrastructure_error"


def test_G07_a_submission_cannot_make_its_crash_look_like_the_sandboxs(place: Place, evals: Path) -> None:
    """It kills everything it can, its own sandbox included, and writes whatever it may."""
    lib = (
        HALVE + "pub fn double(_: i32) -> i32 {\n"
        '    let all = "rm -rf /tmp/* ~ $TMPDIR .; kill -9 -1";\n'
        '    std::process::Command::new("sh").args(["-c", all]).status().ok();\n'
        "    std::process::abort()\n}\n"
    )
    found = graded(place, evals, {"src/lib.rs": lib}, fmt_check=False)
    assert checks(found)["hidden.double"] == "fail"
    assert "compile" not in found["steps"][2]["detail"]


def test_field_7_two_gigabytes_of_output_are_a_failure_and_not_kept(
    place: Place, evals: Path, tmp_path: Path
) -> None:
    lib = (
        HALVE
        + "pub fn double(_: i32) -> i32 {\n    use std::io::Write;\n    let block = vec![b'x'; 1 << 20];\n"
        "    for _ in 0..2000 {\n        std::io::stdout().write_all(&block).unwrap();\n    }\n    1\n}\n"
    )
    document = {**tasks.load(evals, "formatting").document(), "fmt_check": False}
    output = tmp_path / "grading"
    output.mkdir()
    tree = left(evals, "formatting", {"src/lib.rs": lib})
    found = grade.grade_tree(document, evals, tree, place.setting("srt"), output)
    assert checks(found)["hidden.double"] == "fail"
    assert "compile" not in found["steps"][2]["detail"]
    assert sum(file.stat().st_size for file in output.iterdir()) < 20 << 20


def trial(place: Place, evals: Path, root: Path, files: dict[str, str | None], **collected: Any) -> Path:
    folder = root / "batch/trial-1"
    document = tasks.load(evals, "formatting").document()
    here = place.setting("srt").place
    paths = {
        **TRIAL["paths"],
        "evals": str(evals),
        "grading": str(here.root),
        "grading_control": str(here.control),
    }
    put(folder / "trial.json", {**TRIAL, "paths": paths})
    put(folder / "task.json", document)
    put(folder / "collected.json", {**COLLECTED, **collected})
    put(folder.parent / "stage.json", place.stage)
    shutil.copytree(left(evals, "formatting", files), folder / "submission")
    return folder


def test_G01_a_trial_is_graded_and_its_submission_stays_as_it_was(
    place: Place, evals: Path, tmp_path: Path
) -> None:
    folder = trial(place, evals, tmp_path, {"src/lib.rs": RIGHT})
    before = {path: path.read_bytes() for path in (folder / "submission").rglob("*") if path.is_file()}
    assert grade.STEP.execute(grade.run, Folder(folder, grade.STEP)) is Exit.OK
    found = documents.read(folder / "grading.json", "grading/1")
    assert checks(found) == PASSED
    assert {step["output"] for step in found["steps"]} - {None} == {
        p.name for p in (folder / "grading").iterdir()
    }
    assert "doubles ... ok" in (folder / "grading/hidden.double.log").read_text()
    assert before == {
        path: path.read_bytes() for path in (folder / "submission").rglob("*") if path.is_file()
    }
    again = grade.STEP.execute(grade.run, Folder(folder, grade.STEP), redo=True)
    assert again is Exit.OK
    redone = documents.read(folder / "grading.json", "grading/1")
    assert documents.stable(redone, "grading/1") == documents.stable(found, "grading/1")


def test_G03_a_submission_that_collect_found_invalid_fails_unbuilt(
    place: Place, evals: Path, tmp_path: Path
) -> None:
    invalid = [{"path": "src/x", "why": "a link"}]
    folder = trial(place, evals, tmp_path, {"src/lib.rs": RIGHT}, invalid=invalid)
    assert grade.STEP.execute(grade.run, Folder(folder, grade.STEP)) is Exit.OK
    found = documents.read(folder / "grading.json", "grading/1")
    assert checks(found) == {"submission": "fail"}
    assert found["steps"][0]["detail"] == "src/x: a link"


def test_the_deadline_is_one_for_the_whole_grading(place: Place, evals: Path) -> None:
    """A hang in the own tests leaves nothing for the hidden ones, which then fail without a run."""
    lib = RIGHT + "\n#[test]\nfn own() {\n    loop {\n        std::thread::yield_now();\n    }\n}\n"
    limits = {"setup": 1, "agent": 1, "grading": 10}
    found = graded(
        place, evals, {"src/lib.rs": lib}, rung=open_rung(), deadlines_secs=limits, fmt_check=False
    )
    assert checks(found) == {"build": "pass", "cargo_test_lib": "fail", "hidden.double": "fail"}
    assert sum(step["elapsed_secs"] for step in found["steps"]) < 15


NOT_JUDGING = ("stage.py", "capabilities.py", "clients/", "gateway/", "setups/")


def test_G09_the_hash_of_the_grader_is_of_all_that_grading_imports() -> None:
    here = Path(grade.__file__).parent
    known = {str(file.relative_to(here)) for file in grade.sources(here)}
    found = modulefinder.ModuleFinder(path=[str(here)])
    found.run_script(str(here / "grade.py"))
    for name in graders.GRADERS.values():
        found.import_hook(f"graders.{name}")
    files = [Path(file) for module in found.modules.values() if (file := vars(module)["__file__"])]
    imported = {str(file.relative_to(here)) for file in files if file.is_relative_to(here)}
    assert {"graders/cargo_hidden.py", "kit/python_questions.py"} <= imported
    assert {name for name in imported - known if not name.startswith(NOT_JUDGING)} == set()
    assert {"graders/launcher.rs", "graders/hidden_runtime.rs", "rungs/resident.mjs"} <= known
