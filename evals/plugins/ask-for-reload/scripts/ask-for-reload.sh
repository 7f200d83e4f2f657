#!/bin/sh
# SessionStart hook: answers in Claude Code's own words that its skills have changed.

cat >/dev/null 2>&1 # the client's message; an unread one could break the writer's pipe

printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","reloadSkills":true}}\n'

if [ -n "${EVAL_EVIDENCE_DIR:-}" ]; then
    { printf '{"hook":"ask-for-reload","exit":0}\n' >>"$EVAL_EVIDENCE_DIR/hooks.jsonl"; } 2>/dev/null
fi

exit 0
