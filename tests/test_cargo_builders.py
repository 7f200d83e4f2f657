"""Which files run while a crate's tests are built, and whether a submission changed one (G08)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graders import cargo_builders

STARTER = {
    "Cargo.toml": '[package]\nname = "a"\nbuild = "make/main.rs"\n',
    "make/main.rs": "fn main() {}\n",
    "src/lib.rs": "",
    "macros/Cargo.toml": '[package]\nname = "m"\n[lib]\nproc-macro = true\n',
    "macros/src/lib.rs": "",
    "member/Cargo.toml": '[package]\nname = "b"\n',
    "member/src/lib.rs": "",
}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, ""),
        ({"src/lib.rs": "pub mod x;\n", "member/src/x.rs": "mod y;\n", "notes/.cargo.md": "x"}, ""),
        ({"make/main.rs": "fn main() { }\n"}, "make/main.rs"),
        ({"member/build.rs": "fn main() {}\n"}, "member/build.rs"),
        ({"macros/src/more.rs": ""}, ""),  # nothing in it yet
        ({"macros/src/more.rs": "x"}, "macros/src/more.rs"),
        ({"member/Cargo.toml": '[package]\nname = "b"\nbuild = "src/x.rs"\n'}, "member/Cargo.toml"),
        ({"member/Cargo.toml": "no manifest"}, "member/Cargo.toml"),
        ({".cargo/config.toml": "[build]\n"}, ".cargo/config.toml"),
        ({"member/.cargo/config": "[build]\n"}, "member/.cargo/config"),
    ],
)
def test_G08_what_builds_the_tests_is_the_starters_or_is_named(
    change: dict[str, str], found: str, tmp_path: Path
) -> None:
    for name, text in STARTER.items():
        write(tmp_path / "starter" / name, text)
    shutil.copytree(tmp_path / "starter", tmp_path / "crate")
    for name, text in change.items():
        write(tmp_path / "crate" / name, text)
    assert cargo_builders.of_the_submission(tmp_path / "crate", tmp_path / "starter") == found


@pytest.mark.parametrize("more", ['include!("src/x.rs");', "mod x;"])
def test_G08_a_build_script_that_takes_in_another_file_is_named(more: str, tmp_path: Path) -> None:
    write(tmp_path / "crate/build.rs", f"{more}\nfn main() {{}}\n")
    shutil.copytree(tmp_path / "crate", tmp_path / "starter")
    assert cargo_builders.of_the_submission(tmp_path / "crate", tmp_path / "starter") == "build.rs"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
