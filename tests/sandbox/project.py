"""A small crate with a path dependency and one test."""

from __future__ import annotations

from pathlib import Path

MANIFEST = '[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n'


def write_project(folder: Path) -> None:
    for name, root in (("beside", folder / "beside"), ("demo", folder)):
        (root / "src").mkdir(parents=True)
        (root / "Cargo.toml").write_text(MANIFEST.format(name=name))
    with (folder / "Cargo.toml").open("a") as file:
        file.write('\n[dependencies]\nbeside = { path = "beside" }\n')
    (folder / "beside/src/lib.rs").write_text("pub fn two() -> i32 {\n    2\n}\n")
    (folder / "src/lib.rs").write_text("#[test]\nfn adds() {\n    assert_eq!(beside::two() + 2, 4);\n}\n")
