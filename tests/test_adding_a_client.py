"""docs/adding-a-client.md, tried: a third client is one file in scripts/clients, and nothing else changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import clients
from kit import documents, trees
from kit.tools import Tools

ROOT = Path(__file__).parents[1]
EXAMPLE = Path(__file__).parent / "clients/example"
NAME = "scribe"


@pytest.fixture
def place() -> Iterator[Path]:
    """Where a trial's uid may pass: pytest's own folders are closed to it."""
    parent = "/var/tmp" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="agent-eval-test-", dir=parent))
    folder.chmod(0o755)
    yield folder
    trees.remove(folder)


def test_L01_a_file_in_the_folder_is_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "__path__", [*clients.__path__, str(EXAMPLE)])
    assert NAME in clients.names()
    client = clients.load(NAME)
    names = {name for name in vars(clients.Client) if not name.startswith("_")} | set(
        clients.Client.__annotations__
    )
    assert [name for name in sorted(names) if not hasattr(client, name)] == [], "as the Protocol asks"


def test_L01_the_guide_names_everything_that_an_adapter_must_have() -> None:
    guide = (ROOT / "docs/adding-a-client.md").read_text("utf-8")
    names = {name for name in vars(clients.Client) if not name.startswith("_")} | set(
        clients.Client.__annotations__
    )
    assert [name for name in sorted(names) if f"`{name}" not in guide] == []


@pytest.mark.real
def test_L01_a_third_client_runs_a_trial_from_end_to_end(tools: Tools, place: Path) -> None:
    """A copy of the checkout with one file more, and the client's program among the installed tools."""
    checkout, home = place / "checkout", place / "tools"
    for name in ("scripts", "schemas", "evals", "tools"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(EXAMPLE / "scribe.py", checkout / "scripts/clients")
    (home / "node_modules/scribe").mkdir(parents=True)
    for part in tools.modules.iterdir():
        (home / "node_modules" / part.name).symlink_to(part)
    (home / "bin").symlink_to(tools.home / "bin")
    program = shutil.copy(EXAMPLE / "scribe_program.py", home / "node_modules/scribe/scribe")
    Path(program).chmod(0o755)

    def run(name: str, *args: str | Path) -> str:
        argv = [sys.executable, checkout / f"scripts/{name}.py", *args]
        env = {**os.environ, "AGENT_EVAL_TOOLS": str(home)}
        done = subprocess.run(argv, capture_output=True, text=True, env=env, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().rpartition("\n")[2]

    where: list[str | Path] = ["--eval-root", place / "root", "--results", place / "results"]
    batch = Path(
        run("plan", "store-durability", "--client", NAME, "--trials", "1", "--rehearse", "flush", *where)
    )
    run("stage", batch)
    trial = batch / "trial-1-without-symposium"
    run("trial", trial)
    result = documents.read(trial / "result.json", "result/1")
    assert (result["outcome"], result["execution"]) == ("succeeded", "completed")
    assert (result["client"]["name"], result["client"]["version"]) == (NAME, "1.0.0")
    seen = json.loads((trial / "observation.json").read_text())
    assert (seen["turns"], seen["tool_calls"], seen["usage_source"]) == (4, 3, "gateway")
