"""The client's own sandbox in place of srt: what "exploratory" means here. Never compared.

What stands around a trial stays, as far as it is ours: its uid, its namespaces, limits, the filter on key
rings, folders of mode 0750, and a network of its own in which only the gateway answers. What a command of
the agent may read or write is then the client's to hold (its adapter's confined()), and its hooks and file
tools run outside that. Only commands of the client are confined: the set-up's own run with the trial's uid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kit.documents import Document
from rungs import Box, Command, srt
from rungs.namespaces import PATH, inside, outside

COMPARABLE = False

PORT = 3128  # in the trial's own network
# From that port to the gateway's socket; the client starts when it answers. No exec at the end: the client
# would become the parent of a process that it does not know.
ROUTE = (
    f'socat TCP-LISTEN:{PORT},bind=127.0.0.1,fork,backlog=128 "$0" </dev/null >/dev/null 2>&1 & '
    f"for _ in $(seq 500); do (: </dev/tcp/127.0.0.1/{PORT}) 2>/dev/null && break; sleep 0.01; done; "
    '"$@"; exit $?'
)

unavailable = srt.unavailable  # the clients' own sandboxes need of the machine what srt needs


def policy(box: Box, stage: Document) -> Document:
    """None of ours: what the client is told stands in its command line, which execution.json keeps."""
    return {}


def prepare(box: Box, stage: Document) -> None:
    srt.make_folders(box)
    srt.give(box, stage)


def wrap(box: Box, stage: Document, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Command:
    """argv in cwd, with env; its proxy leads to the gateway, or nowhere."""
    alone = box.host is None  # the model's own host is on the machine's network
    around = {"PATH": PATH, "HOME": str(box.run.neutral)}
    within = ["sh", "-c", inside(argv, cwd, env)]
    if alone:
        within = ["bash", "-c", ROUTE, f"UNIX-CONNECT:{box.run.socket}", *within]
        proxy = f"http://127.0.0.1:{PORT}"
        around |= {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "http_proxy": proxy, "https_proxy": proxy}
    return Command([*outside(box.uid, box.mount, alone=alone), *within], {**env, **around}, box.run.neutral)
