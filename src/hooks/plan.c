#include "hooks/plan.h"

#include "hooks/claude.h"
#include "hooks/outcome.h"

enum { CACHE_BUCKETS = 1024, CACHE_MAX = 4096, KEY_MAX = 1024, DEDUPE_SCAN_MAX = 16 };

struct plan_cache {
	pthread_mutex_t lock;
	size_t n;
	struct plan *buckets[CACHE_BUCKETS];
};

struct plan_cache *plan_cache_new(void)
{
	struct plan_cache *c = xcalloc(1, sizeof *c);

	if (pthread_mutex_init(&c->lock, NULL))
		BUG();
	return c;
}

static void plan_free(struct plan *p)
{
	outcome_destroy(p->nothing);
	diags_done(&p->diags);
	arena_done(&p->arena);
	free(p);
}

void plan_cache_free(struct plan_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < CACHE_BUCKETS; i++)
		for (struct plan *p = c->buckets[i], *next; p; p = next) {
			next = p->next;
			plan_free(p);
		}
	(void)pthread_mutex_destroy(&c->lock);
	free(c);
}

void plan_release(const struct plan *p)
{
	if (p && !p->cached)
		plan_free((struct plan *)p);
}

/* ---- duplicates (C4.1) ---- */

static bool same_args(const struct hook *a, const struct hook *b)
{
	size_t i = 0;

	if (!a->args || !b->args)
		return a->args == b->args;
	for (; a->args[i] && b->args[i]; i++)
		if (strcmp(a->args[i], b->args[i]) != 0)
			return false;
	return a->args[i] == b->args[i];
}

static bool same_hook(const struct hook *a, const struct hook *b)
{
	return a->dialect == b->dialect && a->as == b->as && !a->runtime && !b->runtime &&
	       strcmp(a->command, b->command) == 0 && strcmp(a->name, b->name) == 0 &&
	       same_args(a, b);
}

static bool same_handling(const struct hook *a, const struct hook *b)
{
	if (a->nenv != b->nenv || a->timeout_ms != b->timeout_ms || a->guard != b->guard ||
	    a->observe != b->observe || a->on_failure != b->on_failure ||
	    a->sequential != b->sequential)
		return false;
	for (size_t i = 0; i < a->nenv; i++)
		if (strcmp(a->env[i].name, b->env[i].name) != 0 ||
		    strcmp(a->env[i].value, b->env[i].value) != 0)
			return false;
	return true;
}

static uint64_t hash_bytes(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

static void mark_duplicate(struct plan *p, struct plan_entry *drop, const struct plan_entry *keep)
{
	drop->state = TL_STATE_DUPLICATE;
	drop->why = arena_printf(&p->arena, "the same hook as %s:%u", keep->hook->at.file,
				 keep->hook->at.line).p;
	p->nrun--;
}

/*
 * The first of two equal hooks stays.  But a copy of lower authority that is handled differently
 * (shorter timeout, only observing...) must not take the place of, say, the system's guard: then
 * the other one stays.
 */
static struct plan_entry *resolve(struct plan *p, struct plan_entry *first,
				  struct plan_entry *later)
{
	if (tier_authority(later->hook->tier) > tier_authority(first->hook->tier) &&
	    !same_handling(first->hook, later->hook)) {
		mark_duplicate(p, first, later);
		return later;
	}
	mark_duplicate(p, later, first);
	return first;
}

static void drop_duplicates(struct plan *p)
{
	size_t cap = 16;

	while (cap < p->nrun * 2)
		cap *= 2;
	AUTO(free) struct plan_entry **table = xcalloc(cap, sizeof *table);
	for (size_t i = 0; i < p->n; i++) {
		struct plan_entry *e = &p->entries[i];
		uint64_t at;

		if (e->state != TL_STATE_WOULD_RUN || e->hook->dialect->keeps_duplicates)
			continue;
		at = hash_bytes(hash_bytes(0xcbf29ce484222325u, str_from(e->hook->command)),
				str_from(e->hook->name));
		for (at &= cap - 1; table[at]; at = (at + 1) & (cap - 1))
			if (same_hook(table[at]->hook, e->hook))
				break;
		table[at] = table[at] ? resolve(p, table[at], e) : e;
	}
}

/* ---- one plan ---- */

/* Does this firing mean the dialect's event?  Success, failure and sub-agents are events of their
 * own there. */
static bool is_here(const struct hook *hook, const struct plan_key *key)
{
	switch (hook->as->when) {
	case CASE_ALWAYS:
		return true;
	case CASE_SUCCESS:
		return !key->failed;
	case CASE_FAILURE:
		return key->failed;
	case CASE_SUBAGENT: {
		const char *name = key->subject ? claude_tool_name(str_from(key->subject)) : NULL;

		return name && strcmp(name, "Agent") == 0;
	}
	case CASE_NEVER:
		return false;
	}
	return false;
}

static void match_entry(struct plan *p, struct plan_entry *e, const struct match_subject *s)
{
	const struct hook *hook = e->hook;

	switch (matcher_test(&hook->matcher, s)) {
	case MATCH_YES:
		return;
	case MATCH_NO:
		e->state = TL_STATE_NO_MATCH;
		e->why = "the matcher does not match";
		return;
	case MATCH_LIMIT:
		diag_add(&p->diags, TL_WARNING, "match-limit", &hook->at,
			 "matching \"%.*s\" against \"%.*s\" takes too long; it counts as %s",
			 STR_ARG(hook->matcher.text), STR_ARG(s->name),
			 hook->on_failure == FAIL_DENY ? "a match" : "no match");
		if (hook->on_failure == FAIL_DENY)
			return;
		e->state = TL_STATE_NO_MATCH;
		e->why = "the matcher takes too long (match limit)";
	}
}

static void subject_init(struct match_subject *s, struct arena *a, const struct plan_key *key,
			 struct regex_scratch *scratch)
{
	struct str name = str_from(key->subject), rest;
	ptrdiff_t at;

	*s = (struct match_subject){ .name = name, .scratch = scratch };
	if (key->event->subject_kind != SUBJECT_TOOL) {
		struct str word = claude_word(key->event, name);

		if (!str_eq(word, name))
			s->other = word;
		return;
	}
	if (key->mcp_server && key->mcp_tool) {
		s->claude = mcp_name(a, key->mcp_server, key->mcp_tool, false);
		s->other = str_eq(name, s->claude)
				   ? mcp_name(a, key->mcp_server, key->mcp_tool, true)
				   : s->claude;
		return;
	}
	if (str_starts(name, STR("mcp__"))) {
		/* Without more knowledge the long spelling can be taken apart, the short one
		 * cannot. */
		rest = str_sub(name, 5, name.n);
		at = str_find(rest, STR("__"), 0);
		if (at > 0)
			s->other = arena_printf(a, "mcp_%.*s_%.*s", (int)at, rest.p,
						STR_ARG(str_sub(rest, (size_t)at + 2, rest.n)));
		return;
	}
	const char *claude = claude_tool_name(name);
	if (claude)
		s->claude = str_from(claude);
}

static struct plan *plan_make(struct tl_hooks *h, const struct plan_key *key)
{
	const struct hook_list *list = &h->by_event[key->event->id];
	AUTO(regex_scratch_free) struct regex_scratch *scratch = regex_scratch_new();
	struct plan *p = xcalloc(1, sizeof *p);
	struct match_subject s;

	p->event = key->event;
	p->diags.arena = &p->arena;
	p->n = list->n;
	p->entries = arena_raw(&p->arena, list->n * sizeof *p->entries);
	subject_init(&s, &p->arena, key, scratch);
	for (size_t i = 0; i < list->n; i++) {
		const struct hook *hook = list->p[i];
		struct plan_entry *e = &p->entries[i];

		*e = (struct plan_entry){ hook, hook->state, hook->why };
		if (e->state == TL_STATE_WOULD_RUN && hook->as->when != CASE_ALWAYS &&
		    !is_here(hook, key)) {
			e->state = TL_STATE_NOT_HERE;
			e->why = "its dialect's event is another case of this one";
		}
		/* The matcher of a sub-agent's event is for the agent's type, which job.c looks at. */
		if (e->state == TL_STATE_WOULD_RUN && hook->matcher.kind != MATCHER_ALL &&
		    hook->as->when != CASE_SUBAGENT)
			match_entry(p, e, &s);
		p->nrun += e->state == TL_STATE_WOULD_RUN;
	}
	if (p->nrun > 1)
		drop_duplicates(p);
	for (size_t i = 0; i < p->n; i++)
		p->sequential |= p->entries[i].state == TL_STATE_WOULD_RUN &&
				 p->entries[i].hook->sequential;
	p->nothing = outcome_of_plan(h, p);
	return p;
}

/* ---- the cache ---- */

/* The key as bytes, in buf; .p is NULL when it is too long to be remembered. */
static struct str key_bytes(const struct plan_key *key, char buf[KEY_MAX])
{
	const char *parts[] = { key->subject, key->mcp_server, key->mcp_tool };
	size_t n = 0;

	buf[n++] = (char)key->event->id;
	buf[n++] = (char)key->failed;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		size_t len = parts[i] ? strlen(parts[i]) : 0;

		if (n + len + 2 > KEY_MAX)
			return (struct str){0};
		buf[n++] = parts[i] ? '+' : '-';
		memcpy(buf + n, parts[i] ? parts[i] : "", len);
		n += len;
		buf[n++] = '\0';
	}
	return (struct str){ buf, n };
}

static struct plan *cache_find(struct plan_cache *c, uint64_t hash, struct str key)
{
	struct plan *p = c->buckets[hash % CACHE_BUCKETS];

	while (p && !(p->hash == hash && str_eq(p->key, key)))
		p = p->next;
	return p;
}

/* Remembers p, unless another thread was faster; returns the plan to use. */
static struct plan *cache_put(struct plan_cache *c, struct plan *p)
{
	struct plan *used;

	(void)pthread_mutex_lock(&c->lock);
	used = cache_find(c, p->hash, p->key);
	if (!used && c->n < CACHE_MAX) {
		p->next = c->buckets[p->hash % CACHE_BUCKETS];
		p->cached = true;
		c->buckets[p->hash % CACHE_BUCKETS] = p;
		c->n++;
	}
	(void)pthread_mutex_unlock(&c->lock);
	if (!used)
		return p;
	plan_free(p);
	return used;
}

const struct plan *plan_get(struct tl_hooks *h, const struct plan_key *key)
{
	char bytes[KEY_MAX];
	struct str k = key_bytes(key, bytes);
	struct plan *p;
	uint64_t hash;

	if (!k.p)
		return plan_make(h, key);
	hash = hash_bytes(0xcbf29ce484222325u, k);
	(void)pthread_mutex_lock(&h->plans->lock);
	p = cache_find(h->plans, hash, k);
	(void)pthread_mutex_unlock(&h->plans->lock);
	if (p)
		return p;
	p = plan_make(h, key);
	p->hash = hash;
	p->key = arena_str(&p->arena, k);
	return cache_put(h->plans, p);
}
