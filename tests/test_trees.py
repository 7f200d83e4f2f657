"""kit.trees, globs, seal, snapshot on trees made to hurt: real links, FIFOs, devices, races (D02, G03)."""

from __future__ import annotations

import ctypes
import hashlib
import os
import socket
import stat
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit import snapshot, trees
from kit.globs import Editable, in_version_control
from kit.seal import Destination, Occupied, place, seal
from kit.trees import Limits, Over, escape, unescape, walk

NAMES = st.binary(min_size=1, max_size=40).filter(
    lambda b: b"/" not in b and b"\0" not in b and b not in (b".", b"..")
)
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: devices and foreign owners")


def entries(folder: Path, **options: Any) -> dict[str, dict[str, Any]]:
    return {entry["path"]: entry for entry in seal(folder, **options).entries}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@given(NAMES)
def test_D02_escaped_names_come_back_and_are_printable(name: bytes) -> None:
    assert unescape(escape(name)) == name
    assert escape(name).isprintable()


@given(st.lists(st.tuples(NAMES, st.binary(max_size=50)), max_size=8, unique_by=lambda pair: pair[0]))
def test_D02_a_copy_is_byte_identical_and_its_seal_too(files: list[tuple[bytes, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        source, copy = Path(scratch, "source"), Path(scratch, "copy")
        source.mkdir()
        for name, content in files:
            (source / os.fsdecode(name)).write_bytes(content)
        sealed = seal(source, copy)
        assert sealed.entries == seal(copy).entries
        assert {unescape(entry["path"]) for entry in sealed.entries} == {name for name, _ in files}
        for name, content in files:
            assert (copy / os.fsdecode(name)).read_bytes() == content


def test_D02_nothing_is_left_out_of_a_seal(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "node_modules/.venv/__pycache__").mkdir(parents=True)
    (tmp_path / "node_modules/.venv/__pycache__/x.pyc").write_bytes(b"\0")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("x")
    (tmp_path / "run.sh").write_text("x\r\n")
    (tmp_path / "run.sh").chmod(0o4755)
    (tmp_path / "leak").symlink_to("/etc/passwd")
    found = entries(tmp_path)
    assert found.keys() == {
        *("empty", "node_modules", "node_modules/.venv", "node_modules/.venv/__pycache__"),
        *("node_modules/.venv/__pycache__/x.pyc", ".git", ".git/HEAD", "run.sh", "leak"),
    }
    assert found["run.sh"]["mode"] == "4755"
    assert found["run.sh"]["sha256"] == hashlib.sha256(b"x\r\n").hexdigest()
    assert (found["leak"]["type"], found["leak"]["target"]) == ("link", "/etc/passwd")


def test_G03_links_and_special_files_are_recorded_and_never_made(tmp_path: Path) -> None:
    source, copy, secret = tmp_path / "source", tmp_path / "copy", tmp_path / "secret"
    (source / "src").mkdir(parents=True)
    secret.mkdir()
    (secret / "hidden.rs").write_text("SECRET")
    (source / "src/file").symlink_to(secret / "hidden.rs")
    (source / "src/folder").symlink_to(secret)
    (source / "src/loop").symlink_to("loop")
    (source / "src/nowhere").symlink_to("gone")
    os.mkfifo(source / "src/fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(source / "src/socket"))
        found = entries(source, into=copy)
    kinds = {path: entry["type"] for path, entry in found.items()}
    links = dict.fromkeys(("src/file", "src/folder", "src/loop", "src/nowhere"), "link")
    assert kinds == {"src": "folder", **links, "src/fifo": "fifo", "src/socket": "socket"}
    assert [path.name for path in copy.rglob("*")] == ["src"]


@AS_ROOT
def test_G03_a_device_is_not_opened_and_a_foreign_file_is_not_copied(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    os.mknod(source / "memory", 0o666 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero: reading it never ends
    os.mknod(source / "disk", 0o666 | stat.S_IFBLK, os.makedev(240, 0))
    (source / "mine").write_text("mine")
    (source / "theirs").write_text("theirs")
    os.chown(source / "mine", 61000, 61000)
    found = entries(source, into=copy, owner=61000)
    assert (found["memory"]["type"], found["disk"]["type"]) == ("device", "device")
    assert found["theirs"]["note"] == "owned by uid 0; not copied"
    assert found["theirs"]["sha256"] is None
    assert names(copy) == ["mine"]


def test_G03_hard_linked_files_become_files_of_their_own(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    (source / "a").write_text("same")
    os.link(source / "a", source / "b")
    seal(source, copy, owner=os.getuid())
    assert (copy / "a").stat().st_nlink == (copy / "b").stat().st_nlink == 1


def test_D02_modes_of_a_copy_are_fixed(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    (source / "sub").mkdir(parents=True)
    for name, mode in (("set-uid", 0o6755), ("open", 0o666), ("shut", 0o600), ("sub/x", 0o700)):
        (source / name).write_text("")
        (source / name).chmod(mode)
    (source / "sub").chmod(0o2777)
    seal(source, copy)
    modes = {str(path.relative_to(copy)): stat.S_IMODE(path.stat().st_mode) for path in copy.rglob("*")}
    assert modes == {"set-uid": 0o755, "open": 0o644, "shut": 0o644, "sub": 0o755, "sub/x": 0o755}


def test_D02_a_sparse_file_of_a_terabyte_is_named_and_not_read(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    with (source / "huge").open("wb") as file:
        file.truncate(1 << 40)
    found = entries(source, into=copy)
    assert found["huge"]["size"] == 1 << 40
    assert found["huge"]["sha256"] is None
    assert "larger" in found["huge"]["note"]
    assert not any(copy.iterdir())


@pytest.mark.parametrize(
    ("limits", "cap"),
    [
        (Limits(entries=5), "more than 5 entries"),
        (Limits(bytes=20), "more than 20 bytes"),
        (Limits(seconds=-1), "more than -1 seconds"),
    ],
)
def test_D02_a_bound_ends_the_seal_and_is_named(tmp_path: Path, limits: Limits, cap: str) -> None:
    for number in range(10):
        (tmp_path / str(number)).write_text("12345")
    sealed = seal(tmp_path, limits=limits)
    assert sealed.cap == cap
    assert len(sealed.entries) < 10


def nested(root: Path, depth: int) -> None:
    """Folders in folders, made by descriptors: no path is that long."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def test_D02_three_thousand_nested_folders_are_bounded_and_can_be_removed(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    nested(source, 3000)
    sealed = seal(source, tmp_path / "copy")
    assert sealed.cap == trees.TOO_DEEP
    assert sealed.entries[-1]["note"] == trees.TOO_DEEP
    assert len(sealed.entries) == Limits().depth + 1
    assert trees.remove(source) is None
    assert not source.exists()


def test_D02_what_the_system_could_not_reach_by_a_path_is_named_and_not_entered(tmp_path: Path) -> None:
    """All that walks what was kept goes by paths: the audit, the search for the key, a node's record."""
    source = tmp_path / "source"
    source.mkdir()
    here = os.open(source, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("n" * 250, dir_fd=here)
        inner = os.open("n" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    copy = tmp_path / "copy"
    sealed = seal(source, copy).entries
    assert len(sealed) == 9  # 8 of them within 2,048 bytes
    assert [entry.get("note") for entry in sealed[-2:]] == [None, trees.TOO_DEEP]
    assert len(list(copy.rglob("*"))) == 8


def test_field_52_folders_of_mode_000_do_not_block_removal(tmp_path: Path) -> None:
    victim = tmp_path / "outside"
    victim.mkdir(mode=0o700)
    (victim / "kept").write_text("")
    tree = tmp_path / "tree"
    (tree / "a/b").mkdir(parents=True)
    (tree / "a/b/file").write_text("")
    (tree / "out").symlink_to(victim)
    (tree / "a/b").chmod(0)
    (tree / "a").chmod(0o500)
    tree.chmod(0)
    assert trees.remove(tree) is None
    assert not tree.exists()
    assert (victim / "kept").exists()
    assert trees.remove(tree) is None


def test_remove_takes_a_link_and_not_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    assert trees.remove(tmp_path / "link") is None
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def swap(first: Path, second: Path, until: threading.Event) -> None:
    """Exchange two names at once, again and again."""
    library = ctypes.CDLL(None, use_errno=True)
    while not until.is_set():
        library.renameat2(-100, os.fsencode(first), -100, os.fsencode(second), 2)  # RENAME_EXCHANGE


@pytest.mark.parametrize("kind", ["link", "fifo", "folder link"])
def test_field_26_a_name_swapped_midway_neither_leaks_nor_hangs(tmp_path: Path, kind: str) -> None:
    source, secret = tmp_path / "source", tmp_path / "secret"
    source.mkdir()
    secret.mkdir()
    (secret / "inner").write_text("SECRET")
    first, second = source / "a", tmp_path / "other"
    if kind == "folder link":
        first.mkdir()
        (first / "inner").write_text("public")
        second.symlink_to(secret)
    else:
        first.write_text("public")
        second.symlink_to(secret / "inner") if kind == "link" else os.mkfifo(second)
    done = threading.Event()
    thread = threading.Thread(target=swap, args=(first, second, done))
    thread.start()
    seen = set()
    try:
        for round_ in range(400):
            copy = tmp_path / f"copy{round_}"
            seen |= {entry["type"] for entry in seal(source, copy).entries}
            for path in copy.rglob("*"):
                assert not path.is_symlink()
                assert not path.is_file() or path.read_text() == "public"
    finally:
        done.set()
        thread.join()
    assert len(seen) > 1  # the names were swapped indeed


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "socket"])
def test_field_26_what_was_swapped_between_look_and_open_is_not_believed(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, copy, look = tmp_path / "source", tmp_path / "copy", os.stat
    source.mkdir()
    (source / "a").write_text("public")

    def swapped(name: Any, **options: Any) -> os.stat_result:
        found = look(name, **options)
        if name == b"a":
            (source / "a").unlink()
            if kind == "link":
                (source / "a").symlink_to("/etc/hostname")
            elif kind == "folder":
                (source / "a").mkdir()
            else:
                os.mknod(source / "a", stat.S_IFIFO if kind == "fifo" else stat.S_IFSOCK)
        return found

    monkeypatch.setattr(os, "stat", swapped)
    found = entries(source, into=copy)
    monkeypatch.undo()
    assert found["a"]["type"] == "unreadable"
    assert names(copy) == []


@pytest.mark.skipif(not os.path.ismount("/proc"), reason="needs a mounted /proc")
def test_D02_other_file_systems_are_not_entered() -> None:
    found = next(found for found in walk(Path("/"), enter=lambda _: False) if found.path == b"proc")
    assert (found.kind, found.note) == ("unreadable", "on another file system")


def test_G04_build_output_at_the_root_is_named_with_its_size_and_not_kept(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    for folder in ("target/debug", "src/target"):
        (source / folder).mkdir(parents=True)
        (source / folder / "x").write_bytes(b"12345")
    found = entries(source, into=copy)
    assert found["target"]["size"] == 5
    assert "target/debug" not in found
    assert "src/target/x" in found  # a module of that name is source
    assert names(copy) == ["src"]
    trees.remove(source / "target")
    (source / "target").symlink_to("/")
    assert entries(source)["target"]["type"] == "link"


def test_G03_nothing_is_placed_outside_or_over_something_else(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "root"
    copy = Destination(root)
    (root / "way").symlink_to(outside)
    (root / "file").write_text("first")
    for path in (b"way/x", b"file/x", b"file"):
        with pytest.raises(Occupied):
            copy.file(path, executable=False)
    for path in (b"../x", b"a/../../x", b"a//x", b"."):
        with pytest.raises(ValueError, match="no file name"):
            copy.file(path, executable=False)
    assert not any(outside.iterdir())
    assert (root / "file").read_text() == "first"


def test_T08_histories_and_build_output_are_never_placed(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    for name in (".git/HEAD", "src/.hg/x", "target/x", "src/lib.rs", "a/.GIT/x"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("")
    assert place(source, copy, lambda _: True) == []
    assert {str(path.relative_to(copy)) for path in copy.rglob("*")} == {"src", "src/lib.rs", "a"}


def test_G01_only_wanted_files_are_placed(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    for name in ("src/lib.rs", "src/empty/.keep", "build.rs", "src2/x"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("")
    (source / "src/link").symlink_to("lib.rs")
    editable = Editable(["src/**"])
    assert place(source, copy, lambda path: path in editable) == [("src/link", "a link")]
    assert {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()} == {
        "src/lib.rs",
        "src/empty/.keep",
    }


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        (b"src/lib.rs", True),
        (b"src/a\nb", True),
        (b"src/\xff/x.rs", True),
        (b"src", False),
        (b"srcs/lib.rs", False),
        (b"a/src/lib.rs", False),
        (b"src/.git/config", False),
        (b"target/x", False),
    ],
)
def test_T02_editable_reads_patterns_as_git_does(path: bytes, inside: bool) -> None:
    assert (path in Editable(["src/**"])) is inside


def test_G03_a_link_on_the_way_to_editable_files_counts() -> None:
    editable = Editable(["crates/core/src/**", "*.toml"])
    assert all(
        map(
            editable.reaches, (b"crates", b"crates/core", b"crates/core/src", b"crates/core/src/x", b"x.toml")
        )
    )
    assert not any(map(editable.reaches, (b"crate", b"crates/cor", b"docs", b"src")))


@given(NAMES)
def test_T08_a_history_is_never_editable(name: bytes) -> None:
    assert b"src/.git/" + name not in Editable(["**"])
    assert (b"src/" + name in Editable(["src/**"])) is not in_version_control(name)


def run_folder(root: Path) -> Path:
    run = root / "run"
    (run / "home/.client").mkdir(parents=True)
    (run / "home/.client/settings.json").write_text(f'{{"hook": "{run}/bin/x"}}')
    return run


def test_E05_a_snapshot_does_not_depend_on_where_the_run_is(tmp_path: Path) -> None:
    first = snapshot.take(run_folder(tmp_path / "one"), ["home/.client/*.json"])
    second = snapshot.take(run_folder(tmp_path / "another-place"), ["home/**/settings.json"])
    assert first == second
    assert first == {"home/.client/settings.json": hashlib.sha256(b'{"hook": "<run>/bin/x"}').hexdigest()}


def test_E05_configuration_made_into_a_link_or_fifo_shows_as_a_change(tmp_path: Path) -> None:
    run = run_folder(tmp_path)
    patterns = ["home/.client/settings.json"]
    seen = [snapshot.take(run, patterns)]
    file = run / patterns[0]
    copied = file.rename(run / "copied")
    file.symlink_to(copied)
    seen.append(snapshot.take(run, patterns))
    file.unlink()
    os.mkfifo(file)
    seen.append(snapshot.take(run, patterns))
    file.unlink()
    with file.open("wb") as huge:
        huge.truncate(1 << 40)
    seen.append(snapshot.take(run, patterns))
    assert len({taken[patterns[0]] for taken in seen}) == 4


def test_E05_a_link_to_a_folder_is_not_followed_by_a_snapshot(tmp_path: Path) -> None:
    run = run_folder(tmp_path)
    (run / "home/.client").rename(tmp_path / "elsewhere")
    (run / "home/.client").symlink_to(tmp_path / "elsewhere")
    assert snapshot.take(run, ["home/.client/settings.json"]) == {}
    assert list(snapshot.take(run, ["home/**"])) == ["home/.client"]


def test_E05_too_many_files_do_not_hide_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_folder(tmp_path)
    monkeypatch.setattr(snapshot, "LIMITS", Limits(entries=3))
    for number in range(5):
        (run / f"home/.client/{number}").write_text("")
    assert any(name.startswith("<stopped") for name in snapshot.take(run, ["home/.client/*"]))


def test_a_walk_does_not_enter_what_it_is_told_not_to(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    assert [found.path for found in walk(tmp_path, enter=lambda path: path != b"a")] == [b"a"]
    with pytest.raises(Over):
        list(walk(tmp_path, Limits(entries=1)))
