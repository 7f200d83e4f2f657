"""Where the installed tools are: <checkout>/.tools, or the folder that AGENT_EVAL_TOOLS names.

It finds; it never installs (tools/install.py does) and never copies (stage.py does). What is missing is the
user's to install, and the message says how.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kit.contract import Exit, Stop

ROOT = Path(__file__).resolve().parents[2]
SRT = "@anthropic-ai/sandbox-runtime"
RUST = "install Rust (rustup.rs)"


@dataclass(frozen=True)
class Tools:
    home: Path  # .tools

    @property
    def modules(self) -> Path:
        return self.home / "node_modules"

    @property
    def node(self) -> Path:
        """The program inside the platform package that npm chose."""
        return next(iter(sorted(self.modules.glob("node-*/bin/node"))), self.modules / "node/bin/node")

    @property
    def srt(self) -> Path:
        """The package's folder."""
        return self.modules / SRT

    @property
    def cargo_agents(self) -> Path:
        """The pinned release; `--symposium-bin` gives another."""
        return self.home / "bin/cargo-agents"

    @property
    def cargo_mutants(self) -> Path:
        """There once tools/install.py was asked for it."""
        return self.home / "mutants/bin/cargo-mutants"

    def dependencies(self, package: Path) -> Iterator[str]:
        """All that it needs from beside it; what lies inside its own folder comes along anyway."""
        manifest = package / "package.json"
        if not manifest.exists():
            raise Stop(Exit.UNAVAILABLE, f"{package}: not installed; run `make tools`")
        for name in json.loads(manifest.read_text("utf-8")).get("dependencies", {}):
            if not (package / "node_modules" / name).exists():
                yield name
                yield from self.dependencies(self.modules / name)

    @functools.cached_property
    def sysroot(self) -> Path:
        """The active toolchain, asked of rustc once and before HOME changes: rustup's shims need it."""
        return toolchain()


def toolchain() -> Path:
    ask = ["rustc", "--print", "sysroot"]
    try:
        said = subprocess.run(ask, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as error:
        raise Stop(Exit.UNAVAILABLE, f"rustc: not found; {RUST}") from error
    if said.returncode:
        last = said.stderr.strip().rpartition("\n")[2]
        raise Stop(
            Exit.UNAVAILABLE, f"rustc: does not work ({last}); choose a toolchain (rustup default stable)"
        )
    sysroot = Path(said.stdout.strip()).resolve()
    for name in ("rustc", "cargo"):
        if not (sysroot / "bin" / name).is_file():
            raise Stop(
                Exit.UNAVAILABLE, f"{sysroot}/bin/{name}: missing; {RUST} with rustc and cargo together"
            )
    return sysroot


def find() -> Tools:
    home = Path(os.environ.get("AGENT_EVAL_TOOLS") or ROOT / ".tools").resolve()
    if not home.is_dir():
        raise Stop(Exit.UNAVAILABLE, f"{home}: the tools are not installed; run `make tools`")
    return Tools(home)


@functools.cache
def pins() -> Mapping[str, str]:
    """What tools/package.json pins: every npm package, and symposium."""
    package = json.loads((ROOT / "tools/package.json").read_text("utf-8"))
    return {**package["dependencies"], "symposium": package["agent-eval"]["symposium"]}


@functools.cache
def packages() -> Mapping[str, str]:
    """The system's programs that srt needs, each with the package it comes in."""
    package = json.loads((ROOT / "tools/package.json").read_text("utf-8"))
    needed: dict[str, str] = package["agent-eval"]["packages"]
    return needed if sys.platform == "linux" else {"rg": needed["rg"]}


def program(name: str) -> Path:
    """One of packages() on PATH, or a refusal with the command that installs it."""
    if found := shutil.which(name):
        return Path(found)
    raise Stop(Exit.UNAVAILABLE, f"{name}: not found; run `{installs(packages()[name])}`")


def installs(package: str) -> str:
    if sys.platform == "darwin":
        return f"brew install {package}"
    sudo = "" if os.geteuid() == 0 else "sudo "
    manager = next((m for m in ("apt-get", "dnf", "zypper") if shutil.which(m)), "apt-get")
    return f"{sudo}{manager} install -y {package}"
