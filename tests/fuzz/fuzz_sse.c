/*
 * Any stream, with a limit and a size of pieces from its first two bytes: events do not depend on
 * where it was cut.
 */
#include "net/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int note(void *data, const struct sse_event *e, struct err *err)
{
	struct buf *seen = data;

	if (str_chr(e->event, '\n', 0) >= 0 || str_chr(e->data, '\r', 0) >= 0 || !e->event.n)
		abort();
	if (str_eqz(e->data, "stop"))
		return err_set(err, E_PARSE, "stop");
	buf_addf(seen, "%zu %zu %zu ", e->event.n, e->data.n, e->id.n);
	buf_adds(seen, e->event);
	buf_adds(seen, e->data);
	buf_adds(seen, e->id);
	return 0;
}

static int run(struct str stream, size_t piece, size_t max, struct buf *seen)
{
	AUTO(sse_done) struct sse s = { .on_event = note, .data = seen, .max_bytes = max };
	int r = 0;

	for (size_t at = 0; at < stream.n && r >= 0; at += piece)
		r = sse_feed(&s, str_sub(stream, at, at + piece), NULL);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(buf_done) struct buf whole = { 0 }, cut = { 0 };
	struct str stream;

	if (n < 2)
		return 0;
	stream = (struct str){ (const char *)data + 2, n - 2 };
	if (run(stream, n, data[0], &whole) != run(stream, (size_t)data[1] + 1, data[0], &cut))
		abort();
	if (!str_eq(buf_str(&whole), buf_str(&cut)))
		abort();
	return 0;
}
