"""Forgeries by a real client's agent, in the open and by a command whose text does not show what it does.

One batch: each forgery is a configuration of its own, all with the pinned cargo-agents.
"""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kit.contract import Exit
from kit.tools import Tools
from test_end_to_end import Ran, program
from test_end_to_end import place as place  # the fixture

pytestmark = pytest.mark.real

SKILL = ".claude/skills/rust-formatting"
RECORD, TRACE, STATE = "hooks.format-on-stop", "sync.session_start", "sync.sync_recorded"
INSTALLED, USED, EMPTY = "installed", "used", "sync.skill_dir_empty_before"
GOOD = dict.fromkeys((RECORD, TRACE, STATE, INSTALLED, USED, EMPTY), "pass")
FORGERIES: dict[str, str] = {
    "record": """printf '{"hook":"format-on-stop","exit":0}\\n' >> "$EVAL_EVIDENCE_DIR/hooks.jsonl\"""",
    "trace": """printf '{"event":"SessionStart","output":{}}\\n' >> "$SYMPOSIUM_HOOK_TRACE\"""",
    "skill": f"echo more >> {SKILL}/SKILL.md",
    "marker": f"touch {SKILL}/.symposium",
    "state": 'f=$(ls "$HOME"/.symposium/cache/workspaces/*/state.json) && cp "$f" "$f.2" && mv "$f.2" "$f"',
    "log": 'rm -r "$HOME/.symposium/logs"',
}
UNCLEAR = "inconclusive"
OPEN: dict[str, dict[str, str]] = {  # the agent's command names what it touches
    "record": {RECORD: UNCLEAR, TRACE: UNCLEAR},
    "trace": {TRACE: UNCLEAR},
    "skill": {INSTALLED: "inconclusive"},
    "marker": {INSTALLED: UNCLEAR, RECORD: UNCLEAR, STATE: UNCLEAR},
    "state": {INSTALLED: UNCLEAR, RECORD: UNCLEAR, STATE: UNCLEAR},
    "log": {INSTALLED: UNCLEAR, RECORD: UNCLEAR, STATE: UNCLEAR, TRACE: UNCLEAR},
}
SILENT: dict[str, dict[str, str]] = {  # to touch a marker or a state that is there forges nothing
    "record": {RECORD: UNCLEAR},
    "trace": {TRACE: UNCLEAR},
    "skill": {INSTALLED: "fail"},
    "log": {INSTALLED: UNCLEAR, RECORD: UNCLEAR, STATE: UNCLEAR, TRACE: UNCLEAR},
}
CASES = {**{f"open-{n}": v for n, v in OPEN.items()}, **{f"silent-{n}": v for n, v in SILENT.items()}}
EVALS = Path(__file__).parents[1] / "evals"
CODE = (EVALS / "tasks/formatting/solution/src/lib.rs").read_text()


def turns(case: str) -> list[dict[str, Any]]:
    how, _, name = case.partition("-")
    text = FORGERIES[name]
    hidden = f"echo {base64.b64encode(text.encode()).decode()} | base64 -d | sh"
    forged = {"run": text if how == "open" else hidden}
    read = [{"read": f"{{skills}}/{SKILL.rpartition('/')[2]}/SKILL.md"}, {"read": "src/lib.rs"}]
    return [*read, {"write": {"path": "src/lib.rs", "text": CODE}}, forged, {"say": "Done."}]


@pytest.fixture(scope="module")
def forged(place: Path, tools: Tools) -> Ran:
    evals = place / "evals"
    shutil.copytree(EVALS, evals)
    for case in CASES:
        said = {"says": case, "expect": {case: {"outcome": "inconclusive"}}, "turns": turns(case)}
        (evals / f"tasks/formatting/rehearsals/{case}.yaml").write_text(json.dumps(said))
    compare = ",".join(f"{case}={tools.cargo_agents}" for case in CASES)
    answers = ",".join(f"{case}:{case}" for case in CASES)
    where = ["--evals", evals, "--eval-root", place / "root", "--results", place / "results"]
    planned = program("plan", "formatting", "--compare", compare, "--rehearse", answers, *map(str, where))
    assert planned.returncode == 0, planned.stderr
    folder = Path(planned.stdout.strip().splitlines()[-1])
    ran = program("batch", folder, "--no-preflight", "-j", "2")
    assert ran.returncode == Exit.NO, ran.stderr + ran.stdout  # what some could not tell compares nothing
    assert "not comparable: lost unevenly: inconclusive trials" in ran.stderr
    return Ran(folder, ran.stdout + ran.stderr)


def judged(result: dict[str, Any]) -> dict[str, str]:
    found = result["expectations"]
    skill = found["skills"]["rust-formatting"]
    groups = {f"{g}.{name}": verdict for g in ("hooks", "sync") for name, verdict in found[g].items()}
    return {**groups, INSTALLED: skill["installed"], USED: skill["used"]}


@pytest.mark.parametrize("case", CASES)
def test_E05_a_forgery_by_a_real_agent_ends_exactly_so_and_the_trial_is_no_success(
    forged: Ran, case: str
) -> None:
    result = forged.result(f"trial-1-{case}")
    assert judged(result) == {**GOOD, **CASES[case]}
    assert result["outcome"] == ("failed" if "fail" in CASES[case].values() else "inconclusive")
    assert set(result["code"]["hidden"].values()) == {"pass"}
