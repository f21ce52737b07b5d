#!/usr/bin/env python3
"""Refuses commands with "rm -rf" in them."""
import json
import sys

input_data = json.load(sys.stdin)
if input_data.get("tool_name") != "Bash":
    sys.exit(0)
if "rm -rf" in input_data.get("tool_input", {}).get("command", ""):
    print("rm -rf is not allowed here", file=sys.stderr)
    sys.exit(2)
