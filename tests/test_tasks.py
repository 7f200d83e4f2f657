"""Tasks: what is refused and in which words (T02-T04, T08, I09), what is filled in, what is hashed (T07).

The shipped evals/ are copied, broken in one place, and loaded again.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit import contents, documents, hidden_tests, plugins, taskcheck, taskfile, tasks
from kit.contract import Exit, Stop

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "tests/tasks").glob("*.toml"))
TASK = "store-durability"


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "evals", tmp_path / "evals", ignore=shutil.ignore_patterns("target"))
    return tmp_path / "evals"


def refusals(evals: Path, name: str = TASK) -> list[str]:
    with pytest.raises(tasks.TaskError) as caught:
        tasks.load(evals, name)
    assert str(caught.value) == "\n".join(caught.value.refusals)
    return list(caught.value.refusals)


def only(evals: Path, where: str, problem: str, name: str = TASK) -> None:
    """There is exactly this one refusal, and it has the form for people."""
    (line,) = refusals(evals, name)
    assert line.startswith(f"evals/{where}: "), line
    assert problem in line
    assert re.search("; |[?]$|, ", line.removeprefix(f"evals/{where}: ")), f"says no next step: {line}"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


# task.toml


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_T04_each_example_is_refused_for_what_it_says_and_for_nothing_else(
    evals: Path, example: Path
) -> None:
    text = example.read_text("utf-8")
    expected = re.findall("^# refused: (.*)$", text, re.MULTILINE)
    assert bool(expected) == example.name.startswith("invalid-")
    shutil.copy(example, evals / f"tasks/{TASK}/task.toml")
    shutil.rmtree(evals / f"tasks/{TASK}/solution")
    if not expected:
        document = tasks.load(evals, TASK).document()
        documents.check(document, "task/1", example)
        return
    prefix = f"evals/tasks/{TASK}/task.toml: "
    found = refusals(evals)
    assert len(found) == len(expected), found
    for problem in expected:
        assert any(line.startswith(prefix + problem) for line in found), found


@pytest.mark.parametrize("key", taskfile.RESERVED)
def test_T02_what_is_not_built_yet_says_so_and_is_no_typing_mistake(evals: Path, key: str) -> None:
    file = evals / f"tasks/{TASK}/task.toml"
    file.write_text(f"{key} = 1\n" + file.read_text("utf-8"), "utf-8")
    only(evals, f"tasks/{TASK}/task.toml", f"{key} is not built yet; leave it out until it is")


SHAPE = documents.contents("task-file.1.schema.json")["properties"]
LEVELS = {
    "": SHAPE,
    "deadlines_secs": SHAPE["deadlines_secs"]["properties"],
    "expected": SHAPE["expected"]["properties"],
    "expected.skills": SHAPE["expected"]["properties"]["skills"]["properties"],
}


@given(
    key=st.from_regex(r"[a-z_]{1,12}", fullmatch=True) | st.sampled_from([*SHAPE]),
    level=st.sampled_from([*LEVELS]),
)
def test_T04_no_unknown_key_at_any_level_is_passed_over(
    key: str, level: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("keys") / "task.toml"
    file.write_text(f"[{level}]\n{key} = 1\n" if level else f"{key} = 1\n", "utf-8")
    _, problems = taskfile.read(file)
    said = [
        problem for problem in problems if re.match(rf"{key}( in \[{re.escape(level)}\])? is not ", problem)
    ]
    assert bool(said) == (key not in LEVELS[level])


def test_evals_readme_names_every_key() -> None:
    text = (ROOT / "evals/README.md").read_text("utf-8")
    keys = {key for level in LEVELS.values() for key in level}
    assert [key for key in sorted(keys) if not re.search(rf"[`\[.]{key}\b", text)] == []


def test_T02_the_defaults_depend_on_the_kind(evals: Path) -> None:
    formatting, durability = tasks.load(evals, "formatting"), tasks.load(evals, TASK)
    assert (formatting.kind, formatting.trials) == ("regression", 1)
    assert (durability.kind, durability.trials) == ("capability", 5)
    document = durability.document()
    assert document["deadlines_secs"] == {"setup": 120, "agent": 600, "grading": 300}
    assert (document["editable"], document["fmt_check"], document["grader"]) == (["src/**"], False, "cargo")


def test_T02_one_deadline_can_be_set_alone(evals: Path) -> None:
    with (evals / f"tasks/{TASK}/task.toml").open("a") as file:
        file.write("\n[deadlines_secs]\nagent = 30\n")
    assert tasks.load(evals, TASK).document()["deadlines_secs"] == {"setup": 120, "agent": 30, "grading": 300}


SKILLS = st.lists(st.sampled_from(["a", "b", "c"]), unique=True)


@given(installed=SKILLS, not_used=SKILLS, used=st.none() | SKILLS)
def test_T03_used_is_installed_minus_not_used_unless_it_is_written(
    installed: list[str], not_used: list[str], used: list[str] | None
) -> None:
    said = {"installed": installed, "not_used": not_used, **({} if used is None else {"used": used})}
    filled = taskfile.filled({"kind": "capability", "expected": {"skills": said}})["expected"]["skills"][
        "used"
    ]
    assert filled == (used if used is not None else [name for name in installed if name not in not_used])


def test_a_folder_without_a_task_file_is_refused_and_not_passed_over(evals: Path) -> None:
    (evals / "tasks/empty").mkdir()
    assert "empty" in tasks.names(evals)
    only(evals, "tasks/empty/task.toml", "missing; a task begins with its kind and its prompt", "empty")


def test_everything_that_is_missing_in_a_new_task_is_said_at_once(evals: Path) -> None:
    (evals / "tasks/new").mkdir()
    (evals / "tasks/new/task.toml").write_text('kind = "regression"\n')
    places = [line.split(": ")[0] for line in refusals(evals, "new")]
    assert places == [f"evals/tasks/new/{name}" for name in ("task.toml", "checks", "starter/Cargo.toml")]


@pytest.mark.parametrize("name", ["formating", "../tasks/formatting", ".", "", "xyzzy"])
def test_an_unknown_task_is_a_usage_error_that_names_the_tasks(evals: Path, name: str) -> None:
    with pytest.raises(Stop) as caught:
        tasks.load(evals, name)
    assert caught.value.code is Exit.USAGE
    assert "formatting" in str(caught.value)


def test_a_rehearsal_of_another_folder_is_not_found(evals: Path) -> None:
    task = tasks.load(evals, "formatting")
    assert task.rehearsal("oracle").is_file()
    for name in ("xyzzy", "../../store-durability/rehearsals/flush"):
        with pytest.raises(FileNotFoundError):
            task.rehearsal(name)


# the prompt of a capability task


@pytest.mark.parametrize(
    ("prompt", "crate", "named"),
    [
        ("Save it with fixture-store.", True, False),
        ("Save it with fixture-store.", False, True),
        ("Save it with Fixture Store.", False, True),
        ("Save it with fixture_store.", False, True),
        ("Save it with fixture-stores.", False, False),
        ("Use the fixture-store skill.", True, True),
        ("Use the skill called fixture-store.", True, True),
        ("Use your skills, such as `fixture-store`.", True, True),
        ("/fixture-store save it", True, True),
        ("Use $fixture-store.", True, True),
        ("The crate is at ../fixtures/fixture-store here.", True, False),
        ("Count the skills of each player in a Store.", True, False),
    ],
)
def test_T04_a_prompt_may_name_the_crate_and_not_the_skill(prompt: str, crate: bool, named: bool) -> None:
    assert taskcheck.names_skill(prompt, "fixture-store", also_a_crate=crate) is named


def test_T04_a_regression_prompt_may_name_its_skill(evals: Path) -> None:
    assert "rust-formatting skill" in tasks.load(evals, "formatting").prompt


# hidden tests

ONE = "#[test]\nfn one() {}\n"


@pytest.mark.parametrize(
    "source",
    [
        ONE,
        "mod inner {\n    #[test]\n    fn one() {}\n}\n",
        "#[cfg(test)]\nmod inner {\n    mod deeper { #[test] fn one() {} }\n}\n",
        "// #[test]\n/* #[test] fn no() {} /* nested */ #[test] */\n" + ONE,
        'const S: &str = "#[test] fn no() {}";\nconst R: &str = r#"\n#[test]\nfn no() {}\n"#;\n' + ONE,
        "#[test]\n// a comment between\nfn one() {}\n",
        "#[allow(dead_code)] #[test]\nfn one() -> Result<(), String> { Ok(()) }\n",
        "fn helper(test: u8) -> Vec<u8> { vec![test] }\n" + ONE,
        "#![allow(unused)]\n#[cfg(unix)]\nuse std::os::unix::fs::symlink;\n" + ONE,
        "struct S;\nimpl S { fn test() {} }\n#[derive(Debug)]\nstruct T;\n" + ONE,
    ],
)
def test_T04_exactly_one_test_is_found_where_cargo_finds_one(tmp_path: Path, source: str) -> None:
    (tmp_path / "a.rs").write_text(source, "utf-8")
    test = hidden_tests.read(tmp_path / "a.rs")
    assert (test.name, test.problems) == ("one", ())


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("", "holds 0 tests"),
        ("fn doubles() {}\n", "holds 0 tests"),
        ("// #[test]\nfn doubles() {}\n", "holds 0 tests"),
        (ONE + "#[test]\nfn two() {}\n", "holds 2 tests"),
        (ONE + "mod inner { #[test] fn two() {} }\n", "holds 2 tests"),
        ("#[test]\n#[ignore]\nfn one() {}\n", "has #[ignore]"),
        ('#[ignore = "later"]\n#[test]\nfn one() {}\n', "has #[ignore]"),
        ("#[test]\n#[should_panic]\nfn one() {}\n", "has #[should_panic]"),
        ('#[test]\n#[should_panic(expected = "x")]\nfn one() {}\n', "has #[should_panic]"),
        ("#[test]\n#[cfg_attr(unix, ignore)]\nfn one() {}\n", "has #[cfg_attr]"),
        ("#![cfg(windows)]\n" + ONE, "has #![cfg]"),
        ("#[cfg(windows)]\n" + ONE, "stands behind a cfg"),
        ('#[cfg(feature = "x")]\nmod inner { #[test] fn one() {} }\n', "stands behind a cfg"),
        ("#[tokio::test]\nasync fn one() {}\n", "no plain #[test]"),
        (ONE + "fn outer() {\n    #[test]\n    fn two() {}\n}\n", "where cargo does not look"),
        (ONE + "fn outer() { mod inner { #[test] fn two() {} } }\n", "where cargo does not look"),
        ("macro_rules! m { () => { #[test] fn two() {} } }\nm!();\n" + ONE, "inside a macro"),
        ("proptest! { #[test] fn two(x in 0..9) {} }\n" + ONE, "inside a macro"),
        (ONE + "fn broken( {\n", "is not understood as Rust"),
    ],
)
def test_T04_what_hides_switches_off_or_multiplies_a_test_is_refused(
    tmp_path: Path, source: str, problem: str
) -> None:
    (tmp_path / "a.rs").write_text(source, "utf-8")
    assert any(problem in said for said in hidden_tests.read(tmp_path / "a.rs").problems)


def test_T04_two_tests_in_a_file_are_said_of_that_file(evals: Path) -> None:
    with (evals / f"tasks/{TASK}/checks/settings_persist.rs").open("a") as file:
        file.write("\n#[test]\nfn another() {}\n")
    only(evals, f"tasks/{TASK}/checks/settings_persist.rs", "holds 2 tests; write exactly one")


def test_T04_checks_hold_rust_files_and_nothing_else(evals: Path) -> None:
    checks = evals / f"tasks/{TASK}/checks"
    (checks / "data").mkdir()
    (checks / "notes.txt").write_text("x")
    found = refusals(evals)
    assert len(found) == 2
    assert all("is no Rust file" in line for line in found)
    shutil.rmtree(checks)
    only(evals, f"tasks/{TASK}/checks", "holds no hidden test")


@pytest.mark.parametrize("name", ["settings-persist.rs", "1st.rs", "a b.rs"])
def test_T04_a_check_is_named_as_a_test_can_be(evals: Path, name: str) -> None:
    checks = evals / f"tasks/{TASK}/checks"
    (checks / "settings_persist.rs").rename(checks / name)
    only(evals, f"tasks/{TASK}/checks/{name}", "is no name for a test")


def test_T04_a_check_does_not_take_the_place_of_a_test_of_the_starter(evals: Path) -> None:
    tests = evals / f"tasks/{TASK}/starter/tests"
    tests.mkdir()
    (tests / "settings_persist.rs").write_text(ONE)
    only(evals, f"tasks/{TASK}/checks/settings_persist.rs", "has the name of the starter's")


def test_I09_a_hidden_test_without_a_canary_is_told_the_line_to_add(evals: Path) -> None:
    file = evals / f"tasks/{TASK}/checks/settings_persist.rs"
    text = file.read_text("utf-8")
    file.write_text(
        re.sub("// canary: .*\n", 'const C: &str = "// canary: 00112233445566778899aabbccddeeff";\n', text)
    )
    (line,) = refusals(evals)
    (hint,) = re.findall("// canary: [0-9a-f]{32}$", line)
    file.write_text(f"{hint}\n{text.partition(chr(10))[2]}")
    tasks.load(evals, TASK)


@pytest.mark.parametrize(
    "place",
    [
        f"tasks/{TASK}/{name}"
        for name in ("solution/src/lib.rs", "rehearsals/oracle.yaml", "starter/src/lib.rs", "task.toml")
    ]
    + ["plugins/fixture-store/skills/fixture-store/SKILL.md", "fixtures/fixture-store/src/lib.rs"],
)
def test_I09_a_canary_outside_its_test_is_refused(evals: Path, place: str) -> None:
    mark = hidden_tests.read(evals / f"tasks/{TASK}/checks/settings_persist.rs").canary
    with (evals / place).open("a") as file:
        file.write(f"\n# {mark}\n")
    only(evals, place, "holds the canary of checks/settings_persist.rs")


# starter, solution, fixtures


@pytest.mark.parametrize("where", [f"tasks/{TASK}/starter", "fixtures/fixture-store"])
@pytest.mark.parametrize("what", ["skills", ".agents/skills", ".claude/skills"])
def test_T04_a_starter_or_fixture_with_skills_of_its_own_is_refused(
    evals: Path, where: str, what: str
) -> None:
    (evals / where / what / "x").mkdir(parents=True)
    (evals / where / what / "x/SKILL.md").write_text("x")
    only(evals, f"{where}/{what}", "would reach the agent without a plugin")


def test_T04_a_module_called_skills_is_source(evals: Path) -> None:
    (evals / f"tasks/{TASK}/starter/src/skills").mkdir()
    (evals / f"tasks/{TASK}/starter/src/skills/mod.rs").write_text("")
    tasks.load(evals, TASK)


@pytest.mark.parametrize("text", ["[workspace]\n", "[package.metadata.symposium]\nx = 1\n"])
def test_T04_a_fixture_that_is_more_than_a_crate_is_refused(evals: Path, text: str) -> None:
    with (evals / "fixtures/fixture-store/Cargo.toml").open("a") as file:
        file.write(text)
    only(evals, "fixtures/fixture-store/Cargo.toml", "; ")


def test_T04_a_fixture_that_a_workspace_above_takes_in_is_refused(evals: Path) -> None:
    (evals.parent / "Cargo.toml").write_text('[workspace]\nmembers = ["evals/fixtures/*"]\n')
    only(evals, "fixtures/fixture-store", "is a member of the workspace")
    (evals.parent / "Cargo.toml").write_text('[workspace]\nmembers = ["xtask"]\n')
    tasks.load(evals, TASK)


def test_T04_a_fixture_that_the_starter_makes_a_member_is_refused(evals: Path) -> None:
    with (evals / f"tasks/{TASK}/starter/Cargo.toml").open("a") as file:
        file.write('\n[workspace]\nmembers = ["../fixtures/fixture-store"]\n')
    only(evals, f"tasks/{TASK}/starter/Cargo.toml", "workspace member")


@pytest.mark.parametrize("path", ["../fixture-store", "../../fixtures/fixture-store", "/usr/fixture-store"])
def test_a_dependency_that_no_trial_has_is_refused(evals: Path, path: str) -> None:
    edit(evals / f"tasks/{TASK}/starter/Cargo.toml", "../fixtures/fixture-store", path)
    only(evals, f"tasks/{TASK}/starter/Cargo.toml", "which no trial has")


def test_a_solution_that_is_never_graded_is_refused(evals: Path) -> None:
    shutil.copy(evals / f"tasks/{TASK}/starter/Cargo.toml", evals / f"tasks/{TASK}/solution/Cargo.toml")
    only(evals, f"tasks/{TASK}/solution/Cargo.toml", "is outside editable, so it is never graded")


PLACES = (
    f"tasks/{TASK}/starter",
    f"tasks/{TASK}/solution/src",
    "fixtures/fixture-store/src",
    "plugins/fixture-store",
)


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("name", [".git", ".hg", ".svn", ".jj", ".bzr", ".GIT"])
def test_T08_version_control_history_is_refused(evals: Path, where: str, name: str) -> None:
    (evals / where / name).mkdir()
    (evals / where / name / "HEAD").write_text("ref: refs/heads/main\n")
    only(evals, f"{where}/{name}", "is version-control history")


@pytest.mark.parametrize(
    "head",
    [b"# v2 git bundle\n", b"# v3 git bundle\n", b"PACK\0\0\0\2", b"\xfftOc\0\0\0\2", b"HG10BZ", b"HG20\0\0"],
)
def test_T08_a_bundle_or_pack_is_refused_whatever_its_name(evals: Path, head: bytes) -> None:
    (evals / f"tasks/{TASK}/starter/src/data.bin").write_bytes(head + b"rest")
    only(evals, f"tasks/{TASK}/starter/src/data.bin", "is version-control history")


def test_T08_a_bare_repository_and_a_git_file_are_refused(evals: Path) -> None:
    starter = evals / f"tasks/{TASK}/starter"
    for name in ("objects", "refs"):
        (starter / "upstream" / name).mkdir(parents=True)
    (starter / "upstream/HEAD").write_text("ref: refs/heads/main\n")
    only(evals, f"tasks/{TASK}/starter/upstream", "is version-control history")
    shutil.rmtree(starter / "upstream")
    (starter / ".git").write_text("gitdir: /elsewhere\n")
    only(evals, f"tasks/{TASK}/starter/.git", "is version-control history")


def test_a_link_in_a_task_is_refused_and_not_followed(evals: Path) -> None:
    (evals / f"tasks/{TASK}/starter/src/up").symlink_to(evals)
    only(evals, f"tasks/{TASK}/starter/src/up", "is a link or a special file")


# plugins


def test_a_relative_script_which_no_trial_finds_is_refused(evals: Path) -> None:
    edit(evals / "plugins/format-on-stop/SYMPOSIUM.toml", '"@PLUGIN_DIR@/scripts', '"scripts')
    only(evals, "plugins/format-on-stop", 'write "@PLUGIN_DIR@/scripts/format-on-stop.sh"', "formatting")


def test_a_script_that_is_not_there_is_refused(evals: Path) -> None:
    (evals / "plugins/format-on-stop/scripts/format-on-stop.sh").unlink()
    only(evals, "plugins/format-on-stop", "there is no scripts/format-on-stop.sh", "formatting")


BREAKS: dict[str, tuple[Callable[[str], str], str]] = {
    "another name": (
        lambda text: text.replace('name = "fixture-store"', 'name = "store"'),
        "name is not the folder's",
    ),
    "dormant": (lambda text: re.sub("depends-on.*", "", text), "stays dormant"),
    "late key": (
        lambda text: (
            re.sub("depends-on.*", "", text) + '[[hooks]]\nname = "x"\nevent = "Stop"\ndepends-on = ["*"]\n'
        ),
        "depends-on inside [[hooks]]",
    ),
    "not TOML": (lambda text: text + "[", "not TOML"),
    "one table": (lambda text: text.replace("[[skills]]", "[skills]"), "write [[skills]]"),
}


@pytest.mark.parametrize("how", BREAKS)
def test_a_manifest_that_symposium_would_pass_over_is_refused(evals: Path, how: str) -> None:
    change, problem = BREAKS[how]
    file = evals / "plugins/fixture-store/SYMPOSIUM.toml"
    file.write_text(change(file.read_text("utf-8")), "utf-8")
    assert any(
        "plugins/fixture-store: SYMPOSIUM.toml: " in line and problem in line for line in refusals(evals)
    )


def test_a_plugin_has_one_manifest_under_either_name(evals: Path) -> None:
    folder = evals / "plugins/fixture-store"
    (folder / "SYMPOSIUM.toml").rename(folder / "Symposium.toml")
    tasks.load(evals, TASK)
    (folder / "SYMPOSIUM.toml").write_text('name = "other"\n')
    only(evals, "plugins/fixture-store", "two manifests; keep one")
    for name in plugins.MANIFESTS:
        (folder / name).unlink()
    only(evals, "plugins/fixture-store", "a plugin needs a manifest")


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ("name: fixture-store\ndescription: [Critical]\n", "description is no string"),
        ("name: fixture-store\ndescription: true\n", "description is no string"),
        ("name: fixture-store\ndescription: ok\nversion: 1.0\n", "version is no string"),
        ("name: fixture-store\n", "description must be text of 1 to 1024 bytes"),
        (f"name: fixture-store\ndescription: {'é' * 513}\n", "description must be text of 1 to 1024 bytes"),
        ("name: Fixture Store\ndescription: ok\n", "no usable name"),
        ("description: a: b\n", "front matter is not YAML"),
        ("- name\n", "front matter is no mapping"),
    ],
)
def test_a_skill_that_symposium_would_skip_is_refused(evals: Path, head: str, problem: str) -> None:
    file = evals / "plugins/fixture-store/skills/fixture-store/SKILL.md"
    file.write_text(f"---\n{head}---\n\nText.\n", "utf-8")
    assert any("SKILL.md: " in line and problem in line for line in refusals(evals))


def test_a_skill_without_a_fence_is_refused(evals: Path) -> None:
    (evals / "plugins/fixture-store/skills/fixture-store/SKILL.md").write_text("name: fixture-store\n")
    only(evals, "plugins/fixture-store", "no front matter")


def test_a_skill_inside_a_skill_belongs_to_it(evals: Path) -> None:
    inner = evals / "plugins/fixture-store/skills/fixture-store/more/SKILL.md"
    inner.parent.mkdir()
    inner.write_text("no skill of its own")
    assert list(tasks.load(evals, TASK).skills) == ["fixture-store"]


def test_two_skills_of_one_name_are_refused(evals: Path) -> None:
    shutil.copytree(
        evals / "plugins/fixture-store/skills/fixture-store", evals / "plugins/fixture-store/skills/again"
    )
    only(evals, "plugins/fixture-store", "a second skill fixture-store")


# the hash


def test_T07_the_hash_does_not_depend_on_the_place_or_on_what_is_built(evals: Path, tmp_path: Path) -> None:
    before = tasks.load(evals, TASK).content_hash
    other = tmp_path / "a longer path with spaces/evals"
    shutil.copytree(evals, other)
    (other / "fixtures/fixture-store/target/debug").mkdir(parents=True)
    (other / "fixtures/fixture-store/target/debug/x").write_text("built")
    (other / f"tasks/{TASK}/starter/empty").mkdir()
    (other / "plugins/format-on-stop/more").write_text("not a plugin of this task")
    assert tasks.load(other, TASK).content_hash == before


@pytest.mark.parametrize(
    "place",
    [
        f"tasks/{TASK}/task.toml",
        f"tasks/{TASK}/starter/src/lib.rs",
        f"tasks/{TASK}/checks/settings_persist.rs",
        f"tasks/{TASK}/solution/src/lib.rs",
        f"tasks/{TASK}/rehearsals/flush.yaml",
        "plugins/fixture-store/skills/fixture-store/SKILL.md",
        "fixtures/fixture-store/src/lib.rs",
    ],
)
def test_T07_a_changed_byte_anywhere_changes_the_hash(evals: Path, place: str) -> None:
    before = tasks.load(evals, TASK).content_hash
    with (evals / place).open("a") as file:
        file.write("\n")
    assert tasks.load(evals, TASK).content_hash != before


NAMES = st.from_regex(r"[a-c]{1,2}(/[a-c]{1,2})?", fullmatch=True)
TREES = st.dictionaries(NAMES, st.tuples(st.binary(max_size=4), st.booleans()), max_size=4).filter(
    lambda tree: not any(f"{other}/" in f"{name}/" for name in tree for other in tree if name != other)
)


def plant(folder: Path, tree: dict[str, tuple[bytes, bool]], *, backwards: bool = False) -> str:
    for name in sorted(tree, reverse=backwards):
        file = folder / "x" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(tree[name][0])
        file.chmod(0o755 if tree[name][1] else 0o644)
    (folder / "x").mkdir(parents=True, exist_ok=True)
    return contents.content_hash(folder, [folder / "x"])


@given(one=TREES, other=TREES)
def test_T07_trees_have_one_hash_exactly_when_paths_modes_and_bytes_are_the_same(
    one: dict[str, tuple[bytes, bool]],
    other: dict[str, tuple[bytes, bool]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("trees")
    first = plant(folder / "1", one)
    assert plant(folder / "2", one, backwards=True) == first
    assert (plant(folder / "3", other) == first) == (one == other)


X = {"a": (b"1", False), "b/a": (b"2", True), "b/b": (b"", False), "c": (b"3", False)}


@pytest.mark.parametrize(
    "other",
    [
        {**X, "a": (b"1", True)},
        {**X, "b/a": (b"2", False)},
        {**X, "a": (b"3", False), "c": (b"1", False)},
        {name.replace("b/b", "b/c"): file for name, file in X.items()},
        {name: file for name, file in X.items() if name != "b/b"},
        {**X, "d": (b"", False)},
    ],
    ids=["executable", "not executable", "swapped", "renamed", "an empty file less", "an empty file more"],
)
def test_T07_each_kind_of_change_changes_the_hash(
    tmp_path: Path, other: dict[str, tuple[bytes, bool]]
) -> None:
    assert plant(tmp_path / "1", X) != plant(tmp_path / "2", other)


def test_T07_the_hash_of_a_known_tree_is_this_one(tmp_path: Path) -> None:
    """It is compared between machines and years: no folder's own order and no version may change it."""
    files = {f"{letter}{digit}": (letter.encode(), digit == "7") for letter in "zyxba" for digit in "17"}
    plant(tmp_path, files)
    found = [path.name for path in contents.entries(tmp_path / "x")]
    assert found == sorted(files)
    folders = [tmp_path / "x", tmp_path / "y"]
    folders[1].mkdir()
    (folders[1] / "one").write_text("1")
    whole = contents.content_hash(tmp_path, folders)
    assert contents.content_hash(tmp_path, folders[::-1]) == whole
    assert whole == "97c37c713cb71ba7128efae58de878707bd11b9a502c23a40eb133151bedb226"


def test_T07_a_module_called_target_is_source(tmp_path: Path) -> None:
    (tmp_path / "x/src/target").mkdir(parents=True)
    (tmp_path / "x/Cargo.toml").write_text("")
    (tmp_path / "x/target").mkdir()
    for name in ("src/target/mod.rs", "target/built"):
        (tmp_path / "x" / name).write_text("")
    found = [path.relative_to(tmp_path / "x").as_posix() for path in contents.entries(tmp_path / "x")]
    assert found == ["Cargo.toml", "src/target/mod.rs"]
