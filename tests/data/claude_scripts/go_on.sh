#!/bin/sh
# Never content.
echo x >>"$CLAUDE_PROJECT_DIR/stops"
echo '{"decision": "block", "reason": "keep going"}'
