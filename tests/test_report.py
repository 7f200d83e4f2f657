"""What a person is shown: all of it, in words, and nothing that a hostile record could do to a terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aggregate
import report
from kit import programs
from kit.contract import Exit, Folder
from kit.text import LONGEST, escaped, plain
from standin_tools import script
from whole_batch import WholeBatch

RECORDS = Path(__file__).parent / "records"
HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202egnp.exe | <img src=x> [red]x[/red] `rm -rf` \r\n# SUCCEEDED https://evil.test"


def recorded(name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDS / name, tmp_path / name))


def change(batch: Path, folder: str, /, **changes: Any) -> None:
    file = batch / folder / "result.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def printed(batch: Path, *flags: str, **env: str) -> str:
    """What the program prints when its output is no terminal."""
    variables = {**os.environ, **env}
    command = [sys.executable, report.__file__, str(batch), "--redo", *flags]
    done = subprocess.run(command, capture_output=True, check=True, env=variables)
    return done.stdout.decode("utf-8")


def test_a_newcomer_sees_what_became_of_a_rehearsed_trial(tmp_path: Path) -> None:
    batch = recorded("one-rehearsed", tmp_path)
    change(batch, "trial-1-with-symposium", findings=["rust-formatting was not offered to the model."])
    said = printed(batch)
    assert "REHEARSED: no model was asked." in said
    for row in (
        ["1", "with-symposium", "SUCCEEDED", "pass", "pass", "pass", "pass", "127", "3.5"],
        ["1", "rust-formatting", "yes", "no", "read", "SKILL.md", "pass", "pass"],
    ):
        assert row in [line.split() for line in said.splitlines()]
    flowing = " ".join(said.split())
    assert "the model's answers came from rehearsals/oracle.yaml; everything else is real." in flowing
    assert "These numbers say nothing about a model." in flowing
    assert "with-symposium 1: succeeded, by hand" not in said, "the table says that it succeeded"
    assert "with-symposium 1: succeeded, by hand" in printed(batch, "--full")
    assert "rust-formatting was not offered to the model." in said


def test_the_paths_stand_last_each_whole_on_its_line(tmp_path: Path) -> None:
    deep = tmp_path / ("long-" * 20)
    batch = recorded("one-rehearsed", deep)
    assert printed(batch, COLUMNS="60").splitlines()[-1].split()[-1] == str(batch / "report.html")
    last = printed(batch, "--full", COLUMNS="60").splitlines()[-4:]
    written = ("report.html", "report.md", "benchmark.json", "trial-1-with-symposium/result.json")
    assert [line.split()[-1] for line in last] == [str(batch / name) for name in written]


def test_the_next_command_can_be_typed_as_it_stands(tmp_path: Path) -> None:
    said = printed(recorded("one-rehearsed", tmp_path / "with space"), "--full")
    assert "nox -s eval -- formatting --client claude --trials 1 --model MODEL" in said
    assert f"nox -s redo -- '{tmp_path / 'with space' / 'one-rehearsed'}'" in said


@pytest.mark.parametrize("where", ["on PATH", "in the checkout", "not installed yet"])
def test_W03_the_next_command_runs_wherever_nox_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Typed into a shell in the checkout, as it stands; a stand-in for nox says what it was given."""
    checkout, said = tmp_path / "checkout", 'printf "[%s]" "$@"'
    place = {"on PATH": tmp_path / "bin", "in the checkout": checkout / ".venv/bin"}.get(where)
    if place:
        script(place / "nox", said)
    rule = "\tmkdir -p .venv/bin && cp stand-in .venv/bin/nox"
    script(checkout / "stand-in", said)
    (checkout / "Makefile").write_text(f".venv/bin/nox:\n{rule}\n")
    monkeypatch.setattr(programs, "SCRIPTS", checkout / "scripts")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    line = programs.typed("redo", "'a batch'")
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    done = subprocess.run(
        ["/bin/sh", "-ec", line], cwd=checkout, env={"PATH": path}, capture_output=True, text=True
    )
    assert done.stdout.endswith("[-s][redo][--][a batch]"), (line, done)


def test_a_comparison_shows_counts_rates_intervals_and_the_difference(tmp_path: Path) -> None:
    rows = [line.split() for line in printed(recorded("two-rehearsed", tmp_path), "--full").splitlines()]
    assert ["success", "rate", "0.00", "1.00", "+1.00"] in rows
    assert ["eligible", "2", "2"] in rows
    assert ["loaded", "fixture-store", "-", "2", "of", "2"] in rows


def test_what_went_wrong_is_in_words_and_never_a_zero(tmp_path: Path) -> None:
    said = printed(recorded("none-eligible", tmp_path), "--full")
    rows = [line.split() for line in said.splitlines()]
    assert ["success", "rate", "-", "1.00", "not", "stated"] in rows
    assert ["1", "without-symposium", "set-up", "failed", "-", "-", "-", "-", "-", "-"] in rows
    assert "Warnings" in said
    assert "The difference is not stated" in said


def test_29_a_trial_without_a_result_has_its_row(tmp_path: Path) -> None:
    said = printed(recorded("result-missing", tmp_path))
    assert said[said.index("\n2  with") :].split()[:4] == ["2", "with-symposium", "no", "result"]
    assert "never finalized" in said


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_no_table_is_wider_than_the_terminal(tmp_path: Path, columns: str) -> None:
    said = printed(recorded("every-outcome", tmp_path), COLUMNS=columns)
    tables = said[: said.index("\nNext")]
    assert max(len(line) for line in tables.splitlines()) <= int(columns)


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "xterm-256color"}, {"TERM": "dumb"}])
def test_without_a_terminal_there_is_no_colour(tmp_path: Path, env: dict[str, str]) -> None:
    assert "\x1b" not in printed(recorded("every-outcome", tmp_path), **env)


def test_a_hostile_record_neither_acts_on_the_terminal_nor_on_the_page(tmp_path: Path) -> None:
    batch = recorded("one-rehearsed", tmp_path)
    change(batch, "trial-1-with-symposium", reason=HOSTILE, findings=[HOSTILE])
    said = printed(batch, COLUMNS="300")
    page = (batch / "report.md").read_text()
    for text in (said, page):
        assert not set(text) & {"\x1b", "\x07", "\r", "\u202e"}
    assert "[red]x[/red]" in said  # shown, not obeyed
    assert "\n# SUCCEEDED" not in page
    assert "https://" not in page
    assert not re.search(r"(?<!\\)(<|\[|`|#(?=.*SUCC)|\|(?=.*img))", page[page.index("owned") :][:100])


def test_a_terminal_that_knows_only_ascii_gets_escapes_and_no_crash(tmp_path: Path) -> None:
    batch = recorded("one-rehearsed", tmp_path)
    change(batch, "trial-1-with-symposium", reason="größer → 42")
    said = printed(batch, "--full", PYTHONIOENCODING="ascii")
    assert said.isascii()
    assert "gr\\xf6\\xdfer" in said


@given(st.text())
def test_plain_text_is_one_harmless_line(text: str) -> None:
    shown = plain(text)
    assert len(shown) <= LONGEST
    assert len(shown.splitlines()) <= 1
    assert shown.isprintable()


@given(st.text(st.sampled_from("ab `*_[]#|~<>&@:/\\")))
def test_escaped_text_has_no_bare_markup(text: str) -> None:
    left = escaped(text).replace("\\\\", "")
    for mark in "`*_[]#|~<>&@":
        assert left.count(mark) == left.count(f"\\{mark}")


def test_nothing_to_report_is_an_error(tmp_path: Path) -> None:
    batch = recorded("one-rehearsed", tmp_path)
    (batch / "benchmark.json").unlink()
    assert report.STEP.execute(report.run, Folder(batch, report.STEP)) is Exit.NO_INPUT


def test_a_torn_result_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch = recorded("one-rehearsed", tmp_path)
    (batch / "trial-1-with-symposium/result.json").write_text("{")
    assert report.STEP.execute(report.run, Folder(batch, report.STEP)) is Exit.BAD_INPUT
    assert "trial-1-with-symposium/result.json: not JSON" in capsys.readouterr().err


def test_the_page_is_the_same_wherever_it_is_written(tmp_path: Path) -> None:
    pages = []
    for place in ("one", "other"):
        batch = recorded("every-outcome", tmp_path / place)
        printed(batch, COLUMNS="50")
        pages.append((batch / "report.md").read_text())
    assert pages[0] == pages[1]
    assert str(tmp_path) not in pages[0]


def test_W04_a_comment_begins_with_the_verdict_after_what_must_be_known_first(tmp_path: Path) -> None:
    batch = recorded("every-outcome", tmp_path)
    printed(batch)
    assert (batch / "report.md").read_text().startswith("**The difference is not stated")
    rehearsed = recorded("two-rehearsed", tmp_path)
    printed(rehearsed)
    banner, verdict = (rehearsed / "report.md").read_text().split("\n\n")[:2]
    assert banner.startswith("**REHEARSED: ")
    assert verdict.startswith("**without-symposium: 0 of 2 eligible")


def test_W04_a_large_batch_still_fits_into_a_comment(tmp_path: Path) -> None:
    made = WholeBatch(tmp_path, 20)
    for number, trial in enumerate(made.order):
        made.change(
            trial, "result.json", reason=f"{number} {'#' * 1000}", findings=[f"{number} {'<' * 1000}"]
        )
    printed(made.folder)
    page = (made.folder / "report.md").read_text()
    assert len(page) < 65_536  # what GitHub takes
    assert "report.html holds them" in page
    assert page.count("<details>") == page.count("</details>")


def test_reasons_that_differ_in_a_random_name_stand_together(tmp_path: Path) -> None:
    batch = recorded("two-rehearsed", tmp_path)
    for number, name in enumerate(("710c5077", "2faf0d53"), 1):
        why = f"hidden.x failed: thread 'x' ({number}) panicked at tests/x_{name}.rs:20:5"
        change(batch, f"trial-{number}-without-symposium", reason=why)
    assert "without-symposium 1, 2: hidden.x failed" in " ".join(printed(batch).split())


def test_what_comes_next_is_what_is_left_and_the_same_experiment(tmp_path: Path) -> None:
    batch = recorded("every-outcome", tmp_path)
    said = printed(batch)
    assert f"run what is left:   {programs.typed('eval', f'--resume {batch}')}" in said
    assert "run what is left" not in printed(recorded("one-rehearsed", tmp_path / "whole"))
    plan = json.loads((batch / "batch.json").read_text())
    assert (
        report.flags({**plan, "isolation": "exploratory", "reads": "deny-list"})
        == " --trials 6 --exploratory"
    )
    assert report.flags({**plan, "reads": "deny-list"}) == " --trials 6 --reads deny-list"


def test_I07_exploratory_results_are_labelled_everywhere(tmp_path: Path) -> None:
    batch = recorded("every-outcome", tmp_path)
    plan = json.loads((batch / "batch.json").read_text())
    (batch / "batch.json").write_text(json.dumps({**plan, "isolation": "exploratory"}))
    said = printed(batch)
    pages = [(batch / name).read_text() for name in ("report.md", "report.html", "junit.xml")]
    assert all("EXPLORATORY" in text and "never compared" in text for text in (said, *pages))
    assert all("empty audit proves nothing" in text for text in pages)
    assert "never compared, and an empty audit proves nothing" in pages[0]


def test_M01_direct_results_are_labelled_everywhere(tmp_path: Path) -> None:
    batch = recorded("every-outcome", tmp_path)
    plan = json.loads((batch / "batch.json").read_text())
    (batch / "batch.json").write_text(json.dumps({**plan, "route": "direct"}))
    said = printed(batch)
    pages = [(batch / name).read_text() for name in ("report.md", "report.html", "junit.xml")]
    assert all("DIRECT" in text and "recorded" in text for text in (said, *pages))


def test_I07_an_exploratory_report_says_nothing_of_a_difference(tmp_path: Path) -> None:
    """Of the same batch: enforced it has a delta, its interval and rounds that agree; exploratory none."""
    batch = recorded("seed-example", tmp_path)
    words = {"| difference |", "<h3>Difference", "rounds in which both trials count"}
    shown = {}
    for isolation in ("enforced", "exploratory"):
        change_isolation(batch, isolation)
        assert aggregate.STEP.execute(aggregate.run, Folder(batch, aggregate.STEP), redo=True) is Exit.OK
        printed(batch)
        text = "".join((batch / name).read_text() for name in ("report.md", "report.html", "junit.xml"))
        benchmark = json.loads((batch / "benchmark.json").read_text())
        shown[isolation] = benchmark["delta"], benchmark["statement"], {w for w in words if w in text}
    delta, said, found = shown["enforced"]
    assert delta
    assert "difference in success rate +0.40" in said
    assert found == words
    delta, said, found = shown["exploratory"]
    assert delta is None
    assert "difference" not in said
    assert found == set()


def change_isolation(batch: Path, isolation: str) -> None:
    plan = json.loads((batch / "batch.json").read_text())
    (batch / "batch.json").write_text(json.dumps({**plan, "isolation": isolation}))
    for trial in plan["order"]:
        said = json.loads((batch / trial / "result.json").read_text())["isolation"]
        change(batch, trial, isolation={**said, "mode": isolation})


def test_O06_a_conservative_report_says_so_and_leaves_the_benchmark_alone(tmp_path: Path) -> None:
    batch = recorded("names-reversed", tmp_path)
    printed(batch)
    before = (batch / "benchmark.json").read_bytes()
    command = [sys.executable, report.__file__, str(batch), "--redo", "--conservative", "--full"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env={"COLUMNS": "200"}).stdout
    assert "Intervals: Clopper-Pearson (a rate), Agresti-Min (a difference); exact" in said
    assert "exact 95 % interval" in said
    assert (batch / "benchmark.json").read_bytes() == before
    assert "Agresti-Min" in (batch / "report.md").read_text()


def test_O06_the_primary_measure_and_the_secondary_ones_are_told_apart(tmp_path: Path) -> None:
    said = printed(recorded("names-reversed", tmp_path), "--full", COLUMNS="200")
    assert "Primary measure: the success rate, named in the plan before anything ran" in said
    assert "All others are secondary: described, not tested." in said


def test_28_a_withheld_difference_stands_in_no_table(tmp_path: Path) -> None:
    said = printed(recorded("every-outcome", tmp_path), "--full", COLUMNS="200")
    assert re.search(r"success rate +0\.25 +0\.50 +not stated", said)
    assert "+0.25" not in said


def test_D08_a_rehearsed_batch_names_no_api(tmp_path: Path) -> None:
    batch = recorded("two-rehearsed", tmp_path)
    assert aggregate.STEP.execute(aggregate.run, Folder(batch, aggregate.STEP), redo=True) is Exit.OK
    said = printed(batch, "--full", COLUMNS="200")
    assert "What a trial takes (rehearsed: no model was asked, no dollars)" in said
    counted = json.loads((batch / "benchmark.json").read_text())
    assert {c["table"]["provider"] for c in counted["configurations"].values()} == {"rehearsal"}
    assert not any("api.anthropic.com" in text for text in (said, (batch / "report.html").read_text()))


def test_W04_the_terminal_shows_the_tables_then_what_they_show_in_a_minutes_reading(tmp_path: Path) -> None:
    said = printed(recorded("two-rehearsed", tmp_path))
    assert len(said.splitlines()) <= 50
    titles = (
        "Trials",
        "What Symposium did (with-symposium)",
        "Success rate",
        "What this shows",
        "Why",
        "Next",
    )
    at = [said.index(f"\n{title}\n") for title in titles]
    assert at == sorted(at)
    rows = [line.split() for line in said.splitlines()]
    assert ["without-symposium", "0", "of", "2", "0.00", "0.00", "to", "0.66"] in [row[:8] for row in rows]
    assert ["difference", "+1.00"] in [row[:2] for row in rows]


def test_W04_a_terminal_report_of_a_large_batch_stays_short(tmp_path: Path) -> None:
    made = WholeBatch(tmp_path, 50)
    for number, trial in enumerate(made.order):
        made.change(trial, "result.json", reason=f"{number} {'because ' * 100}", findings=[f"{number} found"])
    said = printed(made.folder)
    assert len(said.splitlines()) < 200
    for title, left in (("Trials", 100 - report.MOST_ROWS), ("Findings", 100 - report.MOST_LINES)):
        assert f"{left} more in report.html" in said[said.index(f"\n{title}") :]


def test_D08_a_price_that_nobody_named_is_said_and_not_0(tmp_path: Path) -> None:
    said = printed(recorded("names-reversed", tmp_path), "--full", COLUMNS="200")
    assert "What a trial takes (api.anthropic.com, model-1; no price file: USD not known)" in said
