#!/usr/bin/env python3
"""Write docs/pipeline.md: every step's contract in one table, made from the contracts themselves."""

from __future__ import annotations

import importlib
from pathlib import Path

from kit import programs
from kit.contract import Step
from kit.layout import Artifact

ROOT = Path(__file__).resolve().parents[1]
ORDER = (
    *("plan", "stage", "prepare", "launch", "collect", "observe"),
    *("grade", "expect", "audit", "finalize", "aggregate", "report"),
)
HEAD = """# The pipeline

Made from the steps' own contracts by `nox -s pipeline`; a test holds it against them. *Recorded* steps meet
the world once. *Derived* steps are functions of files (`nox -s redo -- BATCH_DIR`). *Graded* needs sandbox
and toolchain, never a model. Files in parentheses are read or written when they are there.

| step | scope | kind | reads | writes |
|---|---|---|---|---|
"""


def names(always: tuple[Artifact, ...], maybe: tuple[Artifact, ...]) -> str:
    shown = [f"`{a.path}`" for a in always] + [f"(`{a.path}`)" for a in maybe]
    return " ".join(shown) or "-"


def row(step: Step) -> str:
    reads = names(tuple(step.reads), tuple(step.may_read))
    writes = names(tuple(step.writes), tuple(step.may_write))
    return f"| {step.name} | {step.scope} | {step.kind} | {reads} | {writes} |\n"


def text() -> str:
    return HEAD + "".join(row(importlib.import_module(name).STEP) for name in ORDER)


def main() -> None:
    programs.parser("pipeline", __doc__).parse_args()
    (ROOT / "docs/pipeline.md").write_text(text(), "utf-8")


if __name__ == "__main__":
    main()
