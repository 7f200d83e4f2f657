"""The small Python task of the attack corpus, in an evals/ of its own, for tests of what grades it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graders import python_corpus
from graders.python_corpus import write as write

RIGHT = python_corpus.TASK["solution/chunker/__init__.py"]


def make(evals: Path, grader: str, more: str = "", **changes: str) -> Path:
    """evals/tasks/chunk. more: the end of task.toml; changes: other files, "checks__x.py" for checks/x.py."""
    folder = python_corpus.task(evals, grader)
    write(folder, {name.replace("__", "/"): text for name, text in changes.items()})
    with (folder / "task.toml").open("a") as file:
        file.write(more)
    return folder


def load_json(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))
