#include "hooks/env.h"

#include "base/words.h"
#include "os/fs.h"
#include "os/proc.h"
#include "secrets/env_filter.h"

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

/* What a dialect has under its own prefix, and Claude's plugins. */
static const char *const own_vars[] = { "PROJECT_DIR", "CWD", "SESSION_ID" };
static const char *const plugin_vars[] = { "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA" };

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
	const char *const values[] = { project, cwd, session_id };
	for (size_t i = 0; i < ARRAY_LEN(own_vars); i++)
		vars_add(vars, arena_printf(a, "%s_%s", p, own_vars[i]).p, values[i]);
}

bool vars_is_ours(const struct vars *vars, const struct hook *hook, struct str name)
{
	for (size_t i = 0; i < vars->n; i++)
		if (str_eqz(name, vars->v[i].name))
			return true;
	return (str_eqz(name, "extensionPath") || str_eqz(name, "workspacePath") ||
		vars_is_plugins(name)) &&
	       vars_get(vars, hook, name);
}

bool vars_is_plugins(struct str name)
{
	return WORD_IN(name, plugin_vars);
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

/* Beginnings of what a hook does not inherit. */
static const struct {
	const char *begins;
	bool of_guards; /* others do */
} kept_back[] = {
	/* Of a Claude Code that we were started in: its hooks would write into its session. */
	{ "CLAUDE_ENV_FILE=", false },
	{ "CLAUDE_CODE_REMOTE=", false },
	/* A shell that was told to run nothing, or a function in place of echo, is no opinion. */
	{ "SHELLOPTS=", false },
	{ "BASHOPTS=", false },
	{ "BASH_FUNC_", false },
	{ "BASH_ENV=", true },
	{ "ENV=", true },
};

static bool is_for(const struct hook *hook, const char *entry)
{
	if (!sandbox_keeps(hook->sandbox, entry))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kept_back); i++)
		if ((hook->guard || !kept_back[i].of_guards) &&
		    str_starts(str_from(entry), str_from(kept_back[i].begins)))
			return false;
	return true;
}

const char *const *env_for_hook(struct arena *a, const struct tl_hooks *h, const struct vars *vars,
				const struct hook *hook, const char *const *extra, size_t nextra)
{
	struct env_list l = { 0 };
	size_t n = 0;

	const char *const *settings = hook->extension ? hook->extension->env : NULL;
	const struct set_vars *project = &h->set.project_env;
	size_t nsettings = 0;

	/* As plugins may expect. */
	if (hook->extension && hook->extension->data)
		(void)fs_mkdirs(hook->extension->data, 0700, NULL);
	while (h->env[n])
		n++;
	while (settings && settings[nsettings])
		nsettings++;
	l.p = ARENA_ARRAY(a, const char *,
			  n + project->n + vars->n + hook->nenv + nextra + nsettings + 2);
	for (size_t i = 0; i < n; i++)
		if (is_for(hook, h->env[i]))
			l.p[l.n++] = h->env[i];
	/* A variable of the project may be the switch of somebody else's guard. */
	for (size_t i = 0;
	     (!hook->guard || is_of_project(hook->tier, hook->extension)) && i + 1 < project->n;
	     i++)
		if (is_for(hook, project->p[i]))
			env_put(&l, project->p[i]);
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

/* What only a run's environment has. */
enum run_var { RUN_PERSISTENT, RUN_RESULT_FD, RUN_NOTIFICATION_TYPE, RUN_MESSAGE };

static const struct {
	const char *name;
	bool bare; /* of dialects with a bare payload */
} run_vars[] = {
	[RUN_PERSISTENT] = { "TROTLINE_PERSISTENT", false },
	[RUN_RESULT_FD] = { "TROTLINE_RESULT_FD", false },
	[RUN_NOTIFICATION_TYPE] = { "notification_type", true },
	[RUN_MESSAGE] = { "message", true },
};

const char *env_name_at(struct arena *a, const struct vars *vars, const struct dialect *d, size_t i,
			bool *ret_here)
{
	*ret_here = true;
	if (i < vars->n)
		return vars->v[i].name;
	i -= vars->n;
	*ret_here = i < ARRAY_LEN(run_vars) && (!run_vars[i].bare || d->bare_payload);
	if (i < ARRAY_LEN(run_vars))
		return run_vars[i].name;
	i -= ARRAY_LEN(run_vars);
	if (i < ARRAY_LEN(plugin_vars))
		return plugin_vars[i];
	i -= ARRAY_LEN(plugin_vars);
	for (size_t k = 0; k < DIALECT_COUNT; k++) {
		const struct dialect *other = &dialects[k];
		size_t n = other->env_prefix ? ARRAY_LEN(own_vars) : 0;

		*ret_here = other == d;
		if (i < n)
			return arena_printf(a, "%s_%s", other->env_prefix, own_vars[i]).p;
		i -= n;
		if (other->env_file && i-- == 0)
			return other->env_file;
	}
	return NULL;
}

size_t env_of_run(struct firing *f, const struct hook *hook, const char *extra[ENV_OF_RUN_MAX])
{
	struct arena *a = f->arena;
	size_t n = 0;
	const struct json *v = NULL;
	struct str json;

	extra[n++] =
		hook->persistent
			? arena_printf(a, "%s=1", run_vars[RUN_PERSISTENT].name).p
			: arena_printf(a, "%s=%d", run_vars[RUN_RESULT_FD].name, PROC_RESULT_FD).p;
	/* A hook that only observes adds nothing, and an async one would come too late. */
	if (f->in.env_file && hook->event->env_file && hook->dialect->env_file && !hook->observe &&
	    !hook_goes_on(hook))
		extra[n++] = arena_printf(a, "%s=%s", hook->dialect->env_file, f->in.env_file).p;
	if (!hook->dialect->bare_payload || hook->event->id != EV_NOTIFICATION)
		return n;
	/* Its documentation shows $notification_type and $message. */
	extra[n++] =
		arena_printf(a, "%s=%s", run_vars[RUN_NOTIFICATION_TYPE].name, f->in.subject).p;
	json = firing_field(f, "message");
	if (json.p)
		(void)json_parse(f->arena, json, 0, &v, NULL);
	extra[n++] = arena_printf(a, "%s=%.*s", run_vars[RUN_MESSAGE].name,
				  STR_ARG(json_str(v, STR(""))))
			     .p;
	return n;
}
