"""Ways to take a guard away: each changes the words around srt, or the policy that srt is given."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from layers import Change, Sandbox


def words(*gone: str) -> Change:
    """These words, one after another where there are several, of the command around srt."""

    def change(sandbox: Sandbox) -> None:
        size = len(gone)
        at = [n for n in range(len(sandbox.around)) if starts(sandbox.around[n : n + size], gone)]
        if not at:
            raise LookupError(f"{shlex.join(gone)}: not in the command around srt")
        del sandbox.around[at[0] : at[0] + size]

    return change


def starts(found: Sequence[str], wanted: Sequence[str]) -> bool:
    """Word for word; one that ends in = stands for any value, and * for any word."""
    return len(found) == len(wanted) and all(
        w in ("*", f) or (w.endswith("=") and f.startswith(w)) for f, w in zip(found, wanted, strict=True)
    )


def opened(sandbox: Sandbox) -> None:
    """Root in bubblewrap's user namespace has no power over folders of the trial's uid: let others in."""
    for folder in (Path(sandbox.variables["CONTROL"], "tmp"), Path(sandbox.variables["PROJECT"])):
        folder.chmod(0o755)


def exec_first(sandbox: Sandbox) -> None:
    """The first process of the namespace is replaced by what it starts."""
    at = next(n for n, word in enumerate(sandbox.around) if word.endswith('"$@"; exit $?'))
    sandbox.around[at] = sandbox.around[at].replace('"$@"; exit $?', 'exec "$@"')


def each(*changes: Change) -> Change:
    def change(sandbox: Sandbox) -> None:
        for one in changes:
            one(sandbox)

    return change


def no_srt(sandbox: Sandbox) -> None:
    sandbox.inside = []


def files(**lists: list[str]) -> Change:
    """Another value for a line of the policy; in it $NAME is a variable of the probes."""

    def change(sandbox: Sandbox) -> None:
        for name, paths in lists.items():
            filled = [sandbox.variables[path[1:]] if path.startswith("$") else path for path in paths]
            sandbox.policy["filesystem"][name] = filled

    return change


def open_again(name: str, up: int = 0) -> Change:
    """Every denied folder that holds this one is no longer denied."""

    def change(sandbox: Sandbox) -> None:
        place = Path(sandbox.variables[name])
        denied = sandbox.policy["filesystem"]["denyRead"]
        kept = [path for path in denied if not place.is_relative_to(path)]
        if kept == denied:
            raise LookupError(f"{place}: no line of denyRead closes it")
        sandbox.policy["filesystem"]["denyRead"] = kept

    return change


def hosts(*more: str, pinned: bool = True) -> Change:
    """These hosts too; or the model's, at every port."""

    def change(sandbox: Sandbox) -> None:
        network = sandbox.policy["network"]
        names = [*network["allowedDomains"], *(f"{host}:80" for host in more)]
        network["allowedDomains"] = names if pinned else [name.removesuffix(":80") for name in names]
        network["mitmProxy"]["domains"] += more

    return change


def setting(**values: object) -> Change:
    def change(sandbox: Sandbox) -> None:
        sandbox.policy["network"].update(values)

    return change
