#!/bin/sh
# Stop hook: records whether the crate was formatted when the agent stopped, then formats it.
# It appends one line to $EVAL_EVIDENCE_DIR/hooks.jsonl:
#   {"hook":"format-on-stop","exit":<cargo fmt>,"formatted_before":true|false|null,"check_exit":<cargo fmt --check>}
# It prints nothing and always exits 0: a Stop hook that speaks or fails would change the session that it observes.

cat >/dev/null 2>&1 # the client's message; an unread one could break the writer's pipe

cargo fmt --check >/dev/null 2>&1 </dev/null
check_exit=$?
cargo fmt >/dev/null 2>&1 </dev/null
fmt_exit=$?

# `cargo fmt --check` also fails for code that does not parse: then nobody can say whether it was formatted.
if [ "$check_exit" -eq 0 ]; then
    formatted_before=true
elif [ "$fmt_exit" -eq 0 ]; then
    formatted_before=false
else
    formatted_before=null
fi

if [ -n "${EVAL_EVIDENCE_DIR:-}" ]; then
    {
        printf '{"hook":"format-on-stop","exit":%d,"formatted_before":%s,"check_exit":%d}\n' \
            "$fmt_exit" "$formatted_before" "$check_exit" >>"$EVAL_EVIDENCE_DIR/hooks.jsonl"
    } 2>/dev/null
fi

exit 0
