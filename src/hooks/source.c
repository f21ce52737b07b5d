/* Settings files that were read, and the places in them. */
#include <stdarg.h>

#include "base/vec.h"
#include "hooks/config.h"
#include "settings/read.h"

enum { MARK_EVERY = 4096 };

struct place source_place(const struct source *s, struct arena *a, size_t pos, const char *fmt, ...)
{
	size_t k = pos / MARK_EVERY;
	const struct json_where *mark = &s->marks[k && s->marks[k].pos > pos ? k - 1 : k];
	struct json_where at = json_locate_from(s->text, pos, *mark);
	AUTO(free) char *path = NULL;
	va_list ap;

	va_start(ap, fmt);
	path = xvasprintf(fmt, ap);
	va_end(ap);
	return (struct place){ s->path, at.line, at.column, arena_z(a, str_from(path)) };
}

int source_add(struct tl_hooks *h, struct source s, struct err *err)
{
	int r = s.doc ? 0 : settings_parse(&h->arena, s.path, s.text, &s.doc, err);
	size_t n;

	if (r < 0)
		return r;
	if (!s.weight)
		s.weight = tiers[s.tier].weight;
	/* So that finding a place does not cost what the whole file is long. */
	n = s.text.n / MARK_EVERY + 1;
	s.marks = ARENA_ARRAY(&h->arena, struct json_where, n);
	s.marks[0] = json_locate(s.text, 0);
	for (size_t i = 1; i < n; i++) {
		size_t at = i * MARK_EVERY;

		while (at < s.text.n && ((unsigned char)s.text.p[at] & 0xc0) == 0x80)
			at++; /* never inside of a character */
		s.marks[i] = json_locate_from(s.text, at, s.marks[i - 1]);
	}
	*VEC_ADD(&h->sources) = s;
	return 0;
}
