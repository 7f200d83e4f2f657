"""`make tools`: what was cut short is never trusted, what is there is not made again, what lacks is said."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kit import tools as tool_places
from kit import versions
from kit.contract import Exit, Stop
from standin_tools import script

TOOLS = Path(__file__).parents[1] / "tools"
UNPRIVILEGED = ["unshare", "--user"] if os.geteuid() == 0 else []  # the same files, but no rights of root

NPM = """dist=node_modules/@anthropic-ai/sandbox-runtime/dist
mkdir -p $dist; touch $dist/cli.js
cp package-lock.json node_modules/"""
CARGO = """program=$3; [ $3 = symposium ] && program=cargo-agents
while [ "$1" != --root ]; do shift; done
mkdir -p "$2/bin" "$2/target"; echo built > "$2/bin/$program" """


@dataclass(frozen=True)
class Checkout:
    """A copy of tools/ in a checkout of its own, and a PATH that holds stand-ins only."""

    root: Path
    calls: Path
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.root / ".tools"

    def program(self, name: str, body: str) -> None:
        script(self.root / "bin" / name, f"echo {name} >> {self.calls}\n{body}")

    def without(self, *names: str) -> None:
        for name in names:
            (self.root / "bin" / name).unlink()

    def start(self, before: Sequence[str] = (), after: Sequence[str] = ()) -> subprocess.Popen[str]:
        argv = [*before, sys.executable, str(self.root / "tools/install.py"), *after]
        env = {"PATH": str(self.root / "bin"), "HOME": str(self.root), **self.extra}
        argv[0] = shutil.which(argv[0]) or argv[0]
        return subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def install(self, before: Sequence[str] = (), after: Sequence[str] = ()) -> tuple[int, str, str]:
        process = self.start(before, after)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    @property
    def called(self) -> list[str]:
        return self.calls.read_text().split() if self.calls.exists() else []

    @property
    def left(self) -> list[str]:
        return sorted(path.name for path in self.home.iterdir())


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    shutil.copytree(TOOLS, tmp_path / "tools", ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    made = Checkout(tmp_path, tmp_path / "calls")
    for name in ("bwrap", "socat", "rg", "rustc"):
        script(tmp_path / "bin" / name, "exit 0")
    made.program("npm", NPM)
    made.program("cargo", CARGO)
    return made


COMPLETE = [".lock", "bin", "installed.json", "node_modules"]


def test_W02_the_first_setup_makes_everything_and_the_second_does_nothing(checkout: Checkout) -> None:
    code, out, err = checkout.install()
    assert (code, err) == (0, "")
    assert "about 20 seconds" in out
    assert checkout.left == COMPLETE
    before = time.monotonic()
    assert checkout.install()[0] == 0
    assert time.monotonic() - before < 2
    assert checkout.called == ["npm", "cargo"]


def test_W02_a_new_pin_of_one_part_makes_that_part_again(checkout: Checkout) -> None:
    checkout.install()
    lock = checkout.root / "tools/package-lock.json"
    lock.write_text(lock.read_text() + "\n")
    assert checkout.install()[0] == 0
    assert checkout.called == ["npm", "cargo", "npm"]
    assert (checkout.home / "node_modules/package-lock.json").read_text() == lock.read_text()


def test_W02_cargo_mutants_is_built_once_and_only_when_asked_for(checkout: Checkout) -> None:
    checkout.install()
    assert checkout.left == COMPLETE
    for _ in range(2):
        assert checkout.install(after=["--mutants"])[::2] == (0, "")
    assert (checkout.home / "mutants/bin/cargo-mutants").exists()
    assert checkout.install()[0] == 0  # and stays
    assert checkout.left == sorted([*COMPLETE, "mutants"])
    assert checkout.called == ["npm", "cargo", "cargo"]


def test_W03_an_unknown_flag_is_exit_2_and_nothing_is_begun(checkout: Checkout) -> None:
    assert checkout.install(after=["--mutant"]) == (
        2,
        "",
        "tools: --mutant: not known; the only flag is --mutants\n",
    )
    assert checkout.called == []


@pytest.mark.parametrize("gone", ["node_modules", "bin", "installed.json"])
def test_W02_what_somebody_removed_comes_back(checkout: Checkout, gone: str) -> None:
    checkout.install()
    subprocess.run(["rm", "-r", checkout.home / gone], check=True)
    assert checkout.install()[0] == 0
    assert checkout.left == COMPLETE


def test_a_torn_stamp_is_no_stamp(checkout: Checkout) -> None:
    checkout.install()
    (checkout.home / "installed.json").write_text('{"bin": "symp')
    assert checkout.install()[0] == 0
    assert checkout.called == ["npm", "cargo"] * 2


def test_W03_everything_that_is_missing_is_said_at_once_and_nothing_is_begun(checkout: Checkout) -> None:
    checkout.without("npm", "rustc", "socat")
    code, _, err = checkout.install()
    assert code == 69
    assert "npm: not found; install Node.js" in err
    assert "rustc: not found; install Rust" in err
    assert "socat: not installed; install with your system's package manager" in err
    assert checkout.called == []


def test_W02_root_installs_the_debian_packages_and_others_are_told_the_command(checkout: Checkout) -> None:
    checkout.without("rg", "socat")
    checkout.program(
        "apt-get", f"case $* in *ripgrep*) cp {checkout.root}/bin/bwrap {checkout.root}/bin/rg; esac"
    )
    code, _, err = checkout.install(UNPRIVILEGED)
    assert code == 69
    assert "ripgrep, socat: not installed; run `sudo apt-get install -y ripgrep socat`" in err
    assert "apt-get" not in checkout.called
    if os.geteuid() != 0:
        return
    code, _, err = checkout.install()
    assert checkout.called == ["apt-get", "apt-get"]  # update, install
    assert (code, err) == (
        69,
        "tools: socat: installed, but not found on PATH; mend PATH and run `make tools` again\n",
    )


@pytest.mark.parametrize(
    ("program", "says", "advice"),
    [
        ("npm", "npm error code EAI_AGAIN", "check the network and run `make tools` again"),
        ("npm", "npm error code ENOSPC", "the disk is full: free some space"),
        ("npm", "npm error code EINTEGRITY", "mend that"),
        ("cargo", "  [6] Could not resolve hostname (Could not resolve host)", "check the network"),
        ("cargo", "error: No space left on device (os error 28)", "the disk is full"),
        ("cargo", "   Compiling socket2 v0.6\nerror: linker `cc` not found", "mend that"),
    ],
)
def test_W02_a_failed_program_is_named_with_its_last_words(
    checkout: Checkout, program: str, says: str, advice: str
) -> None:
    checkout.program(program, f"echo '{says}' >&2; exit 3")
    code, _, err = checkout.install()
    assert code == 69
    assert says.splitlines()[-1] in err
    last = err.splitlines()[-1]
    assert last.startswith(f"tools: {program} ")
    assert "failed (exit 3" in last
    assert advice in last
    assert set(checkout.left) <= {".lock", "node_modules", "installed.json"}


def test_W02_what_came_without_its_program_is_not_trusted(checkout: Checkout) -> None:
    checkout.program("cargo", "exit 0")
    code, _, err = checkout.install()
    assert code == 69
    assert "came without cargo-agents" in err
    assert "bin" not in checkout.left


def begun(checkout: Checkout, program: str) -> subprocess.Popen[str]:
    """A set-up whose program has made half of its work and now hangs; its pid is in the file `pid`."""
    half, pid = {"npm": NPM, "cargo": CARGO}[program], checkout.root / "pid"
    checkout.program(program, f"{half}\necho $$ > {pid}.tmp\nmv {pid}.tmp {pid}\nexec sleep 60")
    process = checkout.start()
    until = time.monotonic() + 20
    while not (checkout.root / "pid").exists() and time.monotonic() < until:
        time.sleep(0.02)
    return process


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_W02_an_interrupt_leaves_nothing_half_made_and_nothing_running(
    checkout: Checkout, sign: signal.Signals
) -> None:
    process = begun(checkout, "cargo")
    process.send_signal(sign)
    assert process.wait(timeout=20) == 130
    assert "interrupted" in process.communicate()[1]
    assert not is_running(int((checkout.root / "pid").read_text()))
    assert checkout.left == [".lock", "installed.json", "node_modules"]
    checkout.program("cargo", CARGO)
    assert checkout.install()[0] == 0
    assert checkout.called == ["npm", "cargo", "cargo"]


def test_W02_a_kill_midway_leaves_nothing_that_a_rerun_trusts(checkout: Checkout) -> None:
    process = begun(checkout, "npm")
    process.kill()
    process.communicate()
    os.kill(int((checkout.root / "pid").read_text()), signal.SIGKILL)
    assert [name[:5] for name in checkout.left] == [".lock", "part-"]
    checkout.program("npm", NPM)
    assert checkout.install()[0] == 0
    assert checkout.left == COMPLETE


def test_W02_two_setups_at_once_do_the_work_once(checkout: Checkout) -> None:
    checkout.program("npm", f"sleep 1\n{NPM}")
    first, second = checkout.start(), checkout.start()
    said = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0)
    assert sum("waiting for it" in out for out in said) == 1
    assert checkout.called == ["npm", "cargo"]


def test_W02_a_folder_that_cannot_be_written_is_one_clear_line(checkout: Checkout) -> None:
    checkout.home.mkdir()
    checkout.home.chmod(0o555)
    code, _, err = checkout.install(UNPRIVILEGED)
    assert code == 69
    assert len(err.splitlines()) == 1
    assert f"{checkout.home}/.lock: Permission denied; make it writable" in err


def test_W02_another_folder_can_be_named(checkout: Checkout, tmp_path: Path) -> None:
    checkout.extra["AGENT_EVAL_TOOLS"] = str(tmp_path / "elsewhere/tools")
    assert checkout.install()[0] == 0
    assert not checkout.home.exists()
    assert (tmp_path / "elsewhere/tools/bin/cargo-agents").exists()


def test_I01_every_version_is_pinned_exactly_and_the_lock_names_no_address() -> None:
    package = json.loads((TOOLS / "package.json").read_text("utf-8"))
    lock = json.loads((TOOLS / "package-lock.json").read_text("utf-8"))["packages"]
    wanted = {**package["dependencies"], **package["optionalDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    assert {name: lock[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert [name for name, entry in lock.items() if name and not entry.get("integrity")] == []
    assert [name for name, entry in lock.items() if "resolved" in entry] == []


def test_I01_npm_chooses_node_by_system_and_processor() -> None:
    """Else every machine would fetch every Node, or a script of a package would have to run."""
    package = json.loads((TOOLS / "package.json").read_text("utf-8"))
    lock = json.loads((TOOLS / "package-lock.json").read_text("utf-8"))["packages"]
    chosen = {
        (e["os"], e["cpu"])
        for n in package["optionalDependencies"]
        if (e := lock[f"node_modules/{n}"])["optional"]
    }
    assert chosen == {("linux", "x64"), ("linux", "arm64"), ("darwin", "x64"), ("darwin", "arm64")}


def test_W03_tools_that_are_not_installed_are_refused_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_EVAL_TOOLS", str(tmp_path / "nothing"))
    with pytest.raises(Stop, match="not installed; run `make tools`") as stop:
        tool_places.find()
    assert stop.value.code is Exit.UNAVAILABLE


@pytest.mark.parametrize(
    ("rustc", "says"),
    [
        (None, "rustc: not found; install Rust"),
        ("echo error: no default toolchain >&2; exit 1", "no default toolchain.*rustup default stable"),
        ("echo /nonexistent", "/nonexistent/bin/rustc: missing"),
    ],
)
def test_W02_a_toolchain_that_does_not_work_is_refused_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rustc: str | None, says: str
) -> None:
    tmp_path.joinpath("bin").mkdir()
    if rustc:
        script(tmp_path / "bin/rustc", rustc)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(Stop, match=says):
        tool_places.toolchain()


@pytest.mark.parametrize(
    ("older", "newer"),
    [("2.1.99", "2.1.197"), ("2.1.197", "2.2.0"), ("1.9.9", "2.0.0"), ("0.9", "0.10.0-beta.1")],
)
def test_S04_versions_are_compared_by_number_not_by_letter(older: str, newer: str) -> None:
    assert versions.older(older, newer)
    assert not versions.older(newer, older)
    assert not versions.older(older, older)


def test_S04_a_version_is_asked_without_the_callers_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "x")
    said = versions.asked(["/usr/bin/env"], tmp_path)
    assert "A_SECRET" not in said
    assert f"HOME={tmp_path}\n" in said


@pytest.mark.real
def test_W02_the_real_tools_are_found(tools: tool_places.Tools) -> None:
    assert {tools.node.is_file(), tools.cargo_agents.is_file(), (tools.srt / "dist/cli.js").is_file()} == {
        True
    }
    assert (tools.sysroot / "bin/cargo").is_file()
    assert set(tools.dependencies(tools.srt)) >= {
        "commander",
        "zod",
        "node-forge",
        "@pondwader/socks5-server",
    }
