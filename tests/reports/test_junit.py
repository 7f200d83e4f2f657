"""junit.xml as a CI server reads it: one case a trial, the sums right, and nothing broken is green."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

import report
from kit.contract import Exit, Folder

RECORDS = Path(__file__).parents[1] / "records"
TAGS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def read(batch: Path) -> xml.Element:
    assert report.STEP.execute(report.run, Folder(batch, report.STEP), redo=True) is Exit.OK
    return xml.parse(batch / "junit.xml").getroot()


def recorded(name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDS / name, tmp_path / name))


def ends(root: xml.Element) -> dict[str, str]:
    return {
        str(case.get("name")): next((c.tag for c in case if c.tag != "system-out"), "passed")
        for case in root.iter("testcase")
    }


@pytest.mark.parametrize(
    "name", sorted(path.name for path in RECORDS.iterdir() if (path / "batch.json").exists())
)
def test_every_planned_trial_is_one_case_and_the_sums_hold(tmp_path: Path, name: str) -> None:
    batch = recorded(name, tmp_path)
    root = read(batch)
    order = json.loads((batch / "batch.json").read_text())["order"]
    assert sorted(ends(root)) == sorted(order)
    for counted in (root, *root):
        assert int(counted.get("tests", "-1")) == len(list(counted.iter("testcase")))
        for attribute, tag in TAGS.items():
            assert int(counted.get(attribute, "-1")) == len(list(counted.iter(tag))), attribute


def test_each_outcome_has_its_kind_and_its_reason(tmp_path: Path) -> None:
    root = read(recorded("every-outcome", tmp_path))
    assert ends(root) == {
        "trial-1-without-symposium": "passed",
        "trial-2-without-symposium": "failure",
        "trial-3-without-symposium": "failure",  # timeout
        "trial-4-without-symposium": "error",  # set-up
        "trial-5-without-symposium": "skipped",  # cancelled
        "trial-6-without-symposium": "failure",  # client error
        "trial-1-with-symposium": "passed",
        "trial-2-with-symposium": "failure",
        "trial-3-with-symposium": "failure",  # inconclusive
        "trial-4-with-symposium": "error",  # isolation
        "trial-5-with-symposium": "error",  # grading
        "trial-6-with-symposium": "passed",
    }
    failed = next(case for case in root.iter("testcase") if case.get("name") == "trial-2-with-symposium")
    assert failed[0].attrib == {"message": "failed, by hand", "type": "failed"}


def test_29_a_trial_without_a_result_is_never_green(tmp_path: Path) -> None:
    assert ends(read(recorded("result-missing", tmp_path)))["trial-2-with-symposium"] == "error"


def test_a_rehearsal_says_so(tmp_path: Path) -> None:
    root = read(recorded("two-rehearsed", tmp_path))
    said = {str(p.get("name")): str(p.get("value")) for p in root.iter("property")}
    assert said["rehearsed"].startswith("REHEARSED: ")


def test_41_a_hostile_reason_leaves_the_file_readable(tmp_path: Path) -> None:
    batch = recorded("one-rehearsed", tmp_path)
    file = batch / "trial-1-with-symposium/result.json"
    why = "]]></failure><failure/> \x00\x1b\ufffe\ud800 & < \" '"
    changes = {"outcome": "failed", "success": "fail", "reason": why, "findings": [why]}
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    (case,) = read(batch).iter("testcase")
    assert [child.tag for child in case] == ["failure", "system-out"]
    assert "]]></failure><failure/> \\x00\\x1b\\ufffe\\ud800" in str(case[0].text)
