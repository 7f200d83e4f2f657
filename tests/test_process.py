"""kit.process: a command's end is certain, whatever it does (I10, L02; faults 1, 2, 4, 5, 7, 41, 53)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit import process
from kit.capture import Kept
from kit.process import Command, Ended

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def sh(script: str, *more: str, secs: float = 20, cap: int = 1 << 20) -> Ended:
        command = Command(["sh", "-c", script, "sh", *more], {"PATH": PATH}, tmp_path)
        out, err = tmp_path / "out", tmp_path / "err"
        return process.run(command, stdout=out, stderr=err, deadline_secs=secs, cap_bytes=cap)

    return sh


def python(program: str) -> str:
    return f"exec {sys.executable} -I -S -c '{program}'"


def grows(file: Path) -> bool:
    before = file.read_bytes()
    time.sleep(0.5)
    return file.read_bytes() != before


def test_output_and_exit_status_arrive_unchanged(run: Run, tmp_path: Path) -> None:
    ended = run(r"printf '\377\376\000\033[31m'; printf e >&2; exit 7")
    assert (ended.exit, ended.ended_by, ended.stdout_dropped) == (7, "itself", 0)
    assert (tmp_path / "out").read_bytes() == b"\xff\xfe\x00\x1b[31m"
    assert (tmp_path / "err").read_bytes() == b"e"
    assert (ended.stdout_bytes, ended.stderr_bytes) == (8, 1)


def test_killed_by_a_signal_is_no_exit_status(run: Run) -> None:
    ended = run("kill -9 $$")
    assert (ended.exit, ended.ended_by) == (None, "itself")


def test_L02_stdin_is_empty_even_when_the_runner_has_one(run: Run) -> None:
    ours, _theirs = os.pipe()  # never closes, as an inherited stdin would not
    earlier = os.dup(0)
    os.dup2(ours, 0)
    try:
        assert run("cat", secs=5).ended_by == "itself"
    finally:
        os.dup2(earlier, 0)


def test_L02_nobody_reopens_the_transcript_through_proc(run: Run, tmp_path: Path) -> None:
    ended = run(
        "for fd in 1 2; do cat /proc/self/fd/$fd && echo opened; : > /proc/self/fd/$fd && echo cut; done"
    )
    assert ended.exit != 0
    assert (tmp_path / "out").read_bytes() == b""


def test_environment_is_exact_and_no_descriptor_is_inherited(run: Run, tmp_path: Path) -> None:
    leak = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(leak, True)
    run("env | sort; ls /proc/$$/fd; ps -o sid= -p $$; echo $$")
    os.close(leak)
    said = (tmp_path / "out").read_text().split()
    assert said[:2] == [f"PATH={PATH}", f"PWD={tmp_path}"]  # PWD is the shell's own
    assert [word for word in said[2:-2] if word.isdigit()] in (["0", "1", "2"], ["0", "1", "2", "10"])
    assert said[-1] == said[-2]  # its own session


ESCAPES = {
    "own-session": "setsid sh -c 'while :; do echo x >> $0; sleep 0.1; done' $1 &",
    "ignores-term": "trap '' TERM; (trap '' TERM; while :; do echo x >> $1; sleep 0.1; done) &",
    "double-fork": "(setsid sh -c '(while :; do echo x >> $0; sleep 0.1; done) & exit' $1 &) ; sleep 0.3",
    "stopped": "sh -c 'echo x >> $0; kill -STOP $$' $1 & trap '' TERM;",
}


@pytest.mark.parametrize("how", ESCAPES)
def test_I10_nothing_works_on_after_the_deadline(run: Run, tmp_path: Path, how: str) -> None:
    ended = run(f"{ESCAPES[how]}\nwhile :; do sleep 1; done", str(tmp_path / "grows"), secs=1)
    assert ended.ended_by == "deadline"
    assert ended.exit is None
    assert ended.elapsed_secs < 1 + process.GRACE_SECS + 1
    assert ended.descendants, "nothing was seen, so nothing is proved"
    assert not grows(tmp_path / "grows")
    assert process.survivors(ended) == []


@pytest.mark.parametrize("how", ESCAPES)
def test_I10_nothing_works_on_after_a_normal_end(run: Run, tmp_path: Path, how: str) -> None:
    """A child that goes on, holding the client's stdout, neither keeps us waiting nor stays."""
    ended = run(f"{ESCAPES[how]}\nsleep 0.3; echo done", str(tmp_path / "grows"))
    assert (ended.exit, ended.ended_by) == (0, "itself")
    assert ended.elapsed_secs < 3
    assert (tmp_path / "out").read_bytes() == b"done\n"
    assert ended.descendants
    assert not grows(tmp_path / "grows")
    assert process.survivors(ended) == []


def test_result_is_kept_when_the_client_never_exits(run: Run, tmp_path: Path) -> None:
    ended = run("echo result; exec sleep 60", secs=1)
    assert (ended.ended_by, ended.exit) == ("deadline", None)
    assert (tmp_path / "out").read_bytes() == b"result\n"


def test_a_client_that_obeys_TERM_gets_to_say_so(run: Run, tmp_path: Path) -> None:
    ended = run("trap 'echo last words; exit 0' TERM; while :; do sleep 0.1; done", secs=0.5)
    assert (ended.ended_by, ended.exit) == ("deadline", None)  # the 0 is not the client's own
    assert (tmp_path / "out").read_bytes() == b"last words\n"
    assert ended.elapsed_secs < 2


def test_flood_keeps_first_and_last_lines_and_counts_the_rest(run: Run, tmp_path: Path) -> None:
    ended = run("echo first; yes '{\"x\": 1}' | head -c 60000000; echo; echo last", cap=1000)
    lines = (tmp_path / "out").read_bytes().split(b"\n")
    assert (lines[0], lines[-2], lines[-1]) == (b"first", b"last", b"")
    assert set(lines[1:-3]) == {b'{"x": 1}'}  # none is cut; the last-but-one may be head's doing
    assert ended.stdout_bytes == 60000000 + 12
    assert (tmp_path / "out").stat().st_size == ended.stdout_bytes - ended.stdout_dropped <= 1000


@pytest.mark.parametrize("secs", [0.5])
def test_flood_without_end_ends_at_the_deadline_in_bounded_memory(run: Run, secs: float) -> None:
    before = psutil.Process().memory_info().rss
    ended = run("cat /dev/zero | tee /dev/stderr >&1 2>/dev/null; cat /dev/zero", secs=secs, cap=1 << 20)
    assert ended.ended_by == "deadline"
    assert ended.stdout_dropped > 1 << 20
    assert psutil.Process().memory_info().rss - before < 64 << 20


@given(st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"a", b"\n"))), st.integers(2, 200))
def test_capture_accounts_for_every_byte(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes], cap: int
) -> None:
    file = tmp_path_factory.getbasetemp() / "kept"
    kept = Kept(file, cap)
    for chunk in chunks:
        kept.take(chunk)
    kept.finish()
    kept.release()
    came, stays = b"".join(chunks), file.read_bytes()
    assert kept.bytes == len(came)
    if len(came) <= cap:
        assert stays == came
        assert kept.dropped == 0
        return
    head = next(n for n in range(len(stays), -1, -1) if came.startswith(stays[:n]))
    mended = len(stays) - (len(came) - kept.dropped)  # a line feed of ours, or none
    assert mended in (0, 1)
    assert came.endswith(stays[head + mended :]) or any(came.endswith(stays[n:]) for n in range(head + 1))


@given(
    st.lists(st.binary(min_size=1, max_size=9).map(lambda data: data.replace(b"\n", b"")), min_size=1),
    st.integers(40, 90),
)
def test_capture_never_cuts_a_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cap: int
) -> None:
    file = tmp_path_factory.getbasetemp() / "lines"
    kept = Kept(file, cap)
    numbered = [b"%d:%s\n" % (number, line) for number, line in enumerate(lines)]
    for line in numbered:
        kept.take(line)
    kept.finish()
    kept.release()
    stays = file.read_bytes().splitlines(keepends=True) if b"\r" not in b"".join(numbered) else None
    if stays is not None and not {0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x85} & set(b"".join(numbered)):
        assert set(stays) <= set(numbered)
        assert numbered[-1] in stays


def interrupt(*numbers: int) -> None:
    def send() -> None:
        for number in numbers:
            time.sleep(0.4)
            os.kill(os.getpid(), number)

    threading.Thread(target=send).start()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_I10_interrupt_ends_everything_and_does_not_raise(run: Run, tmp_path: Path, number: int) -> None:
    earlier = signal.getsignal(number)
    interrupt(number)
    ended = run(f"{ESCAPES['double-fork']}\nsleep 60", str(tmp_path / "grows"))
    assert (ended.ended_by, ended.exit) == ("interrupt", None)
    assert not grows(tmp_path / "grows")
    assert process.survivors(ended) == []
    assert signal.getsignal(number) is earlier


def test_I10_an_interrupt_at_the_very_end_reaches_the_one_who_listened_before() -> None:
    heard: list[int] = []
    earlier = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        with process.interrupts():
            os.kill(os.getpid(), signal.SIGTERM)
            assert heard == []
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, earlier)


def test_I10_an_interrupt_while_leftovers_are_ended_is_reported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a batch's death in the moment between two commands of a step."""
    before = process.end

    def end(*given: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        before(*given)  # type: ignore[arg-type]  # what run gives it

    monkeypatch.setattr(process, "end", end)
    assert run("exit 0").ended_by == "interrupt"


def test_second_interrupt_skips_the_grace(run: Run) -> None:
    interrupt(signal.SIGINT, signal.SIGINT)
    ended = run("trap '' TERM INT; while :; do sleep 1; done")
    assert ended.ended_by == "interrupt"
    assert ended.elapsed_secs < process.GRACE_SECS


def test_a_full_disk_is_the_runners_error_and_leaves_nothing_running(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = Command(["sh", "-c", f"echo $$ > {pid}; trap '' TERM; yes"], {"PATH": PATH}, tmp_path)
    with pytest.raises(OSError, match="No space left"):
        process.run(
            command, stdout=Path("/dev/full"), stderr=tmp_path / "err", deadline_secs=30, cap_bytes=1 << 30
        )
    assert not psutil.pid_exists(int(pid.read_text()))


def test_a_command_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        process.output(["no-such-program"], {"PATH": PATH}, tmp_path, 5)


def test_earlier_children_of_the_runner_are_not_the_commands(run: Run) -> None:
    """The gateway, say: it lives on."""
    other = subprocess.Popen(["sleep", "60"])
    try:
        run("sleep 60", secs=0.2)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_survivors_names_what_is_alive() -> None:
    with subprocess.Popen(["sleep", "60"]) as alive:
        left = Ended(0, "itself", 1, 0, 0, 0, frozenset([psutil.Process(alive.pid)]))
        [said] = process.survivors(left, wait_secs=0)
        alive.kill()
    assert said.startswith(f"{alive.pid} (uid {os.getuid()}, ")
    assert process.survivors(left) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives a trial a uid of its own")
def test_survivors_finds_a_process_by_its_uid_alone() -> None:
    nothing = Ended(0, "itself", 1, 0, 0, 0, frozenset())
    with subprocess.Popen(["sleep", "60"], user=61998) as alive:
        found = process.survivors(nothing, 61998, wait_secs=0)
        alive.kill()
    assert len(found) == 1
    assert process.survivors(nothing, 61998) == []


def test_output_of_a_short_command(tmp_path: Path) -> None:
    assert process.output(["sh", "-c", "echo a; echo b >&2; exit 3"], {"PATH": PATH}, tmp_path, 5) == (
        3,
        b"a\n",
        b"b\n",
    )
    assert process.output(["sleep", "60"], {"PATH": PATH}, tmp_path, 0.2)[0] is None
