"""What a broken plugin does to its neighbours in cargo-agents 0.5.1: docs/findings/symposium-0.5.1.md.

Three plugins in one registry: `a` and `z` are good (a skill each, and a hook after each tool call), the one
between them is broken. Symposium goes through the plugins in the order of their names. `python -m pytest
tests/test_symposium_neighbours.py -v` shows the table again.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from kit.tools import Tools
from setups.symposium import CONFIG

pytestmark = pytest.mark.real

HEAD = 'name = "m"\ndepends-on = ["*"]\n'
SKILLS = '[[skills]]\nsource.path = "skills"\n'
HOOK = '[[hooks]]\nname = "m"\nevent = "{event}"\ncommand = {{ executable = "{run}", args = {args} }}\n'
LEFT = "echo {name} >>{root}/ran"
SKILL = "---\nname: {name}\ndescription: {description}\n---\n\nText.\n"


def hook(run: str = "sh", *args: str, event: str = "PostToolUse") -> str:
    return HOOK.format(event=event, run=run, args=json.dumps(args))


@dataclass
class Machine:
    """A home, a crate and a registry, with the released cargo-agents."""

    root: Path
    tools: Tools

    def plugin(self, name: str, manifest: str, description: str = "Use it.") -> None:
        folder = self.root / "registry" / name
        (folder / "skills" / name).mkdir(parents=True)
        (folder / "SYMPOSIUM.toml").write_text(manifest.replace('"m"', f'"{name}"'))
        skill = SKILL.format(name=name, description=description)
        (folder / "skills" / name / "SKILL.md").write_text(skill)

    def good(self, name: str) -> None:
        self.plugin(name, HEAD + SKILLS + hook("sh", "-c", LEFT.format(name=name, root=self.root)))

    def run(self, *argv: str, message: str = "") -> subprocess.CompletedProcess[str]:
        env = {
            "HOME": str(self.root / "home"),
            "PATH": f"{self.tools.sysroot}/bin:/usr/bin:/bin",
            "SYMPOSIUM_HOOK_TRACE": str(self.root / "trace"),
        }
        command = [str(self.tools.cargo_agents), *argv]
        return subprocess.run(
            command,
            cwd=self.root / "crate",
            env=env,
            input=message,
            capture_output=True,
            text=True,
            check=False,
        )

    def event(self, name: str, kebab: str, client: str = "claude") -> subprocess.CompletedProcess[str]:
        said = {"hook_event_name": name, "session_id": "x", "cwd": str(self.root / "crate")}
        more = {"source": "startup", "tool_name": "Bash", "tool_input": {}, "tool_response": {}}
        return self.run("hook", client, kebab, message=json.dumps({**said, **more}))

    def seen(self, file: str) -> list[str]:
        path = self.root / file
        return path.read_text("utf-8").splitlines() if path.exists() else []

    @property
    def installed(self) -> str:
        return "".join(sorted(path.name for path in (self.root / "crate/.claude/skills").glob("?")))


@pytest.fixture
def machine(tmp_path: Path, tools: Tools) -> Machine:
    for folder in ("home/.symposium", "crate/src", "registry"):
        (tmp_path / folder).mkdir(parents=True)
    config = CONFIG.format(name="eval", registry=json.dumps(str(tmp_path / "registry")))
    (tmp_path / "home/.symposium/config.toml").write_text(config)
    (tmp_path / "crate/Cargo.toml").write_text('[package]\nname = "c"\nversion = "0.1.0"\n')
    (tmp_path / "crate/src/lib.rs").touch()
    made = Machine(tmp_path, tools)
    assert made.run("init", "--add-agent", "claude", "--add-agent", "codex").returncode == 0
    made.good("a")
    made.good("z")
    return made


GONE = "/a/script/that/is/gone.sh"


@pytest.mark.parametrize(
    ("manifest", "description", "listed", "installed", "ran", "traced"),
    [
        # one that nobody can read: it is passed over, and plugin list warns of it
        ('name = "m"\ndepends-on = ["*"\n', "Use it.", "az", "az", "az", True),
        (f'colour = "red"\n{HEAD}{SKILLS}', "Use it.", "az", "az", "az", True),
        # one with a skill that nobody can read: listed, and the skill is passed over with a line in the log
        (HEAD + SKILLS, "[a, b]", "amz", "az", "az", True),
        # a hook that fails; whose program is nowhere; that exits 2; whose script is nowhere
        (HEAD + SKILLS + hook("sh", "-c", "exit 1"), "Use it.", "amz", "amz", "az", True),
        (HEAD + SKILLS + hook("a-program-that-is-nowhere"), "Use it.", "amz", "amz", "az", True),
        (HEAD + SKILLS + hook("sh", "-c", "exit 2"), "Use it.", "amz", "amz", "a", False),
        (HEAD + SKILLS + hook("sh", GONE), "Use it.", "amz", "amz", "a", False),
    ],
    ids=[
        *("not TOML", "unknown key", "unreadable skill"),
        *("exit 1", "no such program", "exit 2", "no such script"),
    ],
)
def test_what_a_broken_plugin_takes_from_its_neighbours(
    machine: Machine, manifest: str, description: str, listed: str, installed: str, ran: str, traced: bool
) -> None:
    machine.plugin("m", manifest, description)
    said = json.loads(machine.run("--json", "plugin", "list").stdout)
    assert ["".join(sorted(one["plugins"])) for one in said if "plugins" in one] == [listed]
    assert bool([one for one in said if one["kind"] == "warning"]) == ("m" not in listed)
    assert machine.event("SessionStart", "session-start").returncode == 0
    assert machine.installed == installed
    done = machine.event("PostToolUse", "post-tool-use")
    assert machine.seen("ran") == [*ran]
    assert len(machine.seen("trace")) == 1 + traced
    assert (done.returncode, done.stdout.strip()) == ((0, "{}") if traced else (1, ""))


def test_an_answer_of_one_hook_is_lost_when_a_later_one_exits_2(machine: Machine) -> None:
    """The cure of the first session's defect is such an answer: any plugin in the registry can undo it."""
    answer = '{"hookSpecificOutput":{"hookEventName":"SessionStart","reloadSkills":true}}'
    asks = hook("echo", answer, event="SessionStart") + 'format = "claude"\n'
    machine.plugin("b", HEAD + asks)
    assert json.loads(machine.event("SessionStart", "session-start").stdout) == json.loads(answer)
    machine.plugin("m", HEAD + hook("sh", "-c", "exit 2", event="SessionStart"))
    done = machine.event("SessionStart", "session-start")
    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_the_format_of_a_hook_decides_which_client_it_runs_for(machine: Machine, client: str) -> None:
    for name, form in (("b", "claude"), ("c", "codex"), ("d", "symposium")):
        run = hook("sh", "-c", LEFT.format(name=form, root=machine.root))
        machine.plugin(name, f'{HEAD}{run}format = "{form}"\n')
    assert machine.event("PostToolUse", "post-tool-use", client).returncode == 0
    assert machine.seen("ran") == ["a", client, "symposium", "z"]
