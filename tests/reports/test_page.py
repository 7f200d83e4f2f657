"""report.html without a browser: well formed, self-contained, the same bytes, no markup from a record."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import left_behind as was
import report
from kit.contract import Exit, Folder
from reports import changes, detail, plots, transcript
from whole_batch import WholeBatch, hostile

VOID = {"meta", "link", "br", "input"}


class Page(HTMLParser):
    """The page's elements, as a browser would close them; ours are never left open."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[int, str] = {}  # index of a script or style to its text
        self.shown = ""
        self.feed(text)
        self.close()
        assert self.open == [], f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.open, self.getpos())

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            at = len(self.elements) - 1
            self.inside[at] = self.inside.get(at, "") + data
        else:
            self.shown += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def data(self) -> dict[str, Any]:
        """Trial to the detail that is embedded for it."""
        found = {}
        for at, (tag, attributes) in enumerate(self.elements):
            if tag == "script" and attributes.get("type") == "application/json":
                found[str(attributes["id"])] = json.loads(self.inside[at])
        return found


def shown(batch: Path) -> str:
    assert report.STEP.execute(report.run, Folder(batch, report.STEP), redo=True) is Exit.OK
    return (batch / "report.html").read_bytes().decode("utf-8")


def test_W04_the_verdict_stands_first_and_every_element_is_closed(tmp_path: Path) -> None:
    text = shown(WholeBatch(tmp_path, 5).folder)
    page = Page(text)
    assert (
        page.shown.index("difference in success rate +0.60")
        < page.shown.index("planned")
        < page.shown.index("Trials")
    )
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)


def test_every_link_leads_somewhere_that_is_there(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path).folder
    page = Page(shown(batch))
    ids = {attributes.get("id") for _, attributes in page.elements}
    for attributes in page.of("a"):
        href = str(attributes["href"])
        assert href[1:] in ids if href.startswith("#") else (batch / href).exists(), href
    for made in page.data().values():
        assert [name for name, href in made["files"] if not (batch / unquote(href)).exists()] == []


def test_the_page_asks_for_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    page = Page(shown(WholeBatch(tmp_path).folder))
    policy = str(next(m["content"] for m in page.of("meta") if "http-equiv" in m))
    for kind, tag in (("style", "style"), ("script", "script")):
        (ours,) = [
            t
            for i, t in page.inside.items()
            if page.elements[i][0] == tag and "type" not in page.elements[i][1]
        ]
        digest = base64.b64encode(hashlib.sha256(ours.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed", "img", "base"), tag
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src")], (
            attributes
        )
        assert not re.match(r"\s*(javascript|https?|//)", attributes.get("href") or ""), attributes


def test_41_hostile_content_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    batch = hostile(tmp_path)
    text = shown(batch.folder)
    page = Page(text)
    assert len(page.of("script")) == len(batch.order) + 1
    assert page.of("img") == []
    assert not re.search(r"[^\n\t\x20-\x7e\u00a0-\U0010ffff]", text)  # no control character at all
    assert "\u202e" not in text
    assert "</script><script>alert(1)" in page.shown  # as text
    said = page.data()[batch.order[0]]
    assert "</script>" in str(said["events"])
    assert "\\xff\\xfe</script>" in str(said["events"][-4:]).replace("\\\\", "\\")
    assert "49" not in str(said["findings"])


def test_the_same_record_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = hostile(tmp_path)
    names = ("report.html", "report.md", "junit.xml")
    shown(batch.folder)
    first = [(batch.folder / name).read_bytes() for name in names]
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("COLUMNS", "40")
    for trial in batch.order:  # as a redo leaves them
        late = {**was.receipt("observe"), "started": 9e9}
        was.put(batch.folder / trial / "receipts/observe.json", late)
    shown(batch.folder)
    assert [(batch.folder / name).read_bytes() for name in names] == first


def test_the_page_is_as_closed_to_others_as_the_trials_it_holds(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path).folder
    shown(batch)
    assert stat.S_IMODE((batch / "report.html").stat().st_mode) == 0o600


def test_a_trial_opens_down_to_diff_output_evidence_and_hashes(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path)
    said = Page(shown(batch.folder)).data()["trial-1-without-symposium"]
    ((path, how, diff, note),) = said["diff"]
    assert (path, how, note) == ("src/lib.rs", "modified", "")
    assert "+pub fn double(x: i64) -> i64 {" in diff
    assert [
        "hidden.double",
        "fail",
        "",
        "checks/double.rs of the task:\nleft: 41 right: 42\n\nhidden.double ... fail",
    ] in said["checks"]
    assert [entry[1] for entry in said["events"]] == [
        "system",
        "think",
        "call",
        "system",
        "result",
        "say",
        "say",
    ]
    assert ["evidence/hooks.jsonl", '{"hook": "format-on-stop", "exit": 0}\n'] in said["evidence"]
    assert ["task", f"formatting, sha256 {batch.hash}"] in said["versions"]
    assert said["phases"] == [
        ["set-up", 0.0, 0.7],
        ["agent", 1.0, 3.4],
        ["collecting", 4.5, 0.1],
        ["grading", 4.7, 2.8],
    ]


RUST = f"""
running 1 test

q475a938f7a45 true {"10 01 " * 40}|
test tcc354bde499f::double ... I am the submission
ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
PYTHON = '["hidden double", "start", "test_double"]\n["hidden double", "v", 3, ["int", "41"]]\n'


@pytest.mark.parametrize("output", [RUST, RUST.replace("I am the submission\n", ""), PYTHON])
def test_a_failed_hidden_test_is_told_in_lines_and_not_by_how_its_process_reports(output: str) -> None:
    wrong = 'assertion does not hold: line 20: assert_eq!(double(4), Some("8")); another: line 21: x'
    lines = wrong.replace("; ", "\n")
    for said in (detail.told(wrong, output), detail.told(wrong, f"{lines}\n{output}")):
        assert said.startswith("assertion does not hold: line 20: assert_eq!(double(4)")
        assert said.count("line 20") == 1
        assert "line 21: x" in said
        assert ("I am the submission" in said) is ("I am" in output)
        assert not re.search("[01]{2} [01]{2}|running|test result|hidden double", said)


def test_what_did_not_succeed_says_once_what_its_output_says(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path)
    page = shown(batch.folder)
    failed = page[page.index("What did not succeed") :]
    assert "<p>hidden.double failed</p>" in failed
    assert failed[: failed.index("</details>")].count("left: 41 right: 42") == 1


def test_what_codex_said_and_did_is_told_like_claudes(tmp_path: Path) -> None:
    """Every recorded session: no event of a shape that is known is shown as the JSON that it came in."""
    told = [
        entry
        for file in sorted((Path(__file__).parents[1] / "clients/codex/transcripts").glob("*.jsonl"))
        for entry in transcript.of(file.read_bytes().splitlines())
    ]
    loud = [entry for entry in told if entry.kind not in ("system", "other")]
    assert {"say", "call", "result"} <= {entry.kind for entry in loud}
    raw = [entry for entry in loud if entry.text.startswith("{") or '"type"' in entry.text]
    assert {entry.title for entry in raw} <= {"error", "turn.failed"}, "what the API answered, word for word"
    titles = {entry.title for entry in told}
    assert {"agent", "command_execution", "command_execution: completed", "file_change"} <= titles
    (failed,) = {
        e.text.split(":")[0] for e in told if e.title == "command_execution: failed (1)" and e.failed
    }
    assert failed == "cat"
    assert any(e.failed and e.text.startswith("Quota exceeded") for e in loud)
    assert "changes: \n  path /eval/run-1/project/added.txt, kind add" in {e.text for e in told}


def test_T07_a_diff_against_a_task_that_has_changed_says_so(tmp_path: Path) -> None:
    batch, trial = WholeBatch(tmp_path), "trial-1-with-symposium"
    (batch.evals / "tasks/formatting/starter/src/lib.rs").write_text("// another\n")
    ((_, _, diff, note),) = Page(shown(batch.folder)).data()[trial]["diff"]
    assert "-// another" in diff
    assert "the task has changed since this trial" in note
    shutil.rmtree(batch.evals / "tasks")
    ((_, _, diff, note),) = Page(shown(batch.folder)).data()[trial]["diff"]
    assert (diff, note) == ("", "no diff: evals/ no longer holds the starter")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "large", "binary"])
def test_what_is_no_plain_text_is_named_and_not_read(tmp_path: Path, kind: str) -> None:
    (tmp_path / "secret").write_text("key")
    file = tmp_path / "submission/lib.rs"
    file.parent.mkdir()
    make: dict[str, Callable[[], object]] = {
        "link": lambda: file.symlink_to(tmp_path / "secret"),
        "pipe": lambda: os.mkfifo(file),
        "folder": file.mkdir,
        "large": lambda: file.write_bytes(b"x" * (changes.MOST_BYTES + 1)),
        "binary": lambda: file.write_bytes(b"\0"),
    }
    make[kind]()
    change = changes.one("lib.rs", "added", file.parent, None)
    assert change.diff == ""
    assert change.note.startswith("not shown: ")


def test_a_huge_transcript_is_cut_and_linked(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path, text="word " * 1000)
    file = batch.folder / batch.order[0] / "transcript.jsonl"
    file.write_bytes(file.read_bytes() * 400)
    text = shown(batch.folder)
    assert len(text) < detail.MOST * 2
    said = Page(text).data()[batch.order[0]]
    assert not said["whole"]
    assert len(said["events"]) > 20


def test_a_difference_that_the_verdict_withholds_is_not_drawn(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path, 5)
    batch.change(
        "trial-1-without-symposium", "result.json", outcome="setup_failure", success=None, execution=None
    )
    batch.count()
    said = Page(shown(batch.folder)).shown
    assert "The difference is not drawn" in said
    assert "minus" not in said


def test_trials_that_left_nothing_still_have_their_page(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path)
    lost = batch.folder / batch.order[0]
    for file in sorted(lost.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    batch.count()
    said = Page(shown(batch.folder)).data()[lost.name]
    assert "never finalized" in said["facts"][0][1]


TEXT = st.text(max_size=50)


@given(st.dictionaries(TEXT, st.lists(TEXT, max_size=3), max_size=3))
def test_embedded_data_cannot_end_its_element(made: dict[str, Any]) -> None:
    text = detail.embedded(made)
    assert not set(text) & set("<>&")
    assert json.loads(text) == made


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | TEXT, lambda x: st.lists(x) | st.dictionaries(TEXT, x)
)
SHAPED = st.fixed_dictionaries(
    {}, optional={"type": JSON, "message": st.fixed_dictionaries({"content": JSON}), "item": JSON}
)


@given(
    st.lists(st.binary(max_size=80) | st.builds(lambda x: json.dumps(x).encode(), JSON | SHAPED), max_size=5)
)
def test_any_line_is_shown_and_none_breaks_the_page(lines: list[bytes]) -> None:
    entries = list(transcript.of(lines))
    assert {entry.line for entry in entries} <= set(range(1, len(lines) + 1))
    assert not re.search(r"[^\n\t\x20-\x7e\u00a0-\U0010ffff]", "".join(e.text + e.title for e in entries))


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_an_axis_holds_its_largest_value(most: float) -> None:
    end, ticks = plots.axis(most)
    assert end >= most * (1 - 1e-6)
    assert [at for at, _ in ticks] == sorted({at for at, _ in ticks})
    assert (ticks[0][0], round(ticks[-1][0])) == (0, 100)
    assert 3 <= len(ticks) <= 6
