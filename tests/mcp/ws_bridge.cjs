// node ws_bridge.cjs SCRIPT: each WebSocket gets a `node SCRIPT` of its own, a message a line.
// The frames are the package ws's, which is what most servers by WebSocket use.  Prints its port.
const { spawn } = require('node:child_process');
const readline = require('node:readline');
const { WebSocketServer } = require('ws');

const server = new WebSocketServer({
	host: '127.0.0.1',
	port: 0,
	perMessageDeflate: true,
	handleProtocols: (names) => names.has('mcp') && 'mcp',
});

server.on('listening', () => console.log(server.address().port));
server.on('connection', (socket) => {
	const child = spawn(process.execPath, [process.argv[2]], { stdio: ['pipe', 'pipe', 'ignore'] });

	readline.createInterface({ input: child.stdout }).on('line', (line) => {
		socket.ping();
		// In two fragments.
		socket.send(line.slice(0, 20), { fin: line.length <= 20 });
		if (line.length > 20)
			socket.send(line.slice(20), { fin: true });
	});
	socket.on('message', (data, isBinary) => {
		if (isBinary)
			socket.close(1003);
		else
			child.stdin.write(data + '\n');
	});
	socket.on('close', () => child.kill());
});
