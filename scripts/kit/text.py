"""Text that an agent, a client or a plugin could have chosen, made harmless for terminal, Markdown and page.

It never drops a character without a trace: what is not shown as it is, is shown as an escape.
Whatever gets through to a terminal is this module's fault.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 1200  # characters of one cell or sentence
ODD = re.compile(r"[^\x20-\x7e]")  # what has to be looked at


def plain(text: object) -> str:
    """One line without anything that a terminal would act on or that would turn the text around; capped."""
    shown = ODD.sub(lambda found: _shown(found[0]), str(text))
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."


def block(text: str, longest: int) -> str:
    """Several lines, as harmless; what does not fit is left out of the middle, and the gap says how much."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"
    return re.sub(r"[^\n\t\x20-\x7e]", lambda found: _shown(found[0]), text.replace("\r\n", "\n"))


def _shown(character: str) -> str:
    return character if unicodedata.category(character)[0] not in "CZ" else repr(character)[1:-1]


def escaped(text: str) -> str:
    """For Markdown: text as text, nothing in it is markup, HTML or a link."""
    return re.sub(r"([\\`*_\[\]#|~<>&@])", r"\\\1", text).replace("://", ":\\//")
