/* What an edit shows: the diff, its statistics, the changed places. */
#include <stdio.h>

#include "base/diff.h"
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
	size_t n = 0;

	if (str_ends(line, STR("\n")))
		line.n--;
	for (size_t i = 0; i < line.n; i++) {
		unsigned char c = (unsigned char)line.p[i];

		n += (c & 0xc0) != 0x80;
		n += c >= 0xf0;
	}
	return n;
}

struct stat_counts {
	size_t added_lines, removed_lines, added_chars, removed_chars;
};

static struct stat_counts count(const struct diff *d)
{
	struct stat_counts s = { 0 };

	for (size_t i = 0; i < d->n; i++) {
		const struct diff_change *c = &d->changes[i];

		s.added_lines += c->new_n;
		s.removed_lines += c->old_n;
		for (size_t k = 0; k < c->new_n; k++)
			s.added_chars += units(d->new_lines[c->new_at + k]);
		for (size_t k = 0; k < c->old_n; k++)
			s.removed_chars += units(d->old_lines[c->old_at + k]);
	}
	return s;
}

static const struct json *diff_stat(struct arena *a, const struct stat_counts *s)
{
	const struct {
		struct str key;
		size_t n;
	} rows[] = {
		{ STR("model_added_lines"), s->added_lines },
		{ STR("model_removed_lines"), s->removed_lines },
		{ STR("model_added_chars"), s->added_chars },
		{ STR("model_removed_chars"), s->removed_chars },
		{ STR("user_added_lines"), 0 },
		{ STR("user_removed_lines"), 0 },
		{ STR("user_added_chars"), 0 },
		{ STR("user_removed_chars"), 0 },
	};
	const struct json *o = json_new_obj(a);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		o = json_set(a, o, rows[i].key, json_new_int(a, (int64_t)rows[i].n));
	return o;
}

static const struct json *set_str(struct arena *a, const struct json *o, const char *key,
				  struct str s)
{
	return json_set(a, o, str_from(key), json_new_str(a, tool_clean(a, s)));
}

/* The members that both objects have. */
static const struct json *common(struct arena *a, const struct json *o, const struct file_change *c,
				 const struct diff *d)
{
	AUTO(buf_done) struct buf out = { 0 };
	const char *name = name_of(c->path);

	buf_addf(&out,
		 "Index: %s\n"
		 "===================================================================\n"
		 "--- %s\t%s\n+++ %s\t%s\n",
		 name, name, c->label_before, name, c->label_after);
	(void)diff_add_hunks(&out, d, DIFF_CONTEXT);
	o = set_str(a, o, "fileDiff", tool_clean(a, buf_str(&out)));
	o = set_str(a, o, "fileName", str_from(name_of(c->path)));
	o = set_str(a, o, "filePath", str_from(c->path));
	o = set_str(a, o, "originalContent", c->before);
	return set_str(a, o, "newContent", c->after);
}

const struct json *change_display(struct tool_call *call, const struct file_change *c,
				  struct tool_result *r)
{
	struct arena *a = call->arena;
	struct stat_counts s;
	struct diff d;
	const struct json *o;

	diff_lines(a, c->before, c->after, &d);
	s = count(&d);
	r->lines_added = (int)s.added_lines;
	r->lines_removed = (int)s.removed_lines;
	o = common(a, json_new_obj(a), c, &d);
	r->metadata = diff_stat(a, &s);
	o = json_set(a, o, STR("diffStat"), r->metadata);
	o = json_set(a, o, STR("isNewFile"), json_new_bool(a, c->is_new));
	return json_set(a, o, STR("isBuildFile"),
			json_new_bool(a, WORD_IN(str_from(name_of(c->path)), build_files)));
}

const struct json *change_confirm(struct tool_call *call, const struct file_change *c,
				  const char *title)
{
	struct arena *a = call->arena;
	struct str shown = file_shown(call, c->path);
	struct diff d;
	const struct json *o;

	diff_lines(a, c->before, c->after, &d);
	o = set_str(a, NULL, "type", STR("edit"));
	o = set_str(a, o, "title", arena_printf(a, "%s: %.*s", title, STR_ARG(shown)));
	return common(a, o, c, &d);
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
