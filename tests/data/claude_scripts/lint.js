#!/usr/bin/env node
// Complains about what was written.
process.stdin.resume();
process.stdin.on('end', () => {
  console.error('lint failed');
  process.exit(2);
});
