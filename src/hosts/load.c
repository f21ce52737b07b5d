#include "hosts/load.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "hosts/keep.h"
#include "os/fs.h"
#include "os/proc.h"
#include "settings/places.h"

/* The directory, or its nearest parent, that has a file of ours for projects; NULL = none. */
static char *own_settings(const char *home, const char *dir)
{
	char *path = dir && *dir == '/' ? xstrdup(dir) : NULL;

	while (path && *path) {
		AUTO(free) char *file = fs_join(path, OWN_SETTINGS);

		if (strcmp(path, home) != 0 && fs_exists(file))
			return path;
		*strrchr(path, '/') = '\0';
	}
	free(path);
	return NULL;
}

struct roots {
	char *p[HOST_ROOTS_MAX];
	size_t n;
};

static void roots_done(struct roots *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->p[i]);
}
DEFINE_AUTO(struct roots, roots_done)

static bool has_root(const struct roots *r, const char *root)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->p[i], root) == 0)
			return true;
	return false;
}

static bool is_ours(const char *root)
{
	AUTO(free) char *file = fs_join(root, OWN_SETTINGS);
	struct stat st;

	return stat(file, &st) < 0 || st.st_uid == geteuid() || st.st_uid == 0;
}

/*
 * A project in a project adds its hooks and takes none away: else a file that a model has made in a
 * directory would do so.  What other users have in a parent is theirs.  False when there are too
 * many.
 */
static bool add_root(struct roots *r, const char *home, const char *dir)
{
	AUTO(free) char *root = own_settings(home, dir);
	bool nearest = true;

	while (root) {
		AUTO(free) char *at = MOVE(root);
		AUTO(free) char *parent = fs_join(at, "..");
		AUTO(free) char *above = fs_absolute("/", parent);

		if (!has_root(r, at) && (nearest || is_ours(at))) {
			if (r->n == HOST_ROOTS_MAX)
				return false;
			r->p[r->n++] = MOVE(at);
		}
		nearest = false;
		root = own_settings(home, above);
	}
	return true;
}

static int load_one(const struct host_load *l, const char *project, unsigned flags,
		    struct tl_hooks **ret_hooks, struct tl_err *err)
{
	static const char *const keeper[] = { OWN_PROGRAM, KEEP_HOOKS, NULL };
	const struct tl_options o =
		TL_OPTIONS_INIT(.cwd = l->cwd, .project_dir = project,
				.flags = flags | (l->once ? TL_LOAD_ONE_CALL : 0),
				.home = *l->home ? l->home : NULL, .handlers = l->handlers,
				.nhandlers = l->nhandlers, .agent_reads = l->reads ? l->reads : "",
				.keeper = l->once ? keeper : NULL);

	return tl_hooks_load(&o, ret_hooks, err);
}

int host_load_all(const struct host_load *l, struct tl_hooks *ret_hooks[HOST_ROOTS_MAX],
		  struct tl_err *err)
{
	AUTO(roots_done) struct roots roots = { 0 };
	AUTO(free) char *here = getcwd(NULL, 0);
	bool fit = true;
	size_t n = 0;
	int r = 0;

	for (const char *const *dir = l->dirs; fit && dir && *dir; dir++)
		fit = add_root(&roots, l->home, *dir);
	if (!fit || !add_root(&roots, l->home, here)) {
		*err = (struct tl_err){ .code = TL_E_LIMIT };
		(void)snprintf(err->text, sizeof err->text,
			       "more than %d folders have settings of their own", HOST_ROOTS_MAX);
		return -TL_E_LIMIT;
	}
	do
		r = load_one(l, roots.n ? roots.p[n] : NULL, n ? TL_LOAD_ONLY_PROJECT : 0,
			     &ret_hooks[n], err);
	while (r >= 0 && ++n < roots.n);
	if (r >= 0)
		return (int)n;
	while (n > 0)
		tl_hooks_unref(ret_hooks[--n]);
	return r;
}
