#!/usr/bin/env python3
"""Notes the tool's name."""
import json
import os
import sys

with open(os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "fired"), "a") as log:
    log.write(json.load(sys.stdin)["tool_name"] + "\n")
