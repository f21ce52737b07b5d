/*
 * JSON Schemas (draft 7) and the public event table, made from the tables that the engine works
 * with: events, dialects, and the fields and keys that stand here.
 */
#include "hooks/schema.h"

#include "hooks/api.h"
#include "hooks/dialects.h"

#define DRAFT "http://json-schema.org/draft-07/schema#"

/* A member of a payload or of an answer. */
struct field {
	const char *name;
	const char *type; /* "string", "string[]", "string|object[]"; NULL = anything */
	bool optional;
	const char *values; /* the words that it can be, separated by blanks; NULL = open */
	const struct field *members; /* of an object, or of each object in an array */
	size_t nmembers;
	const char *text;
};
#define MEMBERS(list) .members = (list), .nmembers = ARRAY_LEN(list)

/* ---- payloads ---- */

static const struct field tool_config[] = {
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
	{ .name = "content", .type = "string|object[]", .text = "the text, or its parts" },
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

static const struct field llm_request[] = {
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
	  MEMBERS(tool_config),
	  .text = "which tools may be called" },
};

static const struct field content[] = {
	{ .name = "role", .type = "string", .optional = true, .text = "\"model\"" },
	{ .name = "parts", .type = "string[]", .optional = true, .text = "pieces of text" },
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

static const struct field llm_response[] = {
	{ .name = "text", .type = "string", .optional = true, .text = "all text together" },
	{ .name = "candidates",
	  .type = "object[]",
	  .optional = true,
	  MEMBERS(candidate),
	  .text = "the answer; the first one counts" },
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

static const struct field base_fields[] = {
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
	{ .name = "tool_input_original",
	  .type = "object",
	  .text = "the model's arguments, when a hook changed them" },
	{ .name = "prompt", .type = "string", .text = "what the user asked" },
	{ .name = "prompt_response", .type = "string", .text = "the final answer" },
	{ .name = "stop_hook_active",
	  .type = "boolean",
	  .text = "whether this answer is already a retry that a hook asked for" },
	{ .name = "llm_request",
	  .type = "object",
	  MEMBERS(llm_request),
	  .text = "the request to the model" },
	{ .name = "llm_response",
	  .type = "object",
	  MEMBERS(llm_response),
	  .text = "the answer, or a chunk of it" },
	{ .name = "source", .type = "string", .text = "how the session begins" },
	{ .name = "reason", .type = "string", .text = "why the session ends" },
	{ .name = "trigger", .type = "string", .text = "who asked for the compression" },
	{ .name = "notification_type",
	  .type = "string",
	  .text = "the kind of alert, for example ToolPermission" },
	{ .name = "message", .type = "string", .text = "the alert" },
	{ .name = "details", .type = "object", .text = "what the alert is about" },
	{ .name = "stop_reason", .type = "string", .text = "why the agent is idle" },
	{ .name = "session_duration",
	  .type = "string",
	  .text = "how long the session has lasted, or empty" },
};

/* ---- answers ---- */

static const struct field tail_call[] = {
	{ .name = "name", .type = "string", .text = "the tool" },
	{ .name = "args", .type = "object", .text = "its arguments" },
};

/* A member of an answer, and the bits of which an event must honour one for it to mean anything. */
struct answer_field {
	unsigned parts;
	struct field f;
};

static const struct answer_field answer_fields[] = {
	{ PART_DECISION,
	  { .name = "decision",
	    .type = "string",
	    .values = "allow approve ask deny block",
	    .text = "approve is allow, block is deny; left out is no opinion" } },
	{ PART_DECISION | PART_STOP,
	  { .name = "reason", .type = "string", .text = "for the agent: why" } },
	{ PART_MESSAGE,
	  { .name = "systemMessage", .type = "string", .text = "shown to the user" } },
	{ PART_STOP,
	  { .name = "continue", .type = "boolean", .text = "false ends the agent's turn" } },
	{ PART_STOP,
	  { .name = "stopReason", .type = "string", .text = "for the user: why the turn ends" } },
	{ ~0U,
	  { .name = "suppressOutput",
	    .type = "boolean",
	    .text = "true keeps the hook off the screen and its output out of records" } },
	{ PART_CLEAR_CONTEXT,
	  { .name = "clearContext",
	    .type = "boolean",
	    .text = "older place of hookSpecificOutput.clearContext" } },
};

/* The members of hookSpecificOutput. */
static const struct answer_field specific_fields[] = {
	{ PART_CONTEXT,
	  { .name = "additionalContext",
	    .type = "string",
	    .text = "text that the model gets to read, at most 10,000 characters" } },
	{ PART_TOOL_INPUT,
	  { .name = "tool_input",
	    .type = "object",
	    .text = "members that replace those of the arguments" } },
	{ PART_TAIL_CALL,
	  { .name = "tailToolCallRequest",
	    .type = "object",
	    MEMBERS(tail_call),
	    .text = "a tool to run next, whose result takes the place of this one" } },
	{ PART_CLEAR_CONTEXT,
	  { .name = "clearContext",
	    .type = "boolean",
	    .text = "with a denial: true forgets the conversation" } },
	{ PART_LLM_REQUEST,
	  { .name = "llm_request",
	    .type = "object",
	    .text = "members that replace those of the request" } },
	{ PART_LLM_RESPONSE,
	  { .name = "llm_response",
	    .type = "object",
	    MEMBERS(llm_response),
	    .text = "the answer to use instead of the model's" } },
	{ PART_TOOL_CONFIG,
	  { .name = "toolConfig",
	    .type = "object",
	    MEMBERS(tool_config),
	    .text = "which tools may be called" } },
};

/* The same names for tl_event_get(), whose strings live for ever; a test compares the two. */
static const char *const specific_names[EV_COUNT] = {
	[EV_BEFORE_TOOL] = "additionalContext tool_input",
	[EV_AFTER_TOOL] = "additionalContext tailToolCallRequest",
	[EV_BEFORE_AGENT] = "additionalContext",
	[EV_AFTER_AGENT] = "clearContext",
	[EV_BEFORE_MODEL] = "llm_request llm_response",
	[EV_BEFORE_TOOL_SELECTION] = "toolConfig",
	[EV_AFTER_MODEL] = "llm_response",
	[EV_SESSION_START] = "additionalContext",
	[EV_SESSION_END] = "",
	[EV_NOTIFICATION] = "",
	[EV_PRE_COMPRESS] = "",
	[EV_STOP] = "",
};

/* ---- keys of settings files ---- */

#define STRINGS .rule = "items", .rule_json = "{\"type\": \"string\"}"

const struct known_key config_keys[] = {
	{ .name = "enabled",
	  .type = J_BOOL,
	  .text = "false switches hooks off, except those of the system tier and guards of a "
		  "higher one" },
	{ .name = "disabled",
	  .type = J_ARR,
	  STRINGS,
	  .text = "names (or commands) of hooks that do not run; the lists of all tiers are "
		  "united" },
	{ .name = "notifications",
	  .type = J_BOOL,
	  .text = "whether the screen shows which hooks are running" },
	{ .name = "onFailure",
	  .type = J_STR,
	  .values = "warn ask deny",
	  .text = "what a hook's failure means where the hook itself does not say" },
	{ .name = "maxRetries",
	  .type = J_NUM,
	  .rule = "minimum",
	  .rule_json = "0",
	  .text = "how often AfterAgent hooks may reject the answers to one prompt (default 8)" },
	{ .name = "sources",
	  .type = J_ARR,
	  .dialects = true,
	  .text = "dialects whose own settings files are read as well" },
	{ .name = "dialect",
	  .type = J_STR,
	  .dialects = true,
	  .text = "what events with Claude names (PreToolUse) in this file mean" },
};

const struct known_key definition_keys[] = {
	{ .name = "matcher",
	  .type = J_STR,
	  .text = "which tools, or which word, the hooks concern; left out, empty or \"*\" is "
		  "all" },
	{ .name = "sequential",
	  .type = J_BOOL,
	  .text = "true runs the hooks of this firing one after another, each on what those "
		  "before made of the input" },
	{ .name = "hooks",
	  .type = J_ARR,
	  .rule = "items",
	  .rule_json = "{\"$ref\": \"#/definitions/hook\"}",
	  .text = "what is run" },
	{ .name = "description", .type = J_STR, .text = "for people" },
	{ .name = "dialect",
	  .type = J_STR,
	  .dialects = true,
	  .text = "that of its hooks which do not name one" },
};

const struct known_key hook_keys[] = {
	{ .name = "type", .type = J_STR, .values = "command", .text = "how the hook is run" },
	{ .name = "command",
	  .type = J_STR,
	  .rule = "minLength",
	  .rule_json = "1",
	  .text = "the shell command; it reads one JSON object on stdin and may print one" },
	{ .name = "name",
	  .type = J_STR,
	  .text = "what the hook is called in messages, records and hooksConfig.disabled" },
	{ .name = "description", .type = J_STR, .text = "for people" },
	{ .name = "timeout",
	  .type = J_NUM,
	  .rule = "exclusiveMinimum",
	  .rule_json = "0",
	  .text = "milliseconds until the hook is ended (default 60000)" },
	{ .name = "env",
	  .type = J_OBJ,
	  .rule = "additionalProperties",
	  .rule_json = "{\"type\": [\"string\", \"number\"]}",
	  .text = "more environment variables; $NAME and ${NAME} are replaced" },
	{ .name = "guard",
	  .type = J_BOOL,
	  .text = "true runs it after all others, on the final input, and a failure of it denies" },
	{ .name = "onFailure",
	  .type = J_STR,
	  .values = "warn ask deny",
	  .text = "what it means when the hook fails, on an event that can block" },
	{ .name = "mode",
	  .type = J_STR,
	  .values = "enforce observe",
	  .text = "\"observe\" records what the hook would have decided and changes nothing" },
	{ .name = "dialect",
	  .type = J_STR,
	  .dialects = true,
	  .text = "what the hook reads and how its answer is read, when it was written for another "
		  "agent; event, matcher and timeout stay as they are here" },
	{ .name = "persistent",
	  .type = J_BOOL,
	  .text = "one process a session: it reads a line of JSON for each event, and answers with "
		  "a line" },
	{ .name = "args",
	  .type = J_ARR,
	  .claude_only = true,
	  STRINGS,
	  .text = "arguments of the command, which then is run without a shell" },
	{ .name = "async", .type = J_BOOL, .claude_only = true, .text = "nobody waits for it" },
	{ .name = "asyncRewake", .type = J_BOOL, .claude_only = true, .text = "as async" },
	{ .name = "if",
	  .type = J_STR,
	  .claude_only = true,
	  .moves = true,
	  .text = "a second filter: Bash(git *)" },
	{ .name = "once", .type = J_BOOL, .claude_only = true, .text = "runs once a session" },
	{ .name = "shell", .type = J_STR, .claude_only = true, .text = "the shell of the command" },
	{ .name = "statusMessage",
	  .type = J_STR,
	  .claude_only = true,
	  .text = "shown while it runs" },
};

/* ---- the event table ---- */

size_t tl_event_count(void)
{
	return EV_COUNT;
}

int tl_event_get(size_t i, struct tl_event_info *ret_info)
{
	if (i >= EV_COUNT)
		return -TL_E_NOTFOUND;
	const struct event *ev = &events[i];
	struct tl_event_info info = {
		.name = ev->name,
		.subject = ev->subject ? ev->subject : "",
		.summary = ev->summary,
		.can_block = event_can_block(ev),
		.advisory = ev->advisory,
		.input = ev->input,
		.output = specific_names[i],
		.subjects = ev->subjects ? ev->subjects : "",
	};
	api_copy_out(ret_info, &info, sizeof info);
	return 0;
}

/* ---- writing ---- */

static void write_words(struct jw *w, const char *key, const char *words)
{
	jw_key(w, key);
	jw_arr(w);
	for (struct str rest = str_from(words), word; str_split(&rest, ' ', &word);)
		jw_str(w, word);
	jw_end(w);
}

static void write_dialects(struct jw *w)
{
	jw_key(w, "enum");
	jw_arr(w);
	for (size_t i = 0; i < DIALECT_COUNT; i++)
		jw_z(w, dialects[i].name);
	jw_end(w);
}

static void write_field(struct jw *w, const struct field *f, const char *values);

/* "properties" and "required" of an object. */
static void write_members(struct jw *w, const struct field *fields, size_t n)
{
	size_t required = 0;

	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < n; i++) {
		write_field(w, &fields[i], fields[i].values);
		required += !fields[i].optional;
	}
	jw_end(w);
	if (!required)
		return;
	jw_key(w, "required");
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		if (!fields[i].optional)
			jw_z(w, fields[i].name);
	jw_end(w);
}

/* "string|object[]": the type or types, and the items when one is an array. */
static void write_type(struct jw *w, const struct field *f)
{
	struct str all = str_from(f->type), item = { 0 }, type;
	bool several = str_chr(all, '|', 0) >= 0;

	jw_key(w, "type");
	if (several)
		jw_arr(w);
	for (struct str rest = all; str_split(&rest, '|', &type);) {
		if (str_ends(type, STR("[]")))
			item = str_sub(type, 0, type.n - 2);
		jw_str(w, item.n && str_ends(type, STR("[]")) ? STR("array") : type);
	}
	if (several)
		jw_end(w);
	if (!item.n) {
		if (f->nmembers)
			write_members(w, f->members, f->nmembers);
		return;
	}
	jw_key(w, "items");
	jw_obj(w);
	jw_kv_str(w, "type", item);
	if (f->nmembers)
		write_members(w, f->members, f->nmembers);
	jw_end(w);
}

static void write_field(struct jw *w, const struct field *f, const char *values)
{
	jw_key(w, f->name);
	jw_obj(w);
	jw_kv_z(w, "description", f->text);
	if (f->type)
		write_type(w, f);
	if (values && *values)
		write_words(w, "enum", values);
	jw_end(w);
}

static void write_head(struct jw *w, const char *title, const char *description)
{
	jw_obj(w);
	jw_kv_z(w, "$schema", DRAFT);
	jw_kv_z(w, "title", title);
	jw_kv_z(w, "description", description);
	jw_kv_z(w, "type", "object");
}

/* ---- input EVENT ---- */

static const struct field *event_field(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(event_fields); i++)
		if (str_eqz(name, event_fields[i].name))
			return &event_fields[i];
	BUG(); /* a name in the event table that nobody described */
}

/* One name of struct event's `input`, without its mark; false when it is optional. */
static bool cut_mark(struct str *name)
{
	bool optional = str_ends(*name, STR("?"));

	name->n -= optional;
	return !optional;
}

static void write_input(struct jw *w, const struct event *ev)
{
	AUTO(free) char *title = xasprintf("What a %s hook reads on stdin", ev->name);
	struct str rest, name;

	write_head(w, title, ev->summary);
	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < ARRAY_LEN(base_fields); i++) {
		const struct field *f = &base_fields[i];

		write_field(w, f, strcmp(f->name, "hook_event_name") == 0 ? ev->name : NULL);
	}
	for (rest = str_from(ev->input); str_split(&rest, ' ', &name);) {
		(void)cut_mark(&name);
		write_field(w, event_field(name),
			    ev->subject && str_eqz(name, ev->subject) ? ev->subjects : NULL);
	}
	jw_end(w);
	jw_key(w, "required");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(base_fields); i++)
		if (!base_fields[i].optional)
			jw_z(w, base_fields[i].name);
	for (rest = str_from(ev->input); str_split(&rest, ' ', &name);)
		if (cut_mark(&name))
			jw_str(w, name);
	jw_end(w);
	jw_end(w);
}

/* ---- output EVENT ---- */

static void write_answer(struct jw *w, const struct answer_field *fields, size_t n,
			 unsigned honours)
{
	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < n; i++)
		if (fields[i].parts == ~0U || fields[i].parts & honours)
			write_field(w, &fields[i].f, fields[i].f.values);
}

static void write_output(struct jw *w, const struct event *ev)
{
	AUTO(free) char *title = xasprintf("What a %s hook may print on stdout", ev->name);

	write_head(w, title, ev->summary);
	write_answer(w, answer_fields, ARRAY_LEN(answer_fields), ev->honours);
	jw_key(w, "hookSpecificOutput");
	jw_obj(w);
	jw_kv_z(w, "description", "what only this event has");
	jw_kv_z(w, "type", "object");
	write_answer(w, specific_fields, ARRAY_LEN(specific_fields), ev->honours);
	jw_end(w);
	jw_end(w);
	jw_end(w);
	jw_end(w);
}

/* ---- settings ---- */

static void write_key(struct jw *w, const struct known_key *k)
{
	jw_key(w, k->name);
	jw_obj(w);
	jw_kv_z(w, "description", k->text);
	jw_kv_z(w, "type", json_type_name(&(struct json){ .type = (uint8_t)k->type }));
	if (k->values)
		write_words(w, "enum", k->values);
	if (k->dialects && k->type == J_ARR) {
		jw_key(w, "items");
		jw_obj(w);
	}
	if (k->dialects)
		write_dialects(w);
	if (k->dialects && k->type == J_ARR)
		jw_end(w);
	if (k->rule) {
		jw_key(w, k->rule);
		jw_raw(w, str_from(k->rule_json));
	}
	jw_end(w);
}

static void write_keys(struct jw *w, const struct known_key *keys, size_t n, const char *required)
{
	jw_obj(w);
	jw_kv_z(w, "type", "object");
	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < n; i++)
		if (!keys[i].claude_only)
			write_key(w, &keys[i]);
	jw_end(w);
	if (required)
		write_words(w, "required", required);
	jw_end(w);
}

static void write_events(struct jw *w)
{
	const struct dialect *d = &dialects[DIALECT_GEMINI];

	jw_obj(w);
	jw_kv_z(w, "description", "what is run, by event");
	jw_kv_z(w, "type", "object");
	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < d->nevents; i++) {
		jw_key(w, d->events[i].name);
		jw_obj(w);
		jw_kv_z(w, "description", events[d->events[i].moment].summary);
		jw_kv_z(w, "type", "array");
		jw_key(w, "items");
		jw_raw(w, STR("{\"$ref\": \"#/definitions/definition\"}"));
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
}

static void write_settings(struct jw *w)
{
	write_head(w, "Hooks in a settings file",
		   "The keys of a settings file that concern hooks; others are not looked at.");
	jw_key(w, "properties");
	jw_obj(w);
	jw_key(w, "hooks");
	write_events(w);
	jw_key(w, "hooksConfig");
	write_keys(w, config_keys, CONFIG_KEYS, NULL);
	jw_end(w);
	jw_key(w, "definitions");
	jw_obj(w);
	jw_key(w, "definition");
	write_keys(w, definition_keys, DEFINITION_KEYS, "hooks");
	jw_key(w, "hook");
	write_keys(w, hook_keys, HOOK_KEYS, "type command");
	jw_end(w);
	jw_end(w);
}

char *tl_schema(const char *what)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };
	struct str rest = str_from(what), kind;

	if (str_eqz(rest, "settings")) {
		write_settings(&w);
		return buf_take(&out);
	}
	if (!str_split(&rest, ' ', &kind))
		return NULL;
	const struct event *ev = event_find(rest);
	if (!ev)
		return NULL;
	if (str_eqz(kind, "input"))
		write_input(&w, ev);
	else if (str_eqz(kind, "output"))
		write_output(&w, ev);
	else
		return NULL;
	return buf_take(&out);
}
