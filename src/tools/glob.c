/* glob: files by pattern, newest first. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/vec.h"
#include "base/wild.h"
#include "os/fs.h"
#include "tools/files.h"
#include "tools/registry.h"
#include "tools/walk.h"

enum { SHOWN_MAX = 5000 };

static const char *const skipped_dirs[] = { ".git", "node_modules", NULL };

struct hit {
	char *path; /* absolute */
	struct timespec changed;
};

/* What is searched: one directory, or all of the workspace when none is named. */
struct search {
	struct tool_call *call;
	const char *const *dirs; /* NULL-terminated */
	struct {
		struct hit *p;
		size_t n, cap;
	} hits;
	bool cut;
};

static int newest_first(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->changed.tv_sec != y->changed.tv_sec)
		return x->changed.tv_sec < y->changed.tv_sec ? 1 : -1;
	if (x->changed.tv_nsec != y->changed.tv_nsec)
		return x->changed.tv_nsec < y->changed.tv_nsec ? 1 : -1;
	return strcmp(x->path, y->path);
}

static void answer(const struct search *s, struct tool_result *r)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct arena *a = s->call->arena;
	struct str pattern = arg_str(s->call, "pattern"), where;
	size_t n = s->hits.n, shown = min_size(n, SHOWN_MAX), dirs = 0;

	while (s->dirs[dirs])
		dirs++;
	where = dirs > 1 ? arena_printf(a, "across %zu workspace directories", dirs)
			 : arena_printf(a, "within %s", tool_name(a, s->dirs[0]).p);
	if (n == 0)
		buf_addf(&out, "No files found matching pattern \"%.*s\" %s", STR_ARG(pattern),
			 where.p);
	else
		buf_addf(&out,
			 "Found %zu file(s) matching \"%.*s\" %s, sorted by "
			 "modification time (newest first):",
			 n, STR_ARG(pattern), where.p);
	if (n == 0 && (str_starts(pattern, STR("../")) || str_starts(pattern, STR("/"))))
		buf_addz(&out, ". A pattern stays below the directory that is searched; name "
			       "another one in dir_path");
	for (size_t i = 0; i < shown; i++)
		buf_addf(&out, "\n%s", tool_name(a, s->hits.p[i].path).p);
	if (shown < n)
		buf_addf(&out, "\n(%zu more files are not shown)", n - shown);
	if (s->cut)
		buf_addz(&out, "\n(The search ended early: the tree is too large or too deep, or "
			       "a directory could not be read.)");
	tool_ok(s->call, r, buf_str(&out),
		n ? arena_printf(a, "Found %zu matching file(s)", n) : STR("No files found"));
}

static bool compile(struct tool_call *call, struct tool_result *r, const char *dir,
		    const struct wild **ret_p)
{
	unsigned flags = arg_bool(call, "case_sensitive", false) ? 0 : WILD_ICASE;
	struct str text = arg_str(call, "pattern"), below = path_below_str(str_from(dir), text);
	AUTO(buf_done) struct buf escaped = { 0 };
	struct err err;

	/* An absolute pattern below the directory counts from there. */
	if (str_starts(text, STR("./")))
		text = str_sub(text, 2, text.n);
	else if (below.n)
		text = below;
	AUTO(free) char *name = xstrndup(text.p, text.n);
	AUTO(free) char *path = fs_join(dir, name);
	/* A name like "[id].ts" that exists is that file, whatever it would mean as a pattern. */
	for (size_t i = 0; fs_exists(path) && i < text.n; i++) {
		if (strchr("*?[]{}\\", text.p[i]))
			buf_addc(&escaped, '\\');
		buf_addc(&escaped, text.p[i]);
	}
	if (escaped.n)
		text = arena_str(call->arena, buf_str(&escaped));
	if (wild_compile(call->arena, text, flags, ret_p, &err) == 0)
		return true;
	tool_fail(call, r, "invalid_tool_params", "Invalid glob pattern: %s", err.text);
	return false;
}

static bool search_in(struct search *s, struct tool_result *r, const char *dir)
{
	struct tool_call *call = s->call;
	const struct wild *p;
	struct walk_entry e;
	struct stat st;
	struct err err;
	int more = 0;

	if (!compile(call, r, dir, &p))
		return false;
	AUTO(walk_free) struct walk *w = walk_new(
		&(struct walk_options){
			.root = dir,
			.top = ignore_top(call, dir),
			.flags = arg_ignore_flags(call, call->args),
			.skip = skipped_dirs,
			.cancel = call->cancel,
		},
		&err);
	while (w && (more = walk_next(w, &e)) > 0)
		/* A file, or a link to one. */
		if (wild_match(p, str_from(e.path)) && e.type != WALK_DIR && e.type != WALK_OTHER &&
		    fstatat(e.dir_fd, e.name, &st, 0) == 0 && S_ISREG(st.st_mode))
			*VEC_ADD(&s->hits) = (struct hit){ fs_join(dir, e.path), st.st_mtim };
	if (!w)
		tool_fail(call, r, "glob_execution_error", "Error during glob search: %s",
			  err.text);
	else if (more < 0)
		tool_fail(call, r, "glob_execution_error", "The search was cancelled.");
	else
		s->cut |= walk_cut(w);
	return w && more == 0;
}

/* Before hooks are asked, and again. */
static bool check(struct tool_call *call, struct tool_result *r)
{
	const struct wild *p;

	if (!check_dir_path(call, r))
		return false;
	if (str_trim(arg_str(call, "pattern")).n)
		return compile(call, r, call->env->cwd, &p);
	tool_fail(call, r, "invalid_tool_params", "The 'pattern' parameter is empty.");
	return false;
}

static void glob(struct tool_call *call, struct tool_result *r)
{
	const char *const *roots = call->env->roots;
	struct str named = arg_str(call, "dir_path");
	const char *one[] = { NULL, NULL };
	struct search s = { .call = call, .dirs = one };

	if (!check(call, r))
		return;
	if (named.n == 0 && roots && roots[0] && roots[1])
		s.dirs = roots;
	else
		one[0] = arg_dir(call, r, named);
	for (size_t i = 0; s.dirs[i]; i++)
		if (!search_in(&s, r, s.dirs[i]))
			break;
	if (!r->error_type) {
		struct json_list paths = { 0 };
		size_t n = 0;

		/* In order; a workspace directory may lie in another one, whose files are found
		 * twice. */
		if (s.hits.n)
			qsort(s.hits.p, s.hits.n, sizeof *s.hits.p, newest_first);
		for (size_t i = 0; i < s.hits.n; i++) {
			if (n && strcmp(s.hits.p[n - 1].path, s.hits.p[i].path) == 0)
				free(s.hits.p[i].path);
			else
				s.hits.p[n++] = s.hits.p[i];
		}
		s.hits.n = n;
		answer(&s, r);
		for (size_t i = 0; i < n; i++)
			json_list_add(&paths, json_pack_str(call->arena, s.hits.p[i].path));
		r->paths = json_list_take(call->arena, &paths);
	}
	for (size_t i = 0; i < s.hits.n; i++)
		free(s.hits.p[i].path);
	free(s.hits.p);
}

const struct tool tool_glob = {
	.name = "glob",
	.display_name = "FindFiles",
	.description =
		"Finds files by a glob pattern such as src/**/*.ts or **/*.{c,h} and returns "
		"their absolute paths, the newest first.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"pattern\":{\"type\":\"string\",\"description\":\"The glob pattern.\"},"
		"\"dir_path\":{\"type\":\"string\",\"description\":\"The directory to search "
		"(default: all directories of the workspace).\"},"
		"\"case_sensitive\":{\"type\":\"boolean\",\"description\":\"Default false.\"},"
		"\"respect_git_ignore\":{\"type\":\"boolean\",\"description\":\"Leave out what "
		".gitignore names (default true).\"},"
		"\"respect_gemini_ignore\":{\"type\":\"boolean\",\"description\":\"Leave out what "
		".geminiignore names (default true).\"}},"
		"\"required\":[\"pattern\"]}",
	.kind = TOOL_SEARCH,
	.read_only = true,
	.harmless = true,
	.path_arg = "dir_path",
	.example = "{\"pattern\":\"**/*.c\"}",
	.check = check,
	.run = glob,
	.describe = describe_search,
};
