/* What edits read, and what they show: the diff, its statistics, the changed places. */
#include <errno.h>
#include <sys/stat.h>

#include "base/diff.h"
#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/words.h"
#include "tools/files.h"

enum { DIFF_CONTEXT = 3, SNIPPET_CONTEXT = 5, SNIPPET_MAX = 64 << 10 };

/* Files that say how a project is built; sorted. */
static const char *const build_files[] = {
	"BUILD",        "BUILD.bazel",      "CMakeLists.txt", "Cargo.toml",    "Dockerfile",
	"GNUmakefile",  "Gemfile",          "Makefile",       "Rakefile",      "WORKSPACE",
	"build.gradle", "build.gradle.kts", "build.xml",      "composer.json", "go.mod",
	"makefile",     "meson.build",      "package.json",   "pom.xml",       "pyproject.toml",
	"setup.cfg",    "setup.py",
};

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* As JavaScript counts: UTF-16 units, without the line's end. */
static size_t units(struct str line)
{
	return utf8_units(line) - str_ends(line, STR("\n"));
}

bool change_load(struct tool_call *call, struct tool_result *r, struct file_change *ret_c,
		 enum text_encoding *ret_encoding)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct file_change *c = ret_c;
	struct stat st;

	*c = (struct file_change){ 0 };
	*ret_encoding = TEXT_UTF8;
	if (!check_file_path(call, r))
		return false;
	c->path = workspace_path(call, r, arg_str(call, "file_path"));
	if (!c->path)
		return false;
	c->is_new = lstat(c->path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
	if (c->is_new)
		return true;
	if (!file_load(call, r, c->path, &bytes))
		return false;
	*ret_encoding = text_encoding(buf_str(&bytes));
	if (*ret_encoding != TEXT_BINARY)
		c->before = text_decode(call->arena, arena_str(call->arena, buf_str(&bytes)),
					*ret_encoding);
	return true;
}

/* The members that both objects have, behind those of obj. */
static const struct json *common(struct arena *a, const struct json *obj,
				 const struct file_change *c, const struct diff *d)
{
	AUTO(buf_done) struct buf out = { 0 };
	const char *name = name_of(c->path);

	buf_addf(&out,
		 "Index: %s\n"
		 "===================================================================\n"
		 "--- %s\t%s\n+++ %s\t%s\n",
		 name, name, c->label_before, name, c->label_after);
	(void)diff_add_hunks(&out, d, DIFF_CONTEXT);
	return json_pack_more(a, obj,
			      "fileDiff:s fileName:s filePath:s originalContent:s newContent:s",
			      tool_clean(a, buf_str(&out)), tool_clean(a, str_from(name)),
			      tool_clean(a, str_from(c->path)), tool_clean(a, c->before),
			      tool_clean(a, c->after));
}

const struct json *change_display(struct tool_call *call, const struct file_change *c,
				  struct tool_result *r)
{
	size_t added = 0, removed = 0, added_chars = 0, removed_chars = 0;
	struct arena *a = call->arena;
	struct diff d;

	diff_lines(a, c->before, c->after, &d);
	for (size_t i = 0; i < d.n; i++) {
		const struct diff_change *one = &d.changes[i];

		added += one->new_n;
		removed += one->old_n;
		for (size_t k = 0; k < one->new_n; k++)
			added_chars += units(d.new_lines[one->new_at + k]);
		for (size_t k = 0; k < one->old_n; k++)
			removed_chars += units(d.old_lines[one->old_at + k]);
	}
	r->lines_added = (int)added;
	r->lines_removed = (int)removed;
	r->metadata = json_pack(a,
				"model_added_lines:n model_removed_lines:n model_added_chars:n "
				"model_removed_chars:n user_added_lines:i user_removed_lines:i "
				"user_added_chars:i user_removed_chars:i",
				added, removed, added_chars, removed_chars, 0, 0, 0, 0);
	return json_pack_more(a, common(a, json_new_obj(a), c, &d),
			      "diffStat:j isNewFile:b isBuildFile:b", r->metadata, c->is_new,
			      WORD_IN(str_from(name_of(c->path)), build_files));
}

const struct json *change_confirm(struct tool_call *call, const struct file_change *c,
				  const char *title)
{
	struct arena *a = call->arena;
	struct str shown = file_shown(call, c->path);
	struct diff d;

	diff_lines(a, c->before, c->after, &d);
	shown = tool_clean(a, arena_printf(a, "%s: %.*s", title, STR_ARG(shown)));
	return common(a, json_pack(a, "type:z title:s", "edit", shown), c, &d);
}

struct str change_snippet(struct tool_call *call, const struct file_change *c)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = SNIPPET_MAX);
	struct diff_hunk h;
	struct diff d;

	if (c->before.n == 0) {
		buf_adds(&out, str_sub(c->after, 0, SNIPPET_MAX));
		return tool_clean(call->arena, buf_str(&out));
	}
	diff_lines(call->arena, c->before, c->after, &d);
	for (size_t at = 0; diff_next_hunk(&d, SNIPPET_CONTEXT, &at, &h);) {
		if (h.new_at > 0)
			buf_addz(&out, "...\n");
		for (size_t i = 0; i < h.new_n; i++)
			buf_adds(&out, d.new_lines[h.new_at + i]);
		if (at == d.n && h.new_at + h.new_n < d.new_n)
			buf_addz(&out, "...");
	}
	return tool_clean(call->arena, buf_str(&out));
}
