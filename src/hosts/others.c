/* Agents with words of their own. */
#include "hosts/plugins.h"
#include "hosts/rows.h"

#define OUTPUT "/hookSpecificOutput"

/* ---- GitHub Copilot CLI ---- */

/* Its payloads do not say which event they are: the command line does. */
static const struct host_place copilot_places[] = {
	{ GET_EVENT, "/hook_event_name" },
	{ GET_EVENT, "/hookName" },
	{ GET_SESSION, "/sessionId" },
	{ GET_SESSION, "/session_id" },
	{ GET_CWD, "/cwd" },
	{ GET_TRANSCRIPT, "/transcriptPath" },
	{ GET_TRANSCRIPT, "/transcript_path" },
	{ GET_AGENT_ID, "/agentId" },
	{ GET_AGENT_ID, "/agent_id" },
	{ GET_AGENT_TYPE, "/agentType" },
	{ GET_AGENT_TYPE, "/agent_type" },
	{ GET_CALL, "/tool_use_id" },
	{ GET_TOOL, "/toolName" },
	{ GET_TOOL, "/tool_name" },
	{ GET_ARGS, "/toolArgs" },
	{ GET_ARGS, "/tool_input" },
	{ GET_ARGS, "/toolInput" },
	{ GET_RESULT, "/toolResult/textResultForLlm" },
	{ GET_RESULT, "/tool_result/text_result_for_llm" },
	{ GET_RESULT, "/toolResult" },
	{ GET_RESULT, "/tool_result" },
	{ GET_RESULT, "/tool_response" },
	{ GET_ERROR, "/error/message", ON(FAILURE) },
	{ GET_ERROR, "/error", ON(FAILURE) },
	{ GET_PROMPT, "/prompt" },
	{ GET_RESPONSE, "/finalMessage" },
	{ GET_ACTIVE, "/stop_hook_active" },
	{ GET_ACTIVE, "/stopHookActive" },
	{ GET_SUBJECT, "/source", ON(START) },
	{ GET_SUBJECT, "/reason", ON(END) },
	{ GET_SUBJECT, "/trigger", ON(COMPRESS) },
	{ GET_SUBJECT, "/notification_type", ON(NOTICE) },
	{ GET_SUBJECT, "/agentName", ON(AGENT_START) | ON(AGENT_STOP) },
	{ GET_SUBJECT, "/agent_name", ON(AGENT_START) | ON(AGENT_STOP) },
	{ GET_SUBJECT, "/agentType", ON(AGENT_START) | ON(AGENT_STOP) },
	{ GET_SUBJECT, "/agent_type", ON(AGENT_START) | ON(AGENT_STOP) },
	{ GET_MESSAGE, "/message", ON(NOTICE) },
	{ 0 }
};

static const struct host_event copilot_events[] = { { "preToolUse", KIND_TOOL },
						    { "postToolUse", KIND_RESULT },
						    { "postToolUseFailure", KIND_FAILURE },
						    { "userPromptSubmitted", KIND_PROMPT },
						    { "agentStop", KIND_STOP },
						    { "sessionStart", KIND_START },
						    { "sessionEnd", KIND_END },
						    { "preCompact", KIND_COMPRESS },
						    { "notification", KIND_NOTICE },
						    { "subagentStart", KIND_AGENT_START },
						    { "subagentStop", KIND_AGENT_STOP },
						    { "permissionRequest", KIND_REQUEST },
						    /* In Claude Code's spelling they
						     * bring its names of members, too. */
						    { "PreToolUse", KIND_TOOL },
						    { "PostToolUse", KIND_RESULT },
						    { "PostToolUseFailure", KIND_FAILURE },
						    { "UserPromptSubmit", KIND_PROMPT },
						    { "UserPromptSubmitted", KIND_PROMPT },
						    { "Stop", KIND_STOP },
						    { "AgentStop", KIND_STOP },
						    { "SessionStart", KIND_START },
						    { "SessionEnd", KIND_END },
						    { "PreCompact", KIND_COMPRESS },
						    { "Notification", KIND_NOTICE },
						    { "SubagentStart", KIND_AGENT_START },
						    { "SubagentStop", KIND_AGENT_STOP },
						    { "PermissionRequest", KIND_REQUEST },
						    { 0 } };

static const struct host_tool copilot_tools[] = {
	{ "bash", "run_shell_command", NULL },
	{ "Bash", "run_shell_command", NULL },
	{ "View", "read_file", ARGS({ "path", "file_path" }) },
	{ "Read", "read_file", ARGS({ "path", "file_path" }) },
	{ "view", "read_file", ARGS({ "path", "file_path" }) },
	{ "create", "write_file", ARGS({ "path", "file_path" }, { "file_text", "content" }) },
	{ "Create", "write_file", ARGS({ "path", "file_path" }, { "file_text", "content" }) },
	{ "edit", "replace",
	  ARGS({ "path", "file_path" }, { "old_str", "old_string" }, { "new_str", "new_string" }) },
	{ "Edit", "replace",
	  ARGS({ "path", "file_path" }, { "old_str", "old_string" }, { "new_str", "new_string" }) },
	{ "apply_patch", "replace", ARGS({ "input", NULL, ARG_PATCH }) },
	{ "grep", "grep_search",
	  ARGS({ "paths", "dir_path", ARG_EACH }, { "path", "dir_path" },
	       { "glob", "include_pattern" }) },
	{ "glob", "glob", ARGS({ "paths", "dir_path", ARG_EACH }, { "path", "dir_path" }) },
	{ "web_fetch", "web_fetch", NULL },
	{ "task", "invoke_agent", ARGS({ "agent_type", "agent_name" }) },
	{ 0 }
};

static const struct host_word copilot_words[] = {
	{ ON(TOOL), SAY_DENY, "/permissionDecision", WHAT_WORD, "deny" },
	{ ON(TOOL), SAY_DENY, "/permissionDecisionReason", WHAT_REASON },
	{ ON(TOOL), SAY_ASK, "/permissionDecision", WHAT_WORD, "ask" },
	{ ON(TOOL), SAY_ASK, "/permissionDecisionReason", WHAT_REASON },
	{ ON(TOOL), SAY_ALLOW, "/permissionDecision", WHAT_WORD, "allow" },
	{ ON(TOOL), SAY_REWRITE, "/modifiedArgs", WHAT_ARGS },
	{ ON(TOOL), SAY_DENY, OUTPUT "/permissionDecision", WHAT_WORD, "deny", true },
	{ ON(TOOL), SAY_DENY, OUTPUT "/permissionDecisionReason", WHAT_REASON, NULL, true },
	{ ON(TOOL), SAY_ASK, OUTPUT "/permissionDecision", WHAT_WORD, "ask", true },
	{ ON(TOOL), SAY_ASK, OUTPUT "/permissionDecisionReason", WHAT_REASON, NULL, true },
	{ ON(TOOL), SAY_ALLOW, OUTPUT "/permissionDecision", WHAT_WORD, "allow", true },
	{ ON(TOOL), SAY_REWRITE, OUTPUT "/updatedInput", WHAT_ARGS, NULL, true },
	{ ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP), SAY_DENY, "/decision", WHAT_WORD,
	  "block" },
	{ ON(RESULT) | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP), SAY_DENY, "/reason", WHAT_REASON },
	{ ON(REQUEST), SAY_DENY, "/behavior", WHAT_WORD, "deny" },
	{ ON(REQUEST), SAY_DENY, "/message", WHAT_REASON },
	{ ON(REQUEST), SAY_ALLOW, "/behavior", WHAT_WORD, "allow" },
	{ ON(RESULT), SAY_RESULT, "/modifiedResult/resultType", WHAT_WORD, "success" },
	{ ON(RESULT), SAY_RESULT, "/modifiedResult/textResultForLlm", WHAT_RESULT },
	{ ON_TOOLS | ON(PROMPT) | ON(START) | ON(AGENT_START), SAY_CONTEXT, "/additionalContext",
	  WHAT_CONTEXT },
	{ 0 }
};

const struct host host_copilot = {
	.name = "copilot",
	.file = { .shape = FILE_FLAT,
		  .user = ".copilot/hooks/trotline.json",
		  .project = ".github/hooks/trotline.json",
		  .marker = ".copilot",
		  .own = true,
		  .root = "/hooks",
		  .timeout_key = "timeoutSec",
		  .timeout_unit_ms = 1000,
		  .head = "{\"version\":1}",
		  .says_event = true,
		  .events = "preToolUse postToolUse postToolUseFailure userPromptSubmitted "
			    "agentStop sessionStart sessionEnd preCompact notification "
			    "subagentStart subagentStop permissionRequest" },
	.title = "GitHub Copilot CLI",
	.event_at = OUTPUT "/hookEventName",
	.events = copilot_events,
	.tools = copilot_tools,
	.places = copilot_places,
	.words = copilot_words,
	.mcp =
		(const struct host_mcp[]){
			{ "mcp__", "__" },
			{ "", "/" }, /* in permissionRequest */
			{ "", "-", true },
			{ 0 },
		},
	.program = "copilot",
	.proven = "1.0.102",
	.proven_on = "2026-11-23",
	.timeout_ms = 30000,
	.by_json = ON_RESULTS | ON(PROMPT) | ON(STOP) | ON(AGENT_STOP) | ON(REQUEST),
};

/* ---- Cursor ---- */

static const struct host_place cursor_places[] = { { GET_EVENT, "/hook_event_name" },
						   { GET_SESSION, "/conversation_id" },
						   { GET_SESSION, "/session_id" },
						   { GET_TURN, "/generation_id" },
						   { GET_CWD, "/cwd" },
						   { GET_CWD, "/workspace_roots" },
						   { GET_TRANSCRIPT, "/transcript_path" },
						   { GET_CALL, "/tool_use_id" },
						   { GET_TOOL, "/tool_name" },
						   { GET_ARGS, "/tool_input" },
						   { GET_ARGS, "" },
						   { GET_RESULT, "/result_json", ON_RESULTS },
						   { GET_RESULT, "/tool_output", ON_RESULTS },
						   { GET_RESULT, "/output", ON_RESULTS },
						   { GET_ERROR, "/error_message", ON(FAILURE) },
						   { GET_PROMPT, "/prompt" },
						   { GET_RESPONSE, "/text" },
						   { GET_SUBJECT, "/reason", ON(END) },
						   { GET_SUBJECT, "/trigger", ON(COMPRESS) },
						   { GET_SUBJECT, "/subagent_type",
						     ON(AGENT_START) | ON(AGENT_STOP) },
						   { 0 } };

/* A call fires preToolUse and then an event of its kind: both are asked, as both may be wired. */
static const struct host_event cursor_events[] = { { "preToolUse", KIND_TOOL },
						   { "postToolUse", KIND_RESULT },
						   { "postToolUseFailure", KIND_FAILURE },
						   { "beforeShellExecution", KIND_TOOL, "Shell" },
						   { "afterShellExecution", KIND_RESULT, "Shell" },
						   { "beforeMCPExecution", KIND_TOOL, .mcp = true },
						   { "afterMCPExecution", KIND_RESULT,
						     .mcp = true },
						   { "beforeReadFile", KIND_TOOL, "Read" },
						   { "beforeTabFileRead", KIND_TOOL, "Read" },
						   { "afterFileEdit", KIND_RESULT, "Edit" },
						   { "afterTabFileEdit", KIND_RESULT, "Edit" },
						   { "beforeSubmitPrompt", KIND_PROMPT },
						   { "stop", KIND_STOP },
						   { "sessionStart", KIND_START },
						   { "sessionEnd", KIND_END },
						   { "preCompact", KIND_COMPRESS },
						   { "subagentStart", KIND_AGENT_START },
						   { "subagentStop", KIND_AGENT_STOP },
						   { 0 } };

static const struct host_tool cursor_tools[] = {
	{ "Shell", "run_shell_command",
	  ARGS({ "command", "command" }, { "cwd", "dir_path" },
	       { "working_directory", "dir_path" }) },
	{ "Read", "read_file", ARGS({ "file_path", "file_path" }, { "path", "file_path" }) },
	{ "Write", "write_file", ARGS({ "path", "file_path" }, { "contents", "content" }) },
	{ "Edit", "replace",
	  ARGS({ "edits/old_string", "old_string", ARG_NESTED },
	       { "edits/new_string", "new_string", ARG_NESTED }, { "file_path", "file_path" }) },
	{ "StrReplace", "replace", ARGS({ "path", "file_path" }) },
	{ "Grep", "grep_search", ARGS({ "path", "dir_path" }, { "glob", "include_pattern" }) },
	{ "List", "list_directory", ARGS({ "path", "dir_path" }) },
	{ 0 }
};

static const struct host_word cursor_words[] = {
	{ ON(TOOL) | ON(AGENT_START), SAY_DENY, "/permission", WHAT_WORD, "deny" },
	{ ON(TOOL) | ON(AGENT_START), SAY_DENY, "/user_message", WHAT_REASON },
	{ ON(TOOL), SAY_DENY, "/agent_message", WHAT_REASON },
	{ ON(TOOL), SAY_REWRITE, "/updated_input", WHAT_ARGS },
	{ ON(PROMPT), SAY_DENY, "/continue", WHAT_NO },
	{ ON(PROMPT), SAY_DENY, "/user_message", WHAT_REASON },
	{ ON(STOP) | ON(AGENT_STOP), SAY_DENY, "/followup_message", WHAT_REASON },
	{ ON(RESULT) | ON(START), SAY_CONTEXT, "/additional_context", WHAT_CONTEXT },
	{ ON(START) | ON(COMPRESS), SAY_MESSAGE, "/user_message", WHAT_MESSAGE },
	{ 0 }
};

const struct host host_cursor = {
	.name = "cursor",
	.file = { .shape = FILE_FLAT,
		  .user = ".cursor/hooks.json",
		  .project = ".cursor/hooks.json",
		  .marker = ".cursor",
		  .root = "/hooks",
		  .timeout_unit_ms = 1000,
		  .head = "{\"version\":1}",
		  .extra = "{\"failClosed\":true}",
		  .events = "preToolUse postToolUse postToolUseFailure beforeShellExecution "
			    "afterShellExecution beforeMCPExecution afterMCPExecution "
			    "beforeReadFile beforeTabFileRead afterFileEdit afterTabFileEdit "
			    "beforeSubmitPrompt "
			    "stop sessionStart sessionEnd preCompact subagentStart subagentStop" },
	.title = "Cursor",
	.events = cursor_events,
	.tools = cursor_tools,
	.places = cursor_places,
	.words = cursor_words,
	.project_env = "CURSOR_PROJECT_DIR",
	.program = "cursor-agent",
	.timeout_ms = 30000,
	.by_json = ON(STOP) | ON(AGENT_STOP),
};

/* ---- Antigravity ---- */

static const struct host_place antigravity_places[] = { { GET_EVENT, "/hookEventName" },
							{ GET_SESSION, "/conversationId" },
							{ GET_TURN, "/stepIdx" },
							{ GET_CWD, "/workspacePaths" },
							{ GET_TRANSCRIPT, "/transcriptPath" },
							{ GET_TOOL, "/toolCall/name" },
							{ GET_SERVER, "/toolCall/args/ServerName" },
							{ GET_SERVER_TOOL,
							  "/toolCall/args/ToolName" },
							{ GET_ARGS, "/toolCall/args" },
							{ GET_RESULT, "/toolResult", ON(RESULT) },
							{ GET_RESULT, "/result", ON(RESULT) },
							{ GET_PROMPT, "/prompt" },
							{ 0 } };

static const struct host_event antigravity_events[] = { { "PreToolUse", KIND_TOOL },
							{ "PostToolUse", KIND_RESULT },
							{ "PreInvocation", KIND_OTHER },
							{ "PostInvocation", KIND_OTHER },
							{ "Stop", KIND_STOP },
							{ "SessionStart", KIND_START },
							{ 0 } };

static const struct host_tool antigravity_tools[] = {
	{ "run_command", "run_shell_command",
	  ARGS({ "CommandLine", "command" }, { "Cwd", "dir_path" }) },
	{ "view_file", "read_file",
	  ARGS({ "AbsolutePath", "file_path" }, { "StartLine", "start_line" },
	       { "EndLine", "end_line" }) },
	{ "write_to_file", "write_file",
	  ARGS({ "TargetFile", "file_path" }, { "CodeContent", "content" }) },
	{ "replace_file_content", "replace",
	  ARGS({ "TargetFile", "file_path" }, { "TargetContent", "old_string" },
	       { "ReplacementContent", "new_string" }) },
	{ "grep_search", "grep_search",
	  ARGS({ "Query", "pattern" }, { "SearchPath", "dir_path" }) },
	{ "find_by_name", "glob",
	  ARGS({ "Pattern", "pattern" }, { "SearchDirectory", "dir_path" }) },
	{ "list_dir", "list_directory", ARGS({ "DirectoryPath", "dir_path" }) },
	{ "read_url_content", "web_fetch", ARGS({ "Url", "url" }) },
	{ "search_web", "google_web_search", ARGS({ "query", "query" }) },
	{ 0 }
};

/* Without a decision it asks the user: "ask" is what it does anyway. */
static const struct host_word antigravity_words[] = {
	{ ON(TOOL), SAY_DENY, "/decision", WHAT_WORD, "deny" },
	{ ON(TOOL), SAY_DENY, "/reason", WHAT_REASON },
	{ ON(TOOL), SAY_ASK, "/decision", WHAT_WORD, "force_ask" },
	{ ON(TOOL), SAY_ASK, "/reason", WHAT_REASON },
	{ ON(TOOL), SAY_NOTHING, "/decision", WHAT_WORD, "ask" },
	{ ON(STOP), SAY_DENY, "/decision", WHAT_WORD, "deny" },
	{ ON(STOP), SAY_DENY, "/reason", WHAT_REASON },
	{ 0 }
};

const struct host host_antigravity = {
	.name = "antigravity",
	.file = { .shape = FILE_GROUPS,
		  .user = ".gemini/config/hooks.json",
		  .project = ".agents/hooks.json",
		  .marker = ".gemini/config",
		  .root = "/trotline",
		  .timeout_unit_ms = 1000,
		  .says_event = true,
		  .flat_events = "Stop SessionStart",
		  .head = "{\"trotline\":{\"enabled\":true}}",
		  .events = "PreToolUse PostToolUse Stop SessionStart" },
	.title = "Antigravity",
	.events = antigravity_events,
	.tools = antigravity_tools,
	.places = antigravity_places,
	.words = antigravity_words,
	.mcp = (const struct host_mcp[]){ { "mcp__", "__" }, { "mcp_", "_", true }, { 0 } },
	.program = "agy",
	.timeout_ms = 30000,
};

/* ---- Cline ---- */

static const struct host_place cline_places[] = {
	{ GET_EVENT, "/hookName" },
	{ GET_SESSION, "/sessionContext/rootSessionId" },
	{ GET_SESSION, "/taskId" },
	{ GET_CWD, "/workspaceRoots" },
	{ GET_AGENT_ID, "/agent_id" },
	{ GET_PARENT, "/parent_agent_id" },
	{ GET_CALL, "/tool_call/id" },
	{ GET_CALL, "/tool_result/id" },
	{ GET_TOOL, "/tool_call/name" },
	{ GET_TOOL, "/tool_result/name" },
	{ GET_TOOL, "/preToolUse/toolName" },
	{ GET_TOOL, "/preToolUse/tool" },
	{ GET_TOOL, "/postToolUse/toolName" },
	{ GET_SERVER, "/tool_call/input/server_name" },
	{ GET_SERVER, "/preToolUse/parameters/server_name" },
	{ GET_SERVER, "/postToolUse/parameters/server_name" },
	{ GET_SERVER_TOOL, "/tool_call/input/tool_name" },
	{ GET_SERVER_TOOL, "/preToolUse/parameters/tool_name" },
	{ GET_SERVER_TOOL, "/postToolUse/parameters/tool_name" },
	{ GET_ARGS, "/tool_call/input" },
	{ GET_ARGS, "/tool_result/input" },
	{ GET_ARGS, "/preToolUse/parameters" },
	{ GET_ARGS, "/postToolUse/parameters" },
	{ GET_RESULT, "/postToolUse/result" },
	{ GET_PROMPT, "/userPromptSubmit/prompt" },
	{ GET_RESPONSE, "/turn/outputText" },
	{ 0 }
};

static const struct host_event cline_events[] = { { "PreToolUse", KIND_TOOL },
						  { "tool_call", KIND_TOOL },
						  { "PostToolUse", KIND_RESULT },
						  { "tool_result", KIND_RESULT },
						  { "UserPromptSubmit", KIND_PROMPT },
						  { "prompt_submit", KIND_PROMPT },
						  { "TaskStart", KIND_START },
						  { "TaskResume", KIND_START },
						  { "agent_start", KIND_START },
						  { "agent_resume", KIND_START },
						  { "SessionShutdown", KIND_END },
						  { "session_shutdown", KIND_END },
						  { "PreCompact", KIND_COMPRESS },
						  { "Notification", KIND_NOTICE },
						  { "TaskComplete", KIND_STOP },
						  { "agent_end", KIND_STOP },
						  { 0 } };

static const struct host_tool cline_tools[] = {
	{ "run_commands", "run_shell_command", ARGS({ "commands", "command", ARG_EACH }) },
	{ "execute_command", "run_shell_command", NULL },
	{ "read_files", "read_file",
	  ARGS({ "files/path", "file_path", ARG_NESTED }, { "paths", "file_path", ARG_EACH }) },
	{ "read_file", "read_file", ARGS({ "path", "file_path" }) },
	{ "write_to_file", "write_file", ARGS({ "path", "file_path" }) },
	{ "editor", "replace",
	  ARGS({ "path", "file_path" }, { "old_text", "old_string" }, { "new_text", "new_string" },
	       { "file_text", "content" }, { "old_str", "old_string" },
	       { "new_str", "new_string" }) },
	{ "replace_in_file", "replace", ARGS({ "path", "file_path" }) },
	{ "search_codebase", "grep_search", ARGS({ "queries", "pattern", ARG_EACH }) },
	{ "search_files", "grep_search", ARGS({ "regex", "pattern" }, { "path", "dir_path" }) },
	{ "list_files", "list_directory", ARGS({ "path", "dir_path" }) },
	{ "fetch_web_content", "web_fetch", ARGS({ "requests/url", "url", ARG_NESTED }) },
	{ "spawn_agent", "invoke_agent", NULL },
	{ 0 }
};

static const struct host_word cline_words[] = {
	{ ON(TOOL) | ON(PROMPT), SAY_DENY, "/cancel", WHAT_YES },
	{ ON(TOOL) | ON(PROMPT), SAY_DENY, "/errorMessage", WHAT_REASON },
	{ ON(TOOL), SAY_REWRITE, "/overrideInput", WHAT_ARGS },
	{ ON(TOOL) | ON(RESULT), SAY_CONTEXT, "/contextModification", WHAT_CONTEXT },
	{ ON_ALL, SAY_NOTHING, "/cancel", WHAT_NO },
	{ 0 }
};

const struct host host_cline = {
	.name = "cline",
	.file = { .shape = FILE_OWN,
		  .user = ".cline/hooks",
		  .project = ".cline/hooks",
		  .marker = ".cline",
		  .plugins = host_cline_hooks },
	.title = "Cline",
	.events = cline_events,
	.tools = cline_tools,
	.places = cline_places,
	.words = cline_words,
	.mcp = (const struct host_mcp[]){ { "", "__" }, { 0 } },
	.program = "cline",
	.proven = "3.0.65",
	.proven_on = "2026-11-23",
	.names_calls = true,
	.unseen = "prompts in the command line program",
	.timeout_ms = 0,
	.only_json = true,
};
