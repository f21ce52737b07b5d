#!/bin/sh
# Takes three seconds.
sleep 3
echo 'done' >"$CLAUDE_PROJECT_DIR/slow.done"
