"""What is sure of a shell command that ended with 0: which programs ran well, and what they read.

Sure is only the last chain of `&&`, and in a pipe only its last part: the rest may have failed unseen. What
cannot be split into words says nothing. It runs nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

READERS = frozenset(
    {"cat", "tac", "nl", "head", "tail", "base64", "xxd", "od", "hexdump", "strings", "sha256sum"}
)
BEFORE = frozenset({"exec", "command", "env", "time", "nohup", "setsid", "sudo", "nice", "stdbuf"})
LOOKS = frozenset({"which", "whereis", "type"})
SYMPOSIUM = frozenset({"cargo-agents", "symposium"})
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
OPERATORS = ";&|()<>\n"
HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
LONGEST = 8192  # characters; a longer command says nothing sure


def succeeded(text: str) -> list[list[str]]:
    """The words of each program that must have ended with 0 when the whole did; [] when nothing is sure."""
    if len(text) > LONGEST:
        return []
    lexer = shlex.shlex(without_texts(text), posix=True, punctuation_chars=OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split, lexer.commenters = True, "#"
    try:
        words = list(lexer)
    except ValueError:  # a quote without its end
        return []
    chain: list[list[str]] = [[]]
    for word in strip(words):
        if set(word) <= set(";&|()\n"):
            if word not in ("&&", "|"):
                chain = []
            elif word == "|" and chain:
                chain.pop()
            chain.append([])
        else:
            chain[-1].append(word)
    return [program for words in chain if (program := called(words))]


def without_texts(text: str) -> str:
    """Without the lines of here-documents: they are data."""
    kept, ends = [], ""
    for line in text.split("\n"):
        if ends:
            ends = "" if line.strip() == ends else ends
            continue
        kept.append(line)
        if started := HEREDOC.search(line):
            ends = started[2]
    return "\n".join(kept)


def strip(words: Sequence[str]) -> list[str]:
    """Without line ends and semicolons at the end: they end nothing more."""
    left = list(words)
    while left and set(left[-1]) <= set(";\n"):
        left.pop()
    return left


def called(words: Sequence[str]) -> list[str]:
    """The program and its words, without what only starts it."""
    left = list(words)
    while left and (ASSIGNMENT.match(left[0]) or left[0] in BEFORE):
        first = left.pop(0)
        if first == "command" and left and left[0] in ("-v", "-V"):
            return ["which", *left[1:]]
    if left and left[0] == "timeout":
        return called([word for word in left[1:] if not re.fullmatch(r"-.*|[\d.]+[smhd]?", word)])
    return left


def calls_symposium(words: Sequence[str]) -> bool:
    """Whether these words, having succeeded, show that Symposium was there."""
    program, rest = words[0].rpartition("/")[2], [word for word in words[1:] if not word.startswith("+")]
    if program == "cargo":
        return rest[:1] in (["agents"], ["symposium"])
    if program in LOOKS:
        return any(word.rpartition("/")[2] in SYMPOSIUM for word in rest)
    return program in SYMPOSIUM


def read(words: Sequence[str]) -> Iterator[str]:
    """The files that these words, having succeeded, have shown or passed on."""
    program, after = words[0].rpartition("/")[2], ""
    for word in words[1:]:
        if after == "<" or (not after and program in READERS and not word.startswith("-")):
            yield word
        after = word if set(word) <= set("<>&") else ""
