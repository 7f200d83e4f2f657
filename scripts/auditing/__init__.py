"""What the audit looks at: paths, shell commands, the route to the model, canaries.

It believes no part of what an agent wrote, runs nothing of it and judges no trial. A finding is one of
audit/1's: an attempt is recorded, a breach excludes the trial.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from kit.documents import Document

Findings = Iterator[Document]
TOLD = 200  # of each kind; an agent can name paths without end


def finding(kind: Literal["attempt", "breach"], what: str, where: str) -> Document:
    return {"kind": kind, "what": what, "where": where}


def told(found: Iterable[Document]) -> list[Document]:
    """Each once, breaches first, and not without end."""
    once = {(one["kind"], one["what"], one["where"]): one for one in found}
    shown = []
    for kind in ("breach", "attempt"):
        of_kind = [one for one in once.values() if one["kind"] == kind]
        shown += of_kind[:TOLD]
        if left := len(of_kind[TOLD:]):
            shown.append({"kind": kind, "what": f"and {left} more", "where": of_kind[TOLD]["where"]})
    return shown
