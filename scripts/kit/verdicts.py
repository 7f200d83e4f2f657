"""The rules that end a trial: what its execution is called, where it lands in the count, and why, in words.

Pure functions of what the steps found; it reads no file and knows no client, grader or setup. Finding the
facts is finalize's work. A wrong outcome on right facts is this module's fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kit.documents import Document

Verdict = Literal["pass", "fail", "inconclusive"]
Execution = Literal["completed", "timeout", "client_error"]
Outcome = Literal["setup_failure", "cancelled", "isolation", "grading", "succeeded", "failed", "inconclusive"]

SAID_LIMIT = 300  # characters that one check may say in the reason


@dataclass(frozen=True)
class Facts:
    """What decides an outcome. A sentence where something happened, None where it did not."""

    kind: Literal["regression", "capability"]
    setup_failure: str | None = None
    cancelled: str | None = None
    breach: str | None = None
    execution: Execution | None = "completed"  # None: the client ran to its end, how is not known
    execution_problem: str | None = None
    infrastructure: str | None = None  # the grader's own failure
    code: Mapping[str, Verdict] = field(default_factory=dict)
    expectations: Mapping[str, Verdict] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)  # check or expectation: what it said
    unknown: Sequence[str] = ()  # evidence lost by a fault of ours: nothing can be claimed without it


@dataclass(frozen=True)
class Ruling:
    outcome: Outcome
    success: Verdict | None  # None for setup failures, cancelled and excluded trials
    reason: str


def execution(ended: Document | None, observed: Document | None) -> tuple[Execution | None, str | None]:
    """What launch (execution/1) and observe (observation/1) say, joined; and the problem in words.

    Timeout before client error before completed. None: the client never ran, or we cut it, or nothing was
    observed of a client that ended by itself.
    """
    if ended is None:
        return None, "the client never ran"
    if ended["ended_by"] == "interrupt":
        return None, "we cut the client short"
    if ended["ended_by"] == "deadline":
        return "timeout", "the agent's deadline passed"
    if observed is None:
        return None, "how the client ended is not known: its transcript was not observed"
    if observed["completion"] == "completed":  # its own word; an exit code is never a verdict
        return "completed", None
    if observed["problem"]:
        return "client_error", str(observed["problem"])
    status = "was killed" if ended["exit"] is None else f"exited with {ended['exit']}"
    return "client_error", f"the client {status} without saying that it had completed"


def unjudged(
    code: Mapping[str, Verdict], checks: Sequence[str], fmt_check: bool, named: Sequence[str] | None = None
) -> list[str]:
    """Checks of the task without a verdict. What follows a failed build is skipped by rule, not missing.

    named: all that must have one, where the task says so (task/1 `verdicts`); else those of a crate.
    """
    if code.get("submission") == "fail" or code.get("build") == "fail":
        return []
    wanted = ["build", "cargo_test_lib", *(f"hidden.{name}" for name in checks)]
    wanted += ["cargo_fmt_check"] if fmt_check else []
    return [name for name in (wanted if named is None else named) if name not in code]


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """Fail before inconclusive before pass."""
    found = set(verdicts)
    return "fail" if "fail" in found else "inconclusive" if "inconclusive" in found else "pass"


def outcome(facts: Facts) -> Ruling:
    """The first that applies: set-up, cancelled, isolation, execution, grading, the verdict."""
    if facts.setup_failure:
        return Ruling("setup_failure", None, facts.setup_failure)
    if facts.cancelled:
        return Ruling("cancelled", None, facts.cancelled)
    if facts.breach:
        return Ruling("isolation", None, f"breach of isolation: {facts.breach}")
    if facts.execution in ("timeout", "client_error"):
        return Ruling("failed", "fail", f"{_ended(facts)}; {_code_beside(facts)}")
    if facts.infrastructure:
        return Ruling("grading", None, f"could not be graded: {facts.infrastructure}")
    return _verdict(facts)


def _verdict(facts: Facts) -> Ruling:
    deciding = {**facts.code, **(facts.expectations if facts.kind == "regression" else {})}
    verdict = combined(deciding.values())
    lost = [*facts.unknown, *(() if facts.code else ("no code check has a verdict",))]
    if verdict == "pass" and lost:  # a failure stands whatever was lost; a pass does not
        return Ruling("inconclusive", "inconclusive", f"inconclusive: {'; '.join(lost)}")
    if verdict != "pass":
        ends: Outcome = "failed" if verdict == "fail" else "inconclusive"
        return Ruling(ends, verdict, _named(deciding, verdict, facts.said) + _beside(facts))
    reason = f"every code check passed ({', '.join(facts.code)})"
    if facts.kind == "regression" and facts.expectations:
        reason += f" and so did every expectation ({len(facts.expectations)})"
    return Ruling("succeeded", "pass", reason + _beside(facts))


def _ended(facts: Facts) -> str:
    name = "timeout" if facts.execution == "timeout" else "client error"
    return f"{name}: {facts.execution_problem or 'no more is known'}"


def _code_beside(facts: Facts) -> str:
    """The code never decides after a timeout or client error; a reader still wants to know."""
    if facts.infrastructure:
        return f"the code could not be graded either ({facts.infrastructure})"
    if not facts.code:
        return "the code was not graded"
    verdict = combined(facts.code.values())
    if verdict == "pass":
        return "the code it left passes every check, which does not count"
    return f"of the code: {_named(facts.code, verdict, facts.said)}"


def _beside(facts: Facts) -> str:
    """Expectations of a capability task that did not hold: reported, not deciding."""
    if facts.kind == "regression":
        return ""
    unmet = [f"{name} {verdict}" for name, verdict in facts.expectations.items() if verdict != "pass"]
    return f"; beside it, not deciding: {', '.join(unmet)}" if unmet else ""


def _named(verdicts: Mapping[str, Verdict], wanted: Verdict, said: Mapping[str, str]) -> str:
    """The first that failed with what it said, the others by name."""
    first, *others = [name for name, verdict in verdicts.items() if verdict == wanted]
    word = "failed" if wanted == "fail" else "inconclusive"
    detail = " ".join(said.get(first, "").split())
    detail = detail if len(detail) <= SAID_LIMIT else detail[: SAID_LIMIT - 3] + "..."
    also = f"; also {word}: {', '.join(others)}" if others else ""
    return f"{first} {word}{': ' + detail if detail else ''}{also}"
