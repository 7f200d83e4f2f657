"""A small Python task in an evals/ of its own, for tests of what grades it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RIGHT = """def chunk(items, size):
    if size < 1:
        raise ValueError("size must be positive")
    return [items[i:i + size] for i in range(0, len(items), size)]
"""
STARTER = """def chunk(items, size):
    raise NotImplementedError
"""
OWN = """import unittest

from chunker import chunk


class Visible(unittest.TestCase):
    def test_example(self):
        self.assertEqual(chunk([1, 2, 3], 2), [[1, 2], [3]])
"""
HIDDEN = {
    "unittest": """# canary: 0123456789abcdef0123456789abcdef
import unittest

from chunker import chunk


class Chunks(unittest.TestCase):
    def test_chunks(self):
        self.assertEqual(chunk([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]])
        for size, expected in [(1, [["a"], ["b"]]), (2, [["a", "b"]]), (9, [["a", "b"]])]:
            with self.subTest(size=size):
                self.assertEqual(chunk(["a", "b"], size), expected)
        self.assertEqual(chunk([], 3), [])
        with self.assertRaises(ValueError):
            chunk([1], 0)
        self.assertTrue(chunk([1], 1))
""",
    "pytest": """# canary: 0123456789abcdef0123456789abcdef
import pytest

from chunker import chunk

CASES = [
    ([1, 2, 3, 4, 5], 2, [[1, 2], [3, 4], [5]]),
    (["a", "b"], 1, [["a"], ["b"]]),
    ([], 3, []),
]


@pytest.mark.parametrize(("items", "size", "expected"), CASES)
def test_chunks(items, size, expected):
    assert chunk(items, size) == expected
    with pytest.raises(ValueError, match="positive"):
        chunk([1], 0)
    assert chunk([1], 1)
""",
}
TOML = """kind = "capability"
prompt = "Finish chunk in chunker/."
grader = "{grader}"
editable = ["chunker/**"]
{more}
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def make(evals: Path, grader: str, more: str = "", **changes: str) -> Path:
    """evals/tasks/chunk; changes: further files of the task, "checks__x.py" for checks/x.py."""
    folder = evals / "tasks/chunk"
    files = {
        "task.toml": TOML.format(grader=grader, more=more),
        "starter/chunker/__init__.py": STARTER,
        "starter/tests/test_example.py": OWN,
        "starter/README.md": "Chunks.\n",
        "solution/chunker/__init__.py": RIGHT,
    }
    if grader in HIDDEN:
        files["checks/chunk.py"] = HIDDEN[grader]
    write(folder, {**files, **{name.replace("__", "/"): text for name, text in changes.items()}})
    (evals / "plugins").mkdir(parents=True, exist_ok=True)
    return folder


def load_json(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))
