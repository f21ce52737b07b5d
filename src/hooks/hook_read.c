/*
 * One source's "hooks" object: from JSON to struct hook.  What is wrong is reported with its path
 * and left out (C7.1), except for a guard: that one is kept as broken, and denies (C3.6).
 */
#include <stdarg.h>

#include "base/vec.h"
#include "hooks/config.h"
#include "hooks/schema.h"

enum { TIMEOUT_SUSPICIOUS_MS = 50, CLAUDE_MS_FROM = 1000 };

/* Where the reader is: everything that a message or a hook needs to know about its surroundings. */
struct cursor {
	struct tl_hooks *h;
	const struct source *s;
	const struct dialect *dialect;
	const struct dialect_event *as;
	size_t def, entry;
	bool sequential;
	struct str matcher;
	uint32_t matcher_pos;
};

static const char *const failure_names[] = { [FAIL_DEFAULT] = "warn", [FAIL_WARN] = "warn",
	[FAIL_ASK] = "ask", [FAIL_DENY] = "deny" };

bool on_failure_parse(struct str s, enum on_failure *ret)
{
	for (enum on_failure f = FAIL_WARN; f <= FAIL_DENY; f++)
		if (str_eqz(s, failure_names[f])) {
			*ret = f;
			return true;
		}
	return false;
}

const char *on_failure_name(enum on_failure f)
{
	return failure_names[f];
}

static struct place here(const struct cursor *c, size_t pos, const char *key)
{
	return source_place(c->s, &c->h->arena, pos, "hooks.%s[%zu].hooks[%zu]%s%s", c->as->name,
			    c->def, c->entry, *key ? "." : "", key);
}

static const struct known_key *key_find(const struct known_key *keys, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eqz(name, keys[i].name))
			return &keys[i];
	return NULL;
}

static void report_unknown(const struct cursor *c, const struct known_key *keys, size_t n,
			   const struct json_member *m, const char *prefix)
{
	const char *names[ARRAY_LEN(hook_keys)];
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!keys[i].claude_only || c->dialect->own_tool_names)
			names[known++] = keys[i].name;
	const char *near = str_nearest(m->key, names, known);
	struct place at = source_place(c->s, &c->h->arena, m->pos, "hooks.%s[%zu]%s.%.*s",
				       c->as->name, c->def, prefix, STR_ARG(m->key));
	diag_add(&c->h->diags, TL_WARNING, "unknown-key", &at, "unknown key \"%.*s\"%s%s%s",
		 STR_ARG(m->key), near ? "; did you mean \"" : "", near ? near : "",
		 near ? "\"?" : "");
}

/* Does a guard stand in it, however deep? */
static bool holds_guard(const struct json *v)
{
	if (json_is(v, J_ARR)) {
		for (size_t i = 0; i < v->n; i++)
			if (holds_guard(json_at(v, i)))
				return true;
	}
	if (!json_is(v, J_OBJ))
		return false;
	for (size_t i = 0; i < v->n; i++) {
		const struct json_member *m = &v->members[i];
		bool marks = str_eqz(m->key, "guard")
				     ? m->v.type != J_NULL && !json_is_false(&m->v)
				     : str_eqz(m->key, "onFailure") &&
					       str_eqz(json_str(&m->v, STR("")), "deny");

		if (marks || holds_guard(&m->v))
			return true;
	}
	return false;
}

/* The configuration cannot be used; one mistake is enough to say.  Left-out project hooks do not
 * matter. */
static void give_up(struct tl_hooks *h, const struct source *s, const struct place *at,
		    const char *fmt, ...) PRINTF_LIKE(4, 5);

static void give_up(struct tl_hooks *h, const struct source *s, const struct place *at,
		    const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	if (h->fatal.code || (s->tier == TL_TIER_PROJECT && h->load_flags & TL_LOAD_NO_PROJECT))
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	(void)err_set(&h->fatal, E_CONFIG, "%s:%u:%u: %s", at->file, at->line, at->column, text);
}

/*
 * Something stands where something else belongs, and whatever it holds is left out.  When that is a
 * guard, nothing may run: there is no hook that could be kept as broken.
 */
static void wrong_shape(struct tl_hooks *h, const struct source *s, const struct json *v,
			const char *code, const struct place *at, const char *what)
{
	diag_add(&h->diags, TL_ERROR, code, at, "%s; skipped (this is %s)", what,
		 json_type_name(v));
	if (holds_guard(v))
		give_up(h, s, at, "%s: %s; a guard stands in it", at->path, what);
}

/* ---- one hook ---- */

/*
 * A hook's entry that cannot be used.  It is left out; but when it says that it is a guard, leaving
 * it out would open the door that it guards.
 */
static void reject(struct hook *hook, const struct cursor *c, size_t pos, const char *key,
		   const char *code, const char *fmt, ...) PRINTF_LIKE(6, 7);

static void reject(struct hook *hook, const struct cursor *c, size_t pos, const char *key,
		   const char *code, const char *fmt, ...)
{
	struct place at = here(c, pos, key);
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (!hook->broken)
		hook->broken = arena_printf(&c->h->arena, "%s:%u:%u: %s: %s", at.file, at.line,
					    at.column, at.path, text).p;
	diag_add(&c->h->diags, TL_ERROR, code, &at, "%s", text);
}

static void check_hook_keys(struct hook *hook, const struct cursor *c, const struct json *v)
{
	AUTO(free) char *prefix = xasprintf(".hooks[%zu]", c->entry);

	for (size_t i = 0; i < v->n; i++) {
		const struct json_member *m = &v->members[i];
		const struct known_key *k = key_find(hook_keys, ARRAY_LEN(hook_keys), m->key);

		if (!k || (k->claude_only && !c->dialect->own_tool_names)) {
			report_unknown(c, hook_keys, ARRAY_LEN(hook_keys), m, prefix);
			continue;
		}
		if (m->v.type == J_STR && memchr(m->v.s, 0, m->v.n))
			reject(hook, c, m->v.pos, k->name, "nul", "holds a NUL character");
		/* A number in a string is accepted as a timeout, as everywhere else (host.md
		 * A2.12). */
		if (m->v.type != k->type && m->v.type != J_NULL &&
		    !(strcmp(k->name, "timeout") == 0 && m->v.type == J_STR))
			reject(hook, c, m->v.pos, k->name, "wrong-type",
			       "\"%s\" must be a%s %s, this is %s", k->name,
			       k->type == J_ARR || k->type == J_OBJ ? "n" : "",
			       json_type_name(&(struct json){ .type = k->type }),
			       json_type_name(&m->v));
	}
}

static void read_type(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *type = json_get(v, STR("type"));
	struct str name = json_str(type, STR(""));

	if (!type) {
		struct place at = here(c, v->pos, "type");
		diag_add(&c->h->diags, TL_WARNING, "missing-type", &at,
			 "\"type\": \"command\" is missing; taken as that");
	} else if (!str_eqz(name, "command") && !str_eqz(name, "plugin")) {
		reject(hook, c, type->pos, "type", "unknown-type",
		       "\"%.*s\" hooks are not run here, only \"command\"", STR_ARG(name));
	}
	const struct json *command = json_get(v, STR("command"));
	if ((!command || command->type == J_STR) &&
	    str_trim(json_str(command, STR(""))).n == 0)
		reject(hook, c, v->pos, "command", "no-command", "there is no command");
}

static bool timeout_value(const struct json *v, double *ret)
{
	int64_t i;

	if (json_is(v, J_NUM)) {
		*ret = json_num(v, 0);
		return true;
	}
	if (!str_to_int(str_trim(json_str(v, STR("x"))), &i))
		return false;
	*ret = (double)i;
	return true;
}

static void read_timeout(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct dialect *d = c->dialect;
	const struct json *t = json_get(v, STR("timeout"));
	double value, unit = d->timeout_unit_ms;

	hook->timeout_ms = c->as->timeout_ms ? c->as->timeout_ms : d->timeout_ms;
	if (!t || t->type == J_NULL)
		return;
	if (t->type != J_NUM && t->type != J_STR)
		return; /* check_hook_keys() has said so */
	struct place at = here(c, t->pos, "timeout");
	if (!timeout_value(t, &value) || !(value > 0)) {
		reject(hook, c, t->pos, "timeout", "bad-timeout",
		       "a timeout is a number of %s above 0",
		       d->timeout_unit_ms == 1 ? "milliseconds" : "seconds");
		return;
	}
	if (unit > 1 && value >= CLAUDE_MS_FROM) {
		diag_add(&c->h->diags, TL_WARNING, "timeout-unit", &at,
			 "%.15g seconds? taken as milliseconds", value);
		unit = 1;
	}
	value *= unit;
	if (value > INT32_MAX)
		value = INT32_MAX;
	hook->timeout_ms = value < 1 ? 1 : (int64_t)value;
	if (value < TIMEOUT_SUSPICIOUS_MS)
		diag_add(
			&c->h->diags, TL_WARNING, "short-timeout", &at,
			"%.15g ms is hardly enough to start a process; did you mean %.15g (%.15g "
			"s)?",
			value, value * 1000, value);
	else if (unit == 1 && value <= 600 && d->timeout_unit_ms == 1 && (int)value % 30 == 0)
		diag_add(&c->h->diags, TL_NOTE, "timeout-unit", &at,
			 "the timeout is %.15g milliseconds; %.15g seconds would be %.15g", value,
			 value, value * 1000);
}

/* $NAME, ${NAME} and ${NAME:-default} in a value of env, from the environment (host.md A1.12). */
static const char *expand(const struct cursor *c, struct str s)
{
	AUTO(buf_done) struct buf out = {0};

	for (size_t i = 0; i < s.n; i++) {
		bool brace = i + 1 < s.n && s.p[i + 1] == '{';
		size_t from = i + 1 + brace, to = from;

		while (to < s.n && char_is_word(s.p[to]) && (to > from || !char_is_digit(s.p[to])))
			to++;
		if (s.p[i] != '$' || to == from) {
			(void)buf_addc(&out, s.p[i]);
			continue;
		}
		AUTO(free) char *name = xstrndup(s.p + from, to - from);
		const char *value = env_get(c->h->dirs.env, name);
		ptrdiff_t close = brace ? str_chr(s, '}', to) : (ptrdiff_t)to - 1;
		struct str dflt = brace && close >= 0 ? str_sub(s, to, (size_t)close) : STR("");
		if (close < 0 || (!value && !str_starts(dflt, STR(":-")))) {
			(void)buf_addc(&out, s.p[i]);
			continue;
		}
		(void)buf_adds(&out, value ? str_from(value) : str_sub(dflt, 2, dflt.n));
		i = (size_t)close;
	}
	return arena_z(&c->h->arena, buf_str(&out));
}

static bool is_env_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '=' || s.p[i] == '\0')
			return false;
	return s.n > 0;
}

static void read_env(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *env = json_get(v, STR("env"));
	size_t extra = c->s->extension_dir ? 2 : 0, n = json_is(env, J_OBJ) ? env->n : 0;

	hook->env = ARENA_ARRAY(&c->h->arena, struct env_pair, n + extra);
	if (extra) {
		hook->env[hook->nenv++] = (struct env_pair){ "extensionPath", c->s->extension_dir };
		hook->env[hook->nenv++] = (struct env_pair){ "workspacePath", c->h->dirs.project };
	}
	for (size_t i = 0; i < n; i++) {
		const struct json_member *m = &env->members[i];
		struct str value = m->v.type == J_NUM ? (struct str){ m->v.s, m->v.n }
						      : json_str(&m->v, STR(""));

		if (!is_env_name(m->key) || (m->v.type != J_STR && m->v.type != J_NUM) ||
		    memchr(value.p, 0, value.n)) {
			reject(hook, c, m->v.pos, "env", "bad-env",
			       "\"%.*s\" is not an environment variable with a string value",
			       STR_ARG(m->key));
			continue;
		}
		hook->env[hook->nenv++] = (struct env_pair){ arena_z(&c->h->arena, m->key),
							     expand(c, value) };
	}
}

/* C3.5, C3.6: explicit; else what a guard, the tier's settings, the dialect say. */
static void read_on_failure(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *f = json_get(v, STR("onFailure"));
	const struct settings *set = &c->h->set;
	enum on_failure dflt = set->on_failure[hook->tier];

	hook->on_failure = FAIL_WARN;
	if (dflt != FAIL_DEFAULT)
		hook->on_failure = dflt;
	else if (hook->event->id == EV_BEFORE_TOOL && c->dialect->before_tool_failure)
		hook->on_failure = c->dialect->before_tool_failure;
	if (hook->guard)
		hook->on_failure = FAIL_DENY;
	if (!f || f->type == J_NULL)
		return;
	if (f->type != J_STR) {
		hook->on_failure = FAIL_DENY; /* check_hook_keys() has rejected it */
		return;
	}
	if (!on_failure_parse(json_str(f, STR("")), &hook->on_failure)) {
		hook->on_failure = FAIL_DENY; /* whatever it was: a failure was to mean something */
		reject(hook, c, f->pos, "onFailure", "bad-value",
		       "onFailure is \"warn\", \"ask\" or \"deny\"");
	}
}

static void read_mode(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *mode = json_get(v, STR("mode"));
	const struct json *guard = json_get(v, STR("guard"));
	struct str s = json_str(mode, STR("enforce"));

	/* Whoever writes "guard": "true" means a guard. */
	hook->guard = guard && guard->type != J_NULL && !json_is_false(guard);
	hook->observe = str_eqz(s, "observe");
	if (!hook->observe && !str_eqz(s, "enforce"))
		reject(hook, c, mode->pos, "mode", "bad-value",
		       "mode is \"enforce\" or \"observe\"");
	if (json_is_true(json_get(v, STR("persistent")))) {
		struct place at = here(c, json_get(v, STR("persistent"))->pos, "persistent");

		diag_add(&c->h->diags, TL_WARNING, "not-persistent", &at,
			 "\"persistent\" has no effect yet: the hook is started for every firing");
	}
	if (!c->dialect->own_tool_names)
		return;
	hook->detached = json_is_true(json_get(v, STR("async"))) ||
			 json_is_true(json_get(v, STR("asyncRewake")));
	if (json_is(json_get(v, STR("if")), J_STR))
		hook->if_rule = arena_z(&c->h->arena, json_str(json_get(v, STR("if")), STR("")));
}

static void read_args(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *args = json_get(v, STR("args"));

	if (!c->dialect->own_tool_names || !json_is(args, J_ARR))
		return;
	const char **list = ARENA_ARRAY(&c->h->arena, const char *, args->n + 1);
	for (size_t i = 0; i < args->n; i++) {
		if (!json_is(json_at(args, i), J_STR))
			reject(hook, c, json_at(args, i)->pos, "args", "wrong-type",
			       "every argument must be a string");
		list[i] = arena_z(&c->h->arena, json_str(json_at(args, i), STR("")));
	}
	hook->args = list;
}

/* ${/} and ${pathSeparator} of extensions are the same everywhere; paths stay variables, see
 * command.c. */
static const char *command_text(const struct cursor *c, struct str command)
{
	AUTO(buf_done) struct buf out = {0};
	static const struct str names[] = { { "${/}", 4 }, { "${pathSeparator}", 16 } };

	if (!c->s->extension_dir)
		return arena_z(&c->h->arena, command);
	for (size_t i = 0; i < command.n;) {
		struct str rest = str_sub(command, i, command.n);
		size_t k = 0;

		while (k < ARRAY_LEN(names) && !str_starts(rest, names[k]))
			k++;
		(void)buf_addc(&out, k < ARRAY_LEN(names) ? '/' : rest.p[0]);
		i += k < ARRAY_LEN(names) ? names[k].n : 1;
	}
	return arena_z(&c->h->arena, buf_str(&out));
}

static void hook_add(struct tl_hooks *h, struct hook *hook)
{
	if (h->nhooks == h->hooks_cap) {
		h->hooks_cap = h->hooks_cap ? h->hooks_cap * 2 : 16;
		h->hooks = vec_grow(h->hooks, h->hooks_cap, sizeof *h->hooks);
	}
	h->hooks[h->nhooks++] = hook;
}

static void read_hook(const struct cursor *c, const struct json *v)
{
	struct arena *a = &c->h->arena;
	struct hook *hook = ARENA_NEW(a, struct hook);
	struct place none = here(c, v->pos, "");

	if (!json_is(v, J_OBJ)) {
		diag_add(&c->h->diags, TL_ERROR, "wrong-type", &none,
			 "a hook is an object, this is %s; skipped", json_type_name(v));
		return;
	}
	*hook = (struct hook){
		.event = &events[c->as->moment],
		.as = c->as,
		.dialect = c->dialect,
		.tier = c->s->tier,
		.at = none,
		.sequential = c->sequential,
		.name = arena_z(a, json_str(json_get(v, STR("name")), STR(""))),
		.command =
			command_text(c, str_trim(json_str(json_get(v, STR("command")), STR("")))),
		.description = arena_z(a, json_str(json_get(v, STR("description")), STR(""))),
		.fingerprint = "",
		.script = "",
		.why = "",
		.trust = TL_NOT_PROJECT,
		.state = TL_STATE_WOULD_RUN,
	};
	hook->id = *hook->name ? hook->name : hook->command;
	check_hook_keys(hook, c, v);
	read_mode(hook, c, v);
	read_type(hook, c, v);
	read_timeout(hook, c, v);
	read_env(hook, c, v);
	read_on_failure(hook, c, v);
	read_args(hook, c, v);
	if (hook->detached && (hook->guard || hook->on_failure == FAIL_DENY)) {
		hook->detached = false;
		reject(hook, c, v->pos, "async", "async-guard",
		       "nobody waits for an async hook, so it cannot guard anything");
	}
	if (hook->broken && !hook->guard && hook->on_failure != FAIL_DENY)
		return;
	struct place at = source_place(c->s, a, c->matcher_pos, "hooks.%s[%zu].matcher",
				       c->as->name, c->def);
	/* A definition's matcher is the same for all its hooks: report what is odd about it once.
	 */
	struct diags quiet = { .arena = a };
	matcher_init(&hook->matcher, a, hook->event, c->dialect, c->matcher, &at,
		     c->entry == 0 ? &c->h->diags : &quiet);
	diags_done(&quiet);
	if (hook->matcher.invalid && (hook->guard || hook->on_failure == FAIL_DENY)) {
		/* Compared literally it would guard nothing. */
		hook->matcher.kind = MATCHER_ALL;
		diag_add(&c->h->diags, TL_ERROR, "invalid-regex", &at,
			 "the matcher of the guard \"%s\" cannot be read; it runs for every tool",
			 hook->id);
	}
	hook_add(c->h, hook);
}

/* ---- definitions and events ---- */

static struct place def_place(const struct cursor *c, size_t pos, const char *key)
{
	return source_place(c->s, &c->h->arena, pos, "hooks.%s[%zu]%s%s", c->as->name, c->def,
			    *key ? "." : "", key);
}

/* Unknown keys, and the types of those that are known. */
static void check_definition(const struct cursor *c, const struct json *def)
{
	const struct json *m = json_get(def, STR("matcher")),
			  *seq = json_get(def, STR("sequential"));
	struct place at;

	for (size_t i = 0; i < def->n; i++)
		if (!key_find(definition_keys, ARRAY_LEN(definition_keys), def->members[i].key))
			report_unknown(c, definition_keys, ARRAY_LEN(definition_keys),
				       &def->members[i], "");
	if (m && m->type != J_STR && m->type != J_NULL) {
		at = def_place(c, m->pos, "matcher");
		/* Without its matcher the hook concerns more, not less: a guard still guards. */
		diag_add(&c->h->diags, TL_ERROR, "wrong-type", &at,
			 "the matcher must be a string, this is %s; taken as \"*\"",
			 json_type_name(m));
	}
	if (seq && seq->type != J_BOOL) {
		at = def_place(c, seq->pos, "sequential");
		diag_add(&c->h->diags, TL_ERROR, "wrong-type", &at,
			 "\"sequential\" must be a boolean, this is %s; taken as false",
			 json_type_name(seq));
	}
}

static void read_definition(struct cursor *c, const struct json *def)
{
	const struct json *list = json_get(def, STR("hooks")), *m = json_get(def, STR("matcher"));

	if (!json_is(def, J_OBJ) || !json_is(list, J_ARR)) {
		struct place at = def_place(c, def->pos, "");

		wrong_shape(c->h, c->s, def, "bad-definition", &at,
			    "a definition is an object with an array \"hooks\"");
		return;
	}
	check_definition(c, def);
	c->matcher = json_str(m, STR(""));
	c->matcher_pos = m ? m->pos : def->pos;
	c->sequential = json_is_true(json_get(def, STR("sequential")));
	for (c->entry = 0; c->entry < list->n; c->entry++)
		read_hook(c, json_at(list, c->entry));
}

static bool is_switch(struct str key)
{
	return str_eqz(key, "enabled") || str_eqz(key, "disabled") || str_eqz(key, "notifications");
}

/* Claude-only marks in the definitions of a Claude-named event (dialects.md 2.5.7). */
static bool looks_like_claude(const struct json *defs)
{
	static const char *const only_claude[] = { "args", "async", "asyncRewake", "if", "once",
						   "shell", "statusMessage" };

	for (size_t i = 0; json_is(defs, J_ARR) && i < defs->n; i++) {
		const struct json *def = json_at(defs, i), *list = json_get(def, STR("hooks"));
		struct str matcher = json_str(json_get(def, STR("matcher")), STR("")), word;

		for (struct str rest = matcher; str_split(&rest, '|', &word);) {
			word = str_trim(word);
			if (word.n && word.p[0] >= 'A' && word.p[0] <= 'Z' && tool_alias(word))
				return true;
		}
		for (size_t k = 0; json_is(list, J_ARR) && k < list->n; k++) {
			const struct json *hook = json_at(list, k);
			double t = json_num(json_get(hook, STR("timeout")), CLAUDE_MS_FROM);

			if (t < CLAUDE_MS_FROM)
				return true;
			for (size_t j = 0; j < ARRAY_LEN(only_claude); j++)
				if (json_get(hook, str_from(only_claude[j])))
					return true;
		}
	}
	return false;
}

/*
 * What Claude-named events in a .gemini file mean: the setting says, or what stands in them shows.
 * NULL when the file has no such events.
 */
static const struct dialect *claude_named(struct tl_hooks *h, const struct json *hooks)
{
	const struct dialect *claude = &dialects[DIALECT_CLAUDE];
	bool some = false, marks = false;

	for (size_t i = 0; i < hooks->n; i++) {
		struct str key = hooks->members[i].key;

		if (dialect_event_find(&dialects[DIALECT_GEMINI], key) ||
		    !dialect_event_find(claude, key))
			continue;
		some = true;
		marks |= looks_like_claude(&hooks->members[i].v) ||
			 !dialect_event_find(&dialects[DIALECT_JPFORK], key);
	}
	if (!some)
		return NULL;
	if (h->set.claude_keys)
		return h->set.claude_keys;
	return marks ? claude : &dialects[DIALECT_JPFORK];
}

static void report_event(struct tl_hooks *h, const struct source *s, const struct json_member *m)
{
	const char *names[EV_COUNT];
	const struct dialect *d = s->dialect;
	size_t n = 0;

	for (; n < d->nevents && n < ARRAY_LEN(names); n++)
		names[n] = d->events[n].name;
	const char *near = str_nearest(m->key, names, n);
	struct place at = source_place(s, &h->arena, m->pos, "hooks.%.*s", STR_ARG(m->key));

	if (!d->own_tool_names && holds_guard(&m->v)) {
		wrong_shape(h, s, &m->v, "unknown-event", &at, "there is no such event");
		return;
	}
	diag_add(&h->diags, d->own_tool_names ? TL_NOTE : TL_WARNING, "unknown-event", &at,
		 "there is no event \"%.*s\"; its hooks never run%s%s%s", STR_ARG(m->key),
		 near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static void read_event(struct cursor *c, const struct json_member *m)
{
	struct tl_hooks *h = c->h;
	struct place at = source_place(c->s, &h->arena, m->pos, "hooks.%s", c->as->name);

	if (c->as->when == CASE_NEVER) {
		diag_add(&h->diags, holds_guard(&m->v) ? TL_WARNING : TL_NOTE, "event-never-fires",
			 &at, "%s has no moment here; its hooks never run", c->as->name);
		return;
	}
	if (m->v.type != J_ARR) {
		wrong_shape(h, c->s, &m->v, "wrong-type", &at, "must be an array of definitions");
		return;
	}
	for (c->def = 0; c->def < m->v.n; c->def++)
		read_definition(c, json_at(&m->v, c->def));
}

/* A key that stands twice: JSON says that the last one counts, and its author did not mean that. */
static void check_repeats(struct tl_hooks *h, const struct source *s, const struct json *v)
{
	if (json_is(v, J_OBJ) && v->yes) {
		struct place at = source_place(s, &h->arena, v->pos, "hooks");

		diag_add(
			&h->diags, TL_ERROR, "repeated-key", &at,
			"a key stands more than once in this object; only the last one would "
			"count");
		give_up(h, s, &at, "a key stands more than once in this object");
	}
	for (size_t i = 0; (json_is(v, J_OBJ) || json_is(v, J_ARR)) && i < v->n; i++)
		check_repeats(h, s, v->type == J_OBJ ? &v->members[i].v : json_at(v, i));
}

/* Hooks that stand beside "hooks", or under a name that only looks like it. */
static void check_root(struct tl_hooks *h, const struct source *s)
{
	static const char *const right[] = { "hooks", "hooksConfig" };

	for (size_t i = 0; i < s->doc->n; i++) {
		const struct json_member *m = &s->doc->members[i];
		bool known = str_eqz(m->key, right[0]) || str_eqz(m->key, right[1]);
		const char *near = known ? NULL : str_nearest(m->key, right, ARRAY_LEN(right));
		bool event = dialect_event_find(s->dialect, m->key) != NULL;

		if ((!near && !event) || !holds_guard(&m->v))
			continue;
		struct place at = source_place(s, &h->arena, m->pos, "%.*s", STR_ARG(m->key));
		wrong_shape(h, s, &m->v, "misplaced", &at,
			    event ? "events belong into \"hooks\"" : "did you mean \"hooks\"?");
	}
	if (s->doc->yes) {
		struct place at = source_place(s, &h->arena, s->doc->pos, "settings");

		diag_add(&h->diags, TL_ERROR, "repeated-key", &at,
			 "a key stands more than once in this file; only the last one counts");
		/* Which key it is, is not known; when it may be this one, whole policies are gone.
		 */
		const struct json_member *hooks = json_member(s->doc, STR("hooks"));
		if (hooks && str_find(str_sub(s->text, 0, hooks->pos), STR("\"hooks\""), 0) >= 0)
			give_up(h, s, &at, "\"hooks\" stands more than once in this file");
	}
}

void hooks_read(struct tl_hooks *h, const struct source *s)
{
	const struct json *hooks = json_get(s->doc, STR("hooks"));
	bool has_gemini = false, told = false;

	check_root(h, s);
	if (!hooks)
		return;
	check_repeats(h, s, hooks);
	if (hooks->type != J_OBJ) {
		struct place at = source_place(s, &h->arena, hooks->pos, "hooks");
		wrong_shape(h, s, hooks, "wrong-type", &at,
			    "must be an object of events; no hook of this file runs");
		return;
	}
	const struct dialect *other = s->dialect->own_tool_names ? NULL : claude_named(h, hooks);
	for (size_t i = 0; i < hooks->n; i++)
		has_gemini |= !str_eqz(hooks->members[i].key, "Notification") &&
			      dialect_event_find(s->dialect, hooks->members[i].key) != NULL;
	for (size_t i = 0; i < hooks->n; i++) {
		const struct json_member *m = &hooks->members[i];
		struct cursor c = { .h = h, .s = s, .dialect = s->dialect };

		if (is_switch(m->key))
			continue;
		/* Notification exists in all of them; it belongs to the events that it stands with.
		 */
		if (!other || has_gemini || !str_eqz(m->key, "Notification"))
			c.as = dialect_event_find(c.dialect, m->key);
		if (!c.as && other) {
			c.dialect = other;
			c.as = dialect_event_find(other, m->key);
		}
		if (!c.as) {
			report_event(h, s, m);
			continue;
		}
		if (c.dialect != s->dialect && !told) {
			struct place at =
				source_place(s, &h->arena, m->pos, "hooks.%s", c.as->name);
			diag_add(
				&h->diags, TL_NOTE, "foreign-events", &at,
				"%s and its kin are read in the %s dialect; hooksConfig.dialect "
				"says otherwise",
				c.as->name, c.dialect->name);
			told = true;
		}
		read_event(&c, m);
	}
}

void hooks_read_runtime(struct tl_hooks *h)
{
	for (struct tl_runtime_hook *r = h->runtime; r && r->name; r++) {
		struct hook *hook = ARENA_NEW(&h->arena, struct hook);

		const struct dialect_event *as =
			dialect_event_find(&dialects[DIALECT_GEMINI], str_from(r->event));

		*hook = (struct hook){
			.event = &events[as->moment],
			.as = as,
			.dialect = &dialects[DIALECT_GEMINI],
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
			.trust = TL_NOT_PROJECT,
			.state = TL_STATE_WOULD_RUN,
			.runtime = r,
		};
		matcher_init(&hook->matcher, &h->arena, hook->event, hook->dialect,
			     str_from(r->matcher), &hook->at, &h->diags);
		hook_add(h, hook);
	}
}
