"""The programs: those the user brings (Python, npm, Rust), those of .tools, those of the system."""

from __future__ import annotations

import json
import platform
import shutil
import sys
from pathlib import Path

import clients
from kit import tools, versions
from looks import wrong

AGAIN = "run `make tools`"


def python() -> str:
    if sys.version_info < (3, 11):  # noqa: UP036  this is the place that says so
        raise wrong("python", f"{platform.python_version()} is too old", "install Python 3.11 or newer")
    return platform.python_version()


def npm() -> str:
    """Not run: it takes half a second to say its version."""
    if found := shutil.which("npm"):
        return found
    raise wrong("npm", "not found", "install Node.js with npm (nodejs.org)")


def rust(home: Path) -> str:
    """Found with the user's own HOME: in a trial's, rustup's shims would find nothing."""
    sysroot = tools.toolchain()
    said = versions.asked([str(sysroot / "bin/rustc"), "--version"], home).strip()
    return f"{said}, in {sysroot}"


def rustfmt() -> str:
    programs = [tools.toolchain() / "bin" / name for name in ("rustfmt", "cargo-fmt")]
    if missing := [str(program) for program in programs if not program.exists()]:
        raise wrong("rustfmt", f"no {missing[0]}", "run `rustup component add rustfmt`")
    return "there"


def node(home: Path) -> str:
    program = tools.find().node
    if not program.exists():
        raise wrong("node", f"not in {program.parents[2]}", AGAIN)
    return versions.asked([str(program), "--version"], home).strip()


def srt() -> str:
    package = tools.find().srt / "package.json"
    if not package.exists():
        raise wrong("srt", f"not in {package.parent}", AGAIN)
    return pinned("srt", json.loads(package.read_text("utf-8"))["version"], tools.pins()[tools.SRT])


def client(name: str, home: Path) -> str:
    adapter = clients.load(name)
    source, inside = adapter.staged(tools.find().modules)
    said = versions.asked([str(source / inside), "--version"], home)
    try:
        version = adapter.version(said)
    except ValueError as error:
        raise wrong(name, str(error), AGAIN) from error
    if versions.older(version, adapter.MIN_VERSION):
        raise wrong(name, f"{version} is older than {adapter.MIN_VERSION}, the oldest that is driven", AGAIN)
    return f"{version} (at least {adapter.MIN_VERSION})"


def cargo_agents(home: Path) -> str:
    program = tools.find().cargo_agents
    if not program.exists():
        raise wrong("cargo-agents", f"not in {program.parent}", AGAIN)
    said = versions.asked([str(program), "--version"], home).split()
    return pinned("cargo-agents", said[-1] if said else "?", tools.pins()["symposium"])


def pinned(name: str, version: str, pin: str) -> str:
    if version != pin:
        raise wrong(name, f"{version}, and this agent-eval is pinned to {pin}", AGAIN)
    return version


def package(name: str, home: Path) -> str:
    flag = "-V" if name == "socat" else "--version"
    return versions.line_of(versions.asked([str(tools.program(name)), flag], home))
