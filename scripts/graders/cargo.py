"""Judge a Rust crate: it builds, its own tests pass, each hidden test passes, it is formatted.

Formatting is looked at first, before anything of the submission runs. Then everything is built. The
executables are copied out; what built them, and the hidden sources, are removed; and each runs in sandboxes
of its own, in a fresh copy of the crate, with nothing of the checks in reach. A crash, a hang and noise are
the submission's failure; a sandbox or tool that could not be had is Infrastructure. How hidden tests are
judged, and why a submission has no hold on it: cargo_hidden.py.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from graders import Bench, Judged, Work, cargo_format, cargo_hidden, hidden_program, libtest
from graders.cargo_build import LIB, Built, build
from graders.cargo_crate import Crate, first
from graders.cargo_hidden import Hidden
from graders.cargo_reference import Reference
from graders.sandbox import open_folder
from kit import hidden_tests
from kit.seal import place


def judge(work: Work, bench: Bench) -> Iterator[Judged]:
    """In order: build, cargo_test_lib, hidden.<name>, cargo_fmt_check. A failed build ends it."""
    hidden = [prepared(work, check) for check in work.task["checks"]]
    crate = Crate(work, bench, open_folder(work.copy.with_name(f"crate-{secrets.token_hex(4)}")))
    place(
        work.copy, crate.pristine, lambda _: True
    )  # beside it: what the manifest says of `../` holds there too
    formatted = cargo_format.judge(work, bench, crate.pristine)
    built = build(work, bench, {one.target: one.program.text for one in hidden})
    yield (verdict := of_build(built))
    if verdict.verdict != "pass":
        return
    crate.keep(built, {LIB: LIB, **{one.check: one.target for one in hidden}})
    yield of_own_tests(crate, built)
    reference = Reference(work, bench, hidden)
    for one in hidden:
        yield cargo_hidden.judge(one, crate, built, reference)
    if formatted:
        yield formatted


def prepared(work: Work, check: str) -> Hidden:
    """Under a name that nobody can know: whatever the submission put into tests/, it is not this."""
    file = work.checks / f"{check}.rs"
    scheme = hidden_tests.read(file).scheme
    program = hidden_program.make(file, scheme)
    spawns = program.spawns or bool(work.task.get("spawns"))
    return Hidden(check, f"{check}_{secrets.token_hex(4)}", scheme, program, spawns)


def of_build(built: Built) -> Judged:
    part = built.parts[0]
    if part.done.exit is None:
        fate = "did not end within the grading deadline" if part.done.timed_out else "was cut short"
        output = part.done.stdout + part.done.stderr
        return Judged("build", "fail", f"cargo build {fate}", part.done.elapsed_secs, output)
    well = part.done.exit == 0
    detail = "" if well else first(built.errors().get(LIB), part.output)
    return Judged("build", "pass" if well else "fail", detail, built.secs, part.output)


def of_own_tests(crate: Crate, built: Built) -> Judged:
    if uncompiled := crate.uncompiled(LIB, built, LIB):
        return Judged("cargo_test_lib", "fail", uncompiled, 0.0, built.output(LIB))
    done = crate.run(LIB, [])
    verdict, detail = libtest.all_passed(done)
    return Judged("cargo_test_lib", verdict, detail, done.elapsed_secs, done.stdout + done.stderr)
