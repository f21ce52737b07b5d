#include "hooks/dialects.h"

#include "base/words.h"

static const struct dialect_event gemini_events[] = {
	{ .name = "BeforeTool", .moment = EV_BEFORE_TOOL },
	{ .name = "AfterTool", .moment = EV_AFTER_TOOL },
	{ .name = "BeforeAgent", .moment = EV_BEFORE_AGENT },
	{ .name = "AfterAgent", .moment = EV_AFTER_AGENT },
	{ .name = "BeforeModel", .moment = EV_BEFORE_MODEL },
	{ .name = "BeforeToolSelection", .moment = EV_BEFORE_TOOL_SELECTION },
	{ .name = "AfterModel", .moment = EV_AFTER_MODEL },
	{ .name = "SessionStart", .moment = EV_SESSION_START, .when = CASE_BEGIN },
	{ .name = "SessionEnd", .moment = EV_SESSION_END },
	{ .name = "Notification", .moment = EV_NOTIFICATION },
	{ .name = "PreCompress", .moment = EV_PRE_COMPRESS },
};

static const struct dialect_event jpfork_events[] = {
	{ .name = "PreToolUse", .moment = EV_BEFORE_TOOL },
	{ .name = "PostToolUse", .moment = EV_AFTER_TOOL, .when = CASE_SUCCESS },
	{ .name = "Notification", .moment = EV_NOTIFICATION },
	{ .name = "Stop", .moment = EV_STOP },
	{ .name = "SubagentStop", .moment = EV_SUBAGENT_STOP },
};

/* What every answer in the claude dialect can do where the moment lets it. */
#define COMMON (PART_DECISION | PART_STOP | PART_MESSAGE)

static const struct dialect_event claude_events[] = {
	{ .name = "PreToolUse",
	  .moment = EV_BEFORE_TOOL,
	  .honours = COMMON | PART_PERMISSION | PART_TOOL_INPUT | PART_CONTEXT,
	  .blocks = BLOCK_DENY },
	{ .name = "PostToolUse",
	  .moment = EV_AFTER_TOOL,
	  .when = CASE_SUCCESS,
	  .honours = COMMON | PART_RESULT | PART_CONTEXT,
	  .blocks = BLOCK_COMMENT },
	{ .name = "PostToolUseFailure",
	  .moment = EV_AFTER_TOOL,
	  .when = CASE_FAILURE,
	  .honours = COMMON | PART_CONTEXT,
	  .blocks = BLOCK_COMMENT },
	{ .name = "UserPromptSubmit",
	  .moment = EV_BEFORE_AGENT,
	  .when = CASE_SUCCESS,
	  .timeout_ms = 30000,
	  .honours = COMMON | PART_CONTEXT | PART_TEXT,
	  .blocks = BLOCK_DENY },
	{ .name = "Stop",
	  .moment = EV_AFTER_AGENT,
	  .honours = COMMON | PART_FEEDBACK,
	  .blocks = BLOCK_DENY },
	{ .name = "PostToolBatch",
	  .moment = EV_POST_TOOL_BATCH,
	  .honours = COMMON | PART_CONTEXT,
	  .blocks = BLOCK_DENY },
	{ .name = "PermissionRequest",
	  .moment = EV_PERMISSION_REQUEST,
	  .honours = COMMON | PART_REQUEST,
	  .blocks = BLOCK_DENY },
	{ .name = "PermissionDenied",
	  .moment = EV_PERMISSION_DENIED,
	  .honours = PART_MESSAGE | PART_RETRY,
	  .blocks = BLOCK_IGNORED },
	{ .name = "UserPromptExpansion",
	  .moment = EV_USER_PROMPT_EXPANSION,
	  .honours = COMMON | PART_CONTEXT | PART_TEXT,
	  .blocks = BLOCK_DENY },
	{ .name = "SubagentStart",
	  .moment = EV_SUBAGENT_START,
	  .honours = COMMON | PART_CONTEXT,
	  .blocks = BLOCK_NOTICE },
	{ .name = "SubagentStop",
	  .moment = EV_SUBAGENT_STOP,
	  .honours = COMMON | PART_FEEDBACK,
	  .blocks = BLOCK_DENY },
	{ .name = "SessionStart",
	  .moment = EV_SESSION_START,
	  .honours = PART_DECISION | PART_MESSAGE | PART_CONTEXT | PART_TEXT | PART_WATCH,
	  .blocks = BLOCK_NOTICE },
	{ .name = "SessionEnd",
	  .moment = EV_SESSION_END,
	  .timeout_ms = 60000,
	  .honours = PART_DECISION | PART_MESSAGE,
	  .blocks = BLOCK_NOTICE },
	{ .name = "PreCompact",
	  .moment = EV_PRE_COMPRESS,
	  .honours = COMMON,
	  .blocks = BLOCK_DENY },
	{ .name = "PostCompact",
	  .moment = EV_POST_COMPACT,
	  .honours = PART_MESSAGE,
	  .blocks = BLOCK_NOTICE },
	{ .name = "StopFailure",
	  .moment = EV_STOP_FAILURE,
	  .honours = PART_MESSAGE,
	  .blocks = BLOCK_IGNORED },
	{ .name = "InstructionsLoaded",
	  .moment = EV_INSTRUCTIONS_LOADED,
	  .honours = PART_MESSAGE,
	  .blocks = BLOCK_IGNORED },
	{ .name = "Setup",
	  .moment = EV_SETUP,
	  .honours = PART_MESSAGE | PART_CONTEXT,
	  .blocks = BLOCK_NOTICE },
	{ .name = "Notification",
	  .moment = EV_NOTIFICATION,
	  .honours = PART_DECISION | PART_MESSAGE,
	  .blocks = BLOCK_IGNORED },
	{ .name = "Elicitation",
	  .moment = EV_ELICITATION,
	  .honours = PART_DECISION | PART_MESSAGE | PART_ELICIT,
	  .blocks = BLOCK_DENY },
	{ .name = "ElicitationResult",
	  .moment = EV_ELICITATION_RESULT,
	  .honours = PART_DECISION | PART_MESSAGE | PART_ELICIT,
	  .blocks = BLOCK_DENY },
	{ .name = "PreModelSwitch",
	  .moment = EV_PRE_MODEL_SWITCH,
	  .timeout_ms = 30000,
	  .honours = PART_DECISION | PART_MESSAGE | PART_PERMISSION,
	  .blocks = BLOCK_DENY },
	{ .name = "PostModelSwitch",
	  .moment = EV_POST_MODEL_SWITCH,
	  .timeout_ms = 30000,
	  .honours = PART_MESSAGE | PART_CONTEXT | PART_TEXT,
	  .blocks = BLOCK_NOTICE },
	{ .name = "TaskCreated",
	  .moment = EV_TASK_CREATED,
	  .honours = PART_DECISION | PART_MESSAGE,
	  .blocks = BLOCK_DENY },
	{ .name = "TaskCompleted",
	  .moment = EV_TASK_COMPLETED,
	  .honours = PART_DECISION | PART_MESSAGE,
	  .blocks = BLOCK_DENY },
	{ .name = "MessageDisplay",
	  .moment = EV_MESSAGE_DISPLAY,
	  .timeout_ms = 10000,
	  .honours = PART_DECISION | PART_MESSAGE | PART_DISPLAY,
	  .blocks = BLOCK_IGNORED },
	{ .name = "ConfigChange",
	  .moment = EV_CONFIG_CHANGE,
	  .honours = PART_DECISION | PART_MESSAGE,
	  .blocks = BLOCK_DENY },
	{ .name = "FileChanged",
	  .moment = EV_FILE_CHANGED,
	  .honours = PART_MESSAGE | PART_WATCH,
	  .blocks = BLOCK_NOTICE },
	{ .name = "DirectoryAdded",
	  .moment = EV_DIRECTORY_ADDED,
	  .honours = PART_MESSAGE,
	  .blocks = BLOCK_NOTICE },
	{ .name = "CwdChanged", .when = CASE_NEVER },
	{ .name = "TeammateIdle", .when = CASE_NEVER },
	{ .name = "WorktreeCreate", .when = CASE_NEVER },
	{ .name = "WorktreeRemove", .when = CASE_NEVER },
};

static const struct dialect_event codex_events[] = {
	{ .name = "PreToolUse",
	  .moment = EV_BEFORE_TOOL,
	  .honours = COMMON | PART_PERMISSION | PART_TOOL_INPUT | PART_CONTEXT,
	  .blocks = BLOCK_DENY },
	{ .name = "PermissionRequest",
	  .moment = EV_PERMISSION_REQUEST,
	  .honours = PART_STOP | PART_MESSAGE | PART_REQUEST,
	  .blocks = BLOCK_DENY },
	/* The reason takes the place of the result. */
	{ .name = "PostToolUse",
	  .moment = EV_AFTER_TOOL,
	  .when = CASE_SUCCESS,
	  .honours = COMMON | PART_CONTEXT,
	  .blocks = BLOCK_DENY },
	{ .name = "UserPromptSubmit",
	  .moment = EV_BEFORE_AGENT,
	  .when = CASE_SUCCESS,
	  .honours = COMMON | PART_CONTEXT | PART_TEXT,
	  .blocks = BLOCK_DENY },
	{ .name = "Stop", .moment = EV_AFTER_AGENT, .honours = COMMON, .blocks = BLOCK_DENY },
	{ .name = "SubagentStart",
	  .moment = EV_SUBAGENT_START,
	  .honours = PART_MESSAGE | PART_CONTEXT | PART_TEXT,
	  .blocks = BLOCK_NOTICE },
	{ .name = "SubagentStop",
	  .moment = EV_SUBAGENT_STOP,
	  .honours = COMMON,
	  .blocks = BLOCK_DENY },
	{ .name = "SessionStart",
	  .moment = EV_SESSION_START,
	  .honours = PART_STOP | PART_MESSAGE | PART_CONTEXT | PART_TEXT,
	  .blocks = BLOCK_NOTICE },
	{ .name = "SessionEnd",
	  .moment = EV_SESSION_END,
	  .timeout_ms = 1000,
	  .honours = PART_MESSAGE,
	  .blocks = BLOCK_NOTICE },
	{ .name = "PreCompact",
	  .moment = EV_PRE_COMPRESS,
	  .honours = PART_STOP | PART_MESSAGE,
	  .blocks = BLOCK_DENY },
	{ .name = "PostCompact",
	  .moment = EV_POST_COMPACT,
	  .honours = PART_STOP | PART_MESSAGE,
	  .blocks = BLOCK_NOTICE },
	{ .name = "Interrupt", .when = CASE_NEVER },
};

#define GEMINI_WORDS .words = WORDS_GEMINI, .denial = "\"decision\": \"deny\""

const struct dialect dialects[DIALECT_COUNT] = {
	[DIALECT_GEMINI] = {
		.id = DIALECT_GEMINI,
		GEMINI_WORDS,
		.name = "gemini",
		.events = gemini_events,
		.nevents = ARRAY_LEN(gemini_events),
		.borrows = true,
		.timeout_unit_ms = 1,
		.timeout_ms = 60000,
		.unwraps_string = true,
	},
	[DIALECT_TABNINE] = {
		.id = DIALECT_TABNINE,
		GEMINI_WORDS,
		.name = "tabnine",
		.events = gemini_events,
		.nevents = ARRAY_LEN(gemini_events),
		.borrows = true,
		.timeout_unit_ms = 1,
		.timeout_ms = 60000,
		.rewrite_replaces = true,
		.unwraps_string = true,
		.env_prefix = "TABNINE",
	},
	[DIALECT_TERMINAI] = {
		.id = DIALECT_TERMINAI,
		GEMINI_WORDS,
		.name = "terminai",
		.events = gemini_events,
		.nevents = ARRAY_LEN(gemini_events),
		.borrows = true,
		.timeout_unit_ms = 1,
		.timeout_ms = 60000,
		.unwraps_string = true,
		.env_prefix = "TERMINAI",
	},
	[DIALECT_JPFORK] = {
		.id = DIALECT_JPFORK,
		GEMINI_WORDS,
		.name = "jpfork",
		.events = jpfork_events,
		.nevents = ARRAY_LEN(jpfork_events),
		.borrows = true,
		.timeout_unit_ms = 1,
		.timeout_ms = 60000,
		.tool_match = TOOL_REGEX_ICASE,
		.plain = PLAIN_DROP,
		.before_tool_failure = FAIL_DENY,
		.keeps_duplicates = true,
		.tool_response_text = true,
		.bare_payload = true,
	},
	[DIALECT_CLAUDE] = {
		.id = DIALECT_CLAUDE,
		.words = WORDS_CLAUDE,
		.denial = "\"decision\": \"block\"",
		.name = "claude",
		.events = claude_events,
		.nevents = ARRAY_LEN(claude_events),
		.timeout_unit_ms = 1000,
		.timeout_ms = 600000,
		.tool_match = TOOL_LIST,
		.list_marks = " ,|-",
		.plain = PLAIN_CONTEXT,
		.rewrite_replaces = true,
		.json_on_failure = true,
		.exit_is_failure = true,
		.tools = TOOLS_CLAUDE,
		.payload = PAYLOAD_CLAUDE,
		.sends_mode = true,
		.reads_transcript = true,
		.claude_keys = true,
		.new_events = true,
		.env_file = "CLAUDE_ENV_FILE",
		.off_key = "disableAllHooks",
		.env_key = "env",
		.permissions_key = "permissions",
		.plugins_key = "enabledPlugins",
		.handlers = true,
		.literal_context = true,
		.allow_approves = true,
	},
	[DIALECT_CODEX] = {
		.id = DIALECT_CODEX,
		.words = WORDS_CODEX,
		.denial = "hookSpecificOutput.permissionDecision: \"deny\" with a "
			  "permissionDecisionReason, or \"decision\": \"block\" with a \"reason\"",
		.name = "codex",
		.events = codex_events,
		.nevents = ARRAY_LEN(codex_events),
		.timeout_unit_ms = 1000,
		.timeout_ms = 600000,
		.tool_match = TOOL_LIST,
		.list_marks = "|",
		.plain = PLAIN_CONTEXT,
		.rewrite_replaces = true,
		.tools = TOOLS_CODEX,
		.payload = PAYLOAD_CODEX,
		.sends_mode = true,
		.claude_keys = true,
		.new_events = true,
		.handlers = true,
		.literal_context = true,
		.no_events = "state managed_dir windows_managed_dir",
	},
};

static const char *const failure_names[] = {
	[FAIL_DEFAULT] = "warn", [FAIL_WARN] = "warn", [FAIL_ASK] = "ask", [FAIL_DENY] = "deny"
};

enum on_failure on_failure_find(struct str word)
{
	enum on_failure f = FAIL_DENY;

	while (f > FAIL_DEFAULT && !str_eqz(word, failure_names[f]))
		f--;
	return f;
}

const char *on_failure_name(enum on_failure f)
{
	return failure_names[f];
}

bool dialect_is_name(struct str name)
{
	return dialect_find(name) != NULL;
}

const struct dialect *dialect_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
		if (str_eqz(name, dialects[i].name))
			return &dialects[i];
	return NULL;
}

const struct dialect_event *dialect_event_find(const struct dialect *d, struct str name)
{
	for (size_t i = 0; i < d->nevents; i++)
		if (str_eqz(name, d->events[i].name))
			return &d->events[i];
	return NULL;
}

const struct dialect_event *dialect_event_of(const struct dialect *d, enum event_id moment)
{
	for (size_t i = 0; i < d->nevents; i++)
		if (d->events[i].moment == moment && d->events[i].when != CASE_NEVER)
			return &d->events[i];
	return NULL;
}

const char *dialect_event_nearest(struct str name)
{
	static const enum dialect_id order[] = { DIALECT_GEMINI, DIALECT_CLAUDE };
	enum { NAMES_MAX = 256 };
	const char *names[NAMES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < EV_COUNT && n < NAMES_MAX; i++)
		names[n++] = events[i].name;
	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		for (size_t i = 0; i < dialects[order[k]].nevents && n < NAMES_MAX; i++)
			if (dialects[order[k]].events[i].when != CASE_NEVER)
				names[n++] = dialects[order[k]].events[i].name;
	return str_nearest(name, names, n);
}

const struct dialect *dialect_of_runtime(struct str event)
{
	static const enum dialect_id order[] = { DIALECT_GEMINI, DIALECT_CLAUDE };
	const struct event *moment = event_find(event);

	for (size_t i = 0; moment && i < ARRAY_LEN(order); i++) {
		const struct dialect_event *e = dialect_event_find(&dialects[order[i]], event);

		if (e && e->when != CASE_NEVER && &events[e->moment] == moment)
			return &dialects[order[i]];
	}
	return NULL;
}

/*
 * Names of tools (C5.3).  What a dialect calls a tool it sends and matches; an alias is only
 * understood in matchers.
 */
static const struct tool_names {
	const char *name;
	const char *in[TOOLS_COUNT];
	const char *aliases[3];
} tool_names[] = {
	{ "activate_skill", { [TOOLS_CLAUDE] = "Skill" }, { NULL } },
	{ "ask_user", { [TOOLS_CLAUDE] = "AskUserQuestion" }, { NULL } },
	{ "enter_plan_mode", { [TOOLS_CLAUDE] = "EnterPlanMode" }, { NULL } },
	{ "exit_plan_mode", { [TOOLS_CLAUDE] = "ExitPlanMode" }, { NULL } },
	{ "glob", { [TOOLS_CLAUDE] = "Glob" }, { NULL } },
	{ "google_web_search", { [TOOLS_CLAUDE] = "WebSearch" }, { NULL } },
	{ "grep_search", { [TOOLS_CLAUDE] = "Grep" }, { "search_file_content", "grep" } },
	{ "invoke_agent",
	  { [TOOLS_CLAUDE] = "Agent", [TOOLS_CODEX] = "spawn_agent" },
	  { "delegate_to_agent", "Task" } },
	{ "list_directory", { [TOOLS_CLAUDE] = "LS" }, { "ls" } },
	{ "list_mcp_resources", { [TOOLS_CLAUDE] = "ListMcpResourcesTool" }, { NULL } },
	{ "read_file", { [TOOLS_CLAUDE] = "Read" }, { NULL } },
	{ "read_many_files", { [TOOLS_CLAUDE] = "Read" }, { NULL } },
	{ "read_mcp_resource", { [TOOLS_CLAUDE] = "ReadMcpResourceTool" }, { NULL } },
	{ "replace",
	  { [TOOLS_CLAUDE] = "Edit", [TOOLS_CODEX] = "apply_patch" },
	  { "edit_file", "edit" } },
	{ "run_shell_command", { [TOOLS_CLAUDE] = "Bash", [TOOLS_CODEX] = "Bash" }, { NULL } },
	{ "web_fetch", { [TOOLS_CLAUDE] = "WebFetch" }, { NULL } },
	{ "write_file", { [TOOLS_CLAUDE] = "Write", [TOOLS_CODEX] = "apply_patch" }, { NULL } },
	{ "write_todos", { [TOOLS_CLAUDE] = "TodoWrite" }, { NULL } },
};

const char *tool_name_in(enum tools whose, struct str name)
{
	const char *alias = tool_alias(name);
	struct str canonical = alias ? str_from(alias) : name;

	for (size_t i = 0; i < ARRAY_LEN(tool_names); i++)
		if (str_eqz(canonical, tool_names[i].name))
			return tool_names[i].in[whose];
	return NULL;
}

const char *tool_also_in(enum tools whose, struct str theirs, size_t i)
{
	static const struct {
		enum tools whose;
		const char *name, *also[3];
	} rows[] = {
		{ TOOLS_CLAUDE, "Agent", { "Task" } },
		{ TOOLS_CODEX, "apply_patch", { "Edit", "Write" } },
	};

	for (size_t k = 0; k < ARRAY_LEN(rows); k++)
		if (rows[k].whose == whose && str_eqz(theirs, rows[k].name))
			return rows[k].also[i];
	return NULL;
}

const char *tool_called_at(enum tools whose, struct str theirs, size_t nth)
{
	for (size_t i = 0; i < ARRAY_LEN(tool_names); i++) {
		const char *also = tool_names[i].in[whose];
		struct str name = str_from(also);
		bool called = false;

		/* By its name, and by those that go on. */
		for (size_t k = 0; also && name.n && !called; k++) {
			called = str_eqz(theirs, also);
			also = tool_also_in(whose, name, k);
		}
		if (called && nth-- == 0)
			return tool_names[i].name;
	}
	return NULL;
}

const char *tool_alias(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(tool_names); i++) {
		const struct tool_names *t = &tool_names[i];

		if (str_eqz(name, t->in[TOOLS_CLAUDE]))
			return t->name;
		for (size_t k = 0; k < ARRAY_LEN(t->aliases) && t->aliases[k]; k++)
			if (str_eqz(name, t->aliases[k]))
				return t->name;
	}
	return NULL;
}

enum { NAMES_PER_TOOL = 1 + ARRAY_LEN(tool_names[0].aliases) };

size_t tool_alias_count(void)
{
	struct tool_alias unused;
	size_t n = 0;

	while (tool_alias_at(n, &unused))
		n++;
	return n;
}

bool tool_alias_at(size_t i, struct tool_alias *ret)
{
	for (size_t t = 0; t < ARRAY_LEN(tool_names); t++)
		for (size_t k = 0; k < NAMES_PER_TOOL; k++) {
			const struct tool_names *names = &tool_names[t];
			const char *alias = k ? names->aliases[k - 1] : names->in[TOOLS_CLAUDE];

			if (!alias || i--)
				continue;
			*ret = (struct tool_alias){ names->name, alias };
			return true;
		}
	return false;
}

bool tool_is_claudes(struct str word)
{
	static const char *const tools[] = {
		"BashOutput",   "CronCreate",   "CronDelete",   "CronList",   "EnterWorktree",
		"ExitWorktree", "KillBash",     "KillShell",    "LSP",        "Monitor",
		"MultiEdit",    "NotebookEdit", "NotebookRead", "PowerShell", "SendMessage",
		"SlashCommand", "TaskCreate",   "TaskGet",      "TaskList",   "TaskOutput",
		"TaskStop",     "TaskUpdate",   "TodoRead",     "ToolSearch",
	};

	return WORD_IN(word, tools);
}
