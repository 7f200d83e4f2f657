"""What is closed: other trials, earlier batches and their results, evals/, the developer's things, tools."""

from __future__ import annotations

from probes import LINES, Probe

PROBES = [
    Probe("developers-home", "the developer's home is closed", 'ls -A "$PERSON" | grep .', False, "runner"),
    Probe(
        "developers-home-by-proc",
        "... also by /proc/self/root",
        'ls -A "/proc/self/root$PERSON" | grep .',
        False,
        "runner",
    ),
    Probe(
        "developers-cargo-agents",
        "the developer's cargo-agents is closed",
        'head -c 1 "$THEIRS" | grep -q .',
        False,
        "runner",
    ),
    Probe("other-trial", "another trial is closed", 'cat "$OTHER"', False, "trial"),
    Probe("other-trial-by-dots", "... also by ..", 'cat "$OTHER_BY_DOTS"', False, "trial"),
    Probe(
        "other-trial-by-proc", "... also by /proc/self/root", 'cat "/proc/self/root$OTHER"', False, "trial"
    ),
    Probe(
        "other-trial-by-link",
        "... also by a link",
        'ln -sf "$OTHER" "$TMPDIR/link" && cat "$TMPDIR/link"',
        False,
        "trial",
    ),
    Probe(
        "inherited-descriptor",
        "... also by a descriptor that the runner had open",
        'for f in /proc/self/fd/*; do cat "$f/held" 2>/dev/null && exit 0; done; exit 1',
        False,
        "runner",
        before='exec 9< "$OTHER_FOLDER"; ',
    ),
    Probe("earlier-batch", "an earlier batch is closed", 'cat "$EARLIER"', False, "trial"),
    Probe("results", "the results of other batches are closed", 'cat "$RESULT"', False, "runner"),
    Probe("evals", "evals/ is closed", 'ls -A "$EVALS" | grep .', False, "runner"),
    Probe(
        "control-folder",
        "the policy and the gateway's socket are out of sight",
        'cat "$CONTROL/srt.json" || ls "$CONTROL/gw.sock"',
        False,
        "trial",
    ),
    Probe(
        "staged-cargo-agents",
        "no cargo-agents of the batch but its own staged one can be run",
        LINES + 'n=0; for f in $STAGED; do "$f" --version && n=$((n+1)); done; [ $n -ge "${all:-1}" ]',
        False,
        "trial",
        before=LINES + "set -- $STAGED; all=$#; ",
    ),
    Probe(
        "cargo-agents-on-path",
        "no cargo-agents or symposium is on PATH",
        "command -v cargo-agents || command -v symposium",
        False,
        "runner",
        only="control",
    ),
    Probe(
        "write-tools",
        "the staged tools cannot be changed",
        'f=$(mktemp "$TOOLS/.wXXXXXX") && rm "$f"',  # another node's probes may do the same here
        False,
        "runner",
    ),
    Probe(
        "write-elsewhere",
        "nothing it writes elsewhere arrives",
        ': > "$ARRIVES"',
        False,
        "trial",
        lands="ARRIVES",
    ),
    Probe(
        "write-tmp",
        "nothing it writes to /tmp arrives",
        ': > "$SHARED_TMP"',
        False,
        "trial",
        lands="SHARED_TMP",
    ),
]
