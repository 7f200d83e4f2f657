"""A batch with all that its trials leave, of any size, for tests of what shows or exports it."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import aggregate
import left_behind as was
from kit import contents
from kit.contract import Exit, Folder
from kit.documents import Document

ARMS = (
    {"name": "without-symposium", "role": "control", "setup": "baseline"},
    {"name": "with-symposium", "role": "treatment", "setup": "symposium"},
)
HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }} {% raw %}"
    " \x1b[2J\x1b]0;owned\x07 \u202egnp.exe \x00 \ud800 ]]> --> &lt; javascript:alert(1) https://evil.test"
)
BEFORE = "//! Doubles.\n"
AFTER = "//! Doubles.\npub fn double(x: i64) -> i64 {\n    x + x\n}\n"
STARTS = {"prepare": (0.0, 0.7), "launch": (1.0, 3.4), "collect": (4.5, 0.1), "grade": (4.7, 2.8)}


def said(*blocks: Document, who: str = "assistant") -> Document:
    return {"type": who, "message": {"role": who, "content": list(blocks)}}


def transcript(text: str, answer: str) -> list[Document]:
    """What a client prints of a session: a call, its answer, a hook, a word, the end."""
    return [
        {"type": "system", "subtype": "init", "cwd": "/project", "tools": ["Bash"] * 20},
        said({"type": "thinking", "thinking": "Let me see."}),
        said({"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "cargo build"}}),
        {"type": "system", "subtype": "hook_response", "hook_name": "PreToolUse:Bash", "outcome": "success"},
        said({"type": "tool_result", "tool_use_id": "1", "content": answer, "is_error": True}, who="user"),
        said({"type": "text", "text": text}),
        {"type": "result", "subtype": "success", "is_error": False, "result": text},
    ]


class WholeBatch:
    """evals/ with a starter, and a batch folder in which every trial ran to its end."""

    def __init__(
        self, root: Path, rounds: int = 2, *, text: str = "I added `double`.", answer: str = "ok"
    ) -> None:
        self.evals, self.folder = root / "evals", root / "results/formatting/claude/batch-1"
        starter = self.evals / "tasks/formatting/starter/src/lib.rs"
        starter.parent.mkdir(parents=True)
        starter.write_text(BEFORE)
        (self.evals / "plugins/format-on-stop").mkdir(parents=True)
        folders = [self.evals / "tasks/formatting", self.evals / "plugins/format-on-stop"]
        self.hash = contents.content_hash(self.evals, folders)
        self.text, self.answer = text, answer
        turns = [(n, arm) for n in range(1, rounds + 1) for arm in (ARMS if n % 2 else ARMS[::-1])]
        self.order = [f"trial-{n}-{arm['name']}" for n, arm in turns]
        was.put(self.folder / "batch.json", self.plan(rounds))
        for place, (number, arm) in enumerate(turns):
            self.trial(number, arm, place % 2 + 1)
        self.count()

    def plan(self, rounds: int) -> Document:
        return {
            "schema": "batch/1",
            "batch": "batch-1",
            "planned_at": "2026-11-29T10:00:00+0000",
            "task": "formatting",
            "kind": "capability",
            "client": "claude",
            "model": {"name": "model-1", "settings": {}},
            "rehearsals": None,
            "isolation": "enforced",
            "rung": "srt",
            "reads": "allow-list",
            "trials": rounds,
            "configurations": list(ARMS),
            "order": self.order,
            "symposium": None,
            "uids": [61000, 61999],
            "keep_run": False,
            "paths": {"evals": str(self.evals), "eval_root": "/nowhere", "work": "/nowhere"},
        }

    def trial(self, number: int, arm: Document, place: int) -> None:
        """Every second control trial fails its hidden test; costs differ a little."""
        folder, treated = self.folder / f"trial-{number}-{arm['name']}", arm["role"] == "treatment"
        good = treated or number % 2 == 0
        for name, document in was.WHOLE.items():
            if treated or name != "expectations.json":
                was.put(folder / name, copy.deepcopy(document))
        was.put(folder / "task.json", {**was.TASK, "content_hash": self.hash})
        for step, (start, secs) in STARTS.items():
            times = {"started": 1000.0 + start, "elapsed_secs": secs}
            was.put(folder / f"receipts/{step}.json", {**was.receipt(step), **times})
        (folder / "submission/src").mkdir(parents=True)
        (folder / "submission/src/lib.rs").write_text(AFTER)
        (folder / "evidence").mkdir()
        (folder / "evidence/hooks.jsonl").write_text('{"hook": "format-on-stop", "exit": 0}\n')
        lines = [json.dumps(event) for event in transcript(self.text, self.answer)]
        (folder / "transcript.jsonl").write_text("\n".join(lines) + "\n")
        verdict = "pass" if good else "fail"
        steps = [dict(step, output=f"{step['name']}.log") for step in was.GRADING["steps"]]
        steps[2].update(verdict=verdict, detail="left: 41 right: 42" if not good else "ok")
        was.put(folder / "grading.json", {**was.GRADING, "steps": steps})
        (folder / "grading").mkdir()
        for one in steps:
            (folder / f"grading/{one['name']}.log").write_text(
                f"running 1 test\n{one['name']} ... {one['verdict']}\n"
            )
        self.finalize(folder, number, arm, place, good)

    def finalize(self, folder: Path, number: int, arm: Document, place: int, good: bool) -> None:
        made = was.result(
            mode=arm["name"],
            role=arm["role"],
            trial=number,
            order=place,
            rehearsal=None,
            model={"name": "model-1", "settings": {}},
            task={"name": "formatting", "kind": "capability", "content_hash": self.hash},
            usage={**was.USAGE, "input_tokens": 1000 + 37 * (number % 9)},
            elapsed_secs=3.0 + (number % 7) / 5,
            timings={step: secs for step, (_, secs) in STARTS.items()},
            outcome="succeeded" if good else "failed",
            success="pass" if good else "fail",
            reason="every code check passed" if good else "hidden.double failed: left: 41 right: 42",
        )
        made["code"]["hidden"] = {"double": "pass" if good else "fail"}
        if arm["role"] == "control":
            made["expectations"] = None
        was.put(folder / "result.json", made)

    def change(self, trial: str, name: str, **changes: Any) -> None:
        file = self.folder / trial / name
        was.put(file, {**json.loads(file.read_text()), **changes})

    def count(self) -> None:
        step = aggregate.STEP
        code = step.execute(aggregate.run, Folder(self.folder, step), redo=True, quiet=True)
        assert code in (Exit.OK, Exit.NO_INPUT), code


def hostile(root: Path) -> WholeBatch:
    """Everything that an agent could have chosen, chosen badly."""
    batch = WholeBatch(root, text=HOSTILE, answer=HOSTILE)
    trial = batch.folder / batch.order[0]
    batch.change(trial.name, "result.json", reason=HOSTILE, findings=[HOSTILE], execution_problem=HOSTILE)
    steps = [{**step, "detail": HOSTILE} for step in was.GRADING["steps"]]
    batch.change(trial.name, "grading.json", steps=[{**steps[0], "output": "build.log"}, *steps[1:]])
    edits = {"added": ["src/<img src=x>.rs", "src/\\xff.rs"], "modified": ["src/lib.rs"], "deleted": []}
    batch.change(trial.name, "collected.json", edits=edits, edits_outside_editable=[HOSTILE])
    for name in (
        "grading/build.log",
        "submission/src/lib.rs",
        "submission/src/<img src=x>.rs",
        "evidence/hooks.jsonl",
    ):
        (trial / name).write_bytes(HOSTILE.encode("utf-8", "surrogatepass") + b"\xff\xfe" + b"x" * 100_000)
    with (trial / "transcript.jsonl").open("ab") as file:
        file.write(
            b'\xff\xfe</script>\n{"type": ["x"]}\n[' + b"[" * 100_000 + b"\n" + b"long " * 500_000 + b"\n"
        )
        file.write(
            b'{"type":"assistant","message":{"content":[{"type":"text","text":"\\ud800</script>"},7,null]}}\n'
        )
    return batch


if __name__ == "__main__":  # `python tests/whole_batch.py FOLDER ROUNDS`: one to look at by hand
    WholeBatch(Path(sys.argv[1]), int(sys.argv[2]))
