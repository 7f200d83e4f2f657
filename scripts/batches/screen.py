"""What a person sees while a batch runs: a line for each finished trial, and on a terminal a live line below.

Without a terminal there are only plain lines. Text that an agent could have chosen is made harmless first.
rich leaves colours out where NO_COLOR asks for it. It counts for the eye only; aggregate.py counts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.live import Live
from rich.text import Text

from kit.documents import Document
from kit.text import plain

EVERY_SECS = 0.25
MARKS = {"succeeded": ("✓", "green"), "failed": ("✗", "red")}
ELIGIBLE = ("succeeded", "failed", "inconclusive")
STEPS = ("prepare", "launch", "collect", "observe", "grade", "expect", "audit", "finalize")


class Screen:
    def __init__(self, planned: int, done: int = 0, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False, markup=False, emoji=False)
        self.planned, self.done, self.here = planned, done, 0
        self.ended: dict[str, Counter[str]] = {}  # configuration to outcomes
        self._began, self._shown = time.monotonic(), 0.0
        self._live: Live | None = None

    def say(self, text: str) -> None:
        self.console.print(Text(plain(text)), soft_wrap=True)

    def count(self, result: Document) -> None:
        """A trial that had ended before we began."""
        self.ended.setdefault(result["mode"], Counter())[result["outcome"]] += 1

    def finished(self, trial: str, result: Document, took: float) -> None:
        self.done, self.here = self.done + 1, self.here + 1
        self.count(result)
        mark, colour = MARKS.get(result["outcome"], ("-", "yellow"))
        line = Text(f"{self.done}/{self.planned} ")
        if self.console.is_terminal:
            line.append(f"{mark} ", colour)
        line.append(plain(f"{trial}: {result['outcome']} in {took:.1f} s; {result['reason']}"))
        self.console.print(line, soft_wrap=True)

    def show(self, running: Sequence[tuple[str, float, str]]) -> None:
        """The live line: trials that run, each with its seconds and its step."""
        if not self.console.is_terminal or self.console.is_dumb_terminal:
            return
        now = time.monotonic()
        if now - self._shown < EVERY_SECS:
            return
        self._shown = now
        if self._live is None:
            self._live = Live(
                console=self.console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(
            Text(self.sentence(running), "cyan", no_wrap=True, overflow="ellipsis"), refresh=True
        )

    def sentence(self, running: Sequence[tuple[str, float, str]]) -> str:
        """ "4/12  with-symposium 1/2  ETA 0:31  now trial-3-with-symposium 0:07 grade"."""
        parts = [f"{self.done}/{self.planned}"]
        for name, outcomes in sorted(self.ended.items()):
            parts.append(f"{name} {outcomes['succeeded']}/{sum(outcomes[one] for one in ELIGIBLE)}")
        if self.here:
            each = (time.monotonic() - self._began) / self.here
            parts.append(f"ETA {clock(each * (self.planned - self.done))}")
        if running:
            parts.append("now " + ", ".join(f"{name} {clock(secs)} {step}" for name, secs, step in running))
        return "  ".join(parts)

    def close(self) -> None:
        if self._live:
            self._live.stop()
            self._live = None


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
