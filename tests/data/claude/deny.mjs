#!/usr/bin/env node
// Refuses what it is asked about, in JSON.
import { readFileSync } from 'node:fs';

const call = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify({
  hookSpecificOutput: {
    hookEventName: call.hook_event_name,
    permissionDecision: 'deny',
    permissionDecisionReason: 'no',
  },
}));
