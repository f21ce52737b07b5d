/* list_mcp_resources and read_mcp_resource, and reading for @server:uri. */
#include "agent/mcp_resources.h"

#include "agent/mcp_content.h"
#include "agent/rows.h"
#include "base/json_pack.h"
#include "base/vec.h"

enum { NAMED_MAX = 5 };

/* ---- finding ---- */

/* Is it this one?  By its URI, or by server:uri. */
static bool is_meant(const struct mcp_resource *r, const struct resource_ref *ref)
{
	size_t n = strlen(r->server);

	if (r->is_template || (ref->server.n && !str_eqz(ref->server, r->server)))
		return false;
	if (str_eqz(ref->uri, r->uri))
		return true;
	return str_starts(ref->uri, str_from(r->server)) && ref->uri.n > n &&
	       ref->uri.p[n] == ':' && str_eqz(str_sub(ref->uri, n + 1, ref->uri.n), r->uri);
}

int resource_find(struct mcp_servers *servers, const struct resource_ref *ref, struct arena *a,
		  struct mcp_resource *ret, struct err *err)
{
	AUTO(buf_done) struct buf names = { 0 };
	const struct mcp_resource *all = NULL, *first = NULL;
	size_t n = servers ? mcp_servers_copy_resources(servers, a, &all) : 0, found = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_meant(&all[i], ref) || (first && strcmp(first->server, all[i].server) == 0))
			continue;
		first = first ? first : &all[i];
		if (found++ < NAMED_MAX)
			buf_addf(&names, "%s%s", found > 1 ? ", " : "", all[i].server);
	}
	if (!first && ref->server.n)
		return err_set(err, E_NOTFOUND, "MCP server %.*s lists no resource %.*s",
			       STR_ARG(ref->server), STR_ARG(ref->uri));
	if (!first)
		return err_set(err, E_NOTFOUND, "no MCP server lists a resource %.*s",
			       STR_ARG(ref->uri));
	if (found > 1)
		return err_set(err, E_INVAL,
			       "several MCP servers list %.*s; set serverName to one of %s",
			       STR_ARG(ref->uri), buf_z(&names));
	*ret = *first;
	return 0;
}

/* ---- reading ---- */

struct reader {
	struct arena *a;
	struct buf text;
	struct {
		const struct json **p;
		size_t n, cap;
	} media;
	size_t bytes; /* of the media */
};

static void reader_done(struct reader *r)
{
	buf_done(&r->text);
	free(r->media.p);
}

DEFINE_AUTO(struct reader, reader_done)

static void add_text(struct reader *r, struct str text)
{
	if (r->text.n && text.n)
		buf_addc(&r->text, '\n');
	buf_adds(&r->text, text);
}

int resource_read(struct mcp_servers *servers, const struct mcp_resource *resource,
		  struct cancel *cancel, struct arena *a, struct resource_content *ret,
		  struct err *err)
{
	AUTO(reader_done) struct reader r = { .a = a };
	const struct json *contents, *blob, *item, *part;
	int e = mcp_read_resource(servers, resource->server, resource->uri, cancel, a, &contents,
				  err);

	if (e < 0)
		return e;
	for (size_t i = 0; (item = json_at(contents, i)); i++) {
		const char *why = NULL;

		blob = json_getz(item, "blob");
		if (!json_is(blob, J_STR)) {
			add_text(&r, json_get_str(item, "text"));
			continue;
		}
		part = mcp_media_part(a, json_getz(item, "mimeType"), json_str(blob, STR("")),
				      &r.bytes, &why);
		if (part)
			*VEC_ADD(&r.media) = part;
		else
			add_text(&r, arena_printf(a, MEDIA_LEFT_OUT, why));
	}
	ret->text = arena_str(a, buf_str(&r.text));
	ret->media = json_new_arr(a, r.media.p, r.media.n);
	return 0;
}

/* ---- the tools ---- */

static struct resource_ref ref_of(const struct json *args)
{
	return (struct resource_ref){ .server = json_get_str(args, "serverName"),
				      .uri = json_get_str(args, "uri") };
}

const char *resource_server(struct mcp_servers *servers, const struct tool *t,
			    const struct json *args, struct arena *a)
{
	const struct resource_ref ref = ref_of(args);
	struct mcp_resource found;

	if (t == &tool_list_mcp_resources)
		return ref.server.n ? arena_z(a, ref.server) : NULL;
	if (t != &tool_read_mcp_resource || resource_find(servers, &ref, a, &found, NULL) < 0)
		return NULL;
	return found.server;
}

static void list(struct tool_call *call, struct tool_result *r)
{
	AUTO(buf_done) struct buf out = { 0 };
	const struct mcp_resource *all = NULL;
	struct str server = json_get_str(call->args, "serverName"), text;
	size_t n =
		call->env->mcp ? mcp_servers_copy_resources(call->env->mcp, call->arena, &all) : 0;
	size_t shown = 0;

	for (size_t i = 0; i < n; i++) {
		if (all[i].is_template || (server.n && !str_eqz(server, all[i].server)))
			continue;
		shown++;
		buf_addf(&out, "\n- %s:%s", all[i].server, all[i].uri);
		if (*all[i].name)
			buf_addf(&out, " | %s", all[i].name);
		if (*all[i].description)
			buf_addf(&out, " | %s", all[i].description);
	}
	if (!shown) {
		text = server.n ? arena_printf(call->arena, "MCP server %.*s offers no resources.",
					       STR_ARG(server))
				: STR("No MCP server offers resources.");
		tool_ok(call, r, text, text);
		return;
	}
	text = tool_untrusted(call->arena, mcp_fit(call, r, buf_str(&out)));
	text = arena_printf(call->arena, "MCP resources:\n%.*s", STR_ARG(text));
	tool_ok(call, r, text, arena_printf(call->arena, "%zu resources", shown));
}

static void read_one(struct tool_call *call, struct tool_result *r)
{
	const struct resource_ref ref = ref_of(call->args);
	struct arena *a = call->arena;
	struct resource_content content;
	struct mcp_resource found;
	struct json_list parts = { 0 };
	struct str text;
	struct err err;
	int e = resource_find(call->env->mcp, &ref, a, &found, &err);

	/* A list that changed meanwhile is no way around the hooks and the policy. */
	if (e >= 0 && (!call->server || strcmp(call->server, found.server) != 0))
		e = err_set(&err, E_NOTFOUND, "MCP server %s lists %s only now; ask again",
			    found.server, found.uri);
	if (e < 0) {
		tool_fail(call, r, e == -E_INVAL ? "invalid_tool_params" : "mcp_resource_not_found",
			  "%s", err.text);
		return;
	}
	if (resource_read(call->env->mcp, &found, call->cancel, a, &content, &err) < 0) {
		mcp_fail(call, r, str_from(err.text));
		return;
	}
	text = content.text.n ? tool_untrusted(a, mcp_fit(call, r, content.text))
			      : STR("The resource is empty.");
	if (content.media->n && content.text.n)
		json_list_add(&parts, json_pack(a, "text:s", text));
	for (size_t i = 0; i < content.media->n; i++)
		json_list_add(&parts, json_at(content.media, i));
	r->llm_content = content.media->n ? json_list_take(a, &parts) : json_new_str(a, text);
	r->display = json_new_str(
		a, tool_clean(a, arena_printf(a, "Read %s of MCP server %s",
					      *found.name ? found.name : found.uri, found.server)));
}

static struct str describe_list(struct tool_call *call)
{
	return tool_clean(call->arena, json_get_str(call->args, "serverName"));
}

static struct str describe_read(struct tool_call *call)
{
	struct resource_ref ref = ref_of(call->args);

	return tool_clean(call->arena, ref.server.n
					       ? arena_printf(call->arena, "%.*s:%.*s",
							      STR_ARG(ref.server), STR_ARG(ref.uri))
					       : ref.uri);
}

const struct tool tool_list_mcp_resources = {
	.name = "list_mcp_resources",
	.display_name = "List MCP Resources",
	.description =
		"Lists the resources that MCP servers offer, one per line: server:uri, name, "
		"description. read_mcp_resource reads them.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"serverName\":{\"type\":\"string\","
		      "\"description\":\"Only resources of this server.\"}},\"required\":[]}",
	.need = NEED_RESOURCES,
	.kind = TOOL_SEARCH,
	.read_only = true,
	.harmless = true,
	.run = list,
	.describe = describe_list,
};

const struct tool tool_read_mcp_resource = {
	.name = "read_mcp_resource",
	.display_name = "Read MCP Resource",
	.description = "Reads a resource that an MCP server lists.",
	.parameters = "{\"type\":\"object\",\"properties\":{"
		      "\"uri\":{\"type\":\"string\",\"description\":\"The URI of the resource, or "
		      "server:uri.\"},"
		      "\"serverName\":{\"type\":\"string\",\"description\":\"The server, if "
		      "several list the URI.\"}},"
		      "\"required\":[\"uri\"]}",
	.need = NEED_RESOURCES,
	.kind = TOOL_READ,
	.read_only = true,
	.harmless = true,
	.run = read_one,
	.describe = describe_read,
};
