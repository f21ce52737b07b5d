/*
 * Answers that cannot be applied, and answers that say two things (C3.9, C3.10, C3.11): every odd
 * value that is listed here, in every place of every event, of a guard and of another hook.  A
 * guard's lets nothing through; of another one it is said what is wrong.
 */
#include "engine_fixture.h"

#include <stdio.h>

#include "hooks/result.h"

static const char *says; /* what the hook answers */

static int answer(struct tl_call *call, void *data)
{
	(void)data;
	call->output = says;
	call->output_length = strlen(says);
	return 0;
}

static const struct tl_field fields[] = {
	{ "tool_input", "{\"command\":\"ls\"}", 16 },
	{ "tool_response", "{\"llmContent\":\"x\"}", 18 },
	{ "prompt", "\"hi\"", 4 },
	{ "llm_request",
	  "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"config\":{}}",
	  68 },
	{ "llm_response",
	  "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[\"secret\"]}}]}", 63 },
};

static const struct moment {
	const char *event, *subject;
} moments[] = {
	{ "BeforeTool", "write_file" },  { "AfterTool", "write_file" }, { "BeforeAgent", NULL },
	{ "AfterAgent", NULL },          { "BeforeModel", NULL },       { "AfterModel", NULL },
	{ "BeforeToolSelection", NULL },
};

static enum tl_verdict verdict_of(struct tl_hooks *h)
{
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");

	return tl_outcome_verdict(o);
}

static struct tl_hooks *load(const char *event, bool guard)
{
	struct tl_runtime_hook hook = {
		.size = sizeof hook, .event = event, .name = "odd", .guard = guard, .call = answer
	};

	return FX_LOAD(.flags = TL_LOAD_NO_FILES, .runtime = &hook, .nruntime = 1);
}

static struct tl_outcome *fire(struct tl_hooks *h, const struct moment *m)
{
	return FX_FIRE(h, .name = m->event, .subject = m->subject, .fields = fields,
		       .nfields = ARRAY_LEN(fields));
}

static bool is_withheld(const struct tl_outcome *o, const struct moment *m)
{
	const char *config = tl_outcome_change(o, TL_CHANGE_TOOL_CONFIG);

	if (strcmp(m->event, "BeforeToolSelection") == 0)
		return config && strstr(config, "NONE");
	return tl_outcome_verdict(o) == TL_VERDICT_DENY || tl_outcome_stopped(o);
}

/* What no event's answer can be made of, wherever it is. */
static void expect_withheld(const char *text, const struct moment *m)
{
	says = fx_json("%s", text);
	AUTO(tl_hooks_unref) struct tl_hooks *guard = load(m->event, true);
	AUTO(tl_hooks_unref) struct tl_hooks *other = load(m->event, false);
	AUTO(tl_outcome_free) struct tl_outcome *g = fire(guard, m);
	AUTO(tl_outcome_free) struct tl_outcome *o = fire(other, m);

	if (!is_withheld(g, m))
		fail_msg("%s of a guard: %s lets it through", m->event, says);
	if (fx_report(g, 0).how != TL_CLASS_BAD_OUTPUT)
		fail_msg("%s of a guard: %s is %s", m->event, says,
			 tl_class_name(fx_report(g, 0).how));
	if (tl_outcome_diagnostic_count(o) == 0)
		fail_msg("%s: nothing is said about %s", m->event, says);
}

static const char *const values[] = {
	"null", "true",  "7",  "'7'",     "''",        "'DENY'",    "[]",     "[[]]",
	"[{}]", "['x']", "{}", "{'x':1}", "'\\u0000'", "'\\ud800'", "-1e999",
};

/* Members of no answer of this event, or of the wrong type there; an S is the odd value. */
static void c3_9_what_cannot_be_applied_withholds(void **state)
{
	static const char *const everywhere[] = {
		"{'hookSpecificOutput':'x'}",
		"{'hookSpecificOutput':[]}",
		"{'decision':7}",
		"{'decision':'maybe'}",
		"{'decision':'ALLOW'}",
		"{'permissionDecision':'allow'}",
		"{'hookSpecificOutput':{'permissionDecision':'allow'}}",
		"{'hookSpecificOutput':{'updatedInput':{}}}",
		"{'hookSpecificOutput':{'functionCallingConfig':{'mode':'NONE'}}}",
		"{'hookSpecificOutput':{'toolConfig':{'functionCallingConfig':{'mode':'NONE'}}}}",
		"{'hookSpecificOutput':{'hookEventName':'Elsewhere'}}",
		"{'additionalContext':'x'}",
		"{'tool_input':{}}",
		"{'llm_request':{}}",
		"{'llm_response':{'text':'x'}}",
		"{'toolConfig':{'mode':'NONE'}}",
		"{'contents':[]}",
		"{'continue':'false'}",
		"{'continue':0}",
		"{'systemMessage':['x']}",
		"{'hookSpecificOutput':{'llm_request':{'messages':[{'role':'user'}]}}}",
		"{'hookSpecificOutput':{'llm_request':{'messages':{}}}}",
		"{'hookSpecificOutput':{'llm_request':{'messages':['x']}}}",
		"{'hookSpecificOutput':{'llm_request':{'contents':[]}}}",
		"{'hookSpecificOutput':{'llm_request':{'model':''}}}",
		"{'hookSpecificOutput':{'llm_request':{'config':{'temperature':'1'}}}}",
		"{'hookSpecificOutput':{'llm_request':[]}}",
		"{'hookSpecificOutput':{'llm_response':'x'}}",
		"{'hookSpecificOutput':{'llm_response':{}}}",
		"{'hookSpecificOutput':{'llm_response':{'text':7}}}",
		"{'hookSpecificOutput':{'llm_response':{'text':['x']}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':'x'}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':{}}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':[7]}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':[{}]}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':[{'content':{}}]}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':[{'content':'x'}]}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':[{'content':{'parts':'x'}}]}}}",
		"{'hookSpecificOutput':{'llm_response':{'parts':['x']}}}",
		"{'hookSpecificOutput':{'llm_response':{'text':null}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':null}}}",
		"{'hookSpecificOutput':{'llm_response':{'candidates':[{'content':{'parts':[{'text':5}]}}]}}}",
		"{'hookSpecificOutput':{'llm_request':{'toolConfig':{'mode':'WHAT'}}}}",
		"{'hookSpecificOutput':{'tailToolCallRequest':{'args':{}}}}",
		"{'hookSpecificOutput':{'tailToolCallRequest':{'name':'','args':{}}}}",
		"{'hookSpecificOutput':{'toolConfig':{}}}",
		"{'hookSpecificOutput':{'toolConfig':{'mode':'none'}}}",
		"{'hookSpecificOutput':{'toolConfig':{'allowedFunctionNames':'glob'}}}",
		"{'hookSpecificOutput':{'toolConfig':{'allowedFunctionNames':[7]}}}",
		"{'systemMessage':'a','systemMessage':'b'}",
		"{'hookSpecificOutput':{},'hookSpecificOutput':{}}",
		"[]",
		"7",
		"{'decision':'allow'} {'decision':'allow'}",
		"{'decision':'allow'} and so on",
		"so: {'decision':'allow'}",
		"{'decision':'allow'",
		"{\\'decision\\':\\'allow\\'}",
	};
	static const char *const members[] = { "tool_input",          "llm_request",
					       "llm_response",        "toolConfig",
					       "tailToolCallRequest", "hookSpecificOutput" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(moments); i++) {
		for (size_t k = 0; k < ARRAY_LEN(everywhere); k++)
			expect_withheld(everywhere[k], &moments[i]);
		/* An object in the right place of the right event is none of these. */
		for (size_t k = 0; k < ARRAY_LEN(members); k++)
			for (size_t v = 1; v < ARRAY_LEN(values); v++)
				if (values[v][0] != '{')
					expect_withheld(fx_fmt("{'hookSpecificOutput':{'%s':%s}}",
							       members[k], values[v]),
							&moments[i]);
	}
}

/* C3.9: deeper than hosts read: said, and withheld; a denial in it still is one. */
static void c3_9_what_is_nested_too_deeply_withholds(void **state)
{
	static const unsigned depths[] = { 513, 520, 4000, 5000, 200000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(moments); i++)
		for (size_t d = 0; d < ARRAY_LEN(depths); d++)
			for (int denies = 0; denies < 2; denies++) {
				AUTO(buf_done) struct buf out = { 0 };

				buf_addf(&out, "{%s'hookSpecificOutput':{'tool_input':{'x':",
					 denies ? "'decision':'deny'," : "");
				for (unsigned k = 0; k < depths[d]; k++)
					buf_addc(&out, '[');
				for (unsigned k = 0; k < depths[d]; k++)
					buf_addc(&out, ']');
				buf_addz(&out, "}}}");
				expect_withheld(buf_z(&out), &moments[i]);
				AUTO(tl_hooks_unref) struct tl_hooks *h =
					load(moments[i].event, false);
				AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, &moments[i]);
				bool can = strcmp(moments[i].event, "BeforeToolSelection") != 0;
				assert_int_equal(tl_outcome_verdict(o),
						 can && denies ? TL_VERDICT_DENY : TL_VERDICT_NONE);
			}
}

/* A denial as languages print it, in other encodings, and in names that are nearly right. */
static const char *const denials[] = {
	"{\"Decision\":\"deny\"}",
	"{\"DECISION\":\"DENY\"}",
	"{\"permission_decision\":\"deny\"}",
	"{\"hookSpecificOutput\":{\"PermissionDecision\":\"deny\"}}",
	"{\"hook_specific_output\":{\"permission_decision\":\"deny\"}}",
	"{ decision: 'deny', reason: 'no' }",
	"{\n  hookSpecificOutput: { permissionDecision: 'deny' }\n}",
	"{'decision': 'deny'}",
	"{decision: deny}",
	"{decision=deny, reason=no}",
	"{\"decision\"=>\"deny\"}",
	"{:decision=>:deny}",
	"{\"cancel\": True}",
	"{decision:\"deny\",}",
	"{\"decision\": /* really */ \"deny\"}",
	"{\"decision\": // really\n \"deny\"}",
	"{decision: # really\n deny}",
	"{\"decision\": [\"deny\"],}",
	"{'decision': <Decision.DENY: 'deny'>}",
	"{ decision: Decision.Deny }",
	"{\xe2\x80\x9c"
	"decision\xe2\x80\x9d: \xe2\x80\x9c"
	"deny\xe2\x80\x9d}",
	"{ decision: `deny` }",
	"\033[1m{\033[0m \"decision\": \033[32m\"deny\"\033[39m",
	"```json\n{\"decision\":\"deny\"}\n```",
	"\xe2\x80\x8b{\"decision\":\"deny\"}",
	"\xff{\"decision\":\"deny\"}",
};

/* C3.11: each of them denies, and none does as prose. */
static void c3_11_denials_in_other_notations(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(denials); i++)
		for (int guard = 0; guard < 2; guard++) {
			AUTO(tl_hooks_unref) struct tl_hooks *h = load("BeforeTool", guard);
			const char *text = says = denials[i];

			if (verdict_of(h) != TL_VERDICT_DENY)
				fail_msg("%s", text);
			says = fx_fmt("It printed %s", text);
			if (verdict_of(h) != (guard ? TL_VERDICT_DENY : TL_VERDICT_ALLOW))
				fail_msg("%s", says);
		}
}

/* C3.9: a guard that asks and changes something asks about the change, or denies. */
static void c3_9_a_question_about_less(void **state)
{
	static const struct {
		const char *text;
		enum tl_verdict verdict;
	} cases[] = {
		{ "{'decision':'ask'}", TL_VERDICT_ASK },
		{ "{'decision':'ask','hookSpecificOutput':{'tool_input':{'command':'x'}}}",
		  TL_VERDICT_ASK },
		{ "{'decision':'ask','hookSpecificOutput':{'tool_input':7}}", TL_VERDICT_DENY },
		{ "{'decision':'ask','hookSpecificOutput':{'tool_input':null}}", TL_VERDICT_DENY },
		{ "{'decision':'ask','hookSpecificOutput':{'toolInput':{}}}", TL_VERDICT_DENY },
		{ "{'decision':'ask','hookSpecificOutput':{'updatedInput':{}}}", TL_VERDICT_DENY },
		{ "{'tool_input':null}", TL_VERDICT_DENY },
		{ "{'hookSpecificOutput':{'toolInput':null}}", TL_VERDICT_DENY },
		{ "{'reason':null,'decision':null,'other':null}", TL_VERDICT_NONE },
	};
	AUTO(tl_hooks_unref) struct tl_hooks *h = load("BeforeTool", true);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		says = fx_json("%s", cases[i].text);
		if (verdict_of(h) != cases[i].verdict)
			fail_msg("%s", says);
	}
}

/* C3.10, C3.11: the strictest of all that is said, in whosever words, in whatever order. */
static void c3_10_the_strictest_value_counts(void **state)
{
	static const struct {
		const char *text;
		bool denies, stops;
	} said[] = {
		{ "'decision':'allow'", false, false },
		{ "'decision':'deny'", true, false },
		{ "'decision':'Block'", true, false },
		{ "'permissionDecision':'deny'", true, false },
		{ "'permission':'DENY'", true, false },
		{ "'behavior':'deny'", true, false },
		{ "'cancel':true", true, false },
		{ "'cancel':false", false, false },
		{ "'continue':true", false, false },
		{ "'continue':false", false, true },
		{ "'decision':{'behavior':'deny'}", true, false },
		{ "'hookSpecificOutput':{'permissionDecision':'deny'}", true, false },
		{ "'hookSpecificOutput':{'decision':{'behavior':'deny'}}", true, false },
		{ "'hookSpecificOutput':{'permissionDecision':'allow'}", false, false },
		{ "'hookSpecificOutput':{}", false, false },
		{ "'reason':'\\'decision\\':\\'deny\\''", false, false },
	};
	static const struct {
		const char *before, *between, *after;
	} shapes[] = {
		{ "", ",", "" }, { "", "} {", "" }, { "text ", ",", "" }, { "[", ",", "]" }
	};
	const struct moment *m = &moments[0];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(said); i++)
		for (size_t k = 0; k < ARRAY_LEN(said); k++)
			for (size_t s = 0; s < ARRAY_LEN(shapes); s++) {
				size_t j = (i * 7 + k * 3 + s) % ARRAY_LEN(said);
				bool denies = said[i].denies || said[k].denies || said[j].denies;
				bool stops = said[i].stops || said[k].stops || said[j].stops;
				AUTO(buf_done) struct buf out = { 0 };

				/* Prose before it makes it a message, but for a guard. */
				bool prose = shapes[s].before[0] == 't';

				if (s > 0 && (i == 15 || k == 15 || j == 15))
					continue; /* quoted words in a text may deny */
				buf_addz(&out, shapes[s].before);
				buf_addf(&out, "{%s,%s%s%s}", said[i].text, said[k].text,
					 shapes[s].between, said[j].text);
				buf_addz(&out, shapes[s].after);
				says = fx_json("%s", buf_z(&out));
				AUTO(tl_hooks_unref) struct tl_hooks *h = load(m->event, false);
				AUTO(tl_outcome_free) struct tl_outcome *o = fire(h, m);
				AUTO(tl_hooks_unref) struct tl_hooks *g = load(m->event, true);
				AUTO(tl_outcome_free) struct tl_outcome *og = fire(g, m);

				if ((tl_outcome_verdict(o) == TL_VERDICT_DENY) !=
					    (denies && !prose) ||
				    (bool)tl_outcome_stopped(o) != (stops && !prose))
					fail_msg("%s: %s, %s", says,
						 tl_verdict_name(tl_outcome_verdict(o)),
						 tl_outcome_stopped(o) ? "stops" : "goes on");
				if ((denies || stops) && !is_withheld(og, m))
					fail_msg("%s of a guard goes through", says);
			}
}

/* ---- the result channel and stdout ---- */

static const struct {
	const char *text;
	bool denies; /* in somebody's words */
} outputs[] = {
	{ "", false },
	{ "checking", false },
	{ "{}", false },
	{ "{\"decision\":\"allow\"}", false },
	{ "{\"systemMessage\":\"hi\"}", false },
	{ "{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}", false },
	{ "[1]", false },
	{ "{\"decision\":\"deny\",\"reason\":\"x\"}", true },
	{ "{\"decision\":\"BLOCK\"}", true },
	{ "{\"decision\":\"ask\"}", true },
	{ "{\"continue\":false}", true },
	{ "{\"continue\":false,\"decision\":\"deny\"}", true },
	{ "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}", true },
	{ "{\"permission\":\"deny\"}", true },
	{ "{\"decision\":\"allow\",\"decision\":\"deny\"}", true },
	{ "{\"decision\":\"deny\"} {", true },
};

static struct reply judged_with(struct tl_hooks *h, const struct moment *m, int status,
				const char *result, const char *out, struct diags *diags)
{
	struct tl_event ev = TL_EVENT_INIT(.name = m->event, .subject = m->subject,
					   .fields = fields, .nfields = ARRAY_LEN(fields));
	struct ending end = { .end = PROC_EXITED,
			      .code = status,
			      .exited = true,
			      .out = str_from(out),
			      .err = STR(""),
			      .result = str_from(result) };
	struct firing f;
	struct reply r;

	assert_int_equal(firing_init(&f, h, &ev, diags->arena, NULL), 0);
	reply_judge(&r, h->hooks[0], &f, &end, diags);
	return r;
}

static struct reply judged(struct tl_hooks *h, const struct moment *m, int status,
			   const char *result, const char *out, struct arena *a)
{
	struct diags diags = { .arena = a };
	struct reply r = judged_with(h, m, status, result, out, &diags);

	diags_done(&diags);
	return r;
}

/* C3.8, C3.11: whatever the channel says, a denial on stdout counts, and nothing else there. */
static void c3_8_a_denial_on_either_counts(void **state)
{
	static const char *const dialects_tried[] = { "gemini", "jpfork", "claude" };
	static const char *const names[][2] = { { "BeforeTool", "PreToolUse" },
						{ "BeforeAgent", "UserPromptSubmit" },
						{ "AfterAgent", "Stop" },
						{ "BeforeModel", NULL },
						{ "AfterModel", NULL } };
	const size_t n = ARRAY_LEN(outputs);

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(names) * ARRAY_LEN(dialects_tried) * 3 * 2; k++) {
		size_t d = k / 6 % ARRAY_LEN(dialects_tried);
		const char *const *name = names[k / 6 / ARRAY_LEN(dialects_tried)];
		struct moment m = { name[0], strcmp(name[0], "BeforeTool") ? NULL : "write_file" };
		int status = (int)(k % 3);

		if (d > 0 && (!name[1] || (d == 1 && strcmp(name[1], "PreToolUse") != 0)))
			continue;
		struct tl_hooks *h = fx_load_text(
			TL_TIER_USER, dialects_tried[d],
			fx_fmt("{'hooks':{'%s':[{'hooks':[{'type':'command','command':'x',"
			       "'guard':%s}]}]}}",
			       name[d > 0], k % 6 < 3 ? "true" : "false"));
		for (size_t i = 0; i < n * n; i++) {
			AUTO(arena_done) struct arena a = { 0 };
			const char *result = outputs[i / n].text, *out = outputs[i % n].text;
			struct reply both = judged(h, &m, status, result, out, &a);
			struct reply first = judged(h, &m, status, result, "", &a);
			struct reply second = judged(h, &m, status, "", out, &a);
			bool counts = outputs[i % n].denies && *result;
			enum tl_verdict least = *result ? first.verdict : second.verdict;

			if (counts && second.verdict > least)
				least = second.verdict;
			if (both.verdict != least ||
			    both.stop != ((*result ? first.stop : second.stop) ||
					  (counts && second.stop)))
				fail_msg("%s, %s, exit %d: %s on the channel, %s on stdout: %s%s",
					 dialects_tried[d], name[0], status, result, out,
					 tl_verdict_name(both.verdict), both.stop ? ", stop" : "");
		}
		tl_hooks_unref(h);
	}
}

/* C3.9, C3.11: a denial that is written oddly is one that counts, and one thing that is said. */
static void c3_11_one_warning_for_an_odd_denial(void **state)
{
	static const char *const hooks[] = {
		"{'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':'x'}]}]}}",
		"{'hooks':{'PreToolUse':[{'hooks':[{'type':'command','command':'x'}]}]}}",
	};
	static const char *const dialects_tried[] = { "gemini", "claude" };
	static const char *const members[] = { "decision", "Decision", "permissionDecision",
					       "permission" };
	static const char *const odd[] = { "'DENY'", "['deny']", "[['block']]",
					   "{'behavior':'deny'}", "[{'decision':'deny'}]" };
	const size_t nodd = ARRAY_LEN(odd), nmembers = ARRAY_LEN(members);

	(void)state;
	for (size_t d = 0; d < ARRAY_LEN(dialects_tried); d++) {
		struct tl_hooks *h = fx_load_text(TL_TIER_USER, dialects_tried[d], hooks[d > 0]);

		for (size_t i = 0; i < nodd * nmembers * 2; i++) {
			AUTO(arena_done) struct arena a = { 0 };
			struct diags diags = { .arena = &a };
			const char *text =
				fx_json(i % 2 ? "{'hookSpecificOutput':{'%s':%s}}" : "{'%s':%s}",
					members[i / 2 % nmembers], odd[i / 2 / nmembers]);
			struct reply r = judged_with(h, &moments[0], 0, "", text, &diags);

			if (r.verdict != TL_VERDICT_DENY || diags.n != 1)
				fail_msg("%s: %s: %s with %zu diagnostics", dialects_tried[d], text,
					 tl_verdict_name(r.verdict), diags.n);
			diags_done(&diags);
		}
		tl_hooks_unref(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c3_9_what_cannot_be_applied_withholds),
		ENGINE_TEST(c3_9_what_is_nested_too_deeply_withholds),
		ENGINE_TEST(c3_11_denials_in_other_notations),
		ENGINE_TEST(c3_9_a_question_about_less),
		ENGINE_TEST(c3_10_the_strictest_value_counts),
		ENGINE_TEST(c3_8_a_denial_on_either_counts),
		ENGINE_TEST(c3_11_one_warning_for_an_odd_denial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
