"""Judge a Rust crate: it builds, its own tests pass, each hidden test passes, it is formatted.

One sandbox builds everything. The executables are then copied out; what built them, and the hidden sources,
are removed; and each runs in a sandbox of its own, in a fresh copy of the crate, with nothing of the checks
in reach. A crash, a hang and noise are the submission's failure; a build or run that could not be had is
Infrastructure.

Hidden tests run plainly here, so a submission written against this grader can forge a pass. Told and blind
hidden tests, on which it has no hold, are not built yet.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from graders import Bench, Judged, Work, libtest
from graders.cargo_build import LIB, Built, build, take
from graders.sandbox import open_folder
from kit import trees
from kit.seal import place


def judge(work: Work, bench: Bench) -> Iterator[Judged]:
    """In order: build, cargo_test_lib, hidden.<name>, cargo_fmt_check. A failed build ends it."""
    crate = Crate(work, bench, open_folder(work.scratch / "crate"))
    place(work.copy, crate.pristine, lambda _: True)
    # A name that nobody can know: whatever the submission put into tests/, it is not this.
    hidden = {check: f"{check}_{secrets.token_hex(4)}" for check in work.task["checks"]}
    built = build(work, bench, hidden)
    yield (verdict := of_build(built))
    if verdict.verdict != "pass":
        return
    crate.keep(built, {LIB: LIB, **hidden})
    yield crate.run("cargo_test_lib", LIB, built, LIB)
    for check, name in hidden.items():
        yield crate.run(f"hidden.{check}", check, built, name)
    if work.task["fmt_check"]:
        yield of_format(built)


def of_build(built: Built) -> Judged:
    part = built.part("build")
    secs = sum(part.secs for part in built.parts if part.name != "fmt")
    if part is None:
        fate = "did not end within the grading deadline" if built.done.timed_out else "was cut short"
        output = built.done.stdout + built.done.stderr
        return Judged("build", "fail", f"cargo build {fate}", built.done.elapsed_secs, output)
    detail = "" if part.status == 0 else _first(built.errors().get(LIB), part.output)
    return Judged("build", "pass" if part.status == 0 else "fail", detail, secs, part.output)


def of_format(built: Built) -> Judged:
    part = built.part("fmt")
    if part is None or part.status != 0:
        output = part.output if part else b""
        return Judged("cargo_fmt_check", "fail", _first(None, output), part.secs if part else 0.0, output)
    return Judged("cargo_fmt_check", "pass", "formatted", part.secs, part.output)


def _first(error: str | None, output: bytes) -> str:
    """What a person should see first of an error."""
    return libtest.readable((error.encode("utf-8", "backslashreplace") if error else output).strip())


@dataclass(frozen=True)
class Crate:
    """The crate whose tests run: its pristine copy, and the executables taken from the build."""

    work: Work
    bench: Bench
    pristine: Path

    def keep(self, built: Built, wanted: Mapping[str, str]) -> None:
        """Copy out what will run, and remove everything else that the build made or saw."""
        made = built.executables()
        for check, name in wanted.items():
            if name in made:
                take(built.target, made[name], self.program(check), 0o111)  # to be run, not to be read
        aside = open_folder(self.work.scratch / "aside")
        programs = built.programs()
        for name, file in programs.items():
            take(built.target, file, aside / name, 0o555)
        for folder in ("target", "hidden", "cargo-home"):
            trees.remove(self.work.scratch / folder)
        for name, file in programs.items():  # back where a test was told that they are
            file.parent.mkdir(parents=True, exist_ok=True)
            (aside / name).rename(file)

    def program(self, check: str) -> Path:
        """In a folder of its own, the only one that the run can read."""
        folder = self.work.scratch / "programs" / ("lib" if check is LIB else f"hidden-{check}")
        return (folder if folder.is_dir() else open_folder(folder)) / "test"

    def run(self, title: str, check: str, built: Built, name: str) -> Judged:
        program = self.program(check)
        if not program.exists():
            output = b"".join(part.output for part in built.tests)
            why = _first(built.errors().get(name), output)
            if built.done.timed_out:
                why = "its build did not end within the grading deadline"
            return Judged(title, "fail", f"does not compile: {why}", 0.0, output)
        trees.remove(self.work.copy)
        place(self.pristine, self.work.copy, lambda _: True)
        self.work.copy.chmod(0o755)
        readable = [program.parent, self.work.fixtures]
        if (programs := self.work.scratch / "target").is_dir():
            readable.append(programs)
        argv = ["env", f"CARGO_MANIFEST_DIR={self.work.copy}", str(program)]
        done = self.bench.run(argv, cwd=self.work.copy, writable=[self.work.copy], readable=readable)
        verdict, detail = libtest.all_passed(done) if check is LIB else libtest.one_passed(done)
        return Judged(title, verdict, detail, done.elapsed_secs, done.stdout + done.stderr)
