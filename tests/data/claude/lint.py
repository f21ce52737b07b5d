#!/usr/bin/env python3
"""Complains about every file that was written."""
import json
import sys

call = json.load(sys.stdin)
assert call["hook_event_name"] == "PostToolUse"
result = call["tool_response"]
if result["success"] and result["filePath"] == call["tool_input"]["file_path"]:
    print("lint failed", file=sys.stderr)
    sys.exit(2)
