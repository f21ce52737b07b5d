#!/usr/bin/env node
// Notes the tool's name.
const fs = require('fs');
const { tool_name } = JSON.parse(fs.readFileSync('/dev/stdin', 'utf8'));
fs.appendFileSync(process.env.CLAUDE_PROJECT_DIR + '/fired', tool_name + '\n');
