#!/usr/bin/env python3
"""Takes three seconds."""
import os
import time

time.sleep(3)
with open(os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "slow.done"), "w") as f:
    f.write("done\n")
