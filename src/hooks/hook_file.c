/*
 * A source's "hooks" object: events, definitions, and what is where something else belongs.  A
 * wrong shape is reported and skipped, unless a guard is in it (C7.1, C3.6).
 */
#include <stdarg.h>

#include "base/meant.h"
#include "base/vec.h"
#include "base/words.h"
#include "hooks/hook_read.h"

/* Does it listen to what only Gemini CLI has?  Then its author wrote it for an agent like this. */
bool hooks_are_native(const struct json *listed)
{
	for (size_t i = 0; json_is(listed, J_OBJ) && i < listed->n; i++) {
		struct str name = listed->members[i].key;

		if (dialect_event_find(&dialects[DIALECT_GEMINI], name) &&
		    !dialect_event_find(&dialects[DIALECT_CLAUDE], name))
			return true;
	}
	return false;
}

/* ---- definitions and events ---- */

static struct place def_place(const struct cursor *c, size_t pos, const char *key)
{
	return source_place(c->s, &c->h->arena, pos, "hooks.%s[%zu]%s%s", c->as->name, c->def,
			    *key ? "." : "", key);
}

static void say_odd(void *data, const struct object_odd *odd)
{
	struct cursor *c = data;
	struct place at = def_place(c, odd->pos, odd->path);
	/* Without its matcher the hook concerns more, not less: a guard still guards. */
	bool matcher = odd->key == &definition_keys[D_MATCHER] && odd->error;
	const struct json_member m = { .key = str_from(odd->path), .v = *odd->value };

	if (hooks_hold_guard(odd->value)) {
		hooks_wrong_shape(c->h, c->s, odd->value, "misplaced", &at,
				  "hooks belong in the array \"hooks\"");
		return;
	}
	if (!odd->error && key_is_strict(&m)) {
		c->misplaced = arena_z(&c->h->arena, m.key);
		diag_add(&c->h->diags, TL_SEVERITY_ERROR, "misplaced", &at,
			 "\"%s\" belongs inside the hook, not next to it", odd->path);
		return;
	}
	diag_add(&c->h->diags, odd->error ? TL_SEVERITY_ERROR : odd_severity(c, odd), odd->code,
		 &at, "%s%s", odd->text, matcher ? "; taken as \"*\"" : "");
}

static void read_definition(struct cursor *c, const struct json *def)
{
	const struct json *list = json_getz(def, "hooks"), *m = json_getz(def, "matcher");

	if (!json_is(def, J_OBJ) || !json_is(list, J_ARR)) {
		struct place at = def_place(c, def->pos, "");
		/* What other agents' installers write. */
		bool alone = json_getz(def, "command") || json_getz(def, "url");

		hooks_wrong_shape(c->h, c->s, json_is(list, J_STR) ? list : def, "bad-definition",
				  &at,
				  alone ? "a hook belongs into a definition, {\"hooks\": [HOOK]}"
					: "a definition is an object with an array \"hooks\"");
		return;
	}
	struct object_value got[DEFINITION_KEYS];
	struct object_reader r = { .keys = definition_keys,
				   .n = DEFINITION_KEYS,
				   .nulls = true,
				   .odd = say_odd,
				   .data = c };
	c->misplaced = NULL;
	object_read(&r, def, got);
	c->matcher = json_str(m, STR(""));
	c->matcher_pos = m ? m->pos : def->pos;
	c->sequential = json_is_true(got[D_SEQUENTIAL].v);
	c->said = got[D_DIALECT];
	for (c->entry = 0; c->entry < list->n; c->entry++)
		hook_read(c, json_at(list, c->entry));
}

/*
 * The dialect that an event of this file is read in (C7.6): the file's own where it has the event,
 * else what hooksConfig says, else the first that has it: the fork of Gemini CLI reads the same
 * files as that, while nobody but us reads ours.  NULL when none has.
 */
static const struct dialect *dialect_of(const struct tl_hooks *h, const struct source *s,
					struct str event)
{
	const struct dialect *jpfork = &dialects[DIALECT_JPFORK],
			     *claude = &dialects[DIALECT_CLAUDE];
	const struct dialect *order[] = { s->dialect, h->set.claude_keys,
					  s->trotlines ? claude : jpfork,
					  s->trotlines ? jpfork : claude };

	for (size_t i = 0; i < (s->dialect->borrows ? ARRAY_LEN(order) : 1); i++)
		if (order[i] && dialect_event_find(order[i], event))
			return order[i];
	return NULL;
}

static void report_event(struct tl_hooks *h, const struct source *s, const struct json_member *m)
{
	enum { NAMES_MAX = 256 };
	const char *names[NAMES_MAX];
	const struct dialect *d = s->dialect;
	size_t n = 0;

	/* Of every dialect that the file may be written in: find_dialect(). */
	for (size_t k = 0; k < DIALECT_COUNT; k++)
		for (size_t i = 0; (d->borrows || &dialects[k] == d) && i < dialects[k].nevents;
		     i++)
			if (n < NAMES_MAX)
				names[n++] = dialects[k].events[i].name;
	const char *near = str_nearest(m->key, names, n);
	struct place at = source_place(s, &h->arena, m->pos, "hooks.%.*s", STR_ARG(m->key));

	if (key_is_strict(m)) {
		diag_add(&h->diags, TL_SEVERITY_ERROR, "misplaced", &at,
			 "\"%.*s\" belongs in a hook, not among the events%s", STR_ARG(m->key),
			 meant_as("", near).text);
		hooks_give_up(h, s, &at, "%s belongs in a hook, not among the events%s", at.path,
			      meant_as("", near).text);
		return;
	}
	if (!d->new_events && hooks_hold_guard(&m->v)) {
		hooks_wrong_shape(h, s, &m->v, "unknown-event", &at, "unknown event");
		return;
	}
	diag_add(&h->diags, d->new_events && !near ? TL_SEVERITY_NOTE : TL_SEVERITY_WARNING,
		 "unknown-event", &at, "unknown event \"%.*s\"; its hooks never run%s",
		 STR_ARG(m->key), meant_as("", near).text);
}

static void read_event(struct cursor *c, const struct json_member *m)
{
	struct tl_hooks *h = c->h;
	struct place at = source_place(c->s, &h->arena, m->pos, "hooks.%s", c->as->name);

	if (c->as->when == CASE_NEVER) {
		hooks_wrong_shape(h, c->s, &m->v, "event-never-fires", &at,
				  "this event never fires here");
		return;
	}
	if (m->v.type != J_ARR) {
		hooks_wrong_shape(h, c->s, &m->v, "wrong-type", &at,
				  "must be an array of definitions");
		return;
	}
	for (c->def = 0; c->def < m->v.n; c->def++)
		read_definition(c, json_at(&m->v, c->def));
}

/* A key that occurs twice: JSON says that the last one counts, and its author did not mean that. */
static void check_repeats(struct tl_hooks *h, const struct source *s, const struct json *v)
{
	if (json_is(v, J_OBJ) && v->yes) {
		struct place at = source_place(s, &h->arena, v->pos, "hooks");

		diag_add(&h->diags, TL_SEVERITY_ERROR, "repeated-key", &at,
			 "duplicate key in this object; only the last one would "
			 "count");
		hooks_give_up(h, s, &at, "duplicate key in this object");
	}
	for (size_t i = 0; (json_is(v, J_OBJ) || json_is(v, J_ARR)) && i < v->n; i++)
		check_repeats(h, s, v->type == J_OBJ ? &v->members[i].v : json_at(v, i));
}

/* Hooks among the settings about hooks. */
static void check_hooks_config(struct tl_hooks *h, const struct source *s)
{
	const struct json *config = json_getz(s->doc, "hooksConfig");

	for (size_t i = 0; json_is(config, J_OBJ) && i < config->n; i++) {
		const struct json_member *m = &config->members[i];
		struct place at =
			source_place(s, &h->arena, m->pos, "hooksConfig.%.*s", STR_ARG(m->key));

		if (hooks_hold_guard(&m->v))
			hooks_wrong_shape(h, s, &m->v, "misplaced", &at,
					  "hooks belong in \"hooks\"");
	}
}

/* Hooks that are next to "hooks", or under a name that only looks like it. */
static void check_root(struct tl_hooks *h, const struct source *s)
{
	static const char *const right[] = { "hooks", "hooksConfig" };

	for (size_t i = 0; i < s->doc->n; i++) {
		const struct json_member *m = &s->doc->members[i];
		/* A hooksConfig of the wrong type is as good as none. */
		bool known = str_eqz(m->key, right[0]) ||
			     (str_eqz(m->key, right[1]) && json_is(&m->v, J_OBJ));
		const char *near = known ? NULL : str_nearest(m->key, right, ARRAY_LEN(right));
		bool event = dialect_event_find(s->dialect, m->key) != NULL;

		if ((!near && !event) || !hooks_hold_guard(&m->v))
			continue;
		struct place at = source_place(s, &h->arena, m->pos, "%.*s", STR_ARG(m->key));
		hooks_wrong_shape(h, s, &m->v, "misplaced", &at,
				  event                            ? "events belong in \"hooks\""
				  : str_eqz(m->key, "hooksConfig") ? "must be an object"
								   : "did you mean \"hooks\"?");
	}
	if (s->doc->yes) {
		struct place at = source_place(s, &h->arena, s->doc->pos, "settings");

		diag_add(&h->diags, TL_SEVERITY_ERROR, "repeated-key", &at,
			 "duplicate key in this file; only the last one counts");
		/* Which key it is, is not known; when it may be this one, whole policies are gone.
		 */
		const struct json_member *hooks = json_member(s->doc, STR("hooks"));
		if (hooks && str_find(str_sub(s->text, 0, hooks->pos), STR("\"hooks\""), 0) >= 0)
			hooks_give_up(h, s, &at, "\"hooks\" occurs more than once in this file");
	}
}

void hooks_read(struct tl_hooks *h, const struct source *s)
{
	const struct json *hooks = json_getz(s->doc, "hooks");
	AUTO(buf_done) struct buf never = { 0 };
	const struct json *first = NULL;
	size_t nnever = 0;
	bool told = false;

	check_root(h, s);
	check_hooks_config(h, s);
	permissions_read(h, s);
	if (!hooks)
		return;
	check_repeats(h, s, hooks);
	if (hooks->type != J_OBJ) {
		struct place at = source_place(s, &h->arena, hooks->pos, "hooks");
		hooks_wrong_shape(
			h, s, hooks, s->extension ? "broken-extension" : "wrong-type", &at,
			s->extension ? hooks_no_object(h, at.file)
				     : "must be an object of events; no hook of this file runs");
		return;
	}
	for (size_t i = 0; i < hooks->n; i++) {
		const struct json_member *m = &hooks->members[i];
		struct cursor c = { .h = h, .s = s, .dialect = dialect_of(h, s, m->key) };

		if ((word_in_text(m->key, "enabled disabled notifications") &&
		     !hooks_hold_guard(&m->v)) ||
		    (s->dialect->no_events && word_in_text(m->key, s->dialect->no_events)))
			continue;
		if (!c.dialect) {
			report_event(h, s, m);
			continue;
		}
		/* In an agent's own file the end is the agent's. */
		c.as = dialect_event_find(c.dialect, s->agent && str_eqz(m->key, "Stop")
							     ? STR("SubagentStop")
							     : m->key);
		c.listed_under = arena_z(&h->arena, m->key);
		if (c.as->when == CASE_NEVER && !hooks_hold_guard(&m->v)) {
			first = first ? first : &m->v;
			buf_addf(&never, "%s%s", nnever++ ? ", " : "", c.as->name);
			continue;
		}
		if (c.dialect != s->dialect && !told) {
			struct place at =
				source_place(s, &h->arena, m->pos, "hooks.%s", c.as->name);
			diag_add(&h->diags, TL_SEVERITY_NOTE, "foreign-events", &at,
				 "reading %s in the %s dialect; \"dialect\" in the hook, its "
				 "definition or hooksConfig changes that",
				 c.as->name, c.dialect->name);
			told = true;
		}
		read_event(&c, m);
	}
	/* One line for all of them. */
	if (nnever) {
		struct place at = source_place(s, &h->arena, first->pos, "hooks");

		diag_add(&h->diags, TL_SEVERITY_NOTE, "event-never-fires", &at,
			 "%s never fire%s here; %s hooks never run", buf_z(&never),
			 nnever == 1 ? "s" : "", nnever == 1 ? "its" : "their");
	}
}

void hooks_read_runtime(struct tl_hooks *h)
{
	for (struct tl_runtime_hook *r = h->runtime; r && r->name; r++) {
		struct hook *hook = ARENA_NEW(&h->arena, struct hook);

		const struct dialect *d = dialect_of_runtime(str_from(r->event));
		const struct dialect_event *as = dialect_event_find(d, str_from(r->event));

		*hook = (struct hook){
			.event = &events[as->moment],
			.as = as,
			.dialect = d,
			.tier = TL_TIER_RUNTIME,
			.name = r->name,
			.id = r->name,
			.command = "",
			.description = "",
			.guard = r->guard,
			.observe = r->observe,
			.on_failure = r->guard ? FAIL_DENY : FAIL_WARN,
			.at = { .file = "", .path = "" },
			.fingerprint = "",
			.script = "",
			.why = "",
			.trust = TL_TRUST_NOT_PROJECT,
			.state = TL_STATE_WOULD_RUN,
			.runtime = r,
		};
		matcher_init(&hook->matcher, &h->arena, hook->event, hook->dialect,
			     str_from(r->matcher), &hook->at, &h->diags);
		hook_add(h, hook);
	}
}
