#include "cli/extensions/extension_files.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diff.h"
#include "base/vec.h"
#include "base/words.h"
#include "cli/cli.h"
#include "cli/extensions/extension_tree.h"
#include "os/fs.h"

/* Lines of longer files, and of all together over the second, are not counted. */
enum { COUNT_MAX = 256 << 10, COUNT_ALL_MAX = 32 << 20, NAMES_MAX = 1000 };

struct comparing {
	const char *old, *now;
	const struct brings *before, *after;
	size_t counted; /* bytes */
	struct file_changes *out;
};

void file_changes_done(struct file_changes *c)
{
	arena_done(&c->arena);
	free(c->p);
}

/* ---- which files ---- */

/* For people or the model: nothing takes it for a program, unless it is marked as one. */
static bool is_for_readers(const char *name, const struct stat *st)
{
	static const char *const endings[] = { ".adoc", ".md", ".rst", ".txt", "/LICENSE" };
	AUTO(free) char *path = xasprintf("/%s", name);

	if (!S_ISREG(st->st_mode) || st->st_mode & 0111)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (str_ends(str_from(path), str_from(endings[i])))
			return true;
	return str_starts(str_from(name), STR("commands/")) &&
	       str_ends(str_from(name), STR(".toml"));
}

static bool is_shown(const struct brings *b, const char *name)
{
	for (size_t i = 0; i < b->nfiles; i++)
		if (strcmp(b->files[i], name) == 0)
			return true;
	return false;
}

/* ---- its lines ---- */

static bool read_text(struct comparing *c, const char *path, bool there, struct buf *text)
{
	struct stat st;

	if (!there)
		return true;
	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > COUNT_MAX ||
	    fs_read(path, COUNT_MAX, text, NULL) < 0)
		return false;
	c->counted += text->n;
	return c->counted <= COUNT_ALL_MAX && !memchr(buf_z(text), '\0', text->n);
}

static const char *note_of(struct comparing *c, const char *old, const char *now, char mark)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf x = { 0 }, y = { 0 };
	struct arena *out = &c->out->arena;
	size_t added = 0, removed = 0;
	char target[1024];
	ssize_t n = mark == '-' ? -1 : readlink(now, target, sizeof target);
	struct diff d;

	if (n >= 0)
		return arena_printf(out, "a link to %.*s", (int)n, target).p;
	if (!read_text(c, old, mark != '+', &x) || !read_text(c, now, mark != '-', &y))
		return "no text, or a long one";
	diff_lines(&a, buf_str(&x), buf_str(&y), &d);
	for (size_t i = 0; i < d.n; i++) {
		added += d.changes[i].new_n;
		removed += d.changes[i].old_n;
	}
	if (!added && !removed)
		return mark == ' ' ? "its mode" : "empty";
	if (mark != ' ')
		return arena_printf(out, "%zu line%s", added + removed,
				    added + removed == 1 ? "" : "s")
			.p;
	return arena_printf(out, "lines: +%zu -%zu", added, removed).p;
}

/* ---- comparing ---- */

static void compare_dir(struct comparing *c, const char *name, unsigned depth);

static void compare_entry(struct comparing *c, const char *name, unsigned depth)
{
	/* Manifest and hooks are shown as what they mean; the rest belongs to no version. */
	static const char *const known[] = {
		".env",          ".git",          EXTENSION_INSTALL_FILE, EXTENSION_MANIFEST,
		EXTENSION_HOOKS, PLUGIN_MANIFEST, PLUGIN_MARKETPLACE
	};
	AUTO(free) char *old = fs_join(c->old, name);
	AUTO(free) char *now = fs_join(c->now, name);
	struct stat x, y;
	bool was = lstat(old, &x) == 0, is = lstat(now, &y) == 0;
	bool dir = (was && S_ISDIR(x.st_mode)) || (is && S_ISDIR(y.st_mode));
	bool shown_before, shown_after;
	char mark;

	if (WORD_IN(str_from(name), known))
		return;
	if (dir && depth < TREE_DEPTH_MAX)
		compare_dir(c, name, depth + 1);
	was = was && !S_ISDIR(x.st_mode);
	is = is && !S_ISDIR(y.st_mode);
	if ((!was || is_for_readers(name, &x)) && (!is || is_for_readers(name, &y)))
		return;
	if (was && is && tree_same(old, now))
		return;
	/* Its lines are with the hook, the server or the policy whose file it is. */
	shown_before = is_shown(c->before, name);
	shown_after = is_shown(c->after, name);
	if ((shown_before && shown_after) ||
	    ((shown_before || shown_after) && str_starts(str_from(name), STR("policies/"))))
		return;
	if (c->out->n == NAMES_MAX) {
		c->out->more++;
		return;
	}
	mark = !was ? '+' : !is ? '-' : ' ';
	*VEC_ADD(c->out) = (struct file_change){ arena_z(&c->out->arena, str_from(name)), mark,
						 note_of(c, old, now, mark) };
}

/* Those of a directory; none of what is no directory, and not those that a link leads to. */
static void names_read(struct fs_names *l, const char *root, const char *name)
{
	AUTO(free) char *path = *name ? fs_join(root, name) : xstrdup(root);
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		(void)fs_list(path, l, NULL);
}

/* Both lists are sorted. */
static void compare_dir(struct comparing *c, const char *name, unsigned depth)
{
	AUTO(fs_names_done) struct fs_names old = { 0 }, now = { 0 };
	size_t i = 0, k = 0;

	names_read(&old, c->old, name);
	names_read(&now, c->now, name);
	while (i < old.n || k < now.n) {
		int order = i == old.n ? 1 : k == now.n ? -1 : strcmp(old.p[i], now.p[k]);
		const char *one = order <= 0 ? old.p[i] : now.p[k];
		AUTO(free) char *inner = fs_join(name, one);

		compare_entry(c, inner, depth);
		i += order <= 0;
		k += order >= 0;
	}
}

void file_changes_find(const char *old, const char *now, const struct brings *before,
		       const struct brings *after, struct file_changes *ret_changes)
{
	struct comparing c = {
		.old = old, .now = now, .before = before, .after = after, .out = ret_changes
	};

	compare_dir(&c, "", 0);
}

void file_changes_show(struct sheet *p, const struct file_changes *c)
{
	if (!c->n)
		return;
	sheet_f(p, YELLOW, "Files that hooks, servers or scripts may run or read:\n");
	for (size_t i = 0; i < c->n; i++) {
		const struct file_change *f = &c->p[i];
		AUTO(free) char *line = xasprintf("%c %s  (%s)", f->mark, f->name, f->note);

		sheet_text(p, f->mark == '-' ? RED : f->mark == '+' ? GREEN : BOLD, line, 2);
	}
	if (c->more)
		sheet_f(p, RED, "  and %zu more\n", c->more);
}
