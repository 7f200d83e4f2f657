"""A case as the draft of a task: a folder of evals/tasks/ with a DRAFT.md, and its skills as a plugin.

tasks.load refuses a task that has a DRAFT.md. Nothing that is there is overwritten, no link is followed, and
the cases themselves are never copied along: an agent would read in them what is expected of it. A draft is
there whole or not at all.
"""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import importing
from importing import Case
from kit import contents, documents, taskcheck, text

PLUGIN = """# "*": the skills are for every project; name a crate to gate them.
name = "{name}"
depends-on = ["*"]

[[skills]]
source.path = "skills"
"""
DRAFT = """# A draft

From `{source}`. `check_tasks` and `eval` refuse it: write what is named here, then delete this file.

## Taken

{taken}

## To write

{to_write}

## Not taken

{not_taken}
"""
CASE = ("case.yaml", "prompt.md", "graders")  # of claude plugin eval, in the case's folder
ALWAYS = (
    "starter/: the project that the agent is given, with its Cargo.lock; Symposium syncs in Cargo workspaces",
    "editable in task.toml: the files that are taken from what the agent leaves (src/** unless it says more)",
    "checks/: a hidden test that the untouched starter fails",
    "solution/ and rehearsals/, so that check_tasks can show that the test tells right from wrong",
)


def write(case: Case, evals: Path, sources: Iterable[Path]) -> str | None:
    """Write it; or why there is no draft. `sources`: all that hold cases, which no agent may read."""
    if case.refused:
        return case.refused
    if os.path.lexists(folder := evals / "tasks" / case.name):
        return f"{folder}: is there already; move it, or give the case another name"
    try:
        evals.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".draft-", dir=evals) as name:
            made = Path(name)
            build(case, evals, made, {source.parent.resolve() / source.name for source in sources})
            for kind in made.iterdir():
                (evals / kind.name).mkdir(exist_ok=True)
            for part in made.glob("*/*"):
                part.rename(evals / part.relative_to(made))
    except tomllib.TOMLDecodeError as error:
        return f"its task.toml would be no TOML: {error}"
    except OSError as error:
        return str(error)
    return None


def build(case: Case, evals: Path, made: Path, sources: set[Path]) -> None:
    """Below `made`, as it will be below `evals`; raises OSError and TOMLDecodeError."""
    folder = made / "tasks" / case.name
    taken = [f"{part} -> task.toml" for part, value in parts(case) if value]
    for file in case.files:
        if (into := folder / "starter" / file.name).exists():
            case.to_write.append(f"starter/: {file}, a second file of that name")
        elif file.resolve() in sources:
            case.to_write.append(f"starter/: {file}, which holds cases and was not copied")
        else:
            put(file, into)
            taken.append(f"{file.name} -> starter/")
    if case.plugin:
        if os.path.lexists(there := evals / "plugins" / case.plugin):
            taken.append(f"plugins/{there.name}: is there already, and was left as it is")
        else:
            taken.append(plugin(case, made / "plugins" / case.plugin, sources))
    documents.write_text(folder / "task.toml", task_file(case))
    tomllib.loads((folder / "task.toml").read_text("utf-8"))
    lists = {"taken": taken, "to_write": [*ALWAYS, *case.to_write], "not_taken": case.not_taken}
    shown = {
        name: "\n".join(f"- {text.plain(line)}" for line in said or ["nothing"])
        for name, said in lists.items()
    }
    documents.write_text(folder / taskcheck.DRAFT, DRAFT.format(source=case.source, **shown))


def parts(case: Case) -> Iterator[tuple[str, object]]:
    yield from (("prompt", case.prompt), ("expected_output", case.expected_output))
    yield from (("runs as trials", case.trials), ("timeout as the agent's deadline", case.agent_secs))
    yield from (("skills that are to be used", case.used), ("skills that are not", case.not_used))


def plugin(case: Case, folder: Path, sources: set[Path]) -> str:
    """The skills as a plugin; what became of it."""
    for name, skill in case.skills.items():
        root = skill.resolve()
        kept_back = {path for source in sources for path in around(source, root)}
        there = sorted(path.relative_to(root) for path in kept_back if path.is_relative_to(root))
        case.not_taken += [f"{name}/{path}: holds cases" for path in there if (root / path).exists()]
        for file in contents.entries(root):
            within = file.relative_to(root)
            if "evals" in within.parts or kept_back & {file, *file.parents}:
                continue
            if contents.is_regular(file):
                put(file, folder / "skills" / name / within)
            else:
                case.not_taken.append(f"{name}/{within}: a link or a special file")
    documents.write_text(folder / "SYMPOSIUM.toml", PLUGIN.format(name=folder.name))
    return f"{', '.join(case.skills)} -> plugins/{folder.name}"


def around(source: Path, skill: Path) -> list[Path]:
    """What to keep back for it: its folder, or its own files where that folder has the whole skill in it."""
    folder = source if source.is_dir() else source.parent
    if not skill.is_relative_to(folder):
        return [folder]
    return [folder / name for name in CASE] if folder == source else [source]


def put(file: Path, into: Path) -> None:
    data = importing.checked(file, file.parent, importing.COPIED).read_bytes()
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_bytes(data)
    into.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)


def task_file(case: Case) -> str:
    named = [skill for skill in case.skills if taskcheck.names_skill(case.prompt, skill, also_a_crate=False)]
    lines = [f'kind = "{"regression" if named else "capability"}"']
    lines += [f"plugins = {json.dumps([case.plugin])}"] if case.plugin else []
    lines += [f"trials = {case.trials}"] if case.trials else []
    lines += [f"prompt = {quoted(case.prompt)}"]
    lines += [f"expected_output = {quoted(case.expected_output)}"] if case.expected_output else []
    lines += ["", "[deadlines_secs]", f"agent = {case.agent_secs}"] if case.agent_secs else []
    if case.skills:
        lines += ["", "[expected.skills]", f"installed = {json.dumps([*case.skills])}"]
        used = {"used": case.used, "not_used": case.not_used}
        lines += [f"{key} = {json.dumps(sorted({*names}))}" for key, names in used.items() if names]
    return "\n".join(lines) + "\n"


def quoted(said: str) -> str:
    """TOML's text in three quotes; its escapes are those of JSON, but for DEL."""
    lines = [json.dumps(line, ensure_ascii=False)[1:-1] for line in said.strip().split("\n")]
    return '"""\n' + "\n".join(lines).replace("\x7f", "\\u007f") + '\n"""'
