/*
 * trotline mcp serve, the tools.  Each is a command of `trotline hooks`: what the CLI does and
 * what the tool does cannot differ, every call sees the files as they are now, and any call can be
 * cancelled while the server goes on answering.
 */
#include "cli/mcp/mcp_serve_tools.h"
#include "trotline.h"
#include "workbench/products.h"

/* ---- the table ---- */

static const char dir_text[] =
	"absolute path of the project (default: the directory the server works in)";

static const struct serve_param list_params[] = {
	{ "all", ARG_FLAG, false, "--all",
	  "also the hooks that are disabled, untrusted or duplicates" },
	{ "dir", ARG_TEXT, false, NULL, dir_text },
};

/* The last one is of hooks_run alone. */
static const struct serve_param run_params[] = {
	{ "event", ARG_EVENT, true, NULL, "the event" },
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
	  "milliseconds for all hooks together (default: 300000); each also has its own timeout" },
};

static const struct serve_param lint_params[] = {
	{ "files", ARG_TEXTS, false, NULL,
	  "settings files (*.json) to check instead of those of the project; relative ones are "
	  "below dir" },
	{ "dialect", ARG_TEXT, false,
	  "--dialect=", "what the files are written in: " DIALECT_NAMES },
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
	  "executed and may do anything; the tool that the event is about is not. Unapproved "
	  "project hooks are refused: only the user can approve them, with "
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

static const struct json *param_schema(struct arena *a, const struct serve_param *p)
{
	static const char *const types[] = {
		[ARG_TEXT] = "string",  [ARG_EVENT] = "string", [ARG_OBJECT] = "object",
		[ARG_FLAG] = "boolean", [ARG_MS] = "integer",   [ARG_TEXTS] = "array"
	};
	struct json_list names = { 0 };
	bool ms = p->kind == ARG_MS;

	for (size_t i = 0; p->kind == ARG_EVENT && i < tl_event_count(); i++) {
		struct tl_event_info info = TL_EVENT_INFO_INIT();

		(void)tl_event_get(i, &info);
		json_list_add(&names, json_pack_str(a, info.name));
	}
	return json_pack(a, "type:z description:z ?enum:j ?minimum:i ?maximum:i ?items:j",
			 types[p->kind], p->text,
			 p->kind == ARG_EVENT ? json_list_take(a, &names) : NULL, ms ? 1 : 0,
			 ms ? SERVE_TIMEOUT_MAX_MS : 0,
			 p->kind == ARG_TEXTS ? json_pack(a, "type:z", "string") : NULL);
}

const struct json *serve_tools_list(struct arena *a, const struct json *params, struct err *err)
{
	struct json_list tools = { 0 };

	(void)params;
	(void)err;
	for (size_t i = 0; i < serve_tools_n; i++) {
		const struct serve_tool *t = &serve_tools[i];
		const struct json *properties = json_new_obj(a), *schema, *notes;
		struct json_list required = { 0 };

		for (size_t k = 0; k < t->nparams; k++) {
			properties = json_set(a, properties, str_from(t->params[k].name),
					      param_schema(a, &t->params[k]));
			if (t->params[k].required)
				json_list_add(&required, json_pack_str(a, t->params[k].name));
		}
		schema = json_pack(a, "type:z properties:j required:j additionalProperties:b",
				   "object", properties, json_list_take(a, &required), false);
		notes = json_pack(a,
				  "title:z readOnlyHint:b destructiveHint:b idempotentHint:b "
				  "openWorldHint:b",
				  t->title, !t->runs_hooks, t->runs_hooks, !t->runs_hooks,
				  t->runs_hooks);
		json_list_add(&tools,
			      json_pack(a,
					"name:z title:z description:z inputSchema:j annotations:j",
					t->name, t->title, t->text, schema, notes));
	}
	return json_pack(a, "tools:j", json_list_take(a, &tools));
}
