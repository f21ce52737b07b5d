/*
 * What an MCP server writes to its stdout, cut into pieces by its first byte: lines, messages, and
 * lists of all kinds.  Nothing depends on the cut.
 */
#include "mcp/catalog.h"
#include "mcp/lines.h"
#include "mcp/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct reader {
	struct mcp_config config;
	struct mcp_catalog *catalog;
	struct buf seen;
};

static void take(struct reader *r, const struct rpc_message *m)
{
	buf_addf(&r->seen, "%d %lld;", (int)m->kind, (long long)m->number);
	if (m->kind == RPC_REQUEST)
		rpc_add_error(&r->seen, m->id, RPC_METHOD_NOT_FOUND, "no");
	if (m->kind != RPC_RESULT)
		return;
	for (int kind = 0; kind < CATALOG_KINDS; kind++) {
		const struct json *items = json_get(m->body, catalog_lists[kind].member);

		for (size_t i = 0; json_is(items, J_ARR) && i < items->n; i++)
			(void)catalog_add(r->catalog, (enum catalog_kind)kind, &r->config,
					  json_at(items, i));
	}
}

static void on_line(void *data, struct str line)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct reader *r = data;
	const struct json *doc;

	if (line.n > 1000)
		abort();
	if (rpc_parse(&a, line, &doc, NULL) < 0)
		return;
	for (size_t i = 0; i < rpc_count(doc); i++) {
		struct rpc_message m = rpc_at(doc, i);

		take(r, &m);
	}
}

static void on_long(void *data)
{
	struct reader *r = data;

	buf_addz(&r->seen, "long;");
}

static void run(struct reader *r, struct str stream, size_t piece)
{
	struct lines l = { .max = 1000, .on_line = on_line, .on_long = on_long, .data = r };

	r->catalog = catalog_new();
	for (size_t at = 0; at < stream.n; at += piece)
		lines_feed(&l, str_sub(stream, at, at + piece));
	lines_end(&l);
	lines_done(&l);
	for (size_t i = 0; i < r->catalog->tools.n; i++) {
		const struct mcp_tool *t = &r->catalog->tools.p[i];

		if (strlen(t->name) > MCP_NAME_MAX || !json_is(t->schema, J_OBJ) || !*t->tool)
			abort();
		buf_addz(&r->seen, t->name);
	}
}

static void done(struct reader *r)
{
	catalog_unref(r->catalog);
	buf_done(&r->seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct reader whole = { .config.name = "s" }, cut = { .config.name = "s" };
	struct str stream;

	if (n < 1)
		return 0;
	stream = (struct str){ (const char *)data + 1, n - 1 };
	run(&whole, stream, n);
	run(&cut, stream, (size_t)data[0] + 1);
	if (!str_eq(buf_str(&whole.seen), buf_str(&cut.seen)))
		abort();
	done(&whole);
	done(&cut);
	return 0;
}
