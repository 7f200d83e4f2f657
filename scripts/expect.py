"""Judge what the task expects of Symposium, from the files that a trial left.

Only trials that hold Symposium are judged; for others nothing is written. What is there counts whenever it was
seen; what is *not* there counts only when the session came far enough to show it. Evidence that cannot be read, or
that another source contradicts, makes a verdict inconclusive, never pass. Never meets a sandbox, model or client:
a failure here is a missing or broken document of an earlier step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kit import symposium_files
from kit.contract import Folder, Step
from kit.documents import Document
from kit.layout import (
    COLLECTED,
    EVIDENCE,
    EXPECTATIONS,
    HOOK_TRACE,
    OBSERVATION,
    SETUP,
    STAGE,
    SYMPOSIUM_LOG,
    TASK,
    TRIAL,
)

STEP = Step(
    name="expect",
    does="Judge what the task expects of Symposium.",
    kind="derived",
    reads=(TRIAL, TASK, SETUP, OBSERVATION, COLLECTED),
    writes=(),
    may_read=(STAGE, EVIDENCE, HOOK_TRACE, SYMPOSIUM_LOG),
    may_write=(EXPECTATIONS,),  # Symposium configurations only
)
