"""The Claude Code adapter: what it reads in recorded and damaged transcripts, how it starts the client."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clients
from clients import Places, claude
from kit import documents
from kit.contract import Exit, Stop
from kit.tools import Tools

FOLDER = Path(__file__).parent / "clients/claude"
RUN = Path("/eval/run-1")
PLACES = Places(RUN / "project", RUN / "home", RUN / "project/.claude/skills")
SKILL = "rust-formatting"
SKILL_MD = f"---\nname: {SKILL}\ndescription: How this team formats Rust code\n---\n\nUse rustfmt.\n"
JOINED: dict[str, Any] = {"listed": {}, "turns": None, "usage_source": None}

COMPLETED, ERROR = "completed", "client_error"
# What each recorded session comes to: completion; the skill to look for, and its load.
RECORDED: dict[str, tuple[str | None, str, str]] = {
    "drop_midstream": (COMPLETED, SKILL, "not_observed"),
    "err_400": (ERROR, SKILL, "not_observed"),
    "err_400_credit": (ERROR, SKILL, "not_observed"),
    "err_401": (ERROR, SKILL, "not_observed"),
    "err_403": (ERROR, SKILL, "not_observed"),
    "err_404_model": (ERROR, SKILL, "not_observed"),
    "err_429": (ERROR, SKILL, "not_observed"),
    "err_500": (ERROR, SKILL, "not_observed"),
    "err_500_then_ok": (COMPLETED, SKILL, "not_observed"),
    "err_529_overloaded": (ERROR, SKILL, "not_observed"),
    "hook_sessionstart_fails": (COMPLETED, SKILL, "not_observed"),
    "hook_sessionstart_missing": (COMPLETED, SKILL, "not_observed"),
    "hook_stop_blocks_once": (COMPLETED, SKILL, "not_observed"),
    "hooks_project_reload": (COMPLETED, "late-skill", "loaded"),
    "hooks_user_noout": (COMPLETED, "late-skill", "attempted"),
    "hooks_user_noreload": (COMPLETED, "late-skill", "attempted"),
    "hooks_user_reload": (COMPLETED, "late-skill", "loaded"),
    "hooks_user_reload_events": (COMPLETED, "late-skill", "loaded"),
    "killed_during_bash": (None, SKILL, "not_observed"),
    "killed_kill_midway": (None, SKILL, "not_observed"),
    "killed_term_midway": (None, SKILL, "not_observed"),
    "max_budget": (ERROR, SKILL, "not_observed"),
    "max_tokens": (ERROR, SKILL, "not_observed"),
    "max_turns": (ERROR, SKILL, "not_observed"),
    "refusal": (ERROR, SKILL, "not_observed"),
    "skill_loaded_home": (COMPLETED, "pine-home", "loaded"),
    "skill_loaded_project": (COMPLETED, "pine-proj", "loaded"),
    "skill_missing": (COMPLETED, "nope-skill", "attempted"),
    "success_text": (COMPLETED, SKILL, "not_observed"),
    "success_tools": (COMPLETED, SKILL, "not_observed"),
    "tool_failing": (COMPLETED, SKILL, "not_observed"),
    "v2.1.265_err_400": (ERROR, SKILL, "not_observed"),
    "v2.1.265_killed": (None, SKILL, "not_observed"),
    "v2.1.265_limit": (ERROR, SKILL, "not_observed"),
    "v2.1.265_refusal": (ERROR, SKILL, "not_observed"),
    "v2.1.265_session": (COMPLETED, SKILL, "loaded"),
    "v2.1.300_err_400": (ERROR, SKILL, "not_observed"),
    "v2.1.300_killed": (None, SKILL, "not_observed"),
    "v2.1.300_limit": (ERROR, SKILL, "not_observed"),
    "v2.1.300_refusal": (ERROR, SKILL, "not_observed"),
    "v2.1.300_session": (COMPLETED, SKILL, "loaded"),
    "v2.1.332_background_subagent": (COMPLETED, SKILL, "loaded"),
    "v2.1.332_baseline_no_skill": (COMPLETED, SKILL, "attempted"),
    "v2.1.332_connection_refused": (ERROR, SKILL, "not_observed"),
    "v2.1.332_err_500": (ERROR, SKILL, "not_observed"),
    "v2.1.332_hooks_noreload": (COMPLETED, "late-skill", "attempted"),
    "v2.1.332_hooks_reload": (COMPLETED, "late-skill", "loaded"),
    "v2.1.332_no_is_sandbox": (None, SKILL, "unknown"),
    "v2.1.332_skill_loaded_home": (COMPLETED, "pine-home", "loaded"),
    "v2.1.332_skill_reads": (COMPLETED, SKILL, "loaded"),
    "v2.1.332_success_tools": (COMPLETED, SKILL, "not_observed"),
    "v2.1.332_symposium_no_reload": (COMPLETED, SKILL, "attempted"),
    "v2.1.332_symposium_plugin_reload": (COMPLETED, SKILL, "loaded"),
    "v2.1.332_symposium_read_fallback": (COMPLETED, SKILL, "loaded"),
}
every_recording = pytest.mark.parametrize("name", RECORDED)


def recorded(name: str) -> list[bytes]:
    return (FOLDER / f"transcripts/{name}.jsonl").read_bytes().splitlines(keepends=True)


def observe(lines: Iterator[bytes] | list[bytes], *skills: str) -> dict[str, Any]:
    """The adapter's document, which must fit observation/1 once the gateway's side is joined to it."""
    seen = claude.observe(lines, skills or (SKILL,), PLACES)
    body = {**seen, **JOINED}
    assert isinstance(body.pop("response"), str)
    documents.check({"schema": "observation/1", **body}, "observation/1", "test")
    json.dumps(body, allow_nan=False)
    return seen


def loaded(lines: list[bytes], skill: str = SKILL) -> tuple[str, str | None]:
    seen = observe(lines, skill)["loads"][skill]
    return seen["load"], seen["evidence"]


# Transcripts made by hand, from the same shapes as the recorded ones


def line(**event: Any) -> bytes:
    return json.dumps({"session_id": "s", **event}).encode() + b"\n"


INIT = line(type="system", subtype="init", claude_code_version="2.1.332", cwd=str(PLACES.project))
DONE = line(type="result", subtype="success", is_error=False, result="done", usage={}, modelUsage={})


def says(
    *blocks: dict[str, Any], id: str = "m", output: int = 1, parent: str | None = None, **event: Any
) -> bytes:
    usage = {
        "input_tokens": 11,
        "output_tokens": output,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 7,
    }
    message = {"id": id, "model": "claude-sonnet-4-5", "content": list(blocks), "usage": usage}
    return line(type="assistant", message=message, parent_tool_use_id=parent, **event)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(tool: str, id: str = "t", parent: str | None = None, **given: Any) -> bytes:
    return says({"type": "tool_use", "id": id, "name": tool, "input": given}, parent=parent)


def answer(content: object, error: bool = False, id: str = "t", parent: str | None = None) -> bytes:
    block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": error}
    return line(type="user", message={"role": "user", "content": [block]}, parent_tool_use_id=parent)


def session(*lines: bytes) -> list[bytes]:
    return [INIT, *lines, says(text("ok"), id="last"), DONE]


# Recorded sessions


def test_the_recordings_are_of_several_versions_each_named_by_itself() -> None:
    said = {observe(recorded(name))["client_version"] for name in RECORDED} - {None}
    assert said == {"2.1.197", "2.1.265", "2.1.300", "2.1.332"}


def test_every_recording_is_in_the_table() -> None:
    assert sorted(RECORDED) == sorted(file.stem for file in FOLDER.glob("transcripts/*.jsonl"))


@every_recording
def test_L03_E02_a_recorded_session_is_read_rightly(name: str) -> None:
    completion, skill, load = RECORDED[name]
    seen = observe(recorded(name), skill)
    assert (seen["completion"], seen["loads"][skill]["load"]) == (completion, load)
    assert (seen["problem"] is None) is (completion != ERROR)
    assert seen["broken_lines"] == 0
    assert seen["unknown_events"] == {}
    assert seen["interpreted"] is (name != "v2.1.332_no_is_sandbox")


@every_recording
def test_L03_a_session_cut_at_any_line_is_never_completed_without_its_result(name: str) -> None:
    lines, skill = recorded(name), RECORDED[name][1]
    for kept in range(len(lines)):
        seen = observe(lines[:kept], skill)
        ended = any(json.loads(each)["type"] == "result" for each in lines[:kept])
        assert ended or seen["completion"] != COMPLETED
        load = seen["loads"][skill]["load"]
        assert seen["interpreted"] or load in ("loaded", "unknown")
        assert load != "loaded" or RECORDED[name][2] == "loaded"


@given(st.sampled_from(sorted(RECORDED)), st.integers(0, 20_000))
def test_L03_a_session_cut_within_a_line_says_nothing_of_what_did_not_happen(name: str, at: int) -> None:
    whole = b"".join(recorded(name))
    kept = whole[: at % (len(whole) + 1)]
    seen = observe(kept.splitlines(keepends=True), RECORDED[name][1])
    torn = bool(kept) and not (kept.endswith(b"\n") or whole[len(kept) : len(kept) + 1] == b"\n")
    assert seen["broken_lines"] == torn
    assert not (torn and seen["interpreted"])
    assert seen["interpreted"] or seen["loads"][RECORDED[name][1]]["load"] in ("loaded", "unknown")


@every_recording
def test_35_an_event_that_comes_twice_adds_nothing(name: str) -> None:
    lines, skill = recorded(name), RECORDED[name][1]
    once = observe(lines, skill)
    twice = observe([line for line in lines for _ in range(2)], skill)
    for same in ("completion", "usage", "tool_calls", "cost_usd", "interpreted"):
        assert twice[same] == once[same], same
    assert twice["loads"][skill]["load"] == once["loads"][skill]["load"]


@every_recording
def test_41_a_byte_order_mark_and_carriage_returns_change_nothing(name: str) -> None:
    lines = recorded(name)
    marked = [line.replace(b"\n", b"\r\n") for line in lines]
    marked[:1] = [b"\xef\xbb\xbf" + line for line in marked[:1]]
    assert observe(marked) == observe(lines)


def test_interleaved_calls_are_told_apart() -> None:
    """Two at once, answered in the other order, with a sub-agent's events between."""
    asked = [call("Bash", id="a", command="cargo test"), call("Skill", id="b", skill=SKILL)]
    between = [call("Bash", id="c", parent="b", command="ls"), answer("x", id="c", parent="b")]
    ended = [answer("Launching skill", id="b"), answer("Exit code 101", error=True, id="a")]
    seen = observe(session(*asked, *between, *ended))
    assert {c["text"]: c["failed"] for c in seen["commands"]} == {
        "cargo test": True,
        SKILL: False,
        "ls": False,
    }
    assert (seen["loads"][SKILL]["load"], seen["interpreted"]) == ("loaded", True)
    swapped = [answer("Launching skill", id="a"), answer("no such skill", error=True, id="b")]
    assert loaded(session(*asked, *swapped))[0] == "attempted"


def test_41_bytes_that_are_no_utf8_lose_no_event() -> None:
    seen = observe(session(call("Bash", command="cat x"), answer("XX").replace(b"XX", b"\xff\xfe \x80")))
    assert (seen["broken_lines"], seen["completion"], seen["interpreted"]) == (0, COMPLETED, True)
    assert seen["commands"] == [{"line": 2, "tool": "Bash", "text": "cat x", "failed": False}]


def test_unknown_events_are_counted_and_harm_nothing() -> None:
    seen = observe(
        session(line(type="telepathy"), line(type="system", subtype="mood"), line(type="telepathy"))
    )
    assert seen["unknown_events"] == {"system/mood": 1, "telepathy": 2}
    assert (seen["completion"], seen["interpreted"]) == (COMPLETED, True)


def test_E02_a_conversation_in_an_unknown_shape_is_not_taken_for_a_quiet_one() -> None:
    renamed = [line.replace(b'"assistant"', b'"agent"', 1) for line in recorded("skill_loaded_home")]
    assert observe(renamed, "pine-other")["loads"]["pine-other"]["load"] == "unknown"
    reshaped = session(line(type="assistant", message={"parts": []}))
    assert observe(reshaped)["interpreted"] is False


@pytest.mark.parametrize(
    "junk", [b"Segmentation fault\n", b"[1, 2]\n", b"{}\n", b'{"type": 5}\n', b'{"type":"system","x":NaN}\n']
)
def test_a_line_that_is_no_event_is_counted_and_leaves_the_rest_readable(junk: bytes) -> None:
    seen = observe(session(call("Skill", skill=SKILL), junk, answer("Launching skill")))
    assert (seen["broken_lines"], seen["completion"]) == (1, COMPLETED)
    assert seen["loads"][SKILL]["load"] == "loaded"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
SHAPE = [
    "type",
    "subtype",
    "message",
    "content",
    "role",
    "id",
    "name",
    "input",
    "model",
    "uuid",
    "session_id",
]
CLAIM = [
    "is_error",
    "usage",
    "modelUsage",
    "result",
    "error",
    "errors",
    "text",
    "total_cost_usd",
    "exit_code",
]
LINKS = ["tool_use_id", "tool_use_result", "parent_tool_use_id", "isSynthetic", "hook_event"]
KEYS = st.sampled_from([*SHAPE, *CLAIM, *LINKS])
WORDS = st.sampled_from(
    ["system", "init", "assistant", "user", "result", "tool_use", "tool_result", "text", "success", "Bash"]
)
EVENTS = st.recursive(
    JSON | WORDS,
    lambda inner: st.dictionaries(KEYS, inner, max_size=6) | st.lists(inner, max_size=3),
    max_leaves=25,
)


@given(st.lists(EVENTS.map(lambda event: json.dumps(event).encode()) | st.binary(max_size=30), max_size=8))
@settings(max_examples=300)
def test_whatever_a_transcript_holds_the_document_fits_its_schema(lines: list[bytes]) -> None:
    seen = observe([line + b"\n" for line in lines])
    assert seen["events"] == len(lines)


@given(st.data())
def test_a_known_event_with_any_part_replaced_still_gives_a_document(data: st.DataObject) -> None:
    lines = recorded(data.draw(st.sampled_from(sorted(set(RECORDED) - {"v2.1.332_no_is_sandbox"}))))
    events = [json.loads(line) for line in lines]
    place: Any = data.draw(st.sampled_from(events))
    while True:
        key = data.draw(st.sampled_from(sorted(place))) if isinstance(place, dict) else 0
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
            place[key] = data.draw(JSON)
            break
        place = place[key]
    observe([json.dumps(event).encode() for event in events])


def test_L05_a_long_transcript_is_not_held_in_memory() -> None:
    def long() -> Iterator[bytes]:
        yield INIT
        for number in range(120):  # a megabyte each
            yield call("Bash", id=f"t{number}", command="cat big")
            yield answer(("x" * 999 + "\n") * 1000, id=f"t{number}")
        yield DONE

    tracemalloc.start()
    try:
        assert observe(long())["tool_calls"] == 120
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


# Completion


def test_L03_success_with_is_error_is_a_client_error() -> None:
    ended = line(
        type="result", subtype="success", is_error=True, api_error_status=500, result="API Error: 500"
    )
    seen = observe([INIT, says(text("x"), error="server_error"), ended])
    assert (seen["completion"], seen["problem"]) == (ERROR, "server_error (500): API Error: 500")


@pytest.mark.parametrize("said", [{}, {"is_error": None}, {"is_error": 0}, {"is_error": "false"}])
def test_L03_only_a_plain_false_means_no_error(said: dict[str, Any]) -> None:
    assert (
        observe([INIT, says(text("x")), line(type="result", subtype="success", **said)])["completion"]
        == ERROR
    )


def test_L03_an_error_without_a_result_is_a_client_error_unless_the_session_went_on() -> None:
    failed = says(text("API Error"), id="e", error="server_error")
    assert observe([INIT, failed])["completion"] == ERROR
    assert observe([INIT, failed, says(text("on"), id="n")])["completion"] is None
    assert observe([INIT, says(text("API Error"), parent="t", error="server_error")])["completion"] is None


def test_L03_no_error_with_another_subtype_is_no_completion() -> None:
    odd = line(type="result", subtype="error_during_execution", is_error=False)
    assert observe([INIT, says(text("x")), odd])["completion"] == ERROR


def test_a_block_of_any_type_is_counted_and_not_stumbled_over() -> None:
    seen = observe(session(says({"type": []}, {"type": "hologram"}, {})))
    assert seen["unknown_events"] == {"assistant/None": 1, "assistant/[]": 1, "assistant/hologram": 1}


def test_L03_the_last_of_several_results_counts() -> None:
    failed = line(type="result", subtype="error_max_turns", is_error=True, errors=["too many"])
    assert observe([INIT, says(text("x")), DONE, failed])["problem"] == "error_max_turns: too many"
    assert observe([INIT, says(text("x")), failed, DONE])["completion"] == COMPLETED


def test_4_a_session_that_stops_after_a_tool_result_has_no_completion() -> None:
    assert observe([INIT, call("Bash", command="ls"), answer("src")])["completion"] is None


def retry(attempt: int) -> bytes:
    return line(type="system", subtype="api_retry", attempt=attempt, error_status=None)


def test_58_retries_to_the_deadline_are_tagged_and_a_recovery_is_not() -> None:
    retries = [retry(n) for n in range(1, 11)]
    assert observe([INIT, *retries])["tags"] == ["api_unreachable"]
    assert observe([INIT, *retries, says(text("ok")), DONE])["tags"] == []
    assert observe(recorded("err_500_then_ok"))["tags"] == []
    assert observe(recorded("v2.1.332_connection_refused"))["tags"] == ["api_unreachable"]
    assert observe([INIT])["tags"] == []


# Loads


def test_E02_a_failed_attempt_followed_by_a_success_is_a_load() -> None:
    lines = session(
        call("Skill", id="a", skill=SKILL),
        answer("<tool_use_error>Unknown skill</tool_use_error>", error=True, id="a"),
        call("Read", id="b", file_path=f"{PLACES.skills}/{SKILL}/SKILL.md"),
        answer(SKILL_MD, id="b"),
    )
    assert loaded(lines) == ("loaded", "transcript.jsonl:5: Read of SKILL.md succeeded")
    assert loaded([*lines[:3], *lines[5:]]) == ("attempted", "transcript.jsonl:3: Skill call failed")


def test_E02_answers_are_matched_by_id_not_by_place() -> None:
    calls = [call("Skill", id="a", skill=SKILL), call("Skill", id="b", skill="other")]
    answers = [answer("Unknown skill", error=True, id="b"), answer("Launching skill", id="a")]
    seen = observe(session(*calls, *answers), SKILL, "other", "third")["loads"]
    assert [load["load"] for load in seen.values()] == ["loaded", "attempted", "not_observed"]
    assert loaded(session(*answers, *calls))[0] == "loaded"


def test_E02_a_skill_may_be_asked_for_as_a_command() -> None:
    lines = session(call("Skill", skill=f"/{SKILL}"), answer("Unknown skill", error=True))
    assert loaded(lines)[0] == "attempted"


def test_E02_a_call_without_an_answer_is_unknown() -> None:
    cut = [INIT, call("Skill", skill=SKILL)]
    assert loaded(cut) == ("unknown", "transcript.jsonl:2: Skill call without an answer")


def test_E02_an_attempt_in_a_transcript_with_holes_may_have_been_followed_by_a_load() -> None:
    lines = session(call("Skill", skill=SKILL), answer("no", error=True), b'{"type": "assis\n')
    load, evidence = loaded(lines)
    assert load == "unknown"
    assert evidence == "transcript.jsonl:3: Skill call failed; but 1 of 6 lines could not be read"


def test_E02_a_sub_agents_load_counts() -> None:
    lines = session(call("Skill", parent="task", skill=SKILL), answer("Launching skill", parent="task"))
    assert loaded(lines) == ("loaded", "transcript.jsonl:3: Skill call succeeded")


def test_E02_text_that_the_client_inserted_is_a_load() -> None:
    block = text(f"Base directory for this skill: {PLACES.skills}/{SKILL}\n\nUse rustfmt.")
    inserted = line(type="user", message={"content": [block]}, isSynthetic=True)
    assert loaded(session(inserted))[0] == "loaded"
    assert loaded(session(inserted), "rust")[0] == "not_observed"
    said = line(type="user", message={"content": [block]})
    assert loaded(session(said))[0] == "not_observed"


@pytest.mark.parametrize(
    "path",
    [
        f"{PLACES.skills}/{SKILL}/SKILL.md",
        f".claude/skills/{SKILL}/SKILL.md",
        f"./src/../.claude//skills/./{SKILL}/SKILL.md",
        f"../project/.claude/skills/{SKILL}/SKILL.md",
        f"~/.claude/skills/{SKILL}/SKILL.md",
        f"/another/name/of/project/.claude/skills/{SKILL}/SKILL.md",
        f".claude/skills/{SKILL}-0a1b2c3d/SKILL.md",
    ],
)
def test_E02_a_read_of_the_installed_file_is_known_in_any_spelling(path: str) -> None:
    reading = call("Read", file_path=path)
    assert loaded(session(reading, answer("5\tUse rustfmt.")))[0] == "loaded"
    assert loaded(session(reading, answer("File does not exist.", error=True)))[0] == "attempted"
    header = answer("1\t---\n2\tname: rust-formatting")
    assert loaded(session(reading, header))[0] == "attempted"  # nothing of the text was delivered


@pytest.mark.parametrize(
    "path",
    [f".claude/skills/{SKILL}/notes.md", f".claude/skills/{SKILL}x/SKILL.md", f"skills/{SKILL}/SKILL.md"],
)
def test_E02_a_read_of_another_file_is_no_load(path: str) -> None:
    assert loaded(session(call("Read", file_path=path), answer("text")))[0] == "not_observed"


def test_E02_a_read_through_a_link_is_known_by_the_text() -> None:
    lines = session(
        call("Read", file_path="link/SKILL.md"),
        answer("".join(f"{n}\t{t}\n" for n, t in enumerate(SKILL_MD.splitlines(), 1))),
    )
    assert loaded(lines)[0] == "loaded"
    assert loaded(lines, "rust")[0] == "not_observed"
    assert (
        observe(recorded("v2.1.332_skill_reads")[:1] + recorded("v2.1.332_skill_reads")[4:6])["loads"][SKILL][
            "load"
        ]
        == "loaded"
    )


AT = f".claude/skills/{SKILL}/SKILL.md"
BODY, COUNT = "Use rustfmt.", "7"


@pytest.mark.parametrize(
    ("command", "output", "error", "load"),
    [
        (f"cat {AT}", SKILL_MD, False, "loaded"),
        (f"cat '{PLACES.project}/{AT}'", SKILL_MD, False, "loaded"),
        (f"sed -n 5,20p {AT}", BODY, False, "loaded"),
        (f"ls && tail -n +5 $HOME/{AT} 2>/dev/null | head -50", BODY, False, "loaded"),
        ("cat .claude/skills/*/SKILL.md", SKILL_MD, False, "loaded"),
        (f"cd .claude/skills/{SKILL} && cat SKILL.md", SKILL_MD, False, "loaded"),
        (f"cat {AT}; cargo test", f"Exit code 101\n{SKILL_MD}error: test failed", True, "loaded"),
        (f"cat {AT}", f"Exit code 1\ncat: {AT}: No such file or directory", True, "attempted"),
        (f"cat {AT}; true", f"cat: {AT}: No such file or directory", False, "attempted"),
        (
            f"head -3 {AT} || true",
            f"head: cannot open '{AT}' for reading: Permission denied",
            False,
            "attempted",
        ),
        (f"cat {AT} 2>/dev/null || true", "(Bash completed with no output)", False, "attempted"),
        (f"head -3 {AT}", "\n".join(SKILL_MD.splitlines()[:3]), False, "attempted"),
        (f"cat {AT} | wc -l", COUNT, False, "not_observed"),
        (f"cat {AT} > copy.md; echo ok", "ok", False, "not_observed"),
        (f"ls -l {AT}", AT, False, "not_observed"),
        ("grep -r name: .claude/skills", f"{AT}:name: {SKILL}", False, "not_observed"),
        ("cat 'unclosed", "bash: unexpected EOF", True, "not_observed"),
        ("git diff", f"--- a\n+++ b\nname: {SKILL}\n", False, "not_observed"),
    ],
)
def test_E02_a_shell_command_that_shows_the_file_is_a_load(
    command: str, output: str, error: bool, load: str
) -> None:
    assert loaded(session(call("Bash", command=command), answer(output, error=error)))[0] == load


# Usage


def tokens(seen: dict[str, Any]) -> list[int | None]:
    return list(seen["usage"].values())


def test_35_a_message_that_comes_three_times_counts_once_at_its_largest() -> None:
    growing = [says(text("x"), id="m", output=n) for n in (1, 1, 250)]
    sub = [says(text("y"), id="s", output=40, parent="task")] * 2
    assert tokens(observe([INIT, *growing, *sub])) == [22, 290, 10, 14]


def test_37_an_output_count_that_never_left_its_start_is_unknown() -> None:
    assert tokens(observe(recorded("killed_during_bash"))) == [11, None, 5, 7]


def totals(number: int) -> dict[str, Any]:
    return json.loads(says(output=number))["message"]["usage"]  # type: ignore[no-any-return]  # made above


def ended(usage: object, models: object, uuid: str = "u") -> bytes:
    return line(type="result", subtype="success", is_error=False, usage=usage, modelUsage=models, uuid=uuid)


def test_35_37_the_best_source_alone_is_used() -> None:
    said = [INIT, says(text("x"), output=9)]
    models = {
        "a": {"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 3, "cacheCreationInputTokens": 4}
    }
    models["b"] = models["a"]
    nothing = dict.fromkeys(totals(0), 0)
    assert tokens(observe([*said, ended(totals(30), models)])) == [2, 4, 6, 8]
    assert tokens(observe([*said, ended(totals(30), {})])) == [11, 30, 5, 7]
    assert tokens(observe([*said, ended(nothing, {})])) == [11, 9, 5, 7]
    assert tokens(observe([*said, ended(None, None)])) == [11, 9, 5, 7]
    assert (
        tokens(
            observe([INIT, line(type="assistant", message={"id": "m", "content": []}), ended(nothing, {})])
        )
        == [None] * 4
    )
    assert tokens(observe([INIT])) == [None] * 4


def test_35_results_are_summed_and_a_repeated_one_counts_once() -> None:
    results = [ended(totals(30), {}), ended(totals(30), {}), ended(totals(4), {}, "v")]
    assert tokens(observe([INIT, says(text("x")), *results])) == [22, 34, 10, 14]


def test_37_a_class_that_one_model_does_not_report_is_null() -> None:
    models = {"a": {"inputTokens": 1, "outputTokens": 2}, "b": {"inputTokens": 1, "outputTokens": True}}
    assert tokens(observe([INIT, says(text("x")), ended({}, models)])) == [2, None, None, None]


def test_37_zero_is_believed_where_no_model_answered() -> None:
    assert tokens(observe(recorded("err_500"))) == [0, 0, 0, 0]


def test_35_background_sub_agents_are_in_the_sum() -> None:
    """Five requests; the two results' own usage states only three of them."""
    assert tokens(observe(recorded("v2.1.332_background_subagent"))) == [55, 110, 25, 35]


def test_37_the_cost_is_the_clients_own_or_null() -> None:
    assert observe(recorded("success_text"))["cost_usd"] == pytest.approx(0.00039075)
    for odd in ("1e999", "true", '"3"'):
        strange = DONE.replace(b'"is_error"', f'"total_cost_usd": {odd}, "is_error"'.encode())
        assert observe([INIT, says(text("x")), strange])["cost_usd"] is None


# What was done


def test_40_commands_carry_their_lines_and_whether_they_failed() -> None:
    seen = observe(recorded("tool_failing"))
    assert [(c["line"], c["tool"], c["text"], c["failed"]) for c in seen["commands"]] == [
        (2, "Bash", "exit 3", True),
        (4, "Edit", "/eval/run-1/project/src/lib.rs", True),
        (6, "Read", "/eval/answers/key.txt", True),
        (8, "Write", "/etc/x", True),
        (10, "NoSuchTool", "{}", True),
    ]
    assert observe(recorded("killed_during_bash"))["commands"][0]["failed"] is None


def test_hooks_are_as_the_stream_reports_them() -> None:
    assert observe(recorded("hook_stop_blocks_once"))["hooks"] == [
        {"event": "Stop", "outcome": "error", "exit": 2},
        {"event": "Stop", "outcome": "success", "exit": 0},
    ]


def test_the_response_is_the_last_word_of_the_main_conversation() -> None:
    assert observe(recorded("success_tools"))["response"] == "All done; tests pass."
    assert observe([INIT, says(text("mine")), says(text("sub"), parent="t")])["response"] == "mine"
    assert observe([])["response"] == ""


# Starting it


def test_L01_the_command_line_and_L04_the_key_stays_out_of_it() -> None:
    start = claude.command(
        Path("/run/bin/claude"), "-p is a flag", "some-model", "http://model.gw.test", "dummy-key"
    )
    assert start.argv[0] == "/run/bin/claude"
    assert start.argv[-2:] == ["--", "-p is a flag"]
    for pair in (
        ["--output-format", "stream-json"],
        ["--model", "some-model"],
        ["--permission-mode", "bypassPermissions"],
    ):
        assert start.argv[start.argv.index(pair[0]) + 1] == pair[1]
    assert "dummy-key" not in " ".join(start.argv)
    assert start.variables[claude.KEY] == "dummy-key"
    assert start.variables["ANTHROPIC_BASE_URL"] == "http://model.gw.test"
    assert "IS_SANDBOX" not in start.variables
    assert "--include-hook-events" in start.argv


def test_S01_the_native_binary_is_staged_and_its_absence_is_said(tmp_path: Path) -> None:
    with pytest.raises(Stop) as stop:
        claude.staged(tmp_path)
    assert stop.value.code is Exit.UNAVAILABLE
    machine = claude.MACHINES.get(platform.machine().lower(), platform.machine())
    for suffix in ("-musl", ""):
        package = tmp_path / f"@anthropic-ai/claude-code-{sys.platform}-{machine}{suffix}"
        package.mkdir(parents=True)
        (package / "claude").write_text("")
        assert claude.staged(tmp_path) == (package / "claude", "")


def test_S04_the_version_is_read_or_refused() -> None:
    assert claude.version("2.1.197 (Claude Code)\n") == "2.1.197"
    for said in ("", "codex-cli 0.171.0", "Claude Code"):
        with pytest.raises(ValueError, match="no version"):
            claude.version(said)


def test_L01_the_readers_beside_the_adapter_are_no_clients() -> None:
    assert "claude" in clients.names()
    assert "reading" not in clients.names()
    assert clients.load("claude").BINARY == "claude"


# Rehearsed turns


def test_M02_each_turn_is_a_call_of_the_clients_own_tools() -> None:
    assert claude.tool({"skill": SKILL}, PLACES).input == {"skill": SKILL}
    for path in (f"{{skills}}/{SKILL}/SKILL.md", AT):
        assert claude.tool({"read": path}, PLACES) == clients.ToolCall(
            "Read", {"file_path": f"{PLACES.skills}/{SKILL}/SKILL.md"}
        )
    ran = claude.tool({"run": "ls {home} ${x} {}"}, PLACES)
    assert (ran.name, ran.input["command"]) == ("Bash", f"ls {PLACES.home} ${{x}} {{}}")
    with pytest.raises(ValueError, match="say"):
        claude.tool({"say": "x"}, PLACES)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60))
@settings(max_examples=40, deadline=None)
def test_M02_write_leaves_exactly_its_text(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    project = tmp_path_factory.mktemp("it's a $project")
    turn = {"write": {"path": "src/a b.rs", "text": words}}
    asked = claude.tool(turn, Places(project, project, project))
    subprocess.run(["sh", "-c", asked.input["command"]], check=True, cwd="/")
    assert (project / "src/a b.rs").read_bytes() == words.encode()


@pytest.fixture
def model() -> Iterator[Any]:
    """Starts a model that asks for the calls it is given; the port it listens on."""
    started: list[subprocess.Popen[str]] = []

    def start(file: Path, calls: list[clients.ToolCall]) -> int:
        file.write_text(json.dumps([{"name": each.name, "input": each.input} for each in calls]))
        command = [sys.executable, str(FOLDER / "model.py"), str(file)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout
        return int(started[-1].stdout.readline())

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.real
def test_S04_the_installed_client_says_its_version(tools: Tools) -> None:
    program, inside = claude.staged(tools.modules)
    said = subprocess.run([program / inside, "--version"], capture_output=True, text=True, check=True).stdout
    parts = [[int(n) for n in v.split(".")] for v in (claude.version(said), claude.MIN_VERSION)]
    assert parts[0] >= parts[1]


@pytest.mark.real
def test_M02_the_real_client_carries_out_every_turn(tools: Tools, model: Any, tmp_path: Path) -> None:
    """Also on a file that is there and was not read, which its Write tool refuses."""
    project, home = tmp_path / "project", tmp_path / "home"
    places = Places(project, home, project / claude.SKILLS)
    for folder in (home, places.skills / SKILL, project / "src"):
        folder.mkdir(parents=True)
    (places.skills / SKILL / "SKILL.md").write_text(SKILL_MD)
    (project / "src/lib.rs").write_text("old\n")
    turns: list[dict[str, Any]] = [
        {"skill": SKILL},
        {"write": {"path": "src/lib.rs", "text": "// it's $new\n"}},
        {"read": f"{{skills}}/{SKILL}/SKILL.md"},
        {"run": "echo ran > ran.txt; exit 3"},
        {"skill": "no-such"},
    ]
    port = model(tmp_path / "calls.json", [claude.tool(turn, places) for turn in turns])
    program, _ = claude.staged(tools.modules)
    start = claude.command(program, "--do it", claude.REHEARSAL_MODEL, f"http://127.0.0.1:{port}", "dummy")
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), **start.variables}
    env |= {"IS_SANDBOX": "1"} if os.geteuid() == 0 else {}  # a test may run as root, a trial never does
    done = subprocess.run(
        start.argv,
        cwd=project,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    seen = claude.observe(done.stdout.splitlines(keepends=True), [SKILL, "no-such"], places)
    assert (done.returncode, seen["completion"], seen["response"]) == (0, COMPLETED, "done"), done.stderr
    assert [c["failed"] for c in seen["commands"]] == [False, False, False, True, True]
    assert (project / "src/lib.rs").read_text() == "// it's $new\n"
    assert (project / "ran.txt").read_text() == "ran\n"
    assert [seen["loads"][s]["load"] for s in (SKILL, "no-such")] == ["loaded", "attempted"]
    assert (seen["unknown_events"], seen["broken_lines"], seen["interpreted"]) == ({}, 0, True)
    assert tokens(seen) == [66, 132, 30, 42]
