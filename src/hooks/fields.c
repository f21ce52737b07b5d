/*
 * The fields of events, and whether a value of an answer is one.
 */
#include "hooks/fields.h"

#include "base/vec.h"
#include "base/words.h"

const struct field tool_config_fields[] = {
	{ .name = "mode",
	  .type = "string",
	  .optional = true,
	  .values = "AUTO ANY NONE",
	  .text = "NONE forbids tools and beats ANY, which demands one and beats AUTO" },
	{ .name = "allowedFunctionNames",
	  .type = "string[]",
	  .optional = true,
	  .text = "the only tools that the model may call" },
};

static const struct field message[] = {
	{ .name = "role", .type = "string", .values = "user model system", .text = "who said it" },
	{ .name = "content",
	  .type = "string|object[]",
	  .needed = true,
	  .instead = "parts",
	  .text = "the text; anything else is in a block of its own, after a line that marks it" },
	{ .name = "parts",
	  .type = "object[]",
	  .optional = true,
	  .text = "the same as {type: text, call, result, media or other ...}, each thing that is sent" },
};

static const struct field generation[] = {
	{ .name = "temperature",
	  .type = "number",
	  .optional = true,
	  .text = "how free the choice of words is" },
	{ .name = "maxOutputTokens",
	  .type = "number",
	  .optional = true,
	  .text = "limit of the answer" },
	{ .name = "topP", .type = "number", .optional = true, .text = "nucleus sampling" },
	{ .name = "topK", .type = "number", .optional = true, .text = "candidates a token" },
};

const struct field llm_request_fields[] = {
	{ .name = "model", .type = "string", .text = "name of the model" },
	{ .name = "messages",
	  .type = "object[]",
	  MEMBERS(message),
	  .text = "the conversation, oldest first" },
	{ .name = "config",
	  .type = "object",
	  .optional = true,
	  MEMBERS(generation),
	  .text = "parameters of the generation" },
	{ .name = "toolConfig",
	  .type = "object",
	  .optional = true,
	  MEMBERS(tool_config_fields),
	  .text = "which tools may be called" },
};

static const struct field content[] = {
	{ .name = "role", .type = "string", .optional = true, .text = "\"model\"" },
	{ .name = "parts",
	  .type = "string[]",
	  .optional = true,
	  .needed = true,
	  .text = "pieces of text; a call also is one" },
};

static const struct field rating[] = {
	{ .name = "category", .type = "string", .optional = true, .text = "what was looked for" },
	{ .name = "probability", .type = "string", .optional = true, .text = "how likely it is" },
	{ .name = "blocked",
	  .type = "boolean",
	  .optional = true,
	  .text = "whether the answer was held back for it" },
};

static const struct field candidate[] = {
	{ .name = "content",
	  .type = "object",
	  .needed = true,
	  .instead = "finishReason",
	  .optional = true,
	  MEMBERS(content),
	  .text = "what the model said" },
	{ .name = "finishReason",
	  .type = "string",
	  .optional = true,
	  .text = "STOP, MAX_TOKENS, SAFETY, RECITATION or OTHER; missing while it goes on" },
	{ .name = "index", .type = "number", .optional = true, .text = "number of the candidate" },
	{ .name = "safetyRatings",
	  .type = "object[]",
	  .optional = true,
	  MEMBERS(rating),
	  .text = "of the provider" },
};

static const struct field usage[] = {
	{ .name = "promptTokenCount",
	  .type = "number",
	  .optional = true,
	  .text = "tokens of the request" },
	{ .name = "candidatesTokenCount",
	  .type = "number",
	  .optional = true,
	  .text = "tokens of the answer" },
	{ .name = "totalTokenCount", .type = "number", .optional = true, .text = "both" },
};

const struct field llm_response_fields[] = {
	{ .name = "text", .type = "string", .optional = true, .text = "all text together" },
	{ .name = "candidates",
	  .type = "object[]",
	  .optional = true,
	  MEMBERS(candidate),
	  .text = "the answer; the first one counts" },
	{ .name = "calls",
	  .type = "object[]",
	  .optional = true,
	  .text = "the calls among its parts: {name, args, id}; for reading only" },
	{ .name = "usageMetadata",
	  .type = "object",
	  .optional = true,
	  MEMBERS(usage),
	  .text = "what it cost" },
};

static const struct field mcp_context[] = {
	{ .name = "server_name", .type = "string", .text = "the server, as it is configured" },
	{ .name = "tool_name", .type = "string", .text = "the tool, as the server calls it" },
	{ .name = "command", .type = "string", .optional = true, .text = "what starts the server" },
	{ .name = "args",
	  .type = "string[]",
	  .optional = true,
	  .text = "arguments of the command" },
	{ .name = "cwd", .type = "string", .optional = true, .text = "where the command runs" },
	{ .name = "url",
	  .type = "string",
	  .optional = true,
	  .text = "address of a server on the web" },
	{ .name = "tcp",
	  .type = "string",
	  .optional = true,
	  .text = "address of a server on a socket" },
};

static const struct field tool_response[] = {
	{ .name = "llmContent", .optional = true, .text = "what the model is shown" },
	{ .name = "returnDisplay", .optional = true, .text = "what the user is shown" },
	{ .name = "error", .optional = true, .text = "what went wrong" },
};

static const struct field batch_call[] = {
	{ .name = "tool_name", .type = "string", .text = "the tool" },
	{ .name = "tool_input", .type = "object", .text = "its arguments" },
	{ .name = "tool_call_id", .type = "string", .text = "the same before and after one call" },
	{ .name = "tool_paths",
	  .type = "string[]",
	  .optional = true,
	  .text = "all files that it touched" },
	{ .name = "tool_urls",
	  .type = "string[]",
	  .optional = true,
	  .text = "all addresses that it touched" },
	{ .name = "tool_response", .type = "string", .text = "what the model is told of it" },
	{ .name = "mcp_context",
	  .type = "object",
	  MEMBERS(mcp_context),
	  .optional = true,
	  .text = "of an MCP tool: where it comes from" },
};

const struct field base_fields[] = {
	{ .name = "session_id", .type = "string", .text = "identifier of the session" },
	{ .name = "transcript_path",
	  .type = "string",
	  .text = "file with the session's transcript, or empty" },
	{ .name = "cwd", .type = "string", .text = "the working directory" },
	{ .name = "hook_event_name", .type = "string", .text = "the event" },
	{ .name = "timestamp", .type = "string", .text = "when, in ISO 8601" },
	{ .name = "schema_version", .type = "integer", .text = "version of this payload's shape" },
	{ .name = "turn_id",
	  .type = "string",
	  .optional = true,
	  .text = "identifier of the user's turn" },
	{ .name = "agent_id",
	  .type = "string",
	  .optional = true,
	  .text = "inside a sub-agent: the call that started it" },
	{ .name = "agent_type",
	  .type = "string",
	  .optional = true,
	  .text = "inside a sub-agent: its name" },
	{ .name = "seq",
	  .type = "integer",
	  .optional = true,
	  .text = "number of the firing in the session, from 1" },
};

/* What the names in struct event's `input` stand for. */
static const struct field event_fields[] = {
	{ .name = "tool_name", .type = "string", .text = "the tool" },
	{ .name = "tool_input", .type = "object", .text = "its arguments" },
	{ .name = "mcp_context",
	  .type = "object",
	  MEMBERS(mcp_context),
	  .text = "of an MCP tool: where it comes from" },
	{ .name = "original_request_name",
	  .type = "string",
	  .text = "of a tail call: the tool that the model had asked for" },
	{ .name = "tool_call_id", .type = "string", .text = "the same before and after one call" },
	{ .name = "tool_response", .type = "object", MEMBERS(tool_response), .text = "the result" },
	{ .name = "tool_error", .type = "string", .text = "of a tool that failed: why" },
	{ .name = "exit_code", .type = "number", .text = "of a command: its exit status" },
	{ .name = "signal", .type = "number", .text = "of a command: the signal that ended it" },
	{ .name = "duration_ms", .type = "number", .text = "how long the tool ran" },
	{ .name = "tool_paths",
	  .type = "string[]",
	  .text = "all files that it touches: absolute, links followed, patterns expanded" },
	{ .name = "tool_urls", .type = "string[]", .text = "all addresses that it touches" },
	{ .name = "tool_input_original",
	  .type = "object",
	  .text = "the model's arguments, when a hook changed them" },
	{ .name = "prompt", .type = "string", .text = "what the user typed, and nothing else" },
	{ .name = "prompt_parts",
	  .type = "array",
	  .text = "what else goes to the model with it: objects of type, source and text" },
	{ .name = "prompt_response",
	  .type = "string",
	  .text = "what the model said after its last tool result" },
	{ .name = "prompt_responses",
	  .type = "array",
	  .text = "all texts of this attempt, in order" },
	{ .name = "stop_hook_active",
	  .type = "boolean",
	  .text = "whether this answer is already a retry that a hook asked for" },
	{ .name = "llm_request",
	  .type = "object",
	  MEMBERS(llm_request_fields),
	  .text = "the request to the model" },
	{ .name = "llm_response",
	  .type = "object",
	  MEMBERS(llm_response_fields),
	  .text = "the answer, or a chunk of it" },
	{ .name = "source", .type = "string", .text = "what it comes from" },
	{ .name = "model", .type = "string", .text = "name of the model" },
	{ .name = "reason", .type = "string", .text = "why: the session ends, the tool is denied" },
	{ .name = "trigger", .type = "string", .text = "who or what asked for it" },
	{ .name = "notification_type",
	  .type = "string",
	  .text = "the kind of alert, for example ToolPermission" },
	{ .name = "message", .type = "string", .text = "the alert, or the question" },
	{ .name = "details", .type = "object", .text = "what the alert is about" },
	{ .name = "stop_reason", .type = "string", .text = "why the agent is idle" },
	{ .name = "agent_type", .type = "string", .text = "the sub-agent's name" },
	{ .name = "agent_transcript_path",
	  .type = "string",
	  .text = "file with the sub-agent's transcript, or empty" },
	{ .name = "last_assistant_message", .type = "string", .text = "what the model said last" },
	{ .name = "command_name", .type = "string", .text = "the command, as it was typed" },
	{ .name = "command_args", .type = "string", .text = "what follows it" },
	{ .name = "command_source",
	  .type = "string",
	  .text = "where the command is from: project, user, extension, mcp or skill" },
	{ .name = "expansion_type",
	  .type = "string",
	  .values = "slash_command mcp_prompt",
	  .text = "what kind of command it is" },
	{ .name = "compact_summary", .type = "string", .text = "the summary" },
	{ .name = "error", .type = "string", .text = "the kind of failure" },
	{ .name = "error_details", .type = "string", .text = "what went wrong, in a sentence" },
	{ .name = "load_reason", .type = "string", .text = "what made it be read" },
	{ .name = "file_path", .type = "string", .text = "the file, absolute" },
	{ .name = "memory_type",
	  .type = "string",
	  .values = "User Project",
	  .text = "whose file it is" },
	{ .name = "trigger_file_path",
	  .type = "string",
	  .text = "of a file below: what was touched there" },
	{ .name = "parent_file_path", .type = "string", .text = "the file that includes it" },
	{ .name = "permission_suggestions",
	  .type = "object[]",
	  .text = "rules that would save the question next time" },
	{ .name = "tool_calls",
	  .type = "object[]",
	  MEMBERS(batch_call),
	  .text = "the calls, in the order of the answer" },
	{ .name = "mcp_server_name", .type = "string", .text = "the server, as it is configured" },
	{ .name = "mode",
	  .type = "string",
	  .values = "form url",
	  .text = "whether the server wants a form filled in or an address opened" },
	{ .name = "url", .type = "string", .text = "the address" },
	{ .name = "elicitation_id",
	  .type = "string",
	  .text = "what the server calls its question" },
	{ .name = "requested_schema", .type = "object", .text = "the form, as a JSON Schema" },
	{ .name = "action",
	  .type = "string",
	  .values = "accept decline cancel",
	  .text = "what the user said" },
	{ .name = "content", .type = "object", .text = "what the user filled in" },
	{ .name = "to_model", .type = "string", .text = "the model to come" },
	{ .name = "from_model", .type = "string", .text = "the model until now" },
	{ .name = "requested_model", .type = "string", .text = "as the user typed it" },
	{ .name = "context_tokens",
	  .type = "number",
	  .text = "size of the conversation, 0 when it is not known" },
	{ .name = "seconds_since_last_response",
	  .type = "number",
	  .text = "how old the last answer of a resumed conversation is" },
	{ .name = "task_id", .type = "string", .text = "its number in this session" },
	{ .name = "task_subject", .type = "string", .text = "what is to be done" },
	{ .name = "message_id", .type = "string", .text = "the same for all pieces of an answer" },
	{ .name = "index", .type = "number", .text = "of the piece, from 0" },
	{ .name = "final", .type = "boolean", .text = "whether it is the last one" },
	{ .name = "delta", .type = "string", .text = "the text" },
	{ .name = "file_name", .type = "string", .text = "the last part of its path" },
	{ .name = "directory", .type = "string", .text = "absolute, links followed" },
	{ .name = "event",
	  .type = "string",
	  .values = "change add unlink",
	  .text = "what became of it" },
	{ .name = "session_duration",
	  .type = "string",
	  .text = "how long the session has lasted, or empty" },
};

const struct field *event_field(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(event_fields); i++)
		if (str_eqz(name, event_fields[i].name))
			return &event_fields[i];
	BUG(); /* a name in the event table without a description */
}

/* ---- does it fit? ---- */

static const char *object_misfit(struct arena *a, const struct field *f, const struct json *v);

static bool is_type(struct str type, const struct json *v)
{
	return str_eqz(type, json_type_name(v)) || (str_eqz(type, "integer") && v->type == J_NUM);
}

static const char *array_misfit(struct arena *a, const struct field *f, struct str type,
				const struct json *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct json *item = json_at(v, i), *text = json_getz(item, "text");
		const char *why;

		/* Pieces of text may be strings, or the parts of the API. */
		if (!f->nmembers && (json_is(item, J_STR) || json_is(item, J_NULL) ||
				     (json_is(item, J_OBJ) && (!text || json_is(text, J_STR)))))
			continue;
		if (is_type(type, item))
			why = object_misfit(a, f, item);
		else
			why = arena_printf(a, "is %s, not %.*s", json_type_name(item),
					   STR_ARG(type))
				      .p;
		if (why)
			return arena_printf(a, "[%zu]%s%s", i, *why == '.' ? "" : " ", why).p;
	}
	return NULL;
}

static const char *object_misfit(struct arena *a, const struct field *f, const struct json *v)
{
	for (size_t i = 0; i < f->nmembers && json_is(v, J_OBJ); i++) {
		const struct json *m = json_getz(v, f->members[i].name);
		const char *why = NULL;

		if (m && m->type != J_NULL)
			why = field_misfit(a, &f->members[i], m);
		else if (f->members[i].needed &&
			 !(f->members[i].instead && json_getz(v, f->members[i].instead)))
			return arena_printf(a, "has no \"%s\"", f->members[i].name).p;
		if (why)
			return arena_printf(a, ".%s%s%s", f->members[i].name,
					    *why == '.' || *why == '[' ? "" : " ", why)
				.p;
	}
	return NULL;
}

const char *field_misfit(struct arena *a, const struct field *f, const struct json *v)
{
	struct str rest = str_from(f->type), type;

	if (!f->type)
		return NULL;
	while (str_split(&rest, '|', &type)) {
		bool list = str_ends(type, STR("[]"));

		if (list && v->type == J_ARR)
			return array_misfit(a, f, str_sub(type, 0, type.n - 2), v);
		if (!list && is_type(type, v))
			return object_misfit(a, f, v);
	}
	return arena_printf(a, "is %s, not %s", json_type_name(v), f->type).p;
}

/* ---- what is in it that nothing reads ---- */

static const struct field *member_known(const struct field *f, struct str key, bool *ret_known)
{
	for (size_t i = 0; i < f->nmembers; i++) {
		*ret_known = str_eqz(key, f->members[i].name);
		if (*ret_known)
			return &f->members[i];
		*ret_known = f->members[i].instead && str_eqz(key, f->members[i].instead);
		if (*ret_known)
			return NULL;
	}
	return NULL;
}

/* The same thing in the words of an API; f says which of them are members here. */
static const struct {
	const char *word, *meant;
} api_words[] = {
	{ "contents", "messages" },
	{ "generationConfig", "config" },
	{ "functionCallingConfig", "toolConfig" },
	{ "functionCallingConfig", "mode" },
	{ "systemInstruction", "messages" },
	{ "stop_reason", "finishReason" },
	{ "usage", "usageMetadata" },
	{ "max_tokens", "maxOutputTokens" },
	{ "toolName", "name" },
	{ "arguments", "args" },
	{ "input", "args" },
};

static const char *member_meant(const struct field *f, struct str key)
{
	enum { NAMES_MAX = 16 };
	const char *names[NAMES_MAX];
	size_t n = min_size(f->nmembers, NAMES_MAX);

	for (size_t i = 0; i < n; i++) {
		names[i] = f->members[i].name;
		if (word_like(key, str_from(names[i])))
			return names[i];
	}
	for (size_t i = 0; i < ARRAY_LEN(api_words); i++)
		for (size_t k = 0; k < n && word_like(key, str_from(api_words[i].word)); k++)
			if (strcmp(names[k], api_words[i].meant) == 0)
				return names[k];
	return str_nearest(key, names, n);
}

static const struct json *known_of(struct strays *s, const struct field *f, struct str at,
				   const struct json *v, const struct json *had)
{
	const struct json *out = v;

	if (f->nmembers && json_is(v, J_ARR)) {
		const struct json **items = ARENA_ARRAY(s->arena, const struct json *, v->n);
		bool changed = false;

		for (size_t i = 0; i < v->n; i++) {
			items[i] =
				known_of(s, f, arena_printf(s->arena, "%.*s[%zu]", STR_ARG(at), i),
					 json_at(v, i), json_at(had, i));
			changed |= items[i] != json_at(v, i);
		}
		return changed ? json_new_arr(s->arena, items, v->n) : v;
	}
	for (size_t i = 0; f->nmembers && json_is(v, J_OBJ) && i < v->n; i++) {
		const struct json_member *m = &v->members[i];
		struct str name = arena_printf(s->arena, "%.*s.%.*s", STR_ARG(at), STR_ARG(m->key));
		const struct json *was = json_get(had, m->key), *now = &m->v;
		bool known;
		const struct field *of = member_known(f, m->key, &known);

		if (!known && !was) {
			s->found(s->arg, name, member_meant(f, m->key));
			out = json_without(s->arena, out, m->key);
			continue;
		}
		if (of)
			now = known_of(s, of, name, now, was);
		if (now != &m->v)
			out = json_set(s->arena, out, m->key, now);
	}
	return out;
}

const struct json *field_known(struct strays *s, const struct field *f, const struct json *v,
			       const struct json *had)
{
	return known_of(s, f, str_from(f->name), v, had);
}
