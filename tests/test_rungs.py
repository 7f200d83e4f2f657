"""What a trial may reach in the client's own sandbox (I07), and where the model is asked directly (M01)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import clients
import launch
import rungs
import smoke
from batch_running import passable
from clients import Confines, claude, codex
from kit import process
from kit.contract import Exit, Stop
from kit.layout import Run
from probes import ProbeResult
from rungs import Box, loopback, namespaces, no_keyrings, own, srt_settings

CONFINES = Confines(
    denied=(Path("/home/me"), Path("/evals")),
    readable=(Path("/run/bin"), Path("/toolchain"), Path("/run/project")),
    cargo_home=Path("/run/cargo-home"),
    home=Path("/run/home"),
    evidence=Path("/run/evidence"),
)
PROMPT = "-- do it"


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
    with passable() as folder:
        made = box(folder)
        if os.geteuid() == 0:
            made = replace(made, uid=61777)
        for one in (*made.writable, made.run.control, made.run.neutral):
            one.mkdir(parents=True, exist_ok=True)
        made.run.control.chmod(0o755)
        serve = [
            "socat",
            f"UNIX-LISTEN:{made.run.socket},fork,mode=666",
            "SYSTEM:read -r asked; echo HTTP/1.0 200 OK; echo; echo gateway",
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


@pytest.mark.real
@pytest.mark.skipif(os.geteuid() != 0 or not Path("/usr/bin/python3").exists(), reason="root plays nobody")
def test_I07_a_runner_without_root_hands_nobody_the_right_to_its_network(tmp_path: Path) -> None:
    """It lifts the loopback device with the namespace's own rights, and they are gone in the trial."""
    with passable() as folder:
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
