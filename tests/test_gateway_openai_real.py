"""The real Codex in the real srt, answered by the gateway: what it does, what the record holds.

Also the answers of docs/findings/codex.md: skills that a hook installs, a resumed session, the Stop hook.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from clients import Places, ToolCall, codex
from gateway import BASE_URL, HOST, rehearsal, wires
from gateway.server import Gateway
from gateway.upstream import Upstream
from gateway.wires import Scripted
from gateway_asking import api, script
from kit import documents
from kit.tools import Tools

pytestmark = pytest.mark.real
WIRE = wires.load("openai")
NAME = "team-style"
SKILL = f"---\nname: {NAME}\ndescription: How this team writes\n---\n\nWrite plainly.\n"
BUILT_IN = {"imagegen", "openai-docs", "skill-creator", "skill-installer"}


@dataclass(frozen=True)
class Session:
    status: int
    events: list[Any]
    seen: dict[str, Any]
    lines: list[Any]
    counts: dict[str, int]
    stderr: str

    @property
    def kinds(self) -> list[str]:
        return [line["kind"] for line in self.lines]

    @property
    def offered(self) -> list[bool]:
        """For each request of the loop: was the skill listed?"""
        return [NAME in line["offered_skills"] for line in self.lines if line["kind"] == "turn"]


@dataclass(frozen=True)
class Sandbox:
    """The smallest sandbox in which a client runs: one writable folder, the gateway its only network."""

    root: Path
    tools: Tools

    @property
    def places(self) -> Places:
        project = self.root / "run/project"
        return Places(project, self.root / "run/home", project / codex.SKILLS)

    def policy(self) -> dict[str, Any]:
        network = {"allowedDomains": [f"{HOST}:80"], "deniedDomains": [], "strictAllowlist": True}
        route = {"mitmProxy": {"socketPath": str(self.root / "gw.sock"), "domains": [HOST]}}
        files = {"denyRead": [], "allowRead": [], "allowWrite": [str(self.root / "run")], "denyWrite": []}
        return {"filesystem": files, "network": {**network, **route}}

    def session(
        self,
        source: str | Upstream,
        *more: str,
        model: str = codex.REHEARSAL_MODEL,
        resume: str | None = None,
        secs: float = 90,
    ) -> Session:
        """`source`: a rehearsal's turns, or a model; `more`: settings beside the adapter's own."""
        folder, inside = codex.staged(self.tools.modules)
        start = codex.command(folder / inside, "Write the file.", model, BASE_URL, "dummy")
        argv = [*start.argv[:-2], *(part for one in more for part in ("-c", one))]
        argv += ["resume", resume, "Go on."] if resume else start.argv[-2:]
        (self.root / "srt.json").write_text(json.dumps(self.policy()))
        node, srt = str(self.tools.node), f"{self.tools.srt}/dist/cli.js"
        command = f"cd {shlex.quote(str(self.places.project))} && exec {shlex.join(argv)}"
        env = {"PATH": "/usr/bin:/bin", "HOME": f"{self.root}/run/home", "LANG": "C.UTF-8"}
        env |= {"TMPDIR": f"{self.root}/tmp", "CLAUDE_CODE_TMPDIR": f"{self.root}/run/tmp", **start.variables}
        record = self.root / "exchanges.jsonl"
        record.unlink(missing_ok=True)
        answers = source if isinstance(source, Upstream) else self.rehearsed(source)
        with (
            Gateway(self.root / "gw.sock", record, WIRE, answers) as gateway,
            (self.root / "out").open("wb") as out,
            (self.root / "err").open("wb") as err,
        ):
            process = subprocess.Popen(
                [node, srt, "--settings", f"{self.root}/srt.json", "-c", command],
                cwd=self.root / "neutral",
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                process.wait(secs)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 15)
                process.wait(20)
        assert gateway.crashes == []
        lines = [json.loads(line) for line in record.read_text().splitlines()]
        for line in lines:
            documents.check(line, "exchange/1", record)
        said = (self.root / "out").read_bytes().splitlines(keepends=True)
        seen = codex.observe(said, [NAME], self.places)
        stderr = (self.root / "err").read_text()
        assert said, stderr
        return Session(process.returncode, [*map(json.loads, said)], seen, lines, gateway.counts(), stderr)

    def rehearsed(self, turns: str) -> rehearsal.Rehearsed:
        def tool(turn: Any) -> ToolCall:
            return codex.tool(turn, self.places)

        return rehearsal.Rehearsed(script(self.root, turns), tool, codex.REHEARSAL_MODEL)

    def hooks(self, **commands: str) -> None:
        """User hooks, as an add-on registers them."""
        home = self.places.home / ".codex"
        home.mkdir(exist_ok=True)
        hooks = {event: [{"hooks": [{"type": "command", "command": c}]}] for event, c in commands.items()}
        (home / "hooks.json").write_text(json.dumps({"hooks": hooks}))

    def script(self, name: str, text: str) -> str:
        """A program of one event's hook; it drains its input."""
        file = self.places.home / f"{name}.sh"
        file.write_text(f"cat > {self.root}/run/{name}.json\n{text}\n")
        return f"sh {file}"

    def installer(self, answer: str = "{}") -> str:
        where = self.places.skills / NAME
        install = f"mkdir -p {where} && printf %s {shlex.quote(SKILL)} > {where}/SKILL.md"
        return self.script("start", f"{install}\nprintf %s {shlex.quote(answer)}")


@pytest.fixture
def sandbox(tools: Tools) -> Iterator[Sandbox]:
    with tempfile.TemporaryDirectory(prefix="gw-", ignore_cleanup_errors=True) as folder:
        root = Path(folder).resolve()
        for name in ("run/project", "run/home", "run/tmp", "tmp", "neutral"):
            (root / name).mkdir(parents=True)
        yield Sandbox(root, tools)


WORK = f"""
- usage: {{input_tokens: 100, output_tokens: 10, cache_read_tokens: 3, cache_write_tokens: 2}}
- skill: {NAME}
- write: {{path: made.txt, text: "one\\n"}}
- run: echo two >> made.txt && sleep 0.2
- run: exit 3
- say: All done."""


@pytest.mark.parametrize("model", ["gpt-5.5", "gpt-6-sol"])
def test_M01_M02_M04_a_rehearsed_session_works_and_every_exchange_is_recorded(
    sandbox: Sandbox, model: str
) -> None:
    """With a model of function tools and with one of code mode."""
    folder = sandbox.places.skills / NAME
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    session = sandbox.session(WORK, model=model)
    assert (sandbox.places.project / "made.txt").read_text() == "one\ntwo\n"
    assert (session.status, session.seen["completion"], session.seen["response"]) == (
        0,
        "completed",
        "All done.",
    )
    assert session.counts == {"turns": 5, "refused": 0, "upstream_errors": 0}, "no answer is lost on its way"
    assert [line["turn"] for line in session.lines] == [2, 3, 4, 5, 6]
    assert {line["session"] for line in session.lines} == {session.seen["session"]}
    assert session.offered == [True] * 5
    assert set(session.lines[0]["offered_skills"]) == {NAME, *BUILT_IN}
    assert [c["failed"] for c in session.seen["commands"]] == [False, False, False, True]
    assert session.seen["loads"][NAME]["load"] == "loaded"
    assert "Write plainly." in json.dumps(session.lines[1]["request"]["input"][-1]), "delivered"
    assert list(session.seen["usage"].values()) == [500, 50, 15, 10]
    sums = [sum(line["usage"][name] for line in session.lines) for name in session.seen["usage"]]
    assert sums == [500, 50, 15, 10]
    assert session.seen["unknown_events"] == {}


@pytest.mark.parametrize(
    ("turn", "statuses", "requests"),
    [
        ("error: {status: 403}", {403}, 3),
        ("error: {status: 429}", {429}, 1),
        ("error: {status: 500}", {500}, 6),
        ("refuse", {200}, 3),
        ("limit", {200}, 1),
    ],
)
def test_M02_L03_the_client_meets_the_end_that_is_rehearsed(
    sandbox: Sandbox, turn: str, statuses: set[int], requests: int
) -> None:
    session = sandbox.session(f"- {turn}")
    assert (session.status, session.seen["completion"]) == (1, "client_error")
    assert session.seen["problem"]
    assert {line["status"] for line in session.lines} == statuses
    assert (session.counts["turns"], len(session.lines)) == (requests, requests)
    assert session.counts["upstream_errors"] == (0 if statuses == {200} else requests)


def test_M02_a_stall_lasts_until_the_client_is_killed(sandbox: Sandbox) -> None:
    session = sandbox.session("- run: ls\n- stall", secs=4)
    assert session.seen["completion"] is None
    assert session.events[-1]["type"] != "turn.completed"
    assert [line["turn"] for line in session.lines] == [1, 2]


def test_M02_an_error_that_passes_is_recovered_from(sandbox: Sandbox) -> None:
    session = sandbox.session("- error: {status: 500, times: 1}\n- say: Here again.")
    assert (session.status, session.seen["completion"], session.seen["response"]) == (
        0,
        "completed",
        "Here again.",
    )
    assert session.counts == {"turns": 2, "refused": 0, "upstream_errors": 1}


def test_M01_without_the_adapters_setting_the_gateway_refuses_its_web_search(sandbox: Sandbox) -> None:
    session = sandbox.session("- say: Done.", 'web_search="live"')
    assert (session.status, set(session.kinds)) == (1, {"refused"})
    assert "web_search" in session.lines[0]["problem"]


def test_M01_a_shortened_history_is_no_turn(sandbox: Sandbox) -> None:
    turns = "- usage: {input_tokens: 90000, output_tokens: 5}\n- run: ls\n- run: pwd\n- say: Done."
    session = sandbox.session(turns, "model_auto_compact_token_limit=50000")
    assert "compaction" in session.kinds
    assert "compactions" not in session.seen, "D08: its stream shows none, so the gateway's record counts"
    assert session.kinds.count("turn") == session.counts["turns"] == 3
    assert session.seen["response"] == "Done."


def test_M01_L04_a_real_session_with_an_api_that_only_knows_the_real_key(sandbox: Sandbox) -> None:
    """The API is a stand-in: it answers with a tool call that looks for the key, then ends the session."""
    key = "sk-real-0123456789"
    asked = []

    async def answer(request: web.Request) -> web.StreamResponse:
        document = await request.json()
        asked.append((request.path, request.headers["authorization"]))
        calls = (
            [ToolCall("exec_command", {"cmd": "cat /proc/self/environ > seen"})] if len(asked) == 1 else []
        )
        said = Scripted("" if calls else "Done.", rehearsal.USAGE, calls)
        coded = WIRE.encode(said, len(asked), document)
        return web.Response(body=b"".join(coded.chunks), headers=coded.headers)

    with api(answer) as url:
        session = sandbox.session(Upstream(url, key))
    assert session.seen["response"] == "Done."
    assert asked == [("/v1/responses", f"Bearer {key}")] * 2
    assert [line["usage"] for line in session.lines] == [rehearsal.USAGE] * 2
    seen = (sandbox.places.project / "seen").read_bytes()
    assert f"{codex.KEY}=dummy".encode() in seen
    assert key.encode() not in seen


# docs/findings/codex.md


@pytest.mark.parametrize(
    "answer", ["{}", '{"hookSpecificOutput": {"hookEventName": "SessionStart", "reloadSkills": true}}']
)
def test_M04_a_skill_that_a_hook_installs_is_listed_after_a_resume_and_not_before(
    sandbox: Sandbox, answer: str
) -> None:
    sandbox.hooks(SessionStart=sandbox.installer(answer))
    first = sandbox.session(f"- run: ls\n- read: '{{skills}}/{NAME}/SKILL.md'\n- say: Done.")
    assert first.offered == [False] * 3
    assert first.seen["loads"][NAME]["load"] == "loaded", "it can be read where it lies"
    second = sandbox.session("- say: Done.", resume=first.seen["session"])
    assert second.offered == [True]
    assert second.seen["session"] == first.seen["session"]
    assert second.seen["completion"] == "completed"


def test_M04_what_a_hook_adds_as_context_is_in_the_first_request(sandbox: Sandbox) -> None:
    words = "A skill for this lies in .agents/skills"
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": words}}
    sandbox.hooks(SessionStart=sandbox.installer(json.dumps(answer)))
    session = sandbox.session("- say: Done.")
    assert words in json.dumps(session.lines[0]["request"]["input"])
    assert session.offered == [False]


def test_every_hook_that_symposium_uses_fires_stop_too_and_leaves_no_event(sandbox: Sandbox) -> None:
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
    sandbox.hooks(**{event: sandbox.script(event, "printf '{}'") for event in events})
    session = sandbox.session("- run: ls\n- say: Done.")
    told = [json.loads((sandbox.root / f"run/{event}.json").read_text()) for event in events]
    assert [message["hook_event_name"] for message in told] == list(events)
    assert told[-1]["last_assistant_message"] == "Done."
    assert (session.seen["hooks"], session.seen["unknown_events"]) == ([], {})
