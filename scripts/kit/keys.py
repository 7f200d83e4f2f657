"""Take a model API's key out of every file of a trial that is kept, in whatever form it is there (L04).

The key should be nowhere: the sandbox never holds it. This is the last look. It works on bytes, replaces
whole files or nothing, follows no link, and never says the key. A file that cannot be read or written is an
error of the runner: a key may then be left, and nobody may believe otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from kit.documents import Document
from kit.removal import remove
from kit.traces import Sought, plain

HIDDEN = b"<key>"
CHUNK = 1 << 20
SHORTEST = 12  # letters and digits: no key is shorter, and a short text is found where none is


def sought(variable: str) -> Sought | None:
    """The key in that environment variable; None: there is none, or it is too short to be one."""
    key = os.environ.get(variable, "").strip().encode()
    return Sought({"key": key}) if len(plain(key)) >= SHORTEST else None


def unsought(variable: str) -> str:
    """In words, that no look was possible."""
    return f"The model API's key was not looked for: {variable} is not set, or too short to be one"


def take_out(root: Path, key: Sought) -> Iterator[Document]:
    """Each file below root that held the key, by its path from root, with the form it was found in."""
    for folder, folders, names in os.walk(root, topdown=False, onerror=_raised):
        for name in sorted([*names, *folders]):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink() and (form := found(path, key)):
                rewrite(path, key)
                yield {"file": shown(path, root, key), "form": form}
            if form := next((trace.form for trace in key.within([os.fsencode(name)])), None):
                yield {"file": shown(path, root, key), "form": f"{form}, in its name"}
                path.rename(path.with_name(free(path.parent, os.fsdecode(cleaned(name, key)))))


def _raised(error: OSError) -> NoReturn:
    raise error  # os.walk would leave the folder out without a word


def take_out_of_run(run: Path, key: Sought) -> Iterator[Document]:
    """Of a run folder that is kept, as "run/...". What cannot be searched is not kept, and that is said."""
    try:
        if os.geteuid():  # the agent had our uid, and may have closed folders to it; root reads them anyhow
            open_up(run)
        yield from ({**one, "file": f"run/{one['file']}"} for one in take_out(run, key))
    except OSError as error:
        remove(run)
        yield {"file": "run/", "form": f"not known: it cannot be searched, {error.strerror}, and was removed"}


def open_up(root: Path) -> None:
    for folder, folders, names in os.walk(root, onerror=_raised):  # before it looks inside
        for path in (Path(folder, name) for name in (*folders, *names)):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o700 if path.is_dir() else 0o600))


def found(path: Path, key: Sought) -> str | None:
    def chunks() -> Iterator[bytes]:
        with path.open("rb") as file:
            while data := file.read(CHUNK):
                yield data

    return next((trace.form for trace in key.within(chunks())), None)


def rewrite(path: Path, key: Sought) -> None:
    """The same file without the key: whole or not at all, with the same mode."""
    draft = path.with_name(".redacted.tmp")
    with draft.open("xb") as file:
        file.write(key.replaced(path.read_bytes(), HIDDEN))
        file.flush()
        os.fsync(file.fileno())
    draft.chmod(path.stat().st_mode & 0o777)
    draft.replace(path)


def cleaned(name: str, key: Sought) -> bytes:
    return key.replaced(os.fsencode(name), HIDDEN)


def shown(path: Path, root: Path, key: Sought) -> str:
    return cleaned(str(path.relative_to(root)), key).decode("utf-8", "backslashreplace")


def free(folder: Path, name: str) -> str:
    number = 0
    while os.path.lexists(folder / (candidate := f"{name}{f'-{number}' if number else ''}")):
        number += 1
    return candidate
