"""A scratch run in which a cargo-agents shows what it supports: a crate, a registry, a throw-away HOME.

Everything runs as a uid without rights (for a root runner), in namespaces of its own, and never on a trial's
files. It judges nothing and infers nothing from versions. Whatever cargo-agents does there is an answer.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kit import symposium_files
from kit.plugins import MANIFESTS
from rungs.namespaces import PATH
from setups.symposium import CONFIG

SECS = 60.0  # for all that runs at once; a hook takes hundredths of a second
REGISTRY = "probing"
WHOLE, RELATIVE = "probe", "probe-relative"  # two plugins, beside one for each spelling of the manifest
HEAD = 'name = "{name}"\ndepends-on = ["*"]\n'
SKILLS = '\n[[skills]]\nsource.path = "skills"\n'
HOOK = '\n[[hooks]]\nname = "{name}"\nevent = "Stop"\ncommand = {{ script = {script} }}\n'
SKILL = f"---\nname: {WHOLE}\ndescription: Use when probing.\n---\n\nProbed.\n"
SCRIPT = 'cat >/dev/null\nprintf \'{"hook":"%s","exit":0}\\n\' >>"$EVAL_EVIDENCE_DIR/hooks.jsonl"\n'
CRATE = '[package]\nname = "probed"\nversion = "0.1.0"\nedition = "2021"\n'
LOCK = 'version = 4\n\n[[package]]\nname = "probed"\nversion = "0.1.0"\n'


@dataclass(frozen=True)
class Answer:
    """What one command said; all empty when it never ran."""

    exit: int | None
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Scratch:
    """A folder that stands for a run, and how something runs there."""

    root: Path
    binary: Path  # the cargo-agents
    toolchain: Path  # where it is found inside
    around: Sequence[str]  # the words that take rights away
    uid: int | None

    def make(self) -> None:
        files = {
            "home/.symposium/config.toml": CONFIG.format(
                name="probing", registry=json.dumps(str(self.root / "registry"))
            ),
            "project/Cargo.toml": CRATE,
            "project/Cargo.lock": LOCK,
            "project/src/lib.rs": "",
            **self.plugins(),
        }
        for name, content in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(content, "utf-8")
        for name in ("bin", "tmp", "cargo-home", "evidence", "said"):
            (self.root / name).mkdir()
        (self.root / "bin/cargo-agents").symlink_to(self.binary)
        if self.uid is not None:
            for path in (self.root, *self.root.rglob("*")):
                os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def plugins(self) -> dict[str, str]:
        """The whole one under every spelling; one for each spelling alone; one whose script is relative.

        Only the whole one has a skill: where a manifest is not read, a skill is taken for a plugin.
        """
        script = str(self.root / f"registry/{WHOLE}/stop.sh")
        whole = HEAD.format(name=WHOLE) + SKILLS + HOOK.format(name=WHOLE, script=json.dumps(script))
        relative = HEAD.format(name=RELATIVE) + HOOK.format(name=RELATIVE, script='"stop.sh"')
        files = {f"registry/{WHOLE}/{spelling}": whole for spelling in MANIFESTS}
        files |= {f"aside/{RELATIVE}/{spelling}": relative for spelling in MANIFESTS}
        files |= {f"registry/{alone(s)}/{s}": HEAD.format(name=alone(s)) for s in MANIFESTS}
        files[f"registry/{WHOLE}/skills/{WHOLE}/SKILL.md"] = SKILL
        files[f"registry/{WHOLE}/stop.sh"] = SCRIPT % WHOLE
        files[f"aside/{RELATIVE}/stop.sh"] = SCRIPT % RELATIVE
        return files

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.root / "home"),
            "PATH": f"{self.root}/bin:{self.toolchain}/bin:/usr/bin:/bin",
            "TMPDIR": str(self.root / "tmp"),
            "CARGO_HOME": str(self.root / "cargo-home"),
            "EVAL_EVIDENCE_DIR": str(self.root / "evidence"),
            "SYMPOSIUM_HOOK_TRACE": str(self.root / "evidence/hook-trace.jsonl"),
            "LANG": "C.UTF-8",
        }

    def ask(self, commands: Mapping[str, tuple[str, str]]) -> dict[str, Answer]:
        """Name to (shell words, stdin); one after another in the project, in one set of namespaces."""
        lines = [f"export {name}={shlex.quote(value)}" for name, value in self.environment.items()]
        lines.append(f"cd {shlex.quote(str(self.root / 'project'))} || exit 1")
        for name, (words, stdin) in commands.items():
            into = shlex.quote(str(self.root / "said" / name))
            lines.append(f"printf %s {shlex.quote(stdin)} | ( {words} ) >{into}.out 2>{into}.err")
            lines.append(f"echo $? >{into}.exit")
        argv = [*self.around, "/bin/sh", "-c", "\n".join(lines)]
        null = subprocess.DEVNULL
        env = {"PATH": PATH, "HOME": str(self.root)}
        child = subprocess.Popen(argv, cwd="/", env=env, stdin=null, stdout=null, stderr=null)
        try:
            child.wait(SECS)
        except subprocess.TimeoutExpired:
            child.kill()  # its namespaces, and all that runs in them, die with it
            child.wait()
        return {name: self.answer(name) for name in commands}

    def answer(self, name: str) -> Answer:
        out, err, status = (self.text(f"said/{name}.{part}") for part in ("out", "err", "exit"))
        return Answer(int(status) if status.strip().isdigit() else None, out, err)

    def text(self, name: str) -> str:
        """ "" where there is no such regular file."""
        file = self.root / name
        return file.read_text("utf-8", "replace") if symposium_files.regular(file) else ""


def alone(spelling: str) -> str:
    """The name of the plugin that has its manifest in this spelling only."""
    return f"{WHOLE}-{MANIFESTS.index(spelling)}"
