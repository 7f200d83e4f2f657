"""Put what a batch needs into <checkout>/.tools, pinned: srt, Node and the clients from npm, cargo-agents
from crates.io; and see that bubblewrap, socat and ripgrep are there.

usage: python3 tools/install.py [--mutants]        (`make tools`; AGENT_EVAL_TOOLS names another folder)

--mutants: also cargo-mutants, from crates.io, which `check_tasks --battery` needs for Rust tasks.

It runs before anything else is installed, so it needs Python 3.11 and nothing more. It never writes outside
its folder, but for the Debian packages (as root) and the download caches of npm and cargo themselves. Each
part is made in a folder of its own, then renamed, then noted in the stamp: what was cut short is never
trusted. What fails here is the machine's or the network's fault: said in one line, exit 69.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from programs import AGAIN, Refusal, advice, run, say

HERE = Path(__file__).resolve().parent
HOME = Path(os.environ.get("AGENT_EVAL_TOOLS") or HERE.parent / ".tools").absolute()
STAMP = HOME / "installed.json"
PINS = json.loads((HERE / "package.json").read_text("utf-8"))["agent-eval"]
NEEDED_MB = 2500  # at the peak, with what cargo builds and then throws away: about 1650
MUTANTS = "--mutants"
SOURCES = {"npm": "Node.js with npm (nodejs.org)", "cargo": "Rust (rustup.rs)", "rustc": "Rust (rustup.rs)"}


@dataclass(frozen=True)
class Part:
    """One thing to install: `make` fills an empty folder, in which `folder` then is the result."""

    name: str
    takes: str
    needs: Sequence[str]
    folder: str
    proof: str  # a file in the result, without which it is not there
    pin: str  # what the stamp must say
    make: Callable[[Path], None]

    def current(self) -> bool:
        return stamp().get(self.folder) == self.pin and (HOME / self.folder / self.proof).exists()


def main() -> int:
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, signal.default_int_handler)
    try:
        if unknown := {*sys.argv[1:]} - {MUTANTS}:
            print(
                f"tools: {' '.join(sorted(unknown))}: not known; the only flag is {MUTANTS}", file=sys.stderr
            )
            return 2
        if any(not part.current() for part in parts()) or missing_packages():
            install()
        say(f"all there, in {HOME}")
    except Refusal as refusal:
        print(f"tools: {refusal}", file=sys.stderr)
        return 69
    except OSError as error:
        reason = f"{error.filename or HOME}: {error.strerror}"
        print(f"tools: {reason}; {advice(str(error.strerror))}", file=sys.stderr)
        return 69
    except KeyboardInterrupt:
        print(f"\ntools: interrupted; nothing half-made is kept, {AGAIN}", file=sys.stderr)
        return 130
    return 0


def parts() -> list[Part]:
    machine = f"{sys.platform} {platform.machine()}"
    npm = hashlib.sha256(b"".join((HERE / f"package{name}.json").read_bytes() for name in ("", "-lock")))
    return [
        Part(
            name="srt, Node and the clients, from npm",
            takes="1 GB, about 20 seconds",
            needs=("npm",),
            folder="node_modules",
            proof="@anthropic-ai/sandbox-runtime/dist/cli.js",
            pin=f"{npm.hexdigest()} {machine}",
            make=from_npm,
        ),
        Part(
            name=f"cargo-agents of symposium {PINS['symposium']}, built from crates.io",
            takes="one to three minutes",
            needs=("cargo", "rustc"),
            folder="bin",
            proof="cargo-agents",
            pin=f"symposium {PINS['symposium']} {machine}",
            make=functools.partial(from_crates, "symposium"),
        ),
        *([cargo_mutants(machine)] if MUTANTS in sys.argv else []),
    ]


def cargo_mutants(machine: str) -> Part:
    return Part(
        name=f"cargo-mutants {PINS['cargo-mutants']}, built from crates.io",
        takes="about a minute",
        needs=("cargo", "rustc"),
        folder="mutants",
        proof="bin/cargo-mutants",
        pin=f"cargo-mutants {PINS['cargo-mutants']} {machine}",
        make=functools.partial(from_crates, "cargo-mutants", folder="mutants"),
    )


def stamp() -> dict[str, str]:
    """Folder to the pin that it holds; whatever is unreadable is nothing installed."""
    try:
        return dict(json.loads(STAMP.read_text("utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return {}


def note(pins: dict[str, str]) -> None:
    draft = STAMP.with_name(f".{STAMP.name}.tmp")
    draft.write_text(json.dumps(pins, indent=1) + "\n", "utf-8")
    draft.replace(STAMP)


def install() -> None:
    HOME.mkdir(parents=True, exist_ok=True)
    with locked():  # what another set-up did meanwhile is not done again
        todo = [part for part in parts() if not part.current()]
        if wrong := list(problems(todo)):
            raise Refusal("\n       ".join([*wrong, f"then {AGAIN}"]))
        for left in HOME.glob("part-*"):  # of a set-up that was killed
            shutil.rmtree(left, ignore_errors=True)
        if missing := missing_packages():
            from_debian(missing)
        for part in todo:
            put(part)


@contextlib.contextmanager
def locked() -> Iterator[None]:
    with (HOME / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another set-up is at work here; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def problems(todo: Sequence[Part]) -> Iterator[str]:
    """Everything that stands in the way, at once and before the first minute is spent."""
    for program in (name for part in todo for name in part.needs if not shutil.which(name)):
        yield f"{program}: not found; install {SOURCES[program]}"
    free = shutil.disk_usage(HOME).free // 1_000_000
    if todo and free < NEEDED_MB:
        yield f"{HOME}: {free} MB free, the set-up needs {NEEDED_MB}; free some space"
    if missing := missing_packages():
        if not shutil.which("apt-get"):
            yield f"{', '.join(missing)}: not installed; install with your system's package manager"
        elif os.geteuid() != 0:
            yield f"{', '.join(missing)}: not installed; run `sudo apt-get install -y {' '.join(missing)}`"


def missing_packages() -> list[str]:
    """The Debian packages that are not there (macOS has a sandbox of its own; srt needs ripgrep there)."""
    needed = PINS["packages"] if sys.platform == "linux" else {"rg": "ripgrep"}
    return [package for program, package in needed.items() if not shutil.which(program)]


def put(part: Part) -> None:
    """Make it beside, swap it in, note it: in this order, so that a kill at any instant leaves no lie."""
    say(f"{part.name}: {part.takes}")
    started = time.monotonic()
    beside = Path(tempfile.mkdtemp(prefix="part-", dir=HOME))
    try:
        part.make(beside)
        if not (beside / part.folder / part.proof).exists():
            raise Refusal(f"{part.name}: came without {part.proof}; {AGAIN}")
        note({folder: pin for folder, pin in stamp().items() if folder != part.folder})
        if (HOME / part.folder).exists():
            (HOME / part.folder).rename(beside / "before")
        (beside / part.folder).rename(HOME / part.folder)
        note({**stamp(), part.folder: part.pin})
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    say(f"   done in {time.monotonic() - started:.0f} s")


def from_debian(missing: Sequence[str]) -> None:
    say(f"{', '.join(missing)}, from Debian: about 20 seconds")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    with contextlib.suppress(Refusal):  # one broken source among many; installing says what matters
        run(["apt-get", "update", "-q"], HOME, quiet)
    run(["apt-get", "install", "-q", "-y", "--no-install-recommends", *missing], HOME, quiet)
    if still := missing_packages():
        raise Refusal(f"{', '.join(still)}: installed, but not found on PATH; mend PATH and {AGAIN}")


def from_npm(beside: Path) -> None:
    """No package's script runs: clients and Node come as platform packages that hold the program itself."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, beside)
    options = "--ignore-scripts --include=optional --no-audit --no-fund --no-update-notifier --loglevel=error"
    retries = "--fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=10000"
    run(["npm", "ci", *options.split(), *retries.split()], beside, {})


def from_crates(crate: str, beside: Path, folder: str = "") -> None:
    """Into the folder's bin/. In the dev profile: built in a third of the time, a hook takes 2 ms more."""
    where = ["--root", str(beside / folder), "--target-dir", str(beside / "target"), "--no-track"]
    argv = ["cargo", "install", "--locked", crate, "--version", PINS[crate], "--debug", *where]
    run(argv, beside, {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_INCREMENTAL": "0"})


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036  nothing before this has looked at which Python it is
        sys.exit("tools: agent-eval needs Python 3.11 or newer; run `python3.11 tools/install.py`")
    sys.exit(main())
