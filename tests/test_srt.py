"""The srt rung: what a trial's sandbox gives, and what it refuses (I01 to I04, I10, P01)."""

from __future__ import annotations

import grp
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import psutil
import pytest

import probes
from kit import documents, family, process
from kit.contract import Exit, Stop
from kit.documents import Document
from kit.layout import Run
from kit.tools import Tools
from probes.answering import Answering
from rungs import Box, namespaces, srt, srt_settings
from sandbox.project import write_project
from sandbox.scene import Scene, scene

FIRST = 61700
ROOT = os.geteuid() == 0
Reads = Literal["allow-list", "deny-list"]


# The policy: no sandbox is started


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    tmp_path = tmp_path.resolve()
    with tempfile.TemporaryDirectory(prefix="c-", dir="/tmp") as control:  # socket names are short
        run = Run(tmp_path / "run", Path(control).resolve())
        for folder in (*run.writable, run.bin, run.srt_tmp, run.neutral, tmp_path / "tools"):
            folder.mkdir(parents=True)
        yield Box(
            run, run.writable, (tmp_path / "tools", run.bin), (tmp_path,), "allow-list", False, None, None
        )


@pytest.fixture
def stage(tmp_path: Path) -> Document:
    srt_folder = tmp_path.resolve() / "tools/srt"
    srt_folder.mkdir(parents=True, exist_ok=True)
    return {"srt": {"path": str(srt_folder)}, "node": {"path": str(srt_folder / "node")}}


def refused(box: Box, stage: Document) -> str:
    with pytest.raises(Stop) as stop:
        srt.prepare(box, stage)
    assert not box.run.policy.exists()
    return str(stop.value)


def test_I03_allow_list_closes_everything_and_reopens_what_a_trial_needs(box: Box, stage: Document) -> None:
    files = srt.policy(box, stage)["filesystem"]
    assert files["denyRead"] == ["/"]
    assert set(files["allowRead"]) - set(srt_settings.SYSTEM["linux"]) == {
        *map(str, box.readable),
        stage["srt"]["path"],
        str(box.run.srt_tmp),
    }
    assert files["allowWrite"] == [str(path) for path in box.run.writable]


def test_I02_deny_list_closes_people_eval_root_checkout_and_controls(box: Box, stage: Document) -> None:
    closed = srt.policy(replace(box, reads="deny-list"), stage)["filesystem"]["denyRead"]
    people = {str(Path(name).resolve()) for name in srt_settings.PEOPLE["linux"] if Path(name).is_dir()}
    people.add(str(Path.home().resolve()))
    assert set(closed) == {*people, *map(str, box.denied), str(box.run.control.parent)}


@pytest.mark.parametrize("reads", ["allow-list", "deny-list"])
def test_I02_on_macos_its_own_places_are_named(
    box: Box, stage: Document, reads: Reads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Generated only; nothing of it was run there."""
    users, library = tmp_path.resolve() / "Users", tmp_path.resolve() / "Library"
    for folder in (users, library):
        folder.mkdir()
    assert (srt_settings.PEOPLE["darwin"], "/System" in srt_settings.SYSTEM["darwin"]) == (
        ("/Users", "/Volumes"),
        True,
    )
    monkeypatch.setitem(srt_settings.PEOPLE, "darwin", (str(users), "/no/Volumes"))
    monkeypatch.setitem(srt_settings.SYSTEM, "darwin", (str(library), "/no/System"))
    monkeypatch.setattr(sys, "platform", "darwin")
    files = srt.policy(replace(box, reads=reads), stage)["filesystem"]
    if reads == "allow-list":
        assert files["denyRead"] == ["/"]
        assert str(library) in files["allowRead"]
        assert not {"/usr", "/etc", "/no/System"} & set(files["allowRead"])
    else:
        own = {*map(str, box.denied), str(box.run.control.parent), str(Path.home().resolve())}
        assert set(files["denyRead"]) == {str(users), *own}
        assert str(library) not in files["allowRead"]


@pytest.mark.parametrize("network", [True, False])
def test_the_models_route_is_the_only_one_and_only_when_wanted(
    box: Box, stage: Document, network: bool
) -> None:
    said = srt.policy(replace(box, network=network), stage)["network"]
    assert said["allowedDomains"] == (["model.gw.test:80"] if network else [])
    assert ("mitmProxy" in said) is network


def test_a_path_that_is_missing_is_refused_because_srt_would_skip_it(box: Box, stage: Document) -> None:
    missing = box.run.root / "registry"
    assert f"allowRead {missing}: does not exist" in refused(replace(box, readable=(missing,)), stage)


def test_a_path_through_a_link_is_refused_because_srt_would_skip_it(box: Box, stage: Document) -> None:
    link = box.run.root / "link"
    link.symlink_to(box.run.project)
    assert f"is {box.run.project}" in refused(replace(box, writable=(link,)), stage)


@pytest.mark.parametrize("name", ["a*", "a?", "a[b]"])
def test_a_path_that_reads_as_a_glob_is_refused(box: Box, stage: Document, name: str) -> None:
    (box.run.root / name).mkdir()
    assert "does not match" in refused(replace(box, readable=(box.run.root / name,)), stage)


def test_reading_an_ancestor_of_a_writable_folder_is_refused(box: Box, stage: Document) -> None:
    """srt would bind it over the writable folder: every write of the trial would fail."""
    assert f"holds allowWrite {box.run.project}" in refused(replace(box, readable=(box.run.root,)), stage)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("filesystem", {"denyReed": ["/"]}),
        ("filesystem", {"allowRead": [""]}),  # srt's library would open all reads
        ("filesystem", {"allowRead": ["usr"]}),
        ("network", {"allowAllUnixSockets": True}),  # switches seccomp off
        ("network", {"allowedDomains": ["*"]}),
    ],
)
def test_what_srt_would_ignore_or_misread_is_refused(
    box: Box, stage: Document, where: str, value: Document
) -> None:
    settings = srt.policy(box, stage)
    settings[where] |= value
    with pytest.raises(Stop) as stop:
        srt_settings.check(settings, box.run.policy)
    assert stop.value.code is Exit.BUG


def test_a_control_folder_too_long_for_a_socket_is_refused(box: Box, stage: Document) -> None:
    run = Run(box.run.root, box.run.control / ("x" * 90))
    run.control.mkdir()
    assert "too long" in refused(replace(box, run=run), stage)


def test_folders_are_handed_over_without_following_a_link(box: Box, stage: Document, tmp_path: Path) -> None:
    if not ROOT:
        pytest.skip("only root hands over")
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "test.rs").write_text("")
    (box.run.project / "deep").mkdir()
    (box.run.project / "deep/link").symlink_to(hidden)
    (box.run.project / "test.rs").symlink_to(hidden / "test.rs")
    srt.hand_over(box.run.project, FIRST)
    assert {path.lstat().st_uid for path in (box.run.project, *box.run.project.rglob("*"))} == {FIRST}
    assert (hidden.stat().st_uid, (hidden / "test.rs").stat().st_uid) == (0, 0)


def test_srts_shared_temporary_folder_is_no_channel_between_trials(
    box: Box, stage: Document, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """srt makes /tmp/claude writable where it exists, whatever denyRead says; only denyWrite helps."""
    there = tmp_path.resolve() / "claude"
    monkeypatch.setattr(srt_settings, "SHARED_TMP", there)
    assert srt.policy(box, stage)["filesystem"]["denyWrite"] == []
    there.mkdir()
    assert srt.policy(box, stage)["filesystem"]["denyWrite"] == [str(there)]


# Is it here?


def test_I01_missing_programs_are_named_with_the_command_that_installs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bash", "setpriv", "unshare", "prlimit", "choom", "mount", "socat"):
        (tmp_path / name).symlink_to(Path("/bin/true"))
    monkeypatch.setattr(srt, "PATH", str(tmp_path))
    assert srt.unavailable() == "bwrap, rg: not installed; run `apt-get install bubblewrap ripgrep`"


def test_fault_10_namespaces_switched_off_are_found_out_beforehand() -> None:
    """In a namespace where no other may be made."""
    program = (
        f"import sys; sys.path.insert(0, {str(Path(srt.__file__).parents[1])!r})\n"
        "from rungs import srt; print(srt.namespaces_off())"
    )
    off = f"echo 0 > /proc/sys/user/max_user_namespaces && exec {shlex.join([sys.executable, '-c', program])}"
    argv = ["unshare", "--user", "--map-root-user", "sh", "-c", off]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert said.startswith("namespaces: cannot be made here (")
    assert "allow them" in said


@pytest.mark.skipif(not ROOT, reason="only root can put itself into a group")
@pytest.mark.parametrize("held", ["disk", "shadow", None])
@pytest.mark.parametrize("primary", [True, False])
def test_a_runner_in_a_dangerous_group_is_refused_at_run(held: str | None, primary: bool) -> None:
    """In a process that gives up root for that group: as its own, or as one of others."""
    number = grp.getgrnam(held).gr_gid if held else 65534
    code = (
        "import os; from rungs import srt; srt.namespaces_off = lambda: 'asked'\n"
        f"os.setgroups([{65534 if primary else number}]); os.setgid({number if primary else 65534})\n"
        "os.setuid(65534); print(srt.unavailable())"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(srt.__file__).parents[1])}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    wanted = f"group {held}: a trial would keep what that allows" if held else "asked"
    assert said.stdout.startswith(wanted), said.stdout


def test_another_system_is_not_built_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert srt.unavailable() == "srt: not built yet for darwin; use Linux"


@pytest.mark.skipif(not ROOT, reason="only a root runner gives another uid")
@pytest.mark.parametrize("mounted", [False, True])
def test_I10_the_death_of_the_outermost_process_is_everybodys_with_and_without_a_mount(
    mounted: bool, tmp_path: Path
) -> None:
    """PID 1 must keep its death signal, which a process that changes its uid loses."""
    place = tmp_path / "place"
    place.mkdir()
    word = f"{50 + os.getpid() % 40}.{os.getpid()}{int(mounted)}"
    inside = ["sh", "-c", f"setsid sleep {word} & trap '' TERM; sleep {word}; :"]
    argv = [*namespaces.outside(FIRST + 90, (tmp_path, place) if mounted else None), *inside]

    def alive() -> list[psutil.Process]:
        return probes.with_argument(word)

    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True, cwd="/") as outermost:
        try:
            assert family.soon(lambda: len(alive()) == 2, 10), "both run"
            assert {process.uids().real for process in alive()} == {FIRST + 90}
            outermost.kill()
            assert family.soon(lambda: not alive(), 5)
        finally:
            for process in alive():
                process.kill()


# The real thing


@pytest.fixture(scope="module", params=["root", "user"])
def place(request: pytest.FixtureRequest, tools: Tools) -> Iterator[Scene]:
    with scene(tools, request.param, FIRST) as made:
        yield made


def ready(
    place: Scene, *, reads: Reads = "allow-list", network: bool = False, symposium: bool = False
) -> Box:
    made = place.box(reads=reads, network=network, symposium=symposium)
    place.prepare(made)
    return made


@pytest.mark.real
def test_a_project_builds_and_tests_offline(place: Scene) -> None:
    box = place.box()
    write_project(box.run.project)
    place.prepare(box)
    ended, out, err = place.run(box, ["cargo", "test", "--offline"], secs=120)
    assert ended.exit == 0, err
    assert "test result: ok. 1 passed" in out


@pytest.mark.real
@pytest.mark.parametrize("reads", ["allow-list", "deny-list"])
def test_client_starts_and_cargo_agents_only_where_it_belongs(place: Scene, reads: Reads) -> None:
    staged = place.stage["symposium"]["path"]
    ask = f"claude --version; {staged} --version && echo started"
    _, with_it, _ = place.sh(ready(place, reads=reads, symposium=True), ask)
    _, without, _ = place.sh(ready(place, reads=reads), ask)
    assert "(Claude Code)" in with_it
    assert "(Claude Code)" in without
    assert "started" in with_it
    assert "started" not in without


@pytest.mark.real
@pytest.mark.parametrize("reads", ["allow-list", "deny-list"])
def test_P06_others_are_closed_and_the_own_folders_open(place: Scene, reads: Reads) -> None:
    other, box = ready(place, reads=reads), ready(place, reads=reads)
    for run in (other.run, box.run):
        (run.project / "marker").write_text("marked")
    (place.root / "earlier").mkdir(exist_ok=True)
    (place.root / "earlier/marker").write_text("marked")
    closed = [other.run.project / "marker", place.root / "earlier/marker", box.run.policy, other.run.policy]
    script = "; ".join(f"cat {path}" for path in (box.run.project / "marker", *closed))
    _, out, err = place.sh(box, f"{script}; cat marker; ls -A {box.run.control} {Path.home()}")
    assert out.count("marked") == 2
    assert "srt.json" not in out
    assert all(str(path) in err for path in closed)
    assert not [path for path in Path.home().iterdir() if f"\n{path.name}\n" in out]


@pytest.mark.real
def test_writes_stay_inside(place: Scene) -> None:
    box = ready(place)
    own = [*box.run.writable, Path("/dev/shm")]
    tools, hidden = place.root / "tools/common/planted", place.root / "planted"
    _, out, err = place.sh(
        box,
        f"for p in {' '.join(map(str, own))}; do echo x > $p/mine || echo no $p; done; "
        f"echo x > {tools}; echo x > /usr/planted; echo x > /etc/planted; echo x > {hidden}; mktemp",
    )
    assert "no " not in out
    assert str(box.run.tmp) in out
    assert err.count("Read-only file system") == 3
    assert all((folder / "mine").exists() for folder in box.run.writable)
    assert not tools.exists()
    assert not hidden.exists()  # it went into an empty folder that vanished


@pytest.mark.real
def test_I04_no_privilege_is_left_and_every_namespace_is_the_trials_own(place: Scene) -> None:
    box = ready(place)
    kinds = ("ipc", "uts", "mnt", "pid", "net", "user")
    links = " ".join(f"/proc/self/ns/{kind}" for kind in kinds)
    _, out, err = place.sh(
        box,
        f"id -u; grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status; readlink {links}; "
        "v=$(cat /proc/sys/vm/swappiness); echo $v > /proc/sys/vm/swappiness && echo wrote; "
        "mount -t tmpfs x /mnt && echo mounted; unshare --user true && echo unshared; "
        "cat /proc/self/oom_score_adj /proc/self/limits; truncate -s 300M big && echo made",
    )
    words = out.split()
    assert words[0] == str(box.uid or place.user)
    assert words[1:7] == ["CapPrm:", "0" * 16, "CapEff:", "0" * 16, "NoNewPrivs:", "1"]
    assert not {str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in kinds} & set(words)
    assert not {"wrote", "mounted", "unshared", "made"} & set(words), err
    assert "900" in words
    limits = {line[:25].strip(): line[25:].split()[0] for line in out.splitlines() if line.startswith("Max ")}
    assert limits["Max processes"] == str(max(512, 16 * (os.cpu_count() or 1)))
    assert (limits["Max open files"], limits["Max file size"], limits["Max core file size"]) == (
        "4096",
        str(256 << 20),
        "1",
    )


KEYCTL = "perl -e '$! = 0; syscall({number}, 0, -3, 0); print $!{{EPERM}} ? q(refused) : q(answered)'"


@pytest.mark.real
@pytest.mark.skipif(not shutil.which("perl"), reason="perl makes the system call")
def test_session_keys_are_out_of_reach(place: Scene) -> None:
    number = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
    ask = KEYCTL.format(number=number)
    outside = subprocess.run(["sh", "-c", ask], capture_output=True, text=True, check=True).stdout
    assert place.sh(ready(place), ask)[1] == "refused"
    assert outside == "answered"


def curl(url: str) -> str:
    """An HTTP request by hand through the sandbox's proxy, which wants its token; the answer's first line."""
    host = url.removeprefix("http://").partition("/")[0]
    return (
        "u=${HTTP_PROXY#http://}; t=${u%@*}; t=${t//%3D/=}; exec 3<>/dev/tcp/localhost/3128; "
        f"printf 'GET {url} HTTP/1.1\\r\\nHost: {host}\\r\\nProxy-Authorization: Basic %s\\r\\n"
        'Connection: close\\r\\n\\r\\n\' $(printf %s "$t" | base64 -w0) >&3; head -1 <&3; exec 3>&-'
    )


@pytest.mark.real
def test_L02_the_clients_output_stays_blocking_once_the_proxy_was_used(place: Scene) -> None:
    """srt and the client share these sockets; a client whose long answer did not fit would die of it."""
    box = ready(place, network=True)
    flags = "grep flags /proc/self/fdinfo/1 /proc/self/fdinfo/2"
    with Answering(box.run.socket):
        script = f"{curl('http://other.test/x')}; {curl('http://model.gw.test/x')}; sleep 0.2; {flags}"
        _, out, err = place.run(box, ["bash", "-c", script])
    found = [int(line.split()[-1], 8) for line in out.splitlines() if "flags" in line]
    assert len(found) == 2, err
    assert not any(flag & os.O_NONBLOCK for flag in found)


@pytest.mark.real
@pytest.mark.parametrize("network", [True, False])
def test_I02_the_model_is_the_only_host(place: Scene, network: bool) -> None:
    box = ready(place, network=network)
    with Answering(box.run.socket) as model, Answering() as local:
        script = f"{curl('http://model.gw.test/x')}; {curl('http://other.test/x')}; "
        script += f"(: <>/dev/tcp/127.0.0.1/{local.port}) && echo connected; :"
        _, out, err = place.run(box, ["bash", "-c", script])
        socket.create_connection(("127.0.0.1", local.port)).close()  # from outside it answers
    answers = [line.split()[1] for line in out.splitlines() if line.startswith("HTTP")]
    assert answers == (["200", "403"] if network else ["403", "403"]), err
    assert "connected" not in out
    assert model.asked == (["GET http://model.gw.test/x HTTP/1.1"] if network else [])


@pytest.mark.real
def test_arguments_environment_and_status_arrive_unchanged(
    place: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNNERS_OWN", "secret")
    box = ready(place)
    odd = 'it\'s "$HOME" `id`\n\\ *'
    ended, out, _ = place.run(
        box, ["sh", "-c", 'printf %s "$1$ODD"; env; exit 7', "sh", odd], env={"ODD": odd}
    )
    assert ended.exit == 7
    assert out.startswith(odd + odd)
    assert "RUNNERS_OWN" not in out
    given = place.environment(box)
    assert all(f"\n{name}={value}\n" in f"\n{out}" for name, value in given.items())
    assert place.sh(box, "kill -9 $$")[0].exit == 137
    assert place.run(box, ["no-such-program"])[0].exit == 127


@pytest.mark.real
def test_fault_11_nothing_foreign_is_planted_in_the_project_even_by_a_kill(place: Scene) -> None:
    box = ready(place)
    place.sh(box, "ls -A > listing; trap '' TERM; sleep 60", secs=1.5)
    assert (box.run.project / "listing").read_text() == "listing\n"
    assert [path.name for path in box.run.project.iterdir()] == ["listing"]


STUBBORN = (
    "trap '' TERM INT HUP; (setsid sh -c 'trap \"\" TERM; while :; do date >> grows; sleep 0.1; done' &); "
)


def alive_in(box: Box) -> list[psutil.Process]:
    """By what they were started with, not by anything that we recorded."""
    return [
        p for p in psutil.process_iter(["cmdline"]) if str(box.run.root) in " ".join(p.info["cmdline"] or [])
    ]


def grew(box: Box) -> bool:
    before = (box.run.project / "grows").stat().st_size
    time.sleep(0.4)
    return (box.run.project / "grows").stat().st_size > before


@pytest.mark.real
def test_I10_deadline_leaves_nothing(place: Scene) -> None:
    box = ready(place)
    for secs in (2, 10, 30):  # a busy machine may need longer to start it
        ended, _, _ = place.sh(box, STUBBORN + "while :; do sleep 1; done", secs=secs)
        if (box.run.project / "grows").exists():
            break
    assert ended.ended_by == "deadline"
    assert process.survivors(ended, box.uid) == []
    assert not alive_in(box)
    assert not grew(box)


@pytest.mark.real
def test_I10_a_fork_bomb_meets_its_limit_and_its_end(place: Scene) -> None:
    box = ready(place)
    ended, _, err = place.sh(box, "b() { sleep 0.05; b & b; }; b", secs=2)
    assert process.survivors(ended, box.uid) == []
    assert not alive_in(box)
    assert ended.ended_by == "deadline" or "fork" in err


@pytest.mark.real
@pytest.mark.parametrize("victim", ["outermost", "runner"])
def test_I10_whoever_dies_the_trial_dies_with_it(place: Scene, tmp_path: Path, victim: str) -> None:
    """kill -9, so nobody can clean up: the kernel must."""
    box = ready(place)
    script = STUBBORN + "while :; do sleep 1; done"
    command = place.command(box, ["sh", "-c", script])
    runner = (
        f"import sys; sys.path.insert(0, {str(Path(srt.__file__).parents[1])!r})\n"
        "from pathlib import Path\nfrom kit import process\n"
        f"process.run(process.Command({command.argv!r}, {command.env!r}, Path({str(command.cwd)!r})), "
        f"stdout=Path({str(tmp_path / 'o')!r}), stderr=Path({str(tmp_path / 'e')!r}), "
        "deadline_secs=60, cap_bytes=9999)"
    )
    with subprocess.Popen([sys.executable, "-c", runner]) as started:
        until = time.monotonic() + 20
        while not (box.run.project / "grows").exists() and time.monotonic() < until:
            time.sleep(0.05)
        assert grew(box)
        assert alive_in(box)
        outermost = psutil.Process(started.pid).children()[0]
        (outermost if victim == "outermost" else started).send_signal(signal.SIGKILL)
        started.wait(20)
    time.sleep(0.3)
    assert not alive_in(box)
    assert not grew(box)


@pytest.mark.real
@pytest.mark.skipif(not ROOT, reason="a uid of its own")
def test_no_other_local_user_gets_into_a_run_or_at_its_socket(place: Scene) -> None:
    if not place.root_runner:
        pytest.skip("the runner's own uid")
    box = ready(place)
    for folder in (box.run.root, box.run.control):
        assert (folder.stat().st_mode & 0o7777, folder.stat().st_gid) == (0o750, box.uid)


@pytest.mark.real
def test_a_folder_that_the_uid_cannot_go_through_is_named(place: Scene) -> None:
    if not place.root_runner:
        pytest.skip("root may give a uid folders that it cannot reach")
    box = place.box()
    closed = place.root / "closed"
    (closed / "inner").mkdir(parents=True)
    closed.chmod(0o700)
    with pytest.raises(Stop, match=f"{closed}: closed to the trial's uid"):
        srt.prepare(replace(box, readable=(*box.readable, closed / "inner")), place.stage)


@pytest.mark.real
def test_the_kept_policy_is_the_one_in_force(place: Scene) -> None:
    box = ready(place)
    documents.check(srt.policy(box, place.stage), "policy/1", "here")
    assert srt.policy(box, place.stage) == json.loads(box.run.policy.read_text())


def test_I02_the_developers_home_is_closed_wherever_it_is(
    box: Box, stage: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path.resolve() / "somebody"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    closed = srt.policy(replace(box, reads="deny-list"), stage)["filesystem"]["denyRead"]
    assert str(home) in closed
