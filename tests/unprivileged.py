"""Programs of ours as a user without root, whom root plays: `nobody`, with a home of its own.

That user may not reach our Python, the checkout or the toolchain where these lie below a closed home: they
are bound, in a mount namespace of its own, to places that everybody reaches.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kit.tools import Tools
from rungs import namespaces

CHECKOUT = Path(__file__).resolve().parents[1]


@dataclass
class User:
    root: Path
    uid: int
    bound: dict[str, Path]  # name below the root, and what is bound there

    @property
    def scripts(self) -> Path:
        return self.root / "checkout/scripts"

    def run(self, *argv: str | Path, secs: float = 120) -> subprocess.CompletedProcess[str]:
        """A script of ours, by name, with these arguments."""
        binds = [word for name, source in self.bound.items() for word in (str(source), str(self.root / name))]
        script = (
            'while [ "$1" != -- ]; do mount --rbind "$1" "$2" && shift 2 || exit 97; done; shift; exec "$@"'
        )
        apart = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "--",
            "sh",
            "-c",
            script,
            "sh",
            *binds,
            "--",
        ]
        drop = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", "--"]
        python = self.root / "python/bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
        words = [str(word) for word in (python, self.scripts / f"{argv[0]}.py", *argv[1:])]
        return subprocess.run(
            [*apart, *drop, *words], env=self.env, cwd="/", capture_output=True, text=True, timeout=secs
        )

    @property
    def env(self) -> dict[str, str]:
        home = self.root / "home"
        path = f"{self.root}/rust/bin:{namespaces.PATH}"
        places = {"HOME": str(home), "PYTHONPATH": str(self.root / "site"), "TMPDIR": str(home / "tmp")}
        return {"PATH": path, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **places}


@contextlib.contextmanager
def nobody(tools: Tools) -> Iterator[User]:
    if os.geteuid() != 0:
        pytest.skip("only root can play another user (a user without root is what runs these tests)")
    account = pwd.getpwnam("nobody")
    root = Path(tempfile.mkdtemp(prefix="agent-eval-user-", dir="/var/tmp"))
    bound = {
        "python": Path(sys.base_prefix),
        "site": Path(sysconfig.get_path("purelib")),
        "checkout": CHECKOUT,
        "rust": tools.sysroot,
    }
    try:
        root.chmod(0o755)
        for name in (*bound, "home", "home/tmp"):
            (root / name).mkdir()
        for folder in (root / "home", root / "home/tmp"):
            os.chown(folder, account.pw_uid, account.pw_gid)
            folder.chmod(0o700)
        yield User(root, account.pw_uid, bound)
    finally:
        shutil.rmtree(root)
