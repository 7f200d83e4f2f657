"""Text that an agent, a client or a plugin could have chosen, made harmless for a terminal and for Markdown.

It never drops a character without a trace: what is not shown as it is, is shown as an escape.
Whatever gets through to a terminal is this module's fault.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 1200  # characters of one cell or sentence


def plain(text: object) -> str:
    """One line without anything that a terminal would act on or that would turn the text around; capped."""
    shown = "".join(c if c == " " or _harmless(c) else repr(c)[1:-1] for c in str(text))
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."


def _harmless(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZ"


def escaped(text: str) -> str:
    """For Markdown: text as text, nothing in it is markup, HTML or a link."""
    return re.sub(r"([\\`*_\[\]#|~<>&@])", r"\\\1", text).replace("://", ":\\//")
