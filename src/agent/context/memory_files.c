/*
 * Which context files there are: those of the home directory, of extensions,
 * of the project's directories from its root upward to the boundary marker, and of directories
 * below the root once a tool has touched them.
 *
 * A project's file may be a link, but only to what is in the project: a repository must not be able
 * to show the model a key of the home directory.  Without a marker nothing above the root is read,
 * since its owner is unknown.
 */
#include "agent/context/context_impl.h"

#include <errno.h>
#include <stdio.h>

#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fs.h"

enum { NAMES_MAX = 20, SEEN_MAX = 10000, LEVELS_MAX = 100 };

/* ---- settings ---- */

/* The i-th string of a setting that is one string or a list of them; false after the last. */
static bool setting_at(const struct json *v, size_t i, struct str dflt, struct str *ret)
{
	if (json_is(v, J_ARR)) {
		*ret = json_str(json_at(v, i), STR(""));
		return i < v->n;
	}
	*ret = json_str(v, dflt);
	return i == 0;
}

/* Relative, without "..", and good for a path. */
static bool is_name(struct str name)
{
	if (name.n == 0 || name.p[0] == '/' || memchr(name.p, '\0', name.n))
		return false;
	for (struct str rest = name, part; str_split(&rest, '/', &part);)
		if (str_eq(part, STR("..")))
			return false;
	return true;
}

static bool name_at(const struct context_options *o, size_t i, struct str *ret)
{
	const struct json *v = json_pointer(o->settings, STR("/context/fileName"));

	return i < NAMES_MAX && setting_at(v, i, STR("GEMINI.md"), ret);
}

bool memory_is_name(const struct context_options *o, const char *name)
{
	struct str s;

	for (size_t i = 0; name_at(o, i, &s); i++)
		if (str_eqz(s, name))
			return true;
	return false;
}

/* ---- finding ---- */

struct memory_files {
	struct arena arena;
	struct memory_file *p;
	size_t n, cap;
};

static void memory_files_done(struct memory_files *files)
{
	free(files->p);
	arena_done(&files->arena);
}

DEFINE_AUTO(struct memory_files, memory_files_done)

static void add_path(struct memory_files *files, const char *path, const char *fence)
{
	struct memory_file *f;

	if (!fs_exists(path))
		return;
	f = VEC_ADD(files);
	f->path = arena_z(&files->arena, str_from(path));
	f->fence = arena_z(&files->arena, str_from(fence));
	f->real = NULL;
}

static void add_dir(struct memory_files *files, const struct context_options *o, const char *dir,
		    const char *fence)
{
	struct str s;

	for (size_t i = 0; name_at(o, i, &s); i++) {
		AUTO(free) char *name = xstrndup(s.p, s.n);
		AUTO(free) char *path = fs_join(dir, name);

		if (is_name(s))
			add_path(files, path, fence);
	}
}

/* The nearest directory from here upward with a boundary marker, or NULL. */
static char *boundary_of(const struct context_options *o, const char *dir)
{
	AUTO(free) char *at = xstrdup(dir);

	for (int i = 0; i < LEVELS_MAX; i++) {
		const struct json *v =
			json_pointer(o->settings, STR("/context/memoryBoundaryMarkers"));
		struct str marker;

		for (size_t k = 0; k < NAMES_MAX && setting_at(v, k, STR(".git"), &marker); k++) {
			AUTO(free) char *name = xstrndup(marker.p, marker.n);
			AUTO(free) char *path = fs_join(at, name);

			if (is_name(marker) && fs_exists(path))
				return MOVE(at);
		}
		if (strcmp(at, "/") == 0)
			break;
		path_climb(&at);
	}
	return NULL;
}

/* ---- reading ---- */

static bool is_new(const struct memory_files *files, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (files->p[k].real && strcmp(files->p[k].real, files->p[i].real) == 0)
			return false;
	return true;
}

static int load(struct memory_files *files, size_t i, bool fenced, size_t sofar,
		struct str *ret_text, bool *ret_cut)
{
	struct memory_file *f = &files->p[i];
	AUTO(free) char *real = fs_real(f->path);

	if (!real)
		return errno;
	if (fenced && !path_below(f->fence, real))
		return EXDEV;
	if (sofar >= MEMORY_TOTAL_MAX)
		return EFBIG;
	f->real = arena_z(&files->arena, str_from(real));
	return context_read(&files->arena, real, MEMORY_FILE_MAX, ret_text, ret_cut);
}

static void add_framed(struct buf *out, const struct context_options *o,
		       const struct memory_file *f, struct str text, bool cut)
{
	const struct str path = str_from(f->path);

	buf_addz(out, out->n ? "\n\n--- Context from: " : "--- Context from: ");
	frame_add_name(out, path);
	buf_addz(out, " ---\n");
	memory_expand(out, o, f, text);
	if (cut) {
		note_say(&o->notes, NOTE_WARNING,
			 "Only the first %zu KiB of %s were loaded as context.",
			 MEMORY_FILE_MAX >> 10, f->path);
		buf_addz(out, "\n[The file is longer; the rest was left out.]");
	}
	buf_addz(out, "\n--- End of Context from: ");
	frame_add_name(out, path);
	buf_addz(out, " ---");
}

static void add_files(struct buf *out, const struct context_options *o, struct memory_files *files,
		      bool fenced)
{
	for (size_t i = 0; i < files->n; i++) {
		struct str text;
		bool cut;
		int errnum = load(files, i, fenced, out->n, &text, &cut);
		bool wanted = !errnum && is_new(files, i) && utf8_trim(text).n;
		const char *why =
			wanted ? context_left(o, &files->arena, files->p[i].real, &text) : NULL;

		if (errnum || why) {
			if (errnum)
				why = strerror(errnum);
			if (errnum == EILSEQ)
				why = "it is not a text";
			else if (errnum == EXDEV)
				why = "it is a link to a place outside of the project";
			else if (errnum == EFBIG)
				why = "the context files are too large together";
			note_say(&o->notes, NOTE_WARNING, "Context file %s was not loaded: %s",
				 files->p[i].path, why);
		} else if (wanted) {
			if (o->loaded)
				o->loaded(o->notes.data, files->p[i].path, NULL);
			add_framed(out, o, &files->p[i], text, cut);
		}
	}
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct memory_file *)a)->path, ((const struct memory_file *)b)->path);
}

static void sort(struct memory_files *files)
{
	if (files->n)
		qsort(files->p, files->n, sizeof *files->p, by_path);
}

/* ---- directories that were looked at ---- */

struct context_seen {
	char **p; /* directories, sorted */
	size_t n, cap;
};

struct context_seen *context_seen_new(void)
{
	return xcalloc(1, sizeof(struct context_seen));
}

void context_seen_free(struct context_seen *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->p[i]);
	free(s->p);
	free(s);
}

/* True the first time, as long as max allows to remember it. */
static bool first_visit(struct context_seen *s, const char *dir, size_t max)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = strcmp(s->p[mid], dir);

		if (order == 0)
			return false;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (s->n >= max)
		return false;
	(void)VEC_ADD(s);
	memmove(s->p + low + 1, s->p + low, (s->n - 1 - low) * sizeof *s->p);
	s->p[low] = xstrdup(dir);
	return true;
}

/* ---- the places ---- */

void memory_add_global(struct buf *out, const struct context_options *o)
{
	AUTO(memory_files_done) struct memory_files files = { 0 };
	AUTO(free) char *dir = o->home ? fs_join(o->home, ".gemini") : NULL;
	AUTO(free) char *real = dir ? fs_real(dir) : NULL;

	if (!real)
		return;
	add_dir(&files, o, dir, real);
	sort(&files);
	/* The user's own files may be links to anywhere. */
	add_files(out, o, &files, false);
}

void memory_add_extensions(struct buf *out, const struct context_options *o)
{
	AUTO(memory_files_done) struct memory_files files = { 0 };

	for (const char *const *path = o->extension_files; path && *path; path++) {
		AUTO(free) char *dir = path_parent(*path);
		AUTO(free) char *real = fs_real(dir);

		if (real)
			add_path(&files, *path, real);
	}
	add_files(out, o, &files, true);
}

/* The first root is the project's; others count when the setting says so. */
void memory_add_project(struct buf *out, const struct context_options *o)
{
	AUTO(memory_files_done) struct memory_files files = { 0 };
	const struct json *all =
		json_pointer(o->settings, STR("/context/loadMemoryFromIncludeDirectories"));
	const char *const *roots = context_roots(&files.arena, o);
	AUTO(free) char *way = o->trusted && o->cwd ? fs_real(o->cwd) : NULL;

	if (!o->trusted)
		return;
	for (size_t i = 0; roots[i] && (i == 0 || json_is_true(all)); i++) {
		AUTO(free) char *boundary = boundary_of(o, roots[i]);
		const char *fence = boundary ? boundary : roots[i];
		AUTO(free) char *at = xstrdup(roots[i]);

		for (; strcmp(at, fence) != 0; path_climb(&at))
			add_dir(&files, o, at, fence);
		add_dir(&files, o, fence, fence);
	}
	/*
	 * A session that began below the project's directory: what is on the way there is read now,
	 * and not again when a tool touches it.
	 */
	if (roots[0] && way && path_below(roots[0], way)) {
		AUTO(free) char *boundary = boundary_of(o, roots[0]);

		for (; strcmp(way, roots[0]) != 0; path_climb(&way)) {
			add_dir(&files, o, way, boundary ? boundary : roots[0]);
			if (o->seen)
				(void)first_visit(o->seen, way, SEEN_MAX);
		}
	}
	sort(&files);
	add_files(out, o, &files, true);
}

/* ---- on the way ---- */

void memory_add_below(struct buf *out, const struct context_options *o, struct context_seen *seen,
		      const char *real_path)
{
	AUTO(memory_files_done) struct memory_files files = { 0 };
	const char *root = NULL;
	double max = json_num(json_pointer(o->settings, STR("/context/discoveryMaxDirs")), 0);
	AUTO(free) char *at = fs_is_dir(real_path) ? xstrdup(real_path) : path_parent(real_path);
	AUTO(free) char *boundary = NULL;

	/* The deepest one that the path is below of. */
	for (const char *const *r = context_roots(&files.arena, o); *r; r++)
		if (path_below(*r, real_path) && (!root || strlen(*r) > strlen(root)))
			root = *r;
	if (!o->trusted || !seen || !root)
		return;
	max = max >= 1 && max < SEEN_MAX ? max : SEEN_MAX;
	while (path_below(root, at) && strcmp(at, root) != 0 &&
	       first_visit(seen, at, (size_t)max)) {
		if (!boundary && files.n == 0)
			boundary = boundary_of(o, root);
		add_dir(&files, o, at, boundary ? boundary : root);
		path_climb(&at);
	}
	sort(&files);
	add_files(out, o, &files, true);
}
