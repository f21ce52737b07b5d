#!/usr/bin/env node
// Never content.
require('fs').appendFileSync(process.env.CLAUDE_PROJECT_DIR + '/stops', 'x\n');
console.log(JSON.stringify({ decision: 'block', reason: 'keep going' }));
