"""Which folders the uids of trials can reach: they own nothing above a run, so all on the way must be open.

It never opens a folder that was there before: the message says who is in the way and what to do.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kit.contract import Exit, Stop


def folder(path: Path) -> Path:
    """Made with its parents where missing, each of those open to every uid, whatever the umask."""
    if not path.is_dir():
        folder(path.parent)
        path.mkdir(exist_ok=True)
        path.chmod(0o755)
    return path


def open_for_trials(root: Path) -> None:
    """The eval root, made if missing; and, for a root runner, open to the uids of the trials."""
    try:
        folder(root)
    except OSError as error:
        raise Stop(Exit.UNAVAILABLE, f"{root}: {error.strerror}; choose another --eval-root") from error
    if os.geteuid() == 0 and (closed := closed_to_others(root)):
        todo = f"`chmod o+x {closed}`, or choose another --eval-root"
        raise Stop(Exit.UNAVAILABLE, f"{closed}: closed to the uids that trials run as; {todo}")


def closed_to_others(path: Path) -> Path | None:
    """The first folder on the way to `path`, or itself, that another uid cannot pass; None: all are open.

    What does not exist yet is left out: whoever makes it makes it open.
    """
    for there in (*reversed(path.resolve().parents), path.resolve()):
        if there.is_dir() and not there.stat().st_mode & stat.S_IXOTH:
            return there
    return None
