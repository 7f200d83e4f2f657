"""The OpenAI Responses protocol, as Codex speaks it.

It reads and writes bodies and never opens a connection. A body that it does not understand is data, never
an error.

Skills: Codex (0.171.0) lists them in a developer message, in a text that begins with `<skills_instructions>`,
one "- name: description (file: r1/name/SKILL.md)" each; it always has built-in ones, so a request without the
list is one that we cannot read. Kinds: Codex itself says in `client_metadata` when it shortens its history.
Retries: no header counts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gateway.wires import Asked
from gateway.wires.openai.answers import answered, objects
from gateway.wires.openai.rehearsed import counted, encode, error
from kit.documents import Document, foreign

__all__ = ["CREDENTIALS", "answered", "asked", "counted", "credentials", "encode", "error"]

CREDENTIALS = ("authorization",)
RESPONSES, COUNT = "/v1/responses", "/v1/responses/input_tokens"
METADATA = "x-codex-turn-metadata"
LISTING = "<skills_instructions>"
CLIENT_TOOLS = ("function", "custom", "apply_patch", "local_shell")  # types that the client itself runs
ADDRESSES = ("image_url", "file_url", "audio_url")  # the API fetches what they name, unless it is data itself
_SKILL = re.compile(r"^- ([A-Za-z0-9][\w.:-]*?): (?:[^\n]|\n(?!### ))*?\(file: [^)\n]*\)$", re.MULTILINE)


def credentials(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"}


# Requests


def asked(method: str, path: str, headers: Mapping[str, str], body: Document | None) -> Asked:
    session = {name.lower(): value for name, value in headers.items()}.get("session-id")
    if method != "POST" or path not in (RESPONSES, COUNT) or body is None:
        return Asked("other", session)
    if reaching := _reaching(body):
        return Asked("other", session, forbidden=reaching)
    if path == COUNT:
        return Asked("count", session)
    if _said_kind(body) == "compaction":
        return Asked("compaction", session)
    return Asked("turn" if _tools(body) else "side", session, offered_skills=_offered(body))


def _tools(body: Document) -> list[Document]:
    """Every tool that the request offers: beside the input, within it, and those in a namespace."""
    added = [item for item in objects(body.get("input")) if item.get("type") == "additional_tools"]
    return [tool for holder in (body, *added) for tool in _held(holder)]


def _held(holder: Document) -> Iterator[Document]:
    for tool in objects(holder.get("tools")):
        yield tool
        yield from _held(tool)


def _reaching(body: Document) -> str | None:
    """What in a request would lend the agent the API's own network or machines."""
    for tool in _tools(body):
        kind = str(tool.get("type"))
        local = kind == "tool_search" and tool.get("execution") == "client"
        if kind not in (*CLIENT_TOOLS, "namespace") and not local:
            return f"tool {kind}: the API itself would run it, outside the sandbox"
    if body.get("prompt"):
        return "prompt: what is stored at the API may hold tools that it runs itself"
    if address := next(_addresses(body.get("input")), None):
        return f"{address}: the API would fetch it, past the sandbox's network"
    return None


def _addresses(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _addresses(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in ADDRESSES and item and not (isinstance(item, str) and item.startswith("data:")):
                yield name
            yield from _addresses(item)


def _said_kind(body: Document) -> object:
    said = body.get("client_metadata")
    text = said.get(METADATA) if isinstance(said, dict) else None
    return (foreign(text) or {}).get("request_kind") if isinstance(text, str) else None


def _offered(body: Document) -> list[str] | None:
    developers = [item for item in objects(body.get("input")) if item.get("role") == "developer"]
    texts = [str(part.get("text")) for item in developers for part in objects(item.get("content"))]
    lists = [text for text in texts if text.startswith(LISTING)]
    return list(dict.fromkeys(name for text in lists for name in _SKILL.findall(text))) if lists else None
