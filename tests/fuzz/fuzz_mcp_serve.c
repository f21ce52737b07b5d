/*
 * What a client writes to `trotline mcp serve`, cut into pieces by its first byte.  Every line that
 * goes out is one JSON text, nothing depends on the cut, and every call is ended once.
 */
#include "cli/mcp/mcp_serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct host {
	struct serve serve;
	struct serve_call *waiting; /* a call whose name begins with "w" */
};

static const struct json *echo(struct arena *a, const struct json *params, struct err *err)
{
	if (json_getz(params, "fail")) {
		(void)err_set(err, E_INVAL, "no");
		return NULL;
	}
	return params ? params : json_new_obj(a);
}

static int call(void *data, struct serve_call *c, struct err *err)
{
	struct host *h = data;

	if (!json_is(c->args, J_OBJ))
		abort();
	if (!*c->tool)
		return err_set(err, E_INVAL, "no name");
	if (*c->tool == 'w' && !h->waiting) {
		h->waiting = c;
		return 0;
	}
	serve_answer(&h->serve, c, STR("{\"content\":[]}"));
	return 0;
}

static void cancelled(void *data, struct serve_call *c)
{
	struct host *h = data;

	if (h->waiting != c)
		abort();
	h->waiting = NULL;
	serve_drop(&h->serve, c);
}

static void check_lines(struct str out)
{
	for (struct str rest = out, line; str_split(&rest, '\n', &line);) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *doc;

		if (rest.p && json_parse(&a, line, 0, &doc, NULL) < 0)
			abort();
		if (!rest.p && line.n)
			abort();
	}
}

static void run(struct buf *out, struct str stream, size_t piece)
{
	static const struct serve_method methods[] = { { "echo", echo } };
	const struct serve_host host = { .name = "n",
					 .title = "t",
					 .version = "v",
					 .instructions = "i",
					 .methods = methods,
					 .nmethods = ARRAY_LEN(methods),
					 .call = call,
					 .cancelled = cancelled };
	struct host h = { .waiting = NULL };

	serve_init(&h.serve, &host, &h);
	for (size_t at = 0; at < stream.n; at += piece)
		serve_feed(&h.serve, str_sub(stream, at, at + piece));
	serve_end(&h.serve);
	if (h.waiting)
		serve_answer(&h.serve, h.waiting, STR("{}"));
	if (h.serve.calls.n)
		abort();
	check_lines(buf_str(&h.serve.out));
	buf_adds(out, buf_str(&h.serve.out));
	serve_done(&h.serve);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(buf_done) struct buf whole = { 0 };
	AUTO(buf_done) struct buf cut = { 0 };
	struct str stream;

	if (n < 1)
		return 0;
	stream = (struct str){ (const char *)data + 1, n - 1 };
	run(&whole, stream, n);
	run(&cut, stream, (size_t)data[0] + 1);
	if (!str_eq(buf_str(&whole), buf_str(&cut)))
		abort();
	return 0;
}
