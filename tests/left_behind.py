"""Small valid documents, as the steps of a trial leave them, for tests of what reads them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from kit import documents
from kit.documents import Document

SHA = "0" * 64
USAGE = {"input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 3, "cache_write_tokens": 4}
DEADLINES = {"setup": 120, "agent": 600, "grading": 300}
STEPS = ("prepare", "launch", "collect", "observe", "grade", "expect", "audit")
MODEL = {"name": "rehearsal:oracle", "settings": {}}


def passed(evidence: str = "seen") -> Document:
    return {"verdict": "pass", "evidence": evidence}


TRIAL: Document = {
    "schema": "trial/1",
    "batch": "b",
    "trial_name": "trial-1-with-symposium",
    "task": "formatting",
    "kind": "regression",
    "client": "claude",
    "configuration": "with-symposium",
    "role": "treatment",
    "setup": "symposium",
    "trial": 1,
    "order": 1,
    "model": MODEL,
    "rehearsal": "oracle",
    "isolation": "enforced",
    "rung": "srt",
    "reads": "allow-list",
    "deadlines_secs": DEADLINES,
    "uids": [61000, 61999],
    "keep_run": False,
    "denied": [],
    "paths": dict.fromkeys(
        ("evals", "eval_root", "work", "run", "control", "grading", "grading_control"), "/nowhere"
    ),
}
TASK: Document = {
    "schema": "task/1",
    "name": "formatting",
    "kind": "regression",
    "prompt": "Add double.",
    "expected_output": None,
    "plugins": ["format-on-stop"],
    "fixtures": [],
    "editable": ["src/**"],
    "fmt_check": True,
    "trials": 1,
    "deadlines_secs": DEADLINES,
    "grader": "cargo",
    "checks": ["double"],
    "skills": {"rust-formatting": "format-on-stop"},
    "expected": {
        "hooks": ["format-on-stop"],
        "skills": {
            "installed": ["rust-formatting"],
            "not_installed": [],
            "used": ["rust-formatting"],
            "not_used": [],
        },
    },
    "content_hash": "1" * 64,
}
TOOL = {"version": "1.0.0", "sha256": SHA, "path": "/nowhere"}
STAGE: Document = {
    "schema": "stage/1",
    "client": {"name": "claude", **TOOL},
    "srt": TOOL,
    "node": TOOL,
    "symposium": {**TOOL, "revision": None, "source": "pinned", "profile": None},
    "capabilities": None,
    "toolchain": {"rustc": "rustc 1.95.0", "cargo": "cargo 1.95.0", "sysroot": "/nowhere", "mount": None},
    "packages": {"bubblewrap": "0.8.0"},
    "os": "Linux x86_64",
}
SETUP: Document = {
    "schema": "setup/1",
    "configuration": "with-symposium",
    "uid": None,
    "skill_folder": ".claude/skills",
    "skill_folder_empty": True,
    "checks": [{"name": "skill_folder_empty", "passed": True, "detail": "empty"}],
    "environment": {},
    "snapshot": {},
    "plugins": {},
    "recording": ["format-on-stop"],
}
EXECUTION: Document = {
    "schema": "execution/1",
    "argv": ["claude"],
    "variables": {},
    "started_at": "2026-11-29T10:00:00+0000",
    "elapsed_secs": 3.5,
    "exit": 0,
    "ended_by": "itself",
    "stdout_bytes": 10,
    "stdout_dropped": 0,
    "stderr_bytes": 0,
    "survivors": [],
    "load": {"before": 0.1, "after": 0.2},
    "exchanges": {"turns": 3, "refused": 0, "upstream_errors": 0},
    "source": "rehearsal",
}
COLLECTED: Document = {
    "schema": "collected/1",
    "edits": {"added": [], "modified": ["src/lib.rs"], "deleted": []},
    "edits_outside_editable": [],
    "invalid": [],
    "build_output": [],
    "installed": {},
    "sync_records": [],
    "snapshot": {},
    "missing": [],
}
OBSERVATION: Document = {
    "schema": "observation/1",
    "client": "claude",
    "client_version": "1.0.0",
    "session": "s",
    "interpreted": True,
    "events": 9,
    "unknown_events": {},
    "broken_lines": 0,
    "completion": "completed",
    "problem": None,
    "tags": [],
    "loads": {"rust-formatting": {"load": "loaded", "evidence": "line 7: Read of .claude/skills/x/SKILL.md"}},
    "listed": {"rust-formatting": False},
    "usage": USAGE,
    "usage_source": "gateway",
    "turns": 3,
    "tool_calls": 3,
    "commands": [],
    "hooks": [],
    "cost_usd": None,
}
CHECKS = ("build", "cargo_test_lib", "hidden.double", "cargo_fmt_check")
GRADING: Document = {
    "schema": "grading/1",
    "status": "graded",
    "problem": None,
    "grader": "cargo",
    "checks": dict.fromkeys(CHECKS, "pass"),
    "steps": [
        {"name": name, "verdict": "pass", "elapsed_secs": 0.1, "output": None, "detail": "ok"}
        for name in CHECKS
    ],
    "content_hash": "1" * 64,
    "uid": None,
    "cargo_secs": 1.0,
    "sandbox_secs": 0.3,
}
EXPECTATIONS: Document = {
    "schema": "expectations/1",
    "skills": {
        "rust-formatting": {
            "installed": passed(),
            "used": passed(),
            "observed_load": "loaded",
            "listed": False,
        }
    },
    "hooks": {"format-on-stop": passed()},
    "sync": {name: passed() for name in ("skill_dir_empty_before", "session_start", "sync_recorded")},
    "findings": ["rust-formatting was installed during the session but not offered."],
}
AUDIT: Document = {"schema": "audit/1", "findings": [], "config_changes": [], "canaries_searched": 1}
WHOLE: dict[str, Document] = {
    "trial.json": TRIAL,
    "task.json": TASK,
    "setup.json": SETUP,
    "execution.json": EXECUTION,
    "collected.json": COLLECTED,
    "observation.json": OBSERVATION,
    "grading.json": GRADING,
    "expectations.json": EXPECTATIONS,
    "audit.json": AUDIT,
}
LEAVES = dict(zip(STEPS, [*list(WHOLE)[2:]], strict=True))  # step to its document


def receipt(step: str, exit_: str = "ok", error: str | None = None) -> Document:
    return {
        "schema": "receipt/1",
        "step": step,
        "exit": exit_,
        "error": error,
        "started": 1.0,
        "elapsed_secs": 0.5,
    }


def put(file: Path, document: Document) -> None:
    """As a step would write it: checked, so that no test rests on a document that could not be."""
    documents.check(document, document["schema"], file)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document), "utf-8")


class Trial:
    """A trial folder in a batch folder, as a trial that went well leaves it; tests then break it."""

    def __init__(self, batch: Path, *, until: str | None = None) -> None:
        """until: the last step that ran; None: none did. By default all did."""
        self.batch, self.folder = batch, batch / "trial-1-with-symposium"
        put(batch / "stage.json", STAGE)
        put(self.folder / "trial.json", TRIAL)
        for step in STEPS[: STEPS.index(until) + 1] if until else ():
            self.ran(step)

    def ran(self, step: str) -> None:
        if step == "prepare":
            put(self.folder / "task.json", TASK)
        if step == "launch":
            (self.folder / "transcript.jsonl").write_text("{}\n")
        put(self.folder / LEAVES[step], WHOLE[LEAVES[step]])
        self.receipt(step)

    def receipt(self, step: str, exit_: str = "ok", error: str | None = None) -> None:
        put(self.folder / f"receipts/{step}.json", receipt(step, exit_, error))

    def failed(self, step: str, exit_: str, error: str) -> None:
        """The step left no document, and a receipt that says why."""
        (self.folder / LEAVES[step]).unlink(missing_ok=True)
        self.receipt(step, exit_, error)

    def killed(self, step: str) -> None:
        """Neither document nor receipt, nor of anything after it."""
        for later in STEPS[STEPS.index(step) :]:
            (self.folder / LEAVES[later]).unlink(missing_ok=True)
            (self.folder / f"receipts/{later}.json").unlink(missing_ok=True)

    def change(self, name: str, **changes: Any) -> None:
        document = copy.deepcopy(json.loads((self.folder / name).read_text()))
        put(self.folder / name, {**document, **changes})


def result(**changes: Any) -> Document:
    """result/1 of a trial that succeeded."""
    verdicts = {"skill_dir_empty_before": "pass", "session_start": "pass", "sync_recorded": "pass"}
    seen = {"installed": "pass", "used": "pass", "observed_load": "loaded", "listed": False}
    document: Document = {
        "schema": "result/1",
        "task": {"name": "formatting", "kind": "regression", "content_hash": "1" * 64},
        "client": {"name": "claude", "version": "1.0.0", "sha256": SHA},
        "model": MODEL,
        "rehearsal": "oracle",
        "mode": "with-symposium",
        "role": "treatment",
        "trial": 1,
        "order": 1,
        "symposium": None,
        "os": "Linux x86_64",
        "toolchain": "rustc 1.95.0",
        "tools": {},
        "deadlines_secs": DEADLINES,
        "elapsed_secs": 3.5,
        "timings": {"launch": 4.0},
        "usage": USAGE,
        "usage_source": "gateway",
        "execution": "completed",
        "execution_problem": None,
        "isolation": {
            "mode": "enforced",
            "rung": "srt",
            "reads": "allow-list",
            "srt_version": "1.0.0",
            "audit_findings": [],
            "config_changes": [],
        },
        "code": {
            "build": "pass",
            "cargo_test_lib": "pass",
            "hidden": {"double": "pass"},
            "cargo_fmt_check": "pass",
            "edits_outside_editable": [],
            "submission": None,
        },
        "expectations": {
            "skills": {"rust-formatting": {**seen, "load_evidence": "line 7: Read of x/SKILL.md"}},
            "hooks": {"format-on-stop": "pass"},
            "sync": verdicts,
        },
        "findings": [],
        "outcome": "succeeded",
        "success": "pass",
        "reason": "every code check passed",
    }
    return copy.deepcopy({**document, **changes})
