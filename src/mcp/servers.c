/* All servers together: their table, what they offer, and the requests that people know by name. */
#include <poll.h>

#include "base/vec.h"
#include "hooks/match.h"
#include "mcp/rpc.h"
#include "mcp/server.h"
#include "os/clock.h"
#include "os/fd.h"

enum { VISITS_MAX = 3 }; /* of the addresses that one call wants */

/* What mcp_servers_tools() and its like have shown last. */
struct shown {
	struct mcp_catalog **held; /* one a server, or NULL */
	size_t n;
};

struct mcp_servers {
	struct arena arena; /* of the configuration */
	struct mcp_options options;
	struct server_host host;
	struct server *p;
	size_t n;
	int unsettled; /* changed by __atomic functions only */
	struct cancel *settled; /* fired once all first attempts are over */
	bool *starting; /* one a server: its first attempt is under way */
	/* The session's thread only. */
	struct shown shown[3];
	struct mcp_tools tools;
	struct mcp_prompts prompts;
	struct mcp_resources resources;
};

static void on_change(void *data)
{
	struct mcp_servers *s = data;

	if (s->options.on_change)
		s->options.on_change(s->options.data);
}

static void settle_one(void *data)
{
	struct mcp_servers *s = data;

	if (__atomic_sub_fetch(&s->unsettled, 1, __ATOMIC_ACQ_REL) == 0)
		cancel_fire(s->settled);
}

struct mcp_servers *mcp_servers_new(const struct mcp_options *options)
{
	struct mcp_servers *s = xcalloc(1, sizeof *s);
	struct mcp_config *configs = mcp_config_read(&s->arena, options, &s->n);
	const char *home = options->home ? arena_z(&s->arena, str_from(options->home)) : NULL;

	s->options = (struct mcp_options){ .on_change = options->on_change, .data = options->data };
	s->host = (struct server_host){ on_change, settle_one, s, home, options->env };
	s->settled = cancel_new(NULL);
	s->unsettled = (int)s->n + 1;
	s->p = xcalloc(s->n + 1, sizeof *s->p);
	s->starting = xcalloc(s->n + 1, sizeof *s->starting);
	for (size_t i = 0; i < ARRAY_LEN(s->shown); i++)
		s->shown[i].held = xcalloc(s->n + 1, sizeof(struct mcp_catalog *));
	for (size_t i = 0; i < s->n; i++)
		server_start(&s->p[i], &configs[i], &s->host);
	settle_one(s);
	return s;
}

static void release(struct shown *shown)
{
	for (size_t i = 0; i < shown->n; i++)
		catalog_unref(shown->held[i]);
	shown->n = 0;
}

void mcp_servers_free(struct mcp_servers *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		server_stop(&s->p[i]);
	for (size_t i = 0; i < s->n; i++)
		server_done(&s->p[i]);
	for (size_t i = 0; i < ARRAY_LEN(s->shown); i++) {
		release(&s->shown[i]);
		free(s->shown[i].held);
	}
	free(s->tools.p);
	free(s->prompts.p);
	free(s->resources.p);
	cancel_free(s->settled);
	free(s->starting);
	free(s->p);
	arena_done(&s->arena);
	free(s);
}

int mcp_servers_wait_ms(struct mcp_servers *s, int timeout_ms, struct cancel *cancel)
{
	int64_t end = timeout_ms < 0 ? INT64_MAX : clock_us() + (int64_t)timeout_ms * 1000;
	struct pollfd fds[] = {
		{ .fd = cancel_fd(s->settled), .events = POLLIN },
		{ .fd = cancel_fd(cancel), .events = POLLIN },
	};

	/* Without a descriptor there is nothing to wait on. */
	while (s->settled && !cancel_fired(s->settled) && !cancel_fired(cancel)) {
		if (clock_us() >= end)
			return -E_AGAIN;
		(void)fd_poll_until(fds, ARRAY_LEN(fds), end);
	}
	return cancel_fired(cancel) ? -E_CANCEL : 0;
}

int mcp_servers_wait(struct mcp_servers *s, struct cancel *cancel)
{
	return mcp_servers_wait_ms(s, -1, cancel);
}

/* ---- about them ---- */

static struct server *find(const struct mcp_servers *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->p[i].config->name, name) == 0)
			return &s->p[i];
	return NULL;
}

static struct server *find_or_say(const struct mcp_servers *s, const char *name, struct err *err)
{
	struct server *server = find(s, name);

	if (!server)
		(void)err_set(err, E_NOTFOUND, "no MCP server is named %s", name);
	return server;
}

size_t mcp_servers_count(const struct mcp_servers *s)
{
	return s->n;
}

void mcp_server_info(struct mcp_servers *s, size_t i, struct mcp_server_info *ret_info)
{
	struct server *server = &s->p[i];
	const struct mcp_config *config = server->config;

	*ret_info = (struct mcp_server_info){
		.name = config->name,
		.description = config->description,
		.transport = config->transport,
		.trust = config->trust,
		.is_started = server->thread,
		.auth = mcp_auth_state(server->auth),
	};
	pthread_mutex_lock(&server->lock);
	ret_info->state = server->state;
	ret_info->why = server->why;
	memcpy(ret_info->reason, server->reason, sizeof ret_info->reason);
	memcpy(ret_info->protocol, server->protocol, sizeof ret_info->protocol);
	memcpy(ret_info->own_name, server->own_name, sizeof ret_info->own_name);
	memcpy(ret_info->own_version, server->own_version, sizeof ret_info->own_version);
	if (server->catalog) {
		ret_info->ntools = server->catalog->tools.n;
		ret_info->nprompts = server->catalog->prompts.n;
		ret_info->nresources = server->catalog->resources.n;
	}
	pthread_mutex_unlock(&server->lock);
}

struct str mcp_server_instructions(struct mcp_servers *s, size_t i, struct arena *a)
{
	struct server *server = &s->p[i];
	struct str text = STR("");

	pthread_mutex_lock(&server->lock);
	if (server->state == MCP_READY)
		text = arena_str(a, buf_str(&server->instructions));
	pthread_mutex_unlock(&server->lock);
	return text;
}

int mcp_server_log(struct mcp_servers *s, const char *name, struct buf *out)
{
	struct server *server = find(s, name);

	if (!server)
		return -E_NOTFOUND;
	pthread_mutex_lock(&server->lock);
	buf_adds(out, buf_str(&server->log));
	pthread_mutex_unlock(&server->lock);
	return 0;
}

int mcp_server_restart(struct mcp_servers *s, const char *name, struct err *err)
{
	struct server *server = find_or_say(s, name, err);

	if (!server)
		return -E_NOTFOUND;
	if (!server->thread)
		return err_set(err, E_CONFIG, "MCP server %s: %s", name, server->reason);
	if (server_is_off(server))
		return err_set(err, E_CONFIG, "MCP server %s: %s", name, server_is_off(server));
	server_restart(server);
	return 0;
}

int mcp_server_switch(struct mcp_servers *s, const char *name, const char *off)
{
	struct server *server = find_or_say(s, name, NULL);

	if (!server)
		return -E_NOTFOUND;
	return server->thread && server_switch(server, off);
}

/* The authorization of a server that OAuth is for; NULL after having said why there is none. */
static struct mcp_auth *auth_of(const struct mcp_servers *s, const char *name, struct err *err)
{
	const struct server *server = find_or_say(s, name, err);

	if (!server || server->auth)
		return server ? server->auth : NULL;
	(void)err_set(err, E_CONFIG, "MCP server %s: %s", name,
		      !server->config->url      ? "only servers with a URL are signed in to"
		      : server->config->problem ? server->config->problem
		      : server->config->oauth.off
			      ? "its settings switch OAuth off"
			      : "its settings have an Authorization header of their own");
	return NULL;
}

int mcp_server_sign_in(struct mcp_servers *s, const char *name, const struct mcp_sign_in *how,
		       struct cancel *cancel, struct err *err)
{
	struct mcp_auth *auth = auth_of(s, name, err);
	int r;

	if (!auth)
		return find(s, name) ? -E_CONFIG : -E_NOTFOUND;
	r = mcp_auth_sign_in(auth, how, cancel, err);
	if (r < 0)
		return err_wrap(err, "MCP server %s", name);
	(void)mcp_server_restart(s, name, NULL);
	return 0;
}

int mcp_server_sign_out(struct mcp_servers *s, const char *name, struct err *err)
{
	struct mcp_auth *auth = auth_of(s, name, err);

	return auth ? mcp_auth_sign_out(auth, err) : find(s, name) ? -E_CONFIG : -E_NOTFOUND;
}

const struct json *mcp_context(struct arena *a, const struct mcp_servers *s, const char *server,
			       const char *tool)
{
	const struct server *found = find(s, server);

	return found ? mcp_config_context(a, found->config, tool) : NULL;
}

/* ---- what they offer ---- */

/* Holds the present catalogs of all servers for the next look at them. */
static const struct shown *hold(struct mcp_servers *s, size_t which)
{
	struct shown *shown = &s->shown[which];

	release(shown);
	shown->n = s->n;
	for (size_t i = 0; i < s->n; i++) {
		struct server *server = &s->p[i];

		pthread_mutex_lock(&server->lock);
		shown->held[i] = server->catalog ? catalog_ref(server->catalog) : NULL;
		pthread_mutex_unlock(&server->lock);
	}
	return shown;
}

enum { UNCUT = 30 }; /* bytes of a tool's name that are its beginning in any case */

/*
 * May an earlier server offer a tool of this name once it has started?  Then the name stays
 * reserved until then: which server owns a tool never depends on timing.
 */
static bool may_be_of_earlier(const struct mcp_servers *s, size_t i, const char *tool)
{
	AUTO(arena_done) struct arena a = { 0 };

	for (size_t k = 0; k < i; k++) {
		const struct mcp_config *config = s->p[k].config;
		struct str start;

		if (!s->starting[k])
			continue;
		start = mcp_whole_name(&a, config->name, "", config->single);
		if (str_starts(str_from(tool), str_sub(start, 0, UNCUT)))
			return true;
	}
	return false;
}

size_t mcp_servers_tools(struct mcp_servers *s, const struct mcp_tool **ret_tools)
{
	const struct shown *shown;
	const bool settled = cancel_fired(s->settled);

	/* First: who is ready by then is shown. */
	for (size_t i = 0; i < s->n; i++) {
		pthread_mutex_lock(&s->p[i].lock);
		s->starting[i] = !settled && s->p[i].state == MCP_CONNECTING;
		pthread_mutex_unlock(&s->p[i].lock);
	}
	shown = hold(s, 0);
	s->tools.n = 0;
	for (size_t i = 0; i < shown->n; i++) {
		const struct mcp_catalog *c = shown->held[i];

		for (size_t k = 0; c && k < c->tools.n; k++) {
			const struct mcp_tool *tool = &c->tools.p[k];
			bool taken = may_be_of_earlier(s, i, tool->name);

			for (size_t j = 0; j < s->tools.n && !taken; j++)
				taken = strcmp(s->tools.p[j].name, tool->name) == 0;
			if (!taken)
				*VEC_ADD(&s->tools) = *tool;
		}
	}
	*ret_tools = s->tools.p;
	return s->tools.n;
}

size_t mcp_servers_prompts(struct mcp_servers *s, const struct mcp_prompt **ret_prompts)
{
	const struct shown *shown = hold(s, 1);

	s->prompts.n = 0;
	for (size_t i = 0; i < shown->n; i++) {
		const struct mcp_catalog *c = shown->held[i];

		for (size_t k = 0; c && k < c->prompts.n; k++)
			*VEC_ADD(&s->prompts) = c->prompts.p[k];
	}
	*ret_prompts = s->prompts.p;
	return s->prompts.n;
}

size_t mcp_servers_resources(struct mcp_servers *s, const struct mcp_resource **ret_resources)
{
	const struct shown *shown = hold(s, 2);

	s->resources.n = 0;
	for (size_t i = 0; i < shown->n; i++) {
		const struct mcp_catalog *c = shown->held[i];

		for (size_t k = 0; c && k < c->resources.n; k++)
			*VEC_ADD(&s->resources) = c->resources.p[k];
	}
	*ret_resources = s->resources.p;
	return s->resources.n;
}

static const char *copy(struct arena *a, const char *z)
{
	return arena_z(a, str_from(z));
}

size_t mcp_servers_copy_resources(struct mcp_servers *s, struct arena *a,
				  const struct mcp_resource **ret_resources)
{
	size_t room = s->n * CATALOG_ITEMS_MAX, n = 0;
	AUTO(free) struct mcp_resource *all = xcalloc(room + 1, sizeof *all);
	struct mcp_resource *list;

	for (size_t i = 0; i < s->n; i++) {
		struct mcp_catalog *c;

		pthread_mutex_lock(&s->p[i].lock);
		c = s->p[i].catalog ? catalog_ref(s->p[i].catalog) : NULL;
		pthread_mutex_unlock(&s->p[i].lock);
		for (size_t k = 0; c && k < c->resources.n && n < room; k++) {
			const struct mcp_resource *r = &c->resources.p[k];

			all[n++] = (struct mcp_resource){
				.server = r->server,
				.uri = copy(a, r->uri),
				.name = copy(a, r->name),
				.title = copy(a, r->title),
				.description = copy(a, r->description),
				.mime_type = copy(a, r->mime_type),
				.is_template = r->is_template,
			};
		}
		catalog_unref(c);
	}
	list = ARENA_ARRAY(a, struct mcp_resource, n + 1);
	memcpy(list, all, n * sizeof *list);
	*ret_resources = list;
	return n;
}

/* ---- requests ---- */

static const struct json *new_str(struct arena *a, const char *z)
{
	return json_new_str(a, str_from(z));
}

/*
 * (waits) The server wants something done at addresses before it answers: true when the user has
 * been to all of them.
 */
static bool visit(const char *server, const struct mcp_sink *sink, const struct json *error,
		  struct arena *a)
{
	const struct json *list = json_pointer(error, STR("/data/elicitations"));

	if (json_int(json_getz(error, "code"), 0) != RPC_URL_WANTED || !sink || !sink->ask)
		return false;
	for (size_t i = 0; json_at(list, i); i++) {
		const struct json *content;
		struct elicit e;

		if (elicit_read(a, json_at(list, i), &e, NULL) < 0 || !e.is_url ||
		    sink->ask(sink->data, server, &e, a, &content) != ELICIT_ACCEPT)
			return false;
	}
	return json_at(list, 0);
}

int mcp_call_tool(struct mcp_servers *s, const char *server, const char *tool,
		  const struct json *args, const struct mcp_sink *sink, struct cancel *cancel,
		  struct arena *a, struct mcp_result *ret_result, struct err *err)
{
	const struct json *params = json_set(a, NULL, STR("name"), new_str(a, tool));
	struct server *found = find_or_say(s, server, err);
	const struct json *result, *content;
	int r, visits = 0;

	if (!found)
		return -E_NOTFOUND;
	params = json_set(a, params, STR("arguments"), args ? args : json_new_obj(a));
	do
		r = server_request(found, "tools/call", params, sink, cancel, a, &result, err);
	while (r < 0 && visits++ < VISITS_MAX && visit(server, sink, result, a));
	if (r < 0)
		return r;
	content = json_getz(result, "content");
	if (!json_is(result, J_OBJ) || (content && !json_is(content, J_ARR)))
		return err_set(err, E_PARSE, "MCP server %s: %s has answered without content",
			       server, tool);
	*ret_result = (struct mcp_result){
		.content = content ? content : json_new_arr(a, NULL, 0),
		.structured = json_getz(result, "structuredContent"),
		.is_error = json_is_true(json_getz(result, "isError")),
	};
	return 0;
}

/* (waits) A request whose result is to have an array of this name. */
static int request_array(struct mcp_servers *s, const char *server, const char *method,
			 const struct json *params, struct str member, struct cancel *cancel,
			 struct arena *a, const struct json **ret_array, struct err *err)
{
	struct server *found = find_or_say(s, server, err);
	const struct json *result;
	int r;

	if (!found)
		return -E_NOTFOUND;
	r = server_request(found, method, params, NULL, cancel, a, &result, err);
	if (r < 0)
		return r;
	if (!json_is(json_get(result, member), J_ARR))
		return err_set(err, E_PARSE, "MCP server %s: the answer to %s has no %.*s", server,
			       method, STR_ARG(member));
	*ret_array = json_get(result, member);
	return 0;
}

int mcp_read_resource(struct mcp_servers *s, const char *server, const char *uri,
		      struct cancel *cancel, struct arena *a, const struct json **ret_contents,
		      struct err *err)
{
	const struct json *params = json_set(a, NULL, STR("uri"), new_str(a, uri));

	return request_array(s, server, "resources/read", params, STR("contents"), cancel, a,
			     ret_contents, err);
}

int mcp_get_prompt(struct mcp_servers *s, const char *server, const char *prompt,
		   const struct json *args, struct cancel *cancel, struct arena *a,
		   const struct json **ret_messages, struct err *err)
{
	const struct json *params = json_set(a, NULL, STR("name"), new_str(a, prompt));

	if (args)
		params = json_set(a, params, STR("arguments"), args);
	return request_array(s, server, "prompts/get", params, STR("messages"), cancel, a,
			     ret_messages, err);
}

int mcp_ping(struct mcp_servers *s, const char *server, struct cancel *cancel, struct err *err)
{
	struct server *found = find_or_say(s, server, err);
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *result;

	if (!found)
		return -E_NOTFOUND;
	return server_request(found, "ping", NULL, NULL, cancel, &a, &result, err);
}
