/* Letters of either case (base/str.h), of ASCII only; words of a text (base/words.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/words.h"

static void test_icase(void **state)
{
	static const struct {
		struct str s, word;
		bool same, starts, ends;
		int at; /* where the word is first found */
	} cases[] = {
		{ STR(""), STR(""), true, true, true, 0 },
		{ STR("a"), STR(""), false, true, true, 0 },
		{ STR(""), STR("a"), false, false, false, -1 },
		{ STR("Bearer"), STR("bEARER"), true, true, true, 0 },
		{ STR("HTTPS://x"), STR("https:"), false, true, false, 0 },
		{ STR("a.LocalHost"), STR(".localhost"), false, false, true, 1 },
		{ STR("no Deny here"), STR("deny"), false, false, false, 3 },
		{ STR("dena deny"), STR("DENY"), false, false, true, 5 },
		{ STR("ab"), STR("abc"), false, false, false, -1 },
		/* "[" is 32 below "{", and no letter; "\xc4" and "\xe4" are letters of Latin-1. */
		{ STR("["), STR("{"), false, false, false, -1 },
		{ STR("@"), STR("`"), false, false, false, -1 },
		{ STR("\xc4"), STR("\xe4"), false, false, false, -1 },
		{ STR("a\0b"), STR("A\0c"), false, false, false, -1 },
		{ STR("a\0b"), STR("A\0B"), true, true, true, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str s = cases[i].s, word = cases[i].word;

		assert_int_equal(str_eq_icase(s, word), cases[i].same);
		assert_int_equal(str_starts_icase(s, word), cases[i].starts);
		assert_int_equal(str_ends_icase(s, word), cases[i].ends);
		assert_int_equal(str_find_icase(s, word, 0), cases[i].at);
	}
	assert_int_equal(str_find_icase(STR("aXax"), STR("x"), 2), 3);
	assert_int_equal(str_find_icase(STR("a"), STR(""), 1), 1);
	assert_int_equal(str_find_icase(STR("a"), STR(""), 2), -1);
	assert_true(str_eqz_icase(STR("NONE"), "none"));
	assert_false(str_eqz_icase(STR("none\0"), "none"));
}

/* One whole word of a text, and nothing across two of them or across a NUL. */
static void test_word_in_text(void **state)
{
	static const char text[] = "ab abc d";

	(void)state;
	assert_true(word_in_text(STR("ab"), text));
	assert_true(word_in_text(STR("abc"), text));
	assert_true(word_in_text(STR("d"), text));
	assert_false(word_in_text(STR("a"), text));
	assert_false(word_in_text(STR("bc"), text));
	assert_false(word_in_text(STR("abcd"), text));
	assert_false(word_in_text(STR("ab abc"), text));
	assert_false(word_in_text(STR("ab "), text));
	assert_false(word_in_text(STR(""), text));
	assert_false(word_in_text(STR("d\0"), text));
	assert_false(word_in_text(STR("d\0x"), text));
	assert_false(word_in_text(STR("d"), ""));
}

static void test_is_date(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ "2026-01-31", true },  { "2026-12-01", true },   { "2024-02-29", true },
		{ "2000-02-29", true },  { "2025-02-29", false },  { "1900-02-29", false },
		{ "2026-04-31", false }, { "2026-13-01", false },  { "2026-00-10", false },
		{ "2026-05-00", false }, { "2026-5-01", false },   { "2026-05-011", false },
		{ "2026/05/01", false }, { "2026-05-0a", false },  { "-026-05-01", false },
		{ "", false },           { "2026-05-01T", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(str_is_date(str_from(rows[i].text)), rows[i].is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_icase),
		cmocka_unit_test(test_word_in_text),
		cmocka_unit_test(test_is_date),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
