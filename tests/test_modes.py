"""The other ways to run a trial: in the client's own sandbox (I07), and with the model asked directly (M01).

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
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

import clients
import launch
import rungs
import smoke
from batch_running import Place, alive, document, scratch
from clients import Confines, claude, codex
from gateway import rehearsal
from kit import documents, process, trees
from kit.contract import Exit, Stop
from kit.layout import Run
from kit.rehearsed import differences
from kit.tools import Tools
from kit.traces import Sought
from probes import ProbeResult
from rungs import Box, loopback, namespaces, no_keyrings, own, srt_settings

ROOT = Path(__file__).parents[1]
KEY = "sk-ant-api03-Kx7_notakey-butlookedfor-9Pw3Lm5Rt1Vb"
CONFINES = Confines(
    denied=(Path("/home/me"), Path("/evals")),
    readable=(Path("/run/bin"), Path("/toolchain"), Path("/run/project")),
    cargo_home=Path("/run/cargo-home"),
    home=Path("/run/home"),
    evidence=Path("/run/evidence"),
)
PROMPT = "-- do it"


@pytest.fixture(scope="module")
def place(tools: Tools) -> Iterator[Place]:
    """Where a trial's uid may pass: pytest's own folders are closed to it."""
    folder = Path(tempfile.mkdtemp(prefix="agent-eval-test-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield Place(folder)
    trees.remove(folder)


def start(client: Any, kind: str) -> list[str]:
    words = (Path("/run/bin/x"), PROMPT, "m", "http://model.gw.test", "dummy")
    made = client.confined(*words, CONFINES) if kind == "confined" else client.command(*words)
    return list(made.argv)


def test_I07_claudes_own_sandbox_is_told_exactly_this() -> None:
    argv = start(claude, "confined")
    assert argv[argv.index("--permission-mode") + 1] == "acceptEdits"
    assert "bypassPermissions" not in argv
    assert json.loads(argv[argv.index("--settings") + 1]) == {
        "sandbox": {
            "enabled": True,
            "failIfUnavailable": True,
            "allowUnsandboxedCommands": False,
            "autoAllowBashIfSandboxed": True,
            "filesystem": {
                "denyRead": ["/home/me", "/evals"],
                "allowRead": ["/run/bin", "/toolchain", "/run/project"],
                "allowWrite": ["/run/cargo-home"],
            },
        },
        "permissions": {"blockReadsOutsideWorkingDirectories": True},
    }


def test_I07_codexs_own_sandbox_is_told_exactly_this() -> None:
    argv = start(codex, "confined")
    assert argv[argv.index("--sandbox") + 1] == "workspace-write"
    assert "danger-full-access" not in argv
    assert [word for word in argv if word.startswith("sandbox_workspace_write.")] == [
        'sandbox_workspace_write.writable_roots=["/run/cargo-home", "/run/home", "/run/evidence"]',
        "sandbox_workspace_write.exclude_slash_tmp=true",
        "sandbox_workspace_write.network_access=false",
    ]


@pytest.mark.parametrize("client", [claude, codex])
def test_I07_nothing_else_differs_from_an_enforced_start(client: Any) -> None:
    """The prompt stays last, and no other flag comes or goes."""
    enforced, confined = start(client, "command"), start(client, "confined")
    own = {"--settings", "--permission-mode", "--sandbox", "acceptEdits", "bypassPermissions"}
    own |= {"workspace-write", "danger-full-access", "-c"}
    strip = [
        [w for w in argv if w not in own and not w.startswith(("{", "sandbox_workspace_write."))]
        for argv in (enforced, confined)
    ]
    assert strip[0] == strip[1]
    assert confined[-2:] == ["--", PROMPT]


def test_I07_a_client_without_a_sandbox_of_its_own_is_refused_by_name() -> None:
    class Bare:
        BINARY = "bare"

    with pytest.raises(Stop, match="--exploratory: not built for bare") as stop:
        clients.confined(Bare())  # type: ignore[arg-type]  # as little of a client as is asked for
    assert stop.value.code is Exit.UNAVAILABLE


def box(root: Path, **more: Any) -> Box:
    run = Run(root / "run", root / "control")
    return Box(
        run=run,
        writable=run.writable,
        readable=(Path("/toolchain"),),
        denied=(Path("/evals"),),
        reads="allow-list",
        network=True,
        uid=None,
        mount=None,
        **more,
    )


def test_I07_the_clients_sandbox_closes_the_deny_list_whatever_the_plan_says(tmp_path: Path) -> None:
    made = launch.confines(box(tmp_path))
    assert Path("/") not in made.denied, "it could not start in that"
    assert {Path("/evals"), Path.home().resolve(), tmp_path} <= set(made.denied)
    assert set(made.readable) == {Path("/toolchain"), *Run(tmp_path / "run", tmp_path).writable}


@pytest.mark.parametrize(
    ("rung", "name", "stops"),
    [
        ("srt", "evals", True),
        ("srt", "cargo", True),
        ("own", "evals", False),
        ("own", "cargo", True),
        ("own", "prepare", True),
    ],
)
def test_I07_without_srt_only_what_a_trial_needs_stops_it(rung: str, name: str, stops: bool) -> None:
    assert smoke.must({"rung": rung}, ProbeResult(name, "", False, "")) is stops


def test_I07_an_exploratory_trial_is_graded_under_srt_with_the_strict_reads() -> None:
    explored = {"isolation": "exploratory", "rung": "own", "reads": "deny-list"}
    assert rungs.for_grading(explored) == ("srt", "allow-list")
    enforced = {"isolation": "enforced", "rung": "srt", "reads": "deny-list"}
    assert rungs.for_grading(enforced) == ("srt", "deny-list")


@pytest.mark.real
def test_I07_without_srt_the_gateway_is_still_the_only_network(tmp_path: Path) -> None:
    """In the trial's network a port leads to the socket; nothing else answers, and nothing can be reached."""
    folder = Path(tempfile.mkdtemp(prefix="ae-", dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        made = box(folder)
        if os.geteuid() == 0:
            made = replace(made, uid=61777)
        for one in (*made.writable, made.run.control, made.run.neutral):
            one.mkdir(parents=True, exist_ok=True)
        made.run.control.chmod(0o755)
        serve = [
            "socat",
            f"UNIX-LISTEN:{made.run.socket},fork,mode=666",
            "SYSTEM:echo HTTP/1.0 200 OK; echo; echo gateway",
        ]
        listener = subprocess.Popen(serve)
        script = (
            "id -u; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; curl -s $HTTP_PROXY; "
            "NO_PROXY=* curl -s -m 2 http://203.0.113.1/ || echo no other"
        )
        command = own.wrap(made, {}, ["sh", "-c", script], folder, {"PATH": "/usr/bin:/bin", "HOME": "/"})
        out, err = tmp_path / "out", tmp_path / "err"
        ended = process.run(command, stdout=out, stderr=err, deadline_secs=20, cap_bytes=10_000)
        listener.kill()
        listener.wait()
        uid = made.uid if made.uid is not None else os.getuid()
        assert out.read_text().split("\n") == [str(uid), "lo", "gateway", "no other", ""], err.read_text()
        assert process.survivors(ended, made.uid) == []
    finally:
        trees.remove(folder)


@pytest.mark.real
@pytest.mark.skipif(os.geteuid() != 0 or not Path("/usr/bin/python3").exists(), reason="root plays nobody")
def test_I07_a_runner_without_root_hands_nobody_the_right_to_its_network(tmp_path: Path) -> None:
    """It lifts the loopback device with the namespace's own rights, and they are gone in the trial."""
    folder = Path(tempfile.mkdtemp(prefix="ae-", dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        there = {sys.executable: "/usr/bin/python3"}
        for module in (loopback, no_keyrings):
            there[str(module.__file__)] = str(shutil.copy(str(module.__file__), folder))
        script = (
            "id -u; grep -h CapEff: /proc/self/status | cut -f2; ip link set lo down || echo refused; "
            "(echo up | socat - TCP-LISTEN:3999,bind=127.0.0.1 &); sleep 0.3; socat -u TCP:127.0.0.1:3999 -"
        )
        words = [there.get(word, word) for word in namespaces.outside(None, None, alone=True)]
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        argv = [*nobody, *words, "sh", "-c", script]
        done = subprocess.run(argv, capture_output=True, text=True, cwd="/", timeout=30, check=False)
        assert done.stdout.split() == ["65534", "0" * 16, "refused", "up"], done.stderr
    finally:
        trees.remove(folder)


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


# ---- the model asked directly


@pytest.mark.parametrize(("client", "host"), [(claude, "api.anthropic.com"), (codex, "api.openai.com")])
def test_M01_direct_opens_the_models_own_host_and_no_other(tmp_path: Path, client: Any, host: str) -> None:
    assert rungs.model_host(client) == f"{host}:443"
    stage = {"srt": {"path": "/tools/srt"}}
    policy = srt_settings.policy(box(tmp_path, host=rungs.model_host(client)), stage)
    assert policy["network"] == {
        "allowedDomains": [f"{host}:443"],
        "deniedDomains": [],
        "strictAllowlist": True,
    }
    assert policy["filesystem"] == srt_settings.policy(box(tmp_path), stage)["filesystem"]


def test_M01_the_gateways_form_is_as_it_was(tmp_path: Path) -> None:
    policy = srt_settings.policy(box(tmp_path), {"srt": {"path": "/tools/srt"}})
    assert policy["network"]["allowedDomains"] == ["model.gw.test:80"]
    assert policy["network"]["mitmProxy"]["domains"] == ["model.gw.test"]


def test_M01_a_direct_trial_of_the_own_sandbox_is_on_the_machines_network(tmp_path: Path) -> None:
    command = own.wrap(box(tmp_path, host="api.anthropic.com:443"), {}, ["x"], tmp_path, {"PATH": "/bin"})
    assert "--net" not in command.argv
    assert not [name for name in command.env if "proxy" in name.lower()]
    alone = own.wrap(box(tmp_path), {}, ["x"], tmp_path, {"PATH": "/bin"})
    assert "--net" in alone.argv


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
