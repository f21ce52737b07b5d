#!/usr/bin/env node
// Refuses what it is asked about, in JSON.
const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify({
  hookSpecificOutput: {
    hookEventName: call.hook_event_name,
    permissionDecision: 'deny',
    permissionDecisionReason: 'no',
  },
}));
