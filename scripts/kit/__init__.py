"""What the steps share. Knows no client, rung, grader, setup or benchmark."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Ctrl-C and a Stop end a program with one line; what was to be put in order on the way has been.

    Set before all else is imported, which takes long enough for a Ctrl-C.
    """
    stop = getattr(sys.modules.get("kit.contract"), "Stop", KeyboardInterrupt)
    if not isinstance(error, KeyboardInterrupt | stop):
        sys.__excepthook__(kind, error, trace)
        return
    print(f"{Path(sys.argv[0]).stem}: {str(error) or 'interrupted'}", file=sys.stderr)
    sys.exit(getattr(error, "code", 130))


sys.excepthook = _uncaught
