/*
 * Agents whose hooks are functions of a plugin.  The plugin is ours (plugins.c), and so is what
 * it says and understands: one object with "event", the agent's own names of tools and arguments,
 * and an answer that it applies.
 */
#include "hosts/plugins.h"
#include "hosts/rows.h"

static const struct host_place places[] = {
	{ GET_EVENT, "/event" },     { GET_SESSION, "/session" },
	{ GET_CWD, "/cwd" },         { GET_CALL, "/call" },
	{ GET_TOOL, "/tool" },       { GET_ARGS, "/args" },
	{ GET_RESULT, "/result" },   { GET_ERROR, "/error", ON(FAILURE) },
	{ GET_PROMPT, "/prompt" },   { GET_RESPONSE, "/response" },
	{ GET_SUBJECT, "/subject" }, { 0 }
};

static const struct host_event events[] = { { "tool.before", KIND_TOOL },
					    { "tool.after", KIND_RESULT },
					    { "tool.failed", KIND_FAILURE },
					    { "prompt", KIND_PROMPT },
					    { "stop", KIND_STOP },
					    { "session.start", KIND_START },
					    { "session.end", KIND_END },
					    { "compress", KIND_COMPRESS },
					    { 0 } };

#define DENIAL(kinds)                                                                              \
	{ kinds, SAY_DENY, "/decision", WHAT_WORD, "deny" },                                       \
	{                                                                                          \
		kinds, SAY_DENY, "/reason", WHAT_REASON                                            \
	}
#define ARGUMENTS                                                                                  \
	{                                                                                          \
		ON(TOOL), SAY_REWRITE, "/args", WHAT_ARGS                                          \
	}
#define RESULT                                                                                     \
	{                                                                                          \
		ON_RESULTS, SAY_RESULT, "/result", WHAT_RESULT                                     \
	}
#define CONTEXT(kinds)                                                                             \
	{                                                                                          \
		kinds, SAY_CONTEXT, "/context", WHAT_CONTEXT                                       \
	}
/* The shim waits for an object: an answer that is missing is a denial. */
#define NOTHING                                                                                    \
	{                                                                                          \
		ON_ALL, SAY_NOTHING, "/decision", WHAT_WORD, "none"                                \
	}

static const struct host_word opencode_words[] = { DENIAL(ON(TOOL) | ON_RESULTS | ON(PROMPT)),
						   ARGUMENTS,
						   RESULT,
						   CONTEXT(ON_RESULTS),
						   NOTHING,
						   { 0 } };

static const struct host_tool opencode_tools[] = {
	{ "bash", "run_shell_command", ARGS({ "workdir", "dir_path" }) },
	{ "read", "read_file",
	  ARGS({ "filePath", "file_path" }, { "limit", "end_line", ARG_COUNT },
	       { "offset", "start_line" }) },
	{ "write", "write_file", ARGS({ "filePath", "file_path" }) },
	{ "edit", "replace",
	  ARGS({ "filePath", "file_path" }, { "oldString", "old_string" },
	       { "newString", "new_string" }, { "replaceAll", "allow_multiple" }) },
	{ "patch", "replace", ARGS({ "patchText", NULL, ARG_PATCH }) },
	{ "apply_patch", "replace", ARGS({ "patchText", NULL, ARG_PATCH }) },
	{ "grep", "grep_search", ARGS({ "path", "dir_path" }, { "include", "include_pattern" }) },
	{ "glob", "glob", ARGS({ "path", "dir_path" }) },
	{ "list", "list_directory", ARGS({ "path", "dir_path" }) },
	{ "webfetch", "web_fetch", NULL },
	{ "websearch", "google_web_search", NULL },
	{ "task", "invoke_agent", ARGS({ "subagent_type", "agent_name" }) },
	{ "todowrite", "write_todos", NULL },
	{ 0 }
};

#define PLUGIN(name_, user_, project_, marker_, then_)                                             \
	{                                                                                          \
		.shape = FILE_OWN, .user = user_, .project = project_, .marker = marker_,          \
		.plugins = host_##name_##_plugin, .then = then_                                    \
	}
#define SHIM(name_, title_, tools_, words_, mcp_, file_, proven_)                                  \
	const struct host host_##name_ = {                                                         \
		.name = #name_,                                                                    \
		.file = file_,                                                                     \
		.title = title_,                                                                   \
		.events = events,                                                                  \
		.tools = tools_,                                                                   \
		.places = places,                                                                  \
		.words = words_,                                                                   \
		.mcp = mcp_,                                                                       \
		.program = #name_,                                                                 \
		.proven = proven_,                                                                 \
		.proven_on = "2026-11-23",                                                         \
		.names_calls = true,                                                               \
		.timeout_ms = 60000,                                                               \
	}

static const struct host_mcp opencode_mcp[] = { { "", "_", true }, { 0 } };

#define OPENCODE_FILE                                                                              \
	PLUGIN(opencode, ".config/opencode/plugins/trotline.js", ".opencode/plugins/trotline.js",  \
	       ".config/opencode", "Restart OpenCode: it reads plugins when it starts")

SHIM(opencode, "OpenCode", opencode_tools, opencode_words, opencode_mcp, OPENCODE_FILE, "1.18.33");
#define KILO_FILE                                                                                  \
	PLUGIN(kilo, ".config/kilo/plugins/trotline.js", ".kilo/plugins/trotline.js",              \
	       ".config/kilo", "Restart Kilo: it reads plugins when it starts")

SHIM(kilo, "Kilo", opencode_tools, opencode_words, opencode_mcp, KILO_FILE, "7.7.9");

static const struct host_word pi_words[] = { DENIAL(ON(TOOL) | ON_RESULTS | ON(PROMPT) |
						    ON(COMPRESS)),
					     ARGUMENTS,
					     RESULT,
					     CONTEXT(ON(TOOL) | ON_RESULTS | ON(PROMPT)),
					     NOTHING,
					     { 0 } };

static const struct host_tool pi_tools[] = {
	{ "bash", "run_shell_command", NULL },
	{ "read", "read_file",
	  ARGS({ "path", "file_path" }, { "limit", "end_line", ARG_COUNT },
	       { "offset", "start_line" }) },
	{ "write", "write_file", ARGS({ "path", "file_path" }) },
	{ "edit", "replace",
	  ARGS({ "edits/oldText", "old_string", ARG_NESTED },
	       { "edits/newText", "new_string", ARG_NESTED }, { "path", "file_path" },
	       { "oldText", "old_string" }, { "newText", "new_string" }) },
	{ "grep", "grep_search", ARGS({ "path", "dir_path" }) },
	{ "find", "glob", ARGS({ "path", "dir_path" }) },
	{ "ls", "list_directory", ARGS({ "path", "dir_path" }) },
	{ 0 }
};

#define PI_FILE                                                                                    \
	PLUGIN(pi, ".pi/agent/extensions/trotline.ts", ".pi/extensions/trotline.ts", ".pi/agent",  \
	       "Restart Pi: it reads extensions when it starts")

SHIM(pi, "Pi", pi_tools, pi_words, NULL, PI_FILE, "0.73.1");

static const struct host_word openclaw_words[] = { DENIAL(ON(TOOL) | ON_RESULTS | ON(PROMPT)),
						   ARGUMENTS,
						   RESULT,
						   CONTEXT(ON_RESULTS),
						   NOTHING,
						   { 0 } };

static const struct host_tool openclaw_tools[] = {
	{ "exec", "run_shell_command", ARGS({ "workdir", "dir_path" }) },
	{ "read", "read_file", ARGS({ "path", "file_path" }) },
	{ "write", "write_file", ARGS({ "path", "file_path" }) },
	{ "edit", "replace",
	  ARGS({ "edits/oldText", "old_string", ARG_NESTED },
	       { "edits/newText", "new_string", ARG_NESTED }, { "path", "file_path" },
	       { "oldText", "old_string" }, { "newText", "new_string" }) },
	{ "apply_patch", "replace", ARGS({ "input", NULL, ARG_PATCH }) },
	{ "ls", "list_directory", ARGS({ "path", "dir_path" }) },
	{ "web_fetch", "web_fetch", NULL },
	{ 0 }
};

static const struct host_mcp openclaw_mcp[] = { { "", "__" }, { 0 } };

#define OPENCLAW_FILE                                                                              \
	PLUGIN(openclaw, ".openclaw/plugins/trotline/index.js", NULL, ".openclaw",                 \
	       "OpenClaw loads it once ~/.openclaw/openclaw.json names it: add ~/.openclaw/plugins/trotline to plugins.load.paths, and \"trotline\": {\"enabled\": true, \"hooks\": {\"allowConversationAccess\": true}} to plugins.entries; without that access no prompt is asked about")

SHIM(openclaw, "OpenClaw", openclaw_tools, openclaw_words, openclaw_mcp, OPENCLAW_FILE, "2026.9.6");

static const struct host_word amp_words[] = { DENIAL(ON(TOOL)), NOTHING, { 0 } };

static const struct host_tool amp_tools[] = {
	{ "Bash", "run_shell_command", ARGS({ "cmd", "command" }, { "cwd", "dir_path" }) },
	{ "Read", "read_file", ARGS({ "path", "file_path" }) },
	{ "create_file", "write_file", ARGS({ "path", "file_path" }) },
	{ "edit_file", "replace",
	  ARGS({ "path", "file_path" }, { "old_str", "old_string" }, { "new_str", "new_string" },
	       { "replace_all", "allow_multiple" }) },
	{ "Grep", "grep_search", ARGS({ "path", "dir_path" }, { "glob", "include_pattern" }) },
	{ "glob", "glob", ARGS({ "filePattern", "pattern" }) },
	{ "read_web_page", "web_fetch", NULL },
	{ "web_search", "google_web_search", NULL },
	{ "Task", "invoke_agent", NULL },
	{ 0 }
};

#define AMP_FILE                                                                                   \
	PLUGIN(amp, ".config/amp/plugins/trotline.ts", ".amp/plugins/trotline.ts", ".config/amp",  \
	       "Amp runs no plugin where PLUGINS=off, and what hooks do not deny it runs without a question")

SHIM(amp, "Amp", amp_tools, amp_words, host_mcp_usual, AMP_FILE, NULL);
