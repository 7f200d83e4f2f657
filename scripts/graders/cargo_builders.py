"""What runs while a crate's tests are built: build scripts, procedural macros, cargo's own settings.

Such code can choose the linker of a hidden test, say, and that build the test again with its weak questions
answered. It is told from the files, as what cargo prints can be flooded. It judges nothing and runs nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

TAKES_MORE = re.compile(rb"\binclude!|\bmod\s+\w+\s*;")  # other files, which may be editable


def of_the_submission(crate: Path, starter: Path) -> str:
    """The first file of them that is not the starter's, relative to the crate; "" when all are."""
    for name in sorted({*builders(crate), *builders(starter)}):
        ours, theirs = crate / name, starter / name
        texts = [file.read_bytes() if file.is_file() else b"" for file in (ours, theirs)]
        if texts[0] != texts[1] or (name.name != "Cargo.toml" and TAKES_MORE.search(texts[0])):
            return str(name)
    return ""


def builders(crate: Path) -> Iterator[Path]:
    for file in crate.rglob("*"):
        name = file.relative_to(crate)
        if ".cargo" in name.parts or name.name in ("Cargo.toml", "build.rs"):
            yield name
        if name.name == "Cargo.toml":
            yield from (built.relative_to(crate) for built in named(file) if built.is_relative_to(crate))


def named(manifest: Path) -> Iterator[Path]:
    """A manifest's build script, and the sources of a procedural macro."""
    try:
        said = tomllib.loads(manifest.read_text("utf-8"))
    except (ValueError, RecursionError):  # then it is not the starter's, which builds
        return
    package, lib = said.get("package", {}), said.get("lib", {})
    if isinstance(script := package.get("build"), str):
        yield manifest.parent / script
    if lib.get("proc-macro") or lib.get("proc_macro"):
        yield from (manifest.parent / "src").rglob("*.rs")
