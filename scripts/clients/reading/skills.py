"""Did the agent get a skill's text by reading its SKILL.md? For clients whose tools show files and commands.

It looks at words and at what came back, never at a disk: the run is gone when a trial is observed again. Two
signs count. The *text*: output that holds a whole front matter with the skill's name, and something after it,
however the file was reached (a link, a glob, a folder changed into). The *path*: a file read, or a command
whose reading programs are given `.../<skills folder>/<name>/SKILL.md` and whose output the agent sees. Output
that stops within the front matter delivers nothing. It judges nothing; a sign it misses is its own fault.
"""

from __future__ import annotations

import os.path
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from kit.documents import Document

Found = tuple[Literal["loaded", "attempted", "unknown"], str]  # and where it was seen
READERS = {"awk", "bat", "batcat", "cat", "gawk", "head", "less", "more", "nl", "sed", "tac", "tail", "view"}
FENCE = "---"
NUMBERED = re.compile(r"^\s*\d+(?:\t|→)")  # as file tools and `cat -n` show lines
NAME = re.compile(r"""^name:\s*(["']?)([\w.-]+)\1\s*$""")
BREAKS = re.compile(r"&&|\|\||[;\n]")
TO_FILE = re.compile(r"(?<!2)>(?!&)")
NO_FILE = re.compile(r"SKILL\.md\b.*(?:No such file|Permission denied|not permitted|Not a directory)")


def load(found: list[Found], gap: str | None) -> Document:
    """What was seen of a skill, as one word with its evidence; gap: why not all was read."""
    for load in ("loaded", "unknown", "attempted"):
        if evidence := [said for what, said in found if what == load]:
            if load == "attempted" and gap:  # what was not read may hold a success
                return {"load": "unknown", "evidence": f"{evidence[0]}; but {gap}"}
            return {"load": load, "evidence": evidence[0]}
    if gap:
        return {"load": "unknown", "evidence": f"transcript.jsonl: {gap}"}
    return {"load": "not_observed", "evidence": None}


def shown(output: str) -> frozenset[str]:
    """Names of the skills whose front matter, and some text after it, are in this output."""
    names: set[str] = set()
    inside, name, closed = False, "", ""
    for numbered in output.splitlines() if "name:" in output else ():
        line = NUMBERED.sub("", numbered).rstrip()
        if closed and line and line != FENCE:
            names.add(closed)
            closed = ""
        if line == FENCE:
            closed = name if inside else ""
            inside, name = not inside, ""
        elif inside and (match := NAME.match(line)):
            name = match[2]
    return frozenset(names)


def has_body(output: str) -> bool:
    """Whether a read's output shows more than a front matter or a complaint."""
    first = next((text for line in output.splitlines() if (text := NUMBERED.sub("", line).strip())), "")
    if not first or NO_FILE.search(output):
        return False
    return first != FENCE or bool(shown(output))


def installed(path: str, project: Path, home: Path, folder: str) -> str | None:
    """The skill folder whose SKILL.md this path names, however it is spelled; None for other files."""
    for short, long in (("~/", f"{home}/"), ("$HOME/", f"{home}/"), ("${HOME}/", f"{home}/"), ("$PWD/", "")):
        if path.startswith(short):
            path = long + path.removeprefix(short)
    full = os.path.normpath(path if path.startswith("/") else f"{project}/{path}")
    match = re.search(rf"/{re.escape(folder)}/([^/]+)/SKILL\.md$", full)
    return match[1] if match else None


def is_folder_of(folder: str, skill: str) -> bool:
    """An installer adds eight hex digits to the name when its place is taken."""
    return re.fullmatch(rf"{re.escape(skill)}(?:-[0-9a-f]{{8}})?", folder) is not None


def read_by(command: str) -> Iterator[str]:
    """The words given to a shell command's reading programs, where the agent sees what they print."""
    for pipeline in BREAKS.split(command):
        stages = [words(stage) for stage in pipeline.split("|")]
        if not TO_FILE.search(pipeline) and all(s and Path(s[0]).name in READERS for s in stages):
            for stage in stages:
                yield from stage[1:]


def words(text: str) -> list[str]:
    try:
        return shlex.split(text.strip(" \t(){}"))
    except ValueError:  # an open quote: the split went through a quoted separator
        return text.split()
