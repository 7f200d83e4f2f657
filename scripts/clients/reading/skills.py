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

READERS = {"awk", "bat", "batcat", "cat", "gawk", "head", "less", "more", "nl", "sed", "tac", "tail", "view"}
FENCE = "---"
NUMBERED = re.compile(r"^\s*\d+(?:\t|→)")  # as file tools and `cat -n` show lines
NAME = re.compile(r"""^name:\s*(["']?)([\w.-]+)\1\s*$""")
BREAKS = re.compile(r"&&|\|\||[;\n]")
TO_FILE = re.compile(r"(?<!2)>(?!&)")
NO_FILE = re.compile(r"SKILL\.md\b.*(?:No such file|Permission denied|not permitted|Not a directory)")


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
