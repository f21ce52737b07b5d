/* list_directory: what is in one directory, directories first. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "base/wild.h"
#include "tools/files.h"
#include "tools/registry.h"
#include "tools/walk.h"

enum { SHOWN_MAX = 10000 };

static const char *const git_dir[] = { ".git", NULL };

struct row {
	struct str text; /* "[DIR] src", "a.c (12 bytes)" */
	struct str shown; /* "[DIR] src", "a.c" */
	bool is_dir;
};

struct rows {
	struct row *p;
	size_t n, cap;
};

static struct row make_row(struct arena *a, const struct walk_entry *e)
{
	struct stat st = { 0 };
	struct str name = tool_name(a, e->name);

	/* A link counts as what it leads to; one that leads nowhere is a file. */
	if (fstatat(e->dir_fd, e->name, &st, 0) < 0)
		(void)!fstatat(e->dir_fd, e->name, &st, AT_SYMLINK_NOFOLLOW);
	if (!S_ISDIR(st.st_mode))
		return (struct row){
			.text = arena_printf(a, "%s (%lld bytes)", name.p, (long long)st.st_size),
			.shown = name,
		};
	name = arena_printf(a, "[DIR] %s", name.p);
	return (struct row){ .text = name, .shown = name, .is_dir = true };
}

static void answer(struct tool_call *call, struct tool_result *r, const char *dir,
		   const struct rows *rows, size_t ignored)
{
	struct arena *a = call->arena;
	AUTO(buf_done) struct buf out = { 0 };
	const struct json **files = ARENA_ARRAY(a, const struct json *, rows->n + 1);
	size_t n = 0;

	if (rows->n == 0) {
		buf_addf(&out, "Directory %s is empty.", tool_name(a, dir).p);
		if (ignored)
			buf_addf(&out, " (%zu ignored)", ignored);
		tool_ok(call, r, buf_str(&out), STR("Directory is empty."));
		return;
	}
	buf_addf(&out, "Directory listing for %s:", tool_name(a, dir).p);
	for (int dirs = 1; dirs >= 0; dirs--)
		for (size_t i = 0; i < rows->n && n < SHOWN_MAX; i++) {
			if (rows->p[i].is_dir != dirs)
				continue;
			buf_addc(&out, '\n');
			buf_adds(&out, rows->p[i].text);
			files[n++] = json_new_str(a, rows->p[i].shown);
		}
	if (n < rows->n)
		buf_addf(&out, "\n\n(%zu more entries are not shown)", rows->n - n);
	if (ignored)
		buf_addf(&out, "\n\n(%zu ignored)", ignored);
	tool_ok(call, r, buf_str(&out), STR(""));
	struct str summary = arena_printf(a, "Found %zu item(s).", rows->n);
	if (ignored)
		summary = arena_printf(a, "%s (%zu ignored)", summary.p, ignored);
	r->display = json_set(a, NULL, STR("summary"), json_new_str(a, summary));
	r->display = json_set(a, r->display, STR("files"), json_new_arr(a, files, n));
}

/* Patterns that cannot be understood match nothing. */
static int collect(struct tool_call *call, struct walk *w, struct rows *rows, size_t *ignored)
{
	const struct json *list = json_getz(call->args, "ignore");
	size_t most = json_is(list, J_ARR) ? list->n : 0, n = 0;
	const struct wild **wilds = ARENA_ARRAY(call->arena, const struct wild *, most + 1);
	struct walk_entry e;
	int r;

	for (size_t i = 0; i < most; i++)
		if (wild_compile(call->arena, json_str(json_at(list, i), STR("")), 0, &wilds[n],
				 NULL) == 0)
			n++;
	while ((r = walk_next(w, &e)) > 0) {
		size_t i = 0;

		while (i < n && !wild_match(wilds[i], str_from(e.name)))
			i++;
		if (i < n)
			++*ignored;
		else
			*VEC_ADD(rows) = make_row(call->arena, &e);
	}
	*ignored += walk_ignored(w);
	return r;
}

static void list_directory(struct tool_call *call, struct tool_result *r)
{
	const struct json *options = json_getz(call->args, "file_filtering_options");
	struct str path = arg_str(call, "dir_path");
	const char *dir = workspace_path(call, r, path);
	struct rows rows = { 0 };
	size_t ignored = 0;
	struct stat st;
	struct err err;

	if (!dir)
		return;
	/* One that is missing is reported as Node does. */
	if (stat(dir, &st) < 0 && errno == ENOENT) {
		tool_fail(call, r, "ls_execution_error",
			  "Error listing directory: ENOENT: no such file or directory, stat '%s'",
			  dir);
		tool_fail_as(call, r, r->error, STR("Error: Failed to list directory."));
		return;
	}
	dir = arg_dir(call, r, path);
	if (!dir)
		return;
	unsigned flags = arg_ignore_flags(call, options);
	AUTO(walk_free) struct walk *w = walk_new(
		&(struct walk_options){
			.root = dir,
			.top = ignore_top(call, dir),
			.flags = flags,
			.skip = flags & WALK_GITIGNORE ? git_dir : NULL,
			.max_depth = 1,
			.cancel = call->cancel,
		},
		&err);
	if (!w) {
		tool_fail(call, r, "ls_execution_error", "Error listing directory: %s", err.text);
		return;
	}
	if (collect(call, w, &rows, &ignored) < 0)
		tool_fail(call, r, "ls_execution_error", "Listing %s was cancelled.", dir);
	else
		answer(call, r, dir, &rows, ignored);
	free(rows.p);
}

const struct tool tool_list_directory = {
	.name = "list_directory",
	.display_name = "ReadFolder",
	.description =
		"Lists the files and directories in one directory of the workspace, with sizes. "
		"Names that match an ignore pattern or an ignore file are left out.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"dir_path\":{\"type\":\"string\",\"description\":\"Path of the directory.\"},"
		"\"ignore\":{\"type\":\"array\","
		"\"items\":{\"type\":\"string\"},\"description\":\"Glob patterns of names to leave "
		"out.\"},"
		"\"file_filtering_options\":{\"type\":\"object\",\"properties\":{"
		"\"respect_git_ignore\":{\"type\":\"boolean\",\"description\":\"Leave out what "
		".gitignore names (default true).\"},"
		"\"respect_gemini_ignore\":{\"type\":\"boolean\",\"description\":\"Leave out what "
		".geminiignore names (default true).\"}}}},"
		"\"required\":[\"dir_path\"]}",
	.kind = TOOL_SEARCH,
	.read_only = true,
	.harmless = true,
	.path_arg = "dir_path",
	.example = "{\"dir_path\":\".\"}",
	.check = check_dir_path,
	.run = list_directory,
	.describe = describe_dir_path,
};
