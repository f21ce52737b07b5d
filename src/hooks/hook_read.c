/*
 * One entry of a "hooks" array: from JSON to struct hook.  What is wrong is reported with its path
 * and left out (C7.1), except for a guard: that one is kept as broken, and denies (C3.6).
 */
#include "hooks/hook_read.h"

#include "base/vec.h"
#include "settings/expand.h"

enum { TIMEOUT_SUSPICIOUS_MS = 50, SECONDS_SUSPICIOUS = 1000 };

static const char *const failure_names[] = {
	[FAIL_DEFAULT] = "warn", [FAIL_WARN] = "warn", [FAIL_ASK] = "ask", [FAIL_DENY] = "deny"
};

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

const struct known_key *key_find(const struct known_key *keys, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eqz(name, keys[i].name))
			return &keys[i];
	return NULL;
}

void report_unknown(const struct cursor *c, const struct known_key *keys, size_t n,
		    const struct json_member *m, const char *prefix)
{
	const char *names[ARRAY_LEN(hook_keys)];
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!keys[i].claude_only || c->dialect->claude_keys)
			names[known++] = keys[i].name;
	const char *near = str_nearest(m->key, names, known);
	struct place at = source_place(c->s, &c->h->arena, m->pos, "hooks.%s[%zu]%s.%.*s",
				       c->as->name, c->def, prefix, STR_ARG(m->key));
	diag_add(&c->h->diags, TL_SEVERITY_WARNING, "unknown-key", &at,
		 "unknown key \"%.*s\"%s%s%s", STR_ARG(m->key), near ? "; did you mean \"" : "",
		 near ? near : "", near ? "\"?" : "");
}

/*
 * A hook's entry that cannot be used.  It is left out; but when it says that it is a guard, leaving
 * it out would open the door that it guards.
 */
static void reject(struct hook *hook, const struct cursor *c, size_t pos, const char *key,
		   const char *code, const char *fmt, ...) PRINTF_LIKE(6, 7);

static void break_off(struct hook *hook, const struct cursor *c, enum tl_severity severity,
		      const struct place *at, const char *code, const char *text)
{
	if (!hook->broken)
		hook->broken = arena_printf(&c->h->arena, "%s:%u:%u: %s: %s", at->file, at->line,
					    at->column, at->path, text)
				       .p;
	diag_add(&c->h->diags, severity, code, at, "%s", text);
}

static void reject(struct hook *hook, const struct cursor *c, size_t pos, const char *key,
		   const char *code, const char *fmt, ...)
{
	struct place at = here(c, pos, key);
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	break_off(hook, c, TL_SEVERITY_ERROR, &at, code, text);
}

/* Is a failure of it a denial?  Then it is kept, even when it cannot run. */
static bool is_guarding(const struct hook *hook)
{
	return hook->guard || hook->on_failure == FAIL_DENY;
}

static bool key_counts(const struct cursor *c, const struct hook *hook, const struct known_key *k)
{
	return !k->claude_only || c->dialect->claude_keys ||
	       (k->moves && hook->dialect->claude_keys);
}

static void check_hook_keys(struct hook *hook, const struct cursor *c, const struct json *v)
{
	AUTO(free) char *prefix = xasprintf(".hooks[%zu]", c->entry);
	struct str type = json_str(json_getz(v, "type"), STR("command"));
	/* Claude's other kinds have keys of their own; read_type() says that they are not run. */
	bool other = c->dialect->other_handlers && !str_eqz(type, "command");

	for (size_t i = 0; i < v->n; i++) {
		const struct json_member *m = &v->members[i];
		const struct known_key *k = key_find(hook_keys, ARRAY_LEN(hook_keys), m->key);

		if (!k && other)
			continue;
		if (!k || !key_counts(c, hook, k)) {
			report_unknown(c, hook_keys, ARRAY_LEN(hook_keys), m, prefix);
			continue;
		}
		if (m->v.type == J_STR && memchr(m->v.s, 0, m->v.n))
			reject(hook, c, m->v.pos, k->name, "nul", "holds a NUL character");
		/* A number in a string is accepted as a timeout, as everywhere else. */
		if (m->v.type != k->type && m->v.type != J_NULL &&
		    !(strcmp(k->name, "timeout") == 0 && m->v.type == J_STR))
			reject(hook, c, m->v.pos, k->name, "wrong-type",
			       "\"%s\" must be a%s %s, this is %s", k->name,
			       k->type == J_ARR || k->type == J_OBJ ? "n" : "",
			       json_type_name(&(struct json){ .type = k->type }),
			       json_type_name(&m->v));
	}
}

/*
 * Claude's handlers that are no commands.  Their authors did nothing wrong, so that this is an
 * error only of a guard, which denies; of another one each session says it once, and lint.
 */
static bool is_other_handler(struct hook *hook, const struct cursor *c, const struct json *type)
{
	struct str name = json_str(type, STR("")), rest = str_from(c->dialect->other_handlers),
		   other;
	struct place at;

	if (!c->dialect->other_handlers || is_guarding(hook))
		return false;
	while (str_split(&rest, ' ', &other)) {
		if (!str_eq(name, other))
			continue;
		at = here(c, type->pos, "type");
		break_off(hook, c, TL_SEVERITY_WARNING, &at, "handler-not-run",
			  arena_printf(&c->h->arena,
				       "\"%.*s\" hooks are not run here, only \"command\"; nothing "
				       "decides in its place",
				       STR_ARG(other))
				  .p);
		return true;
	}
	return false;
}

static void read_type(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *type = json_getz(v, "type");
	struct str name = json_str(type, STR(""));

	if (is_other_handler(hook, c, type))
		return;
	if (!type) {
		struct place at = here(c, v->pos, "type");
		diag_add(&c->h->diags, TL_SEVERITY_WARNING, "missing-type", &at,
			 "\"type\": \"command\" is missing; taken as that");
	} else if (!str_eqz(name, "command") && !str_eqz(name, "plugin")) {
		reject(hook, c, type->pos, "type", "unknown-type",
		       "\"%.*s\" hooks are not run here, only \"command\"", STR_ARG(name));
		return;
	}
	const struct json *command = json_getz(v, "command");
	if ((!command || json_is(command, J_STR) || json_is(command, J_NULL)) &&
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
	const struct json *t = json_getz(v, "timeout");
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
	/* A guard that is ended too early denies everything, and one that never is holds up all. */
	enum tl_severity odd = hook->guard ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING;
	if (unit > 1 && value >= SECONDS_SUSPICIOUS)
		diag_add(&c->h->diags, odd, "timeout-unit", &at,
			 "the timeout is %.15g seconds; %.15g milliseconds would be %.15g", value,
			 value, value / unit);
	value *= unit;
	if (value > INT32_MAX)
		value = INT32_MAX;
	hook->timeout_ms = value < 1 ? 1 : (int64_t)value;
	if (value < TIMEOUT_SUSPICIOUS_MS)
		diag_add(&c->h->diags, odd, "short-timeout", &at,
			 "%.15g ms is hardly enough to start a process; did you mean %.15g (%.15g "
			 "s)?",
			 value, value * 1000, value);
	else if (unit == 1 && value <= 600 && d->timeout_unit_ms == 1 && (int)value % 30 == 0)
		diag_add(&c->h->diags, TL_SEVERITY_NOTE, "timeout-unit", &at,
			 "the timeout is %.15g milliseconds; %.15g seconds would be %.15g", value,
			 value, value * 1000);
}

/*
 * A value of env: of an extension its variables first (A15.4).  Of one in the project not the
 * values of its settings, as those who approve it are shown these.
 */
static const char *env_value(const struct cursor *c, struct str s)
{
	struct expansion x = expand_from(c->h->dirs.env);
	struct extension e;

	if (c->s->extension) {
		e = *c->s->extension;
		e.env = e.in_project ? NULL : e.env;
		s = extension_expand(&c->h->arena, &e, c->h->dirs.project, s);
	}
	return arena_z(&c->h->arena, expand(&x, &c->h->arena, s));
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
	const struct json *env = json_getz(v, "env");
	size_t extra = c->s->extension ? 2 : 0, n = json_is(env, J_OBJ) ? env->n : 0;

	hook->env = ARENA_ARRAY(&c->h->arena, struct env_pair, n + extra);
	if (extra) {
		hook->env[hook->nenv++] =
			(struct env_pair){ "extensionPath", c->s->extension->dir };
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
		hook->env[hook->nenv++] =
			(struct env_pair){ arena_z(&c->h->arena, m->key), env_value(c, value) };
	}
}

static const struct json *said_dialect(const struct cursor *c, const struct json *v)
{
	const struct json *own = json_getz(v, "dialect");

	return own && own->type != J_NULL ? own : c->said;
}

/* An event that is not the file's own is read in the dialect that the hook names (C7.6). */
static struct cursor in_said_dialect(const struct cursor *c, const struct json *v)
{
	const struct dialect *d = dialect_find(json_str(said_dialect(c, v), STR("")));
	struct cursor out = *c;

	if (d && c->dialect != c->s->dialect && dialect_event_find(d, str_from(c->as->name))) {
		out.dialect = d;
		out.as = dialect_event_find(d, str_from(c->as->name));
	}
	return out;
}

/*
 * A hook that was moved here from another agent's file speaks as it did there: payload, exit
 * statuses and answer are that dialect's.  Where it stands says what it listens to.
 */
static void read_dialect(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *name = said_dialect(c, v);
	const struct dialect *d;

	if (!json_is(name, J_STR))
		return;
	d = dialect_find(json_str(name, STR("")));
	if (!d) {
		reject(hook, c, name->pos, "dialect", "bad-value",
		       "dialect is gemini, tabnine, terminai, jpfork or claude");
		return;
	}
	if (d == c->dialect)
		return;
	const struct dialect_event *as = dialect_event_of(d, hook->event->id);
	if (!as) {
		struct place at = here(c, name->pos, "dialect");

		diag_add(&c->h->diags, TL_SEVERITY_WARNING, "no-such-event", &at,
			 "the %s dialect has no event like %s; ignored", d->name,
			 hook->event->name);
		return;
	}
	hook->dialect = d;
	hook->as = as;
}

/* disableAllHooks of Claude's files, which does not reach the system's, nor guards above it. */
static void read_switch(struct hook *hook, const struct cursor *c)
{
	const struct settings *set = &c->h->set;
	bool below = tier_authority(set->claude_off_tier) < tier_authority(hook->tier);

	if (!set->claude_off || !c->s->dialect->off_key ||
	    (below && (hook->guard || tiers[hook->tier].own_switch)))
		return;
	hook->state = TL_STATE_DISABLED;
	hook->why = arena_printf(&c->h->arena, "switched off by %s in %s", c->s->dialect->off_key,
				 set->claude_off)
			    .p;
}

/* C3.5, C3.6: explicit; else what a guard, the tier's settings, the dialect say. */
static void read_on_failure(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *f = json_getz(v, "onFailure");
	const struct settings *set = &c->h->set;
	enum on_failure dflt = set->on_failure[hook->tier];

	hook->on_failure = FAIL_WARN;
	if (dflt != FAIL_DEFAULT)
		hook->on_failure = dflt;
	else if (hook->event->id == EV_BEFORE_TOOL && hook->dialect->before_tool_failure)
		hook->on_failure = hook->dialect->before_tool_failure;
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
	const struct json *mode = json_getz(v, "mode");
	const struct json *guard = json_getz(v, "guard");
	struct str s = json_str(mode, STR("enforce"));

	/* Whoever writes "guard": "true" means a guard. */
	hook->guard = guard && guard->type != J_NULL && !json_is_false(guard);
	hook->observe = str_eqz(s, "observe");
	if (!hook->observe && !str_eqz(s, "enforce"))
		reject(hook, c, mode->pos, "mode", "bad-value",
		       "mode is \"enforce\" or \"observe\"");
	hook->persistent = json_is_true(json_getz(v, "persistent"));
	if (c->dialect->claude_keys)
		hook->detached = json_is_true(json_getz(v, "async")) ||
				 json_is_true(json_getz(v, "asyncRewake"));
	if (hook->dialect->claude_keys && json_is(json_getz(v, "if"), J_STR))
		hook->if_rule = arena_z(&c->h->arena, json_get_str(v, "if"));
}

static void read_args(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *args = json_getz(v, "args");

	if (!c->dialect->claude_keys || !json_is(args, J_ARR))
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

/* Files that count as the hook's own (C7.4). */
static void read_watch(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct json *watch = json_getz(v, "watch");

	if (!json_is(watch, J_ARR))
		return;
	const char **list = ARENA_ARRAY(&c->h->arena, const char *, watch->n + 1);
	for (size_t i = 0; i < watch->n; i++) {
		if (!json_is(json_at(watch, i), J_STR))
			reject(hook, c, json_at(watch, i)->pos, "watch", "wrong-type",
			       "every path must be a string");
		list[i] = arena_z(&c->h->arena, json_str(json_at(watch, i), STR("")));
	}
	hook->watch = list;
}

/* ${/} and ${pathSeparator} of extensions are the same everywhere; paths stay variables, see
 * command.c. */
static const char *command_text(const struct cursor *c, struct str command)
{
	AUTO(buf_done) struct buf out = { 0 };
	static const struct str names[] = { { "${/}", 4 }, { "${pathSeparator}", 16 } };

	if (!c->s->extension)
		return arena_z(&c->h->arena, command);
	for (size_t i = 0; i < command.n;) {
		struct str rest = str_sub(command, i, command.n);
		size_t k = 0;

		while (k < ARRAY_LEN(names) && !str_starts(rest, names[k]))
			k++;
		buf_addc(&out, k < ARRAY_LEN(names) ? '/' : rest.p[0]);
		i += k < ARRAY_LEN(names) ? names[k].n : 1;
	}
	return arena_z(&c->h->arena, buf_str(&out));
}

void hook_add(struct tl_hooks *h, struct hook *hook)
{
	if (h->nhooks == h->hooks_cap) {
		h->hooks_cap = h->hooks_cap ? h->hooks_cap * 2 : 16;
		h->hooks = vec_grow(h->hooks, h->hooks_cap, sizeof *h->hooks);
	}
	h->hooks[h->nhooks++] = hook;
}

void hook_read(const struct cursor *at_definition, const struct json *v)
{
	const struct cursor said = in_said_dialect(at_definition, v), *c = &said;
	struct arena *a = &c->h->arena;
	struct hook *hook = ARENA_NEW(a, struct hook);
	struct place none = here(c, v->pos, "");

	if (!json_is(v, J_OBJ)) {
		diag_add(&c->h->diags, TL_SEVERITY_ERROR, "wrong-type", &none,
			 "a hook is an object, this is %s; skipped", json_type_name(v));
		return;
	}
	*hook = (struct hook){
		.event = &events[c->as->moment],
		.as = c->as,
		.dialect = c->dialect,
		.tier = c->s->tier,
		.extension = c->s->extension,
		.at = none,
		.sequential = c->sequential,
		.name = arena_z(a, json_get_str(v, "name")),
		.command = command_text(c, str_trim(json_get_str(v, "command"))),
		.description = arena_z(a, json_get_str(v, "description")),
		.fingerprint = "",
		.script = "",
		.why = "",
		.trust = TL_TRUST_NOT_PROJECT,
		.state = TL_STATE_WOULD_RUN,
	};
	hook->id = *hook->name ? hook->name : hook->command;
	read_dialect(hook, c, v);
	check_hook_keys(hook, c, v);
	read_mode(hook, c, v);
	read_on_failure(hook, c, v);
	read_type(hook, c, v);
	read_timeout(hook, c, v);
	read_env(hook, c, v);
	read_args(hook, c, v);
	read_watch(hook, c, v);
	read_switch(hook, c);
	if (hook->detached && is_guarding(hook)) {
		hook->detached = false;
		reject(hook, c, v->pos, "async", "async-guard",
		       "nobody waits for an async hook, so it cannot guard anything");
	}
	if (hook->broken && !is_guarding(hook))
		return;
	struct place at =
		source_place(c->s, a, c->matcher_pos, "hooks.%s[%zu].matcher", c->as->name, c->def);
	/* A definition's matcher is the same for all its hooks: report what is odd about it once.
	 */
	struct diags quiet = { .arena = a };
	matcher_init(&hook->matcher, a, hook->event, c->dialect, c->matcher, &at,
		     c->entry == 0 ? &c->h->diags : &quiet);
	diags_done(&quiet);
	if (hook->matcher.invalid && is_guarding(hook)) {
		/* Compared literally it would guard nothing. */
		hook->matcher.kind = MATCHER_ALL;
		diag_add(&c->h->diags, TL_SEVERITY_ERROR, "invalid-regex", &at,
			 "the matcher of the guard \"%s\" cannot be read; it runs for every tool",
			 hook->id);
	}
	hook_add(c->h, hook);
}
