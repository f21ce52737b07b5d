/*
 * Claude Code, and the agents that copied the shape of its hooks.  They differ in what they take
 * for an answer: see docs/hosts.md for what each was seen to do.
 */
#include "hosts/rows.h"

#define OUTPUT "/hookSpecificOutput"

static const struct host_place places[] = {
	{ GET_EVENT, "/hook_event_name" },
	{ GET_EVENT, "/hookEventName" }, /* of older versions of VS Code, as its session's id is */
	{ GET_SESSION, "/session_id" },
	{ GET_SESSION, "/sessionId" },
	{ GET_SESSION, "/conversation_id" },
	{ GET_CWD, "/cwd" },
	{ GET_CWD, "/workspace_roots" },
	{ GET_TRANSCRIPT, "/transcript_path" },
	{ GET_TURN, "/prompt_id" },
	{ GET_TURN, "/turn_id" },
	{ GET_CALL, "/tool_call_id" }, /* of Qwen Code, whose batches have no other */
	{ GET_CALL, "/tool_use_id" },
	{ GET_MODE, "/permission_mode" },
	{ GET_MODEL, "/model" },
	{ GET_AGENT_ID, "/agent_id" },
	{ GET_AGENT_TYPE, "/agent_type" },
	{ GET_TOOL, "/tool_name" },
	{ GET_ARGS, "/tool_input" },
	{ GET_SERVER, "/mcp_context/server_name" },
	{ GET_SERVER_TOOL, "/mcp_context/tool_name" },
	{ GET_RESULT, "/tool_response", ON_RESULTS },
	{ GET_RESULT, "/tool_output", ON_RESULTS },
	{ GET_ERROR, "/error", ON(FAILURE) },
	{ GET_ERROR, "/tool_error", ON_RESULTS },
	{ GET_PROMPT, "/prompt" },
	{ GET_PROMPT, "/user_prompt" },
	{ GET_RESPONSE, "/last_assistant_message" },
	{ GET_RESPONSE, "/_exchange/exchange/response_text" },
	{ GET_ACTIVE, "/stop_hook_active" },
	{ GET_SUBJECT, "/source", ON(START) },
	{ GET_SUBJECT, "/reason", ON(END) },
	{ GET_SUBJECT, "/trigger", ON(COMPRESS) },
	{ GET_SUBJECT, "/notification_type", ON(NOTICE) },
	{ GET_SUBJECT, "/agent_type", ON(AGENT_START) | ON(AGENT_STOP) },
	{ GET_SUBJECT, "/agent_name", ON(AGENT_START) | ON(AGENT_STOP) },
	{ GET_SUBJECT, "/task_name", ON(AGENT_STOP) },
	{ GET_SUBJECT, "/teammate_name", ON(AGENT_STOP) },
	{ GET_SUBJECT, "/trigger", ON(COMPRESSED) | ON(SETUP) },
	{ GET_SUBJECT, "/error", ON(BROKEN) },
	{ GET_SUBJECT, "/to_model", ON(SWITCH) | ON(SWITCHED) },
	{ GET_SUBJECT, "/source", ON(CONFIG) },
	{ GET_SUBJECT, "/mcp_server_name", ON(ELICITATION) | ON(ELICITED) },
	{ GET_SUBJECT, "/load_reason", ON(INSTRUCTIONS) },
	{ GET_SUBJECT, "/command_name", ON(EXPANSION) },
	{ GET_SUBJECT, "/source", ON(DIRECTORY) },
	{ GET_SUBJECT, "/file_path", ON(FILE) },
	{ GET_MESSAGE, "/message", ON(NOTICE) },
	{ 0 }
};

static const struct host_event events[] = {
	{ "PreToolUse", KIND_TOOL },
	{ "PostToolUse", KIND_RESULT },
	{ "PostToolUseFailure", KIND_FAILURE },
	{ "UserPromptSubmit", KIND_PROMPT },
	{ "PromptSubmit", KIND_PROMPT },
	{ "Stop", KIND_STOP },
	{ "SessionStart", KIND_START },
	{ "SessionEnd", KIND_END },
	{ "PreCompact", KIND_COMPRESS },
	{ "Notification", KIND_NOTICE },
	{ "SubagentStart", KIND_AGENT_START },
	{ "SubagentStop", KIND_AGENT_STOP },
	{ "TeammateIdle", KIND_AGENT_STOP },
	{ "PostToolBatch", KIND_BATCH },
	{ "PermissionRequest", KIND_REQUEST },
	{ "PermissionDenied", KIND_REFUSED },
	{ "UserPromptExpansion", KIND_EXPANSION },
	{ "PostCompact", KIND_COMPRESSED },
	{ "StopFailure", KIND_BROKEN },
	{ "InstructionsLoaded", KIND_INSTRUCTIONS },
	{ "Setup", KIND_SETUP },
	{ "PreModelSwitch", KIND_SWITCH },
	{ "PostModelSwitch", KIND_SWITCHED },
	{ "ConfigChange", KIND_CONFIG },
	{ "Elicitation", KIND_ELICITATION },
	{ "ElicitationResult", KIND_ELICITED },
	{ "TaskCreated", KIND_TASK_CREATED },
	{ "TaskCompleted", KIND_TASK_DONE },
	/* Qwen Code tells of an answer while it grows,
					     * and of a todo again once it is written. */
	{ "MessageDisplay", KIND_SHOWN, .once_at = "is_final", .once = "true" },
	{ "TodoCreated", KIND_TASK_CREATED, .once_at = "phase", .once = "validation" },
	{ "TodoCompleted", KIND_TASK_DONE, .once_at = "phase", .once = "validation" },
	{ "FileChanged", KIND_FILE },
	{ "DirectoryAdded", KIND_DIRECTORY },
	{ 0 }
};

static const struct host_tool claude_tools[] = {
	{ "Bash", "run_shell_command", ARGS({ "run_in_background", "is_background" }) },
	{ "Read", "read_file",
	  ARGS({ "limit", "end_line", ARG_COUNT }, { "offset", "start_line" }) },
	{ "Write", "write_file", NULL },
	{ "Edit", "replace", ARGS({ "replace_all", "allow_multiple" }) },
	{ "Glob", "glob", ARGS({ "path", "dir_path" }) },
	{ "Grep", "grep_search",
	  ARGS({ "path", "dir_path" }, { "glob", "include_pattern" },
	       { "head_limit", "total_max_matches" }, { "-A", "after" }, { "-B", "before" },
	       { "-C", "context" }) },
	{ "LS", "list_directory", ARGS({ "path", "dir_path" }) },
	{ "WebFetch", "web_fetch", NULL },
	{ "WebSearch", "google_web_search", NULL },
	{ "TodoWrite", "write_todos", NULL },
	{ "AskUserQuestion", "ask_user", NULL },
	{ "Skill", "activate_skill", ARGS({ "skill", "name" }) },
	{ "Agent", "invoke_agent", ARGS({ "subagent_type", "agent_name" }) },
	{ "Task", "invoke_agent", ARGS({ "subagent_type", "agent_name" }) },
	{ 0 }
};

#define DENIAL                                                                                     \
	{ ON(TOOL), SAY_DENY, OUTPUT "/permissionDecision", WHAT_WORD, "deny" },                   \
	{                                                                                          \
		ON(TOOL), SAY_DENY, OUTPUT "/permissionDecisionReason", WHAT_REASON                \
	}
#define QUESTION                                                                                   \
	{ ON(TOOL), SAY_ASK, OUTPUT "/permissionDecision", WHAT_WORD, "ask" },                     \
	{                                                                                          \
		ON(TOOL), SAY_ASK, OUTPUT "/permissionDecisionReason", WHAT_REASON                 \
	}
#define ALLOWANCE                                                                                  \
	{                                                                                          \
		ON(TOOL), SAY_ALLOW, OUTPUT "/permissionDecision", WHAT_WORD, "allow"              \
	}
#define REWRITE                                                                                    \
	{                                                                                          \
		ON(TOOL), SAY_REWRITE, OUTPUT "/updatedInput", WHAT_ARGS                           \
	}
#define BLOCK(kinds)                                                                               \
	{ kinds, SAY_DENY, "/decision", WHAT_WORD, "block" },                                      \
	{                                                                                          \
		kinds, SAY_DENY, "/reason", WHAT_REASON                                            \
	}
#define CONTEXT(kinds)                                                                             \
	{                                                                                          \
		kinds, SAY_CONTEXT, OUTPUT "/additionalContext", WHAT_CONTEXT                      \
	}
/* An answer in place of the user's. */
#define ANSWER                                                                                     \
	{ ON(REQUEST), SAY_DENY, OUTPUT "/decision/behavior", WHAT_WORD, "deny" },                 \
		{ ON(REQUEST), SAY_DENY, OUTPUT "/decision/message", WHAT_REASON },                \
	{                                                                                          \
		ON(REQUEST), SAY_ALLOW, OUTPUT "/decision/behavior", WHAT_WORD, "allow"            \
	}
#define STOP(kinds)                                                                                \
	{ kinds, SAY_STOP, "/continue", WHAT_NO },                                                 \
	{                                                                                          \
		kinds, SAY_STOP, "/stopReason", WHAT_STOP_REASON                                   \
	}
#define MESSAGE                                                                                    \
	{                                                                                          \
		ON_ALL, SAY_MESSAGE, "/systemMessage", WHAT_MESSAGE                                \
	}

static const struct host_word claude_words[] = {
	DENIAL,
	QUESTION,
	ALLOWANCE,
	REWRITE,
	BLOCK(ON_RESULTS | ON(PROMPT) | ON(STOP) | ON(COMPRESS) | ON(AGENT_STOP) | ON(BATCH) |
	      ON(EXPANSION)),
	BLOCK(ON(CONFIG) | ON(TASK_CREATED) | ON(TASK_DONE)),
	{ ON(SWITCH), SAY_DENY, OUTPUT "/permissionDecision", WHAT_WORD, "deny" },
	{ ON(SWITCH), SAY_DENY, OUTPUT "/permissionDecisionReason", WHAT_REASON },
	{ ON(SWITCH), SAY_ASK, OUTPUT "/permissionDecision", WHAT_WORD, "ask" },
	{ ON(SWITCH), SAY_ASK, OUTPUT "/permissionDecisionReason", WHAT_REASON },
	{ ON(ELICITATION) | ON(ELICITED), SAY_DENY, OUTPUT "/action", WHAT_WORD, "decline" },
	{ ON(ELICITATION) | ON(ELICITED), SAY_RESULT, OUTPUT "/action", WHAT_ACTION },
	{ ON(ELICITATION) | ON(ELICITED), SAY_RESULT, OUTPUT "/content", WHAT_CONTENT },
	ANSWER,
	{ ON(REQUEST), SAY_REWRITE, OUTPUT "/decision/updatedInput", WHAT_ARGS },
	{ ON(REQUEST), SAY_CHANGE, OUTPUT "/decision/updatedPermissions", WHAT_PERMISSIONS },
	{ ON(REFUSED), SAY_CHANGE, OUTPUT "/retry", WHAT_RETRY },
	{ ON_ALL, SAY_CHANGE, "/terminalSequence", WHAT_TERMINAL },
	{ ON(RESULT), SAY_DENY, OUTPUT "/updatedToolOutput", WHAT_REASON_AS_RESULT },
	{ ON(RESULT), SAY_RESULT, OUTPUT "/updatedToolOutput", WHAT_RESULT },
	{ ON(SHOWN), SAY_DENY, OUTPUT "/displayContent", WHAT_REASON },
	{ ON(SHOWN), SAY_RESULT, OUTPUT "/displayContent", WHAT_RESULT },
	{ ON(START) | ON(FILE), SAY_WATCH, OUTPUT "/watchPaths", WHAT_WATCHED },
	CONTEXT(ON_TOOLS | ON(PROMPT) | ON(START) | ON(AGENT_START) | ON(BATCH) | ON(EXPANSION) |
		ON(SETUP) | ON(SWITCHED)),
	STOP(ON_TOOLS | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP) | ON(BATCH) | ON(EXPANSION)),
	MESSAGE,
	{ 0 }
};

static const struct host_switch claude_switches[] = {
	{ ".claude/settings.json", "/disableAllHooks", true },
	{ ".claude/settings.local.json", "/disableAllHooks", true },
	{ "/etc/claude-code/managed-settings.json", "/disableAllHooks", true },
	{ "/etc/claude-code/managed-settings.json", "/allowManagedHooksOnly", true },
	{ 0 }
};

const struct host host_claude = {
	.name = "claude",
	.file = { .shape = FILE_GROUPS,
		  .user = ".claude/settings.json",
		  .project = ".claude/settings.json",
		  .marker = ".claude",
		  .root = "/hooks",
		  .matcher = "*",
		  .timeout_unit_ms = 1000,
		  .events = "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop "
			    "SessionStart SessionEnd PreCompact Notification SubagentStart "
			    "SubagentStop PostToolBatch PermissionRequest PermissionDenied "
			    "UserPromptExpansion PostCompact StopFailure InstructionsLoaded Setup "
			    "PreModelSwitch PostModelSwitch ConfigChange Elicitation "
			    "ElicitationResult TaskCreated TaskCompleted MessageDisplay "
			    "FileChanged DirectoryAdded TeammateIdle" },
	.title = "Claude Code",
	.events = events,
	.tools = claude_tools,
	.places = places,
	.words = claude_words,
	.event_at = OUTPUT "/hookEventName",
	.reads = "claude",
	.mcp = host_mcp_usual,
	.project_env = "CLAUDE_PROJECT_DIR",
	.program = "claude",
	.switches = claude_switches,
	.proven = "2.1.330",
	.proven_on = "2026-11-23",
	.names_calls = true,
	.timeout_ms = 600000,
	.by_json = ON(SHOWN),
};

/* One key that is not in its schema, and Codex drops the answer and makes the call. */
static const struct host_word codex_words[] = {
	DENIAL,
	REWRITE,
	{ ON(TOOL), SAY_REWRITE, OUTPUT "/permissionDecision", WHAT_WORD, "allow" },
	BLOCK(ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP)),
	ANSWER,
	CONTEXT(ON(TOOL) | ON(RESULT) | ON(PROMPT) | ON(START) | ON(AGENT_START)),
	/* Its compression is refused by a stop, for which it must end with 0. */
	{ ON(COMPRESS), SAY_DENY, "/continue", WHAT_NO },
	{ ON(COMPRESS), SAY_DENY, "/stopReason", WHAT_REASON },
	STOP(ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(START) | ON(COMPRESS) | ON(COMPRESSED) |
	     ON(AGENT_STOP)),
	MESSAGE,
	{ 0 }
};

static const struct host_tool codex_tools[] = {
	{ "Bash", "run_shell_command", NULL },
	{ "apply_patch", "replace", ARGS({ "command", NULL, ARG_PATCH }) },
	{ "spawn_agent", "invoke_agent", NULL },
	{ "collaborationspawn_agent", "invoke_agent", NULL },
	{ 0 }
};

static const struct host_switch codex_switches[] = {
	{ ".codex/config.toml", "/features/hooks", false },
	{ "/etc/codex/config.toml", "/features/hooks", false },
	{ "/etc/codex/requirements.toml", "/features/hooks", false },
	{ "/etc/codex/requirements.toml", "/allow_managed_hooks_only", true },
	{ 0 }
};

const struct host host_codex = {
	.name = "codex",
	.file = { .shape = FILE_GROUPS,
		  .user = ".codex/hooks.json",
		  .project = ".codex/hooks.json",
		  .marker = ".codex",
		  .root = "/hooks",
		  .timeout_unit_ms = 1000,
		  .events = "PreToolUse PostToolUse PermissionRequest UserPromptSubmit Stop "
			    "SessionStart SessionEnd SubagentStart SubagentStop PreCompact "
			    "PostCompact",
		  .brief_events = "SessionEnd",
		  .brief_ms = 3000,
		  .then = "Codex silently skips hooks that you have not trusted: start codex, enter "
			  "/hooks and trust this one. In a project's file it also needs the "
			  "project to be trusted" },
	.title = "Codex",
	.events = events,
	.tools = codex_tools,
	.places = places,
	.words = codex_words,
	.event_at = OUTPUT "/hookEventName",
	.reads = "codex",
	.mcp = (const struct host_mcp[]){ { "mcp__", "__", .flat = true }, { 0 } },
	.program = "codex",
	.proven = "0.169.0",
	.proven_on = "2026-11-23",
	.names_calls = true,
	.unseen = "input typed into a running shell, web search on its servers",
	.approvals = ".codex/config.toml",
	.switches = codex_switches,
	.timeout_ms = 600000,
	.by_json = ON(COMPRESS),
};

/* Its tools have Gemini CLI's names; it takes no other arguments and no context before a tool. */
static const struct host_word qwen_words[] = {
	DENIAL,
	QUESTION,
	ALLOWANCE,
	BLOCK(ON(PROMPT) | ON(STOP) | ON(AGENT_STOP) | ON(EXPANSION) | ON(TASK_CREATED) |
	      ON(TASK_DONE)),
	/* Only this withholds a result, with exit status 0; that of a failure is always shown. */
	{ ON(RESULT), SAY_DENY, "/continue", WHAT_NO },
	{ ON(RESULT), SAY_DENY, "/stopReason", WHAT_REASON },
	{ ON(FAILURE), SAY_DENY, OUTPUT "/additionalContext", WHAT_REASON },
	ANSWER,
	CONTEXT(ON_RESULTS | ON(PROMPT) | ON(START) | ON(AGENT_START)),
	STOP(ON_TOOLS | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP)),
	MESSAGE,
	{ 0 }
};

static const struct host_tool qwen_tools[] = {
	{ "run_shell_command", "run_shell_command", ARGS({ "directory", "dir_path" }) },
	{ "read_file", "read_file",
	  ARGS({ "limit", "end_line", ARG_COUNT }, { "offset", "start_line" }) },
	{ "write_file", "write_file", NULL },
	{ "edit", "replace", ARGS({ "replace_all", "allow_multiple" }) },
	{ "glob", "glob", ARGS({ "path", "dir_path" }) },
	{ "grep_search", "grep_search",
	  ARGS({ "path", "dir_path" }, { "glob", "include_pattern" },
	       { "limit", "total_max_matches" }) },
	{ "list_directory", "list_directory", ARGS({ "path", "dir_path" }) },
	{ "web_fetch", "web_fetch", NULL },
	{ "skill", "activate_skill", ARGS({ "skill", "name" }) },
	{ "agent", "invoke_agent", ARGS({ "subagent_type", "agent_name" }) },
	{ 0 }
};

static const struct host_switch qwen_switches[] = {
	{ ".qwen/settings.json", "/disableAllHooks", true }, { 0 }
};

const struct host host_qwen = {
	.name = "qwen",
	.file = { .shape = FILE_GROUPS,
		  .user = ".qwen/settings.json",
		  .project = ".qwen/settings.json",
		  .marker = ".qwen",
		  .root = "/hooks",
		  .timeout_unit_ms = 1,
		  .events = "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop "
			    "SessionStart SessionEnd PreCompact Notification SubagentStart "
			    "SubagentStop PostToolBatch PermissionRequest PermissionDenied "
			    "UserPromptExpansion PostCompact StopFailure InstructionsLoaded "
			    "TodoCreated TodoCompleted MessageDisplay",
		  .then = "Qwen Code follows the last hook that decides: this one was put last; install "
			  "it again when others were added" },
	.title = "Qwen Code",
	.events = events,
	.told = ARGS({ "todo_id", "task_id" }, { "todo_content", "task_subject" },
		     { "displayed_text", "delta" }, { "is_final", "final" }),
	.tools = qwen_tools,
	.places = places,
	.words = qwen_words,
	.event_at = OUTPUT "/hookEventName",
	.mcp = host_mcp_usual,
	.prompts_again = true,
	.program = "qwen",
	.switches = qwen_switches,
	.proven = "0.24.4",
	.proven_on = "2026-11-23",
	.names_calls = true,
	.order = ORDER_LAST,
	.timeout_ms = 60000,
	.by_json = ON_RESULTS,
};

/* "ask" makes the call, and so does the other spelling of a denial. */
static const struct host_word droid_words[] = {
	DENIAL,
	ALLOWANCE,
	REWRITE,
	BLOCK(ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP)),
	CONTEXT(ON(RESULT) | ON(PROMPT) | ON(START)),
	STOP(ON(TOOL) | ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP)),
	MESSAGE,
	{ 0 }
};

static const struct host_tool droid_tools[] = {
	{ "Execute", "run_shell_command", NULL },
	{ "Read", "read_file",
	  ARGS({ "limit", "end_line", ARG_COUNT }, { "offset", "start_line" }) },
	{ "Create", "write_file", NULL },
	{ "Edit", "replace",
	  ARGS({ "old_str", "old_string" }, { "new_str", "new_string" },
	       { "change_all", "allow_multiple" }) },
	{ "ApplyPatch", "replace", ARGS({ "input", NULL, ARG_PATCH }) },
	{ "Glob", "glob",
	  ARGS({ "patterns", "pattern", ARG_EACH }, { "folder", "dir_path" },
	       { "path", "dir_path" }) },
	{ "Grep", "grep_search",
	  ARGS({ "path", "dir_path" }, { "glob_pattern", "include_pattern" },
	       { "head_limit", "total_max_matches" }, { "context_after", "after" },
	       { "context_before", "before" }) },
	{ "LS", "list_directory", ARGS({ "directory_path", "dir_path" }) },
	{ "FetchUrl", "web_fetch", NULL },
	{ "WebSearch", "google_web_search", NULL },
	{ "Task", "invoke_agent", ARGS({ "subagent_type", "agent_name" }) },
	{ "TodoWrite", "write_todos", NULL },
	{ 0 }
};

const struct host host_droid = {
	.name = "droid",
	.file = { .shape = FILE_GROUPS,
		  .user = ".factory/hooks.json",
		  .project = ".factory/hooks.json",
		  .marker = ".factory",
		  .root = "",
		  .matcher = "*",
		  .timeout_unit_ms = 1000,
		  .events = "PreToolUse PostToolUse UserPromptSubmit Stop SubagentStop "
			    "SessionStart SessionEnd PreCompact Notification",
		  .then = "Factory Droid follows the first hook that decides: this one was put first; "
			  "install it again when others were added" },
	.title = "Factory Droid",
	.events = events,
	.tools = droid_tools,
	.places = places,
	.words = droid_words,
	.event_at = OUTPUT "/hookEventName",
	.mcp = (const struct host_mcp[]){ { "mcp__", "__" }, { "", "___" }, { 0 } },
	.project_env = "FACTORY_PROJECT_DIR",
	.program = "droid",
	.proven = "0.215.0",
	.proven_on = "2026-11-23",
	.unseen = "prompts of droid exec",
	.order = ORDER_FIRST,
	.timeout_ms = 60000,
};

/* What it calls PromptSubmit and Stop cannot be refused. */
static const struct host_word auggie_words[] = { DENIAL,
						 ALLOWANCE,
						 REWRITE,
						 BLOCK(ON(RESULT)),
						 CONTEXT(ON(RESULT)),
						 STOP(ON(TOOL) | ON(RESULT)),
						 MESSAGE,
						 { 0 } };

static const struct host_tool auggie_tools[] = {
	{ "launch-process", "run_shell_command", ARGS({ "cwd", "dir_path" }) },
	{ "save-file", "write_file", ARGS({ "path", "file_path" }, { "file_content", "content" }) },
	{ "str-replace-editor", "replace",
	  ARGS({ "str_replace_entries/old_str", "old_string", ARG_NESTED },
	       { "str_replace_entries/new_str", "new_string", ARG_NESTED },
	       { "insert_line_entries/new_str", "new_string", ARG_NESTED }, { "path", "file_path" },
	       { "old_str", "old_string" }, { "new_str", "new_string" }) },
	{ "view", "read_file", ARGS({ "path", "file_path" }) },
	{ "apply_patch", "replace", ARGS({ "input", NULL, ARG_PATCH }) },
	{ "web-fetch", "web_fetch", NULL },
	{ "web-search", "google_web_search", NULL },
	{ 0 }
};

const struct host host_auggie = {
	.name = "auggie",
	.file = { .shape = FILE_GROUPS,
		  .user = ".augment/settings.json",
		  .project = ".augment/settings.json",
		  .marker = ".augment",
		  .root = "/hooks",
		  .timeout_unit_ms = 1,
		  .events = "PreToolUse PostToolUse SessionStart SessionEnd",
		  .then = "Auggie runs hooks only where its service allows it, and does not tell "
			  "you when it does not" },
	.title = "Auggie",
	.events = events,
	.tools = auggie_tools,
	.places = places,
	.words = auggie_words,
	.event_at = OUTPUT "/hookEventName",
	.mcp = (const struct host_mcp[]){ { "", "_", .unclear = true, .tool_first = true }, { 0 } },
	.is_mcp_at = "/is_mcp_tool",
	.project_env = "AUGMENT_PROJECT_DIR",
	.program = "auggie",
	.proven = "0.36.0",
	.proven_on = "2026-11-23",
	.unseen = "prompts and ends",
	.timeout_ms = 60000,
};

static const struct host_word vscode_words[] = {
	DENIAL,
	QUESTION,
	ALLOWANCE,
	REWRITE,
	BLOCK(ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP)),
	CONTEXT(ON(TOOL) | ON(RESULT) | ON(PROMPT) | ON(START) | ON(AGENT_START)),
	STOP(ON(TOOL) | ON(RESULT) | ON(PROMPT) | ON(STOP)),
	MESSAGE,
	{ 0 }
};

static const struct host_tool vscode_tools[] = {
	{ "run_in_terminal", "run_shell_command", ARGS({ "isBackground", "is_background" }) },
	{ "create_file", "write_file", ARGS({ "filePath", "file_path" }) },
	{ "replace_string_in_file", "replace",
	  ARGS({ "filePath", "file_path" }, { "oldString", "old_string" },
	       { "newString", "new_string" }) },
	{ "read_file", "read_file",
	  ARGS({ "filePath", "file_path" }, { "startLine", "start_line" },
	       { "endLine", "end_line" }) },
	{ "list_dir", "list_directory", ARGS({ "path", "dir_path" }) },
	{ "file_search", "glob", ARGS({ "query", "pattern" }) },
	{ "grep_search", "grep_search",
	  ARGS({ "query", "pattern" }, { "includePattern", "include_pattern" }) },
	{ "fetch_webpage", "web_fetch", ARGS({ "urls", "url", ARG_EACH }) },
	{ "apply_patch", "replace", ARGS({ "input", NULL, ARG_PATCH }) },
	{ "runSubagent", "invoke_agent", ARGS({ "agentName", "agent_name" }) },
	{ 0 }
};

const struct host host_vscode = {
	.name = "vscode",
	.file = { .shape = FILE_FLAT,
		  .project = ".github/hooks/trotline-vscode.json",
		  .marker = ".vscode",
		  .own = true,
		  .root = "/hooks",
		  .timeout_unit_ms = 1000,
		  .events = "PreToolUse PostToolUse UserPromptSubmit Stop SessionStart PreCompact "
			    "SubagentStart SubagentStop" },
	.title = "VS Code",
	.events = events,
	.tools = vscode_tools,
	.places = places,
	.words = vscode_words,
	.event_at = OUTPUT "/hookEventName",
	.reads = "claude",
	.mcp = (const struct host_mcp[]){ { "mcp_", "_", true }, { 0 } },
	.program = "code",
	.timeout_ms = 30000,
};
