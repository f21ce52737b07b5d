/*
 * What is installed in agents whose hooks are functions of a plugin, or files of their own.  Each
 * asks trotline-hook and applies its answer; when there is none, that is a denial.
 */
#include "hosts/plugins.h"

#include "base/json_pack.h"

/* clang-format off */

static const char ask_text[] =
	"import { spawn } from 'node:child_process'\n"
	"const program = @PROGRAM_JSON@, agent = '@AGENT@', args = [agent@HOME_JSON@], deadline = 61000\n"
	"const repair = `repair it, or remove it with: trotline hooks uninstall --into "
	"${agent}`\n"
	"// What the hooks say to one event. Whatever goes wrong is a denial.\n"
	"const ask = (event) => new Promise((resolve) => {\n"
	"  const fail = (why) => resolve({ decision: 'deny', reason: `trotline-hook ${why}; "
	"${repair}` })\n"
	"  try {\n"
	"    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] })\n"
	"    const timer = setTimeout(() => { fail('gave no answer in time'); "
	"child.kill('SIGKILL') }, deadline)\n"
	"    let out = ''\n"
	"    child.stdout.setEncoding('utf8').on('data', (text) => { out += text })\n"
	"    child.on('error', (e) => { clearTimeout(timer); fail(`could not be started "
	"(${e.code})`) })\n"
	"    child.on('close', (status) => {\n"
	"      clearTimeout(timer)\n"
	"      try {\n"
	"        const answer = JSON.parse(out)\n"
	"        const says = ['args', 'result', 'context'].some((name) => name in answer)\n"
	"        if (answer.decision === 'deny' && answer.reason) return resolve(answer)\n"
	"        if (status === 0 && (answer.decision === 'none' || (!answer.decision && "
	"says))) return resolve(answer)\n"
	"      } catch {}\n"
	"      fail('gave no answer')\n"
	"    })\n"
	"    child.stdin.on('error', () => {}).end(JSON.stringify(event))\n"
	"  } catch (e) { fail(`could not be asked (${e.message})`) }\n"
	"})\n"
	"const change = (was, now) => { // not by assigning: __proto__ would hide arguments from hooks\n"
	"  for (const name of Object.keys(was)) delete was[name]\n"
	"  Object.defineProperties(was, Object.getOwnPropertyDescriptors(now))\n"
	"}\n";

static const char head_text[] =
	"// made by trotline; folders: @FOLDERS@\n"
	"// Asks your hooks about every call. To remove it: trotline hooks uninstall --into "
	"@AGENT@\n";

static const char opencode_text[] =
	"\n"
	"export const Trotline = async ({ directory: cwd }) => ({\n"
	"  'tool.execute.before': async ({ tool, sessionID: session, callID: call }, output) "
	"=> {\n"
	"    const a = await ask({ event: 'tool.before', session, cwd, call, tool, args: "
	"output.args })\n"
	"    if (a.decision === 'deny') throw new Error(a.reason)\n"
	"    if (a.args) change(output.args, a.args)\n"
	"  },\n"
	"  'tool.execute.after': async ({ tool, sessionID: session, callID: call, args = {} "
	"}, output) => {\n"
	"    const result = output.output ?? JSON.stringify(output.content ?? null)\n"
	"    const a = await ask({ event: 'tool.after', session, cwd, call, tool, args, "
	"result })\n"
	"    const text = a.decision === 'deny' ? a.reason : a.result ?? (a.context ? result "
	": undefined)\n"
	"    if (text === undefined) return\n"
	"    output.output = a.context ? `${text}\\n${a.context}` : text\n"
	"    if (output.content) output.content = [{ type: 'text', text: output.output }]\n"
	"  },\n"
	"  'chat.message': async ({ sessionID: session }, output) => {\n"
	"    const prompt = output.parts.filter((p) => p.type === 'text').map((p) => "
	"p.text).join('\\n')\n"
	"    const a = prompt ? await ask({ event: 'prompt', session, cwd, prompt }) : {}\n"
	"    if (a.decision === 'deny') throw new Error(a.reason)\n"
	"  },\n"
	"  event: async ({ event }) => {\n"
	"    const session = event.properties?.sessionID\n"
	"    if (event.type === 'session.created') await ask({ event: 'session.start', "
	"session, cwd, subject: 'startup' })\n"
	"    if (event.type === 'session.idle') await ask({ event: 'stop', session, cwd })\n"
	"  },\n"
	"})\n";

static const char pi_text[] =
	"export default function (pi) {\n"
	"  const later = new Map() // context of calls whose result is not there yet\n"
	"  const base = (ctx, event) => ({ event, cwd: ctx?.cwd ?? process.cwd(), session: "
	"ctx?.sessionManager?.getSessionId?.() })\n"
	"  pi.on('tool_call', async (e, ctx) => {\n"
	"    const a = await ask({ ...base(ctx, 'tool.before'), call: e.toolCallId, tool: "
	"e.toolName, args: e.input })\n"
	"    if (a.decision === 'deny') return { block: true, reason: a.reason }\n"
	"    if (a.args) change(e.input, a.args)\n"
	"    if (a.context) later.set(e.toolCallId, a.context)\n"
	"  })\n"
	"  pi.on('tool_result', async (e, ctx) => {\n"
	"    const result = (e.content ?? []).filter((p) => p.type === 'text').map((p) => "
	"p.text).join('\\n')\n"
	"    const event = { ...base(ctx, e.isError ? 'tool.failed' : 'tool.after'), call: "
	"e.toolCallId, tool: e.toolName }\n"
	"    const a = await ask({ ...event, args: e.input ?? {}, result, error: e.isError ? "
	"result : undefined })\n"
	"    const more = [later.get(e.toolCallId), a.context].filter(Boolean).map((text) => "
	"({ type: 'text', text }))\n"
	"    later.delete(e.toolCallId)\n"
	"    if (a.decision === 'deny') return { content: [{ type: 'text', text: a.reason }, "
	"...more], isError: true }\n"
	"    if (a.result !== undefined) return { content: [{ type: 'text', text: a.result "
	"}, ...more] }\n"
	"    if (more.length) return { content: [...(e.content ?? []), ...more] }\n"
	"  })\n"
	"  pi.on('input', async (e, ctx) => {\n"
	"    const a = e.text ? await ask({ ...base(ctx, 'prompt'), prompt: e.text }) : {}\n"
	"    if (a.decision === 'deny') { ctx?.ui?.notify?.(a.reason, 'error'); return { "
	"action: 'handled' } }\n"
	"    if (a.context) return { action: 'transform', text: `${e.text}\\n${a.context}` "
	"}\n"
	"  })\n"
	"  pi.on('session_before_compact', async (e, ctx) => ({ cancel: (await ask({ "
	"...base(ctx, 'compress'),\n"
	"    subject: e.customInstructions ? 'manual' : 'auto' })).decision === 'deny' }))\n"
	"  pi.on('session_start', async (e, ctx) => { await ask({ ...base(ctx, "
	"'session.start'), subject: e.reason ?? 'startup' }) })\n"
	"  pi.on('session_shutdown', async (e, ctx) => { await ask({ ...base(ctx, "
	"'session.end'), subject: e.reason ?? 'other' }) })\n"
	"}\n";

static const char openclaw_text[] =
	"\n"
	"const event = (name, e, ctx, args) => ({ event: name, session: ctx?.sessionId, cwd: process.cwd(), call: e.toolCallId,\n"
	"  tool: e.toolName, args: args ?? {} })\n"
	"const slow = { timeoutMs: deadline + 4000 } // OpenClaw's own limit is shorter than a hook's\n"
	"export default {\n"
	"  id: 'trotline',\n"
	"  name: 'trotline',\n"
	"  register(api) {\n"
	"    api.on('before_tool_call', async (e, ctx) => {\n"
	"      const a = await ask(event('tool.before', e, ctx, e.params))\n"
	"      if (a.decision === 'deny') return { block: true, blockReason: a.reason }\n"
	"      // OpenClaw puts these over the call's own: what is gone has to say so.\n"
	"      const gone = Object.fromEntries(Object.keys(e.params ?? {}).map((k) => [k, undefined]))\n"
	"      if (a.args) return { params: { ...gone, ...a.args } }\n"
	"    }, slow)\n"
	"    api.on('before_agent_run', async (e, ctx) => {\n"
	"      const a = await ask({ event: 'prompt', session: ctx?.sessionId, cwd: process.cwd(), prompt: e.prompt })\n"
	"      return a.decision === 'deny' ? { outcome: 'block', reason: a.reason, message: a.reason } : { outcome: 'pass' }\n"
	"    }, slow)\n"
	"    api.registerAgentToolResultMiddleware(async (e, ctx) => {\n"
	"      const result = (e.result?.content ?? []).map((p) => p.text ?? '').join('\\n')\n"
	"      const a = await ask({ ...event(e.isError ? 'tool.failed' : 'tool.after', e, ctx, e.args), result, error: result })\n"
	"      const text = a.decision === 'deny' ? a.reason : a.result ?? (a.context ? result : undefined)\n"
	"      if (text === undefined) return\n"
	"      return { result: { content: [{ type: 'text', text: a.context ? `${text}\\n${a.context}` : text }], details: {} } }\n"
	"    }, { runtimes: ['openclaw', 'codex'] })\n"
	"  },\n"
	"}\n";

static const char amp_text[] =
	"\n"
	"export default function (amp) {\n"
	"  amp.on('tool.call', async (e, ctx) => {\n"
	"    const session = e.thread?.id ?? ctx?.thread?.id\n"
	"    const a = await ask({ event: 'tool.before', session, cwd: process.cwd(), call: "
	"e.toolUseID, tool: e.tool, args: e.input })\n"
	"    return a.decision === 'deny' ? { action: 'reject-and-continue', message: "
	"a.reason } : { action: 'allow' }\n"
	"  })\n"
	"}\n";

static const char cline_text[] =
	"#!/bin/sh\n"
	"# made by trotline; folders: @FOLDERS@\n"
	"# Asks your hooks. To remove it: trotline hooks uninstall --into cline\n"
	"answer=$(@PROGRAM_SH@ cline @EVENT@@HOME_SH@)\n"
	"case $answer in\n"
	"'{\"'*'}') printf '%s\\n' \"$answer\" ;;\n"
	"*) echo '@FALLBACK@' ;;\n"
	"esac\n";

static const char amp_first[] =
	"// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now\n";
static const char openclaw_manifest[] =
	"{\"id\":\"trotline\",\"name\":\"trotline\",\"version\":\"1.0.0\",\"description\":\"made by trotline; "
	"folders: @FOLDERS@\",\n\"contracts\":{\"agentToolResultMiddleware\":[\"openclaw\",\"codex\"]},"
	"\"configSchema\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{}}}\n";
static const char openclaw_package[] =
	"{\"name\":\"trotline\",\"version\":\"1.0.0\",\"description\":\"made by trotline; folders: "
	"@FOLDERS@\",\n\"type\":\"module\",\"openclaw\":{\"extensions\":[\"./index.js\"]}}\n";
/* clang-format on */

const struct host_plugin host_opencode_plugin[] = { { ".config/opencode/plugins/trotline.js",
						      ".opencode/plugins/trotline.js",
						      { head_text, ask_text, opencode_text } },
						    { 0 } };
const struct host_plugin host_kilo_plugin[] = { { ".config/kilo/plugins/trotline.js",
						  ".kilo/plugins/trotline.js",
						  { head_text, ask_text, opencode_text } },
						{ 0 } };
const struct host_plugin host_pi_plugin[] = { { ".pi/agent/extensions/trotline.ts",
						".pi/extensions/trotline.ts",
						{ head_text, ask_text, pi_text } },
					      { 0 } };
const struct host_plugin host_openclaw_plugin[] = {
	{ ".openclaw/plugins/trotline/index.js", NULL, { head_text, ask_text, openclaw_text } },
	{ ".openclaw/plugins/trotline/package.json", NULL, { openclaw_package } },
	{ ".openclaw/plugins/trotline/openclaw.plugin.json", NULL, { openclaw_manifest } },
	{ 0 }
};
const struct host_plugin host_amp_plugin[] = { { ".config/amp/plugins/trotline.ts",
						 ".amp/plugins/trotline.ts",
						 { amp_first, head_text, ask_text, amp_text } },
					       { 0 } };

#define HOOK(event)                                                                                \
	{                                                                                          \
		".cline/hooks/" event, ".cline/hooks/" event, { cline_text }, event                \
	}
const struct host_plugin host_cline_hooks[] = { HOOK("PreToolUse"),       HOOK("PostToolUse"),
						HOOK("UserPromptSubmit"), HOOK("TaskStart"),
						HOOK("TaskResume"),       HOOK("TaskComplete"),
						HOOK("PreCompact"),       HOOK("Notification"),
						HOOK("SessionShutdown"),  { 0 } };

/* ---- the text of a file ---- */

struct str host_shell_quoted(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\'')
			buf_addz(&out, "'\\''");
		else
			buf_addc(&out, s.p[i]);
	return arena_printf(a, "'%.*s'", STR_ARG(buf_str(&out)));
}

struct str host_plugin_text(struct arena *a, const struct host *h, const struct host_plugin *p,
			    struct str program, const char *home, unsigned folders)
{
	const struct host_event *e = p->event ? host_event_find(h, str_from(p->event)) : NULL;
	bool denies = e && host_can_deny(h, e->kind);
	const struct {
		const char *name;
		struct str value;
	} places[] = {
		{ "@PROGRAM_JSON@", json_text(a, json_new_str(a, program), JSON_COMPACT) },
		{ "@PROGRAM_SH@", host_shell_quoted(a, program) },
		{ "@HOME_JSON@",
		  home ? arena_printf(a, ", '--home', %.*s",
				      STR_ARG(json_text(a, json_pack_str(a, home), JSON_COMPACT)))
		       : STR("") },
		{ "@HOME_SH@", home ? arena_printf(a, " --home %.*s",
						   STR_ARG(host_shell_quoted(a, str_from(home))))
				    : STR("") },
		{ "@AGENT@", str_from(h->name) },
		{ "@EVENT@", str_from(p->event ? p->event : "") },
		{ "@FOLDERS@", arena_printf(a, "%u", folders) },
		{ "@FALLBACK@",
		  denies ? STR("{\"cancel\":true,\"errorMessage\":\"trotline-hook could not run: repair "
			       "it, or remove it with: trotline hooks uninstall --into cline\"}")
			 : STR("{\"cancel\":false}") },
	};
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(p->text) && p->text[i]; i++) {
		struct str rest = str_from(p->text[i]);

		while (rest.n) {
			size_t k = 0;

			while (k < ARRAY_LEN(places) && !str_starts(rest, str_from(places[k].name)))
				k++;
			if (k < ARRAY_LEN(places)) {
				buf_adds(&out, places[k].value);
				rest = str_sub(rest, strlen(places[k].name), rest.n);
			} else {
				buf_addc(&out, rest.p[0]);
				rest = str_sub(rest, 1, rest.n);
			}
		}
	}
	return arena_str(a, buf_str(&out));
}
