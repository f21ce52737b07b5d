#include "agent/mcp_tools.h"

#include "agent/mcp_content.h"
#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/clock.h"

enum {
	PROGRESS_US = 100000, /* faster than people read */
	PROGRESS_CHARS = 80,
	TITLE_CHARS = 100,
	MIME_MAX = 100,
};

/* ---- a call ---- */

/* A call that goes on. */
struct running {
	struct tool_call *call;
	struct tool_result *r;
	size_t media_bytes;
	int64_t next_us; /* progress is shown again */
};

/* "2/3 count: step 2": a status line is short. */
static void on_progress(void *data, double progress, double total, struct str message)
{
	struct running *run = data;
	const struct tool_env *env = run->call->env;
	AUTO(buf_done) struct buf line = { 0 }, shown = { 0 };

	if (!env->progress || clock_us() < run->next_us)
		return;
	run->next_us = clock_us() + PROGRESS_US;
	buf_addf(&line, "%g", progress);
	if (total > 0)
		buf_addf(&line, "/%g", total);
	buf_addf(&line, " %s", run->call->tool->mcp_tool);
	if (message.n && !env->guarded)
		buf_addf(&line, ": %.*s", STR_ARG(utf8_prefix(message, PROGRESS_CHARS)));
	(void)utf8_add_visible(&shown, buf_str(&line), false);
	env->progress(env->progress_data, buf_z(&shown));
}

static enum elicit_action on_ask(void *data, const char *server, const struct elicit *e,
				 struct arena *a, const struct json **ret_content)
{
	struct running *run = data;
	const struct tool_env *env = run->call->env;

	return env->elicit ? (enum elicit_action)env->elicit(env->elicit_data, run->call, server, e,
							     a, ret_content)
			   : ELICIT_CANCEL;
}

static const struct json *text_block(struct running *run, struct str text)
{
	struct arena *a = run->call->arena;

	return json_pack(a, "text:s", tool_untrusted(a, mcp_fit(run->call, run->r, text)));
}

/* A content block, taken apart. */
struct block {
	struct str type, text; /* "" when there is none */
	const struct json *mime, *data; /* strings, or NULL */
	const struct json *resource;
};

static struct block block_of(const struct json *v)
{
	const struct json *resource = json_getz(v, "resource");
	bool embeds = json_is(resource, J_OBJ);
	const struct json *text = json_getz(embeds ? resource : v, "text");
	const struct json *mime = json_getz(embeds ? resource : v, "mimeType");
	const struct json *data = embeds ? json_getz(resource, "blob") : json_getz(v, "data");
	bool has_data =
		json_is(data, J_STR) && (embeds || json_is(mime, J_STR)) && !json_is(text, J_STR);

	return (struct block){
		.type = json_get_str(v, "type"),
		.text = json_str(text, STR("")),
		.mime = has_data ? mime : NULL,
		.data = has_data ? data : NULL,
		.resource = embeds ? resource : NULL,
	};
}

/* As it may be in a sentence of ours: a server could write instructions into it. */
static struct str mime_name(struct arena *a, const struct json *mime)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str s = str_sub(json_str(mime, STR("")), 0, MIME_MAX);

	for (size_t i = 0; i < s.n; i++)
		if (char_is_word(s.p[i]) || strchr("/.+-;=", s.p[i] ? s.p[i] : ' '))
			buf_addc(&out, s.p[i]);
	return arena_str(a, buf_str(&out));
}

/* Data, behind a sentence that says what it is (the part itself has no name). */
static void add_data(struct running *run, const struct block *b, struct json_list *parts)
{
	struct arena *a = run->call->arena;
	const char *why;
	const struct json *part =
		mcp_media_part(a, b->mime, json_str(b->data, STR("")), &run->media_bytes, &why);
	struct str said;

	if (!part) {
		*VEC_ADD(parts) = text_block(run, arena_printf(a, MEDIA_LEFT_OUT, why));
		return;
	}
	said = arena_printf(a, "[Tool '%s' returned %s of the type %.*s]",
			    run->call->tool->mcp_tool,
			    b->resource                 ? "an embedded resource"
			    : str_eqz(b->type, "image") ? "image data"
			    : str_eqz(b->type, "audio") ? "audio data"
							: "data",
			    STR_ARG(mime_name(a, b->mime)));
	*VEC_ADD(parts) = json_pack(a, "text:s", tool_clean(a, said));
	*VEC_ADD(parts) = part;
}

/* "Resource Link: TITLE at URI" */
static struct str link_text(struct arena *a, const struct json *v)
{
	struct str title = json_get_str(v, "title");

	if (!title.n)
		title = json_get_str(v, "name");
	return arena_printf(a, "Resource Link: %.*s at %.*s", STR_ARG(title),
			    STR_ARG(json_get_str(v, "uri")));
}

/* What people see of the blocks. */
static struct str display_of(struct arena *a, const struct json *content)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; json_at(content, i); i++) {
		const struct json *v = json_at(content, i);
		struct block b = block_of(v);
		struct str text = b.text;

		if (b.data)
			text = arena_printf(a, "[%s: %.*s]",
					    b.resource                 ? "Embedded Resource"
					    : str_eqz(b.type, "audio") ? "Audio"
					    : str_eqz(b.type, "image") ? "Image"
								       : "Data",
					    STR_ARG(mime_name(a, b.mime)));
		else if (!b.text.n && str_eqz(b.type, "resource_link"))
			text = link_text(a, v);
		if (text.n && out.n)
			buf_addc(&out, '\n');
		buf_adds(&out, text);
	}
	return arena_str(a, buf_str(&out));
}

static void run(struct tool_call *call, struct tool_result *r)
{
	const struct mcp_row *row = (const struct mcp_row *)call->tool;
	struct arena *a = call->arena;
	struct running running = { .call = call, .r = r };
	const struct mcp_sink sink = { on_progress, &running, on_ask };
	struct mcp_result result = { 0 };
	struct json_list parts = { 0 };
	struct err err;

	if (mcp_call_tool(row->servers, row->server, row->name, call->args, &sink, call->cancel, a,
			  &result, &err) < 0) {
		mcp_fail(call, r, str_from(err.text));
		return;
	}
	if (result.is_error) {
		mcp_fail(call, r, mcp_fit(call, r, display_of(call->arena, result.content)));
		return;
	}
	for (size_t i = 0; json_at(result.content, i); i++) {
		/* A content block as parts for the model; what we do not know is shown as JSON. */
		const struct json *v = json_at(result.content, i);
		struct block b = block_of(v);

		if (b.data)
			add_data(&running, &b, &parts);
		else if (str_eqz(b.type, "text") || b.text.n)
			*VEC_ADD(&parts) = text_block(&running, b.text);
		else if (str_eqz(b.type, "resource_link"))
			*VEC_ADD(&parts) = text_block(&running, link_text(a, v));
		else
			*VEC_ADD(&parts) = text_block(&running, json_text(a, v, JSON_COMPACT));
	}
	r->llm_content = json_list_take(a, &parts);
	r->display = json_new_str(
		a, utf8_prefix(tool_clean(a, display_of(a, result.content)), MCP_TEXT_CHARS));
}

static const struct json *confirm(struct tool_call *call)
{
	const struct mcp_row *row = (const struct mcp_row *)call->tool;

	return json_pack(call->arena, "type:z title:z serverName:z toolName:z toolDisplayName:z",
			 "mcp", "Confirm MCP Tool Execution", row->server, row->name,
			 row->tool.display_name);
}

/* ---- the rows ---- */

struct mcp_row *mcp_row_new(struct arena *a, struct mcp_servers *servers, const struct mcp_tool *t)
{
	struct mcp_row *row = ARENA_NEW(a, struct mcp_row);
	/* For people: one short line. */
	struct str title = utf8_prefix(str_from(*t->title ? t->title : t->tool), TITLE_CHARS);

	row->servers = servers;
	row->server = arena_z(a, str_from(t->server));
	row->name = arena_z(a, str_from(t->tool));
	row->tool = (struct tool){
		.name = arena_z(a, str_from(t->name)),
		.mcp_server = row->server,
		.mcp_tool = row->name,
		.display_name = tool_name(a, arena_printf(a, "%.*s (%s MCP Server)", STR_ARG(title),
							  t->server)
						     .p)
					.p,
		.description = tool_clean(a, str_from(t->description)).p,
		.parameters = json_text(a, t->schema, JSON_COMPACT).p,
		.kind = t->read_only ? TOOL_READ : TOOL_EXECUTE,
		.run = run,
		.confirm = confirm,
	};
	return row;
}

const struct mcp_row *mcp_row_of(const struct tool *t)
{
	return t && t->run == run ? (const struct mcp_row *)t : NULL;
}
