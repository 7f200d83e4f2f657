"""audit and the last look for the key: what is found, what is not taken for a find, and what it costs."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit
import clients
import finalize
import left_behind
from auditing import TOLD, commands, places, shell
from kit import canaries, documents, keys, trees
from kit.contract import Exit, Folder
from kit.traces import Sought

CANARY = "0123456789abcdef0123456789abcdee"
KEY = "sk-ant-api03-Zx9_notakey-butlookedfor-4Qw7Lm2Rt8Vb"
RUN = "/eval/b/trial-1-without-symposium"
TRIAL = places.Trial(
    project=f"{RUN}/project",
    variables={"HOME": f"{RUN}/home", "EVAL_EVIDENCE_DIR": f"{RUN}/evidence"},
    inside=(*places.SYSTEM, "/proc/self", RUN, "/eval/b/tools/common"),
    closed=None,
    evidence=(f"{RUN}/evidence",),
    configuration=(f"{RUN}/home/.claude/settings*.json",),
    reading=("Read",),
    shells=("Bash",),
)
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "upper": bytes.upper,
    "reversed": lambda text: text[::-1],
    "base64": base64.b64encode,
    "base64 at 1": lambda text: base64.b64encode(b"." + text + b"."),
    "base64 at 2": lambda text: base64.b64encode(b".." + text),
    "base64 in lines": lambda text: base64.encodebytes(b"before" + text * 3),
    "hexadecimal": lambda text: text.hex().encode(),
    "percent": lambda text: b"".join(b"%%%02X" % byte for byte in text),
    "JSON escapes": lambda text: b"".join(b"\\u%04x" % byte for byte in text),
    "letter by letter": lambda text: b" ".join(text[i : i + 1] for i in range(len(text))),
    "in JSON's lines": lambda text: json.dumps("\n".join(text.decode())).encode(),
}
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@every_form
@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
def test_I09_a_canary_is_found_in_every_form_across_any_cut(
    form: Callable[[bytes], bytes], size: int
) -> None:
    data = b"first\nsecond " + form(CANARY.encode()) + b" end\nthird\n"
    found = list(Sought({"it": CANARY.encode()}).within(cut(data, size)))
    assert [trace.label for trace in found] == ["it"]
    assert found[0].line >= 2


@every_form
def test_L04_what_is_found_can_be_taken_out(form: Callable[[bytes], bytes]) -> None:
    key = Sought({"key": KEY.encode()})
    data = b'{"a": "' + form(KEY.encode()) + b'"}'
    assert list(key.within([data]))
    assert not list(key.within([key.replaced(data, keys.HIDDEN)]))


@given(st.binary(max_size=300), st.binary(max_size=300), st.integers(1, 50), st.sampled_from(list(FORMS)))
def test_I09_whatever_stands_around_it(before: bytes, after: bytes, size: int, form: str) -> None:
    """Anything but a letter or digit: those may belong to a longer word, or be half of an escape."""
    data = before + b"\n. " + FORMS[form](CANARY.encode()) + b" .\n" + after
    assert list(Sought({"it": CANARY.encode()}).within(cut(data, size)))


@given(st.binary(max_size=2000))
def test_I09_nothing_is_found_where_nothing_is(data: bytes) -> None:
    assert not list(Sought({"it": CANARY.encode()}).within([data, CANARY[:-1].encode()]))


def test_the_line_is_named_and_each_text_once() -> None:
    data = b"\n" * 41 + CANARY.encode() + b"\n" + CANARY.encode()
    assert [trace.line for trace in Sought({"it": CANARY.encode()}).within(cut(data, 16))] == [42]


@pytest.mark.parametrize("data", [b"\\", b"\n", b'"\\n', b"a ", b"0123456789abcdef"], ids=repr)
def test_I08_a_huge_transcript_takes_seconds_whatever_is_in_it(data: bytes) -> None:
    many = Sought({str(n): os.urandom(16).hex().encode() for n in range(100)})
    chunk = data * ((1 << 20) // len(data))
    started = time.process_time()
    assert not list(many.within(chunk for _ in range(16)))
    assert time.process_time() - started < 4


def test_a_text_too_short_to_mean_anything_is_not_looked_for() -> None:
    assert not list(Sought({"a": b"abc", "b": CANARY.encode()}).within([b"abc"]))
    assert not list(Sought({}).within([b"abc"]))


# What a command names.

NAMED = {
    "cat /root/.ssh/id": ["/root/.ssh/id"],
    "cat ../../trial-2/x": ["/eval/b/trial-2/x"],
    "cat ~/../../trial-2/x": ["/eval/b/trial-2/x"],
    'cat "$HOME/../../trial-2/x"': ["/eval/b/trial-2/x"],
    "cat /proc/self/root/root/x": ["/root/x"],
    "cat /proc/1/root/root/x": ["/root/x"],
    "cat /proc/self/cwd/../../../x": ["/eval/x"],
    "cat /proc/17/environ": ["/proc/17/environ"],
    "ls /eval/b/trial-2-with-symposium": ["/eval/b/trial-2-with-symposium"],
    "cat /usr/../root/x": ["/root/x"],
    "echo x >/var/tmp/y": ["/var/tmp/y"],
}
HONEST = [
    "cargo test 2>&1 | tail -5 > /dev/null",
    "sed -i 's/foo/bar/g; s|a/b|c|' src/lib.rs",
    "curl https://docs.rs/serde/latest",
    "cat > src/lib.rs <<'E'\n/// Doubles.\n//! crate\nE",
    "ls ~/ $HOME/.claude target/../src",
    "cat /proc/self/status /etc/hosts /tmp/x",
    f"ls {RUN}/project ./a/../b",
    "let x = a / b; // c",
    'cat "$SRC"/lib.rs ${SRC}/a $SRC/b',
]


@pytest.mark.parametrize("text", NAMED)
def test_I08_a_path_outside_is_seen_however_it_is_spelled(text: str) -> None:
    assert [path for path in TRIAL.named(text) if TRIAL.outside(path)] == NAMED[text]


@pytest.mark.parametrize("text", HONEST)
def test_I08_honest_commands_name_nothing_outside(text: str) -> None:
    assert [path for path in TRIAL.named(text) if TRIAL.outside(path)] == []


def command(text: str, *, failed: bool | None = False, tool: str = "Bash", line: int = 3) -> dict[str, Any]:
    return {"line": line, "tool": tool, "text": text, "failed": failed}


def kinds(*said: dict[str, Any]) -> list[str]:
    return [one["kind"] for one in commands.of_paths(said, TRIAL)]


@pytest.mark.parametrize(
    "text",
    [
        "cat > n <<E\nit's\nE\ncat /root/x",
        "cat /root/x",
        "cd src && cat < /root/x",
        "ls; head -3 /root/x",
        "A=1 timeout 5 cat /root/x;\n",
    ],
)
def test_I08_a_closed_file_that_was_shown_is_a_breach(text: str) -> None:
    assert kinds(command(text)) == ["breach"]
    assert kinds(command(text, failed=True)) == ["attempt"]
    assert kinds(command(text, failed=None)) == ["attempt"]


@pytest.mark.parametrize(
    "text",
    [
        "cat /root/x || true",
        "cat /root/x | wc -l",
        "cat /root/x; true",
        "cat /root/x & wait",
        "ls /root",
        "cat 'unfinished /root/x",
        "echo cat /root/x",
        "grep -r cat /root/x || cat y",
        "cat > /root/x <<E\ny\nE",
        "cat /proc/1/status",
        "cat /sys/class/net/lo/mtu",
    ],
)
def test_I08_a_success_that_may_be_another_commands_is_no_breach(text: str) -> None:
    assert "breach" not in kinds(command(text))


def test_I08_a_read_tool_shows_or_fails() -> None:
    assert kinds(command("/root/x", tool="Read")) == ["breach"]
    assert kinds(command("/root/x", tool="Read", failed=True)) == ["attempt"]


def test_I08_what_the_agent_made_there_itself_is_no_breach() -> None:
    """A closed folder is an empty one of the trial's own: what is written there can be read again."""
    made = command("mkdir -p /opt/notes && echo a > /opt/notes/b")
    assert kinds(made, command("/opt/notes/b", tool="Read")) == ["attempt", "attempt", "attempt"]


def test_I08_the_deny_list_closes_less() -> None:
    open_ = replace(TRIAL, closed=("/root",))
    said = [command("cat /var/log/x"), command("cat /root/x")]
    assert [one["kind"] for one in commands.of_paths(said, open_)] == ["attempt", "breach"]


def test_I08_what_is_closed_to_all_is_named_wherever_it_lies_and_the_trials_own_is_not() -> None:
    """A path that the batch was given below /tmp; and the eval root, in which the trial's own folder lies."""
    shut = replace(TRIAL, denied=("/tmp/given", "/eval"))
    said = [
        command(f"cat {path}") for path in ("/tmp/given/cargo-agents", "/eval/b/trial-2-x/a", "/tmp/mine")
    ]
    said += [
        command(f"cat {RUN}/project/a"),
        command("cat /eval/b/tools/common/a"),
        command("cat /usr/bin/x"),
    ]
    found = [(one["kind"], one["what"].split()[2].rstrip(",")) for one in commands.of_paths(said, shut)]
    assert found == [("breach", "/tmp/given/cargo-agents"), ("breach", "/eval/b/trial-2-x/a")]


def test_E05_a_write_to_the_evidence_is_named() -> None:
    said = [command('echo x >> "$EVAL_EVIDENCE_DIR/hooks.jsonl"')]
    assert ["judged by" in one["what"] for one in commands.of_paths(said, TRIAL)] == [True]


@pytest.mark.parametrize("name", clients.names())
def test_E05_each_clients_own_configuration_is_watched(name: str) -> None:
    of = {**left_behind.TRIAL, "client": name}
    where = places.of(of, {"toolchain": {"sysroot": "/rust", "mount": None}})
    for pattern in clients.load(name).CONFIGURATION:
        file = f"{of['paths']['run']}/{pattern.replace('*', '.local')}"
        said = [{**command(f"echo x > {file}"), "tool": where.shells[0]}]
        assert ["judged by" in one["what"] for one in commands.of_paths(said, where)] == [True], file
    elsewhere = [command(f"cat {of['paths']['run']}/project/settings.json")]
    assert not list(commands.of_paths(elsewhere, where))


@pytest.mark.parametrize("name", clients.names())
def test_I08_what_each_clients_own_shell_showed_is_a_breach(name: str) -> None:
    """By the tool that a rehearsal's `run` becomes, as the adapter's own transcripts name it."""
    client = clients.load(name)
    shells = {"claude": "Bash", "codex": "command_execution"}
    assert shells[name] in client.SHELLS
    where = replace(TRIAL, reading=tuple(client.READING), shells=tuple(client.SHELLS))
    said = [{**command("cat /opt/secret"), "tool": shells[name]}]
    assert [one["kind"] for one in commands.of_paths(said, where)] == ["breach"]


# Symposium in a baseline.


@pytest.mark.parametrize(
    "text",
    [
        "cargo-agents --version",
        "/opt/bin/cargo-agents sync",
        "cd x && cargo +nightly agents sync",
        "exec symposium",
        "which cargo-agents",
        "command -v symposium",
        "true | cargo agents",
    ],
)
def test_I08_symposium_that_answered_in_a_baseline_is_a_breach(text: str) -> None:
    assert [one["kind"] for one in commands.of_symposium([command(text)], RUN)] == ["breach"]
    assert [one["kind"] for one in commands.of_symposium([command(text, failed=True)], RUN)] == ["attempt"]


@pytest.mark.parametrize(
    "text",
    [
        "cargo-agents --version || true",
        "cargo agents | tail",
        "grep -r symposium .",
        "echo cargo-agents",
        "cargo agents; true",
        "cat <<E\ncargo-agents\nE",
    ],
)
def test_I08_its_name_alone_is_an_attempt(text: str) -> None:
    assert [one["kind"] for one in commands.of_symposium([command(text)], RUN)] == ["attempt"]


def test_I08_the_name_of_the_run_is_not_symposium() -> None:
    assert list(commands.of_symposium([command(f"cat {RUN}/project/src/lib.rs")], RUN)) == []


@given(st.text(max_size=200))
def test_no_command_breaks_the_audit(text: str) -> None:
    shell.succeeded(text)
    list(commands.of_paths([command(text)], TRIAL))
    list(commands.of_symposium([command(text)], RUN))


def test_a_command_with_a_hundred_thousand_brackets_is_read_in_time() -> None:
    started = time.process_time()
    for text in (
        "(" * 65_000,
        "/" * 65_000,
        "../" * 20_000,
        "<<E\n" * 16_000,
        "~" * 65_000,
        "a && " * 13_000,
    ):
        shell.succeeded(text)
        list(commands.of_paths([command(text)], TRIAL))
    assert time.process_time() - started < 8


# The whole step.


class Audited:
    """Two trials of a batch as their steps left them; the first one is audited."""

    def __init__(self, root: Path) -> None:
        self.trial = left_behind.Trial(root, until="audit")
        self.folder = self.trial.folder
        self.plan = documents.read(self.folder / "trial.json", "trial/1")
        self.trial.change("task.json", canaries=[CANARY])
        other = {**self.plan, "trial_name": "trial-2-with-symposium"}
        self.other = canaries.of(other)
        documents.write(self.folder.parent / "trial-2-with-symposium/trial.json", "trial/1", other)

    def found(self) -> list[dict[str, Any]]:
        assert audit.STEP.execute(audit.run, Folder(self.folder, audit.STEP), redo=True) is Exit.OK
        document = documents.read(self.folder / "audit.json", "audit/1")
        assert document["canaries_searched"] == 2
        return document["findings"]  # type: ignore[no-any-return]  # a list, by its schema


@pytest.fixture
def audited(tmp_path: Path) -> Audited:
    return Audited(tmp_path)


PLACES = [
    *("transcript.jsonl", "exchanges.jsonl", "stderr.log", "response.txt", "symposium.log"),
    *("submission/src/lib.rs", "submission/deep/er/x.bin", "evidence/hooks.jsonl", "hook-trace.jsonl"),
]


@pytest.mark.parametrize("place", PLACES)
def test_I09_a_canary_is_found_wherever_the_agent_can_put_it(audited: Audited, place: str) -> None:
    assert [one for one in audited.found() if one["kind"] == "breach"] == []
    file = audited.folder / place
    file.parent.mkdir(parents=True, exist_ok=True)
    exchange = {"kind": "turn", "tool_calls": [{"id": str(n), "name": "Bash"} for n in range(9)], "n": 1}
    with file.open("ab") as opened:
        opened.write(
            json.dumps({**exchange, "x": f"{CANARY} {base64.b64encode(audited.other.encode())!r}"}).encode()
        )
    breaches = [one for one in audited.found() if one["kind"] == "breach"]
    said = " ".join(one["what"] for one in breaches)
    assert "hidden test 1" in said
    assert "trial-2-with-symposium" in said
    assert len(breaches) == 2
    assert all(one["where"].startswith(place) for one in breaches)
    assert CANARY not in json.dumps(breaches), "a finding must not carry what it found"


def test_I09_a_canary_in_a_files_name_is_found(audited: Audited) -> None:
    (audited.folder / f"submission/{CANARY}").mkdir(parents=True)
    assert [one["kind"] for one in audited.found()] == ["breach"]


def test_I09_its_own_canary_is_no_breach(audited: Audited) -> None:
    (audited.folder / "response.txt").write_text(canaries.of(audited.plan))
    assert audited.found() == []


def test_I08_what_the_gateway_refused_is_recorded(audited: Audited) -> None:
    refused = {
        "kind": "refused",
        "method": "CONNECT",
        "target": "elsewhere.test:443",
        "n": 4,
        "tool_calls": [],
    }
    (audited.folder / "exchanges.jsonl").write_text(json.dumps(refused) + "\n")
    audited.trial.change("observation.json", tool_calls=0)
    found = audited.found()
    assert [one["kind"] for one in found] == ["attempt"]
    assert "CONNECT elsewhere.test:443" in found[0]["what"]


def test_E05_a_tool_call_that_no_model_asked_for_is_named(audited: Audited) -> None:
    asked = {"kind": "turn", "n": 1, "tool_calls": [{"id": "a", "name": "Bash"}]}
    (audited.folder / "exchanges.jsonl").write_text(json.dumps(asked) + "\n")
    audited.trial.change("observation.json", tool_calls=1)
    assert audited.found() == []
    audited.trial.change("observation.json", tool_calls=2)
    assert "forged" in audited.found()[0]["what"]


def test_E05_changed_configuration_is_named(audited: Audited) -> None:
    before = {"home/.claude/settings.json": "0" * 64, "gone": "0" * 64}
    audited.trial.change("setup.json", snapshot=before)
    audited.trial.change("collected.json", snapshot={"home/.claude/settings.json": "1" * 64, "new": "0" * 64})
    audited.found()
    said = documents.read(audited.folder / "audit.json", "audit/1")["config_changes"]
    assert said == ["gone: removed", "home/.claude/settings.json: changed", "new: added"]


def test_I08_findings_are_bounded_and_breaches_come_first(audited: Audited) -> None:
    many = [command(f"cat /x/{n}", failed=True, line=n + 1) for n in range(3 * TOLD)]
    audited.trial.change("observation.json", commands=[*many, command("cat /y", line=9999)])
    found = audited.found()
    assert found[0]["kind"] == "breach"
    assert len(found) == TOLD + 2
    assert found[-1]["what"] == f"and {2 * TOLD} more"


def test_I09_a_planted_canary_shows_in_a_listing_and_in_the_file(tmp_path: Path, audited: Audited) -> None:
    canary = canaries.of(audited.plan)
    canaries.plant(tmp_path, canary)
    (file,) = tmp_path.glob("canary-*")
    assert canary in file.name
    assert canary in file.read_text()
    for name in ("control", "grading_control"):
        paths = {**audited.plan["paths"], name: "/run/agent-eval/00000001"}
        assert canaries.of({**audited.plan, "paths": paths}) != canary, "what an agent can see is not enough"


# The key.


@pytest.fixture
def asked(audited: Audited, monkeypatch: pytest.MonkeyPatch) -> Audited:
    """A trial that a real model answered, with the key still in the runner's environment."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    audited.trial.change("trial.json", rehearsal=None, model={"name": "a-model", "settings": {}})
    return audited


def finalized(trial: Audited) -> dict[str, Any]:
    assert finalize.STEP.execute(finalize.run, Folder(trial.folder, finalize.STEP), redo=True) is Exit.OK
    return documents.read(trial.folder / "result.json", "result/1")


@every_form
def test_L04_a_key_is_taken_out_of_every_kept_file_and_said(
    asked: Audited, form: Callable[[bytes], bytes]
) -> None:
    leaks = ["transcript.jsonl", "submission/src/a.bin", "grading/build.txt", "stderr.log"]
    for name in leaks:
        (asked.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (asked.folder / name).write_bytes(b"\xff\x00 " + form(KEY.encode()) + b" rest\n")
    asked.trial.change("execution.json", argv=["claude", KEY])
    (asked.folder / f"submission/{KEY}").write_text("x")
    result = finalized(asked)
    said = [finding for finding in result["findings"] if "key was in" in finding]
    assert len(said) == len(leaks) + 2, said
    key = Sought({"key": KEY.encode()})
    for file in asked.folder.rglob("*"):
        assert not list(key.within([os.fsencode(file.name)])), file
        assert file.is_dir() or not list(key.within([file.read_bytes()])), file
    assert (asked.folder / leaks[0]).read_bytes().startswith(b"\xff\x00 ")
    assert (asked.folder / leaks[0]).read_bytes().endswith(b" rest\n")
    assert json.loads((asked.folder / "execution.json").read_text())["argv"] == ["claude", "<key>"]


@pytest.fixture
def kept(asked: Audited, tmp_path: Path) -> Path:
    """The run folder of that trial, which --keep-run leaves."""
    run = tmp_path / "the-run"
    (run / "home/.claude").mkdir(parents=True)
    paths = {**asked.plan["paths"], "run": str(run)}
    asked.trial.change("trial.json", keep_run=True, paths=paths)
    return run


@every_form
def test_L04_a_run_folder_that_is_kept_is_searched_too(
    asked: Audited, kept: Path, form: Callable[[bytes], bytes]
) -> None:
    leaks = ["home/.claude.json", "home/.claude/history.jsonl", "tmp/dump", "cargo-home/x"]
    for name in leaks:
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        (kept / name).write_bytes(b"before " + form(KEY.encode()) + b" after")
    (kept / f"tmp/{KEY}").mkdir()
    result = finalized(asked)
    said = [finding for finding in result["findings"] if "key was in run/" in finding]
    assert len(said) == len(leaks) + 1, said
    key = Sought({"key": KEY.encode()})
    for file in kept.rglob("*"):
        assert not list(key.within([os.fsencode(file.name)])), file
        assert file.is_dir() or not list(key.within([file.read_bytes()])), file
    left = (kept / leaks[0]).read_bytes()
    assert left.startswith(b"before ")
    assert b"<key>" in left
    assert left.endswith(b" after")


def test_L04_a_kept_run_that_cannot_be_searched_is_removed_and_that_is_said(
    asked: Audited, kept: Path
) -> None:
    """Folders so deep that no path leads to them: an agent can make them, and hide a key there."""
    inside = os.open(kept / "home", os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("deep", dir_fd=inside)
        inside, outer = os.open("deep", os.O_RDONLY, dir_fd=inside), inside
        os.close(outer)
    os.close(inside)
    try:
        result = finalized(asked)
        assert not kept.exists()
    finally:
        trees.remove(kept)  # pytest cannot
    assert [f for f in result["findings"] if "run/ (not known: it cannot be searched" in f]


def test_L04_what_an_agent_with_our_uid_has_closed_is_opened_for_the_search(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_text(KEY)
    outside = tmp_path.parent / "outside"
    outside.write_text("x")
    outside.chmod(0o400)
    (tmp_path / "a/link").symlink_to(outside)
    for name in ("a/b/file", "a/b", "a"):
        (tmp_path / name).chmod(0)
    keys.open_up(tmp_path)
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b", "a/b/file")]
    assert modes == [0o700, 0o700, 0o600]
    assert outside.stat().st_mode & 0o777 == 0o400, "never through a link"


def test_L04_a_folder_that_cannot_be_read_is_no_folder_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    real = os.scandir

    def scandir(path: object) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "closed", str(path))
        return real(path)  # type: ignore[call-overload]  # as os.walk calls it

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(PermissionError):
        list(keys.take_out(tmp_path, Sought({"key": KEY.encode()})))


def test_L04_a_redo_without_the_key_still_says_so(asked: Audited, monkeypatch: pytest.MonkeyPatch) -> None:
    (asked.folder / "response.txt").write_text(KEY)
    first = finalized(asked)
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert finalized(asked) == first
    assert any("response.txt (plain)" in said for said in first["findings"])


def test_L04_a_trial_without_the_key_is_left_as_it_is(asked: Audited) -> None:
    files = {file: file.read_bytes() for file in asked.folder.rglob("*.json") if file.name != "result.json"}
    assert not [said for said in finalized(asked)["findings"] if "key" in said]
    assert not (asked.folder / "redactions.json").exists()
    assert all(file.read_bytes() == data for file, data in files.items() if "receipts" not in file.parts)


def test_L04_a_rehearsal_needs_no_look(audited: Audited, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (audited.folder / "response.txt").write_text(KEY)
    finalized(audited)
    assert (audited.folder / "response.txt").read_text() == KEY


@pytest.mark.parametrize("short", ["e", "everyletter"])
def test_L04_a_key_too_short_to_be_one_changes_no_file(
    asked: Audited, monkeypatch: pytest.MonkeyPatch, short: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", short)
    (asked.folder / "response.txt").write_text("every letter")
    finalized(asked)
    assert (asked.folder / "response.txt").read_text() == "every letter"


def test_L04_links_are_not_followed(asked: Audited, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(KEY)
    (asked.folder / "link").symlink_to(tmp_path / "mine")
    finalized(asked)
    assert (tmp_path / "mine").read_text() == KEY
    assert (asked.folder / "link").is_symlink()


def test_L04_names_of_folders_are_cleaned_with_all_that_is_in_them(asked: Audited) -> None:
    inner = asked.folder / f"submission/{KEY}/a/{KEY}"
    inner.mkdir(parents=True)
    (inner / "b").write_text(KEY)
    finalized(asked)
    assert (asked.folder / "submission/<key>/a/<key>/b").read_text() == "<key>"
