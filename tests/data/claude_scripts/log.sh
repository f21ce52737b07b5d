#!/bin/sh
# Notes the tool's name.
grep -o '"tool_name": *"[^"]*"' | head -n 1 | cut -d'"' -f4 >>"$CLAUDE_PROJECT_DIR/fired"
