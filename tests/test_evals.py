"""The shipped tasks (T05) on real parts: crates that build, tests that tell right from wrong, a working hook.

A wrong verdict here would look like an agent's failure in every trial.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clients
from gateway import rehearsal
from kit import tasks
from kit.plugins import PLACEHOLDER
from kit.tools import Tools

EVALS = Path(__file__).parents[1] / "evals"
TASKS = [tasks.load(EVALS, name) for name in tasks.names(EVALS)]
CARGO = [task for task in TASKS if task.file["grader"] == "cargo"]
PYTHON = [task for task in TASKS if task.file["grader"] == "unittest"]
CAPABILITY = [task for task in TASKS if task.kind == "capability"]
REHEARSALS = [(task, name) for task in CARGO for name in task.rehearsals()]
FORMATTING, DURABILITY = (tasks.load(EVALS, name) for name in ("formatting", "store-durability"))
HOOK = EVALS / "plugins/format-on-stop/scripts/format-on-stop.sh"

each_task = pytest.mark.parametrize("task", CARGO, ids=lambda task: task.name)


def lay_out(where: Path, task: tasks.Task, *layers: Path | None) -> Path:
    """The folders of a trial, as far as cargo sees them: project/ (starter, layers) and fixtures/."""
    for folder in task.fixture_folders:
        shutil.copytree(folder, where / "fixtures" / folder.name, ignore=shutil.ignore_patterns("target"))
    for layer in filter(None, (task.starter, *layers)):
        shutil.copytree(layer, where / "project", dirs_exist_ok=True)
    return where / "project"


def add_checks(project: Path, task: tasks.Task) -> None:
    (project / "tests").mkdir()
    for name in task.document()["checks"]:
        shutil.copy(task.checks / f"{name}.rs", project / "tests")


def environment(home: Path, tools: Tools, **more: str) -> dict[str, str]:
    home.mkdir(exist_ok=True)
    return {
        "HOME": str(home),
        "PATH": f"{tools.sysroot}/bin:/usr/bin:/bin",
        "CARGO_HOME": str(home / "cargo"),
        "CARGO_NET_OFFLINE": "true",
        "TMPDIR": str(home),
        **more,
    }


@pytest.fixture
def cargo(tmp_path: Path, tools: Tools) -> Any:
    def run(project: Path, *argv: str) -> subprocess.CompletedProcess[str]:
        env = environment(tmp_path / "home", tools)
        return subprocess.run(
            ["cargo", *argv], cwd=project, env=env, capture_output=True, text=True, check=False
        )

    return run


def hidden(cargo: Any, project: Path, task: tasks.Task) -> dict[str, str]:
    """Each hidden test's verdict by plain cargo: pass is exactly one test run, and none ignored."""
    add_checks(project, task)
    verdicts = {}
    for name in task.document()["checks"]:
        said = cargo(project, "test", "--locked", "--test", name)
        one = re.search(r"^test result: ok\. 1 passed; 0 failed; 0 ignored", said.stdout, re.MULTILINE)
        verdicts[name] = "pass" if said.returncode == 0 and one else "fail"
    return verdicts


def replay(project: Path, turns: tuple[rehearsal.Turn, ...]) -> None:
    """What a rehearsal writes, without client and sandbox."""
    for turn in turns:
        if turn.word == "write":
            (project / turn.value["path"]).write_text(turn.value["text"], "utf-8")


# tasks


def test_T05_the_two_tasks_are_there_and_complete() -> None:
    assert [(task.name, task.kind, task.trials) for task in (FORMATTING, DURABILITY)] == [
        ("formatting", "regression", 1),
        ("store-durability", "capability", 5),
    ]
    assert all(task.solution and task.rehearsals() for task in TASKS)
    assert "oracle" in FORMATTING.rehearsals()
    assert "oracle" in DURABILITY.rehearsals()
    assert FORMATTING.document()["expected"]["skills"]["used"] == ["rust-formatting"]
    assert "skill" not in DURABILITY.prompt


def test_I09_no_two_hidden_tests_share_a_canary() -> None:
    canaries = [canary for task in TASKS for canary in task.canaries()]
    assert len({*canaries}) == sum(len(task.hidden) for task in TASKS)


def test_each_capability_task_has_rehearsals_that_it_tells_apart_in_both_configurations() -> None:
    assert len(CAPABILITY) >= 6
    for task in CAPABILITY:
        scripts = [rehearsal.load(task.rehearsal(name)) for name in task.rehearsals()]
        for client in clients.names():
            for mode in ("without-symposium", "with-symposium"):
                said = [script.expect_for(client, mode) for script in scripts]
                assert {one["outcome"] for one in said if one} == {"succeeded", "failed"}, task.name


@pytest.mark.real
@pytest.mark.bare
@each_task
def test_T06_the_solution_passes_every_code_check(cargo: Any, tmp_path: Path, task: tasks.Task) -> None:
    project = lay_out(tmp_path, task, task.solution)
    assert cargo(project, "build", "--locked").returncode == 0
    assert cargo(project, "test", "--locked", "--lib").returncode == 0
    assert cargo(project, "fmt", "--check").returncode == 0
    assert set(hidden(cargo, project, task).values()) == {"pass"}


@pytest.mark.real
@pytest.mark.bare
@each_task
def test_T06_the_untouched_starter_builds_and_fails(cargo: Any, tmp_path: Path, task: tasks.Task) -> None:
    """It builds as it is shipped, with a lock file that cargo leaves alone; only its task is undone."""
    project = lay_out(tmp_path, task)
    lock = (project / "Cargo.lock").read_bytes()
    assert cargo(project, "build", "--locked").returncode == 0
    assert cargo(project, "fmt", "--check").returncode == 0
    assert (project / "Cargo.lock").read_bytes() == lock
    assert "pass" not in hidden(cargo, project, task).values()


@pytest.mark.real
@pytest.mark.bare
@each_task
def test_all_rust_that_users_copy_is_formatted(
    cargo: Any, tmp_path: Path, tools: Tools, task: tasks.Task
) -> None:
    places = [task.checks, *task.fixture_folders]
    files = [str(file) for place in places for file in sorted(place.rglob("*.rs"))]
    env = environment(tmp_path / "home", tools)
    said = subprocess.run(
        ["rustfmt", "--check", "--edition", "2021", *files], env=env, capture_output=True, check=False
    )
    assert said.returncode == 0, said.stdout


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize(
    ("task", "name"), REHEARSALS, ids=[f"{task.name}-{name}" for task, name in REHEARSALS]
)
def test_M02_what_a_rehearsal_writes_earns_the_verdict_that_it_expects(
    cargo: Any, tmp_path: Path, task: tasks.Task, name: str
) -> None:
    script = rehearsal.load(task.rehearsal(name))
    project = lay_out(tmp_path / "trial", task)
    replay(project, script.turns)
    graded = lay_out(tmp_path / "graded", task)
    for folder in (pattern.removesuffix("/**") for pattern in task.file["editable"]):
        shutil.copytree(project / folder, graded / folder, dirs_exist_ok=True)
    sections = [script.expect, *(script.expect[name] for name in clients.names() if name in script.expect)]
    parts = [p for section in sections for p in section.values() if "hidden" in p.get("code", {})]
    wanted = {json.dumps(p["code"]["hidden"]) for p in parts}
    assert wanted == {json.dumps(hidden(cargo, graded, task))}


@pytest.mark.parametrize("task", PYTHON, ids=lambda task: task.name)
def test_M02_T06_a_python_task_tells_starter_solution_and_rehearsals_apart(
    tmp_path: Path, task: tasks.Task
) -> None:
    def verdict(where: str, layer: Path | None, turns: tuple[rehearsal.Turn, ...] = ()) -> str:
        project = lay_out(tmp_path / where, task, layer)
        replay(project, turns)
        shutil.copytree(task.checks, project / "hidden")
        run = [sys.executable, "-m", "unittest", *(f"hidden.{file.stem}" for file in task.hidden)]
        said = subprocess.run(run, cwd=project, capture_output=True, text=True, check=False)
        assert "Ran 1 test" in said.stderr, said.stderr
        return "fail" if said.returncode else "pass"

    assert (verdict("starter", None), verdict("solution", task.solution)) == ("fail", "pass")
    for name in task.rehearsals():
        script = rehearsal.load(task.rehearsal(name))
        for part in script.expect.values():
            assert {*part["code"]["hidden"].values()} == {verdict(f"{name}-{id(part)}", None, script.turns)}


@pytest.mark.real
@pytest.mark.bare
def test_the_rehearsed_work_leaves_something_for_the_stop_hook(cargo: Any, tmp_path: Path) -> None:
    for name in ("oracle", "wrong-answer", "no-skill", "skill-tool-only", "edits-cargo-toml", "own-tests"):
        project = lay_out(tmp_path / name, FORMATTING)
        replay(project, rehearsal.load(FORMATTING.rehearsal(name)).turns)
        assert cargo(project, "fmt", "--check").returncode == 1, name


@pytest.mark.real
@pytest.mark.bare
def test_G01_the_rehearsed_edit_of_cargo_toml_would_hide_the_test_if_it_were_graded(
    cargo: Any, tmp_path: Path
) -> None:
    project = lay_out(tmp_path, FORMATTING)
    replay(project, rehearsal.load(FORMATTING.rehearsal("edits-cargo-toml")).turns)
    assert cargo(project, "test", "--locked").returncode == 0
    assert hidden(cargo, project, FORMATTING) == {"double": "fail"}


@pytest.mark.real
@pytest.mark.bare
def test_the_rehearsed_edit_of_the_fixture_would_turn_the_verdict_if_it_took(
    cargo: Any, tmp_path: Path
) -> None:
    script = rehearsal.load(DURABILITY.rehearsal("edits-fixture"))
    project = lay_out(tmp_path, DURABILITY)
    replay(project, script.turns)
    for turn in script.turns:
        if turn.word == "run" and "fixtures" in turn.value:
            subprocess.run(["sh", "-c", turn.value], cwd=project, check=True)
    assert hidden(cargo, project, DURABILITY) == {"settings_persist": "pass"}


@pytest.mark.real
@pytest.mark.bare
def test_T05_put_buffers_flush_writes_and_drop_loses_silently(cargo: Any, tmp_path: Path) -> None:
    project = lay_out(tmp_path, DURABILITY)
    (project / "tests").mkdir()
    shutil.copy(EVALS.parent / "tests/tasks/fixture_store.rs", project / "tests")
    said = cargo(project, "test", "--locked", "--test", "fixture_store")
    assert "6 passed" in said.stdout, said.stdout + said.stderr


GIVEN_AWAY = {  # what a comment would have to speak of to say what the skill says
    "fixtures/fixture-store/src/lib.rs": "buffer|memory|lose|lost|drop|flush",
    "fixtures/fixture-wire/src/lib.rs": "length|includ|itself",
    "fixtures/fixture-bus/src/lib.rs": "drop|keep|kept|weak|alive|store",
    "tasks/chart-axis/starter/fixture_chart/__init__.py": "power|exponent|reset|forget|back|first",
}


@pytest.mark.parametrize("file", GIVEN_AWAY)
def test_T05_a_fixture_does_not_give_its_rule_away(file: str) -> None:
    """The rule is in what the code does, never in words: else the baseline would read what the skill says."""
    comments = " ".join(re.findall('//.*|#.*|"""[^"]*"""', (EVALS / file).read_text("utf-8")))
    assert comments
    assert not re.search(GIVEN_AWAY[file], comments, re.IGNORECASE)
    root = next(above for above in (EVALS / file).parents if (above / "Cargo.toml").is_file())
    others = {path.suffix for path in root.rglob("*.*") if not {"target", "__pycache__"} & {*path.parts}}
    assert others <= {".lock", ".py", ".rs", ".toml"}


# the Stop hook


@pytest.fixture
def stop(tmp_path: Path, tools: Tools) -> Any:
    """Runs the hook in a project as Symposium does; returns what it recorded."""

    def run(project: Path, evidence: Path | None, **more: str) -> list[dict[str, Any]]:
        said = {} if evidence is None else {"EVAL_EVIDENCE_DIR": str(evidence)}
        env = {**environment(tmp_path / "home", tools, **said), **more}
        message = (
            json.dumps({"Stop": {"session_id": "x", "cwd": str(project)}}) * 20_000
        )  # more than a pipe holds
        done = subprocess.run(
            ["/bin/sh", HOOK], cwd=project, env=env, input=message, text=True, capture_output=True, check=True
        )
        assert (done.stdout, done.stderr) == ("", "")
        records = evidence / "hooks.jsonl" if evidence else None
        lines = records.read_text("utf-8").splitlines() if records and records.exists() else []
        return [json.loads(line) for line in lines]

    return run


@pytest.mark.real
@pytest.mark.bare
def test_the_hook_records_what_it_found_and_then_formats(stop: Any, tmp_path: Path) -> None:
    project = lay_out(tmp_path / 'a "b" $(c)\n d', FORMATTING)
    source = (project / "src/lib.rs").read_text("utf-8")
    (project / "src/lib.rs").write_text(source.replace("x / 2", "x/2"))
    evidence = tmp_path / 'e "v" %s \\n'
    evidence.mkdir()
    stop(project, evidence)
    assert (project / "src/lib.rs").read_text("utf-8") == source
    assert stop(project, evidence) == [
        {"hook": "format-on-stop", "exit": 0, "formatted_before": False, "check_exit": 1},
        {"hook": "format-on-stop", "exit": 0, "formatted_before": True, "check_exit": 0},
    ]


@pytest.mark.real
@pytest.mark.bare
def test_the_hook_does_not_call_code_unformatted_that_does_not_parse(stop: Any, tmp_path: Path) -> None:
    project = lay_out(tmp_path / "trial", FORMATTING)
    (project / "src/lib.rs").write_text("pub fn broken( {\n")
    (record,) = stop(project, tmp_path)
    assert record["exit"] != 0
    assert record["formatted_before"] is None


@pytest.mark.real
@pytest.mark.bare
def test_the_hook_records_that_there_is_no_cargo(stop: Any, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/cat").symlink_to("/bin/cat")
    (record,) = stop(lay_out(tmp_path / "trial", FORMATTING), tmp_path, PATH=str(tmp_path / "bin"))
    assert record == {"hook": "format-on-stop", "exit": 127, "formatted_before": None, "check_exit": 127}


@pytest.mark.real
@pytest.mark.bare
def test_the_hook_stays_silent_where_it_cannot_record(stop: Any, tmp_path: Path) -> None:
    project = lay_out(tmp_path / "trial", FORMATTING)
    assert stop(project, None) == []
    assert stop(project, tmp_path / "not there") == []


def test_the_hook_is_posix_and_executable() -> None:
    assert os.access(HOOK, os.X_OK)
    assert HOOK.read_text("utf-8").startswith("#!/bin/sh\n")
    subprocess.run(["/bin/sh", "-n", HOOK], check=True)


# plugins, by Symposium's own word


@pytest.mark.real
@pytest.mark.bare
def test_the_released_symposium_accepts_every_plugin(tmp_path: Path, tools: Tools) -> None:
    registry = tmp_path / "registry"
    shutil.copytree(EVALS / "plugins", registry)
    for manifest in registry.glob("*/SYMPOSIUM.toml"):
        manifest.write_text(manifest.read_text("utf-8").replace(PLACEHOLDER, str(manifest.parent)), "utf-8")
    argv = [str(tools.cargo_agents), "plugin", "validate", str(registry), "--no-check-crates"]
    env = environment(tmp_path / "home", tools)
    said = subprocess.run(argv, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    for plugin in (plugin for task in TASKS for plugin in task.plugins):
        assert plugin.name in said.stdout
        assert all(skill in said.stdout for skill in plugin.skills)
