"""L04 from end to end: the real client asks a model's API with a key that only the gateway holds."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest

import audit
import clients.claude
import collect
import finalize
import launch
import left_behind
import observe
import prepare
import stage
from batch_running import Place, content, document
from kit import documents
from kit.contract import Exit, Folder
from kit.traces import Sought
from standin_tools import machine

ROOT = Path(__file__).parents[1]
KEY = "sk-ant-api03-Kx7_notakey-butlookedfor-9Pw3Lm5Rt1Vb"
LEAK = base64.b64encode(KEY.encode()).decode()
LOOK = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; ls -a ~ $TMPDIR"


class Api(BaseHTTPRequestHandler):
    """A model's API that asks for one command, and then says the key that it was given, in base64."""

    keys: set[str | None] = set()  # noqa: RUF012  # the class is made anew for each test
    asked: list[Any] = []  # noqa: RUF012

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.keys.add(self.headers["x-api-key"])
        first = not self.asked
        self.asked += [request] if request.get("tools") else []
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": f"The key is {LEAK} and also {KEY}."}
        if first and request.get("tools"):
            block = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps({"command": LOOK})}
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": f"msg_{len(self.asked)}", "type": "message", "role": "assistant", "content": []}
        stop = {"stop_reason": "tool_use" if "id" in block else "end_turn", "stop_sequence": None}
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**message, "model": request["model"], "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": usage},
            {"type": "message_stop"},
        ]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


def holding(batch: Path) -> set[str]:
    """Files of the batch that hold the key, in their content or name, by their path from it."""
    key = Sought({"key": KEY.encode()})
    names = {f for f in batch.rglob("*") if list(key.within([os.fsencode(f.name)]))}
    files = {f for f in batch.rglob("*") if f.is_file() and list(key.within([f.read_bytes()]))}
    return {str(file.relative_to(batch)) for file in names | files}


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Where trials' uids may pass; pytest's own folders are closed to them."""
    with tempfile.TemporaryDirectory(prefix="agent-eval-test-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_L04_the_batchs_own_documents_and_reports_are_searched_at_the_end(open_folder: Path) -> None:
    """Planted, encoded, in each: what was planned, staged, graded again, and a result that reports show."""
    place = Place(open_folder, {**machine(open_folder / "machine").variables, clients.claude.KEY: KEY})
    batch = place.plan("formatting", "--model", "some-model")
    assert place.call("batch", batch, "--no-preflight").returncode == 0
    assert holding(batch) == set()

    plan = document(batch / "batch.json")
    plan["symposium"]["path"] = f"/x/{LEAK}"
    staged = {**document(batch / "stage.json"), "os": f"Linux {KEY.encode().hex()}"}
    trial = batch / "trial-1-with-symposium"
    result = {**document(trial / "result.json"), "reason": f"it said {LEAK}"}
    receipt = {**document(trial / "receipts/finalize.json"), "error": KEY[::-1]}
    planted = {"batch.json": plan, "stage.json": staged, f"{trial.name}/result.json": result}
    planted |= {f"{trial.name}/receipts/finalize.json": receipt, "regrades/1/regrade.json": {"why": KEY}}
    for name, body in planted.items():
        (batch / name).parent.mkdir(parents=True, exist_ok=True)
        (batch / name).write_text(json.dumps(body))
    (batch / f"note-{KEY}").write_text("x")
    assert {*planted, f"note-{KEY}"} == holding(batch)

    again = place.call("batch", batch, "--resume")
    assert again.returncode == 0, again.stderr
    assert holding(batch) == set()
    found = {one["file"] for one in document(batch / "redactions.json")["files"]}
    assert found >= {*planted, "note-<key>", "report.md", "report.html", "junit.xml"}
    assert "the model API's key was in report.md" in again.stderr
    assert KEY not in again.stdout + again.stderr
    assert documents.read(batch / "batch.json", "batch/1")["symposium"]["path"].startswith("/x/<key>")

    first = (batch / "redactions.json").read_bytes()
    assert place.call("batch", batch, "--resume").returncode == 0
    assert (batch / "redactions.json").read_bytes() == first, "what was found once stays said"


@pytest.mark.parametrize("torn", [False, True])
def test_L04_a_cut_direct_batch_is_not_resumed_without_the_key_that_its_record_may_hold(
    open_folder: Path, torn: bool
) -> None:
    """Nothing is left to run, and what the session left is still to be searched."""
    variables = machine(open_folder / "machine").variables
    place = Place(open_folder, {**variables, clients.claude.KEY: KEY})
    batch = place.plan("formatting", "--model", "some-model", "--direct", "--trials", "1")
    trial = batch / "trial-1-with-symposium"
    (trial / "transcript.jsonl").touch()
    (trial / "stderr.log").write_text(f"{KEY}\n")
    (trial / "result.json").write_text("{") if torn else None
    before = content(batch)

    keyless = Place(open_folder, {**variables, clients.claude.KEY: ""})
    refused = keyless.call("batch", batch, "--resume", "--no-preflight")
    assert refused.returncode == Exit.UNAVAILABLE
    assert f"no key; set {clients.claude.KEY}, then again" in refused.stderr
    assert content(batch) == before

    assert place.call("batch", batch, "--resume", "--no-preflight").returncode in (Exit.OK, Exit.NO)
    assert holding(batch) == set()
    said = keyless.call("batch", batch, "--resume")
    assert said.returncode in (Exit.OK, Exit.NO), "nothing is left that was never searched"
    assert "key was not looked for: ANTHROPIC_API_KEY is not set" in said.stderr


@pytest.mark.parametrize("key", ["", "short", KEY])
def test_L04_a_result_says_that_the_key_was_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv(clients.claude.KEY, key)
    said = {}
    for rehearsal in ("oracle", None):
        trial = left_behind.Trial(tmp_path / str(rehearsal))
        trial.change("trial.json", rehearsal=rehearsal)
        assert finalize.STEP.execute(finalize.run, Folder(trial.folder, finalize.STEP)) is Exit.OK
        findings = document(trial.folder / "result.json")["findings"]
        said[rehearsal] = [one for one in findings if "was not looked for: ANTHROPIC_API_KEY" in one]
    assert (len(said["oracle"]), len(said[None])) == (0, int(key != KEY))


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A staged batch of a real model."""
    monkeypatch.setenv(clients.claude.KEY, KEY)
    with tempfile.TemporaryDirectory(prefix="agent-eval-test-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)  # trials' uids must pass
        argv = [sys.executable, str(ROOT / "scripts/plan.py"), "store-durability", "--trials", "1"]
        argv += ["--model", "claude-sonnet-4-5", "--results", f"{folder}/results", "--eval-root", folder]
        said = subprocess.run(argv, capture_output=True, text=True, check=True)
        batch = Path(said.stdout.splitlines()[-1])
        assert KEY not in said.stdout + said.stderr
        assert stage.STEP.execute(stage.run, Folder(batch, stage.STEP)) is Exit.OK
        yield batch


@contextmanager
def watched() -> Iterator[list[str]]:
    """Whatever of the key shows in the command line or the environment of a process that we started."""
    found: list[str] = []
    seen: set[int] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            for process in psutil.Process().children(recursive=True):
                try:
                    words = [*process.cmdline(), *process.environ().values()]
                except (psutil.NoSuchProcess, psutil.AccessDenied):
                    continue
                seen.add(process.pid)
                found.extend(word[:40] for word in words if KEY in word)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        done.set()
        thread.join()
    assert len(seen) > 5, "the watcher saw nothing, so it shows nothing"


@pytest.mark.real
def test_L04_the_key_reaches_the_api_and_nothing_else(
    planned: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    api = type("Api", (Api,), {"keys": set(), "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(clients.claude, "UPSTREAM", f"http://127.0.0.1:{server.server_port}")
    folder = planned / "trial-1-without-symposium"
    try:
        with watched() as shown:
            for step in (prepare, launch, collect, observe, audit):
                assert step.STEP.execute(step.run, Folder(folder, step.STEP)) is Exit.OK
    finally:
        server.shutdown()
        server.server_close()
    assert shown == []
    assert api.keys == {KEY}, "the API must get the real key"  # type: ignore[attr-defined]  # made by type()
    told = json.dumps(api.asked[-1])  # type: ignore[attr-defined]
    assert "ANTHROPIC_API_KEY=dummy-" in told, "the agent looked, and saw the dummy"
    assert KEY not in told

    key = Sought({"key": KEY.encode()})
    held = {
        file.name for file in folder.rglob("*") if file.is_file() and list(key.within([file.read_bytes()]))
    }
    assert held == {"transcript.jsonl", "exchanges.jsonl", "response.txt"}, "what the API itself gave away"
    assert finalize.STEP.execute(finalize.run, Folder(folder, finalize.STEP)) is Exit.OK
    assert not [f for f in folder.rglob("*") if f.is_file() and list(key.within([f.read_bytes()]))]
    findings = documents.read(folder / "result.json", "result/1")["findings"]
    assert sum("key was in" in finding for finding in findings) == len(held)
    said = capfd.readouterr()
    assert KEY not in said.out + said.err
