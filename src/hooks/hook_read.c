/*
 * One entry of a "hooks" array: from JSON to struct hook.  What is wrong is reported with its path
 * and left out (C7.1), except for a guard: that one is kept as broken, and denies (C3.6).
 */
#include "hooks/hook_read.h"

#include <inttypes.h>

#include "base/meant.h"
#include "base/path.h"
#include "base/vec.h"
#include "hooks/confined.h"
#include "hooks/handlers.h"
#include "hooks/warm.h"
#include "settings/expand.h"

enum { TIMEOUT_SUSPICIOUS_MS = 50, TIMEOUT_SHORT_MS = 200, SECONDS_SUSPICIOUS = 1000 };

static struct place here(const struct cursor *c, size_t pos, const char *key)
{
	return source_place(c->s, &c->h->arena, pos, "hooks.%s[%zu].hooks[%zu]%s%s", c->as->name,
			    c->def, c->entry, *key ? "." : "", key);
}

/*
 * A hook's entry that cannot be used.  It is left out; but when it says that it is a guard, leaving
 * it out would open the door that it guards.
 */
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
	break_off(hook, c, TL_SEVERITY_ERROR, &at, code, text);
}

/* Is a failure of it a denial?  Then it is kept, even when it cannot run. */
static bool is_guarding(const struct hook *hook)
{
	return hook->guard || hook->on_failure == FAIL_DENY;
}

struct entry {
	struct hook *hook;
	const struct cursor *c;
	size_t pos;
	bool hides_guard; /* in a member that no hook has */
	struct object_value got[HOOK_KEYS];
};

static void say_odd(void *data, const struct object_odd *odd)
{
	struct entry *e = data;
	struct place at = here(e->c, odd->pos, odd->path);

	if (hooks_hold_guard(odd->value)) {
		e->hides_guard = true;
		break_off(e->hook, e->c, TL_SEVERITY_ERROR, &at, "misplaced",
			  "a guard is in it, which belongs in the array of hooks");
	} else if (odd->error)
		break_off(e->hook, e->c, TL_SEVERITY_ERROR, &at, odd->code, odd->text);
	else
		diag_add(&e->c->h->diags, odd_severity(e->c, odd), odd->code, &at, "%s", odd->text);
}

/* How the entry is run when it is no command; NULL = it is one, or nothing that we know. */
static const struct handler *handler_of(const struct hook *hook, const struct json *v)
{
	return hook->dialect->handlers ? handler_find(json_get_str(v, "type")) : NULL;
}

static void read_keys(struct entry *e, const struct json *v)
{
	const struct handler *row = handler_of(e->hook, v);
	struct object_reader r = {
		.keys = hook_keys,
		.n = HOOK_KEYS,
		.have = (e->c->dialect->claude_keys ? KEY_CLAUDE_FILE : 0) |
			(e->hook->dialect->claude_keys ? KEY_CLAUDE_HOOK : 0) |
			(row ? row->key : 0),
		.nulls = true,
		.odd = say_odd,
		.data = e,
	};

	object_read(&r, v, e->got);
}

static void read_handler(struct entry *e, const struct handler *row, const struct json *type)
{
	const struct cursor *c = e->c;
	struct hook *hook = e->hook;
	bool guards = is_guarding(hook);
	struct place at = here(c, type->pos, "type");
	struct handler_fault fault = handler_read(
		&(struct handler_entry){ .h = c->h, .hook = hook, .got = e->got }, row);

	hook->id = *hook->name ? hook->name : hook->command;
	for (const struct tl_handler *host = c->h->handlers; host->type; host++)
		if (strcmp(host->type, row->type) == 0)
			hook->host = host;
	/* Its author did nothing wrong, so that this is an error only of a guard, which denies; of
	 * another one each session says it once, and lint. */
	if (!hook->host)
		break_off(hook, c, guards ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING, &at,
			  guards ? "unknown-type" : "handler-not-run",
			  arena_printf(&c->h->arena,
				       "\"%s\" hooks are not run here, only \"command\"%s",
				       row->type, guards ? "" : "; nothing decides in its place")
				  .p);
	else if (fault.text)
		reject(hook, c, e->got[fault.key].v ? e->got[fault.key].v->pos : type->pos,
		       hook_keys[fault.key].name, fault.code, "%s", fault.text);
}

static void read_type(struct entry *e, const struct json *v)
{
	const struct cursor *c = e->c;
	const struct json *type = json_getz(v, "type"), *command = json_getz(v, "command");
	const struct handler *row = handler_of(e->hook, v);
	struct str name = json_str(type, STR(""));
	struct place at = here(c, type ? type->pos : v->pos, "type");

	if (row) {
		read_handler(e, row, type);
		return;
	}
	if (type && !str_eqz(name, "command") && !str_eqz(name, "plugin")) {
		AUTO(buf_done) struct buf types = { 0 };

		buf_addz(&types, "command");
		for (size_t i = 0; e->hook->dialect->handlers && handler_at(i); i++)
			buf_addf(&types, "%s%s", handler_at(i + 1) ? ", " : " or ",
				 handler_at(i)->type);
		reject(e->hook, c, type->pos, "type", "unknown-type",
		       "\"%.*s\" hooks are not run here, only %s%s", STR_ARG(name), buf_z(&types),
		       meant_among(name, buf_z(&types)).text);
		return;
	}
	if (!type)
		diag_add(&c->h->diags, TL_SEVERITY_WARNING, "missing-type", &at,
			 "\"type\": \"command\" is missing; taken as that");
	if (!e->got[K_COMMAND].wrong && str_trim(json_str(command, STR(""))).n == 0)
		reject(e->hook, c, v->pos, "command", "no-command", "the hook has no command");
}

static void read_timeout(struct entry *e)
{
	const struct cursor *c = e->c;
	const struct dialect *d = c->dialect;
	const struct json *t = e->got[K_TIMEOUT].v;
	struct hook *hook = e->hook;
	double value = json_num(t, 0), unit = d->timeout_unit_ms;
	int64_t whole;

	hook->timeout_ms = c->as->timeout_ms ? c->as->timeout_ms : d->timeout_ms;
	if (hook->handler && hook->handler->timeout_ms &&
	    hook->handler->timeout_ms < hook->timeout_ms)
		hook->timeout_ms = hook->handler->timeout_ms;
	if (!t)
		return;
	struct place at = here(c, t->pos, "timeout");
	if (str_to_int(str_trim(json_str(t, STR("x"))), &whole))
		value = (double)whole;
	if (!(value > 0)) {
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
	else if (unit == 1 && value <= 600 && (int)value % 30 == 0)
		diag_add(&c->h->diags, value < TIMEOUT_SHORT_MS ? odd : TL_SEVERITY_NOTE,
			 "timeout-unit", &at,
			 "the timeout is %.15g milliseconds; %.15g seconds would be %.15g", value,
			 value, value * 1000);
}

/* A whole number from 1 to max; `otherwise` where it is left out, or is no such number. */
static int64_t read_count(const struct entry *e, int key, int64_t max, int64_t otherwise)
{
	const struct json *v = e->got[key].v;
	double n = json_num(v, 0);
	struct place at = here(e->c, v ? v->pos : 0, hook_keys[key].name);

	if (v && n >= 1 && n <= (double)max && n == (double)(int64_t)n)
		return (int64_t)n;
	if (v)
		diag_add(&e->c->h->diags, TL_SEVERITY_WARNING, "bad-value", &at,
			 "\"%s\" is a whole number from 1 to %" PRId64 " (ignored)",
			 hook_keys[key].name, max);
	return otherwise;
}

/* What stays, is not waited for or is no process has no use for one that waits. */
static void read_warm(struct entry *e)
{
	struct hook *hook = e->hook;
	const struct json *v = e->got[K_WARM].v;
	struct place at = here(e->c, v ? v->pos : 0, "warm");

	hook->warm = (int)read_count(e, K_WARM, WARM_MAX, 0);
	hook->warm_seconds = read_count(e, K_WARM_SECONDS, WARM_SECONDS_MAX, WARM_SECONDS);
	if (!hook->warm || !(hook->persistent || hook_goes_on(hook) || hook->handler))
		return;
	hook->warm = 0;
	diag_add(&e->c->h->diags, TL_SEVERITY_WARNING, "no-effect", &at,
		 "\"warm\" has no effect on a hook that is %s",
		 hook->handler      ? "no command"
		 : hook->persistent ? "persistent"
				    : "asynchronous");
}

/*
 * The variables of an extension come first.  In one of the project their values are not those of
 * its settings, as whoever approves the hook is shown these.
 */
static void read_env(struct entry *e)
{
	const struct cursor *c = e->c;
	const struct json *env = e->got[K_ENV].v;
	struct extension ext = c->s->extension ? *c->s->extension : (struct extension){ 0 };
	struct expansion x = expand_from(c->h->dirs.env);
	struct hook *hook = e->hook;
	struct arena *a = &c->h->arena;

	hook->env = ARENA_ARRAY(a, struct env_pair, (env ? env->n : 0) + 4);
	if (c->s->extension) {
		hook->env[hook->nenv++] = (struct env_pair){ "extensionPath", ext.dir };
		hook->env[hook->nenv++] = (struct env_pair){ "workspacePath", c->h->dirs.project };
	}
	if (ext.is_plugin)
		hook->env[hook->nenv++] = (struct env_pair){ "CLAUDE_PLUGIN_ROOT", ext.dir };
	if (ext.is_plugin && ext.data)
		hook->env[hook->nenv++] = (struct env_pair){ "CLAUDE_PLUGIN_DATA", ext.data };
	ext.env = ext.in_project ? NULL : ext.env;
	for (size_t i = 0; env && i < env->n; i++) {
		const struct json_member *m = &env->members[i];
		struct str value = m->v.type == J_NUM ? (struct str){ m->v.s, m->v.n }
						      : json_str(&m->v, STR(""));

		if (!m->key.n || memchr(m->key.p, '=', m->key.n) ||
		    memchr(m->key.p, '\0', m->key.n) ||
		    (m->v.type != J_STR && m->v.type != J_NUM) || memchr(value.p, '\0', value.n)) {
			reject(hook, c, m->v.pos, "env", "bad-env",
			       "\"%.*s\" is not an environment variable with a string value",
			       STR_ARG(m->key));
			continue;
		}
		if (c->s->extension)
			value = extension_expand(a, &ext, c->h->dirs.project, value);
		hook->env[hook->nenv++] =
			(struct env_pair){ arena_z(a, m->key), arena_z(a, expand(&x, a, value)) };
	}
}

/* The name of the hook's dialect, else of its definition's; "" when neither says one. */
static struct str said_dialect(const struct cursor *c, const struct json *v)
{
	return json_str(json_getz(v, "dialect"), json_str(c->said.v, STR("")));
}

/* An event that is not the file's own is read in the dialect that the hook names (C7.6). */
static struct cursor in_said_dialect(const struct cursor *c, const struct json *v)
{
	const struct dialect *d = dialect_find(said_dialect(c, v));
	struct cursor out = *c;

	if (d && c->dialect != c->s->dialect && dialect_event_find(d, str_from(c->as->name))) {
		out.dialect = d;
		out.as = dialect_event_find(d, str_from(c->as->name));
	}
	return out;
}

/*
 * A hook that was moved here from another agent's file speaks as it did there: payload, exit
 * statuses and answer are that dialect's.  Where it is says what it listens to.
 */
static void read_dialect(struct hook *hook, const struct cursor *c, const struct json *v)
{
	const struct dialect *d = dialect_find(said_dialect(c, v));
	const struct dialect_event *as = d ? dialect_event_of(d, hook->event->id) : NULL;
	struct place at = here(c, v->pos, "dialect");

	if (c->said.wrong && !json_getz(v, "dialect"))
		reject(hook, c, v->pos, "dialect", "bad-value",
		       "the dialect of its definition is not known");
	if (!d || d == c->dialect)
		return;
	if (!as) {
		diag_add(&c->h->diags, TL_SEVERITY_WARNING, "no-such-event", &at,
			 "the %s dialect has no event like %s (ignored)", d->name,
			 hook->event->name);
		return;
	}
	hook->dialect = d;
	hook->as = as;
}

/* In our words, or in Claude Code's, which has events where a failure never blocks (C3.5). */
static enum on_failure failure_word(const struct entry *e)
{
	static const enum event_id never[] = { EV_AFTER_AGENT, EV_SUBAGENT_STOP,
					       EV_TASK_COMPLETED };
	struct str word = json_str(e->got[K_ON_FAILURE].v, STR(""));

	if (str_eqz(word, "continue"))
		return FAIL_WARN;
	if (!str_eqz(word, "block"))
		return on_failure_find(word);
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		if (e->hook->event->id == never[i] && !e->hook->guard)
			return FAIL_WARN;
	return !e->hook->guard && (json_is_true(e->got[K_ASYNC].v) ||
				   json_is_true(e->got[K_ASYNC_REWAKE].v))
		       ? FAIL_WARN
		       : FAIL_DENY;
}

/* Is it what `hooks install` writes into other agents' files: "'/usr/bin/trotline-hook' claude"? */
static bool is_our_entry(struct str command)
{
	bool quoted = str_starts(command, STR("'"));
	struct str rest = str_sub(command, quoted, command.n), word;
	ptrdiff_t end = str_chr(rest, quoted ? '\'' : ' ', 0);

	if (end < 0)
		return false;
	AUTO(free) char *program = xstrndup(rest.p, (size_t)end);
	rest = str_trim(str_sub(rest, (size_t)end + quoted, rest.n));
	if (strcmp(path_name(program), "trotline-hook") == 0)
		return rest.n && char_is_word(rest.p[0]);
	return strcmp(path_name(program), "trotline") == 0 && str_split(&rest, ' ', &word) &&
	       str_eqz(word, "hook");
}

/* disableAllHooks of Claude's files does not reach the system's, nor guards above it. */
static void read_switch(struct hook *hook, const struct cursor *c)
{
	const struct settings *set = &c->h->set;
	bool below = tier_authority(set->claude_off_tier) < tier_authority(hook->tier);

	if (set->claude_off && c->s->dialect->off_key &&
	    !(below && (hook->guard || tiers[hook->tier].own_switch))) {
		hook->state = TL_STATE_DISABLED;
		hook->why = arena_printf(&c->h->arena, "switched off by %s in %s",
					 c->s->dialect->off_key, set->claude_off)
				    .p;
	}
	/* C8.5: it would ask the hooks that run anyway, and those again what is in such files. */
	if (!hook->handler && is_our_entry(str_from(hook->command))) {
		hook->state = TL_STATE_DISABLED;
		hook->why = "it is trotline itself, whose hooks run already";
	}
}

/* How strict it is (C3.5, C3.6).  What is odd about that makes it as strict as can be. */
static void read_strictness(struct entry *e, const struct json *v)
{
	struct hook *hook = e->hook;
	const struct cursor *c = e->c;
	const struct object_value *failure = &e->got[K_ON_FAILURE];
	enum on_failure tier = c->h->set.on_failure[hook->tier];

	hook->guard = e->got[K_GUARD].wrong || json_is_true(e->got[K_GUARD].v);
	hook->observe = str_eqz(json_str(e->got[K_MODE].v, STR("")), "observe");
	hook->on_failure = FAIL_WARN;
	if (tier != FAIL_DEFAULT)
		hook->on_failure = tier;
	else if (hook->event->id == EV_BEFORE_TOOL && hook->dialect->before_tool_failure)
		hook->on_failure = hook->dialect->before_tool_failure;
	if (hook->guard)
		hook->on_failure = FAIL_DENY;
	if (failure->v)
		hook->on_failure = failure_word(e);
	if (e->got[K_GUARD].wrong || failure->wrong || c->misplaced || e->hides_guard)
		hook->on_failure = FAIL_DENY;
	if (c->misplaced)
		reject(hook, c, v->pos, "", "misplaced",
		       "\"%s\" belongs inside the hook, not next to it", c->misplaced);
}

/* Names of variables that no shell would take.  Others stay variables, see command.c. */
static const char *command_text(const struct cursor *c, struct str command)
{
	static const struct {
		struct str name;
		const char *becomes;
		bool option; /* the rest of the name, in capitals, is a variable's */
	} names[] = {
		{ STR("${/}"), "/", false },
		{ STR("${pathSeparator}"), "/", false },
		{ STR("${user_config."), "${" PLUGIN_OPTION, true },
	};
	AUTO(buf_done) struct buf out = { 0 };
	bool option = false;

	if (!c->s->extension)
		return arena_z(&c->h->arena, command);
	for (size_t i = 0; i < command.n;) {
		struct str rest = str_sub(command, i, command.n);
		size_t k = 0;

		option = option && rest.p[0] != '}';
		while (k < ARRAY_LEN(names) && !str_starts(rest, names[k].name))
			k++;
		if (k < ARRAY_LEN(names)) {
			buf_addz(&out, names[k].becomes);
			option = names[k].option;
		} else {
			buf_addc(&out, option ? char_upper(rest.p[0]) : rest.p[0]);
		}
		i += k < ARRAY_LEN(names) ? names[k].name.n : 1;
	}
	return arena_z(&c->h->arena, buf_str(&out));
}

/* A list of strings, NULL-terminated; NULL when there is none. */
static const char *const *read_list(const struct entry *e, const struct json *v)
{
	struct arena *a = &e->c->h->arena;
	const char **list = v ? ARENA_ARRAY(a, const char *, v->n + 1) : NULL;

	for (size_t i = 0; v && i < v->n; i++)
		list[i] = command_text(e->c, json_str(json_at(v, i), STR("")));
	return list;
}

static const char *variable_of_entry(const void *data, struct str name)
{
	const struct entry *e = data;

	for (size_t i = e->hook->nenv; i > 0; i--)
		if (str_eqz(name, e->hook->env[i - 1].name))
			return e->hook->env[i - 1].value;
	return confined_variable(e->c->h, name);
}

static void read_sandbox(struct entry *e)
{
	const struct object_value *v = &e->got[K_SANDBOX];
	const struct dirs *dirs = &e->c->h->dirs;
	const struct sandbox_source from = {
		.arena = &e->c->h->arena,
		.project = dirs->project,
		.home = dirs->home,
		.variable = variable_of_entry,
		.odd = say_odd,
		.data = e,
	};
	struct sandbox_rules *rules;

	if (!v->v && !v->wrong)
		return;
	rules = ARENA_NEW(from.arena, struct sandbox_rules);
	sandbox_rules_default(&from, rules);
	if (v->wrong || !sandbox_rules_read(&from, v->v, rules))
		reject(e->hook, e->c, v->v ? v->v->pos : e->pos, "sandbox", "bad-sandbox",
		       "the hook does not run outside of the sandbox that it was to have");
	else if (e->hook->handler)
		reject(e->hook, e->c, v->v->pos, "sandbox", "bad-sandbox",
		       "a hook of type \"%s\" starts no process, so a sandbox has no effect",
		       e->hook->handler->type);
	e->hook->sandbox = rules;
	e->hook->sandbox_own = true;
}

/* What guards is waited for, and so is what answers line by line. */
static void settle_async(struct entry *e)
{
	struct hook *hook = e->hook;
	struct place at = here(e->c, e->pos, "async");

	if (!hook_goes_on(hook))
		return;
	if (is_guarding(hook)) {
		hook->detached = hook->rewake = false;
		reject(hook, e->c, e->pos, "async", "async-guard",
		       "an async hook cannot guard anything, because its answer comes too late");
	} else if (hook->persistent) {
		hook->detached = hook->rewake = false;
		diag_add(&e->c->h->diags, TL_SEVERITY_WARNING, "no-effect", &at,
			 "\"async\" has no effect on a hook that is persistent: it is waited for");
	}
}

/* "node" says too little where the script is an argument. */
static void name_with_args(struct hook *hook, struct arena *a)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (*hook->name || !hook->args || !hook->args[0])
		return;
	buf_addz(&out, hook->command);
	for (const char *const *arg = hook->args; *arg; arg++)
		buf_addf(&out, **arg && !strpbrk(*arg, " \t\n'\"") ? " %s" : " '%s'", *arg);
	hook->id = arena_z(a, buf_str(&out));
}

void hook_add(struct tl_hooks *h, struct hook *hook)
{
	h->for_agents |= hook->agent != NULL;
	h->for_skills |= hook->skill != NULL;
	VEC_ROOM(h->hooks, h->nhooks, h->hooks_cap);
	h->hooks[h->nhooks++] = hook;
}

void hook_read(const struct cursor *at_definition, const struct json *v)
{
	const struct cursor said = in_said_dialect(at_definition, v), *c = &said;
	struct arena *a = &c->h->arena;
	struct hook *hook = ARENA_NEW(a, struct hook);
	struct place none = here(c, v->pos, "");
	struct entry e = { .hook = hook, .c = c, .pos = v->pos };

	if (!json_is(v, J_OBJ)) {
		hooks_wrong_shape(c->h, c->s, v, "wrong-type", &none, "a hook is an object");
		return;
	}
	*hook = (struct hook){
		.event = &events[c->as->moment],
		.as = c->as,
		.dialect = c->dialect,
		.tier = c->s->tier,
		.extension = c->s->extension,
		.agent = c->s->agent,
		.skill = c->s->skill,
		.bound = c->s->agent || c->s->skill,
		.at = none,
		.matcher_at = source_place(c->s, a, c->matcher_pos, "hooks.%s[%zu].matcher",
					   c->as->name, c->def),
		.listed_under = c->listed_under,
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
	read_keys(&e, v);
	read_strictness(&e, v);
	read_type(&e, v);
	read_timeout(&e);
	read_env(&e);
	read_sandbox(&e);
	hook->args = hook->handler ? NULL : read_list(&e, e.got[K_ARGS].v);
	name_with_args(hook, a);
	hook->watch = read_list(&e, e.got[K_WATCH].v);
	hook->persistent = !hook->handler && json_is_true(e.got[K_PERSISTENT].v);
	hook->rewake = json_is_true(e.got[K_ASYNC_REWAKE].v) && !hook->handler;
	hook->detached = json_is_true(e.got[K_ASYNC].v) && !hook->rewake;
	read_warm(&e);
	if (e.got[K_REWAKE_MESSAGE].v)
		hook->rewake_message = arena_z(a, json_str(e.got[K_REWAKE_MESSAGE].v, STR("")));
	hook->once = json_is_true(e.got[K_ONCE].v);
	if (e.got[K_STATUS_MESSAGE].v)
		hook->status = arena_z(a, json_str(e.got[K_STATUS_MESSAGE].v, STR("")));
	if (hook->once && is_guarding(hook)) {
		hook->once = false;
		reject(hook, c, v->pos, "once", "once-guard",
		       "a guard that runs once guards nothing afterwards");
	}
	if (e.got[K_IF].v)
		hook->if_rule = arena_z(a, json_str(e.got[K_IF].v, STR("")));
	read_switch(hook, c);
	settle_async(&e);
	if (hook->broken && !is_guarding(hook))
		return;
	/* "onFailure": "warn" is about what the hook does, not about what its entry is. */
	if (hook->broken && hook->on_failure == FAIL_WARN)
		hook->on_failure = FAIL_DENY;
	/* A definition's matcher is the same for all its hooks: report what is odd about it once.
	 */
	struct diags quiet = { .arena = a };
	matcher_init(&hook->matcher, a, hook->event, c->dialect, c->matcher, &hook->matcher_at,
		     c->entry == 0 ? &c->h->diags : &quiet);
	diags_done(&quiet);
	if (hook->matcher.invalid && is_guarding(hook)) {
		/* Compared literally it would guard nothing. */
		hook->matcher.kind = MATCHER_ALL;
		diag_add(&c->h->diags, TL_SEVERITY_ERROR, "invalid-regex", &hook->matcher_at,
			 "the matcher of the guard \"%s\" cannot be read; it runs for every tool",
			 hook_label(a, hook));
	}
	hook_add(c->h, hook);
}
