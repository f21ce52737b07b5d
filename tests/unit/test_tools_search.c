/* The tools that look for files and in them, called as the agent calls them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "os/clock.h"
#include "tools_fixture.h"

/* ---- list_directory ---- */

static void test_list_directory(void **state)
{
	(void)state;
	put("b.txt", "12345");
	put("a.o", "");
	put("src/x", "");
	put(".gitignore", "*.o\n");
	put("Z\xff", "");
	call("list_directory", "{'dir_path':'.'}");
	assert_content(format("Directory listing for %s:\n[DIR] src\n.gitignore (4 bytes)\n"
			      "Z\xef\xbf\xbd (0 bytes)\nb.txt (5 bytes)\n\n(1 ignored)",
			      fx.dir));
	assert_string_equal(display("/summary"), "Found 4 item(s). (1 ignored)");
	assert_string_equal(display("/files/0"), "[DIR] src");
	call("list_directory", "{'dir_path':'.','ignore':['*.txt','Z*'],'file_filtering_options':"
			       "{'respect_git_ignore':false}}");
	assert_has(content(), "a.o (0 bytes)\n\n(2 ignored)");
	assert_int_equal(mkdir(at("empty"), 0755), 0);
	call("list_directory", "{'dir_path':'empty'}");
	assert_content(format("Directory %s is empty.", at("empty")));
	assert_string_equal(display(""), "Directory is empty.");
	call("list_directory", "{'dir_path':'none'}");
	assert_fails("ls_execution_error", at("none"));
	call("list_directory", "{'dir_path':'b.txt'}");
	assert_fails("path_is_not_a_directory", at("b.txt"));
}

/* ---- glob ---- */

static void age(const char *name, time_t seconds)
{
	const struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };

	assert_int_equal(utimensat(AT_FDCWD, at(name), times, 0), 0);
}

static void test_glob(void **state)
{
	(void)state;
	put("a.c", "");
	put("src/b.C", "");
	put("src/deep/c.c", "");
	put("node_modules/d.c", "");
	put("out/e.c", "");
	put("src/[id].ts", "");
	put("src/i.ts", "");
	put(".gitignore", "out/\n");
	age("a.c", 1000);
	age("src/b.C", 3000);
	age("src/deep/c.c", 2000);
	call("glob", "{'pattern':'**/*.c'}");
	assert_content(format("Found 3 file(s) matching \"**/*.c\" within %s, sorted by "
			      "modification time (newest first):\n%s\n%s\n%s",
			      fx.dir, at("src/b.C"), at("src/deep/c.c"), at("a.c")));
	assert_string_equal(display(""), "Found 3 matching file(s)");
	call("glob", "{'pattern':'**/*.c','case_sensitive':true,'dir_path':'src'}");
	assert_has(content(), "Found 1 file(s)");
	call("glob", "{'pattern':'**/*.c','respect_git_ignore':false}");
	assert_has(content(), "out/e.c");
	call("glob", "{'pattern':'src/[id].ts'}"); /* a file of that name */
	assert_has(content(), "Found 1 file(s)");
	assert_has(content(), "src/[id].ts");
	call("glob", format("{'pattern':'%s/*.c'}", fx.dir));
	assert_has(content(), "Found 1 file(s)");
	call("glob", "{'pattern':'*.py'}");
	assert_content(format("No files found matching pattern \"*.py\" within %s", fx.dir));
	call("glob", "{'pattern':'*','dir_path':'none'}");
	assert_fails("file_not_found", at("none"));
	call("glob", "{'pattern':' '}");
	assert_fails("invalid_tool_params", "empty");
}

/* Nested ignore files, exceptions, and those above the directory that is searched. */
static void test_ignore_files_of_all_directories(void **state)
{
	(void)state;
	put(".gitignore", "*.log\n/top\n");
	put(".git/info/exclude", "*.excluded\n");
	put("src/.gitignore", "!keep.log\nlocal\n");
	put("src/.geminiignore", "*.gem\n");
	put("src/keep.log", "");
	put("src/other.log", "");
	put("src/local", "");
	put("src/a.gem", "");
	put("src/a.excluded", "");
	put("src/top", "");
	put("top", "");
	call("glob", "{'pattern':'*','dir_path':'src','case_sensitive':true}");
	assert_has(content(), "Found 4 file(s)"); /* the two ignore files, keep.log, top */
	assert_has(content(), "src/keep.log");
	assert_has(content(), "src/top");
	call("glob", "{'pattern':'**','respect_gemini_ignore':false}");
	assert_has(content(), "src/a.gem");
}

/* ---- grep_search ---- */

static void test_grep(void **state)
{
	(void)state;
	put("a.txt", "Apple\nbanana\ncherry\n");
	put("d/b.md", "an apple\r\n");
	put("bin", "x");
	put_bytes("bin", (struct str){ "apple\0", 6 });
	call("grep_search", "{'pattern':'app.e','context':0}");
	assert_content("<untrusted_context>\n"
		       "Found 2 matches for pattern \"app.e\" in path \".\":\n---\n"
		       "File: a.txt\nL1: Apple\n---\nFile: d/b.md\nL1: an apple\n---\n"
		       "</untrusted_context>");
	assert_string_equal(display("/summary"), "Found 2 matches");
	assert_string_equal(display("/matches/0/filePath"), "a.txt");
	assert_string_equal(display("/matches/1/lineNumber"), "1");
	call("grep_search", "{'pattern':'banana'}"); /* One match, all around it */
	assert_has(content(),
		   "Found 1 match for pattern \"banana\" in path \".\":\n---\nFile: a.txt\n"
		   "L1- Apple\nL2: banana\nL3- cherry\n---\n");
	call("grep_search", "{'pattern':'apple','case_sensitive':true,'before':0}");
	assert_has(content(), "Found 1 match ");
	call("grep_search", "{'pattern':'apple','include_pattern':'*.{md,rst}','after':0}");
	assert_has(content(),
		   "Found 1 match for pattern \"apple\" in path \".\" (filter: \"*.{md,rst}\"):");
	call("grep_search", "{'pattern':'apple','include_pattern':'d/**'}");
	assert_has(content(), "Found 1 match ");
	call("grep_search", "{'pattern':'apple','exclude_pattern':'^an'}");
	assert_has(content(), "Found 1 match ");
	call("grep_search", "{'pattern':'a.*e','fixed_strings':true}");
	assert_content("No matches found for pattern \"a.*e\" in path \".\".");
	call("grep_search", "{'pattern':'apple','names_only':true}");
	assert_has(
		content(),
		"Found 2 files with matches for pattern \"apple\" in path \".\":\na.txt\nd/b.md\n");
	call("grep_search", "{'pattern':'apple','dir_path':'d/b.md'}");
	assert_has(content(), "in path \"d/b.md\":\n---\nFile: b.md\nL1: an apple\n---");
	call("search_file_content", "{'pattern':'zzz','dir_path':'d'}");
	assert_content("No matches found for pattern \"zzz\" in path \"d\".");
}

static void test_grep_errors(void **state)
{
	(void)state;
	call("grep_search", "{'pattern':'('}");
	assert_fails("invalid_tool_params", "Invalid regular expression pattern");
	call("grep_search", "{'pattern':'a','exclude_pattern':'['}");
	assert_fails("invalid_tool_params", "exclude");
	call("grep_search", "{'pattern':'a','dir_path':'none'}");
	assert_fails("search_path_not_found", at("none"));
	call("grep_search", "{'pattern':'a','dir_path':'..'}");
	assert_fails("invalid_tool_params", "Path not in workspace");
}

static void test_grep_limits(void **state)
{
	(void)state;
	put_lines("a", 150);
	put_lines("b", 150);
	call("grep_search", "{'pattern':'line'}");
	assert_has(content(), "Found 100 matches ");
	assert_has(content(), "limited to 100");
	call("grep_search", "{'pattern':'line','max_matches_per_file':3,'total_max_matches':10}");
	assert_has(content(), "Found 6 matches ");
	assert_null(strstr(content(), "limited"));
	/* Two hits whose contexts touch: every line once. */
	call("grep_search", "{'pattern':'line (10|13)$','dir_path':'a','context':2}");
	assert_has(content(),
		   "File: a\nL8- line 8\nL9- line 9\nL10: line 10\nL11- line 11\nL12- line 12\n"
		   "L13: line 13\nL14- line 14\nL15- line 15\n---\n");
	call("grep_search", "{'pattern':'line (10|13)$','dir_path':'a','before':1,'after':0}");
	assert_has(content(),
		   "File: a\nL9- line 9\nL10: line 10\nL12- line 12\nL13: line 13\n---\n");
}

static void make_many_files(void)
{
	char name[40], text[80];

	for (int i = 0; i < 200; i++) {
		(void)snprintf(name, sizeof name, "d%d/f-%d.txt", i % 7, i);
		(void)snprintf(text, sizeof text, "no %d\r\nfoo_bar%d [x] caf\xc3\xa9\n%s", i, i,
			       i == 9 ? "K\xff Stra\303\237e" : "");
		put(name, text);
	}
	put("d1/-", "foo_bar stdin?\n");
	put("d1/\xff.txt", "foo_bar\n");
	put("ignored/a", "foo_bar\n");
	put(".gitignore", "ignored\n");
	put(".ignore", "*.txt\n"); /* ripgrep's own, which is none of ours */
}

/* The same words with and without ripgrep. */
static void test_grep_is_the_same_with_ripgrep(void **state)
{
	static const char *const patterns[] = {
		"foo_bar",
		"foo_bar\\\\d+",
		"^no 1?1$",
		"\\\\[x\\\\]",
		"[\\\\w]+\\\\s\\\\[",
		"caf.$",
		"bar(?=9)",
		"(.)o\\\\1",
		"\\\\bK\\\\b",
		"stra\303\237e",
		"FOO_BAR17|no 18",
		"a\\\\/b",
		"[[x]",
		"\\\\u0066oo",
		"x]",
		"\\\\Wfoo|x{2}",
		"foo_bar(1|2)0{0,1}\\\\b",
	};
	static const char *const with[] = { "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
	static const char *const without[] = { NULL };

	(void)state;
	make_many_files();
	for (size_t i = 0; i < ARRAY_LEN(patterns) * 2; i++) {
		const char *args =
			format("{'pattern':'%s','case_sensitive':%s,'total_max_matches':%d}",
			       patterns[i / 2], i & 1 ? "true" : "false", i < 9 ? 50 : 1000);

		fx.env.env = without;
		call("grep_search", args);
		AUTO(free) char *expected = xstrdup(content());
		fx.env.env = with;
		call("grep_search", args);
		assert_content(expected);
	}
	call("grep_search", "{'pattern':'foo_bar','names_only':true,'total_max_matches':1000}");
	assert_has(content(), "Found 202 files");
	assert_has(content(), "d1/-\n");
	assert_has(content(), "d1/\xef\xbf\xbd.txt");
}

/* ---- all ---- */

static void test_deep_trees_and_many_files(void **state)
{
	int64_t start = clock_cpu_us();
	char name[64];
	int fd = open(fx.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		(void)snprintf(name, sizeof name, "%05d", i);
		int file = openat(fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert_true(file >= 0);
		(void)close(file);
	}
	for (int i = 0; i < 150; i++) {
		int below;

		assert_int_equal(mkdirat(fd, "deep", 0700), 0);
		below = openat(fd, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(below >= 0);
		(void)close(fd);
		fd = below;
	}
	(void)close(fd);
	call("glob", "{'pattern':'**/000*'}");
	assert_has(content(), "Found 100 file(s)");
	assert_has(content(), "ended early"); /* too deep */
	call("list_directory", "{'dir_path':'.'}");
	assert_has(content(), "(10001 more entries are not shown)");
	assert_true(clock_cpu_us() - start < 60 * 1000 * 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, tools_setup, tools_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(list_directory),
		TEST(glob),
		TEST(ignore_files_of_all_directories),
		TEST(grep),
		TEST(grep_errors),
		TEST(grep_limits),
		TEST(grep_is_the_same_with_ripgrep),
		TEST(deep_trees_and_many_files),
	};
	AUTO(free) char *ripgrep = NULL;

	if (!fs_find_program("rg", "/usr/local/bin:/usr/bin:/bin", &ripgrep))
		cmocka_set_skip_filter("test_grep_is_the_same_with_ripgrep");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
