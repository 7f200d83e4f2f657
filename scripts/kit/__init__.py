"""What the steps share. Knows no client, rung, grader, setup or benchmark."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Ctrl-C and a refusal end a program with one line; what was to be put in order on the way has been.

    Set before all else is imported, which takes long enough for a Ctrl-C.
    """
    known = (("kit.contract", "Stop"), ("kit.documents", "Invalid"))
    ours = tuple(getattr(sys.modules.get(module), name, KeyboardInterrupt) for module, name in known)
    if not isinstance(error, (KeyboardInterrupt, *ours)):
        sys.__excepthook__(kind, error, trace)
        return
    print(f"{Path(sys.argv[0]).stem}: {str(error) or 'interrupted'}", file=sys.stderr)
    sys.exit(getattr(error, "code", 130))


sys.excepthook = _uncaught
