"""A case as the draft of a task: a folder of evals/tasks/ with a DRAFT.md, and its skills as a plugin.

tasks.load refuses a task that has a DRAFT.md. Nothing that is there is overwritten, no link is followed, and
the cases themselves are never copied along: an agent would read in them what is expected of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

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
ALWAYS = (
    "starter/: the project that the agent is given, with its Cargo.lock; Symposium syncs in Cargo workspaces",
    "editable in task.toml: the files that are taken from what the agent leaves (src/** unless it says more)",
    "checks/: a hidden test that the untouched starter fails",
    "solution/ and rehearsals/, so that check_tasks can show that the test tells right from wrong",
)


def write(case: Case, evals: Path) -> str | None:
    """Write it; or why there is no draft."""
    folder = evals / "tasks" / case.name
    if case.refused:
        return case.refused
    if folder.exists():
        return f"{folder}: is there already; move it, or give the case another name"
    taken = [f"{part} -> task.toml" for part, value in parts(case) if value]
    for file in case.files:
        if (into := folder / "starter" / file.name).exists():
            case.to_write.append(f"starter/: {file}, a second file of that name")
            continue
        put(file, into)
        taken.append(f"{file.name} -> starter/")
    if case.plugin:
        taken.append(plugin(case, evals / "plugins" / case.plugin))
    documents.write_text(folder / "task.toml", task_file(case))
    lists = {"taken": taken, "to_write": [*ALWAYS, *case.to_write], "not_taken": case.not_taken}
    shown = {
        name: "\n".join(f"- {text.plain(line)}" for line in said or ["nothing"])
        for name, said in lists.items()
    }
    documents.write_text(folder / taskcheck.DRAFT, DRAFT.format(source=case.source, **shown))
    return None


def parts(case: Case) -> Iterator[tuple[str, object]]:
    yield from (("prompt", case.prompt), ("expected_output", case.expected_output))
    yield from (("runs as trials", case.trials), ("timeout as the agent's deadline", case.agent_secs))
    yield from (("skills that are to be used", case.used), ("skills that are not", case.not_used))


def plugin(case: Case, folder: Path) -> str:
    """The skills as a plugin; what became of it."""
    if folder.exists():
        return f"plugins/{folder.name}: is there already, and was left as it is"
    for name, skill in case.skills.items():
        for file in contents.entries(skill):
            if "evals" not in file.relative_to(skill).parts and contents.is_regular(file):
                put(file, folder / "skills" / name / file.relative_to(skill))
    documents.write_text(folder / "SYMPOSIUM.toml", PLUGIN.format(name=folder.name))
    return f"{', '.join(case.skills)} -> plugins/{folder.name}"


def put(file: Path, into: Path) -> None:
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_bytes(file.read_bytes())
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
