"""setups: what a configuration puts into a run, and that each check before launch can go red."""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import clients
from kit.contract import Exit, Stop
from kit.layout import Run
from kit.tools import Tools
from setups import Before, Check, Said, baseline, every, folders, symposium

Make = Callable[..., Before]
MANIFEST = """name = "greet"
depends-on = ["*"]

[[skills]]
source.path = "skills"

[[hooks]]
name = "greet"
event = "Stop"
command = { script = "@PLUGIN_DIR@/hook.sh" }
"""
SKILL = "---\nname: greeting\ndescription: How to greet\n---\n\nSay hello to @PLUGIN_DIR@.\n"
LISTED = '[{"kind": "provider_listed", "name": "eval", "plugins": ["greet"]}]'


def place(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A run with empty folders, and an evals/ with one plugin."""
    evals = tmp_path / "evals"
    place(evals / "plugins/greet/SYMPOSIUM.toml", MANIFEST)
    place(evals / "plugins/greet/skills/greeting/SKILL.md", SKILL)
    place(evals / "plugins/greet/hook.sh", "#!/bin/sh\nexit 0\n").chmod(0o755)

    def made(cargo_agents: Path = Path("/eval/cargo-agents"), **task: Any) -> Before:
        run = Run(tmp_path / "run", tmp_path / "control")
        folders.make(run)
        document = {"plugins": ["greet"], "prompt": "Say hello.", "canaries": ["c4" * 16], **task}
        return Before(
            run, document, {"symposium": {"path": str(cargo_agents)}}, clients.load("claude"), "claude", evals
        )

    return made


def failed(checks: Sequence[Check]) -> list[str]:
    return [check.name for check in checks if not check.passed]


# Folders


def test_T08_history_and_build_output_are_pruned_and_nothing_else(tmp_path: Path) -> None:
    starter = tmp_path / "starter"
    kept = ["Cargo.toml", "src/lib.rs", "src/target/mod.rs", ".cargo/config.toml", "empty.rs"]
    gone = [".git/HEAD", "sub/.hg/x", ".jj/x", "target/debug/demo", "sub/.svn/x", ".bzr/x"]
    for name in [*kept, *gone]:
        place(starter / name, name)
    (starter / "history.dat").write_bytes(b"# v2 git bundle\nx")
    folders.copy(starter, tmp_path / "project", writable=True)
    copied = {
        str(p.relative_to(tmp_path / "project")) for p in (tmp_path / "project").rglob("*") if p.is_file()
    }
    assert copied == set(kept)


def test_T08_a_link_is_refused_and_never_followed(tmp_path: Path) -> None:
    place(tmp_path / "secret", "x")
    place(tmp_path / "starter/a", "x")
    (tmp_path / "starter/link").symlink_to(tmp_path / "secret")
    with pytest.raises(Stop, match=r"starter/link: no regular file"):
        folders.copy(tmp_path / "starter", tmp_path / "project", writable=True)


def test_P01_fixtures_are_read_only_copies_and_programs_stay_programs(tmp_path: Path) -> None:
    place(tmp_path / "fixture/src/lib.rs", "x").chmod(0o600)
    place(tmp_path / "fixture/run.sh", "x").chmod(0o700)
    folders.copy(tmp_path / "fixture", tmp_path / "copy", writable=False)
    modes = {p.name: p.stat().st_mode & 0o777 for p in (tmp_path / "copy").rglob("*")}
    assert modes == {"src": 0o755, "lib.rs": 0o444, "run.sh": 0o555}


def test_P01_the_folders_are_made_whatever_the_umask(make: Make) -> None:
    before = os.umask(0o077)
    try:
        run = make().run
    finally:
        os.umask(before)
    names = ["bin", "cargo-home", "evidence", "fixtures", "home", "project", "tmp"]
    assert sorted(p.name for p in run.root.iterdir()) == names
    assert {n: (run.root / n).stat().st_mode & 0o777 for n in ("bin", "home")} == {
        "bin": 0o755,
        "home": 0o700,
    }
    assert run.control.stat().st_mode & 0o777 == 0o711, "a trial passes through and never lists"
    assert run.neutral.stat().st_mode & 0o777 == 0o755


def test_P06_a_run_is_never_used_twice(make: Make) -> None:
    make()
    with pytest.raises(Stop) as stop:
        make()
    assert stop.value.code is Exit.EXISTS


# Every setup


def test_P05_a_fresh_run_passes(make: Make) -> None:
    assert failed([*every.checks(make())]) == []


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("skill_folder_empty", lambda b: place(b.run.project / ".claude/skills/old/SKILL.md", "x")),
        ("skill_folder_empty", lambda b: place(b.run.project / ".claude/skills", "x")),
        ("skill_folder_empty", lambda b: dangling(b.run.project / ".claude/skills")),
        ("no_history", lambda b: place(b.run.project / ".git/HEAD", "x")),
        ("no_history", lambda b: place(b.run.project / "a/b/.hg/x", "x")),
        ("no_history", lambda b: place(b.run.project / "a/x.bin", "# v2 git bundle\nx")),
        ("no_canary", lambda b: place(b.run.project / "src/lib.rs", f"// canary: {'c4' * 16}\n")),
        ("no_canary", lambda b: place(b.run.fixtures / "x", "c4" * 16)),
    ],
)
def test_P05_each_check_can_fail_and_names_the_path(
    make: Make, name: str, spoil: Callable[[Before], Path]
) -> None:
    before = make()
    path = spoil(before)
    checks = {check.name: check for check in every.checks(before)}
    assert failed([*checks.values()]) == [name]
    assert str(path).startswith(checks[name].detail.split(": ")[0])


def dangling(link: Path) -> Path:
    link.parent.mkdir()
    link.symlink_to("nowhere")
    return link


def test_P05_an_empty_skill_folder_passes(make: Make) -> None:
    before = make()
    (before.run.project / ".claude/skills").mkdir(parents=True)
    assert every.skill_folder_empty(before).passed


def test_P05_machine_wide_settings_are_a_setup_failure(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    managed = place(tmp_path / "managed-settings.json", "{}")
    monkeypatch.setattr(clients.load("claude"), "MANAGED", (tmp_path / "none", managed))
    check = every.nothing_managed(make())
    assert not check.passed
    assert str(tmp_path / "managed-settings.json") in check.detail


@pytest.mark.parametrize("word", ["Use Symposium.", "Run `cargo agents sync`.", "cargo-agents"])
def test_P04_a_prompt_that_names_symposium_is_refused(make: Make, word: str) -> None:
    assert failed([*every.checks(make(prompt=word))]) == ["prompt_silent"]


def test_P05_a_setup_that_took_too_long_fails() -> None:
    now = time.monotonic()
    assert [every.in_time(now + 60).passed, every.in_time(now - 60).passed] == [True, False]


# Baseline


def look(before: Before, path: str) -> list[Said]:
    """As in the sandbox, without one: the shell's own lookup."""
    env = {"PATH": path, "CARGO_HOME": str(before.run.cargo_home)}
    return [said(argv, env, before.run.project) for argv in baseline.commands(before)]


def said(argv: Sequence[str], env: dict[str, str], cwd: Path) -> Said:
    done = subprocess.run(
        argv, env=env, cwd=cwd, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return Said(argv, done.returncode, done.stdout, done.stderr)


def program(file: Path) -> Path:
    place(file, "#!/bin/sh\n").chmod(0o755)
    return file


def baseline_failures(before: Before, path: str = "/usr/bin:/bin") -> dict[str, str]:
    return {c.name: c.detail for c in baseline.checks(before, look(before, path)) if not c.passed}


def test_P05_a_baseline_holds_nothing_of_symposium(make: Make) -> None:
    before = make()
    assert baseline.populate(before) == {}
    assert baseline_failures(before) == {}


@pytest.mark.parametrize("name", ["cargo-agents", "symposium"])
def test_P05_a_baseline_finds_symposium_on_the_trials_path_not_on_ours(make: Make, name: str) -> None:
    before = make()
    there = program(before.run.bin / name)
    assert baseline_failures(before, f"{before.run.bin}:/usr/bin:/bin") == {
        "symposium_unreachable": f"{there}: found on the trial's PATH"
    }
    assert baseline_failures(before) == {}


def test_P05_a_baseline_finds_symposium_where_cargo_looks_for_subcommands(make: Make) -> None:
    before = make()
    program(before.run.cargo_home / "bin/cargo-agents")
    assert [*baseline_failures(before)] == ["symposium_unreachable"]


def test_P05_a_look_that_did_not_work_is_no_proof(make: Make) -> None:
    before = make()
    for exit_code in (1, None):
        checks = [*baseline.checks(before, [Said(["sh"], exit_code, "", "srt: broken")])]
        assert failed(checks) == ["symposium_unreachable"]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("no_symposium_home", "home/.symposium/config.toml"),
        ("no_symposium_entry", "home/.claude/settings.json"),
        ("no_symposium_entry", "project/.mcp.json"),
    ],
)
def test_P05_a_baseline_with_something_of_symposium_fails(make: Make, name: str, file: str) -> None:
    before = make()
    place(before.run.root / file, '{"command": "cargo-agents hook claude stop"}')
    assert [*baseline_failures(before)] == [name]


# Symposium


def test_P04_the_manifest_is_there_in_both_spellings_with_an_absolute_script(make: Make) -> None:
    before = make()
    plugin = symposium.populate(before)["greet"]
    registry = before.run.registry / "greet"
    for name in ("SYMPOSIUM.toml", "Symposium.toml"):
        hook = tomllib.loads((registry / name).read_text())["hooks"][0]
        assert hook["command"]["script"] == str(registry / "hook.sh")
    assert os.access(registry / "hook.sh", os.X_OK)
    assert sorted(plugin.files) == ["SYMPOSIUM.toml", "Symposium.toml", "hook.sh", "skills/greeting/SKILL.md"]


def test_P04_only_the_manifest_is_adapted(make: Make) -> None:
    before = make()
    plugin = symposium.populate(before)["greet"]
    copied = before.run.registry / "greet/skills/greeting/SKILL.md"
    assert copied.read_text() == SKILL
    assert plugin.files["skills/greeting/SKILL.md"] == hashlib.sha256(SKILL.encode()).hexdigest()


def test_E01_the_hashes_are_those_of_evals_wherever_the_run_is(make: Make, tmp_path: Path) -> None:
    first = symposium.populate(make())["greet"].files
    (tmp_path / "run").rename(tmp_path / "earlier")
    (tmp_path / "control").rename(tmp_path / "earlier-control")
    assert symposium.populate(make())["greet"].files == first
    shown = MANIFEST.replace("@PLUGIN_DIR@", "<run>/registry/greet")
    assert first["SYMPOSIUM.toml"] == hashlib.sha256(shown.encode()).hexdigest()


@pytest.mark.parametrize(
    ("script", "records"), [("exit 0\n", False), ('echo x >> "$EVAL_EVIDENCE_DIR/y"\n', True)]
)
def test_E04_a_plugin_that_keeps_records_is_known(make: Make, script: str, records: bool) -> None:
    before = make()
    place(before.evals / "plugins/greet/hook.sh", script)
    assert symposium.populate(before)["greet"].records is records


def test_P04_never_syncs(make: Make) -> None:
    words = [word for argv in symposium.commands(make()) for word in argv]
    assert words == [
        "cargo-agents",
        "init",
        "--add-agent",
        "claude",
        "cargo-agents",
        "--json",
        "plugin",
        "list",
    ]


def test_P04_a_path_with_a_quote_is_still_a_config_that_parses(make: Make, tmp_path: Path) -> None:
    run = Run(tmp_path / 'a "quoted" run\'', tmp_path / "c")
    config = symposium.expected_config(Before(run, {}, {}, clients.load("claude"), "claude", tmp_path))
    assert tomllib.loads(config)["registry"][0]["path"] == str(run.registry)


@pytest.mark.parametrize("text", ["", "not json", "{}", "[1]", '[{"plugins": []}]'])
def test_P04_a_plugin_list_that_lacks_the_plugin_fails(make: Make, text: str) -> None:
    before = make()
    symposium.populate(before)
    assert not symposium.plugins_listed(before, Said(["x"], 0, text, "")).passed
    assert symposium.plugins_listed(before, Said(["x"], 0, LISTED, "")).passed


# Symposium, the real one


class Real:
    """cargo-agents itself, without a sandbox, in the run's own home."""

    def __init__(self, before: Before, tools: Tools) -> None:
        self.before, self.tools = before, tools
        symposium.populate(before)

    def checks(self, client: str = "claude") -> dict[str, Check]:
        run = self.before.run
        path = f"{run.bin}:{self.tools.sysroot}/bin:/usr/bin:/bin"
        env = {"HOME": str(run.home), "PATH": path, "CARGO_HOME": str(run.cargo_home)}
        argvs = [
            [client if word == "claude" else word for word in argv]
            for argv in symposium.commands(self.before)
        ]
        return {
            c.name: c for c in symposium.checks(self.before, [said(argv, env, run.project) for argv in argvs])
        }

    def failed(self, client: str = "claude") -> list[str]:
        return failed([*self.checks(client).values()])


@pytest.fixture
def real(make: Make, tools: Tools) -> Real:
    return Real(make(tools.cargo_agents), tools)


@pytest.mark.real
def test_P04_real_init_passes_every_check_and_syncs_nothing(real: Real) -> None:
    assert real.failed() == []
    assert list(real.before.run.project.iterdir()) == []
    assert not list(real.before.run.home.rglob("state.json"))
    assert every.skill_folder_empty(real.before).passed


@pytest.mark.real
def test_P04_real_a_manifest_that_is_not_read_is_seen_though_it_is_silent(real: Real) -> None:
    """0.5.1 reads SYMPOSIUM.toml only; without it the skill is listed as a plugin of its own, exit 0."""
    (real.before.run.registry / "greet/SYMPOSIUM.toml").unlink()
    checks = real.checks()
    assert failed([*checks.values()]) == ["plugins_listed"]
    assert checks["plugins_listed"].detail == "plugin list: greeting: without greet"


@pytest.mark.real
def test_P04_real_a_config_that_does_not_parse_is_seen_though_init_exits_0(real: Real) -> None:
    (real.before.run.home / ".symposium/config.toml").write_text("auto-sync = maybe\n")
    checks = real.checks()
    assert checks["init"].passed
    assert {"config_parsed", "config_kept", "plugins_listed"} <= set(failed([*checks.values()]))


@pytest.mark.real
def test_P04_real_a_registry_of_its_own_choice_is_seen(real: Real) -> None:
    """What we wrote must still be there after init, and nothing may stand beside it."""
    config = real.before.run.home / ".symposium/config.toml"
    config.write_text(config.read_text() + '\n[[registry]]\nname = "more"\npath = "/nowhere"\n')
    assert "config_kept" in real.failed()


@pytest.mark.real
def test_P04_real_a_client_that_symposium_does_not_know_fails(real: Real) -> None:
    assert "init" in real.failed("no-such-client")


@pytest.mark.real
def test_P04_real_hooks_of_another_client_are_not_this_ones(real: Real) -> None:
    assert "hooks_registered" in real.failed("codex")
