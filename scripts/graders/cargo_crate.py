"""A crate whose tests run: its pristine copy, and the executables taken from the build.

Each run has a fresh copy of the crate to work in, and its program in a folder of its own, the only one beside
the fixtures that it can read. It judges nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders import Bench, Done, Work, libtest
from graders.cargo_build import LIB, LIMITS, MOST_PROGRAMS, Built, take
from graders.sandbox import open_folder
from kit import trees
from kit.seal import place


@dataclass(frozen=True)
class Crate:
    work: Work
    bench: Bench
    pristine: Path

    def keep(self, built: Built, wanted: Mapping[str, str]) -> None:
        """Copy out what will run, and remove everything else that the build made or saw."""
        made = built.executables()
        for check, name in wanted.items():
            # to be run, not to be read
            taken = take(built.target, made[name], self.program(check), 0o111) if name in made else 0
            if taken and check is not LIB:
                self._launcher(self.program(check).with_name("launcher"))
        aside = open_folder(self.work.scratch / "aside")
        programs, room = {}, LIMITS.bytes
        for name, file in list(built.programs().items())[:MOST_PROGRAMS]:
            if room > 0 and (size := take(built.target, file, aside / name, 0o555)):
                programs[name], room = file, room - size
        for folder in ("target", "hidden", "launcher", "cargo-home"):
            trees.remove(self.work.scratch / folder)
        for name, file in programs.items():  # back where a test was told that they are
            file.parent.mkdir(parents=True, exist_ok=True)
            (aside / name).rename(file)

    def _launcher(self, into: Path) -> None:
        launcher = self.work.scratch / "launcher/launcher"
        into.write_bytes(launcher.read_bytes())
        into.chmod(0o111)

    def program(self, check: str) -> Path:
        folder = self.work.scratch / "programs" / ("lib" if check is LIB else f"hidden-{check}")
        return (folder if folder.is_dir() else open_folder(folder)) / "test"

    def uncompiled(self, check: str, built: Built, name: str) -> str:
        """Why there is no program, for a person; "" when there is one."""
        if self.program(check).exists():
            return ""
        if built.timed_out:
            return "does not compile: its build did not end within the grading deadline"
        return f"does not compile: {first(built.errors().get(name), built.output(name))}"

    def run(self, check: str, variables: Sequence[str], *, launched: bool = False) -> Done:
        """launched: in a process that can start no other."""
        program = self.program(check)
        trees.remove(self.work.copy)
        place(self.pristine, self.work.copy, lambda _: True)
        self.work.copy.chmod(0o755)
        readable = [program.parent, self.work.fixtures]
        if (programs := self.work.scratch / "target").is_dir():
            readable.append(programs)
        start = [str(program.with_name("launcher"))] if launched else []
        argv = ["env", f"CARGO_MANIFEST_DIR={self.work.copy}", *variables, *start, str(program)]
        return self.bench.run(argv, cwd=self.work.copy, writable=[self.work.copy], readable=readable)


def first(error: str | None, output: bytes) -> str:
    """What a person should see first of an error."""
    return libtest.readable((error.encode("utf-8", "backslashreplace") if error else output).strip())
