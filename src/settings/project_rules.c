#include "settings/project_rules.h"

#include <stdarg.h>

#include "os/fs.h"
#include "settings/mode.h"

/* A file while it is looked at. */
struct review {
	struct arena *a;
	const struct settings_dirs *d;
	const char *path;
	const struct json *before; /* the settings without it */
	const struct json *granted;
};

/* A member of a section, and what is kept of it: NULL = nothing. */
struct rule {
	const char *section, *key;
	const struct json *(*keep)(struct review *r, const struct rule *rule, const struct json *v);
};

static void complain(const struct review *r, const struct rule *rule, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static void complain(const struct review *r, const struct rule *rule, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	if (!r->d->complain)
		return;
	buf_addf(&text, "%s: %s.%s", r->path, rule->section, rule->key);
	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	r->d->complain(r->d->data, buf_z(&text));
}

static const struct json *member(const struct json *v, const char *section, const char *key)
{
	return json_getz(json_getz(v, section), key);
}

/* ---- places ---- */

/* A path that leads to a place below the project, whole; NULL = it does not. */
static char *path_inside(struct review *r, const struct rule *rule, struct str path,
			 const char *from)
{
	const struct settings_dirs *d = r->d;
	AUTO(free) char *z = xstrndup(path.p, path.n);
	char *whole = z[0] == '~' && (z[1] == '/' || !z[1]) ? xasprintf("%s%s", d->dirs.home, z + 1)
							    : fs_absolute(from, z);

	if (!path.n || fs_is_in(d->dirs.project, whole))
		return whole;
	complain(r, rule, ": \"%.*s\" is outside of the project; only you can name it",
		 STR_ARG(path));
	free(whole);
	return NULL;
}

static const struct json *keep_inside(struct review *r, const struct rule *rule,
				      const struct json *v)
{
	/* As whoever uses the setting reads it. */
	AUTO(free) char *whole = path_inside(r, rule, json_str(v, STR("")),
					     r->d->dirs.cwd ? r->d->dirs.cwd : r->d->dirs.project);

	return whole ? v : NULL;
}

/* Directories, from the project's root wherever in it a session begins. */
static const struct json *keep_all_inside(struct review *r, const struct rule *rule,
					  const struct json *v)
{
	const struct json **kept;
	size_t n = 0;

	if (!json_is(v, J_ARR))
		return v;
	kept = ARENA_ARRAY(r->a, const struct json *, v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		AUTO(free) char *whole =
			path_inside(r, rule, json_str(json_at(v, i), STR("")), r->d->dirs.project);

		if (whole)
			kept[n++] = json_is(json_at(v, i), J_STR)
					    ? json_new_str(r->a, arena_str(r->a, str_from(whole)))
					    : json_at(v, i);
	}
	return json_new_arr(r->a, kept, n);
}

/* ---- other things ---- */

static const struct json *keep_none(struct review *r, const struct rule *rule, const struct json *v)
{
	(void)v;
	complain(r, rule, " is not read from a project's settings");
	return NULL;
}

static const struct json *hand_over(struct review *r, const struct rule *rule, const struct json *v)
{
	struct str section = str_from(rule->section);
	const struct json *inner =
		json_set(r->a, json_get(r->granted, section), str_from(rule->key), v);

	r->granted = json_set(r->a, r->granted, section, inner);
	return NULL;
}

enum { LOOSE_DEFAULT = 1, LOOSE_UNKNOWN = 3 };

/* A word of yours that is unknown is the default to the agent; a project's means nothing. */
static size_t looseness(const struct json *word, size_t unknown)
{
	static const size_t of[] = {
		[MODE_PLAN] = 0, [MODE_DEFAULT] = LOOSE_DEFAULT, [MODE_AUTO_EDIT] = 2
	};
	enum approval_mode mode = MODE_DEFAULT;
	bool known = mode_find(json_str(word, STR("default")), &mode) && mode != MODE_YOLO;

	return known ? of[mode] : unknown;
}

static const struct json *keep_stricter(struct review *r, const struct rule *rule,
					const struct json *v)
{
	if (looseness(v, LOOSE_UNKNOWN) <=
	    looseness(member(r->before, rule->section, rule->key), LOOSE_DEFAULT))
		return v;
	complain(r, rule, ": a project can only ask for a stricter mode than yours");
	return NULL;
}

/* Of yours nothing is taken away; where you want none, the project may. */
static const struct json *keep_sandbox(struct review *r, const struct rule *rule,
				       const struct json *v)
{
	const struct json *yours = member(r->before, rule->section, rule->key);

	if (!yours || json_is(yours, J_NULL) || json_is_false(yours))
		return v;
	complain(r, rule, ": your own sandbox counts");
	return NULL;
}

/* ---- a file ---- */

static const struct rule rules[] = {
	{ "tools", "allowed", hand_over },
	{ "tools", "core", hand_over },
	{ "tools", "sandbox", keep_sandbox },
	{ "tools", "sandboxAllowedPaths", keep_none },
	{ "tools", "sandboxNetworkAccess", keep_none },
	{ "mcp", "allowed", hand_over },
	{ "context", "includeDirectories", keep_all_inside },
	{ "telemetry", "outfile", keep_inside },
	{ "general", "sessionRetention", keep_none },
	{ "general", "defaultApprovalMode", keep_stricter },
};

/* Nulls, and sections that are none, would take back what the user says. */
static const struct json *review(struct review *r, const struct rule *rule, const struct json *file)
{
	struct str section = str_from(rule->section), key = str_from(rule->key);
	const struct json *inner = json_get(file, section), *v = json_get(inner, key), *kept;

	if (inner && !json_is(inner, J_OBJ))
		return json_without(r->a, file, section);
	if (!v)
		return file;
	kept = json_is(v, J_NULL) ? NULL : rule->keep(r, rule, v);
	if (kept == v)
		return file;
	inner = kept ? json_set(r->a, inner, key, kept) : json_without(r->a, inner, key);
	return json_set(r->a, file, section, inner);
}

/* ---- MCP servers ---- */

/*
 * Its servers without trust; none of the user's is taken away by a null.  Their names are handed
 * over: what the user allows a server of that name is not meant for these.
 */
static const struct json *review_servers(struct review *r, const struct json *file)
{
	const struct str key = STR(SETTINGS_SERVERS);
	const struct json *servers = json_get(file, key), *kept = json_new_obj(r->a);
	const struct json *names = NULL, *yes = json_new_bool(r->a, true);

	for (size_t i = 0; json_is(servers, J_OBJ) && i < servers->n; i++) {
		const struct json_member *m = &servers->members[i];
		const struct json *trust = json_getz(&m->v, "trust");

		if (m->v.type == J_NULL)
			continue;
		if (json_is_true(trust) && r->d->complain) {
			AUTO(buf_done) struct buf text = { 0 };

			buf_addf(&text,
				 "%s: mcpServers.%.*s.trust counts only in your own settings",
				 r->path, STR_ARG(m->key));
			r->d->complain(r->d->data, buf_z(&text));
		}
		names = json_set(r->a, names, m->key, yes);
		kept = json_set(r->a, kept, m->key,
				trust ? json_without(r->a, &m->v, STR("trust")) : &m->v);
	}
	if (member(file, "mcp", "serverCommand"))
		names = json_set(r->a, names, STR("mcp"), yes);
	if (names)
		r->granted = json_set(r->a, r->granted, key, names);
	return servers ? json_set(r->a, file, key, kept) : file;
}

const struct json *settings_of_project(struct arena *a, const struct settings_dirs *d,
				       const char *path, const struct json *before,
				       const struct json *file, const struct json **granted)
{
	struct review r = { .a = a, .d = d, .path = path, .before = before };
	const struct json *tools, *fetch;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		file = review(&r, &rules[i], file);
	file = review_servers(&r, file);
	*granted = r.granted;
	/* Which servers of the user's own network may be fetched. */
	tools = json_getz(file, "tools");
	fetch = json_getz(tools, "webFetch");
	if (!json_is(fetch, J_OBJ) || !json_getz(fetch, "privateHosts"))
		return file;
	fetch = json_without(a, fetch, STR("privateHosts"));
	return json_set(a, file, STR("tools"), json_set(a, tools, STR("webFetch"), fetch));
}

/* ---- Claude Code's ---- */

static const struct rule claude_mode = { "permissions", "defaultMode", NULL };
static const struct rule claude_dirs = { "permissions", "additionalDirectories", NULL };

/* What we call it; NULL when no settings may say it, which is complained of. */
static const struct json *mode_of_claude(struct review *r, const struct json *said)
{
	enum approval_mode mode = MODE_DEFAULT;
	struct str word = json_str(said, STR("this"));

	if (!mode_find(word, &mode))
		complain(r, &claude_mode, ": %.*s is not a mode here (plan, default, acceptEdits)",
			 STR_ARG(word));
	else if (mode == MODE_YOLO)
		complain(r, &claude_mode,
			 ": %.*s is not accepted in settings; --approval-mode yolo is for one run",
			 STR_ARG(word));
	else
		return json_new_str(r->a, str_from(mode_name(mode)));
	return NULL;
}

/* A list of names as an object, which other files add to. */
static const struct json *with_names(struct arena *a, const struct json *all, const char *key,
				     const struct json *list)
{
	const struct json *names = NULL;

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++)
		if (json_is(json_at(list, i), J_STR))
			names = json_set(a, names, json_str(json_at(list, i), STR("")),
					 json_new_bool(a, true));
	return names ? json_set(a, all, str_from(key), names) : all;
}

/* What of it may be started is the user's to say; what may not, anybody's. */
static const struct json *of_mcp_json(struct arena *a, const struct json *file, bool foreign)
{
	const struct json *all = json_getz(file, "enableAllProjectMcpServers");
	const struct json *v =
		with_names(a, NULL, "off", json_getz(file, "disabledMcpjsonServers"));

	if (foreign)
		return v;
	if (json_is(all, J_BOOL))
		v = json_set(a, v, STR("all"), all);
	return with_names(a, v, "on", json_getz(file, "enabledMcpjsonServers"));
}

const struct json *settings_of_mcp_json(struct arena *a, const struct settings_dirs *d,
					const char *path, const struct json *before,
					const struct json *file)
{
	static const struct rule rule = { "mcpServers", "", NULL };
	struct review r = { .a = a, .d = d, .path = path };
	const struct json *said = json_getz(before, SETTINGS_OF_MCP_JSON);
	const struct json *off = json_getz(said, "off"), *on = json_getz(said, "on");
	const struct json *others = json_getz(before, SETTINGS_SERVERS);
	const struct json *servers = json_getz(file, SETTINGS_SERVERS), *kept = json_new_obj(a);

	for (size_t i = 0; json_is(servers, J_OBJ) && i < servers->n; i++) {
		const struct json_member *m = &servers->members[i];
		bool listed = !on || json_is_true(json_getz(said, "all")) || json_get(on, m->key);

		if (json_get(others, m->key))
			continue;
		if (json_get(off, m->key) || !listed)
			complain(&r, &rule, "%.*s does not start: %s", STR_ARG(m->key),
				 listed ? "disabledMcpjsonServers names it"
					: "enabledMcpjsonServers of your settings does not name "
					  "it");
		else
			kept = json_set(a, kept, m->key, &m->v);
	}
	return json_set(a, NULL, STR(SETTINGS_SERVERS), kept);
}

const struct json *settings_of_claude(struct arena *a, const struct settings_dirs *d,
				      const char *path, const struct json *before,
				      const struct json *file, enum tl_tier tier)
{
	struct review r = { .a = a, .d = d, .path = path, .before = before };
	const struct json *old = member(before, "general", "defaultApprovalMode");
	const struct json *said = member(file, "permissions", "defaultMode");
	const struct json *mode = said ? mode_of_claude(&r, said) : NULL;
	const struct json *dirs = member(file, "permissions", "additionalDirectories");
	const struct json *all = member(before, "context", "includeDirectories");
	const struct json *ours = json_new_obj(a);
	bool foreign = tiers[tier].foreign;

	if (mode && !tiers[tier].loosens && (old || foreign) &&
	    looseness(mode, LOOSE_UNKNOWN) > looseness(old, LOOSE_DEFAULT)) {
		if (foreign)
			complain(&r, &claude_mode,
				 ": a project can only ask for a stricter mode than yours");
		mode = NULL;
	}
	said = of_mcp_json(a, file, foreign);
	if (said)
		ours = json_set(a, ours, STR(SETTINGS_OF_MCP_JSON), said);
	if (mode)
		ours = json_set(a, ours, STR("general"),
				json_set(a, NULL, STR("defaultApprovalMode"), mode));
	if (str_eqz(json_str(member(file, "permissions", "disableBypassPermissionsMode"), STR("")),
		    "disable"))
		ours = json_set(a, ours, STR("security"),
				json_set(a, NULL, STR("disableYoloMode"), json_new_bool(a, true)));
	if (dirs && !json_is(dirs, J_ARR))
		complain(&r, &claude_dirs, " must be a list of directories");
	if (!json_is(dirs, J_ARR))
		return ours;
	dirs = foreign ? keep_all_inside(&r, &claude_dirs, dirs) : dirs;
	all = json_is(all, J_ARR) ? all : json_new_arr(a, NULL, 0);
	for (size_t i = 0; i < dirs->n; i++)
		all = json_append(a, all, json_at(dirs, i));
	return json_set(a, ours, STR("context"), json_set(a, NULL, STR("includeDirectories"), all));
}
