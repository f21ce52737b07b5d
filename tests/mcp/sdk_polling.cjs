// A server of the MCP SDK by streamable HTTP whose tool ends the stream of its call twice before it
// answers:  node sdk_polling.cjs MODULES.  Prints its port.
'use strict';
const { randomUUID } = require('node:crypto');
const http = require('node:http');
const path = require('node:path');
const from = require('node:module').createRequire(
	path.join(path.resolve(process.argv[2]), 'package.json'));
const { McpServer } = from('@modelcontextprotocol/sdk/server/mcp.js');
const { StreamableHTTPServerTransport } =
	from('@modelcontextprotocol/sdk/server/streamableHttp.js');

// Events by stream, with ids that tell both.
class Events {
	streams = new Map();
	waiting = [];

	async storeEvent(stream, message) {
		const list = this.streams.get(stream) || [];
		this.streams.set(stream, list);
		list.push(message);
		return `${stream}_${list.length}`;
	}
	async getStreamIdForEventId(id) {
		return id.slice(0, id.lastIndexOf('_'));
	}
	async replayEventsAfter(id, { send }) {
		const stream = await this.getStreamIdForEventId(id);
		const list = this.streams.get(stream) || [];
		for (let i = Number(id.slice(stream.length + 1)); i < list.length; i++)
			if (list[i].jsonrpc)
				await send(`${stream}_${i + 1}`, list[i]);
		this.waiting.splice(0).forEach((resolve) => setImmediate(resolve));
		return stream;
	}
	// Until some stream has been taken up, and the transport knows.
	resumed() {
		return new Promise((resolve) => this.waiting.push(resolve));
	}
}

async function longTask(events, extra) {
	let closed = 0;
	for (; closed < 2; closed++) {
		const resumed = events.resumed();
		extra.closeSSEStream();
		await extra.sendNotification({ method: 'notifications/progress', params: {
			progressToken: extra._meta.progressToken, progress: closed + 1 } });
		await resumed;
	}
	return { content: [{ type: 'text', text: `streams closed: ${closed}` }] };
}

async function main() {
	const events = new Events();
	const server = new McpServer({ name: 'polling', version: '1' });
	const transport = new StreamableHTTPServerTransport({
		sessionIdGenerator: () => randomUUID(), eventStore: events, retryInterval: 20,
	});

	server.registerTool('long-task', { description: 'Ends its streams' },
		(extra) => longTask(events, extra));
	await server.connect(transport);
	const web = http.createServer((req, res) => transport.handleRequest(req, res));
	web.listen(0, '127.0.0.1', () => console.log(web.address().port));
}

main();
