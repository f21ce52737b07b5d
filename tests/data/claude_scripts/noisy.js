#!/usr/bin/env node
// As guard, with a word on stdout first.
const fs = require('fs');
console.log('checking…');
if (JSON.parse(fs.readFileSync(0, 'utf8')).tool_input.command.includes('rm -rf')) {
  process.stderr.write('rm -rf is not allowed here\n');
  process.exitCode = 2;
}
