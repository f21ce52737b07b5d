/* Dialogs, the status line and the diff of a dialog: keys in, lines out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "ui/dialog.h"
#include "ui/diff_view.h"
#include "ui/status.h"
#include "ui/width.h"

static const char *const options[] = { "Allow once", "Allow for this session",
				       "Modify with external editor", "No, suggest changes (esc)",
				       NULL };

/* Keys parted by blanks; the result. */
static int answer(bool has_text, const char *keys, char *ret_text, size_t size)
{
	struct dialog d = { .has_text = has_text };
	struct str rest = str_from(keys), key;
	int result;

	dialog_open(&d, options);
	while (rest.n > 0 && str_split(&rest, ' ', &key)) {
		AUTO(free) char *z = xstrndup(key.p, key.n);

		dialog_key(&d, z);
	}
	result = d.result;
	if (ret_text)
		snprintf(ret_text, size, "%.*s", STR_ARG(buf_str(&d.text)));
	dialog_done(&d);
	return result;
}

static void test_choosing(void **state)
{
	static const struct {
		const char *keys;
		int result;
	} cases[] = {
		{ "", DIALOG_OPEN },
		{ "enter", 0 },
		{ "y enter", 0 },
		{ "4 enter", 3 },
		{ "2", 1 },
		{ "5", DIALOG_OPEN },
		{ "0", DIALOG_OPEN },
		{ "down enter", 1 },
		{ "j j enter", 2 },
		{ "j k enter", 0 },
		{ "up enter", 3 },
		{ "down down down down enter", 0 },
		{ "tab enter", 1 },
		{ "escape", DIALOG_ESCAPE },
		{ "ctrl-c", DIALOG_ESCAPE },
		{ "down escape 1", DIALOG_ESCAPE },
		{ "paste:1 paste:enter", DIALOG_OPEN },
		{ "x left alt-enter 日", DIALOG_OPEN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(answer(false, cases[i].keys, NULL, 0), cases[i].result);
}

static void test_typed_text(void **state)
{
	char text[64];

	(void)state;
	assert_int_equal(answer(true, "4 enter", text, sizeof text), DIALOG_OPEN);
	assert_int_equal(answer(true, "4 n o 1 enter", text, sizeof text), 3);
	assert_string_equal(text, "no1");
	assert_int_equal(answer(true, "4 日 本 backspace j paste:x\ny enter", text, sizeof text),
			 3);
	assert_string_equal(text, "日jx y");
	assert_int_equal(answer(true, "4 a ctrl-u b enter", text, sizeof text), 3);
	assert_string_equal(text, "b");
	assert_int_equal(answer(true, "4 a up enter", text, sizeof text), 2);
	assert_int_equal(answer(true, "4 a escape", text, sizeof text), DIALOG_ESCAPE);
}

static char *render(const struct dialog *d, size_t columns, size_t rows, bool color)
{
	struct buf out = { 0 };

	dialog_render(d, columns, rows, color, &out);
	return buf_take(&out);
}

static void test_looks(void **state)
{
	struct dialog d = { .title = STR("Apply this change?"),
			    .body = STR("1\n2\n3\n4\n5\n6\n7") };

	(void)state;
	dialog_open(&d, options);
	dialog_key(&d, "down");
	AUTO(free) char *all = render(&d, 80, 40, false);
	assert_string_equal(all, "1\n2\n3\n4\n5\n6\n7\nApply this change?\n  1. Allow once\n"
				 "> 2. Allow for this session\n  3. Modify with external editor\n"
				 "  4. No, suggest changes (esc)\n");
	AUTO(free) char *some = render(&d, 80, 9, false);
	assert_string_equal(some,
			    "1\n2\n... 4 lines hidden ...\n7\nApply this change?\n"
			    "  1. Allow once\n> 2. Allow for this session\n"
			    "  3. Modify with external editor\n  4. No, suggest changes (esc)\n");
	AUTO(free) char *color = render(&d, 14, 3, true);
	assert_string_equal(color, "\033[2m... 9 lines hi\033[0m\n"
				   "\033[36m> 2. Allow for\033[0m\n"
				   "\033[36m     ...\033[0m\n");
	AUTO(free) char *row = render(&d, 80, 1, false);
	assert_string_equal(row, "> 2. Allow for this session "
				 "[the window is too small for the question]\n");
	AUTO(free) char *narrow = render(&d, 30, 1, false);
	assert_string_equal(narrow, "> 2. Allow for  [too small]\n");
	dialog_done(&d);
}

/* No more rows and columns than there are, whatever they are. */
static void test_fits_everywhere(void **state)
{
	struct dialog d = { .title = STR("日本語 title"),
			    .body = STR("\033[31m日本語\033[0m\nb\nc") };

	(void)state;
	d.has_text = true;
	dialog_open(&d, options);
	dialog_key(&d, "4");
	dialog_key(&d, "paste:日本語日本語日本語");
	for (size_t rows = 1; rows < 12; rows++) {
		for (size_t columns = 1; columns < 60; columns++) {
			AUTO(free) char *text = render(&d, columns, rows, true);
			struct str rest = str_from(text), line;
			size_t n = 0;

			for (; rest.n > 0 && str_split(&rest, '\n', &line); n++)
				assert_true(text_width(line) <= columns);
			assert_true(n <= rows);
			assert_non_null(strstr(text, ">")); /* the chosen one is seen */
		}
	}
	dialog_done(&d);
}

/* Rows end at blanks; all of it is there. */
static void test_words_stay_whole(void **state)
{
	static const char *const long_options[] = {
		"Always allow shell commands that begin with \"npm run build\", and shell commands "
		"that begin with \"git push origin\"",
		"No, suggest changes (esc)", NULL
	};
	struct dialog d = { .title = STR("Allow execution of [npm, git, and other things]?"),
			    .body = STR("npm run build && git push origin a-rather-long-name") };

	(void)state;
	dialog_open(&d, long_options);
	AUTO(free) char *wide = render(&d, 400, 40, false);
	for (size_t columns = 30; columns <= 120; columns++) {
		AUTO(free) char *text = render(&d, columns, 40, false);
		struct str a = str_from(wide), b = str_from(text), x, y;

		for (char *p = wide; *p; p++)
			*p = *p == '\n' ? ' ' : *p;
		for (char *p = text; *p; p++)
			*p = *p == '\n' ? ' ' : *p;
		while (a.n && str_split(&a, ' ', &x)) {
			if (!x.n)
				continue;
			do
				assert_true(str_split(&b, ' ', &y));
			while (!y.n);
			assert_true(str_eq(x, y));
		}
	}
	dialog_done(&d);
}

/* Every letter in its order, from a buffer of rows; where it ends, or NULL. */
static const char *find_letters(const char *rows, const char *letters)
{
	for (; *letters; letters++) {
		if (*letters == ' ')
			continue;
		rows = strchr(rows, *letters);
		if (!rows)
			return NULL;
		rows++;
	}
	return rows;
}

/* However long the body, the title and an option are: what is left out is told. */
static void test_hides_nothing_in_silence(void **state)
{
	static const size_t lengths[] = { 0, 1, 30, 300, 3000 };
	const char *some[] = { NULL, "No", NULL };

	(void)state;
	for (unsigned i = 0; i < 125; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		char *text[3];
		struct dialog d = { 0 };

		for (unsigned k = 0, left = i; k < 3; k++, left /= 5) {
			size_t n = lengths[left % 5];

			text[k] = arena_alloc(&a, n + 1);
			for (size_t at = 0; at < n; at++)
				text[k][at] = at % 7 == 6 ? ' ' : "ABC"[k];
		}
		d.body = str_from(text[0]);
		d.title = str_from(text[1]);
		some[0] = text[2];
		dialog_open(&d, some);
		for (size_t rows = 2; rows < 60; rows += rows < 12 ? 1 : 7) {
			for (size_t columns = 16; columns < 90; columns += 11) {
				AUTO(free) char *shown = render(&d, columns, rows, false);
				const char *at = find_letters(shown, text[0]);

				at = at ? find_letters(at, text[1]) : NULL;
				if (!strstr(shown, " lines"))
					assert_non_null(at);
				if (rows > 2 && !strstr(shown, "     ..."))
					assert_non_null(find_letters(shown, text[2]));
			}
		}
		dialog_done(&d);
	}
}

static void assert_status(const struct status *s, int64_t now_us, size_t columns, const char *want)
{
	struct buf out = { 0 };

	status_render(s, now_us, columns, false, &out);
	assert_string_equal(buf_z(&out), want);
	buf_done(&out);
}

static void test_status(void **state)
{
	struct status s = { .what = "run_shell_command: npm test",
			    .since_us = 1000000,
			    .tokens = 1234,
			    .model = "gemini-2.5-pro",
			    .mode = "yolo" };

	(void)state;
	assert_status(&s, 13000000, 90,
		      "⠋ run_shell_command: npm test  (esc to cancel, 12s)    "
		      "1.2k tokens · gemini-2.5-pro · yolo");
	assert_status(&s, 66200000, 60,
		      "⠹ run_shell_command: npm test  (esc to cancel, 1m 05s)  yolo");
	s.what = NULL;
	assert_status(&s, 0, 40, "     1.2k tokens · gemini-2.5-pro · yolo");
	s.mode = "default";
	s.tokens = 0;
	assert_status(&s, 0, 20, "      gemini-2.5-pro");
	s.hooks = "Executing Hooks: a (1/2), b (2/2)";
	assert_status(&s, 1000000, 36, "⠋ Executing Hooks: a (1... (esc, 0s)");
	/* A countdown says why: the model's name gives way. */
	s.hooks = NULL;
	s.counts = true;
	s.what = "asked again in 12 s: the server answers 503 (overloaded)";
	assert_status(&s, 1000000, 70,
		      "⠋ asked again in 12 s: the server answers 503 (overloaded) (esc)");
	assert_status(&s, 1000000, 90,
		      "⠋ asked again in 12 s: the server answers 503 (overloaded) (esc)            "
		      "gemini-2.5-pro");
	assert_status(&s, 1000000, 50, "⠋ asked again in 12 s: the server answers... (esc)");
}

static void test_status_fits(void **state)
{
	struct status s = { .what = "ツール: 日本語の説明",
			    .tokens = 12345678,
			    .model = "モデル",
			    .mode = "yolo" };

	(void)state;
	for (size_t columns = 1; columns < 100; columns++) {
		struct buf out = { 0 };

		status_render(&s, 7300000000, columns, true, &out);
		assert_true(text_width(buf_str(&out)) <= columns);
		buf_done(&out);
	}
}

static const char unified[] =
	"--- a\n+++ b\n@@ -8,3 +8,4 @@\n same\n-old\n+new\033[2J\n+more\n last\n"
	"\\ No newline at end of file\n@@ -20 +21 @@\n-x\n+y\n";

static void assert_diff(size_t columns, size_t rows, bool color, const char *want)
{
	struct buf out = { 0 };

	(void)diff_view(str_from(unified), columns, rows, color, &out);
	assert_string_equal(buf_z(&out), want);
	buf_done(&out);
}

static void test_diff(void **state)
{
	(void)state;
	assert_diff(
		40, 40, false,
		" 8   same\n 9 - old\n 9 + new\\x1b[2J\n10 + more\n11   last\n...\n20 - x\n21 + y\n");
	assert_diff(8, 3, false, " 8   sam\n     e\n... 7 mo\n");
	assert_diff(40, 2, true, "\033[2m 8\033[0m   same\n\033[2m... 7 more lines\033[0m\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choosing),
		cmocka_unit_test(test_typed_text),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_fits_everywhere),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_status_fits),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_words_stay_whole),
		cmocka_unit_test(test_hides_nothing_in_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
