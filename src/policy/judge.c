/*
 * A policy as a guard of the engine.  Rules about effects are asked about each effect of the call,
 * the others about each part of a shell command; of a part or an effect the first rule that fits,
 * by priority, decides, and the strictest answer counts.
 */
#include "policy/judge.h"

#include "base/utf8.h"
#include "base/wild.h"
#include "policy/image.h"
#include "policy/impl.h"

enum { WORDS_HEAD = 60, WORDS_MAX_CHARS = 160 };

static struct policy *policy_of(const struct policy_source *s)
{
	struct policy *p = xcalloc(1, sizeof *p);

	p->strict = true;
	p->o = (struct policy_options){
		.cwd = "/", .interactive = true, .complain = s->complain, .data = s->data
	};
	return p;
}

struct policy *policy_open(const struct policy_source *s)
{
	struct policy *p = policy_of(s);
	struct str text = s->lasting ? s->text : arena_str(&p->arena, s->text);
	struct err err = { 0 };

	/* What an extension may not permit is left out by who reads the text. */
	if (s->image.n && !tiers[s->tier].restricts) {
		policy_image_read(p, s->image, s->path, s->tier);
	} else if (policy_read_text(p, s->path, text, s->tier, &err) < 0) {
		policy_free(p);
		return policy_open_unreadable(s, err.text);
	}
	p->o.complain = NULL;
	return p;
}

struct policy *policy_open_unreadable(const struct policy_source *s, const char *why)
{
	struct policy *p = policy_of(s);

	if (s->complain)
		s->complain(s->data, why);
	policy_add(p,
		   &(struct rule){
			   .name = "",
			   .priority = tiers[s->tier].policies + 999,
			   .decision = POLICY_DENY,
			   .message = arena_printf(&p->arena,
						   "The rules of %s cannot be read, so every call "
						   "is denied: %s",
						   s->path, why)
					      .p,
			   .file = arena_z(&p->arena, str_from(s->path)),
			   .line = 1,
			   .column = 1,
			   .tier = s->tier });
	p->o.complain = NULL;
	return p;
}

unsigned policy_event_bits(const struct policy *p, bool comments)
{
	unsigned bits = 0;

	for (size_t i = 0; i < p->rules.n; i++)
		if (p->rules.p[i].comments == comments)
			bits |= p->rules.p[i].events ? p->rules.p[i].events
						     : 1U << POLICY_BEFORE_TOOL;
	return bits;
}

bool policy_looks_for_secrets(const struct policy *p, unsigned event)
{
	for (size_t i = 0; i < p->rules.n; i++)
		if ((p->rules.p[i].secrets || p->rules.p[i].redact) &&
		    p->rules.p[i].events & 1u << event)
			return true;
	return false;
}

bool policy_redacts(const struct policy *p, unsigned event)
{
	for (size_t i = 0; i < p->rules.n; i++)
		if (p->rules.p[i].redact && p->rules.p[i].events & 1u << event)
			return true;
	return false;
}

const char *policy_event_name(unsigned i)
{
	return i < POLICY_EVENTS ? policy_events[i] : NULL;
}

struct str policy_version(const struct policy *p)
{
	return p->version;
}

struct str policy_about(const struct policy *p)
{
	return p->about;
}

/* ---- what a rule says ---- */

/* "`rm -rf ~` deletes the home directory (destructive/home, packs/destructive.toml:9). Instead: …"
 */
static struct str reason_of(const struct question *q, const struct rule *r, struct str label)
{
	struct arena *a = q->arena;
	struct str seen = q->effect ? q->effect->words
			  : q->part ? q->part->source
				    : str_from(q->tool->name);
	struct str by =
		q->effect && q->effect->presumed.n
			? utf8_without_middle(a, q->effect->presumed, WORDS_HEAD, WORDS_HEAD)
			: STR("");
	AUTO(buf_done) struct buf out = { 0 };

	seen = utf8_without_middle(a, seen, WORDS_HEAD, WORDS_MAX_CHARS);
	if (r->secrets)
		buf_addf(&out, "Found a secret (%s): this ", call_secret(q->call, r->secrets));
	if (r->secrets)
		buf_addz(&out, r->message ? r->message : "is not allowed here");
	else if (r->effect && seen.n)
		buf_addf(&out, by.n ? "`%.*s`, if `%.*s` runs it, %s" : "`%.*s`%.*s %s",
			 STR_ARG(seen), STR_ARG(by),
			 r->message ? r->message : "is not allowed here");
	else
		buf_addz(&out, r->message ? r->message : "A rule does not allow this");
	while (out.n && (out.p[out.n - 1] == '.' || out.p[out.n - 1] == ' '))
		out.n--;
	buf_addf(&out, " (%.*s", STR_ARG(label));
	if (q->policy->pack.n && r->file)
		buf_addf(&out, ", %s:%u", r->file, r->line);
	buf_addz(&out, ").");
	if (r->instead)
		buf_addf(&out, " Instead: %s", r->instead);
	return arena_str(a, buf_str(&out));
}

/* What is presumed, and may be text, is asked about, unless the rule means such effects. */
static enum policy_decision decision_of(const struct question *q, const struct rule *r)
{
	return r->decision == POLICY_DENY && q->effect && q->effect->presumed.n &&
			       r->effect->presumed == FLAG_ANY
		       ? POLICY_ASK
		       : r->decision;
}

/* ---- exceptions ---- */

static bool pattern_fits(const char *pattern, struct str text)
{
	return !pattern || (text.n && wild_fits(str_from(pattern), text));
}

/* No exception covers what agents are told to do. */
static bool is_excepted(const struct question *q, const struct rule *r,
			const struct policy_exception *x)
{
	const struct effect *e = q->effect;
	struct str words = e ? e->words : q->part ? q->part->source : STR("");

	if (r->decision == POLICY_ALLOW || (e && e->places & PLACE_AGENT))
		return false;
	for (; x && x->pack; x++)
		if (str_eqz(q->policy->pack, x->pack) &&
		    (!x->rule || strcmp(x->rule, r->name) == 0) &&
		    pattern_fits(x->path, e ? e->target : STR("")) &&
		    pattern_fits(x->command, words))
			return true;
	return false;
}

/* ---- the walk ---- */

struct judging {
	struct question q;
	const struct policy_exception *exceptions;
	struct policy_verdict *v;
};

/* The first rule that fits this part or effect; what is stricter than before counts. */
static void walk(struct judging *j)
{
	const struct policy *p = j->q.policy;
	struct policy_verdict *v = j->v;

	for (size_t i = 0; i < p->rules.n; i++) {
		const struct rule *r = &p->rules.p[i];

		if ((r->effect != NULL) != (j->q.effect != NULL) ||
		    policy_unconcerned(p, r, j->q.tool) || policy_rule_fits(r, &j->q) == FIT_NO)
			continue;
		if (is_excepted(&j->q, r, j->exceptions))
			return; /* what it stops is let through, by the rules below it, too */
		if (v->decided && decision_of(&j->q, r) <= v->decision)
			return;
		v->decided = true;
		v->decision = decision_of(&j->q, r);
		v->rule = p->pack.n && *r->name
				  ? arena_printf(j->q.arena, "%.*s/%s", STR_ARG(p->pack), r->name)
				  : arena_printf(j->q.arena, "%s:%u", r->file ? r->file : "",
						 r->line);
		v->file = r->file;
		v->line = r->line;
		v->column = r->column;
		v->effect = j->q.effect;
		v->reason = r->decision == POLICY_ALLOW ? STR("") : reason_of(&j->q, r, v->rule);
		return;
	}
}

/* Each part of a command; of anything else the call as a whole. */
static void walk_parts(struct judging *j)
{
	static const struct sh_call nothing = { .unknown = true };
	AUTO(sh_calls_done) struct sh_calls split = { .arena = j->q.arena };
	const struct policy *p = j->q.policy;
	const char *arg = j->q.tool->command_arg;
	bool asked = false;

	for (size_t i = 0; arg && !asked && i < p->rules.n; i++)
		asked = p->rules.p[i].prefix || p->rules.p[i].command || p->rules.p[i].args;
	if (!asked) {
		walk(j);
		return;
	}
	policy_calls(&split, json_get_str(j->q.args, arg));
	j->q.split = &split;
	for (size_t i = 0; i == 0 || i < split.n; i++) {
		j->q.part = split.n ? &split.p[i] : &nothing;
		walk(j);
	}
	j->q.split = NULL;
	j->q.part = NULL;
}

static bool judging_init(struct judging *j, struct policy *with, const struct policy *p,
			 struct policy_call *call, struct policy_verdict *ret)
{
	*with = *p;
	*ret = (struct policy_verdict){ .reason = STR(""), .rule = STR(""), .context = STR("") };
	*j = (struct judging){ .q = { .policy = with,
				      .tool = &with->judged,
				      .args = call->input,
				      .arena = call->arena,
				      .call = call },
			       .v = ret };
	with->judged = call->subject;
	if (!with->judged.name)
		with->judged.name = "";
	with->agent = call->agent;
	if (call->mode)
		(void)mode_find(str_from(call->mode), &with->o.mode);
	while (with->event < POLICY_EVENTS && strcmp(policy_events[with->event], call->event) != 0)
		with->event++;
	return with->event < POLICY_EVENTS;
}

void policy_judge(const struct policy *p, struct policy_call *call,
		  const struct policy_exception *exceptions, struct policy_verdict *ret)
{
	const struct effects *all;
	struct policy with;
	struct judging j;
	bool asked = false;

	if (!judging_init(&j, &with, p, call, ret))
		return;
	j.exceptions = exceptions;
	walk_parts(&j);
	for (size_t i = 0; !asked && i < with.rules.n; i++)
		asked = with.rules.p[i].effect &&
			!policy_unconcerned(&with, &with.rules.p[i], &with.judged);
	if (!asked)
		return;
	all = call_effects(call);
	for (size_t i = 0; i < all->n; i++) {
		j.q.effect = &all->p[i];
		walk(&j);
	}
}

void policy_comment(const struct policy *p, struct policy_call *call, struct policy_verdict *ret)
{
	struct arena *a = call->arena;
	struct policy with;
	struct judging j;

	if (!judging_init(&j, &with, p, call, ret))
		return;
	with.comments = true;
	for (size_t i = 0; i < with.rules.n; i++) {
		const struct rule *r = &with.rules.p[i];
		const struct json *to = r->rewrite;

		if (policy_unconcerned(&with, r, j.q.tool) || policy_rule_fits(r, &j.q) != FIT_YES)
			continue;
		ret->redact |= r->redact;
		if (r->context)
			ret->context = arena_printf(a, "%.*s%s%s", STR_ARG(ret->context),
						    ret->context.n ? "\n" : "", r->context);
		for (size_t k = 0; to && k < to->n; k++)
			ret->rewrite = json_set(a, ret->rewrite ? ret->rewrite : j.q.args,
						to->members[k].key, &to->members[k].v);
	}
}
