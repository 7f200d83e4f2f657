"""The Codex adapter: what it reads in recorded and damaged transcripts, how it starts the client."""

from __future__ import annotations

import json
import platform
import shlex
import subprocess
import sys
import tomllib
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clients
from clients import Places, codex
from kit import documents, versions
from kit.contract import Exit, Stop
from kit.tools import Tools

FOLDER = Path(__file__).parent / "clients/codex/transcripts"
RUN = Path("/eval/run-1")
PLACES = Places(RUN / "project", RUN / "home", RUN / "project/.agents/skills")
SKILL = "rust-formatting"
SKILL_MD = f"---\nname: {SKILL}\ndescription: How this team formats Rust code\n---\n\nUse rustfmt.\n"
JOINED: dict[str, Any] = {"listed": {}, "turns": None, "usage_source": None}
COMPLETED, ERROR = "completed", "client_error"
ANSWER = (30, 9, 3, 0)  # tokens of one recorded answer: input, output, cache read and written
REHEARSED = (11, 22, 5, 7)  # the same of an answer that the gateway rehearsed

# What each recorded session comes to: completion; the skill to look for, and its load; answers in its usage.
RECORDED: dict[str, tuple[str | None, str, str, int | None]] = {
    "codemode_skill_read": (COMPLETED, "team-style", "loaded", 2),
    "content_filter": (ERROR, SKILL, "not_observed", None),
    "drop_midstream": (COMPLETED, SKILL, "not_observed", 1),
    "err_400": (ERROR, SKILL, "not_observed", None),
    "err_401": (ERROR, SKILL, "not_observed", None),
    "err_429": (ERROR, SKILL, "not_observed", None),
    "err_500": (ERROR, SKILL, "not_observed", None),
    "err_500_then_ok": (COMPLETED, SKILL, "not_observed", 1),
    "err_503_overloaded": (ERROR, SKILL, "not_observed", None),
    "err_blocked_host_403": (ERROR, SKILL, "not_observed", None),
    "err_connection_refused": (None, SKILL, "not_observed", None),
    "err_connection_refused_bounded": (ERROR, SKILL, "not_observed", None),
    "err_quota": (ERROR, SKILL, "not_observed", None),
    "hang_idle_timeout": (ERROR, SKILL, "not_observed", None),
    "hooks_home_json": (COMPLETED, "late-skill", "loaded", 2),
    "hooks_home_json_nobypass": (COMPLETED, "late-skill", "attempted", 2),
    "hooks_home_none": (COMPLETED, "late-skill", "loaded", 2),
    "hooks_home_plain": (COMPLETED, "late-skill", "loaded", 2),
    "hooks_home_reload": (COMPLETED, "late-skill", "loaded", 2),
    "hooks_proj_json_trusted": (COMPLETED, "late-skill", "loaded", 2),
    "hooks_proj_json_untrusted": (COMPLETED, "late-skill", "attempted", 2),
    "hooks_toml": (COMPLETED, "late-skill", "loaded", 2),
    "incomplete_max_tokens": (ERROR, SKILL, "not_observed", None),
    "killed_during_command": (None, SKILL, "not_observed", None),
    "killed_term_midway": (None, SKILL, "not_observed", None),
    "no_key": (ERROR, SKILL, "not_observed", None),
    "refused_by_gateway": (ERROR, SKILL, "not_observed", None),
    "response_failed_context": (ERROR, SKILL, "not_observed", None),
    "response_failed_event": (ERROR, SKILL, "not_observed", None),
    "resumed": (COMPLETED, "team-style", "attempted", 4),
    "skill_loaded": (COMPLETED, "s-codexhome", "loaded", 2),
    "skill_loaded_gitrepo": (COMPLETED, "s-projagents", "loaded", 2),
    "skill_mention": (COMPLETED, SKILL, "not_observed", 1),
    "skill_missing": (COMPLETED, "nope", "attempted", 2),
    "success_codemode_gpt-5.6-terra": (COMPLETED, SKILL, "not_observed", 3),
    "success_codemode_gpt-6-sol": (COMPLETED, SKILL, "not_observed", 3),
    "success_codemode_gpt-6.2-sol": (COMPLETED, SKILL, "not_observed", 3),
    "success_text": (COMPLETED, SKILL, "not_observed", 1),
    "success_tools": (COMPLETED, SKILL, "not_observed", 5),
    "symposium_read": (COMPLETED, SKILL, "loaded", 3),
    "tool_failing": (COMPLETED, SKILL, "not_observed", 4),
    "unknown_model_and_hook_bypass_notices": (COMPLETED, SKILL, "not_observed", 1),
    "v0.160.1_err_400": (ERROR, SKILL, "not_observed", None),  # older than what stage takes
    "v0.160.1_killed": (None, SKILL, "not_observed", None),  # older than what stage takes
    "v0.160.1_limit": (ERROR, SKILL, "not_observed", None),  # older than what stage takes
    "v0.160.1_refusal": (ERROR, SKILL, "not_observed", None),  # older than what stage takes
    "v0.160.1_session": (COMPLETED, SKILL, "loaded", 6),  # older than what stage takes
    "v0.169.0_err_400": (ERROR, SKILL, "not_observed", None),  # older than what stage takes
    "v0.169.0_killed": (None, SKILL, "not_observed", None),  # older than what stage takes
    "v0.169.0_limit": (ERROR, SKILL, "not_observed", None),  # older than what stage takes
    "v0.169.0_refusal": (ERROR, SKILL, "not_observed", None),  # older than what stage takes
    "v0.169.0_session": (COMPLETED, SKILL, "loaded", 6),  # older than what stage takes
}
every_recording = pytest.mark.parametrize("name", RECORDED)


def recorded(name: str) -> list[bytes]:
    return (FOLDER / f"{name}.jsonl").read_bytes().splitlines(keepends=True)


def observe(lines: Iterator[bytes] | list[bytes], *skills: str) -> dict[str, Any]:
    """The adapter's document, which must fit observation/1 once the gateway's side is joined to it."""
    seen = codex.observe(lines, skills or (SKILL,), PLACES)
    body = {**seen, **JOINED}
    assert isinstance(body.pop("response"), str)
    documents.check({"schema": "observation/1", **body}, "observation/1", "test")
    json.dumps(body, allow_nan=False)
    return seen


def loaded(lines: list[bytes], skill: str = SKILL) -> tuple[str, str | None]:
    seen = observe(lines, skill)["loads"][skill]
    return seen["load"], seen["evidence"]


# Transcripts made by hand, from the same shapes as the recorded ones


def line(kind: str, **event: Any) -> bytes:
    return json.dumps({"type": kind, **event}).encode() + b"\n"


def item(kind: str, id: str = "item_1", done: bool = True, **fields: Any) -> bytes:
    return line("item.completed" if done else "item.started", item={"id": id, "type": kind, **fields})


def usage(input: int, cached: int, written: int, output: int) -> dict[str, int]:
    of_input = {"cached_input_tokens": cached, "cache_write_input_tokens": written}
    return {"input_tokens": input, **of_input, "output_tokens": output, "reasoning_output_tokens": 1}


def say(text: str, id: str = "item_9") -> bytes:
    return item("agent_message", id, text=text)


START = [line("thread.started", thread_id="t-1"), line("turn.started")]
DONE = line("turn.completed", usage=usage(33, 3, 0, 9))


def command(
    text: str, output: str = "", exit: int = 0, id: str = "item_1", shell: str = "/bin/bash -c"
) -> list[bytes]:
    said: dict[str, Any] = {"command": f"{shell} {shlex.quote(text)}"}
    began = item(
        "command_execution",
        id,
        done=False,
        **said,
        aggregated_output="",
        exit_code=None,
        status="in_progress",
    )
    status = "completed" if exit == 0 else "failed"
    return [
        began,
        item("command_execution", id, **said, aggregated_output=output, exit_code=exit, status=status),
    ]


def session(*lines: bytes) -> list[bytes]:
    return [*START, *lines, say("ok"), DONE]


# Recorded sessions


def test_every_recording_is_in_the_table() -> None:
    assert sorted(RECORDED) == sorted(file.stem for file in FOLDER.glob("*.jsonl"))


@every_recording
def test_L03_E02_L05_a_recorded_session_is_read_rightly(name: str) -> None:
    completion, skill, load, answers = RECORDED[name]
    seen = observe(recorded(name), skill)
    assert (seen["completion"], seen["loads"][skill]["load"]) == (completion, load)
    assert (seen["problem"] is None) is (completion != ERROR)
    assert (seen["broken_lines"], seen["unknown_events"], seen["interpreted"]) == (0, {}, True)
    each = REHEARSED if name in ("codemode_skill_read", "resumed") or name.startswith("v0") else ANSWER
    counts = [None if answers is None else n * answers for n in each]
    assert list(seen["usage"].values()) == counts


@every_recording
def test_L03_a_session_cut_at_any_line_is_never_completed_without_its_last_event(name: str) -> None:
    lines, skill = recorded(name), RECORDED[name][1]
    for kept in range(len(lines)):
        seen = observe(lines[:kept], skill)
        assert seen["completion"] is None, "the turn's end is the last line of each recording"
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
    for same in ("completion", "usage", "tool_calls", "tags", "interpreted"):
        assert twice[same] == once[same], same
    assert twice["loads"][skill]["load"] == once["loads"][skill]["load"]


@every_recording
def test_41_a_byte_order_mark_and_carriage_returns_change_nothing(name: str) -> None:
    lines = recorded(name)
    marked = [line.replace(b"\n", b"\r\n") for line in lines]
    marked[0] = b"\xef\xbb\xbf" + marked[0]
    assert observe(marked) == observe(lines)


def test_interleaved_commands_are_told_apart() -> None:
    """Two that run side by side, the one that began first ending last; the other read the skill."""
    (slow, slow_ended), (quick, quick_ended) = (
        command("cargo test", "error", exit=101, id="item_1"),
        command(f"cat {AT}", SKILL_MD, id="item_2"),
    )
    for lines in ([slow, quick, quick_ended, slow_ended], [quick, slow, slow_ended, quick_ended]):
        seen = observe(session(*lines))
        assert {c["text"]: c["failed"] for c in seen["commands"]} == {"cargo test": True, f"cat {AT}": False}
        assert seen["loads"][SKILL]["load"] == "loaded"
        assert seen["interpreted"]
    unended = observe(session(slow, quick, slow_ended))
    assert unended["loads"][SKILL]["load"] == "unknown", "the reading of the skill never ended"


def test_41_bytes_that_are_no_utf8_lose_no_event() -> None:
    lines = [part.replace(b"XX", b"\xff\xfe \x80") for part in session(*command("cat x", "XX"))]
    seen = observe(lines)
    assert (seen["broken_lines"], seen["completion"], seen["interpreted"]) == (0, COMPLETED, True)
    assert seen["commands"] == [{"line": 3, "tool": "command_execution", "text": "cat x", "failed": False}]


def test_unknown_events_and_items_are_counted_and_harm_nothing() -> None:
    odd = [line("telepathy"), item("dream", text="x"), line("telepathy")]
    seen = observe(session(*odd))
    assert seen["unknown_events"] == {"item/dream": 1, "telepathy": 2}
    assert (seen["completion"], seen["interpreted"]) == (COMPLETED, True)


def test_E02_a_conversation_in_an_unknown_shape_is_not_taken_for_a_quiet_one() -> None:
    renamed = [
        part.replace(b'"command_execution"', b'"shell"').replace(b'"agent_message"', b'"words"')
        for part in recorded("symposium_read")
    ]
    seen = observe(renamed)
    assert (seen["completion"], seen["interpreted"]) == (COMPLETED, False)
    assert seen["loads"][SKILL]["load"] == "unknown"
    reshaped = [part.replace(b'"aggregated_output"', b'"output"') for part in recorded("symposium_read")]
    assert observe(reshaped)["loads"][SKILL]["load"] == "unknown"
    assert observe([])["loads"][SKILL] == {
        "load": "unknown",
        "evidence": "transcript.jsonl: no thread.started event",
    }


@pytest.mark.parametrize(
    "junk",
    [b"Segmentation fault\n", b"[1, 2]\n", b"{}\n", b'{"type": 5}\n', b'{"type":"item.completed","x":NaN}\n'],
)
def test_a_line_that_is_no_event_is_counted_and_leaves_the_rest_readable(junk: bytes) -> None:
    began, ended = command(f"cat {AT}", SKILL_MD)
    seen = observe(session(began, junk, ended))
    assert (seen["broken_lines"], seen["completion"]) == (1, COMPLETED)
    assert seen["loads"][SKILL]["load"] == "loaded"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
OF_ITEM = [
    "type",
    "item",
    "id",
    "text",
    "command",
    "aggregated_output",
    "exit_code",
    "status",
    "changes",
    "path",
]
KEYS = st.sampled_from([*OF_ITEM, "message", "error", "usage", "input_tokens", "thread_id"])
OF_EVENT = [
    "thread.started",
    "turn.started",
    "turn.completed",
    "turn.failed",
    "item.started",
    "item.completed",
]
WORDS = st.sampled_from([*OF_EVENT, "error", "command_execution", "agent_message", "file_change", "item_1"])
EVENTS = st.recursive(
    JSON | WORDS,
    lambda inner: st.dictionaries(KEYS, inner, max_size=6) | st.lists(inner, max_size=3),
    max_leaves=25,
)


@given(st.lists(EVENTS.map(lambda event: json.dumps(event).encode()) | st.binary(max_size=30), max_size=8))
@settings(max_examples=300)
def test_whatever_a_transcript_holds_the_document_fits_its_schema(lines: list[bytes]) -> None:
    assert observe([line + b"\n" for line in lines])["events"] == len(lines)


@given(st.data())
def test_a_known_event_with_any_part_replaced_still_gives_a_document(data: st.DataObject) -> None:
    events = [json.loads(line) for line in recorded(data.draw(st.sampled_from(sorted(RECORDED))))]
    place: Any = data.draw(st.sampled_from(events))
    while True:
        key = data.draw(st.sampled_from(sorted(place))) if isinstance(place, dict) else 0
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
            place[key] = data.draw(JSON)
            break
        place = place[key]
    observe([json.dumps(event).encode() for event in events])


def test_a_long_transcript_is_not_held_in_memory() -> None:
    def long() -> Iterator[bytes]:
        yield from START
        for number in range(60):  # a megabyte each
            yield from command("cat big", ("x" * 999 + "\n") * 1000, id=f"item_{number}")
        yield DONE

    tracemalloc.start()
    try:
        assert observe(long())["tool_calls"] == 60
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


# Completion


def test_L03_errors_and_error_items_are_no_end() -> None:
    notices = [item("error", f"item_{n}", message="a notice") for n in range(2)]
    errors = [line("error", message=f"Reconnecting... {n}/3 (dropped)") for n in (1, 2, 3)]
    seen = observe([START[0], *notices, START[1], *errors, say("back again"), DONE])
    assert (seen["completion"], seen["problem"], seen["tags"]) == (COMPLETED, None, [])
    assert observe([*START, *errors])["completion"] is None
    assert observe([*START, line("error", message="out of memory")])["completion"] is None


def test_L03_the_last_event_of_a_turn_decides() -> None:
    failed = line("turn.failed", error={"message": "too much"})
    assert observe([*START, say("x"), DONE, failed])["problem"] == "too much"
    assert observe([*START, failed, START[1], say("x"), DONE])["completion"] == COMPLETED
    assert observe([*START, say("x"), DONE, *START])["completion"] is None
    for odd in ({}, {"error": None}, {"error": {"message": 5}}):
        assert observe([*START, line("turn.failed", **odd)])["completion"] == ERROR


def test_58_retries_to_the_deadline_are_tagged_and_a_recovery_is_not() -> None:
    waiting = line("error", message="Reconnecting... waiting for network (Connection failed)")
    assert observe([*START, waiting])["tags"] == ["api_unreachable"]
    assert observe([*START, waiting, say("here")])["tags"] == []
    assert observe(recorded("err_connection_refused"))["tags"] == ["api_unreachable"]
    assert observe(recorded("err_connection_refused_bounded"))["tags"] == ["api_unreachable"]
    assert observe(recorded("drop_midstream"))["tags"] == []
    assert observe(recorded("content_filter"))["tags"] == [], "it was answered, each time"
    assert observe([*START, line("error", message="Quota exceeded")])["tags"] == []


# Loads

AT = f".agents/skills/{SKILL}/SKILL.md"


@pytest.mark.parametrize(
    "path",
    [
        f"{PLACES.skills}/{SKILL}/SKILL.md",
        AT,
        f"./src/../.agents//skills/./{SKILL}/SKILL.md",
        f"../project/.agents/skills/{SKILL}/SKILL.md",
        f"~/.agents/skills/{SKILL}/SKILL.md",
        f"$HOME/.codex/skills/{SKILL}/SKILL.md",
        f".codex/skills/{SKILL}/SKILL.md",
        f"/another/name/of/project/.agents/skills/{SKILL}/SKILL.md",
        f".agents/skills/{SKILL}-0a1b2c3d/SKILL.md",
    ],
)
def test_E02_a_read_of_the_installed_file_is_known_in_any_spelling(path: str) -> None:
    assert loaded(session(*command(f"cat {path}", "Use rustfmt.")))[0] == "loaded"
    assert loaded(session(*command(f"cat {path}", "cat: No such file", exit=1)))[0] == "attempted"
    assert loaded(session(*command(f"head -2 {path}", "---\nname: rust-formatting")))[0] == "attempted"
    assert loaded([*START, command(f"cat {path}")[0]])[0] == "unknown"


@pytest.mark.parametrize(
    "path",
    [f".agents/skills/{SKILL}/notes.md", f".agents/skills/{SKILL}x/SKILL.md", f"skills/{SKILL}/SKILL.md"],
)
def test_E02_a_read_of_another_file_is_no_load(path: str) -> None:
    assert loaded(session(*command(f"cat {path}", "text")))[0] == "not_observed"


@pytest.mark.parametrize(
    ("text", "output", "exit", "load"),
    [
        (f"sed -n 1,200p {AT}", SKILL_MD, 0, "loaded"),
        (f"nl -ba {AT} | head -50", "     5\tUse rustfmt.", 0, "loaded"),
        ("cat .agents/skills/*/SKILL.md", SKILL_MD, 0, "loaded"),
        (f"cd .agents/skills/{SKILL} && cat SKILL.md", SKILL_MD, 0, "loaded"),
        (f"cat {AT}; cargo test", f"{SKILL_MD}error: test failed", 101, "loaded"),
        (f"python3 -c 'print(open(\"{AT}\").read())'", SKILL_MD, 0, "loaded"),
        (f"cat {AT}; true", f"cat: {AT}: No such file or directory", 0, "attempted"),
        (f"cat {AT} 2>/dev/null || true", "", 0, "attempted"),
        (f"cat {AT} > copy.md; echo ok", "ok", 0, "not_observed"),
        ("rg name: .agents/skills", f"{AT}:name: {SKILL}", 0, "not_observed"),
        ("echo 'unclosed", "bash: unexpected EOF", 2, "not_observed"),
    ],
)
@pytest.mark.parametrize("shell", ["/bin/bash -c", "/usr/bin/bash -lc", "/bin/zsh -lc"])
def test_E02_a_shell_command_that_shows_the_file_is_a_load(
    text: str, output: str, exit: int, load: str, shell: str
) -> None:
    assert loaded(session(*command(text, output, exit, shell=shell)))[0] == load


def test_E02_a_failed_attempt_followed_by_a_success_is_a_load() -> None:
    lines = session(
        *command(f"cat {AT}", "No such file", 1, "item_1"), *command(f"cat {AT}", SKILL_MD, 0, "item_2")
    )
    assert loaded(lines) == ("loaded", "transcript.jsonl:6: shell command showing SKILL.md succeeded")
    assert loaded(lines[:4] + lines[6:])[1] == "transcript.jsonl:4: shell command reading SKILL.md failed"


def test_E02_an_attempt_in_a_transcript_with_holes_may_have_been_followed_by_a_load() -> None:
    lines = session(*command(f"cat {AT}", "No such file", 1), b'{"type": "item.comp\n')
    load, evidence = loaded(lines)
    assert (load, str(evidence).partition("; ")[2]) == ("unknown", "but 1 of 7 lines could not be read")


def test_E02_commands_that_overlap_are_matched_by_id_not_by_place() -> None:
    one, other = command(f"cat {AT}", SKILL_MD, 0, "item_1"), command("false", "", 1, "item_2")
    lines = session(one[0], other[0], other[1], one[1])
    assert loaded(lines)[0] == "loaded"
    assert [c["failed"] for c in observe(lines)["commands"]] == [False, True]


def test_a_resumed_session_counts_its_items_from_0_again() -> None:
    """Both halves in one transcript: the same thread, the same item ids, and totals that go on."""
    first = [*START, *command(f"cat {AT}", "No such file", 1, "item_0"), DONE]
    second = [
        *START,
        *command(f"cat {AT}", SKILL_MD, 0, "item_0"),
        say("ok"),
        line("turn.completed", usage=usage(99, 9, 9, 27)),
    ]
    seen = observe([*first, *second])
    assert (seen["session"], seen["tool_calls"], seen["loads"][SKILL]["load"]) == ("t-1", 2, "loaded")
    assert list(seen["usage"].values()) == [81, 27, 9, 9]


# Usage


def test_L05_cached_tokens_are_within_the_input_and_come_out_of_it() -> None:
    assert list(
        observe([*START, say("x"), line("turn.completed", usage=usage(100, 60, 30, 7))])["usage"].values()
    ) == [*(10, 7, 60, 30)]


@pytest.mark.parametrize(
    "said", [None, [], {}, {"input_tokens": True, "output_tokens": -1, "cached_input_tokens": "3"}]
)
def test_37_what_is_not_reported_is_null(said: Any) -> None:
    assert (
        list(observe([*START, say("x"), line("turn.completed", usage=said)])["usage"].values()) == [None] * 4
    )
    assert list(observe(START)["usage"].values()) == [None] * 4


def test_L05_a_cached_count_larger_than_the_input_is_believed_of_neither() -> None:
    odd = {"input_tokens": 5, "cached_input_tokens": 9, "output_tokens": 1}
    assert list(observe([*START, say("x"), line("turn.completed", usage=odd)])["usage"].values()) == [
        None,
        1,
        9,
        None,
    ]


# What was done


def test_40_commands_carry_their_lines_and_whether_they_failed() -> None:
    seen = observe(recorded("success_tools"))
    assert [(c["line"], c["tool"], c["text"].partition(" ")[0], c["failed"]) for c in seen["commands"]] == [
        (6, "command_execution", "cat", False),
        (8, "command_execution", "sed", False),
        (10, "file_change", "/eval/run-1/project/added.txt", False),
        (12, "command_execution", "cargo", False),
    ]
    assert seen["response"] == "All done; tests pass."
    assert observe(recorded("killed_during_command"))["commands"] == [
        {"line": 5, "tool": "command_execution", "text": "sleep 60", "failed": None}
    ]


# Starting it


def test_L01_the_command_line_and_L04_the_key_stays_out_of_it() -> None:
    start = codex.command(
        Path("/run/bin/codex"), "-p is a flag", "some-model", "http://model.gw.test", "dummy-key"
    )
    assert start.argv[:3] == ["/run/bin/codex", "exec", "--json"]
    assert start.argv[-2:] == ["--", "-p is a flag"]
    assert start.argv[start.argv.index("--model") + 1] == "some-model"
    assert start.argv[start.argv.index("--sandbox") + 1] == "danger-full-access"
    assert {"--skip-git-repo-check", "--dangerously-bypass-hook-trust"} < set(start.argv)
    assert "dummy-key" not in " ".join(start.argv)
    assert start.variables == {codex.KEY: "dummy-key"}


def test_L01_the_settings_are_toml_and_leave_no_way_around_the_gateway() -> None:
    lines = list(codex.settings("http://model.gw.test"))
    said = tomllib.loads("\n".join(lines))
    provider = said["model_providers"][said["model_provider"]]
    assert provider["base_url"] == "http://model.gw.test/v1"
    assert (provider["wire_api"], provider["env_key"]) == ("responses", codex.KEY)
    assert (said["web_search"], said["allow_login_shell"]) == ("disabled", False)
    assert said["features"] == {"plugins": False, "unbounded_connection_retries": False}


def test_S01_the_whole_vendor_folder_is_staged_and_its_absence_is_said(tmp_path: Path) -> None:
    with pytest.raises(Stop) as stop:
        codex.staged(tmp_path)
    assert stop.value.code is Exit.UNAVAILABLE
    machine = codex.MACHINES.get(platform.machine().lower(), platform.machine())
    vendor = tmp_path / f"@openai/codex-{sys.platform}-{machine}/vendor/some-triple"
    (vendor / "bin").mkdir(parents=True)
    (vendor / "bin/codex").write_text("")
    assert codex.staged(tmp_path) == (vendor, "bin/codex")


def test_S04_the_version_is_read_or_refused_and_an_older_one_is_older() -> None:
    assert codex.version("codex-cli 0.171.0\n") == "0.171.0"
    assert versions.older(codex.version("codex-cli 0.170.9"), codex.MIN_VERSION)
    assert not versions.older(codex.version("codex-cli 0.171.0"), codex.MIN_VERSION)
    for said in ("", "2.1.332 (Claude Code)", "codex-cli"):
        with pytest.raises(ValueError, match="no version"):
            codex.version(said)


def test_L01_the_readers_beside_the_adapter_are_no_clients() -> None:
    assert "codex" in clients.names()
    assert not {"reading", "codex_facts", "codex_stream"} & set(clients.names())


# Rehearsed turns


def test_M02_each_turn_is_a_command_in_the_shell() -> None:
    file = f"{PLACES.skills}/{SKILL}/SKILL.md"
    turns: list[dict[str, str]] = [{"skill": SKILL}, {"read": f"{{skills}}/{SKILL}/SKILL.md"}, {"read": AT}]
    for turn in turns:
        asked = codex.tool(turn, PLACES)
        assert (asked.name, asked.input["cmd"]) == ("exec_command", f"cat {file}")
    assert codex.tool({"run": "ls {home} ${x} {}"}, PLACES).input["cmd"] == f"ls {PLACES.home} ${{x}} {{}}"
    with pytest.raises(ValueError, match="say"):
        codex.tool({"say": "x"}, PLACES)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60))
@settings(max_examples=40, deadline=None)
def test_M02_write_leaves_exactly_its_text(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    project = tmp_path_factory.mktemp("it's a $project")
    turn = {"write": {"path": "src/a b.rs", "text": words}}
    asked = codex.tool(turn, Places(project, project, project))
    subprocess.run(["sh", "-c", asked.input["cmd"]], check=True, cwd="/")
    assert (project / "src/a b.rs").read_bytes() == words.encode()


@pytest.mark.real
def test_S04_the_installed_client_says_its_version(tools: Tools) -> None:
    program, inside = codex.staged(tools.modules)
    said = subprocess.run([program / inside, "--version"], capture_output=True, text=True, check=True).stdout
    assert not versions.older(codex.version(said), codex.MIN_VERSION)
