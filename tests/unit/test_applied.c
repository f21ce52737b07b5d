/*
 * What a guard answers is applied exactly, or it is bad output and withholds what it guards (C3.9,
 * C4.6 to C4.9): good answers, each of their values dropped or replaced by an odd one, one and two
 * at a time.  What goes through is looked for in the request, the chunk or the call that is left.
 */
#include "engine_fixture.h"

#include "model/stable.h"

static const char *says; /* what the guard answers */

static int answer(struct tl_call *call, void *data)
{
	(void)data;
	call->output = says;
	call->output_length = strlen(says);
	return 0;
}

static const struct json *value(struct arena *a, const char *text)
{
	const struct json *v = NULL;
	struct err err = { 0 };

	if (json_parse(a, str_from(fx_json("%s", text)), 0, &v, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return v;
}

static const char *const odd_values[] = {
	NULL, /* it is left out */
	"null",
	"true",
	"7",
	"''",
	"'red'",
	"'system'",
	"[]",
	"{}",
	"[null]",
	"[{}]",
	"[[]]",
	"['red']",
	"[{'text':5}]",
	"[{'type':'image'}]",
	"[{'inlineData':{'data':'x'}}]",
	"[{'functionCall':{'name':'glob','args':{}}}]",
	"{'text':'red'}",
	"{'parts':['red']}",
	"{'role':'user','parts':[{'text':'red'}]}",
	"{'role':'user','content':'red','parts':['red']}",
	"[{'role':'user','content':'red'}]",
	"[{'content':{'parts':['red']}}]",
};

/* v with its node `target`, counted from *at in the order of the text, replaced, or dropped. */
static const struct json *mutated(struct arena *a, const struct json *v, size_t *at, size_t target,
				  const struct json *with)
{
	const struct json *items[16], *out = v;
	size_t n = 0;

	if ((*at)++ == target)
		return with;
	if (json_is(v, J_OBJ))
		out = json_new_obj(a);
	for (size_t i = 0; (json_is(v, J_OBJ) || json_is(v, J_ARR)) && i < v->n; i++) {
		bool named = v->type == J_OBJ;
		const struct json *item =
			mutated(a, named ? &v->members[i].v : json_at(v, i), at, target, with);

		if (item && named)
			out = json_set(a, out, v->members[i].key, item);
		else if (item && n < ARRAY_LEN(items))
			items[n++] = item;
	}
	return json_is(v, J_ARR) ? json_new_arr(a, items, n) : out;
}

static size_t nodes_of(struct arena *a, const struct json *v)
{
	size_t n = 0;

	(void)mutated(a, v, &n, SIZE_MAX, NULL);
	return n;
}

/* ---- is it there? ---- */

/* The text of strings and {text}; false when something else is among them. */
static bool text_of(struct arena *a, const struct json *v, struct str *ret)
{
	AUTO(buf_done) struct buf all = { 0 };

	*ret = json_str(v, STR(""));
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++) {
		const struct json *text = json_is(json_at(v, i), J_OBJ)
						  ? json_getz(json_at(v, i), "text")
						  : json_at(v, i);

		if (!json_is(text, J_STR))
			return false;
		buf_adds(&all, json_str(text, STR("")));
	}
	if (json_is(v, J_ARR))
		*ret = arena_str(a, buf_str(&all));
	return json_is(v, J_STR) || json_is(v, J_ARR);
}

/* Every member of said is in `is` with the same value. */
static bool all_there(const struct json *said, const struct json *is)
{
	for (size_t i = 0; json_is(said, J_OBJ) && i < said->n; i++)
		if (!json_equal(&said->members[i].v, json_get(is, said->members[i].key)))
			return false;
	return !said || json_is(said, J_OBJ);
}

static bool tools_there(const struct json *said, const struct json *is)
{
	const struct json *names = json_getz(said, "allowedFunctionNames");

	if (str_eqz(json_get_str(said, "mode"), "NONE") || !said)
		return !said || str_eqz(json_get_str(is, "mode"), "NONE");
	return json_is(said, J_OBJ) && said->n &&
	       (!names || json_equal(names, json_getz(is, "allowedFunctionNames"))) &&
	       str_eq(json_str(json_getz(said, "mode"), STR("AUTO")),
		      json_str(json_getz(is, "mode"), STR("AUTO")));
}

static bool messages_there(struct arena *a, const struct json *said, const struct json *is,
			   size_t shown)
{
	size_t at = 0;

	if (said && (!json_is(said, J_ARR) || said->n < shown))
		return false;
	for (size_t i = 0; said && i < said->n; i++) {
		const struct json *m = json_at(said, i), *role = json_getz(m, "role"), *now;
		const struct json *content = json_getz(m, "content"),
				  *parts = json_getz(m, "parts");
		struct str text;

		/* `parts` count before `content`. */
		if (!text_of(a, parts ? parts : content, &text) ||
		    m->n != 0U + !!content + !!parts + !!role ||
		    (parts && !json_is(parts, J_ARR)) || (i >= shown && !text.n))
			return false;
		if (!text.n)
			continue; /* nothing is left of it, and it is not shown */
		now = json_at(is, at++);
		if (!str_eq(text, json_get_str(now, "content")) ||
		    (role && !json_equal(role, json_getz(now, "role"))))
			return false;
	}
	return !said || at == is->n;
}

static bool request_there(struct arena *a, const struct json *said, const char *change)
{
	const struct json *contents = value(
		a, "[{'role':'user','parts':[{'text':'SECRET'}]},{'role':'model','parts':[{'text':"
		   "'SECRET'}]}]");
	struct model_request rq = { .model = "m", .contents = contents };
	const struct json *model = json_getz(said, "model"), *now, *rest = said;
	static const char *const names[] = { "model", "messages", "config", "toolConfig" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		rest = json_without(a, rest, str_from(names[i]));
	if (change)
		stable_apply_request(a, &rq, value(a, change));
	now = stable_request(a, &rq);
	return !rest->n && (!model || json_equal(model, json_getz(now, "model"))) &&
	       messages_there(a, json_getz(said, "messages"), json_getz(now, "messages"), 2) &&
	       all_there(json_getz(said, "config"), json_getz(now, "config")) &&
	       tools_there(json_getz(said, "toolConfig"), json_getz(now, "toolConfig"));
}

static bool candidate_there(struct arena *a, const struct json *said, const struct json *is)
{
	const struct json *content = json_getz(said, "content");
	const struct json *role = json_getz(content, "role");
	struct str wanted, text;

	if (!json_is(said, J_OBJ) || !said->n ||
	    !all_there(json_without(a, said, STR("content")), is))
		return false;
	if (!content)
		return true;
	return json_is(content, J_OBJ) && content->n == 1U + (role != NULL) &&
	       (!role || str_eqz(json_str(role, STR("")), "model")) &&
	       text_of(a, json_getz(content, "parts"), &wanted) &&
	       text_of(a, json_pointer(is, STR("/content/parts")), &text) && str_eq(wanted, text);
}

/* before: the chunk that there was, or NULL. */
static bool response_there(struct arena *a, const struct json *said, const char *change,
			   const struct json *before)
{
	const struct json *candidates = json_getz(said, "candidates"),
			  *text = json_getz(said, "text");
	const struct json *chunk =
		change ? stable_apply_response(a, before, value(a, change)) : NULL;
	const struct json *now = chunk ? chunk : before, *is,
			  *usage = json_getz(said, "usageMetadata");
	struct str all;

	if (!now || !said->n)
		return false;
	now = stable_response(a, now);
	is = json_getz(now, "candidates");
	if (candidates &&
	    (!json_is(candidates, J_ARR) || (candidates->n && candidates->n != is->n)))
		return false;
	for (size_t i = 0; json_is(candidates, J_ARR) && i < candidates->n; i++)
		if (!candidate_there(a, json_at(candidates, i), json_at(is, i)))
			return false;
	if (text && (!json_is(text, J_STR) ||
		     !text_of(a, json_pointer(is, STR("/0/content/parts")), &all) ||
		     !str_ends(all, json_str(text, STR("")))))
		return false;
	return all_there(usage, json_getz(now, "usageMetadata"));
}

static const char chunk_text[] =
	"{'candidates':[{'content':{'role':'model','parts':[{'text':'SECRET'},{'functionCall':"
	"{'name':'glob','args':{}}}]},'finishReason':'STOP','index':0}]}";

#define RED_RESPONSE                                                                               \
	"{'text':'red','candidates':[{'content':{'role':'model','parts':['red',{'text':'red'}]},"  \
	"'finishReason':'MAX_TOKENS','index':0}],'usageMetadata':{'totalTokenCount':1}}"

static const struct {
	const char *event, *subject, *member;
	enum tl_change change;
	const char *good;
} rows[] = {
	{ "BeforeModel", NULL, "llm_request", TL_CHANGE_LLM_REQUEST,
	  "{'model':'n','messages':[{'role':'user','content':'red'},{'role':'model','content':"
	  "['red',{'text':'red'}]},{'role':'user','content':'more'}],'config':{'temperature':0.5,"
	  "'topK':3},'toolConfig':{'mode':'ANY','allowedFunctionNames':['glob']}}" },
	{ "BeforeModel", NULL, "llm_response", TL_CHANGE_LLM_RESPONSE, RED_RESPONSE },
	{ "AfterModel", NULL, "llm_response", TL_CHANGE_LLM_RESPONSE, RED_RESPONSE },
	{ "BeforeToolSelection", NULL, "toolConfig", TL_CHANGE_TOOL_CONFIG,
	  "{'mode':'ANY','allowedFunctionNames':['glob']}" },
	{ "BeforeTool", "glob", "tool_input", TL_CHANGE_TOOL_INPUT, "{'pattern':'red'}" },
	{ "AfterTool", "glob", "tailToolCallRequest", TL_CHANGE_TAIL_CALL,
	  "{'name':'glob','args':{'pattern':'red'}}" },
};

static bool is_there(struct arena *a, size_t row, const struct json *said, const char *change)
{
	bool after = strcmp(rows[row].event, "AfterModel") == 0;

	switch ((int)rows[row].change) {
	case TL_CHANGE_LLM_REQUEST:
		return request_there(a, said, change);
	case TL_CHANGE_LLM_RESPONSE:
		return response_there(a, said, change, after ? value(a, chunk_text) : NULL);
	case TL_CHANGE_TOOL_CONFIG:
		return change && tools_there(said, value(a, change));
	case TL_CHANGE_TOOL_INPUT:
		return !said->n || (change && all_there(said, value(a, change)));
	default:
		return change && all_there(said, value(a, change));
	}
}

static struct tl_hooks *load(size_t row)
{
	struct tl_runtime_hook hook = { .size = sizeof hook,
					.event = rows[row].event,
					.name = "odd",
					.guard = true,
					.call = answer };

	return FX_LOAD(.flags = TL_LOAD_NO_FILES, .runtime = &hook, .nruntime = 1);
}

/* True when it is applied. */
static bool expect_all_or_nothing(struct tl_hooks *h, struct arena *a, size_t row,
				  const struct json *said)
{
	struct model_request rq = { .model = "m",
				    .contents = value(
					    a, "[{'role':'user','parts':[{'text':'SECRET'}]},"
					       "{'role':'model','parts':[{'text':'SECRET'}]}]") };
	struct str request = json_text(a, stable_request(a, &rq), JSON_COMPACT);
	struct str response = json_text(a, stable_response(a, value(a, chunk_text)), JSON_COMPACT);
	const struct tl_field fields[] = {
		{ "tool_input", "{\"pattern\":\"SECRET\"}", 20 },
		{ "tool_response", "{\"llmContent\":\"SECRET\"}", 23 },
		{ "llm_request", request.p, request.n },
		{ "llm_response", response.p, response.n },
	};
	struct str text = json_text(a, said, JSON_COMPACT);
	const char *change;
	struct tl_report r;

	says = arena_printf(a, "{\"hookSpecificOutput\":{\"%s\":%.*s}}", rows[row].member,
			    STR_ARG(text))
		       .p;
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = rows[row].event, .subject = rows[row].subject, .fields = fields,
			.nfields = ARRAY_LEN(fields));
	r = fx_report(o, 0);
	change = tl_outcome_change(o, rows[row].change);
	if (r.how == TL_CLASS_BAD_OUTPUT &&
	    (tl_outcome_verdict(o) == TL_VERDICT_DENY ||
	     (rows[row].change == TL_CHANGE_TOOL_CONFIG && change && strstr(change, "NONE"))))
		return false;
	if (r.how != TL_CLASS_OK || !json_is(said, J_OBJ) || !is_there(a, row, said, change))
		fail_msg("%s: %s: %s, but %s", rows[row].event, says, tl_class_name(r.how),
			 change ? change : "nothing changes");
	return true;
}

/* The good answer itself goes through, whole. */
static void c3_9_a_good_answer_is_applied(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(tl_hooks_unref) struct tl_hooks *h = load(i);
		const struct json *said = value(&a, rows[i].good);

		assert_true(expect_all_or_nothing(h, &a, i, said));
	}
}

static void c3_9_an_odd_value_is_applied_or_withholds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena all = { 0 };
		AUTO(tl_hooks_unref) struct tl_hooks *h = load(i);
		const struct json *good = value(&all, rows[i].good);
		size_t n = nodes_of(&all, good) * ARRAY_LEN(odd_values);

		/* One odd value each, and then two; of the pairs, every seventeenth. */
		for (size_t k = 0; k < n + n * n / 17; k++) {
			AUTO(arena_done) struct arena a = { 0 };
			const struct json *said = good;
			size_t which[] = { k < n ? k : (k - n) * 17 % n,
					   k < n ? n : (k - n) * 17 / n };

			for (size_t m = 0; m < ARRAY_LEN(which) && said && which[m] < n; m++) {
				const char *odd = odd_values[which[m] % ARRAY_LEN(odd_values)];
				size_t at = 0;

				said = mutated(&a, said, &at, which[m] / ARRAY_LEN(odd_values),
					       odd ? value(&a, odd) : NULL);
			}
			if (said)
				(void)expect_all_or_nothing(h, &a, i, said);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c3_9_a_good_answer_is_applied),
		ENGINE_TEST(c3_9_an_odd_value_is_applied_or_withholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
