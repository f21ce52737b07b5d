#include "ui/status.h"

#include <stdio.h>

#include "ui/clean.h"
#include "ui/marks.h"
#include "ui/width.h"

/*
 * WAIT_COLUMNS: what is waited for is worth more than what is at the right.
 * COUNTS_COLUMNS: what is around a countdown.
 */
enum { SPIN_MS = 100, WAIT_COLUMNS = 43, COUNTS_COLUMNS = 8 };

static const char *sgr(bool color, const char *code)
{
	return color ? code : "";
}

/* Tokens, model, mode: from the i-th on, so that a narrow terminal shows less of it. */
static void add_right(const struct status *st, size_t from, struct buf *out)
{
	AUTO(free) char *between = xasprintf(" %s ", mark(MARK_DOT));
	const char *dot = "";

	if (st->tokens > 0 && from < 1) {
		/* "950", "1.2k", "34k", "1.5M" */
		int64_t n = st->tokens;
		double v = (double)n;

		if (n < 1000)
			buf_addf(out, "%d", (int)n);
		else if (n < 9950)
			buf_addf(out, "%.1fk", v / 1e3);
		else if (n < 999500)
			buf_addf(out, "%.0fk", v / 1e3);
		else
			buf_addf(out, "%.1fM", v / 1e6);
		buf_addz(out, " tokens");
		dot = between;
	}
	if (st->model && from < 2) {
		buf_addz(out, dot);
		clean_add_line(out, str_from(st->model));
		dot = between;
	}
	if (st->mode && *st->mode && strcmp(st->mode, "default") != 0) {
		buf_addz(out, dot);
		clean_add_line(out, str_from(st->mode));
	}
}

/* What is waited for, and for how long, which stays whole. */
static void add_left(const struct status *st, int64_t now_us, size_t columns, struct buf *out)
{
	AUTO(buf_done) struct buf what = { 0 }, wait = { 0 };
	int64_t since = now_us - st->since_us;
	long long s = since > 0 ? since / 1000000 : 0;
	size_t room;

	if (st->counts) {
		buf_addz(&wait, " (esc)");
	} else {
		/* "  (esc to cancel, 12s)", "... 1m 05s)", "... 2h 03m)", or shorter. */
		buf_addz(&wait, columns < 40 ? " (esc, " : "  (esc to cancel, ");
		if (s < 60)
			buf_addf(&wait, "%llds)", s);
		else if (s < 3600)
			buf_addf(&wait, "%lldm %02llds)", s / 60, s % 60);
		else
			buf_addf(&wait, "%lldh %02lldm)", s / 3600, s / 60 % 60);
	}
	clean_add_line(&what, str_from(st->hooks ? st->hooks : st->what));
	buf_addf(out, "%s ", mark_spinner(since > 0 ? (size_t)(since / 1000 / SPIN_MS) : 0));
	room = columns > 2 + text_width(buf_str(&wait)) ? columns - 2 - text_width(buf_str(&wait))
							: 0;
	if (text_width(buf_str(&what)) > room && room > 3) {
		buf_adds(out, text_fit(buf_str(&what), room - 3));
		buf_addz(out, "...");
	} else {
		buf_adds(out, text_fit(buf_str(&what), room));
	}
	buf_adds(out, buf_str(&wait));
}

void status_render(const struct status *s, int64_t now_us, size_t columns, bool color,
		   struct buf *out)
{
	AUTO(buf_done) struct buf left = { 0 }, right = { 0 };
	bool waits = s->what || s->hooks;
	size_t gap, from = 0, least = waits ? min_size(columns, WAIT_COLUMNS) : 0;

	if (s->what && s->counts)
		least = min_size(columns, text_width(str_from(s->what)) + COUNTS_COLUMNS);

	do { /* the tokens give way first, then the model */
		buf_clear(&right);
		add_right(s, from, &right);
	} while (text_width(buf_str(&right)) + least + 2 > columns && ++from < 3);
	if (from == 3)
		buf_clear(&right);
	gap = right.n > 0 ? text_width(buf_str(&right)) + 2 : 0;
	if (waits)
		add_left(s, now_us, columns > gap ? columns - gap : 0, &left);
	struct str fit = text_fit(buf_str(&left), columns);
	size_t used = text_width(fit) + text_width(buf_str(&right));

	buf_addz(out, left.n > 0 ? sgr(color, "\033[36m") : "");
	buf_adds(out, fit);
	buf_addz(out, left.n > 0 ? sgr(color, "\033[0m") : "");
	if (right.n == 0)
		return;
	buf_addf(out, "%*s%s", (int)(columns > used ? columns - used : 0), "",
		 sgr(color, "\033[2m"));
	buf_adds(out, text_fit(buf_str(&right), columns));
	buf_addz(out, sgr(color, "\033[0m"));
}
