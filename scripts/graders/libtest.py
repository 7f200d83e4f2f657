"""Read what Rust's own test harness printed, and what its process's end says beside it.

Status and summary must agree, and there is one summary: neither alone is evidence. Both still come from the
process that the submission shares, so a plain pass can be forged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graders import Done, Verdict

SUMMARY = re.compile(
    rb"^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured;"
    rb" (\d+) filtered out; finished in \S+\r?$",
    re.MULTILINE,
)
RUNNING = re.compile(rb"^running (\d+) tests?\r?$", re.MULTILINE)
PANIC = re.compile(rb"^thread '.*' (?:\(\d+\) )?panicked at .*$(?:\n.+)*", re.MULTILINE)
SHOWN = 300


@dataclass(frozen=True)
class Counts:
    ok: bool
    running: int
    passed: int
    failed: int
    ignored: int
    measured: int
    filtered: int


def counts(output: bytes) -> Counts | None:
    """None: it printed not exactly one beginning and one summary."""
    begun, ended = RUNNING.findall(output), SUMMARY.findall(output)
    if len(begun) != 1 or len(ended) != 1:
        return None
    return Counts(ended[0][0] == b"ok", int(begun[0]), *map(int, ended[0][1:]))


def all_passed(done: Done) -> tuple[Verdict, str]:
    """The submission's own tests: however many there are, none included."""
    found, problem = _finished(done)
    if problem or not found:
        return "fail", problem
    ignored = f", {found.ignored} ignored" if found.ignored else ""
    return "pass", f"{found.passed} passed{ignored}"


def _finished(done: Done) -> tuple[Counts | None, str]:
    """The counts of a run in which nothing failed; else what is wrong with it."""
    if done.timed_out:
        return None, "it did not end within the grading deadline"
    found = counts(done.stdout)
    if found is None:
        return None, f"it ended with status {done.exit} and without exactly one result: {said(done)}"
    if found.failed or not found.ok:
        return None, f"{found.failed} of {found.running} failed: {said(done)}"
    if done.exit != 0:
        return None, f"its result says ok, its status is {done.exit}"
    return found, ""


def said(done: Done) -> str:
    """What a person should see first: the panic, else the last lines."""
    text = done.stdout + b"\n" + done.stderr
    panic = PANIC.search(text)
    return readable(panic[0] if panic else b"\n".join(text.strip().splitlines()[-3:]))


def readable(text: bytes) -> str:
    """Short, of printable characters and line ends only."""
    shown = text[: 4 * SHOWN].decode("utf-8", "backslashreplace").strip()
    clean = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in shown)
    return clean if len(clean) <= SHOWN else f"{clean[:SHOWN]}…"
