#!/bin/bash
# Refuses commands with "rm -rf" in them.
input=$(cat)
if grep -q '"tool_name": *"Bash"' <<<"$input" && grep -q '"command": *"[^"]*rm -rf' <<<"$input"; then
  echo "rm -rf is not allowed here" >&2
  exit 2
fi
exit 0
