// Compares our JSON with JavaScript's on generated documents.
//
//	node test_json.mjs DRIVER [COUNT [SEED]]
//
// DRIVER is the program made of drive_json.c.  Every document must be accepted by both or by
// neither, and an accepted one must print the same bytes as JSON.stringify(JSON.parse(text)).  The
// text that JSON.parse sees is that of Buffer.toString('utf8'), so invalid UTF-8 is covered too.
import { spawnSync } from 'node:child_process';

const [driver, countText = '20000', seedText = '1'] = process.argv.slice(2);
if (!driver) {
	console.error('usage: test_json.mjs DRIVER [COUNT [SEED]]');
	process.exit(2);
}
const count = Number(countText);

// xorshift128: the same seed gives the same documents everywhere.
let state = [Number(seedText) >>> 0 || 1, 0x9e3779b9, 0x243f6a88, 0xb7e15162];
function u32() {
	let t = state[3];
	const s = state[0];
	state = [s, state[0], state[1], state[2]];
	t ^= t << 11;
	t ^= t >>> 8;
	state[0] = (t ^ s ^ (s >>> 19)) >>> 0;
	return state[0];
}
for (let i = 0; i < 16; i++)
	u32();
const below = (n) => u32() % n;
const chance = (n) => below(n) === 0;
const pick = (list) => list[below(list.length)];
const repeat = (n, fn) => Array.from({ length: n }, fn);

const view = new DataView(new ArrayBuffer(8));
function randomDouble() {
	view.setUint32(0, u32());
	view.setUint32(4, u32());
	return view.getFloat64(0);
}
const digits = (n) => repeat(n, () => below(10)).join('').replace(/^0+(?=.)/, '');

const numbers = [
	() => String(below(100)),
	() => String(below(2000000) - 1000000),
	() => '-0',
	() => pick(['0.0', '-0.0', '0e0', '0E+5', '-0e-7', '1e0', '1.0', '1.50', '100e-2']),
	() => JSON.stringify(randomDouble()),
	() => JSON.stringify(2 ** (below(2098) - 1074)),
	() => JSON.stringify(-(2 ** (below(2098) - 1074)) * (1 + 2 ** -52)),
	() => JSON.stringify(2 ** (below(120) - 60)),
	() => pick([digits(15), digits(16), digits(17), digits(18), digits(25), digits(400)]),
	() => `${digits(1 + below(5))}.${repeat(1 + below(20), () => below(10)).join('')}`,
	() => `0.${'0'.repeat(below(10))}${digits(1 + below(17))}`,
	() => `${digits(1 + below(17))}${pick(['e', 'E'])}${pick(['', '+', '-'])}${below(330)}`,
	() => `${below(10)}.${digits(17)}e${pick(['', '+', '-'])}${below(400)}`,
	() => JSON.stringify(below(1000000) * Number.MIN_VALUE),
	() => `${digits(1 + below(3))}e-${300 + below(40)}`,
	() => pick(['5e-324', '2e-324', '3e-324', '1.7976931348623157e308', '1e309', '-1e400',
		'2.2250738585072014e-308', '2.2250738585072011e-308', '9007199254740993',
		'9223372036854775808', '18446744073709551616', '1e21', '1e20', '999999999999999999999',
		'123456789012345680000', '1e-6', '1e-7', '0.000001', '0.0000012345', '1e1000000000']),
	() => JSON.stringify(randomDouble() % 1e6),
	() => (below(1000000) / 1000).toFixed(3),
	() => (below(1000000) / 100).toString(),
];
const number = () => pick(numbers)();

const pieces = [
	() => 'a', () => 'hello world', () => ' ', () => '/', () => '\\/', () => '\\\\', () => '\\"',
	() => '\\n', () => '\\b\\f\\r\\t', () => '\x7f', () => 'é', () => '日本語のテキスト', () => '🎉',
	() => '\u2028\u2029', () => '\ufeff', () => '\ufffd', () => '\u{10ffff}', () => '߿ࠀ',
	() => 'x'.repeat(below(40)), () => 'é'.repeat(below(20)),
	() => `\\u00${pick(['00', '01', '1f', '1F', '20', '22', '5c', '7f', 'e9'])}`,
	() => `\\u${below(65536).toString(16).padStart(4, '0')}`,
	() => `\\ud8${below(256).toString(16).padStart(2, '0')}`,
	() => `\\uDC${below(256).toString(16).padStart(2, '0').toUpperCase()}`,
	() => `\\ud83d\\ude${(below(256)).toString(16).padStart(2, '0')}`,
	() => '\\ud83d\\ud83d\\ude00', () => '\\ude00\\ud83d', () => '\\ud83dx', () => '\\ud83d\\n',
];
const string = () => `"${repeat(below(7), () => pick(pieces)()).join('')}"`;

const names = ['a', 'b', 'name', '__proto__', 'constructor', 'toString', '0', '1', '2', '10', '01', '-1', '007',
	'4294967294', '4294967295', '4294967296', '99999999999', '1.5', '', 'é', '\\u0061', '\\u0030', '\\u0000',
	'a\\u0000b', '\\ud83d', 'length'];
const key = () => (chance(4) ? string() : chance(4) ? `"${below(50)}"` : `"${pick(names)}"`);

const spaces = ['', '', '', '', '', ' ', '\n', '\r\n', '\t', '          ', '\n        '];
const space = () => pick(spaces);
const list = (open, close, n, fn) =>
	`${open}${space()}${repeat(n, fn).join(`${space()},${space()}`)}${space()}${close}`;

function value(depth) {
	const kind = depth > 5 ? 2 + below(6) : below(8);
	const size = chance(60) ? 20 + below(60) : below(6);
	if (kind === 0)
		return list('[', ']', size, () => value(depth + 1));
	if (kind === 1)
		return list('{', '}', size, () => `${key()}${space()}:${space()}${value(depth + 1)}`);
	if (kind < 5)
		return number();
	return kind < 7 ? string() : pick(['true', 'false', 'null']);
}

const junk = [...'{}[]",:\\/ 0123456789.eE+-tfnu\n\t\0\x01a\'', '\ufeff', '//', '/*', '*/', 'NaN', 'Infinity',
	'undefined', '\u00a0', '\u2028', '\\x41', '\\u12', 'True', ',,', '[]', '0x10', '+1', '.5', '1.', '-'];
const badBytes = [[0x80], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0xbd], [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
	[0xe3, 0x81], [0xf0, 0x9f, 0x8e], [0xf0, 0x9f], [0xf4, 0x90, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80],
	[0xe0, 0x80, 0xaf], [0xc3], [0xf1, 0x80, 0x80, 0x22], [0xef, 0xbf, 0xbe]];

// One random change: cut, drop, repeat, replace, insert.
function mutate(bytes) {
	const at = below(bytes.length + 1), to = Math.min(bytes.length, at + below(4));
	const what = below(6);
	if (what === 0)
		return bytes.subarray(0, at);
	if (what === 1)
		return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
	if (what === 2)
		return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
	if (what === 3)
		return Buffer.concat([bytes.subarray(0, at), Buffer.from(pick(junk)), bytes.subarray(to)]);
	if (what === 4)
		return Buffer.concat([bytes.subarray(0, at), Buffer.from(pick(junk)), bytes.subarray(at)]);
	return Buffer.concat([bytes.subarray(0, at), Buffer.from(pick(badBytes)), bytes.subarray(at)]);
}

function documentOf(i) {
	let bytes = Buffer.from(`${space()}${chance(3) ? value(0) : list('[', ']', 1 + below(8), () => value(1))}${space()}`);
	if (i % 3 === 2)
		for (let n = 1 + below(3); n > 0; n--)
			bytes = mutate(bytes);
	return bytes;
}

function reference(bytes, indent) {
	let v;
	try {
		v = JSON.parse(bytes.toString('utf8'));
	} catch {
		return null;
	}
	return Buffer.from(JSON.stringify(v, null, indent));
}

function run(documents, pretty) {
	const parts = [];
	for (const bytes of documents) {
		const head = Buffer.alloc(4);
		head.writeUInt32LE(bytes.length);
		parts.push(head, bytes);
	}
	const child = spawnSync(driver, pretty ? ['pretty'] : [], { input: Buffer.concat(parts), maxBuffer: 2 ** 31 - 1 });
	if (child.status !== 0) {
		console.error(`${driver}: ${child.error ?? `status ${child.status}, signal ${child.signal}`}\n${child.stderr}`);
		process.exit(1);
	}
	return child.stdout;
}

// Where the texts part, with what stands around.
function show(bytes, ours, theirs) {
	const a = ours.toString(), b = theirs.toString();
	let at = 0;
	while (at < a.length && a[at] === b[at])
		at++;
	console.error(`document (as Latin-1)  ${JSON.stringify(bytes.toString('latin1')).slice(0, 1000)}`);
	console.error(`  ours    ${a.slice(Math.max(0, at - 20), at + 60)}\n  theirs  ${b.slice(Math.max(0, at - 20), at + 60)}`);
}

function compare(documents, pretty) {
	const answers = run(documents, pretty);
	let at = 0, differences = 0;
	for (const bytes of documents) {
		const accepted = answers[at] === 1, n = answers.readUInt32LE(at + 1);
		const ours = answers.subarray(at + 5, at + 5 + n);
		const theirs = reference(bytes, pretty ? 2 : 0);
		at += 5 + n;
		if (theirs ? accepted && theirs.equals(ours) : !accepted)
			continue;
		if (++differences <= 5)
			show(bytes, accepted ? ours : 'refused', theirs ?? 'refused');
	}
	return differences;
}

const documents = repeat(count, (_, i) => documentOf(i));
const plain = Math.ceil(count * 0.8);
const differences = compare(documents.slice(0, plain), false) + compare(documents.slice(plain), true);
console.log(`1..1\n${differences ? 'not ' : ''}ok 1 - ${count} documents, ${differences} differences`);
process.exit(differences ? 1 : 0);
