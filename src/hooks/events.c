#include "hooks/events.h"

#define TOOL_FIELDS "tool_name tool_input mcp_context? original_request_name? tool_call_id?"

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
		.summary = "before a tool runs: may deny it, ask the user, or rewrite its "
			   "arguments",
		.sample_subject = "run_shell_command",
	},
	[EV_AFTER_TOOL] = {
		.id = EV_AFTER_TOOL,
		.name = "AfterTool",
		.subject_kind = SUBJECT_TOOL,
		.subject = "tool_name",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CONTEXT | PART_TAIL_CALL,
		.input = TOOL_FIELDS " tool_response tool_input_original? tool_error? "
				     "exit_code? signal? duration_ms?",
		.summary = "after a tool ran: may hide its result, add context, or chain another "
			   "tool",
		.sample_subject = "run_shell_command",
		.sample = "{\"tool_input\":{},\"tool_response\":{\"llmContent\":\"hello\\n\","
			  "\"returnDisplay\":\"hello\\n\"}}",
	},
	[EV_BEFORE_AGENT] = {
		.id = EV_BEFORE_AGENT,
		.name = "BeforeAgent",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CONTEXT,
		.chained = "prompt_parts",
		.change = CHANGE_BY_CONTEXT,
		.input = "prompt prompt_parts?",
		.summary = "after the user's prompt, before the agent plans: may refuse it or "
			   "add context",
		.sample = "{\"prompt\":\"Explain what this project does.\"}",
	},
	[EV_AFTER_AGENT] = {
		.id = EV_AFTER_AGENT,
		.name = "AfterAgent",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_CLEAR_CONTEXT,
		.input = "prompt prompt_parts? prompt_response prompt_responses? stop_hook_active",
		.summary = "after the final answer: may reject it, and the agent tries again",
		.sample = "{\"prompt\":\"Explain what this project does.\",\"prompt_response\":"
			  "\"It is a small example.\",\"stop_hook_active\":false}",
	},
	[EV_BEFORE_MODEL] = {
		.id = EV_BEFORE_MODEL,
		.name = "BeforeModel",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_LLM_REQUEST |
			   PART_LLM_RESPONSE,
		.chained = "llm_request",
		.change = TL_CHANGE_LLM_REQUEST,
		.input = "llm_request",
		.summary = "before a request goes to the model: may change it, answer it, or "
			   "refuse it",
		.sample = "{\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
			  "\"content\":\"Explain what this project does.\"}],\"config\":{\"temperature\":1,"
			  "\"topP\":0.95,\"topK\":64}}}",
	},
	[EV_BEFORE_TOOL_SELECTION] = {
		.id = EV_BEFORE_TOOL_SELECTION,
		.name = "BeforeToolSelection",
		.honours = PART_TOOL_CONFIG,
		.input = "llm_request",
		.summary = "before the model is offered tools: may restrict which",
		.sample = "{\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
			  "\"content\":\"Explain what this project does.\"}],\"config\":{}}}",
	},
	[EV_AFTER_MODEL] = {
		.id = EV_AFTER_MODEL,
		.name = "AfterModel",
		.honours = PART_DECISION | PART_STOP | PART_MESSAGE | PART_LLM_RESPONSE,
		.chained = "llm_response",
		.change = TL_CHANGE_LLM_RESPONSE,
		.input = "llm_request llm_response",
		.summary = "for every chunk of the model's answer: may replace or discard it",
		.sample = "{\"llm_request\":{\"model\":\"gemini-2.5-pro\",\"messages\":[{\"role\":\"user\","
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
		.honours = PART_MESSAGE | PART_CONTEXT,
		.advisory = true,
		.input = "source",
		.summary = "when a session begins: may add context",
		.sample_subject = "startup",
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
		.summary = "when a session ends: clean-up; nobody waits longer than 1.5 s",
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
};

const struct event *event_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (str_eqz(name, events[i].name))
			return &events[i];
	return NULL;
}
