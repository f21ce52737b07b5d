/* What is wrong with the MCP servers that a settings file configures (docs/mcp.md). */
#include <math.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/words.h"
#include "extensions/extension.h"
#include "mcp/transport.h"
#include "os/fs.h"
#include "secrets/secrets.h"
#include "settings/read.h"
#include "settings/settings.h"
#include "shell/programs.h"
#include "workbench/lint.h"

enum {
	SHORT_MS = 1000,
	SECRET_MIN = 8,
	/* Names are compared with each other, and to find a line is to count from the top. */
	SERVERS_MAX = 1000,
	TEXT_MAX = 256 << 10,
};

/* The server that is being looked at. */
struct look {
	struct lint *l;
	const struct source *file;
	const struct json_member *m;
	const struct json_member *written; /* m before its variables were expanded; NULL = m */
};

static const struct json *member(const struct look *k, const char *key)
{
	return json_getz(&k->m->v, key);
}

static struct str text_of(const struct look *k, const char *key)
{
	return json_str(member(k, key), STR(""));
}

/* A project's: others get it, and it decides less. */
static bool is_shared(const struct lint *l, const struct source *f)
{
	return l->as_project || tiers[f->tier].foreign;
}

static struct place place_at(const struct source *f, size_t pos, const char *path)
{
	struct json_where where = json_locate(f->text, pos);

	return (struct place){ f->path, where.line, where.column, path };
}

/* About a value of the server; `key` may lead deeper: "env.TOKEN".  v NULL = the whole server. */
static void report(const struct look *k, enum tl_severity severity, const char *code,
		   const struct json *v, const char *key, const char *fmt, ...) PRINTF_LIKE(6, 7);

static void report(const struct look *k, enum tl_severity severity, const char *code,
		   const struct json *v, const char *key, const char *fmt, ...)
{
	struct str path = arena_printf(&k->l->arena, "mcpServers.%.*s%s%s", STR_ARG(k->m->key),
				       v ? "." : "", v ? key : "");
	size_t pos = k->written ? k->written->pos : v ? v->pos : k->m->pos;
	struct place at = place_at(k->file, pos, path.p);
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	lint_add(k->l, severity, code, &at, "%s", text);
}

/* ---- keys ---- */

static const struct known {
	const char *name;
	enum json_type type;
} server_keys[] = {
	{ "args", J_ARR },
	{ "authProviderType", J_STR },
	{ "cwd", J_STR },
	{ "description", J_STR },
	{ "disabled", J_BOOL },
	{ "enabled", J_BOOL },
	{ "env", J_OBJ },
	{ "excludeTools", J_ARR },
	{ "headers", J_OBJ },
	{ "includeTools", J_ARR },
	{ "oauth", J_OBJ },
	{ "sandbox", J_OBJ },
	{ "targetAudience", J_STR },
	{ "targetServiceAccount", J_STR },
	{ "timeout", J_NUM },
	{ "transport", J_STR },
	{ "transportType", J_STR },
	{ "trust", J_BOOL },
	{ "type", J_STR },
};

static const struct known mcp_keys[] = {
	{ "allowed", J_ARR },
	{ "excluded", J_ARR },
	{ "serverCommand", J_STR },
	{ "toolNaming", J_STR },
};

/* What other programs call it. */
static const struct {
	const char *name, *here;
} elsewhere[] = {
	{ "allowedTools", "includeTools" },
	{ "arguments", "args" },
	{ "disabledTools", "excludeTools" },
	{ "enabledTools", "includeTools" },
	{ "environment", "env" },
	{ "tools", "includeTools" },
	{ "workingDirectory", "cwd" },
};

static void check_keys(struct lint *l, const struct source *f, const struct json *obj,
		       const char *base, bool of_server)
{
	static const char *const types[] = { "null",     "true or false", "a number",
					     "a string", "an array",      "an object" };
	const struct known *some = of_server ? server_keys : mcp_keys;
	size_t n = of_server ? ARRAY_LEN(server_keys) : ARRAY_LEN(mcp_keys);
	struct known *keys = ARENA_ARRAY(&l->arena, struct known, n + mcp_ways_n);
	const char **names = ARENA_ARRAY(&l->arena, const char *, n + mcp_ways_n);

	memcpy(keys, some, n * sizeof *keys);
	for (size_t i = 0; of_server && i < mcp_ways_n; i++)
		keys[n++] = (struct known){ mcp_ways[i].key, J_STR };
	for (size_t i = 0; i < n; i++)
		names[i] = keys[i].name;
	for (size_t i = 0; i < obj->n; i++) {
		const struct json_member *m = &obj->members[i];
		const char *key = arena_z(&l->arena, m->key);
		struct place at =
			place_at(f, m->pos, arena_printf(&l->arena, "%s.%s", base, key).p);
		const char *near = did_you_mean(&l->arena, key, names, n);
		size_t k = 0;

		while (k < n && strcmp(key, keys[k].name) != 0)
			k++;
		for (size_t e = 0; of_server && e < ARRAY_LEN(elsewhere); e++)
			if (strcmp(key, elsewhere[e].name) == 0)
				near = arena_printf(&l->arena, "; did you mean \"%s\"?",
						    elsewhere[e].here)
					       .p;
		if (k < n && m->v.type != keys[k].type && keys[k].type != J_NUM)
			lint_add(l, TL_SEVERITY_ERROR, "wrong-type", &at,
				 "\"%s\" must be %s, this is %s (ignored)", key,
				 types[keys[k].type], json_what(&m->v));
		else if (k == n)
			lint_add(l, TL_SEVERITY_WARNING, "unknown-key", &at, "unknown key \"%s\"%s",
				 key, near);
	}
}

/* ---- how it is reached ---- */

/* Other ways than the one that counts, and keys that belong to the other kind of server. */
static void check_ways(const struct look *k, const struct mcp_way *way, bool program)
{
	for (size_t i = 0; i < mcp_ways_n; i++) {
		const char *key = mcp_ways[i].key;
		struct str text = text_of(k, key);

		if (text.n && way != &mcp_ways[i] && !str_eq(text, text_of(k, way->key)))
			report(k, TL_SEVERITY_WARNING, "several-transports", member(k, key), key,
			       "\"%s\" is ignored, because \"%s\" is set too", key, way->key);
	}
	for (size_t i = 0; i < mcp_side_keys_n; i++) {
		const struct mcp_side_key *key = &mcp_side_keys[i];
		const struct json *v = member(k, key->name);

		if (key->unused && key->program != program && v && v->n)
			report(k, TL_SEVERITY_WARNING, "unused-key", v, key->name,
			       program ? "\"%s\" is for servers with a URL; a program gets \"env\""
				       : "\"%s\" is for programs; a server with a URL gets "
					 "\"headers\"",
			       key->name);
	}
}

static void check_type(const struct look *k, const struct mcp_way *way, bool program)
{
	const char *types[ARRAY_LEN(mcp_transports[0].types) * MCP_TRANSPORTS];
	struct str type = text_of(k, "type");
	bool known = false, counts = false;
	struct arena *a = &k->l->arena;
	size_t n = 0;

	for (int t = 0; t < MCP_TRANSPORTS; t++)
		for (size_t i = 0; i < ARRAY_LEN(mcp_transports[t].types); i++) {
			const char *name = mcp_transports[t].types[i];

			if (!name)
				continue;
			types[n++] = name;
			known |= str_eqz(type, name);
			counts |= str_eqz(type, name) && mcp_is_program(t) == program;
		}
	if (!type.n || counts)
		return;
	if (known)
		report(k, TL_SEVERITY_WARNING, "bad-value", member(k, "type"), "type",
		       "\"type\": \"%.*s\" is ignored, because \"%s\" says how the server is reached",
		       STR_ARG(type), way->key);
	else
		report(k, TL_SEVERITY_WARNING, "bad-value", member(k, "type"), "type",
		       "\"type\" is %s, not \"%.*s\"%s (ignored)", mcp_choices(a, false),
		       STR_ARG(type), did_you_mean(a, arena_z(a, type), types, n));
}

/* ---- the program ---- */

/* A file that the server starts, or has started by an interpreter. */
static void check_file(const struct look *k, const struct json *v, const char *key, bool program)
{
	const char *name = arena_z(&k->l->arena, json_str(v, STR("")));
	const char *cwd = arena_z(&k->l->arena, text_of(k, "cwd"));
	AUTO(free) char *dir = fs_absolute(k->l->cwd, cwd);
	AUTO(free) char *other = fs_absolute(k->l->root, cwd);
	AUTO(free) char *here = fs_absolute(dir, name);
	AUTO(free) char *there = fs_absolute(other, name);
	const char *path = fs_exists(here) ? here : there;
	const char *missing = program ? "program-not-found" : "missing-script";

	if (!fs_exists(path))
		report(k, TL_SEVERITY_ERROR, missing, v, key,
		       "the server starts %s, which does not exist%s", name,
		       name[0] == '~' ? "; use $HOME instead of ~" : "");
	else if (fs_is_dir(path))
		report(k, TL_SEVERITY_ERROR, missing, v, key,
		       "the server starts %s, which is a directory", name);
	else if (program && !fs_is_program(path))
		report(k, TL_SEVERITY_ERROR, "not-executable", v, key,
		       "the server starts %s, which is not executable; chmod +x it", name);
	else if (name[0] != '/' && cwd[0] != '/')
		report(k, TL_SEVERITY_NOTE, "relative-path", v, key,
		       "%s is relative to the directory that the session is started in", name);
}

static void check_program(const struct look *k)
{
	const struct json *v = member(k, "command"), *args = member(k, "args");
	const char *name = arena_z(&k->l->arena, json_str(v, STR("")));
	const struct sh_program *p = sh_program_find(str_from(name));
	struct str script = json_str(json_at(args, 0), STR(""));
	AUTO(free) char *found = NULL;

	/* Variables have values only where the session is started. */
	if (strchr(name, '/') && !strchr(name, '$'))
		check_file(k, v, "command", true);
	else if (!strchr(name, '$') && !json_getz(member(k, "env"), "PATH") &&
		 !fs_find_program(name, getenv("PATH"), &found))
		/* C7.7: it may be on the machine that the file is for. */
		report(k, strpbrk(name, " \t") ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING,
		       "program-not-found", v, "command",
		       "the server starts \"%s\", which is not on PATH%s", name,
		       strpbrk(name, " \t") ? "; put arguments into \"args\"" : "");
	if (p && (p->starts == SH_STARTS_SHELL || p->starts == SH_STARTS_CODE) && script.n &&
	    script.p[0] != '-' && str_chr(script, '$', 0) < 0 && str_chr(script, '.', 0) > 0)
		check_file(k, json_at(args, 0), "args[0]", false);
	for (size_t i = 0; json_is(args, J_ARR) && i < args->n; i++) {
		const struct json *arg = json_at(args, i);

		if (!json_is(arg, J_STR) && !json_is(arg, J_NUM) && !json_is(arg, J_BOOL))
			report(k, TL_SEVERITY_ERROR, "wrong-type", arg,
			       arena_printf(&k->l->arena, "args[%zu]", i).p,
			       "an argument must be a string, this is %s", json_what(arg));
	}
}

/* ---- secrets ---- */

static bool ends_secret(struct str name)
{
	static const char *const ends[] = { "key",    "token",  "secret",        "password",
					    "passwd", "apikey", "authorization", "credentials",
					    "cookie", "api-key" };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t n = strlen(ends[i]);

		if (str_ends_icase(name, str_from(ends[i])) &&
		    (name.n == n || strchr("_-.", name.p[name.n - n - 1])))
			return true;
	}
	return false;
}

/* "sk-...", or what a name like API_KEY has as its value; no variable, file or "<your key>". */
static void check_secret(const struct look *k, struct str name, const struct json *v,
			 const char *path)
{
	static const char *const masks[] = { "your", "xxx", "***", "...", "changeme", "replace" };
	struct str value = json_str(v, STR(""));

	if (str_chr(value, '$', 0) >= 0)
		return;
	if (!secret_in(value, SECRETS_DOUBT)) {
		if (!ends_secret(name) || value.n < SECRET_MIN || strchr("</.~", value.p[0]))
			return;
		if (str_starts_icase(value, STR("Bearer ")))
			value = str_sub(value, 7, value.n);
		for (size_t i = 0; i < ARRAY_LEN(masks); i++)
			if (value.n < SECRET_MIN || str_starts_icase(value, str_from(masks[i])))
				return;
	}
	report(k, TL_SEVERITY_WARNING, "secret-in-file", v, path,
	       "%.*s looks like a secret, and everyone who gets this file can read it; "
	       "\"$NAME\" in its place reads it from the environment",
	       STR_ARG(name));
}

static void check_secrets(const struct look *k)
{
	static const char *const objects[] = { "env", "headers" };
	const struct json *args = member(k, "args");
	struct arena *a = &k->l->arena;

	if (!is_shared(k->l, k->file))
		return;
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		const struct json *v = member(k, objects[i]);

		for (size_t j = 0; json_is(v, J_OBJ) && j < v->n; j++) {
			struct str name = v->members[j].key;

			check_secret(k, name, &v->members[j].v,
				     arena_printf(a, "%s.%.*s", objects[i], STR_ARG(name)).p);
		}
	}
	for (size_t i = 0; i < mcp_ways_n; i++) {
		const char *key = mcp_ways[i].key;

		if (!mcp_is_program(mcp_ways[i].transport) && member(k, key))
			check_secret(k, str_from(key), member(k, key), key);
	}
	for (size_t i = 0; json_is(args, J_ARR) && i < args->n; i++)
		check_secret(k, STR("args"), json_at(args, i), arena_printf(a, "args[%zu]", i).p);
}

/* ---- its other keys ---- */

static void check_pairs(const struct look *k)
{
	const struct json *env = member(k, "env"), *headers = member(k, "headers");

	for (size_t i = 0; json_is(env, J_OBJ) && i < env->n; i++) {
		const struct json_member *m = &env->members[i];

		if (!m->key.n || memchr(m->key.p, '=', m->key.n))
			report(k, TL_SEVERITY_ERROR, "bad-env", &m->v, "env",
			       "\"%.*s\" cannot be the name of a variable (ignored)",
			       STR_ARG(m->key));
		else if (json_is(&m->v, J_OBJ) || json_is(&m->v, J_ARR))
			report(k, TL_SEVERITY_ERROR, "bad-env", &m->v, "env",
			       "the value of %.*s must be a string, this is %s", STR_ARG(m->key),
			       json_what(&m->v));
	}
	for (size_t i = 0; json_is(headers, J_OBJ) && i < headers->n; i++) {
		const struct json_member *m = &headers->members[i];
		struct str value = json_str(&m->v, STR(""));
		bool bad =
			!m->key.n || str_chr(value, '\n', 0) >= 0 || str_chr(value, '\r', 0) >= 0;

		for (size_t j = 0; j < m->key.n; j++)
			bad |= strchr(": \t\r\n", m->key.p[j]) != NULL;
		if (bad)
			report(k, TL_SEVERITY_ERROR, "bad-header", &m->v, "headers",
			       "the header \"%.*s\" is malformed; the server is not used",
			       STR_ARG(m->key));
	}
}

/* "read(...)" means the tool read. */
static struct str tool_of(const struct json *v)
{
	struct str s = json_str(v, STR(""));
	ptrdiff_t at = str_chr(s, '(', 0);

	return at < 0 ? s : str_sub(s, 0, (size_t)at);
}

static void check_tools(const struct look *k)
{
	static const char *const keys[] = { "includeTools", "excludeTools" };
	const struct json *in = member(k, keys[0]), *out = member(k, keys[1]);

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct json *list = member(k, keys[i]);

		for (size_t j = 0; json_is(list, J_ARR) && j < list->n; j++) {
			const struct json *v = json_at(list, j);

			if (!tool_of(v).n)
				report(k, TL_SEVERITY_ERROR, "wrong-type", v, keys[i],
				       "the name of a tool must be a string, this is %s",
				       json_is(v, J_STR) ? "empty" : json_what(v));
		}
	}
	if (json_is(in, J_ARR) && in->n == 0)
		report(k, TL_SEVERITY_WARNING, "no-tools", in, keys[0],
		       "an empty \"includeTools\" leaves the server no tool");
	for (size_t i = 0; json_is(in, J_ARR) && i < in->n; i++)
		for (size_t j = 0; json_is(out, J_ARR) && j < out->n; j++) {
			struct str tool = tool_of(json_at(in, i));

			if (!tool.n || !str_eq(tool, tool_of(json_at(out, j))))
				continue;
			report(k, TL_SEVERITY_WARNING, "tool-excluded", json_at(in, i), keys[0],
			       "\"%.*s\" is also in \"excludeTools\", and is left out",
			       STR_ARG(tool));
			break;
		}
}

static const char *sandbox_variable(const void *data, struct str name)
{
	const struct look *k = data;
	AUTO(free) char *text = xstrndup(name.p, name.n);

	(void)k;
	return getenv(text);
}

static void say_sandbox(void *data, const struct object_odd *odd)
{
	const struct look *k = data;

	report(k, TL_SEVERITY_ERROR, odd->code, odd->value, odd->path, "%s; it is not started",
	       odd->text);
}

static void check_sandbox(const struct look *k)
{
	const char *home = getenv("HOME");
	const struct sandbox_source from = {
		.arena = &k->l->arena,
		.project = k->l->root,
		.home = home ? home : "",
		.variable = sandbox_variable,
		.odd = say_sandbox,
		.data = (void *)k,
	};
	struct str path = arena_printf(&k->l->arena, "mcpServers.%.*s.sandbox", STR_ARG(k->m->key));
	struct sandbox_rules rules;

	if (sandbox_rules_of(&from, &k->m->v, &rules) > 0) {
		struct place at = place_at(k->file, member(k, "sandbox")->pos, path.p);

		lint_sandbox(k->l, &rules.may, from.home, &at, false);
	}
}

static void check_rest(const struct look *k)
{
	static const char *const logins[] = { "oauth", "authProviderType", "targetAudience",
					      "targetServiceAccount" };
	const struct json *v = member(k, "timeout");
	double ms = json_num(v, NAN);

	if (v && !(ms >= 1))
		report(k, TL_SEVERITY_ERROR, "bad-timeout", v, "timeout",
		       "a timeout is a number of milliseconds above 0 (ignored, which means %d)",
		       MCP_TIMEOUT_MS);
	else if (v && ms < SHORT_MS)
		report(k, TL_SEVERITY_WARNING, "short-timeout", v, "timeout",
		       "%.15g ms is hardly enough to start a server; did you mean %.15g (%.15g s)?",
		       ms, ms * 1000, ms);
	v = member(k, "trust");
	if (is_shared(k->l, k->file) && json_is_true(v))
		report(k, TL_SEVERITY_WARNING, "trust-ignored", v, "trust",
		       "\"trust\" in a project's file is ignored; it counts only in your own "
		       "settings");
	for (size_t i = 0; i < ARRAY_LEN(logins); i++)
		if (member(k, logins[i])) {
			report(k, TL_SEVERITY_WARNING, "no-login", member(k, logins[i]), logins[i],
			       "\"%s\" is ignored: this version does not log in by itself; "
			       "\"headers\": {\"Authorization\": \"Bearer $TOKEN\"} gives a token",
			       logins[i]);
			break;
		}
}

/* ---- servers ---- */

static void check_name(const struct look *k, const struct json *servers)
{
	struct arena *a = &k->l->arena;
	const char *name = arena_z(a, k->m->key);
	const char *tool = mcp_tool_name(a, false, name, "");

	if (!*name || strcmp(name, "*") == 0)
		report(k, TL_SEVERITY_ERROR, "bad-name", NULL, NULL,
		       "\"%s\" cannot be the name of a server", name);
	for (const struct json_member *m = servers->members; m < k->m; m++) {
		const char *other = arena_z(a, m->key);

		if (strcmp(mcp_tool_name(a, false, other, ""), tool) != 0)
			continue;
		report(k, TL_SEVERITY_ERROR, "same-name", NULL, NULL,
		       "the tools of \"%s\" would have the names of those of \"%s\"; the server "
		       "is not used",
		       name, other);
		return;
	}
}

static void check_server(struct lint *l, const struct source *f, const struct json *servers,
			 const struct json_member *m)
{
	static void (*const checks[])(const struct look *k) = { check_pairs, check_secrets,
								check_sandbox, check_rest,
								check_tools };
	struct look k = { .l = l, .file = f, .m = m };
	const struct mcp_way *way = mcp_way_of(&m->v);

	check_name(&k, servers);
	if (!json_is(&m->v, J_OBJ)) {
		if (!json_is(&m->v, J_NULL) || !is_shared(l, f))
			report(&k, TL_SEVERITY_ERROR, "wrong-type", NULL, NULL,
			       "a server must be an object, this is %s", json_what(&m->v));
		return;
	}
	check_keys(l, f, &m->v, arena_printf(&l->arena, "mcpServers.%.*s", STR_ARG(m->key)).p,
		   true);
	if (way) {
		enum mcp_transport t = mcp_transport_of(&m->v, way);
		struct str address = text_of(&k, way->key);

		check_ways(&k, way, mcp_is_program(t));
		check_type(&k, way, mcp_is_program(t));
		if (mcp_is_program(t))
			check_program(&k);
		else if (address.p[0] != '$' && !mcp_scheme_fits(t, address))
			report(&k, TL_SEVERITY_ERROR, "bad-url", member(&k, way->key), way->key,
			       "the address in \"%s\" must begin with %s", way->key,
			       mcp_schemes(&l->arena, t));
	} else if (!mcp_way_of(json_get(l->servers, m->key))) {
		/* Two files of a project may share one server. */
		report(&k, TL_SEVERITY_ERROR, "no-transport", NULL, NULL,
		       "the server \"%.*s\" has no command, url, httpUrl or tcp", STR_ARG(m->key));
	}
	for (size_t i = 0; i < ARRAY_LEN(checks); i++)
		checks[i](&k);
}

static void check_mcp(struct lint *l, const struct source *f, const struct json_member *m)
{
	static const char *const namings[] = { "single", "double" };
	static const char *const lists[] = { "allowed", "excluded" };
	const struct json *naming = json_getz(&m->v, "toolNaming");

	if (!json_is(&m->v, J_OBJ)) {
		struct place at = place_at(f, m->v.pos, "mcp");

		lint_add(l, TL_SEVERITY_ERROR, "wrong-type", &at,
			 "\"mcp\" must be an object, this is %s", json_what(&m->v));
		return;
	}
	check_keys(l, f, &m->v, "mcp", false);
	/* Only typos: others may be listed for another day. */
	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		const struct json *list = json_getz(&m->v, lists[k]);

		for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
			const struct json *v = json_at(list, i);
			struct str name = json_str(v, STR(""));
			const char *near =
				json_get(l->servers, name) ? "" : lint_near_server(l, name);
			struct place at = place_at(
				f, v->pos, arena_printf(&l->arena, "mcp.%s[%zu]", lists[k], i).p);

			if (*near)
				lint_add(l, TL_SEVERITY_WARNING, "unknown-server", &at,
					 "no MCP server \"%.*s\"%s", STR_ARG(name), near);
		}
	}
	if (json_is(naming, J_STR) && !WORD_IN(json_str(naming, STR("")), namings)) {
		struct place at = place_at(f, naming->pos, "mcp.toolNaming");

		lint_add(l, TL_SEVERITY_WARNING, "bad-value", &at,
			 "\"toolNaming\" is \"single\" or \"double\", not \"%.*s\" (ignored)",
			 STR_ARG(json_str(naming, STR(""))));
	}
}

void lint_servers(struct lint *l, const struct source *f)
{
	const struct json_member *mcp = json_member(f->doc, STR("mcp"));
	const struct json_member *m = json_member(f->doc, STR("mcpServers"));
	struct place at;

	if (f->dialect && !f->dialect->borrows)
		return;
	if (mcp)
		check_mcp(l, f, mcp);
	if (!m || json_is(&m->v, J_NULL))
		return;
	at = place_at(f, m->v.pos, "mcpServers");
	if (!json_is(&m->v, J_OBJ)) {
		lint_add(l, TL_SEVERITY_ERROR, "wrong-type", &at,
			 "\"mcpServers\" must be an object, this is %s; no server is read",
			 json_what(&m->v));
		return;
	}
	if (m->v.yes)
		lint_add(l, TL_SEVERITY_WARNING, "repeated-key", &at,
			 "duplicate server name in \"mcpServers\"; only the last one applies");
	if (m->v.n > SERVERS_MAX || f->text.n > TEXT_MAX) {
		lint_add(l, TL_SEVERITY_WARNING, "too-large", &at,
			 "the servers are not checked one by one: the limits are %d servers and "
			 "%d KiB",
			 SERVERS_MAX, TEXT_MAX >> 10);
		return;
	}
	for (size_t i = 0; i < m->v.n; i++)
		check_server(l, f, &m->v, &m->v.members[i]);
}

/* ---- of extensions ---- */

/* Their files are their authors' business (`extensions validate`): only, will they start here? */
void lint_extensions(struct lint *l)
{
	static const struct json_member nowhere;

	for (size_t i = 0; l->extensions && i < l->extensions->n; i++) {
		const struct extension *e = &l->extensions->p[i];
		const struct json *servers =
			extension_is_active(e) ? json_getz(e->manifest, "mcpServers") : NULL;
		AUTO(free) char *path =
			fs_join(e->dir, e->is_plugin ? PLUGIN_MANIFEST : EXTENSION_MANIFEST);
		struct source file = { .tier = TL_TIER_EXTENSION,
				       .path = arena_z(&l->arena, str_from(path)),
				       .text = STR("") };

		if (!json_is(servers, J_OBJ))
			continue;
		(void)settings_read(&l->arena, path, &file.text, &file.doc, NULL);
		for (size_t s = 0; s < servers->n; s++) {
			struct look k = { .l = l, .file = &file, .m = &servers->members[s] };

			k.written = json_member(json_getz(file.doc, "mcpServers"), k.m->key)
					    ?: &nowhere;
			if (json_is(member(&k, "command"), J_STR))
				check_program(&k);
		}
	}
}

/* ---- which there are ---- */

/* Of an extension whose hooks/hooks.json this is. */
static const struct json *servers_beside(struct arena *a, const char *file)
{
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *full = fs_absolute(here ? here : "/", file);
	AUTO(free) char *up = xasprintf("%s/../../" EXTENSION_MANIFEST, full);
	AUTO(free) char *path = fs_absolute("/", up);
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *doc;

	if (fs_read(path, EXTENSION_FILE_MAX, &text, NULL) < 0 ||
	    json_parse(a, buf_str(&text), JSON_C, &doc, NULL) < 0)
		return NULL;
	return json_getz(doc, "mcpServers");
}

/* Those of `known` count more. */
static const struct json *with(struct arena *a, const struct json *known, const struct json *more)
{
	return json_is(more, J_OBJ) ? json_overlay(a, more, known) : known;
}

const struct json *lint_known_servers(struct lint *l, const struct tl_hooks *hooks)
{
	struct arena *a = &l->arena;
	const struct extension_options options = { .home = tl_hooks_home(hooks),
						   .project = tl_hooks_project_dir(hooks),
						   .plugins = hooks->set.plugins };
	struct settings_dirs dirs = {
		.dirs = { .home = options.home,
			  .project = options.project,
			  .cwd = l->cwd,
			  .env = (const char *const *)environ },
		.trusted = true,
	};
	const struct json *settings, *known = json_new_obj(a);

	l->extensions = extensions_read(a, &options);
	dirs.below = extensions_settings(a, l->extensions);
	/* What cannot be read was told of; nothing is known of names then. */
	if (settings_load(a, &dirs, &settings, NULL) < 0)
		return NULL;
	known = json_overlay(a, known, json_getz(settings, "mcpServers"));
	if (json_pointer(settings, STR("/mcp/serverCommand")))
		known = with(a, known, json_set(a, NULL, STR("mcp"), json_new_obj(a)));
	for (size_t i = 0; i < hooks->sources.n; i++) {
		known = with(a, known, json_getz(hooks->sources.p[i].doc, "mcpServers"));
		if (l->as_project)
			known = with(a, known, servers_beside(a, hooks->sources.p[i].path));
	}
	return known;
}

const char *lint_near_server(struct lint *l, struct str name)
{
	return did_you_mean_key(&l->arena, arena_z(&l->arena, name), l->servers);
}
