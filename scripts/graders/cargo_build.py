"""Build a crate, its own tests and the hidden tests in one sandbox, before anything of the submission runs.

cargo's own messages tell what compiled, so a hidden test that does not compile is not a crate that does not
build. The hidden sources lie in the copy only while this sandbox lives. Formatting is looked at beside it, in
a copy without them. It also tries the launcher. It judges nothing and runs no test.
"""

from __future__ import annotations

import glob
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders import Bench, Done, Infrastructure, Work
from graders.sandbox import open_folder
from kit.globs import find
from kit.trees import Limits

# Measured: without incremental state and debug information a cold build takes half the time.
SETTINGS = {
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_TEST_DEBUG": "0",
    "CARGO_NET_OFFLINE": "true",  # or a dependency that is not there costs ten seconds of retries
    "CARGO_TERM_COLOR": "never",
}
# Each command's output ends with a line: a random word, the command's name, its status, the time. cargo does
# not always go on after a target that does not compile, so then each is built by itself. rustfmt works in the
# meantime; its time is what it took beyond the build.
SCRIPT = """
line() { printf '\\n%s %s %s %s\\n' "$WORD" "$1" "$2" "$3"; }
end() { now=$(date +%s.%N); line "$1" "$2" "$now"; line "$1" "$2" "$now" >&2; }
tests() { cargo test --no-run --message-format=json "$@"; }
end start 0
formatted() { command -v cargo-fmt && command -v rustfmt || return 127; cd "$CRATE" && cargo fmt --check; }
if [ "$FMT" = yes ]; then formatted >"$TMPDIR/fmt.out" 2>"$TMPDIR/fmt.err" & fmt=$!; fi
cargo build --message-format=json; status=$?; end build $status
[ $status = 0 ] || exit 0
if [ "$FMT" = yes ]; then
  wait $fmt; status=$?; cat "$TMPDIR/fmt.out"; cat "$TMPDIR/fmt.err" >&2; end fmt $status
fi
"$LAUNCHER" /bin/true; end launcher $?
mkdir -p tests && cp "$HIDDEN"/*.rs tests/; end place $?
all=--lib; for name; do all="$all --test $name"; done
tests $all; status=$?; end tests $status
[ $status = 0 ] && exit 0
tests --lib; end tests $?
for name; do tests --test "$name"; end tests $?; done
"""
LIB = "the crate's own tests"  # no name that a target can have
LIMITS = Limits(file=512 << 20, bytes=1 << 30)


@dataclass(frozen=True)
class Part:
    """One command of the build."""

    name: str
    status: int
    messages: list[dict[str, Any]]  # cargo's
    stdout: bytes
    stderr: bytes
    secs: float

    @property
    def output(self) -> bytes:
        """For a person: what cargo and rustc said, without the messages around it."""
        rendered = [str(m["message"].get("rendered", "")) for m in self.messages if _is_said(m)]
        plain = [line for line in self.stdout.splitlines(keepends=True) if not line.startswith(b"{")]
        return "".join(rendered).encode("utf-8", "backslashreplace") + b"".join(plain) + self.stderr


@dataclass(frozen=True)
class Built:
    parts: list[Part]
    done: Done
    target: Path

    def part(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)

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
        built = self.part("build")
        made = [m for m in built.messages if m.get("reason") == "compiler-artifact"] if built else []
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


def build(work: Work, bench: Bench, hidden: Mapping[str, bytes], *, formatted: Path | None = None) -> Built:
    """hidden: the sources by the names of their targets, which nobody could know before.

    formatted: the copy of the crate whose formatting is looked at; None: it does not count.
    """
    if work.launcher is None:
        raise Infrastructure("the batch's tools have no launcher of hidden tests; regrade.py stages one")
    target, home = open_folder(work.scratch / "target"), open_folder(work.scratch / "cargo-home")
    sources = open_folder(work.scratch / "hidden")
    programs = {f"{name}.rs": source for name, source in hidden.items()}
    launcher = open_folder(work.scratch / "launcher") / "launcher"
    for path, content, mode in (
        *((sources / name, text, 0o644) for name, text in programs.items()),
        (launcher, work.launcher.read_bytes(), 0o555),
    ):
        path.write_bytes(content)
        path.chmod(mode)
    word = secrets.token_hex(16)
    variables = {
        **SETTINGS,
        "CARGO_HOME": str(home),
        "CARGO_TARGET_DIR": str(target),
        "HIDDEN": str(sources),
        "LAUNCHER": str(launcher),
        "WORD": word,
        "FMT": "yes" if formatted else "no",
        "CRATE": str(formatted or ""),
    }
    argv = ["env", *(f"{k}={v}" for k, v in variables.items()), "sh", "-c", SCRIPT, "sh", *hidden]
    readable = [sources, launcher.parent, work.fixtures, *([formatted] if formatted else [])]
    done = bench.run(argv, cwd=work.copy, writable=[work.copy, target, home], readable=readable)
    built = Built(list(parts(done, word)), done, target)
    if absent := [part.name for part in built.parts if part.status in (126, 127)]:
        raise Infrastructure(f"{', '.join(absent)}: cargo, or a part of it, cannot be run in the sandbox")
    if (started := built.part("launcher")) and started.status:
        said = (done.stdout + done.stderr)[-300:].decode(errors="backslashreplace")
        raise Infrastructure(f"the launcher of hidden tests cannot be used here: {said}")
    return built


def parts(done: Done, word: str) -> Iterator[Part]:
    """What each command printed; one that was cut short has no end and so is no part."""
    end = re.compile(rb"\n" + word.encode() + rb" (\S+) (\d+) (\S*)\n")
    out, err = end.split(done.stdout), end.split(done.stderr)
    clock = 0.0
    for at in range(0, len(out) - 1, 4):
        stdout, name, status, time = out[at : at + 4]
        stderr = err[at] if at < len(err) else b""
        now = _number(time)
        if name != b"start":
            messages = list(_messages(stdout))
            yield Part(name.decode(), int(status), messages, stdout, stderr, max(0.0, now - clock))
        clock = now


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:  # a `date` that knows no fractions
        return 0.0


def _messages(output: bytes) -> Iterator[dict[str, Any]]:
    for line in output.splitlines():
        if line.startswith(b'{"reason":'):
            try:
                yield json.loads(line)
            except ValueError:  # cut in the middle by the output's bound
                continue


def take(target: Path, executable: Path, into: Path, mode: int) -> None:
    """Copy an executable out of the build's folder, following nothing there."""
    try:
        inside = executable.relative_to(target)
    except ValueError as error:
        raise Infrastructure(f"{executable}: cargo named it outside {target}") from error
    for found in find(target, [glob.escape(str(inside))], LIMITS):
        if found.kind == "file":
            fd = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as file:
                file.writelines(found.chunks())
                os.fchmod(file.fileno(), mode)
            return
    raise Infrastructure(f"{executable}: cargo named it and it is no file")
