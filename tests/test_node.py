"""One machine of a cluster, without an engine: what it refuses, and that no trial begins twice on it."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import left_behind
from batch_running import Place, alive, content, document, until
from batches import closing, node, ray_engine, standing
from batches.node import Node
from kit import documents, tasks, trees
from kit.contract import Exit
from standin_tools import machine


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A machine of stand-ins: all is staged, and every trial ends in about a second in a set-up failure."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        made = Place(root, machine(root / "machine").variables)
        for variable, value in made.env.items():
            monkeypatch.setenv(variable, value)
        yield made


def staged(place: Place, trials: int = 1) -> tuple[Path, Node]:
    """A batch that was staged where it was planned, and a node that has not looked at it yet."""
    batch = place.plan("formatting", "--trials", str(trials))
    done = place.call("stage", batch)
    assert done.returncode == Exit.OK, done.stderr
    plan = document(batch / "batch.json")
    task = tasks.load(Path(plan["paths"]["evals"]), plan["task"])
    return batch, Node(plan, document(batch / "stage.json"), task.content_hash)


def trial(batch: Path, number: int = 1) -> dict[str, Any]:
    return document(batch / f"trial-{number}-with-symposium" / "trial.json")


def test_a_node_stages_the_batchs_own_tools_and_runs_a_trial_to_its_record(place: Place) -> None:
    batch, here = staged(place)
    assert here.ready([trial(batch)], preflight=False) is None
    code, _, record = here.run(trial(batch))
    folder = batch / trial(batch)["trial_name"]
    documents.mark(folder / "node.json", "{}")
    node.unpack(record, folder)
    assert code == Exit.OK
    assert document(folder / "result.json")["outcome"] == "setup_failure"
    theirs = content(here.folder / folder.name)
    assert content(folder) == theirs
    here.leave([folder.name])
    assert not here.folder.exists()
    assert not Path(here.plan["paths"]["work"]).exists()


def test_17_a_trial_that_began_on_a_machine_never_begins_there_again(place: Place) -> None:
    batch, here = staged(place)
    assert here.ready([trial(batch)], preflight=False) is None
    here.run(trial(batch))
    before = content(here.folder)
    with pytest.raises(FileExistsError):
        here.run(trial(batch))
    assert content(here.folder) == before


def test_a_record_that_did_not_arrive_stays_on_its_node(place: Place) -> None:
    batch, here = staged(place)
    assert here.ready([trial(batch)], preflight=False) is None
    here.run(trial(batch))
    here.leave([])
    assert (here.folder / "trial-1-with-symposium/result.json").exists()


def test_I10_a_node_that_is_asked_ends_its_trials_and_gives_their_records(place: Place) -> None:
    batch, here = staged(place, 2)
    assert here.ready([trial(batch)], preflight=False) is None
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(here.run, trial(batch))
        until(lambda: (here.folder / "trial-1-with-symposium/task.json").exists(), 20)
        here.terminate()
        second = pool.submit(here.run, trial(batch, 2))
        ended = [one.result(20) for one in (first, second)]
    assert all(record for _, _, record in ended)
    outcomes = [document(here.folder / f"trial-{n}-with-symposium/result.json")["outcome"] for n in (1, 2)]
    assert outcomes[1] == "cancelled"
    assert alive(batch) == []


def test_two_nodes_on_one_machine_stage_it_once(place: Place) -> None:
    batch, here = staged(place)
    other = Node(here.plan, here.stage, here.content_hash)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(one.ready, [trial(batch)], preflight=False) for one in (here, other)]
        assert [one.result(30) for one in both] == [None, None]
    made = (here.folder / "stage.json").stat().st_mtime_ns
    third = Node(here.plan, here.stage, here.content_hash)
    assert third.ready([trial(batch)], preflight=False) is None
    assert (here.folder / "stage.json").stat().st_mtime_ns == made


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("another client", "client: is 2.1.301, and not the batch's 2.1.300 by its hash"),
        ("another toolchain", "rustc: is rustc 1.96.0, and the batch's is rustc 1.95.0"),
        ("no tools", "the tools are not installed; run `make tools`"),
        ("no bubblewrap", "bwrap: not found; run `"),
        ("another task", "is another task than the batch's"),
        ("no key", "no key; set ANTHROPIC_API_KEY"),
    ],
)
def test_W03_a_node_that_cannot_run_trials_says_why(place: Place, change: str, says: str) -> None:
    batch, here = staged(place)
    tools = place.root / "machine"
    match change:
        case "another client":
            client = next((tools / "tools").rglob("claude"))
            client.write_text(client.read_text().replace("2.1.300", "2.1.301"))
        case "another toolchain":
            rustc = tools / "toolchain/bin/rustc"
            rustc.write_text(rustc.read_text().replace("1.95.0", "1.96.0"))
        case "no tools":
            trees.remove(tools / "tools")
        case "no bubblewrap":
            (tools / "bin/bwrap").unlink()
        case "another task":
            here.content_hash = "0" * 64
        case "no key":
            here.plan = {**here.plan, "rehearsals": None}
    assert says in str(here.ready([trial(batch)], preflight=False))


def test_I06_a_node_whose_sandbox_fails_a_probe_is_refused(place: Place) -> None:
    """Stand-ins make no sandbox, so the probes cannot pass."""
    batch, here = staged(place)
    assert "FAIL" in str(here.ready([trial(batch)], preflight=True))


def test_an_engine_that_put_itself_first_for_the_kernel_to_kill_does_not_put_our_runner_there(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    batch, here = staged(place)
    own = tmp_path / "oom_score_adj"
    own.write_text("1000")
    monkeypatch.setattr(node, "OOM", own)
    here.ready([trial(batch)], preflight=False)
    assert own.read_text() == "0"


# --- where it was planned


def away(tmp_path: Path) -> left_behind.Trial:
    given = left_behind.Trial(tmp_path, until=None)
    documents.mark(given.folder / "node.json", json.dumps({"node": "far/0a1b2c3d", "at": time.time()}))
    return given


def test_R04_a_trial_that_a_node_was_given_is_never_run_again(tmp_path: Path) -> None:
    given = away(tmp_path)
    plan = {"batch": left_behind.TRIAL["batch"], "order": [given.folder.name]}
    assert standing.look(tmp_path, plan).cut == plan["order"]
    closing.close(given.folder)
    said = document(given.folder / "result.json")
    assert said["outcome"] == "cancelled"
    assert said["reason"] == "lost: the node far/0a1b2c3d was given the trial, and its record never came"


def test_R04_a_torn_word_of_who_has_it_still_counts(tmp_path: Path) -> None:
    given = away(tmp_path)
    (given.folder / "node.json").write_text("")
    closing.close(given.folder)
    assert "the node unknown was given" in document(given.folder / "result.json")["reason"]


def test_17_a_trial_is_given_to_one_node_only(tmp_path: Path) -> None:
    given = away(tmp_path)
    with pytest.raises(FileExistsError):
        documents.mark(given.folder / "node.json")


class Ray:
    """Stands for Ray: an answer that is there, and is either a record or an error."""

    class exceptions:
        class RayError(Exception): ...

        class RayTaskError(RayError): ...

        class ActorDiedError(RayError): ...

    def __init__(self, answer: object) -> None:
        self.answer, self.killed = answer, 0

    def wait(self, answers: list[object], timeout: float) -> tuple[list[object], list[object]]:
        return answers, []

    def get(self, _: object) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def kill(self, _: object) -> None:
        self.killed += 1


@pytest.mark.parametrize(
    ("answer", "others_end"),
    [
        (Ray.exceptions.RayTaskError("Traceback: OSError: no space left"), False),
        ((0, b"", b"no archive"), False),
        ((0, b"", b"\x1f\x8b\x08\x00" + b"\0" * 20), False),
        (Ray.exceptions.ActorDiedError("it died"), True),
    ],
    ids=["its packing failed", "no archive", "torn", "the node died"],
)
def test_R04_a_record_that_cannot_be_had_ends_no_other_trial_of_its_node(
    tmp_path: Path, answer: object, others_end: bool
) -> None:
    ray, far, said = Ray(answer), ray_engine.Far("here/1", None, None, running=2), io.BytesIO()
    documents.mark(tmp_path / "node.json", "{}")
    arrived: list[str] = []
    call = ray_engine.Call(ray, far, object(), tmp_path, said, arrived)
    assert call.poll() == Exit.UNAVAILABLE
    assert (far.gone, ray.killed, far.running, arrived) == (others_end, int(others_end), 1, [])
    assert (tmp_path / "node.json").exists(), "it began there, and is never run again"
    assert b"here/1: " in said.getvalue()


def test_W03_a_node_without_the_key_says_where_it_is_to_be_set(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-for-the-plan")
    batch = place.plan("formatting", "--model", "model-1")
    here = Node(document(batch / "batch.json"), {}, "")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    why = here.ready([], preflight=False) or ""
    assert why.startswith("--model model-1: no key; set ANTHROPIC_API_KEY, where its `ray start` was typed; ")


def test_R04_the_record_comes_whole_and_its_result_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut at any moment: it is still with its node, until everything is here."""
    source, given = left_behind.Trial(tmp_path / "far", until="audit"), away(tmp_path / "here")
    documents.write(source.folder / "result.json", "result/1", left_behind.result())
    record = node.packed(source.folder)
    order: list[str] = []
    replace, flush = Path.replace, documents.flush

    def flushed(one: Path) -> None:
        order.append(f"flush {one.name}")
        flush(one)

    def noted(one: Path, target: Path) -> Path:
        order.append(one.name)
        assert (given.folder / "node.json").exists()
        return replace(one, target)

    monkeypatch.setattr(Path, "replace", noted)
    monkeypatch.setattr(documents, "flush", flushed)
    node.unpack(record, given.folder)
    assert order[-2:] == ["result.json", f"flush {given.folder.name}"]
    assert order.index("flush result.json") < order.index("grading.json")
    assert not (given.folder / "node.json").exists()
    assert content(given.folder) == content(source.folder)


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        ([("../out", None)], "leads out"),
        ([("/out", None)], "leads out"),
        ([("a", ".."), ("a/out", None)], "leads out"),
        ([("a", "/"), ("a/out", None)], "leads out"),
        ([("a", ".."), ("a", None)], "a"),
    ],
)
def test_R04_a_record_that_leads_out_is_not_unpacked(
    names: list[tuple[str, str | None]], ends: str, tmp_path: Path
) -> None:
    record, trial = io.BytesIO(), tmp_path / "batch/trial"
    trial.mkdir(parents=True)
    with tarfile.open(fileobj=record, mode="w:gz") as tar:
        for name, target in names:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = (tarfile.SYMTYPE, target) if target else (tarfile.REGTYPE, "")
            tar.addfile(member)
    with pytest.raises((tarfile.TarError, FileExistsError), match=ends):
        node.unpack(record.getvalue(), trial)
    assert not list(tmp_path.rglob("out"))
