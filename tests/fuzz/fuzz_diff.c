/* Two texts, apart by a NUL: the changes must turn the first into the second. */
#include <stdint.h>
#include <stdlib.h>

#include "base/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void rebuild(struct buf *out, const struct diff *d)
{
	size_t x = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct diff_change *c = &d->changes[i];

		if (c->old_at < x || c->old_n + c->new_n == 0)
			abort();
		for (; x < c->old_at; x++)
			buf_adds(out, d->old_lines[x]);
		for (size_t k = 0; k < c->new_n; k++)
			buf_adds(out, d->new_lines[c->new_at + k]);
		x += c->old_n;
	}
	for (; x < d->old_n; x++)
		buf_adds(out, d->old_lines[x]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	struct str rest = { (const char *)data, n }, before = { NULL, 0 };
	struct diff d;

	if (n == 0 || !str_split(&rest, '\0', &before) || !rest.p)
		return 0;
	diff_lines(&a, before, rest, &d);
	rebuild(&out, &d);
	if (!str_eq(buf_str(&out), rest))
		abort();
	buf_clear(&out);
	if (diff_add_hunks(&out, &d, n % 5) < 0 || (out.n == 0) != str_eq(before, rest))
		abort();
	return 0;
}
