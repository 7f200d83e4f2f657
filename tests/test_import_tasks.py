"""import_tasks: what of other formats becomes a draft, what is refused, and that a draft never runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import clients
import importing
from importing import Case, drafts, evals_json, plugin_eval
from kit import taskcheck, tasks
from kit.contract import Exit
from kit.tools import Tools

ROOT = Path(__file__).parents[1]
RECORDED = Path(__file__).with_name("importing")


def program(*argv: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts/import_tasks.py"), *map(str, argv)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    done = program(RECORDED, "--to", tmp_path / "evals")
    assert (done.returncode, done.stderr) == (Exit.NO, "")
    assert "4 of 6 cases are drafts" in done.stdout
    return tmp_path / "evals"


def task_file(evals: Path, name: str) -> dict[str, Any]:
    return tomllib.loads((evals / f"tasks/{name}/task.toml").read_text("utf-8"))


# what is taken


def test_a_case_of_evals_json_with_its_skill_and_its_files(evals: Path) -> None:
    assert task_file(evals, "csv-cleaner-1") == {
        "kind": "capability",
        "plugins": ["csv-cleaner"],
        "prompt": "Remove the duplicate orders from orders.csv.\n",
        "expected_output": "orders.csv has one row for each order.\n",
        "expected": {"skills": {"installed": ["csv-cleaner"]}},
    }
    skill = RECORDED / "csv-cleaner"
    given = evals / "tasks/csv-cleaner-1/starter/orders.csv"
    assert given.read_bytes() == (skill / "evals/files/orders.csv").read_bytes()
    carried = evals / "plugins/csv-cleaner/skills/csv-cleaner"
    assert (carried / "SKILL.md").read_bytes() == (skill / "SKILL.md").read_bytes()
    assert os.access(carried / "scripts/count.sh", os.X_OK) == os.access(skill / "scripts/count.sh", os.X_OK)


def test_a_case_of_claude_plugin_eval_with_its_graders(evals: Path) -> None:
    assert task_file(evals, "01-writes-a-card") == {
        "kind": "capability",
        "plugins": ["greeter"],
        "trials": 5,
        "prompt": "Write a card for Ada into card.txt.\n",
        "expected_output": "card.txt greets Ada.\n",
        "deadlines_secs": {"agent": 120},
        "expected": {"skills": {"installed": ["greet", "greet-in-writing"], "used": ["greet"]}},
    }
    assert task_file(evals, "no-greeting")["expected"]["skills"]["not_used"] == ["greet", "greet-in-writing"]
    said = (evals / "tasks/01-writes-a-card/DRAFT.md").read_text("utf-8")
    _, taken, to_write, not_taken = said.split("\n## ")
    assert "greet, greet-in-writing -> plugins/greeter" in taken
    for line in ("that card.txt is made", "that card.txt contains /ahoy, ada/i"):
        assert line in to_write
    for line in (
        "tone (llm): a model would judge it",
        "says-so (regex): about what the agent says",
        "greeter/hooks",
    ):
        assert line in not_taken


def test_a_prompt_that_names_its_skill_becomes_a_regression_task(evals: Path) -> None:
    assert task_file(evals, "csv-cleaner-2")["kind"] == "regression"


def test_what_is_expected_is_not_put_where_an_agent_could_read_it(evals: Path) -> None:
    for file in (
        file for part in ("plugins", "tasks/csv-cleaner-1/starter") for file in (evals / part).rglob("*")
    ):
        assert "evals" not in file.relative_to(evals).parts[1:]
        assert not file.is_file() or "with the price 10" not in file.read_text("utf-8")


@given(st.text(min_size=1).filter(str.strip), st.text())
def test_every_prompt_comes_out_of_the_toml_as_it_went_in(prompt: str, expected: str) -> None:
    said = tomllib.loads(drafts.task_file(Case(Path("x"), "x", prompt=prompt, expected_output=expected)))
    assert said["prompt"] == f"{prompt.strip()}\n"
    assert said.get("expected_output", "\n") == f"{expected.strip()}\n"


# what is refused


CASE = {
    "schema_version": "1.0",
    "name": "x",
    "execution": {"prompt": "Greet Ada."},
    "graders": [{"type": "llm", "name": "kind", "criteria": "It is kind."}],
}


def altered(*path: str | int, to: Any) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(json.dumps(CASE))
    here: Any = case
    for part in path[:-1]:
        here = here.setdefault(part, {}) if isinstance(here, dict) else here[part]
    here[path[-1]] = to
    return case


def read(folder: Path, case: Any, **prose: str) -> Case:
    folder.mkdir(parents=True)
    if case is not None:
        (folder / "case.yaml").write_text(yaml.safe_dump(case))
    for name, text in prose.items():
        file = folder / ("prompt.md" if name == "prompt" else f"graders/{name}.md")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    (found,) = plugin_eval.read(folder)
    return found


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (
            altered("context", "history_file", to="h.jsonl"),
            "context.history_file: a trial is a new conversation",
        ),
        (altered("execution", "append_system_prompt", to="Be kind."), "execution.append_system_prompt"),
        (altered("execution", "growthbook_overrides", to={"a": True}), "execution.growthbook_overrides"),
        (
            altered("execution", "allowed_tools", to=["mcp__mail__send"]),
            "mcp__mail__send: a trial has no MCP servers",
        ),
    ],
)
def test_a_case_whose_question_no_task_can_put_is_refused_by_name(
    tmp_path: Path, case: Any, why: str
) -> None:
    assert why in str(read(tmp_path / "x", case).refused)


GRADER = ("graders", 0)
PROMPT, RUBRIC = "---\nruns: 2\n---\nGreet Ada.\n", "---\ntype: llm\n---\nIt is kind.\n"
REGEX = {"type": "regex", "name": "r", "pattern": "a"}
FORMS: dict[str, tuple[Any, dict[str, str]]] = {  # as the client takes them, or does not
    "plain": (CASE, {}),
    "prose": (None, {"prompt": PROMPT, "kind": RUBRIC}),
    "both": (CASE, {"prompt": PROMPT, "other": RUBRIC}),
    "prompt-from-prose": (altered("execution", to={"max_turns": 3}), {"prompt": "Greet Ada.\n"}),
    "no-execution": (altered("execution", to=None), {"prompt": "Greet Ada.\n"}),
    "graders-from-prose": (altered("graders", to="none"), {"kind": RUBRIC}),
    "text-without-type": (CASE, {"notes": "No front matter: not a grader.\n"}),
    "regex": (altered(*GRADER, to={**REGEX, "match": "count:2", "flags": "gi", "target": "files"}), {}),
    "regex-of-a-file": (altered(*GRADER, to={**REGEX, "target": {"source": "file", "path": "a"}}), {}),
    "order": (
        altered(*GRADER, to={"type": "tool_order", "name": "o", "before": "A", "after": {"tool": "B"}}),
        {},
    ),
    "unknown-top-key": (altered("colour", to="red"), {}),
    "old-schema": (altered("schema_version", to="0.9"), {}),
    "not-no-schema": (altered("schema_version", to=1.0), {}),
    "not-newer-schema": (altered("schema_version", to="2.0"), {}),
    "not-unnamed": (altered("name", to=""), {}),
    "not-without-prompt": (altered("execution", to={}), {}),
    "not-blank-prompt": (altered("execution", "prompt", to="  "), {}),
    "not-too-many-turns": (altered("execution", "max_turns", to=201), {}),
    "not-too-long": (altered("execution", "timeout_seconds", to=3601), {}),
    "not-half-a-run": (altered("runs", to=1.5), {}),
    "not-too-many-runs": (altered("runs", to=51), {}),
    "not-without-graders": (altered("graders", to=[]), {}),
    "not-unknown-type": (altered(*GRADER, "type", to="guess"), {}),
    "not-unknown-grader-key": (altered(*GRADER, "wait", to=1), {}),
    "not-weightless": (altered(*GRADER, "weight", to=0), {}),
    "not-a-flag": (altered(*GRADER, to={**REGEX, "flags": "x"}), {}),
    "not-a-match": (altered(*GRADER, to={**REGEX, "match": "count:two"}), {}),
    "not-a-target": (altered(*GRADER, to={**REGEX, "target": "diff"}), {}),
    "not-patternless": (altered(*GRADER, to={"type": "regex", "name": "r"}), {}),
    "not-twice": (CASE, {"kind": RUBRIC}),
    "not-unknown-matter": (None, {"prompt": "---\ncolour: red\n---\nGreet.\n", "kind": RUBRIC}),
    "not-a-grader-without-type": (None, {"prompt": PROMPT, "kind": "---\nweight: 1\n---\nIt is kind.\n"}),
    "not-an-open-end": (None, {"prompt": PROMPT, "kind": "---\ntype: llm\nIt is kind.\n"}),
    "not-yaml": (None, {"prompt": PROMPT, "kind": "---\n{\n---\nIt is kind.\n"}),
    "not-a-template": (None, {"prompt": "TODO: describe what the agent should do\n", "kind": RUBRIC}),
    "not-a-list": ([1, 2], {}),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_case_that_claude_plugin_eval_would_not_load_is_refused(tmp_path: Path, form: str) -> None:
    case, prose = FORMS[form]
    assert bool(read(tmp_path / form, case, **prose).refused) == form.startswith("not-")


@pytest.mark.real
def test_claude_codes_own_loader_says_the_same_of_every_form(tmp_path: Path, tools: Tools) -> None:
    """With a ceiling of 0 dollars it loads every case, says which it cannot, and runs none."""
    shutil.copytree(RECORDED / "greeter/.claude-plugin", tmp_path / "plugin/.claude-plugin")
    for form, (case, prose) in FORMS.items():
        read(tmp_path / "plugin/evals" / form, case, **prose)
    client, _ = clients.load("claude").staged(tools.modules)
    argv = [str(client), "plugin", "eval", ".", "--trust-plugin", "--no-publish", "--ablation", "none"]
    env = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "ANTHROPIC_API_KEY": "none"}
    (tmp_path / "home").mkdir()
    env["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:9"  # where nobody answers
    out = ["--max-cost-usd", "0", "--output-dir", str(tmp_path / "out")]
    done = subprocess.run(
        [*argv, *out],
        cwd=tmp_path / "plugin",
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    refused = set(re.findall(r"✗ \S*/evals/([a-z-]+)", done.stdout + done.stderr))
    assert refused == {form for form in FORMS if form.startswith("not-")}, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("{", "not JSON"),
        ("[]", "not of type 'object'"),
        ('{"evals": []}', "$.evals"),
        ('{"evals": [{"id": 1}]}', "'prompt' is a required property"),
        ('{"evals": [{"prompt": " "}]}', "$.evals[0].prompt"),
        ('{"evals": [{"prompt": "x", "files": "a.csv"}]}', "$.evals[0].files"),
        ('{"evals": [{"prompt": "x", "assertions": [{"text": "y"}]}]}', "$.evals[0].assertions[0]"),
    ],
)
def test_a_file_that_is_no_evals_json_is_refused_with_the_place(tmp_path: Path, said: str, why: str) -> None:
    (tmp_path / "evals.json").write_text(said)
    (case,) = evals_json.read(tmp_path / "evals.json")
    assert why in str(case.refused)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["evals", "prompt", "files", "x"]), inner)
    ),
)


@settings(deadline=None)
@given(anything)
def test_whatever_a_file_holds_is_a_case_or_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, said: Any
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "evals.json").write_text(json.dumps(said))
    (folder / "case.yaml").write_text(json.dumps(said))
    assert [*evals_json.read(folder / "evals.json"), *plugin_eval.read(folder)]


def test_no_file_outside_the_skill_and_no_link_is_copied(tmp_path: Path) -> None:
    skill = shutil.copytree(RECORDED / "csv-cleaner", tmp_path / "skill")
    (tmp_path / "secret").write_text("secret")
    (skill / "linked").symlink_to(tmp_path / "secret")
    case = {"prompt": "x", "files": ["../secret", "linked", str(tmp_path / "secret")]}
    (skill / "evals/evals.json").write_text(json.dumps({"skill_name": "csv-cleaner", "evals": [case]}))
    assert program(skill, "--to", tmp_path / "to").returncode == 0
    for file in (tmp_path / "to").rglob("*"):
        assert not file.is_symlink()
        assert file.is_dir() or file.read_text("utf-8") != "secret"
    draft = (tmp_path / "to/tasks/csv-cleaner-1/DRAFT.md").read_text("utf-8")
    assert draft.count("which is no file of the skill's folder and was not copied") == 3


def test_a_file_of_the_skill_itself_is_no_input(tmp_path: Path) -> None:
    """In the starter it would reach the baseline too."""
    skill = shutil.copytree(RECORDED / "csv-cleaner", tmp_path / "skill")
    case = {
        "prompt": "x",
        "files": ["SKILL.md", "scripts/count.sh", "evals/evals.json", "evals/files/orders.csv"],
    }
    (skill / "evals/evals.json").write_text(json.dumps({"skill_name": "csv-cleaner", "evals": [case]}))
    assert program(skill, "--to", tmp_path / "to").returncode == 0
    task = tmp_path / "to/tasks/csv-cleaner-1"
    assert [file.name for file in (task / "starter").iterdir()] == ["orders.csv"]
    assert (task / "DRAFT.md").read_text("utf-8").count("which is part of the skill and was not copied") == 3


def test_nor_is_it_with_the_cases_beside_SKILL_md(tmp_path: Path) -> None:
    skill = shutil.copytree(RECORDED / "csv-cleaner", tmp_path / "skill")
    (skill / "evals/evals.json").unlink()
    case = {"prompt": "x", "files": ["SKILL.md", "scripts/count.sh", "evals.json", "evals/files/orders.csv"]}
    (skill / "evals.json").write_text(json.dumps({"skill_name": "csv-cleaner", "evals": [case]}))
    assert program(skill, "--to", tmp_path / "to").returncode == 0
    task = tmp_path / "to/tasks/csv-cleaner-1"
    assert [file.name for file in (task / "starter").iterdir()] == ["orders.csv"]
    assert (task / "DRAFT.md").read_text("utf-8").count("which is part of the skill and was not copied") == 3


# what is hostile


SKILL = "---\nname: {0}\ndescription: It helps.\n---\nHelp.\n"
SECRET = "the answer is 42"


def place(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def read_by_an_agent(evals: Path) -> str:
    files = [
        file
        for part in ("plugins/**/*", "tasks/*/starter/**/*")
        for file in evals.glob(part)
        if file.is_file()
    ]
    assert files
    return "\n".join(f"{file.relative_to(evals)}\n{file.read_text('utf-8')}" for file in files)


def one_case(file: Path, **more: object) -> Path:
    case = {"prompt": "Help.", "expected_output": SECRET, **more}
    return place(file, json.dumps({"skill_name": "helper", "evals": [case]}))


WHERE_CASES_LIE = {
    "beside-the-skill": "evals.json",
    "in-a-folder-of-another-name": "tests/evals.json",
    "in-a-folder-of-a-case": "cases/c1/prompt.md",
    "in-the-skills-own-folder": "prompt.md",
    "named-by-hand": "questions.json",
}


@pytest.mark.parametrize("where", WHERE_CASES_LIE)
def test_no_case_is_copied_into_the_plugin_wherever_it_lies(tmp_path: Path, where: str) -> None:
    skill = tmp_path / "helper"
    place(skill / "SKILL.md", SKILL.format("helper"))
    place(skill / "scripts/help.sh", "echo help")
    one_case(skill / "cases/evals.json")  # so that there is a draft in each of them
    if (source := skill / WHERE_CASES_LIE[where]).suffix == ".json":
        one_case(source)
    else:
        place(source, "Help.")
        place(source.parent / "graders/g.md", f"---\ntype: llm\n---\n{SECRET}\n")
    program(skill, *([source] if where == "named-by-hand" else []), "--to", tmp_path / "to")
    read = read_by_an_agent(tmp_path / "to")
    assert "SKILL.md" in read
    assert "help.sh" in read
    assert SECRET not in read
    assert WHERE_CASES_LIE[where] not in read
    said = "\n".join(file.read_text("utf-8") for file in (tmp_path / "to/tasks").glob("*/DRAFT.md"))
    assert f"helper/{WHERE_CASES_LIE[where].split('/')[0]}" in said
    assert "holds cases" in said


def test_a_file_with_cases_is_no_input(tmp_path: Path) -> None:
    other = one_case(tmp_path / "a/evals/more/evals.json")
    one_case(tmp_path / "a/evals/evals.json", files=["evals/more/evals.json"])
    place(tmp_path / "a/SKILL.md", SKILL.format("helper"))
    done = program(tmp_path / "a", "--to", tmp_path / "to")
    assert f"{other}, which holds cases and was not copied" in done.stdout
    assert SECRET not in read_by_an_agent(tmp_path / "to")


@pytest.mark.parametrize("link", ["skills/outer", "skills/outer/SKILL.md", "skills/inner/secret.txt"])
def test_a_link_in_a_plugin_is_named_and_not_followed(tmp_path: Path, link: str) -> None:
    outside, plugin = tmp_path / "outside", tmp_path / "plugin"
    place(outside / "SKILL.md", SKILL.format("outer") + SECRET)
    place(outside / "secret.txt", SECRET)
    place(plugin / ".claude-plugin/plugin.json", '{"name": "p"}')
    place(plugin / "skills/inner/SKILL.md", SKILL.format("inner"))
    (plugin / link).parent.mkdir(exist_ok=True)
    (plugin / link).symlink_to(outside if link == "skills/outer" else outside / Path(link).name)
    read(plugin / "evals/c", CASE)
    assert program(plugin, "--to", tmp_path / "to").returncode == 0
    assert SECRET not in read_by_an_agent(tmp_path / "to")
    draft = (tmp_path / "to/tasks/x/DRAFT.md").read_text("utf-8")
    assert link.removeprefix("skills/") in draft.split("## Not taken")[1]


@pytest.mark.parametrize("what", ["graders", "graders/g.md", "prompt.md"])
def test_a_part_of_a_case_behind_a_link_is_not_read(tmp_path: Path, what: str) -> None:
    place(tmp_path / "outside/g.md", RUBRIC + SECRET)
    place(tmp_path / "outside/prompt.md", SECRET)
    case = tmp_path / "plugin/evals/c"
    place(case / "case.yaml", json.dumps(CASE))
    (case / what).parent.mkdir(exist_ok=True)
    (case / what).symlink_to(tmp_path / "outside" / ("" if what == "graders" else Path(what).name))
    (found,) = plugin_eval.read(case)
    assert "behind a link" in str(found.refused)


NOT_READABLE: dict[str, tuple[dict[str, Any], bool]] = {  # what the first case has, and whether it is refused
    "long-name": ({"name": "a" * 300}, True),
    "long-file": ({"files": ["a" * 300]}, True),
    "null-in-a-file": ({"files": ["a\0b"]}, False),
    "lone-surrogate": ({"prompt": "hi \ud800 there"}, True),
    "lone-surrogate-expected": ({"expected_output": "\ud800"}, True),
    "large-file": ({"files": ["large"]}, True),
}


@pytest.mark.parametrize("fault", NOT_READABLE)
def test_one_bad_case_is_refused_by_name_and_the_others_are_drafts(tmp_path: Path, fault: str) -> None:
    bad, refused = NOT_READABLE[fault]
    with place(tmp_path / "a/large", "").open("wb") as file:
        file.truncate(importing.COPIED + 1)
    cases = [{"name": "bad", "prompt": "x", **bad}, {"name": "good", "prompt": "Help."}]
    place(tmp_path / "a/evals.json", json.dumps({"skill_name": "a", "evals": cases}))
    done = program(tmp_path / "a", "--to", tmp_path / "to")
    assert (done.returncode, done.stderr) == (Exit.NO if refused else Exit.OK, "")
    assert done.stdout.count(": refused: ") == refused
    assert tomllib.loads((tmp_path / "to/tasks/a-good/task.toml").read_text("utf-8"))
    assert len([*(tmp_path / "to/tasks").iterdir()]) == 2 - refused
    assert not [*(tmp_path / "to").glob(".*")]


@pytest.mark.parametrize("name", ["evals.json", "case.yaml"])
@pytest.mark.parametrize("kind", ["folder", "fifo", "link", "large", "deep", "no-date"])
def test_what_is_no_small_regular_file_is_refused_at_once_and_the_others_are_drafts(
    tmp_path: Path, name: str, kind: str
) -> None:
    file = tmp_path / "places/a" / name
    file.parent.mkdir(parents=True)
    match kind:
        case "folder":
            file.mkdir()
        case "fifo":
            os.mkfifo(file)
        case "link":
            file.symlink_to(place(tmp_path / "outside", json.dumps({**CASE, "evals": [{"prompt": SECRET}]})))
        case "large":
            good = json.dumps({**CASE, "evals": [{"prompt": "x"}]})
            file.write_text(good + " " * importing.READ)
        case "deep":
            file.write_text("[" * 100_000)
        case "no-date":
            file.write_text("a: 2024-13-45")
    one_case(tmp_path / "places/b/evals.json")
    command = [sys.executable, str(ROOT / "scripts/import_tasks.py"), str(tmp_path / "places")]
    done = subprocess.run(
        [*command, "--to", str(tmp_path / "to")], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (Exit.NO, "")
    assert "1 of 2 cases are drafts" in done.stdout
    assert "a: refused: " in done.stdout
    assert SECRET not in done.stdout


@pytest.mark.parametrize("target", ["tasks/helper-1", "tasks", "plugins/helper", "plugins"])
def test_a_dangling_link_where_a_draft_should_go_is_not_written_through(tmp_path: Path, target: str) -> None:
    place(tmp_path / "helper/SKILL.md", SKILL.format("helper"))
    one_case(tmp_path / "helper/evals/evals.json")
    (tmp_path / "to" / target).parent.mkdir(parents=True)
    (tmp_path / "to" / target).symlink_to(tmp_path / "elsewhere")
    done = program(tmp_path / "helper", "--to", tmp_path / "to")
    assert done.stderr == ""
    assert done.returncode == (Exit.OK if target == "plugins/helper" else Exit.NO)
    assert not (tmp_path / "elsewhere").exists()
    assert (tmp_path / "to/tasks/helper-1").is_dir() == (done.returncode == Exit.OK)


# a draft


def test_a_draft_is_refused_until_it_is_written(evals: Path) -> None:
    """The rest is taken from a task that is right, so that the draft's own mark is all that is wrong."""
    folder = evals / "tasks/csv-cleaner-1"
    shutil.copytree(ROOT / "evals/tasks/formatting/starter", folder / "starter", dirs_exist_ok=True)
    shutil.copytree(ROOT / "evals/tasks/formatting/checks", folder / "checks")
    with pytest.raises(tasks.TaskError) as refused:
        tasks.load(evals, "csv-cleaner-1")
    assert [*refused.value.refusals] == [
        "evals/tasks/csv-cleaner-1/DRAFT.md: is a draft; write what this file names, then delete it"
    ]
    (folder / taskcheck.DRAFT).unlink()
    assert tasks.load(evals, "csv-cleaner-1").skills.keys() == {"csv-cleaner"}


def test_nothing_that_is_there_is_overwritten(evals: Path) -> None:
    (evals / "tasks/no-greeting/task.toml").write_text("mine")
    (evals / "plugins/greeter/SYMPOSIUM.toml").write_text("mine")
    done = program(RECORDED, "--to", evals)
    assert done.returncode == Exit.NO
    assert done.stdout.count("is there already") == 4
    assert (evals / "tasks/no-greeting/task.toml").read_text() == "mine"
    shutil.rmtree(evals / "tasks")
    program(RECORDED / "greeter", "--to", evals)
    assert (evals / "plugins/greeter/SYMPOSIUM.toml").read_text() == "mine"
    assert "was left as it is" in (evals / "tasks/no-greeting/DRAFT.md").read_text()


def test_a_place_without_cases_is_no_success(tmp_path: Path) -> None:
    done = program(tmp_path, "--to", tmp_path / "to")
    assert (done.returncode, done.stdout) == (Exit.NO_INPUT, "")
    assert "no evals.json and no case of claude plugin eval" in done.stderr
    assert program(RECORDED).returncode == Exit.USAGE
