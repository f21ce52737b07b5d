/*
 * Any bytes: what is cleaned can be shown, stays the same when it is cleaned again or line by line,
 * and can be measured and cut.
 */
#include "ui/clean.h"

#include "shown.h"
#include "ui/width.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_clean(struct str s, void (*clean)(struct buf *, struct str))
{
	AUTO(buf_done) struct buf once = { 0 }, twice = { 0 };

	clean(&once, s);
	require(shown_well(buf_str(&once), false));
	clean(&twice, buf_str(&once));
	require(str_eq(buf_str(&once), buf_str(&twice)));
}

static void check_lines(struct str s)
{
	AUTO(buf_done) struct buf whole = { 0 }, lines = { 0 };

	clean_add(&whole, s);
	while (s.n) {
		ptrdiff_t end = str_chr(s, '\n', 0);
		size_t len = end < 0 ? s.n : (size_t)end + 1;

		clean_add(&lines, str_sub(s, 0, len));
		s = str_sub(s, len, s.n);
	}
	require(str_eq(buf_str(&whole), buf_str(&lines)));
}

static void check_width(struct str s, size_t columns)
{
	AUTO(buf_done) struct buf line = { 0 };
	size_t width = 0;
	struct str fit;

	clean_add_line(&line, s);
	fit = text_fit(buf_str(&line), columns);
	require(text_width(fit) <= columns);
	for (struct str rest = buf_str(&line); rest.n;) {
		struct str cluster = text_cluster(rest);

		require(cluster.n > 0 && utf8_valid(cluster) == cluster.n);
		width += text_width(cluster);
		rest = str_sub(rest, cluster.n, rest.n);
	}
	require(width == text_width(buf_str(&line)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str s = { (const char *)data, n };

	check_clean(s, clean_add);
	check_clean(s, clean_add_line);
	check_lines(s);
	check_width(s, n % 50);
	return 0;
}
