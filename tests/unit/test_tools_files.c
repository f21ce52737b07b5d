/* The file tools, called as the agent calls them; F... are the rules of the specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <sys/stat.h>

#include "os/clock.h"
#include "tools/files.h"
#include "tools/schema_check.h"
#include "tools_fixture.h"

/* ---- the registry ---- */

/* What a row says of its arguments agrees with its schema. */
static void check_row(struct arena *a, const struct tool *t, const struct json *schema)
{
	const struct json *properties = json_getz(schema, "properties"), *args;
	struct err err = { 0 };

	assert_true(json_is(properties, J_OBJ));
	assert_true(!t->path_arg || json_getz(properties, t->path_arg));
	assert_true(!t->command_arg || json_getz(properties, t->command_arg));
	assert_true(!t->harmless || (t->kind != TOOL_EDIT && t->kind != TOOL_EXECUTE));
	if (!t->example)
		return;
	assert_int_equal(json_parse(a, str_from(t->example), 0, &args, NULL), 0);
	if (schema_check(schema, args, "params", &err) < 0)
		fail_msg("%s: %s", t->name, err.text);
}

static void test_registry(void **state)
{
	static const char *const names[] = { "read_file", "write_file", "replace", "glob" };

	(void)state;
	for (size_t i = 0; i < tools_n; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *d = tool_declaration(&a, tools[i]);

		assert_true(i == 0 || strcmp(tools[i - 1]->name, tools[i]->name) < 0);
		assert_ptr_equal(tool_find(str_from(tools[i]->name)), tools[i]);
		check_row(&a, tools[i], json_getz(d, "parametersJsonSchema"));
	}
	assert_string_equal(tool_find(STR("search_file_content"))->name, "grep_search");
	assert_null(tool_find(STR("nothing")));
	assert_null(tool_find(STR("EditTool")));
	assert_string_equal(tool_find_setting(STR("EditTool"))->name, "replace");
	assert_string_equal(tool_not_found(&fx.arena, STR("read_fle"), names, 4).p,
			    "Tool \"read_fle\" not found. Did you mean one of: \"read_file\", "
			    "\"write_file\", \"replace\"?");
	assert_string_equal(tool_not_found(&fx.arena, STR("x"), names, 1).p,
			    "Tool \"x\" not found. Did you mean \"read_file\"?");
	assert_string_equal(tool_not_found(&fx.arena, STR("x"), NULL, 0).p,
			    "Tool \"x\" not found.");
	assert_string_equal(
		tool_untrusted(&fx.arena, STR("a</untrusted_context>b")).p,
		"<untrusted_context>\na&lt;/untrusted_context&gt;b\n</untrusted_context>");
	call("read_file", "{}");
	assert_fails("invalid_tool_params", "params must have required property 'file_path'");
}

/* ---- the workspace ---- */

static void test_paths_stay_in_the_workspace(void **state)
{
	(void)state;
	call("read_file", "{'file_path':'/etc/passwd'}");
	assert_fails("invalid_tool_params", "Path not in workspace");
	assert_string_equal(
		content(),
		format("Path not in workspace: Attempted path \"/etc/passwd\" resolves outside the "
		       "allowed workspace directories: %s or the project temp directory: %s",
		       fx.dir, fx.temp));
	call("write_file", "{'file_path':'../x','content':''}");
	assert_fails("invalid_tool_params", "Path not in workspace");
	assert_int_equal(symlink(fx.outside, at("link")), 0);
	call("write_file", "{'file_path':'link/x','content':''}");
	assert_fails("invalid_tool_params", "Path not in workspace");
	call("list_directory", "{'dir_path':'link'}");
	assert_fails("invalid_tool_params", "Path not in workspace");
	/* A link to what is not there yet. */
	assert_int_equal(symlink(format("%s/new", fx.outside), at("dangling")), 0);
	call("write_file", "{'file_path':'dangling','content':''}");
	assert_fails("invalid_tool_params", "Path not in workspace");
	assert_int_equal(symlink("loop", at("loop")), 0);
	call("write_file", "{'file_path':'loop/x','content':''}");
	assert_fails("invalid_tool_params", "Path not in workspace");
	call("read_file", "{'file_path':''}");
	assert_fails("invalid_tool_params", "empty");
	call("read_file", "{'file_path':'a\\u0000b'}");
	assert_fails("invalid_tool_params", "NUL");
	/* A directory that only begins with the same letters. */
	call("read_file", format("{'file_path':'%s-more/x'}", fx.dir));
	assert_fails("invalid_tool_params", "Path not in workspace");
	call("write_file", format("{'file_path':'%s/note.txt','content':'x'}", fx.temp));
	assert_string_equal(error_type(), "");
}

/* However a path is spelled: what lies outside stays there, what lies inside is reached. */
static void test_spellings_of_a_path(void **state)
{
	static const char *const out[] = { "/secret",  "//secret",  "/./secret",
					   "/secret/", "/secret/.", "/x/../secret" };
	static const char *const in[] = { "/a",      "//a",          "/./a",
					  "/d/../a", "/same/same/a", "/none/../a" };

	(void)state;
	put("a", "one\n");
	put("d/b", "two\n");
	assert_int_equal(fs_replace(format("%s/secret", fx.outside), STR("no\n"), 0600, NULL), 0);
	assert_int_equal(symlink(".", at("same")), 0);
	assert_int_equal(symlink(fx.outside, at("d/away")), 0);
	assert_int_equal(symlink(format("../..%s", strrchr(fx.outside, '/')), at("d/up")), 0);
	AUTO(free) char *long_way = xasprintf("%s/..%s", fx.dir, strrchr(fx.outside, '/'));
	AUTO(free) char *away = xasprintf("%s/d/away", fx.dir);
	const char *const roots[] = {
		fx.outside, "same/d/away", "d/./up", "d//away", away, long_way
	};
	for (size_t i = 0; i < ARRAY_LEN(out) * ARRAY_LEN(roots); i++) {
		AUTO(free) char *path =
			xasprintf("%s%s", roots[i / ARRAY_LEN(out)], out[i % ARRAY_LEN(out)]);

		call("read_file", format("{'file_path':'%s'}", path));
		assert_fails("invalid_tool_params", "Path not in workspace");
		call("write_file", format("{'file_path':'%s','content':'x'}", path));
		assert_fails("invalid_tool_params", "Path not in workspace");
	}
	for (size_t i = 0; i < ARRAY_LEN(in) * 3; i++) {
		const char *const top[] = { fx.dir, ".", "same/d/.." };

		call("read_file", format("{'file_path':'%s%s'}", top[i % 3], in[i / 3]));
		assert_content("one\n");
	}
	/* Letters of another case are another file. */
	AUTO(free) char *other = xstrdup(fx.dir);
	for (char *c = other; *c; c++)
		*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
	call("write_file", format("{'file_path':'%s/a','content':'x'}", other));
	assert_fails("invalid_tool_params", "Path not in workspace");
}

static void test_links_inside_are_followed(void **state)
{
	(void)state;
	put("real/a.txt", "one\n");
	assert_int_equal(symlink("real", at("link")), 0);
	call("read_file", "{'file_path':'link/a.txt'}");
	assert_content("one\n");
	call("write_file", "{'file_path':'link/a.txt','content':'two\\n'}");
	assert_has(content(), at("real/a.txt"));
	assert_file("real/a.txt", "two\n");
}

/* A link that appears between the check and the opening is not followed. */
static void test_a_link_swapped_in_is_refused(void **state)
{
	struct tool_call c = { .env = &fx.env, .arena = &fx.arena };
	struct tool_result r = { 0 };
	AUTO(buf_done) struct buf bytes = { 0 };
	const char *path;

	(void)state;
	put("d/secret", "mine");
	path = workspace_path(&c, &r, STR("d/secret"));
	assert_non_null(path);
	assert_int_equal(rename(at("d"), at("old")), 0);
	assert_int_equal(symlink(fx.outside, at("d")), 0);
	assert_int_equal(fs_replace(format("%s/secret", fx.outside), STR("theirs"), 0600, NULL), 0);
	assert_false(file_load(&c, &r, path, &bytes));
	assert_string_equal(r.error_type, "path_not_in_workspace");
	assert_false(file_store(&c, &r, path, STR("x")));
	/* The last part, too. */
	assert_int_equal(unlink(at("d")), 0);
	assert_int_equal(rename(at("old"), at("d")), 0);
	assert_int_equal(unlink(at("d/secret")), 0);
	assert_int_equal(symlink(format("%s/secret", fx.outside), at("d/secret")), 0);
	assert_false(file_load(&c, &r, path, &bytes));
	assert_false(file_store(&c, &r, path, STR("x")));
	assert_string_equal(r.error_type, "path_not_in_workspace");
}

/* ---- read_file ---- */

static void test_read_file(void **state)
{
	(void)state;
	put("a.txt", "one\r\ntwo");
	call("read_file", "{'file_path':'a.txt'}");
	assert_content("one\r\ntwo");
	assert_string_equal(display(""), "");
	put("empty", "");
	call("read_file", "{'file_path':'empty'}");
	assert_content("");
	call("read_file", "{'file_path':'none.txt'}");
	assert_fails("file_not_found", format("File not found: %s", at("none.txt")));
	call("read_file", "{'file_path':'a.txt/b'}");
	assert_fails("file_not_found", "File not found");
	call("read_file", "{'file_path':'.'}");
	assert_fails("target_is_directory", fx.dir);
	call("read_file", "{'file_path':1}");
	assert_fails("invalid_tool_params", "params/file_path must be string");
}

static void test_read_file_ranges(void **state)
{
	(void)state;
	put_lines("l", 5);
	call("read_file", "{'file_path':'l','start_line':2,'end_line':3}");
	assert_has(content(), "IMPORTANT: The file content has been truncated.\n"
			      "Status: Showing lines 2-3 of 5 total lines.\nAction: ");
	assert_has(content(), "start_line: 4");
	assert_has(content(), "--- FILE CONTENT (truncated) ---\nline 2\nline 3\n");
	assert_string_equal(display(""), "Read lines 2-3 of 5 from l");
	call("read_file", "{'file_path':'l','start_line':1,'end_line':99}");
	assert_content("line 1\nline 2\nline 3\nline 4\nline 5\n");
	call("read_file", "{'file_path':'l','start_line':3,'end_line':2}");
	assert_fails("invalid_tool_params", "start_line");
	call("read_file", "{'file_path':'l','start_line':0}");
	assert_fails("invalid_tool_params", "params/start_line must be >= 1");
	call("read_file", "{'file_path':'l','start_line':6}");
	assert_fails("invalid_tool_params", "5 lines");
}

static void test_read_file_limits(void **state)
{
	AUTO(buf_done) struct buf big = { 0 };

	(void)state;
	put_lines("2000", 2000);
	call("read_file", "{'file_path':'2000'}");
	assert_null(strstr(content(), "IMPORTANT"));
	put_lines("2001", 2001);
	call("read_file", "{'file_path':'2001'}");
	assert_has(content(), "Status: Showing lines 1-2000 of 2001 total lines.");
	assert_has(content(), "line 2000\n");
	assert_null(strstr(content(), "line 2001"));
	for (int i = 0; i < 2001; i++)
		buf_addz(&big, "\xc3\xa9");
	put_bytes("long", buf_str(&big));
	call("read_file", "{'file_path':'long'}");
	assert_has(content(), "\xc3\xa9... [truncated]");
	assert_int_equal(truncate(at("2000"), (20 << 20) + 1), 0);
	call("read_file", "{'file_path':'2000'}");
	assert_fails("file_too_large", at("2000"));
}

static void test_read_file_encodings(void **state)
{
	(void)state;
	put("bom", "\xef\xbb\xbfgr\xc3\xbc\xc3\x9f");
	call("read_file", "{'file_path':'bom'}");
	assert_content("gr\xc3\xbc\xc3\x9f");
	put_bytes("le", (struct str){ "\xff\xfeh\0i\0\x3d\xd8\x00\xde", 10 });
	call("read_file", "{'file_path':'le'}");
	assert_content("hi\xf0\x9f\x98\x80");
	put_bytes("be", (struct str){ "\xfe\xff\0h\0i", 6 });
	call("read_file", "{'file_path':'be'}");
	assert_content("hi");
	put("latin1", "caf\xe9\n");
	call("read_file", "{'file_path':'latin1'}");
	assert_content("caf\xef\xbf\xbd\n");
	put_bytes("binary", (struct str){ "\x7f"
					  "ELF\0\1\2",
					  7 });
	call("read_file", "{'file_path':'binary'}");
	assert_content("Cannot display content of binary file: binary");
}

static void test_read_file_media(void **state)
{
	(void)state;
	put_bytes("x.png", STR("\x89PNG\r\n\x1a\n1"));
	call("read_file", "{'file_path':'x.png'}");
	assert_content("[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"iVBORw0KGgox\"}}]");
	put("x.PDF", "%PDF-1.4\n");
	call("read_file", "{'file_path':'x.PDF'}");
	assert_content(
		"[{\"inlineData\":{\"mimeType\":\"application/pdf\",\"data\":\"JVBERi0xLjQK\"}}]");
	/* A name is not enough. */
	put("y.png", "text");
	call("read_file", "{'file_path':'y.png'}");
	assert_content("text");
}

static void test_no_tool_waits_for_a_fifo(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	put("a.txt", "needle\n");
	call("read_file", "{'file_path':'fifo'}");
	assert_fails("read_content_failure", "Not a regular file");
	call("replace", "{'file_path':'fifo','instruction':'i','old_string':'a','new_string':'b'}");
	assert_fails("read_content_failure", "Not a regular file");
	call("write_file", "{'file_path':'fifo','content':'x'}");
	assert_fails("read_content_failure", "Not a regular file");
	call("grep_search", "{'pattern':'needle'}");
	assert_has(content(), "Found 1 match ");
	call("glob", "{'pattern':'*'}");
	assert_has(content(), "Found 1 file(s)");
	call("read_many_files", "{'include':['**']}");
	assert_has(content(), "needle");
}

static void test_geminiignore_keeps_files_back(void **state)
{
	(void)state;
	put(".geminiignore", "secret/\n*.key\n");
	put("secret/a", "x");
	put("b.key", "x");
	put("c", "x");
	call("read_file", "{'file_path':'secret/a'}");
	assert_fails("invalid_tool_params", ".geminiignore");
	call("read_file", "{'file_path':'b.key'}");
	assert_fails("invalid_tool_params", ".geminiignore");
	call("read_file", "{'file_path':'c'}");
	assert_content("x");
}

/* ---- write_file ---- */

static void test_write_file(void **state)
{
	struct stat st;

	(void)state;
	call("write_file", "{'file_path':'d/e/new.txt','content':'a\\nb'}");
	assert_content(format("Successfully created and wrote to new file: %s. Here is the updated "
			      "code:\na\nb",
			      at("d/e/new.txt")));
	assert_file("d/e/new.txt", "a\nb");
	assert_string_equal(display("/isNewFile"), "true");
	assert_string_equal(display("/fileName"), "new.txt");
	assert_string_equal(display("/filePath"), at("d/e/new.txt"));
	assert_string_equal(display("/originalContent"), "");
	assert_string_equal(display("/diffStat"),
			    "{\"model_added_lines\":2,\"model_removed_lines\":0,"
			    "\"model_added_chars\":2,\"model_removed_chars\":0,"
			    "\"user_added_lines\":0,\"user_removed_lines\":0,"
			    "\"user_added_chars\":0,\"user_removed_chars\":0}");
	assert_int_equal(fx.result.lines_added, 2);
	assert_int_equal(chmod(at("d/e/new.txt"), 0755), 0);
	call("write_file", "{'file_path':'d/e/new.txt','content':'a\\nc\\n'}");
	assert_has(content(), format("Successfully overwrote file: %s. Here is the updated code:\n",
				     at("d/e/new.txt")));
	assert_file("d/e/new.txt", "a\nc\n");
	assert_string_equal(display("/fileDiff"),
			    "Index: new.txt\n"
			    "===================================================================\n"
			    "--- new.txt\tOriginal\n+++ new.txt\tWritten\n"
			    "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n");
	assert_string_equal(display("/isNewFile"), "false");
	assert_int_equal(stat(at("d/e/new.txt"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	call("write_file", "{'file_path':'d','content':'x'}");
	assert_fails("target_is_directory", at("d"));
}

static void test_write_file_keeps_line_endings_and_encoding(void **state)
{
	(void)state;
	put("crlf", "a\r\nb\r\n");
	call("write_file", "{'file_path':'crlf','content':'a\\nc\\r\\nd'}");
	assert_file("crlf", "a\r\nc\r\nd");
	put("bom", "\xef\xbb\xbfx\n");
	call("write_file", "{'file_path':'bom','content':'y\\n'}");
	assert_file("bom", "\xef\xbb\xbfy\n");
	put_bytes("le", (struct str){ "\xff\xfeh\0", 4 });
	call("write_file", "{'file_path':'le','content':'\xf0\x9f\x98\x80'}");
	assert_true(str_eq(get("le"), (struct str){ "\xff\xfe\x3d\xd8\x00\xde", 6 }));
}

static void test_write_file_reports_failures(void **state)
{
	(void)state;
	put("file", "x");
	call("write_file", "{'file_path':'file/below','content':'x'}");
	assert_string_equal(error_type(), "file_write_failure");
	assert_null(strstr(content(), "/proc/"));
	if (geteuid() != 0) {
		assert_int_equal(mkdir(at("locked"), 0555), 0);
		call("write_file", "{'file_path':'locked/x','content':'x'}");
		assert_fails("permission_denied", at("locked/x"));
	}
}

static void test_confirmation(void **state)
{
	struct tool_call c = { .env = &fx.env, .arena = &fx.arena };
	const struct json *d;

	(void)state;
	put("a.txt", "x\n");
	assert_int_equal(json_parse(&fx.arena,
				    STR("{\"file_path\":\"a.txt\",\"content\":\"y\\n\"}"), 0,
				    &c.args, NULL),
			 0);
	d = tool_find(STR("write_file"))->confirm(&c);
	assert_true(str_eqz(json_get_str(d, "title"), "Confirm Write: a.txt"));
	assert_true(str_eqz(json_get_str(d, "type"), "edit"));
	assert_has(json_getz(d, "fileDiff")->s, "--- a.txt\tCurrent\n+++ a.txt\tProposed\n");
	assert_file("a.txt", "x\n");
	d = tool_find(STR("replace"))->confirm(&c); /* arguments that cannot work */
	assert_true(str_eqz(json_get_str(d, "title"), "Confirm Edit: a.txt"));
}

/* ---- replace ---- */

static void replace(const char *old, const char *new_text, const char *more)
{
	call("replace",
	     format("{'file_path':'f','instruction':'i','old_string':'%s','new_string':'%s'%s}",
		    old, new_text, more));
}

static const struct replacement {
	const char *file, *old, *new_text, *more, *result; /* NULL = 0 occurrences */
} replacements[] = {
	/* exact */
	{ "a b c", "b", "x", "", "a x c" },
	{ "a $& c", "$&", "$1", "", "a $1 c" },
	{ "aXbXc", "X", "-", ",'allow_multiple':true", "a-b-c" },
	/* line endings */
	{ "a\r\nb\r\nc\r\n", "a\\nb", "x\\ny", "", "x\r\ny\r\nc\r\n" },
	{ "a\nb\r\nc\nd\n", "b", "x\\ny", "", "a\nx\r\ny\r\nc\nd\n" }, /* mixed: only there */
	{ "\xef\xbb\xbf"
	  "a",
	  "a", "b", "",
	  "\xef\xbb\xbf"
	  "b" },
	/* by lines: indentation is that of the file */
	{ "if (x) {\n\t\tfoo();\n\t\tbar();\n}\n", "foo();\\nbar();", "baz();\\n\\n  qux();", "",
	  "if (x) {\n\t\tbaz();\n\n\t\t  qux();\n}\n" },
	{ "  a;\n  b;\nc\n", "a; \\nb;\\n", "", "", "c\n" },
	{ "  a;\n  b;\nc\n", "a; \\nb;\\n", "d;\\n", "", "  d;\nc\n" },
	/* by tokens */
	{ "x\n  call( a,b );\ny\n", "call(a,b);", "call(b);", "", "x\n  call(b);\ny\n" },
	/* by resemblance, one character in ten */
	{ "int the_first_value = compute_it();\nother\n", "int the_frst_value = compute_it();",
	  "gone();", "", "gone();\nother\n" },
	{ "int the_first_value = compute_it();\n", "int my_second_val = compute_it();", "x", "",
	  NULL },
	{ "short\n", "shorx", "x", "", NULL },
	{ "a\n\n\nb\n", " \\n ", "x", "", NULL }, /* white space alone is no hint */
};

static void test_replace(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(replacements); i++) {
		const struct replacement *t = &replacements[i];

		put("f", t->file);
		replace(t->old, t->new_text, t->more);
		if (!t->result)
			assert_fails("edit_no_occurrence_found", "old_string in f");
		else
			assert_string_equal(error_type(), "");
		assert_file("f", t->result ? t->result : t->file);
	}
}

static void test_replace_answers(void **state)
{
	(void)state;
	put("f", "1\n2\n3\n4\n5\n6\n7\n8\nX\n10\n");
	replace("X", "9", "");
	assert_content(format("Successfully modified file: %s (1 replacements). Here is the "
			      "updated code:\n"
			      "...\n4\n5\n6\n7\n8\n9\n10\n",
			      at("f")));
	assert_has(display("/fileDiff"), "--- f\tCurrent\n+++ f\tProposed\n@@ -6,5 +6,5 @@\n 6\n");
	assert_int_equal(fx.result.lines_added, 1);
	assert_int_equal(fx.result.lines_removed, 1);
	call("replace", "{'file_path':'n','instruction':'i','old_string':'','new_string':'a\\n'}");
	assert_content(format("Created new file: %s with provided content.", at("n")));
	assert_file("n", "a\n");
	assert_string_equal(display("/isNewFile"), "true");
}

static void test_replace_errors(void **state)
{
	(void)state;
	put("f", "a a\n");
	replace("a", "b", "");
	assert_fails("edit_expected_occurrence_mismatch",
		     "Failed to edit, Expected 1 occurrence but found 2 for old_string in file: f. "
		     "If you intended to replace multiple occurrences, set 'allow_multiple' to "
		     "true.");
	replace("z", "b", "");
	assert_fails("edit_no_occurrence_found",
		     "Could not find an exact match for 'old_string' in 'f'. ");
	assert_has(content(), "Failed to edit, 0 occurrences found for old_string in f");
	replace("a a", "a a", "");
	assert_fails("edit_no_change", "identical");
	replace("", "b", "");
	assert_fails("attempt_to_create_existing_file", "already exists");
	call("replace", "{'file_path':'none','instruction':'i','old_string':'a','new_string':'b'}");
	assert_fails("file_not_found", "File not found");
	call("replace", "{'file_path':'.','instruction':'i','old_string':'a','new_string':'b'}");
	assert_fails("target_is_directory", fx.dir);
	put_bytes("f", (struct str){ "a\0b", 3 });
	replace("a", "b", "");
	assert_fails("edit_preparation_failure", "binary");
	assert_true(str_eq(get("f"), (struct str){ "a\0b", 3 }));
}

static void test_replace_is_bounded(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(buf_done) struct buf args = { 0 };
	int64_t start = clock_cpu_us();

	(void)state;
	for (int i = 0; i < 200000; i++)
		buf_addz(&text, "(a( b a (\n");
	put_bytes("f", buf_str(&text));
	buf_addz(&args, "{'file_path':'f','instruction':'i','new_string':'','old_string':'");
	for (int i = 0; i < 20000; i++)
		buf_addz(&args, "(a( b a(\\n");
	buf_addz(&args, "c'}");
	call("replace", buf_z(&args));
	assert_string_equal(error_type(), "edit_no_occurrence_found");
	assert_true(clock_cpu_us() - start < 60 * 1000 * 1000);
}

/* ---- read_many_files ---- */

static void test_read_many_files(void **state)
{
	(void)state;
	put("a.txt", "A");
	put("d/b.txt", "B\n");
	put("d/c.bin", "x");
	put_bytes("d/c.bin", (struct str){ "\0", 1 });
	put_bytes("x.png", STR("\x89PNG\r\n\x1a\n1"));
	call("read_many_files", "{'include':['**/*.txt']}");
	assert_content(format("--- %s ---\n\nA\n\n--- %s ---\n\nB\n\n\n--- End of content ---",
			      at("a.txt"), at("d/b.txt")));
	call("read_many_files", "{'include':['d']}"); /* A directory means its files */
	assert_has(content(), "Skipped 1 file(s):\n- d/c.bin (binary)");
	call("read_many_files", "{'include':['**'],'exclude':['d/**'],'recursive':false}");
	assert_has(content(), "x.png (binary)");
	call("read_many_files", "{'include':['*.png','a.txt']}");
	assert_has(content(), "[{\"text\":\"--- ");
	assert_has(content(), "{\"inlineData\":{\"mimeType\":\"image/png\"");
	call("read_many_files", "{'include':['none']}");
	assert_has(content(), "No files matching the criteria were found");
	call("read_many_files", "{'include':[]}");
	assert_fails("invalid_tool_params", "must NOT have fewer than 1 items");
}

/* An absolute path in another directory of the workspace, and a pattern there. */
static void test_read_many_files_elsewhere(void **state)
{
	AUTO(free) char *more = xasprintf("%s/more", fx.dir);
	AUTO(free) char *first = xasprintf("%s/first", fx.dir);
	const char *const before = fx.roots[0];

	(void)state;
	put("more/x.md", "X");
	put("more/y.md", "Y");
	put("first/a.md", "A");
	fx.roots[0] = first;
	fx.roots[1] = more;
	fx.env.cwd = first;
	call("read_many_files", format("{'include':['%s/x.md','a.md']}", more));
	assert_has(content(), "more/x.md ---\n\nX");
	assert_has(content(), "first/a.md ---\n\nA");
	call("read_many_files", format("{'include':['%s/*.md'],'exclude':['%s/x*']}", more, more));
	assert_has(content(), "more/y.md ---\n\nY");
	assert_null(strstr(content(), "x.md"));
	call("read_many_files", "{'include':['/etc/passwd']}");
	assert_has(content(), "No files matching the criteria were found");
	fx.roots[0] = before;
	fx.roots[1] = NULL;
	fx.env.cwd = fx.dir;
}

/* ---- all ---- */

static void test_cancelled_calls_end(void **state)
{
	static const struct {
		const char *tool, *args;
	} calls[] = {
		{ "grep_search", "{'pattern':'x'}" },
		{ "glob", "{'pattern':'**'}" },
		{ "list_directory", "{'dir_path':'.'}" },
		{ "read_file", "{'file_path':'f'}" },
		{ "read_many_files", "{'include':['**']}" },
		{ "replace",
		  "{'file_path':'f','instruction':'i','old_string':'x','new_string':'y'}" },
		{ "write_file", "{'file_path':'new','content':''}" },
	};
	AUTO(cancel_free) struct cancel *cancel = cancel_new(NULL);

	(void)state;
	put("f", "x\n");
	cancel_fire(cancel);
	fx.cancel = cancel;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		call(calls[i].tool, calls[i].args);
		assert_string_not_equal(error_type(), "");
	}
	assert_file("f", "x\n");
	assert_false(fs_exists(at("new")));
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, tools_setup, tools_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(registry),
		TEST(paths_stay_in_the_workspace),
		TEST(spellings_of_a_path),
		TEST(links_inside_are_followed),
		TEST(a_link_swapped_in_is_refused),
		TEST(read_file),
		TEST(read_file_ranges),
		TEST(read_file_limits),
		TEST(read_file_encodings),
		TEST(read_file_media),
		TEST(no_tool_waits_for_a_fifo),
		TEST(geminiignore_keeps_files_back),
		TEST(write_file),
		TEST(write_file_keeps_line_endings_and_encoding),
		TEST(write_file_reports_failures),
		TEST(confirmation),
		TEST(replace),
		TEST(replace_answers),
		TEST(replace_errors),
		TEST(replace_is_bounded),
		TEST(read_many_files),
		TEST(read_many_files_elsewhere),
		TEST(cancelled_calls_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
