/*
 * The tree of a directory as the model first sees it.  Breadth first, so that a wide view comes
 * before a deep one; files before directories; at most ENTRIES_MAX entries.  What is ignored is
 * left out, or folded when it is a directory ("node_modules/...").  Work is bounded too: names that
 * are read and compared with ignore rules are counted, and what is not looked at shows as "...".
 */
#include "agent/context/context_impl.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "base/words.h"
#include "os/fs.h"
#include "tools/ignore.h"

enum {
	ENTRIES_MAX = 200,
	NAMES_MAX = 20000,
	CHECKS_MAX = 4000,
	FILE_CHECKS_MAX = 1000, /* in one directory, so that its directories get a look, too */
	LEVELS_ABOVE_MAX = 64,
};

static const char *const folded_names[] = { ".git", ".hg", ".svn", "dist", "node_modules" };

struct node {
	struct node *parent, *next; /* next: in the queue */
	const char *name;
	const char *path; /* of directories: absolute */
	struct ignore ignore;
	struct node **kids;
	size_t n_kids;
	bool is_dir;
	bool folded; /* ignored, unreadable or not looked into */
	bool more; /* has entries that are not shown */
};

struct tree {
	struct arena arena;
	struct node *tail;
	size_t entries, names, checks;
	bool gitignore, geminiignore, cut;
};

static bool filtering(const struct context_options *o, const char *pointer)
{
	return !json_is_false(json_pointer(o->settings, str_from(pointer)));
}

static void load_rules(const struct tree *t, struct node *dir, int fd)
{
	if (t->gitignore) {
		ignore_load(&dir->ignore, fd, ".git/info/exclude");
		ignore_load(&dir->ignore, fd, ".gitignore");
	}
	if (t->geminiignore)
		ignore_load(&dir->ignore, fd, ".geminiignore");
}

static int open_dir(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static bool is_ignored(struct tree *t, const struct node *dir, const char *name, bool is_dir)
{
	AUTO(free) char *path = fs_join(dir->path, name);

	t->checks++;
	for (const struct node *at = dir; at; at = at->parent) {
		size_t n = strlen(at->path);
		enum ignore_verdict v = ignore_check(
			&at->ignore, str_from(path + n + (at->path[n - 1] != '/')), is_dir);

		if (v != IGNORE_UNSAID)
			return v == IGNORE_YES;
	}
	return false;
}

/* ---- reading ---- */

struct name {
	const char *name;
	bool is_dir;
};

struct names {
	struct name *p;
	size_t n, cap;
};

static int by_kind_and_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = x->is_dir - y->is_dir;

	if (order == 0)
		order = str_cmp_icase(str_from(x->name), str_from(y->name));
	return order ? order : strcmp(x->name, y->name);
}

static void read_names(struct tree *t, struct node *dir, struct names *names)
{
	int fd = open_dir(dir->path);
	AUTO(closedir) DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;

	if (!stream) {
		auto_close(&fd);
		dir->folded = t->cut = true;
		return;
	}
	load_rules(t, dir, fd);
	while ((d = readdir(stream)) != NULL) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (t->names++ >= NAMES_MAX) {
			dir->more = t->cut = true;
			break;
		}
		*VEC_ADD(names) = (struct name){
			.name = arena_z(&t->arena, str_from(d->d_name)),
			.is_dir = fs_entry_type(fd, d) == DT_DIR,
		};
	}
	if (names->n)
		qsort(names->p, names->n, sizeof *names->p, by_kind_and_name);
}

/* The node with its place in the queue, NULL when it is not to be shown. */
static struct node *keep(struct tree *t, struct node *dir, const struct name *found)
{
	bool ignored = (found->is_dir && WORD_IN(str_from(found->name), folded_names)) ||
		       is_ignored(t, dir, found->name, found->is_dir);
	struct node *kept;

	t->cut |= ignored;
	if (ignored && !found->is_dir)
		return NULL;
	kept = ARENA_NEW(&t->arena, struct node);
	*kept = (struct node){ .parent = dir, .name = found->name, .is_dir = found->is_dir };
	kept->folded = ignored;
	if (found->is_dir && !ignored) {
		AUTO(free) char *path = fs_join(dir->path, found->name);

		kept->path = arena_z(&t->arena, str_from(path));
		t->tail = t->tail->next = kept;
	}
	return kept;
}

static void look_into(struct tree *t, struct node *dir)
{
	size_t max = min_size(t->checks + FILE_CHECKS_MAX, CHECKS_MAX);
	struct names names = { 0 };

	read_names(t, dir, &names);
	dir->kids = ARENA_ARRAY(&t->arena, struct node *, min_size(names.n, ENTRIES_MAX));
	for (size_t i = 0; i < names.n; i++) {
		const struct name *name = &names.p[i];

		if (t->entries >= ENTRIES_MAX || t->checks >= (name->is_dir ? CHECKS_MAX : max)) {
			dir->more = t->cut = true;
			continue;
		}
		struct node *kid = keep(t, dir, name);
		if (kid) {
			dir->kids[dir->n_kids++] = kid;
			t->entries++;
		}
	}
	free(names.p);
}

/* ---- the directories above, up to the repository's: for their rules ---- */

static struct node *above(struct tree *t, const char *root)
{
	AUTO(free) char *at = xstrdup(root);
	size_t lengths[LEVELS_ABOVE_MAX], n = 0;
	struct node *parent = NULL;

	while (!fs_has(at, ".git")) {
		char *slash;

		if (strcmp(at, "/") == 0 || n == LEVELS_ABOVE_MAX)
			return NULL;
		slash = strrchr(at, '/');
		slash[slash == at] = '\0';
		lengths[n++] = strlen(at);
	}
	while (n-- > 0) {
		AUTO(free) char *path = xstrndup(root, lengths[n]);
		struct node *dir = ARENA_NEW(&t->arena, struct node);
		AUTO(close) int fd = open_dir(path);

		dir->path = arena_z(&t->arena, str_from(path));
		dir->parent = parent;
		if (fd >= 0)
			load_rules(t, dir, fd);
		parent = dir;
	}
	return parent;
}

/* ---- showing ---- */

static void add_line(struct buf *out, struct str indent, bool last, const struct node *n)
{
	buf_adds(out, indent);
	buf_addz(out, last ? "└───" : "├───");
	if (!n) {
		buf_addz(out, "...\n");
		return;
	}
	frame_add_name(out, str_from(n->name));
	buf_addz(out, n->folded ? "/...\n" : n->is_dir ? "/\n" : "\n");
}

/* Depth is bounded by the number of entries. */
static void add_kids(struct buf *out, const struct node *dir, struct buf *indent)
{
	for (size_t i = 0; i < dir->n_kids; i++) {
		const struct node *kid = dir->kids[i];
		bool last = i + 1 == dir->n_kids && !dir->more;
		size_t n = indent->n;

		add_line(out, buf_str(indent), last, kid);
		buf_addz(indent, last ? "    " : "│   ");
		add_kids(out, kid, indent);
		indent->n = n;
	}
	if (dir->more)
		add_line(out, buf_str(indent), true, NULL);
}

void tree_add(struct buf *out, const struct context_options *o, const char *root_path)
{
	struct tree t = {
		.gitignore = filtering(o, "/context/fileFiltering/respectGitIgnore"),
		.geminiignore = filtering(o, "/context/fileFiltering/respectGeminiIgnore"),
	};
	struct node *root = ARENA_NEW(&t.arena, struct node);
	AUTO(buf_done) struct buf indent = { 0 };

	*root = (struct node){ .path = root_path, .is_dir = true, .parent = above(&t, root_path) };
	t.tail = root;
	for (struct node *at = root; at; at = at->next) {
		if (t.entries < ENTRIES_MAX && t.checks < CHECKS_MAX && t.names < NAMES_MAX)
			look_into(&t, at);
		else
			at->folded = t.cut = true;
	}
	buf_addf(out, "Showing up to %d items (files + folders).%s\n\n", ENTRIES_MAX,
		 t.cut ? " ... marks what is ignored or not shown." : "");
	frame_add_name(out, str_from(root_path));
	buf_addz(out, str_ends(str_from(root_path), STR("/")) ? "\n" : "/\n");
	add_kids(out, root, &indent);
	if (root->folded)
		buf_addz(out, "...\n");
	for (struct node *at = root; at; at = at->next)
		ignore_done(&at->ignore);
	for (struct node *at = root->parent; at; at = at->parent)
		ignore_done(&at->ignore);
	arena_done(&t.arena);
}
