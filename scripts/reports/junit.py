"""junit.xml: what CI servers read. One case for each planned trial.

failed and inconclusive are failures; what kept a trial from being judged (set-up, isolation, grading, no
result) is an error, so that a broken machine is never green; cancelled is skipped. It holds no time of
writing. A file that a parser refuses is this module's fault.
"""

from __future__ import annotations

from xml.etree import ElementTree as xml

from kit import counting, sentences
from kit.documents import Document
from kit.sentences import NEVER
from kit.tables import Batch
from kit.text import plain

KINDS = {
    **dict.fromkeys(("failed", "inconclusive"), "failure"),
    **dict.fromkeys(("setup_failure", "isolation", "grading", "missing"), "error"),
    "cancelled": "skipped",
}


def of(batch: Batch) -> str:
    plan = batch.plan
    suites = xml.Element("testsuites", name=f"{plan['task']}, {plain(plan['client'])}")
    for configuration in plan["configurations"]:
        name = configuration["name"]
        trials = counting.planned(plan, name)
        suite(xml.SubElement(suites, "testsuite"), name, trials, batch)
    for key in ("tests", "failures", "errors", "skipped"):
        suites.set(key, str(sum(int(found.get(key, "0")) for found in suites)))
    xml.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(suites, "unicode") + "\n"


def suite(made: xml.Element, name: str, trials: list[str], batch: Batch) -> None:
    plan = batch.plan
    made.set("name", f"{plan['task']}.{name}")
    made.set("timestamp", plan["planned_at"][:19])
    properties = xml.SubElement(made, "properties")
    said = {
        "batch": plan["batch"],
        "model": plan["model"]["name"],
        "isolation": plan["isolation"],
        "route": plan.get("route", "gateway"),
        "verdict": sentences.verdict(batch),
        **{banner.partition(":")[0].lower(): banner for banner in sentences.banners(batch)},
    }
    for key, value in said.items():
        xml.SubElement(properties, "property", name=key, value=plain(value))
    for trial in trials:
        case(xml.SubElement(made, "testcase"), trial, f"{plan['task']}.{name}", batch.results.get(trial))
    made.set("tests", str(len(trials)))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        made.set(key, str(len(made.findall(f"testcase/{tag}"))))
    made.set("time", f"{sum(float(found.get('time', '0')) for found in made.findall('testcase')):.3f}")


def case(made: xml.Element, trial: str, group: str, result: Document | None) -> None:
    made.set("name", trial)
    made.set("classname", group)
    made.set("time", f"{seconds(result):.3f}")
    outcome = result["outcome"] if result else "missing"
    why = plain(result["reason"]) if result else NEVER
    if kind := KINDS.get(outcome):
        xml.SubElement(made, kind, message=why, type=outcome).text = why
    told = [plain(finding) for finding in (result or {}).get("findings", [])]
    if told:
        xml.SubElement(made, "system-out").text = "\n".join(told)


def seconds(result: Document | None) -> float:
    """From set-up to grading, without the derived steps: those are timed anew by each redo."""
    timings = (result or {}).get("timings", {})
    return sum(timings.get(step) or 0.0 for step in ("prepare", "launch", "collect", "grade"))
