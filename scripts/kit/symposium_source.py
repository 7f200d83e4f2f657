"""Where a cargo-agents comes from: the pinned release, the same with our patches, a file, a checkout.

It never runs cargo-agents and never copies it (stage.py does). A checkout that does not build, or a file that
is no program, is the fault of whoever named it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from kit import programs
from kit.contract import Exit, Stop
from kit.documents import Document


@dataclass(frozen=True)
class Source:
    program: Path
    revision: str | None = None  # of the checkout
    profile: str | None = None  # cargo's, where we built it


def find(planned: Document, pinned: Path) -> Source:
    """By the batch's `symposium`: {source, path}."""
    place = Path(planned["path"])
    if planned["source"] == "pinned":
        if not pinned.exists():
            raise Stop(Exit.UNAVAILABLE, f"{pinned}: not installed; run `make tools`")
        return Source(pinned, profile="dev")
    if planned["source"] == "patched":
        return Source(patched(), profile="dev")
    if planned["source"] == "src":
        return Source(build(place), revision(place), "dev")
    if not (place.is_file() and os.access(place, os.X_OK)):
        raise Stop(Exit.UNAVAILABLE, f"{place}: not a program; give the path of a cargo-agents")
    return Source(place)


def patched() -> Path:
    """Built now where it is not there, or its patches have changed; cargo's words pass through."""
    argv = [sys.executable, str(programs.SCRIPTS / "symposium.py"), "--patched"]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        said = "the patched cargo-agents: not built, for the reason above"
        raise Stop(Exit.UNAVAILABLE, f"{said}; mend it, or leave the patched one out")
    return Path(done.stdout.strip().rpartition("\n")[2])


def build(checkout: Path) -> Path:
    """As its developers build it every day, so that their build folder serves; cargo's words pass through."""
    print(f"stage: building cargo-agents in {checkout}", file=sys.stderr, flush=True)
    argv = ["cargo", "build", "--bin", "cargo-agents", "--message-format=json-render-diagnostics"]
    try:
        done = subprocess.run(argv, cwd=checkout, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    except OSError as error:
        said = f"{checkout}: cannot build there ({error.strerror}: {error.filename})"
        raise Stop(Exit.UNAVAILABLE, f"{said}; give a checkout of symposium") from error
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    made = [
        m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "cargo-agents"
    ]
    if done.returncode or not made:
        todo = "mend the checkout, or give --symposium-bin"
        raise Stop(Exit.UNAVAILABLE, f"{checkout}: cargo build fails (its words are above); {todo}")
    return Path(made[-1])


def revision(checkout: Path) -> str | None:
    """The commit, with -dirty when the files are not what was committed; None without git."""
    argv = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        return subprocess.run(argv, cwd=checkout, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
