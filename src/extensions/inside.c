/* Files inside an extension: none that leads out of it. */
#include "base/path.h"
#include "extensions/extension_impl.h"
#include "os/fs.h"
#include "settings/read.h"

const char *extension_path(struct arena *a, const struct extension *e, const char *relative)
{
	AUTO(free) char *dir = fs_real(e->dir);
	AUTO(free) char *path = fs_join(e->dir, relative);
	AUTO(free) char *real = fs_real(path);

	if (!path_below(dir, real))
		return NULL;
	return arena_z(a, str_from(real));
}

const char *const *extensions_dirs(struct arena *a, const struct extensions *all, const char *name)
{
	const char **dirs = ARENA_ARRAY(a, const char *, all->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct extension *e = &all->p[i];
		const char *dir = extension_is_active(e) ? extension_path(a, e, name) : NULL;

		if (dir && fs_is_dir(dir))
			dirs[n++] = dir;
	}
	return dirs;
}

int extension_json(struct arena *a, const char *path, const struct json **ret_v, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	int r = fs_read(path, EXTENSION_FILE_MAX, &text, err);

	/* The arena's copy, because it outlives the buffer. */
	return r < 0 ? r : settings_parse(a, path, arena_str(a, buf_str(&text)), ret_v, err);
}
