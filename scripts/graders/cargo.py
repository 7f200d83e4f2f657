"""Judge a Rust crate: it builds, its own tests pass, each hidden test passes, it is formatted.

One sandbox builds everything. The executables are then copied out; what built them, and the hidden sources,
are removed; and each runs in sandboxes of its own, in a fresh copy of the crate, with nothing of the checks
in reach. A crash, a hang and noise are the submission's failure; a build or run that could not be had is
Infrastructure. How hidden tests are judged, and why a submission has no hold on it: cargo_hidden.py.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from graders import Bench, Judged, Work, cargo_hidden, hidden_program, libtest
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
    formatted = crate.pristine if work.task["fmt_check"] else None
    built = build(work, bench, {one.target: one.program.text for one in hidden}, formatted=formatted)
    yield (verdict := of_build(built))
    if verdict.verdict != "pass":
        return
    crate.keep(built, {LIB: LIB, **{one.check: one.target for one in hidden}})
    yield of_own_tests(crate, built)
    reference = Reference(work, bench, hidden)
    for one in hidden:
        yield cargo_hidden.judge(one, crate, built, reference)
    if work.task["fmt_check"]:
        yield of_format(built)


def prepared(work: Work, check: str) -> Hidden:
    """Under a name that nobody can know: whatever the submission put into tests/, it is not this."""
    file = work.checks / f"{check}.rs"
    scheme = hidden_tests.read(file).scheme
    program = hidden_program.make(file, scheme)
    spawns = program.spawns or bool(work.task.get("spawns"))
    return Hidden(check, f"{check}_{secrets.token_hex(4)}", scheme, program, spawns)


def of_build(built: Built) -> Judged:
    part = built.part("build")
    secs = sum(part.secs for part in built.parts if part.name != "fmt")
    if part is None:
        fate = "did not end within the grading deadline" if built.done.timed_out else "was cut short"
        output = built.done.stdout + built.done.stderr
        return Judged("build", "fail", f"cargo build {fate}", built.done.elapsed_secs, output)
    detail = "" if part.status == 0 else first(built.errors().get(LIB), part.output)
    return Judged("build", "pass" if part.status == 0 else "fail", detail, secs, part.output)


def of_own_tests(crate: Crate, built: Built) -> Judged:
    if uncompiled := crate.uncompiled(LIB, built, LIB):
        return Judged("cargo_test_lib", "fail", uncompiled, 0.0, built.output(LIB))
    done = crate.run(LIB, [])
    verdict, detail = libtest.all_passed(done)
    return Judged("cargo_test_lib", verdict, detail, done.elapsed_secs, done.stdout + done.stderr)


def of_format(built: Built) -> Judged:
    part = built.part("fmt")
    if part is None or part.status != 0:
        output = part.output if part else b""
        return Judged("cargo_fmt_check", "fail", first(None, output), part.secs if part else 0.0, output)
    return Judged("cargo_fmt_check", "pass", "formatted", part.secs, part.output)
