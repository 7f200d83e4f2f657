"""Whole batches of a real client in its own sandbox (I07), and with the model asked directly (M01).

Also that a client which stalls ends as a timeout, with nothing left alive, in every way there is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import clients
import rungs
from batch_running import Place, alive, document, passable, scratch
from gateway import rehearsal
from kit import documents, trees
from kit.rehearsed import differences
from kit.tools import Tools
from kit.traces import Sought

ROOT = Path(__file__).parents[1]
KEY = "sk-ant-api03-Kx7_notakey-butlookedfor-9Pw3Lm5Rt1Vb"


@pytest.fixture(scope="module")
def place(tools: Tools) -> Iterator[Place]:
    with passable() as folder:
        yield Place(folder)


@pytest.mark.real
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_I07_a_real_client_runs_and_is_graded_in_its_own_sandbox(place: Place, client: str) -> None:
    batch = place.plan("formatting", "--exploratory", "--client", client)
    ran = place.call("batch", batch)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    said = ran.stdout + ran.stderr
    assert re.search(r"with-symposium: \d+ of \d+ probes passed; \d+ open, which only", said)
    trial = batch / "trial-1-with-symposium"
    result = documents.read(trial / "result.json", "result/1")
    script = rehearsal.load(ROOT / "evals/tasks/formatting/rehearsals/oracle.yaml")
    expect = json.loads(json.dumps(script.expect_for(client, "with-symposium")))
    left = [".claude/.cc-writes/"] if client == "claude" else []  # empty; its sandbox may leave it behind
    assert result["code"]["edits_outside_editable"] in ([], left)
    expect["code"].pop("edits_outside_editable")
    assert differences(expect, result) == []
    how = result["isolation"]
    assert (how["mode"], how["rung"], how["srt_version"]) == ("exploratory", "own", None)
    assert not (trial / "srt.json").exists()
    graded = documents.read(trial / "grading.json", "grading/1")
    assert graded["status"] == "graded"
    argv = documents.read(trial / "execution.json", "execution/1")["argv"]
    assert "--settings" in argv or "workspace-write" in argv
    pages = [(batch / name).read_text() for name in ("report.md", "report.html", "junit.xml")]
    assert all("EXPLORATORY" in text and "never compared" in text for text in (ran.stdout, *pages))
    for name in ("batch", "benchmark"):
        assert document(batch / f"{name}.json")["isolation"] == "exploratory"
    assert document(trial / "trial.json")["isolation"] == "exploratory"


MODES = [["--reads", "allow-list"], ["--reads", "deny-list"], ["--exploratory"]]


@pytest.mark.real
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode[-1].removeprefix("--"))
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_I10_a_client_that_stalls_ends_as_timeout_with_nothing_left_alive(
    place: Place, client: str, mode: list[str]
) -> None:
    """Nor, under srt, what the agent started before: in a session of its own, deaf to TERM.

    (A client's own sandbox ends that with its command.)
    """
    batch = place.plan("formatting", "--rehearse", "stalls", "--client", client, *mode)
    program = str(Path(document(batch / "trial-1-with-symposium/trial.json")["paths"]["run"], "bin", client))
    running = place.start(batch, "--no-preflight")
    seen: dict[str, set[psutil.Process]] = {program: set(), "sleep": set()}
    while running.poll() is None:
        for one in psutil.process_iter(["cmdline"]):
            words = one.info["cmdline"] or [""]
            if words[0] in seen and (words[0] == program or words == ["sleep", "301"]):
                seen[words[0]].add(one)
        time.sleep(0.1)
    said = running.communicate()[0]
    assert running.returncode == 0, said
    assert seen[program], "the client was never seen, so its end shows nothing"
    assert seen["sleep"] or mode == ["--exploratory"]
    assert not [one for found in seen.values() for one in found if one.is_running()]
    trial = batch / "trial-1-with-symposium"
    result = documents.read(trial / "result.json", "result/1")
    execution = documents.read(trial / "execution.json", "execution/1")
    assert (result["outcome"], result["execution"]) == ("failed", "timeout")
    assert (execution["ended_by"], execution["survivors"]) == ("deadline", [])
    assert alive(batch) == []
    assert list(scratch(batch)) == []
    assert result["code"]["build"] == "pass", "what it left is graded all the same"


hosts = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, ("openssl", "ip"))),
    reason="plays the model's host as root",
)


@hosts
@pytest.mark.real
@pytest.mark.parametrize("mode", [[], ["--exploratory"]], ids=["enforced", "exploratory"])
@pytest.mark.parametrize("client", ["claude", "codex"])
def test_M01_the_real_client_asks_the_models_host_itself(place: Place, client: str, mode: list[str]) -> None:
    """Over HTTPS, by its real name, with the key; no record, nothing passed for it, and the key is gone."""
    module = clients.load(client)
    keyed = Place(place.root, {module.KEY: KEY})
    batch = keyed.plan("formatting", "--direct", "--model", module.REHEARSAL_MODEL, "--client", client, *mode)
    host = Path(tempfile.mkdtemp(prefix="ae-host-"))
    played = ["unshare", "--mount", "--net", "--propagation", "private", "--", sys.executable]
    played += [str(ROOT / "tests/model_host.py"), str(host)]
    argv = [*played, sys.executable, str(ROOT / "scripts/batch.py"), str(batch)]
    ran = subprocess.run(
        argv, capture_output=True, text=True, env=keyed.environment, check=False, timeout=170
    )
    asked = [json.loads(line) for line in (host / "asked.jsonl").read_text().splitlines()]
    trees.remove(host)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    trial = batch / "trial-1-with-symposium"
    result = documents.read(trial / "result.json", "result/1")
    assert result["execution"] == "completed", (result["reason"], asked, ran.stderr)
    assert {line["key"] for line in asked if line["method"] == "POST"} == {KEY}
    assert {line["host"] for line in asked} == {rungs.model_host(module).removesuffix(":443")}
    assert not (trial / "exchanges.jsonl").exists()
    execution = documents.read(trial / "execution.json", "execution/1")
    assert execution["exchanges"] is None
    assert execution["variables"][module.KEY] == "<dummy>"
    skill = result["expectations"]["skills"]["rust-formatting"]
    assert skill["listed"] is None, "only the first request's record shows it"
    assert result["usage_source"] == "client"
    assert result["isolation"]["route"] == "direct"
    key = Sought({"key": KEY.encode()})
    held = [f for f in batch.rglob("*") if f.is_file() and list(key.within([f.read_bytes()]))]
    assert held == [], "finalize takes out what the model said back"
    assert any("key was in transcript.jsonl" in finding for finding in result["findings"])
    pages = [(batch / name).read_text() for name in ("report.md", "report.html", "junit.xml")]
    assert all("DIRECT" in text for text in (ran.stdout, *pages))
