#!/usr/bin/env node
// Makes every command an ls.
const hookSpecificOutput = { hookEventName: 'PreToolUse', updatedInput: { command: 'ls' } };
process.stdout.write(JSON.stringify({ hookSpecificOutput }));
