#include "hooks/env.h"

#include "base/env_filter.h"
#include "os/fs.h"
#include "os/proc.h"

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
	return (str_eqz(name, "extensionPath") || str_eqz(name, "workspacePath") ||
		vars_is_plugins(name)) &&
	       vars_get(vars, hook, name);
}

bool vars_is_plugins(struct str name)
{
	return str_eqz(name, "CLAUDE_PLUGIN_ROOT") || str_eqz(name, "CLAUDE_PLUGIN_DATA");
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

	/* As plugins may expect. */
	if (hook->extension && hook->extension->data)
		(void)fs_mkdirs(hook->extension->data, 0700, NULL);
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

size_t env_of_run(struct firing *f, const struct hook *hook, const char *extra[ENV_OF_RUN_MAX])
{
	struct arena *a = f->arena;
	size_t n = 0;
	const struct json *v = NULL;
	struct str json;

	extra[n++] = hook->persistent ? "TROTLINE_PERSISTENT=1"
				      : arena_printf(a, "TROTLINE_RESULT_FD=%d", PROC_RESULT_FD).p;
	/* A hook that only observes adds nothing, and an async one would come too late. */
	if (f->in.env_file && f->event->env_file && hook->dialect->env_file && !hook->observe &&
	    !hook->detached && !hook->rewake)
		extra[n++] = arena_printf(a, "%s=%s", hook->dialect->env_file, f->in.env_file).p;
	if (!hook->dialect->bare_payload || f->event->id != EV_NOTIFICATION)
		return n;
	/* Its documentation shows $notification_type and $message. */
	extra[n++] = arena_printf(a, "notification_type=%s", f->in.subject).p;
	json = firing_field(f, "message");
	if (json.p)
		(void)json_parse(f->arena, json, 0, &v, NULL);
	extra[n++] = arena_printf(a, "message=%.*s", STR_ARG(json_str(v, STR("")))).p;
	return n;
}
