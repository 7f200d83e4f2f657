"""Every file the pipeline reads or writes, named once.

results/<task>/<client>/<batch>/            the batch folder
  batch.json            plan       what is compared, in which order, and where things go
  stage.json            stage      the tools of this batch: versions, hashes
  benchmark.json        aggregate  the counts, rates and costs
  report.md             report     the same for a person, short enough for a comment
  report.html           report     the same to look into: one file with pictures and every trial
  junit.xml             report     the same for a CI server
  <trial>/                                  one trial folder (mode 0700)
    node.json           batch      on a cluster: the node that has this trial; gone once its record is here
    trial.json          plan       which task, client, configuration, place in the order, deadlines
    task.json           prepare    the task as it was when the trial began
    srt.json            prepare    the policy that srt is given
    setup.json          prepare    what was put into the run, what was checked before launch
    transcript.jsonl    launch     the client's own event stream, byte for byte
    stderr.log          launch     the client's stderr
    exchanges.jsonl     launch     the gateway's record: every request and answer
    execution.json      launch     how the client's process ended
    submission/         collect    the project as the agent left it
    seal.json           collect    every entry of the project: type, mode, size, hash
    collected.json      collect    edits, Symposium's records and the configuration after the session
    evidence/           collect    what the hooks wrote (Symposium only)
    hook-trace.jsonl    collect    Symposium's trace (Symposium only)
    symposium.log       collect    Symposium's logs, joined in name order (Symposium only)
    observation.json    observe    what the transcript and the exchanges show, the same for every client
    response.txt        observe    the client's last word
    grading.json        grade      what the code checks said
    grading/            grade      their output
    expectations.json   expect     what Symposium did, each with its evidence (Symposium only)
    audit.json          audit      attempts, breaches, changed configuration
    result.json         finalize   the verdict; written on every path
    receipts/           (all)      one per step: how it went

The run folder (`<eval-root>/<batch>/<trial>/`) is scratch that the agent sees; the control folder
(`/run/agent-eval/<8 hex>/`) is what srt and we need and the agent must not see. Run names both.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Scope = Literal["batch", "trial"]


@dataclass(frozen=True)
class Artifact:
    """A file (or folder, with a trailing slash) inside a batch or trial folder."""

    path: str
    schema: str | None = None  # "grading/1"; None for content that is not ours
    scope: Scope = "trial"

    @property
    def is_folder(self) -> bool:
        return self.path.endswith("/")


BATCH = Artifact("batch.json", "batch/1", "batch")
STAGE = Artifact("stage.json", "stage/1", "batch")
BENCHMARK = Artifact("benchmark.json", "benchmark/1", "batch")
REPORT = Artifact("report.md", None, "batch")
PAGE = Artifact("report.html", None, "batch")
JUNIT = Artifact("junit.xml", None, "batch")

TRIAL = Artifact("trial.json", "trial/1")
NODE = Artifact("node.json")
TASK = Artifact("task.json", "task/1")
POLICY = Artifact("srt.json")
SETUP = Artifact("setup.json", "setup/1")
TRANSCRIPT = Artifact("transcript.jsonl")
STDERR = Artifact("stderr.log")
EXCHANGES = Artifact("exchanges.jsonl")
EXECUTION = Artifact("execution.json", "execution/1")
SUBMISSION = Artifact("submission/")
SEAL = Artifact("seal.json", "seal/1")
COLLECTED = Artifact("collected.json", "collected/1")
EVIDENCE = Artifact("evidence/")
HOOK_TRACE = Artifact("hook-trace.jsonl")
SYMPOSIUM_LOG = Artifact("symposium.log")
OBSERVATION = Artifact("observation.json", "observation/1")
RESPONSE = Artifact("response.txt")
GRADING = Artifact("grading.json", "grading/1")
GRADING_OUTPUT = Artifact("grading/")
EXPECTATIONS = Artifact("expectations.json", "expectations/1")
AUDIT = Artifact("audit.json", "audit/1")
RESULT = Artifact("result.json", "result/1")
RECEIPTS = Artifact("receipts/")

RESULTS = Artifact("<trial>/result.json", "result/1", "batch")  # every trial's, for what counts them
RECORDS = Artifact("<trial>/", None, "batch")  # all of every trial's folder, for what shows them

WRITABLE = ("project", "home", "cargo-home", "tmp", "evidence")  # of a run, by the trial's uid


@dataclass(frozen=True)
class Run:
    """The scratch folders of one trial (or of one grading)."""

    root: Path  # <eval-root>/<batch>/<trial>
    control: Path  # /run/agent-eval/<8 hex>: short, because socket paths are

    def __getattr__(self, name: str) -> Path:
        """home project fixtures bin cargo_home tmp evidence registry, below the root."""
        if name not in {"home", "project", "fixtures", "bin", "cargo_home", "tmp", "evidence", "registry"}:
            raise AttributeError(name)
        return self.root / name.replace("_", "-")

    @property
    def policy(self) -> Path:
        return self.control / "srt.json"

    @property
    def socket(self) -> Path:
        """The gateway's, which srt connects to; never visible inside."""
        return self.control / "gw.sock"

    @property
    def srt_tmp(self) -> Path:
        """srt's own TMPDIR (its proxy bridge lives there)."""
        return self.control / "tmp"

    @property
    def neutral(self) -> Path:
        """An empty folder that srt is started in: its mandatory write denies follow its cwd."""
        return self.control / "neutral"

    @property
    def writable(self) -> tuple[Path, ...]:
        return tuple(self.root / name for name in WRITABLE)
