"""Rehearsals say what they mean, and a wrong one is refused with its line (M02)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway import rehearsal
from gateway.rehearsal import RehearsalError
from gateway_asking import Reply, body, opened, rehearsed, script
from kit.contract import Exit, Stop

GOOD = """\
says: Loads the skill and writes the function.
clients: [claude]
deadlines_secs: {agent: 30}
expect:
  with-symposium:
    outcome: succeeded
    usage: {input_tokens: 22}
    code: {hidden: {double: pass}}
  claude:
    without-symposium: {outcome: failed, success: fail}
turns:
  - usage: {input_tokens: 11, cache_read_tokens: null}
  - skill: rust-formatting
  - read: "{skills}/rust-formatting/SKILL.md"
  - write:
      path: src/lib.rs
      text: |
        pub fn double(x: i32) -> i32 { 2 * x }
  - delay: 0.01
  - run: cat {home}/x ${other}
  - say: Done.
"""


def refused(folder: Path, text: str, name: str = "wrong.yaml") -> str:
    file = folder / name
    file.write_text(text)
    with pytest.raises(RehearsalError) as error:
        rehearsal.load(file)
    assert isinstance(error.value, Stop)
    assert error.value.code is Exit.BAD_INPUT
    return str(error.value).removeprefix(f"{file}:")


def turns(*lines: str) -> str:
    listed = "".join(f"  - {line}\n" for line in lines)
    return f"says: x\nexpect:\n  with-symposium: {{outcome: failed}}\nturns:\n{listed}"


def test_M02_a_rehearsal_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "good-one.yaml").write_text(GOOD)
    good = rehearsal.load(tmp_path / "good-one.yaml")
    assert (good.name, good.says) == ("good-one", "Loads the skill and writes the function.")
    assert good.deadlines_secs == {"agent": 30}
    assert [(turn.number, turn.word) for turn in good.turns] == [
        *((2, "skill"), (3, "read"), (4, "write"), (6, "run"), (7, "say"))
    ]
    assert [turn.delay_secs for turn in good.turns] == [0, 0, 0, 0.01, 0], "a delay is for one answer"
    assert {(turn.usage["input_tokens"], turn.usage["output_tokens"]) for turn in good.turns} == {(11, 0)}
    assert good.turns[0].usage["cache_read_tokens"] is None
    assert good.turns[2].value["text"] == "pub fn double(x: i32) -> i32 { 2 * x }\n"
    assert (good.serves("claude"), good.serves("codex")) == (True, False)


def test_M02_expectations_by_configuration_or_by_client(tmp_path: Path) -> None:
    (tmp_path / "good-one.yaml").write_text(GOOD)
    good = rehearsal.load(tmp_path / "good-one.yaml")
    expected = good.expect_for("claude", "with-symposium")
    assert expected is not None
    assert expected["code"] == {"hidden": {"double": "pass"}}
    assert good.expect_for("claude", "without-symposium") == {"outcome": "failed", "success": "fail"}
    assert good.expect_for("codex", "without-symposium") is None
    assert good.expect_for("codex", "with-symposium") == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (turns("say: a").replace("says: x", "sais: x"), "1: unknown key sais; did you mean says?"),
        (turns("say: a") + "extra: 1\n", "6: unknown key extra; known: says, clients"),
        ("says: x\nturns:\n  - say: a\n", "1: expect is missing; add it"),
        (turns("say: a").replace("says: x", "says: [x]"), "1: says: ['x'] is not of type 'string'"),
        (turns("say: a").replace("says: x", 'says: "a\\nb"'), "1: says: "),
        ("", "1: None is not of type 'object'"),
        (turns("say: a", "reed: b"), "6: turn 2: unknown key reed; did you mean read?"),
        (turns("{say: a, run: b}"), "5: turn 1: more than one key (say, run); make a turn of each"),
        (
            turns("write: {path: a, txt: b}", "say: a"),
            "5: turn 1, write: unknown key txt; did you mean text?",
        ),
        (turns("write: {path: a}", "say: a"), "5: turn 1, write: text is missing; add it"),
        (turns("stal"), "5: turn 1: 'stal' is none of stall, refuse, limit; did you mean stall?"),
        (turns("say: 5"), "5: turn 1, say: 5 is not of type 'string'"),
        (turns("say: yes"), "5: turn 1, say: True is not of type 'string'"),
        (turns("say: 2026-01-01"), "5: turn 1, say: datetime.date(2026, 1, 1) is not of type 'string'"),
        (turns("error: {status: 200}"), "5: turn 1, error, status: 200 is less than the minimum of 400"),
        (turns("error: {type: x}"), "5: turn 1, error: status is missing; add it"),
        (
            turns("usage: {input: 5}", "say: a"),
            "5: turn 1, usage: unknown key input; known: input_tokens, ",
        ),
        (turns("delay: .inf", "say: a"), "5: .inf is no number to reckon with"),
        (turns("delay: 1", "run: ls"), "6: turn 2: the client will ask again after run; end with say"),
        (turns("say: a", "delay: 1"), "6: turn 2: delay has no answer after it; move or remove it"),
        (
            turns("error: {status: 500}", "say: a"),
            "6: turn 2: never reached: turn 1 (error) answers every request",
        ),
        (turns("stall", "run: ls", "say: a"), "6: turn 2: never reached"),
        (turns("refuse: {times: 2}"), "5: turn 1: the client will ask again after refuse; end with say"),
        (
            turns('read: "{skill}/x"', "say: a"),
            "5: turn 1: {skill} stands for nothing; did you mean {skills}?",
        ),
        (turns("write: {path: '{a}/b', text: t}", "say: a"), "5: turn 1: {a} stands for nothing"),
        (
            turns("say: a").replace("outcome", "outcom"),
            "3: expect, with-symposium: unknown key outcom; did you mean outcome?",
        ),
        (
            turns("say: a").replace("failed", "faild"),
            "3: expect, with-symposium, outcome: 'faild' is none of",
        ),
        (
            turns("say: a").replace("failed", "failed, code: {hiden: {}}"),
            "3: expect, with-symposium, code: unknown key hiden; did you mean hidden?",
        ),
        (
            turns("say: a").replace("failed", "failed, code: {build: passed}"),
            "3: expect, with-symposium, code, build: ",
        ),
        (turns("say: a") + "clients: [cloud]\n", "6: client cloud: unknown"),
        (turns("say: a").replace("says: x", "says: x\nsays: y"), "2: says is there twice; keep one"),
        (turns("say: &a b", "say: *a"), "6: an alias (*name); write it out"),
        (
            turns("say: !!python/object:os.system x"),
            "5: not YAML: could not determine a constructor for the tag",
        ),
        (
            turns("say: a").replace("says: x", "says: x: y"),
            "1: not YAML: mapping values are not allowed here",
        ),
        (turns("say: a") + "5: x\n", "6: the key '5' is no text; put it in quotes"),
        (turns("say: a\x07"), "1: not YAML: "),
    ],
)
def test_M02_a_wrong_rehearsal_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    message = refused(tmp_path, text)
    assert message.startswith(said), message
    assert "\n" not in message.strip() or "not YAML" in message


def test_M02_a_name_that_is_no_slug_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, turns("say: a"), "Not A Slug.yaml").startswith("1: Not A Slug is no name")
    with pytest.raises(RehearsalError, match="No such file"):
        rehearsal.load(tmp_path / "missing.yaml")


def asked(folder: Path, lines: str, times: int) -> tuple[list[Reply], list[int | None]]:
    with opened(rehearsed(folder, lines), folder / "x.jsonl") as there:
        replies = [there.ask(body()) for _ in range(times)]
    return replies, [line["turn"] for line in there.lines()]


def test_M02_an_error_answers_for_ever_or_as_often_as_it_says(tmp_path: Path) -> None:
    for name, lines, statuses, taken in (
        ("ever", "- error: {status: 529}", [529, 529, 529], [1, 1, 1]),
        ("twice", "- error: {status: 500, times: 2}\n- say: ok", [500, 500, 200], [1, 1, 2]),
    ):
        (tmp_path / name).mkdir()
        replies, numbers = asked(tmp_path / name, lines, 3)
        assert [reply.status for reply in replies] == statuses
        assert numbers == taken
    assert b'"type": "api_error", "message": "rehearsed error 500"' in replies[0].body


def test_M02_refusals_limits_and_the_end_of_the_script(tmp_path: Path) -> None:
    replies, numbers = asked(tmp_path, "- refuse: {times: 1}\n- limit: {times: 1}\n- say: ok", 4)
    stops = [reply.events[-2]["delta"]["stop_reason"] for reply in replies]
    assert stops == ["refusal", "max_tokens", "end_turn", "end_turn"]
    assert numbers == [1, 2, 3, None]
    assert replies[3].text == rehearsal.EXHAUSTED
    last = (tmp_path / "x.jsonl").read_text().splitlines()[-1]
    assert '"problem": "the rehearsal has no more turns"' in last


def test_M02_usage_holds_from_where_it_stands(tmp_path: Path) -> None:
    lines = "- run: a\n- usage: {output_tokens: 9}\n- run: b\n- say: c"
    assert [turn.usage["output_tokens"] for turn in script(tmp_path, lines).turns] == [22, 9, 9]
