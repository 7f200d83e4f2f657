"""Which configurations a batch holds side by side: the task's own, or those that --compare names.

The control is `without-symposium` where it is among them, else the first; the others are treatments, each
held against the control. Names say nothing to any later step: what counts is the role, the setup, and where
the cargo-agents comes from. Every fault here is the caller's.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kit.contract import Exit, Stop
from kit.documents import Document
from kit.tasks import Task
from rungs import srt_settings

CONTROL = {"name": "without-symposium", "role": "control", "setup": "baseline"}
TREATMENT = {"name": "with-symposium", "role": "treatment", "setup": "symposium"}
KNOWN: dict[str, Document] = {
    "with-symposium": {"setup": "symposium"},  # the batch's own: the pinned one, or what --symposium-* says
    "without-symposium": {"setup": "baseline"},
    "direct": {"setup": "direct"},
    "released": {"setup": "symposium", "symposium": {"source": "pinned", "path": ""}},
    "patched": {"setup": "symposium", "symposium": {"source": "patched", "path": ""}},
}
SLUG = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
HELP = f"side by side: two or more of {', '.join(KNOWN)}, PATH, NAME=PATH (of a cargo-agents or a checkout)"


def add_arguments(p: argparse.ArgumentParser) -> None:
    """--compare and --aa, and the cargo-agents of `with-symposium`."""
    sides = p.add_mutually_exclusive_group()
    sides.add_argument("--compare", metavar="NAME,NAME", help=HELP)
    sides.add_argument("--aa", action="store_true", help="the same configuration as control and as treatment")
    source = p.add_mutually_exclusive_group()
    source.add_argument("--symposium-bin", type=Path, metavar="PATH", help="the cargo-agents to evaluate")
    source.add_argument("--symposium-src", type=Path, metavar="CHECKOUT", help="build cargo-agents from here")
    source.add_argument("--symposium-patched", action="store_true", help="the release with symposium/patches")


def source(args: argparse.Namespace) -> Document:
    """batch.json's `symposium`: of every configuration that does not name its own."""
    if args.symposium_patched:
        return {"source": "patched", "path": ""}
    place = args.symposium_bin or args.symposium_src
    kind = "bin" if args.symposium_bin else "src" if args.symposium_src else "pinned"
    return {"source": kind, "path": str(place.resolve()) if place else ""}


def of(args: argparse.Namespace, task: Task) -> list[Document]:
    """The control first; [TREATMENT] alone for a regression task that is not compared (O05)."""
    if args.symposium_bin:
        program(args.symposium_bin)
    open_to_all(given([], args))
    if args.aa:  # nothing differs but the name and the role
        return [{**TREATMENT, "name": f"aa-{role}", "role": role} for role in ("control", "treatment")]
    if args.compare is None:
        return [CONTROL, TREATMENT] if task.kind == "capability" else [TREATMENT]
    named = [one(word.strip()) for word in args.compare.split(",")]
    names = [configuration["name"] for configuration in named]
    for wrong in problems(args, task, names):
        raise Stop(Exit.USAGE, f"--compare {args.compare}: {wrong}")
    control = CONTROL["name"] if CONTROL["name"] in names else names[0]
    roles = {True: "control", False: "treatment"}
    found = [{"name": c["name"], "role": roles[c["name"] == control], **c} for c in named]
    open_to_all(given(found, args))
    return sorted(found, key=lambda configuration: configuration["name"] != control)


def given(configurations: Sequence[Document], args: argparse.Namespace) -> list[Path]:
    """Each cargo-agents or checkout that was given by its path."""
    sources = [source(args), *(c["symposium"] for c in configurations if "symposium" in c)]
    return [Path(one["path"]) for one in sources if one["path"]]


def folders(places: Sequence[Path]) -> list[Path]:
    """What closes them to trials: of a program its folder too, since a build keeps copies beside it."""
    return [place if place.is_dir() or place.parent == Path("/") else place.parent for place in places]


def open_to_all(places: Sequence[Path]) -> None:
    """Refuse what no policy closes: every trial reads the system's own folders, and would reach it there."""
    for place in places:
        for folder in srt_settings.of_system():
            if place.resolve().is_relative_to(Path(folder).resolve()):
                why = f"lies below {folder}, which every trial can read; copy it elsewhere, and name that"
                raise Stop(Exit.USAGE, f"{place}: {why}")


def one(word: str) -> Document:
    """A configuration without its role: a known name, NAME=PATH, or a PATH, which is called bin or src."""
    if word in KNOWN:
        return {"name": word, **KNOWN[word]}
    name, named, path = word.rpartition("=")
    if not named and os.sep not in word:
        close = difflib.get_close_matches(word, KNOWN, 1)
        known = f"did you mean {close[0]}?" if close else f"known: {', '.join(KNOWN)}, PATH, NAME=PATH"
        raise Stop(Exit.USAGE, f"--compare: {word or 'an empty name'}: unknown; {known}")
    if named and (name in KNOWN or not SLUG.fullmatch(name)):
        why = "is a name of its own" if name in KNOWN else "no name; small letters, digits, single hyphens"
        raise Stop(Exit.USAGE, f"--compare: {word}: {name}: {why}; choose another")
    kind = "src" if Path(path).is_dir() else "bin"
    if kind == "bin":
        program(Path(path))
    held = {"source": kind, "path": str(Path(path).resolve())}
    return {"name": name or kind, "setup": "symposium", "symposium": held}


def program(path: Path) -> None:
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise Stop(Exit.UNAVAILABLE, f"{path}: not an executable; give the path of a cargo-agents")


def problems(args: argparse.Namespace, task: Task, names: list[str]) -> Iterator[str]:
    if len(names) < 2:
        yield "one configuration is no comparison; name two or more"
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield f"{', '.join(twice)}: named twice; give paths names of their own, NAME=PATH"
    idle = [name for name in names if KNOWN.get(name, {"setup": "symposium"})["setup"] != "symposium"]
    if idle and task.kind == "regression":
        yield f"{task.name} is a regression task, which asks what Symposium does; leave {', '.join(idle)} out"
    if "direct" in names and not task.document()["expected"]["skills"]["installed"]:
        yield f"direct: {task.name} expects no skill to be installed, so there is none to put in place"
    given = args.symposium_bin or args.symposium_src or args.symposium_patched
    if given and TREATMENT["name"] not in names:
        yield f"--symposium-* says what {TREATMENT['name']} holds, and that is not named; name it, or a PATH"
