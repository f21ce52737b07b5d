#!/usr/bin/env python3
"""Never content."""
import json
import os

with open(os.environ["CLAUDE_PROJECT_DIR"] + "/stops", "a") as f:
    f.write("x\n")
print(json.dumps({"decision": "block", "reason": "keep going"}))
