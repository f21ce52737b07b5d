// What starting a hook costs a host that runs on Node: for each line of stdin one child process,
// started the way such hosts do, and its microseconds as a line on stdout.
//
//	node spawn.mjs MEGABYTES COMMAND	MEGABYTES of memory that the host has touched
//
// Each child reads 1 KB; it is over when it has exited and its pipes are closed.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [megabytes, command] = process.argv.slice(2);
const heap = Buffer.alloc(Number(megabytes) << 20, 1);
const payload = 'x'.repeat(1024);

function once() {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn('bash', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data) => { output += data; });
    child.stderr.on('data', (data) => { output += data; });
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', () => resolve(Number(process.hrtime.bigint() - start) / 1000));
    child.stdin.write(payload);
    child.stdin.end();
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'end')
    break;
  console.log((await once()).toFixed(1));
}
process.exitCode = heap[0] === 1 ? 0 : 1;
