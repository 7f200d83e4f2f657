"""What the probes are about: another trial, an earlier batch, a forbidden port, the developer's own things.

Made open to everybody, so that only the sandbox keeps them closed; removed afterwards. It reads nothing of
what the developer has.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from kit import tools
from kit.documents import Document
from kit.layout import Run
from probes.answering import Answering
from rungs import Box

WORD = "found"
CRATE = {
    "Cargo.toml": '[package]\nname = "probe"\nversion = "0.1.0"\nedition = "2021"\n\n'
    '[dependencies]\nbeside = { path = "beside" }\n',
    "src/lib.rs": "#[test]\nfn adds() {\n    assert_eq!(beside::two() + 2, 4);\n}\n",
    "beside/Cargo.toml": '[package]\nname = "beside"\nversion = "0.1.0"\nedition = "2021"\n',
    "beside/src/lib.rs": "pub fn two() -> i32 {\n    2\n}\n",
}


@contextlib.contextmanager
def around(
    box: Box, stage: Document, client: str, work: Path, eval_root: Path, evals: Path
) -> Iterator[dict[str, str]]:
    """The probes' variables. In the run: a marker and a small crate. The model's place is taken."""
    random, run = secrets.token_hex(4), box.run
    other, earlier = work / f"probes-{random}-other", eval_root / f"probes-{random}-earlier"
    try:
        marker = [write(folder / "project/marker") for folder in (other, earlier)]
        (earlier / "project").chmod(0o777)
        furnish(run)
        with Answering() as local, Answering(run.socket):
            yield {
                "PROJECT": str(run.project),
                "WRITABLE": " ".join(map(str, box.writable)),
                "CLIENT": str(run.bin / client),
                "PORT": str(local.port),
                "PERSON": person(),
                "THEIRS": shutil.which("cargo-agents") or str(tools.find().cargo_agents),
                "OTHER": str(marker[0]),
                "EARLIER": str(marker[1]),
                "ARRIVES": str(earlier / "project/arrived"),
                "EVALS": str(evals),
                "CONTROL": str(run.control),
                "STAGED": stage["symposium"]["path"] if stage["symposium"] else "",
                "TOOLS": str(work / "tools/common"),
                "PLANTED": str(planted(earlier / "bin")),
                "CANARY": f"PROBE_{random}",
            }
    finally:
        run.socket.unlink(missing_ok=True)
        for folder in (other, earlier):
            shutil.rmtree(folder, ignore_errors=True)


def person() -> str:
    """The developer's home, when there is something in it that could be seen."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    return str(home) if home.is_dir() and any(home.iterdir()) else ""


def planted(folder: Path) -> Path:
    """A folder with a cargo-agents of sorts, for the control of the look along PATH."""
    write(folder / "cargo-agents", "#!/bin/sh\n").chmod(0o755)
    return folder


def furnish(run: Run) -> None:
    write(run.project / "marker")
    for name, text in CRATE.items():
        write(run.project / "crate" / name, text)


def write(path: Path, text: str = f"{WORD}\n") -> Path:
    """Readable for every uid, whatever our umask is."""
    new = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True) if new else None
    path.write_text(text, "utf-8")
    for folder in new:
        folder.chmod(0o755)
    path.chmod(0o644)
    return path
