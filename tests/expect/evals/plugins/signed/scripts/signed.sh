#!/bin/sh
# Fails without a record. Other hooks append theirs to $EVAL_EVIDENCE_DIR/hooks.jsonl.
cat >/dev/null 2>&1
exit 1
