"""Start a program once its network namespace's loopback is up: `python -I -S loopback.py PROGRAM ARGUMENT...`

A new network namespace has only that device, and it is down: nothing could listen there. Lifting it needs the
right to administer the namespace, which is handed to nobody: what follows (namespaces.py) drops it.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1  # linux/sockios.h, linux/if.h


def up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))


if __name__ == "__main__":
    up()
    os.execvp(sys.argv[1], sys.argv[1:])
