"""The probes notice every leak that they are there for, and cry no wolf (I06)."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest

import layers
import probes
from kit.documents import Document
from kit.tools import Tools
from layers import Shown, killed
from layers.listed import GUARDS
from probes import Probe, ProbeResult, Seen, decoys
from probes.listed import PROBES
from rungs import Box, namespaces, srt
from sandbox.scene import Scene, scene

FIRST = 61600
Change = Callable[[Document, Scene], None]


@pytest.fixture(scope="module", params=["root", "user"])
def place(request: pytest.FixtureRequest, tools: Tools) -> Iterator[Scene]:
    with scene(tools, request.param, FIRST) as made:
        (made.root / "evals").mkdir()
        (made.root / "evals/task").write_text("hidden")
        yield made


class Played:
    """The srt rung, for whoever the scene's runner is."""

    COMPARABLE = True
    unavailable = staticmethod(srt.unavailable)
    policy = staticmethod(srt.policy)
    prepare = staticmethod(srt.prepare)

    def __init__(self, place: Scene) -> None:
        self.place = place

    def wrap(self, box: Box, stage: Document, argv: list[str], cwd: Path, env: dict[str, str]) -> object:
        return self.place.command(box, argv)


def probed(
    place: Scene,
    box: Box,
    *,
    treatment: bool,
    change: Change | None = None,
    controls: probes.Controls | None = None,
    other: Path | None = None,
) -> dict[str, ProbeResult]:
    """other: another version's cargo-agents, closed to a treatment as every one is to a baseline."""
    place.prepare(box)
    if change:
        settings = json.loads(box.run.policy.read_text())
        change(settings, place)
        box.run.policy.write_text(json.dumps(settings))
    work = place.root
    shut = [*([] if treatment else [place.stage["symposium"]["path"]]), *([str(other)] if other else [])]
    around = decoys.around(box, shut, "claude", work, place.root, work / "evals", work / "results")
    with around as variables:
        rung = Played(place)
        known = probes.Scene(rung, box, place.stage, place.environment(box), treatment, variables)  # type: ignore[arg-type]  # a rung by its methods
        return {
            result.name: result for result in probes.run(known, PROBES, {} if controls is None else controls)
        }


def failed(results: dict[str, ProbeResult]) -> dict[str, str]:
    return {name: result.detail for name, result in results.items() if not result.passed}


@pytest.mark.real
@pytest.mark.parametrize("treatment", [True, False])
@pytest.mark.parametrize("reads", ["allow-list", "deny-list"])
def test_I06_a_sound_sandbox_passes_every_probe(
    place: Scene, reads: Literal["allow-list", "deny-list"], treatment: bool
) -> None:
    box = place.box(reads=reads, network=True, symposium=treatment)
    if treatment:
        (box.run.bin / "cargo-agents").symlink_to(place.stage["symposium"]["path"])
    results = probed(place, box, treatment=treatment)
    assert failed(results) == {}
    assert {"client-starts", "cargo", "developers-home", "evals", "other-trial"} <= set(results)
    assert ("cargo-agents-starts" in results, "staged-cargo-agents" in results) == (treatment, not treatment)


@pytest.mark.real
def test_a_control_is_run_once_a_batch_and_one_that_failed_is_held_against_every_configuration(
    place: Scene,
) -> None:
    controls: probes.Controls = {"runner": {"evals": Seen(False, "no such folder")}}
    results = probed(place, place.box(network=True), treatment=False, controls=controls)
    assert failed(results) == {"evals": "proves nothing: its control failed too: no such folder"}
    assert {kind for kind, seen in controls.items() if seen} >= {"runner", "machine", "trial", "loose"}
    before = {kind: dict(seen) for kind, seen in controls.items()}
    again = probed(place, place.box(network=True), treatment=False, controls=controls)
    assert set(failed(again)) == {"evals"}
    assert controls == before


def test_what_runs_beside_the_others_is_told_like_them(tmp_path: Path) -> None:
    """Its words and its status; and it is waited for."""
    made = [
        Probe("late", "x", "sleep 0.2; echo it came; exit 3", True, slow=True),
        Probe("first", "x", "echo 'a b'; echo c >&2", True),
        Probe("other", "x", '[ -z "$WORD" ]', True, slow=True),
    ]
    file = tmp_path / "probes.sh"
    known: Any = SimpleNamespace(variables={"WORD": "it's"})
    file.write_text(probes.script(made, known, "w0rd"))
    env = {"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    said = subprocess.run(["sh", file], env=env, capture_output=True, text=True, check=True).stdout
    assert list(probes.lines(said, "w0rd")) == [
        ("first", "0", "a b c"),
        ("late", "3", "it came"),
        ("other", "1", ""),
    ]


@pytest.mark.real
def test_each_leak_turns_its_probe_red_and_no_other(place: Scene) -> None:
    """All at once: the eval root readable, a tool folder writable, another host allowed, too much on PATH."""

    def leak(settings: Document, place: Scene) -> None:
        settings["filesystem"]["denyRead"] = [str(Path.home())]
        settings["filesystem"]["allowRead"] = []
        settings["filesystem"]["allowWrite"] += [str(place.root / "tools")]
        settings["network"]["allowedDomains"] += ["elsewhere.test:80"]
        settings["network"]["mitmProxy"]["domains"] += ["elsewhere.test"]
        settings["network"]["allowAllUnixSockets"] = True

    box = place.box(network=True)
    (box.run.bin / "symposium").symlink_to("/bin/true")
    (place.root / "tools/common").chmod(0o777)
    results = probed(place, box, treatment=False, change=leak)
    (place.root / "tools/common").chmod(0o755)
    leaks = {
        "other-hosts",
        "earlier-batch",
        "results",
        "evals",
        "control-folder",
        "write-tools",
        "path-socket",
    }
    leaks |= {"other-trial", "other-trial-by-dots", "other-trial-by-link", "other-trial-by-proc"}
    machines = {"developers-cargo-agents", "vsock"}  # where tools are, what there is: not ours to say
    assert set(failed(results)) - machines == {
        *leaks,
        "staged-cargo-agents",
        "cargo-agents-on-path",
    }


@pytest.mark.real
def test_a_sandbox_that_does_not_start_fails_every_probe_and_says_why(place: Scene) -> None:
    box = place.box(network=True)
    results = probed(place, box, treatment=False, change=lambda settings, _: settings.pop("network"))
    assert set(failed(results)) == set(results)
    assert "did not run" in results["own-folder"].detail
    assert "Refusing to run" in results["own-folder"].detail


@pytest.mark.real
def test_S01_a_version_that_can_be_run_where_it_was_named_turns_its_probe_red(
    place: Scene, request: pytest.FixtureRequest
) -> None:
    """Under --reads deny-list only what is named is closed."""
    given = Path(tempfile.mkdtemp(prefix="agent-eval-test-", dir="/srv")) / "cargo-agents"
    request.addfinalizer(lambda: shutil.rmtree(given.parent))
    given.parent.chmod(0o755)
    shutil.copy2(place.stage["symposium"]["path"], given)
    for closed, red in (((given.parent,), set()), ((), {"staged-cargo-agents"})):
        box = replace(place.box(reads="deny-list", network=True), denied=(*place.denied, *closed))
        assert set(failed(probed(place, box, treatment=False, other=given))) == red


@pytest.mark.real
def test_S01_another_version_that_a_trial_can_reach_turns_its_probe_red(place: Scene) -> None:
    own = Path(place.stage["symposium"]["path"])
    other = place.root / "tools/symposium-other/cargo-agents"
    other.parent.mkdir()
    other.hardlink_to(own)

    def opened(settings: Document, place: Scene) -> None:
        settings["filesystem"]["allowRead"].append(str(other.parent))

    for change, red in ((None, set()), (opened, {"staged-cargo-agents"})):
        box = place.box(network=True, symposium=True)
        (box.run.bin / "cargo-agents").symlink_to(own)
        results = probed(place, box, treatment=True, change=change, other=other)
        assert {"staged-cargo-agents", "cargo-agents-starts"} < set(results)
        assert set(failed(results)) == red


REFUSED = Probe("closed", "it is closed", "cat x", False, "runner")


def judged(probe: Probe, inside: bool, control: bool | None) -> bool:
    controls = {"runner": {} if control is None else {"closed": Seen(control, "")}}
    return probes.judge(probe, {"closed": Seen(inside, "")}, controls, "").passed


@pytest.mark.parametrize(
    ("inside", "control", "passes"),
    [(False, True, True), (False, False, False), (False, None, False), (True, True, False)],
)
def test_a_refusal_counts_only_where_its_control_succeeded(
    inside: bool, control: bool | None, passes: bool
) -> None:
    assert judged(REFUSED, inside, control) is passes


def test_what_must_work_needs_no_control() -> None:
    assert judged(replace(REFUSED, possible=True, control="none"), True, None)
    assert not judged(replace(REFUSED, possible=True, control="none"), False, None)


def test_every_probe_that_must_fail_has_a_control_and_names_are_unique() -> None:
    assert len({probe.name for probe in PROBES}) == len(PROBES)
    assert all((probe.control == "none") is probe.possible for probe in PROBES)
    assert not {probe.name for probe in PROBES} & {*probes.OUTSIDE, "none"}


def test_S01_a_cargo_agents_whose_path_has_spaces_is_tried_whole(tmp_path: Path) -> None:
    """The probe's own script, outside any sandbox: it must run every one of them, and says when it cannot."""
    probe = next(probe for probe in PROBES if probe.name == "staged-cargo-agents")
    shut = [tmp_path / "a folder/cargo-agents", tmp_path / "other * folder/cargo-agents"]
    for program, code in ((shut[0], 1), (shut[1], 0)):
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        said = {"STAGED": "\n".join(map(str, shut)), "PATH": os.environ["PATH"]}
        argv = ["sh", "-c", probe.before + probe.script]
        assert subprocess.run(argv, env=said, check=False, capture_output=True).returncode == code


def test_every_variable_of_a_probe_is_given(tmp_path: Path) -> None:
    """One that is not would be empty in the script, and the probe would look at nothing."""
    given = set(re.findall(r'"([A-Z_]+)":', inspect.getsource(decoys)))
    given |= {f"LIMIT_{name.upper()}" for name in namespaces.LIMITS}
    set_inside = {"TMPDIR", "HTTP_PROXY", "ENV", "APART"}
    for probe in PROBES:
        for name in re.findall(r"\$\{?([A-Z_]+)", probe.script + probe.before):
            assert name in given | set_inside, f"{probe.name}: ${name}"


GUARDED = {guard.probe for guard in GUARDS}


def test_I06_every_guard_names_a_probe_that_exists_and_every_cover_can_be_taken_away() -> None:
    known = {probe.name for probe in PROBES} | set(killed.VICTIMS)
    assert known >= GUARDED
    assert all(bool(guard.covered_by) is (guard.uncover is not None) for guard in GUARDS)
    assert len({(guard.name, guard.reads) for guard in GUARDS}) == len(GUARDS)


@pytest.mark.parametrize(
    ("shown", "covered", "right"),
    [
        (Shown(True), False, True),
        (Shown(False), False, False),  # nobody noticed, and nobody is said to cover
        (Shown(False, False, True), True, True),
        (Shown(True, False, True), True, False),  # needed after all
        (Shown(False, False, False), True, False),  # something else covers
        (Shown(False, machine=True), False, True),
    ],
)
def test_a_guard_that_does_not_do_what_its_row_says_is_noticed(
    shown: Shown, covered: bool, right: bool
) -> None:
    guard = next(guard for guard in GUARDS if bool(guard.covered_by) is covered)
    assert shown.as_listed(guard) is right


@pytest.mark.real
@pytest.mark.parametrize("name", ["denyRead /", "unshare --ipc", "no_keyrings", "setpriv --pdeathsig"])
def test_I06_a_guard_taken_away_turns_its_probe_red(place: Scene, name: str) -> None:
    """One of each layer, for both kinds of runner; `python scripts/guards.py` tries them all."""
    box = place.box(network=True)
    place.prepare(box)
    around = decoys.around(
        box, [], "claude", place.root, place.root, place.root / "evals", place.root / "results"
    )
    guard = next(guard for guard in GUARDS if guard.name == name)
    with around as variables:
        known = probes.Scene(Played(place), box, place.stage, place.environment(box), False, variables)  # type: ignore[arg-type]  # a rung by its methods
        listed = {probe.name: probe for probe in PROBES}
        assert not layers.red(known, guard.probe, listed, [])
        assert layers.show(known, guard, listed).as_listed(guard)
