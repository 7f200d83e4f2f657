"""Claude Code: how to start it, and what its stream-json transcript shows.

It never installs, isolates or judges, and knows no key but the dummy. A failure here is a missing package
(UNAVAILABLE) or a fault of this file: whatever a transcript holds, observe() returns a document. What it
detects as the load of a skill is said in reading/claude_facts.py.
"""

from __future__ import annotations

import json
import platform
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clients import Confines, Launch, Places, ToolCall
from clients.reading import claude_facts
from clients.reading.claude_stream import Stream
from kit.contract import Exit, Stop
from kit.documents import Document

BINARY = "claude"
MIN_VERSION = "2.1.197"
KEY = "ANTHROPIC_API_KEY"
UPSTREAM = "https://api.anthropic.com"
WIRE = "anthropic"
SKILLS = ".claude/skills"
# Either can switch hooks off or bring skills; the one of another system is simply not there.
MANAGED = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))
# Not ~/.claude.json: the client rewrites it in every session.
CONFIGURATION = ("home/.claude/settings*.json", "project/.claude/settings*.json", "project/.mcp.json")
READING, SHELLS = ("Read",), ("Bash",)
REPORTS_HOOKS = True  # with --include-hook-events
RELOADS_SKILLS = True
REHEARSAL_MODEL = "claude-sonnet-4-5"

MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
VARIABLES = {
    # Without it: connections to other hosts, and the first request two seconds later.
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",  # the binary is fixed for the whole batch
    # The default of ten, with growing pauses, makes an unreachable API look like a slow agent for minutes.
    # Four outlast a hiccup (about 8 seconds). Alike in every configuration.
    "CLAUDE_CODE_MAX_RETRIES": "4",
}


def staged(modules: Path) -> tuple[Path, str]:
    """The platform package's native binary: one file, and no Node is needed to run it."""
    name = f"claude-code-{sys.platform}-{MACHINES.get(platform.machine().lower(), platform.machine())}"
    program = "claude.exe" if sys.platform == "win32" else "claude"
    for package in (name, f"{name}-musl"):
        if (file := modules / "@anthropic-ai" / package / program).is_file():
            return file, ""
    raise Stop(Exit.UNAVAILABLE, f"@anthropic-ai/{name}: not in {modules}; run `make tools`")


def version(said: str) -> str:
    if match := re.search(r"(\d+\.\d+\.\d+\S*) \(Claude Code\)", said):
        return match[1]
    raise ValueError(f"no version of Claude Code in {said[:200]!r}")


def command(binary: Path, prompt: str, model: str, base_url: str, key: str) -> Launch:
    """No IS_SANDBOX: it lifts a refusal that only root meets, and no trial runs as root."""
    return _start(binary, prompt, model, base_url, key, ["--permission-mode", "bypassPermissions"])


def confined(binary: Path, prompt: str, model: str, base_url: str, key: str, confines: Confines) -> Launch:
    """In its own sandbox, as strict as that goes; on the command line, where no agent can change it."""
    mode = ["--settings", json.dumps(own_sandbox(confines)), "--permission-mode", "acceptEdits"]
    return _start(binary, prompt, model, base_url, key, mode)


def own_sandbox(confines: Confines) -> Document:
    """It holds shell commands. Hooks run outside it; the file tools go by permissions."""
    return {
        "sandbox": {
            "enabled": True,
            "failIfUnavailable": True,  # else commands run unconfined, after a warning that nobody reads
            "allowUnsandboxedCommands": False,  # else the agent asks for a command outside, by a parameter
            # acceptEdits asks before each command, and with -p a question is a refusal: no cargo test.
            "autoAllowBashIfSandboxed": True,
            "filesystem": {
                "denyRead": [str(path) for path in confines.denied],
                "allowRead": [str(path) for path in confines.readable],
                "allowWrite": [str(confines.cargo_home)],  # beside the project and the temporary folder
            },
        },
        "permissions": {"blockReadsOutsideWorkingDirectories": True},  # of Read, Grep and Glob
    }


def _start(binary: Path, prompt: str, model: str, base_url: str, key: str, mode: Sequence[str]) -> Launch:
    argv = [str(binary), "-p", "--output-format", "stream-json", "--verbose", "--model", model, *mode]
    argv += ["--include-hook-events"]  # else a Stop hook leaves no event in the stream
    argv += ["--disallowedTools=WebSearch"]  # the API would search the web for it, past the sandbox's network
    argv += ["--", prompt]  # last, and apart: a prompt may begin with "-"
    return Launch(argv, {KEY: key, "ANTHROPIC_BASE_URL": base_url, **VARIABLES})


def tool(turn: Mapping[str, Any], places: Places) -> ToolCall:
    """`write` is a shell command: the Write tool refuses a file that is there and was not read before."""
    if "skill" in turn:
        return ToolCall("Skill", {"skill": turn["skill"]})
    if "read" in turn:
        return ToolCall("Read", {"file_path": str(_at(turn["read"], places))})
    if "write" in turn:
        path = _at(turn["write"]["path"], places)
        folder, text, file = (shlex.quote(str(word)) for word in (path.parent, turn["write"]["text"], path))
        return _bash(f"mkdir -p {folder} && printf %s {text} > {file}", f"Write {path.name}")
    if "run" in turn:
        return _bash(_filled(turn["run"], places), "Run a command")
    raise ValueError(f"no tool call: {sorted(turn)}")


def confined_tool(turn: Mapping[str, Any], places: Places) -> ToolCall:
    """`write` by the Write tool: outside bypassPermissions, a command that quotes code is asked about."""
    if "write" in turn:
        path = _at(turn["write"]["path"], places)
        return ToolCall("Write", {"file_path": str(path), "content": turn["write"]["text"]})
    return tool(turn, places)


def _bash(text: str, description: str) -> ToolCall:
    return ToolCall("Bash", {"command": text, "description": description})


def _at(path: str, places: Places) -> Path:
    return places.project / _filled(path, places)


def _filled(text: str, places: Places) -> str:
    return text.replace("{skills}", str(places.skills)).replace("{home}", str(places.home))


def observe(transcript: Iterable[bytes], skills: Sequence[str], places: Places) -> Document:
    """All of observation/1 but `listed`, `turns`, `usage_source`; and `response`, the client's last word."""
    stream = Stream().read(transcript)
    completion, problem = claude_facts.completion(stream)
    unreachable = stream.retries and not stream.usage  # it asked again and again, and no model said a word
    last = (stream.result or {}).get("result")
    return {
        "client": BINARY,
        "client_version": stream.version,
        "session": stream.session,
        "interpreted": (read := claude_facts.unread(stream) is None),
        "events": stream.events,
        "unknown_events": dict(sorted(stream.unknown.items())),
        "broken_lines": stream.broken,
        "completion": completion,
        "problem": problem,
        "tags": ["api_unreachable"] if unreachable else [],
        "loads": claude_facts.loads(stream, skills, places, SKILLS),
        "usage": claude_facts.usage(stream),
        "tool_calls": len(stream.calls),
        "commands": [_command(stream, key) for key in stream.calls],
        "hooks": stream.hooks,
        "compactions": stream.compactions if read else None,
        "cost_usd": claude_facts.cost_usd(stream),
        "response": last if isinstance(last, str) else stream.said,
    }


def _command(stream: Stream, key: str) -> Document:
    call, answer = stream.calls[key], stream.answers.get(key)
    return {
        "line": call.line,
        "tool": call.tool,
        "text": call.text,
        "failed": answer.failed if answer else None,
    }
