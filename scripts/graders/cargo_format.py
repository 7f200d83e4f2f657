"""Try the tools, and look at the formatting, in a sandbox in which nothing of the submission runs.

So what is found here is the grader's own failure or a verdict, and no build script has a hold on either.
Formatting follows the starter's own configuration, else rustfmt's defaults: none that the submission brings
counts, and no mark that keeps rustfmt off may be new.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graders import Bench, Infrastructure, Judged, Work, libtest
from graders.cargo_build import put_launcher
from graders.sandbox import open_folder
from kit import skip_marks, trees

BROKEN = 70  # exit status: a tool's fault
# The tools that build are tried beside the look at the formatting, which tries its own by itself.
SCRIPT = f"""
tried() {{
  for tool; do
    "$tool" --version >&2 || {{ echo "$tool: cannot be run in the sandbox"; exit {BROKEN}; }}
  done
}}
"$LAUNCHER" /bin/true || {{ echo "the launcher of hidden tests cannot be used here"; exit {BROKEN}; }}
tried cargo rustc & "$@" && wait $! && exit
wait $! && tried cargo-fmt rustfmt && exit 1
exit {BROKEN}
"""
CONFIGURATIONS = ("rustfmt.toml", ".rustfmt.toml")  # at the top of the starter


def judge(work: Work, bench: Bench, crate: Path) -> Judged | None:
    """crate: as it was submitted, without hidden tests. None: its formatting does not count."""
    counts, starter = bool(work.task["fmt_check"]), work.checks.parent / "starter"
    folder = open_folder(work.scratch / "trial")
    config = folder / "rustfmt.toml"  # a file: in the place of a folder rustfmt would look above it too
    own = [starter / name for name in CONFIGURATIONS if (starter / name).is_file()]
    config.write_bytes(own[0].read_bytes() if own else b"")
    config.chmod(0o644)
    variables = [f"LAUNCHER={put_launcher(work, folder)}", "CARGO_NET_OFFLINE=true"]
    # cargo-fmt and not `cargo fmt`, for which the crate's .cargo/config.toml may name another command
    look = ["cargo-fmt", "--check", "--", "--config-path", str(config)] if counts else ["true"]
    argv = ["env", *variables, "sh", "-c", SCRIPT, "sh", *look]
    done = bench.run(argv, cwd=crate, writable=[], readable=[crate, folder])
    trees.remove(folder)
    output = done.stdout + done.stderr
    if done.exit == BROKEN:
        told = (done.stdout[-200:] + done.stderr[-300:]).decode(errors="backslashreplace")
        raise Infrastructure(f"before the build: {told}")
    if not counts:
        return None
    if marks := list(new_marks(crate, starter)):
        return Judged("cargo_fmt_check", "fail", "; ".join(marks[:5]), done.elapsed_secs, output)
    if done.exit != 0:
        said = libtest.readable(done.stdout.strip() or done.stderr.strip())
        return Judged("cargo_fmt_check", "fail", said, done.elapsed_secs, output)
    return Judged("cargo_fmt_check", "pass", "formatted", done.elapsed_secs, output)


def new_marks(crate: Path, starter: Path) -> Iterator[str]:
    """In any file: `#[path]` makes a module of one with any name."""
    for file in sorted(path for path in crate.rglob("*") if path.is_file()):
        path = file.relative_to(crate)
        marks = skip_marks.unformatted(file.read_bytes())
        before = starter / path
        old = skip_marks.unformatted(before.read_bytes()) if before.is_file() else []
        if len(marks) > len(old):
            yield f"{path}: {len(marks)} rustfmt::skip, {len(old)} in the starter: {marks[-1]}"
