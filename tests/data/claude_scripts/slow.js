#!/usr/bin/env node
// Takes three seconds.
setTimeout(() => {
  require('fs').writeFileSync(`${process.env.CLAUDE_PROJECT_DIR}/slow.done`, 'done\n');
}, 3000);
