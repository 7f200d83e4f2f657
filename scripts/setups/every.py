"""What must hold before launch, whatever the setup. Looks only; a failed check is a setup failure."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from kit import contents, trees
from setups import Before, Check


def checks(before: Before, *, empty: bool = True) -> Iterator[Check]:
    """empty: no skill may be in place before launch; a setup that puts some there looks at them itself."""
    if empty:
        yield skill_folder_empty(before)
    yield nothing_managed(before)
    yield no_history(before.run.project)
    yield no_canary(before)
    yield silent_prompt(before)


def in_time(until: float) -> Check:
    """until: the phase's end on the monotonic clock."""
    late = time.monotonic() - until
    return Check(
        "in_time", late <= 0, f"setup {f'{late:.0f} s over its' if late > 0 else 'within its'} deadline"
    )


def skill_folder_empty(before: Before) -> Check:
    """Absent is best: a client behaves differently where the folder is there already."""
    folder = before.run.project / before.client.SKILLS
    if not os.path.lexists(folder):
        return Check("skill_folder_empty", True, f"{folder}: absent")
    held = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else ["no folder"]
    return Check("skill_folder_empty", not held, f"{folder}: {', '.join(held) or 'empty'}")


def nothing_managed(before: Before) -> Check:
    """Machine-wide settings would reach into every trial, and can switch hooks off."""
    there = [str(path) for path in before.client.MANAGED if os.path.lexists(path)]
    looked = ", ".join(map(str, before.client.MANAGED))
    said = f"{', '.join(there)}: there; remove it" if there else f"{looked}: absent"
    return Check("managed_settings_absent", not there, said)


def no_history(project: Path) -> Check:
    found = next(contents.histories(project), None)
    return Check(
        "no_history", not found, f"{found or project}: {'version-control history' if found else 'no history'}"
    )


def no_canary(before: Before) -> Check:
    """A canary marks a hidden test: nothing of those may be where the agent can read."""
    canaries = [canary.encode() for canary in before.task["canaries"]]
    for entry in trees.walk(before.run.root):
        if entry.kind == "file" and any(canary in b"".join(entry.chunks()) for canary in canaries):
            where = before.run.root / trees.escape(entry.path)
            return Check("no_canary", False, f"{where}: holds the canary of a hidden test")
    return Check("no_canary", True, f"{before.run.root}: none of {len(canaries)} canaries")


def silent_prompt(before: Before) -> Check:
    said = [
        word
        for word in ("symposium", "cargo-agents", "cargo agents")
        if word in before.task["prompt"].lower()
    ]
    return Check(
        "prompt_silent", not said, f"the prompt names {said[0]}" if said else "the prompt names no Symposium"
    )
