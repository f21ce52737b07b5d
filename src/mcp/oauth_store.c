#include "mcp/oauth_store.h"

#include <sys/stat.h>

#include "net/url.h"
#include "os/fs.h"

enum { FILE_MAX = 4 << 20, LOCK_MS = 30000, SERVERS_MAX = 500 };

static char *path_of(const char *home, const char *name)
{
	AUTO(free) char *dir = fs_join(home, ".trotline");

	return fs_join(dir, name);
}

const char *oauth_key(struct arena *a, const char *address, const char *client_id)
{
	struct url u;
	const char *text = url_read(a, address, &u, NULL) == 0 ? url_text(a, &u) : address;

	return client_id ? arena_printf(a, "%s %s", text, client_id).p : text;
}

static int read_all(struct arena *a, const char *home, const struct json **ret_v, struct err *err)
{
	AUTO(free) char *file = path_of(home, "mcp-oauth.json");
	AUTO(buf_done) struct buf text = { 0 };
	int r = fs_read_nofollow(file, FILE_MAX, &text, err);

	*ret_v = json_new_obj(a);
	if (r == -E_NOTFOUND)
		return 0;
	r = r < 0 ? r : json_parse(a, arena_str(a, buf_str(&text)), 0, ret_v, err);
	if (r >= 0 && !json_is(*ret_v, J_OBJ))
		r = err_set(err, E_CONFIG, "an object is expected");
	return r < 0 ? err_wrap(err, "%s", file) : 0;
}

int oauth_store_read(struct arena *a, const char *home, const char *key,
		     const struct json **ret_grant, struct err *err)
{
	const struct json *all;
	int r = read_all(a, home, &all, err);
	const struct json *grant = r < 0 ? NULL : json_getz(all, key);

	*ret_grant = json_is(grant, J_OBJ) ? grant : NULL;
	return r;
}

static int lock(const char *home, const char *name, struct err *err)
{
	AUTO(free) char *dir = fs_join(home, ".trotline");
	AUTO(free) char *path = fs_join(dir, name);
	int r = fs_mkdirs(dir, 0700, err);

	return r < 0 ? r : fs_lock(path, LOCK_MS, err);
}

int oauth_store_lock(const char *home, struct err *err)
{
	return lock(home, "mcp-oauth.refresh.lock", err);
}

int oauth_store_write(const char *home, const char *key, const struct json *grant, struct err *err)
{
	AUTO(free) char *file = path_of(home, "mcp-oauth.json");
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(close) int held = lock(home, "mcp-oauth.lock", err);
	const struct json *all, *before;
	int r = held < 0 ? held : read_all(&a, home, &all, err);

	if (r < 0)
		return r;
	before = json_getz(all, key);
	if (grant ? before && json_equal(before, grant) : !before)
		return 0;
	if (grant && !before && all->n >= SERVERS_MAX)
		return err_set(err, E_LIMIT, "%s holds %d servers already", file, SERVERS_MAX);
	all = grant ? json_set(&a, all, str_from(key), grant)
		    : json_without(&a, all, str_from(key));
	(void)chmod(file, 0600); /* fs_replace() keeps the mode of a file */
	r = fs_replace(file, json_text(&a, all, JSON_PRETTY), 0600, err);
	return r < 0 ? r : 1;
}
