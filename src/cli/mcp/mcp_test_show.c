/* trotline mcp test, what is shown.  All texts of servers are foreign. */
#include <unistd.h>

#include "base/json_pack.h"
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
		[MCP_WHY_VERSION] = "It speaks another version of MCP: update it.",
		[MCP_WHY_REFUSED] = "It runs and says no: its documentation tells what it needs.",
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

/* What a server offers; mark: "(reads) ". */
struct offer {
	const char *server, *name, *text, *mark;
};

static void print_offers(const char *what, size_t total, const struct offer *list, size_t n,
			 const char *server)
{
	size_t shown = 0;

	if (total)
		out_f(PLAIN, "  %zu %s%s\n", total, what, total == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].server, server) == 0 && shown++ < LIST_MAX) {
			/* "    NAME        TEXT", as wide as the terminal. */
			AUTO(buf_done) struct buf clean = { 0 };
			size_t width,
				columns = isatty(STDOUT_FILENO) ? out_columns() - 1 : PIPE_COLUMNS;
			struct str rest = str_trim(str_from(list[i].text)), line = { 0 };

			(void)utf8_add_visible(&clean, str_from(list[i].name), false);
			width = utf8_count(buf_str(&clean));
			buf_addf(&clean, "%*s",
				 (int)(width < NAME_COLUMNS ? NAME_COLUMNS - width : 0), "");
			buf_addf(&clean, "  %s", list[i].mark);
			out_f(PLAIN, "    %s", buf_z(&clean));
			width = 4 + utf8_count(buf_str(&clean));
			buf_clear(&clean);
			(void)str_split(&rest, '\n', &line);
			(void)utf8_add_visible(&clean, str_trim(line), false);
			line = utf8_prefix(buf_str(&clean), columns > width ? columns - width : 0);
			out_f(DIM, "%.*s\n", STR_ARG(line));
		}
	if (shown > LIST_MAX)
		out_f(DIM, "    and %zu more; --json has all\n", shown - LIST_MAX);
}

static void print_all(struct mcp_servers *servers, const struct mcp_server_info *info)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct mcp_tool *tools;
	const struct mcp_prompt *prompts;
	const struct mcp_resource *resources;
	size_t nt = mcp_servers_tools(servers, &tools), np = mcp_servers_prompts(servers, &prompts);
	size_t nr = mcp_servers_resources(servers, &resources);
	struct offer *list = ARENA_ARRAY(&a, struct offer, nt + np + nr + 1);

	for (size_t i = 0; i < nt; i++)
		list[i] = (struct offer){ tools[i].server, tools[i].name, tools[i].description,
					  tools[i].read_only ? "(reads) " : "" };
	print_offers("tool", info->ntools, list, nt, info->name);
	for (size_t i = 0; i < np; i++)
		list[i] = (struct offer){ prompts[i].server, prompts[i].name,
					  prompts[i].description, "" };
	print_offers("prompt", info->nprompts, list, np, info->name);
	for (size_t i = 0; i < nr; i++)
		list[i] = (struct offer){ resources[i].server, resources[i].uri,
					  *resources[i].description ? resources[i].description
								    : resources[i].name,
					  resources[i].is_template ? "(template) " : "" };
	print_offers("resource", info->nresources, list, nr, info->name);
}

static void print_failed(const struct test_shown *shown, const struct tested *t)
{
	const char *reason = *t->info.reason ? t->info.reason : "it does not answer";
	bool closed = t->info.state == MCP_CLOSED;
	AUTO(buf_done) struct buf log = { 0 }, more = { 0 };
	size_t from, lines = 0;

	out_f(closed ? YELLOW : RED, "  %s",
	      t->late  ? "not ready in time"
	      : closed ? "not used"
		       : "failed");
	out_f(PLAIN, ": %s\n", reason);
	if (*advice(t))
		out_f(PLAIN, "  %s\n", advice(t));
	/* The end of what it has said, as far as the reason does not have it. */
	(void)mcp_server_log(shown->servers, t->info.name, &log);
	for (struct str rest = buf_str(&log), line; str_split(&rest, '\n', &line);)
		if (line.n && str_find(str_from(reason), line, 0) < 0 &&
		    str_find(line, str_from(reason), 0) < 0)
			buf_addf(&more, "%s%.*s", more.n ? "\n" : "", STR_ARG(line));
	if (!more.n)
		return;
	for (from = more.n; from > 0; from--)
		if (more.p[from - 1] == '\n' && ++lines == LOG_LINES)
			break;
	out_f(PLAIN, "  what it said last:\n");
	out_text(DIM, buf_z(&more) + from, 4);
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
		if (t->info.state == MCP_READY) {
			bool named;

			out_f(GREEN, "  ready");
			out_f(PLAIN, " in %.0f ms", (double)t->connect_us / 1000);
			if (t->ping_us >= 0)
				out_f(PLAIN, ", ping %.1f ms\n", (double)t->ping_us / 1000);
			else
				out_f(YELLOW, ", but it does not answer a ping: %s\n",
				      t->ping_error);
			/* What it calls itself. */
			named = *t->info.own_name || *t->info.own_version;
			out_f(DIM, "  %s%s%s%sprotocol %s\n", t->info.own_name,
			      *t->info.own_name && *t->info.own_version ? " " : "",
			      t->info.own_version, named ? ", " : "", t->info.protocol);
			print_all(shown->servers, &t->info);
			if (!t->info.ntools && !t->info.nprompts && !t->info.nresources)
				out_f(YELLOW, "  It offers nothing.\n");
		} else {
			print_failed(shown, t);
		}
	}
}

/* ---- for programs ---- */

static const struct json *tools_value(struct arena *a, struct mcp_servers *servers,
				      const char *server)
{
	const struct mcp_tool *list;
	size_t n = mcp_servers_tools(servers, &list);
	struct json_list out = { 0 };

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].server, server) == 0)
			json_list_add(&out,
				      json_pack(a,
						"name:z tool:z title:z description:z readOnly:b "
						"inputSchema:j",
						list[i].name, list[i].tool, list[i].title,
						list[i].description, list[i].read_only,
						list[i].schema));
	return json_list_take(a, &out);
}

static const struct json *prompts_value(struct arena *a, struct mcp_servers *servers,
					const char *server)
{
	const struct mcp_prompt *list;
	size_t n = mcp_servers_prompts(servers, &list);
	struct json_list out = { 0 };

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].server, server) == 0)
			json_list_add(&out,
				      json_pack(a,
						list[i].arguments ? "name:z title:z description:z "
								    "arguments:j"
								  : "name:z title:z description:z",
						list[i].name, list[i].title, list[i].description,
						list[i].arguments));
	return json_list_take(a, &out);
}

static const struct json *resources_value(struct arena *a, struct mcp_servers *servers,
					  const char *server)
{
	const struct mcp_resource *list;
	size_t n = mcp_servers_resources(servers, &list);
	struct json_list out = { 0 };

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].server, server) == 0)
			json_list_add(&out,
				      json_pack(a,
						list[i].is_template
							? "uriTemplate:z name:z description:z "
							  "mimeType:z"
							: "uri:z name:z description:z mimeType:z",
						list[i].uri, list[i].name, list[i].description,
						list[i].mime_type));
	return json_list_take(a, &out);
}

/* Milliseconds, or null. */
static const struct json *ms_value(struct arena *a, int64_t us)
{
	return us < 0 ? NULL : json_getz(json_pack(a, "ms:f", (double)us / 1000), "ms");
}

static void print_value(const struct json *v)
{
	AUTO(buf_done) struct buf out = { 0 };

	(void)json_write(&out, v, JSON_PRETTY);
	out_json(&out);
}

void test_print_json(const struct test_shown *shown)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct json_list list = { 0 };

	for (size_t i = 0; i < shown->n; i++) {
		const struct tested *t = &shown->p[i];
		const struct mcp_server_info *info = &t->info;
		struct mcp_servers *servers = shown->servers;
		AUTO(buf_done) struct buf log = { 0 };

		(void)mcp_server_log(servers, info->name, &log);
		json_list_add(
			&list,
			json_pack(
				&a,
				"name:z transport:z target:z state:z timedOut:b reason:z advice:z "
				"protocolVersion:z serverInfo:j instructions:s connectMs:j "
				"pingMs:j tools:j prompts:j resources:j log:s",
				info->name, transport_of(t), t->target, states[info->state],
				t->late, info->reason, advice(t), info->protocol,
				json_pack(&a, "name:z version:z", info->own_name,
					  info->own_version),
				mcp_server_instructions(servers, t->index, &a),
				ms_value(&a, t->connect_us), ms_value(&a, t->ping_us),
				tools_value(&a, servers, info->name),
				prompts_value(&a, servers, info->name),
				resources_value(&a, servers, info->name), buf_str(&log)));
	}
	print_value(json_list_take(&a, &list));
}

/* ---- the result of a call ---- */

void test_print_result(const struct mcp_result *r, bool json)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (json) {
		print_value(json_pack(&a, "content:j ?structuredContent:j isError:b", r->content,
				      r->structured, r->is_error));
		return;
	}
	for (size_t i = 0; json_at(r->content, i); i++) {
		const struct json *block = json_at(r->content, i);
		const struct json *inner = json_getz(block, "resource");
		struct str text = json_get_str(json_is(inner, J_OBJ) ? inner : block, "text");
		struct str kind = json_get_str(block, "type"),
			   mime = json_get_str(block, "mimeType");
		struct str data = json_get_str(block, "data"),
			   uri = json_get_str(inner ? inner : block, "uri");

		if (text.n)
			out_text(PLAIN, arena_z(&a, str_sub(text, 0, TEXT_MAX)), 0);
		else
			out_text(DIM,
				 arena_printf(&a, "[%.*s%s%.*s%s%.*s, %zu bytes]", STR_ARG(kind),
					      mime.n ? " " : "", STR_ARG(mime), uri.n ? " " : "",
					      STR_ARG(uri), data.n / 4 * 3)
					 .p,
				 0);
	}
}
