"""command: a program run in a fresh copy of the graded project; status 0 passes.

It shares its process with the submission wherever it runs the submission's code, so it is never the only
thing that a task is graded by (T04). Not found or not executable is the task's fault: Infrastructure.
"""

from __future__ import annotations

from assertions import State
from graders import Bench, Infrastructure, Verdict, libtest
from graders.sandbox import open_folder
from kit.documents import Document
from kit.seal import place

NOT_RUN = (126, 127)


def judge(said: Document, state: State, bench: Bench) -> tuple[Verdict, str, bytes]:
    argv = said["run"]
    copy = open_folder(state.work.scratch / f"command-{said['name']}")
    place(state.work.copy, copy, lambda _: True)
    # Relative to the project fixtures are at ../fixtures, wherever the copy is.
    done = bench.run(["env", *argv], cwd=copy, writable=[copy], readable=[state.work.fixtures])
    output = done.stdout + done.stderr
    if done.timed_out:
        return "fail", "it did not end within the grading deadline", output
    if done.exit in NOT_RUN:
        raise Infrastructure(f"assertion {said['name']}: {argv[0]} cannot be run in the sandbox; correct run")
    if done.exit != 0:
        return "fail", f"{argv[0]} ended with status {done.exit}: {libtest.said(done)}", output
    return "pass", f"{argv[0]} ended with status 0", output
