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

int extension_json(struct arena *a, const char *path, const struct json **ret_v, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	int r = fs_read(path, EXTENSION_FILE_MAX, &text, err);

	/* The arena's copy, because it outlives the buffer. */
	return r < 0 ? r : settings_parse(a, path, arena_str(a, buf_str(&text)), ret_v, err);
}
