#!/usr/bin/env python3
"""Say what is missing here, what is wrong with what is there, and how to get it; exit 0 or 1.

It looks, installs nothing and changes nothing (`make tools` installs). What it finds is the machine's state.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

import clients
from kit import programs, tools
from kit.contract import Exit
from looks import Look, machine, software, take
from plan import eval_root
from planning import control_root


def parser() -> argparse.ArgumentParser:
    p = programs.parser("doctor", __doc__)
    p.add_argument(
        "--eval-root", type=Path, default=eval_root(), metavar="DIR", help="where trials would run"
    )
    p.add_argument("--json", action="store_true", help="for machines")
    return p


def looks(root: Path, home: Path) -> dict[str, Callable[[], str]]:
    """In the order in which they are told: what the user brings, what is installed, the machine."""
    return {
        "python": software.python,
        "npm": software.npm,
        "rust": partial(software.rust, home),
        "rustfmt": software.rustfmt,
        **{name: partial(software.package, name, home) for name in tools.packages()},
        "node": partial(software.node, home),
        "srt": software.srt,
        **{name: partial(software.client, name, home) for name in clients.names()},
        "cargo-agents": partial(software.cargo_agents, home),
        "sandbox": machine.sandbox,
        "runner": machine.runner,
        "groups": machine.groups,
        "limits": machine.limits,
        "eval root": partial(machine.eval_root, root),
        "control root": partial(machine.control_root, control_root()),
        "disk": partial(machine.disk, root),
        "managed settings": partial(machine.managed, clients.names()),
    }


def tell(taken: list[Look]) -> None:
    marks = "✓✗" if (sys.stdout.encoding or "").lower().startswith("utf") else "+x"
    for look in taken:
        print(f"{marks[not look.ok]} {look.name:<17}{look.says}" + (f"; {look.todo}" if look.todo else ""))
    if missing := [look.name for look in taken if not look.ok]:
        print(f"\n{len(missing)} to mend: {', '.join(missing)}")
    else:
        print("\nall well: `make eval` will run")


def main() -> Exit:
    args = parser().parse_args()
    with tempfile.TemporaryDirectory() as home, ThreadPoolExecutor(os.cpu_count()) as pool:
        taken = list(pool.map(take, *zip(*looks(args.eval_root.absolute(), Path(home)).items(), strict=True)))
    well = all(look.ok for look in taken)
    if args.json:
        print(json.dumps({"ok": well, "looks": [asdict(look) for look in taken]}, indent=2))
    else:
        tell(taken)
    return Exit.OK if well else Exit.NO


if __name__ == "__main__":
    sys.exit(main())
