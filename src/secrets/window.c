/* A text in chunks, without its secrets. */
#include "secrets/formats.h"

/* What a reader may look at that begins with what is given out next. */
enum { KEPT = LOOK_BEHIND + LOOK_BACK };

/*
 * Where what may be given out ends: a secret begins at most LOOK_BACK bytes before its anchor, with
 * no blank between them.
 */
static size_t open_from(struct str s, size_t i)
{
	size_t n = 0;

	while (n < LOOK_BACK && n < i && (unsigned char)s.p[i - n - 1] > ' ')
		n++;
	/* No character is cut. */
	for (i -= n; i < s.n && i > 0 && ((unsigned char)s.p[i] & 0xc0) == 0x80;)
		i--;
	return i;
}

static void give(struct secret_window *w, struct buf *out, size_t to)
{
	if (to <= w->shown)
		return;
	buf_add(out, w->text.p + w->shown, to - w->shown);
	w->shown = to;
}

static void advance(struct secret_window *w, struct buf *out, bool more)
{
	struct secret_scan scan = {
		.text = buf_str(&w->text), .at = w->at, .floor = w->floor, .more = more
	};
	size_t drop;

	for (struct secret s; secrets_next(&scan, &s); w->shown = s.end) {
		give(w, out, w->whole ? s.end : s.at);
		if (!w->whole)
			buf_addf(out, "[redacted: %s]", s.format->name);
		if (!w->found++)
			w->first = s.format;
	}
	w->at = scan.at;
	w->floor = scan.floor;
	give(w, out, more ? open_from(scan.text, w->at) : scan.text.n);
	drop = w->at > KEPT ? min_size(w->at - KEPT, w->shown) : 0;
	buf_drop(&w->text, drop);
	w->at -= drop;
	w->shown -= drop;
	w->floor -= min_size(w->floor, drop);
	/* Looked at again when there is an eighth more, so that one long secret costs no square. */
	w->enough = w->text.n + (w->text.n - w->at) / 8;
}

void secret_window_add(struct secret_window *w, struct str chunk, struct buf *out)
{
	buf_adds(&w->text, chunk);
	if (w->text.n >= w->enough)
		advance(w, out, true);
}

void secret_window_end(struct secret_window *w, struct buf *out)
{
	advance(w, out, false);
	w->text.n = w->shown = w->at = w->floor = w->enough = 0;
}

struct str secret_window_before(const struct secret_window *w)
{
	return str_sub(buf_str(&w->text), 0, w->shown);
}

struct str secret_window_waiting(const struct secret_window *w)
{
	return str_sub(buf_str(&w->text), w->shown, w->text.n);
}

void secret_window_done(struct secret_window *w)
{
	buf_done(&w->text);
}
