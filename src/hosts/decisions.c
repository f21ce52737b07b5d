/* Agents that take {"decision": ..., "reason": ...}, or only an exit status. */
#include "hosts/rows.h"

#define OUTPUT "/hookSpecificOutput"

#define DECISION(kinds, word)                                                                      \
	{ kinds, SAY_DENY, "/decision", WHAT_WORD, word },                                         \
	{                                                                                          \
		kinds, SAY_DENY, "/reason", WHAT_REASON                                            \
	}

/* ---- Gemini CLI: the engine's own words ---- */

static const struct host_place gemini_places[] = { { GET_EVENT, "/hook_event_name" },
						   { GET_SESSION, "/session_id" },
						   { GET_CWD, "/cwd" },
						   { GET_TRANSCRIPT, "/transcript_path" },
						   { GET_TOOL, "/tool_name" },
						   { GET_ARGS, "/tool_input" },
						   { GET_SERVER, "/mcp_context/server_name" },
						   { GET_SERVER_TOOL, "/mcp_context/tool_name" },
						   { GET_SUBJECT, "/source", ON(START) },
						   { GET_SUBJECT, "/reason", ON(END) },
						   { GET_SUBJECT, "/trigger", ON(COMPRESS) },
						   { GET_SUBJECT, "/notification_type",
						     ON(NOTICE) },
						   { 0 } };

static const struct host_event gemini_events[] = {
	{ "BeforeTool", KIND_TOOL },     { "AfterTool", KIND_RESULT },
	{ "BeforeAgent", KIND_PROMPT },  { "AfterAgent", KIND_STOP },
	{ "BeforeModel", KIND_MODEL },   { "BeforeToolSelection", KIND_SELECTION },
	{ "AfterModel", KIND_CHUNK },    { "SessionStart", KIND_START },
	{ "SessionEnd", KIND_END },      { "PreCompress", KIND_COMPRESS },
	{ "Notification", KIND_NOTICE }, { 0 }
};

static const struct host_word gemini_words[] = {
	DECISION(ON_TOOLS | ON(PROMPT) | ON(STOP) | ON(MODEL) | ON(CHUNK), "deny"),
	{ ON(TOOL), SAY_ASK, "/decision", WHAT_WORD, "ask" },
	{ ON(TOOL), SAY_ASK, "/systemMessage", WHAT_REASON },
	{ ON(TOOL), SAY_ALLOW, "/decision", WHAT_WORD, "allow" },
	{ ON(TOOL), SAY_REWRITE, OUTPUT "/tool_input", WHAT_ARGS },
	{ ON(RESULT) | ON(PROMPT) | ON(START), SAY_CONTEXT, OUTPUT "/additionalContext",
	  WHAT_CONTEXT },
	{ ON(MODEL), SAY_CHANGE, OUTPUT "/llm_request", WHAT_REQUEST },
	{ ON(MODEL) | ON(CHUNK), SAY_CHANGE, OUTPUT "/llm_response", WHAT_RESPONSE },
	{ ON(SELECTION), SAY_CHANGE, OUTPUT "/toolConfig", WHAT_TOOL_CONFIG },
	{ ON(RESULT), SAY_CHANGE, OUTPUT "/tailToolCallRequest", WHAT_TAIL_CALL },
	{ ON(STOP), SAY_CHANGE, OUTPUT "/clearContext", WHAT_CLEAR },
	{ ON_TOOLS | ON(PROMPT) | ON(STOP) | ON(MODEL) | ON(CHUNK), SAY_STOP, "/continue",
	  WHAT_NO },
	{ ON_TOOLS | ON(PROMPT) | ON(STOP) | ON(MODEL) | ON(CHUNK), SAY_STOP, "/stopReason",
	  WHAT_STOP_REASON },
	{ ON_ALL & ~ON(SELECTION), SAY_MESSAGE, "/systemMessage", WHAT_MESSAGE },
	{ 0 }
};

static const struct host_tool no_tools[] = { { 0 } };

static const struct host_switch gemini_switches[] = {
	{ ".gemini/settings.json", "/hooksConfig/enabled", false }, { 0 }
};

const struct host host_gemini = {
	.name = "gemini",
	.file = { .shape = FILE_GROUPS,
		  .user = ".gemini/settings.json",
		  .project = ".gemini/settings.json",
		  .marker = ".gemini",
		  .root = "/hooks",
		  .timeout_unit_ms = 1,
		  .events = "BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel "
			    "BeforeToolSelection AfterModel SessionStart SessionEnd PreCompress "
			    "Notification" },
	.title = "Gemini CLI",
	.events = gemini_events,
	.tools = no_tools,
	.places = gemini_places,
	.words = gemini_words,
	.event_at = OUTPUT "/hookEventName",
	.reads = "gemini",
	.project_env = "GEMINI_PROJECT_DIR",
	.program = "gemini",
	.switches = gemini_switches,
	.proven = "0.61.0",
	.proven_on = "2026-11-23",
	.timeout_ms = 60000,
	.same_fields = true,
};

/* ---- Claude Code's payload, a shorter answer ---- */

static const struct host_place claude_places[] = {
	{ GET_EVENT, "/hook_event_name" },
	{ GET_EVENT, "/event" },
	{ GET_EVENT, "/event_type" },
	{ GET_EVENT, "/hookEventName" },
	{ GET_SESSION, "/session_id" },
	{ GET_SESSION, "/sessionId" },
	{ GET_CWD, "/cwd" },
	{ GET_CWD, "/working_dir" },
	{ GET_CWD, "/workingDir" },
	{ GET_CWD, "/workspaceRoot" },
	{ GET_TRANSCRIPT, "/transcript_path" },
	{ GET_CALL, "/tool_call_id" },
	{ GET_CALL, "/tool_use_id" },
	{ GET_CALL, "/toolUseId" },
	{ GET_TURN, "/promptId" },
	{ GET_MODE, "/permission_mode" },
	{ GET_MODEL, "/model" },
	{ GET_AGENT_ID, "/agent_id" },
	{ GET_AGENT_TYPE, "/agent_type" },
	{ GET_TOOL, "/tool_name" },
	{ GET_TOOL, "/toolName" },
	{ GET_ARGS, "/tool_input" },
	{ GET_ARGS, "/toolInput" },
	{ GET_RESULT, "/tool_response", ON_RESULTS },
	{ GET_RESULT, "/tool_output", ON_RESULTS },
	{ GET_RESULT, "/toolOutput", ON_RESULTS },
	{ GET_RESULT, "/toolResponse", ON_RESULTS },
	{ GET_RESULT, "/toolResult", ON_RESULTS },
	{ GET_ERROR, "/error", ON(FAILURE) },
	{ GET_PROMPT, "/prompt" },
	{ GET_PROMPT, "/message", ON(PROMPT) },
	{ GET_RESPONSE, "/last_assistant_message" },
	{ GET_RESPONSE, "/lastAssistantMessage" },
	{ GET_ACTIVE, "/stop_hook_active" },
	{ GET_ACTIVE, "/stopHookActive" },
	{ GET_SUBJECT, "/source", ON(START) },
	{ GET_SUBJECT, "/reason", ON(END) },
	{ GET_SUBJECT, "/trigger", ON(COMPRESS) },
	{ GET_SUBJECT, "/notification_type", ON(NOTICE) },
	{ GET_SUBJECT, "/notificationType", ON(NOTICE) },
	{ GET_SUBJECT, "/agent_type", ON(AGENT_START) | ON(AGENT_STOP) },
	{ GET_SUBJECT, "/agentType", ON(AGENT_START) | ON(AGENT_STOP) },
	{ GET_SUBJECT, "/trigger", ON(COMPRESSED) },
	{ GET_SUBJECT, "/error", ON(BROKEN) },
	{ GET_MESSAGE, "/message", ON(NOTICE) },
	/* Of Grok, beyond 128 KiB; what is left is no object any more. */
	{ GET_PARTIAL, "/toolInputTruncated", ON(TOOL) | ON(REQUEST) },
	{ GET_PARTIAL, "/toolResultTruncated", ON_RESULTS },
	{ 0 }
};

static const struct host_event claude_events[] = {
	{ "PreToolUse", KIND_TOOL },
	{ "PostToolUse", KIND_RESULT },
	{ "PostToolUseFailure", KIND_FAILURE },
	{ "UserPromptSubmit", KIND_PROMPT },
	{ "Stop", KIND_STOP },
	{ "SessionStart", KIND_START },
	{ "SessionEnd", KIND_END },
	{ "PreCompact", KIND_COMPRESS },
	{ "Notification", KIND_NOTICE },
	{ "SubagentStart", KIND_AGENT_START },
	{ "SubagentStop", KIND_AGENT_STOP },
	{ "PermissionRequest", KIND_REQUEST },
	{ "PermissionDenied", KIND_REFUSED },
	{ "PostCompact", KIND_COMPRESSED },
	{ "PostCompaction", KIND_COMPRESSED },
	{ "StopFailure", KIND_BROKEN },
	/* OpenHands and older files of Kiro */
	{ "pre_tool_use", KIND_TOOL },
	{ "post_tool_use", KIND_RESULT },
	{ "user_prompt_submit", KIND_PROMPT },
	{ "session_start", KIND_START },
	{ "session_end", KIND_END },
	{ "agentSpawn", KIND_START },
	/* Goose: further names of the same moments, which it fires besides */
	{ "BeforeShellExecution", KIND_OTHER },
	{ "AfterShellExecution", KIND_OTHER },
	{ "BeforeReadFile", KIND_OTHER },
	{ "AfterFileEdit", KIND_OTHER },
	{ "PreToolUseResult", KIND_OTHER },
	{ 0 }
};

static const struct host_tool devin_tools[] = { { "exec", "run_shell_command", NULL },
						{ "edit", "replace", NULL },
						{ "write", "write_file", NULL },
						{ "read", "read_file", NULL },
						{ "grep", "grep_search",
						  ARGS({ "path", "dir_path" }) },
						{ "glob", "glob", ARGS({ "path", "dir_path" }) },
						{ 0 } };

static const struct host_word block_words[] = {
	DECISION(ON(TOOL) | ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(REQUEST), "block"), { 0 }
};

const struct host host_devin = {
	.name = "devin",
	.file = { .shape = FILE_GROUPS,
		  .user = ".config/devin/config.json",
		  .project = ".devin/config.json",
		  .marker = ".config/devin",
		  .root = "/hooks",
		  .timeout_unit_ms = 1000,
		  .events = "PreToolUse PostToolUse UserPromptSubmit Stop SessionStart SessionEnd "
			    "PermissionRequest PostCompaction" },
	.title = "Devin CLI",
	.events = claude_events,
	.tools = devin_tools,
	.places = claude_places,
	.words = block_words,
	.reads = "claude",
	.mcp = host_mcp_usual,
	.project_env = "DEVIN_PROJECT_DIR",
	.program = "devin",
	.timeout_ms = 60000,
};

static const struct host_tool grok_tools[] = {
	{ "run_terminal_command", "run_shell_command", ARGS({ "background", "is_background" }) },
	{ "search_replace", "replace",
	  ARGS({ "path", "file_path" }, { "replace_all", "allow_multiple" }) },
	{ "write", "write_file", ARGS({ "path", "file_path" }) },
	{ "read_file", "read_file",
	  ARGS({ "target_file", "file_path" }, { "path", "file_path" },
	       { "limit", "end_line", ARG_COUNT }, { "offset", "start_line" }) },
	{ "grep", "grep_search",
	  ARGS({ "path", "dir_path" }, { "glob", "include_pattern" },
	       { "head_limit", "total_max_matches" }, { "-A", "after" }, { "-B", "before" },
	       { "-C", "context" }) },
	{ "list_dir", "list_directory",
	  ARGS({ "target_directory", "dir_path" }, { "path", "dir_path" }) },
	{ "spawn_subagent", "invoke_agent", NULL },
	{ 0 }
};

/* It lets a hook ask, but answers itself where all calls are approved. */
static const struct host_word grok_words[] = {
	DECISION(ON(TOOL), "deny"),
	DECISION(ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP), "block"),
	{ ON(TOOL), SAY_REWRITE, OUTPUT "/updatedInput", WHAT_ARGS },
	{ ON(RESULT), SAY_DENY, OUTPUT "/updatedToolOutput", WHAT_REASON_AS_RESULT },
	{ ON(RESULT), SAY_RESULT, OUTPUT "/updatedToolOutput", WHAT_RESULT },
	{ ON(FAILURE), SAY_DENY, OUTPUT "/additionalContext", WHAT_REASON },
	{ ON_TOOLS, SAY_CONTEXT, OUTPUT "/additionalContext", WHAT_CONTEXT },
	{ 0 }
};

static const struct host_switch grok_switches[] = {
	{ "/etc/grok/requirements.toml", "/allow_managed_hooks_only", true },
	{ "/etc/grok/managed_config.toml", "/allow_managed_hooks_only", true },
	{ 0 }
};

const struct host host_grok = {
	.name = "grok",
	.file = { .shape = FILE_GROUPS,
		  .user = ".grok/hooks/trotline.json",
		  .project = ".grok/hooks/trotline.json",
		  .marker = ".grok",
		  .own = true,
		  .root = "/hooks",
		  .timeout_unit_ms = 1000,
		  .events = "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop "
			    "SessionStart SessionEnd PreCompact Notification SubagentStart "
			    "SubagentStop PermissionDenied PostCompact StopFailure" },
	.title = "Grok Build",
	.events = claude_events,
	.tools = grok_tools,
	.places = claude_places,
	.words = grok_words,
	.event_at = OUTPUT "/hookEventName",
	.switches = grok_switches,
	.proven = "1.0.41",
	.proven_on = "2026-11-24",
	.names_calls = true,
	.by_json = ON_RESULTS,
	.reads = "claude",
	.mcp = (const struct host_mcp[]){ { "mcp__", "__" }, { "", "___" }, { "", "__" }, { 0 } },
	/* What "use_tool" calls is named in its place, and has its arguments. */
	.inner_name = "tool_name",
	.inner_args = "tool_input",
	.project_env = "GROK_WORKSPACE_ROOT",
	.program = "grok",
	.timeout_ms = 30000,
};

static const struct host_tool goose_tools[] = {
	{ "developer__shell", "run_shell_command", NULL },
	{ "developer__write", "write_file", ARGS({ "path", "file_path" }) },
	{ "developer__edit", "replace",
	  ARGS({ "path", "file_path" }, { "before", "old_string" }, { "after", "new_string" }) },
	{ "developer__text_editor", "replace",
	  ARGS({ "path", "file_path" }, { "file_text", "content" }, { "old_str", "old_string" },
	       { "new_str", "new_string" }) },
	{ 0 }
};

/* Text that is no decision is a failure there: without an opinion nothing is printed. */
const struct host host_goose = {
	.name = "goose",
	.file = { .shape = FILE_GROUPS,
		  .user = ".agents/plugins/trotline/hooks/hooks.json",
		  .project = ".agents/plugins/trotline/hooks/hooks.json",
		  .marker = ".config/goose",
		  .own = true,
		  .root = "/hooks",
		  .matcher = ".*",
		  .timeout_unit_ms = 1000,
		  .extra = "{\"on_failure\":\"block\"}",
		  .events = "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop "
			    "SessionStart SessionEnd" },
	.title = "Goose",
	.events = claude_events,
	.tools = goose_tools,
	.places = claude_places,
	.words = block_words,
	.mcp = (const struct host_mcp[]){ { "", "__" }, { 0 } },
	.program = "goose",
	.timeout_ms = 30000,
	.deaf = ~(ON(TOOL) | ON(STOP)),
};

static const struct host_tool crush_tools[] = {
	{ "bash", "run_shell_command",
	  ARGS({ "working_dir", "dir_path" }, { "run_in_background", "is_background" }) },
	{ "edit", "replace", ARGS({ "replace_all", "allow_multiple" }) },
	{ "write", "write_file", NULL },
	{ "view", "read_file",
	  ARGS({ "limit", "end_line", ARG_COUNT }, { "offset", "start_line" }) },
	{ "grep", "grep_search", ARGS({ "path", "dir_path" }, { "include", "include_pattern" }) },
	{ "glob", "glob", ARGS({ "path", "dir_path" }) },
	{ "ls", "list_directory", ARGS({ "path", "dir_path" }) },
	{ "fetch", "web_fetch", NULL },
	{ 0 }
};

static const struct host_word crush_words[] = {
	DECISION(ON(TOOL), "deny"),
	{ ON(TOOL), SAY_ALLOW, "/decision", WHAT_WORD, "allow" },
	{ ON(TOOL), SAY_REWRITE, "/updated_input", WHAT_ARGS },
	{ ON(TOOL), SAY_CONTEXT, "/context", WHAT_CONTEXT },
	{ ON(TOOL), SAY_STOP, "/halt", WHAT_YES },
	{ 0 }
};

const struct host host_crush = {
	.name = "crush",
	.file = { .shape = FILE_FLAT,
		  .user = ".config/crush/crush.json",
		  .project = "crush.json",
		  .marker = ".config/crush",
		  .root = "/hooks",
		  .timeout_unit_ms = 1000,
		  .events = "PreToolUse" },
	.title = "Crush",
	.events = claude_events,
	.tools = crush_tools,
	.places = claude_places,
	.words = crush_words,
	.project_env = "CRUSH_PROJECT_DIR",
	.mcp = (const struct host_mcp[]){ { "mcp_", "_", true }, { 0 } },
	.program = "crush",
	.unseen = "calls of sub-agents",
	.timeout_ms = 30000,
};

static const struct host_tool openhands_tools[] = {
	{ "terminal", "run_shell_command", NULL },
	{ "execute_bash", "run_shell_command", NULL },
	{ "file_editor", "replace",
	  ARGS({ "path", "file_path" }, { "file_text", "content" }, { "old_str", "old_string" },
	       { "new_str", "new_string" }) },
	{ 0 }
};

static const struct host_word openhands_words[] = {
	DECISION(ON(TOOL) | ON(PROMPT) | ON(STOP), "deny"),
	{ ON(RESULT) | ON(PROMPT) | ON(START), SAY_CONTEXT, "/additionalContext", WHAT_CONTEXT },
	{ ON(TOOL) | ON(PROMPT) | ON(STOP), SAY_STOP, "/continue", WHAT_NO },
	{ 0 }
};

const struct host host_openhands = {
	.name = "openhands",
	.file = { .shape = FILE_GROUPS,
		  .user = ".openhands/hooks.json",
		  .project = ".openhands/hooks.json",
		  .marker = ".openhands",
		  .root = "/hooks",
		  .matcher = "*",
		  .timeout_unit_ms = 1000,
		  .events =
			  "PreToolUse PostToolUse UserPromptSubmit Stop SessionStart SessionEnd" },
	.title = "OpenHands",
	.events = claude_events,
	.tools = openhands_tools,
	.places = claude_places,
	.words = openhands_words,
	.timeout_ms = 60000,
};

/* ---- an exit status, and text ---- */

#define KIRO_EDIT                                                                                  \
	ARGS({ "path", "file_path" }, { "file_text", "content" }, { "old_str", "old_string" },     \
	     { "new_str", "new_string" })

static const struct host_tool kiro_tools[] = {
	{ "execute_bash", "run_shell_command", NULL },
	{ "shell", "run_shell_command", NULL },
	{ "fs_write", "replace", KIRO_EDIT },
	{ "write", "replace", KIRO_EDIT },
	{ "fs_read", "read_file",
	  ARGS({ "operations/path", "file_path", ARG_NESTED }, { "path", "file_path" }) },
	{ "read", "read_file",
	  ARGS({ "operations/path", "file_path", ARG_NESTED }, { "path", "file_path" }) },
	{ 0 }
};

/* What it finds on stdout of a hook that ends with 0 is context, unchanged. */
static const struct host_word kiro_words[] = {
	{ ON(PROMPT) | ON(START), SAY_CONTEXT, "", WHAT_CONTEXT }, { 0 }
};

const struct host host_kiro = {
	.name = "kiro",
	.file = { .shape = FILE_LIST,
		  .user = ".kiro/hooks/trotline.json",
		  .project = ".kiro/hooks/trotline.json",
		  .marker = ".kiro",
		  .own = true,
		  .root = "/hooks",
		  .timeout_unit_ms = 1000,
		  .head = "{\"version\":\"v1\"}",
		  .events = "PreToolUse PostToolUse UserPromptSubmit Stop SessionStart" },
	.title = "Kiro",
	.events = claude_events,
	.tools = kiro_tools,
	.places = claude_places,
	.words = kiro_words,
	.mcp = (const struct host_mcp[]){ { "@", "/" }, { 0 } },
	.program = "kiro-cli",
	.timeout_ms = 30000,
	.only_status = true,
	.deaf = ~ON(TOOL),
};

static const struct host_place windsurf_places[] = {
	{ GET_EVENT, "/agent_action_name" },
	{ GET_SESSION, "/trajectory_id" },
	{ GET_TURN, "/execution_id" },
	{ GET_CWD, "/tool_info/root_workspace_path" },
	{ GET_CWD, "/tool_info/cwd" },
	{ GET_ARGS, "/tool_info/mcp_tool_arguments" },
	{ GET_ARGS, "/tool_info" },
	{ GET_SERVER, "/tool_info/mcp_server_name" },
	{ GET_SERVER_TOOL, "/tool_info/mcp_tool_name" },
	{ GET_TOOL, "/tool_info/mcp_tool_name" },
	{ GET_RESULT, "/tool_info/mcp_result", ON(RESULT) },
	{ GET_PROMPT, "/tool_info/user_prompt" },
	{ GET_RESPONSE, "/tool_info/response" },
	{ 0 }
};

static const struct host_event windsurf_events[] = {
	{ "pre_read_code", KIND_TOOL, "read_code" },
	{ "post_read_code", KIND_RESULT, "read_code" },
	{ "pre_write_code", KIND_TOOL, "write_code" },
	{ "post_write_code", KIND_RESULT, "write_code" },
	{ "pre_run_command", KIND_TOOL, "run_command" },
	{ "post_run_command", KIND_RESULT, "run_command" },
	{ "pre_mcp_tool_use", KIND_TOOL, .mcp = true },
	{ "post_mcp_tool_use", KIND_RESULT, .mcp = true },
	{ "pre_user_prompt", KIND_PROMPT },
	{ "post_cascade_response", KIND_STOP },
	{ "post_setup_worktree", KIND_OTHER },
	{ 0 }
};

static const struct host_tool windsurf_tools[] = {
	{ "run_command", "run_shell_command",
	  ARGS({ "command_line", "command" }, { "cwd", "dir_path" }) },
	{ "read_code", "read_file", ARGS({ "file_path", "file_path" }) },
	{ "write_code", "replace",
	  ARGS({ "edits/old_string", "old_string", ARG_NESTED },
	       { "edits/new_string", "new_string", ARG_NESTED }, { "file_path", "file_path" }) },
	{ 0 }
};

static const struct host_word no_words[] = { { 0 } };

const struct host host_windsurf = {
	.name = "windsurf",
	.file = { .shape = FILE_FLAT,
		  .user = ".codeium/windsurf/hooks.json",
		  .project = ".windsurf/hooks.json",
		  .marker = ".codeium/windsurf",
		  .root = "/hooks",
		  .extra = "{\"show_output\":true}",
		  .events = "pre_read_code post_read_code pre_write_code post_write_code "
			    "pre_run_command post_run_command pre_mcp_tool_use post_mcp_tool_use "
			    "pre_user_prompt post_cascade_response" },
	.title = "Windsurf",
	.events = windsurf_events,
	.tools = windsurf_tools,
	.places = windsurf_places,
	.words = no_words,
	.program = "windsurf",
	.timeout_ms = 30000,
	.only_status = true,
	.deaf = ~(ON(TOOL) | ON(PROMPT)),
};
