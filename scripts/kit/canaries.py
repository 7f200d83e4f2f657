"""A trial's canary: a string that only somebody who read that trial's folder can know (I09).

It follows from the plan, whose folder names are random and partly never shown to any agent, so every step
knows every trial's canary at any time, and a redo finds the same. plant() is the only thing that writes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from kit.documents import Document


def of(trial: Document) -> str:
    """32 hexadecimal digits, from trial/1."""
    paths = trial["paths"]
    secret = [trial["batch"], trial["trial_name"], paths["control"], paths["grading_control"]]
    return hashlib.sha256("\0".join(secret).encode()).hexdigest()[:32]


def plant(run: Path, canary: str) -> None:
    """In its name too: listing the run is reading it. The trial itself need not see it, nor does it.

    Open to all, so that only what closes the run keeps it closed.
    """
    file = run / f"canary-{canary}"
    file.write_text(f"{canary}\n", "utf-8")
    file.chmod(0o644)
