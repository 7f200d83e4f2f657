"""The probes. Adding one is adding an entry here."""

from __future__ import annotations

from probes import Probe


def request(host: str) -> str:
    """An HTTP request by hand (a trial may have no curl) through srt's proxy, which wants its token."""
    script = (
        "u=${HTTP_PROXY#http://}; t=${u%@*}; t=${t//%3D/=}; exec 3<>/dev/tcp/localhost/3128; "
        f'printf "GET http://{host}/ HTTP/1.1\\r\\nHost: {host}\\r\\nProxy-Authorization: Basic %s\\r\\n'
        'Connection: close\\r\\n\\r\\n" "$(printf %s "$t" | base64 -w0)" >&3; '
        'read -r _ status rest <&3; echo "$status"; [ "$status" = 200 ]'
    )
    return f"bash -c '{script}'"


PROBES = [
    Probe("own-folder", "the command starts in the project", '[ "$(pwd)" = "$PROJECT" ] && cat marker', True),
    Probe(
        "own-writes",
        "its own folders are writable",
        'for f in $WRITABLE; do : > "$f/.w" && rm "$f/.w" || exit 1; done',
        True,
    ),
    Probe(
        "temporary-files",
        "temporary files work, in its own folder",
        'f=$(mktemp) && echo $f && [ "${f#"$TMPDIR"/}" != "$f" ]',
        True,
    ),
    Probe("client-starts", "the real client starts", '"$CLIENT" --version', True),
    Probe(
        "cargo",
        "a project builds and its tests run, offline",
        'cp -R crate "$TMPDIR" && cd "$TMPDIR/crate" && cargo build --offline -q && cargo test --offline -q',
        True,
    ),
    Probe(
        "cargo-agents-starts",
        "the staged cargo-agents starts",
        "cargo-agents --version",
        True,
        only="treatment",
    ),
    Probe("model-answers", "the model's route answers", request("model.gw.test"), True),
    Probe("other-hosts", "no other host is reached", request("elsewhere.test"), False, "model-answers"),
    Probe(
        "direct-tcp",
        "no connection goes around the proxy",
        "bash -c ': <>/dev/tcp/127.0.0.1/$PORT'",
        False,
        "runner",
    ),
    Probe("developers-home", "the developer's home is closed", 'ls -A "$PERSON" | grep .', False, "runner"),
    Probe(
        "developers-cargo-agents",
        "the developer's cargo-agents is closed",
        'head -c 1 "$THEIRS" | grep -q .',
        False,
        "runner",
    ),
    Probe("other-trial", "another trial is closed", 'cat "$OTHER"', False, "trial"),
    Probe("earlier-batch", "an earlier batch is closed", 'cat "$EARLIER"', False, "trial"),
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
        "the staged cargo-agents cannot be run",
        '"$STAGED" --version',
        False,
        "trial",
        only="control",
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
        ': > "$TOOLS/.w" && rm "$TOOLS/.w"',
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
        "kernel-settings",
        "no kernel setting can be written",
        "v=$(cat /proc/sys/vm/swappiness) && echo $v > /proc/sys/vm/swappiness",
        False,
        "root",
    ),
    Probe("no-root", "nothing runs as root", '[ "$(id -u)" = 0 ]', False, "root"),
    Probe(
        "runners-environment",
        "the runner's environment stays outside",
        'env | grep "^$CANARY="',
        False,
        "runner",
    ),
]
