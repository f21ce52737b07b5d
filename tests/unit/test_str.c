/* Letters of either case (base/str.h): of ASCII only, and with a NUL as good as any other byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_icase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
