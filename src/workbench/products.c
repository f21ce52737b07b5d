#include "workbench/products.h"

static const struct agent agents[] = {
	{ .name = "gemini",
	  .title = "Gemini CLI",
	  .files = "gemini",
	  .env_prefix = "GEMINI",
	  .names_hooks = true,
	  .is_target = true },
	{ .name = "tabnine",
	  .title = "Tabnine CLI",
	  .files = "tabnine",
	  .env_prefix = "TABNINE",
	  .names_hooks = true,
	  .is_target = true,
	  .is_source = true },
	{ .name = "terminai",
	  .title = "TerminaI",
	  .files = "terminai",
	  .env_prefix = "TERMINAI",
	  .names_hooks = true,
	  .is_target = true,
	  .is_source = true },
	{ .name = "claude",
	  .title = "Claude Code",
	  .files = "claude",
	  .env_prefix = "CLAUDE",
	  .seconds = true,
	  .star = true,
	  .is_target = true,
	  .is_source = true },
	{ .name = "jpfork",
	  .title = "Gemini CLI fork",
	  .files = "gemini",
	  .env_prefix = "GEMINI",
	  .is_source = true },
};

const struct agent *agent_target(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(agents); i++)
		if (agents[i].is_target && strcmp(agents[i].name, name) == 0)
			return &agents[i];
	return NULL;
}

const struct agent *agent_source(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(agents); i++)
		if (agents[i].is_source && strcmp(agents[i].name, name) == 0)
			return &agents[i];
	return NULL;
}

/* ---- events ---- */

#define NO_MOMENT "there is no such moment in Gemini CLI"

static const struct agent_event claude_events[] = {
	{ "PreToolUse", "BeforeTool", NULL, 600000 },
	{ "PostToolUse", "AfterTool", "Gemini CLI also fires it for tools that failed", 600000 },
	{ "UserPromptSubmit", "BeforeAgent", NULL, 30000 },
	{ "Stop", "AfterAgent", NULL, 600000 },
	{ "SubagentStop", "AfterAgent",
	  "AfterAgent fires when the main agent has answered; the end of a sub-agent is AfterTool "
	  "with the matcher ^invoke_agent$",
	  600000 },
	{ "SubAgentStop", "AfterAgent",
	  "AfterAgent fires when the main agent has answered; the end of a sub-agent is AfterTool "
	  "with the matcher ^invoke_agent$",
	  600000 },
	{ "SessionStart", "SessionStart", NULL, 600000 },
	{ "SessionEnd", "SessionEnd", NULL, 60000 },
	{ "PreCompact", "PreCompress", "PreCompress cannot keep the compression from happening",
	  600000 },
	{ "Notification", "Notification", NULL, 600000 },
	{ "PostToolUseFailure", NULL,
	  "AfterTool fires for tools that succeeded, too; look at tool_response.error there", 0 },
	{ "SubagentStart", NULL, "it is BeforeTool with the matcher ^invoke_agent$", 0 },
	{ "PermissionRequest", NULL, "Notification only tells that the user is asked", 0 },
	{ "ConfigChange", NULL, NO_MOMENT, 0 },
	{ "CwdChanged", NULL, NO_MOMENT, 0 },
	{ "DirectoryAdded", NULL, NO_MOMENT, 0 },
	{ "Elicitation", NULL, NO_MOMENT, 0 },
	{ "ElicitationResult", NULL, NO_MOMENT, 0 },
	{ "FileChanged", NULL, NO_MOMENT, 0 },
	{ "InstructionsLoaded", NULL, NO_MOMENT, 0 },
	{ "MessageDisplay", NULL, NO_MOMENT, 0 },
	{ "PermissionDenied", NULL, NO_MOMENT, 0 },
	{ "PostCompact", NULL, NO_MOMENT, 0 },
	{ "PostToolBatch", NULL, NO_MOMENT, 0 },
	{ "Setup", NULL, NO_MOMENT, 0 },
	{ "StopFailure", NULL, NO_MOMENT, 0 },
	{ "TaskCompleted", NULL, NO_MOMENT, 0 },
	{ "TaskCreated", NULL, NO_MOMENT, 0 },
	{ "TeammateIdle", NULL, NO_MOMENT, 0 },
	{ "UserPromptExpansion", NULL, NO_MOMENT, 0 },
	{ "WorktreeCreate", NULL, NO_MOMENT, 0 },
	{ "WorktreeRemove", NULL, NO_MOMENT, 0 },
};

static const struct agent_event jpfork_events[] = {
	{ "PreToolUse", "BeforeTool", NULL, 0 },
	{ "PostToolUse", "AfterTool", "Gemini CLI also fires it for tools that failed", 0 },
	{ "Stop", "AfterAgent",
	  "AfterAgent fires with each answer and waits for the hook; Stop came after a second of "
	  "idleness",
	  0 },
	{ "SubagentStop", NULL, "it never fired", 0 },
};

/* Tabnine's before 2026, where any exit status but 0 blocked. */
#define OLD_TABNINE "an event of the older Tabnine agent, whose hooks block with every exit status"
static const struct agent_event tabnine_events[] = {
	{ "before-agent", NULL, OLD_TABNINE, 0 }, { "after-agent", NULL, OLD_TABNINE, 0 },
	{ "before-model", NULL, OLD_TABNINE, 0 }, { "after-model", NULL, OLD_TABNINE, 0 },
	{ "before-tool", NULL, OLD_TABNINE, 0 },  { "after-tool", NULL, OLD_TABNINE, 0 },
	{ "on-error", NULL, OLD_TABNINE, 0 },
};

#define GEMINI(event)                                                                              \
	{                                                                                          \
		event, event, NULL, 0                                                              \
	}
static const struct agent_event gemini_events[] = {
	GEMINI("BeforeTool"),   GEMINI("AfterTool"),    GEMINI("BeforeAgent"),
	GEMINI("AfterAgent"),   GEMINI("BeforeModel"),  GEMINI("BeforeToolSelection"),
	GEMINI("AfterModel"),   GEMINI("SessionStart"), GEMINI("SessionEnd"),
	GEMINI("Notification"), GEMINI("PreCompress"),
};

struct event_table {
	const char *agent;
	const struct agent_event *own;
	size_t nown;
	bool has_gemini; /* Gemini's events, too */
};

static const struct event_table tables[] = {
	{ "gemini", NULL, 0, true },
	{ "tabnine", tabnine_events, ARRAY_LEN(tabnine_events), true },
	{ "terminai", NULL, 0, true },
	{ "claude", claude_events, ARRAY_LEN(claude_events), false },
	{ "jpfork", jpfork_events, ARRAY_LEN(jpfork_events), false },
};

const struct agent_event *agent_event_at(const struct agent *agent, size_t i)
{
	for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
		const struct event_table *table = &tables[t];

		if (strcmp(table->agent, agent->name) != 0)
			continue;
		if (i < table->nown)
			return &table->own[i];
		i -= table->nown;
		return table->has_gemini && i < ARRAY_LEN(gemini_events) ? &gemini_events[i] : NULL;
	}
	return NULL;
}

const struct agent_event *agent_event_find(const struct agent *agent, struct str name)
{
	const struct agent_event *e;

	for (size_t i = 0; (e = agent_event_at(agent, i)); i++)
		if (str_eqz(name, e->name))
			return e;
	return NULL;
}

const char *agent_event_name(const struct agent *agent, const char *event)
{
	const struct agent_event *e = agent_event_find(agent, str_from(event));

	for (size_t i = 0; !e && (e = agent_event_at(agent, i)); i++)
		if (!e->gemini || strcmp(e->gemini, event) != 0)
			e = NULL;
	return e ? e->name : NULL;
}

bool is_tool_event(const char *gemini_event)
{
	return strcmp(gemini_event, "BeforeTool") == 0 || strcmp(gemini_event, "AfterTool") == 0;
}

/* ---- words in matchers ---- */

struct word {
	const char *theirs, *gemini;
};

static const struct word claude_tools[] = {
	{ "Agent", "invoke_agent" },
	{ "AskUserQuestion", "ask_user" },
	{ "Bash", "run_shell_command" },
	{ "Edit", "replace" },
	{ "EnterPlanMode", "enter_plan_mode" },
	{ "ExitPlanMode", "exit_plan_mode" },
	{ "Glob", "glob" },
	{ "Grep", "grep_search" },
	{ "LS", "list_directory" },
	{ "Read", "read_file|read_many_files" },
	{ "Skill", "activate_skill" },
	{ "Task", "invoke_agent" },
	{ "TodoWrite", "write_todos" },
	{ "WebFetch", "web_fetch" },
	{ "WebSearch", "google_web_search" },
	{ "Write", "write_file" },
	{ "BashOutput", "" },
	{ "KillShell", "" },
	{ "MultiEdit", "" },
	{ "NotebookEdit", "" },
	{ "NotebookRead", "" },
	{ "PowerShell", "" },
};

/* What the family called its tools before 2026. */
static const struct word older_tools[] = {
	{ "delegate_to_agent", "invoke_agent" },
	{ "search_file_content", "grep_search" },
};

static const struct word claude_notifications[] = {
	{ "permission_prompt", "ToolPermission" },
};

static const char *word_find(const struct word *words, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eqz(name, words[i].theirs))
			return words[i].gemini;
	return NULL;
}

const char *agent_tool(const struct agent *agent, struct str name)
{
	return agent->seconds ? word_find(claude_tools, ARRAY_LEN(claude_tools), name)
			      : word_find(older_tools, ARRAY_LEN(older_tools), name);
}

const char *agent_notification(const struct agent *agent, struct str type)
{
	return agent->seconds
		       ? word_find(claude_notifications, ARRAY_LEN(claude_notifications), type)
		       : NULL;
}
