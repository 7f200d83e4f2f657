"""Marks that switch tests off (no_new_skips): what is one, what looks like one, which are new (D03)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from assertions import skips
from kit import skip_marks

DATA = tomllib.loads(Path(__file__).with_name("skip_marks.toml").read_text("utf-8"))


def rows(key: str) -> Iterator[tuple[str, str]]:
    for name, said in DATA.items():
        for text in said[key]:
            yield name, text
            if name == "x.test.js":
                yield "x.test.ts", text


@pytest.mark.parametrize(("name", "text"), [*rows("marks")])
def test_D03_a_mark_is_found_by_parser(name: str, text: str) -> None:
    assert skip_marks.found(name, text.encode())


@pytest.mark.parametrize(("name", "text"), [*rows("none")])
def test_D03_what_only_looks_like_a_mark_is_none(name: str, text: str) -> None:
    assert [str(mark) for mark in skip_marks.found(name, text.encode())] == []


OWNERS = {
    "x.py": ("@pytest.mark.skip\ndef test_{}(): 0\n", "def test_{}(): 0\n"),
    "x.rs": ("#[test]\n#[ignore]\nfn test_{}() {{}}\n", "#[test]\nfn test_{}() {{}}\n"),
    "x.js": ("it.skip('test {}', f);\n", "it('test {}', f);\n"),
    "x.ts": ("it('test {}', () => {{ this.skip(); }});\n", "it('test {}', f);\n"),
    "x_test.go": ("func Test{}(t *testing.T) {{ t.Skip() }}\n", "func Test{}(t *testing.T) {{}}\n"),
    "X.java": ("class {} {{ @Ignore @Test void t() {{}} }}\n", "class {} {{ @Test void t() {{}} }}\n"),
}


def new(name: str, was: str, now: str) -> list[str]:
    old, marks = (skip_marks.found(name, text.encode()) for text in (was, now))
    return [str(mark) for mark in skips.news(old, marks, was.encode())]


@pytest.mark.parametrize("name", [name for name in OWNERS if name != "X.java"])
def test_D03_a_mark_that_goes_from_one_test_to_another_is_new(name: str) -> None:
    marked, plain = OWNERS[name]
    was = marked.format("Known") + plain.format("Other")
    assert new(name, was, plain.format("Known") + marked.format("Other"))


@pytest.mark.parametrize("name", OWNERS)
def test_D03_a_marked_test_may_be_kept_renamed_and_deleted(name: str) -> None:
    marked, plain = OWNERS[name]
    was = marked.format("Known") + plain.format("Other")
    for now in (
        plain.format("Other") + marked.format("Known"),
        marked.format("Renamed") + plain.format("Other"),
        plain.format("Other"),
        plain.format("Known") + plain.format("Other") + plain.format("Added"),
    ):
        assert new(name, was, now) == []


@pytest.mark.parametrize("name", OWNERS)
def test_D03_one_more_mark_is_new_wherever_it_is(name: str) -> None:
    marked, plain = OWNERS[name]
    was = marked.format("Known") + plain.format("Other")
    assert new(name, was, was + marked.format("Added"))
    assert new(name, plain.format("Known"), marked.format("Known"))
