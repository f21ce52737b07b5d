/*
 * trotline mcp serve, the tools.  Each is a command of `trotline hooks`: what the CLI does and
 * what the tool does cannot differ, every call sees the files as they are now, and any call can be
 * cancelled while the server goes on answering.
 */
#include "cli/mcp/mcp_serve_tools.h"
#include "trotline.h"

/* ---- the table ---- */

static const char dir_text[] =
	"absolute path of the project (default: the directory the server works in)";

static const struct serve_param list_params[] = {
	{ "all", ARG_FLAG, false, "--all",
	  "also the hooks that are disabled, not trusted or the same as another" },
	{ "dir", ARG_TEXT, false, NULL, dir_text },
};

/* The last one is of hooks_run alone. */
static const struct serve_param run_params[] = {
	{ "event", ARG_EVENT, true, NULL, "the moment" },
	{ "tool", ARG_TEXT, false, "--tool=", "the tool's name; of BeforeTool and AfterTool" },
	{ "input", ARG_OBJECT, false, NULL, "the tool's arguments; of BeforeTool and AfterTool" },
	{ "payload", ARG_OBJECT, false, NULL,
	  "fields of the event, over a sample's; their schema: trotline://hooks/contract" },
	{ "subject", ARG_TEXT, false,
	  "--subject=", "source, reason, trigger or notification_type of the other events" },
	{ "mcp_server", ARG_TEXT, false, "--mcp-server=", "the tool belongs to this MCP server" },
	{ "mcp_tool", ARG_TEXT, false, "--mcp-tool=", "the tool's name on that server" },
	{ "failed", ARG_FLAG, false, "--failed", "AfterTool: the tool failed" },
	{ "dir", ARG_TEXT, false, NULL, dir_text },
	{ "timeout_ms", ARG_MS, false, NULL,
	  "milliseconds for all hooks together (default: 300000); each has its own timeout, too" },
};

static const struct serve_param lint_params[] = {
	{ "files", ARG_TEXTS, false, NULL,
	  "settings files (*.json) to check instead of those of the project; relative ones are "
	  "below dir" },
	{ "dialect", ARG_TEXT, false, "--dialect=",
	  "what the files are written in: gemini, tabnine, terminai, jpfork or claude" },
	{ "dir", ARG_TEXT, false, NULL, dir_text },
};

static const struct serve_param report_params[] = {
	{ "session", ARG_TEXT, false, "--session=", "default: the last one that has a record" },
	{ "last", ARG_FLAG, false, "--last",
	  "the whole record of the last moment in which a hook ran" },
	{ "dir", ARG_TEXT, false, NULL, dir_text },
};

const struct serve_tool serve_tools[] = {
	{ "hooks_list", "List hooks", "list",
	  "Lists the hooks of a project in the order in which they run: event, matcher, command, "
	  "where each is configured, and whether it is in force. Runs nothing. Use it to learn "
	  "what watches over the work before changing hooks or settings.",
	  list_params, ARRAY_LEN(list_params), false },
	{ "hooks_why", "Explain which hooks would run", "why",
	  "Says for one moment (an event, and for tool events a tool with its arguments) which "
	  "hooks would run and why the others would not: the matcher, the trust, the settings. "
	  "Runs nothing.",
	  run_params, ARRAY_LEN(run_params) - 1, false },
	{ "hooks_run", "Run hooks for an event", "run",
	  "Fires an event with the project's real hooks and returns what each printed and what "
	  "they decided together: allowed, denied, asks the user, stopped. The hooks are really "
	  "executed and may do anything; the tool that the event is about is not. Hooks of the "
	  "project that nobody approved are refused: only the user can approve them, with "
	  "`trotline hooks trust` in a terminal.",
	  run_params, ARRAY_LEN(run_params), true },
	{ "hooks_lint", "Check hook settings", "lint",
	  "Checks hook settings for everything wrong or suspicious (syntax, unknown events and "
	  "keys, matchers that never match, scripts that are not there, timeouts in the wrong "
	  "unit) and returns each finding with file, line and column. Runs nothing. Use it after "
	  "every change of hooks.",
	  lint_params, ARRAY_LEN(lint_params), false },
	{ "hooks_report", "Report what hooks did", "report",
	  "Tells from the records what each hook did in a session: how often it ran, what it "
	  "denied, changed or added, how long it took, how it failed. Runs nothing.",
	  report_params, ARRAY_LEN(report_params), false },
};
const size_t serve_tools_n = ARRAY_LEN(serve_tools);

/* ---- tools/list ---- */

static void write_param(struct jw *w, const struct serve_param *p)
{
	static const char *const types[] = {
		[ARG_TEXT] = "string",  [ARG_EVENT] = "string", [ARG_OBJECT] = "object",
		[ARG_FLAG] = "boolean", [ARG_MS] = "integer",   [ARG_TEXTS] = "array"
	};

	jw_key(w, p->name);
	jw_obj(w);
	jw_kv_z(w, "type", types[p->kind]);
	jw_kv_z(w, "description", p->text);
	if (p->kind == ARG_EVENT) {
		jw_key(w, "enum");
		jw_arr(w);
		for (size_t i = 0; i < tl_event_count(); i++) {
			struct tl_event_info info = TL_EVENT_INFO_INIT();

			(void)tl_event_get(i, &info);
			jw_z(w, info.name);
		}
		jw_end(w);
	}
	if (p->kind == ARG_MS) {
		jw_kv_int(w, "minimum", 1);
		jw_kv_int(w, "maximum", SERVE_TIMEOUT_MAX_MS);
	}
	if (p->kind == ARG_TEXTS) {
		jw_key(w, "items");
		jw_raw(w, STR("{\"type\":\"string\"}"));
	}
	jw_end(w);
}

static void write_schema(struct jw *w, const struct serve_tool *t)
{
	jw_key(w, "inputSchema");
	jw_obj(w);
	jw_kv_z(w, "type", "object");
	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < t->nparams; i++)
		write_param(w, &t->params[i]);
	jw_end(w);
	jw_key(w, "required");
	jw_arr(w);
	for (size_t i = 0; i < t->nparams; i++)
		if (t->params[i].required)
			jw_z(w, t->params[i].name);
	jw_end(w);
	jw_kv_bool(w, "additionalProperties", false);
	jw_end(w);
}

int serve_tools_list(const struct json *params, struct jw *w, struct err *err)
{
	(void)params;
	(void)err;
	jw_obj(w);
	jw_key(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < serve_tools_n; i++) {
		jw_obj(w);
		jw_kv_z(w, "name", serve_tools[i].name);
		jw_kv_z(w, "title", serve_tools[i].title);
		jw_kv_z(w, "description", serve_tools[i].text);
		write_schema(w, &serve_tools[i]);
		jw_key(w, "annotations");
		jw_obj(w);
		jw_kv_z(w, "title", serve_tools[i].title);
		jw_kv_bool(w, "readOnlyHint", !serve_tools[i].runs_hooks);
		jw_kv_bool(w, "destructiveHint", serve_tools[i].runs_hooks);
		jw_kv_bool(w, "idempotentHint", !serve_tools[i].runs_hooks);
		jw_kv_bool(w, "openWorldHint", serve_tools[i].runs_hooks);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
	return 0;
}
