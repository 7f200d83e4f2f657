"""A resident srt gives the sandbox that srt itself gives, and dies with its grading."""

from __future__ import annotations

import io
import json
import os
import platform
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from kit import process
from kit.contract import Stop
from kit.tools import Tools
from rungs import Rung, no_keyrings, resident, srt
from sandbox.scene import Scene, scene

pytestmark = pytest.mark.real
LOOK = """
id -u; cat /proc/self/status | grep -E '^(Seccomp|CapEff|NoNewPrivs):'
ls / | sort | tr '\\n' ' '; ls /home /root /tmp 2>&1 | wc -l
echo x > /etc/planted 2>/dev/null && echo wrote
cat "$SECRET" 2>/dev/null && echo read
(echo > /dev/tcp/127.0.0.1/22) 2>/dev/null && echo connected
tail -n +3 /proc/net/dev | cut -d: -f1; unshare --user true 2>/dev/null && echo unshared
cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern 2>/dev/null && echo kernel
python3 -c 'import socket; socket.socket(socket.AF_UNIX)' 2>/dev/null && echo unix
python3 -c "import ctypes; print('keys', ctypes.CDLL(None).syscall($KEYCTL, 0, -3, 0))"
echo "$TMPDIR" "$HOME"; touch "$HOME/mine" && echo own
exit 7
"""


@pytest.fixture(scope="module")
def place(tools: Tools) -> Iterator[Scene]:
    with scene(tools, "root" if os.geteuid() == 0 else "user", 61600) as made:
        yield made


def looked(place: Scene, rung: Rung) -> tuple[int | None, list[str]]:
    """What a command inside finds; random names are taken out."""
    box = place.box()
    rung.prepare(box, place.stage)
    run = box.run
    secret = place.root / "secret"
    secret.write_text("a secret\n")
    env = {"PATH": "/usr/bin:/bin", "HOME": str(run.home), "TMPDIR": str(run.tmp), "SECRET": str(secret)}
    env["KEYCTL"] = str(no_keyrings.MACHINES[platform.machine()][1][2])
    out, err = place.controls / "out", place.controls / "err"
    command = rung.wrap(box, place.stage, ["bash", "-c", LOOK], run.home, env)
    ended = process.run(command, stdout=out, stderr=err, deadline_secs=60, cap_bytes=1 << 20)
    said = out.read_text().replace(str(run.root), "<run>").replace(str(box.uid), "<uid>")
    assert said, err.read_text()
    return ended.exit, said.splitlines()


def test_I01_a_resident_srt_refuses_what_srt_refuses(place: Scene) -> None:
    with resident.resident(place.stage, place.controls / secrets.token_hex(3)) as kept:
        alike = looked(place, kept)
    assert alike == looked(place, srt)
    status, said = alike
    assert status == 7
    assert not {"wrote", "read", "connected", "unshared", "kernel", "unix", "a secret"} & set(said)
    assert {"Seccomp:\t2", "keys -1"} <= {*said}
    assert said[-4].strip() == "lo"
    assert said[-2:] == ["<run>/tmp <run>/home", "own"]


EARLY = """
import os, sys
sys.path[:0] = [{scripts!r}, {tests!r}]
from rungs import namespaces, no_keyrings
before = namespaces.outside(61600, None)
no_keyrings.install_early()
print(before.index("unshare"), (argv := namespaces.outside(61600, None)).index("unshare"), flush=True)
os.execvp(argv[0], [*argv, sys.executable, "-c", {look!r}])
"""
LOOK_KEYS = "import ctypes; print('keys', ctypes.CDLL(None).syscall({keyctl}, 0, -3, 0))"


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another uid")
def test_I04_a_program_that_puts_the_filter_on_itself_hands_it_down(tmp_path: Path) -> None:
    look = LOOK_KEYS.format(keyctl=no_keyrings.MACHINES[platform.machine()][1][2])
    here = Path(__file__).parent
    early = EARLY.format(scripts=str(here.parent / "scripts"), tests=str(here), look=look)
    said = subprocess.run([sys.executable, "-c", early], check=True, capture_output=True, text=True).stdout
    with_python, without, *keys = said.split()
    assert int(with_python) - int(without) == 4
    assert keys == ["keys", "-1"]


def test_a_resident_srt_gives_no_network(place: Scene) -> None:
    box = replace(place.box(), network=True)
    folder = place.controls / secrets.token_hex(3)
    with (
        resident.resident(place.stage, folder) as kept,
        pytest.raises(ValueError, match="no network"),
    ):
        kept.wrap(box, place.stage, ["true"], Path("/"), {})


def test_G07_a_resident_srt_that_has_died_is_said_and_not_replaced(place: Scene) -> None:
    with resident.resident(place.stage, place.controls / secrets.token_hex(3)) as kept:
        kept.process.kill()
        assert kept.process.stdout is not None
        kept.process.stdout.read()  # to its end: what it started has died too
        with pytest.raises(Stop, match="gave no answer"):
            looked(place, kept)


def serving(folder: Path) -> list[int]:
    """What runs in that folder."""
    every = psutil.process_iter(["cwd", "status"])
    living = (one for one in every if one.info["status"] != psutil.STATUS_ZOMBIE)
    return [one.pid for one in living if str(folder) in (one.info["cwd"] or "")]


class Answers:
    """In a resident's place: it gives that line to whatever it is asked."""

    def __init__(self, line: str) -> None:
        self.stdin, self.stdout = io.StringIO(), io.StringIO(json.dumps({"line": line}) + "\n")


@pytest.mark.parametrize(
    "line", ["bwrap --ro-bind / / -- sh", "bwrap -- sh -c 'bwrap --unshare-net -- true'"]
)
def test_I05_a_command_that_srt_would_give_a_network_is_not_run(line: str) -> None:
    kept = resident.Resident(cast(Any, Answers(line)))
    with pytest.raises(Stop, match="network open"):
        kept.ask({"command": "true"})
    assert resident.Resident(cast(Any, Answers("bwrap --unshare-net -- sh"))).ask({"command": "true"})


def gone(folder: Path) -> bool:
    until = time.monotonic() + 5
    while serving(folder) and time.monotonic() < until:
        time.sleep(0.02)
    return not serving(folder)


def test_I10_nothing_of_a_resident_srt_outlives_its_grading(place: Scene) -> None:
    folder = place.controls / secrets.token_hex(3)
    with resident.resident(place.stage, folder) as kept:
        looked(place, kept)
        assert serving(folder)
    assert gone(folder)


def test_I10_a_resident_srt_dies_with_its_runner(place: Scene) -> None:
    folder = place.controls / secrets.token_hex(3)
    program = f"""
import sys, time
sys.path.insert(0, {str(Path(srt.__file__).parents[1])!r})
from pathlib import Path
from rungs import resident
with resident.resident({place.stage!r}, Path({str(folder)!r})) as kept:
    nothing = {{"denyRead": ["/"], "allowRead": [], "allowWrite": [], "denyWrite": []}}
    config = {{"filesystem": nothing, "network": {{"allowedDomains": []}}}}
    kept.ask({{"command": "true", "config": config, "tmp": "/tmp"}})
    print(kept.process.pid, flush=True)
    time.sleep(60)
"""
    runner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert runner.stdout is not None
    kept = psutil.Process(int(runner.stdout.readline()))
    assert [pid for pid in serving(folder) if pid != runner.pid]
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    runner.stdout.close()
    assert gone(folder)
    assert not kept.is_running() or kept.status() == psutil.STATUS_ZOMBIE


def test_a_resident_srt_wraps_the_same_command_once_and_another_policy_anew(place: Scene) -> None:
    with resident.resident(place.stage, place.controls / secrets.token_hex(3)) as kept:
        box = place.box()
        kept.prepare(box, place.stage)
        env = {"PATH": "/usr/bin:/bin", "TMPDIR": str(box.run.tmp)}
        lines = [kept.wrap(box, place.stage, ["true"], box.run.home, env).argv[-1] for _ in range(2)]
        assert lines[0] is lines[1]
        assert kept.wrap(box, place.stage, ["false"], box.run.home, env).argv[-1] != lines[0]
        less = replace(box, readable=box.readable[1:])
        kept.prepare(less, place.stage)
        assert kept.wrap(less, place.stage, ["true"], box.run.home, env).argv[-1] != lines[0]
