#include "hooks/events.h"

#define TOOL_FIELDS                                                                                \
	"tool_name tool_input tool_paths? tool_urls? mcp_context? original_request_name? tool_call_id?"

const struct event events[EV_COUNT] = {
	[EV_BEFORE_TOOL] = {
		.id = EV_BEFORE_TOOL,
		.name = "BeforeTool",
		.subject_kind = SUBJECT_TOOL,
		.subject = "tool_name",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CONTEXT |
			   PART_TOOL_INPUT,
		.chained = "tool_input",
		.change = TL_CHANGE_TOOL_INPUT,
		.input = TOOL_FIELDS,
		.output = "additionalContext tool_input",
		.summary = "before a tool runs: may deny it, ask the user, or rewrite its "
			   "arguments",
		.sample_subject = "run_shell_command",
		.sample = "{\"turn_id\":\"sample-turn\",\"tool_input\":{},\"tool_paths\":[],\"tool_urls\":[],"
			  "\"tool_call_id\":\"sample-call\"}",
	},
	[EV_AFTER_TOOL] = {
		.id = EV_AFTER_TOOL,
		.name = "AfterTool",
		.subject_kind = SUBJECT_TOOL,
		.subject = "tool_name",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CONTEXT | PART_TAIL_CALL,
		.input = TOOL_FIELDS " tool_response tool_input_original? tool_error? "
				     "exit_code? signal? duration_ms?",
		.output = "additionalContext tailToolCallRequest",
		.summary = "after a tool ran: may hide its result, add context, or chain another "
			   "tool",
		.sample_subject = "run_shell_command",
		.sample = "{\"turn_id\":\"sample-turn\",\"tool_input\":{},\"tool_paths\":[],\"tool_urls\":[],"
			  "\"tool_call_id\":\"sample-call\",\"tool_response\":{\"llmContent\":"
			  "\"hello\\n\",\"returnDisplay\":\"hello\\n\"},\"duration_ms\":12}",
	},
	[EV_BEFORE_AGENT] = {
		.id = EV_BEFORE_AGENT,
		.name = "BeforeAgent",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CONTEXT,
		.chained = "prompt_parts",
		.change = CHANGE_BY_CONTEXT,
		.input = "prompt prompt_parts?",
		.output = "additionalContext",
		.summary = "after the user's prompt, before the agent plans: may refuse it or "
			   "add context",
		.sample = "{\"turn_id\":\"sample-turn\",\"prompt\":\"Explain what this project does.\","
			  "\"prompt_parts\":[]}",
	},
	[EV_AFTER_AGENT] = {
		.id = EV_AFTER_AGENT,
		.name = "AfterAgent",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CLEAR_CONTEXT,
		.input = "prompt prompt_parts? prompt_response prompt_responses? stop_hook_active",
		.output = "clearContext",
		.summary = "after the final answer: may reject it, and the agent tries again",
		.sample = "{\"turn_id\":\"sample-turn\",\"prompt\":\"Explain what this project does.\","
			  "\"prompt_parts\":[],\"prompt_response\":\"It is a small example.\","
			  "\"prompt_responses\":[\"It is a small example.\"],\"stop_hook_active\":false}",
	},
	[EV_BEFORE_MODEL] = {
		.id = EV_BEFORE_MODEL,
		.name = "BeforeModel",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_LLM_REQUEST |
			   PART_LLM_RESPONSE,
		.chained = "llm_request",
		.change = TL_CHANGE_LLM_REQUEST,
		.input = "llm_request",
		.output = "llm_request llm_response",
		.summary = "before a request goes to the model: may change it, answer it, or "
			   "refuse it",
		.sample = "{\"turn_id\":\"sample-turn\",\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
			  "\"content\":\"Explain what this project does.\"}],\"config\":{\"temperature\":1,"
			  "\"topP\":0.95,\"topK\":64}}}",
	},
	[EV_BEFORE_TOOL_SELECTION] = {
		.id = EV_BEFORE_TOOL_SELECTION,
		.name = "BeforeToolSelection",
		.honours = PART_TOOL_CONFIG,
		.input = "llm_request",
		.output = "toolConfig",
		.summary = "before the model is offered tools: may restrict which",
		.sample = "{\"turn_id\":\"sample-turn\",\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
			  "\"content\":\"Explain what this project does.\"}],\"config\":{}}}",
	},
	[EV_AFTER_MODEL] = {
		.id = EV_AFTER_MODEL,
		.name = "AfterModel",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_LLM_RESPONSE,
		.chained = "llm_response",
		.change = TL_CHANGE_LLM_RESPONSE,
		.input = "llm_request llm_response",
		.output = "llm_response",
		.summary = "for every chunk of the model's answer: may replace or discard it",
		.sample = "{\"turn_id\":\"sample-turn\",\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
			  "\"content\":\"Explain what this project does.\"}],\"config\":{}},\"llm_response\":"
			  "{\"text\":\"It is a small example.\",\"candidates\":[{\"content\":{\"role\":\"model\","
			  "\"parts\":[\"It is a small example.\"]},\"finishReason\":\"STOP\",\"index\":0}]}}",
	},
	[EV_SESSION_START] = {
		.id = EV_SESSION_START,
		.name = "SessionStart",
		.subject_kind = SUBJECT_WORD,
		.subject = "source",
		.subjects = "startup resume clear compact",
		.env_file = true,
		.honours = PART_MESSAGE | PART_CONTEXT,
		.advisory = true,
		.input = "source model? context_tokens? seconds_since_last_response?",
		.output = "additionalContext",
		.summary = "when a session begins: may add context",
		.sample_subject = "startup",
		.sample = "{\"model\":\"gemini-2.5-pro\"}",
	},
	[EV_SESSION_END] = {
		.id = EV_SESSION_END,
		.name = "SessionEnd",
		.subject_kind = SUBJECT_WORD,
		.subject = "reason",
		.subjects = "exit clear logout prompt_input_exit other",
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = "reason",
		.summary = "when a session ends: clean-up, for at most 1.5 s",
		.sample_subject = "exit",
	},
	[EV_NOTIFICATION] = {
		.id = EV_NOTIFICATION,
		.name = "Notification",
		.subject_kind = SUBJECT_WORD,
		.subject = "notification_type",
		.subjects = "", /* open: dialects have their own types */
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = "notification_type message details",
		.summary = "when the agent alerts the user: may observe",
		.sample_subject = "ToolPermission",
		.sample = "{\"message\":\"Tool Shell requires execution\",\"details\":{\"type\":\"exec\","
			  "\"title\":\"Confirm Shell Command\",\"command\":\"ls\",\"rootCommand\":\"ls\"}}",
	},
	[EV_PRE_COMPRESS] = {
		.id = EV_PRE_COMPRESS,
		.name = "PreCompress",
		.subject_kind = SUBJECT_WORD,
		.subject = "trigger",
		.subjects = "manual auto",
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = "trigger",
		.summary = "before the history is summarised: may save state",
		.sample_subject = "manual",
	},
	[EV_STOP] = {
		.id = EV_STOP,
		.name = "Stop",
		.honours = 0,
		.advisory = true,
		.input = "stop_reason session_duration",
		.summary = "when the agent has been idle for one second after an answer: may "
			   "observe",
		.sample = "{\"stop_reason\":\"response_complete\",\"session_duration\":\"\"}",
	},
	[EV_SUBAGENT_START] = {
		.id = EV_SUBAGENT_START,
		.name = "SubagentStart",
		.subject_kind = SUBJECT_WORD,
		.subject = "agent_type",
		.subjects = "",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CONTEXT,
		.input = "agent_type",
		.output = "additionalContext",
		.summary = "when a sub-agent begins: may add context for it",
		.sample_subject = "codebase_investigator",
		.sample = "{\"agent_id\":\"invoke_agent__1\"}",
	},
	[EV_SUBAGENT_STOP] = {
		.id = EV_SUBAGENT_STOP,
		.name = "SubagentStop",
		.subject_kind = SUBJECT_WORD,
		.subject = "agent_type",
		.subjects = "",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE,
		.input = "agent_type agent_transcript_path stop_hook_active "
			 "last_assistant_message",
		.output = "additionalContext",
		.summary = "when a sub-agent has answered: may make it go on",
		.sample_subject = "codebase_investigator",
		.sample = "{\"agent_id\":\"invoke_agent__1\",\"agent_transcript_path\":\"\","
			  "\"stop_hook_active\":false,\"last_assistant_message\":\"It is a small "
			  "example.\"}",
	},
	[EV_POST_TOOL_BATCH] = {
		.id = EV_POST_TOOL_BATCH,
		.name = "PostToolBatch",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CONTEXT,
		.input = "tool_calls",
		.output = "additionalContext",
		.summary = "when all tools of an answer have ended: may add context, or end the "
			   "turn before the model is asked again",
		.sample = "{\"turn_id\":\"sample-turn\",\"tool_calls\":[{\"tool_name\":\"run_shell_command\",\"tool_input\":"
			  "{\"command\":\"echo hello\"},\"tool_call_id\":\"1\",\"tool_response\":"
			  "\"hello\"}]}",
	},
	[EV_PERMISSION_REQUEST] = {
		.id = EV_PERMISSION_REQUEST,
		.name = "PermissionRequest",
		.subject_kind = SUBJECT_TOOL,
		.subject = "tool_name",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_TOOL_INPUT,
		.chained = "tool_input",
		.change = TL_CHANGE_TOOL_INPUT,
		.input = TOOL_FIELDS " permission_suggestions?",
		.output = "decision",
		.summary = "before the user is asked whether a tool may run: may answer instead",
		.sample_subject = "run_shell_command",
		.sample = "{\"turn_id\":\"sample-turn\",\"tool_input\":{},\"tool_paths\":[],\"tool_urls\":[],"
			  "\"tool_call_id\":\"sample-call\"}",
	},
	[EV_PERMISSION_DENIED] = {
		.id = EV_PERMISSION_DENIED,
		.name = "PermissionDenied",
		.subject_kind = SUBJECT_TOOL,
		.subject = "tool_name",
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = TOOL_FIELDS " reason",
		.output = "retry",
		.summary = "when a policy has denied a tool, or no user could be asked: may say that "
			   "the model may try again",
		.sample_subject = "run_shell_command",
		.sample = "{\"turn_id\":\"sample-turn\",\"tool_input\":{},\"tool_paths\":[],\"tool_urls\":[],"
			  "\"tool_call_id\":\"sample-call\",\"reason\":\"Tool execution denied by policy.\"}",
	},
	[EV_USER_PROMPT_EXPANSION] = {
		.id = EV_USER_PROMPT_EXPANSION,
		.name = "UserPromptExpansion",
		.subject_kind = SUBJECT_WORD,
		.subject = "command_name",
		.subjects = "",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CONTEXT,
		.input = "command_name expansion_type command_args command_source prompt",
		.output = "additionalContext",
		.summary = "before a custom command, a skill or a prompt of a server that the user "
			   "typed becomes a prompt: may refuse it or add context",
		.sample_subject = "review",
		.sample = "{\"expansion_type\":\"slash_command\",\"command_args\":\"\","
			  "\"command_source\":\"project\",\"prompt\":\"/review\"}",
	},
	[EV_POST_COMPACT] = {
		.id = EV_POST_COMPACT,
		.name = "PostCompact",
		.subject_kind = SUBJECT_WORD,
		.subject = "trigger",
		.subjects = "manual auto",
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = "trigger compact_summary",
		.summary = "after the history was summarised: may observe",
		.sample_subject = "manual",
		.sample = "{\"compact_summary\":\"The project is a small example.\"}",
	},
	[EV_STOP_FAILURE] = {
		.id = EV_STOP_FAILURE,
		.name = "StopFailure",
		.subject_kind = SUBJECT_WORD,
		.subject = "error",
		.subjects = "rate_limit authentication_failed billing_error invalid_request "
			    "model_not_found server_error unknown",
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = "error error_details last_assistant_message?",
		.summary = "when a turn ends because the model's API failed: may observe",
		.sample_subject = "server_error",
		.sample = "{\"error_details\":\"the model's API refused: 503\"}",
	},
	[EV_INSTRUCTIONS_LOADED] = {
		.id = EV_INSTRUCTIONS_LOADED,
		.name = "InstructionsLoaded",
		.subject_kind = SUBJECT_WORD,
		.subject = "load_reason",
		.subjects = "session_start nested_traversal include",
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = "load_reason file_path memory_type trigger_file_path? parent_file_path?",
		.summary = "when the model is told a context file: may observe",
		.sample_subject = "session_start",
		.sample = "{\"file_path\":\"/srv/shop/GEMINI.md\",\"memory_type\":\"Project\"}",
	},
	[EV_SETUP] = {
		.id = EV_SETUP,
		.name = "Setup",
		.subject_kind = SUBJECT_WORD,
		.subject = "trigger",
		.subjects = "init maintenance",
		.env_file = true,
		.honours = PART_MESSAGE | PART_CONTEXT,
		.advisory = true,
		.input = "trigger",
		.output = "additionalContext",
		.summary = "before the session of a run with --init, --init-only or --maintenance: "
			   "may prepare the project and add context",
		.sample_subject = "init",
	},
	[EV_ELICITATION] = {
		.id = EV_ELICITATION,
		.name = "Elicitation",
		.subject_kind = SUBJECT_WORD,
		.subject = "mcp_server_name",
		.subjects = "",
		.honours = PART_DECISION | PART_MESSAGE,
		.input = "mcp_server_name message mode url? elicitation_id? requested_schema?",
		.output = "action content",
		.summary = "before an MCP server's question is put to the user: may answer instead",
		.sample_subject = "files",
		.sample = "{\"message\":\"Which branch?\",\"mode\":\"form\","
			  "\"requested_schema\":{\"type\":\"object\",\"properties\":{\"branch\":"
			  "{\"type\":\"string\"}},\"required\":[\"branch\"]}}",
	},
	[EV_ELICITATION_RESULT] = {
		.id = EV_ELICITATION_RESULT,
		.name = "ElicitationResult",
		.subject_kind = SUBJECT_WORD,
		.subject = "mcp_server_name",
		.subjects = "",
		.honours = PART_DECISION | PART_MESSAGE,
		.input = "mcp_server_name mode action elicitation_id? content?",
		.output = "action content",
		.summary = "before the answer to such a question goes to the server: may change or "
			   "decline it",
		.sample_subject = "files",
		.sample = "{\"mode\":\"form\",\"action\":\"accept\",\"content\":{\"branch\":"
			  "\"main\"}}",
	},
	[EV_PRE_MODEL_SWITCH] = {
		.id = EV_PRE_MODEL_SWITCH,
		.name = "PreModelSwitch",
		.subject_kind = SUBJECT_WORD,
		.subject = "to_model",
		.subjects = "",
		.honours = PART_DECISION | PART_MESSAGE,
		.input = "to_model from_model requested_model source context_tokens",
		.output = "permissionDecision permissionDecisionReason",
		.summary = "before the user's /model changes the model: may deny it, or ask",
		.sample_subject = "gemini-2.5-pro",
		.sample = "{\"from_model\":\"gemini-2.5-flash\",\"requested_model\":\"pro\","
			  "\"source\":\"command\",\"context_tokens\":0}",
	},
	[EV_POST_MODEL_SWITCH] = {
		.id = EV_POST_MODEL_SWITCH,
		.name = "PostModelSwitch",
		.subject_kind = SUBJECT_WORD,
		.subject = "to_model",
		.subjects = "",
		.honours = PART_MESSAGE | PART_CONTEXT,
		.advisory = true,
		.input = "to_model from_model requested_model source context_tokens",
		.output = "additionalContext",
		.summary = "after the model was changed: may add context",
		.sample_subject = "gemini-2.5-pro",
		.sample = "{\"from_model\":\"gemini-2.5-flash\",\"requested_model\":\"pro\","
			  "\"source\":\"command\",\"context_tokens\":0}",
	},
	[EV_TASK_CREATED] = {
		.id = EV_TASK_CREATED,
		.name = "TaskCreated",
		.honours = PART_DECISION | PART_MESSAGE,
		.input = "task_id task_subject",
		.summary = "before a todo of the model's list is added: may refuse it",
		.sample = "{\"task_id\":\"1\",\"task_subject\":\"write the tests\"}",
	},
	[EV_TASK_COMPLETED] = {
		.id = EV_TASK_COMPLETED,
		.name = "TaskCompleted",
		.honours = PART_DECISION | PART_MESSAGE,
		.input = "task_id task_subject",
		.summary = "before a todo is marked as completed: may refuse that",
		.sample = "{\"task_id\":\"1\",\"task_subject\":\"write the tests\"}",
	},
	[EV_MESSAGE_DISPLAY] = {
		.id = EV_MESSAGE_DISPLAY,
		.name = "MessageDisplay",
		.honours = PART_DECISION | PART_MESSAGE,
		.input = "message_id index final delta",
		.output = "displayContent",
		.summary = "before a piece of the model's answer is shown: may change what is shown",
		.sample = "{\"message_id\":\"1\",\"index\":0,\"final\":false,\"delta\":\"It is "
			  "a small example.\"}",
	},
	[EV_CONFIG_CHANGE] = {
		.id = EV_CONFIG_CHANGE,
		.name = "ConfigChange",
		.subject_kind = SUBJECT_WORD,
		.subject = "source",
		.subjects = "user_settings project_settings local_settings policy_settings skills",
		.honours = PART_DECISION | PART_MESSAGE,
		.input = "source file_path?",
		.summary = "when a settings file or a skill was changed during the session: may keep "
			   "the session from taking it over",
		.sample_subject = "project_settings",
		.sample = "{\"file_path\":\"/srv/shop/.claude/settings.json\"}",
	},
	[EV_FILE_CHANGED] = {
		.id = EV_FILE_CHANGED,
		.name = "FileChanged",
		.subject_kind = SUBJECT_WORD,
		.subject = "file_name",
		.subjects = "",
		.literal = true,
		.env_file = true,
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = "file_name file_path event",
		.output = "watchPaths",
		.summary = "when a file that its matcher names was changed: may observe, and set the "
			   "variables of the session's commands anew",
		.sample_subject = ".env",
		.sample = "{\"file_path\":\"/srv/shop/.env\",\"event\":\"change\"}",
	},
	[EV_DIRECTORY_ADDED] = {
		.id = EV_DIRECTORY_ADDED,
		.name = "DirectoryAdded",
		.subject_kind = SUBJECT_WORD,
		.subject = "source",
		.subjects = "slash_command register_repo_root",
		.honours = PART_MESSAGE,
		.advisory = true,
		.input = "source directory",
		.summary = "when a directory was added to the workspace of a session that runs",
		.sample_subject = "slash_command",
		.sample = "{\"directory\":\"/srv/docs\"}",
	},
};

const struct event *event_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (str_eqz(name, events[i].name))
			return &events[i];
	return NULL;
}
