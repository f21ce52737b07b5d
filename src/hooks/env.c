#include "hooks/env.h"

#include "base/env_filter.h"

const char *const *env_inherited(struct arena *a, const char *const *env,
				 const struct settings *set)
{
	const struct env_filter filter = { set->redact, set->redact_allowed, set->redact_blocked };

	return env_filtered(a, env, &filter);
}

/* ---- our variables ---- */

static void vars_add(struct vars *vars, const char *name, const char *value)
{
	vars->v[vars->n++] = (struct env_pair){ name, value };
}

void vars_fill(struct vars *vars, struct arena *a, const struct tl_hooks *h,
	       const struct dialect *d, const char *cwd, const char *session_id)
{
	const char *project = h->dirs.project, *p = d->env_prefix, *base = strrchr(project, '/');
	/* Whoever fires an event may say anything; it leads nowhere else. */
	bool is_name = *session_id && *session_id != '.' && !strpbrk(session_id, "/\n\r");

	vars->n = 0;
	vars_add(vars, "GEMINI_PROJECT_DIR", project);
	vars_add(vars, "GEMINI_CWD", cwd);
	vars_add(vars, "GEMINI_PLANS_DIR",
		 arena_printf(a, "%s/.gemini/tmp/%s/%s/plans", h->dirs.home,
			      base && base[1] ? base + 1 : "project",
			      is_name ? session_id : "session")
			 .p);
	vars_add(vars, "GEMINI_SESSION_ID", session_id);
	vars_add(vars, "CLAUDE_PROJECT_DIR", project);
	vars_add(vars, "TROTLINE_PROJECT_DIR", project);
	if (!p)
		return;
	vars_add(vars, arena_printf(a, "%s_PROJECT_DIR", p).p, project);
	vars_add(vars, arena_printf(a, "%s_CWD", p).p, cwd);
	vars_add(vars, arena_printf(a, "%s_SESSION_ID", p).p, session_id);
}

bool vars_is_ours(const struct vars *vars, const struct hook *hook, struct str name)
{
	for (size_t i = 0; i < vars->n; i++)
		if (str_eqz(name, vars->v[i].name))
			return true;
	return (str_eqz(name, "extensionPath") || str_eqz(name, "workspacePath")) &&
	       vars_get(vars, hook, name);
}

const char *vars_get(const struct vars *vars, const struct hook *hook, struct str name)
{
	for (size_t i = hook->nenv; i > 0; i--)
		if (str_eqz(name, hook->env[i - 1].name))
			return hook->env[i - 1].value;
	for (size_t i = 0; i < vars->n; i++)
		if (str_eqz(name, vars->v[i].name))
			return vars->v[i].value;
	return NULL;
}

/* An environment under construction: the last entry of a name is the one that counts. */
struct env_list {
	const char **p;
	size_t n;
};

static void env_put(struct env_list *l, const char *entry)
{
	size_t n = (size_t)(strchr(entry, '=') - entry) + 1;

	for (size_t i = 0; i < l->n; i++)
		if (strncmp(l->p[i], entry, n) == 0) {
			l->p[i] = entry;
			return;
		}
	l->p[l->n++] = entry;
}

static void env_put_pair(struct env_list *l, struct arena *a, const struct env_pair *e)
{
	env_put(l, arena_printf(a, "%s=%s", e->name, e->value).p);
}

const char *const *env_for_hook(struct arena *a, const struct tl_hooks *h, const struct vars *vars,
				const struct hook *hook, const char *const *extra, size_t nextra)
{
	struct env_list l = { 0 };
	size_t n = 0;

	const char *const *settings = hook->extension ? hook->extension->env : NULL;
	size_t nsettings = 0;

	while (h->env[n])
		n++;
	while (settings && settings[nsettings])
		nsettings++;
	l.p = ARENA_ARRAY(a, const char *, n + vars->n + hook->nenv + nextra + nsettings + 2);
	/* Of a Claude Code that we were started in: its hooks would write into its session. */
	for (size_t i = 0; i < n; i++)
		if (strncmp(h->env[i], "CLAUDE_ENV_FILE=", 16) != 0 &&
		    strncmp(h->env[i], "CLAUDE_CODE_REMOTE=", 19) != 0)
			l.p[l.n++] = h->env[i];
	for (size_t i = 0; i < vars->n; i++)
		env_put_pair(&l, a, &vars->v[i]);
	/* As a shell would set it: programs trust PWD before they ask the kernel. */
	env_put_pair(&l, a, &(struct env_pair){ "PWD", vars->v[1].value });
	for (size_t i = 0; i < nextra; i++)
		env_put(&l, extra[i]);
	for (size_t i = 0; i < hook->nenv; i++)
		env_put_pair(&l, a, &hook->env[i]);
	/* Not among hook->env, which people and approvals are shown. */
	for (size_t i = 0; i < nsettings; i++)
		env_put(&l, settings[i]);
	l.p[l.n] = NULL;
	return l.p;
}
