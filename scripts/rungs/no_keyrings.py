"""Run a program without the kernel's key rings: `python -I -S no_keyrings.py PROGRAM ARGUMENT...`

srt leaves `keyctl` open: a trial could read the runner's session keys, or leave keys for later trials. The
filter stays on for everything the program starts. So does no-new-privileges, which it needs without root.
System calls of another table (32-bit, x32) fail too, because the same calls have other numbers there.
It never changes anything else; a kernel without seccomp, or another kind of machine, is unavailable.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, TABLE = 0, 4  # offsets in struct seccomp_data
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
EPERM, ENOSYS = 1, 38
X32 = 0x40000000

_is_on = False  # on this process, by install()

# machine: (its table of system calls; add_key, request_key, keyctl in it)
MACHINES = {
    "x86_64": (0xC000003E, (248, 249, 250)),
    "aarch64": (0xC00000B7, (217, 218, 219)),
}


def program(machine: str) -> bytes:
    """The filter, in classic BPF: (code, skip when true, skip when false, operand) each."""
    table, calls = MACHINES[machine]
    lines = [
        (LOAD, 0, 0, TABLE),
        (EQUAL, 1, 0, table),
        (RETURN, 0, 0, ERRNO | ENOSYS),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, ERRNO | ENOSYS),
    ]
    for call in calls:
        lines += [(EQUAL, 0, 1, call), (RETURN, 0, 0, ERRNO | EPERM)]
    lines.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("HBBI", *line) for line in lines)


class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_void_p))


def install() -> None:
    """Put the filter on this process and on all that it will start."""
    global _is_on
    code = program(os.uname().machine)  # the module `platform` would cost as much as all the rest
    lines = ctypes.create_string_buffer(code, len(code))
    filter_ = Program(len(code) // 8, ctypes.addressof(lines))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "no seccomp filter could be put on")
    _is_on = True


def install_early() -> None:
    """Once, for a program that starts many sandboxes: each then starts without a Python before it.

    Where it cannot be, words() stands before each command, and what it says is the rung's to report.
    """
    if sys.platform != "linux" or os.uname().machine not in MACHINES:
        return
    try:
        install()
    except OSError:
        return


def words() -> list[str]:
    """What comes before a command, so that the filter is on it; none when this process has it already."""
    return [] if _is_on else [sys.executable, "-I", "-S", __file__]


if __name__ == "__main__":
    install()
    os.execvp(sys.argv[1], sys.argv[1:])
