#!/usr/bin/env node
// Makes every command an ls; as its author knew nothing of other arguments, it sends none.
console.log(JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'ls' } },
}));
