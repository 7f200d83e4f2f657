"""What must work in a trial: its folders, its client, cargo, and in the treatment cargo-agents."""

from __future__ import annotations

from probes import LINES, Probe

PROBES = [
    Probe("own-folder", "the command starts in the project", '[ "$(pwd)" = "$PROJECT" ] && cat marker', True),
    Probe(
        "own-writes",
        "its own folders are writable",
        LINES + 'for f in $WRITABLE; do : > "$f/.w" && rm "$f/.w" || exit 1; done',
        True,
    ),
    Probe(
        "temporary-files",
        "temporary files work, in its own folder",
        'f=$(mktemp) && echo $f && [ "${f#"$TMPDIR"/}" != "$f" ]',
        True,
    ),
    Probe("client-starts", "the real client starts", '"$CLIENT" --version', True, slow=True),
    Probe(
        "cargo",
        "a project builds and its tests run, offline",
        'cp -R crate "$TMPDIR" && cd "$TMPDIR/crate" && cargo test --offline -q',
        True,
        slow=True,
    ),
    Probe(
        "cargo-agents-starts",
        "the staged cargo-agents starts",
        "cargo-agents --version",
        True,
        only="treatment",
        slow=True,
    ),
]
