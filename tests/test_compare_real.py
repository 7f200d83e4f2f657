"""--compare on the real parts: the first-session defect beside its cure, and a skill beside its delivery."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import smoke
from kit import documents, trees
from kit.tools import Tools
from test_end_to_end import Ran, program, run
from test_end_to_end import place as place  # the fixture

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def versions(place: Path, tools: Tools) -> Iterator[Ran]:
    ran = run(place, "first-session", "--compare", "released,patched")
    yield ran
    trees.remove(ran.folder)


@pytest.fixture(scope="module")
def worth(place: Path) -> Iterator[Ran]:
    args = ("--compare", "with-symposium,direct,without-symposium", "--trials", "1")
    ran = run(place, "store-durability", *args, "--rehearse", "with:oracle,direct:oracle,without:no-flush")
    yield ran
    trees.remove(ran.folder)


def test_the_released_version_fails_first_session_and_the_patched_one_passes(versions: Ran) -> None:
    released, patched = (versions.result(f"trial-1-{name}") for name in ("released", "patched"))
    assert (released["outcome"], patched["outcome"]) == ("failed", "succeeded")
    skills = [result["expectations"]["skills"]["greeting-style"] for result in (released, patched)]
    assert [(s["installed"], s["listed"], s["observed_load"]) for s in skills] == [
        ("pass", False, "attempted"),
        ("pass", True, "loaded"),
    ]
    assert released["symposium"]["sha256"] != patched["symposium"]["sha256"]
    assert [result["symposium"]["source"] for result in (released, patched)] == ["pinned", "patched"]
    assert versions.benchmark["delta"]["success_rate"] == 1.0


def test_S01_each_trial_was_shut_off_from_the_others_version(versions: Ran) -> None:
    """By its policy, and by the preflight's look from inside."""
    for name, other in (("released", "patched"), ("patched", "released")):
        policy = json.loads((versions.folder / f"trial-1-{name}/srt.json").read_text("utf-8"))
        allowed = policy["filesystem"]["allowRead"]
        assert [path for path in allowed if path.endswith(f"/tools/symposium-{name}")]
        assert not [path for path in allowed if f"symposium-{other}" in path or path.endswith("/tools")]
    assert "released: " in versions.said
    assert "FAIL" not in versions.said.partition("Trials")[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a place that is open to trials")
def test_S01_the_preflight_tries_each_version_where_it_was_named(
    tools: Tools, capsys: pytest.CaptureFixture[str]
) -> None:
    with tempfile.TemporaryDirectory(prefix="agent-eval-test-", dir="/var/lib") as folder:
        Path(folder).chmod(0o755)
        given = shutil.copy2(tools.cargo_agents, Path(folder, "cargo-agents"))
        form = ("--reads", "deny-list", "--compare", f"without-symposium,a={given}")
        with smoke.planned("claude", None, *form) as batch:
            assert smoke.preflight(batch), capsys.readouterr().out
            for file in batch.glob("*/trial.json"):
                trial = json.loads(file.read_text("utf-8"))
                trial["denied"].remove(folder)
                file.write_text(json.dumps(trial))
            assert not smoke.preflight(batch)
    failed = [line for line in capsys.readouterr().out.splitlines() if "FAIL" in line]
    assert ["(staged-cargo-agents)" in line for line in failed] == [True, True]


def test_S05_the_reports_show_where_the_versions_differ(versions: Ran) -> None:
    staged = documents.read(versions.folder / "stage.json", "stage/1")["versions"]
    able = [staged[name]["capabilities"] for name in ("released", "patched")]
    assert [one["reload_skills"] for one in able] == [False, True]
    assert ["reload", "skills", "no", "yes"] in [line.split() for line in versions.said.splitlines()]
    assert "| reload skills | no | yes |" in (versions.folder / "report.md").read_text("utf-8")


def test_delivery_and_the_skills_own_worth_are_told_apart(worth: Ran) -> None:
    """Both with the skill succeed, the baseline does not; only what we put in place was listed at once."""
    outcomes = {
        name: worth.result(f"trial-1-{name}")["outcome"] for name in worth.benchmark["configurations"]
    }
    assert outcomes == {"without-symposium": "failed", "with-symposium": "succeeded", "direct": "succeeded"}
    assert {name: d["success_rate"] for name, d in worth.benchmark["deltas"].items()} == {
        "with-symposium": 1.0,
        "direct": 1.0,
    }
    of = {name: worth.result(f"trial-1-{name}")["expectations"] for name in outcomes}
    assert of["without-symposium"] is None
    delivered, direct = (of[name]["skills"]["fixture-store"] for name in ("with-symposium", "direct"))
    assert (delivered["listed"], direct["listed"]) == (False, True)
    assert (delivered["observed_load"], direct["observed_load"]) == ("loaded", "loaded")
    assert "installed" not in direct


def test_the_skill_put_in_place_is_no_edit_and_nothing_of_symposium_is_there(worth: Ran) -> None:
    trial = worth.folder / "trial-1-direct"
    result = worth.result(trial.name)
    assert (result["symposium"], result["code"]["edits_outside_editable"]) == (None, [])
    assert result["isolation"]["audit_findings"] == []
    assert "tools/symposium" not in (trial / "srt.json").read_text("utf-8")
    assert (trial / "submission/.claude/skills/fixture-store/SKILL.md").is_file()
    for name in ("hook-trace.jsonl", "symposium.log", "evidence"):
        assert not (trial / name).exists()


@pytest.mark.parametrize("which", ["versions", "worth"])
def test_R01_redo_finds_all_as_before(which: str, request: pytest.FixtureRequest) -> None:
    ran: Ran = request.getfixturevalue(which)
    done = program("redo", ran.folder, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
