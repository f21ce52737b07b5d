#!/usr/bin/env python3
"""Refuses commands with "rm -rf" in them, and talks on stdout."""
import json
import sys

print("checking…")
call = json.load(sys.stdin)
if "rm -rf" in call["tool_input"].get("command", ""):
    print("rm -rf is not allowed here", file=sys.stderr)
    sys.exit(2)
