"""Find a text in bytes of any size in the forms that a program or an agent may have given it.

Its forms: as it is, reversed, in base64 at each offset, hexadecimal, percent-encoded, with \\x or \\u
escapes; each in any case, and with anything between its letters and digits that is neither (blanks, line
ends, quotes, a JSON string's \\n). One pass, whose cost does not grow with the number of texts. Not found:
what was compressed, encrypted or cut up with other words in between. It never decides what a find means and
never shows a text.
"""

from __future__ import annotations

import base64
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

SHORTEST = 8  # letters and digits of a text; a shorter one would be found everywhere
SMALL = bytes(range(256)).lower()
NO_WORD = bytes(byte for byte in range(256) if not bytes([byte]).isalnum())
BETWEEN = rb"(?:[^0-9A-Za-z\\]|\\[nrt]|\\)*?"  # what plain() takes out


@dataclass(frozen=True)
class Trace:
    """`label` stands for the text, which is never said."""

    label: str
    form: str
    line: int


def forms(text: bytes) -> dict[str, bytes]:
    """Each form's name to the bytes that show the text; of base64 only what no neighbour changes."""
    found = {
        "plain": text,
        "reversed": text[::-1],
        "hexadecimal": text.hex().encode(),
        "percent-encoded": b"".join(b"%%%02x" % byte for byte in text),
        "x-escaped": b"".join(b"\\x%02x" % byte for byte in text),
        "u-escaped": b"".join(b"\\u%04x" % byte for byte in text),
    }
    for offset in range(3):
        coded = base64.b64encode(bytes(offset) + text)
        first, last = -(-offset * 4 // 3), (offset + len(text)) * 4 // 3
        found[f"base64 ({offset})"] = coded[first:last]
    return found


def plain(data: bytes) -> bytes:
    """In small letters, without what is no letter or digit; a JSON string's \\n is a line end too."""
    if b"\\" in data:
        for escape in (b"\\n", b"\\r", b"\\t"):
            data = data.replace(escape, b"")
    return data.translate(SMALL, NO_WORD)


class Sought:
    """The texts to look for, by label."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = {label: text for label, text in texts.items() if len(plain(text)) >= SHORTEST}
        self._needles = [
            (plain(coded), label, form)
            for label, text in self._texts.items()
            for form, coded in forms(text).items()
        ]
        shortest = min((len(needle) for needle, _, _ in self._needles), default=1)
        self._longest = max((len(needle) for needle, _, _ in self._needles), default=1)
        self._width = (shortest + 1) // 2
        self._stride = shortest - self._width + 1  # so every needle shows a whole window at some stride
        self._windows: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
        for number, (needle, _, _) in enumerate(self._needles):
            for at in range(len(needle) - self._width + 1):
                self._windows[needle[at : at + self._width]].append((number, at))

    def within(self, chunks: Iterable[bytes]) -> Iterator[Trace]:
        """The first trace of each text, in the order of their places."""
        seen: set[str] = set()
        before, rest, line = b"", b"", 1
        for chunk in chunks if self._needles else ():
            data = rest + chunk
            rest = data[len(data.rstrip(b"\\")) :][-1:]  # it may be half of \n
            data = data[: len(data) - len(rest)]
            text = before + plain(data)
            for label, form, end in self._in(text, seen):
                yield Trace(label, form, line + self._lines(data, max(0, end - len(before))))
            before, line = text[1 - self._longest :] if self._longest > 1 else b"", line + data.count(b"\n")

    def _in(self, text: bytes, seen: set[str]) -> Iterator[tuple[str, str, int]]:
        width, windows = self._width, self._windows
        for at in range(0, len(text) - width + 1, self._stride):
            for number, offset in windows.get(text[at : at + width], ()):
                needle, label, form = self._needles[number]
                start = at - offset
                if label not in seen and start >= 0 and text.startswith(needle, start):
                    seen.add(label)
                    yield label, form, start + len(needle)

    @staticmethod
    def _lines(data: bytes, letters: int) -> int:
        """How many lines end before that many letters have come."""
        ended = 0
        for line in data.split(b"\n"):
            letters -= len(plain(line))
            if letters <= 0:
                return ended
            ended += 1
        return ended

    def replaced(self, data: bytes, by: bytes) -> bytes:
        """The data with every form of every text taken out."""
        for text in self._texts.values():
            for coded in forms(text).values():
                letters = [re.escape(bytes([byte])) for byte in plain(coded)]
                data = re.sub(BETWEEN.join(letters), lambda _: by, data, flags=re.IGNORECASE)
        return data
