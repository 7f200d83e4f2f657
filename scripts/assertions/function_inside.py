"""Runs inside the sandbox: gives the seal to a task's own grader and prints its verdict behind a random word.

A program of its own, with nothing but the standard library; it is never imported by the harness.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
from pathlib import Path
from typing import Any


class Seal:
    """What a grader may know: the entries before and after, and the bytes of what was left."""

    def __init__(self, here: Path) -> None:
        said = json.loads((here / "seal.json").read_text("utf-8"))
        self.before: dict[str, dict[str, Any]] = {entry["path"]: entry for entry in said["before"]}
        self.after: dict[str, dict[str, Any]] = {entry["path"]: entry for entry in said["after"]}
        self._files = here / "files"

    def read(self, path: str) -> bytes:
        """The bytes of a regular file that was left; KeyError where there is none."""
        if self.after[path]["type"] != "file":
            raise KeyError(path)
        return (self._files / path).read_bytes()


def main() -> None:
    word, module, function = sys.argv[1:]
    here = Path(__file__).parent
    sys.path.append(str(here / "graders"))
    own = sys.stdout
    sys.stdout = sys.stderr  # what the grader prints is for a reader
    loaded: types.ModuleType = importlib.import_module(module)
    verdict = getattr(loaded, function)(Seal(here))
    kind, detail = understood(verdict)
    own.write(f"\n{word} {kind} {' '.join(detail.split())}\n")


def understood(verdict: object) -> tuple[str, str]:
    """From {"checks": {name: True or False}, "detail": text}; without any check there is no verdict."""
    if not isinstance(verdict, dict) or not isinstance(checks := verdict.get("checks"), dict) or not checks:
        return (
            "none",
            f'it returned {verdict!r:.80}; return {{"checks": {{name: True or False}}, "detail": text}}',
        )
    if odd := [name for name, passed in checks.items() if passed is not True and passed is not False]:
        return "none", f"check {odd[0]} is {checks[odd[0]]!r:.80}; write True or False"
    failed = [str(name) for name, passed in checks.items() if not passed]
    detail = str(verdict.get("detail", ""))
    return (
        ("fail", f"{', '.join(failed)}: {detail}") if failed else ("pass", detail or f"{len(checks)} checks")
    )


if __name__ == "__main__":
    main()
