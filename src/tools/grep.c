/*
 * grep_search: lines of files that match a regular expression.  One pass finds the lines, a second
 * one prints them, since how much context is shown depends on how many there are.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/json_pack.h"
#include "base/regex.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/wild.h"
#include "os/clock.h"
#include "os/fs.h"
#include "tools/files.h"
#include "tools/registry.h"
#include "tools/ripgrep.h"
#include "tools/walk.h"

enum {
	TOTAL_DEFAULT = 100,
	LINE_CHARS_MAX = 2000,
	RIPGREP_FROM = 64, /* files; fewer are searched before it has started */
	SEARCH_SECONDS = 60,
	OUTPUT_MAX = 4 << 20, /* bytes; long context of many lines */
};

static const char *const skipped_dirs[] = { ".git", "node_modules", NULL };
static const char *const git_dir[] = { ".git", NULL };

struct hit {
	size_t file, line; /* line from 1 */
};

struct grep {
	struct tool_call *call;
	const char *dir; /* real */
	struct regex *re, *exclude;
	struct regex_scratch *scratch;
	struct str literal; /* the pattern when it is only text; .p NULL otherwise */
	bool icase;
	const struct wild *include;
	bool include_names; /* the include pattern is for names, not paths */
	size_t per_file, total;
	int64_t until_us;
	struct {
		char **p;
		size_t n, cap;
	} files; /* from dir, in the order of the walk */
	struct {
		struct hit *p;
		size_t n, cap;
	} hits;
	bool limited; /* there are more matches */
	bool late; /* time was up */
	bool cut; /* the walk left something out */
	size_t too_big, gave_up;
};

static void grep_done(struct grep *g)
{
	regex_free(g->re);
	regex_free(g->exclude);
	regex_scratch_free(g->scratch);
	for (size_t i = 0; i < g->files.n; i++)
		free(g->files.p[i]);
	free(g->files.p);
	free(g->hits.p);
}

DEFINE_AUTO(struct grep, grep_done)

/* ---- one line ---- */

static bool has_literal(const struct grep *g, struct str s)
{
	return (g->icase ? str_find_icase : str_find)(s, g->literal, 0) >= 0;
}

static bool line_matches(struct grep *g, struct str line)
{
	enum regex_result r;

	if (str_ends(line, STR("\r")))
		line.n--;
	if (g->literal.p) {
		if (!has_literal(g, line))
			return false;
	} else {
		r = regex_test(g->re, line, g->scratch);
		g->gave_up += r == REGEX_LIMIT;
		if (r != REGEX_YES)
			return false;
	}
	return !g->exclude || regex_test(g->exclude, line, g->scratch) == REGEX_NO;
}

/* ---- files ---- */

static bool stop(struct grep *g)
{
	g->late |= clock_us() > g->until_us;
	return g->late || cancel_fired(g->call->cancel);
}

static char *path_of(const struct grep *g, size_t file)
{
	return fs_join(g->dir, g->files.p[file]);
}

/* The text of a file in the arena; .p is NULL when there is none to search. */
static struct str load(struct grep *g, size_t file, struct arena *a, struct buf *bytes)
{
	AUTO(free) char *path = path_of(g, file);
	int errnum;

	buf_clear(bytes);
	errnum = workspace_read(path, g->call->cancel, bytes);
	g->too_big += errnum == EFBIG;
	if (errnum || bytes->n == 0)
		return (struct str){ 0 };
	enum text_encoding e = text_encoding(buf_str(bytes));
	return e == TEXT_BINARY ? (struct str){ 0 } : text_decode(a, buf_str(bytes), e);
}

static void search_text(struct grep *g, size_t file, struct str text)
{
	size_t n = 0, line = 0;

	if (g->literal.p && !has_literal(g, text))
		return;
	for (size_t from = 0; from < text.n;) {
		ptrdiff_t end = str_chr(text, '\n', from);
		size_t to = end < 0 ? text.n : (size_t)end;

		if ((++line & 4095) == 0 && stop(g))
			return;
		if (line_matches(g, str_sub(text, from, to))) {
			if (g->hits.n == g->total) {
				g->limited = true;
				return;
			}
			*VEC_ADD(&g->hits) = (struct hit){ file, line };
			if (++n == g->per_file)
				return;
		}
		from = to + 1;
	}
}

static int find_files(struct grep *g, struct err *err)
{
	bool all = arg_bool(g->call, "no_ignore", false);
	AUTO(walk_free) struct walk *w = walk_new(
		&(struct walk_options){
			.root = g->dir,
			.top = ignore_top(g->call, g->dir),
			.flags = all ? 0 : arg_ignore_flags(g->call, NULL),
			.skip = all ? git_dir : skipped_dirs,
			.cancel = g->call->cancel,
		},
		err);
	struct walk_entry e;
	int r;

	if (!w)
		return -E_IO;
	while ((r = walk_next(w, &e)) > 0)
		if (e.type == WALK_FILE &&
		    (!g->include ||
		     wild_match(g->include, str_from(g->include_names ? e.name : e.path))))
			*VEC_ADD(&g->files) = xstrdup(e.path);
	g->cut = walk_cut(w);
	return r < 0 ? err_set(err, E_CANCEL, "the search was cancelled") : 0;
}

/* ---- printing ---- */

struct context {
	int64_t before, after;
};

static void add_line(struct buf *out, size_t line, char mark, struct str text)
{
	struct str kept;

	if (str_ends(text, STR("\r")))
		text.n--;
	kept = utf8_prefix(text, LINE_CHARS_MAX);
	buf_addf(out, "L%zu%c ", line, mark);
	buf_adds(out, kept);
	buf_addz(out, kept.n < text.n ? "... [truncated]\n" : "\n");
}

static const char *shown_name(const struct grep *g, size_t file)
{
	return tool_name(g->call->arena, g->files.p[file]).p;
}

static bool is_near(const struct hit *h, size_t line, struct context c)
{
	int64_t behind = (int64_t)line - (int64_t)h->line;

	return behind < 0 ? -behind <= c.before : behind <= c.after;
}

/* One file's hits h[0..n) with their context; rows gets one value a hit. */
static void print_file(struct grep *g, struct str text, const struct hit *h, size_t n,
		       struct context c, struct buf *out, const struct json **rows)
{
	AUTO(free) char *path = path_of(g, h->file);
	struct arena *a = g->call->arena;
	size_t k = 0; /* h[k] is the last hit up to here, or the first one */

	buf_addf(out, "File: %s\n", shown_name(g, h->file));
	for (size_t from = 0, line = 1; from < text.n; line++) {
		ptrdiff_t end = str_chr(text, '\n', from);
		struct str s = str_sub(text, from, end < 0 ? text.n : (size_t)end);

		from += s.n + 1;
		k += k + 1 < n && h[k + 1].line == line;
		if (h[k].line == line) {
			rows[k] = json_pack(a, "filePath:s absolutePath:s lineNumber:n line:s",
					    tool_clean(a, str_from(g->files.p[h->file])),
					    tool_clean(a, str_from(path)), line,
					    tool_clean(a, utf8_prefix(s, LINE_CHARS_MAX)));
			add_line(out, line, ':', s);
		} else if (is_near(&h[k], line, c) || (k + 1 < n && is_near(&h[k + 1], line, c))) {
			add_line(out, line, '-', s);
		}
		if (k + 1 == n && (int64_t)line >= (int64_t)h[k].line + c.after)
			break;
	}
	buf_addz(out, "---\n");
}

static size_t hits_of_file(const struct grep *g, size_t i)
{
	size_t n = 1;

	while (i + n < g->hits.n && g->hits.p[i + n].file == g->hits.p[i].file)
		n++;
	return n;
}

static void add_notes(const struct grep *g, struct buf *out)
{
	if (g->limited)
		buf_addf(out,
			 "(results limited to %zu matches; a narrower search or a larger "
			 "total_max_matches shows others)\n",
			 g->total);
	if (g->late)
		buf_addf(out, "(the search took more than %d seconds and is not complete)\n",
			 SEARCH_SECONDS);
	if (g->cut)
		buf_addz(out, "(some directories are too large, too deep or cannot be read)\n");
	if (g->too_big)
		buf_addf(out, "(%zu files over 20 MB were not searched)\n", g->too_big);
	if (g->gave_up)
		buf_addf(out, "(the pattern took too long on %zu lines)\n", g->gave_up);
}

static void add_title(const struct grep *g, struct buf *out, size_t n, const char *what)
{
	struct str path = describe_path(g->call, "dir_path"),
		   filter = arg_str(g->call, "include_pattern");

	buf_addf(out, "Found %zu %s for pattern \"%.*s\" in path \"%.*s\"", n, what,
		 STR_ARG(arg_str(g->call, "pattern")), STR_ARG(path));
	if (filter.n)
		buf_addf(out, " (filter: \"%.*s\")", STR_ARG(filter));
	buf_addz(out, ":\n");
}

static void answer_names(struct grep *g, struct tool_result *r, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < g->hits.n; i += hits_of_file(g, i))
		n++;
	add_title(g, out, n, n == 1 ? "file with matches" : "files with matches");
	for (size_t i = 0; i < g->hits.n; i += hits_of_file(g, i))
		buf_addf(out, "%s\n", shown_name(g, g->hits.p[i].file));
	add_notes(g, out);
	tool_ok(g->call, r, tool_untrusted(g->call->arena, str_trim(buf_str(out))),
		arena_printf(g->call->arena, "Found %zu matching %s", n,
			     n == 1 ? "file" : "files"));
}

static void answer_lines(struct grep *g, struct tool_result *r, struct buf *out)
{
	struct arena *a = g->call->arena;
	const struct json **rows = ARENA_ARRAY(a, const struct json *, g->hits.n + 1);
	const char *what = g->hits.n == 1 ? "match" : "matches";
	int64_t both = arg_int(g->call, "context", 0, -1);
	struct context c = { arg_int(g->call, "before", 0, both),
			     arg_int(g->call, "after", 0, both) };
	size_t n;

	if (c.before < 0 && c.after < 0)
		c.before = c.after = g->hits.n == 1 ? 50 : g->hits.n <= 3 ? 15 : 0;
	add_title(g, out, g->hits.n, what);
	buf_addz(out, "---\n");
	for (size_t i = 0; i < g->hits.n; i += n) {
		AUTO(arena_done) struct arena texts = { 0 };
		AUTO(buf_done) struct buf bytes = { 0 };

		n = hits_of_file(g, i);
		print_file(g, load(g, g->hits.p[i].file, &texts, &bytes), &g->hits.p[i], n, c, out,
			   rows + i);
	}
	if (out->full)
		out->max = 0;
	add_notes(g, out);
	tool_ok(g->call, r, tool_untrusted(a, str_trim(buf_str(out))), STR(""));
	n = 0; /* a file that has changed meanwhile leaves gaps */
	for (size_t i = 0; i < g->hits.n; i++)
		if (rows[i])
			rows[n++] = rows[i];
	r->display = json_pack(a, "summary:s matches:j",
			       arena_printf(a, "Found %zu %s", g->hits.n, what),
			       json_new_arr(a, rows, n));
}

static void answer(struct grep *g, struct tool_result *r)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = OUTPUT_MAX);
	struct str path = describe_path(g->call, "dir_path"),
		   filter = arg_str(g->call, "include_pattern");
	struct json_list touched = { 0 };

	if (cancel_fired(g->call->cancel)) {
		tool_fail(g->call, r, "grep_execution_error", "The search was cancelled.");
		return;
	}
	if (g->hits.n) {
		(arg_bool(g->call, "names_only", false) ? answer_names : answer_lines)(g, r, &out);
		for (size_t i = 0; i < g->hits.n; i += hits_of_file(g, i)) {
			AUTO(free) char *file = fs_join(g->dir, g->files.p[g->hits.p[i].file]);

			json_list_add(&touched, json_pack_str(g->call->arena, file));
		}
		r->paths = json_list_take(g->call->arena, &touched);
		return;
	}
	buf_addf(&out, "No matches found for pattern \"%.*s\" in path \"%.*s\"",
		 STR_ARG(arg_str(g->call, "pattern")), STR_ARG(path));
	if (filter.n)
		buf_addf(&out, " (filter: \"%.*s\")", STR_ARG(filter));
	buf_addz(&out, ".\n");
	add_notes(g, &out);
	tool_ok(g->call, r, str_trim(buf_str(&out)), STR(""));
	r->display = json_pack(g->call->arena, "summary:z matches:j", "No matches found",
			       json_new_arr(g->call->arena, NULL, 0));
}

/* ---- arguments ---- */

static bool is_meta(char c)
{
	return c && strchr("\\^$.|?*+()[]{}/", c);
}

static bool is_plain(struct str s, bool icase)
{
	for (size_t i = 0; i < s.n; i++)
		if (is_meta(s.p[i]) || (icase && (s.p[i] & 0x80)))
			return false;
	return s.n > 0;
}

static bool compile(struct grep *g, struct tool_result *r, struct str *ret_source)
{
	struct str pattern = arg_str(g->call, "pattern"), source = pattern;
	struct str exclude = arg_str(g->call, "exclude_pattern");
	unsigned flags = REGEX_JIT | (g->icase ? REGEX_ICASE : 0);
	struct err err;

	if (arg_bool(g->call, "fixed_strings", false)) {
		AUTO(buf_done) struct buf out = { 0 };

		for (size_t i = 0; i < pattern.n; i++) {
			if (is_meta(pattern.p[i]))
				buf_addc(&out, '\\');
			buf_addc(&out, pattern.p[i]);
		}
		source = arena_str(g->call->arena, buf_str(&out));
	}
	if (pattern.n == 0 || regex_compile(source, flags, &g->re, &err) < 0) {
		tool_fail(g->call, r, "invalid_tool_params",
			  "Invalid regular expression pattern provided: %.*s. Error: %s",
			  STR_ARG(pattern), pattern.n ? err.text : "it is empty");
		return false;
	}
	if (exclude.n && regex_compile(exclude, flags, &g->exclude, &err) < 0) {
		tool_fail(g->call, r, "invalid_tool_params",
			  "Invalid exclude regular expression pattern provided: %.*s. Error: %s",
			  STR_ARG(exclude), err.text);
		return false;
	}
	g->scratch = regex_scratch_new();
	if (is_plain(pattern, g->icase) || (!str_eq(source, pattern) && !g->icase))
		g->literal = pattern;
	*ret_source = source;
	return true;
}

static bool compile_include(struct grep *g, struct tool_result *r)
{
	struct str text = arg_str(g->call, "include_pattern");
	struct err err;

	if (text.n == 0)
		return true;
	g->include_names = !wild_has_slash(text);
	if (wild_compile(g->call->arena, text, 0, &g->include, &err) == 0)
		return true;
	tool_fail(g->call, r, "invalid_tool_params", "Invalid glob in include_pattern: %s",
		  err.text);
	return false;
}

/* The directory to search, or the one file. */
static bool find_target(struct grep *g, struct tool_result *r)
{
	struct str path = arg_str(g->call, "dir_path");
	const char *real = workspace_path(g->call, r, path.n ? path : STR("."));
	const char *name;
	struct stat st;
	struct err err;

	if (!real)
		return false;
	if (lstat(real, &st) < 0) {
		tool_fail(g->call, r, "search_path_not_found", "Path does not exist: %s", real);
		return false;
	}
	if (!S_ISDIR(st.st_mode)) {
		name = strrchr(real, '/') + 1;
		g->dir = arena_z(g->call->arena, (struct str){ real, (size_t)(name - real) });
		*VEC_ADD(&g->files) = xstrdup(name);
		return true;
	}
	g->dir = real;
	if (find_files(g, &err) == 0)
		return true;
	tool_fail(g->call, r, "grep_execution_error", "Error during grep search operation: %s",
		  err.text);
	return false;
}

/* Before hooks are asked: what cannot be searched for is no call. */
static bool check(struct tool_call *call, struct tool_result *r)
{
	AUTO(grep_done) struct grep g = { .call = call,
					  .icase = !arg_bool(call, "case_sensitive", false) };
	struct str source;

	return check_dir_path(call, r) && compile(&g, r, &source) && compile_include(&g, r);
}

static void grep(struct tool_call *call, struct tool_result *r)
{
	AUTO(grep_done) struct grep g = {
		.call = call,
		.icase = !arg_bool(call, "case_sensitive", false),
		.per_file = (size_t)arg_int(call, "max_matches_per_file", 1, 0),
		.total = (size_t)arg_int(call, "total_max_matches", 1, TOTAL_DEFAULT),
		.until_us = clock_us() + (int64_t)SEARCH_SECONDS * 1000000,
	};
	struct str source;
	AUTO(ripgrep_done) struct ripgrep rg = { 0 };
	AUTO(buf_done) struct buf bytes = { 0 };

	if (!compile(&g, r, &source) || !compile_include(&g, r) || !find_target(&g, r))
		return;
	/* All files but those in which ripgrep finds nothing. */
	if (g.files.n >= RIPGREP_FROM)
		ripgrep_init(&rg, g.call->env->env, g.dir, source, g.icase);
	for (size_t i = 0, n; i < g.files.n && !g.limited && !stop(&g); i += n) {
		n = ripgrep_batch(g.files.p + i, g.files.n - i);
		AUTO(free) bool *maybe = xmalloc(n + 1);
		memset(maybe, true, n);
		if (rg.program)
			ripgrep_sieve(&rg, g.files.p + i, n, maybe, g.call->cancel);
		for (size_t k = 0; k < n && !g.limited && !stop(&g); k++) {
			AUTO(arena_done) struct arena a = { 0 };
			struct str text =
				maybe[k] ? load(&g, i + k, &a, &bytes) : (struct str){ 0 };

			if (text.p)
				search_text(&g, i + k, text);
		}
	}
	answer(&g, r);
}

const struct tool tool_grep_search = {
	.name = "grep_search",
	.display_name = "SearchText",
	.description =
		"Searches the contents of files for a JavaScript regular expression, line by "
		"line, and returns the lines with their file and number. A few "
		"matches are shown with the lines around them.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"pattern\":{\"type\":\"string\",\"description\":\"The regular expression.\"},"
		"\"dir_path\":{\"type\":\"string\",\"description\":\"Directory or file to search "
		"(default: the working directory).\"},"
		"\"include_pattern\":{\"type\":\"string\",\"description\":\"Glob of the files to "
		"search, such as *.{ts,tsx} or src/**.\"},"
		"\"exclude_pattern\":{\"type\":\"string\",\"description\":\"Regular expression of "
		"lines to leave out.\"},"
		"\"names_only\":{\"type\":\"boolean\",\"description\":\"Return only the names of "
		"the files.\"},"
		"\"case_sensitive\":{\"type\":\"boolean\",\"description\":\"Default false.\"},"
		"\"fixed_strings\":{\"type\":\"boolean\",\"description\":\"The pattern is plain "
		"text.\"},"
		"\"context\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Lines to show "
		"around a match.\"},"
		"\"after\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Lines to show "
		"after a match.\"},"
		"\"before\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Lines to show "
		"before a match.\"},"
		"\"no_ignore\":{\"type\":\"boolean\",\"description\":\"Search ignored files, "
		"too.\"},"
		"\"max_matches_per_file\":{\"type\":\"integer\",\"minimum\":1},"
		"\"total_max_matches\":{\"type\":\"integer\",\"minimum\":1,"
		"\"description\":\"Default 100.\"}},"
		"\"required\":[\"pattern\"]}",
	.kind = TOOL_SEARCH,
	.read_only = true,
	.harmless = true,
	.path_arg = "dir_path",
	.example = "{\"pattern\":\"main\"}",
	.check = check,
	.run = grep,
	.describe = describe_search,
};
