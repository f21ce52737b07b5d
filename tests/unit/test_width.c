/* Widths by grapheme clusters, places where lines may end, and what may reach a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ui/clean.h"
#include "ui/width.h"

static void widths(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} rows[] = {
		{ "", 0 },
		{ "abc", 3 },
		{ "日本語", 6 },
		{ "ｶﾅ", 2 },
		{ "ｶﾞ", 2 },
		{ "Ａ", 2 },
		{ "が", 2 }, /* decomposed */
		{ "é", 1 },
		{ "e\u0301\u0302", 1 },
		{ "각", 2 },
		{ "\u1100\u1161\u11a8", 2 },
		{ "😀", 2 },
		{ "\U0001fae8", 2 },
		{ "👍🏽", 2 },
		{ "👨\u200d👩\u200d👧", 2 },
		{ "🇯🇵", 2 },
		{ "❤\ufe0f", 2 },
		{ "1\ufe0f\u20e3", 2 },
		{ "│", 1 },
		{ "\033[1mab\033[0m", 2 },
		{ "\033]8;;http://x\033\\ab\033]8;;\033\\", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(text_width(str_from(rows[i].text)), rows[i].width);
}

static void assert_fit(const char *text, size_t columns, const char *fit)
{
	struct str s = text_fit(str_from(text), columns);

	assert_int_equal(s.n, strlen(fit));
	assert_memory_equal(s.p, fit, s.n);
}

static void fitting(void **state)
{
	(void)state;
	assert_fit("abc", 2, "ab");
	assert_fit("abc", 9, "abc");
	assert_fit("日本", 3, "日");
	assert_fit("日本", 1, "");
	assert_fit("a👨\u200d👩\u200d👧b", 2, "a");
	assert_fit("a👨\u200d👩\u200d👧b", 3, "a👨\u200d👩\u200d👧");
	assert_fit("e\u0301x", 1, "e\u0301");
	assert_int_equal(text_cluster(STR("が日")).n, strlen("が"));
	assert_int_equal(text_cluster(STR("")).n, 0);
}

static void breaks(void **state)
{
	static const struct {
		uint32_t a, b;
		bool may;
	} rows[] = {
		{ 0x65e5, 0x672c, true },   { 0x65e5, 'a', true },     { 'a', 0x65e5, true },
		{ 'a', 'b', false },        { 0x65e5, 0x3002, false }, { 0x65e5, 0x300d, false },
		{ 0x300c, 0x65e5, false },  { 0x3042, 0x3063, false }, { 0x30ab, 0x30fc, false },
		{ '(', 0x65e5, false },     { 0x65e5, ')', false },    { 0x3002, 0x65e5, true },
		{ 0x1f600, 0x1f600, true }, { 0xff76, 0xff85, true },  { 0x65e5, 0xff1f, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(text_may_break(rows[i].a, rows[i].b), rows[i].may);
}

/* A cluster without an end is cut, so that nothing is quadratic or without width. */
static void endless_clusters(void **state)
{
	AUTO(buf_done) struct buf b = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_addz(&b, "👨\u200d");
	assert_true(text_width(buf_str(&b)) > 60);
}

static void assert_clean(struct str s, const char *whole, const char *line)
{
	AUTO(buf_done) struct buf a = { 0 }, b = { 0 };

	clean_add(&a, s);
	clean_add_line(&b, s);
	assert_string_equal(buf_z(&a), whole);
	assert_string_equal(buf_z(&b), line);
}

static void cleaning(void **state)
{
	static const struct {
		const char *dirty, *clean;
	} rows[] = {
		{ "plain ASCII, 日本語 and 😀", "plain ASCII, 日本語 and 😀" },
		{ "\033[31mred\033[0m", "red" },
		{ "\033]0;title\a\033]8;;http://x\033\\link", "link" },
		{ "\033]0;open", "␛]0;open" },
		{ "\033[31", "␛[31" },
		{ "\033c\b\x7f\x01", "␛c␈␡␁" },
		{ "\xc2\x9b"
		  "31m",
		  "\ufffd"
		  "31m" },
		{ "\x9b"
		  "31m",
		  "\ufffd"
		  "31m" },
		{ "a\u202eb\u2066c", "a\ufffdb\ufffdc" },
		{ "a\u200bb\u2060c\ufeffd\u00ade", "abcde" },
		{ "\U000e0041\U000e0042x", "x" },
		{ "\xed\xa0\x80", "\ufffd\ufffd\ufffd" },
		{ "\ufdd0", "\ufffd" },
		{ "👨\u200d👩", "👨\u200d👩" },
		{ "a\u200db", "ab" },
		{ "❤\ufe0f1\ufe0f\u20e3x\ufe0f", "❤\ufe0f1\ufe0f\u20e3x" },
		{ "葛\U000e0100\U000e0101", "葛\U000e0100" },
		{ "a\tb\t日\tc", "a       b       日      c" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_clean(str_from(rows[i].dirty), rows[i].clean, rows[i].clean);
	assert_clean(STR("a\nb\r\nc\rd\u2028e"), "a\nb\nc\nd\ne", "a b c d e");
	assert_clean(STR("a\0b"), "a␀b", "a␀b");
	assert_clean(STR("ab\n\tc"), "ab\n        c", "ab      c");
}

static void too_many_accents(void **state)
{
	AUTO(buf_done) struct buf dirty = { 0 }, clean = { 0 };

	(void)state;
	buf_addc(&dirty, 'e');
	for (int i = 0; i < 1000; i++)
		buf_addz(&dirty, "\u0301");
	clean_add(&clean, buf_str(&dirty));
	assert_int_equal(clean.n, 1 + 16 * 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths),   cmocka_unit_test(fitting),
		cmocka_unit_test(breaks),   cmocka_unit_test(endless_clusters),
		cmocka_unit_test(cleaning), cmocka_unit_test(too_many_accents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
