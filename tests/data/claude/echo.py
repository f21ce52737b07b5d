#!/usr/bin/env python3
"""Approves a call, and sends its arguments back as they are."""
import json
import sys

call = json.load(sys.stdin)
print(json.dumps({"hookSpecificOutput": {
    "hookEventName": "PreToolUse",
    "permissionDecision": "allow",
    "updatedInput": call["tool_input"],
}}))
