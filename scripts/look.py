#!/usr/bin/env python3
"""Look at a report.html as a person would: open it in headless Chromium, take screenshots, say what broke.

Prints how long the page took to open, and every error, refused script or request. Writes light.png, dark.png,
narrow.png and trial.png (the first trial, opened). It never changes the page. Exits 1 when the page said
something is wrong.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp

from kit import programs
from kit.contract import Exit, Stop

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--remote-debugging-port=0",
)
START = 30.0  # seconds until the browser must be up
LOADED = """(async () => {
  while (document.readyState !== "complete") await new Promise((r) => setTimeout(r, 10));
  await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
  return performance.now() / 1000; })()"""


class Tab:
    """One page, driven over the browser's own protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket, self._number = socket, 0
        self.events: list[dict[str, Any]] = []

    async def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            said: dict[str, Any] = await self._socket.receive_json(timeout=60)
            if said.get("id") == self._number:
                if "error" in said:
                    raise Stop(Exit.UNAVAILABLE, f"chromium: {method}: {said['error']['message']}")
                return dict(said["result"])
            self.events.append(said)

    async def run(self, code: str) -> Any:
        made = await self.ask("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        return made["result"].get("value")

    async def picture(
        self, file: Path, width: int, height: int, *, dark: bool = False, all_of_it: bool = True
    ) -> None:
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        await self.ask("Emulation.setEmulatedMedia", features=scheme)
        await self.size(width, height)
        if all_of_it:
            tall = int(await self.run("document.documentElement.scrollHeight"))
            await self.size(width, min(max(tall, height), 8000))
        await self.run("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
        shot = await self.ask("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(shot["data"]))

    async def size(self, width: int, height: int) -> None:
        await self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def trouble(self) -> list[str]:
        """What the page did that it must not: errors, refusals by its policy, requests beyond its file."""
        found = []
        for event in self.events:
            said = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(
                    str(
                        said["exceptionDetails"].get("exception", said["exceptionDetails"]).get("description")
                    )
                )
            if event["method"] == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
                found.append(said["entry"]["text"])
            if event["method"] == "Network.requestWillBeSent":
                url = said["request"]["url"]
                found += [f"asked for {url}"] if not url.startswith(("file:", "data:")) else []
        return found


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[Tab]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise Stop(Exit.UNAVAILABLE, "chromium: not found; as root, `apt-get install -y chromium`")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        argv = [program, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": folder},
            start_new_session=True,
        )
        try:
            port = await started(Path(folder) / "DevToolsActivePort")
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                    pages = [page for page in await answer.json() if page["type"] == "page"]
                url = pages[0]["webSocketDebuggerUrl"]
                async with session.ws_connect(url, max_msg_size=0) as socket:
                    yield Tab(socket)
        finally:
            child.terminate()
            child.wait(10)


async def started(file: Path) -> str:
    for _ in range(int(START * 20)):
        if file.exists() and (said := file.read_text().split("\n"))[0]:
            return said[0]
        await asyncio.sleep(0.05)
    raise Stop(Exit.UNAVAILABLE, f"chromium: did not start within {START:.0f} s")


async def opened(tab: Tab, page: Path) -> float:
    """Open the page; the seconds until it was drawn."""
    for room in ("Page", "Runtime", "Log", "Network"):
        await tab.ask(f"{room}.enable")
    await tab.size(1100, 900)
    await tab.ask("Page.navigate", url=page.resolve().as_uri())
    return float(await tab.run(LOADED))


async def look(page: Path, out: Path) -> list[str]:
    async with browser() as tab:
        took = await opened(tab, page)
        print(f"opened in {took:.2f} s ({page.stat().st_size / 1e6:.1f} MB)")
        await tab.picture(out / "light.png", 1100, 900)
        await tab.picture(out / "dark.png", 1100, 900, dark=True)
        await tab.picture(out / "narrow.png", 390, 844)
        await tab.run(
            "document.querySelector('#table tbody a').click(); new Promise((r) => setTimeout(r, 200))"
        )
        await tab.picture(out / "trial.png", 1100, 900)
        await tab.picture(out / "trial-narrow.png", 390, 844, dark=True)
        return tab.trouble()


def main() -> None:
    parser = programs.parser("look", __doc__)
    parser.add_argument("page", type=Path, metavar="REPORT_HTML")
    parser.add_argument(
        "--to", type=Path, default=Path(), metavar="FOLDER", help="where the pictures go (here)"
    )
    args = parser.parse_args()
    if not args.page.is_file():
        raise Stop(Exit.NO_INPUT, f"{args.page}: no such file; report.py writes one")
    args.to.mkdir(parents=True, exist_ok=True)
    trouble = asyncio.run(look(args.page, args.to))
    for line in trouble:
        print(line)
    sys.exit(Exit.NO if trouble else Exit.OK)


if __name__ == "__main__":
    main()
