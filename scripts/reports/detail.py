"""All that one trial left, as a person opens it: what happened, when, what it changed, how it was judged.

Made of plain strings and lists, which the page's own code draws as text. It holds no more than its share of
bytes; what is beyond is linked, the file lies beside the page. Times are those of the recorded steps: a redo
writes the receipts of the derived ones again. A missing file leaves a gap here and is no error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kit import documents, layout, sentences
from kit.documents import Document
from kit.layout import Artifact
from kit.text import block, plain
from reports import changes, transcript

PHASES = (("set-up", "prepare"), ("agent", "launch"), ("collecting", "collect"), ("grading", "grade"))
LINKED = (
    *(layout.RESULT, layout.TRANSCRIPT, layout.EXCHANGES, layout.STDERR, layout.RESPONSE, layout.SUBMISSION),
    *(layout.GRADING, layout.GRADING_OUTPUT, layout.EXPECTATIONS, layout.EVIDENCE, layout.HOOK_TRACE),
    *(layout.SYMPOSIUM_LOG, layout.AUDIT, layout.OBSERVATION, layout.COLLECTED, layout.SETUP, layout.POLICY),
    *(layout.EXECUTION, layout.TASK, layout.TRIAL, layout.SEAL, layout.RECEIPTS),
)
LEAST, MOST, ALL = 6_000, 256_000, 12_000_000  # characters: of a trial, at most of one, of a page
Detail = dict[str, Any]
PROTOCOL = re.compile(  # how a hidden test's process reports to the grader, and its harness's words beside it
    r"^(?:q[0-9a-f]{12} (?:true|false)(?: [01]{2})+ \|.*|running 1 test|test t[0-9a-f]{12}::.* \.\.\. (?:ok)?"
    r"|test result: ok\. 1 passed; .*|\[\"(?:hidden|own) .*\])$\n?",
    re.M,
)


class Room:
    """How many characters of a trial may still be embedded."""

    def __init__(self, trials: int) -> None:
        self.left = max(LEAST, min(MOST, ALL // max(trials, 1)))
        self.whole = self.left

    def take(self, text: str, share: float) -> str:
        """The text, cut to its share of the whole and to what is left."""
        shown = block(text, max(0, min(self.left, int(self.whole * share))))
        self.left -= len(shown)
        return shown


@dataclass(frozen=True)
class Trial:
    """One trial's folder, as much of it as there is."""

    folder: Path
    result: Document | None
    starter: changes.Starter | None

    def document(self, artifact: Artifact) -> Document | None:
        """None as well where it is torn or of another version: finalize has said so among the findings."""
        try:
            return documents.read(self.folder / artifact.path, artifact.schema or "")
        except (FileNotFoundError, documents.Invalid):
            return None

    def bytes(self, path: str, most: int) -> bytes:
        try:
            with (self.folder / path).open("rb") as file:
                return file.read(most)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return b""

    def text(self, path: str, most: int) -> str:
        return self.bytes(path, most).decode("utf-8", "backslashreplace")


def of(trial: Trial, trials: int) -> Detail:
    room, observed = Room(trials), trial.document(layout.OBSERVATION)
    return {
        "facts": [[plain(name), plain(value)] for name, value in facts(trial, observed)],
        "phases": phases(trial),
        "usd": (observed or {}).get("cost_usd"),
        "checks": list(checks(trial, room)),
        "expected": list(expected(trial)),
        "audit": list(audit(trial)),
        "findings": [plain(finding) for finding in (trial.result or {}).get("findings", [])],
        "versions": [[plain(name), plain(value)] for name, value in versions(trial.result)],
        "diff": list(diff(trial, room)),
        "evidence": list(evidence(trial, room)),
        **events(trial, room),
        "files": [
            [a.path, quote(f"{trial.folder.name}/{a.path}")]
            for a in LINKED
            if (trial.folder / a.path).exists()
        ],
    }


def facts(trial: Trial, observed: Document | None) -> Iterator[tuple[str, object]]:
    result = trial.result
    if result is None:
        yield "outcome", f"{sentences.NEVER}, counted as cancelled"
        return
    yield "why", result["reason"]
    yield (
        "execution",
        " ".join(filter(None, (result["execution"] or "not known", result["execution_problem"]))),
    )
    yield (
        "model",
        result["model"]["name"] + (" (REHEARSED: no model was asked)" if result["rehearsal"] else ""),
    )
    isolation = result["isolation"]
    yield "isolation", f"{isolation['mode']}, {isolation['rung']}, {isolation['reads']}"
    yield "route to the model", isolation.get("route", "gateway")
    usage = result["usage"] or {}
    told = [
        f"{name.removesuffix('_tokens').replace('_', ' ')} {'not known' if n is None else format(n, ',')}"
        for name, n in usage.items()
    ]
    yield "tokens", f"{', '.join(told)} (by {result['usage_source']})" if told else "not known"
    if observed and observed["cost_usd"] is not None and not result["rehearsal"]:
        yield "cost", f"${observed['cost_usd']:.4f}, as the client says"
    if observed:
        yield "tool calls", observed["tool_calls"]


def phases(trial: Trial) -> list[list[Any]]:
    """[phase, start, seconds], from the start of the first."""
    found = []
    for phase, step in PHASES:
        receipt = trial.document(Artifact(f"{layout.RECEIPTS.path}{step}.json", "receipt/1"))
        if receipt:
            found.append((phase, receipt["started"], receipt["elapsed_secs"]))
    first = min((start for _, start, _ in found), default=0)
    return [[phase, round(max(0.0, start - first), 3), secs] for phase, start, secs in found]


def checks(trial: Trial, room: Room) -> Iterator[list[str]]:
    """[check, verdict, detail, output]."""
    graded = trial.document(layout.GRADING)
    if graded is None:
        return
    if graded["problem"]:
        yield ["grading", "could not be done", block(graded["problem"], 2000), ""]
    for step in graded["steps"]:
        output = trial.text(layout.GRADING_OUTPUT.path + step["output"], room.whole) if step["output"] else ""
        name, detail = step["name"], step["detail"]
        if step["verdict"] == "fail" and name.startswith("hidden."):
            file = f"checks/{name.removeprefix('hidden.')}.{'rs' if graded['grader'] == 'cargo' else 'py'}"
            detail, output = "", f"{file} of the task:\n{told(detail, output)}"
        yield [plain(name), step["verdict"], room.take(detail, 0.04), room.take(output, 0.08)]


def told(detail: str, output: str) -> str:
    """What was wrong, a line each, then what the test's process printed itself; not how it reports."""
    said = PROTOCOL.sub("", output).strip()
    return said if said.startswith(detail.partition("; ")[0]) else f"{detail}\n\n{said}".strip()


def expected(trial: Trial) -> Iterator[list[str]]:
    """[expectation, verdict, evidence]."""
    found = trial.document(layout.EXPECTATIONS)
    for group in ("skills", "hooks", "sync"):
        for name, judged in (found or {}).get(group, {}).items():
            claims = judged.items() if group == "skills" else [("", judged)]
            for claim, one in claims:
                if isinstance(one, dict):
                    title = ".".join(filter(None, (group, name, claim)))
                    yield [plain(title), one["verdict"], plain(one["evidence"])]


def audit(trial: Trial) -> Iterator[list[str]]:
    """[attempt, breach or change; what; where]."""
    found = (trial.result or {}).get("isolation") or {}
    for finding in found.get("audit_findings", []):
        yield [finding["kind"], plain(finding["what"]), plain(finding["where"])]
    for change in found.get("config_changes", []):
        yield ["change", plain(change), "configuration after the session"]


def diff(trial: Trial, room: Room) -> Iterator[list[str]]:
    """[path, how, diff, note]."""
    collected = trial.document(layout.COLLECTED)
    if collected:
        for change in changes.of(collected, trial.folder / layout.SUBMISSION.path, trial.starter):
            yield [plain(change.path), change.how, room.take(change.diff, 0.2), plain(change.note)]
        for wrong in collected["invalid"]:
            yield [plain(wrong["path"]), "invalid", "", plain(wrong["why"])]


def evidence(trial: Trial, room: Room) -> Iterator[list[str]]:
    """[file, its text]: what the hooks wrote, the client's stderr and its last word."""
    folder = trial.folder / layout.EVIDENCE.path
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    names = [
        f"{layout.EVIDENCE.path}{file.name}" for file in found if file.is_file() and not file.is_symlink()
    ]
    for name in (layout.RESPONSE.path, layout.STDERR.path, *names[:5]):
        if text := trial.text(name, room.whole):
            yield [plain(name), room.take(text, 0.05)]


def events(trial: Trial, room: Room) -> Detail:
    """The transcript's entries, as many as there is room for."""
    most = 6 * room.whole  # bytes; most of a stream is not text that anybody reads
    stream, kept = trial.bytes(layout.TRANSCRIPT.path, most + 1), []
    whole = len(stream) <= most
    lines = stream.split(b"\n")
    for entry in transcript.of(lines if whole else lines[:-1]):
        if room.left < len(entry.text) + len(entry.title):
            whole = False
            break
        room.left -= len(entry.text) + len(entry.title) + 30
        kept.append(list(entry))
    return {"events": kept, "whole": whole}


def versions(result: Document | None) -> Iterator[tuple[str, object]]:
    if result is None:
        return
    yield "task", f"{result['task']['name']}, sha256 {result['task']['content_hash']}"
    client = result["client"]
    yield "client", f"{client['name']} {client['version']}, sha256 {client['sha256']}"
    if held := result["symposium"]:
        yield "symposium", f"{held['version']} ({held['source']}), sha256 {held['sha256']}"
    yield "toolchain", result["toolchain"] or "not known"
    yield from sorted(result["tools"].items())
    yield "machine", result["os"] or "not known"


def embedded(detail: Detail) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(detail, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
