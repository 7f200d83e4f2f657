#!/bin/sh
# PostToolUse hook: appends a line to $EVAL_EVIDENCE_DIR/hooks.jsonl for each tool call that has ended.

cat >/dev/null 2>&1 # the client's message; an unread one could break the writer's pipe

if [ -n "${EVAL_EVIDENCE_DIR:-}" ]; then
    { printf '{"hook":"count-tools","exit":0}\n' >>"$EVAL_EVIDENCE_DIR/hooks.jsonl"; } 2>/dev/null
fi

exit 0
