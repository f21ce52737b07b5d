#!/bin/sh
# BeforeAgent: how many files there are, as context for the model.
cat >/dev/null # the event; nothing in it is needed
count=$(find . -type f ! -path './.gemini/*' | wc -l | tr -d ' ')
printf '{"hookSpecificOutput": {"additionalContext": "This folder holds %s files."}}\n' "$count"
