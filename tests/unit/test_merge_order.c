/*
 * Section 4 against a model: random firings of up to six runtime hooks, whose outcome must be the
 * one that a few lines of plain code compute, whatever was drawn.  (C4.1, C4.2, C4.3, C4.4, C4.5,
 * C4.9, C4.10, C4.12, C4.13, C3.6.)  TEST_SEED=n draws others.
 */
#include "engine_fixture.h"

#include <stdio.h>
#include <unistd.h>

enum { HOOKS_MAX = 6, FIRINGS = 3000, KEYS = 3 };

static uint32_t random_state;

static uint32_t draw(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % n;
}

/* One hook: what it says, drawn before the firing. */
struct actor {
	char name[8];
	bool guard, observe, stop, suppress, clear, has_message, has_reason, has_context;
	enum tl_verdict verdict;
	int sets[KEYS]; /* tool_input member k: 0 = leaves it, else the value */
	int mode; /* toolConfig: -1 none, 0 AUTO, 1 ANY, 2 NONE */
	bool names[KEYS]; /* which names it allows */
	bool ran;
	int saw[KEYS]; /* what the payload had */
	char says[1024];
};

static const char *const keys[KEYS] = { "a", "b", "c" };
static const char *const tools[KEYS] = { "glob", "read_file", "write_file" };
static const char *const modes[] = { "AUTO", "ANY", "NONE" };

static void write_answer(struct actor *t, bool selection)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };

	jw_obj(&w);
	if (t->verdict != TL_VERDICT_NONE)
		jw_kv_z(&w, "decision", tl_verdict_name(t->verdict));
	if (t->stop)
		jw_kv_bool(&w, "continue", false);
	if (t->suppress)
		jw_kv_bool(&w, "suppressOutput", true);
	if (t->clear)
		jw_kv_bool(&w, "clearContext", true);
	if (t->has_reason)
		jw_kv_z(&w, "reason", t->name);
	if (t->has_message)
		jw_kv_z(&w, "systemMessage", t->name);
	jw_key(&w, "hookSpecificOutput");
	jw_obj(&w);
	if (t->has_context)
		jw_kv_z(&w, "additionalContext", t->name);
	if (t->sets[0] || t->sets[1] || t->sets[2]) {
		jw_key(&w, "tool_input");
		jw_obj(&w);
		for (size_t k = 0; k < KEYS; k++)
			if (t->sets[k])
				jw_kv_int(&w, keys[k], t->sets[k]);
		jw_end(&w);
	}
	if (selection && t->mode >= 0) {
		jw_key(&w, "toolConfig");
		jw_obj(&w);
		jw_kv_z(&w, "mode", modes[t->mode]);
		jw_key(&w, "allowedFunctionNames");
		jw_arr(&w);
		for (size_t k = KEYS; k-- > 0;)
			if (t->names[k])
				jw_z(&w, tools[k]);
		jw_end(&w);
		jw_end(&w);
	}
	jw_end(&w);
	jw_end(&w);
	(void)snprintf(t->says, sizeof t->says, "%s", buf_z(&out));
}

static int act(struct tl_call *call, void *data)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct actor *t = data;
	const struct json *v = NULL;

	if (json_parse(&a, (struct str){ call->payload, call->length }, 0, &v, NULL) < 0)
		return 1;
	t->ran = true;
	for (size_t k = 0; k < KEYS; k++)
		t->saw[k] = (int)json_num(json_getz(json_getz(v, "tool_input"), keys[k]), 0);
	call->output = t->says;
	return 0;
}

static void draw_actor(struct actor *t, size_t i, bool selection)
{
	*t = (struct actor){ .mode = -1 };
	(void)snprintf(t->name, sizeof t->name, "h%zu", i);
	t->guard = draw(4) == 0;
	t->observe = draw(6) == 0;
	t->verdict = draw(2) ? TL_VERDICT_NONE : (enum tl_verdict)draw(4);
	t->stop = draw(8) == 0;
	t->suppress = draw(8) == 0;
	/* In a guard's answer it is bad output where it has no effect. */
	t->clear = draw(4) == 0 && !t->guard;
	t->has_reason = draw(2);
	t->has_message = draw(2);
	t->has_context = draw(2);
	/* A guard that changes the input makes the guards look again; that has its own tests. */
	for (size_t k = 0; k < KEYS && !selection && !t->guard; k++)
		t->sets[k] = draw(3) ? 0 : 2 + (int)draw(3);
	if (selection && draw(2)) {
		t->mode = (int)draw(3);
		for (size_t k = 0; k < KEYS; k++)
			t->names[k] = draw(2);
	}
	write_answer(t, selection);
}

/* ---- the model ---- */

struct model {
	enum tl_verdict verdict;
	bool stop, suppress, clear;
	struct buf reason, stop_reason, message, context, config;
	int input[KEYS];
	bool runs[HOOKS_MAX];
};

static void add_line(struct buf *b, const char *line)
{
	if (b->n)
		buf_addc(b, '\n');
	buf_addz(b, line);
}

/* Hooks that run: all that are no guards, and the guards when nothing was decided before. */
static void model_runs(struct model *m, const struct actor *actors, size_t n)
{
	bool settled = false, plain = false;

	for (size_t i = 0; i < n; i++) {
		m->runs[i] = !actors[i].guard;
		plain |= m->runs[i];
		settled |= m->runs[i] && !actors[i].observe &&
			   (actors[i].stop || actors[i].verdict == TL_VERDICT_DENY);
	}
	for (size_t i = 0; i < n; i++)
		m->runs[i] |= actors[i].guard && !(plain && settled);
}

static void model_tool(struct model *m, const struct actor *actors, size_t n)
{
	model_runs(m, actors, n);
	for (size_t k = 0; k < KEYS; k++)
		m->input[k] = 1;
	for (size_t i = 0; i < n; i++) {
		const struct actor *t = &actors[i];

		if (!m->runs[i] || t->observe)
			continue;
		m->verdict = t->verdict > m->verdict ? t->verdict : m->verdict;
		m->stop |= t->stop;
		m->suppress |= t->suppress;
		if (t->has_message)
			add_line(&m->message, t->name);
		if (t->has_context)
			add_line(&m->context, t->name);
		if (t->stop)
			add_line(&m->stop_reason, t->has_reason ? t->name : "No reason provided");
		for (size_t k = 0; k < KEYS; k++)
			if (t->sets[k])
				m->input[k] = t->sets[k]; /* one tier: the later hook wins */
	}
	for (size_t i = 0; i < n; i++) {
		const struct actor *t = &actors[i];

		if (!m->runs[i] || t->observe || m->verdict < TL_VERDICT_ASK ||
		    t->verdict != m->verdict)
			continue;
		/* A question without a reason shows the message (C3.4 is about denials). */
		add_line(&m->reason,
			 t->has_reason || (t->verdict == TL_VERDICT_ASK && t->has_message)
				 ? t->name
				 : "No reason provided");
	}
}

static bool sets_any(const struct actor *t)
{
	return t->sets[0] || t->sets[1] || t->sets[2];
}

static void model_selection(struct model *m, const struct actor *actors, size_t n)
{
	bool names[KEYS] = { false };
	int mode = -1;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		m->runs[i] = true;
		if (actors[i].observe)
			continue;
		/* A guard's answer that cannot be applied there leaves no tools (C3.9). */
		bool empty = actors[i].mode >= 0;
		for (size_t k = 0; k < KEYS; k++)
			empty &= !actors[i].names[k];
		if (actors[i].guard && (actors[i].stop || actors[i].verdict >= TL_VERDICT_ASK ||
					actors[i].has_context || sets_any(&actors[i]) || empty)) {
			mode = 2;
			continue;
		}
		if (actors[i].mode < 0)
			continue;
		mode = actors[i].mode > mode ? actors[i].mode : mode;
		for (size_t k = 0; k < KEYS; k++)
			names[k] |= actors[i].names[k];
	}
	if (mode < 0)
		return;
	buf_addf(&m->config, "{\"mode\":\"%s\",\"allowedFunctionNames\":[", modes[mode]);
	for (size_t k = 0; k < KEYS && mode != 2; k++)
		if (names[k])
			buf_addf(&m->config, "%s\"%s\"", count++ ? "," : "", tools[k]);
	buf_addz(&m->config, "]}");
}

static void model_done(struct model *m)
{
	buf_done(&m->reason);
	buf_done(&m->stop_reason);
	buf_done(&m->message);
	buf_done(&m->context);
	buf_done(&m->config);
}

/* ---- the comparison ---- */

static struct tl_hooks *load_actors(struct actor *actors, size_t n, const char *event)
{
	struct tl_runtime_hook hooks[HOOKS_MAX];

	for (size_t i = 0; i < n; i++)
		hooks[i] = (struct tl_runtime_hook){
			.size = sizeof *hooks,
			.event = event,
			.name = actors[i].name,
			.guard = actors[i].guard,
			.observe = actors[i].observe,
			.call = act,
			.data = &actors[i],
		};
	return FX_LOAD(.flags = TL_LOAD_NO_FILES, .runtime = hooks, .nruntime = n);
}

static void print_actors(uint32_t seed, const struct actor *actors, size_t n)
{
	print_error("TEST_SEED=%u\n", seed);
	for (size_t i = 0; i < n; i++)
		print_error("  %s%s%s: %s\n", actors[i].name, actors[i].guard ? " guard" : "",
			    actors[i].observe ? " observe" : "", actors[i].says);
}

static bool same_tool(const struct tl_outcome *o, struct model *m, const struct actor *actors,
		      size_t n)
{
	const char *change = tl_outcome_change(o, TL_CHANGE_TOOL_INPUT);
	const char *want =
		fx_fmt("{\"a\":%d,\"b\":%d,\"c\":%d}", m->input[0], m->input[1], m->input[2]);
	bool changed = m->input[0] != 1 || m->input[1] != 1 || m->input[2] != 1;
	bool ok = tl_outcome_verdict(o) == m->verdict && tl_outcome_stopped(o) == m->stop &&
		  tl_outcome_suppressed(o) == m->suppress && !tl_outcome_clear_context(o) &&
		  strcmp(tl_outcome_reason(o), buf_z(&m->reason)) == 0 &&
		  strcmp(tl_outcome_stop_reason(o), buf_z(&m->stop_reason)) == 0 &&
		  strcmp(tl_outcome_message(o), buf_z(&m->message)) == 0 &&
		  strcmp(tl_outcome_context(o), buf_z(&m->context)) == 0 &&
		  (changed ? change && strcmp(change, want) == 0 : !change);

	for (size_t i = 0; i < n; i++) {
		ok &= actors[i].ran == m->runs[i];
		ok &= fx_report(o, i).state == (m->runs[i] ? TL_STATE_RAN : TL_STATE_SKIPPED);
		/* C3.6: a guard sees the final input, everybody else what the host gave. */
		for (size_t k = 0; k < KEYS && m->runs[i]; k++)
			ok &= actors[i].saw[k] == (actors[i].guard ? m->input[k] : 1);
	}
	return ok;
}

static uint32_t first_seed(void)
{
	const char *seed = getenv("TEST_SEED");

	return seed ? (uint32_t)strtoul(seed, NULL, 10) : 1;
}

static void c4_before_tool_follows_the_model(void **state)
{
	static const struct tl_field input[] = { { "tool_input", "{\"a\":1,\"b\":1,\"c\":1}",
						   19 } };

	(void)state;
	for (uint32_t seed = first_seed(); seed < first_seed() + FIRINGS; seed++) {
		struct actor actors[HOOKS_MAX];
		struct model m = { 0 };
		size_t n;

		random_state = seed * 2654435761u;
		n = 1 + draw(HOOKS_MAX);
		for (size_t i = 0; i < n; i++)
			draw_actor(&actors[i], i, false);
		model_tool(&m, actors, n);
		AUTO(tl_hooks_unref) struct tl_hooks *h = load_actors(actors, n, "BeforeTool");
		AUTO(tl_outcome_free) struct tl_outcome *o = FX_FIRE(
			h, .name = "BeforeTool", .subject = "x", .fields = input, .nfields = 1);
		bool ok = same_tool(o, &m, actors, n);
		if (!ok)
			print_actors(seed, actors, n);
		model_done(&m);
		assert_true(ok);
	}
}

/* C4.9 */
static void c4_9_tool_selection_follows_the_model(void **state)
{
	(void)state;
	for (uint32_t seed = first_seed(); seed < first_seed() + FIRINGS; seed++) {
		struct actor actors[HOOKS_MAX];
		struct model m = { 0 };
		size_t n;

		random_state = seed * 2246822519u;
		n = 1 + draw(HOOKS_MAX);
		for (size_t i = 0; i < n; i++)
			draw_actor(&actors[i], i, true);
		model_selection(&m, actors, n);
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			load_actors(actors, n, "BeforeToolSelection");
		AUTO(tl_outcome_free) struct tl_outcome *o =
			FX_FIRE(h, .name = "BeforeToolSelection");
		const char *change = tl_outcome_change(o, TL_CHANGE_TOOL_CONFIG);
		bool ok = strcmp(change ? change : "", buf_z(&m.config)) == 0 &&
			  tl_outcome_verdict(o) == TL_VERDICT_NONE && !tl_outcome_stopped(o) &&
			  !*tl_outcome_message(o);
		if (!ok)
			print_actors(seed, actors, n);
		model_done(&m);
		assert_true(ok);
	}
}

/* ---- real processes: who finishes first changes nothing ---- */

/* Each hook waits for the one that is to finish before it. */
static const char *ordered_settings(const size_t order[3])
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t before[3];

	for (size_t i = 0; i < 3; i++)
		before[order[i]] = i ? order[i - 1] : 9;
	buf_addz(&out, "{'hooks':{'BeforeTool':[{'hooks':[");
	for (size_t i = 0; i < 3; i++)
		buf_addf(&out, "%s{'type':'command','command':'./hook.sh %zu %zu'}", i ? "," : "",
			 i, before[i]);
	buf_addz(&out, "]}]}}");
	return arena_z(&fx.arena, buf_str(&out));
}

/* C4.1, C4.3, C4.5: all six orders of finishing end in one and the same outcome. */
static void c4_finish_order_changes_nothing(void **state)
{
	static const size_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

	(void)state;
	(void)fx_script("project/hook.sh",
			"#!/bin/sh\n"
			"i=0\n"
			"while [ $2 != 9 ] && [ ! -e done.$2 ] && [ $i -lt 5000 ]; do\n"
			"	sleep 0.01; i=$((i+1))\n"
			"done\n"
			"printf '{\"decision\":\"deny\",\"reason\":\"r%s\",' $1\n"
			"printf '\"systemMessage\":\"m%s\",' $1\n"
			"printf '\"hookSpecificOutput\":{\"additionalContext\":\"c%s\",' $1\n"
			"printf '\"tool_input\":{\"command\":\"%s\"}}}' $1\n"
			"touch done.$1\n");
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		for (size_t k = 0; k < 3; k++)
			(void)unlink(fx_path(fx_fmt("project/done.%zu", k)));
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			fx_load_text(TL_TIER_USER, NULL, ordered_settings(orders[i]));
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");

		assert_string_equal(tl_outcome_reason(o), "r0\nr1\nr2");
		assert_string_equal(tl_outcome_message(o), "m0\nm1\nm2");
		assert_string_equal(tl_outcome_context(o), "c0\nc1\nc2");
		assert_string_equal(tl_outcome_change(o, TL_CHANGE_TOOL_INPUT),
				    "{\"command\":\"2\"}");
		assert_int_equal(tl_outcome_changed_by(o, TL_CHANGE_TOOL_INPUT), 2);
		assert_non_null(fx_outcome_diag(o, "conflict"));
	}
}

/* ---- copies ---- */

enum { COPY_ROUNDS = 150, ANSWERS = 6 };

static const char *const answers[ANSWERS] = {
	"",
	"{'decision':'deny','reason':'no'}",
	"{'decision':'ask'}",
	"{'continue':false}",
	"{'hookSpecificOutput':{'tool_input':{'a':1,'b':2}}}",
	"{'decision':'allow','hookSpecificOutput':{'tool_input':{'a':2,'c':3}}}",
};

/* One tier's hooks, each with its own way of being handled. */
static const char *random_tier(uint32_t max)
{
	static const char *const handled[] = { "",
					       ",'guard':true",
					       ",'mode':'observe'",
					       ",'onFailure':'deny'",
					       ",'guard':true,'mode':'observe'",
					       ",'timeout':50000",
					       ",'description':'x'" };
	AUTO(buf_done) struct buf out = { 0 };

	buf_addz(&out, "{'hooks':{'BeforeTool':[");
	for (uint32_t i = 0, n = draw(max + 1); i < n; i++)
		buf_addf(&out,
			 "%s{'sequential':%s,'hooks':[{'type':'command','command':'cat %u'%s}]}",
			 i ? "," : "", draw(4) ? "false" : "true", draw(ANSWERS),
			 handled[draw(ARRAY_LEN(handled))]);
	buf_addz(&out, "]}}");
	return fx_json("%s", buf_z(&out));
}

/* Those hooks of a project that are no copies would decide as they like. */
static bool only_copies(struct tl_hooks *h)
{
	for (size_t i = 0; i < tl_hooks_count(h); i++) {
		bool known = fx_hook(h, i).tier != TL_TIER_PROJECT;

		for (size_t k = 0; k < tl_hooks_count(h) && !known; k++)
			known = fx_hook(h, k).tier != TL_TIER_PROJECT &&
				strcmp(fx_hook(h, i).command, fx_hook(h, k).command) == 0;
		if (!known)
			return false;
	}
	return true;
}

/* C4.1: whatever hooks a system and a user have, a project's copies of them loosen nothing. */
static void c4_1_copies_of_a_project_loosen_nothing(void **state)
{
	unsigned used = 0;

	(void)state;
	for (size_t i = 0; i < ANSWERS; i++)
		(void)fx_write(fx_fmt("project/%zu", i), fx_json("%s", answers[i]));
	for (unsigned round = 0; round < COPY_ROUNDS; round++) {
		random_state = round + 1;
		(void)fx_write("system/settings.json", random_tier(3));
		(void)fx_write("home/.gemini/settings.json", random_tier(3));
		(void)fx_write("project/.gemini/settings.json", "{}");
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
		(void)fx_write("project/.gemini/settings.json", random_tier(4));
		AUTO(tl_hooks_unref) struct tl_hooks *more = FX_LOAD(.flags = TL_LOAD_TRUST);

		if (!only_copies(more))
			continue;
		used++;
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");
		AUTO(tl_outcome_free) struct tl_outcome *with = fx_fire_tool(more, "x");
		bool ends = tl_outcome_stopped(with) || tl_outcome_verdict(with) == TL_VERDICT_DENY;
		const char *was = tl_outcome_change(o, TL_CHANGE_TOOL_INPUT);
		const char *is = tl_outcome_change(with, TL_CHANGE_TOOL_INPUT);

		if ((tl_outcome_stopped(o) && !ends) ||
		    (tl_outcome_verdict(o) > tl_outcome_verdict(with) && !ends) ||
		    tl_outcome_approved(o) < tl_outcome_approved(with))
			fail_msg("round %u: looser", round);
		if (!ends && strcmp(was ? was : "", is ? is : "") != 0)
			fail_msg("round %u: %s became %s", round, was, is);
	}
	assert_true(used > COPY_ROUNDS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c4_before_tool_follows_the_model),
		ENGINE_TEST(c4_9_tool_selection_follows_the_model),
		ENGINE_TEST(c4_finish_order_changes_nothing),
		ENGINE_TEST(c4_1_copies_of_a_project_loosen_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
