"""Anthropic's sandbox runtime, in namespaces and under a uid of its own: what "enforced" means here.

From outside in: this process, its death signal, a filter on key rings, private mount, IPC, UTS and PID
namespaces (whose PID 1 dies with us and takes everything along), limits, the trial's own uid without any
privilege, srt, its bubblewrap and seccomp filter, and there the command in its folder.

It never trusts srt to notice a mistake: srt drops unknown keys and skips paths that it cannot bind, so the
policy is checked before it is written. Everything it refuses is the runner's to repair, never the agent's.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kit import documents, process
from kit.contract import Exit, Stop
from kit.documents import Document
from rungs import Box, Command, Rung, no_keyrings
from rungs.namespaces import NOBODY, PATH, dangerous_groups, inside, outside
from rungs.srt_settings import check
from rungs.srt_settings import policy as policy  # of the Rung protocol

COMPARABLE = True

PACKAGES = {
    "bwrap": "bubblewrap",
    "socat": "socat",
    "rg": "ripgrep",
    "bash": "bash",
    **dict.fromkeys(("setpriv", "unshare", "prlimit", "choom", "mount"), "util-linux"),
}
LONGEST_SOCKET = (
    "claude-socks-0123456789abcdef.sock"  # what srt makes in its TMPDIR; 107 bytes is Linux's limit
)
# Node makes the sockets that it has for stdout and stderr non-blocking when srt's proxy first writes a word,
# and the client's are the same: Codex dies of output that does not fit. So Node writes to them as to files.
BLOCKING = """data:text/javascript,
import fs from "node:fs"; import { Writable } from "node:stream";
for (const [name, fd] of [["stdout", 1], ["stderr", 2]])
  Object.defineProperty(process, name, { value: Object.assign(new Writable({
    write(text, _, done) { fs.writeSync(fd, text); done(); } }), { fd }) });
"""


def unavailable() -> str | None:
    if sys.platform != "linux":
        return f"srt: not built yet for {sys.platform}; use Linux"
    if platform.machine() not in no_keyrings.MACHINES:
        return f"srt: not built yet for {platform.machine()}; use one of {', '.join(no_keyrings.MACHINES)}"
    if held := dangerous_groups():
        allowed = "a trial would keep what that allows, and nothing inside can drop it"
        return f"group {', '.join(held)}: {allowed}; run as a user who is not in it, or as root"
    if missing := [name for name in PACKAGES if not shutil.which(name, path=PATH)]:
        packages = dict.fromkeys(PACKAGES[name] for name in missing)
        return f"{', '.join(missing)}: not installed; run `apt-get install {' '.join(packages)}`"
    return namespaces_off()


def kept_running(stage: Document, folder: Path) -> contextlib.AbstractContextManager[Rung]:
    """The same sandbox for many commands, several times as fast to start (resident.py)."""
    from rungs.resident import resident  # it is made of this module

    return resident(stage, folder)


def namespaces_off() -> str | None:
    """Try the outer namespaces and, inside, bubblewrap's: hosts forbid either in many ways."""
    uid = NOBODY if os.getuid() == 0 else None
    inner = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true"]
    argv = [*outside(uid, None), *inner]
    exit_, _, err = process.output(argv, {"PATH": PATH}, Path("/"), 20)
    if exit_ == 0:
        return None
    said = " ".join(err.decode(errors="backslashreplace").split()) or f"exit status {exit_}"
    return (
        f"namespaces: cannot be made here ({said}); allow them (sysctl user.max_user_namespaces=10000, "
        "on Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0) or use a host that does"
    )


def prepare(box: Box, stage: Document) -> None:
    """Write the policy into the control folder, and give the box's folders to its uid."""
    make_folders(box)
    settings = policy(box, stage)
    check(settings, box.run.policy)
    documents.write_text(box.run.policy, json.dumps(settings, indent=2) + "\n")
    give(box, stage)


def make_folders(box: Box) -> None:
    run = box.run
    if len(str(run.srt_tmp / LONGEST_SOCKET)) > 107:
        raise Stop(
            Exit.UNAVAILABLE, f"{run.control}: too long for a socket's name; set a shorter XDG_RUNTIME_DIR"
        )
    for folder in (run.srt_tmp, run.neutral, *box.writable):
        folder.mkdir(parents=True, exist_ok=True)


def give(box: Box, stage: Document) -> None:
    """To its uid, what is its own; and refuse what that one could not reach."""
    run = box.run
    for folder in (run.root, run.control):
        folder.chmod(0o750)
    if box.uid is None:
        return
    for folder in (
        run.root,
        run.control,
    ):  # no other local user uses a set-uid file left there, or the socket
        os.chown(folder, 0, box.uid)
    for folder in (*box.writable, run.srt_tmp):
        hand_over(folder, box.uid)
    if shut := next(unreachable(box, stage), None):
        raise Stop(
            Exit.UNAVAILABLE,
            f"{shut}: closed to the trial's uid {box.uid}; open it (chmod o+x) or use another place",
        )


def hand_over(folder: Path, uid: int) -> None:
    """By descriptor and never through a link: a link may lead to a hidden test."""
    os.chown(folder, uid, uid, follow_symlinks=False)
    for _, folders, files, descriptor in os.fwalk(folder):
        for name in (*folders, *files):
            os.chown(name, uid, uid, dir_fd=descriptor, follow_symlinks=False)


def unreachable(box: Box, stage: Document) -> Iterator[Path]:
    """Folders on the way to what the uid needs that it cannot go through."""
    needed = [
        *box.writable,
        *box.readable,
        box.run.srt_tmp,
        *(Path(stage[part]["path"]) for part in ("srt", "node")),
    ]
    for folder in dict.fromkeys(parent for path in needed for parent in path.parents):
        if folder not in (box.run.root, box.run.control) and not folder.stat().st_mode & 0o001:
            yield folder


def wrap(box: Box, stage: Document, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Command:
    """argv inside, in cwd, with env and what srt adds (its proxy's address, mainly).

    srt passes its own environment on, so env goes that way and no value shows in a command line; but the
    programs outside must neither look along the run's PATH nor into its home: those are set inside.
    """
    run = box.run
    srt = [stage["node"]["path"], f"--import={BLOCKING}", f"{stage['srt']['path']}/dist/cli.js"]
    srt += ["--settings", str(run.policy)]
    # TMPDIR is srt's own; CLAUDE_CODE_TMPDIR is what it makes of it inside, instead of a shared /tmp/claude
    around = {"PATH": PATH, "HOME": str(run.neutral), "TMPDIR": str(run.srt_tmp)}
    around["CLAUDE_CODE_TMPDIR"] = env.get("TMPDIR", str(cwd))
    return Command(
        [*outside(box.uid, box.mount), *srt, "-c", inside(argv, cwd, env)], {**env, **around}, run.neutral
    )
