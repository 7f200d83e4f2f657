#!/bin/sh
# PostToolUse hook: says on stderr that it cannot work, records its status, and fails with it.

cat >/dev/null 2>&1 # the client's message; an unread one could break the writer's pipe

if [ -n "${EVAL_EVIDENCE_DIR:-}" ]; then
    { printf '{"hook":"a-hook-exits-2","exit":2}\n' >>"$EVAL_EVIDENCE_DIR/hooks.jsonl"; } 2>/dev/null
fi

echo "a-hook-exits-2: cannot work here" >&2
exit 2
