/*
 * Regular expressions (C5.1: matchers are JavaScript patterns; C5.4: matching is bounded).  What
 * JavaScript itself says about thousands of patterns: tests/differential/test_regex.mjs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "base/regex.h"

/* From JavaScript's RegExp.prototype.test. */
static const struct {
	const char *pattern;
	unsigned flags;
	const char *subject;
	enum regex_result result;
} matches[] = {
	/* C5.1: unanchored, case-sensitive */
	{ "write_file", 0, "my_write_file_2", REGEX_YES },
	{ "write_file", 0, "WRITE_FILE", REGEX_NO },
	{ "write_file", REGEX_ICASE, "xWRITE_fileX", REGEX_YES },
	{ "write_.*|replace", 0, "replace", REGEX_YES },
	{ "write_.*|replace", 0, "write_file", REGEX_YES },
	{ "write_.*|replace", 0, "read_file", REGEX_NO },
	{ "^mcp__.*__write.*$", 0, "mcp__fs__write_all", REGEX_YES },
	{ "^mcp__.*__write.*$", 0, "xmcp__fs__write_all", REGEX_NO },
	{ "^(?!read_).*", 0, "read_file", REGEX_NO },
	{ "(?!read_).*", 0, "read_file", REGEX_YES },
	{ "\\bgit\\b", 0, "run git push", REGEX_YES },
	{ "\\bgit\\b", 0, "digit", REGEX_NO },
	/* words, which never reach PCRE2 */
	{ "", 0, "", REGEX_YES },
	{ "", 0, "a", REGEX_YES },
	{ "^$", 0, "", REGEX_YES },
	{ "^$", 0, "a", REGEX_NO },
	{ "^(read_file|glob)$", 0, "glob", REGEX_YES },
	{ "^(read_file|glob)$", 0, "globs", REGEX_NO },
	{ "^(?:read_file|glob)$", 0, "read_file", REGEX_YES },
	{ "^glob|file$", 0, "globs", REGEX_YES },
	{ "^glob|file$", 0, "my_file", REGEX_YES },
	{ "^glob|file$", 0, "my_glob", REGEX_NO },
	{ "a|", 0, "b", REGEX_YES },
	{ "a\\.b", 0, "a.b", REGEX_YES },
	{ "a\\.b", 0, "axb", REGEX_NO },
	{ "^日本語$", 0, "日本語", REGEX_YES },
	{ "日本", REGEX_ICASE, "日本語", REGEX_YES },
	{ "^(Bash|Edit)$", REGEX_ICASE, "bASH", REGEX_YES },
	{ "mcp__.*", 0, "mcp__fs__read", REGEX_YES },
	{ "mcp__.*", 0, "xmcp__", REGEX_YES },
	{ "mcp__.*", 0, "mcp_", REGEX_NO },
	{ ".*_file|glob", 0, "write_file_2", REGEX_YES },
	{ ".*_file$", 0, "a\nwrite_file", REGEX_YES },
	{ ".*_file$", 0, "write_files", REGEX_NO },
	{ "^mcp__.*$", 0, "mcp__fs__read", REGEX_YES },
	{ "^(mcp__.*|Bash)$", 0, "Bash", REGEX_YES },
	{ "^(mcp__.*|Bash)$", 0, "Bash2", REGEX_NO },
	{ "^mcp__.*$", 0, "mcp__\n", REGEX_NO },
	{ "^mcp__.*$", 0, "mcp__a\xe2\x80\xa9", REGEX_NO },
	{ "^mcp__.*", 0, "mcp__\n", REGEX_YES },
	{ "mcp__.*$", 0, "mcp__\nmcp__a", REGEX_YES },
	{ "^.*mcp__", 0, "a\nmcp__", REGEX_NO },
	{ "^(.*mcp__)", 0, "a\nmcp__", REGEX_NO },
	{ ".*", 0, "", REGEX_YES },
	{ "^.*$", 0, "\n", REGEX_NO },
	{ "a.*b", 0, "a--b", REGEX_YES },
	{ "a.*.*", 0, "a", REGEX_YES },
	{ "a.*?", 0, "a", REGEX_YES },
	/* UTF-16 units */
	{ "^..$", 0, "😀", REGEX_YES },
	{ "^.$", 0, "😀", REGEX_NO },
	{ "^[😀]$", 0, "😀", REGEX_NO },
	{ "\\ud83d", 0, "😀", REGEX_YES },
	{ "\\ud83d\\ude00", 0, "😀", REGEX_YES },
	{ "\\ud83d", 0, "\xed\xa0\xbd", REGEX_YES },
	/* folding */
	{ "k", REGEX_ICASE, "\xe2\x84\xaa", REGEX_NO },
	{ "s", REGEX_ICASE, "ſ", REGEX_NO },
	{ "ß", REGEX_ICASE, "ẞ", REGEX_NO },
	{ "[α-ω]", REGEX_ICASE, "Σ", REGEX_YES },
	{ "[^σ]", REGEX_ICASE, "ς", REGEX_NO },
	{ "(σ)\\1", REGEX_ICASE, "Σς", REGEX_YES },
	{ "𐐀", REGEX_ICASE, "𐐨", REGEX_NO },
	/* sets that differ from PCRE2's */
	{ ".", 0, "\r", REGEX_NO },
	{ ".", 0, "\xe2\x80\xa8", REGEX_NO },
	{ "^\\s+$", 0, "\xc2\xa0\xef\xbb\xbf\xe3\x80\x80\v", REGEX_YES },
	{ "a$", 0, "a\n", REGEX_NO },
	{ "[]", 0, "a", REGEX_NO },
	{ "[^]", 0, "\n", REGEX_YES },
	{ "[[:alpha:]]", 0, ":]", REGEX_YES },
	/* Annex B */
	{ "a{,3}", 0, "a{,3}", REGEX_YES },
	{ "]", 0, "]", REGEX_YES },
	{ "\\101", 0, "A", REGEX_YES },
	{ "(a)\\2", 0, "a\x02", REGEX_YES },
	{ "\\c", 0, "\\c", REGEX_YES },
	{ "\\p{L}", 0, "p{L}", REGEX_YES },
	{ "\\k<a>", 0, "k<a>", REGEX_YES },
	{ "(?=a)*b", 0, "b", REGEX_YES },
	{ "^(a\\1)+$", 0, "aaa", REGEX_YES },
	{ "(?<q>['\"])x\\k<q>", 0, "'x\"", REGEX_NO },
	/* bytes that are no UTF-8 are U+FFFD */
	{ "^a\\ufffdb$", 0,
	  "a\xff"
	  "b",
	  REGEX_YES },
	{ "a.b", 0,
	  "a\xff"
	  "b",
	  REGEX_YES },
	{ "\xef\xbf\xbd", 0, "\xff", REGEX_YES },
	{ "^\xef\xbf\xbd{2}x", REGEX_ICASE, "\xc0\x80X", REGEX_YES },
};

/* Only -E_PARSE is "does not compile" for C5.1; the text must name the character. */
static const struct {
	const char *pattern;
	int result;
	const char *text;
} refusals[] = {
	{ "*foo", -E_PARSE, "character 1: nothing to repeat" },
	{ "(a", -E_PARSE, "character 1: \"(\" without \")\"" },
	{ "日本)", -E_PARSE, "character 3: \")\" without \"(\"" },
	{ "😀[a", -E_PARSE, "character 2: \"[\" without \"]\"" },
	{ "[z-a]", -E_PARSE, "character 2: range out of order" },
	{ "a{2,1}", -E_PARSE, "character 2: numbers in {} out of order" },
	{ "a\\", -E_PARSE, "character 2: trailing backslash" },
	{ "a++", -E_PARSE, "character 3: nothing to repeat" },
	{ "(?>a)", -E_PARSE, "character 1: unknown kind of group" },
	{ "(?i)a", -E_PARSE, "character 1: unknown kind of group" },
	{ "(*FAIL)", -E_PARSE, "character 2: nothing to repeat" },
	{ "(?<a>.)(?<a>.)", -E_PARSE, "duplicate group name" },
	{ "(?<a>.)\\k<b>", -E_PARSE, "character 8: \\k<name> names no group" },
	{ "(?<1>.)", -E_PARSE, "invalid group name" },
	{ "(?<=a)*", -E_PARSE, "character 7: nothing to repeat" },
	{ "(?<=a+)b", -E_LIMIT, "variable-length lookbehind" },
	{ "(?:(a)|b)*\\1", -E_LIMIT,
	  "character 11: a reference to a group that repetition resets" },
	{ "a{70000}", -E_LIMIT, "character 2: a number in {} is over 65535" },
	/* C5.4: neither may the compiler be made to work without bounds */
	{ "(((a{1,1000}){1,1000}){1,1000})", -E_LIMIT, "not supported: " },
	{ "((((((x{65535}){65535}){65535}){65535}){65535}){65535})", -E_LIMIT, "not supported: " },
};

static const struct {
	const char *pattern;
	unsigned flags;
	const char *pcre2;
} translations[] = {
	{ "a.b", 0, "a[^\\n\\r\\x{2028}\\x{2029}]b" },
	{ "(a)(b)\\2", 0, "(?:a)(b)\\g{1}" },
	{ "\\1(a)", 0, "(?:)(?:a)" },
	{ "x(?=y)*", 0, "x(?:)" },
	{ "[\\w-a]", 0, "[\\-0-9A-Z\\_a-z]" },
	{ "é😀", 0, "é\\x{d83d}\\x{de00}" },
	{ "aé", REGEX_ICASE, "AÉ" },
	{ "\\Q\\z", 0, "Qz" },
};

static enum regex_result test_alone(const char *pattern, unsigned flags, const char *subject)
{
	AUTO(regex_free) struct regex *re = NULL;

	assert_int_equal(regex_compile(str_from(pattern), flags, &re, NULL), 0);
	return regex_test(re, str_from(subject), NULL);
}

static enum regex_result test_once(const char *pattern, unsigned flags, struct str subject)
{
	AUTO(regex_free) struct regex *re = NULL;
	AUTO(regex_scratch_free) struct regex_scratch *scratch = regex_scratch_new();
	enum regex_result r;

	assert_int_equal(regex_compile(str_from(pattern), flags, &re, NULL), 0);
	r = regex_test(re, subject, scratch);
	assert_int_equal(regex_test(re, subject, NULL), r);
	assert_int_equal(regex_test(re, subject, scratch), r);
	return r;
}

static void c5_1_matches_as_javascript(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(matches); i++) {
		struct str subject = str_from(matches[i].subject);
		enum regex_result plain = test_once(matches[i].pattern, matches[i].flags, subject);
		enum regex_result jit =
			test_once(matches[i].pattern, matches[i].flags | REGEX_JIT, subject);

		if (plain != matches[i].result || jit != plain)
			fail_msg("/%s/ on \"%s\": %d, with JIT %d", matches[i].pattern,
				 matches[i].subject, (int)plain, (int)jit);
	}
}

static void c5_1_says_what_does_not_compile(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		struct regex *re = (struct regex *)&state;
		struct err err = { 0 };
		int r = regex_compile(str_from(refusals[i].pattern), 0, &re, &err);

		if (r != refusals[i].result || err.code != -r ||
		    !strstr(err.text, refusals[i].text))
			fail_msg("/%s/: %d, %s", refusals[i].pattern, r, err.text);
		assert_ptr_equal(re, &state);
	}
}

static void translates(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(translations); i++) {
		AUTO(buf_done) struct buf out = { 0 };

		buf_addz(&out, "kept:");
		assert_int_equal(regex_translate(str_from(translations[i].pattern),
						 translations[i].flags, &out, NULL),
				 0);
		assert_string_equal(buf_z(&out) + 5, translations[i].pcre2);
	}
}

static int64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static char *repeated(const char *z, size_t times, const char *tail)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < times; i++)
		buf_addz(&b, z);
	buf_addz(&b, tail);
	return buf_take(&b);
}

/* 18 s in Node with 28 letters; here milliseconds, and the bound of the test is generous. */
static void c5_4_gives_up_in_time(void **state)
{
	AUTO(free) char *subject = repeated("a", 40, "!");
	int64_t began = now_ms();

	(void)state;
	assert_int_equal(test_once("(a+)+$", 0, str_from(subject)), REGEX_LIMIT);
	assert_int_equal(test_once("(a+)+$", REGEX_JIT, str_from(subject)), REGEX_LIMIT);
	assert_int_equal(test_once("^(\\w+\\s?)*$", REGEX_ICASE, str_from(subject)), REGEX_LIMIT);
	assert_in_range(now_ms() - began, 0, 15000);
}

/*
 * [ac]+[bd]: every start is far below the limit of steps, all of them together are 10^12 (machine
 * code sees that there is no pair "ab").  The second: every step may cost the whole subject.
 */
static void c5_4_gives_up_on_long_subjects(void **state)
{
	AUTO(free) char *subject = repeated("a", 1 << 20, "xb");
	int64_t began = now_ms();

	(void)state;
	assert_int_equal(test_alone("[ac]+[bd]", 0, subject), REGEX_LIMIT);
	assert_int_equal(test_alone("[ac]*[ac]*b", 0, subject), REGEX_LIMIT);
	assert_int_equal(test_alone("[ac]*[ac]*b", REGEX_JIT, subject), REGEX_LIMIT);
	assert_in_range(now_ms() - began, 0, 60000);
}

static void c5_4_bounds_the_pattern(void **state)
{
	AUTO(free) char *longest = repeated("a", REGEX_PATTERN_MAX - 1, "*");
	AUTO(free) char *longer = repeated("a", REGEX_PATTERN_MAX, "*");
	AUTO(free) char *deep = repeated("(", 1000, "");
	AUTO(buf_done) struct buf out = { 0 };
	struct regex *re = NULL;

	(void)state;
	assert_int_equal(regex_translate(str_from(longest), 0, &out, NULL), 0);
	assert_int_equal(regex_compile(str_from(longer), 0, &re, NULL), -E_LIMIT);
	assert_int_equal(regex_compile(str_from(deep), 0, &re, NULL), -E_LIMIT);
}

/* Both sides of the length from which on starts are tried in slices. */
static void long_subjects(void **state)
{
	static const size_t lengths[] = { 10, 4090, 4096, 4097, 5000, 200000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		AUTO(free) char *ascii = repeated("ab", lengths[i], "needle_1");
		AUTO(free) char *wide = repeated("あ😀", lengths[i] / 4, "needle_1");

		for (unsigned flags = 0; flags < 4; flags++) {
			assert_int_equal(test_once("n[e]+dle_\\d$", flags, str_from(ascii)),
					 REGEX_YES);
			assert_int_equal(test_once("(?<=b)n[e]+dle_2", flags, str_from(ascii)),
					 REGEX_NO);
			assert_int_equal(test_once("^n[e]+dle_1", flags, str_from(ascii)),
					 REGEX_NO);
			assert_int_equal(test_once("\\ude00n[e]+dle_\\d$", flags, str_from(wide)),
					 REGEX_YES);
			assert_int_equal(test_once("[^]$(?!.)", flags, str_from(wide)), REGEX_YES);
			assert_int_equal(test_once("needle", flags, str_from(wide)), REGEX_YES);
		}
	}
}

/* More than the JIT's small stack holds: the interpreter takes over. */
static void jit_stack_runs_out(void **state)
{
	AUTO(free) char *subject = repeated("ab", 2000, "c");

	(void)state;
	assert_int_equal(test_once("^(?:a|b|(?:x|y)z)*c$", REGEX_JIT, str_from(subject)),
			 REGEX_YES);
}

static void later(void **state)
{
	AUTO(regex_free) struct regex *re = regex_later(STR("^a+$"), 0);
	AUTO(regex_free) struct regex *wrong = regex_later(STR("(a"), 0);

	(void)state;
	assert_true(str_eq(regex_pattern(re), STR("^a+$")));
	assert_int_equal(regex_test(re, STR("aa"), NULL), REGEX_YES);
	assert_int_equal(regex_test(re, STR("b"), NULL), REGEX_NO);
	assert_int_equal(regex_test(wrong, STR("a"), NULL), REGEX_LIMIT);
	assert_int_equal(regex_test(wrong, STR("a"), NULL), REGEX_LIMIT);
}

static void empty_and_null(void **state)
{
	AUTO(regex_free) struct regex *re = NULL;

	(void)state;
	assert_int_equal(regex_compile((struct str){ 0 }, REGEX_ICASE, &re, NULL), 0);
	assert_int_equal(regex_test(re, (struct str){ 0 }, NULL), REGEX_YES);
	assert_int_equal(test_once("^\\s?$", 0, (struct str){ 0 }), REGEX_YES);
	assert_int_equal(test_once("a\\0b", 0, STR("xa\0bx")), REGEX_YES);
	regex_free(NULL);
	regex_scratch_free(NULL);
}

struct shared {
	const struct regex *re[8];
	int wrong; /* of one thread */
};

static void *use_shared(void *arg)
{
	struct shared *shared = arg;
	AUTO(regex_scratch_free) struct regex_scratch *scratch = regex_scratch_new();

	for (int round = 0; round < 300; round++) {
		for (size_t i = 0; i < ARRAY_LEN(shared->re); i++) {
			shared->wrong += regex_test(shared->re[i], STR("WRITE_file é"), scratch) !=
					 REGEX_YES;
			shared->wrong +=
				regex_test(shared->re[i], STR("read"), scratch) != REGEX_NO;
		}
	}
	return NULL;
}

/* One struct regex, eight threads; also where the first test makes it.  For ThreadSanitizer too. */
static void threads_share(void **state)
{
	static const char *const patterns[] = { "^w.*_(file)\\b", "write_", "(?=W)[a-z]+_", "É$",
						"^w.*_(file)\\b", "write_", "(?=W)[a-z]+_", "É$" };
	struct regex *re[ARRAY_LEN(patterns)];
	struct shared shared[8] = { 0 };
	pthread_t threads[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(re); i++) {
		const unsigned flags = REGEX_ICASE | (i % 2 ? 0 : REGEX_JIT);

		if (i < ARRAY_LEN(re) / 2)
			assert_int_equal(regex_compile(str_from(patterns[i]), flags, &re[i], NULL),
					 0);
		else
			re[i] = regex_later(str_from(patterns[i]), flags);
	}
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		memcpy(shared[i].re, re, sizeof re);
		assert_int_equal(pthread_create(&threads[i], NULL, use_shared, &shared[i]), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(shared[i].wrong, 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(re); i++)
		regex_free(re[i]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(c5_1_matches_as_javascript),
		cmocka_unit_test(c5_1_says_what_does_not_compile),
		cmocka_unit_test(translates),
		cmocka_unit_test(c5_4_gives_up_in_time),
		cmocka_unit_test(c5_4_gives_up_on_long_subjects),
		cmocka_unit_test(c5_4_bounds_the_pattern),
		cmocka_unit_test(long_subjects),
		cmocka_unit_test(jit_stack_runs_out),
		cmocka_unit_test(later),
		cmocka_unit_test(empty_and_null),
		cmocka_unit_test(threads_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
