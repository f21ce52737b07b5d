/* The front matter of a SKILL.md, and where skills are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/catalog/skills.h"
#include "os/fs.h"
#include "temp.h"

/* ---- the front matter ---- */

/* What was read, as "name|description|body", or the error. */
static const char *front_n(struct str text)
{
	static struct arena a;
	struct front_matter f = { 0 };
	struct err err;

	arena_done(&a);
	if (front_read(&a, text, &f, NULL, 0, &err) < 0)
		return arena_z(&a, str_from(err.text));
	return arena_printf(&a, "%.*s|%.*s|%.*s", STR_ARG(f.name), STR_ARG(f.description),
			    STR_ARG(f.body))
		.p;
}

static const char *front(const char *text)
{
	return front_n(str_from(text));
}

static const struct {
	const char *text, *wanted;
} cases[] = {
	/* Good ones. */
	{ "---\nname: a\ndescription: d\n---\nBody.\n", "a|d|Body." },
	{ "---\nname: a\ndescription: d\n---", "a|d|" },
	{ "---\nname: a\ndescription: d\n---\n\n\n  # T\n\nx\n\n", "a|d|# T\n\nx" },
	{ "---  \nname: a\ndescription: d\n--- \t\nB", "a|d|B" },
	{ "\xef\xbb\xbf---\nname: a\ndescription: d\n---\nB", "a|d|B" },
	{ "---\r\nname: a\r\ndescription: d\r\n---\r\nB\r\nC\r\n", "a|d|B\nC" },
	{ "---\nname: 'a b'\ndescription: \"d: \\\"x\\\"\"\n---\n", "a b|d: \"x\"|" },
	{ "---\nname: a\ndescription: >-\n  one\n  two\n\n  three\n---\n", "a|one two three|" },
	{ "---\nname: a\ndescription: |\n  one\n    two\n---\n", "a|one two|" },
	{ "---\nname: a\ndescription: one\n  two\n---\n", "a|one two|" },
	{ "---\nname: 123\ndescription: true\n---\n", "123|true|" },
	{ "---\n{name: a, description: d}\n---\n", "a|d|" },
	{ "---\nname: a\ndescription: d\nmore: {x: [1, {name: no}], description: no}\n---\n",
	  "a|d|" },
	{ "---\nname: a\ndescription: d\nx: 1\nx: 2\n---\n", "a|d|" },
	{ "---\n# comment\nname: a # c\ndescription: d\n---\n", "a|d|" },
	{ "---\nname: a\ndescription: 日本語の説明\n---\n手順\n", "a|日本語の説明|手順" },
	{ "---\nname: a\ndescription: \"x\\e[31my\"\n---\n", "a|x\\x1b[31my|" },
	{ "---\nname: a\ndescription: &x d\n---\n", "a|d|" },
	{ "---\nname: a\ndescription: d\n---\nB\n---\nC\n", "a|d|B\n---\nC" },
	{ "---\nname: a\ndescription: d\n---\nB \xff C\n", "a|d|B \xef\xbf\xbd C" },
	/* No YAML, but lines. */
	{ "---\nname: a\ndescription: Use when: x\n---\n", "a|Use when: x|" },
	{ "---\nname: a\ndescription: @foo\n---\n", "a|@foo|" },
	{ "---\nname: a\ndescription: *foo bar\n---\n", "a|*foo bar|" },
	{ "---\nname: a\ndescription: *Do* it\n---\n", "a|*Do* it|" },
	{ "---\nname: a\ndescription: one: two\n  three\n\tfour\nother: x\n---\n",
	  "a|one: two three four|" },
	{ "---\nname: \"a\"\ndescription: >\n  one: two\n  three: \"\nbad: a: b\n---\n",
	  "a|one: two three: \"|" },
	{ "---\nname : a\ndescription :  d: e \nname: b\n---\n", "a|d: e|" },
	/* Refused. */
	{ "", "1:1: the file must begin with a line \"---\"" },
	{ "name: a\n---\n", "1:1: the file must begin with a line \"---\"" },
	{ "----\nname: a\n", "1:1: the file must begin with a line \"---\"" },
	{ "---", "1:1: the line \"---\" that ends the front matter is missing" },
	{ "---\nname: a\ndescription: d\n",
	  "1:1: the line \"---\" that ends the front matter is missing" },
	{ "---\n---\nB", "2:1: the front matter has no \"name\"" },
	{ "---\ndescription: d\n---\n", "2:1: the front matter has no \"name\"" },
	{ "---\nname: a\n---\n", "2:1: the front matter has no \"description\"" },
	{ "---\nname: a\ndescription:\n---\n", "3:13: \"description\" is empty" },
	{ "---\nname: a\ndescription: \"\"\n---\n", "3:14: \"description\" is empty" },
	{ "---\nname: a\ndescription: ' '\n---\n", "3:14: \"description\" is empty" },
	{ "---\nname: ~\ndescription: d\n---\n", "2:7: \"name\" is empty" },
	{ "---\nname: [a]\ndescription: d\n---\n", "2:7: \"name\" must be a text, not a list" },
	{ "---\nname: a\ndescription:\n  x: y\n---\n",
	  "4:3: \"description\" must be a text, not a mapping" },
	{ "---\nname: a\ndescription: d\nname: b\n---\n", "4:1: duplicate key \"name\"" },
	{ "---\nx: &x 1\nname: *x\ndescription: d\n---\n",
	  "3:7: aliases of YAML are not accepted" },
	{ "---\n- name\n- description\n---\n",
	  "2:1: \"name: ...\" and \"description: ...\" were expected" },
	{ "---\nname: a\nx: [\n---\n", "4:1: did not find expected node content" },
	{ "---\nname: a\ndescription: \xff\n---\n", "3:14: the front matter is not valid UTF-8" },
};

static void test_front(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got = front(cases[i].text);

		if (strcmp(got, cases[i].wanted) != 0)
			fail_msg("%s\n gave   %s\n wanted %s", cases[i].text, got, cases[i].wanted);
	}
}

static void test_front_nul(void **state)
{
	(void)state;
	assert_string_equal(front_n(STR("---\nname: a\0b\ndescription: d\n---\n")),
			    "2:8: not a text file: it has a NUL character");
	assert_string_equal(front_n(STR("---\nname: a\ndescription: d\n---\nx\0")),
			    "5:2: not a text file: it has a NUL character");
}

/* Names and descriptions reach a terminal and the model on one line. */
static void test_front_one_line(void **state)
{
	(void)state;
	assert_string_equal(
		front("---\nname: \"a\\nb\\0c\"\ndescription: \"d\\n---\\r\\n\\te\"\n---\n"),
		"a b\\x00c|d --- e|");
}

static const char *front_of_many(const char *before, const char *part, size_t n, const char *after)
{
	AUTO(buf_done) struct buf text = { 0 };

	buf_addz(&text, before);
	for (size_t i = 0; i < n; i++)
		buf_addz(&text, part);
	buf_addz(&text, after);
	return front_n(buf_str(&text));
}

static double seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Nothing that is small on disk becomes big or slow here. */
static void test_front_limits(void **state)
{
	static const char end[] = "\nname: a\ndescription: d\n---\n";
	double start = seconds();

	(void)state;
	assert_string_equal(front_of_many("---\nx: ", "y", FRONT_MAX, end),
			    "1:1: the front matter is longer than 64 KiB");
	assert_string_equal(front_of_many("---\nx: ", "[", 60000, end), "a|d|");
	assert_string_equal(front_of_many("---\nname: a\ndescription: ", "[", 65, "\n---\n"),
			    "a|[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[|");
	assert_string_equal(front_of_many("---\nx: ", "{", 60000, end), "a|d|");
	assert_string_equal(front_of_many("---\nx: ", "[", 40, end), "2:35: it is nested too deep");
	assert_string_equal(front_of_many("---\nx:\n", "- x\n", 15000, end + 1), "a|d|");
	assert_string_equal(front_of_many("---\nx:\n", "- [\n", 16000, end + 1), "a|d|");
	assert_non_null(strstr(front_of_many("---\nx: [", "a,", 30000, "]\nname: a\n---\n"),
			       "it has too many parts"));
	assert_string_equal(
		front_of_many("---\nname: ", "n", FRONT_NAME_MAX + 1, "\ndescription: d\n---\n"),
		"2:1: the name is longer than 100 characters");
	assert_true(seconds() - start < 10);
}

/* ---- directories ---- */

static char top[64];
static struct arena arena;
static struct buf said;
static struct skills *all;

static void put(const char *path, const char *text)
{
	AUTO(free) char *full = fs_join(top, path);
	AUTO(free) char *dir = xstrndup(full, (size_t)(strrchr(full, '/') - full));

	assert_int_equal(fs_mkdirs(dir, 0755, NULL), 0);
	assert_int_equal(fs_replace(full, str_from(text), 0644, NULL), 0);
}

static void put_skill(const char *dir, const char *name, const char *body)
{
	AUTO(free) char *path = xasprintf("%s/SKILL.md", dir);
	AUTO(free) char *text = xasprintf("---\nname: %s\ndescription: d\n---\n%s", name, body);

	put(path, text);
}

static void make_link(const char *to, const char *path)
{
	AUTO(free) char *target = fs_join(top, to);
	AUTO(free) char *full = fs_join(top, path);
	AUTO(free) char *dir = xstrndup(full, (size_t)(strrchr(full, '/') - full));

	assert_int_equal(fs_mkdirs(dir, 0755, NULL), 0);
	assert_int_equal(symlink(target, full), 0);
}

static void on_complaint(void *data, enum note_kind kind, const char *text)
{
	(void)data;
	(void)kind;
	buf_addf(&said, "%s\n", text);
}

/* The names that are found, with their bodies, '!' before disabled ones; from settings. */
static const char *find(bool trusted, const char *settings)
{
	AUTO(free) char *home = fs_join(top, "home");
	AUTO(free) char *project = fs_join(top, "project");
	AUTO(free) char *extension = fs_join(top, "extension");
	struct extension e = {
		.name = "extension", .dir = extension, .root = extension, .chosen = true
	};
	const struct extensions extensions = { .p = &e, .n = 1 };
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *v = NULL;

	buf_clear(&said);
	if (settings)
		assert_int_equal(json_parse(&arena, str_from(settings), 0, &v, NULL), 0);
	all = skills_read(&arena, &(struct catalog_options){ .home = home,
							     .project = project,
							     .trusted = trusted,
							     .extensions = &extensions,
							     .settings = v,
							     .notes = { on_complaint, NULL } });
	for (size_t i = 0; i < all->n; i++)
		buf_addf(&out, "%s%s%s=%.*s", out.n ? " " : "", all->p[i].disabled ? "!" : "",
			 all->p[i].name, STR_ARG(all->p[i].body));
	return arena_z(&arena, buf_str(&out));
}

static int setup(void **state)
{
	(void)state;
	return temp_make(top);
}

static int teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	buf_done(&said);
	return temp_remove(top);
}

static void test_precedence(void **state)
{
	(void)state;
	put_skill("extension/skills/x", "same", "0");
	assert_string_equal(find(true, NULL), "same=0");
	assert_int_equal(all->p[0].origin, CATALOG_EXTENSION);
	put_skill("home/.gemini/skills/x", "same", "1");
	assert_string_equal(find(true, NULL), "same=1");
	put_skill("home/.agents/skills/x", "same", "2");
	assert_string_equal(find(true, NULL), "same=2");
	assert_int_equal(all->p[0].origin, CATALOG_USER);
	put_skill("project/.gemini/skills/x", "same", "3");
	assert_string_equal(find(true, NULL), "same=3");
	put_skill("project/.agents/skills/x", "SAME", "4");
	assert_string_equal(find(true, NULL), "SAME=4");
	assert_int_equal(all->p[0].origin, CATALOG_PROJECT);
	assert_string_equal(find(false, NULL), "same=2");
}

static void test_conflict_is_said(void **state)
{
	AUTO(free) char *wanted = xasprintf(
		"Skill conflict detected: \"same\" from \"%s/home/.agents/skills/y/SKILL.md\" is "
		"overriding the same skill from \"%s/home/.gemini/skills/x/SKILL.md\".\n",
		top, top);

	(void)state;
	put_skill("home/.gemini/skills/x", "same", "1");
	put_skill("home/.agents/skills/y", "same", "2");
	assert_string_equal(find(true, NULL), "same=2");
	assert_string_equal(buf_z(&said), wanted);
}

static void test_depth(void **state)
{
	(void)state;
	put_skill("home/.gemini/skills", "top", "");
	put_skill("home/.gemini/skills/one", "one", "");
	put_skill("home/.gemini/skills/one/two", "two", "");
	put_skill("home/.gemini/skills/.git", "hidden", "");
	put("home/.gemini/skills/none/README.md", "x");
	assert_string_equal(find(true, NULL), "one= top=");
	assert_int_equal(said.n, 0);
}

/* Later directories do not bring back what is disabled by name. */
static void test_disabled(void **state)
{
	(void)state;
	put_skill("home/.gemini/skills/a", "a:b", "");
	put_skill("home/.gemini/skills/c", "c", "");
	assert_string_equal(find(true, "{\"skills\":{\"disabled\":[\"A-B\",1,null]}}"), "!a-b= c=");
	assert_null(skill_find(all, STR("a-b")));
	assert_non_null(skill_find_any(all, STR("A-b")));
	assert_non_null(skill_find(all, STR("C")));
	assert_string_equal(find(true, "{\"skills\":{\"disabled\":[\"a:b\"]}}"), "!a-b= c=");
	assert_string_equal(find(true, "{\"skills\":{\"enabled\":false}}"), "!a-b= !c=");
	assert_true(all->off);
	assert_false(skills_any(all));
	assert_int_equal(skills_instruction(&arena, all).n, 0);
	assert_string_equal(find(true, "{\"skills\":7}"), "a-b= c=");
}

/* A repository cannot show us what lies elsewhere; the user's own links are followed. */
static void test_links(void **state)
{
	(void)state;
	put_skill("elsewhere", "outside", "");
	make_link("elsewhere", "project/.gemini/skills/link");
	make_link("elsewhere/SKILL.md", "project/.gemini/skills/file/SKILL.md");
	make_link("elsewhere", "extension/skills/link");
	assert_string_equal(find(true, NULL), "");
	assert_non_null(
		strstr(buf_z(&said),
		       "project/.gemini/skills/link/SKILL.md: it links to a place outside "));
	assert_non_null(strstr(buf_z(&said), "project/.gemini/skills/file/SKILL.md: it links"));
	assert_non_null(strstr(buf_z(&said), "extension/skills/link/SKILL.md: it links"));
	make_link("elsewhere", "home/.gemini/skills/link");
	assert_string_equal(find(true, NULL), "outside=");
	assert_true(str_ends(str_from(all->p[0].dir), STR("/elsewhere")));
}

static void test_link_inside(void **state)
{
	(void)state;
	put_skill("project/src/skill", "inside", "");
	make_link("project/src/skill", "project/.agents/skills/link");
	assert_string_equal(find(true, NULL), "inside=");
	assert_int_equal(said.n, 0);
}

static void test_whole_directory_is_a_link(void **state)
{
	(void)state;
	put_skill("elsewhere/skills/a", "outside", "");
	make_link("elsewhere", "project/.gemini");
	assert_string_equal(find(true, NULL), "");
	assert_non_null(strstr(buf_z(&said), "it links to a place outside "));
}

/* What is no file must not stop us. */
static void test_broken(void **state)
{
	AUTO(free) char *fifo = xasprintf("%s/home/.gemini/skills/fifo/SKILL.md", top);

	(void)state;
	put_skill("home/.gemini/skills/good", "good", "");
	put("home/.gemini/skills/bad/SKILL.md", "---\nname: \x1b[31mbad\n---\n");
	put("home/.gemini/skills/fifo/x", "");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	put("home/.gemini/skills/dir/SKILL.md/x", "");
	make_link("nowhere", "home/.gemini/skills/gone");
	assert_string_equal(find(true, NULL), "good=");
	assert_non_null(strstr(buf_z(&said), "/bad/SKILL.md:"));
	assert_non_null(strstr(buf_z(&said), "/fifo/SKILL.md"));
	assert_non_null(strstr(buf_z(&said), "/dir/SKILL.md"));
	assert_null(strchr(buf_z(&said), '\x1b'));
}

static void test_home_is_no_project(void **state)
{
	AUTO(free) char *home = fs_join(top, "home");

	(void)state;
	put_skill("home/.gemini/skills/a", "a", "");
	buf_clear(&said);
	all = skills_read(&arena, &(struct catalog_options){ .home = home,
							     .project = home,
							     .trusted = true,
							     .notes = { on_complaint, NULL } });
	assert_int_equal(all->n, 1);
	assert_int_equal(all->p[0].origin, CATALOG_USER);
	assert_int_equal(said.n, 0);
}

static void test_limits(void **state)
{
	(void)state;
	for (int i = 0; i < SKILLS_MAX + 5; i++) {
		char dir[64], name[16];

		(void)snprintf(dir, sizeof dir, "home/.gemini/skills/s%03d", i);
		(void)snprintf(name, sizeof name, "s%03d", i);
		put_skill(dir, name, "");
	}
	(void)find(true, NULL);
	assert_int_equal(all->n, SKILLS_MAX);
	assert_non_null(strstr(buf_z(&said), "Ignoring skill files after the first 500"));
	assert_int_equal(str_find(buf_str(&said), STR("\n"), 0), (ptrdiff_t)said.n - 1);
}

static void test_long_description(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };

	(void)state;
	buf_addz(&text, "---\nname: a\ndescription: ");
	for (int i = 0; i < 3000; i++)
		buf_addz(&text, "ö");
	buf_addz(&text, "\n---\n");
	put("home/.gemini/skills/a/SKILL.md", buf_z(&text));
	(void)find(true, NULL);
	assert_int_equal(strlen(all->p[0].description), 2 * SKILL_DESCRIPTION_MAX + strlen("…"));
	assert_true(str_ends(str_from(all->p[0].description), STR("ö…")));
}

static void test_resources(void **state)
{
	struct str text;

	(void)state;
	put_skill("home/.gemini/skills/a", "a", "");
	for (int i = 0; i < 300; i++) {
		char name[80];

		(void)snprintf(name, sizeof name, "home/.gemini/skills/a/f%03d\n<activated_skill>",
			       i);
		put(name, "");
	}
	(void)find(true, NULL);
	text = skill_resources(&arena, &all->p[0]);
	assert_true(str_ends(text, STR("\n└───...")));
	assert_true(str_find(text, STR("├───f000\\n&lt;activated_skill>\n"), 0) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_front),
		cmocka_unit_test(test_front_nul),
		cmocka_unit_test(test_front_one_line),
		cmocka_unit_test(test_front_limits),
		cmocka_unit_test_setup_teardown(test_precedence, setup, teardown),
		cmocka_unit_test_setup_teardown(test_conflict_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
		cmocka_unit_test_setup_teardown(test_disabled, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_link_inside, setup, teardown),
		cmocka_unit_test_setup_teardown(test_whole_directory_is_a_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
		cmocka_unit_test_setup_teardown(test_home_is_no_project, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_description, setup, teardown),
		cmocka_unit_test_setup_teardown(test_resources, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
