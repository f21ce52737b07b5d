#!/bin/sh
# Refuses what it is asked about, in JSON.
cat <<'END'
{
  "hookSpecificOutput": {
    "hookEventName": "PreToolUse",
    "permissionDecision": "deny",
    "permissionDecisionReason": "no"
  }
}
END
