#!/usr/bin/env python3
"""Say what a cargo-agents supports, by trying it (S05); stage.py keeps the answers with the batch.

Two builds of different abilities can say the same version, so nothing is inferred from it. A check that a
version cannot support is inconclusive, never pass: expect.py sees to that. A cargo-agents that answers
nothing is described as such; it is no failure of this program.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import clients
import rungs
from kit import documents, programs, snapshot, symposium_files, tools
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.plugins import MANIFESTS
from kit.versions import NOBODY
from rungs.namespaces import outside
from setups.probe import REGISTRY, RELATIVE, WHOLE, Answer, Scratch, alone

ATTEMPTS = 2
REGISTERED = re.compile(r"\b(cargo-agents|cargo agents|symposium)\s+hook\s+([a-z]+)\s+([a-z-]+)")


def probe(binary: Path, stage: Document, folder: Path, client: str) -> Document:
    """A staged cargo-agents' `capabilities`. folder: not there yet, in a place where every uid may pass."""
    uid = NOBODY if os.geteuid() == 0 else None
    around = outside(uid, rungs.mount(stage) if uid is not None else None)
    toolchain = rungs.toolchain(stage)
    answers: Document = {}
    folder.mkdir(parents=True)
    folder.chmod(0o755)  # whatever the umask
    for attempt in range(ATTEMPTS):
        scratch = Scratch(folder / str(attempt), binary, toolchain, around, uid)
        answers, failed = tried(scratch, client)
        if not failed:
            break
    return {"client": client, **answers}


def tried(scratch: Scratch, client: str) -> tuple[Document, bool]:
    """The answers; and whether a registered hook failed: perhaps a busy machine's fault, so worth a retry."""
    scratch.make()
    before = scratch.ask(
        {
            "init": (f"cargo-agents init --add-agent {client}", ""),
            "list": ("cargo-agents --json plugin list", ""),
        }
    )
    registered = hooks(scratch, client)
    words = {kebab: f"{word} hook {client} {kebab}" for kebab, word in registered.items()}
    start = words.get("session-start", f"cargo-agents hook {client} session-start")
    stop = words.get("stop", f"cargo-agents hook {client} stop")
    move = f"mv ../aside/{RELATIVE} ../registry/"
    said = scratch.ask(
        {
            "start": (start, message(scratch, "SessionStart", source="startup")),
            "stop": (stop, message(scratch, "Stop", stop_hook_active=False)),
            "relative": (f"{move} && {stop}", message(scratch, "Stop", stop_hook_active=False)),
        }
    )
    failed = said["start"].exit != 0 or ("stop" in registered and said["stop"].exit != 0)
    return {**of_setup(scratch, before, registered), **of_session(scratch, client, said)}, failed


def message(scratch: Scratch, event: str, **more: object) -> str:
    """What a client tells its hooks, as far as cargo-agents reads it."""
    where = {"session_id": "probe", "cwd": str(scratch.root / "project")}
    return json.dumps({"hook_event_name": event, **where, **more})


def hooks(scratch: Scratch, client: str) -> dict[str, str]:
    """The events for which init registered a command, and the command's first word."""
    found: dict[str, str] = {}
    for name in snapshot.take(scratch.root, clients.load(client).CONFIGURATION):
        said = REGISTERED.findall(scratch.text(name))
        found |= {event: word for word, agent, event in said if agent == client}
    return found


def of_setup(scratch: Scratch, before: dict[str, Answer], registered: dict[str, str]) -> Document:
    listed = set(re.findall(r'"([a-z0-9-]+)"', before["list"].stdout))
    kept = str(scratch.root / "registry") in scratch.text("home/.symposium/config.toml")
    return {
        "init": before["init"].exit == 0,
        "registry": kept and REGISTRY in listed,
        "manifests": [spelling for spelling in MANIFESTS if alone(spelling) in listed],
        "events": [event for event in symposium_files.EVENTS if kebab(event) in registered],
        "commands": sorted(set(registered.values())),
    }


def kebab(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", event).lower()


def of_session(scratch: Scratch, client: str, said: dict[str, Answer]) -> Document:
    start = documents.foreign(said["start"].stdout)
    specific = (start or {}).get("hookSpecificOutput")
    skill = scratch.root / "project" / clients.load(client).SKILLS / WHOLE
    trace = symposium_files.objects(scratch.root / "evidence/hook-trace.jsonl") or []
    records = symposium_files.objects(scratch.root / "evidence/hooks.jsonl") or []
    ran = [line.value.get("hook") for line in records if line.value]
    log = logged(scratch)
    states = list(scratch.root.glob("home/.symposium/cache/workspaces/*/state.json"))
    return {
        "clean_output": said["start"].exit == 0 and start is not None,
        "reload_skills": isinstance(specific, dict) and specific.get("reloadSkills") is True,
        "installs": symposium_files.regular(skill / "SKILL.md"),
        "marker": symposium_files.regular(skill / ".symposium"),
        "trace": any(line.value and line.value.get("event") == "SessionStart" for line in trace),
        "sync_record": any(symposium_files.regular(file) for file in states),
        "plugin_hooks": WHOLE in ran,
        "relative_scripts": RELATIVE in ran,
        "hook_exits": WHOLE in log.dispatches,
        "log": bool(log.inits and log.calls["SessionStart"] and log.syncs and log.installed),
    }


def logged(scratch: Scratch) -> symposium_files.Log:
    found = symposium_files.Log()
    for file in sorted(scratch.root.glob("home/.symposium/logs/*.log")):
        for number, text in symposium_files.texts(file) if symposium_files.regular(file) else ():
            found.take(number, text)
    return found


def stand_in_stage(mount: Path) -> Document:
    """What probe() needs of stage.json, for a cargo-agents that no batch has staged."""
    closed = os.geteuid() == 0
    return {"toolchain": {"sysroot": str(tools.find().sysroot), "mount": str(mount) if closed else None}}


def main() -> None:
    p = programs.parser("capabilities", __doc__)
    p.add_argument("binary", type=Path, nargs="?", metavar="CARGO_AGENTS", help="default: the pinned release")
    p.add_argument("--client", default="claude", help="whose hooks are registered and called")
    args = p.parse_args()
    clients.load(args.client)
    binary = (args.binary or tools.find().cargo_agents).resolve()
    if not os.access(binary, os.X_OK):
        raise Stop(Exit.UNAVAILABLE, f"{binary}: not a program; give the path of a cargo-agents")
    with tempfile.TemporaryDirectory(prefix="agent-eval-probe-") as place:
        Path(place).chmod(0o755)
        staged, mount, run = (Path(place, name) for name in ("cargo-agents", "toolchain", "run"))
        shutil.copy(binary, staged)  # where every uid can read it
        mount.mkdir()
        print(json.dumps(probe(staged, stand_in_stage(mount), run, args.client), indent=2))


if __name__ == "__main__":
    main()
