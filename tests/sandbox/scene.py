"""A place with staged tools and boxes of trials in it, made by hand: what the sandbox tests stand on."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pytest

import clients
from kit import bounds, process
from kit.documents import Document
from kit.layout import Run
from kit.process import Command, Ended
from kit.tools import Tools
from rungs import Box, mount, namespaces, no_keyrings, srt, toolchain


@dataclass
class Scene:
    """Two roots, as in the product: one for tools and runs, one for control folders."""

    root: Path
    controls: Path
    stage: Document
    root_runner: bool
    sysroot: Path
    denied: tuple[Path, ...]
    user: int  # who runs things: each box's uid counts from here when the runner is root
    boxes: list[Box] = field(default_factory=list)

    def box(
        self,
        *,
        reads: Literal["allow-list", "deny-list"] = "allow-list",
        network: bool = False,
        symposium: bool = False,
    ) -> Box:
        """An empty run; fill it, then prepare() the box."""
        number = len(self.boxes)
        run = Run(self.root / "batch" / f"trial-{number}", self.controls / f"{number:08x}")
        tools, own = self.root / "tools", [run.bin, run.fixtures]
        for folder in (*run.writable, *own, run.control):
            folder.mkdir(parents=True)
        (run.bin / "claude").symlink_to(self.stage["client"]["path"])
        box = Box(
            run=run,
            writable=run.writable,
            readable=(
                tools / "common",
                *own,
                *([tools / "symposium"] if symposium else []),
                toolchain(self.stage),
            ),
            denied=self.denied,
            reads=reads,
            network=network,
            uid=self.user + number if self.root_runner else None,
            mount=mount(self.stage),
        )
        self.boxes.append(box)
        return box

    def prepare(self, box: Box) -> None:
        srt.prepare(box, self.stage)
        if self.acted:
            for folder in (box.run.root, box.run.control):
                srt.hand_over(folder, self.user)

    @property
    def acted(self) -> bool:
        """Whether root plays a runner without root."""
        return not self.root_runner and os.geteuid() == 0

    def environment(self, box: Box) -> dict[str, str]:
        run = box.run
        path = f"{run.bin}:{toolchain(self.stage)}/bin:/usr/bin:/bin"
        places = {"HOME": run.home, "TMPDIR": run.tmp, "CARGO_HOME": run.cargo_home}
        return {"PATH": path, "LANG": "C.UTF-8", **{name: str(place) for name, place in places.items()}}

    def command(self, box: Box, argv: Sequence[str], env: Mapping[str, str] | None = None) -> Command:
        command = srt.wrap(box, self.stage, argv, box.run.project, {**self.environment(box), **(env or {})})
        return replace(command, argv=self.as_user(command.argv)) if self.acted else command

    def as_user(self, argv: Sequence[str]) -> list[str]:
        """The same command for somebody else, who may not reach our Python or the toolchain."""
        filter_ = self.root / "no_keyrings.py"
        shutil.copyfile(no_keyrings.__file__, filter_)
        swap = {
            sys.executable: shutil.which("python3", path=namespaces.PATH),
            no_keyrings.__file__: str(filter_),
        }
        bind = [
            "sh",
            "-c",
            'mount --bind "$0" "$1" && shift && exec "$@"',
            self.sysroot,
            toolchain(self.stage),
        ]
        drop = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--"]
        outside = ["unshare", "--mount", "--propagation", "private", "--", *map(str, bind), *drop]
        return [*outside, *(swap.get(word) or word for word in argv)]

    def run(
        self, box: Box, argv: Sequence[str], *, env: Mapping[str, str] | None = None, secs: float = 60
    ) -> tuple[Ended, str, str]:
        """How it ended, and what it said on stdout and stderr."""
        out, err = self.controls / "out", self.controls / "err"
        command = self.command(box, argv, env)
        ended = process.run(command, stdout=out, stderr=err, deadline_secs=secs, cap_bytes=1 << 20)
        return ended, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace")

    def sh(self, box: Box, script: str, secs: float = 60) -> tuple[Ended, str, str]:
        return self.run(box, ["sh", "-c", script], secs=secs)


@contextlib.contextmanager
def scene(tools: Tools, runner: Literal["root", "user"], first: int) -> Iterator[Scene]:
    """A root runner with a uid for each trial, or a runner without root, whom root can play.

    Below /var/lib for root, where every uid can come; a toolchain below a closed home is bound there.
    """
    root, really_root = runner == "root", os.geteuid() == 0
    if root and not really_root:
        pytest.skip("not root here")
    if really_root and not root and not shutil.which("python3", path=namespaces.PATH):
        pytest.skip("root cannot play a user: no Python that everybody can start")
    assert srt.unavailable() is None
    place = Path(tempfile.mkdtemp(prefix="agent-eval-test-", dir="/var/lib" if really_root else "/var/tmp"))
    controls = Path(tempfile.mkdtemp(prefix="ae-", dir="/run" if really_root else "/tmp"))
    try:
        for folder in (place, controls):
            folder.chmod(0o755)
        user = first if root else first + 90 if really_root else os.getuid()
        stage = staged(tools, place)
        if not really_root:
            stage["toolchain"] = {"sysroot": str(tools.sysroot), "mount": None}
        elif not root:
            stage["toolchain"] = {"sysroot": stage["toolchain"]["mount"], "mount": None}
        denied = (place, tools.cargo_agents.resolve().parent)  # as the checkout is, where tools are kept
        made = Scene(place, controls, stage, root, tools.sysroot, denied, user)
        try:
            yield made
        finally:
            for box in made.boxes:
                bounds.remove(box.uid) if box.uid else None
    finally:
        for folder in (place, controls):
            shutil.rmtree(folder)


def staged(tools: Tools, root: Path) -> Document:
    common, symposium, bind = (root / name for name in ("tools/common", "tools/symposium", "toolchain"))
    for folder in (common, symposium, bind):
        folder.mkdir(parents=True)
    source, inside = clients.load("claude").staged(tools.modules)
    assert not inside
    program = place(source, common / "claude")
    for name in tools.dependencies(tools.srt):
        shutil.copytree(tools.modules / name, common / "srt/node_modules" / name)
    shutil.copytree(tools.srt, common / "srt", dirs_exist_ok=True)
    sha = "0" * 64
    return {
        "client": {"name": "claude", "version": "0", "sha256": sha, "path": str(program)},
        "srt": {"version": "0", "sha256": sha, "path": str(common / "srt")},
        "node": {"version": "0", "sha256": sha, "path": str(place(tools.node, common / "node"))},
        "symposium": {"path": str(place(tools.cargo_agents, symposium / "cargo-agents"))},
        "toolchain": {"sysroot": str(tools.sysroot), "mount": str(bind)},
    }


def place(source: Path, there: Path) -> Path:
    """Copied, as stage does; linked where the disk is the same, because a client is 250 MB."""
    source = source.resolve()
    try:
        os.link(source, there)
    except OSError:
        shutil.copy2(source, there)
    return there
