// node --require: servers listen on 127.0.0.1, whatever they want, and say nothing but the port.
const net = require('node:net');
const listen = net.Server.prototype.listen;
const say = console.log;

console.log = console.error = () => {};
net.Server.prototype.listen = function (port, ...rest) {
	this.once('listening', () => say(this.address().port));
	const callbacks = rest.filter((x) => typeof x === 'function');
	return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...callbacks);
};
