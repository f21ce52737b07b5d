/* trotline mcp test, what is shown.  All texts of servers are foreign. */
#include <unistd.h>

#include "base/utf8.h"
#include "cli/mcp/mcp_test.h"
#include "mcp/transport.h"

enum { NAME_COLUMNS = 30, PIPE_COLUMNS = 200, LOG_LINES = 10, LIST_MAX = 100, TEXT_MAX = 100000 };

/* In --json. */
static const char *const states[] = {
	[MCP_CONNECTING] = "connecting",
	[MCP_READY] = "ready",
	[MCP_FAILED] = "failed",
	[MCP_CLOSED] = "closed",
};

/* ---- what to do ---- */

static const char *advice(const struct tested *t)
{
	static const char *const advices[] = {
		[MCP_WHY_NO_WAY] = "Correct its entry: trotline mcp list says where it is.",
		[MCP_WHY_UNTRUSTED] = "Look at the project's settings, then: trotline hooks trust; "
				      "once: --skip-trust",
		[MCP_WHY_UNWANTED] = "mcp.allowed and mcp.excluded of the settings say which "
				     "servers are used.",
		[MCP_WHY_NO_PROGRAM] = "Install it, or give its full path: it is not in PATH.",
		[MCP_WHY_NOT_STARTED] = "Is the command right?  It is started without a shell.",
		[MCP_WHY_ENDED] = "Run the command yourself: what it prints says more.",
		[MCP_WHY_UNAUTHORIZED] = "It wants to know who you are: -H 'Authorization: Bearer "
					 "$TOKEN'",
		[MCP_WHY_FORBIDDEN] = "It refuses access: is the header right?",
		[MCP_WHY_NO_PATH] = "The server is running, but not at this path, which often ends "
				    "in /mcp or /sse.",
	};

	if (t->info.state == MCP_READY)
		return "";
	if (t->late)
		return "It may only be slow: --timeout MS waits longer.";
	if (t->info.why != MCP_WHY_OTHER)
		return advices[t->info.why];
	return mcp_is_program(t->info.transport)
		       ? "Run the command yourself: it must answer on stdout, and print nothing "
			 "else there."
		       : "Is it running, and is the address right?";
}

static const char *transport_of(const struct tested *t)
{
	return t->info.why == MCP_WHY_NO_WAY ? "none" : mcp_transports[t->info.transport].name;
}

/* ---- for people ---- */

static struct str first_line(const char *text)
{
	struct str rest = str_trim(str_from(text)), line = { 0 };

	(void)str_split(&rest, '\n', &line);
	return str_trim(line);
}

/* "    NAME        TEXT", as wide as the terminal. */
static void print_row(const char *name, const char *text, const char *mark)
{
	AUTO(buf_done) struct buf clean = { 0 };
	size_t width, columns = isatty(STDOUT_FILENO) ? out_columns() - 1 : PIPE_COLUMNS;
	struct str line;

	(void)utf8_add_visible(&clean, str_from(name), false);
	width = utf8_count(buf_str(&clean));
	buf_addf(&clean, "%*s", (int)(width < NAME_COLUMNS ? NAME_COLUMNS - width : 0), "");
	buf_addf(&clean, "  %s", mark);
	out_f(PLAIN, "    %s", buf_z(&clean));
	width = 4 + utf8_count(buf_str(&clean));
	buf_clear(&clean);
	(void)utf8_add_visible(&clean, first_line(text), false);
	line = utf8_prefix(buf_str(&clean), columns > width ? columns - width : 0);
	out_f(DIM, "%.*s\n", STR_ARG(line));
}

static void print_head(const char *what, size_t n)
{
	if (n)
		out_f(PLAIN, "  %zu %s%s\n", n, what, n == 1 ? "" : "s");
}

static void print_more(size_t n)
{
	if (n > LIST_MAX)
		out_f(DIM, "    and %zu more; --json has all\n", n - LIST_MAX);
}

static void print_tools(struct mcp_servers *servers, const struct mcp_server_info *info)
{
	const struct mcp_tool *list;
	size_t n = mcp_servers_tools(servers, &list), shown = 0;

	print_head("tool", info->ntools);
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].server, info->name) == 0 && shown++ < LIST_MAX)
			print_row(list[i].name, list[i].description,
				  list[i].read_only ? "(reads) " : "");
	print_more(shown);
}

static void print_prompts(struct mcp_servers *servers, const struct mcp_server_info *info)
{
	const struct mcp_prompt *list;
	size_t n = mcp_servers_prompts(servers, &list), shown = 0;

	print_head("prompt", info->nprompts);
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].server, info->name) == 0 && shown++ < LIST_MAX)
			print_row(list[i].name, list[i].description, "");
	print_more(shown);
}

static void print_resources(struct mcp_servers *servers, const struct mcp_server_info *info)
{
	const struct mcp_resource *list;
	size_t n = mcp_servers_resources(servers, &list), shown = 0;

	print_head("resource", info->nresources);
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].server, info->name) == 0 && shown++ < LIST_MAX)
			print_row(list[i].uri,
				  *list[i].description ? list[i].description : list[i].name,
				  list[i].is_template ? "(template) " : "");
	print_more(shown);
}

/* The end of what it has said, if that is more than the reason. */
static void print_log(struct mcp_servers *servers, const struct mcp_server_info *info)
{
	AUTO(buf_done) struct buf log = { 0 };
	size_t from, lines = 0;

	(void)mcp_server_log(servers, info->name, &log);
	while (log.n && log.p[log.n - 1] == '\n')
		log.n--;
	if (!log.n || str_eqz(buf_str(&log), info->reason))
		return;
	for (from = log.n; from > 0; from--)
		if (log.p[from - 1] == '\n' && ++lines == LOG_LINES)
			break;
	out_f(PLAIN, "  what it said last:\n");
	out_text(DIM, buf_z(&log) + from, 4);
}

static void print_ready(const struct test_shown *shown, const struct tested *t)
{
	bool named;

	out_f(GREEN, "  ready");
	out_f(PLAIN, " in %.0f ms", (double)t->connect_us / 1000);
	if (t->ping_us >= 0)
		out_f(PLAIN, ", ping %.1f ms\n", (double)t->ping_us / 1000);
	else
		out_f(YELLOW, ", but it does not answer a ping: %s\n", t->ping_error);
	/* What it calls itself. */
	named = *t->info.own_name || *t->info.own_version;
	out_f(DIM, "  %s%s%s%sprotocol %s\n", t->info.own_name,
	      *t->info.own_name && *t->info.own_version ? " " : "", t->info.own_version,
	      named ? ", " : "", t->info.protocol);
	print_tools(shown->servers, &t->info);
	print_prompts(shown->servers, &t->info);
	print_resources(shown->servers, &t->info);
	if (!t->info.ntools && !t->info.nprompts && !t->info.nresources)
		out_f(YELLOW, "  It offers nothing.\n");
}

static void print_failed(const struct test_shown *shown, const struct tested *t)
{
	const char *reason = *t->info.reason ? t->info.reason : "it does not answer";
	bool closed = t->info.state == MCP_CLOSED;

	out_f(closed ? YELLOW : RED, "  %s",
	      t->late  ? "not ready in time"
	      : closed ? "not used"
		       : "failed");
	out_f(PLAIN, ": %s\n", reason);
	if (*advice(t))
		out_f(PLAIN, "  %s\n", advice(t));
	print_log(shown->servers, &t->info);
}

void test_print_text(const struct test_shown *shown)
{
	for (size_t i = 0; i < shown->n; i++) {
		const struct tested *t = &shown->p[i];
		AUTO(buf_done) struct buf name = { 0 };

		(void)utf8_add_visible(&name, str_from(t->info.name), false);
		out_f(BOLD, "%s%s", i ? "\n" : "", buf_z(&name));
		out_f(PLAIN, "  %s", transport_of(t));
		out_text(DIM, t->target, 2);
		if (t->info.state == MCP_READY)
			print_ready(shown, t);
		else
			print_failed(shown, t);
	}
}

/* ---- for programs ---- */

static void json_tools(struct jw *w, struct mcp_servers *servers, const char *server)
{
	const struct mcp_tool *list;
	size_t n = mcp_servers_tools(servers, &list);

	jw_key(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].server, server) != 0)
			continue;
		jw_obj(w);
		jw_kv_z(w, "name", list[i].name);
		jw_kv_z(w, "tool", list[i].tool);
		jw_kv_z(w, "title", list[i].title);
		jw_kv_z(w, "description", list[i].description);
		jw_kv_bool(w, "readOnly", list[i].read_only);
		jw_key(w, "inputSchema");
		jw_json(w, list[i].schema);
		jw_end(w);
	}
	jw_end(w);
}

static void json_prompts(struct jw *w, struct mcp_servers *servers, const char *server)
{
	const struct mcp_prompt *list;
	size_t n = mcp_servers_prompts(servers, &list);

	jw_key(w, "prompts");
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].server, server) != 0)
			continue;
		jw_obj(w);
		jw_kv_z(w, "name", list[i].name);
		jw_kv_z(w, "title", list[i].title);
		jw_kv_z(w, "description", list[i].description);
		if (list[i].arguments) {
			jw_key(w, "arguments");
			jw_json(w, list[i].arguments);
		}
		jw_end(w);
	}
	jw_end(w);
}

static void json_resources(struct jw *w, struct mcp_servers *servers, const char *server)
{
	const struct mcp_resource *list;
	size_t n = mcp_servers_resources(servers, &list);

	jw_key(w, "resources");
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].server, server) != 0)
			continue;
		jw_obj(w);
		jw_kv_z(w, list[i].is_template ? "uriTemplate" : "uri", list[i].uri);
		jw_kv_z(w, "name", list[i].name);
		jw_kv_z(w, "description", list[i].description);
		jw_kv_z(w, "mimeType", list[i].mime_type);
		jw_end(w);
	}
	jw_end(w);
}

static void json_ms(struct jw *w, const char *key, int64_t us)
{
	jw_key(w, key);
	if (us >= 0)
		jw_num(w, (double)us / 1000);
	else
		jw_null(w);
}

static void json_server(struct jw *w, struct mcp_servers *servers, const struct tested *t)
{
	AUTO(buf_done) struct buf log = { 0 };
	AUTO(arena_done) struct arena a = { 0 };

	(void)mcp_server_log(servers, t->info.name, &log);
	jw_obj(w);
	jw_kv_z(w, "name", t->info.name);
	jw_kv_z(w, "transport", transport_of(t));
	jw_kv_z(w, "target", t->target);
	jw_kv_z(w, "state", states[t->info.state]);
	jw_kv_bool(w, "timedOut", t->late);
	jw_kv_z(w, "reason", t->info.reason);
	jw_kv_z(w, "advice", advice(t));
	jw_kv_z(w, "protocolVersion", t->info.protocol);
	jw_key(w, "serverInfo");
	jw_obj(w);
	jw_kv_z(w, "name", t->info.own_name);
	jw_kv_z(w, "version", t->info.own_version);
	jw_end(w);
	jw_kv_str(w, "instructions", mcp_server_instructions(servers, t->index, &a));
	json_ms(w, "connectMs", t->connect_us);
	json_ms(w, "pingMs", t->ping_us);
	json_tools(w, servers, t->info.name);
	json_prompts(w, servers, t->info.name);
	json_resources(w, servers, t->info.name);
	jw_kv_str(w, "log", buf_str(&log));
	jw_end(w);
}

void test_print_json(const struct test_shown *shown)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	jw_arr(&w);
	for (size_t i = 0; i < shown->n; i++)
		json_server(&w, shown->servers, &shown->p[i]);
	jw_end(&w);
	out_json(&out);
}

/* ---- the result of a call ---- */

static struct str member(const struct json *v, const char *key)
{
	return json_get_str(v, key);
}

static void print_block(const struct json *block)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *inner = json_getz(block, "resource");
	struct str text = member(block, "text");

	if (json_is(inner, J_OBJ))
		text = member(inner, "text");
	if (text.n) {
		out_text(PLAIN, arena_z(&a, str_sub(text, 0, TEXT_MAX)), 0);
		return;
	}
	struct str kind = member(block, "type"), mime = member(block, "mimeType");
	struct str data = member(block, "data"), uri = member(inner ? inner : block, "uri");
	out_text(DIM,
		 arena_printf(&a, "[%.*s%s%.*s%s%.*s, %zu bytes]", STR_ARG(kind), mime.n ? " " : "",
			      STR_ARG(mime), uri.n ? " " : "", STR_ARG(uri), data.n / 4 * 3)
			 .p,
		 0);
}

void test_print_result(const struct mcp_result *r, bool json)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };

	if (!json) {
		for (size_t i = 0; json_at(r->content, i); i++)
			print_block(json_at(r->content, i));
		return;
	}
	jw_obj(&w);
	jw_key(&w, "content");
	jw_json(&w, r->content);
	if (r->structured) {
		jw_key(&w, "structuredContent");
		jw_json(&w, r->structured);
	}
	jw_kv_bool(&w, "isError", r->is_error);
	jw_end(&w);
	out_json(&out);
}
