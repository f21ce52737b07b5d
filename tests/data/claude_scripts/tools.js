#!/usr/bin/env node
// Which tools ran, with their results, and who asked for them; and the last text, from the end.
const fs = require('fs');
const payload = JSON.parse(fs.readFileSync(0, 'utf8'));
const lines = fs.readFileSync(payload.transcript_path, 'utf8').trim().split('\n').map(l => JSON.parse(l));
const uses = new Map();
const found = [];
for (const line of lines) {
  const content = line.message?.content;
  if (!Array.isArray(content)) continue;
  for (const block of content) {
    if (block.type === 'tool_use') uses.set(block.id, block);
    if (block.type === 'tool_result')
      found.push([uses.get(block.tool_use_id).name, uses.get(block.tool_use_id).input, block.content, !!block.is_error]);
  }
}
const last = lines.reverse().find(l => l.type === 'assistant' && l.message.content.some(b => b.type === 'text'));
fs.writeFileSync('tools', JSON.stringify({ found, open: uses.size - found.length, asked: uses.has(payload.tool_use_id),
  last: last && last.message.content.filter(b => b.type === 'text').map(b => b.text).join('') }));
