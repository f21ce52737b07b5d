#!/usr/bin/env node
// Blocks, and says nothing.
process.exit(2);
