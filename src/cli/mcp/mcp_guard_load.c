#include "cli/mcp/mcp_guard_load.h"

#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/cli.h"
#include "os/changes.h"
#include "os/fs.h"
#include "settings/places.h"

struct paths {
	const char **p;
	size_t n, cap;
};

static int load(struct guard_load *l, struct tl_hooks *ret_hooks[HOST_ROOTS_MAX],
		struct tl_err *err)
{
	struct tl_options o = TL_OPTIONS_INIT(.flags = 0);

	wb_give_handlers(&l->wb, &o);
	const struct host_load from = { .home = l->home,
					.handlers = o.handlers,
					.nhandlers = o.nhandlers };

	return host_load_all(&from, ret_hooks, err);
}

/* Where hooks and policies, and what they are approved by, are or could come to be. */
static uint64_t add_places(struct paths *list, struct arena *a, const struct tl_hooks *hooks)
{
	const struct dirs dirs = hooks_dirs(hooks, "/");
	const struct settings_place *p = NULL;
	uint64_t names = 0;

	while ((p = place_next(p, NULL, PLACE_HOOKS | PLACE_SETTINGS | PLACE_POLICIES))) {
		const char *path = p->use == PLACE_FOREIGN ? NULL : place_path(p, &dirs, a);
		/* Policies are all files of a directory, and a number is made of their paths. */
		AUTO(fs_names_done) struct fs_names found = { 0 };
		uint64_t all = 0;

		if (path && p->holds & PLACE_POLICIES)
			(void)fs_list(path, &found, NULL);
		else if (path)
			*VEC_ADD(list) = path;
		for (size_t i = 0; i < found.n; i++) {
			const char *file = arena_printf(a, "%s/%s", path, found.p[i]).p;

			all = str_hash(all, str_from(file));
			*VEC_ADD(list) = file;
		}
		names ^= all;
	}
	return names;
}

/* True when files have come or gone that were not watched. */
static bool watch(struct guard_load *l, const struct guard_hooks *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *dir = getcwd(NULL, 0);
	uint64_t names = 0, were = l->names;
	struct paths list = { 0 };

	for (size_t i = 0; i < h->snapshots; i++)
		names = names * 31 + add_places(&list, &a, h->hooks[i]);
	/* A project in a project adds its hooks: that may be any directory above. */
	while (dir && *dir) {
		*VEC_ADD(&list) = arena_printf(&a, "%s/" OWN_SETTINGS, dir).p;
		*strrchr(dir, '/') = '\0';
	}
	*VEC_ADD(&list) = arena_printf(&a, "%s/.trotline/trusted_hooks.json", l->home).p;
	*VEC_ADD(&list) = arena_printf(&a, "%s/.gemini/trustedFolders.json", l->home).p;
	*VEC_ADD(&list) = NULL;
	changes_set(l->changes, 0, list.p);
	free(list.p);
	l->names = names;
	return names != were;
}

int guard_load_open(struct guard_load *l, const char *home, struct guard_hooks *h,
		    struct tl_err *err)
{
	int r;

	*l = (struct guard_load){ .home = home, .wb = cli_wb(false), .changes = changes_new() };
	r = load(l, h->hooks, err);
	if (r < 0)
		return r;
	h->snapshots = (size_t)r;
	l->wb.dirs = (struct dirs){
		.home = home,
		.project = arena_z(&l->wb.arena, str_from(tl_hooks_project_dir(h->hooks[0]))),
		.cwd = "/",
		.env = (const char *const *)environ,
	};
	l->wb.dirs_trusted = tl_hooks_folder_trusted(h->hooks[0]);
	(void)watch(l, h);
	return 0;
}

bool guard_load_refresh(struct guard_load *l, struct guard_hooks *h)
{
	struct tl_hooks *hooks[HOST_ROOTS_MAX];
	bool changed = false;
	struct change seen;
	struct tl_err err;
	int r;

	while (changes_next(l->changes, &seen))
		changed = true;
	if (!watch(l, h) && !changed)
		return false;
	r = load(l, hooks, &err);
	if (r < 0) {
		(void)snprintf(h->problem, sizeof h->problem, "%s", err.text);
		complain("mcp guard: its settings have changed and cannot be used; every call is "
			 "denied: %s",
			 err.text);
		return true;
	}
	h->problem[0] = '\0';
	out_note("trotline mcp guard: its settings have changed and were read again");
	for (size_t i = 0; i < h->snapshots; i++)
		tl_hooks_unref(h->hooks[i]);
	memcpy(h->hooks, hooks, sizeof hooks[0] * (size_t)r);
	h->snapshots = (size_t)r;
	(void)watch(l, h);
	return true;
}

void guard_load_done(struct guard_load *l)
{
	changes_free(l->changes);
	wb_done(&l->wb);
}
