#!/usr/bin/env python3
"""Refuses what it is asked about, in JSON."""
import json
import sys

call = json.load(sys.stdin)
print(json.dumps({
    "hookSpecificOutput": {
        "hookEventName": call["hook_event_name"],
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    },
}))
