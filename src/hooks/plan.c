#include "hooks/plan.h"

#include "hooks/claude.h"
#include "hooks/confined.h"
#include "hooks/outcome.h"
#include "hooks/trust.h"

enum { CACHE_BUCKETS = 1024, CACHE_MAX = 4096, KEY_MAX = 1024 };

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

/* ---- reasons ---- */

/* The text must live as long as the plan. */
static void set_why(struct plan *p, size_t i, const char *text)
{
	if (!p->whys)
		p->whys = ARENA_ARRAY(&p->arena, const char *, p->n);
	p->whys[i] = text;
}

/* ---- duplicates (C4.1) ---- */

bool hook_same_command(const struct hook *a, const struct hook *b)
{
	size_t i = 0;

	if (strcmp(a->command, b->command) != 0)
		return false;
	if (!a->args || !b->args)
		return a->args == b->args;
	while (a->args[i] && b->args[i] && strcmp(a->args[i], b->args[i]) == 0)
		i++;
	return !a->args[i] && !b->args[i];
}

static bool same_env(const struct hook *a, const struct hook *b)
{
	for (size_t i = 0; i < a->nenv && i < b->nenv; i++)
		if (strcmp(a->env[i].name, b->env[i].name) != 0 ||
		    strcmp(a->env[i].value, b->env[i].value) != 0)
			return false;
	return a->nenv == b->nenv;
}

/* Words that mean the same: an extension's mean other files than those of its neighbour. */
static bool same_hook(const struct hook *a, const struct hook *b)
{
	return a->dialect == b->dialect && a->as == b->as && !a->runtime && !b->runtime &&
	       !a->policy && !b->policy && a->extension == b->extension &&
	       hook_same_command(a, b) && strcmp(a->name, b->name) == 0 && same_env(a, b) &&
	       a->detached == b->detached && a->rewake == b->rewake && a->handler == b->handler &&
	       str_eq(str_from(a->own_text), str_from(b->own_text)) && confined_alike(a, b) &&
	       strcmp(a->if_rule ? a->if_rule : "", b->if_rule ? b->if_rule : "") == 0;
}

static void mark_duplicate(struct plan *p, size_t drop, size_t keep)
{
	const struct place *at = &p->hooks[keep]->at;

	p->states[drop] = TL_STATE_DUPLICATE;
	p->nrun--;
	set_why(p, drop, arena_printf(&p->arena, "the same hook as %s:%u", at->file, at->line).p);
}

/* Does b guard more strictly than a in any way? */
static bool is_stricter(const struct hook *b, const struct hook *a)
{
	return b->guard > a->guard || b->observe < a->observe || b->on_failure > a->on_failure;
}

/*
 * Of equal hooks that of the highest authority stays, in its place: what a project writes changes
 * nothing for the hooks above it.  A copy that is stricter in some way runs as well, and can deny;
 * in one tier it runs instead, unless the other one is stricter in another way.
 */
static void drop_duplicate(struct plan *p, size_t *table, size_t mask, size_t i)
{
	const struct hook *hook = p->hooks[i];
	uint64_t at = str_hash(str_hash(STR_HASH, str_from(hook->command)), str_from(hook->name));

	bool copy = false;

	for (at &= mask; table[at]; at = (at + 1) & mask) {
		size_t k = table[at] - 1;
		const struct hook *kept = p->hooks[k];

		if (!same_hook(kept, hook))
			continue;
		if (!is_stricter(hook, kept)) {
			mark_duplicate(p, i, k);
			return;
		}
		if (kept->tier == hook->tier && !is_stricter(kept, hook)) {
			mark_duplicate(p, k, i);
			break;
		}
		copy |= kept->tier != hook->tier;
	}
	table[at] = i + 1;
	if (copy && !p->copies)
		p->copies = ARENA_ARRAY(&p->arena, bool, p->n);
	if (copy)
		p->copies[i] = true;
}

/* ---- one plan ---- */

/* Does this firing mean the dialect's event?  Success and failure are events of their own there. */
static bool is_here(const struct hook *hook, const struct plan_key *key)
{
	bool failed =
		key->failed == TL_FAILED_EXIT ? hook->dialect->exit_is_failure : key->failed != 0;

	if (key->further && hook->dialect->tools != TOOLS_CLAUDE)
		return false;
	/* It saw the whole patch, and its matcher has one name for all of it. */
	if (key->seen_whole && hook->dialect->tools == TOOLS_CODEX &&
	    hook->matcher.dialect->tools == TOOLS_CODEX)
		return false;
	switch (hook->as->when) {
	case CASE_ALWAYS:
		return true;
	case CASE_SUCCESS:
		return !failed;
	case CASE_FAILURE:
		return failed;
	case CASE_BEGIN:
		return !key->subject || strcmp(key->subject, "compact") != 0;
	case CASE_NEVER:
		return false;
	}
	return false;
}

/* Of a hook that is bound: does its agent run, is its skill active? */
static bool is_awake(const struct hook *hook, const struct plan_key *key)
{
	if (hook->agent && (!key->agent || strcmp(hook->agent, key->agent) != 0))
		return false;
	for (const char *const *skill = key->skills; hook->skill && skill && *skill; skill++)
		if (strcmp(hook->skill, *skill) == 0)
			return true;
	return !hook->skill;
}

static enum tl_state match_hook(struct plan *p, size_t i, const struct match_subject *s)
{
	const struct hook *hook = p->hooks[i];

	switch (matcher_test(&hook->matcher, s)) {
	case MATCH_YES:
		return TL_STATE_WOULD_RUN;
	case MATCH_NO:
		return TL_STATE_NO_MATCH;
	case MATCH_LIMIT:
		break;
	}
	bool counts = hook->guard || hook->on_failure == FAIL_DENY; /* C5.4 */

	diag_add(&p->diags, TL_SEVERITY_WARNING, "match-limit", &hook->at,
		 "matching \"%.*s\" against \"%.*s\" takes too long; it counts as %s",
		 STR_ARG(hook->matcher.text), STR_ARG(s->name), counts ? "a match" : "no match");
	if (counts)
		return TL_STATE_WOULD_RUN;
	set_why(p, i, "the matcher takes too long (match limit)");
	return TL_STATE_NO_MATCH;
}

static enum tl_state state_of(struct plan *p, size_t i, const struct plan_key *key,
			      const struct match_subject *s)
{
	const struct hook *hook = p->hooks[i];

	if (hook->state != TL_STATE_WOULD_RUN)
		return hook->state;
	if (!is_here(hook, key))
		return TL_STATE_NOT_HERE;
	if (key->guards_only && !hook->guard && !hook->redacts) {
		set_why(p, i, "only guards are asked about what a prompt attaches");
		return TL_STATE_NOT_HERE;
	}
	if (hook->bound && !is_awake(hook, key)) {
		set_why(p, i,
			arena_printf(&p->arena,
				     hook->agent ? "the agent %s does not run"
						 : "the skill %s is not active",
				     hook->agent ? hook->agent : hook->skill)
				.p);
		return TL_STATE_NOT_HERE;
	}
	if (hook->matcher.kind == MATCHER_ALL)
		return TL_STATE_WOULD_RUN;
	return match_hook(p, i, s);
}

/* A server could otherwise slip past a matcher with its own name, by a tool with a long one. */
static void subject_of_server(struct match_subject *s, const struct tl_hooks *h, struct arena *a,
			      const struct plan_key *key)
{
	const char *plugin = plugin_server(h, a, key->mcp_server);

	if (strpbrk(key->mcp_server, "\\^$.|?*+()[]{}") ||
	    strpbrk(key->mcp_tool, "\\^$.|?*+()[]{}")) {
		s->server[0] = arena_printf(a, "mcp__%s__", key->mcp_server);
		s->server[1] = arena_printf(a, "mcp_%s_", key->mcp_server);
		s->tool = str_from(key->mcp_tool);
	}
	struct str usual = mcp_name(a, key->mcp_server, key->mcp_tool, false);

	s->theirs[TOOLS_CLAUDE] = s->theirs[TOOLS_CODEX] = usual;
	s->other =
		str_eq(s->name, usual) ? mcp_name(a, key->mcp_server, key->mcp_tool, true) : usual;
	for (int single = 0; single < 2; single++) {
		struct str whole = mcp_whole_name(a, key->mcp_server, key->mcp_tool, single);
		struct str said = arena_printf(a, single ? "mcp_%s_%s" : "mcp__%s__%s",
					       key->mcp_server, key->mcp_tool);

		if (!str_eq(whole, s->name) && !str_eq(whole, s->other))
			s->whole[single] = whole;
		if (!str_eq(said, whole))
			s->whole[2 + single] = said;
		if (plugin)
			s->plugin[single] = mcp_whole_name(a, plugin, key->mcp_tool, single);
	}
}

static void subject_init(struct match_subject *s, const struct tl_hooks *h, struct arena *a,
			 const struct plan_key *key, struct regex_scratch *scratch)
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
		subject_of_server(s, h, a, key);
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
	*s = match_subject_of_tool(key->subject, scratch);
}

static struct plan *plan_make(struct tl_hooks *h, const struct plan_key *key)
{
	const struct hook_list *list = &h->by_event[key->event->id];
	AUTO(regex_scratch_free) struct regex_scratch *scratch = regex_scratch_new();
	struct plan *p = xcalloc(1, sizeof *p);
	struct match_subject s;

	p->event = key->event;
	p->diags.arena = &p->arena;
	p->hooks = list->p;
	p->n = list->n;
	p->states = arena_raw(&p->arena, p->n);
	subject_init(&s, h, &p->arena, key, scratch);
	if (key->also)
		s.also = str_from(key->also);
	s.has_more = s.also.p || s.other.p || s.tool.p || s.whole[0].p || s.whole[1].p ||
		     s.whole[2].p || s.whole[3].p;
	for (size_t i = 0; i < p->n; i++) {
		enum tl_state state = state_of(p, i, key, &s);

		p->states[i] = (unsigned char)state;
		p->nrun += state == TL_STATE_WOULD_RUN;
	}
	if (p->nrun > 1) {
		size_t cap = 16;

		while (cap < p->nrun * 2)
			cap *= 2;
		/* A hook's index and one, 0 = free. */
		AUTO(free) size_t *table = xcalloc(cap, sizeof *table);
		for (int authority = tier_authority(TL_TIER_RUNTIME); authority >= 0; authority--)
			for (size_t i = 0; i < p->n; i++)
				if (p->states[i] == TL_STATE_WOULD_RUN &&
				    tier_authority(p->hooks[i]->tier) == authority &&
				    !p->hooks[i]->dialect->keeps_duplicates)
					drop_duplicate(p, table, cap - 1, i);
	}
	for (size_t i = 0; i < p->n; i++) {
		if (p->states[i] != TL_STATE_WOULD_RUN || (p->copies && p->copies[i]))
			continue;
		p->sequential |= p->hooks[i]->sequential;
		trust_find_scripts(h, p->hooks[i]);
	}
	p->nothing = outcome_of_plan(h, p);
	if (p->nothing && key->subject)
		p->nothing->subject = arena_z(&p->arena, str_from(key->subject));
	return p;
}

/* ---- the cache ---- */

/* The key as bytes, in buf; .p is NULL when it is too long to be remembered. */
static struct str key_bytes(const struct plan_key *key, char buf[KEY_MAX])
{
	const char *parts[] = { key->subject, key->mcp_server, key->mcp_tool, key->also,
				key->agent };
	size_t n = 0;

	buf[n++] = (char)key->event->id;
	buf[n++] =
		(char)(key->failed * 8 + key->guards_only * 4 + key->seen_whole * 2 + key->further);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		size_t len = parts[i] ? strlen(parts[i]) : 0;

		if (n + len + 2 > KEY_MAX)
			return (struct str){ 0 };
		buf[n++] = parts[i] ? '+' : '-';
		memcpy(buf + n, parts[i] ? parts[i] : "", len);
		n += len;
		buf[n++] = '\0';
	}
	for (const char *const *skill = key->skills; skill && *skill; skill++) {
		size_t len = strlen(*skill) + 1;

		if (n + len > KEY_MAX)
			return (struct str){ 0 };
		memcpy(buf + n, *skill, len);
		n += len;
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
	hash = str_hash(STR_HASH, k);
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
