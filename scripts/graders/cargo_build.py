"""Build a crate, its own tests and the hidden tests, before any of these tests runs.

Each of cargo's commands has a sandbox of its own: its status is that sandbox's, and what a build script
leaves running ends with it. What cargo prints is the submission's too, as a build script can write there: it
says where executables are and what did not compile, never that the grader failed. The hidden sources can be
read only once `cargo build` is over. It judges nothing and runs no test.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders import Bench, Done, Infrastructure, Work
from graders.sandbox import open_folder
from kit.globs import find
from kit.trees import Limits, Over

# Measured: without incremental state and debug information a cold build takes half the time.
SETTINGS = {
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_TEST_DEBUG": "0",
    "CARGO_NET_OFFLINE": "true",  # or a dependency that is not there costs ten seconds of retries
    "CARGO_TERM_COLOR": "never",
}
# With their times: one that is placed again is not compiled again.
PLACED = 'mkdir -p tests && cp -p "$HIDDEN"/*.rs tests/ && exec "$@"'
LIB = "the crate's own tests"  # no name that a target can have
LIMITS = Limits(file=512 << 20, bytes=1 << 30)
MOST_PROGRAMS = 100  # of the crate, that are kept for its tests


@dataclass(frozen=True)
class Part:
    """One of cargo's commands."""

    name: str
    done: Done
    messages: list[dict[str, Any]]  # cargo's

    @property
    def output(self) -> bytes:
        """For a person: what cargo and rustc said, without the messages around it."""
        rendered = [str(m["message"].get("rendered", "")) for m in self.messages if _is_said(m)]
        plain = [line for line in self.done.stdout.splitlines(keepends=True) if not line.startswith(b"{")]
        return "".join(rendered).encode("utf-8", "backslashreplace") + b"".join(plain) + self.done.stderr


@dataclass(frozen=True)
class Built:
    parts: list[Part]  # the build, and if it succeeded the tests
    target: Path

    @property
    def secs(self) -> float:
        return sum(part.done.elapsed_secs for part in self.parts)

    @property
    def timed_out(self) -> bool:
        return any(part.done.timed_out for part in self.parts)

    @property
    def tests(self) -> list[Part]:
        return [part for part in self.parts if part.name == "tests"]

    def executables(self) -> dict[str, Path]:
        """LIB or a test target's name to its executable."""
        return {
            _of_target(m): Path(m["executable"])
            for part in self.tests
            for m in part.messages
            if m.get("reason") == "compiler-artifact" and m.get("executable") and m["profile"]["test"]
        }

    def output(self, name: str) -> bytes:
        """What was said while the tests were built."""
        return b"".join(part.output for part in self.tests)

    def programs(self) -> dict[str, Path]:
        """The crate's binaries, which a test finds by the path it was built with."""
        made = [m for m in self.parts[0].messages if m.get("reason") == "compiler-artifact"]
        return {m["target"]["name"]: Path(m["executable"]) for m in made if m.get("executable")}

    def errors(self) -> dict[str, str]:
        """LIB or a target's name to the first error in it."""
        found: dict[str, str] = {}
        for message in (m for part in self.parts for m in part.messages):
            if _is_said(message) and message["message"].get("level") == "error":
                found.setdefault(_of_target(message), str(message["message"].get("rendered", "")))
        return found


def _is_said(message: Mapping[str, Any]) -> bool:
    return message.get("reason") == "compiler-message" and isinstance(message.get("message"), dict)


def _of_target(message: Mapping[str, Any]) -> str:
    target = message["target"]
    return str(target["name"]) if target["kind"] == ["test"] else LIB


def build(work: Work, bench: Bench, hidden: Mapping[str, bytes]) -> Built:
    """hidden: the sources by the names of their targets, which nobody could know before."""
    target, home = open_folder(work.scratch / "target"), open_folder(work.scratch / "cargo-home")
    sources = open_folder(work.scratch / "hidden")
    put_launcher(work, open_folder(work.scratch / "launcher"))
    for name, source in hidden.items():
        (sources / f"{name}.rs").write_bytes(source)
        (sources / f"{name}.rs").chmod(0o644)
    variables = {**SETTINGS, "CARGO_HOME": str(home), "CARGO_TARGET_DIR": str(target)}
    built = Built([], target)

    def cargo(name: str, words: Sequence[str], before: Sequence[str], *readable: Path) -> bool:
        argv = ["env", *(f"{k}={v}" for k, v in variables.items()), *before, "cargo", *words]
        argv.append("--message-format=json")
        writable = [work.copy, target, home]
        done = bench.run(argv, cwd=work.copy, writable=writable, readable=[*readable, work.fixtures])
        built.parts.append(Part(name, done, list(messages(done.stdout))))
        return done.exit == 0 or done.timed_out

    def tests(*chosen: str) -> bool:
        before = (f"HIDDEN={sources}", "sh", "-c", PLACED, "sh")
        return cargo("tests", ["test", "--no-run", *chosen], before, sources)

    each = [["--lib"], *(["--test", name] for name in hidden)]
    if cargo("build", ["build"], []) and not built.timed_out and not tests(*(w for one in each for w in one)):
        for one in each:  # cargo does not always go on after a target that does not compile
            tests(*one)
    return built


def put_launcher(work: Work, folder: Path) -> Path:
    if work.launcher is None:
        raise Infrastructure("the batch's tools have no launcher of hidden tests; regrade.py stages one")
    launcher = folder / "launcher"
    launcher.write_bytes(work.launcher.read_bytes())
    launcher.chmod(0o555)
    return launcher


def messages(output: bytes) -> Iterator[dict[str, Any]]:
    """Those that have cargo's form: a build script can write others."""
    for line in output.splitlines():
        if line.startswith(b'{"reason":'):
            try:
                said = json.loads(line)
            except (ValueError, RecursionError):  # or cut in the middle by the output's bound
                continue
            if _is_formed(said):
                yield said


def _is_formed(said: Mapping[str, Any]) -> bool:
    if said["reason"] not in ("compiler-artifact", "compiler-message"):
        return True
    target, profile, made = said.get("target"), said.get("profile"), said.get("executable")
    named = isinstance(target, dict) and isinstance(target.get("kind"), list) and _is_name(target.get("name"))
    built = isinstance(profile, dict) and "test" in profile
    printable = made is None or (isinstance(made, str) and made.isprintable())
    return named and printable and (built or said["reason"] == "compiler-message")


def _is_name(name: object) -> bool:
    """A file may be called so."""
    return (
        isinstance(name, str)
        and name.isprintable()
        and "/" not in name
        and name.strip(".") != ""
        and len(name) < 60
    )


def take(target: Path, executable: Path, into: Path, mode: int) -> int:
    """Copy an executable out of the build's folder, following nothing there: its bytes, 0 when it is none.

    Beyond LIMITS it is none either: what lies in that folder is the submission's doing.
    """
    if not executable.is_relative_to(target):
        return 0
    try:
        for found in find(target, [glob.escape(str(executable.relative_to(target)))], LIMITS):
            size = found.status.st_size
            if found.kind == "file" and found.fd is not None and 0 < size <= LIMITS.file:
                fd = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                with os.fdopen(fd, "wb") as file:
                    file.writelines(found.chunks())
                    os.fchmod(file.fileno(), mode)
                return size
    except Over:
        pass
    return 0
