"""The Python that submissions and the tasks' own judges run on: one that a sandbox can read.

The harness's own interpreter often lies below a closed home; then the system's is taken. It is always started
with -I -S -B: no environment, no site or user customisation, no bytecode. None at all is the machine's fault.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from graders import Infrastructure

OLDEST = (3, 9)
SYSTEM = ("/usr/bin/python3", "/usr/local/bin/python3")  # below /usr, which every sandbox can read


@functools.cache
def python() -> Path:
    own = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    for place in (own, *map(Path, SYSTEM)):
        resolved = place.resolve()
        if resolved.is_file() and resolved.is_relative_to("/usr"):
            return resolved
    raise Infrastructure("python3: none below /usr that a sandbox could read; install the package python3")


@functools.cache
def version() -> str:
    from kit import process

    _, out, _ = process.output([str(python()), "-I", "-S", "--version"], {}, Path("/"), 10)
    return out.decode(errors="backslashreplace").strip()
