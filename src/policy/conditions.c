/*
 * Conditions on members of the payload and on what a call does: read from a policy file, and held
 * against a call.
 */
#include "base/meant.h"
#include "base/wild.h"
#include "base/words.h"
#include "policy/reader.h"
#include "secrets/secrets.h"

enum { GROUP_DEPTH_MAX = 8 };

const char *const policy_events[POLICY_EVENTS + 1] = {
	[POLICY_BEFORE_TOOL] = "BeforeTool",
	[POLICY_AFTER_TOOL] = "AfterTool",
	"BeforeAgent",
	"AfterAgent",
	"BeforeModel",
	[POLICY_AFTER_MODEL] = "AfterModel",
	"BeforeToolSelection",
	"SessionStart",
	"SessionEnd",
	"Notification",
	"PreCompress",
	NULL,
};

/* ---- reading: words of a list as bits ---- */

typedef bool find_word(struct str word, unsigned *ret_bit);

static bool find_event(struct str word, unsigned *ret)
{
	for (unsigned i = 0; i < POLICY_EVENTS; i++)
		if (str_eqz(word, policy_events[i])) {
			*ret = 1u << i;
			return true;
		}
	return false;
}

static bool find_effect(struct str word, unsigned *ret)
{
	enum effect_kind kind;

	if (!effect_find(word, &kind))
		return false;
	*ret = 1u << kind;
	return true;
}

static bool find_class(struct str word, unsigned *ret)
{
	for (unsigned i = 0; secret_class_name(i); i++)
		if (str_eqz(word, secret_class_name(i))) {
			*ret = 1u << i;
			return true;
		}
	return false;
}

/* What the word was meant to be, of one of the three lists. */
static const char *meant(struct reader *r, struct str word, find_word *find)
{
	const char *names[EFFECT_COUNT + POLICY_EVENTS + 16];
	size_t n = 0;

	for (unsigned i = 0; find == find_event && i < POLICY_EVENTS; i++)
		names[n++] = policy_events[i];
	for (unsigned i = 0; find == find_effect && i < EFFECT_COUNT; i++)
		names[n++] = effect_name(i);
	for (unsigned i = 0; find == effect_place_find && effect_place_name(i) && i < 16; i++)
		names[n++] = effect_place_name(i);
	for (unsigned i = 0; find == find_class && secret_class_name(i); i++)
		names[n++] = secret_class_name(i);
	return arena_z(&r->policy->arena, str_from(meant_of(word, names, n).text));
}

/* What a list is of, and what is said when it is none. */
#define NAMES_OF(what) what, "expected the name of " what ", or several"

static int read_bits(struct reader *r, const struct json *v, const char *what, const char *expected,
		     find_word *find, unsigned *bits)
{
	const char *const *list;
	int k = reader_strings(r, v, expected, &list);

	for (size_t i = 0; k == 0 && list[i]; i++) {
		const struct json *item = json_is(v, J_ARR) ? json_at(v, i) : v;
		unsigned bit;

		if (!find(str_from(list[i]), &bit))
			return reader_fail(r, item->pos,
					   arena_printf(&r->policy->arena, "unknown %s \"%s\"%s",
							what + (what[1] == 'n' ? 3 : 2), list[i],
							meant(r, str_from(list[i]), find))
						   .p);
		*bits |= bit;
	}
	return k;
}

/* true, or classes of secrets. */
static int read_secrets(struct reader *r, const struct json *v)
{
	if (json_is_true(v)) {
		r->rule.secrets = ~0u;
		return 0;
	}
	return read_bits(r, v, NAMES_OF("a class of secrets"), find_class, &r->rule.secrets);
}

static struct effect_test *effect_of(struct reader *r)
{
	if (!r->rule.effect)
		r->rule.effect = ARENA_NEW(&r->policy->arena, struct effect_test);
	return (struct effect_test *)r->rule.effect;
}

static int read_event(struct reader *r, const struct json *v)
{
	return read_bits(r, v, NAMES_OF("an event"), find_event, &r->rule.events);
}

static int read_effect(struct reader *r, const struct json *v)
{
	return read_bits(r, v, NAMES_OF("an effect"), find_effect, &effect_of(r)->kinds);
}

static int read_with(struct reader *r, const struct json *v)
{
	return read_bits(r, v, NAMES_OF("an effect"), find_effect, &effect_of(r)->with);
}

static int read_place(struct reader *r, const struct json *v)
{
	return read_bits(r, v, NAMES_OF("a place"), effect_place_find, &effect_of(r)->places);
}

static int read_except(struct reader *r, const struct json *v)
{
	return read_bits(r, v, NAMES_OF("a place"), effect_place_find, &effect_of(r)->except);
}

static int read_recursive(struct reader *r, const struct json *v)
{
	bool yes = false;
	int k = reader_bool(r, v, &yes);

	effect_of(r)->recursive = yes ? FLAG_YES : FLAG_NO;
	return k;
}

static int read_forced(struct reader *r, const struct json *v)
{
	bool yes = false;
	int k = reader_bool(r, v, &yes);

	effect_of(r)->forced = yes ? FLAG_YES : FLAG_NO;
	return k;
}

static int read_remote(struct reader *r, const struct json *v)
{
	bool yes = false;
	int k = reader_bool(r, v, &yes);

	effect_of(r)->remote = yes ? FLAG_YES : FLAG_NO;
	return k;
}

static int read_maybe(struct reader *r, const struct json *v)
{
	bool yes = false;
	int k = reader_bool(r, v, &yes);

	effect_of(r)->maybe = yes ? FLAG_YES : FLAG_NO;
	return k;
}

static int read_presumed(struct reader *r, const struct json *v)
{
	bool yes = false;
	int k = reader_bool(r, v, &yes);

	effect_of(r)->presumed = yes ? FLAG_YES : FLAG_NO;
	return k;
}

/* "" is what is not known. */
static int read_target(struct reader *r, const struct json *v)
{
	static const char *const unknown[] = { "", NULL };

	if (json_is(v, J_STR) && !v->n) {
		effect_of(r)->target = unknown;
		return 0;
	}
	return reader_strings(r, v, "target must be a pattern, or an array of them",
			      &effect_of(r)->target);
}

static int read_words(struct reader *r, const struct json *v)
{
	return reader_strings(r, v, "words must be a pattern, or an array of them",
			      &effect_of(r)->words);
}

static int read_opaque(struct reader *r, const struct json *v)
{
	return reader_bool(r, v, &r->rule.opaque);
}

/* ---- reading: members ---- */

static int read_test(struct reader *r, const struct json *v, unsigned depth,
		     struct member_test *ret);

static int read_group(struct reader *r, const struct json *v, unsigned depth,
		      struct member_test *ret)
{
	size_t n = json_is(v, J_ARR) ? v->n : 1;
	struct member_test *of = ARENA_ARRAY(&r->policy->arena, struct member_test, n + 1);
	int k = 0;

	if (depth > GROUP_DEPTH_MAX)
		return reader_fail(r, v->pos, "groups are nested too deeply");
	for (size_t i = 0; k == 0 && i < n; i++)
		k = read_test(r, json_is(v, J_ARR) ? json_at(v, i) : v, depth + 1, &of[i]);
	ret->of = of;
	ret->n = n;
	return k == 0 && n == 0 ? reader_fail(r, v->pos, "an empty group means nothing") : k;
}

static int read_test_key(struct reader *r, const struct json_member *m, unsigned depth,
			 struct member_test *ret)
{
	static const char *const groups[] = {
		[TEST_ANY] = "any", [TEST_ALL] = "all", [TEST_NOT] = "not"
	};
	static const char *const keys[] = { "pointer", "equals", "in",  "regex",
					    "glob",    "any",    "all", "not" };

	for (unsigned i = TEST_ANY; i <= TEST_NOT; i++)
		if (str_eqz(m->key, groups[i])) {
			ret->kind = i;
			return read_group(r, &m->v, depth, ret);
		}
	if (str_eqz(m->key, "pointer")) {
		ret->pointer = arena_str(&r->policy->arena, json_str(&m->v, STR("")));
		return str_starts(ret->pointer, STR("/"))
			       ? 0
			       : reader_fail(
					 r, m->v.pos,
					 "a pointer must name a member: \"/tool_input/file_path\"");
	}
	if (str_eqz(m->key, "equals")) {
		ret->equals = json_dup(&r->policy->arena, &m->v);
		return 0;
	}
	if (str_eqz(m->key, "in")) {
		ret->in = json_dup(&r->policy->arena, &m->v);
		return json_is(&m->v, J_ARR) ? 0 : reader_fail(r, m->v.pos, "in must be an array");
	}
	if (str_eqz(m->key, "regex"))
		return reader_regex(r, &m->v, false, &ret->regex);
	if (str_eqz(m->key, "glob"))
		return reader_strings(r, &m->v, "glob must be a pattern, or an array of them",
				      &ret->globs);
	return reader_fail(r, m->pos,
			   arena_printf(&r->policy->arena, "a condition has no such key%s",
					meant_of(m->key, keys, ARRAY_LEN(keys)).text)
				   .p);
}

static int read_test(struct reader *r, const struct json *v, unsigned depth,
		     struct member_test *ret)
{
	bool group = false;
	int k = 0;

	if (!json_is(v, J_OBJ) || v->n == 0)
		return reader_fail(r, v->pos,
				   "a condition must be a table with a pointer, or a group");
	for (size_t i = 0; k == 0 && i < v->n; i++) {
		k = read_test_key(r, &v->members[i], depth, ret);
		group |= ret->kind != TEST_MEMBER;
	}
	if (k == 0 && group && v->n != 1)
		return reader_fail(r, v->pos, "any, all and not must be alone in their table");
	if (k == 0 && !group && !ret->pointer.n)
		return reader_fail(r, v->pos, "a condition needs a pointer");
	return k;
}

static int read_when(struct reader *r, const struct json *v)
{
	struct member_test *all = ARENA_NEW(&r->policy->arena, struct member_test);

	all->kind = TEST_ALL;
	r->rule.members = all;
	return read_group(r, v, 0, all);
}

/* ---- reading: what a rule says ---- */

static int read_text(struct reader *r, const struct json *v, const char **ret)
{
	struct str s = json_str(v, STR(""));

	if (s.n == 0)
		return reader_fail(r, v->pos, "expected a text here");
	*ret = arena_z(&r->policy->arena, s);
	return 0;
}

static int read_reason(struct reader *r, const struct json *v)
{
	return read_text(r, v, &r->rule.message);
}

static int read_instead(struct reader *r, const struct json *v)
{
	return read_text(r, v, &r->rule.instead);
}

static int read_context(struct reader *r, const struct json *v)
{
	return read_text(r, v, &r->rule.context);
}

static int read_rewrite(struct reader *r, const struct json *v)
{
	r->rule.rewrite = json_dup(&r->policy->arena, v);
	return json_is(v, J_OBJ) && v->n
		       ? 0
		       : reader_fail(r, v->pos,
				     "rewrite must be a table of arguments and their new values");
}

const struct reader_field condition_fields[] = {
	{ "context", read_context },     { "effect", read_effect },     { "event", read_event },
	{ "except", read_except },       { "forced", read_forced },     { "instead", read_instead },
	{ "maybe", read_maybe },         { "opaque", read_opaque },     { "path", read_place },
	{ "place", read_place },         { "presumed", read_presumed }, { "reason", read_reason },
	{ "recursive", read_recursive }, { "remote", read_remote },     { "rewrite", read_rewrite },
	{ "secrets", read_secrets },     { "target", read_target },     { "when", read_when },
	{ "with", read_with },           { "words", read_words },
};
const size_t condition_fields_n = ARRAY_LEN(condition_fields);

/* ---- testing ---- */

static enum fit yes(bool fits)
{
	return fits ? FIT_YES : FIT_NO;
}

static bool glob_fits(const char *const *globs, struct str text)
{
	for (; *globs; globs++)
		if (wild_fits(str_from(*globs), text))
			return true;
	return false;
}

/* Of an array each item is asked, and one is enough. */
static enum fit value_fits(const struct member_test *t, const struct json *v)
{
	enum fit worst = FIT_YES;

	if (json_is(v, J_ARR) && !json_is(t->equals, J_ARR)) {
		enum fit best = FIT_NO;

		for (size_t i = 0; i < v->n && best != FIT_YES; i++) {
			enum fit f = value_fits(t, json_at(v, i));

			best = f > best ? f : best;
		}
		return best;
	}
	if (t->equals && !json_equal(t->equals, v))
		return FIT_NO;
	if (t->in) {
		size_t i = 0;

		while (i < t->in->n && !json_equal(json_at(t->in, i), v))
			i++;
		if (i == t->in->n)
			return FIT_NO;
	}
	if ((t->globs || t->regex) && !json_is(v, J_STR))
		return FIT_NO;
	if (t->globs && !glob_fits(t->globs, json_str(v, STR(""))))
		return FIT_NO;
	if (t->regex) {
		enum regex_result got = regex_test(t->regex, json_str(v, STR("")), NULL);

		worst = got == REGEX_YES ? FIT_YES : got == REGEX_NO ? FIT_NO : FIT_MAYBE;
	}
	return worst;
}

static enum fit member_fits(const struct member_test *t, struct policy_call *call)
{
	enum fit f = t->kind == TEST_ANY ? FIT_NO : FIT_YES;

	if (t->kind == TEST_MEMBER) {
		const struct json *v = call_member(call, t->pointer);

		return v ? value_fits(t, v) : FIT_NO;
	}
	for (size_t i = 0; i < t->n; i++) {
		enum fit one = member_fits(&t->of[i], call);

		f = t->kind == TEST_ANY ? (one > f ? one : f) : (one < f ? one : f);
	}
	return t->kind != TEST_NOT ? f : f == FIT_MAYBE ? FIT_MAYBE : yes(f == FIT_NO);
}

static bool flag_fits(unsigned wanted, bool is)
{
	return wanted == FLAG_ANY || (wanted == FLAG_YES) == is;
}

/* What stays on this machine is no company. */
static bool has_kind(const struct effects *all, unsigned kinds)
{
	for (size_t i = 0; i < all->n; i++)
		if (kinds & 1u << all->p[i].kind && !(all->p[i].places & PLACE_LOCAL_HOST))
			return true;
	return false;
}

static bool effect_test_fits(const struct effect_test *t, const struct effect *e,
			     const struct effects *all)
{
	return (!t->kinds || t->kinds & 1u << e->kind) && (!t->places || t->places & e->places) &&
	       !(t->except & e->places) && flag_fits(t->recursive, e->recursive) &&
	       flag_fits(t->forced, e->forced) && flag_fits(t->remote, e->remote) &&
	       flag_fits(t->maybe, e->maybe) && flag_fits(t->presumed, e->presumed.n > 0) &&
	       (!t->target || glob_fits(t->target, e->target)) &&
	       (!t->words || glob_fits(t->words, e->words)) && (!t->with || has_kind(all, t->with));
}

/* Of all that the call does one is enough to deny; to allow all of it must fit. */
static bool effects_fit(const struct rule *r, const struct question *q)
{
	const struct effects *all = call_effects(q->call);
	size_t fit = 0;

	if (q->effect)
		return effect_test_fits(r->effect, q->effect, all);
	for (size_t i = 0; i < all->n; i++)
		fit += effect_test_fits(r->effect, &all->p[i], all);
	return r->decision == POLICY_ALLOW ? fit && fit == all->n && !all->opaque : fit > 0;
}

/* The call of a question that has none yet. */
static struct policy_call *call_of(const struct question *q)
{
	const struct policy_options *o = &q->policy->o;
	struct policy_call *call = ARENA_NEW(q->arena, struct policy_call);
	struct str *root = ARENA_NEW(q->arena, struct str);

	*root = str_from(o->cwd);
	*call = (struct policy_call){ .event = policy_events[POLICY_BEFORE_TOOL],
				      .subject = *q->tool,
				      .input = q->args,
				      .world = { .cwd = *root,
						 .home = str_from(o->home),
						 .roots = root,
						 .nroots = 1,
						 .read = call_read_file,
						 .link = call_read_link },
				      .arena = q->arena };
	return call;
}

enum fit condition_fits(const struct rule *r, struct question *q)
{
	if (!q->call)
		q->call = call_of(q);
	/* What costs most is asked last: patterns on long texts. */
	if ((r->opaque && !call_effects(q->call)->opaque) || (r->effect && !effects_fit(r, q)) ||
	    (r->secrets && !*call_secret(q->call, r->secrets)))
		return FIT_NO;
	return r->members ? member_fits(r->members, q->call) : FIT_YES;
}
