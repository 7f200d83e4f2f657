"""How a Python test may be written: each form of a right answer passes, or is refused by name (G08, T04)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from graders import Judged, Work, python
from graders.sandbox import open_folder
from grading.bare import Bare
from kit import python_tests

FORMS = tomllib.loads(Path(__file__).with_name("python_forms.toml").read_text("utf-8"))


def rows(*runners: str) -> list[Any]:
    real = {"pytest": [pytest.mark.real, pytest.mark.bare], "unittest": []}
    return [
        pytest.param(runner, number, id=f"{runner}-{form['says']}", marks=real[runner])
        for runner in runners
        for number, form in enumerate(FORMS[runner])
    ]


def problems(runner: str, number: int, folder: Path) -> tuple[str, ...]:
    file = folder / f"form{number}.py"
    file.write_text(FORMS[runner][number]["test"])
    return python_tests.read(file, runner).problems


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Of a runner, every form that is not refused: all of them in one grading."""
    known: dict[str, dict[str, Judged]] = {}

    def of(runner: str, number: int) -> Judged:
        if runner not in known:
            root = tmp_path_factory.mktemp(runner)
            copy, checks, fixtures = (open_folder(root / name) for name in ("copy", "checks", "fixtures"))
            (copy / "m.py").write_text(FORMS["m.py"])
            names = [f"form{n}" for n in range(len(FORMS[runner])) if not problems(runner, n, checks)]
            work = Work(
                {"grader": runner, "checks": names, "editable": ["**"]},
                copy,
                checks,
                open_folder(root / "scratch"),
                fixtures,
            )
            known[runner] = {one.name: one for one in python.judge(work, Bare(Path("/usr")))}
        return known[runner][f"hidden.form{number}"]

    return of


@pytest.mark.parametrize(("runner", "number"), rows("unittest", "pytest"))
def test_G08_a_right_answer_passes_however_its_test_is_written(
    runner: str, number: int, graded: Any, tmp_path: Path
) -> None:
    form = FORMS[runner][number]
    found = problems(runner, number, tmp_path)
    assert bool(found) == ("refused" in form), found
    if found:
        assert form["refused"] in found[0]
        return
    judged = graded(runner, number)
    assert judged.verdict == ("fail" if "wrong" in form else "pass"), judged.detail
    assert form.get("wrong", "") in judged.detail
