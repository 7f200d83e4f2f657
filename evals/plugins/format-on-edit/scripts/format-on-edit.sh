#!/bin/sh
# PostToolUse hook: formats the crate and appends {"hook":"format-on-edit","exit":<cargo fmt>} to
# $EVAL_EVIDENCE_DIR/hooks.jsonl. It prints nothing and exits 0, whatever cargo says.

cat >/dev/null 2>&1 # the client's message; an unread one could break the writer's pipe

cargo fmt >/dev/null 2>&1 </dev/null
fmt_exit=$?

if [ -n "${EVAL_EVIDENCE_DIR:-}" ]; then
    { printf '{"hook":"format-on-edit","exit":%d}\n' "$fmt_exit" >>"$EVAL_EVIDENCE_DIR/hooks.jsonl"; } 2>/dev/null
fi

exit 0
