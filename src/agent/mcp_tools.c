#include "agent/mcp_tools.h"

#include "agent/mcp_resources.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/clock.h"
#include "tools/spool.h"

enum {
	FIT_CHARS = 40000,
	PROGRESS_US = 100000, /* what comes faster nobody could read */
	PROGRESS_CHARS = 80,
	TITLE_CHARS = 100,
};

/* ---- a call ---- */

struct str mcp_fit(struct tool_call *call, struct tool_result *r, struct str text)
{
	double limit = json_num(
		json_pointer(call->env->settings, STR("/tools/truncateToolOutputThreshold")),
		FIT_CHARS);
	size_t max = limit >= 1 ? (size_t)(limit < 1e9 ? limit : 1e9) : 0;

	if (text.n <= max || !max || utf8_count(text) <= max)
		return text;
	/* The first that is too long has the file. */
	AUTO(spool_done) struct spool spool;
	spool_init(&spool, r->saved ? NULL : call->env->temp_dir, max);
	spool_add(&spool, text);
	text = spool_text(&spool, call->arena);
	if (spool.path)
		r->saved = arena_z(call->arena, str_from(spool.path));
	return text;
}

void mcp_fail(struct tool_call *call, struct tool_result *r, const struct err *err)
{
	struct str text = str_from(err->text);

	tool_fail(call, r, "mcp_tool_error", "%.*s", STR_ARG(tool_untrusted(call->arena, text)));
}

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
	(void)buf_addf(&line, "%g", progress);
	if (total > 0)
		(void)buf_addf(&line, "/%g", total);
	(void)buf_addf(&line, " %s", run->call->tool->mcp_tool);
	if (message.n)
		(void)buf_addf(&line, ": %.*s", STR_ARG(utf8_prefix(message, PROGRESS_CHARS)));
	(void)utf8_add_visible(&shown, buf_str(&line), false);
	env->progress(env->progress_data, buf_z(&shown));
}

static const struct json *text_block(struct running *run, struct str text)
{
	struct arena *a = run->call->arena;

	text = tool_untrusted(a, mcp_fit(run->call, run->r, text));
	return json_set(a, NULL, STR("text"), json_new_str(a, text));
}

static const struct json *data_block(struct running *run, const struct json *mime,
				     const struct json *data)
{
	struct arena *a = run->call->arena;
	const char *why;
	const struct json *part =
		mcp_media_part(a, mime, json_str(data, STR("")), &run->media_bytes, &why);

	return part ? part : text_block(run, arena_printf(a, MEDIA_LEFT_OUT, why));
}

/* A content block as a part for the model; what we do not know is shown as JSON. */
static const struct json *part_of(struct running *run, const struct json *block)
{
	struct arena *a = run->call->arena;
	struct str type = json_str(json_get(block, STR("type")), STR(""));
	const struct json *resource = json_get(block, STR("resource"));
	const struct json *mime = json_get(block, STR("mimeType"));
	const struct json *data = json_get(block, STR("data"));

	if (str_eqz(type, "text"))
		return text_block(run, json_str(json_get(block, STR("text")), STR("")));
	if (json_is(mime, J_STR) && json_is(data, J_STR))
		return data_block(run, mime, data);
	if (json_is(json_get(resource, STR("text")), J_STR))
		return text_block(run, json_str(json_get(resource, STR("text")), STR("")));
	if (json_is(json_get(resource, STR("blob")), J_STR))
		return data_block(run, json_get(resource, STR("mimeType")),
				  json_get(resource, STR("blob")));
	return text_block(run, json_text(a, block, JSON_COMPACT));
}

static struct str texts_of(struct arena *a, const struct json *content)
{
	AUTO(buf_done) struct buf out = {0};

	for (size_t i = 0; json_at(content, i); i++) {
		struct str text = json_str(json_get(json_at(content, i), STR("text")), STR(""));

		if (text.n && out.n)
			(void)buf_addc(&out, '\n');
		(void)buf_adds(&out, text);
	}
	return arena_str(a, buf_str(&out));
}

static void run(struct tool_call *call, struct tool_result *r)
{
	const struct mcp_row *row = (const struct mcp_row *)call->tool;
	struct arena *a = call->arena;
	struct running running = { .call = call, .r = r };
	const struct mcp_sink sink = { on_progress, &running };
	struct mcp_result result = {0};
	const struct json **parts;
	struct err err;
	size_t n = 0;

	if (mcp_call_tool(row->servers, row->server, row->name, call->args, &sink, call->cancel, a,
			  &result, &err) < 0) {
		mcp_fail(call, r, &err);
		return;
	}
	if (result.is_error) {
		struct str text = mcp_fit(call, r, texts_of(a, result.content));

		tool_fail(call, r, "mcp_tool_error", "%.*s",
			  STR_ARG(text.n ? tool_untrusted(a, text) : STR("The tool failed.")));
		return;
	}
	while (json_at(result.content, n))
		n++;
	parts = ARENA_ARRAY(a, const struct json *, n);
	for (size_t i = 0; i < n; i++)
		parts[i] = part_of(&running, json_at(result.content, i));
	r->llm_content = json_new_arr(a, parts, n);
	r->display =
		json_new_str(a, utf8_prefix(tool_clean(a, texts_of(a, result.content)), FIT_CHARS));
}

static const struct json *confirm(struct tool_call *call)
{
	const struct mcp_row *row = (const struct mcp_row *)call->tool;
	struct arena *a = call->arena;
	const struct json *d = json_set(a, NULL, STR("type"), json_new_str(a, STR("mcp")));

	d = json_set(a, d, STR("title"), json_new_str(a, STR("Confirm MCP Tool Execution")));
	d = json_set(a, d, STR("serverName"), json_new_str(a, str_from(row->server)));
	d = json_set(a, d, STR("toolName"), json_new_str(a, str_from(row->name)));
	return json_set(a, d, STR("toolDisplayName"),
			json_new_str(a, str_from(row->tool.display_name)));
}

/* ---- the rows ---- */

static uint64_t hash_add(uint64_t h, const char *s)
{
	do
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	while (*s++);
	return h;
}

/* The servers' arrays are made anew when a list changes: names, texts and where the schemas are. */
static uint64_t hash_of(const struct mcp_tool *list, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++) {
		h = hash_add(hash_add(h, list[i].name), list[i].description);
		h = (h ^ (uintptr_t)list[i].schema) * 0x100000001b3u;
	}
	return h;
}

/* For people, where it stands in lines of ours: one short line. */
static const char *display_name(struct arena *a, const struct mcp_tool *t)
{
	struct str title = utf8_prefix(str_from(*t->title ? t->title : t->tool), TITLE_CHARS);

	return tool_name(a, arena_printf(a, "%.*s (%s MCP Server)", STR_ARG(title), t->server).p).p;
}

static struct mcp_row *row_new(struct mcp_rows *rows, const struct mcp_tool *t)
{
	struct arena *a = &rows->arena;
	struct mcp_row *row = ARENA_NEW(a, struct mcp_row);

	row->servers = rows->servers;
	row->server = arena_z(a, str_from(t->server));
	row->name = arena_z(a, str_from(t->tool));
	row->tool = (struct tool){
		.name = arena_z(a, str_from(t->name)),
		.mcp_server = row->server,
		.mcp_tool = row->name,
		.display_name = display_name(a, t),
		.description = tool_clean(a, str_from(t->description)).p,
		.parameters = json_text(a, t->schema, JSON_COMPACT).p,
		.kind = t->read_only ? TOOL_READ : TOOL_EXECUTE,
		.run = run,
		.confirm = confirm,
	};
	return row;
}

void mcp_rows_refresh(struct mcp_rows *rows)
{
	const struct mcp_tool *list = NULL;
	size_t n = rows->servers ? mcp_servers_tools(rows->servers, &list) : 0;
	uint64_t hash = hash_of(list, n);

	if (hash == rows->hash && n == rows->n)
		return;
	free(rows->p);
	arena_done(&rows->arena);
	rows->p = xcalloc(n, sizeof *rows->p);
	for (size_t i = 0; i < n; i++)
		rows->p[i] = row_new(rows, &list[i]);
	rows->n = n;
	rows->hash = hash;
}

void mcp_rows_done(struct mcp_rows *rows)
{
	free(rows->p);
	arena_done(&rows->arena);
	*rows = (struct mcp_rows){0};
}

const struct tool *mcp_rows_find(const struct mcp_rows *rows, struct str name)
{
	AUTO(arena_done) struct arena a = {0};

	/* What the model was told comes first: no server takes another one's calls. */
	for (size_t i = 0; i < rows->n; i++)
		if (str_eqz(name, rows->p[i]->tool.name))
			return &rows->p[i]->tool;
	for (size_t i = 0; i < rows->n; i++) {
		const struct mcp_row *row = rows->p[i];

		if (str_eqz(name, mcp_tool_name(&a, true, row->server, row->name)) ||
		    str_eqz(name, mcp_tool_name(&a, false, row->server, row->name)))
			return &row->tool;
	}
	return NULL;
}

const struct mcp_row *mcp_row_of(const struct mcp_rows *rows, const struct tool *t)
{
	for (size_t i = 0; i < rows->n; i++)
		if (&rows->p[i]->tool == t)
			return rows->p[i];
	return NULL;
}
