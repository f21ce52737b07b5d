/*
 * Every member of the table of answers, with odd values, on every event of every dialect (C3.9 to
 * C3.12): next to a denial it changes nothing of the denial, wherever it is, in whatever shape the
 * whole comes; and a guard that says it wrongly, twice, or not to the end lets nothing through.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "each_event.h"
#include "hooks/answers.h"
#include "hooks/outcome.h"

static const char *const dialect_names[] = { "gemini", "jpfork", "claude", "codex" };

static const char *const values[] = {
	"true",
	"false",
	"7",
	"-1e999",
	"\"\"",
	"\"allow\"",
	"\"7\"",
	"\"\\u0000\\ud800\"",
	"\"}{\"",
	"[]",
	"[[]]",
	"[{}]",
	"[\"allow\"]",
	"{}",
	"{\"x\":1}",
	"{\"decision\":\"allow\"}",
	"{\"behavior\":\"allow\"}",
	"null",
};

/* A denial in the words of Claude, Codex and Gemini CLI alike. */
#define DENIAL "\"decision\":\"block\",\"reason\":\"because\""

static const struct tl_field fields[] = {
	{ "tool_input", "{\"command\":\"ls\",\"n\":1}", 22 },
	{ "tool_response", "{\"llmContent\":\"x\"}", 18 },
	{ "prompt", "\"hi\"", 4 },
	{ "llm_request",
	  "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"config\":{}}",
	  68 },
	{ "llm_response",
	  "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[\"secret\"]}}]}", 63 },
};

/* A hook that can be asked again and again. */
struct asked {
	struct tl_hooks *h;
	const struct hook *hook;
	struct tl_outcome *o;
	struct reply *r;
	struct firing f;
};

static struct reply *judge(struct asked *q, struct str out, int code)
{
	struct tl_event e = TL_EVENT_INIT(.name = q->hook->event->name, .subject = "startup",
					  .fields = fields, .nfields = ARRAY_LEN(fields));
	const struct ending end = { .end = PROC_EXITED, .code = code, .exited = true, .out = out };
	size_t at = 0;

	tl_outcome_free(q->o);
	q->o = NULL;
	assert_int_equal(tl_why(q->h, &e, &q->o, NULL), 0);
	while (q->o->reports[at].hook != q->hook)
		at++;
	assert_int_equal(firing_init(&q->f, q->h, &e, &q->o->arena, NULL), 0);
	q->o->reports[at].state = TL_STATE_RAN;
	q->r = &q->o->reports[at].reply;
	reply_judge(q->r, q->hook, &q->f, &end, &q->o->diags);
	return q->r;
}

static bool is_withheld(const struct asked *q)
{
	const char *config =
		q->r->change[TL_CHANGE_TOOL_CONFIG]
			? json_text(&q->o->arena, q->r->change[TL_CHANGE_TOOL_CONFIG], JSON_COMPACT)
				  .p
			: "";

	return q->r->verdict >= TL_VERDICT_ASK || q->r->stop || strstr(config, "NONE");
}

static unsigned wrong;

/* The first ones, in full. */
static void complain(const struct asked *q, struct str text, const char *what)
{
	if (wrong++ < 20)
		print_error("%s hook of %s%s: %s: %.*s is %s, %s\n", q->hook->dialect->name,
			    q->hook->as->name, q->hook->guard ? " (guard)" : "", what,
			    STR_ARG(str_sub(text, 0, 400)), tl_class_name(q->r->how),
			    tl_verdict_name(q->r->verdict));
}

/* Whatever else it says, and however it ends. */
static void expect_denial(struct asked *q, struct str text)
{
	static const int codes[] = { 0, 1, 2, 127 };

	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		(void)judge(q, text, codes[i]);
		/* What has happened already is commented on. */
		if (q->r->verdict != TL_VERDICT_DENY && !q->r->stop &&
		    !(q->hook->as->blocks == BLOCK_COMMENT && !q->hook->guard && q->r->context.n))
			complain(q, text, "a denial is lost");
	}
}

static void expect_withheld(struct asked *q, struct str text, const char *what)
{
	(void)judge(q, text, 0);
	if (!is_withheld(q))
		complain(q, text, what);
}

static struct str utf16(struct buf *out, struct str s, bool big)
{
	buf_clear(out);
	buf_add(out, big ? "\xfe\xff" : "\xff\xfe", 2);
	for (size_t i = 0; i < s.n; i++) {
		char pair[2] = { big ? '\0' : s.p[i], big ? s.p[i] : '\0' };

		buf_add(out, pair, 2);
	}
	return buf_str(out);
}

/* The member with its value, in its place. */
static const char *say(struct arena *a, const struct asked *q, const struct answer_member *m,
		       const char *value)
{
	if (!m->inner)
		return arena_printf(a, "\"%s\":%s", m->f.name, value).p;
	return arena_printf(a, "\"hookSpecificOutput\":{\"hookEventName\":\"%s\",\"%s\":%s}",
			    q->hook->as->name, m->f.name, value)
		.p;
}

static void denials_stay(struct asked *q, const char *said, bool cut)
{
	static const char *const shapes[] = {
		"{" DENIAL ",%s}",
		"{%s," DENIAL "}",
		"{%s," DENIAL ",%s}",
		"{" DENIAL "}\n{%s}",
		"{%s}{" DENIAL "}",
		"[{%s},{" DENIAL "}]",
		"\xef\xbb\xbf{" DENIAL ",%s}",
		"```json\n{%s," DENIAL "}\n```\n",
		"{\"hookSpecificOutput\":{" DENIAL "},%s}",
		"{%s,\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}",
	};
	AUTO(buf_done) struct buf out = { 0 }, wide = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct str rest = str_from(shapes[i]);

		buf_clear(&out);
		for (ptrdiff_t at; (at = str_find(rest, STR("%s"), 0)) >= 0;) {
			buf_adds(&out, str_sub(rest, 0, (size_t)at));
			buf_addz(&out, said);
			rest = str_sub(rest, (size_t)at + 2, rest.n);
		}
		buf_adds(&out, rest);
		expect_denial(q, buf_str(&out));
		if (i < 2)
			expect_denial(q, utf16(&wide, buf_str(&out), i & 1));
		for (size_t n = sizeof "{" DENIAL; !i && cut && n < out.n; n++)
			expect_denial(q, str_sub(buf_str(&out), 0, n));
	}
}

/* What is of the wrong type, or said twice, or ends too early. */
static void guards_withhold(struct asked *q, struct arena *a, const struct answer_member *m,
			    const char *value, const char *said, bool cut)
{
	const struct json *v = NULL;
	struct str all = arena_printf(a, "{%s}", said);

	assert_int_equal(json_parse(a, str_from(value), 0, &v, NULL), 0);
	if (!json_is(v, J_NULL) && field_misfit(a, &m->f, v))
		expect_withheld(q, all, "a wrong value goes through");
	expect_withheld(q, arena_printf(a, "{%s,%s}", said, said), "a repeated one goes through");
	expect_withheld(q, arena_printf(a, "{%s}{}", said), "two objects go through");
	for (size_t n = 1; cut && n < all.n; n++)
		expect_withheld(q, str_sub(all, 0, n), "a part of an answer goes through");
}

static void every_answer(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(dialect_names) * 2; i++) {
		struct tl_hooks *h = hooks_on_each_event(dialect_names[i / 2], i & 1);

		for (size_t k = 0; k < h->nhooks; k++) {
			struct asked q = { .h = h, .hook = h->hooks[k] };
			const struct answer_member *m;
			bool own = q.hook->dialect->words != WORDS_GEMINI && !q.hook->guard;
			bool denies = answer_can_deny(q.hook) &&
				      !(own && q.hook->as->blocks > BLOCK_COMMENT);
			bool withholds = q.hook->guard &&
					 (denies || q.hook->event->honours & PART_TOOL_CONFIG);

			for (size_t n = 0; (m = answer_member_at(n)); n++) {
				for (size_t v = 0; v < ARRAY_LEN(values); v++) {
					AUTO(arena_done) struct arena a = { 0 };
					const char *said = say(&a, &q, m, values[v]);
					bool cut = (n + v + k) % 16 == 0;

					if (denies)
						denials_stay(&q, said, cut);
					if (withholds)
						guards_withhold(&q, &a, m, values[v], said, cut);
				}
			}
			tl_outcome_free(q.o);
		}
		tl_hooks_unref(h);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_answer) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
