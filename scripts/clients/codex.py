"""Codex: how to start it, and what its `exec --json` transcript shows.

It never installs, isolates or judges, and knows no key but the dummy. A failure here is a missing package
(UNAVAILABLE) or a fault of this file: whatever a transcript holds, observe() returns a document. What it
detects as the load of a skill, and what the stream does not show, is said in reading/codex_facts.py.

Its settings stand on the command line, where execution.json keeps them: nothing is put into its home, which
it makes itself, alike in every configuration. Its home must not lie below the temporary directory (it then
lacks apply_patch on its PATH): a trial's TMPDIR, beside its home, is what it goes by.
"""

from __future__ import annotations

import json
import platform
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clients import Confines, Launch, Places, ToolCall
from clients.reading import codex_facts
from clients.reading.codex_stream import Stream
from kit.contract import Exit, Stop
from kit.documents import Document

BINARY = "codex"
MIN_VERSION = "0.171.0"
KEY = "CODEX_API_KEY"
UPSTREAM = "https://api.openai.com"
WIRE = "openai"
SKILLS = ".agents/skills"
MANAGED = (Path("/etc/codex"), Path("/Library/Managed Preferences/com.openai.codex.plist"))
CONFIGURATION = (
    *("home/.codex/config.toml", "home/.codex/hooks.json"),
    *("project/.codex/config.toml", "project/.codex/hooks.json"),
)
READING, SHELLS = (), ("command_execution",)
REPORTS_HOOKS = False
RELOADS_SKILLS = False  # a skill that its session installs is listed from the next one on
REHEARSAL_MODEL = "gpt-5.5"  # of function tools; the later ones write JavaScript, which the wire knows too

MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
PROVIDER = {  # the model's route
    "name": "gateway",
    "wire_api": "responses",
    "env_key": KEY,
    # (1+1) x (2+1) requests at most before it gives up: some seconds. Alike in every configuration.
    "request_max_retries": 1,
    "stream_max_retries": 2,
}
SETTINGS: dict[str, Any] = {
    "model_provider": "gateway",
    # Else each command runs in a login shell, whose /etc/profile replaces the trial's PATH: no cargo.
    "allow_login_shell": False,
    "web_search": "disabled",  # the API would search the web for it, past the sandbox's network
    "check_for_update_on_startup": False,  # the binary is fixed for the whole batch
    "analytics.enabled": False,  # else it connects to other hosts
    "features.plugins": False,  # the same
    "features.unbounded_connection_retries": False,  # else it waits for a lost network for ever
}


def staged(modules: Path) -> tuple[Path, str]:
    """The platform package's vendor folder, whole: `codex` alone silently lacks tools with later models."""
    name = f"codex-{sys.platform}-{MACHINES.get(platform.machine().lower(), platform.machine())}"
    program = "codex.exe" if sys.platform == "win32" else "codex"
    for file in sorted((modules / "@openai" / name / "vendor").glob(f"*/bin/{program}")):
        return file.parents[1], f"bin/{program}"
    raise Stop(Exit.UNAVAILABLE, f"@openai/{name}: not in {modules}; run `make tools`")


def version(said: str) -> str:
    if match := re.search(r"codex-cli (\d+\.\d+\.\d+\S*)", said):
        return match[1]
    raise ValueError(f"no version of Codex in {said[:200]!r}")


def command(binary: Path, prompt: str, model: str, base_url: str, key: str) -> Launch:
    return _start(binary, prompt, model, base_url, key, ["--sandbox", "danger-full-access"])


def confined(binary: Path, prompt: str, model: str, base_url: str, key: str, confines: Confines) -> Launch:
    """In its own sandbox, as strict as that goes. It documents no way to restrict reads."""
    mode = ["--sandbox", "workspace-write"]
    for name, value in own_sandbox(confines).items():
        mode += ["-c", f"sandbox_workspace_write.{name}={json.dumps(value)}"]
    return _start(binary, prompt, model, base_url, key, mode)


def own_sandbox(confines: Confines) -> dict[str, Any]:
    """The project and TMPDIR are writable anyhow, and commands have no network."""
    return {
        "writable_roots": [str(path) for path in (confines.cargo_home, confines.home, confines.evidence)],
        "exclude_slash_tmp": True,  # else /tmp, which all trials of a machine share
        "network_access": False,  # its default; said, so that the record shows it
    }


def _start(binary: Path, prompt: str, model: str, base_url: str, key: str, mode: Sequence[str]) -> Launch:
    argv = [str(binary), "exec", "--json", "--model", model, *mode]
    argv += ["--skip-git-repo-check"]  # else it refuses a folder without git
    argv += ["--dangerously-bypass-hook-trust"]  # the home is fresh: the only hooks in it are the setup's
    for setting in settings(base_url):
        argv += ["-c", setting]
    argv += ["--", prompt]  # last, and apart: a prompt may begin with "-"
    return Launch(argv, {KEY: key})


def settings(base_url: str) -> Iterator[str]:
    """As lines of TOML; JSON's texts, numbers and booleans are TOML's too."""
    provider = {f"model_providers.gateway.{name}": value for name, value in PROVIDER.items()}
    address = {"model_providers.gateway.base_url": f"{base_url}/v1"}
    for name, value in {**SETTINGS, **provider, **address}.items():
        yield f"{name}={json.dumps(value)}"


def tool(turn: Mapping[str, Any], places: Places) -> ToolCall:
    """All by the shell: Codex has no tool for skills, and reads files with commands."""
    if "skill" in turn:
        return _shell(f"cat {_quoted('{skills}/' + turn['skill'] + '/SKILL.md', places)}")
    if "read" in turn:
        return _shell(f"cat {_quoted(turn['read'], places)}")
    if "write" in turn:
        file, text = _quoted(turn["write"]["path"], places), shlex.quote(turn["write"]["text"])
        return _shell(f'mkdir -p "$(dirname {file})" && printf %s {text} > {file}')
    if "run" in turn:
        return _shell(_filled(turn["run"], places))
    raise ValueError(f"no tool call: {sorted(turn)}")


def _shell(text: str) -> ToolCall:
    # What takes longer than this goes on in the background, while the model is asked again.
    return ToolCall("exec_command", {"cmd": text, "yield_time_ms": 30_000})


def _quoted(path: str, places: Places) -> str:
    return shlex.quote(str(places.project / _filled(path, places)))


def _filled(text: str, places: Places) -> str:
    return text.replace("{skills}", str(places.skills)).replace("{home}", str(places.home))


def observe(transcript: Iterable[bytes], skills: Sequence[str], places: Places) -> Document:
    """All of observation/1 but `listed`, `turns`, `usage_source`; and `response`, the client's last word."""
    stream = Stream().read(transcript)
    completion, problem = codex_facts.completion(stream)
    return {
        "client": BINARY,
        "client_version": None,  # nowhere in the stream; stage.json has it
        "session": stream.session,
        "interpreted": codex_facts.unread(stream) is None,
        "events": stream.events,
        "unknown_events": dict(sorted(stream.unknown.items())),
        "broken_lines": stream.broken,
        "completion": completion,
        "problem": problem,
        "tags": ["api_unreachable"] if stream.reconnects and not (stream.messages or stream.usage) else [],
        "loads": codex_facts.loads(stream, skills, places),
        "usage": codex_facts.usage(stream),
        "tool_calls": len(stream.calls),
        "commands": [
            {"line": call.line, "tool": call.tool, "text": call.text, "failed": call.failed}
            for call in stream.calls.values()
        ],
        "hooks": [],  # nowhere in the stream
        "cost_usd": None,
        "response": stream.said,
    }
