/*
 * The transport follows from the keys: command is a program on stdio, httpUrl is streamable HTTP,
 * tcp is a WebSocket, url with a type is what the type says.  A url without one is a WebSocket if
 * its scheme is; else it is SSE by the documentation and HTTP by the program that it documents:
 * HTTP is tried first, and SSE when the server does not know it.
 */
#include "mcp/config.h"

#include "base/env.h"
#include "base/json_pack.h"
#include "base/words.h"
#include "hooks/match.h"
#include "mcp/transport.h"
#include "os/fs.h"
#include "secrets/env_filter.h"
#include "settings/expand.h"
#include "settings/settings.h"

enum { SERVERS_MAX = 100 };

struct reader {
	struct arena *a;
	const struct mcp_options *o;
	const struct json *mcp; /* the settings' mcp */
	const struct json *projects; /* mcp.allowed of the project, which restricts further */
	const char *const *env; /* filtered */
};

/* NULL when it is no string, empty, or has a NUL inside. */
static const char *get_text(struct reader *r, const struct json *v, struct str key)
{
	struct str s = json_str(json_get(v, key), STR(""));

	return s.n && !memchr(s.p, '\0', s.n) ? arena_z(r->a, s) : NULL;
}

/* The text of a string, number or truth value. */
static struct str value_text(struct reader *r, const struct json *v)
{
	return json_is(v, J_STR) ? json_str(v, STR("")) : json_text(r->a, v, JSON_JS);
}

static struct str expanded(struct reader *r, const struct json *v)
{
	struct expansion x = expand_from(r->o->env);

	x.unset_is_empty = true;
	return expand(&x, r->a, value_text(r, v));
}

/* With `env` over it; a variable with a NUL or `=` in its name is left out. */
static const char *const *make_env(struct reader *r, const struct sandbox_rules *sandbox,
				   const struct json *vars)
{
	const char *const *inherited = sandbox_env(r->a, sandbox, r->env);
	size_t n = 0, most;
	const char **env;

	while (inherited[n])
		n++;
	most = n + (json_is(vars, J_OBJ) ? vars->n : 0);
	env = ARENA_ARRAY(r->a, const char *, most + 1);
	memcpy(env, inherited, n * sizeof *env);
	for (size_t i = 0; most > n && i < vars->n; i++) {
		const struct json_member *m = &vars->members[i];
		struct str value = expanded(r, &m->v);
		size_t at = 0;

		if (memchr(value.p, '\0', value.n) || !m->key.n ||
		    memchr(m->key.p, '=', m->key.n) || memchr(m->key.p, '\0', m->key.n) ||
		    (value.n && memchr(value.p, '\0', value.n)))
			continue;
		struct str entry = arena_printf(r->a, "%.*s=%.*s", STR_ARG(m->key), STR_ARG(value));
		while (env[at] && strncmp(env[at], entry.p, m->key.n + 1) != 0)
			at++;
		env[at] = entry.p;
	}
	return env;
}

static const char *const *make_argv(struct reader *r, const char *command, const struct json *args)
{
	size_t n = json_is(args, J_ARR) ? args->n : 0;
	const char **argv = ARENA_ARRAY(r->a, const char *, n + 2);

	argv[0] = command;
	for (size_t i = 0; i < n; i++) {
		struct str arg = value_text(r, json_at(args, i));

		if (memchr(arg.p, '\0', arg.n))
			return NULL;
		argv[i + 1] = arena_z(r->a, arg);
	}
	return argv;
}

static const char *const *make_headers(struct reader *r, const struct json *headers)
{
	size_t n = json_is(headers, J_OBJ) ? headers->n : 0, made = 0;
	const char **out = ARENA_ARRAY(r->a, const char *, n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct json_member *m = &headers->members[i];
		struct str value = expanded(r, &m->v);
		struct str line = arena_printf(r->a, "%.*s: %.*s", STR_ARG(m->key), STR_ARG(value));

		if (memchr(value.p, '\0', value.n) || !m->key.n ||
		    strcspn(line.p, ": \t\r\n") != m->key.n || strlen(line.p) != line.n ||
		    strpbrk(line.p, "\r\n"))
			return NULL;
		out[made++] = line.p;
	}
	return out;
}

/* In the words of Gemini CLI, and those of Claude Code where it has others. */
static void set_oauth(struct mcp_config *c, struct reader *r, const struct json *v)
{
	struct mcp_oauth *o = &c->oauth;
	const struct {
		const char *key;
		const char **to;
	} texts[] = {
		{ "clientId", &o->client_id },
		{ "clientSecret", &o->client_secret },
		{ "issuer", &o->issuer },
		{ "authServerMetadataUrl", &o->metadata_url },
		{ "authorizationUrl", &o->authorize_url },
		{ "tokenUrl", &o->token_url },
		{ "registrationUrl", &o->register_url },
		{ "redirectUri", &o->redirect_uri },
		{ "scopes", &o->scopes },
		{ "audiences", &o->audience },
	};
	const struct json *oauth = json_getz(v, "oauth");
	struct str type = json_get_str(v, "authProviderType");
	int64_t port = json_int(json_getz(oauth, "callbackPort"), 0);

	if (type.n && !str_eqz(type, "dynamic_discovery"))
		c->problem =
			arena_printf(r->a,
				     "its authProviderType %.40s is not supported: put a token "
				     "into \"headers\", or take it out for OAuth",
				     type.p)
				.p;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct json *text = json_getz(oauth, texts[i].key), *one;
		AUTO(buf_done) struct buf out = { 0 };

		if (json_is(text, J_STR))
			buf_adds(&out, expanded(r, text));
		/* Of an array "a b". */
		for (size_t k = 0; (one = json_at(text, k)); k++)
			if (json_is(one, J_STR))
				buf_addf(&out, "%s%.*s", out.n ? " " : "",
					 STR_ARG(expanded(r, one)));
		*texts[i].to =
			out.n && !memchr(out.p, '\0', out.n) ? arena_z(r->a, buf_str(&out)) : NULL;
	}
	o->off = json_is_false(oauth) || json_is_false(json_getz(oauth, "enabled"));
	o->port = port > 0 && port < 65536 ? (int)port : 0;
	o->by_secret = str_eqz(json_get_str(oauth, "grantType"), "client_credentials");
}

/* It does not run without the sandbox that it was to have (C6.12): what is wrong is a problem. */
struct wrong_sandbox {
	struct reader *r;
	struct mcp_config *c;
};

static void say_wrong(void *data, const struct object_odd *odd)
{
	const struct wrong_sandbox *w = data;

	w->c->problem = arena_printf(w->r->a, "its sandbox is wrong: %s", odd->text).p;
}

static const char *sandbox_variable(const void *data, struct str name)
{
	const struct wrong_sandbox *w = data;
	AUTO(free) char *text = xstrndup(name.p, name.n);

	return env_get(w->r->o->env, text);
}

static void set_transport(struct mcp_config *c, struct reader *r, const struct json *v)
{
	struct wrong_sandbox w = { r, c };
	const char *home = r->o->home ? r->o->home : env_get(r->o->env, "HOME");
	const struct sandbox_source from = {
		.arena = r->a,
		.project = r->o->cwd,
		.home = home ? home : "",
		.variable = sandbox_variable,
		.odd = say_wrong,
		.data = &w,
	};
	struct sandbox_rules *rules;

	c->command = get_text(r, v, STR("command"));
	if (!c->command) {
		const struct mcp_way *way = mcp_way_of(v);

		c->transport = way ? mcp_transport_of(v, way) : MCP_TCP;
		if (way)
			*(way->transport == MCP_TCP ? &c->tcp : &c->url) =
				get_text(r, v, str_from(way->key));
		if (!c->tcp && !c->url) {
			c->problem = MCP_NO_WAY;
			c->why = MCP_WHY_NO_WAY;
		}
		c->headers = make_headers(r, json_getz(v, "headers"));
		if (!c->headers)
			c->problem = "one of its headers is malformed";
		set_oauth(c, r, v);
		return;
	}
	c->argv = make_argv(r, c->command, json_getz(v, "args"));
	if (!c->argv)
		c->problem = "one of its arguments holds a NUL";
	rules = ARENA_NEW(r->a, struct sandbox_rules);
	c->sandbox = sandbox_rules_of(&from, v, rules) > 0 ? rules : NULL;
	c->env = make_env(r, c->sandbox, json_getz(v, "env"));
	c->transport = MCP_STDIO;
}

/* Why it is not to be used although it could be; NULL when it is. */
static const char *unwanted(struct reader *r, struct mcp_config *c, const struct json *v)
{
	const struct json *allowed = json_getz(r->mcp, "allowed");

	c->why = MCP_WHY_UNWANTED;
	if (r->o->only && !word_in(str_from(c->name), r->o->only, WORDS_ALL))
		return "it is not among the servers that this session allows";
	if (!r->o->only && json_is(allowed, J_ARR) && !json_holds(allowed, str_from(c->name), NULL))
		return "mcp.allowed does not name it";
	if (json_is(r->projects, J_ARR) && !json_holds(r->projects, str_from(c->name), NULL))
		return "mcp.allowed of the project does not name it";
	if (mcp_enablement_is_off(r->o->enablement, c->name))
		return "it is disabled; \"trotline mcp enable\" enables it";
	if (mcp_is_switched_off(v))
		return MCP_SWITCHED_OFF;
	if (json_holds(json_getz(r->mcp, "excluded"), str_from(c->name), NULL))
		return "mcp.excluded names it";
	c->why = MCP_WHY_UNTRUSTED;
	if (r->o->untrusted && c->command)
		return "the folder is not trusted: no programs are started for it";
	return NULL;
}

static const struct json *array_or_null(const struct json *v)
{
	return json_is(v, J_ARR) ? v : NULL;
}

static void read_server(struct mcp_config *c, struct reader *r, struct str name,
			const struct json *v)
{
	double timeout = json_num(json_getz(v, "timeout"), 0);
	bool timed = timeout >= 1 && timeout < 1e12;
	const char *description = get_text(r, v, STR("description"));
	enum mcp_why problem;
	const char *why;

	*c = (struct mcp_config){
		.name = arena_z(r->a, name),
		.cwd = get_text(r, v, STR("cwd")),
		.timeout_ms = r->o->request_ms ? r->o->request_ms
			      : timed          ? (int64_t)timeout
					       : MCP_TIMEOUT_MS,
		.connect_ms = !timed                         ? MCP_CONNECT_MS
			      : timeout < MCP_CONNECT_MAX_MS ? (int)timeout
							     : MCP_CONNECT_MAX_MS,
		.trust = json_is_true(json_getz(v, "trust")),
		.single = str_eqz(json_get_str(r->mcp, "toolNaming"), "single"),
		.description = description ? description : "",
		.include = array_or_null(json_getz(v, "includeTools")),
		.exclude = array_or_null(json_getz(v, "excludeTools")),
		.secrets = array_or_null(json_getz(v, SETTINGS_SECRETS)),
	};
	AUTO(free) char *dir = fs_absolute(r->o->cwd, c->cwd ? c->cwd : ".");
	c->dir = c->cwd ? arena_z(r->a, str_from(dir)) : r->o->cwd;
	set_transport(c, r, v);
	/* What is said of this one server would be said of all. */
	if (str_eqz(name, "*"))
		c->problem = "* means every server in rules, so it cannot be a name";
	problem = c->why;
	why = unwanted(r, c, v);
	c->closed = why;
	if (why)
		c->problem = why;
	else
		c->why = problem;
	c->login_name = r->o->unnamed && c->url ? c->url : c->name;
}

/* mcp.serverCommand as an entry of mcpServers; NULL when it is not set. */
static const struct json *command_server(struct reader *r)
{
	struct str line = json_get_str(r->mcp, "serverCommand");
	const struct json *words[64];
	size_t n = 0, i = 0;

	while (n < ARRAY_LEN(words)) {
		AUTO(buf_done) struct buf word = { 0 };
		char quote = 0;

		while (i < line.n && strchr(" \t\n", line.p[i]))
			i++;
		if (i == line.n)
			break;
		/* One word, with quotes and backslashes. */
		for (; i < line.n && (quote || !strchr(" \t\n", line.p[i])); i++) {
			char c = line.p[i];

			if (quote ? c == quote : c == '"' || c == '\'')
				quote = quote ? 0 : c;
			else if (c == '\\' && quote != '\'' && i + 1 < line.n)
				buf_addc(&word, line.p[++i]);
			else
				buf_addc(&word, c);
		}
		words[n++] = json_new_copy(r->a, buf_str(&word));
	}
	if (!n)
		return NULL;
	return json_pack(r->a, "command:j args:j", words[0], json_new_arr(r->a, words + 1, n - 1));
}

/*
 * Of two servers whose names read the same once they are cleaned ("git hub", "git_hub"), the first
 * has the names of tools, however long it takes to start: no server comes in the place of another.
 */
static void close_twins(struct arena *a, struct mcp_config *configs, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct str name = mcp_whole_name(a, configs[i].name, "", false);
		size_t k = 0;

		while (k < i && (configs[k].closed ||
				 !str_eq(name, mcp_whole_name(a, configs[k].name, "", false))))
			k++;
		if (k < i && !configs[i].closed)
			configs[i].problem =
				arena_printf(a, "its tools would have the names of those of \"%s\"",
					     configs[k].name)
					.p;
	}
}

struct mcp_config *mcp_config_read(struct arena *a, const struct mcp_options *options,
				   size_t *ret_n)
{
	const struct json *settings =
		options->settings ? json_dup(a, options->settings) : json_new_obj(a);
	const struct json *servers = json_getz(settings, "mcpServers");
	static const char *const no_env[] = { NULL };
	const struct json *rules =
		json_pointer(settings, STR("/security/environmentVariableRedaction"));
	const struct env_filter filter = {
		.enabled = true, /* a server is told only what `env` gives it */
		.allowed = json_getz(rules, "allowed"),
		.blocked = json_getz(rules, "blocked"),
	};
	struct reader r = {
		.a = a,
		.o = options,
		.mcp = json_getz(settings, "mcp"),
		.projects = json_pointer(settings, STR("/$project/mcp/allowed")),
		.env = env_filtered(a, options->env ? options->env : no_env, &filter),
	};
	const struct json *extra = command_server(&r);
	size_t n = json_is(servers, J_OBJ) ? min_size(servers->n, SERVERS_MAX) : 0, made = 0;
	struct mcp_config *configs = ARENA_ARRAY(a, struct mcp_config, n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct json_member *m = &servers->members[i];

		if (m->key.n && !memchr(m->key.p, '\0', m->key.n))
			read_server(&configs[made++], &r, m->key, &m->v);
	}
	if (extra && !json_getz(servers, "mcp"))
		read_server(&configs[made++], &r, STR("mcp"), extra);
	close_twins(a, configs, made);
	*ret_n = made;
	return configs;
}

/* An entry names a tool, or a tool and arguments in parentheses. */
static bool lists(const struct json *names, struct str tool)
{
	for (size_t i = 0; names && i < names->n; i++) {
		struct str entry = json_str(json_at(names, i), STR(""));

		if (str_starts(entry, tool) && (entry.n == tool.n || entry.p[tool.n] == '('))
			return true;
	}
	return false;
}

bool mcp_config_offers(const struct mcp_config *config, struct str tool)
{
	if (lists(config->exclude, tool))
		return false;
	return !config->include || lists(config->include, tool);
}

char *mcp_config_refusal(const struct mcp_config *config, long status)
{
	bool has = false;

	if (status != 401 && status != 403)
		return NULL;
	for (const char *const *h = config->headers; h && *h; h++)
		has = has || str_starts_icase(str_from(*h), STR("Authorization:"));
	return has ? xasprintf("the server does not accept the Authorization in `headers` (%ld): "
			       "is it out of date, or its variable not set?",
			       status)
		   : xasprintf("the server wants an authorization (%ld): put a token into its "
			       "settings, \"headers\": { \"Authorization\": \"Bearer $TOKEN\" }",
			       status);
}

/* The text with *** in the place of every secret; "" for NULL. */
static struct str without_secrets(struct arena *a, const struct mcp_config *config,
				  const char *text)
{
	struct str s = arena_str(a, str_from(text ? text : "")), secret;
	ptrdiff_t at;

	for (size_t i = 0; config->secrets && i < config->secrets->n; i++) {
		secret = json_str(json_at(config->secrets, i), STR(""));
		for (size_t from = 0; secret.n && (at = str_find(s, secret, from)) >= 0;
		     from = (size_t)at + 3)
			s = arena_printf(a, "%.*s***%.*s", (int)at, s.p,
					 STR_ARG(str_sub(s, (size_t)at + secret.n, s.n)));
	}
	return s;
}

const struct json *mcp_config_context(struct arena *a, const struct mcp_config *config,
				      const char *tool)
{
	const struct json *args[256];
	size_t n = 0;

	while (config->argv && n < ARRAY_LEN(args) && config->argv[n + 1]) {
		args[n] = json_new_str(a, without_secrets(a, config, config->argv[n + 1]));
		n++;
	}
	return json_pack(
		a, "server_name:z ?tool_name:z ?command:s ?args:j ?cwd:s ?url:s ?tcp:s",
		config->name, tool, without_secrets(a, config, config->command),
		n ? json_new_arr(a, args, n) : NULL, without_secrets(a, config, config->cwd),
		without_secrets(a, config, config->url), without_secrets(a, config, config->tcp));
}

const char *mcp_tool_name(struct arena *a, bool single, const char *server, const char *tool)
{
	return mcp_name(a, server, tool, single).p;
}
