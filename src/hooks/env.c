/* checkstyle: table */
#include "hooks/env.h"

#include "base/redact.h"

/* ---- redaction (host.md A13.4) ---- */

static const char *const always_allowed[] = { "PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR",
	"TEMP", "TMP", "USERPROFILE", "SYSTEMDRIVE", "HOME", "LANG", "SHELL", "TMPDIR", "USER",
	"LOGNAME", "TERM", "COLORTERM", "ADDITIONAL_CONTEXT", "AVAILABLE_LABELS", "BRANCH_NAME",
	"DESCRIPTION", "EVENT_NAME", "GITHUB_ENV", "IS_PULL_REQUEST", "ISSUES_TO_TRIAGE",
	"ISSUE_BODY", "ISSUE_NUMBER", "ISSUE_TITLE", "PULL_REQUEST_NUMBER", "REPOSITORY", "TITLE",
	"TRIGGERING_ACTOR" };

static const char *const never_allowed[] = { "CLIENT_ID", "DB_URI", "CONNECTION_STRING",
	"AWS_DEFAULT_REGION", "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "SLACK_WEBHOOK_URL",
	"TWILIO_ACCOUNT_SID", "DATABASE_URL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_ACCOUNT",
	"FIREBASE_PROJECT_ID" };

static const char *const secret_words[] = { "TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "AUTH",
	"CREDENTIAL", "CREDS", "PRIVATE", "CERT" };

static bool in_list(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

static void to_upper(struct str name, char *out, size_t size)
{
	size_t n = min_size(name.n, size - 1);

	for (size_t i = 0; i < n; i++)
		out[i] = name.p[i] >= 'a' && name.p[i] <= 'z' ? (char)(name.p[i] - 32) : name.p[i];
	out[n] = '\0';
}

static bool in_json(const struct json *list, const char *upper)
{
	char item[256];

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		to_upper(json_str(json_at(list, i), STR("")), item, sizeof item);
		if (strcmp(item, upper) == 0)
			return true;
	}
	return false;
}

static bool keeps(const char *entry, const struct settings *set, bool strict)
{
	const char *eq = strchr(entry, '=');
	char name[256];

	if (!eq)
		return true;
	to_upper((struct str){ entry, (size_t)(eq - entry) }, name, sizeof name);
	if (strncmp(name, "GEMINI_CLI_", 11) == 0)
		return true;
	if (secret_in(str_from(eq + 1)))
		return false;
	if (strncmp(name, "GIT_CONFIG_", 11) == 0 || in_json(set->redact_allowed, name))
		return true;
	if (in_json(set->redact_blocked, name))
		return false;
	if (in_list(always_allowed, ARRAY_LEN(always_allowed), name))
		return true;
	if (in_list(never_allowed, ARRAY_LEN(never_allowed), name) || strict)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(secret_words); i++)
		if (strstr(name, secret_words[i]))
			return false;
	return true;
}

const char *const *env_inherited(struct arena *a, const char *const *env,
				 const struct settings *set)
{
	const char *surface = env_get(env, "SURFACE");
	bool strict = env_get(env, "GITHUB_SHA") || (surface && strcmp(surface, "Github") == 0);
	size_t n = 0, kept = 0;
	const char **out;

	while (env[n])
		n++;
	out = ARENA_ARRAY(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		if ((!set->redact && !strict) || keeps(env[i], set, strict))
			out[kept++] = arena_z(a, str_from(env[i]));
	return out;
}

/* ---- our variables ---- */

static void vars_add(struct vars *vars, const char *name, const char *value)
{
	vars->v[vars->n++] = (struct env_pair){ name, value };
}

static const char *plans_dir(struct arena *a, const struct tl_hooks *h, const char *session_id)
{
	const char *base = strrchr(h->dirs.project, '/');

	return arena_printf(a, "%s/.gemini/tmp/%s/%s/plans", h->dirs.home,
			    base && base[1] ? base + 1 : "project",
			    *session_id ? session_id : "session").p;
}

void vars_fill(struct vars *vars, struct arena *a, const struct tl_hooks *h,
	       const struct dialect *d, const char *cwd, const char *session_id)
{
	const char *project = h->dirs.project, *p = d->env_prefix;

	vars->n = 0;
	vars_add(vars, "GEMINI_PROJECT_DIR", project);
	vars_add(vars, "GEMINI_CWD", cwd);
	vars_add(vars, "GEMINI_PLANS_DIR", plans_dir(a, h, session_id));
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
	struct env_list l = {0};
	size_t n = 0;

	while (h->env[n])
		n++;
	l.p = ARENA_ARRAY(a, const char *, n + vars->n + hook->nenv + nextra + 2);
	memcpy(l.p, h->env, n * sizeof *l.p);
	l.n = n;
	for (size_t i = 0; i < vars->n; i++)
		env_put_pair(&l, a, &vars->v[i]);
	/* As a shell would set it: programs trust PWD before they ask the kernel. */
	env_put_pair(&l, a, &(struct env_pair){ "PWD", vars->v[1].value });
	for (size_t i = 0; i < nextra; i++)
		env_put(&l, extra[i]);
	for (size_t i = 0; i < hook->nenv; i++)
		env_put_pair(&l, a, &hook->env[i]);
	l.p[l.n] = NULL;
	return l.p;
}
