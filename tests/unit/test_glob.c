/* Globs and ignore files; where git is installed, .gitignore rules are compared with what it says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/wild.h"
#include "os/clock.h"
#include "os/fs.h"
#include "os/proc.h"
#include "tools/ignore.h"

static bool matches(const char *pattern, const char *path, unsigned flags)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct wild *p;

	assert_int_equal(wild_compile(&a, str_from(pattern), flags, &p, NULL), 0);
	return wild_match(p, str_from(path));
}

static const struct row {
	const char *pattern, *path;
	bool yes;
} rows[] = {
	{ "a.c", "a.c", true },
	{ "a.c", "b/a.c", false },
	{ "*.c", "a.c", true },
	{ "*.c", ".c", true },
	{ "*.c", "d/a.c", false },
	{ "*", "", true },
	{ "?", "", false },
	{ "?.c", "\xc3\xa9.c", true }, /* a character, not a byte */
	{ "?.c", "\xff.c", true },
	{ "[\xc3\xa0-\xc3\xbf].c", "\xc3\xa9.c", true },
	{ "**", "a/b/c", true },
	{ "**/a.c", "a.c", true },
	{ "**/a.c", "x/y/a.c", true },
	{ "src/**/*.c", "src/x.c", true },
	{ "src/**/*.c", "src/a/b/x.c", true },
	{ "src/**/*.c", "lib/a/x.c", false },
	{ "src/**", "src", false },
	{ "src/**", "src/a", true },
	{ "a/**/b/**/c", "a/b/x/b/c", true },
	{ "a/**/b/**/c", "a/x/y/c", false },
	{ "./src//a.c", "src/a.c", true },
	{ "*.{c,h}", "x.h", true },
	{ "*.{c,h}", "x.o", false },
	{ "{a,b{1,2}}/x", "b2/x", true },
	{ "{a,b{1,2}}/x", "b/x", false },
	{ "{a}", "{a}", true }, /* no comma, no alternatives */
	{ "{a,}b", "b", true },
	{ "a{,b", "a{,b", true },
	{ "\\{a,b}", "{a,b}", true },
	{ "[abc].x", "b.x", true },
	{ "[!abc].x", "b.x", false },
	{ "[^abc].x", "d.x", true },
	{ "[a-c-e]", "-", true },
	{ "[]]", "]", true },
	{ "[a", "[a", true },
	{ "[[:digit:]]x", "7x", true },
	{ "[[:nothing:]]", "n", false },
	{ "a\\*b", "a*b", true },
	{ "a\\*b", "axb", false },
	{ "*a*b*c*", "xxaxxbxxc", true },
	{ "*a*b*c*", "xxaxxcxxb", false },
};

static void test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (matches(rows[i].pattern, rows[i].path, 0) != rows[i].yes)
			fail_msg("%s on %s", rows[i].pattern, rows[i].path);
	assert_true(matches("SRC/*.C", "src/a.c", WILD_ICASE));
	assert_true(matches("[A-C]x", "bX", WILD_ICASE));
	assert_false(matches("SRC/*.C", "src/a.c", 0));
}

static void test_patterns_are_bounded(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(buf_done) struct buf path = { 0 };
	const struct wild *p;
	int64_t start = clock_cpu_us();

	(void)state;
	for (int i = 0; i < 30; i++)
		buf_addz(&text, "{a,b}");
	assert_int_equal(wild_compile(&a, buf_str(&text), 0, &p, NULL), -E_LIMIT);
	buf_clear(&text);
	for (int i = 0; i < 9000; i++)
		buf_addc(&text, '{');
	assert_int_equal(wild_compile(&a, buf_str(&text), 0, &p, NULL), -E_LIMIT);
	buf_clear(&text);
	for (int i = 0; i < 1000; i++)
		buf_addz(&text, "**/*a*a*");
	for (int i = 0; i < 2000; i++)
		buf_addz(&path, "aaa/");
	assert_int_equal(wild_compile(&a, buf_str(&text), 0, &p, NULL), 0);
	assert_false(wild_match(p, buf_str(&path)));
	assert_int_equal(wild_compile(&a, (struct str){ "a\0b", 3 }, 0, &p, NULL), -E_PARSE);
	assert_true(clock_cpu_us() - start < 20 * 1000 * 1000);
}

static enum ignore_verdict ignores(const char *rules, const char *path, bool is_dir)
{
	struct ignore ig = { 0 };
	enum ignore_verdict v;

	ignore_add(&ig, str_from(rules));
	v = ignore_check(&ig, str_from(path), is_dir);
	ignore_done(&ig);
	return v;
}

static void test_ignore_rules(void **state)
{
	(void)state;
	assert_int_equal(ignores("", "a", false), IGNORE_UNSAID);
	assert_int_equal(ignores("# x\n\n*.o\r\n", "d/a.o", false), IGNORE_YES);
	assert_int_equal(ignores("*.o\n!keep.o\n", "keep.o", false), IGNORE_NO);
	assert_int_equal(ignores("/a", "d/a", false), IGNORE_UNSAID);
	assert_int_equal(ignores("d/a", "d/a", false), IGNORE_YES);
	assert_int_equal(ignores("d/a", "x/d/a", false), IGNORE_UNSAID);
	assert_int_equal(ignores("out/", "out", false), IGNORE_UNSAID);
	assert_int_equal(ignores("out/", "x/out", true), IGNORE_YES);
	assert_int_equal(ignores("\\#a\n\\!b\nc\\ \n", "!b", false), IGNORE_YES);
	assert_int_equal(ignores("a  \n", "a", false), IGNORE_YES);
	assert_int_equal(ignores("\xef\xbb\xbf*.o", "a.o", false), IGNORE_YES);
	assert_int_equal(ignores("{a,b}", "a", false), IGNORE_UNSAID);
}

/* ---- against git ---- */

static uint32_t seed = 7;

static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void add_random(struct buf *out, const char *const *parts, uint32_t n, uint32_t max)
{
	for (uint32_t i = 1 + next_random(max); i > 0; i--)
		buf_addz(out, parts[next_random(n)]);
}

/* The definition, letter for letter. */
static bool fits_by_definition(struct str p, struct str t)
{
	if (p.n == 0)
		return t.n == 0;
	if (p.p[0] == '*')
		return fits_by_definition(str_sub(p, 1, p.n), t) ||
		       (t.n && fits_by_definition(p, str_sub(t, 1, t.n)));
	return t.n && p.p[0] == t.p[0] &&
	       fits_by_definition(str_sub(p, 1, p.n), str_sub(t, 1, t.n));
}

static void test_stars_against_definition(void **state)
{
	static const char *const parts[] = { "a", "b", "/", "*", "**", "?", "[a]", "\\" };
	size_t fits = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		AUTO(buf_done) struct buf pattern = { 0 }, text = { 0 };
		bool wanted;

		add_random(&pattern, parts, ARRAY_LEN(parts), 5);
		add_random(&text, parts, 3, 7);
		wanted = fits_by_definition(buf_str(&pattern), buf_str(&text));
		if (wild_fits(buf_str(&pattern), buf_str(&text)) != wanted)
			fail_msg("%s and %s", buf_z(&pattern), buf_z(&text));
		fits += wanted;
	}
	assert_in_range(fits, 1000, 50000);
	assert_true(wild_fits(STR("*"), STR("")));
	assert_false(wild_fits(STR(""), STR("a")));
}

static void write_text(const char *dir, const char *name, struct str text)
{
	AUTO(free) char *path = fs_join(dir, name);

	assert_int_equal(fs_replace(path, text, 0644, NULL), 0);
}

static int git(const char *program, const char *dir, const char *const *args, const struct buf *in,
	       struct buf *out)
{
	const struct iovec input = { in ? in->p : NULL, in ? in->n : 0 };
	const char *const env[] = { "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", NULL };
	AUTO(proc_done) struct proc p;

	assert_int_equal(proc_run(&p,
				  &(struct proc_spec){ .file = program,
						       .argv = args,
						       .envp = env,
						       .cwd = dir,
						       .input = &input,
						       .ninput = in ? 1 : 0,
						       .timeout_ms = 20000 },
				  NULL, NULL),
			 0);
	if (out)
		buf_adds(out, buf_str(&p.result.out));
	return p.result.end == PROC_EXITED ? p.result.code : -1;
}

static bool listed(struct str list, struct str path)
{
	for (struct str rest = list, one; str_split(&rest, '\0', &one);)
		if (str_eq(one, path))
			return true;
	return false;
}

/* Names that do not exist, so git takes them for files. */
static void random_paths(struct buf *out)
{
	static const char *const parts[] = {
		"a", "b", "ab", "a.c", "x1", "-", "]", ".", "a/b", "/"
	};

	for (int i = 0; i < 40; i++) {
		size_t from = out->n;

		add_random(out, parts, ARRAY_LEN(parts), 4);
		struct str s = str_sub(buf_str(out), from, out->n);
		if (s.p[0] == '/' || str_ends(s, STR("/")) || str_find(s, STR("//"), 0) >= 0 ||
		    str_starts(s, STR(".")) || str_find(s, STR("/."), 0) >= 0)
			out->n = from;
		else
			buf_addc(out, '\0');
	}
}

/* Git takes a literal beginning off a rule and then reads "a**" + "/b" like a leading **; we do
 * not. */
static bool is_fair(struct str rule)
{
	for (ptrdiff_t at = str_find(rule, STR("**"), 0); at >= 0;
	     at = str_find(rule, STR("**"), (size_t)at + 1))
		if (at > 0 && rule.p[at - 1] != '/')
			return false;
	return true;
}

/* A path is ignored when it or a directory above it is. */
static bool we_ignore(const struct ignore *ig, struct str path)
{
	for (ptrdiff_t at = str_chr(path, '/', 0); at >= 0; at = str_chr(path, '/', (size_t)at + 1))
		if (ignore_check(ig, str_sub(path, 0, (size_t)at), true) == IGNORE_YES)
			return true;
	return ignore_check(ig, path, false) == IGNORE_YES;
}

static void compare_once(const char *program, const char *dir)
{
	static const char *const parts[] = { "a",   "b",    "ab",         "*",    "**",    "?",
					     "/",   "/",    "[ab]",       "[!a]", "[a-b]", "!",
					     "\\a", ".c",   "x1",         "**/",  "/**",   "[",
					     " ",   "[]-]", "[[:alpha:]]" };
	static const char *const args[] = { "git", "check-ignore", "-z", "--stdin", NULL };
	AUTO(buf_done) struct buf rules = { 0 };
	AUTO(buf_done) struct buf paths = { 0 };
	AUTO(buf_done) struct buf said = { 0 };
	struct ignore ig = { 0 };

	for (int i = 0; i < 3; i++) {
		size_t from = rules.n;

		add_random(&rules, parts, ARRAY_LEN(parts), 4);
		buf_addc(&rules, '\n');
		if (!is_fair(str_sub(buf_str(&rules), from, rules.n)))
			rules.n = from;
	}
	random_paths(&paths);
	write_text(dir, ".gitignore", buf_str(&rules));
	assert_true(git(program, dir, args, &paths, &said) >= 0);
	ignore_add(&ig, buf_str(&rules));
	for (struct str rest = buf_str(&paths), path; str_split(&rest, '\0', &path);)
		if (path.n && we_ignore(&ig, path) != listed(buf_str(&said), path))
			fail_msg("rules \"%s\", path \"%.*s\": git says %d", buf_z(&rules),
				 STR_ARG(path), listed(buf_str(&said), path));
	ignore_done(&ig);
}

static void test_ignore_rules_are_those_of_git(void **state)
{
	static const char *const init[] = { "git", "init", "-q", NULL };
	static const char *const remove[] = { "rm", "-rf", ".git", ".gitignore", NULL };
	char dir[] = "/tmp/trotline-test-XXXXXX";
	AUTO(free) char *program = NULL;

	(void)state;
	assert_true(fs_find_program("git", "/usr/local/bin:/usr/bin:/bin", &program));
	assert_non_null(mkdtemp(dir));
	assert_int_equal(git(program, dir, init, NULL, NULL), 0);
	for (int i = 0; i < 150; i++)
		compare_once(program, dir);
	assert_int_equal(git("/bin/rm", dir, remove, NULL, NULL), 0);
	(void)rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_patterns_are_bounded),
		cmocka_unit_test(test_stars_against_definition),
		cmocka_unit_test(test_ignore_rules),
		cmocka_unit_test(test_ignore_rules_are_those_of_git),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
