/* Answers of chat completions as responses in Gemini's form. */
#include "base/vec.h"
#include "model/openai_impl.h"

enum { CALLS_MAX = 1024 }; /* more are left out */

struct parts {
	const struct json **p;
	size_t n, cap;
};

static const struct json *parts_array(struct arena *a, struct parts *list)
{
	const struct json *v = list->n ? json_new_arr(a, list->p, list->n) : NULL;

	free(list->p);
	return v;
}

static const char *finish_reason(struct str theirs)
{
	static const struct {
		const char *theirs, *ours;
	} reasons[] = {
		{ "stop", "STOP" },     { "tool_calls", "STOP" },   { "function_call", "STOP" },
		{ "tool_use", "STOP" }, /* of servers that speak for another API */
		{ "end_turn", "STOP" }, { "length", "MAX_TOKENS" }, { "content_filter", "SAFETY" },
	};

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (str_eqz(theirs, reasons[i].theirs))
			return reasons[i].ours;
	return "OTHER";
}

/*
 * The call that a piece belongs to.  Some servers count all calls as number 0, or not at all: a
 * piece with another id begins another call.
 */
static struct openai_call *call_of(struct openai_answer *s, const struct json *piece, size_t at)
{
	double index = json_num(json_getz(piece, "index"), (double)at);
	struct str id = json_get_str(piece, "id");

	for (size_t i = s->calls.n; i-- > 0;) {
		struct openai_call *call = &s->calls.p[i];

		if (call->index == index)
			if (!id.n || !call->id.n || str_eq(buf_str(&call->id), id))
				return call;
		if (call->index == index)
			break;
	}
	if (s->calls.n == CALLS_MAX)
		return NULL;
	*VEC_ADD(&s->calls) = (struct openai_call){ .index = index };
	return &s->calls.p[s->calls.n - 1];
}

static void take_call(struct openai_answer *s, const struct json *piece, size_t at)
{
	const struct json *function = json_getz(piece, "function");
	const struct json *args = json_getz(function, "arguments");
	struct openai_call *call = call_of(s, piece, at);

	if (!call)
		return;
	if (!call->id.n)
		buf_adds(&call->id, json_get_str(piece, "id"));
	if (!call->name.n)
		buf_adds(&call->name, json_get_str(function, "name"));
	if (json_is(args, J_STR))
		buf_adds(&call->args, json_str(args, STR("")));
	else if (json_is(args, J_OBJ)) /* not what the API says, but it happens */
		(void)json_write(&call->args, args, JSON_COMPACT);
}

static void add_text(struct arena *a, struct parts *list, struct str text, bool thought)
{
	const struct json *part;

	if (!text.n)
		return;
	part = json_set(a, NULL, STR("text"), json_new_str(a, text));
	if (thought)
		part = json_set(a, part, STR("thought"), json_new_bool(a, true));
	*VEC_ADD(list) = part;
}

const struct json *openai_take(struct openai_answer *s, struct arena *a, const struct json *event)
{
	const struct json *choice = json_at(json_getz(event, "choices"), 0), *delta, *calls;
	const struct json *reason = json_getz(choice, "finish_reason");
	const struct json *usage = json_getz(event, "usage");
	struct parts list = { 0 };
	struct str thought;

	delta = json_getz(choice, "delta");
	if (!json_is(delta, J_OBJ))
		delta = json_getz(choice, "message");
	if (json_is(usage, J_OBJ)) {
		s->has_usage = true;
		s->prompt = json_num(json_getz(usage, "prompt_tokens"), 0);
		s->completion = json_num(json_getz(usage, "completion_tokens"), 0);
		s->total = json_num(json_getz(usage, "total_tokens"), s->prompt + s->completion);
		s->reasoning = json_num(
			json_pointer(usage, STR("/completion_tokens_details/reasoning_tokens")), 0);
		s->cached = json_num(
			json_pointer(usage, STR("/prompt_tokens_details/cached_tokens")), 0);
	}
	if (json_is(reason, J_STR))
		s->finish = finish_reason(json_str(reason, STR("")));
	thought = json_str(json_getz(delta, "reasoning_content"), json_get_str(delta, "reasoning"));
	s->has_text |= json_get_str(delta, "content").n || json_get_str(delta, "refusal").n;
	add_text(a, &list, thought, true);
	add_text(a, &list, json_get_str(delta, "content"), false);
	add_text(a, &list, json_get_str(delta, "refusal"), false);
	calls = json_getz(delta, "tool_calls");
	for (size_t i = 0; json_at(calls, i); i++)
		take_call(s, json_at(calls, i), i);
	return parts_array(a, &list);
}

static const struct json *response(struct arena *a, const struct json *parts, const char *finish)
{
	const struct json *v = json_set(a, NULL, STR("role"), json_new_str(a, STR("model")));
	const struct json *candidate =
		json_set(a, NULL, STR("content"),
			 json_set(a, v, STR("parts"), parts ? parts : json_new_arr(a, NULL, 0)));

	if (finish)
		candidate = json_set(a, candidate, STR("finishReason"),
				     json_new_str(a, str_from(finish)));
	candidate = json_set(a, candidate, STR("index"), json_new_int(a, 0));
	return json_set(a, NULL, STR("candidates"), json_new_arr(a, &candidate, 1));
}

const struct json *openai_chunk(struct arena *a, const struct json *parts)
{
	return response(a, parts, NULL);
}

/* {"functionCall": {name, args, id}}; what is no object of JSON goes to invalidArguments. */
static const struct json *call_part(struct arena *a, const struct openai_call *call)
{
	struct str text = str_trim(buf_str(&call->args));
	const struct json *args = NULL, *v;
	bool valid = !text.n || json_parse(a, text, 0, &args, NULL) == 0;

	valid = valid && (!args || args->type == J_OBJ || args->type == J_NULL);
	v = json_set(a, NULL, STR("name"), json_new_copy(a, buf_str(&call->name)));
	v = json_set(a, v, STR("args"), valid && json_is(args, J_OBJ) ? args : json_new_obj(a));
	if (call->id.n)
		v = json_set(a, v, STR("id"), json_new_copy(a, buf_str(&call->id)));
	if (!valid)
		v = json_set(a, v, STR("invalidArguments"), json_new_copy(a, text));
	return json_set(a, NULL, STR("functionCall"), v);
}

const struct json *openai_last(const struct openai_answer *s, struct arena *a,
			       const struct json *parts)
{
	const struct {
		struct str key;
		double count;
		bool always;
	} rows[] = {
		{ STR("promptTokenCount"), s->prompt, true },
		/* Gemini does not count thoughts here. */
		{ STR("candidatesTokenCount"), s->completion - s->reasoning, true },
		{ STR("totalTokenCount"), s->total, true },
		{ STR("thoughtsTokenCount"), s->reasoning, false },
		{ STR("cachedContentTokenCount"), s->cached, false },
	};
	struct parts list = { 0 };
	const struct json *v, *usage = json_new_obj(a);

	for (size_t i = 0; json_at(parts, i); i++)
		*VEC_ADD(&list) = json_at(parts, i);
	for (size_t i = 0; i < s->calls.n; i++)
		*VEC_ADD(&list) = call_part(a, &s->calls.p[i]);
	v = response(a, parts_array(a, &list), s->finish);
	if (!s->has_usage)
		return v;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].always || rows[i].count > 0)
			usage = json_set(a, usage, rows[i].key, json_new_num(a, rows[i].count));
	return json_set(a, v, STR("usageMetadata"), usage);
}

bool openai_is_whole(const struct openai_answer *s)
{
	for (size_t i = 0; i < s->calls.n; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *args;

		if (json_parse(&a, buf_str(&s->calls.p[i].args), 0, &args, NULL) < 0)
			return false;
	}
	return s->calls.n || s->has_text;
}

void openai_answer_done(struct openai_answer *s)
{
	for (size_t i = 0; i < s->calls.n; i++) {
		buf_done(&s->calls.p[i].id);
		buf_done(&s->calls.p[i].name);
		buf_done(&s->calls.p[i].args);
	}
	free(s->calls.p);
	*s = (struct openai_answer){ 0 };
}
