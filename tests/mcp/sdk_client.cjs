// The client of the MCP SDK with `trotline mcp serve`:  node sdk_client.cjs MODULES TROTLINE
// MODULES/node_modules has @modelcontextprotocol/sdk.  Throws when something is not as it should be.
'use strict';
const assert = require('assert');
const { createRequire } = require('module');
const path = require('path');
const from = createRequire(path.join(path.resolve(process.argv[2]), 'package.json'));
const { Client } = from('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = from('@modelcontextprotocol/sdk/client/stdio.js');

async function main() {
	const transport = new StdioClientTransport({
		command: process.argv[3], args: ['mcp', 'serve'], env: process.env,
	});
	const client = new Client({ name: 'sdk-client', version: '1' }, { capabilities: {} });
	let version;
	transport.setProtocolVersion = (v) => { version = v; };
	await client.connect(transport);
	assert.equal(version, '2025-11-25');
	assert.equal(client.getServerVersion().name, 'trotline');
	assert.ok(client.getInstructions().includes('hooks_list'));
	await client.ping();
	const { tools } = await client.listTools();
	assert.equal(tools.length, 5);
	const list = await client.callTool({ name: 'hooks_list', arguments: {} });
	assert.equal(list.structuredContent.hooks[0].name, 'no-writing');
	const run = await client.callTool({
		name: 'hooks_run', arguments: { event: 'BeforeTool', tool: 'write_file' },
	});
	assert.equal(run.structuredContent.outcome.verdict, 'deny');
	await assert.rejects(client.callTool({ name: 'nope' }), /-32602/);
	const wrong = await client.callTool({ name: 'hooks_run', arguments: { event: 'x' } });
	assert.ok(wrong.isError && wrong.content[0].text.includes('BeforeTool'));
	const { resources } = await client.listResources();
	const read = await client.readResource({ uri: resources[0].uri });
	assert.ok(JSON.parse(read.contents[0].text).events.length > 10);
	await client.listResourceTemplates();
	const { prompts } = await client.listPrompts();
	const prompt = await client.getPrompt({
		name: prompts[0].name, arguments: { event: 'BeforeTool', purpose: 'test' },
	});
	assert.equal(prompt.messages[0].role, 'user');
	const stop = new AbortController();
	const call = client.callTool({ name: 'hooks_lint', arguments: {} }, undefined,
		{ signal: stop.signal });
	stop.abort();
	await assert.rejects(call);
	await client.ping();
	await client.close();
}

main().catch((e) => {
	console.error(e);
	process.exit(1);
});
