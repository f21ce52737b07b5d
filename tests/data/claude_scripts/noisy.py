#!/usr/bin/env python3
"""As guard, with a word on stdout first."""
import json
import sys

sys.stdout.reconfigure(encoding="utf-8")
print("checking…", flush=True)
if "rm -rf" in json.load(sys.stdin)["tool_input"]["command"]:
    sys.stderr.write("rm -rf is not allowed here\n")
    sys.exit(2)
