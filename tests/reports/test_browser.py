"""report.html in a real browser: it opens fast, runs nothing of a record, works by keyboard and on phones.

Skipped where there is no Chromium: `apt-get install chromium`; the pictures are made by scripts/look.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import left_behind as was
import look
import report
from kit.contract import Exit, Folder
from reports import detail
from whole_batch import ARMS, WholeBatch, hostile

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not any(map(shutil.which, look.NAMES)), reason="no chromium: apt-get install chromium"
    ),
]
PHONE = 360


def page(batch: WholeBatch) -> Path:
    assert report.STEP.execute(report.run, Folder(batch.folder, report.STEP), redo=True) is Exit.OK
    return batch.folder / "report.html"


def drive(file: Path, use: Callable[[look.Tab], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        async with look.browser() as tab:
            await look.opened(tab, file)
            found = await use(tab)
            assert tab.trouble() == []
            return found

    return asyncio.run(whole())


async def press(tab: look.Tab, key: str, text: str = "") -> None:
    for kind in ("keyDown", "keyUp"):
        await tab.ask("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "")
    await tab.run("new Promise((r) => setTimeout(r, 50))")


OPEN = "!document.getElementById('trial').hidden"
TITLE = "document.querySelector('#trial h1')?.textContent"


def test_a_trial_is_opened_and_left_by_keyboard(tmp_path: Path) -> None:
    async def use(tab: look.Tab) -> None:
        await tab.run("document.querySelector('#table tbody a').focus()")
        await press(tab, "Enter", "\r")
        assert await tab.run(OPEN)
        assert await tab.run(TITLE) == "trial-1-without-symposium: FAILED"
        assert await tab.run("document.activeElement.tagName") == "H1"
        await press(tab, "j", "j")
        assert await tab.run(TITLE) == "trial-1-with-symposium: SUCCEEDED"
        await press(tab, "k", "k")
        assert await tab.run(TITLE) == "trial-1-without-symposium: FAILED"
        assert "+pub fn double" in await tab.run("document.querySelector('.diff').textContent")
        await press(tab, "Escape")
        assert not await tab.run(OPEN)
        assert await tab.run("document.activeElement.hash") == "#trial-1-without-symposium"

    drive(page(WholeBatch(tmp_path)), use)


def test_trials_are_searched_filtered_and_sorted(tmp_path: Path) -> None:
    rows = "[...document.querySelectorAll('#table tbody tr')].filter((r) => !r.hidden)"

    async def use(tab: look.Tab) -> None:
        change = "dispatchEvent(new Event('input', {bubbles: true}))"
        await tab.run(f"const o = document.getElementById('outcome'); o.value = 'FAILED'; o.{change}")
        assert await tab.run(f"{rows}.length") == 3
        assert await tab.run("document.getElementById('count').textContent") == "3 of 12 trials"
        await tab.run(
            f"const w = document.getElementById('words'); w.value = 'with-symposium succeeded'; w.{change}"
        )
        assert await tab.run(f"{rows}.length") == 0
        await tab.run(f"o.value = ''; o.{change}; w.value = ''; w.{change}")
        await tab.run(
            "[...document.querySelectorAll('th button')].find((b) => b.textContent === 'tokens').click()"
        )
        tokens = await tab.run(f"{rows}.map((r) => parseInt(r.cells[7].textContent.replace(',', '')))")
        assert len(tokens) == 12
        assert tokens == sorted(tokens)

    drive(page(WholeBatch(tmp_path, 6)), use)


def test_41_nothing_of_a_record_is_run(tmp_path: Path) -> None:
    batch = hostile(tmp_path)

    async def use(tab: look.Tab) -> None:
        for trial in batch.order:
            await tab.run(f"location.hash = '{trial}'; new Promise((r) => setTimeout(r, 100))")
            assert await tab.run(OPEN)
            assert await tab.run("document.images.length + document.scripts.length") == len(batch.order) + 1
        assert [event for event in tab.events if event["method"] == "Page.javascriptDialogOpening"] == []

    drive(page(batch), use)


def test_nothing_sticks_out_on_a_phone(tmp_path: Path) -> None:
    async def use(tab: look.Tab) -> None:
        await tab.size(PHONE, 740)
        for place in ("", "trial-1-with-symposium"):
            await tab.run(f"location.hash = '{place}'; new Promise((r) => setTimeout(r, 100))")
            assert await tab.run("document.documentElement.scrollWidth") <= PHONE

    drive(page(WholeBatch(tmp_path, 60, text="long" * 500)), use)


CONTRAST = """(() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = style.getPropertyValue(name).trim().slice(1);
    const parts = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
    const [r, g, b] = parts.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return PAIRS.map(([one, other]) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return [one, other, (high + 0.05) / (low + 0.05)];
  }).filter(([, , ratio]) => !(ratio >= 4.5));
})()"""
PAIRS = [
    *[[f"--{ink}", f"--{ground}"] for ink in ("ink", "soft", "link") for ground in ("page", "panel")],
    *[[f"--{ink}", "--page"] for ink in ("good", "bad", "unsure", "lost")],
    *[["--bannerink", "--banner"], ["--ink", "--plus"], ["--ink", "--minus"]],
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_in_light_and_dark(tmp_path: Path, scheme: str) -> None:
    async def use(tab: look.Tab) -> Any:
        await tab.ask(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
        before = await tab.run("getComputedStyle(document.body).backgroundColor")
        weak = await tab.run(CONTRAST.replace("PAIRS", str(PAIRS)))
        await tab.run("document.getElementById('theme').click()")
        assert await tab.run("getComputedStyle(document.body).backgroundColor") != before
        return weak

    assert drive(page(WholeBatch(tmp_path)), use) == []


def test_the_page_says_the_most_without_its_script(tmp_path: Path) -> None:
    file = page(WholeBatch(tmp_path))

    async def use(tab: look.Tab) -> Any:
        await tab.ask("Emulation.setScriptExecutionDisabled", value=True)
        await tab.ask("Page.reload")
        await asyncio.sleep(0.5)
        return await tab.run("document.body.innerText")

    said = drive(file, use)
    assert "with-symposium 2 of 2" in said
    assert "need this page's own script" in said


def stretched(batch: WholeBatch, rounds: int) -> WholeBatch:
    """As many rounds as asked for, each trial the same as one of the first two rounds."""
    plan = json.loads((batch.folder / "batch.json").read_text())
    plan["order"] = [f"trial-{n}-{arm['name']}" for n in range(1, rounds + 1) for arm in ARMS]
    for number in range(3, rounds + 1):
        for arm in ARMS:
            like = f"trial-{2 - number % 2}-{arm['name']}"
            (batch.folder / f"trial-{number}-{arm['name']}").symlink_to(like)
    was.put(batch.folder / "batch.json", {**plan, "trials": rounds})
    return batch


def test_1000_trials_open_in_two_seconds(tmp_path: Path) -> None:
    small = WholeBatch(tmp_path, text="A line of an answer.\n" * 300, answer="   Compiling a crate\n" * 300)
    file = page(stretched(small, 500))
    assert detail.ALL / 2 < file.stat().st_size < detail.ALL * 1.3

    async def use() -> float:
        async with look.browser() as tab:
            return await look.opened(tab, file)

    took = min(asyncio.run(use()) for _ in range(3))
    crowded = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # others at work here share the cores
    print(f"1000 trials, {file.stat().st_size / 1e6:.1f} MB: {took:.2f} s")
    assert took < 2 * crowded
