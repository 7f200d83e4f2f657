"""Make a grading copy: starter and fixtures fresh from evals/, the editable files from the submission.

Nothing else of a submission reaches it; nothing of it is a link; nothing is written outside it. What the
submission deleted stays deleted, because the starter's editable files are never placed.
"""

from __future__ import annotations

from pathlib import Path

from graders import Infrastructure
from kit.globs import Editable
from kit.seal import Occupied, place
from kit.tasks import Task


class Unfit(Exception):
    """The submission cannot be placed: it fails. The text names the path."""


def make(task: Task, tree: Path, project: Path, fixtures: Path) -> None:
    """Fill the two empty folders. Infrastructure: the task's own files cannot be copied."""
    refused = []
    for folder in task.fixture_folders:
        refused += place(folder, fixtures / folder.name, lambda _: True)
    if refused:
        raise Infrastructure(f"{task.folder}: {refused[0][0]} is {refused[0][1]}; a task holds files only")
    fill(task.starter, Editable(task.file["editable"]), tree, project)


def fill(starter: Path, editable: Editable, tree: Path, project: Path) -> None:
    """The starter's files, and in the place of the editable ones the submission's."""
    if refused := place(starter, project, lambda path: path not in editable):
        raise Infrastructure(f"{starter}: {refused[0][0]} is {refused[0][1]}; a task holds files only")
    try:
        unfit = place(tree, project, lambda path: path in editable)
    except Occupied as occupied:
        raise Unfit(f"{occupied}: the starter has a file where the submission has a folder") from occupied
    if unfit:
        raise Unfit("; ".join(f"{path}: {why}" for path, why in unfit))
