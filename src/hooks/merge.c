/*
 * From many verdicts to one (contract section 4).  Replies are merged in run order, whatever the
 * order in which the hooks finished.
 */
#include "base/json_pack.h"
#include "base/vec.h"
#include "hooks/messages.h"
#include "hooks/outcome.h"
#include "hooks/redact.h"
#include "secrets/secrets.h"

static bool counts(const struct report *r)
{
	return r->state == TL_STATE_RAN && !r->hook->observe && r->reply.how != TL_CLASS_CANCELLED;
}

static bool may_change(const struct report *r)
{
	return counts(r) && !r->copy;
}

bool report_settles(const struct report *r)
{
	return counts(r) && (r->reply.verdict == TL_VERDICT_DENY || r->reply.stop);
}

/* ---- members that two hooks may both want to set ---- */

/* Conflicts are looked for among so many members; more than a person reads about. */
enum { NOTED_MAX = 256 };

/* Who set which member of an object to what. */
struct setting {
	struct str path; /* "content", "config.temperature" */
	const struct json *value; /* NULL = removed */
	const struct report *by;
};

struct settings_made {
	struct setting *p;
	size_t n, cap;
};

struct merging {
	struct tl_outcome *o;
	struct firing *f;
	struct settings_made made;
	bool several; /* only then can two hooks want different things */
	/* Of each message that the hooks saw what became of it, and what is to come before it; at
	 * the end what comes behind all of them.  NULL until one speaks of messages. */
	struct {
		const struct json *now;
		struct json_list before;
	} * messages;
	size_t nmessages;
};

/* Notes that `by` sets path, and says so when somebody else wanted another value (C4.5). */
static void note_setting(struct merging *m, struct str path, const struct json *value,
			 const struct report *by)
{
	if (!m->several || m->made.n >= NOTED_MAX)
		return;
	for (size_t i = 0; i < m->made.n; i++) {
		struct setting *s = &m->made.p[i];

		if (!str_eq(s->path, path))
			continue;
		if (s->by != by &&
		    !(s->value == value || (s->value && value && json_equal(s->value, value))))
			diag_add(&m->o->diags, TL_SEVERITY_WARNING, "conflict", &by->hook->at,
				 "the hooks \"%s\" (%s) and \"%s\" (%s) set \"%.*s\" to different "
				 "values; that of \"%s\" counts",
				 s->by->hook->id, tl_tier_name(s->by->hook->tier), by->hook->id,
				 tl_tier_name(by->hook->tier), STR_ARG(path), by->hook->id);
		*s = (struct setting){ path, value, by };
		return;
	}
	*VEC_ADD(&m->made) = (struct setting){ path, value, by };
}

/*
 * The members of `said` that differ from what the hook saw (base), applied to into.  A member that
 * is only repeated is no change: a hook that echoes the whole object does not undo another's work.
 * Built in one pass, as a model decides how many members there are.
 */
static const struct json *apply_members(struct merging *m, const struct json *into,
					const struct json *base, const struct json *said,
					bool replaces, const char *prefix, const struct report *by)
{
	struct arena *a = m->f->arena;
	struct {
		struct json_member *p;
		size_t n, cap;
	} list = { 0 };

	for (size_t i = 0; i < into->n; i++) {
		const struct json_member *old = &into->members[i];

		if (!replaces || json_get(said, old->key) || !json_get(base, old->key))
			*VEC_ADD(&list) = *old;
		else
			note_setting(m, arena_printf(a, "%s%.*s", prefix, STR_ARG(old->key)), NULL,
				     by);
	}
	for (size_t i = 0; i < said->n; i++) {
		const struct json_member *member = &said->members[i];

		if (json_equal(json_get(base, member->key), &member->v))
			continue;
		note_setting(m, arena_printf(a, "%s%.*s", prefix, STR_ARG(member->key)), &member->v,
			     by);
		*VEC_ADD(&list) = *member;
	}
	into = json_new_members(a, list.p, list.n);
	free(list.p);
	return into;
}

/* C4.6: what is left out stays, what is new is put where the hook has it. */
static const struct json *apply_messages(struct merging *m, const struct json *base,
					 const struct json *said, const struct report *by)
{
	struct arena *a = m->f->arena;
	size_t n = json_is(base, J_ARR) ? base->n : 0, next = 0;
	const size_t *places = messages_places(a, base, said);
	struct json_list all = { 0 };

	if (!m->messages) {
		m->messages = arena_alloc(a, (n + 1) * sizeof *m->messages);
		m->nmessages = n;
		for (size_t i = 0; i <= n; i++)
			m->messages[i].now = json_at(base, i);
	}
	for (size_t i = 0; i < said->n; i++) {
		const struct json *shown, *now;

		if (places[i] == SIZE_MAX) {
			json_list_add(&m->messages[next].before, json_at(said, i));
			continue;
		}
		next = places[i] + 1;
		shown = json_at(base, places[i]);
		if (json_equal(shown, json_at(said, i)))
			continue;
		now = message_edited(a, shown, json_at(said, i), by->hook->id, NULL);
		if (now == shown)
			continue;
		note_setting(m, arena_printf(a, "messages[%zu]", places[i]), now, by);
		m->messages[places[i]].now = now;
	}
	for (size_t i = 0; i <= n; i++) {
		for (size_t k = 0; k < m->messages[i].before.n; k++)
			json_list_add(&all, m->messages[i].before.p[k]);
		if (m->messages[i].now)
			json_list_add(&all, m->messages[i].now);
	}
	return json_list_take(a, &all);
}

/* C4.9: of two restrictions of one firing, what both allow is left. */
static const struct json *stricter_tools(struct arena *a, const struct json *one,
					 const struct json *two)
{
	struct str mode_one = json_get_str(one, "mode"), mode_two = json_get_str(two, "mode");
	const struct json *names = json_getz(one, "allowedFunctionNames"), *name;
	const struct json *others = json_getz(two, "allowedFunctionNames");
	int rank = tool_mode_rank(mode_one), other_rank = tool_mode_rank(mode_two);
	struct json_list both = { 0 };

	for (size_t i = 0; names && others && (name = json_at(names, i)); i++)
		for (size_t k = 0; json_at(others, k); k++)
			if (json_equal(name, json_at(others, k))) {
				json_list_add(&both, name);
				break;
			}
	rank = names && others && !both.n ? 2 : rank > other_rank ? rank : other_rank;
	one = json_pack(a, "mode:z", rank == 2 ? "NONE" : rank ? "ANY" : "AUTO");
	if (rank < 2 && (names || others))
		one = json_set(a, one, STR("allowedFunctionNames"),
			       names && others ? json_new_arr(a, both.p, both.n)
			       : names         ? names
					       : others);
	free(both.p);
	return one;
}

static const struct json *apply_request(struct merging *m, const struct json *into,
					const struct json *base, const struct report *by)
{
	struct arena *a = m->f->arena;
	const struct json *said = by->reply.change[TL_CHANGE_LLM_REQUEST];
	const struct json *messages = json_getz(said, "messages");
	const struct json *config = json_getz(said, "config");
	const struct json *tools = json_getz(said, "toolConfig"),
			  *other = json_getz(into, "toolConfig");
	const struct json *rest =
		json_without(a, json_without(a, said, STR("messages")), STR("config"));

	/* That another hook of this firing set. */
	if (json_is(tools, J_OBJ) && json_is(other, J_OBJ) &&
	    !json_equal(other, json_getz(base, "toolConfig")) &&
	    !json_equal(tools, json_getz(base, "toolConfig"))) {
		rest = json_without(a, rest, STR("toolConfig"));
		into = json_set(a, into, STR("toolConfig"), stricter_tools(a, other, tools));
	}
	into = apply_members(m, into ? into : json_new_obj(a), base, rest, false, "", by);
	if (json_is(messages, J_ARR))
		into = json_set(a, into, STR("messages"),
				apply_messages(m, json_getz(base, "messages"), messages, by));
	if (json_is(config, J_OBJ) && config->n) {
		const struct json *old = json_getz(into, "config"), *set = config;

		/* Leaving a number out, or null, does not unset it. */
		for (size_t i = 0; i < config->n; i++)
			if (config->members[i].v.type == J_NULL)
				set = json_without(a, set, config->members[i].key);
		into = json_set(a, into, STR("config"),
				apply_members(m, old ? old : json_new_obj(a),
					      json_getz(base, "config"), set, false, "config.",
					      by));
	}
	return into;
}

/*
 * C4.8: the whole chunk; `text` alone is made a candidate, so that later hooks find it there.  The
 * calls stay in it, unless a guard wants another text.
 */
static const struct json *apply_response(struct merging *m, const struct json *into,
					 const struct json *base, const struct report *by)
{
	struct arena *a = m->f->arena;
	const struct json *said = by->reply.change[TL_CHANGE_LLM_RESPONSE],
			  *text = json_getz(said, "text"), *calls = json_getz(base, "calls"), *call;
	const struct json *candidate, *content, *first;
	struct json_list parts = { 0 };

	(void)into;
	note_setting(m, STR("llm_response"), said, by);
	if (json_getz(said, "candidates") || !json_is(text, J_STR))
		return said;
	if (json_equal(text, json_getz(base, "text")) && json_getz(base, "candidates") &&
	    !(by->hook->guard && calls))
		return json_overlay(a, base, said);
	first = json_at(json_getz(base, "candidates"), 0);
	candidate = json_is(first, J_OBJ) ? first : json_new_obj(a);
	json_list_add(&parts, text);
	for (size_t i = 0; !by->hook->guard && (call = json_at(calls, i)); i++)
		json_list_add(&parts, json_new_str(a, message_call_line(a, i + 1,
									json_get_str(call, "name"),
									json_getz(call, "args"))));
	if (parts.n > 1)
		said = json_set(a, said, STR("calls"), calls);
	content = json_pack(a, "role:z parts:j", "model", json_list_take(a, &parts));
	candidate = json_set(a, candidate, STR("content"), content);
	return json_set(a, said, STR("candidates"), json_new_arr(a, &candidate, 1));
}

static const struct json *apply_input(struct merging *m, const struct json *into,
				      const struct json *base, const struct report *by)
{
	return apply_members(m, into ? into : json_new_obj(m->f->arena), base,
			     by->reply.change[TL_CHANGE_TOOL_INPUT],
			     by->hook->dialect->rewrite_replaces, "", by);
}

/* How a change of the chained field is applied, by the event's `change`. */
static const struct json *(*const apply[])(struct merging *m, const struct json *into,
					   const struct json *base, const struct report *by) = {
	[TL_CHANGE_TOOL_INPUT] = apply_input,
	[TL_CHANGE_LLM_REQUEST] = apply_request,
	[TL_CHANGE_LLM_RESPONSE] = apply_response,
};

static bool changes_field(const struct report *r)
{
	int change = r->hook->event->change;

	return may_change(r) && (change == CHANGE_BY_CONTEXT ? r->reply.context.n > 0
							     : r->reply.change[change] != NULL);
}

static int by_authority(const void *x, const void *y)
{
	const struct report *a = *(const struct report *const *)x;
	const struct report *b = *(const struct report *const *)y;
	int d = tier_authority(a->hook->tier) - tier_authority(b->hook->tier);

	return d ? d : (a > b) - (a < b); /* reports are in run order */
}

void merge_chained(struct tl_outcome *o, struct firing *f, const size_t *which, size_t n)
{
	struct merging m = { .o = o, .f = f };
	const struct json *base, *now;
	size_t used = 0;

	if (!f->event->chained || n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		used += changes_field(&o->reports[which[i]]);
	if (used == 0)
		return;
	AUTO(free) const struct report **order = xcalloc(used, sizeof *order);
	for (size_t i = 0, k = 0; i < n; i++)
		if (changes_field(&o->reports[which[i]]))
			order[k++] = &o->reports[which[i]];
	qsort(order, used, sizeof *order, by_authority);
	m.several = used > 1;
	if (!firing_is_readable(f)) {
		o->unreadable = true; /* a change of something unknown: see merge_outcome() */
		return;
	}
	base = now = firing_current(f);
	for (size_t i = 0; i < used; i++) {
		const struct report *by = order[i];

		/* C4.12: the next hook sees what this one sends to the model with the prompt. */
		if (f->event->change == CHANGE_BY_CONTEXT)
			now = json_append(f->arena, now,
					  json_pack(f->arena, "type:z source:z text:s",
						    "hook_context", by->hook->id,
						    by->reply.context));
		else
			now = apply[f->event->change](&m, now, base, by);
	}
	if (!json_equal(base, now))
		firing_change(f, now);
	for (size_t i = 0; m.messages && i <= m.nmessages; i++)
		free(m.messages[i].before.p);
	free(m.made.p);
}

/* ---- everything else ---- */

static void join(struct buf *out, struct str s)
{
	if (!s.n)
		return;
	if (out->n)
		buf_addc(out, '\n');
	buf_adds(out, s);
}

static struct str joined(struct arena *a, struct buf *b)
{
	struct str s = arena_str(a, buf_str(b));

	buf_done(b);
	return s;
}

static void merge_verdicts(struct tl_outcome *o)
{
	struct buf reasons = { 0 }, stops = { 0 }, messages = { 0 }, contexts = { 0 };
	AUTO(buf_done) struct buf terminal = { 0 };

	for (size_t i = 0; i < o->nreports; i++) {
		const struct report *r = &o->reports[i];

		if (!counts(r))
			continue;
		if (r->reply.verdict > o->verdict &&
		    (!r->copy || r->reply.verdict >= TL_VERDICT_ASK))
			o->verdict = r->reply.verdict;
		o->stop |= r->reply.stop;
		o->clear_context |= r->reply.clear_context;
		o->suppressed |= r->reply.suppress;
		o->approved |= r->reply.approved && !r->copy;
	}
	for (size_t i = 0; i < o->nreports; i++) {
		const struct report *r = &o->reports[i];

		if (!counts(r))
			continue;
		if (o->verdict >= TL_VERDICT_ASK && r->reply.verdict == o->verdict)
			join(&reasons, r->reply.reason);
		if (r->reply.stop)
			join(&stops, r->reply.stop_reason);
		join(&messages, r->reply.message);
		if (r->reply.terminal.n)
			buf_adds(&terminal, r->reply.terminal);
		if (!r->copy)
			join(&contexts, r->reply.context);
	}
	o->reason = joined(&o->arena, &reasons);
	o->stop_reason = joined(&o->arena, &stops);
	o->message = joined(&o->arena, &messages);
	o->context = joined(&o->arena, &contexts);
	o->terminal = arena_str(&o->arena, buf_str(&terminal));
	o->approved = o->approved && o->verdict == TL_VERDICT_ALLOW;
	/* C4.10: only where something is rejected. */
	o->clear_context = o->clear_context && (o->stop || o->verdict == TL_VERDICT_DENY);
}

static void set_change(struct tl_outcome *o, enum tl_change which, struct str json, size_t by)
{
	o->change[which] = json;
	o->changed_by[which] = (int)by;
}

static int by_bytes(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* C4.9: NONE beats ANY beats AUTO; names are united and sorted; NONE empties them. */
static void merge_tool_config(struct tl_outcome *o)
{
	static const char *const modes[] = { "AUTO", "ANY", "NONE" };
	struct {
		struct str *p;
		size_t n, cap;
	} names = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };
	int mode = -1;
	size_t by = 0;

	for (size_t i = 0; i < o->nreports; i++) {
		const struct json *config = o->reports[i].reply.change[TL_CHANGE_TOOL_CONFIG];
		const struct json *list = json_getz(config, "allowedFunctionNames");

		if (!counts(&o->reports[i]) || !config)
			continue;
		int rank = tool_mode_rank(json_get_str(config, "mode"));
		by = rank >= mode ? i : by;
		mode = rank > mode ? rank : mode;
		for (size_t k = 0; json_is(list, J_ARR) && k < list->n; k++)
			if (json_is(json_at(list, k), J_STR))
				*VEC_ADD(&names) = json_str(json_at(list, k), STR(""));
	}
	if (mode < 0)
		return;
	if (names.n)
		qsort(names.p, names.n, sizeof *names.p, by_bytes);
	jw_obj(&w);
	jw_kv_z(&w, "mode", modes[mode]);
	jw_key(&w, "allowedFunctionNames");
	jw_arr(&w);
	for (size_t i = 0; mode != 2 && i < names.n; i++)
		if (i == 0 || !str_eq(names.p[i], names.p[i - 1]))
			jw_str(&w, names.p[i]);
	jw_end(&w);
	jw_end(&w);
	free(names.p);
	set_change(o, TL_CHANGE_TOOL_CONFIG, arena_str(&o->arena, buf_str(&out)), by);
}

/* A value of which only one can count: that of the highest authority, in a tier the last. */
static void merge_single(struct tl_outcome *o, enum tl_change which)
{
	const struct report *best = NULL;
	const struct json *v;

	for (size_t i = 0; i < o->nreports; i++) {
		const struct report *r = &o->reports[i];

		if (r->reply.change[which] && may_change(r) &&
		    (!best || tier_authority(r->hook->tier) >= tier_authority(best->hook->tier)))
			best = r;
	}
	if (!best)
		return;
	v = best->reply.change[which];
	/* A text is taken as it is; in JSON it would be without its end. */
	set_change(o, which,
		   json_is(v, J_STR) ? arena_str(&o->arena, json_str(v, STR("")))
				     : json_text(&o->arena, v, JSON_COMPACT),
		   (size_t)(best - o->reports));
}

/* "< / Hook_Context": would it be read as one of our tags? */
static bool is_our_tag(struct str s, size_t at)
{
	static const struct str name = { "hook_context", 12 };

	for (at++; at < s.n && strchr(" \t\r\n/", s.p[at]) && s.p[at];)
		at++;
	return str_starts_icase(str_sub(s, at, s.n), name);
}

static void add_wrapped(struct buf *out, struct str context, bool literal)
{
	for (size_t i = 0; i < context.n; i++) {
		char c = context.p[i];

		if ((c != '<' && c != '>') || (literal && (c == '>' || !is_our_tag(context, i))))
			buf_addc(out, c);
		else
			buf_addz(out, c == '<' ? "&lt;" : "&gt;");
	}
}

/*
 * C4.14: in tags of its own, and nothing in it can close them.  Where a dialect gives its context
 * to the model as it is, nothing else is changed.
 */
static struct str wrap(struct tl_outcome *o)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (!o->context.n)
		return STR("");
	buf_addz(&out, "<hook_context>");
	for (size_t i = 0, n = 0; i < o->nreports; i++) {
		const struct report *r = &o->reports[i];

		if (!counts(r) || r->copy || !r->reply.context.n)
			continue;
		if (n++)
			buf_addc(&out, '\n');
		add_wrapped(&out, r->reply.context, r->hook->dialect->literal_context);
	}
	buf_addz(&out, "</hook_context>");
	return arena_str(&o->arena, buf_str(&out));
}

struct str merge_wrapped(struct arena *a, struct str context, bool literal)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (!context.n)
		return STR("");
	buf_addz(&out, "<hook_context>");
	add_wrapped(&out, context, literal);
	buf_addz(&out, "</hook_context>");
	return arena_str(a, buf_str(&out));
}

/* What the model is told of a result: a text, or the texts of parts. */
static void add_result(struct buf *out, const struct json *v)
{
	const struct json *text = json_getz(v, "text");

	if (json_is(v, J_STR))
		buf_adds(out, json_str(v, STR("")));
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		add_result(out, json_at(v, i));
	if (json_is(text, J_STR))
		buf_adds(out, json_str(text, STR("")));
}

/* C9.8, C9.10: after all other changes, so that none of them brings a secret back. */
static void merge_redaction(struct tl_outcome *o, struct firing *f)
{
	const struct json *answer;
	size_t by = 0;

	while (by < o->nreports && !(may_change(&o->reports[by]) && o->reports[by].reply.redact))
		by++;
	if (by == o->nreports)
		return;
	if (f->event->id != EV_AFTER_MODEL) {
		AUTO(buf_done) struct buf text = { 0 }, clean = { 0 }, plain = { 0 };
		const struct secret *list;
		struct str given = firing_field(f, "tool_response");
		const struct json *v;

		if (o->change[TL_CHANGE_TOOL_RESULT].p)
			buf_adds(&text, o->change[TL_CHANGE_TOOL_RESULT]);
		else if (given.p && json_parse(&o->arena, given, 0, &v, NULL) == 0)
			add_result(&text, json_is(v, J_OBJ) ? json_getz(v, "llmContent") : v);
		/* Of a form that we do not read nothing is passed on. */
		if (!text.n && given.p && secret_in(given, 0))
			buf_addz(&clean, "[redacted: a result with a secret]");
		/* Are there more when its encoding is taken away? */
		if (secrets_plain(buf_str(&text), &plain) &&
		    secrets_find(&o->arena, buf_str(&plain), 0, &list) >
			    secrets_find(&o->arena, buf_str(&text), 0, &list))
			buf_addz(&clean, "[redacted: a result with an encoded secret]");
		if (clean.n || secrets_redact(&clean, buf_str(&text), 0))
			set_change(o, TL_CHANGE_TOOL_RESULT, arena_str(&o->arena, buf_str(&clean)),
				   by);
		return;
	}
	answer = redact_answer(f);
	if (answer)
		set_change(o, TL_CHANGE_LLM_RESPONSE, json_text(&o->arena, answer, JSON_COMPACT),
			   by);
}

void merge_outcome(struct tl_outcome *o, struct firing *f)
{
	size_t by = 0;

	merge_verdicts(o);
	merge_tool_config(o);
	for (int which = 0; which < CHANGES; which++)
		if (which != TL_CHANGE_TOOL_CONFIG &&
		    !(f->event->chained && f->event->change == which))
			merge_single(o, (enum tl_change)which);
	/* What the stages made of the chained field; an identity is no change (C4.6). */
	if (f->current && f->event->change != CHANGE_BY_CONTEXT &&
	    !json_equal(firing_original(f), f->current)) {
		for (size_t i = 0; i < o->nreports; i++)
			if (changes_field(&o->reports[i]))
				by = i;
		set_change(o, (enum tl_change)f->event->change,
			   json_text(&o->arena, f->current, JSON_COMPACT), by);
	}
	merge_redaction(o, f);
	o->wrapped = wrap(o);
	if (!o->unreadable)
		return;
	o->verdict = TL_VERDICT_DENY;
	o->reason = STR(
		"a hook changes the input, which cannot be read: no JSON, or nested too deeply");
	diag_add(&o->diags, TL_SEVERITY_WARNING, "unreadable-input", NULL, "%s", o->reason.p);
}
