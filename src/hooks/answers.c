#include "hooks/answers.h"

#include "base/utf8.h"
#include "hooks/messages.h"

static const struct field tail_call[] = {
	{ .name = "name", .type = "string", .needed = true, .text = "the tool" },
	{ .name = "args", .type = "object", .text = "its arguments" },
};

static const struct field request_decision[] = {
	{ .name = "behavior",
	  .type = "string",
	  .needed = true,
	  .values = "allow deny",
	  .text = "whether the tool may run" },
	{ .name = "updatedInput",
	  .type = "object",
	  .optional = true,
	  .text = "with allow: the arguments to use instead" },
	{ .name = "updatedPermissions",
	  .type = "object[]",
	  .optional = true,
	  .text = "with allow: rules for the rest of the session" },
	{ .name = "message", .type = "string", .optional = true, .text = "with deny: why" },
	{ .name = "interrupt",
	  .type = "boolean",
	  .optional = true,
	  .text = "with deny: true also ends the agent's turn" },
};

#define THEIRS (WORDS_CLAUDE | WORDS_CODEX)
#define ALL (WORDS_GEMINI | THEIRS)
#define ROW(words, inner, parts, change, ...)                                                      \
	{                                                                                          \
		words, inner, (unsigned)(parts), change,                                           \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define TOP(words, parts, ...) ROW(words, false, parts, CHANGES_NOTHING, __VA_ARGS__)
#define INNER(words, parts, ...) ROW(words, true, parts, CHANGES_NOTHING, __VA_ARGS__)

static const struct answer_member members[] = {
	TOP(WORDS_GEMINI, PART_DECISION, .name = "decision", .type = "string",
	    .values = "allow approve ask deny block",
	    .text = "approve = allow, block = deny; absent = no opinion"),
	TOP(WORDS_CLAUDE, PART_DECISION, .name = "decision", .type = "string",
	    .values = "approve block", .text = "block denies; absent = no opinion"),
	TOP(WORDS_CODEX, PART_DECISION, .name = "decision", .type = "string", .values = "block",
	    .text = "denies, with a reason; absent = no opinion"),
	TOP(ALL, PART_DECISION | PART_STOP, .name = "reason", .type = "string",
	    .text = "for the agent: why"),
	TOP(ALL, PART_MESSAGE, .name = "systemMessage", .type = "string",
	    .text = "shown to the user"),
	TOP(ALL, PART_STOP, .name = "continue", .type = "boolean",
	    .text = "false ends the agent's turn"),
	TOP(ALL, PART_STOP, .name = "stopReason", .type = "string",
	    .text = "for the user: why the turn ends"),
	TOP(ALL, PART_ALWAYS, .name = "suppressOutput", .type = "boolean",
	    .text = "true keeps the hook off the screen and its output out of records"),
	TOP(WORDS_GEMINI, PART_CLEAR_CONTEXT, .name = "clearContext", .type = "boolean",
	    .text = "older place of hookSpecificOutput.clearContext"),
	TOP(WORDS_CLAUDE, PART_ALWAYS, .name = "async", .type = "boolean",
	    .text = "true in the first line: the rest runs in the background and decides nothing"),
	TOP(WORDS_CLAUDE, PART_ALWAYS, .name = "asyncTimeout", .type = "number",
	    .text = "with async: milliseconds until the hook is ended"),
	TOP(ALL, 0, .name = "seq", .type = "integer",
	    .text = "of a persistent hook: which event it answers"),
	TOP(ALL, 0, .name = "hookSpecificOutput", .type = "object",
	    .text = "what only this event has"),
	TOP(WORDS_CLAUDE, PART_ALWAYS, .name = "terminalSequence", .type = "string",
	    .text = "for the user's terminal: OSC 0, 1, 2, 9, 99 and 777 and BEL, nothing else"),

	INNER(ALL, 0, .name = "hookEventName", .type = "string",
	      .text = "the event; another one than that which fired is a mistake"),
	INNER(ALL, PART_CONTEXT | PART_FEEDBACK, .name = "additionalContext", .type = "string",
	      .text = "text that the model gets to read, at most 10,000 characters"),
	INNER(WORDS_CLAUDE, PART_PERMISSION, .name = "permissionDecision", .type = "string",
	      .values = "allow ask deny defer",
	      .text = "allow also skips the confirmation; defer does not run the call and ends the turn"),
	INNER(WORDS_CODEX, PART_PERMISSION, .name = "permissionDecision", .type = "string",
	      .values = "allow deny", .text = "allow goes with updatedInput, and approves nothing"),
	INNER(THEIRS, PART_PERMISSION, .name = "permissionDecisionReason", .type = "string",
	      .text = "for the agent: why"),
	INNER(THEIRS, PART_REQUEST, .name = "decision", .type = "object", MEMBERS(request_decision),
	      .text = "the answer in the user's place"),
	ROW(WORDS_CLAUDE, true, PART_RETRY, TL_CHANGE_RETRY, .name = "retry", .type = "boolean",
	    .text = "true tells the model that it may try again"),
	ROW(THEIRS, true, PART_TOOL_INPUT, TL_CHANGE_TOOL_INPUT, .name = "updatedInput",
	    .type = "object", .text = "the arguments to use instead"),
	ROW(WORDS_CLAUDE, true, PART_RESULT, TL_CHANGE_TOOL_RESULT, .name = "updatedToolOutput",
	    .text = "the result to use instead"),
	ROW(WORDS_CLAUDE, true, PART_RESULT, TL_CHANGE_TOOL_RESULT, .name = "updatedMCPToolOutput",
	    .text = "the same, of a tool of an MCP server"),
	ROW(WORDS_GEMINI, true, PART_TOOL_INPUT, TL_CHANGE_TOOL_INPUT, .name = "tool_input",
	    .type = "object", .text = "members that replace those of the arguments"),
	ROW(WORDS_GEMINI, true, PART_TAIL_CALL, TL_CHANGE_TAIL_CALL, .name = "tailToolCallRequest",
	    .type = "object", MEMBERS(tail_call),
	    .text = "a tool to run next, whose result takes the place of this one"),
	INNER(WORDS_GEMINI, PART_CLEAR_CONTEXT, .name = "clearContext", .type = "boolean",
	      .text = "with a denial: true forgets the conversation"),
	ROW(WORDS_GEMINI, true, PART_LLM_REQUEST, TL_CHANGE_LLM_REQUEST, .name = "llm_request",
	    .type = "object", MEMBERS(llm_request_fields),
	    .text = "members that replace those of the request"),
	ROW(WORDS_GEMINI, true, PART_LLM_RESPONSE, TL_CHANGE_LLM_RESPONSE, .name = "llm_response",
	    .type = "object", MEMBERS(llm_response_fields),
	    .text = "the answer to use instead of the model's"),
	ROW(WORDS_GEMINI, true, PART_TOOL_CONFIG, TL_CHANGE_TOOL_CONFIG, .name = "toolConfig",
	    .type = "object", MEMBERS(tool_config_fields), .text = "which tools may be called"),
	INNER(WORDS_CLAUDE, 0, .name = "initialUserMessage", .type = "string",
	      .text = "not supported"),
	INNER(WORDS_CLAUDE, 0, .name = "reloadSkills", .type = "boolean", .text = "not supported"),
	INNER(WORDS_CLAUDE, 0, .name = "sessionTitle", .type = "string", .text = "not supported"),
	INNER(WORDS_CLAUDE, 0, .name = "suppressOriginalPrompt", .type = "boolean",
	      .text = "not supported"),
	ROW(WORDS_CLAUDE, true, PART_ELICIT, TL_CHANGE_ELICITATION, .name = "action",
	    .type = "string", .values = "accept decline cancel",
	    .text = "what the server is answered in the user's place"),
	INNER(WORDS_CLAUDE, PART_ELICIT, .name = "content", .type = "object",
	      .text = "with accept: the values of the form"),
	ROW(WORDS_CLAUDE, true, PART_DISPLAY, TL_CHANGE_DISPLAY, .name = "displayContent",
	    .type = "string", .text = "what is shown instead; the model's answer stays as it is"),
	ROW(WORDS_CLAUDE, true, PART_WATCH, TL_CHANGE_WATCH_PATHS, .name = "watchPaths",
	    .type = "string[]", .text = "absolute paths of files whose changes fire FileChanged"),
};

const struct answer_member *answer_member_at(size_t i)
{
	return i < ARRAY_LEN(members) ? &members[i] : NULL;
}

const struct answer_member *answer_member_find(enum words words, bool inner, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (members[i].words & words && members[i].inner == inner &&
		    str_eqz(name, members[i].f.name))
			return &members[i];
	return NULL;
}

bool answer_is_change(bool inner, struct str name)
{
	const struct answer_member *row = NULL;

	for (size_t i = 0; i < ARRAY_LEN(members) && !row; i++)
		if (members[i].inner && str_eqz(name, members[i].f.name))
			row = &members[i];
	return row ? row->change != CHANGES_NOTHING : inner;
}

unsigned answer_honours(const struct hook *hook)
{
	return hook->as->honours ? hook->as->honours : hook->event->honours;
}

bool answer_can_deny(const struct hook *hook)
{
	return event_can_block(hook->event) ||
	       (hook->as->honours && hook->as->blocks == BLOCK_DENY);
}

/* ---- what was meant ---- */

/* The same thing in other words: of the API, of other agents. */
static const struct {
	const char *word, *gemini, *claude;
} synonyms[] = {
	{ "permissionDecision", "decision", "permissionDecision" },
	{ "permission", "decision", "permissionDecision" },
	{ "behavior", "decision", "permissionDecision" },
	{ "cancel", "decision", "permissionDecision" },
	{ "permissionDecisionReason", "reason", "permissionDecisionReason" },
	{ "agent_message", "reason", "permissionDecisionReason" },
	{ "user_message", "systemMessage", "systemMessage" },
	{ "message", "systemMessage", "systemMessage" },
	{ "context", "additionalContext", "additionalContext" },
	{ "updatedInput", "tool_input", "updatedInput" },
	{ "updated_input", "tool_input", "updatedInput" },
	{ "modifiedArgs", "tool_input", "updatedInput" },
	{ "args", "tool_input", "updatedInput" },
	{ "tool_input", "tool_input", "updatedInput" },
	{ "functionCallingConfig", "toolConfig", NULL },
	{ "allowedFunctionNames", "toolConfig", NULL },
	{ "mode", "toolConfig", NULL },
	{ "contents", "llm_request", NULL },
	{ "messages", "llm_request", NULL },
	{ "candidates", "llm_response", NULL },
	{ "text", "llm_response", NULL },
	{ "tailCall", "tailToolCallRequest", NULL },
};

static const char *meant_name(enum words words, struct str name, unsigned honours)
{
	enum { SHORT_WORD = 6 };
	const char *names[ARRAY_LEN(members)], *near, *slip = NULL;
	const char *words_known[ARRAY_LEN(synonyms)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (members[i].words & words && (members[i].parts & honours || !members[i].parts))
			names[n++] = members[i].f.name;
	for (size_t i = 0; i < n; i++)
		if (str_eqz(name, names[i]))
			return names[i]; /* in the wrong place */
	for (size_t i = 0; i < ARRAY_LEN(synonyms); i++)
		if (str_eqz(name, synonyms[i].word))
			return words == WORDS_GEMINI ? synonyms[i].gemini : synonyms[i].claude;
	near = str_nearest(name, names, n);
	/* "permissionDecison": a slip in another dialect's word. */
	for (size_t i = 0; i < ARRAY_LEN(synonyms); i++)
		words_known[i] = synonyms[i].word;
	if (!near && name.n > SHORT_WORD)
		slip = str_nearest(name, words_known, ARRAY_LEN(words_known));
	return slip ? meant_name(words, str_from(slip), honours) : near;
}

const char *answer_meant(struct arena *a, const struct hook *hook, bool inner, struct str name)
{
	enum words words = hook->dialect->words;
	unsigned honours = answer_honours(hook);
	const char *meant = meant_name(words, name, honours);

	for (size_t i = 0; meant && i < ARRAY_LEN(members); i++) {
		const struct answer_member *m = &members[i];

		if (!(m->words & words) || strcmp(m->f.name, meant) != 0 ||
		    (m->parts && !(m->parts & honours)) ||
		    (m->inner == inner && str_eqz(name, meant)))
			continue;
		return m->inner ? arena_printf(a, "hookSpecificOutput.%s", meant).p : meant;
	}
	return NULL;
}

/* ---- can it be applied? ---- */

int tool_mode_rank(struct str mode)
{
	return str_eqz(mode, "NONE") ? 2 : str_eqz(mode, "ANY") ? 1 : 0;
}

/* C4.9: a restriction that cannot be read whole would be a looser one. */
static const char *tool_config_misfit(const struct json *config)
{
	const struct json *mode = json_getz(config, "mode");
	const struct json *names = json_getz(config, "allowedFunctionNames");
	struct str word = json_str(mode, STR(""));
	bool ok = !mode || str_eqz(word, "AUTO") || tool_mode_rank(word);

	for (size_t i = 0; ok && names && i < names->n; i++)
		ok = json_is(json_at(names, i), J_STR);
	return ok && (mode || names) ? NULL
				     : "is not {\"mode\": AUTO, ANY or NONE, "
				       "\"allowedFunctionNames\": [names]}";
}

/* A filter that leaves no tool writes an empty list, which elsewhere means all of them. */
bool tool_config_is_empty(const struct json *config)
{
	const struct json *names = json_getz(config, "allowedFunctionNames");

	return names && !names->n && tool_mode_rank(json_get_str(config, "mode")) < 2;
}

static const char *response_misfit(const struct event *ev, const struct json *response)
{
	const struct json *candidates = json_getz(response, "candidates");
	const struct json *parts = json_pointer(response, STR("/candidates/0/content/parts")),
			  *part;
	bool answers = json_get_str(response, "text").n > 0;

	for (size_t i = 0; (part = json_at(parts, i)); i++)
		answers |= json_is(part, J_STR) || json_is(json_getz(part, "text"), J_STR);
	if (ev->change != TL_CHANGE_LLM_RESPONSE && !answers)
		return "has neither a text nor a candidate with parts: it answers nothing";
	if (!json_is(candidates, J_ARR) && !json_is(json_getz(response, "text"), J_STR) &&
	    !json_is(json_getz(response, "usageMetadata"), J_OBJ))
		return "has neither \"text\" nor \"candidates\"";
	return NULL;
}

static const char *request_misfit(const struct json *request)
{
	const struct json *model = json_getz(request, "model");
	struct str name = json_str(model, STR("x"));

	const struct json *config = json_getz(request, "toolConfig");

	if (!name.n || memchr(name.p, 0, name.n))
		return ".model is not the name of a model";
	return json_is(config, J_OBJ) ? tool_config_misfit(config) : NULL;
}

const char *answer_misfit(struct arena *a, const struct answer_member *m, const struct event *ev,
			  const struct json *v)
{
	const char *why = field_misfit(a, &m->f, v);

	if (why)
		return why;
	switch (m->change) {
	case TL_CHANGE_TOOL_CONFIG:
		return tool_config_misfit(v);
	case TL_CHANGE_LLM_RESPONSE:
		return response_misfit(ev, v);
	case TL_CHANGE_LLM_REQUEST:
		return request_misfit(v);
	case TL_CHANGE_TAIL_CALL:
		return json_get_str(v, "name").n ? NULL : ".name is empty";
	default:
		return NULL;
	}
}

/* ---- is all of it applied? ---- */

/* "messages[2].content is null", unless it was shown so. */
static const char *null_in(struct arena *a, const struct json *v, const struct json *had)
{
	for (size_t i = 0; (json_is(v, J_OBJ) || json_is(v, J_ARR)) && i < v->n; i++) {
		bool named = v->type == J_OBJ;
		const struct json *item = named ? &v->members[i].v : json_at(v, i);
		const struct json *was = named ? json_get(had, v->members[i].key) : json_at(had, i);
		struct str at = named ? arena_printf(a, ".%.*s", STR_ARG(v->members[i].key))
				      : arena_printf(a, "[%zu]", i);
		const char *why = json_is(item, J_NULL) ? json_is(was, J_NULL) ? NULL : " is null"
							: null_in(a, item, was);

		if (why)
			return arena_printf(a, "%.*s%s", STR_ARG(at), why).p;
	}
	return NULL;
}

/* The pieces of a text: strings, and objects that hold a text and nothing else. */
static const char *pieces_gap(struct arena *a, const struct json *pieces)
{
	const struct json *piece;

	for (size_t i = 0; (piece = json_at(pieces, i)); i++) {
		size_t read = json_is(json_getz(piece, "text"), J_STR) +
			      str_eqz(json_get_str(piece, "type"), "text");

		if (!json_is(piece, J_STR) &&
		    !(json_is(json_getz(piece, "text"), J_STR) && piece->n == read))
			return arena_printf(a, "[%zu] is not a text and nothing else", i).p;
	}
	return NULL;
}

static bool is_one_of(const struct json *v, const char *words)
{
	struct str rest = str_from(words), word;

	while (str_split(&rest, ' ', &word))
		if (str_eq(json_str(v, STR("")), word))
			return true;
	return false;
}

static const char *role_gap(const struct json *v, const struct json *had, const char *roles)
{
	const struct json *role = json_getz(v, "role");

	return !role || is_one_of(role, roles) || (had && json_equal(role, had))
		       ? NULL
		       : ".role is none that can be given";
}

static const char *message_gap(struct arena *a, const struct json *m, const struct json *had)
{
	const struct json *content = json_getz(m, "content"), *parts = json_getz(m, "parts");
	const char *why = role_gap(m, json_getz(had, "role"), "user model assistant");
	const struct json *shown = json_getz(had, "parts");
	const struct json *now;
	struct str text;
	bool exact = json_is(parts, J_ARR) && (!had || (shown && !json_equal(parts, shown)));

	for (size_t i = 0; json_is(m, J_OBJ) && i < m->n && !why; i++) {
		struct str key = m->members[i].key;
		const struct json *was = json_get(had, key);

		if (!str_eqz(key, "role") && !str_eqz(key, "content") &&
		    !(exact && str_eqz(key, "parts")) &&
		    !(was && json_equal(was, &m->members[i].v)))
			why = arena_printf(a, ".%.*s is not applied; \"content\" is", STR_ARG(key))
				      .p;
	}
	if (why)
		return why;
	if ((!content && !exact) || (json_is(content, J_ARR) && !content->n) ||
	    (!had && json_is(content, J_STR) && !json_str(content, STR("")).n))
		return " has no text";
	why = json_is(content, J_ARR) ? pieces_gap(a, content) : NULL;
	if (why)
		return arena_printf(a, ".content%s", why).p;
	now = message_edited(a, had, m, "", &why);
	if (why)
		return arena_printf(a, " %s", why).p;
	/* Both are given anew: parts count, and the other ought to say the same. */
	if (exact && had && content && message_text(a, m, &text) &&
	    !str_eq(text, json_get_str(had, "content")) &&
	    !str_eq(text, json_get_str(now, "content")))
		return ".content is not what \"parts\" say, which count";
	return exact && !had && pieces_gap(a, parts) ? ".parts can be texts only" : NULL;
}

static const char *request_gap(struct arena *a, const struct json *v, const struct json *had)
{
	const struct json *messages = json_getz(v, "messages"), *shown = json_getz(had, "messages");
	const struct json *m, *config = json_getz(v, "config"), *tools = json_getz(v, "toolConfig");
	const size_t *places = messages_places(a, shown, messages);

	for (size_t i = 0; (m = json_at(messages, i)); i++) {
		const struct json *was = places[i] == SIZE_MAX ? NULL : json_at(shown, places[i]);
		const char *why = was && json_equal(was, m) ? NULL : message_gap(a, m, was);

		if (why)
			return arena_printf(a, ".messages[%zu]%s", i, why).p;
	}
	if (json_is(messages, J_ARR) && json_is(shown, J_ARR) && messages->n < shown->n)
		return arena_printf(a,
				    ".messages has %zu of %zu messages; none can be left out, the "
				    "other %zu stay as they are",
				    messages->n, shown->n, shown->n - messages->n)
			.p;
	for (size_t i = 0; json_is(config, J_OBJ) && i < config->n; i++)
		if (!__builtin_isfinite(json_num(&config->members[i].v, 0)))
			return ".config has a number without an end";
	if (tools && !json_equal(tools, json_getz(had, "toolConfig")) &&
	    tool_config_is_empty(tools))
		return ".toolConfig allows an empty list of tools; \"mode\": \"NONE\" says that";
	return NULL;
}

/* Is a call of the chunk among the strings, but with something else in it? */
static bool changes_call(struct arena *a, const struct json *parts, const struct json *calls)
{
	for (size_t i = 0; json_at(parts, i); i++)
		for (size_t k = 0; json_at(calls, k); k++) {
			const struct json *call = json_at(calls, k);

			if (message_is_other_call(message_call_line(a, k + 1,
								    json_get_str(call, "name"),
								    json_getz(call, "args")),
						  json_str(json_at(parts, i), STR(""))))
				return true;
		}
	return false;
}

/* Is `text` what the parts of the first candidate say? */
static bool texts_agree(struct arena *a, const struct json *response, const struct json *calls)
{
	const struct json *parts = json_pointer(response, STR("/candidates/0/content/parts")),
			  *part;
	AUTO(buf_done) struct buf all = { 0 };

	for (size_t i = 0; (part = json_at(parts, i)); i++) {
		struct str s =
			json_is(part, J_STR) ? json_str(part, STR("")) : json_get_str(part, "text");

		if (!message_is_call_of(a, calls, s))
			buf_adds(&all, s);
	}
	return str_ends(buf_str(&all), json_get_str(response, "text"));
}

static const char *response_gap(struct arena *a, const struct json *v, const struct json *had)
{
	const struct json *candidates = json_getz(v, "candidates"), *c,
			  *text = json_getz(v, "text");
	const struct json *shown = json_getz(had, "candidates"),
			  *usage = json_getz(v, "usageMetadata");

	for (size_t i = 0; (c = json_at(candidates, i)); i++) {
		const struct json *content = json_getz(c, "content"), *was = json_at(shown, i);
		const struct json *parts = json_getz(content, "parts");
		const struct json *reason = json_getz(c, "finishReason");
		const char *why = NULL;

		if (was && json_equal(was, c))
			continue;
		if ((why = role_gap(content, json_pointer(was, STR("/content/role")), "model")))
			why = arena_printf(a, ".content%s", why).p;
		else if ((why = pieces_gap(a, parts)))
			why = arena_printf(a, ".content.parts%s", why).p;
		else if (reason && !is_one_of(reason, "STOP MAX_TOKENS SAFETY RECITATION OTHER"))
			why = ".finishReason is not a documented value; it counts as OTHER";
		else if (i == 0 && changes_call(a, parts, json_getz(had, "calls")))
			why = ".content.parts changes a call, which stays as it is";
		if (why)
			return arena_printf(a, ".candidates[%zu]%s", i, why).p;
	}
	if (json_getz(v, "calls") && !json_equal(json_getz(v, "calls"), json_getz(had, "calls")))
		return ".calls is for reading only";
	/* Both are given anew: then one of the two would be dropped. */
	if (json_at(candidates, 0) && json_getz(json_at(candidates, 0), "content") && text &&
	    !json_equal(text, json_getz(had, "text")) && !json_equal(candidates, shown) &&
	    (!had || texts_agree(a, had, json_getz(had, "calls"))) &&
	    !texts_agree(a, v, json_getz(had, "calls")))
		return ".text is not the text of .candidates";
	return candidates || text || (usage && usage->n) ? NULL : "says nothing";
}

const char *answer_gap(struct arena *a, int change, const struct json *v, const struct json *had,
		       bool is_strict)
{
	const char *why = NULL;

	if (had && json_equal(v, had))
		return NULL;
	if (change == TL_CHANGE_LLM_REQUEST)
		why = request_gap(a, v, had);
	else if (change == TL_CHANGE_LLM_RESPONSE)
		why = response_gap(a, v, had);
	else if (change != TL_CHANGE_TOOL_CONFIG)
		return NULL;
	return why || !is_strict ? why : null_in(a, v, had);
}

static bool is_deeper(const struct json *v, unsigned left)
{
	if (!json_is(v, J_ARR) && !json_is(v, J_OBJ))
		return false;
	if (left == 0)
		return true;
	for (size_t i = 0; i < v->n; i++)
		if (is_deeper(v->type == J_OBJ ? &v->members[i].v : json_at(v, i), left - 1))
			return true;
	return false;
}

bool answer_is_too_deep(const struct json *v)
{
	return is_deeper(v, JSON_MAX_DEPTH);
}

/* ---- the strictest reading ---- */

static const struct said_word {
	const char *member;
	bool is_flag; /* true denies */
	unsigned own; /* enum words that know it, where `at` says */
	enum said_at { AT_TOP, AT_INNER, AT_REQUEST /* hookSpecificOutput.decision */ } at;
} said_words[] = {
	{ "decision", false, ALL, AT_TOP }, { "permissionDecision", false, THEIRS, AT_INNER },
	{ "permission", false, 0, AT_TOP }, { "behavior", false, THEIRS, AT_REQUEST },
	{ "cancel", true, 0, AT_TOP },
};

static const struct {
	const char *word;
	enum tl_verdict verdict;
} verdict_words[] = {
	{ "deny", TL_VERDICT_DENY },
	{ "block", TL_VERDICT_DENY },
	{ "ask", TL_VERDICT_ASK },
};

/* Is it this member, whatever the case of its letters: "Decision", "permission_decision"? */
static bool is_named(struct str key, const char *member)
{
	size_t i = 0;

	for (; *member && i < key.n; i++) {
		if (key.p[i] == '_' || key.p[i] == '-')
			continue;
		if (char_lower(key.p[i]) != char_lower(*member++))
			return false;
	}
	return !*member && i == key.n;
}

/* Where answer_strictest() is. */
struct walk {
	struct strictest *out;
	unsigned words; /* enum words; 0 = no dialect looks there */
	enum said_at at;
	bool request; /* the event has AT_REQUEST */
};

static void walk_object(struct walk *w, const struct json *obj);

static void walk_value(struct walk *w, const struct said_word *as, const struct json *v)
{
	struct str text = json_str(v, STR(""));
	enum tl_verdict verdict =
		as->is_flag && json_is_true(v) ? TL_VERDICT_DENY : TL_VERDICT_NONE;

	bool request = w->request && w->at == AT_INNER && strcmp(as->member, "decision") == 0;
	struct walk nested = { w->out, request ? w->words : 0, request ? AT_REQUEST : AT_TOP,
			       false };

	for (size_t i = 0; !as->is_flag && !verdict && i < ARRAY_LEN(verdict_words); i++)
		if (str_eqz_icase(str_trim(text), verdict_words[i].word))
			verdict = verdict_words[i].verdict;
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		walk_value(&nested, as, json_at(v, i));
	if (json_is(v, J_OBJ))
		walk_object(&nested, v);
	if (verdict <= w->out->verdict)
		return;
	w->out->verdict = verdict;
	w->out->member = as->member;
	w->out->own = as->own & w->words && as->at == w->at &&
		      str_eqz(text, verdict == TL_VERDICT_ASK ? "ask"
				    : str_eqz(text, "block")  ? "block"
							      : "deny");
}

static void walk_object(struct walk *w, const struct json *obj)
{
	for (size_t i = 0; json_is(obj, J_OBJ) && i < obj->n; i++) {
		const struct json_member *m = &obj->members[i];
		bool inner = is_named(m->key, "hookSpecificOutput");
		enum tl_verdict before = w->out->verdict;
		struct walk inside = {
			w->out,
			!inner || str_eqz(m->key, "hookSpecificOutput") ? w->words : 0,
			AT_INNER,
			w->request,
		};

		for (size_t k = 0; k < ARRAY_LEN(said_words); k++) {
			struct walk here = *w;

			if (!is_named(m->key, said_words[k].member))
				continue;
			if (!str_eqz(m->key, said_words[k].member))
				here.words = 0;
			walk_value(&here, &said_words[k], &m->v);
		}
		w->out->stop |= is_named(m->key, "continue") && json_is_false(&m->v);
		if (str_eqz(m->key, "mode") && w->at == AT_INNER)
			w->out->mode =
				(int)max_size((size_t)(w->out->mode + 1),
					      (size_t)tool_mode_rank(json_str(&m->v, STR(""))) +
						      1) -
				1;
		if (inner || str_eqz(m->key, "toolConfig"))
			walk_object(&inside, &m->v);
		for (size_t k = 0; inner && json_is(&m->v, J_ARR) && k < m->v.n; k++)
			walk_object(&inside, json_at(&m->v, k));
		if (w->out->verdict > before && !inner)
			w->out->under = m->key;
	}
}

/* The first key that occurs twice in an object, of what was parsed with JSON_REPEATS. */
static struct str repeated_in(const struct json *v)
{
	enum { LOOKED_AT = 4096 };
	struct str found = { 0 };

	for (size_t i = 0; json_is(v, J_OBJ) && v->yes && i < min_size(v->n, LOOKED_AT) && !found.p;
	     i++)
		for (size_t k = 0; k < i && !found.p; k++)
			if (str_eq(v->members[i].key, v->members[k].key))
				found = v->members[i].key;
	for (size_t i = 0; (json_is(v, J_OBJ) || json_is(v, J_ARR)) && i < v->n && !found.p; i++)
		found = repeated_in(v->type == J_OBJ ? &v->members[i].v : json_at(v, i));
	return found;
}

void answer_strictest(struct arena *a, const struct hook *hook, struct str text,
		      const struct json *obj, struct strictest *ret)
{
	static const struct json_limits limits = { .max_depth = 4096 };
	struct walk w = { ret, hook->dialect->words, AT_TOP, answer_honours(hook) & PART_REQUEST };
	const struct json *raw = obj;

	*ret = (struct strictest){ .mode = -1 };
	if (json_has_repeats(obj) &&
	    json_parse_at(a, text, JSON_REPEATS, &limits, &raw, NULL, NULL) == 0)
		ret->repeated = repeated_in(raw);
	if (raw != obj && !ret->repeated.p)
		ret->repeated = STR("a member");
	walk_object(&w, json_is(raw, J_OBJ) ? raw : obj);
}

/* The end of a comment that begins here, or i. */
static size_t skip_comment(struct str s, size_t i)
{
	bool line = str_starts(str_sub(s, i, s.n), STR("//")) || (i < s.n && s.p[i] == '#');
	bool block = str_starts(str_sub(s, i, s.n), STR("/*"));
	ptrdiff_t end = line    ? str_chr(s, '\n', i)
			: block ? str_find(s, STR("*/"), i + 2)
				: (ptrdiff_t)i;

	return end < 0 ? s.n : (size_t)end + (block ? 2 : 0);
}

/* Past blanks, comments, brackets of lists, quotes of any kind (not ASCII's, too), backslashes. */
static size_t skip_marks(struct str s, size_t i)
{
	for (size_t from = s.n; i < s.n && i != from;) {
		from = i;
		i = skip_comment(s, i);
		while (i < s.n &&
		       ((s.p[i] & 0x80) || (s.p[i] && strchr(" \t\r\n\\\"'`([<", s.p[i]))))
			i++;
	}
	return i;
}

static bool word_at(struct str s, size_t i, const char *word)
{
	size_t n = strlen(word);

	return str_starts_icase(str_sub(s, i, s.n), str_from(word)) &&
	       (i + n == s.n || !char_is_word(s.p[i + n]));
}

/* Without escape sequences, and without the zeros of UTF-16 and UTF-32. */
static struct str bare_text(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\033') {
			bool csi = ++i < s.n && s.p[i] == '[';

			while (csi && ++i < s.n && (s.p[i] < '@' || s.p[i] > '~'))
				continue;
		} else if (s.p[i]) {
			buf_addc(&out, s.p[i]);
		}
	}
	return arena_str(a, buf_str(&out));
}

/*
 * What was meant as JSON, from its first bracket or quote on; else empty, as prose is a message,
 * whatever it quotes.  In front of it may be what is not seen (a mark of its encoding), a symbol,
 * or the beginning of a block of code.
 */
static struct str meant_as_json(struct str s)
{
	size_t i = 0;

	while (i < s.n) {
		ptrdiff_t eol = str_chr(s, '\n', i);

		if (str_starts(str_sub(s, i, s.n), STR("```")) && eol > 0)
			i = (size_t)eol;
		else if (s.p[i] > ' ' && s.p[i] < 127)
			break;
		i++;
	}
	return i < s.n && strchr("{[\"", s.p[i]) ? str_sub(s, i, s.n) : STR("");
}

/* Is there, behind the name of a member, what denies: `: "deny"`, `=> 'block'`, `=false`? */
static bool denies_at(struct str s, size_t at, const struct said_word *as)
{
	size_t from = at = skip_marks(s, at);

	while (at < s.n && strchr(":=>", s.p[at]))
		at = skip_marks(s, at + 1);
	if (at == from)
		return false;
	/* "Decision.DENY" is a DENY. */
	for (from = at; at < s.n && char_is_word(s.p[at]);)
		at++;
	at = at > from && at < s.n && s.p[at] == '.' ? at + 1 : from;
	if (!as)
		return word_at(s, at, "false");
	return as->is_flag ? word_at(s, at, "true")
			   : word_at(s, at, "deny") || word_at(s, at, "block");
}

/*
 * `"decision": "deny"`, however it is quoted, and whatever surrounds it.  Languages that print an
 * object in their own notation leave the quotes out: { decision: 'deny' }.
 */
void answer_strictest_text(struct arena *a, struct str text, struct strictest *ret)
{
	struct str s = meant_as_json(bare_text(a, text));
	bool quoted = s.n && s.p[0] != '{';

	*ret = (struct strictest){ .mode = -1 };
	for (size_t i = 1, n; i < s.n; i += n + 1) {
		bool begins = s.p[i - 1] == '"' || s.p[i - 1] == '\'' || !quoted;

		n = 0;
		while (i + n < s.n && (char_is_word(s.p[i + n]) || s.p[i + n] == '-'))
			n++;
		struct str name = str_sub(s, i, i + n);
		for (size_t k = 0; begins && n && k < ARRAY_LEN(said_words); k++) {
			if (!is_named(name, said_words[k].member) ||
			    !denies_at(s, i + n, &said_words[k]))
				continue;
			ret->verdict = TL_VERDICT_DENY;
			ret->member = said_words[k].member;
		}
		ret->stop |= begins && is_named(name, "continue") && denies_at(s, i + n, NULL);
	}
}
