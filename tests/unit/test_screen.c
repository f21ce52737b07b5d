/*
 * The pure parts of the screen: bytes to keys, a text to rows, rows to what is written, the last
 * gate before the terminal.  The terminal itself is in tests/ui/.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ui/screen_impl.h"
#include "ui/width.h"

/* ---- keys ---- */

static void add_keys(struct keys *k, struct str bytes, int64_t now_us, struct buf *out)
{
	struct key key;
	char name[KEYS_NAME_SIZE];

	keys_add(k, bytes, now_us);
	while (keys_next(k, now_us, &key)) {
		key_name(&key, name);
		if (key.kind == KEY_PASTE)
			buf_addf(out, "paste(%.*s) ", STR_ARG(key.bytes));
		else
			buf_addf(out, "%s ", name[0] ? name : "?");
	}
}

static const struct {
	const char *bytes, *keys;
} key_cases[] = {
	{ "ab\r", "a b enter " },
	{ "é日😀", "é 日 😀 " },
	{ "\033[A\033OB\033[1;5C\033[3~", "up down ? delete " },
	{ "\033[Z\t\177\b\n\003\031", "shift-tab tab backspace backspace ctrl-j ctrl-c ctrl-y " },
	{ "\033\r\033[13;2u\033[27;2;13~", "alt-enter alt-enter alt-enter " },
	{ "\033[27;5;99~\033[97;1u\033[97;3u", "ctrl-c a ? " },
	{ "\033x\033日z", "? ? z " },
	{ "\033[?1;2c\033[12;40R\033]11;rgb:0/0/0\033\\\033]0;x\a\033P1$r0m\033\\q", "q " },
	{ "\033[200~x\r\ny\rz\tw\033[0m\001\033[201~!", "paste(x\ny\nz\tw[0m) ! " },
	{ "\033[200~\377\033[201~\033[200~\033[201~", "paste(\357\277\275) paste() " },
	{ "\377\303(\302\233a", "\357\277\275 \357\277\275 ( a " },
	{ "\033[[A\033[M~", "? ? ~ " },
	{ "\033\003", "escape ctrl-c " },
};

static void test_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(key_cases); i++) {
		struct str bytes = str_from(key_cases[i].bytes);

		for (size_t cut = 0; cut <= bytes.n; cut++) { /* pieces end anywhere */
			AUTO(buf_done) struct buf out = { 0 };
			struct keys k = { 0 };

			add_keys(&k, str_sub(bytes, 0, cut), 0, &out);
			add_keys(&k, str_sub(bytes, cut, bytes.n), 1000, &out);
			assert_string_equal(buf_z(&out), key_cases[i].keys);
			keys_done(&k);
		}
	}
}

static void test_lone_escape(void **state)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct keys k = { 0 };

	(void)state;
	assert_int_equal(keys_timeout_ms(&k, 0), -1);
	add_keys(&k, STR("\033"), 0, &out);
	assert_string_equal(buf_z(&out), "");
	assert_in_range(keys_timeout_ms(&k, 0), 25, 50);
	assert_int_equal(keys_timeout_ms(&k, 1000000), 0);
	add_keys(&k, STR(""), 0, &out); /* nothing new, and no time has passed */
	assert_string_equal(buf_z(&out), "");
	struct key key;

	assert_true(keys_next(&k, 41000, &key));
	assert_int_equal(key.kind, KEY_ESC);
	assert_int_equal(keys_timeout_ms(&k, 41000), -1);
	add_keys(&k, STR("\033\033[A"), 50000, &out);
	assert_string_equal(buf_z(&out), "escape up ");
	add_keys(&k, STR("\033[1;"), 60000, &out); /* broken off */
	assert_false(keys_next(&k, 600000, &key));
	assert_int_equal(keys_timeout_ms(&k, 600000), -1);
	keys_done(&k);
}

static void test_paste_without_end(void **state)
{
	struct keys k = { 0 };
	struct key key;

	(void)state;
	keys_add(&k, STR("\033[200~lost"), 0);
	assert_false(keys_next(&k, 0, &key));
	assert_in_range(keys_timeout_ms(&k, 0), 1000, 10000);
	assert_true(keys_next(&k, 3000000, &key));
	assert_int_equal(key.kind, KEY_PASTE);
	assert_memory_equal(key.bytes.p, "lost", 4);
	keys_done(&k);
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

/* Whatever comes, there is an end, and text never holds a control character by surprise. */
static void test_random_keys(void **state)
{
	static const char alphabet[] = "\033\033[[200~1~;?Oa\r\377\303\251\346\227\245]\\P\a";
	struct keys k = { 0 };
	struct key key;

	(void)state;
	for (int64_t i = 0; i < 200000; i++) {
		char c = alphabet[random_below(sizeof alphabet - 1)];

		keys_add(&k, (struct str){ &c, 1 }, i * 1000);
		if (i % 1000 == 0)
			i += 4000;
		while (keys_next(&k, i * 1000, &key))
			assert_true(key.kind == KEY_PASTE || key.bytes.n > 0);
	}
	keys_done(&k);
}

/* ---- layout ---- */

static void assert_rows(const char *text, size_t cursor, size_t columns, const char *want,
			size_t row, size_t column)
{
	AUTO(layout_done) struct layout l = { 0 };
	AUTO(buf_done) struct buf out = { 0 };

	layout_make(&l, str_from(text), cursor, columns);
	for (size_t i = 0; i < l.n; i++) {
		size_t width = layout_show(str_from(text), l.p[i], 0, &out);

		assert_true(width <= max_size(columns, 2));
		buf_addc(&out, '|');
	}
	assert_string_equal(buf_z(&out), want);
	assert_int_equal(l.row, row);
	assert_int_equal(l.column, column);
}

static void test_layout(void **state)
{
	(void)state;
	assert_rows("", 0, 10, "|", 0, 0);
	assert_rows("abc", 3, 10, "abc|", 0, 3);
	assert_rows("abcdef", 6, 3, "abc|def|", 1, 3);
	assert_rows("abcdef", 3, 3, "abc|def|", 1, 0);
	assert_rows("a\n\nb\n", 5, 10, "a||b||", 3, 0);
	assert_rows("a\n\nb\n", 1, 10, "a||b||", 0, 1);
	assert_rows("日本語", 9, 5, "日本|語|", 1, 2);
	assert_rows("日本語", 9, 1, "日|本|語|", 2, 2);
	assert_rows("a\tb", 3, 20, "a       b|", 0, 9);
	assert_rows("a\033[2Jb\001", 7, 20, "a^[[2Jb^A|", 0, 9);
	assert_rows("a\377b\302\233", 5, 20, "a?b?|", 0, 4);
	assert_rows("e\314\201x", 4, 20, "e\314\201x|", 0, 2);
	assert_rows("👨‍👩‍👧x", 19, 20, "👨‍👩‍👧\033[3Gx|", 0, 3);
}

static void test_layout_offset(void **state)
{
	struct str text = STR("日本語abc");
	struct layout_row row = { 0, text.n };

	(void)state;
	assert_int_equal(layout_offset(text, row, 0), 0);
	assert_int_equal(layout_offset(text, row, 1), 0);
	assert_int_equal(layout_offset(text, row, 2), 3);
	assert_int_equal(layout_offset(text, row, 7), 10);
	assert_int_equal(layout_offset(text, row, 99), text.n);
}

/* ---- frames: a small terminal plays what is written ---- */

enum { COLUMNS = 12, ROWS = 10, SCROLLBACK = 4000 };

struct grid {
	char cell[SCROLLBACK + ROWS][COLUMNS + 1];
	size_t top; /* rows that have scrolled off */
	size_t row, column; /* from top */
	bool hidden;
};

static void grid_clear(struct grid *g, size_t row, size_t from)
{
	memset(g->cell[g->top + row] + from, ' ', COLUMNS - from);
}

static void grid_sequence(struct grid *g, long n, char final)
{
	size_t count = n > 0 ? (size_t)n : 1;

	switch (final) {
	case 'A':
		g->row -= min_size(g->row, count);
		break;
	case 'B':
		g->row = min_size(g->row + count, ROWS - 1);
		break;
	case 'C':
		g->column = min_size(g->column + count, COLUMNS - 1);
		break;
	case 'J':
		for (size_t r = g->row + 1; r < ROWS; r++)
			grid_clear(g, r, 0);
		/* fall through */
	case 'K':
		assert_true(g->column < COLUMNS); /* would erase the last character */
		grid_clear(g, g->row, g->column);
		break;
	default:
		assert_true(final == 'h' || final == 'l');
	}
}

static void grid_write(struct grid *g, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\033') {
			bool private = s.p[i + 2] == '?';
			char *end;
			long n = strtol(s.p + i + 2 + private, &end, 10);

			if (private && n == 25)
				g->hidden = *end == 'l';
			grid_sequence(g, n, *end);
			i = (size_t)(end - s.p);
		} else if (s.p[i] == '\r') {
			g->column = 0;
		} else if (s.p[i] == '\n') {
			if (g->row + 1 < ROWS) {
				g->row++;
				continue;
			}
			g->top++;
			grid_clear(g, ROWS - 1, 0);
		} else {
			assert_true(g->column < COLUMNS);
			g->cell[g->top + g->row][g->column++] = s.p[i];
		}
	}
}

static void random_frame(struct frame *f)
{
	size_t n = random_below(ROWS - 3);

	frame_clear(f);
	for (size_t i = 0; i < n; i++) {
		size_t width = random_below(3) ? random_below(COLUMNS + 1) : COLUMNS;

		for (size_t k = 0; k < width; k++)
			buf_addc(&f->text, (char)('a' + random_below(3)));
		frame_end_row(f, width);
	}
	f->row = n ? random_below((uint32_t)n) : 0;
	f->column = n ? random_below(COLUMNS) : 0;
	f->hidden = random_below(4) == 0;
}

/* Some rows stay, so that only parts are drawn. */
static void similar_frame(const struct frame *old, struct frame *f)
{
	random_frame(f);
	if (random_below(3) == 0 || old->n == 0)
		return;
	f->hidden = old->hidden;
	frame_clear(f);
	for (size_t i = 0; i < old->n; i++) {
		struct frame_row row = old->p[i];

		buf_add(&f->text, old->text.p + row.from, row.n);
		if (random_below(3) == 0 && row.width < COLUMNS)
			buf_addc(&f->text, '#');
		frame_end_row(f, f->text.n - (f->n ? f->p[f->n - 1].from + f->p[f->n - 1].n : 0));
	}
	f->row = random_below((uint32_t)f->n);
	f->column = random_below(COLUMNS);
}

static void assert_row(const struct grid *g, size_t row, const char *want, size_t n)
{
	char expected[COLUMNS + 1] = "            ";

	memcpy(expected, want, n);
	assert_memory_equal(g->cell[row], expected, COLUMNS);
}

/* What was printed stays above, once, and the frame is below it. */
static void assert_grid(const struct grid *g, size_t printed, const struct frame *f)
{
	char line[COLUMNS + 1];

	for (size_t i = printed > 20 ? printed - 20 : 0; i < printed; i++)
		assert_row(g, i, line, (size_t)snprintf(line, sizeof line, "line %zu", i));
	for (size_t i = 0; i < f->n; i++)
		assert_row(g, printed + i, f->text.p + f->p[i].from, f->p[i].n);
	for (size_t row = printed + f->n; row < g->top + ROWS; row++)
		assert_row(g, row, "", 0);
	assert_int_equal(g->top + g->row, printed + f->row);
	assert_int_equal(g->column, f->column);
	assert_int_equal(g->hidden, f->hidden);
}

static void test_frames(void **state)
{
	struct grid *g = xcalloc(1, sizeof *g);
	struct frame old = { 0 }, new = { 0 };
	size_t printed = 0;

	(void)state;
	memset(g->cell, ' ', sizeof g->cell);
	for (int i = 0; i < 6000 && printed < SCROLLBACK - 20; i++) {
		AUTO(buf_done) struct buf above = { 0 }, out = { 0 };

		similar_frame(&old, &new);
		for (size_t n = random_below(3) ? 0 : random_below(5); n > 0; n--)
			buf_addf(&above, "line %zu\n", printed++);
		frame_draw(&old, &new, buf_str(&above), COLUMNS, &out);
		(void)buf_z(&out); /* strtol() reads up to there */
		grid_write(g, buf_str(&out));
		assert_grid(g, printed, &new);
		buf_clear(&out);
		frame_draw(&new, &new, STR(""), COLUMNS, &out);
		assert_int_equal(out.n, 0); /* nothing changes, nothing is written */
		struct frame swap = old;

		old = new;
		new = swap;
	}
	frame_done(&old);
	frame_done(&new);
	free(g);
}

static void test_only_the_changed_row_is_written(void **state)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct frame old = { 0 }, new = { 0 };

	(void)state;
	buf_addz(&old.text, "status 1");
	frame_end_row(&old, 8);
	buf_addz(&new.text, "status 2");
	frame_end_row(&new, 8);
	for (struct frame *f = &old; f; f = f == &old ? &new : NULL) {
		buf_addz(&f->text, "> input");
		frame_end_row(f, 7);
		f->row = 1;
		f->column = 7;
	}
	frame_draw(&old, &new, STR(""), 80, &out);
	assert_string_equal(buf_z(&out), "\033[?2026h\033[?25l\033[A\rstatus 2\033[K\033[B\r\033[7C"
					 "\033[?25h\033[?2026l");
	frame_done(&old);
	frame_done(&new);
}

static void test_rows_after_a_resize(void **state)
{
	struct frame f = { 0 };

	(void)state;
	buf_addf(&f.text, "\033[1m%040d\033[0m", 0);
	frame_end_row(&f, 40);
	buf_addf(&f.text, "%010d", 0);
	frame_end_row(&f, 10);
	buf_addf(&f.text, "%035d", 0);
	frame_end_row(&f, 35);
	f.row = 2;
	f.column = 25;
	assert_int_equal(frame_rows_above(&f, 80, true), 2);
	assert_int_equal(frame_rows_above(&f, 40, true), 2);
	assert_int_equal(frame_rows_above(&f, 20, true), 2 + 1 + 1);
	assert_int_equal(frame_rows_above(&f, 7, true), 6 + 2 + 3);
	assert_int_equal(frame_rows_above(&f, 7, false), 2);
	f.column = 35; /* behind the last character */
	assert_int_equal(frame_rows_above(&f, 35, true), 2 + 1);
	assert_int_equal(frame_rows_above(&f, 7, true), 6 + 2 + 4);
	frame_clear(&f);
	buf_addz(&f.text, "日本語日本語日本語👨‍👩‍👧\033[21Gx");
	frame_end_row(&f, 21);
	frame_end_row(&f, 0);
	f.row = 1;
	assert_int_equal(frame_rows_above(&f, 21, true), 1);
	assert_int_equal(frame_rows_above(&f, 5, true), 5); /* two a row, x behind the last two */
	frame_done(&f);
}

/* ---- the gate ---- */

static void test_gate(void **state)
{
	static const struct {
		const char *in, *out, *plain;
	} cases[] = {
		{ "plain 日本語\nmore\n", "plain 日本語\nmore\n", "plain 日本語\nmore\n" },
		{ "\033[1;31mred\033[0m", "\033[1;31mred\033[0m", "red" },
		{ "\033]8;;http://x\033\\y\033]8;;\033\\", "\033]8;;http://x\033\\y\033]8;;\033\\",
		  "y" },
#ifdef __OPTIMIZE__ /* a debug build ends here */
		{ "a\033[2Jb", "a?[2Jb", "a[2Jb" },
		{ "a\033]0;t\ab", "a?]0;t?b", "a]0;t?b" },
		{ "a\033]0;t\033\\b", "a?b", "ab" },
		{ "\033]8;;x\001y\033\\z", "?z", "z" },
		{ "a\rb\bc\177", "a?b?c?", "a?b?c?" },
		{ "\302\233x\377\357\277\275", "?x?\357\277\275", "?x?\357\277\275" },
		{ "\033", "?", "" },
#endif
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf out = { 0 }, plain = { 0 };

		screen_gate(str_from(cases[i].in), false, &out);
		assert_string_equal(buf_z(&out), cases[i].out);
		screen_gate(str_from(cases[i].in), true, &plain);
		assert_string_equal(buf_z(&plain), cases[i].plain);
	}
}

/* ---- completions ---- */

static void test_completion_words(void **state)
{
	struct complete c = { 0 };

	(void)state;
	assert_int_equal(complete_word(STR("/he"), 3), 0);
	assert_int_equal(complete_word(STR("a @b"), 4), 2);
	assert_int_equal(complete_word(STR("a @b\\ c"), 7), 2);
	assert_int_equal(complete_word(STR("a\n@b"), 4), 2);
	assert_true(complete_offers_itself(STR("/"), 1));
	assert_true(complete_offers_itself(STR("x @"), 3));
	assert_false(complete_offers_itself(STR("x @ "), 4));
	assert_false(complete_offers_itself(STR("x@y"), 3));
	assert_false(complete_offers_itself(STR(""), 0));
	buf_addz(&c.text, "/help\tHelp\n/hooks\tHooks\n/quit");
	complete_open(&c, 0);
	assert_int_equal(c.n, 3);
	assert_true(complete_has(&c, STR("/quit")));
	assert_false(complete_has(&c, STR("/q")));
	complete_move(&c, -1);
	struct str word = complete_replacement(&c, c.at);

	assert_true(str_eqz(word, "/quit"));
	complete_move(&c, 1);
	assert_int_equal(c.at, 0);
	buf_done(&c.text);
}

static void test_completion_list_fits(void **state)
{
	struct complete c = { 0 };
	struct frame f = { 0 };

	(void)state;
	for (int i = 0; i < 30; i++)
		buf_addf(&c.text, "/日本語%d\thelp for it\033[2J\n", i);
	complete_open(&c, 0);
	c.at = 20;
	for (size_t columns = 1; columns < 60; columns++) {
		frame_clear(&f);
		complete_draw(&c, columns, 5, true, &f);
		assert_int_equal(f.n, 5);
		assert_null(strstr(buf_z(&f.text), "\033[2J"));
		for (size_t i = 0; i < f.n; i++) {
			struct str row =
				str_sub(buf_str(&f.text), f.p[i].from, f.p[i].from + f.p[i].n);

			assert_int_equal(text_width(row), f.p[i].width);
			assert_true(f.p[i].width <= max_size(columns, 2));
		}
	}
	frame_done(&f);
	buf_done(&c.text);
}

/* ---- the line ---- */

/* There in programs with LeakSanitizer: readline itself loses a few lists in the test below. */
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);

/*
 * Searches, history, undo, half a key and what throws a line away, in any order: readline's lists
 * must not be freed twice.
 */
static void test_any_keys(void **state)
{
	static const char *const keys[] = {
		"\033",  "\033[A", "\033[B", "\033[C", "\r",    "\n",       "日",       "\033n",
		"\033N", "\022",   "\023",   "\033b",  "\0305", "\030\025", "\033-",    "\0331",
		"\026",  "\035",   "\007",   "\030",   "\030(", "\030)",    "\030e",    "\003",
		"\033.", "\017",   "\037",   "\031",   "\033y", "word ",    "\033\177", "\033<",
		"\033>", "\033r",  "\033?",  "\033*",  "\t",    "\016",     "\020",     "\024",
	};
	struct err err;

	(void)state;
	if (__lsan_disable)
		__lsan_disable();
	assert_int_equal(line_start(&(struct line_options){ .history_max = 100 }, &err), 0);
	for (int i = 0; i < 6000; i++) {
		char one[2] = { (char)(random_below(126) + 1), '\0' };
		uint32_t what = random_below(100);

		if (what < 6 || line_text().n > 2000)
			line_reset();
		else if (what < 10)
			(void)line_leave();
		else if (what < 12)
			line_insert(STR("pasted\ntext"));
		else
			line_feed(str_from(what < 50 ? one : keys[random_below(ARRAY_LEN(keys))]));
		free(line_take());
		assert_true(line_cursor() <= line_text().n);
	}
	line_reset();
	assert_int_equal(line_text().n, 0);
	line_stop();
	if (__lsan_enable)
		__lsan_enable();
}

int main(void)
{
	(void)setenv("INPUTRC", "/dev/null", 1);

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_lone_escape),
		cmocka_unit_test(test_paste_without_end),
		cmocka_unit_test(test_random_keys),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_layout_offset),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_only_the_changed_row_is_written),
		cmocka_unit_test(test_rows_after_a_resize),
		cmocka_unit_test(test_gate),
		cmocka_unit_test(test_completion_words),
		cmocka_unit_test(test_completion_list_fits),
		cmocka_unit_test(test_any_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
