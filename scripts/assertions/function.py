"""function: the task's own judge, `module:function` in the task's graders/ folder, in a process of its own.

It is given one thing, the seal (every entry, and the bytes of regular files), and runs in a sandbox that
holds the seal, the module and nothing else: no transcript, no record, no network. One that raises, or returns
anything but a verdict with checks in it, is broken: Infrastructure, never a pass (D01).
"""

from __future__ import annotations

import json
import secrets
from pathlib import Path

from assertions import State
from graders import Bench, Infrastructure, Verdict, libtest
from graders.interpreter import python
from graders.sandbox import open_folder
from kit.asserted import FOLDER
from kit.documents import Document
from kit.seal import place

INSIDE = Path(__file__).with_name("function_inside.py")


def judge(said: Document, state: State, bench: Bench) -> tuple[Verdict, str, bytes]:
    module, _, function = said["function"].partition(":")
    here = open_folder(state.work.scratch / f"function-{said['name']}")
    place(state.task.folder / FOLDER, open_folder(here / "graders"), lambda _: True)
    place(state.tree, open_folder(here / "files"), lambda _: True)
    entries = {"before": list(state.before.values()), "after": list(state.after.values())}
    (here / "seal.json").write_text(json.dumps(entries), "utf-8")
    word = secrets.token_hex(16)
    inside = here / "inside.py"
    inside.write_bytes(INSIDE.read_bytes())
    for file in (here / "seal.json", inside):
        file.chmod(0o644)
    work = open_folder(state.work.scratch / f"function-{said['name']}-cwd")
    argv = [str(python()), "-I", "-S", "-B", str(inside), word, module, function]
    done = bench.run(argv, cwd=work, writable=[work], readable=[here])
    output = done.stdout + done.stderr
    if done.timed_out:
        raise Infrastructure(f"assertion {said['name']}: {said['function']} did not end; correct it")
    verdict, _, detail = _answer(done.stdout, word)
    if verdict not in ("pass", "fail"):
        why = detail or libtest.said(done)
        raise Infrastructure(
            f"assertion {said['name']}: {said['function']} gave no verdict: {why}; correct it"
        )
    return "pass" if verdict == "pass" else "fail", libtest.readable(detail.encode()), output


def _answer(output: bytes, word: str) -> tuple[str, str, str]:
    _, _, said = output.decode("utf-8", "backslashreplace").rpartition(f"{word} ")
    return said.partition("\n")[0].partition(" ")
