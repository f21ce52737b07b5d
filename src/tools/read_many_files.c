/*
 * read_many_files: the texts of all files that paths and patterns name.  Gemini CLI no longer
 * declares it, but older hook configurations know it, and @ references use it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/json_pack.h"
#include "base/path.h"
#include "base/vec.h"
#include "base/wild.h"
#include "os/fs.h"
#include "tools/files.h"
#include "tools/read.h"
#include "tools/registry.h"
#include "tools/walk.h"

enum { FILES_MAX = 2000, SKIPPED_SHOWN = 20 };
#define TEXT_MAX ((size_t)4 << 20)

static const char *const default_excludes[] = {
	".git",  ".hg",      ".idea", ".svn",         ".vscode", "__pycache__",
	"build", "coverage", "dist",  "node_modules", NULL,
};
static const char *const git_dir[] = { ".git", NULL };

struct many {
	struct tool_call *call;
	const char *dir; /* that is searched */
	const char *first; /* where relative paths begin */
	struct wilds {
		const struct wild **p;
		size_t n;
	} include, exclude;
	struct {
		char **p;
		size_t n, cap;
	} files;
	struct buf text; /* of the part that is being made */
	struct {
		const struct json **p;
		size_t n, cap;
	} parts;
	struct buf skipped; /* lines for people */
	size_t skipped_n, texts, read;
};

static void many_done(struct many *m)
{
	for (size_t i = 0; i < m->files.n; i++)
		free(m->files.p[i]);
	free(m->files.p);
	free(m->parts.p);
	buf_done(&m->text);
	buf_done(&m->skipped);
}

DEFINE_AUTO(struct many, many_done)

/*
 * A directory means all files in it; a path that exists means itself.  .p is NULL when it leads out
 * of the directory that is searched.
 */
static struct str as_pattern(struct many *m, struct str text)
{
	/* What leads upwards from where relative paths begin is named from the top. */
	AUTO(free) char *given = xstrndup(text.p, text.n);
	bool up = str_starts(text, STR("../")) || str_eqz(text, "..");
	AUTO(free) char *name = up ? fs_absolute(m->first, given) : xstrdup(given);
	AUTO(free) char *path = fs_absolute(m->dir, name);
	AUTO(free) char *real = fs_exists(path) ? fs_resolve(path) : NULL;
	AUTO(buf_done) struct buf out = { 0 };
	const char *below = path_below(m->dir, real ? real : path);

	if (*name != '/' && m->dir != m->first)
		return (struct str){ 0 };
	if (*name == '/' && !below)
		return (struct str){ 0 };
	if (!real || !below)
		return *name == '/' ? arena_str(m->call->arena, str_from(below)) : text;
	for (; *below; below++) {
		if (strchr("*?[]{}\\", *below))
			buf_addc(&out, '\\');
		buf_addc(&out, *below);
	}
	if (fs_is_dir(path))
		buf_addz(&out, out.n ? "/**" : "**");
	return arena_str(m->call->arena, buf_str(&out));
}

static bool compile_list(struct many *m, struct tool_result *r, const char *name,
			 struct wilds *ret_list)
{
	const struct json *list = json_getz(m->call->args, name);
	size_t n = json_is(list, J_ARR) ? list->n : 0, used = 0;
	const struct wild **p = ARENA_ARRAY(m->call->arena, const struct wild *, n + 1);
	struct err err;

	for (size_t i = 0; i < n; i++) {
		struct str text = as_pattern(m, json_str(json_at(list, i), STR("")));

		if (text.p &&
		    wild_compile(m->call->arena, text, WILD_ICASE, &p[used++], &err) < 0) {
			tool_fail(m->call, r, "invalid_tool_params", "Invalid glob in '%s': %s",
				  name, err.text);
			return false;
		}
	}
	*ret_list = (struct wilds){ p, used };
	return true;
}

static bool any_match(const struct wilds *list, const char *path)
{
	for (size_t i = 0; i < list->n; i++)
		if (wild_match(list->p[i], str_from(path)))
			return true;
	return false;
}

/* Directories of the workspace may lie in each other: a file is found once. */
static void add_found(struct many *m, char *take_path)
{
	bool known = false;

	for (size_t i = 0; m->dir != m->first && i < m->files.n && !known; i++)
		known = strcmp(m->files.p[i], take_path) == 0;
	if (known)
		free(take_path);
	else
		*VEC_ADD(&m->files) = take_path;
}

static bool find_files(struct many *m, struct tool_result *r)
{
	struct tool_call *call = m->call;
	struct walk_entry e;
	struct err err;
	AUTO(walk_free) struct walk *w = walk_new(
		&(struct walk_options){
			.root = m->dir,
			.top = ignore_top(call, m->dir),
			.flags = arg_ignore_flags(call,
						  json_getz(call->args, "file_filtering_options")),
			.skip = arg_bool(call, "useDefaultExcludes", true) ? default_excludes
									   : git_dir,
			.max_depth = arg_bool(call, "recursive", true) ? 0 : 1,
			.cancel = call->cancel,
		},
		&err);
	int n = w ? 1 : -1;

	while (n > 0 && m->files.n < FILES_MAX && (n = walk_next(w, &e)) > 0)
		if (e.type == WALK_FILE && any_match(&m->include, e.path) &&
		    !any_match(&m->exclude, e.path))
			add_found(m, fs_join(m->dir, e.path));
	if (n < 0)
		tool_fail(call, r, "read_many_files_search_error", "Error during file search: %s",
			  w ? "cancelled" : err.text);
	return n >= 0;
}

/* In the workspace's directory, and in the others where absolute paths lead there. */
static bool find_all(struct many *m, struct tool_result *r)
{
	const char *const *roots = m->call->env->roots;

	m->first = m->dir = arg_dir(m->call, r, STR("."));
	if (!m->dir)
		return false;
	for (size_t i = 0;; i++) {
		bool twice = m->dir != m->first && path_below(m->first, m->dir);

		if (!twice && (!compile_list(m, r, "include", &m->include) ||
			       !compile_list(m, r, "exclude", &m->exclude) ||
			       (m->include.n && !find_files(m, r))))
			return false;
		if (!roots || !roots[i])
			return true;
		m->dir = roots[i];
	}
}

static void skip(struct many *m, const char *path, const char *why)
{
	const char *below = path_below(m->first, path), *name = below ? below : path;

	if (m->skipped_n++ < SKIPPED_SHOWN)
		buf_addf(&m->skipped, "\n- %s (%s)", name, why);
}

static void end_text_part(struct many *m)
{
	struct arena *a = m->call->arena;

	if (m->text.n == 0)
		return;
	*VEC_ADD(&m->parts) = json_pack(a, "text:s", tool_clean(a, buf_str(&m->text)));
	buf_clear(&m->text);
}

/* Bytes are for those who asked for such files by their ending. */
static bool asked_for(const struct many *m, const char *path)
{
	const struct json *list = json_getz(m->call->args, "include");
	const char *ending = strrchr(path, '.');

	for (size_t i = 0; ending && i < list->n; i++)
		if (str_find(json_str(json_at(list, i), STR("")), str_from(ending), 0) >= 0)
			return true;
	return false;
}

static void add_file(struct many *m, const char *path)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf bytes = { 0 };
	int errnum = workspace_read(path, m->call->cancel, &bytes);
	const char *mime = media_type(path, buf_str(&bytes));
	enum text_encoding e = text_encoding(buf_str(&bytes));
	bool cut;

	if (errnum || m->texts + bytes.n > TEXT_MAX) {
		skip(m, path, errnum ? strerror(errnum) : "too much text");
	} else if (mime && asked_for(m, path)) {
		end_text_part(m);
		*VEC_ADD(&m->parts) = media_part(m->call->arena, mime, buf_str(&bytes));
		m->texts += bytes.n;
		m->read++;
	} else if (mime || e == TEXT_BINARY) {
		skip(m, path, "binary");
	} else {
		struct str text = read_text(&a, text_decode(&a, buf_str(&bytes), e), &cut);

		buf_addf(&m->text, "--- %s ---\n\n", path);
		buf_adds(&m->text, text);
		buf_addz(&m->text, "\n\n");
		m->texts += text.n;
		m->read++;
	}
}

/* Was the file among those that hooks were shown?  Both lists are in the order of the walk. */
static bool was_shown(const struct tool_call *call, const char *path, size_t *at)
{
	AUTO(free) char *real = fs_resolve(path);

	for (size_t i = *at; real && json_at(call->paths, i); i++)
		if (str_eqz(json_str(json_at(call->paths, i), STR("")), real)) {
			*at = i;
			return true;
		}
	return false;
}

static void touches(struct tool_call *call, struct json_list *paths, struct json_list *urls)
{
	AUTO(many_done) struct many m = { .call = call };
	struct tool_result r = { 0 };

	(void)urls;
	if (!find_all(&m, &r))
		return;
	for (size_t i = 0; i < m.files.n; i++) {
		AUTO(free) char *real = fs_resolve(m.files.p[i]);

		json_list_add(paths, json_pack_str(call->arena, real ? real : m.files.p[i]));
	}
}

static void read_many_files(struct tool_call *call, struct tool_result *r)
{
	AUTO(many_done) struct many m = { .call = call };
	AUTO(buf_done) struct buf display = { 0 };
	size_t at = 0;

	if (!find_all(&m, r))
		return;
	for (size_t i = 0; i < m.files.n && !cancel_fired(call->cancel); i++)
		if (!call->paths || was_shown(call, m.files.p[i], &at))
			add_file(&m, m.files.p[i]);
		else
			skip(&m, m.files.p[i], "it is new since hooks were asked");
	if (cancel_fired(call->cancel)) {
		tool_fail(call, r, "read_many_files_search_error", "Reading was cancelled.");
		return;
	}
	if (m.files.n == FILES_MAX)
		buf_addf(&m.skipped, "\n- further files (only %d are read)", FILES_MAX);
	if (m.read)
		buf_addz(&m.text, "--- End of content ---");
	else
		buf_addz(&m.text, "No files matching the criteria were found or all were skipped.");
	if (m.skipped.n)
		buf_addf(&m.text, "\n\nSkipped %zu file(s):%s", m.skipped_n, buf_z(&m.skipped));
	buf_addf(&display, "Read %zu file(s) from %s", m.read, m.first);
	if (m.skipped.n)
		buf_addf(&display, "\nSkipped %zu file(s):%s", m.skipped_n, buf_z(&m.skipped));
	if (m.parts.n == 0) {
		tool_ok(call, r, buf_str(&m.text), buf_str(&display));
		return;
	}
	end_text_part(&m);
	tool_ok(call, r, STR(""), buf_str(&display));
	r->llm_content = json_new_arr(call->arena, m.parts.p, m.parts.n);
}

const struct tool tool_read_many_files = {
	.name = "read_many_files",
	.display_name = "ReadManyFiles",
	.description =
		"Reads all text files that the given paths and glob patterns match and returns "
		"them one after the other. Images and other media are included when requested by "
		"name or extension.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"include\":{\"type\":\"array\","
		"\"items\":{\"type\":\"string\"},\"minItems\":1,\"description\":\"Paths or glob "
		"patterns, relative to the working directory.\"},"
		"\"exclude\":{\"type\":\"array\","
		"\"items\":{\"type\":\"string\"},\"description\":\"Glob patterns to leave out.\"},"
		"\"recursive\":{\"type\":\"boolean\",\"description\":\"Go into directories "
		"(default true).\"},"
		"\"useDefaultExcludes\":{\"type\":\"boolean\",\"description\":\"Leave out "
		"node_modules, build output and the like (default true).\"},"
		"\"file_filtering_options\":{\"type\":\"object\",\"properties\":{"
		"\"respect_git_ignore\":{\"type\":\"boolean\"},"
		"\"respect_gemini_ignore\":{\"type\":\"boolean\"}}}},"
		"\"required\":[\"include\"]}",
	.kind = TOOL_READ,
	.read_only = true,
	.harmless = true,
	.example = "{\"include\":[\"*.md\"]}",
	.touches = touches,
	.run = read_many_files,
};
