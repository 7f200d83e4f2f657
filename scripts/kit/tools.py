"""Where the installed tools are: <checkout>/.tools, or the folder that AGENT_EVAL_TOOLS names.

It finds; it never installs (tools/install.py does). What is missing is the user's to install, and said so.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from kit.contract import Exit, Stop

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Tools:
    home: Path  # .tools

    @property
    def modules(self) -> Path:
        return self.home / "node_modules"

    @property
    def node(self) -> Path:
        return next(iter(sorted(self.modules.glob("node-*/bin/node"))), self.modules / "node/bin/node")

    @property
    def srt(self) -> Path:
        """The package's folder."""
        return self.modules / "@anthropic-ai/sandbox-runtime"

    @property
    def cargo_agents(self) -> Path:
        """The pinned release; `--symposium-bin` gives another."""
        return self.home / "bin/cargo-agents"

    @property
    def sysroot(self) -> Path:
        """The active toolchain, by rustc itself: rustup's shims need the user's HOME, so ask before it changes."""
        try:
            said = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Stop(Exit.UNAVAILABLE, "rustc: not found or not working; install Rust (rustup.rs)") from error
        return Path(said.stdout.strip()).resolve()


def find() -> Tools:
    home = Path(os.environ.get("AGENT_EVAL_TOOLS", ROOT / ".tools")).resolve()
    if not home.is_dir():
        raise Stop(Exit.UNAVAILABLE, f"{home}: the tools are not installed; run `make tools`")
    return Tools(home)
