// A tiny language model behind the APIs that agents use:  server.mjs NODE_MODULES MODEL [LOG]
//
// Listens on 127.0.0.1, prints its port in one line and answers until it is killed:
//
//	POST /v1/chat/completions                             OpenAI, streamed or not, with tool calls
//	POST /v1beta/models/NAME:streamGenerateContent?alt=sse       Gemini
//	POST /v1beta/models/NAME:generateContent
//	POST /v1beta/models/NAME:countTokens
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

const openai = {
	turns(body) {
		return body.messages.filter((m) => m.role !== 'system').flatMap((m) => {
			const text = m.content ?? '';
			if (m.tool_calls)
				return m.tool_calls.map(({ function: f }) => callTurn(f.name, f.arguments));
			return m.role === 'tool' ? toolTurn(text) : m.role === 'user' ? userTurn(text) :
				{ who: 'model', text };
		}).filter((turn) => turn.text);
	},

	calls({ call }) {
		return [{ index: 0, id: 'call_' + process.hrtime.bigint(), type: 'function',
			function: { name: call.name, arguments: call.raw } }];
	},

	usage: ({ asked, said }) => ({
		prompt_tokens: asked, completion_tokens: said, total_tokens: asked + said }),

	async stream(body, response) {
		const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model: body.model };
		const send = (delta, finish_reason = null) => event(response, {
			...head, choices: [{ index: 0, delta, finish_reason }] }, '\n\n');
		const a = await answer(openai.turns(body), response, (content) => send({ content }));
		if (a.call)
			send({ tool_calls: openai.calls(a) });
		send({}, a.call ? 'tool_calls' : 'stop');
		if (body.stream_options?.include_usage)
			event(response, { ...head, choices: [], usage: openai.usage(a) }, '\n\n');
		response.end('data: [DONE]\n\n');
	},

	async whole(body, response) {
		const a = await answer(openai.turns(body), response);
		const message = a.call ? { role: 'assistant', content: null, tool_calls: openai.calls(a) } :
			{ role: 'assistant', content: a.text };
		json(response, 200, {
			id: 'chatcmpl-1', object: 'chat.completion', created: 0, model: body.model,
			choices: [{ index: 0, message, finish_reason: a.call ? 'tool_calls' : 'stop' }],
			usage: openai.usage(a),
		});
	},
};

const gemini = {
	turns(body) {
		return body.contents.flatMap(({ role, parts }) => {
			const text = parts.filter((p) => p.text && !p.thought).map((p) => p.text).join('');
			const others = parts.flatMap(({ functionCall: c, functionResponse: r }) =>
				c ? callTurn(c.name, JSON.stringify(c.args)) :
				r ? toolTurn(String(r.response.output ?? r.response.error)) : []);
			return [...others, role === 'model' ? { who: 'model', text } : userTurn(text)];
		}).filter((turn) => turn.text);
	},

	chunk: (part, more = {}) => ({
		candidates: [{ content: { role: 'model', parts: part ? [part] : [] }, index: 0, ...more }],
		modelVersion: 'tiny',
	}),

	// What a call becomes, and why the answer ended: like the service, a broken call is not sent.
	last({ call, asked, said }, text) {
		const part = call?.args ? { functionCall: { name: call.name, args: call.args } } : text;
		const finishReason = call && !call.args ? 'MALFORMED_FUNCTION_CALL' : 'STOP';
		return { ...gemini.chunk(part, { finishReason }), usageMetadata: {
			promptTokenCount: asked, candidatesTokenCount: said, totalTokenCount: asked + said } };
	},

	async stream(body, response) {
		const a = await answer(gemini.turns(body), response, (text) =>
			event(response, gemini.chunk({ text }), '\r\n\r\n'));
		event(response, gemini.last(a), '\r\n\r\n');
		response.end();
	},

	async whole(body, response) {
		const a = await answer(gemini.turns(body), response);
		json(response, 200, gemini.last(a, a.call ? null : { text: a.text }));
	},

	count(body, response) {
		const turns = gemini.turns(body.generateContentRequest ?? body);
		json(response, 200, { totalTokens: promptTokens(turns).length });
	},
};

function event(response, value, end) {
	if (!response.headersSent)
		response.writeHead(200, { 'content-type': 'text/event-stream' });
	response.write('data: ' + JSON.stringify(value) + end);
}

function json(response, status, value) {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(value));
}

const ROUTES = [
	[/^\/v1\/chat\/completions$/, (body, response) =>
		body.stream ? openai.stream(body, response) : openai.whole(body, response)],
	[/:streamGenerateContent\?alt=sse$/, gemini.stream],
	[/:generateContent$/, gemini.whole],
	[/:countTokens$/, gemini.count],
];

async function handle(request, response) {
	let text = '';
	for await (const piece of request.setEncoding('utf8'))
		text += piece;
	const route = ROUTES.find(([path]) => path.test(request.url));
	if (!route || request.method !== 'POST') {
		json(response, 404, { error: { code: 404, message: 'there is no ' + request.url } });
		return;
	}
	const body = JSON.parse(text);
	if (log)
		appendFileSync(log, JSON.stringify({ path: request.url, headers: request.headers, body }) + '\n');
	await route[1](body, response);
}

function refuse(response, error) {
	if (response.headersSent)
		response.destroy();
	else
		json(response, 400, { error: { code: 400, message: String(error), status: 'INVALID_ARGUMENT' } });
}

let last = Promise.resolve();
const server = createServer((request, response) => {
	last = last.then(() => handle(request, response)).catch((error) => refuse(response, error));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
