/*
 * Styled text broken into lines.  A line ends at a blank, between two characters of which one is
 * wide, or where it must.  Each line is read at most twice, so the whole is linear.
 *
 *	CSI 0 ; 1 ; 3 m		styles, all given anew at each change
 *	OSC 8 ; ; address ST	begins a link, with an empty address ends it
 */
#include "ui/rich.h"

#include "base/vec.h"
#include "ui/width.h"

void rich_style(struct rich *t, unsigned style, size_t link)
{
	struct rich_run *last = t->runs.n ? &t->runs.p[t->runs.n - 1] : NULL;
	struct rich_run run = { .at = t->text.n, .style = style, .link = link };

	if (last && last->style == style && last->link == link)
		return;
	if (last && last->at == run.at)
		*last = run;
	else
		*VEC_ADD(&t->runs) = run;
}

void rich_clear(struct rich *t)
{
	buf_clear(&t->text);
	t->runs.n = 0;
}

void rich_done(struct rich *t)
{
	buf_done(&t->text);
	free(t->runs.p);
	*t = (struct rich){ 0 };
}

struct rich_lines rich_lines(const struct rich *t, size_t from, size_t to, size_t run)
{
	return (struct rich_lines){ .t = t, .at = from, .to = to, .run = run };
}

/* A place where the line may end. */
struct place {
	size_t end, next, width;
	bool known;
};

/* The line ends at `end` and what follows begins at `next`, without the blanks there. */
static bool end_line(struct rich_lines *l, size_t from, size_t end, size_t next, size_t width)
{
	const char *p = l->t->text.p;

	while (next < l->to && p[next] == ' ')
		next++;
	l->line = str_sub(buf_str(&l->t->text), from, end);
	l->width = width;
	/* A break that was written follows the blanks: it is the same one. */
	l->at = next + (next < l->to && p[next] == '\n');
	return true;
}

bool rich_next(struct rich_lines *l, size_t columns)
{
	const char *p = l->t->text.p;
	size_t from = l->at, at = from, width = 0;
	struct place place = { 0 };
	uint32_t before = 0;

	if (from >= l->to)
		return false;
	while (at < l->to && p[at] != '\n') {
		struct text_step step = text_step((struct str){ p + at, l->to - at });

		if (p[at] == ' ' && before != ' ' && at > from)
			place = (struct place){ at, at + 1, width, true };
		else if (text_may_break(before, step.cp))
			place = (struct place){ at, at, width, true };
		if (width + step.width > columns && at > from) {
			if (place.known)
				return end_line(l, from, place.end, place.next, place.width);
			return end_line(l, from, at, at, width);
		}
		at += step.n;
		width += step.width;
		before = step.cp;
	}
	l->line = str_sub(buf_str(&l->t->text), from, at);
	l->width = width;
	l->at = at + 1;
	return true;
}

static void put_style(struct buf *out, unsigned style)
{
	/* By the bits of enum rich_style. */
	static const char *const codes[] = { ";1", ";2", ";3", ";4", ";9", ";36" };

	buf_addz(out, "\033[0");
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		if (style & 1u << i)
			buf_addz(out, codes[i]);
	}
	buf_addc(out, 'm');
}

static void put_link(struct buf *out, struct str address)
{
	buf_addz(out, "\033]8;;");
	buf_adds(out, address);
	buf_addz(out, "\033\\");
}

void rich_put_plain(struct str s, unsigned style, bool color, struct buf *out)
{
	if (color && style && s.n)
		put_style(out, style);
	buf_adds(out, s);
	if (color && style && s.n)
		buf_addz(out, "\033[0m");
}

static struct str link_of(const struct rich_look *look, const struct rich_run *run)
{
	return look->links && run && run->link ? look->links[run->link - 1] : (struct str){ 0 };
}

void rich_put(struct rich_lines *l, const struct rich_look *look, struct buf *out)
{
	const struct rich *t = l->t;
	size_t at = l->line.n ? (size_t)(l->line.p - t->text.p) : 0, to = at + l->line.n;
	struct str link = { 0 };
	unsigned style = 0;

	while (l->line.n && at < to) {
		const struct rich_run *run = NULL;
		size_t end = to;

		while (l->run + 1 < t->runs.n && t->runs.p[l->run + 1].at <= at)
			l->run++;
		if (l->run < t->runs.n && t->runs.p[l->run].at <= at)
			run = &t->runs.p[l->run];
		if (run && l->run + 1 < t->runs.n)
			end = min_size(to, t->runs.p[l->run + 1].at);
		else if (!run && t->runs.n)
			end = min_size(to, t->runs.p[0].at);
		if (look->color && style != (run ? run->style : 0)) {
			style = run ? run->style : 0;
			put_style(out, style);
		}
		if (!str_eq(link, link_of(look, run))) {
			link = link_of(look, run);
			put_link(out, link);
		}
		buf_add(out, t->text.p + at, end - at);
		at = end;
	}
	if (link.n)
		put_link(out, (struct str){ 0 });
	if (style)
		buf_addz(out, "\033[0m");
}
