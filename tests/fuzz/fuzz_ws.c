/*
 * What an MCP server by WebSocket sends, cut into pieces by its first byte: the answer to the
 * handshake, and frames.  No message depends on the cut.
 */
#include "mcp/ws_frames.h"
#include "mcp/ws_upgrade.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { TEXT_MAX = 1000, OUT_MAX = 4000 };

struct reader {
	struct ws_upgrade upgrade;
	struct ws_frames *frames;
	struct buf head, seen;
	bool open, refused;
};

static void on_text(void *data, struct str text)
{
	struct reader *r = data;

	if (text.n > TEXT_MAX)
		abort();
	buf_addf(&r->seen, "text %zu;", text.n);
	buf_adds(&r->seen, text);
	(void)ws_frames_send(r->frames, str_sub(text, 0, 10), NULL);
}

static void on_note(void *data, struct str line)
{
	struct reader *r = data;

	buf_adds(&r->seen, line);
}

static void take(struct reader *r, struct str bytes)
{
	struct err err = { 0 };
	int status, n;

	if (r->open)
		ws_frames_feed(r->frames, bytes);
	if (r->open || r->refused)
		return;
	buf_adds(&r->head, bytes);
	n = ws_upgrade_read(&r->upgrade, buf_str(&r->head), &status, &err);
	if (n < 0) {
		buf_addf(&r->seen, "%d %s", status, err.text);
		r->refused = true;
	}
	if (n <= 0)
		return;
	r->open = true;
	ws_frames_feed(r->frames, str_sub(buf_str(&r->head), (size_t)n, r->head.n));
}

static void run(struct reader *r, struct str stream, size_t piece)
{
	/* The key of the RFC's example, to which seeds have the answer. */
	static const char key[WS_KEY_SIZE] = "dGhlIHNhbXBsZSBub25jZQ==";
	struct err err = { 0 };

	memcpy(r->upgrade.key, key, sizeof key);
	if (ws_frames_new(&(struct ws_events){ on_text, on_note, r },
			  &(struct ws_limits){ TEXT_MAX, OUT_MAX }, &r->frames, NULL) < 0)
		abort();
	for (size_t at = 0; at < stream.n; at += piece) {
		take(r, str_sub(stream, at, at + piece));
		buf_clear(ws_frames_out(r->frames));
	}
	/* Why a close frame ends it depends on the cut: see take_close(). */
	(void)ws_frames_ended(r->frames, &err);
}

static void done(struct reader *r)
{
	ws_frames_free(r->frames);
	buf_done(&r->head);
	buf_done(&r->seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct reader whole = { .open = false }, cut = { .open = false };
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
