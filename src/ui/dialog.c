#include "ui/dialog.h"

#include "base/utf8.h"
#include "ui/clean.h"
#include "ui/width.h"

#define PASTE STR("paste:")
enum { DIGITS = 9, TEXT_MAX = 64 << 10 };

void dialog_open(struct dialog *d, const char *const *options)
{
	size_t n = 0;

	while (options[n])
		n++;
	buf_clear(&d->text);
	d->text.max = TEXT_MAX;
	d->options = options;
	d->n = n;
	d->at = 0;
	d->result = DIALOG_OPEN;
}

void dialog_done(struct dialog *d)
{
	buf_done(&d->text);
	*d = (struct dialog){ 0 };
}

static bool is_typing(const struct dialog *d)
{
	return d->has_text && d->at + 1 == d->n;
}

/* ---- the typed text ---- */

/* True when the key is for the text. */
static bool edit(struct dialog *d, struct str key)
{
	if (str_starts(key, PASTE)) {
		clean_add_line(&d->text, str_sub(key, PASTE.n, key.n));
	} else if (str_eqz(key, "backspace")) {
		while (d->text.n > 0 && ((unsigned char)d->text.p[d->text.n - 1] & 0xc0) == 0x80)
			d->text.n--;
		d->text.n -= d->text.n > 0;
	} else if (str_eqz(key, "ctrl-u")) {
		buf_clear(&d->text);
	} else if (str_eqz(key, "ctrl-w")) {
		while (d->text.n > 0 && d->text.p[d->text.n - 1] == ' ')
			d->text.n--;
		while (d->text.n > 0 && d->text.p[d->text.n - 1] != ' ')
			d->text.n--;
	} else if (utf8_count(key) == 1) {
		clean_add_line(&d->text, key);
	} else {
		return false;
	}
	return true;
}

/* ---- choosing ---- */

void dialog_key(struct dialog *d, const char *key)
{
	struct str k = str_from(key);

	if (d->result != DIALOG_OPEN || d->n == 0)
		return;
	if (str_eqz(k, "escape") || str_eqz(k, "ctrl-c")) {
		d->result = DIALOG_ESCAPE;
	} else if (str_eqz(k, "enter")) {
		if (!is_typing(d) || str_trim(buf_str(&d->text)).n > 0)
			d->result = (int)d->at;
	} else if (str_eqz(k, "up") || str_eqz(k, "ctrl-p")) {
		d->at = (d->at + d->n - 1) % d->n;
	} else if (str_eqz(k, "down") || str_eqz(k, "tab") || str_eqz(k, "ctrl-n")) {
		d->at = (d->at + 1) % d->n;
	} else if (is_typing(d)) {
		(void)edit(d, k);
	} else if (str_eqz(k, "k")) {
		d->at = (d->at + d->n - 1) % d->n;
	} else if (str_eqz(k, "j")) {
		d->at = (d->at + 1) % d->n;
	} else if (k.n == 1 && k.p[0] >= '1' && k.p[0] <= '0' + DIGITS &&
		   (size_t)(k.p[0] - '1') < d->n) {
		size_t at = (size_t)(k.p[0] - '1');

		d->at = at;
		if (!is_typing(d))
			d->result = (int)at;
	}
}

/* ---- looks ---- */

static const char *sgr(bool color, const char *code)
{
	return color ? code : "";
}

/*
 * At most `max` rows of the body and the title, long lines wrapped: their beginning, a note, their
 * end.  Both are foreign: neither takes the other's place without a word.
 */
static void add_asked(const struct dialog *d, size_t columns, size_t max, bool color,
		      struct buf *out)
{
	AUTO(buf_done) struct buf wrapped = { 0 }, clean = { 0 };
	size_t body = d->body.n ? text_add_wrapped(&wrapped, d->body, columns) : 0, n, head, tail;
	struct str row, rest;

	clean_add_line(&clean, d->title);
	n = body + text_add_wrapped(&wrapped, buf_str(&clean), columns);
	if (max == 0)
		return;
	head = n;
	tail = 0;
	if (n > max) {
		size_t title = n - body <= max * 2 / 3 ? n - body : 0;

		head = (max - title) / 2;
		tail = max - 1 - head;
	}
	rest = buf_str(&wrapped);
	for (size_t i = 0; i < n && str_split(&rest, '\n', &row); i++) {
		bool bold = i >= body;

		if (i == head) {
			/* How many there are in its place, and how they are seen. */
			AUTO(free) char *note =
				xasprintf("... %zu lines hidden%s%s ...", n - head - tail,
					  d->more ? ": " : "", d->more ? d->more : "");

			buf_addf(out, "%s%.*s%s\n", sgr(color, "\033[2m"),
				 STR_ARG(text_fit(str_from(note), columns)), sgr(color, "\033[0m"));
		}
		if (i >= head && i < n - tail)
			continue;
		buf_addf(out, "%s%.*s%s\n", bold ? sgr(color, "\033[1m") : "", STR_ARG(row),
			 bold || str_chr(row, '\033', 0) >= 0 ? sgr(color, "\033[0m") : "");
	}
}

enum { OPTION_INDENT = 5 };

/*
 * The option on as many rows as it takes, max at most: only what is seen can be chosen.  How many
 * rows.
 */
static size_t add_option(const struct dialog *d, size_t i, size_t columns, size_t max, bool color,
			 struct buf *out)
{
	AUTO(buf_done) struct buf line = { 0 }, label = { 0 }, wrapped = { 0 };
	size_t indent = columns > 2 * OPTION_INDENT ? OPTION_INDENT : 0, rows = 0;
	bool chosen = i == d->at;
	struct str row;

	buf_addf(&line, "%s %zu. ", chosen ? ">" : " ", i + 1);
	clean_add_line(&label, str_from(d->options[i]));
	if (d->has_text && i + 1 == d->n && (chosen || d->text.n > 0)) {
		struct str text;

		buf_addz(&label, ": ");
		size_t used = text_width(buf_str(&line)) + text_width(buf_str(&label)) + 1;

		/* The end of the text is what is being typed. */
		text = buf_str(&d->text);
		while (text.n > 0 && text_width(text) > (columns > used ? columns - used : 0))
			text = str_sub(text, text_step(text).n, text.n);
		buf_adds(&label, text);
		buf_addz(&label, chosen ? "_" : "");
	}
	if (indent) {
		(void)text_add_wrapped(&wrapped, buf_str(&label), columns - indent);
	} else {
		buf_adds(&line, buf_str(&label));
		buf_adds(&wrapped, text_fit(buf_str(&line), columns));
	}
	for (struct str rest = buf_str(&wrapped);
	     rows < max && (rest.n || !rows) && str_split(&rest, '\n', &row); rows++) {
		if (rows && rows + 1 == max && rest.n)
			row = STR("...");
		buf_addf(out, "%s%*.*s%.*s%s\n", chosen ? sgr(color, "\033[36m") : "", (int)indent,
			 (int)indent, rows ? "" : buf_z(&line), STR_ARG(row),
			 chosen ? sgr(color, "\033[0m") : "");
	}
	return rows;
}

/* The rows of the options from first to last. */
static size_t option_rows(const struct dialog *d, size_t first, size_t last, size_t columns)
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t rows = 0;

	for (size_t i = first; i <= last; i++)
		rows += add_option(d, i, columns, SIZE_MAX, false, &out);
	return rows;
}

/* Where there is one row for everything: the chosen option, and that the question is not seen. */
static void add_only_row(const struct dialog *d, size_t columns, bool color, struct buf *out)
{
	static const char *const notes[] = { " [the window is too small for the question]",
					     " [the window is too small]", " [too small]" };
	enum { OPTION_LEAST = 16 };
	struct str note = { 0 };
	size_t i = 0;

	while (i < ARRAY_LEN(notes) && strlen(notes[i]) + OPTION_LEAST > columns)
		i++;
	if (i < ARRAY_LEN(notes))
		note = str_from(notes[i]);
	(void)add_option(d, d->at, columns - note.n, 1, color, out);
	if (!note.n)
		return;
	out->n--;
	buf_addf(out, "%s%.*s%s\n", sgr(color, "\033[33m"), STR_ARG(note), sgr(color, "\033[0m"));
}

void dialog_render(const struct dialog *d, size_t columns, size_t rows, bool color, struct buf *out)
{
	/* The options that are shown where there are more rows than fit: the chosen one always. */
	size_t room = rows > 2 ? rows - 1 : 1, first = d->at, last = d->at, left;

	while (first > 0 && option_rows(d, first - 1, last, columns) <= room)
		first--;
	while (last + 1 < d->n && option_rows(d, first, last + 1, columns) <= room)
		last++;
	if (rows <= 1 && (d->title.n || d->body.n)) {
		add_only_row(d, columns, color, out);
		return;
	}
	left = rows - min_size(min_size(rows, room), option_rows(d, first, last, columns));
	add_asked(d, columns, left, color, out);
	for (size_t i = first; i <= last; i++)
		(void)add_option(d, i, columns, room, color, out);
}
