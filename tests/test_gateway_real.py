"""The real Claude Code in the real srt, answered by the gateway: what it does, what the record holds."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from clients import ToolCall
from clients.reading.claude_stream import Stream
from gateway import BASE_URL, HOST, rehearsal
from gateway.server import Gateway
from gateway.upstream import Upstream
from gateway.wires import Scripted
from gateway_asking import WIRE, api, script
from kit import documents
from kit.tools import Tools

pytestmark = pytest.mark.real
SKILL = "---\nname: team-style\ndescription: How this team writes\n---\n\nWrite plainly.\n"

ASK = """\
import sys, urllib.error, urllib.request
for method, url in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        print(urllib.request.urlopen(urllib.request.Request(url, method=method)).status)
    except urllib.error.HTTPError as error:
        print(error.code)
"""


@dataclass(frozen=True)
class Session:
    status: int
    events: list[Any]
    lines: list[Any]
    counts: dict[str, int]
    secs: float

    @property
    def result(self) -> Any:
        return self.events[-1]


@dataclass(frozen=True)
class Sandbox:
    """The smallest sandbox in which a client runs: one writable folder, the gateway its only network."""

    root: Path
    tools: Tools

    @property
    def project(self) -> Path:
        return self.root / "run/project"

    def policy(self) -> dict[str, Any]:
        network = {"allowedDomains": [f"{HOST}:80"], "deniedDomains": [], "strictAllowlist": True}
        route = {"mitmProxy": {"socketPath": str(self.root / "gw.sock"), "domains": [HOST]}}
        files = {"denyRead": [], "allowRead": [], "allowWrite": [str(self.root / "run")], "denyWrite": []}
        return {"filesystem": files, "network": {**network, **route}}

    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.defpath,
            "HOME": f"{self.root}/run/home",
            "LANG": "C.UTF-8",
            "TMPDIR": f"{self.root}/tmp",
            "CLAUDE_CODE_TMPDIR": f"{self.root}/run/tmp",
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_BASE_URL": BASE_URL,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "IS_SANDBOX": "1",  # the runner may be root
        }

    def session(self, source: rehearsal.Rehearsed | Upstream, **more: str) -> Session:
        program = next(self.tools.modules.glob("@anthropic-ai/claude-code-*/claude"))
        client = [
            str(program),
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--model",
            "claude-sonnet-4-5",
        ]
        client += ["--permission-mode", "bypassPermissions", "--", "Write the file."]
        (self.root / "srt.json").write_text(json.dumps(self.policy()))
        argv = [
            str(self.tools.node),
            f"{self.tools.srt}/dist/cli.js",
            "--settings",
            f"{self.root}/srt.json",
            "-c",
        ]
        record = self.root / "exchanges.jsonl"
        record.unlink(missing_ok=True)
        start = time.monotonic()
        with Gateway(self.root / "gw.sock", record, WIRE, source) as gateway:
            done = subprocess.run(
                [*argv, f"cd {shlex.quote(str(self.project))} && exec {shlex.join(client)}"],
                cwd=self.root / "neutral",
                env={**self.environment(), **more},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=120,
                check=False,
            )
        assert gateway.crashes == []
        lines = [json.loads(line) for line in record.read_text().splitlines()]
        for line in lines:
            documents.check(line, "exchange/1", record)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        assert events, done.stderr.decode()
        return Session(done.returncode, events, lines, gateway.counts(), time.monotonic() - start)


@pytest.fixture
def sandbox(tools: Tools) -> Iterator[Sandbox]:
    with tempfile.TemporaryDirectory(prefix="gw-", ignore_cleanup_errors=True) as folder:
        root = Path(folder).resolve()
        for name in ("run/project", "run/home", "run/tmp", "tmp", "neutral"):
            (root / name).mkdir(parents=True)
        yield Sandbox(root, tools)


def tool(turn: Mapping[str, Any]) -> ToolCall:
    """Just enough of an adapter."""
    match dict(turn):
        case {"skill": name}:
            return ToolCall("Skill", {"skill": name})
        case {"read": path}:
            return ToolCall("Read", {"file_path": path})
        case {"write": {"path": path, "text": text}}:
            return ToolCall("Write", {"file_path": path, "content": text})
        case {"run": command}:
            return ToolCall("Bash", {"command": command, "description": "a command"})
    raise ValueError(turn)


def rehearsed(sandbox: Sandbox, turns: str) -> rehearsal.Rehearsed:
    return rehearsal.Rehearsed(script(sandbox.root, turns), tool, "claude-sonnet-4-5")


def results(exchange: Any) -> list[Any]:
    """The tool results that a request hands back."""
    content = [
        block for m in exchange["request"]["messages"] if m["role"] == "user" for block in m["content"]
    ]
    return [block for block in content if block["type"] == "tool_result"]


def test_M01_M02_M04_a_rehearsed_session_works_and_every_exchange_is_recorded(sandbox: Sandbox) -> None:
    (sandbox.project / ".claude/skills/team-style").mkdir(parents=True)
    (sandbox.project / ".claude/skills/team-style/SKILL.md").write_text(SKILL)
    turns = f"""
- usage: {{input_tokens: 100, output_tokens: 10, cache_read_tokens: 3, cache_write_tokens: 2}}
- skill: team-style
- write: {{path: {sandbox.project}/made.txt, text: "one\\n"}}
- run: echo two >> made.txt
- say: All done."""
    session = sandbox.session(rehearsed(sandbox, turns))
    assert (sandbox.project / "made.txt").read_text() == "one\ntwo\n"
    assert (session.status, session.result["is_error"], session.result["result"]) == (0, False, "All done.")
    assert session.counts == {"turns": 4, "refused": 0, "upstream_errors": 0}
    assert [(line["n"], line["kind"], line["turn"], line["status"]) for line in session.lines] == [
        (1, "turn", 2, 200),
        (2, "turn", 3, 200),
        (3, "turn", 4, 200),
        (4, "turn", 5, 200),
    ]
    assert {line["session"] for line in session.lines} == {session.result["session_id"]}
    assert [call["name"] for line in session.lines for call in line["tool_calls"]] == [
        "Skill",
        "Write",
        "Bash",
    ]
    assert [block["tool_use_id"] for block in results(session.lines[-1])] == [
        *("toolu_rehearsal_1_1", "toolu_rehearsal_2_1", "toolu_rehearsal_3_1")
    ]
    assert not any(block.get("is_error") for block in results(session.lines[-1]))
    offered = session.lines[0]["offered_skills"]
    assert "team-style" in offered
    assert len(offered) > 3, "the client's own skills are listed with it"
    init = next(event for event in session.events if event.get("subtype") == "init")
    assert "team-style" in init["skills"]
    assert "Write plainly." in json.dumps(session.lines[1]["request"])
    usage = session.result["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (400, 40)
    assert (
        sum(line["usage"]["cache_read_tokens"] for line in session.lines)
        == usage["cache_read_input_tokens"]
        == 12
    )
    said = {event["request_id"] for event in session.events if event["type"] == "assistant"}
    assert said == {f"req_rehearsal_{n}" for n in (1, 2, 3, 4)}


@pytest.mark.parametrize(
    ("turn", "statuses", "error", "api_status"),
    [
        ("error: {status: 500}", {500}, "server_error", 500),
        ("error: {status: 401}", {401}, "authentication_failed", 401),
        ("refuse", {200}, "invalid_request", None),
        ("limit", {200}, "max_output_tokens", None),
    ],
)
def test_M02_the_client_meets_the_end_that_is_rehearsed(
    sandbox: Sandbox, turn: str, statuses: set[int], error: str, api_status: int | None
) -> None:
    session = sandbox.session(rehearsed(sandbox, f"- {turn}"))
    assert (session.status, session.result["is_error"]) == (1, True)
    assert session.result["api_error_status"] == api_status
    assert [e["error"] for e in session.events if e["type"] == "assistant" and "error" in e] == [error]
    assert {line["status"] for line in session.lines} == statuses
    assert {line["turn"] for line in session.lines} == {1}
    assert session.counts["turns"] == len(session.lines) > 1
    assert session.counts["upstream_errors"] == (len(session.lines) if api_status else 0)


def test_M02_an_error_that_passes_is_recovered_from(sandbox: Sandbox) -> None:
    session = sandbox.session(rehearsed(sandbox, "- error: {status: 529, times: 1}\n- say: Here again."))
    assert (session.status, session.result["result"]) == (0, "Here again.")
    assert [line["turn"] for line in session.lines] == [1, 2]
    assert session.counts == {"turns": 2, "refused": 0, "upstream_errors": 1}


def test_M01_the_sandbox_reaches_no_other_host_and_no_other_endpoint(sandbox: Sandbox) -> None:
    (sandbox.project / "ask.py").write_text(ASK)
    run = f"{sys.executable} ask.py GET http://example.com/ GET {BASE_URL}/v1/files PUT {BASE_URL}/ > out"
    session = sandbox.session(rehearsed(sandbox, f"- run: {json.dumps(run)}\n- say: Done."))
    assert (sandbox.project / "out").read_text().split() == ["403", "404", "405"]
    assert [line["kind"] for line in session.lines] == ["turn", "other", "refused", "turn"]
    assert session.counts == {"turns": 2, "refused": 1, "upstream_errors": 0}


def test_M01_a_shortened_history_is_no_turn(sandbox: Sandbox) -> None:
    turns = "- usage: {input_tokens: 30000, output_tokens: 5}\n" + "- run: ls\n" * 2 + "- say: Done."
    force = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "5"}
    session = sandbox.session(rehearsed(sandbox, turns), **force)
    kinds = [line["kind"] for line in session.lines]
    assert "compaction" in kinds
    said = Stream().read(json.dumps(event).encode() for event in session.events)
    assert said.compactions == 1 <= kinds.count("compaction"), "D08: it may ask twice for one"
    assert [line["turn"] for line in session.lines if line["kind"] == "turn"] == [2, 3, 4]
    assert session.result["result"] == "Done."


def test_M01_L04_a_real_session_with_an_api_that_only_knows_the_real_key(sandbox: Sandbox) -> None:
    """The API is a stand-in: it answers with a tool call that looks for the key, then ends the session."""
    key = "sk-ant-real-0123456789"
    asked = []

    async def answer(request: web.Request) -> web.StreamResponse:
        document = await request.json()
        asked.append(request.headers["x-api-key"])
        calls = [ToolCall("Bash", {"command": "cat /proc/self/environ > seen"})] if len(asked) == 1 else []
        said = Scripted("" if calls else "Done.", rehearsal.USAGE, calls)
        coded = WIRE.encode(said, len(asked), document)
        return web.Response(body=b"".join(coded.chunks), headers=coded.headers)

    with api(answer) as url:
        session = sandbox.session(Upstream(url, key))
    assert session.result["result"] == "Done."
    assert asked == [key, key]
    assert session.counts == {"turns": 2, "refused": 0, "upstream_errors": 0}
    assert [line["usage"] for line in session.lines] == [rehearsal.USAGE] * 2
    seen = (sandbox.project / "seen").read_bytes()
    assert b"ANTHROPIC_API_KEY=dummy" in seen
    assert key.encode() not in seen
