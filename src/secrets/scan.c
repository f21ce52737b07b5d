/*
 * The search: three bytes of every anchor are in a filter that says "no" almost everywhere; where it
 * does not, the rows of that anchor are tried, in the order of the table.
 */
#include <pthread.h>

#include "secrets/index.h"

static void table_make(void)
{
	for (size_t i = 0; i < secret_readings_n; i++) {
		const struct secret_reading *r = &secret_readings[i];
		const struct secret_format *f = secret_formats;

		while (strcmp(f->id, r->format) != 0)
			f++;
		index_add(r->anchor, "", !r->exact, f, r);
	}
	for (size_t i = 0; i < secret_formats_n; i++)
		if (secret_formats[i].anchor)
			index_add(secret_formats[i].anchor, secret_formats[i].after, false,
				  &secret_formats[i], NULL);
}

bool secrets_next(struct secret_scan *scan, struct secret *ret)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct look l = { .text = scan->text, .flags = scan->flags, .floor = scan->floor };
	size_t i = scan->at;

	(void)pthread_once(&once, table_make);
	for (; i + 2 < l.text.n && (i = index_next(l.text, i)) + 2 < l.text.n; i++) {
		bool found = index_find(&l, i, ret);

		if (scan->more && l.starved)
			break;
		if (found) {
			scan->at = scan->floor = ret->end;
			return true;
		}
		l.starved = false;
	}
	scan->at = scan->more ? max_size(scan->at, i) : l.text.n;
	return false;
}

size_t secrets_find(struct arena *a, struct str text, unsigned flags, const struct secret **ret)
{
	struct secret_scan scan = { .text = text, .flags = flags };
	struct secret *list = NULL, s;
	size_t n = 0, cap = 0;

	while (secrets_next(&scan, &s)) {
		if (n == cap) {
			struct secret *more = ARENA_ARRAY(a, struct secret, cap = cap * 2 + 4);

			memcpy(more, list ? list : more, n * sizeof *list);
			list = more;
		}
		list[n++] = s;
	}
	*ret = list;
	return n;
}

bool secret_in(struct str text, unsigned flags)
{
	struct secret_scan scan = { .text = text, .flags = flags };
	struct secret s;

	return secrets_next(&scan, &s);
}

size_t secrets_redact_part(struct buf *out, struct str text, size_t at, size_t end, unsigned flags)
{
	struct secret_scan scan = { .text = text, .flags = flags, .at = at, .floor = at };
	size_t n = 0;

	for (struct secret s; secrets_next(&scan, &s) && s.at < end; at = s.end, n++) {
		buf_adds(out, str_sub(text, at, s.at));
		buf_addf(out, "[redacted: %s]", s.format->name);
	}
	buf_adds(out, str_sub(text, at, max_size(at, end)));
	return n;
}

size_t secrets_redact(struct buf *out, struct str text, unsigned flags)
{
	return secrets_redact_part(out, text, 0, text.n, flags);
}
