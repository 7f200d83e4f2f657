"""A trial folder in which every expectation holds; the tests of expect break it one point at a time.

tests/expect/*.json are its documents; tests/expect/<case>/ holds what cargo-agents 0.5.1 really left.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import expect
from kit import documents
from kit.contract import Exit, Folder

Document = dict[str, Any]
RECORDED = Path(__file__).with_name("expect")
SHA = {letter: letter * 64 for letter in "abcdef"}
SKILL, HOOK = "rust-formatting", "format-on-stop"
SETTINGS, CONFIG = "home/.claude/settings.json", "home/.symposium/config.toml"
DISPATCH = '{"kind":"hook_dispatched","plugin":"%s","hook":"%s"%s}'


def logged(exit_code: int | None, plugin: str = HOOK, hook: str = HOOK) -> str:
    status = "" if exit_code is None else f',"exit_code":{exit_code}'
    return f"2026-01-01T00:00:00Z DEBUG symposium::hook: report={DISPATCH % (plugin, hook, status)}\n"


# A whole log: init before the session, the client's call, a sync.
BEGINNING = "".join(
    f"2026-01-01T00:00:00Z {said}\n"
    for said in (
        " INFO symposium::init: init started",
        "DEBUG cargo_agents: cargo agents hook agent=Claude event=SessionStart",
        " INFO symposium::sync: sync started workspace_deps=0 agents=1 skills=1",
        f' INFO symposium::sync: report={{"kind":"skill_installed","skill":"{SKILL}","agent":"claude"}}',
    )
)
ABLE: Document = {
    "client": "claude",
    "init": True,
    "registry": True,
    "manifests": ["SYMPOSIUM.toml"],
    "events": ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"],
    "commands": ["cargo-agents"],
    **dict.fromkeys(("clean_output", "reload_skills", "installs", "marker", "trace", "sync_record"), True),
    **dict.fromkeys(("plugin_hooks", "relative_scripts", "hook_exits", "log"), True),
}


class Trial:
    """A trial folder in which every expectation holds; tests break it one point at a time."""

    def __init__(self, batch: Path) -> None:
        self.folder = batch / "trial-1-with-symposium"
        self.stage: Document | None = documents.read(RECORDED / "stage.json", "stage/1")
        read = {name: documents.read(RECORDED / f"{name}.json", f"{name}/1") for name in DOCUMENTS}
        self.trial, self.task, self.setup, self.observation, self.collected = read.values()
        self.files: dict[str, str] = {
            "evidence/hooks.jsonl": json.dumps({"hook": HOOK, "exit": 0}) + "\n",
            "hook-trace.jsonl": '{"agent":"claude","event":"SessionStart","input":{},"output":{}}\n',
            "symposium.log": BEGINNING + logged(0),
        }
        self.exchanges: list[Document] = []  # parts of them

    def code(self) -> Exit:
        for name in DOCUMENTS:
            documents.write(self.folder / f"{name}.json", f"{name}/1", getattr(self, name))
        if self.stage:
            documents.write(self.folder.parent / "stage.json", "stage/1", self.stage)
        if self.exchanges:
            self.files["exchanges.jsonl"] = "".join(json.dumps(one) + "\n" for one in self.exchanges)
        for name, text in self.files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, "utf-8", "surrogateescape")
        return expect.STEP.execute(expect.run, Folder(self.folder, expect.STEP))

    def judged(self) -> Document:
        assert self.code() is Exit.OK
        return documents.read(self.folder / "expectations.json", "expectations/1")

    def lacks(self, capability: str) -> None:
        assert self.stage is not None
        self.stage["capabilities"] = {**ABLE, capability: False}

    def did(self, tool: str, text: str) -> None:
        """A command of the agent's, as observe has it."""
        self.observation["commands"] = [{"line": 7, "tool": tool, "text": text, "failed": False}]

    def client_ran(self, *events: str, exit_code: int = 0) -> None:
        """The hooks that the client's transcript tells of."""
        outcome = "success" if exit_code == 0 else "error"
        self.observation["hooks"] = [{"event": e, "outcome": outcome, "exit": exit_code} for e in events]

    def session_cut(self) -> None:
        self.observation["completion"] = None

    def never_began(self) -> None:
        self.observation |= {"completion": None, "session": None, "turns": None, "events": 0, "hooks": []}
        self.observation["loads"] = {SKILL: {"load": "unknown", "evidence": None}}
        self.files = {"symposium.log": BEGINNING.partition("\n")[0] + "\n"}
        self.collected |= {"installed": {}, "sync_records": [], "missing": ["hook-trace.jsonl"]}


DOCUMENTS = ("trial", "task", "setup", "observation", "collected")


def verdicts(judged: Document) -> dict[str, str]:
    """All verdicts by their short names."""
    of_skills = {
        f"{name}.{claim}": value["verdict"]
        for name, skill in judged["skills"].items()
        for claim, value in skill.items()
        if isinstance(value, dict)
    }
    groups = {name: value["verdict"] for g in ("hooks", "sync") for name, value in judged[g].items()}
    return {**of_skills, **groups}


CLAIMS = ("installed", "not_installed", "used", "not_used")


def expecting(trial: Trial, **claims: list[str]) -> None:
    trial.task["expected"]["skills"] = {claim: claims.get(claim, []) for claim in CLAIMS}


GOOD = {
    f"{SKILL}.installed": "pass",
    f"{SKILL}.used": "pass",
    HOOK: "pass",
    "skill_dir_empty_before": "pass",
    "session_start": "pass",
    "sync_recorded": "pass",
}


def recorded(trial: Trial, case: str) -> Trial:
    trial.files = {}
    for name, into in (
        ("hooks.jsonl", "evidence/hooks.jsonl"),
        ("hook-trace.jsonl",) * 2,
        ("symposium.log",) * 2,
    ):
        if (RECORDED / case / name).exists():
            (trial.folder / into).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(RECORDED / case / name, trial.folder / into)
    return trial
