"""Some of the attacks on the cargo grader, of the likeliest kinds; attacks.py runs all (G08)."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from graders import cargo
from graders.cargo_corpus import cases, graded
from grading.bare import Bare, launcher
from kit.contract import Stop
from kit.layout import Run
from kit.tools import Tools

CORPUS = Path(__file__).parent / "attacks/cargo"
CHOSEN = (
    "constructor_sets_told",
    "eq_all",
    "exit0_forged",
    "fmt_forged_by_build_script",
    "fmt_off_by_rustfmt_in_src",
    "fmt_skip_mark",
    "honest_macro_named_as_function",
    "honest_prints",
    "honest_starter_rustfmt",
    "macro_named_as_function",
    "mixed_oracle_calls_its_caller",
    "mixed_oracle_reexec2",
    "probe_computed",
    "skip_body_end",
    "told_literal",
    "trait_named_as_function",
)


@pytest.mark.real
@pytest.mark.bare
@pytest.mark.parametrize("name", CHOSEN)
def test_G08_a_submission_cannot_talk_its_grader_into_a_pass(name: str, tmp_path: Path, tools: Tools) -> None:
    (case,) = cases(CORPUS, [name])
    bench, run = Bare(tools.sysroot, 20.0), Run(tmp_path, tmp_path / "c")
    outcome = graded(case, run, bench, cargo.judge, None, 0.0, launcher(tools.sysroot))
    assert outcome.verdict == case.expect, outcome.detail


def test_D03_the_corpus_is_whole() -> None:
    """Every attack names an honest look-alike that passes; every kind and every hidden test has its files."""
    found = cases(CORPUS)
    by_name = {case.name: case for case in found}
    for case in found:
        assert case.expect in ("pass", "fail"), case.name
        assert case.lib, case.name
        assert case.beside("hidden"), case.name
        assert case.beside("solutions"), case.name
        if case.expect == "fail":
            assert by_name[case.look_alike or ""].expect == "pass", case.name
    assert len(found) >= 200
    assert Counter(case.expect for case in found)["pass"] >= 50


def test_D06_each_listed_guard_stands_where_its_list_says() -> None:
    """attacks.py --guards takes them away; here: no change is lost, and every attack is one of the corpus."""
    attacks = {case.name for case in cases(CORPUS) if case.expect == "fail"}
    guards = tomllib.loads((CORPUS / "_guards.toml").read_text())["guard"]
    assert len(guards) == len({guard["name"] for guard in guards}) > 10
    for guard in guards:
        assert guard["attacks"]
        assert {*guard["attacks"]} <= attacks, guard["name"]
        for change in guard["change"]:
            text = (CORPUS.parents[2] / "scripts" / change["file"]).read_text()
            assert text.count(change["find"]) == 1, change
            assert change["put"] != change["find"]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(Stop, match="has no nobody"):
        cases(CORPUS, ["nobody"])
