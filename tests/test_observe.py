"""observe joins what the client said with what the gateway recorded, and claims no more than both show."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import observe
from kit import documents
from kit.contract import Exit, Folder
from kit.layout import EXCHANGES, EXECUTION, OBSERVATION, RESPONSE, SETUP, TASK, TRANSCRIPT, TRIAL

TRANSCRIPTS = Path(__file__).parent / "clients/claude/transcripts"
SKILL = "rust-formatting"
SPENT = {"input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 3, "cache_write_tokens": 4}
NAMES = {"installed": [SKILL], "not_installed": ["other"], "used": [SKILL], "not_used": []}
DOCUMENTS: dict[Any, dict[str, Any]] = {
    TRIAL: {
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
        "model": {"name": "rehearsal:oracle", "settings": {}},
        "rehearsal": "oracle",
        "isolation": "enforced",
        "rung": "srt",
        "reads": "allow-list",
        "deadlines_secs": {"setup": 1, "agent": 1, "grading": 1},
        "uids": [61000, 61001],
        "keep_run": False,
        "denied": [],
        "paths": dict.fromkeys(
            ("evals", "eval_root", "work", "run", "control", "grading", "grading_control"), "/eval/run-1"
        ),
    },
    TASK: {
        "name": "formatting",
        "kind": "regression",
        "prompt": "p",
        "expected_output": None,
        "plugins": [],
        "fixtures": [],
        "editable": ["src/**"],
        "fmt_check": False,
        "trials": 1,
        "deadlines_secs": {"setup": 1, "agent": 1, "grading": 1},
        "grader": "cargo",
        "checks": ["double"],
        "skills": {SKILL: "format-on-stop"},
        "expected": {"hooks": [], "skills": NAMES},
        "content_hash": "0" * 64,
    },
    SETUP: {
        "configuration": "with-symposium",
        "uid": None,
        "skill_folder": ".claude/skills",
        "skill_folder_empty": True,
        "checks": [],
        "environment": {},
        "snapshot": {},
        "plugins": {},
    },
    EXECUTION: {
        "argv": [],
        "variables": {},
        "started_at": "",
        "elapsed_secs": 1,
        "exit": 0,
        "ended_by": "itself",
        "stdout_bytes": 1,
        "stdout_dropped": 0,
        "stderr_bytes": 0,
        "survivors": [],
        "load": {"before": 0, "after": 0},
        "exchanges": {"turns": 1, "refused": 0, "upstream_errors": 0},
        "source": "rehearsal",
    },
}


def fitting(schema: str, body: dict[str, Any]) -> dict[str, Any]:
    """The document with a plain value for whatever its schema has come to ask for."""
    asked = documents.contents(f"{schema.replace('/', '.')}.schema.json")
    plain = {"array": [], "string": "", "object": {}, "boolean": False, "integer": 1, "number": 1}
    more = {name: asked["properties"][name] for name in asked["required"] if name != "schema"}
    return {**{name: plain.get(str(shape.get("type"))) for name, shape in more.items()}, **body}


def exchange(kind: str = "turn", *, status: int = 200, usage: object = SPENT, **more: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "status": status,
        "usage": usage,
        "offered_skills": [SKILL],
        "tool_calls": [],
        **more,
    }


def trial(where: Path, transcript: str | bytes, exchanges: object = None, **execution: Any) -> Path:
    where.mkdir(parents=True)
    for artifact, body in DOCUMENTS.items():
        more = execution if artifact is EXECUTION else {}
        documents.write(where / artifact.path, artifact.schema, fitting(artifact.schema, {**body, **more}))
    content = (
        transcript if isinstance(transcript, bytes) else (TRANSCRIPTS / f"{transcript}.jsonl").read_bytes()
    )
    (where / TRANSCRIPT.path).write_bytes(content)
    if isinstance(exchanges, list):
        (where / EXCHANGES.path).write_text("".join(json.dumps(each) + "\n" for each in exchanges))
    return where


def observed(where: Path, *, redo: bool = False) -> dict[str, Any]:
    assert observe.STEP.execute(observe.run, Folder(where, observe.STEP), redo=redo) is Exit.OK
    return documents.read(where / OBSERVATION.path, "observation/1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "batch/trial-1-with-symposium"


def test_the_document_says_what_both_sides_show(folder: Path) -> None:
    turns = [exchange(), exchange(offered_skills=["later"])]
    seen = observed(trial(folder, "v2.1.332_symposium_read_fallback", turns))
    assert (seen["client"], seen["completion"], seen["interpreted"]) == ("claude", "completed", True)
    assert seen["loads"][SKILL] == {
        "load": "loaded",
        "evidence": "transcript.jsonl:19: Read of SKILL.md succeeded",
    }
    assert seen["loads"]["other"]["load"] == "not_observed"
    assert seen["turns"] == 2
    assert (folder / RESPONSE.path).read_text() == "ok"


def test_M04_the_first_turn_says_what_was_listed(folder: Path) -> None:
    first = [exchange("side", offered_skills=["other"]), exchange(), exchange(offered_skills=["other"])]
    assert observed(trial(folder, "success_text", first))["listed"] == {SKILL: True, "other": False}


@pytest.mark.parametrize("exchanges", [None, [], [exchange(offered_skills=None)], [exchange("side")]])
def test_M04_what_no_request_shows_is_not_called_unlisted(folder: Path, exchanges: object) -> None:
    assert observed(trial(folder, "success_text", exchanges))["listed"] == {SKILL: None, "other": None}


def test_37_without_a_record_the_turns_are_unknown_and_not_none(folder: Path, tmp_path: Path) -> None:
    assert observed(trial(folder, "success_text"))["turns"] is None
    assert observed(trial(tmp_path / "b/t", "success_text", []))["turns"] == 0


CLIENTS = {"input_tokens": 11, "output_tokens": 22, "cache_read_tokens": 5, "cache_write_tokens": 7}
PARTLY = {**SPENT, "output_tokens": None}
NOTHING = dict.fromkeys(SPENT)


@pytest.mark.parametrize(
    ("exchanges", "usage", "source"),
    [
        ([exchange(), exchange()], {name: 2 * n for name, n in SPENT.items()}, "gateway"),
        ([exchange(status=500, usage=None), exchange()], SPENT, "gateway"),
        ([exchange("count", usage=None), exchange("refused", usage=None), exchange()], SPENT, "gateway"),
        ([exchange("compaction"), exchange("side")], {name: 2 * n for name, n in SPENT.items()}, "gateway"),
        ([exchange(usage=PARTLY), exchange()], {**SPENT, **dict.fromkeys(SPENT)} | {
            "input_tokens": 200, "cache_read_tokens": 6, "cache_write_tokens": 8}, "gateway"),
        ([exchange(), exchange(usage=None)], CLIENTS, "client"),
        ([exchange(), exchange(usage=NOTHING)], CLIENTS, "client"),
        ([exchange(), exchange(status=0, usage=None)], CLIENTS, "client"),
        ([exchange(status=500, usage=None)], CLIENTS, "client"),
        ([], CLIENTS, "client"),
        (None, CLIENTS, "client"),
    ],
)  # fmt: skip
def test_L05_the_gateways_sum_counts_when_every_answer_states_its_usage(
    folder: Path, exchanges: object, usage: object, source: str
) -> None:
    seen = observed(trial(folder, "success_text", exchanges))
    assert (seen["usage"], seen["usage_source"]) == (usage, source)


def test_37_usage_that_nobody_states_is_null(folder: Path) -> None:
    seen = observed(trial(folder, b""))
    assert (seen["usage"], seen["usage_source"]) == (NOTHING, None)


def test_46_a_record_that_breaks_off_gives_no_sums(folder: Path) -> None:
    where = trial(folder, "success_text", [exchange()])
    with (where / EXCHANGES.path).open("a") as file:
        file.write('{"kind": "tu')
    seen = observed(where)
    assert (seen["turns"], seen["usage"], seen["usage_source"]) == (None, CLIENTS, "client")
    assert seen["listed"][SKILL] is True


def test_E02_dropped_output_may_have_held_a_load(folder: Path, tmp_path: Path) -> None:
    seen = observed(trial(folder, "success_tools", stdout_dropped=5))
    assert seen["interpreted"] is False
    assert seen["loads"][SKILL] == {"load": "unknown", "evidence": "5 bytes of the transcript were dropped"}
    loaded = observed(trial(tmp_path / "b/t", "v2.1.332_symposium_read_fallback", stdout_dropped=5))
    assert loaded["loads"][SKILL]["load"] == "loaded"


def test_E02_a_call_that_only_the_gateway_saw_may_have_been_a_load(folder: Path, tmp_path: Path) -> None:
    calls = [{"id": "a", "name": "Bash"}]
    asked = [exchange(tool_calls=calls), exchange(tool_calls=calls)]
    cut = observed(trial(folder, "killed_during_bash", asked))
    assert (cut["interpreted"], cut["loads"][SKILL]["load"]) == (False, "unknown")
    both = observed(trial(tmp_path / "b/t", "killed_during_bash", asked[:1]))
    assert (both["interpreted"], both["loads"][SKILL]["load"]) == (True, "not_observed")
    ended = observed(
        trial(tmp_path / "c/t", "success_text", asked)
    )  # an answer that broke and was asked again
    assert ended["interpreted"] is True


def test_40_a_completed_session_without_a_tool_call_is_tagged(folder: Path, tmp_path: Path) -> None:
    assert observed(trial(folder, "success_text"))["tags"] == ["no_tool_calls"]
    assert observed(trial(tmp_path / "b/t", "success_tools"))["tags"] == []
    assert observed(trial(tmp_path / "c/t", "err_400"))["tags"] == []
    holed = (TRANSCRIPTS / "success_text.jsonl").read_bytes() + b"{\n"
    assert observed(trial(tmp_path / "d/t", holed))["tags"] == []


def test_an_empty_transcript_is_unknown_and_leaves_an_empty_response(folder: Path) -> None:
    seen = observed(trial(folder, "v2.1.332_no_is_sandbox"))
    assert (seen["completion"], seen["interpreted"], seen["events"]) == (None, False, 0)
    assert seen["loads"][SKILL]["load"] == "unknown"
    assert (folder / RESPONSE.path).read_bytes() == b""


def test_41_words_that_cannot_be_encoded_are_kept_as_escapes(folder: Path) -> None:
    lines = (
        (TRANSCRIPTS / "success_text.jsonl").read_bytes().replace(b'"result":"Done', b'"result":"\\ud800Done')
    )
    observed(trial(folder, lines))
    assert (folder / RESPONSE.path).read_text() == "\\ud800Done: hello."


def test_a_redo_gives_the_same_bytes_and_nothing_is_overwritten_without_one(folder: Path) -> None:
    observed(trial(folder, "success_tools", [exchange()]))
    before = (folder / OBSERVATION.path).read_bytes()
    assert observe.STEP.execute(observe.run, Folder(folder, observe.STEP)) is Exit.EXISTS
    observed(folder, redo=True)
    assert (folder / OBSERVATION.path).read_bytes() == before


@given(st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"")), max_size=6), st.booleans())
def test_lines_are_those_of_the_file_and_long_ones_are_cut(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[bytes], ends: bool
) -> None:
    file = tmp_path_factory.mktemp("lines") / "t"
    file.write_bytes(b"\n".join(wanted) + (b"\n" if ends else b""))
    whole = [line + b"\n" for line in file.read_bytes().split(b"\n")]
    whole[-1:] = [whole[-1][:-1]] if whole[-1] != b"\n" else []
    assert list(observe.lines(file, 8)) == [line[:8] for line in whole]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_L05_a_huge_transcript_is_observed_in_little_memory(folder: Path) -> None:
    """300 MB, one line of 100 MB among them, with an address space of 1 GB."""
    lines = (TRANSCRIPTS / "success_tools.jsonl").read_bytes().splitlines(keepends=True)
    where = trial(folder, b"")
    with (where / TRANSCRIPT.path).open("wb") as file:
        file.write(lines[0])
        file.write(b"x" * (100 << 20) + b"\n")
        filler = lines[3].replace(b"pub fn", b"pub fn" + b"y" * (1 << 20), 1)
        file.writelines(filler for _ in range(200))
        file.writelines(lines[1:])
    limit = 1 << 30
    command = [sys.executable, str(Path(observe.__file__)), str(where)]
    subprocess.run(
        command, check=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    )
    seen = documents.read(where / OBSERVATION.path, "observation/1")
    assert (seen["completion"], seen["broken_lines"], seen["tool_calls"]) == ("completed", 1, 4)


BOUNDARY = (
    b'{"type":"system","subtype":"compact_boundary","session_id":"s","compact_metadata":{"trigger":"auto"}}\n'
)


def test_D08_compactions_are_counted_by_the_transcript_that_shows_them(folder: Path, tmp_path: Path) -> None:
    whole = (TRANSCRIPTS / "success_text.jsonl").read_bytes()
    assert observed(trial(folder, "success_text"))["compactions"] == 0
    seen = observed(trial(tmp_path / "b/t", whole + BOUNDARY * 2, [exchange()]))
    assert (seen["compactions"], seen["unknown_events"]) == (2, {})


def test_D08_where_the_transcript_cannot_tell_the_gateways_record_counts(
    folder: Path, tmp_path: Path
) -> None:
    asked = [exchange(), exchange("compaction"), exchange("compaction", status=500, usage=None)]
    assert observed(trial(folder, b"", asked))["compactions"] == 1
    assert observed(trial(tmp_path / "b/t", b""))["compactions"] is None
    broken = trial(tmp_path / "c/t", b"", asked)
    with (broken / EXCHANGES.path).open("a") as file:
        file.write('{"kind": "tu')
    assert observed(broken)["compactions"] is None


def test_D08_a_transcript_that_lost_lines_does_not_count_its_compactions(folder: Path) -> None:
    whole = (TRANSCRIPTS / "success_text.jsonl").read_bytes() + BOUNDARY
    cut = trial(folder, whole, [exchange("compaction"), exchange("compaction"), exchange()], stdout_dropped=5)
    assert observed(cut)["compactions"] == 2
