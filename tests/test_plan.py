"""plan.py: what cannot be run is refused before anything is made, in one clear line, with its exit code."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import left_behind as was
import plan
from batch_running import SCRIPTS, document, program
from kit import claims, documents
from kit.contract import Exit

EVALS = Path(__file__).parents[1] / "evals"


@pytest.fixture(autouse=True)
def tools_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planning starts none of them."""
    (tmp_path / "tools").mkdir()
    monkeypatch.setenv("AGENT_EVAL_TOOLS", str(tmp_path / "tools"))


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    return Say(tmp_path, monkeypatch, capsys)


class Say:
    """plan.py's own main, with these arguments."""

    def __init__(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.results, self._monkeypatch, self._capsys = root / "results", monkeypatch, capsys
        self.where = ["--results", str(self.results), "--eval-root", str(root / "eval-root")]

    def __call__(self, *args: object) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        self._monkeypatch.setattr(sys, "argv", ["plan.py", *self.where, *map(str, args)])
        code = 0
        try:
            plan.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def refused(self, code: Exit, *args: object) -> str:
        """The one line; nothing was made."""
        got, out, err = self(*args)
        assert got == code, err
        assert out == ""
        assert "Traceback" not in err
        assert not self.results.exists()
        return err.strip()


def test_W03_an_unknown_task_is_a_usage_error_that_names_the_tasks(say: Say) -> None:
    said = say.refused(Exit.USAGE, "formating")
    assert said.startswith("plan: task formating: there is none of that name")
    assert "formatting" in said
    assert "\n" not in said


@pytest.mark.parametrize("end", ["", "/"])
def test_W03_a_task_is_also_named_by_the_path_of_its_folder(say: Say, end: str) -> None:
    said = say.refused(Exit.USAGE, "elsewhere/tasks/formatting")
    assert 'there is none of that name; did you mean "formatting"?' in said
    code, out, err = say(f"{os.path.relpath(EVALS / 'tasks/formatting')}{end}")
    assert code == 0, err
    assert document(Path(out.strip()) / "batch.json")["task"] == "formatting"


@pytest.mark.parametrize(
    "flags", [("--compare", "released,patched"), ("--aa",), ("--detect", "0.4"), ("--aa", "--detect", "0.9")]
)
def test_I07_what_compares_is_refused_for_an_exploratory_batch(say: Say, flags: tuple[str, ...]) -> None:
    said = say.refused(Exit.USAGE, "store-durability", "--exploratory", *flags)
    assert said.startswith(f"plan: --exploratory {flags[0]}: an exploratory batch is never compared; leave")


def test_I07_an_exploratory_plan_promises_no_comparison(say: Say) -> None:
    for flags, promised in ((["--exploratory"], False), ([], True)):
        code, _, err = say("store-durability", *flags)
        assert code == 0, err
        assert ("treatment minus control" in err) is promised


def test_W03_a_usage_line_says_what_a_person_types() -> None:
    """As nox calls the scripts, and as they are called by hand."""
    for session, typed in (("eval", "nox -s eval -- TASK [options]"), ("", "plan.py TASK [options]")):
        env = {**os.environ, **({"AGENT_EVAL_SESSION": session} if session else {})}
        done = subprocess.run(program("plan"), capture_output=True, text=True, env=env, check=False)
        assert done.returncode == Exit.USAGE
        assert done.stderr.startswith(f"usage: {typed}")


def test_W03_an_unknown_client_is_a_usage_error_that_names_the_clients(say: Say) -> None:
    said = say.refused(Exit.USAGE, "formatting", "--client", "clod")
    assert said.startswith("plan: client clod: unknown; the clients are claude")


def test_W03_an_unknown_flag_is_a_usage_error(say: Say) -> None:
    assert "unrecognized arguments: --tirals" in say.refused(Exit.USAGE, "formatting", "--tirals", "2")


def test_W03_a_flag_is_never_guessed_from_its_beginning(say: Say) -> None:
    assert "unrecognized" in say.refused(Exit.USAGE, "formatting", "--mod", "x")


def test_W02_a_model_without_a_key_is_refused_with_the_variable(say: Say) -> None:
    said = say.refused(Exit.UNAVAILABLE, "formatting", "--model", "some-model")
    assert said == (
        "plan: --model some-model: no key; set ANTHROPIC_API_KEY, or leave --model out to rehearse"
    )


def test_W02_a_model_and_a_rehearsal_exclude_each_other(say: Say) -> None:
    said = say.refused(Exit.USAGE, "formatting", "--model", "m", "--rehearse", "oracle")
    assert "argument --rehearse: not allowed with argument --model" in said


@pytest.mark.parametrize("flag", ["--model", "--rehearse"])
def test_W02_an_empty_name_is_not_taken_for_no_name(say: Say, flag: str) -> None:
    assert f"{flag}: empty" in say.refused(Exit.USAGE, "formatting", flag, "")


def test_W03_a_variable_of_ours_that_is_none_is_a_usage_error(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_EVAL_TOOL", "/x")
    assert say.refused(Exit.USAGE, "formatting").startswith(
        "plan: AGENT_EVAL_TOOL: no variable of agent-eval"
    )


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--trials", "0"), "--trials 0: at least 1"),
        (("--trials", "two"), "argument --trials: invalid count value: 'two'"),
        (("--trials", "auto"), "--trials auto: needs --detect D"),
        (
            ("--detect", "0.4"),
            "formatting runs one configuration, so nothing is compared; leave --detect out",
        ),
        (("--detect", "1.5"), "--detect 1.5: a difference in success rate is above 0 and at most 1"),
        (("--aa", "--trials", "auto", "--detect", "0.1"), "needs about 392 trials per configuration"),
        (("--aa", "--trials", "auto", "--detect", "1e-160"), "--detect 1e-160: is less than the 1e-06 that"),
        (("--aa", "--trials", "auto", "--detect", "1e-6"), "needs about 39244"),
        (("--uids", "61000"), "--uids 61000: not FIRST-LAST"),
        (("--uids", "9-3"), "--uids 9-3: not FIRST-LAST"),
        (("-j", "0"), "-j 0: at least 1"),
        (("--engine", "slurm"), "--engine slurm: unknown; the engines are local and ray"),
        (("--address", "auto"), "--address auto: is for a cluster; say --engine ray too"),
        (("--rehearse", "no-such"), "rehearsal no-such: formatting has none of that name; it has api-error"),
        (("--rehearse", "with:oracle,without:nop"), "formatting runs with-symposium; write with:NAME"),
        (("--rehearse", "with:oracle,with:nop"), "write with:NAME"),
        (("--symposium-bin", "/x", "--symposium-src", "/y"), "not allowed with argument"),
        (("--direct",), "--direct: needs --model"),
    ],
)
def test_W03_a_value_that_cannot_be_is_a_usage_error(say: Say, args: tuple[str, ...], says: str) -> None:
    assert says in say.refused(Exit.USAGE, "formatting", *args)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--symposium-bin", "/no/such"), "/no/such: not an executable"),
    ],
)
def test_W03_what_is_not_there_refuses_by_name(say: Say, args: tuple[str, ...], says: str) -> None:
    assert says in say.refused(Exit.UNAVAILABLE, "formatting", *args)


def test_W03_without_ray_a_cluster_is_refused_and_what_installs_it_is_said(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert "--engine ray: Ray is not installed" in say.refused(
        Exit.UNAVAILABLE, "formatting", "--engine", "ray"
    )


def test_W02_without_the_tools_nothing_is_planned(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_EVAL_TOOLS", "/no/such/tools")
    said = say.refused(Exit.UNAVAILABLE, "formatting")
    assert said == "plan: /no/such/tools: the tools are not installed; run `make tools`"


def broken(root: Path, change: str) -> Path:
    """The shipped tasks, with one fault in `formatting`."""
    evals = root / "evals"
    shutil.copytree(EVALS, evals, symlinks=True)
    task = evals / "tasks/formatting"
    toml = (task / "task.toml").read_text("utf-8")
    match change:
        case "an unknown key":
            (task / "task.toml").write_text(f"promt = 'x'\n{toml}")
        case "contradictory lists":
            toml = toml.replace("installed = [", 'not_installed = ["rust-formatting"]\ninstalled = [')
            (task / "task.toml").write_text(toml)
        case "two tests in one file":
            check = next((task / "checks").glob("*.rs"))
            check.write_text(check.read_text("utf-8") + "\n#[test]\nfn another() {}\n")
        case "a missing plugin":
            (task / "task.toml").write_text(toml.replace("format-on-stop", "format-on-stopp"))
        case "a rehearsal that cannot be":
            (task / "rehearsals/oracle.yaml").write_text(
                "says: x\nexpect:\n  with-symposium: { outcome: failed }\nturns:\n  - dance: now\n"
            )
    return evals


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("an unknown key", "promt"),
        ("contradictory lists", "rust-formatting"),
        ("two tests in one file", "exactly one"),
        ("a missing plugin", "format-on-stopp"),
        ("a rehearsal that cannot be", "dance"),
    ],
)
def test_T04_a_task_that_cannot_be_right_is_bad_input_named_with_its_file(
    say: Say, tmp_path: Path, change: str, says: str
) -> None:
    said = say.refused(Exit.BAD_INPUT, "formatting", "--evals", broken(tmp_path, change))
    assert said.startswith("plan: ")
    assert "tasks/formatting/" in said
    assert says in said


def test_R02_a_results_folder_that_is_a_file_is_said(say: Say) -> None:
    say.results.write_text("mine")
    code, out, err = say("formatting")
    assert (code, out) == (Exit.UNAVAILABLE, "")
    assert err.startswith(f"plan: {say.results}/formatting/claude/")
    assert err.strip().endswith("give a writable --results")
    assert say.results.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="root may write anywhere")
def test_R02_a_results_folder_that_is_not_writable_is_said(tmp_path: Path) -> None:
    """As a user without rights; the checkout and this Python may be closed to that one."""
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    if subprocess.run([*nobody, *program("plan", "--help")], capture_output=True, check=False).returncode:
        pytest.skip("the checkout, or this Python, is closed to other users")
    where = ["--results", "/proc/results", "--eval-root", "/tmp"]
    env = {**os.environ, "AGENT_EVAL_TOOLS": str(SCRIPTS), "HOME": "/"}
    done = subprocess.run(
        [*nobody, *program("plan", "formatting", *where)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    assert done.returncode == Exit.UNAVAILABLE, done.stderr
    assert done.stderr.startswith("plan: /proc/results/formatting/claude/")
    assert done.stderr.count("\n") == 1


def test_O05_the_order_alternates_between_rounds_baseline_first(say: Say) -> None:
    code, out, _ = say("store-durability", "--trials", "3", "-j", "2")
    assert code == 0
    document_ = document(Path(out.strip()) / "batch.json")
    a, b = "without-symposium", "with-symposium"
    assert document_["order"] == [
        f"trial-1-{a}", f"trial-1-{b}", f"trial-2-{b}", f"trial-2-{a}", f"trial-3-{a}", f"trial-3-{b}",
    ]  # fmt: skip
    assert document_["jobs"] == 2


def test_O05_a_regression_task_runs_with_symposium_only(say: Say) -> None:
    _, out, _ = say("formatting", "--trials", "2")
    assert document(Path(out.strip()) / "batch.json")["order"] == [
        "trial-1-with-symposium",
        "trial-2-with-symposium",
    ]


def test_W02_without_a_model_all_is_rehearsed_whatever_keys_there_are(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    _, out, err = say("formatting")
    batch = Path(out.strip())
    assert "REHEARSED: no model is asked, nothing is spent" in err
    assert document(batch / "batch.json")["rehearsals"] == {"with-symposium": "oracle"}
    assert "a-key" not in "".join(f.read_text() for f in batch.rglob("*.json"))


def test_W02_a_model_run_says_first_how_many_trials_it_will_start(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    _, out, err = say("store-durability", "--model", "some-model", "--trials", "2")
    assert "4 trials of without-symposium and with-symposium; the model some-model answers" in err
    assert document(Path(out.strip()) / "batch.json")["rehearsals"] is None


def test_O06_the_plan_names_its_primary_measure_and_the_power_before_anything_runs(say: Say) -> None:
    _, out, err = say("store-durability", "--trials", "auto", "--detect", "0.6")
    planned = document(Path(out.strip()) / "batch.json")
    assert planned["primary"] == "success_rate"
    assert planned["detect"] == {"difference": 0.6, "power": pytest.approx(0.81, abs=0.01)}
    assert (planned["trials"], len(planned["order"])) == (10, 20)
    assert "primary measure: success rate, treatment minus control; all others are secondary" in err
    assert "hoped for: 10 trials per configuration show a true difference of +0.60 with power 0.81" in err
    assert "smallest difference with power 0.80: 10 trials" in err


def test_O06_little_power_is_said_with_the_next_step(say: Say) -> None:
    _, out, err = say("store-durability", "--trials", "3", "--detect", "0.4")
    assert "power 0.06 or more" in err
    assert "that is little: --trials auto chooses enough" in err
    assert document(Path(out.strip()) / "batch.json")["trials"] == 3


def test_an_aa_plan_has_one_setup_in_both_roles(say: Say) -> None:
    _, out, _ = say("formatting", "--aa", "--trials", "2")
    planned = document(Path(out.strip()) / "batch.json")
    assert claims.alike(planned["configurations"])
    assert [(c["name"], c["role"]) for c in planned["configurations"]] == [
        ("aa-control", "control"),
        ("aa-treatment", "treatment"),
    ]
    assert planned["order"][0] == "trial-1-aa-control"


PRICES = (
    "as_of: 2026-11-01\nusd_per_million: {some-model: {input: 3, output: 15, cache_read: 1, cache_write: 4}}"
)


def earlier(results: Path, **changes: Any) -> None:
    """A trial of some-model that took 7.2 s and 10,000 tokens of input."""
    usage = {**dict.fromkeys(was.USAGE, 0), "input_tokens": 10_000}
    model = {"name": "some-model", "settings": {}}
    made = was.result(model=model, rehearsal=None, usage=usage, timings={"launch": 7.2}, **changes)
    documents.write(results / "store-durability/claude/b/trial-1-x/result.json", "result/1", made)


def test_W02_time_and_cost_are_those_of_earlier_trials(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(PRICES)
    earlier(say.results)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", "a-key")
        _, out, err = say("store-durability", "--model", "some-model", "--trials", "5", "--prices", file)
    assert "expected time: about 72 s (1 before took 7 s each); by the deadlines at most 2 h 50 min" in err
    assert "expected cost: about $0.30 (1 before, prices of 2026-11-01)" in err
    planned = document(Path(out.strip()) / "batch.json")["prices"]
    assert (planned["as_of"], planned["usd_per_million"]["input"]) == ("2026-11-01", 3)


def test_37_a_cost_that_is_not_known_is_said_and_not_0(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(PRICES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", "a-key")
        _, _, without = say("store-durability", "--model", "some-model")
        _, out, other = say("store-durability", "--model", "other", "--prices", file)
        _, _, first = say("store-durability", "--model", "some-model", "--prices", file)
    assert "expected cost: not known, not 0: no price of some-model; give --prices FILE" in without
    assert "no price of other" in other
    assert document(Path(out.strip()) / "batch.json")["prices"]["usd_per_million"] is None
    assert "expected cost: not known, not 0: no trial of this task, client and model before" in first
    _, _, rehearsed = say("store-durability")
    assert "expected time: not known" in rehearsed
    assert "expected cost" not in rehearsed


def test_P01_no_folder_of_a_trial_is_or_holds_anothers(say: Say, tmp_path: Path) -> None:
    """Names may look like anything that is made of names."""
    own = tmp_path / "cargo-agents"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    names = ("x", "x-grading", "gradings", "trial-1-x")
    _, out, _ = say("formatting", "--trials", "2", "--compare", ",".join(f"{name}={own}" for name in names))
    trials = [document(file) for file in Path(out.strip()).glob("trial-*/trial.json")]
    places = [Path(trial["paths"][which]) for trial in trials for which in ("run", "grading")]
    assert len(set(places)) == len(places) == 16
    assert not any(one in other.parents for one in places for other in places)
