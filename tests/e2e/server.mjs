// A tiny language model behind the APIs that agents use:  server.mjs NODE_MODULES MODEL [LOG]
//
// Listens on 127.0.0.1, prints its port in one line and answers until it is killed:
//
//	/v1/chat/completions (OpenAI; streamed and not, with tool calls)
//	/v1beta/models/NAME:streamGenerateContent?alt=sse, :generateContent, :countTokens (Gemini)
//
// One request at a time has the model; the others wait.  Each request's body is appended to LOG, a
// line each, before it is answered.
//
// The model was trained on conversations of a prompt, a call and the call's result, all short.  So
// it is shown the last prompt and what followed, without the blocks that a host adds in tags.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const CONTEXT = 512, MAX_ANSWER = 160, MAX_TEXT = 120;  // tokens; a byte is a token
const TOKEN = { begin: 1, stop: 2, byte: 3, user: 259, model: 260, tool: 261, end: 262 };
const ADDED = /<(session_context|hook_context|loaded_context)>[\s\S]*?<\/\1>/g;
const TAG = /<\/?untrusted_context>/g;

const [modules, modelPath, log] = process.argv.slice(2);
const { getLlama } = await import(pathToFileURL(join(modules, 'node-llama-cpp/dist/index.js')));
const llama = await getLlama({ build: 'never', gpu: false, logLevel: 'error', maxThreads: 1 });
const model = await llama.loadModel({ modelPath });
const sequence = (await model.createContext({ contextSize: CONTEXT })).getSequence();

// ---- The model ----

// Turns are {who: "user" | "model" | "tool", text}.

function promptTokens(turns) {
	const tokens = [TOKEN.begin];
	for (const { who, text } of turns.slice(turns.findLastIndex((t) => t.who === 'user'))) {
		const bytes = Buffer.from(text).subarray(0, MAX_TEXT);
		tokens.push(TOKEN[who], ...Array.from(bytes, (b) => b + TOKEN.byte), TOKEN.end);
	}
	return [...tokens.slice(0, CONTEXT - MAX_ANSWER - 1), TOKEN.model];
}

async function* answerBytes(tokens) {
	let n = 0;
	await sequence.clearHistory();
	for await (const token of sequence.evaluate(tokens, { temperature: 0 })) {
		if (token === TOKEN.end || token === TOKEN.stop || ++n > MAX_ANSWER)
			return;
		if (token >= TOKEN.byte && token < TOKEN.user)
			yield token - TOKEN.byte;
	}
}

// The answer word by word, as models with larger vocabularies speak, until the client has gone.
async function* answerWords(tokens, response) {
	let word = [];
	for await (const byte of answerBytes(tokens)) {
		if (response.destroyed)
			return;
		word.push(byte);
		if (byte === 0x20) {
			yield Buffer.from(word).toString();
			word = [];
		}
	}
	if (word.length)
		yield Buffer.from(word).toString();
}

// The model writes a call as {"name":NAME,"args":{...}}, and sometimes gets it wrong.
function parseCall(text) {
	try {
		const { name, args } = JSON.parse(text);
		return { name, args, raw: JSON.stringify(args) };
	} catch {
		const [, name = 'unknown', raw = text] =
			/^\{"name":"(\w+)","args":(.*?)\}?$/s.exec(text) ?? [];
		return { name, args: null, raw };
	}
}

// Runs the model; onText gets the words of an answer that is not a call.
async function answer(turns, response, onText) {
	const tokens = promptTokens(turns);
	let text = '';
	for await (const word of answerWords(tokens, response)) {
		text += word;
		if (text[0] !== '{')
			onText?.(word);
	}
	const call = text[0] === '{' ? parseCall(text) : null;
	return { text, call, asked: tokens.length, said: Buffer.byteLength(text) };
}

const userTurn = (text) => ({ who: 'user', text: text.replace(ADDED, '').trim() });
const toolTurn = (text) => ({ who: 'tool', text: text.replace(TAG, '').trim() });
const callTurn = (name, args) => ({ who: 'model', text: `{"name":"${name}","args":${args}}` });

// ---- OpenAI ----

function openaiTurn({ role, content, tool_calls }) {
	const text = content ?? '';
	if (tool_calls)
		return tool_calls.map(({ function: f }) => callTurn(f.name, f.arguments));
	if (role === 'system')
		return [];
	return role === 'tool' ? toolTurn(text) : role === 'user' ? userTurn(text) :
		{ who: 'model', text };
}

const openaiTurns = (body) => body.messages.flatMap(openaiTurn).filter((turn) => turn.text);

const openaiCalls = ({ name, raw }) => [{
	index: 0, id: 'call_' + process.hrtime.bigint(), type: 'function',
	function: { name, arguments: raw },
}];

const openaiUsage = ({ asked, said }) => ({
	prompt_tokens: asked, completion_tokens: said, total_tokens: asked + said,
});

async function openaiStream(body, response) {
	const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', model: body.model };
	const send = (more) => event(response, { ...head, ...more }, '\n\n');
	const say = (delta, finish_reason = null) =>
		send({ choices: [{ index: 0, delta, finish_reason }] });
	const a = await answer(openaiTurns(body), response, (content) => say({ content }));
	if (a.call)
		say({ tool_calls: openaiCalls(a.call) });
	say({}, a.call ? 'tool_calls' : 'stop');
	if (body.stream_options?.include_usage)
		send({ choices: [], usage: openaiUsage(a) });
	response.end('data: [DONE]\n\n');
}

async function openaiWhole(body, response) {
	const a = await answer(openaiTurns(body), response);
	const message = { role: 'assistant', content: a.call ? null : a.text };
	if (a.call)
		message.tool_calls = openaiCalls(a.call);
	const finish_reason = a.call ? 'tool_calls' : 'stop';
	json(response, 200, {
		id: 'chatcmpl-1', object: 'chat.completion', model: body.model,
		choices: [{ index: 0, message, finish_reason }], usage: openaiUsage(a),
	});
}

// ---- Gemini ----

function geminiPartTurn({ functionCall: call, functionResponse: result }) {
	if (call)
		return callTurn(call.name, JSON.stringify(call.args));
	return result ? toolTurn(String(result.response.output ?? result.response.error)) : [];
}

function geminiTurn({ role, parts }) {
	const texts = parts.filter((part) => part.text && !part.thought);
	const text = texts.map((part) => part.text).join('');
	const turn = role === 'model' ? { who: 'model', text } : userTurn(text);
	return [...parts.flatMap(geminiPartTurn), turn];
}

const geminiTurns = (body) => body.contents.flatMap(geminiTurn).filter((turn) => turn.text);

function geminiChunk(parts, finishReason) {
	const candidate = { content: { role: 'model', parts }, index: 0, finishReason };
	return { candidates: [candidate], modelVersion: 'tiny' };
}

// The end of an answer.  Like the service, it does not pass on a call that is broken.
function geminiEnd({ call, asked, said }, parts) {
	const broken = call && !call.args;
	if (call && !broken)
		parts = [{ functionCall: { name: call.name, args: call.args } }];
	return {
		...geminiChunk(parts, broken ? 'MALFORMED_FUNCTION_CALL' : 'STOP'),
		usageMetadata: { promptTokenCount: asked, candidatesTokenCount: said,
			totalTokenCount: asked + said },
	};
}

async function geminiStream(body, response) {
	const send = (chunk) => event(response, chunk, '\r\n\r\n');
	const a = await answer(geminiTurns(body), response, (text) =>
		send(geminiChunk([{ text }])));
	send(geminiEnd(a, []));
	response.end();
}

async function geminiWhole(body, response) {
	const a = await answer(geminiTurns(body), response);
	json(response, 200, geminiEnd(a, a.call ? [] : [{ text: a.text }]));
}

function geminiCount(body, response) {
	const turns = geminiTurns(body.generateContentRequest ?? body);
	json(response, 200, { totalTokens: promptTokens(turns).length });
}

// ---- HTTP ----

function event(response, value, end) {
	if (!response.headersSent)
		response.writeHead(200, { 'content-type': 'text/event-stream' });
	response.write('data: ' + JSON.stringify(value) + end);
}

function json(response, status, value) {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(value));
}

const refuse = (response, status, message) =>
	json(response, status, { error: { code: status, message } });

const ROUTES = [
	[/^\/v1\/chat\/completions$/, (body, response) =>
		body.stream ? openaiStream(body, response) : openaiWhole(body, response)],
	[/:streamGenerateContent\?alt=sse$/, geminiStream],
	[/:generateContent$/, geminiWhole],
	[/:countTokens$/, geminiCount],
];

async function handle(request, response) {
	let text = '';
	for await (const piece of request.setEncoding('utf8'))
		text += piece;
	const route = ROUTES.find(([path]) => path.test(request.url));
	if (!route || request.method !== 'POST')
		return refuse(response, 404, 'there is no ' + request.url);
	const body = JSON.parse(text);
	if (log)
		appendFileSync(log, JSON.stringify({ path: request.url, body }) + '\n');
	await route[1](body, response);
}

let last = Promise.resolve();
const server = createServer((request, response) => {
	last = last.then(() => handle(request, response)).catch((error) =>
		response.headersSent ? response.destroy() : refuse(response, 400, String(error)));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
