#!/usr/bin/env node
// A tool of it is missing.
console.error('eslint: not found');
process.exit(1);
