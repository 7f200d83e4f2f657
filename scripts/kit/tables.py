"""What a person is shown of a batch, as titled rows of plain text; how it is drawn is the report's.

Short words, one meaning each, explained in LEGEND. Everything that an agent, a client or a plugin could have
chosen goes through plain() before it is drawn: a record is not trusted to be harmless on a terminal.
A wrong word for a right document is this module's fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kit import counting, measures, staged
from kit.documents import Document
from kit.text import plain

WORD = {"pass": "pass", "fail": "FAIL", "inconclusive": "?", None: "-"}
OUTCOME = {
    "succeeded": "SUCCEEDED",
    "failed": "FAILED",
    "inconclusive": "inconclusive",
    "setup_failure": "set-up failed",
    "cancelled": "cancelled",
    "isolation": "excluded",
    "grading": "excluded",
    None: "no result",
}
LEGEND = (
    "lib: the crate's own tests. hidden: the task's tests, never shown to the agent. fmt: cargo fmt --check.",
    "installed: by Symposium during the session. listed: offered to the model in its first request.",
    "loaded: how the skill's text reached the model. sync: Symposium's SessionStart hook ran and synced.",
    "FAIL: failed. ?: cannot be told. -: not asked, or not judged.",
)


@dataclass(frozen=True)
class Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[str] = frozenset()  # columns set to the right


@dataclass(frozen=True)
class Batch:
    plan: Document
    benchmark: Document
    results: Mapping[str, Document]  # trial folder to result/1; a trial without one is absent
    stage: Document | None = None  # stage/1, for what asks about the tools


def of(batch: Batch) -> list[Table]:
    """Every table, in the order in which they are read."""
    return [trials(batch), *symposium(batch), counts(batch)]


def takes(batch: Batch) -> Table:
    """Steps, tokens, dollars, latency and compactions of a trial."""
    rows = list(measures.takes(batch.benchmark))
    return Table(measures.taking(batch.benchmark), measures.COLUMNS, rows, frozenset(measures.COLUMNS[1:]))


def legend(batch: Batch) -> tuple[str, ...]:
    return (*LEGEND, *measures.legend(batch.benchmark))


def trials(batch: Batch) -> Table:
    rows = []
    for name in batch.plan["order"]:
        result = batch.results.get(name)
        code = (result or {}).get("code") or {}
        checks = [WORD[code.get("build")], WORD[code.get("cargo_test_lib")], hidden(code.get("hidden", {}))]
        used, secs = (counting.tokens(result["usage"]), result["elapsed_secs"]) if result else (None, None)
        first = [*numbered(name), OUTCOME[result["outcome"] if result else None]]
        rows.append(
            [*first, *checks, WORD[code.get("cargo_fmt_check")], measures.whole(used), measures.tenth(secs)]
        )
    columns = ["#", "configuration", "outcome", "build", "lib", "hidden", "fmt", "tokens", "agent s"]
    return Table("Trials", columns, rows, frozenset({"tokens", "agent s"}))


def hidden(verdicts: Mapping[str, str]) -> str:
    """ "pass" when all did, else the worst word and how many passed."""
    passed = sum(verdict == "pass" for verdict in verdicts.values())
    if not verdicts or passed == len(verdicts):
        return "pass" if verdicts else "-"
    word = "FAIL" if "fail" in verdicts.values() else "?"
    return word if len(verdicts) == 1 else f"{word} {passed}/{len(verdicts)}"


def symposium(batch: Batch) -> Iterator[Table]:
    """What Symposium did in the trials that hold it, a table for each configuration."""
    columns = ["#", "skill", "installed", "listed", "loaded", "hooks", "sync"]
    rows: dict[str, list[list[str]]] = {}
    for name in batch.plan["order"]:
        if expected := (batch.results.get(name) or {}).get("expectations"):
            number, configuration = numbered(name)
            rows.setdefault(configuration, []).extend([number, *row] for row in _skills(expected))
    setups = {plain(c["name"]): c["setup"] for c in batch.plan["configurations"]}
    for configuration, found in rows.items():
        did = "What Symposium did" if setups[configuration] == "symposium" else "Skills put in place by us"
        yield Table(f"{did} ({configuration})", columns, found)


def _skills(expected: Document) -> Iterator[list[str]]:
    beside = [_joined(expected["hooks"]), _joined(expected["sync"])]
    for skill, seen in expected["skills"].items():
        listed = counting.yes_no(seen["listed"]).replace("unknown", "?")
        yield [plain(skill), _installed(seen), listed, loaded(seen), *beside]
    if not expected["skills"]:
        yield ["-", "-", "-", "-", *beside]


def _installed(seen: Document) -> str:
    if "not_installed" in seen:
        return {"pass": "no, as wanted", "fail": "YES, unwanted"}.get(seen["not_installed"], "?")
    return {"pass": "yes", "fail": "NO", "inconclusive": "?"}.get(seen.get("installed", ""), "-")


def loaded(seen: Document) -> str:
    """How the skill's text reached the model, by the line of the transcript that shows it."""
    evidence = seen.get("load_evidence") or ""
    if seen["observed_load"] == "loaded":
        return "read SKILL.md" if "SKILL.md" in evidence else "Skill tool" if "Skill" in evidence else "yes"
    return {"attempted": "tried, refused", "not_observed": "not loaded"}.get(seen["observed_load"], "?")


def _joined(verdicts: Mapping[str, str]) -> str:
    """ "pass" when all did, else what did not."""
    bad = [f"{plain(name)} {WORD[verdict]}" for name, verdict in verdicts.items() if verdict != "pass"]
    return ", ".join(bad) or ("pass" if verdicts else "-")


def counts(batch: Batch) -> Table:
    """A column for each configuration, and one for each difference that there is."""
    configurations, deltas = batch.benchmark["configurations"], differences(batch.benchmark)
    made = [dict(measures.of(c)) for c in configurations.values()]
    labels = list(dict.fromkeys(label for column in made for label in column))
    beside = [dict(measures.difference(delta)) for delta in deltas.values()]
    rows = [
        [label, *(column.get(label, "-") for column in made), *(one.get(label, "") for one in beside)]
        for label in labels
        if label in measures.ALWAYS or any(column.get(label, "0") != "0" for column in made)
    ]
    columns = ["", *(plain(name) for name in configurations), *deltas]
    return Table("Counts and means", columns, rows, frozenset(columns[1:]))


def rates(batch: Batch) -> Table:
    """The numbers that are read first: a row for each configuration, and one for each difference."""
    labels = ("success rate", "  95 % interval", "mean tokens (eligible)", "mean agent s (eligible)")
    rows = []
    for name, c in batch.benchmark["configurations"].items():
        numbers = dict(measures.of(c))
        rows.append(
            [plain(name), f"{c['succeeded']} of {c['eligible']}", *(numbers[label] for label in labels)]
        )
    for name, delta in differences(batch.benchmark).items():
        numbers = dict(measures.difference(delta))
        rows.append([name, "", *(numbers.get(label, "") for label in labels)])
    columns = ["", "succeeded", "rate", "95 % interval", "tokens", "agent s"]
    return Table("Success rate", columns, rows, frozenset(columns[1:]))


def differences(benchmark: Document) -> dict[str, Document]:
    """Each difference by what it is called in a table."""
    if several := benchmark.get("deltas"):
        return {f"difference {plain(treatment)}": delta for treatment, delta in several.items()}
    return {"difference": benchmark["delta"]} if benchmark["delta"] else {}


def capabilities(batch: Batch) -> Iterator[Table]:
    """What each staged cargo-agents was found to support, side by side (S05); none where none was probed."""
    able = staged.capabilities(batch.stage, batch.plan) if batch.stage else {}
    if able:
        names = [name for name in next(iter(able.values())) if name != "client"]
        rows = [[name.replace("_", " "), *(shown(one[name]) for one in able.values())] for name in names]
        yield Table("What this Symposium can do", ["capability", *map(plain, able)], rows)


def shown(value: object) -> str:
    """A capability, in a cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(plain, value)) or "none" if isinstance(value, list) else plain(str(value))


def apart(table: Table) -> Table:
    """Only the rows in which its columns differ."""
    return Table(table.title, table.columns, [row for row in table.rows if len(set(row[1:])) > 1])


def numbered(trial: str) -> list[str]:
    """ "trial-3-with-symposium": its number and its configuration."""
    configuration = counting.configuration_of(trial)
    return [plain(trial.removeprefix("trial-").removesuffix(f"-{configuration}")), plain(configuration)]
