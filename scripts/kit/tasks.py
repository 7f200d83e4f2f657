"""The tasks of evals/: load one, checked; the same for every step.

It opens hidden tests only to see that each holds one test, never shows them, and never changes anything below
evals/. A TaskError is the author's to correct, and says everything that is wrong at once.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kit import contents, plugins, taskcheck, taskfile, taskfolders
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.plugins import Plugin

SCHEMA = "task/1"


class TaskError(Stop):
    """A task that is refused; str() has one line for each file with something wrong in it."""

    def __init__(self, refusals: Sequence[str]) -> None:
        super().__init__(Exit.BAD_INPUT, "\n".join(refusals))
        self.refusals = tuple(refusals)


@dataclass(frozen=True)
class Task:
    """A task that was found right; see evals/README.md for the folders."""

    evals: Path
    name: str
    file: Document  # task.toml with its defaults
    plugins: tuple[Plugin, ...]

    @property
    def kind(self) -> str:
        return str(self.file["kind"])

    @property
    def prompt(self) -> str:
        return str(self.file["prompt"])

    @property
    def trials(self) -> int:
        return int(self.file["trials"])

    @property
    def folder(self) -> Path:
        return self.evals / "tasks" / self.name

    @property
    def starter(self) -> Path:
        return self.folder / "starter"

    @property
    def checks(self) -> Path:
        return self.folder / "checks"

    @property
    def solution(self) -> Path | None:
        folder = self.folder / "solution"
        return folder if folder.is_dir() else None

    @property
    def plugin_folders(self) -> tuple[Path, ...]:
        return tuple(plugin.folder for plugin in self.plugins)

    @property
    def fixture_folders(self) -> tuple[Path, ...]:
        return tuple(self.evals / "fixtures" / name for name in self.file["fixtures"])

    @property
    def skills(self) -> Mapping[str, Path]:
        """Every skill that the task's plugins carry, to the folder that holds its SKILL.md."""
        return {name: folder for plugin in self.plugins for name, folder in plugin.skills.items()}

    @property
    def hidden(self) -> list[Path]:
        """The files of the hidden tests."""
        return sorted(self.checks.glob(f"*{taskfile.SUFFIXES.get(str(self.file['grader']), '.rs')}"))

    def canaries(self) -> list[str]:
        """Of the hidden tests, for what looks for them elsewhere (I09)."""
        found = [taskfolders.read_test(file, str(self.file["grader"])).canary for file in self.hidden]
        return [canary for canary in found if canary]

    @property
    def verdicts(self) -> list[str]:
        """Every check that must be judged: one that was not is no pass."""
        hidden = [f"hidden.{file.stem}" for file in self.hidden]
        asserted = [f"assert.{one['name']}" for one in self.file.get("assert", [])]
        match self.file["grader"]:
            case "cargo":
                rest = ["cargo_fmt_check"] if self.file["fmt_check"] else []
                return [*asserted, "build", "cargo_test_lib", *hidden, *rest]
            case "command":
                return asserted
        own = ["own_tests"] if any(taskfolders.own_tests(self)) else []
        return [*asserted, *hidden, *own]

    def rehearsals(self) -> list[str]:
        return sorted(file.stem for file in (self.folder / "rehearsals").glob("*.yaml"))

    def rehearsal(self, name: str) -> Path:
        """Raises FileNotFoundError where there is none of that name."""
        if name not in self.rehearsals():
            raise FileNotFoundError(f"{self.name} has no rehearsal {name}")
        return self.folder / f"rehearsals/{name}.yaml"

    @functools.cached_property
    def content_hash(self) -> str:
        """T07: of the task, its plugins and its fixtures; build output and version control do not count."""
        return contents.content_hash(self.evals, [self.folder, *self.plugin_folders, *self.fixture_folders])

    def document(self) -> Document:
        """task/1."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            **self.file,
            "checks": [file.stem for file in self.hidden],
            "verdicts": self.verdicts,
            "skills": {skill: plugin.name for plugin in self.plugins for skill in plugin.skills},
            "content_hash": self.content_hash,
        }


def names(evals: Path) -> list[str]:
    """Every folder of evals/tasks/, also one without a task.toml: forgetting it is a mistake worth a word."""
    folder = evals / "tasks"
    if not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def called(evals: Path, word: str) -> str:
    """A task's name, or the path of its folder, as its name."""
    path = Path(word).resolve()
    return path.name if "/" in word and path.parent == evals.resolve() / "tasks" else word


def load(evals: Path, name: str) -> Task:
    """The task, all of T04 and T08 checked. TaskError: it is refused. Stop(USAGE): there is no such task."""
    evals = evals.resolve()
    if name not in (known := names(evals)):
        hint, there = taskfile.nearest(Path(name).name, known), ", ".join(known) or "none"
        raise Stop(Exit.USAGE, f"task {name}: there is none of that name{hint or ';'} the tasks are {there}")
    path = evals / "tasks" / name / "task.toml"
    file, problems = taskfile.read(path)
    refused, task = [(path, problem) for problem in problems], None
    if file is not None:
        named = [evals / "plugins" / plugin for plugin in file["plugins"]]
        task = Task(evals, name, file, tuple(plugins.read(folder) for folder in named if folder.is_dir()))
        refused += taskcheck.refusals(task)
    if refused or task is None:
        raise TaskError([f"{path.relative_to(evals.parent)}: {problem}" for path, problem in refused])
    return task
