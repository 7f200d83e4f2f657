#!/usr/bin/env python3
"""Build the pinned cargo-agents with the changes in symposium/patches, or say which ones are there.

The source is the release's own, from crates.io, and cargo fetches it. Evaluates nothing, changes nothing
but .tools/patched; a patch that does not apply is a fault of ours, a failing build that of the machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from kit import programs, tools
from kit.contract import Exit, Stop

PATCHES = tools.ROOT / "symposium/patches"
STAMP = "installed.json"
# As tools/install.py builds the release, so that only the patches differ.
PROFILE = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_INCREMENTAL": "0"}
NEEDS_THE_NETWORK = "plugins::tests::check_crate_exists_on_crates_io"


def main() -> None:
    p = programs.parser("symposium", __doc__)
    p.add_argument("--patched", action="store_true", help="build it (about two minutes, once)")
    p.add_argument("--test", action="store_true", help="also run Symposium's own library tests on it")
    args = p.parse_args()
    if args.test and not args.patched:
        raise Stop(Exit.USAGE, "--test: tests the patched source; give --patched too")
    if args.patched:
        patched(test=args.test)
    else:
        there()


def there() -> None:
    found = tools.find()
    for name, program in (("released", found.cargo_agents), ("patched", place(found) / "bin/cargo-agents")):
        print(f"{name}: {program if program.exists() else 'not built'}")


def place(found: tools.Tools) -> Path:
    return found.home / "patched"


def patched(*, test: bool) -> None:
    """Print the program's path as the last line; built again only when the pin or a patch has changed."""
    into, pin = place(tools.find()), wanted()
    program = into / "bin/cargo-agents"
    if test or not program.exists() or stamp(into) != pin:
        into.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".patched-", dir=into.parent) as scratch:
            source = patch(fetch(tools.pins()["symposium"], Path(scratch)))
            built = build(source, Path(scratch) / "target", test=test)
            program.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(built, program.with_name(".new"))
            program.with_name(".new").replace(program)
        (into / STAMP).write_text(json.dumps(pin, indent=1) + "\n", "utf-8")
    print(program)


def wanted() -> dict[str, str]:
    """The release, and each patch with its hash."""
    patches = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files()}
    return {"symposium": tools.pins()["symposium"], **patches}


def files() -> list[Path]:
    if not (found := sorted(PATCHES.glob("*.patch"))):
        raise Stop(Exit.BUG, f"{PATCHES}: no patches; this checkout is not whole")
    return found


def stamp(into: Path) -> object:
    try:
        return json.loads((into / STAMP).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def fetch(version: str, scratch: Path) -> Path:
    """A copy of the release's source: asking cargo about a crate makes it unpack that crate."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    say(f"fetching symposium {version} from crates.io")
    run(["cargo", "info", "--quiet", f"symposium@{version}"], scratch, quiet=True)
    unpacked = sorted(home.glob(f"registry/src/*/symposium-{version}"))
    if not unpacked:
        raise Stop(
            Exit.UNAVAILABLE, f"{home}/registry/src: no symposium-{version} there; use cargo 1.82 or later"
        )
    shutil.copytree(unpacked[-1], scratch / "source")
    return scratch / "source"


def patch(source: Path) -> Path:
    for file in files():
        say(f"applying {file.name}")
        apart = {
            "GIT_CEILING_DIRECTORIES": str(source.parent)
        }  # this checkout is not the source's repository
        run(["git", "apply", "--unidiff-zero", "-p1", str(file)], source, apart)
    return source


def build(source: Path, target: Path, *, test: bool) -> Path:
    env = {**PROFILE, "CARGO_TARGET_DIR": str(target)}
    if test:
        say("running Symposium's own library tests (the one that needs the network left out)")
        run(["cargo", "test", "--locked", "--lib", "--", "--skip", NEEDS_THE_NETWORK], source, env)
    say("building (one to three minutes)")
    run(["cargo", "build", "--locked", "--bin", "cargo-agents"], source, env)
    return target / "debug/cargo-agents"


def run(argv: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None, *, quiet: bool = False) -> None:
    """Its words go to the terminal, where they explain a failure."""
    out = subprocess.DEVNULL if quiet else sys.stderr
    try:
        done = subprocess.run(
            argv, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, stdout=out
        )
    except OSError as error:
        raise Stop(Exit.UNAVAILABLE, f"{argv[0]}: not found; install it") from error
    if done.returncode:
        what = f"{' '.join(argv)}: ends with {done.returncode} (its words are above)"
        raise Stop(Exit.UNAVAILABLE, f"{what}; see whether crates.io can be reached and the disk has room")


def say(text: str) -> None:
    print(f"symposium: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
