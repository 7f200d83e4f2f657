"""No tests of its own: a task is judged by its assertions alone (scripts/assertions), which grade.py runs.

For projects of a kind that has no grader yet. A task that asserts nothing but commands is refused when it is
loaded (kit/asserted.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from graders import Bench, Judged, Work


def judge(work: Work, bench: Bench) -> Iterator[Judged]:
    """Nothing: grading.json then holds the verdicts of the assertions."""
    yield from ()
