/*
 * Any text, with a style and the places of cuts from its first three bytes: what is shown does not
 * depend on where it was cut, is clean, and is not too wide.
 */
#include "ui/markdown.h"

#include "shown.h"
#include "ui/width.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* Pieces of 1 to `most` bytes, by a generator of its own. */
static void add_cut(struct markdown *m, struct str s, size_t most, struct buf *out)
{
	uint32_t random = (uint32_t)most;

	for (size_t at = 0, len; at < s.n; at += len) {
		random = random * 1664525 + 1013904223;
		len = 1 + (random >> 16) % most;
		markdown_add(m, str_sub(s, at, at + len), out);
	}
}

/* markdown_open() shows what markdown_end() adds, but for a character that is cut. */
static void check_open(struct markdown *m, struct str s, struct buf *out)
{
	AUTO(buf_done) struct buf open = { 0 };
	size_t before = out->n;

	markdown_open(m, &open);
	markdown_end(m, out);
	if (utf8_valid(s) == s.n)
		require(str_eq(buf_str(&open), str_sub(buf_str(out), before, out->n)));
}

static void check_lines(struct str out, size_t columns)
{
	require(!out.n || out.p[out.n - 1] == '\n');
	for (struct str line; str_split(&out, '\n', &line);)
		require(text_width(line) <= columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(buf_done) struct buf whole = { 0 }, cut = { 0 };
	AUTO(markdown_free) struct markdown *m = NULL;
	struct markdown_style style = { 0 };
	struct str s;

	if (n < 3)
		return 0;
	s = (struct str){ (const char *)data + 3, n - 3 };
	style = (struct markdown_style){ 4 + data[0] % 90, data[1] & 1, data[1] & 2 };
	m = markdown_new(&style);
	markdown_add(m, s, &whole);
	check_open(m, s, &whole);
	add_cut(m, s, (size_t)data[2] + 1, &cut);
	markdown_end(m, &cut);
	require(str_eq(buf_str(&whole), buf_str(&cut)));
	require(shown_well(buf_str(&whole), true));
	check_lines(buf_str(&whole), style.columns);
	return 0;
}
