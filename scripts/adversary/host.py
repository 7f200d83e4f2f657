"""What the host runs beside a trial: servers, memory, a process. Open to everybody, and gone afterwards."""

from __future__ import annotations

import contextlib
import ctypes
import secrets
import socket
import subprocess
import sys
import threading
from pathlib import Path

import psutil

CREATE = 0o1000 | 0o666  # IPC_CREAT, for everybody
libc = ctypes.CDLL(None, use_errno=True)


def servers(heard: list[str], word: str, stack: contextlib.ExitStack, scratch: Path) -> dict[str, str]:
    """A port (TCP and UDP), an abstract and a path socket; each notes what it is told."""
    abstract, path = f"agent-eval-{word}", scratch / "open.sock"
    tcp, udp = socket.create_server(("", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    port = tcp.getsockname()[1]
    udp.bind(("", port))
    names = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
    for one, address in zip(names, (f"\0{abstract}", str(path)), strict=True):
        one.bind(address)
        one.listen()
    path.chmod(0o777)
    stack.callback(path.unlink, missing_ok=True)

    def listen(server: socket.socket) -> None:
        with contextlib.suppress(OSError):  # closed: the end
            while True:
                if server is udp:
                    heard.append(server.recv(4096).decode(errors="replace"))
                    continue
                connection, _ = server.accept()
                with connection, contextlib.suppress(OSError):
                    connection.settimeout(2)
                    heard.append(connection.recv(4096).decode(errors="replace"))
                    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")

    for server in (tcp, udp, *names):
        threading.Thread(target=listen, args=(server,), daemon=True).start()
        stack.callback(server.close)
        if server is not udp:
            stack.callback(shut, server)
    return {"PORT": str(port), "ADDRESS": address_of_host(), "ABSTRACT": abstract, "SOCKET": str(path)}


def shut(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)


def address_of_host() -> str:
    """An address that is not only the loop's, where there is one."""
    addresses = [
        a.address for all_ in psutil.net_if_addrs().values() for a in all_ if a.family == socket.AF_INET
    ]
    return next((address for address in addresses if not address.startswith("127.")), "127.0.0.1")


def memory(stack: contextlib.ExitStack) -> dict[str, str]:
    """A System V segment and a message queue, for everybody."""
    key = secrets.randbelow(1 << 30) + 1
    libc.shmat.restype = ctypes.c_void_p
    libc.shmdt.argtypes = [ctypes.c_void_p]
    segment, queue = libc.shmget(key, 4096, CREATE), libc.msgget(key, CREATE)
    stack.callback(libc.shmctl, segment, 0, None)
    stack.callback(libc.msgctl, queue, 0, None)
    at = libc.shmat(segment, None, 0)
    ctypes.memmove(at, b"secret", 6)
    libc.shmdt(at)
    return {"SHM_KEY": str(key)}


def process(stack: contextlib.ExitStack, held: Path) -> int:
    """It holds that file open, and ends with us."""
    with held.open("rb") as file:
        child = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", sys.executable, "-c", "import time; time.sleep(3600)"],
            stdin=file,
            start_new_session=True,
        )
    stack.callback(child.wait)
    stack.callback(child.kill)
    return child.pid
