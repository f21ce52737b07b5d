#!/usr/bin/env node
// Refuses commands with "rm -rf" in them.
let input = '';
process.stdin.on('data', (chunk) => (input += chunk));
process.stdin.on('end', () => {
  const { tool_name, tool_input } = JSON.parse(input);
  if (tool_name === 'Bash' && tool_input.command.includes('rm -rf')) {
    console.error('rm -rf is not allowed here');
    process.exit(2);
  }
});
