#!/usr/bin/env node
// Tells the branch.
console.log('branch: main');
