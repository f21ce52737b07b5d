#!/usr/bin/env python3
"""Makes every command an ls."""
import json

print(json.dumps({"hookSpecificOutput": {
    "hookEventName": "PreToolUse",
    "permissionDecision": "allow",
    "updatedInput": {"command": "ls"},
}}))
