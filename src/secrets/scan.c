/*
 * The search: three bytes of every anchor are in a filter that says "no" almost everywhere; where it
 * does not, the rows of that anchor are tried, in the order of the table.
 */
#include "base/base64.h"
#include "base/vec.h"
#include "secrets/index.h"
#include "secrets/joined.h"

enum { ENCODED_MIN = 60, ENCODED_MAX = 16 << 10 };

struct secret_list {
	struct secret *p;
	size_t n, cap;
};

/* The secret whose anchor is at i, of the first row that fits; three bytes are there. */
static bool find_at(struct look *l, size_t i, struct secret *ret)
{
	const unsigned char *p = (const unsigned char *)l->text.p + i;
	uint32_t three = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

	for (size_t w = index_way(three); w; w = anchors.ways[w].next) {
		const struct anchor_way *way = &anchors.ways[w];
		const struct secret_format *f = &secret_formats[way->format];
		const struct secret_reading *r =
			way->reading ? &secret_readings[way->reading - 1] : NULL;

		if (r ? look_has(l, i, r->anchor, !r->exact) && r->read(l, f, i, ret)
		      : index_is_shape(l, f, i, ret))
			return true;
	}
	return false;
}

bool secrets_next(struct secret_scan *scan, struct secret *ret)
{
	struct look l = { .text = scan->text, .flags = scan->flags, .floor = scan->floor };
	size_t i = scan->at;

	for (; i + 2 < l.text.n && (i = index_next(l.text, i)) + 2 < l.text.n; i++) {
		bool found = find_at(&l, i, ret);

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

/* Objects in base64 that have a secret in them: a Kubernetes Secret, a variable of a build. */
static void find_encoded(struct secret_list *list, struct str text, unsigned flags)
{
	const struct secret_format *f = secret_formats;
	size_t end;

	while (strcmp(f->id, "encoded") != 0)
		f++;
	for (ptrdiff_t i = 0; (i = str_find(text, STR("eyJ"), (size_t)i)) >= 0;
	     i = (ptrdiff_t)end) {
		struct secret_scan scan = { .flags = flags & ~(unsigned)SECRETS_DOUBT };
		size_t at = (size_t)i;
		struct secret s;

		for (end = at; end < text.n && shape_has('s', text.p[end]);)
			end++;
		/* What goes on with a dot is a web token. */
		if (end - at < ENCODED_MIN || end - at > ENCODED_MAX ||
		    (at > 0 && shape_has('s', text.p[at - 1])) ||
		    (end < text.n && text.p[end] == '.'))
			continue;
		AUTO(free) char *bytes = xmalloc(end - at);

		scan.text = (struct str){ bytes,
					  base64_decode(str_sub(text, at, end), bytes, end - at) };
		while (end < text.n && text.p[end] == '=')
			end++;
		if (secrets_next(&scan, &s))
			*VEC_ADD(list) = (struct secret){ f, at, end };
	}
}

static int by_place(const void *a, const void *b)
{
	const struct secret *x = a, *y = b;

	return x->at != y->at ? (x->at > y->at) - (x->at < y->at)
			      : (x->end < y->end) - (x->end > y->end);
}

/* Sorted; of two that overlap the later one goes, or what it has more is added to the other. */
static void untangle(struct secret_list *list)
{
	size_t n = 0;

	if (list->n)
		qsort(list->p, list->n, sizeof *list->p, by_place);
	for (size_t i = 0; i < list->n; i++)
		if (n && list->p[i].at < list->p[n - 1].end)
			list->p[n - 1].end = max_size(list->p[n - 1].end, list->p[i].end);
		else
			list->p[n++] = list->p[i];
	list->n = n;
}

/* What a window cannot find: in several pieces, or encoded. */
static void find_hidden(struct secret_list *list, struct str text, unsigned flags)
{
	AUTO(joined_done) struct joined j = { 0 };
	struct secret_scan scan = { .flags = flags };

	if (flags & SECRETS_AS_THEY_ARE)
		return;
	find_encoded(list, text, flags);
	if (!joined_read(&j, text))
		return;
	/* Those that lie in several pieces of the text, each piece of its own. */
	scan.text = buf_str(&j.text);
	for (struct secret s; secrets_next(&scan, &s);) {
		struct secret piece = s, first;
		size_t at = s.at;

		(void)joined_piece(&j, &at, s.end, &first.at, &first.end);
		if (at == s.end)
			continue;
		at = s.at;
		while (joined_piece(&j, &at, s.end, &piece.at, &piece.end))
			*VEC_ADD(list) = piece;
	}
}

size_t secrets_find_part(struct arena *a, struct str text, size_t at, size_t end, unsigned flags,
			 const struct secret **ret)
{
	struct secret_scan scan = { .text = text, .flags = flags, .at = at, .floor = at };
	struct secret_list list = { 0 };
	struct secret *all;
	size_t n = 0;

	for (struct secret s; secrets_next(&scan, &s) && s.at < end;)
		*VEC_ADD(&list) = s;
	find_hidden(&list, text, flags);
	untangle(&list);
	*ret = all = list.n ? ARENA_ARRAY(a, struct secret, list.n) : NULL;
	for (size_t i = 0; i < list.n; i++)
		if (list.p[i].at >= at && list.p[i].at < end)
			all[n++] = list.p[i];
	free(list.p);
	return n;
}

size_t secrets_find(struct arena *a, struct str text, unsigned flags, const struct secret **ret)
{
	return secrets_find_part(a, text, 0, text.n, flags, ret);
}

bool secret_in(struct str text, unsigned flags)
{
	struct secret_scan scan = { .text = text, .flags = flags };
	struct secret_list list = { 0 };
	struct secret s;
	bool found = secrets_next(&scan, &s);

	if (!found)
		find_hidden(&list, text, flags);
	found |= list.n > 0;
	free(list.p);
	return found;
}

size_t secrets_redact_part(struct buf *out, struct str text, size_t at, size_t end, unsigned flags)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct secret *list;
	size_t n = secrets_find_part(&a, text, at, end, flags, &list);

	for (size_t i = 0; i < n; i++) {
		buf_adds(out, str_sub(text, at, list[i].at));
		buf_addf(out, "[redacted: %s]", list[i].format->name);
		at = list[i].end;
	}
	buf_adds(out, str_sub(text, at, max_size(at, end)));
	return n;
}

size_t secrets_redact(struct buf *out, struct str text, unsigned flags)
{
	return secrets_redact_part(out, text, 0, text.n, flags);
}
