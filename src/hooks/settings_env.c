/*
 * `env` of Claude Code's settings (C7.8): variables for hooks and for what the session starts.  A
 * project's must not turn somebody else's guard: they never decide which code runs, and guards
 * above the project do not see them.
 */
#include "base/env.h"
#include "base/vec.h"
#include "hooks/config.h"
#include "shell/calls.h"

/* The entry is NAME=VALUE; NULL takes the variable out. */
static void set_var(struct set_vars *set, struct str name, const char *entry)
{
	size_t i = 0;

	while (i + 1 < set->n &&
	       !(str_starts(str_from(set->p[i]), name) && set->p[i][name.n] == '='))
		i++;
	if (i + 1 < set->n && entry) {
		set->p[i] = entry;
	} else if (i + 1 < set->n) {
		memmove(&set->p[i], &set->p[i + 1], (set->n - i - 1) * sizeof *set->p);
		set->n--;
	} else if (entry) {
		set->n -= set->n > 0;
		*VEC_ADD(set) = entry;
		*VEC_ADD(set) = NULL;
	}
}

/* Why the file does not set it; NULL = it does. */
static const char *why_not(const struct json_member *m, bool foreign)
{
	struct str value = json_str(&m->v, STR(""));

	if (!env_name_is_valid(m->key))
		return "that is not the name of a variable";
	if (!json_is(&m->v, J_STR) && !json_is(&m->v, J_NUM) && !json_is(&m->v, J_BOOL))
		return "a variable is a text";
	if (value.n && memchr(value.p, '\0', value.n))
		return "it holds a NUL character";
	/* What these say is decided before any settings are read. */
	if (str_starts(m->key, STR("GEMINI_CLI_")) || str_starts(m->key, STR("TROTLINE_")))
		return "only the environment sets this program's own variables";
	if (foreign && (sh_is_code_variable(m->key) || str_starts(m->key, STR("GEMINI_"))))
		return "it decides which code runs, so a project does not set it";
	return NULL;
}

void settings_env_merge(struct tl_hooks *h, const struct source *s)
{
	const char *key = s->dialect->env_key;
	const struct json *vars = key ? json_getz(s->doc, key) : NULL;
	bool foreign = tiers[s->tier].foreign;
	struct arena *a = &h->arena;

	if (vars && !json_is(vars, J_OBJ)) {
		struct place at = source_place(s, a, vars->pos, "%s", key);

		diag_add(&h->diags, TL_SEVERITY_ERROR, "wrong-type", &at,
			 "must be an object of variables (ignored)");
	}
	for (size_t i = 0; json_is(vars, J_OBJ) && i < vars->n; i++) {
		const struct json_member *m = &vars->members[i];
		struct place at = source_place(s, a, m->v.pos, "%s.%.*s", key, STR_ARG(m->key));
		struct str value = json_is(&m->v, J_STR) ? json_str(&m->v, STR(""))
							 : json_text(a, &m->v, JSON_COMPACT);
		const char *why = why_not(m, foreign);

		if (why) {
			diag_add(&h->diags, TL_SEVERITY_WARNING, "bad-env", &at,
				 "%.*s is not set: %s", STR_ARG(m->key), why);
			continue;
		}
		if (!foreign)
			set_var(&h->set.project_env, m->key, NULL);
		set_var(foreign ? &h->set.project_env : &h->set.own_env, m->key,
			arena_printf(a, "%.*s=%.*s", STR_ARG(m->key), STR_ARG(value)).p);
	}
}
