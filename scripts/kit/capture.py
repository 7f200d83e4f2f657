"""What a command prints: through sockets into files, as bytes, while it runs, and never too much.

A socket, because a pipe or a file can be opened again through /proc/<pid>/fd/1 and then read or cut by the
command itself. It never decodes. A disk that cannot be written is the runner's failure (OSError).
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import time
from pathlib import Path

LAST_WORDS_SECS = 0.5  # for output that is still on its way after the end
TAIL_BYTES = 4 << 20  # of a stream that is too long, the end that is kept; it waits in memory


class Kept:
    """One stream's file: all of it, or its first and last part.

    The cut falls between lines: what is left of a line at either side of it goes too. Where one side
    is a single line without an end, that line is kept, broken, and a line feed stands at the cut.
    """

    def __init__(self, path: Path, cap: int) -> None:
        self._file = path.open("wb")
        self._tail_cap = min(cap // 2, TAIL_BYTES)
        self._room = cap - self._tail_cap
        self._whole_lines = 0  # where the head's last line ends
        self._tail = bytearray()
        self._broken = False
        self.bytes = self.dropped = 0

    def take(self, data: bytes) -> None:
        self.bytes += len(data)
        head, rest = data[: self._room], data[self._room :]
        self._room -= len(head)
        if head:
            if (line_end := head.rfind(b"\n")) >= 0:
                self._whole_lines = self.bytes - len(data) + line_end + 1
            self._write(head)
        self._tail += rest
        if len(self._tail) > 2 * self._tail_cap:
            self._cut_tail()

    def _cut_tail(self) -> None:
        excess = max(0, len(self._tail) - self._tail_cap)
        del self._tail[:excess]
        self.dropped += excess

    def _write(self, data: bytes | bytearray) -> None:
        if self._broken:  # the error is on its way up; what still comes is only read
            return
        try:
            self._file.write(data)
            self._file.flush()
        except OSError:
            self._broken = True
            raise

    def finish(self) -> None:
        self._cut_tail()
        if self.dropped and not self._broken:
            self._mend()
        self._write(self._tail)

    def release(self) -> None:
        with contextlib.suppress(OSError):  # after a failed write, closing fails again
            self._file.close()

    def _mend(self) -> None:
        head = self._file.tell()
        if self._whole_lines:
            self.dropped += head - self._whole_lines
            self._file.truncate(self._whole_lines)
            self._file.seek(self._whole_lines)
        else:
            self._write(b"\n")
        line_end = self._tail.find(b"\n")
        if 0 <= line_end < len(self._tail) - 1:
            self.dropped += line_end + 1
            del self._tail[: line_end + 1]


class Streams:
    """The command's stdout and stderr, each through a socket into a bounded file."""

    def __init__(self, stdout: Path, stderr: Path, cap: int) -> None:
        self.kept = Kept(stdout, cap), Kept(stderr, cap)
        self.first: float | None = None  # when stdout's first byte came
        self._selector = selectors.DefaultSelector()
        self._ours: list[socket.socket] = []
        self.theirs: list[socket.socket] = []
        for kept in self.kept:
            ours, theirs = socket.socketpair()
            ours.shutdown(socket.SHUT_WR)  # whoever reads from its stdout finds the end of it
            self._ours.append(ours)
            self.theirs.append(theirs)
            self._selector.register(ours, selectors.EVENT_READ, kept)

    def watch(self, process: subprocess.Popen[bytes]) -> None:
        """Close the command's ends here, and wake up at its end."""
        for theirs in self.theirs:
            theirs.close()
        if sys.platform == "linux":
            self._pidfd = os.pidfd_open(process.pid)
            self._selector.register(self._pidfd, selectors.EVENT_READ, None)

    def pump(self, secs: float) -> bool:
        """Read what comes within this time; false when nothing did."""
        got = False
        if not self._selector.get_map():
            time.sleep(secs)
        for key, _ in self._selector.select(secs):
            if not isinstance(key.data, Kept):  # the process has ended
                self._selector.unregister(key.fileobj)
                os.close(self._pidfd)
            elif data := os.read(key.fd, 1 << 16):
                got = True
                if self.first is None and key.data is self.kept[0]:
                    self.first = time.monotonic()
                key.data.take(data)
            else:
                self._selector.unregister(key.fileobj)
        return got

    def finish(self) -> None:
        """Read what is still on its way; a holder of the other end that went on writing is not waited for."""
        until = time.monotonic() + LAST_WORDS_SECS
        while self.pump(0) and time.monotonic() < until:
            pass
        for kept in self.kept:
            kept.finish()

    def release(self) -> None:
        for held in (*self._ours, *self.theirs):
            held.close()
        for kept in self.kept:
            kept.release()
        for key in list(self._selector.get_map().values()):
            if key.data is None:
                os.close(key.fd)
        self._selector.close()
