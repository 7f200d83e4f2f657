"""--compare: which configurations a batch holds, in which roles; each trial has its own cargo-agents only."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aggregate
import left_behind as was
import plan
import report
import rungs
import stage
from auditing import places
from batch_running import Place, document, passable
from batches import restaging
from expect_trial import ABLE, GOOD, SKILL, Trial, verdicts
from kit import counting, documents, markdown, staged, tables
from kit.contract import Exit, Folder, Stop
from kit.store import Store
from planning.configurations import KNOWN
from reports import plots
from standin_tools import machine
from whole_batch import WholeBatch


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "tools").mkdir()
    return Place(tmp_path, {"AGENT_EVAL_TOOLS": str(tmp_path / "tools")})


def planned(place: Place, task: str, *args: object) -> dict[str, Any]:
    return document(place.plan(task, *args) / "batch.json")


def roles(batch: dict[str, Any]) -> dict[str, str]:
    return {c["name"]: c["role"] for c in batch["configurations"]}


def a_binary(folder: Path, name: str = "cargo-agents") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return folder / name


def test_two_versions_of_symposium_are_two_configurations_each_with_its_own_source(place: Place) -> None:
    batch = planned(place, "first-session", "--compare", "released,patched", "--trials", "2")
    assert batch["configurations"] == [
        {
            "name": "released",
            "role": "control",
            "setup": "symposium",
            "symposium": {"source": "pinned", "path": ""},
        },
        {
            "name": "patched",
            "role": "treatment",
            "setup": "symposium",
            "symposium": {"source": "patched", "path": ""},
        },
    ]
    assert batch["symposium"] is None
    assert batch["order"] == ["trial-1-released", "trial-1-patched", "trial-2-patched", "trial-2-released"]


@pytest.mark.parametrize(
    ("said", "control"),
    [
        ("with-symposium,direct", "with-symposium"),
        ("direct,with-symposium", "direct"),
        ("with-symposium,direct,without-symposium", "without-symposium"),
        ("without-symposium,released,patched", "without-symposium"),
        ("patched,released", "patched"),
    ],
)
def test_the_control_is_the_baseline_where_there_is_one_else_the_first(
    place: Place, said: str, control: str
) -> None:
    found = roles(planned(place, "store-durability", "--compare", said))
    assert found == {name: "control" if name == control else "treatment" for name in said.split(",")}
    assert next(iter(found)) == control, "it runs first in the first round"


def test_of_three_each_is_once_first_once_second_and_once_third(place: Place) -> None:
    args = ("--compare", "with-symposium,direct,without-symposium", "--trials", "3")
    order = planned(place, "store-durability", *args)["order"]
    places_ = [
        {counting.configuration_of(name) for name in (order[at], order[3 + at], order[6 + at])}
        for at in range(3)
    ]
    assert all(len(names) == 3 for names in places_)


def test_a_path_is_a_program_or_a_checkout_and_may_have_a_name(place: Place, tmp_path: Path) -> None:
    program, checkout = a_binary(tmp_path / "built"), tmp_path / "checkout"
    checkout.mkdir()
    batch = planned(place, "first-session", "--compare", f"released,{program},{checkout},mine={program}")
    sources = {c["name"]: c["symposium"] for c in batch["configurations"]}
    assert sources == {
        "released": {"source": "pinned", "path": ""},
        "bin": {"source": "bin", "path": str(program)},
        "src": {"source": "src", "path": str(checkout)},
        "mine": {"source": "bin", "path": str(program)},
    }


def test_with_symposium_is_what_the_symposium_flags_say(place: Place, tmp_path: Path) -> None:
    args = ("--compare", "released,with-symposium", "--symposium-src", tmp_path)
    batch = planned(place, "first-session", *args)
    assert batch["symposium"] == {"source": "src", "path": str(tmp_path)}
    assert [c["name"] for c in batch["configurations"] if "symposium" in c] == ["released"]
    alone = planned(place, "first-session", "--symposium-patched")
    assert (alone["symposium"], roles(alone)) == (
        {"source": "patched", "path": ""},
        {"with-symposium": "treatment"},
    )


def test_each_configuration_may_have_its_own_rehearsal(place: Place) -> None:
    args = ("--compare", "with-symposium,direct,without-symposium")
    said = "with:flush,direct:oracle,without:no-flush"
    assert planned(place, "store-durability", *args, "--rehearse", said)["rehearsals"] == {
        "with-symposium": "flush",
        "direct": "oracle",
        "without-symposium": "no-flush",
    }
    with pytest.raises(Stop, match="write without:NAME,with:NAME,direct:NAME"):
        planned(place, "store-durability", *args, "--rehearse", "with:flush,without:no-flush")


@pytest.mark.parametrize(
    ("task", "args", "says"),
    [
        ("first-session", ("--compare", "released"), "one configuration is no comparison"),
        ("first-session", ("--compare", ""), "an empty name"),
        ("first-session", ("--compare", "released,pached"), "pached: unknown; did you mean patched?"),
        ("first-session", ("--compare", "released,zzz"), "known: with-symposium, without-symposium"),
        ("first-session", ("--compare", "released,released"), "released: named twice"),
        ("first-session", ("--compare", "released,patched=./x"), "patched: is a name of its own"),
        ("first-session", ("--compare", "released,My Own=./x"), "small letters"),
        ("first-session", ("--compare", "with-symposium,direct"), "a regression task"),
        ("formatting", ("--compare", "with-symposium,without-symposium"), "leave without-symposium out"),
        ("first-session", ("--compare", "released,patched", "--symposium-patched"), "with-symposium holds"),
    ],
)
def test_W03_a_comparison_that_cannot_be_is_a_usage_error(
    place: Place, task: str, args: tuple[str, ...], says: str
) -> None:
    with pytest.raises(Stop) as stopped:
        planned(place, task, *args)
    assert says in str(stopped.value)
    assert stopped.value.code is Exit.USAGE
    assert not place.results.exists()


@pytest.mark.parametrize("said", ["released,/no/such", "released,mine=/no/such"])
def test_W03_a_path_that_leads_nowhere_is_refused_by_name(place: Place, said: str) -> None:
    with pytest.raises(Stop, match="/no/such: not an executable") as stopped:
        planned(place, "first-session", "--compare", said)
    assert stopped.value.code is Exit.UNAVAILABLE


def test_S01_every_version_that_was_given_is_closed_where_it_was_named(place: Place, tmp_path: Path) -> None:
    """To each trial and to the audit; of a program its whole folder."""
    program, checkout = a_binary(tmp_path / "built"), tmp_path / "checkout"
    a_binary(checkout / "target/release")
    said = f"without-symposium,a={program},b={checkout},with-symposium"
    own = a_binary(tmp_path / "mine")
    args = ("--compare", said, "--symposium-bin", own, "--reads", "deny-list")
    batch = place.plan("store-durability", *args)
    built = checkout / "target/release/cargo-agents"
    assert {*staged.given(document(batch / "batch.json"))} == {*map(str, (program, built, own))}
    for name in document(batch / "batch.json")["order"]:
        trial = document(batch / name / "trial.json")
        audited = places.of(trial, stage_of(["a", "b"], own=True))
        for path in (program, built, own):
            assert any(path.is_relative_to(root) for root in map(Path, trial["denied"])), name
            assert any(places.below(str(path), root) for root in audited.closed or ()), name


def test_S01_a_version_that_is_gone_once_it_is_staged_stops_no_trial(tmp_path: Path) -> None:
    """srt refuses to close what is not there."""
    trial = {**trial_of("a"), "denied": [str(tmp_path), str(tmp_path / "gone")]}
    assert rungs.trial_box(trial, stage_of(["a"], own=False), None).denied == (tmp_path,)


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("form", ["compare", "symposium-bin"])
def test_S01_what_lies_where_every_trial_reads_is_refused_with_the_next_step(
    place: Place, tmp_path: Path, form: str, linked: bool
) -> None:
    program = Path("/usr/bin/true")
    if linked:
        (tmp_path / "link").symlink_to(program)
        program = tmp_path / "link"
    said = (f"--{form}", f"released,a={program}" if form == "compare" else program)
    with pytest.raises(Stop, match="lies below /usr, which every trial can read; copy it") as stopped:
        planned(place, "first-session", *said)
    assert stopped.value.code is Exit.USAGE


def test_direct_needs_a_skill_to_put_in_place(place: Place, tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[1] / "evals", tmp_path / "evals")
    file = tmp_path / "evals/tasks/store-durability/task.toml"
    file.write_text(re.sub("installed = .*", "installed = []", file.read_text()))
    with pytest.raises(Stop, match="expects no skill to be installed"):
        planned(place, "store-durability", "--compare", "direct,released", "--evals", tmp_path / "evals")


# Each trial has its own, and reaches no other.

NAMES = st.lists(st.sampled_from(["a", "b", "c"]), unique=True)


def stage_of(names: list[str], *, own: bool, root: str = "/root/b") -> dict[str, Any]:
    """A stage with a cargo-agents for each name, and perhaps the batch's own."""

    def held(folder: str) -> dict[str, Any]:
        about = {"version": "1.0.0", "sha256": f"{len(folder):x}"[-1] * 64, "revision": None, "profile": None}
        return {**about, "source": "bin", "path": f"{root}/tools/{folder}/cargo-agents"}

    made = {
        **was.STAGE,
        "symposium": held("symposium") if own else None,
        "capabilities": ABLE if own else None,
    }
    versions = {n: {**held(staged.place(n)), "capabilities": {**ABLE, "log": n == "a"}} for n in names}
    return {**made, "versions": versions} if names else made


def trial_of(name: str, setup: str = "symposium") -> dict[str, Any]:
    paths = {**was.TRIAL["paths"], "work": "/root/b", "run": "/root/b/trial", "control": "/run/x"}
    return {**was.TRIAL, "configuration": name, "setup": setup, "paths": paths}


@given(
    NAMES,
    st.booleans(),
    st.sampled_from(["a", "b", "other"]),
    st.sampled_from(["symposium", "direct", "baseline"]),
)
def test_S01_a_trials_policy_opens_its_own_cargo_agents_and_no_other(
    names: list[str], own: bool, name: str, setup: str
) -> None:
    made, trial = stage_of(names, own=own), trial_of(name, setup)
    if setup == "symposium" and name not in names and not own:
        return  # it could not be planned
    readable = rungs.trial_box(trial, made, None).readable
    mine = staged.own(made, trial)["symposium"]
    paths = {tool["path"] for _, tool in staged.versions(made)}
    open_ = {path for path, root in product(paths, readable) if Path(path).is_relative_to(root)}
    assert open_ == ({mine["path"]} if mine else set())
    assert {*staged.others(made, trial)} == paths - open_
    audited = places.of(trial, made)
    assert {path for path in paths if not audited.outside(path)} == open_


def test_S05_a_trial_is_judged_by_what_its_own_version_can_do() -> None:
    made = stage_of(["a", "b"], own=True)
    able = {name: staged.own(made, trial_of(name))["capabilities"]["log"] for name in ("a", "b", "other")}
    assert able == {"a": True, "b": False, "other": True}
    documents.check(made, "stage/1", "stage.json")


def test_S05_the_verdict_of_one_version_does_not_hang_on_another(tmp_path: Path) -> None:
    """A version without a trace beside one with it: inconclusive, and named by its own number."""
    trial = Trial(tmp_path)
    assert trial.stage
    mute = {**trial.stage["symposium"], "version": "9.9.9", "capabilities": {**ABLE, "trace": False}}
    trial.stage["versions"] = {"mute": mute}
    assert verdicts(trial.judged()) == GOOD
    trial.trial["configuration"] = "mute"
    (trial.folder / "expectations.json").unlink()
    judged = trial.judged()
    assert verdicts(judged) == {**GOOD, "session_start": "inconclusive"}
    assert "cargo-agents 9.9.9 writes no hook trace" in " ".join(judged["findings"])


def test_a_skill_that_we_put_in_place_is_judged_by_its_use_alone(tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    trial.trial["setup"] = "direct"
    trial.files = {}
    judged = trial.judged()
    assert judged["skills"][SKILL].keys() == {"used", "observed_load", "listed"}
    assert (verdicts(judged), judged["findings"]) == ({f"{SKILL}.used": "pass"}, [])
    trial.observation["loads"][SKILL] = {"load": "not_observed", "evidence": None}
    (trial.folder / "expectations.json").unlink()
    assert verdicts(trial.judged()) == {f"{SKILL}.used": "fail"}


# Staged apart, and put back.


@pytest.fixture
def outside() -> Iterator[Path]:
    with passable() as folder:
        yield folder


@pytest.fixture
def staging(outside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A batch of two programs of different content, staged by stage.py on stand-in tools."""
    place = Place(outside)  # where every uid may pass: pytest's own folders are closed
    made = machine(place.root / "machine")
    for name, value in made.variables.items():
        monkeypatch.setenv(name, value)
    one, two = (a_binary(place.root / name) for name in ("one", "two"))
    for number, binary in enumerate((one, two), 1):
        binary.write_text(f"#!/bin/sh\necho cargo-agents 0.{number}.0\n")
    where = ["--results", place.results, "--eval-root", place.eval_root]
    args = ["first-session", "--compare", f"one={one},two={two}", *map(str, where)]
    batch = plan.write(plan.make(plan.parser().parse_args(args)))
    assert stage.STEP.execute(stage.run, Folder(batch, stage.STEP)) is Exit.OK
    return batch


def test_S01_each_configuration_has_a_folder_of_its_own_with_its_own_program(staging: Path) -> None:
    said, work = document(staging / "stage.json"), Path(document(staging / "batch.json")["paths"]["work"])
    assert (said["symposium"], said["capabilities"]) == (None, None)
    assert {name: one["version"] for name, one in said["versions"].items()} == {
        "one": "0.1.0",
        "two": "0.2.0",
    }
    assert len({one["sha256"] for one in said["versions"].values()}) == 2
    for name, one in said["versions"].items():
        assert one["path"] == str(work / f"tools/symposium-{name}/cargo-agents")
        assert one["version"] in Path(one["path"]).read_text()
        assert one["capabilities"]["init"] is True
    assert not (work / "tools/symposium").exists()


def test_R04_a_resumed_batch_gets_every_version_back_and_misses_each(staging: Path) -> None:
    batch, said = document(staging / "batch.json"), document(staging / "stage.json")
    files = [Path(one["path"]) for one in said["versions"].values()]
    before = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    restaging.again(batch, said, print)
    assert [file.read_bytes() for file in files] == before
    store = Store(Path(batch["paths"]["eval_root"]) / "store")
    gone = store.content(said["versions"]["two"]["sha256"])
    gone.chmod(0o755)
    gone.write_text("another")
    assert list(restaging.lost(store, said)) == [
        f"{gone}: not the symposium of two 0.2.0 of this batch any more"
    ]


# Counted and shown.


def a_third(batch: WholeBatch) -> None:
    """`direct` beside the two, with the treatment's results."""
    arm = {"name": "direct", "role": "treatment", "setup": "direct"}
    said = json.loads((batch.folder / "batch.json").read_text())
    numbers = range(1, said["trials"] + 1)
    said["configurations"].append(arm)
    said["order"] += [f"trial-{n}-direct" for n in numbers]
    was.put(batch.folder / "batch.json", said)
    for number in numbers:
        batch.trial(number, arm, 3)
    batch.count()


def test_O04_of_three_each_treatment_is_held_against_the_control(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path, rounds=4)
    a_third(batch)
    counted = documents.read(batch.folder / "benchmark.json", "benchmark/1")
    assert counted["delta"] is None
    of = counted["configurations"]
    for name, delta in counted["deltas"].items():
        assert delta == {"withheld": None, **counting.delta(of[name], of["without-symposium"])}
    assert [*counted["deltas"]] == ["with-symposium", "direct"]
    assert counted["statement"].count("without-symposium 2 of 4") == 2
    assert "Each of these 2 comparisons was made as if it were the only one." in counted["statement"]
    labels = [span.label for span in plots.differences(counted)]
    assert labels == ["with-symposium minus without-symposium", "direct minus without-symposium"]
    columns = tables.counts(report.read(Folder(batch.folder, report.STEP))).columns
    assert columns[-2:] == ["difference with-symposium", "difference direct"]


def test_O04_two_configurations_have_one_delta_as_ever(tmp_path: Path) -> None:
    counted = documents.read(WholeBatch(tmp_path).folder / "benchmark.json", "benchmark/1")
    assert counted["delta"]
    assert "deltas" not in counted


def test_O06_trials_lost_unevenly_among_three_leave_no_difference(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path)
    a_third(batch)
    batch.change("trial-1-direct", "result.json", outcome="cancelled", success=None)
    batch.count()
    counted = documents.read(batch.folder / "benchmark.json", "benchmark/1")
    assert counted["statement"].startswith("The difference is not stated")
    assert plots.differences(counted) == []


def shown(batch: WholeBatch, stage_: dict[str, Any] | None) -> tuple[tables.Batch, str, str]:
    if stage_:
        was.put(batch.folder / "stage.json", stage_)
    read = report.read(Folder(batch.folder, report.STEP))
    assert report.STEP.execute(report.run, Folder(batch.folder, report.STEP), redo=True) is Exit.OK
    return read, markdown.of(read), (batch.folder / "report.html").read_text("utf-8")


def test_S05_what_a_version_can_do_is_in_the_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read, said, page = shown(WholeBatch(tmp_path), {**stage_of([], own=True)})
    (table,) = tables.capabilities(read)
    assert table.columns == ["capability", "with-symposium"]
    assert ["sync record", "yes"] in table.rows
    assert {row[0].replace(" ", "_") for row in table.rows} == {*ABLE} - {"client"}
    assert "What this Symposium can do" in said
    assert "What this Symposium can do" in page
    assert "What this Symposium can do" not in capsys.readouterr().out, (
        "one version: findings say what matters"
    )


def test_S05_the_terminal_shows_where_versions_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = WholeBatch(tmp_path)
    read, said, _ = shown(batch, stage_of(["a", "b"], own=False))
    assert [table.columns for table in tables.capabilities(read)] == [["capability", "a", "b"]]
    out = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["log", "yes", "no"] in out
    assert not any(row[:2] == ["sync", "record"] for row in out), "alike in both"
    assert "| sync record | yes | yes |" in said


def test_a_batch_that_was_never_probed_shows_no_capabilities(tmp_path: Path) -> None:
    read, said, _ = shown(WholeBatch(tmp_path), {**was.STAGE, "capabilities": None})
    assert list(tables.capabilities(read)) == []
    assert "can do" not in said


@pytest.mark.parametrize(
    ("named", "flag"),
    [
        ({"released": "", "patched": ""}, " --compare released,patched"),
        ({"released": "", "mine": "/a b/x"}, " --compare 'released,mine=/a b/x'"),
        ({"with-symposium": None, "without-symposium": None}, ""),
        ({"with-symposium": None, "direct": None}, " --compare with-symposium,direct"),
        ({"aa-control": None, "aa-treatment": None}, ""),
    ],
)
def test_the_next_command_compares_the_same(named: dict[str, str | None], flag: str) -> None:
    made = [
        {"name": name, **KNOWN.get(name, {"symposium": {"source": "bin", "path": path}} if path else {})}
        for name, path in named.items()
    ]
    assert report.compared({"configurations": made}) == flag


def test_an_aggregate_of_exploratory_trials_compares_none_of_three(tmp_path: Path) -> None:
    batch = WholeBatch(tmp_path)
    a_third(batch)
    said = documents.read(batch.folder / "batch.json", "batch/1")
    counted = documents.read(batch.folder / "benchmark.json", "benchmark/1")["configurations"]
    assert aggregate.differences({**said, "isolation": "exploratory"}, counted, False) == {}
